"""Results of a comparison, measure by measure and system by system, and their tables."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import product
from string import ascii_lowercase
from typing import Any, Never

import numpy as np

from sklearn_rank.comparison.changes import (
    Direction,
    QueryChange,
    cause,
    query_changes,
    title_function,
)
from sklearn_rank.comparison.differences import Change, changes_of
from sklearn_rank.comparison.join import Joined
from sklearn_rank.comparison.notes import describe_family, notes_of
from sklearn_rank.evaluation.averaging import mean_over, on_scale
from sklearn_rank.evaluation.compute import find_measure
from sklearn_rank.evaluation.result import Evaluation, QueryText, text_function, worst_of
from sklearn_rank.evaluation.slices import read_slices
from sklearn_rank.evaluation.tables import gain_notes
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.record import Measure
from sklearn_rank.support.checks import check_integer, check_option
from sklearn_rank.support.text import closest, safe_repr
from sklearn_rank.tables.formats import Parts, Rows, Tabular
from sklearn_rank.tables.table import (
    Cell,
    Column,
    FrameBackend,
    Table,
    count_cell,
    interval_cell,
    native_frame,
    number_cell,
    p_cell,
    text_cell,
)
from sklearn_rank.typing import FloatArray

__all__ = ["Comparison"]

_MOST_PRINTED = 30
"""Differences that a terminal shows; many systems in many measures are a table of systems."""
COLUMNS = (
    *(
        "measure",
        "baseline",
        "system",
        "queries",
        "baseline_value",
        "new",
        "change",
        "low",
        "high",
        "effect",
    ),
    *("p", "p_holm", "wins", "ties", "losses", "detectable"),
)
"""Columns of the long table."""


@dataclass(frozen=True)
class SystemScore:
    """One measure of one system, as a table of systems shows it.

    Attributes
    ----------
    system, letter, measure : str
        The letter stands for the system in ``better_than`` of others.
    queries : int
        Queries in the mean.
    value : float
        Mean over the common queries.
    best : bool
        Whether no other system has a better value.
    better_than, worse_than : tuple of str
        Letters of the systems from which it differs significantly.
    """

    system: str
    letter: str
    measure: str
    queries: int
    value: float
    best: bool
    better_than: tuple[str, ...] = ()
    worse_than: tuple[str, ...] = ()


ItemText = Mapping[Any, Any] | Callable[[Any], Any] | None


@dataclass(frozen=True)
class Options:
    """What was asked for besides systems and measures."""

    alpha: float
    all_pairs: bool
    query_text: QueryText = None
    item_text: ItemText = None
    notes: Sequence[str] = ()
    """On omissions when the systems were joined."""


class Comparison(Tabular):
    """Result of :func:`compare`.

    Attributes
    ----------
    names, others : tuple of str
        The systems, the baseline first; and all but the baseline.
    baseline : str
        The first system.
    measures : tuple of str
        What they are compared in.
    rows : tuple of Change
        Measure by measure, each other system against the baseline, or each pair.
    all_pairs : bool
        Whether each system is compared with each other, not with the baseline alone.
    family_text : str
        The test, and which p-values are corrected together.
    alpha : float
        See :func:`compare`.

    Examples
    --------
    >>> from sklearn_rank import compare
    >>> truth = {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}}
    >>> old = {"q1": ["x", "a"], "q2": ["b", "x"], "q3": ["x", "y", "c"]}
    >>> new = {"q3": ["c"], "q2": ["b", "x"], "q1": ["a", "x"]}
    >>> row = compare(truth, {"old": old, "new": new}, measures="mrr")["mrr"]
    >>> round(row.change, 4), row.wins, row.ties, row.losses  # (1/2 + 0 + 2/3) / 3
    (0.3889, 2, 1, 0)
    """

    _ROWS = ("systems", "changes")

    def __init__(
        self, joined: Joined, options: Options, rows: tuple[Change, ...], family_text: str
    ) -> None:
        self._joined, self._options = joined, options
        self.names = tuple(joined.systems)
        self.baseline, self.others = self.names[0], self.names[1:]
        self.measures = joined.measures
        self.rows, self.family_text = rows, family_text
        self.alpha, self.all_pairs = options.alpha, options.all_pairs

    @property
    def query_ids(self) -> list[Any]:
        """Queries that all systems have, in the order of the first; a copy."""
        return list(self._joined.query_ids)

    @property
    def evaluations(self) -> dict[str, Evaluation]:
        """The systems as they were given, with all their queries; a copy."""
        return dict(self._joined.systems)

    @property
    def counts(self) -> dict[str, Any]:
        """``queries`` that all systems have; of each system, those ``left_out`` and ``missing``.

        A missing query is judged without a ranking, and counts as an empty one.
        """
        return {
            "queries": len(self._joined.query_ids),
            "left_out": dict(self._joined.left_out),
            "missing": {name: len(queries) for name, queries in self._joined.missing.items()},
        }

    @cached_property
    def scores(self) -> tuple[SystemScore, ...]:
        """Measure by measure, each system with its value and the systems that it beats."""
        letters, scores = self.letters, []
        beaten: dict[tuple[str, str], list[str]] = {}
        lost: dict[tuple[str, str], list[str]] = {}
        for row in self.rows:
            if row.significant and row.better is not None:
                pair = (row.system, row.baseline)
                winner, loser = pair if row.better else pair[::-1]
                beaten.setdefault((row.measure, winner), []).append(letters[loser])
                lost.setdefault((row.measure, loser), []).append(letters[winner])
        in_order = list(letters.values()).index
        for measure in self.measures:
            means = {system: self._mean(system, measure) for system in self.names}
            defined = [value for value, _ in means.values() if not math.isnan(value)]
            best = (max if self.greater_is_better(measure) else min)(defined, default=math.nan)
            for system, (value, queries) in means.items():
                marks = (
                    sorted(of.get((measure, system), ()), key=in_order) for of in (beaten, lost)
                )
                fields = (system, letters[system], measure, queries, value, value == best)
                scores.append(SystemScore(*fields, *map(tuple, marks)))
        return tuple(scores)

    def _mean(self, system: str, measure: str) -> tuple[float, int]:
        """Mean over the common queries for which a measure is defined, and how many there are."""
        joined = self._joined
        values = joined.values(system, measure)
        if values is None:
            return joined.pooled(system, measure), len(joined.query_ids)
        weights = joined.weights(system, measure)
        is_counted = ~np.isnan(values) if weights is None else ~np.isnan(values) & (weights > 0)
        shares = None if weights is None else weights[is_counted]
        mean = mean_over(values[is_counted], shares, joined.measure(measure).metric.geometric_from)
        return mean, int(is_counted.sum())

    @property
    def letters(self) -> dict[str, str]:
        """A letter for each system: a, b, ... z, aa, ab, ..."""
        lengths = range(1, len(self.names) + 1)
        words = ("".join(word) for n in lengths for word in product(ascii_lowercase, repeat=n))
        return dict(zip(self.names, words, strict=False))

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Sentences on few queries, queries left out, measures without a test, and so on."""
        return (*self._options.notes, *notes_of(self.rows, self._joined, self.alpha))

    def __getitem__(self, key: str | Measure | tuple[Any, ...]) -> Change:
        """The change of a measure: ``[measure]``, ``[measure, system]``, or of a pair."""
        measure, *systems = key if isinstance(key, tuple) else (key,)
        pair = self._pair(systems)
        name = self._find(measure)
        for row in self.rows:
            if row.measure == name and (row.baseline, row.system) == pair:
                return row
        msg = (
            f"{safe_repr(pair[1])} was not compared with {safe_repr(pair[0])}: systems are "
            f"compared with {safe_repr(self.baseline)}, and each with each by all_pairs=True"
        )
        raise KeyError(msg)

    def values(self, measure: str | Measure) -> dict[str, FloatArray]:
        """Values per query of each system, in the order of ``query_ids``; NaN where undefined."""
        name = self._find(measure)
        return {system: self._joined.values_per_query(system, name).copy() for system in self.names}

    def changes(self, measure: str | Measure, system: str | None = None) -> FloatArray:
        """System minus baseline per query, NaN where either is undefined."""
        name, (first, second) = self._find(measure), self._pair([] if system is None else [system])
        old, new = (self._joined.values_per_query(system, name) for system in (first, second))
        return np.asarray(new - old)

    def measure(self, measure: str | Measure) -> Measure:
        """A measure with the parameters of its convention."""
        return self._joined.measure(self._find(measure))

    def is_pooled(self, measure: str | Measure) -> bool:
        """Whether a measure ranks all queries together, so that nothing can be tested."""
        return self.measure(measure).is_pooled

    def greater_is_better(self, measure: str | Measure) -> bool:
        """Direction of a measure."""
        return self.measure(measure).metric.greater_is_better

    def by_slice(
        self, slices: Mapping[Any, Any] | Callable[[Any], Any] | str
    ) -> dict[Any, Comparison]:
        """Compare the systems in each slice of the queries.

        All slices are one family of tests, as on the page of a report. They change nothing that is
        said about all queries.

        Parameters
        ----------
        slices : mapping, callable or str
            See :meth:`Evaluation.by_slice`; columns are read from the baseline's data frames.

        Returns
        -------
        comparisons : dict of label to Comparison
            In order of first appearance. P-values are corrected for all systems, measures and
            slices.

        Raises
        ------
        InvalidParameterError
            If the keys are not queries and the values not collections of queries, or a column is
            not there or has several labels for a query.

        Examples
        --------
        >>> from sklearn_rank import compare
        >>> truth = {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}, "q4": {"d"}}
        >>> old = {"q1": ["x", "a"], "q2": ["x", "b"], "q3": ["c"], "q4": ["d"]}
        >>> new = {"q1": ["a"], "q2": ["x", "y", "b"], "q3": ["c"], "q4": ["d"]}
        >>> whole = compare(truth, {"old": old, "new": new}, measures="mrr")
        >>> parts = whole.by_slice({"head": {"q1", "q3"}, "tail": {"q2", "q4"}})
        >>> {label: round(part["mrr"].change, 4) for label, part in parts.items()}
        {'head': 0.25, 'tail': -0.0833}
        """
        joined = self._joined
        if isinstance(slices, str):
            slices = joined.systems[self.baseline]._judged.labels(slices)
        known: set[Any] = set()
        for system in joined.systems.values():
            known.update(system._judged.listed_ids(), system._judged.left_out)
        labels = read_slices(slices, joined.query_ids, known)
        groups = [joined.take(queries) for queries in labels.values()]
        parts = comparisons_of(groups, self._options, of_slices=True)
        return Parts(dict(zip(labels, parts, strict=True)), slices_table)

    # Single queries ------------------------------------------------------------------------------

    def most_changed(
        self,
        n: int = 10,
        *,
        measure: str | Measure | None = None,
        system: str | None = None,
        direction: Direction = "both",
        query_text: QueryText = None,
        item_text: ItemText = None,
    ) -> list[QueryChange]:
        """The queries that changed most, and the items that explain it.

        The contribution of an item is its part of the change: for DCG, its gain times the change of
        its discount. The parts of all relevant items sum to the change of the query exactly. The
        guide "Comparing" defines them for each measure.

        Parameters
        ----------
        n : int, default=10
            At most so many; queries that did not change are never among them.
        measure : str or Measure, default=None
            By which they changed; None takes the first that has values per query.
        system : str, default=None
            Compared with the baseline; None takes the second system.
        direction : {"both", "worse", "better"}, default="both"
            Which changes count, the direction of the measure minded.
        query_text, item_text : mapping or callable, default=None
            {query: text} and {item: title}, or functions of the id; None takes those of
            ``compare``.

        Returns
        -------
        changes : list of QueryChange
            The largest change first; of a geometric mean, the largest change of the logarithm.

        Raises
        ------
        InvalidParameterError
            If the measure is pooled, or a parameter means nothing here.

        Examples
        --------
        >>> from sklearn_rank import compare
        >>> truth = {"q1": {"a", "b"}, "q2": {"c"}}
        >>> runs = {
        ...     "old": {"q1": ["a", "b", "x"], "q2": ["c"]},
        ...     "new": {"q1": ["b", "x", "a"], "q2": ["c"]},
        ... }
        >>> compared = compare(truth, runs, query_text={"q1": "who is it"})
        >>> (change,) = compared.most_changed(measure="map")
        >>> change.query, change.text, round(change.change, 4)
        ('q1', 'who is it', -0.1667)
        >>> change.why()
        'a 1->3 -0.42; b 2->1 +0.25'
        """
        check_option(direction, "direction", ("both", "worse", "better"), "most_changed")
        n = check_integer(n, "n", "most_changed", at_least=0)
        name, pair = self._asked(measure, system)
        metric = self.measure(name).metric
        old, new = (
            on_scale(self._joined.values_per_query(side, name), metric.geometric_from)
            for side in pair
        )
        gains = np.nan_to_num(new - old, nan=0.0) * (1 if metric.greater_is_better else -1)
        sizes = {"both": np.abs(gains), "worse": -gains, "better": gains}[direction]
        order = np.argsort(-sizes, kind="stable").tolist()
        numbers = [place for place in order[:n] if sizes[place] > 0]
        return self._changes(name, pair, numbers, query_text, item_text)

    def worst(
        self,
        n: int = 10,
        *,
        measure: str | Measure | None = None,
        system: str | None = None,
        query_text: QueryText = None,
        item_text: ItemText = None,
    ) -> list[QueryChange]:
        """The queries that a system answers worst, beside how the baseline answers them.

        Parameters
        ----------
        n : int, default=10
            At most so many; queries of the best possible value are never among them.
        measure, system, query_text, item_text
            See :meth:`most_changed`.

        Returns
        -------
        changes : list of QueryChange
            The worst value first.
        """
        n = check_integer(n, "n", "worst", at_least=0)
        name, pair = self._asked(measure, system)
        values = self._joined.values_per_query(pair[1], name)
        numbers = worst_of(values, self.measure(name).metric, n)
        return self._changes(name, pair, numbers, query_text, item_text)

    def query_changes(
        self,
        queries: Iterable[Any],
        *,
        measure: str | Measure | None = None,
        system: str | None = None,
        query_text: QueryText = None,
        item_text: ItemText = None,
    ) -> list[QueryChange]:
        """Changes of queries by their ids, in the order given."""
        name, pair = self._asked(measure, system)
        if isinstance(queries, (str, bytes)):
            msg = f"queries must be a collection of query ids, got the text {safe_repr(queries)}"
            raise InvalidParameterError(msg)
        places = {query: number for number, query in enumerate(self._joined.query_ids)}
        wanted = list(queries)
        for query in wanted:
            if query not in places:
                msg = f"query {safe_repr(query)} was not compared"
                raise InvalidParameterError(msg)
        numbers = [places[query] for query in wanted]
        return self._changes(name, pair, numbers, query_text, item_text)

    def _asked(self, measure: Any, system: str | None) -> tuple[str, tuple[str, str]]:
        """Name of the measure, and the two systems."""
        if measure is None:
            tested = [name for name in self.measures if not self.is_pooled(name)]
            measure = (tested or self.measures)[0]
        return self._find(measure), self._pair([self.others[0] if system is None else system])

    def _changes(
        self,
        measure: str,
        pair: tuple[str, str],
        numbers: Sequence[int],
        query_text: QueryText,
        item_text: ItemText,
    ) -> list[QueryChange]:
        """A list that prints as a table."""
        text = text_function(self._options.query_text if query_text is None else query_text)
        title = title_function(self._options.item_text if item_text is None else item_text)
        found = query_changes(self._joined, measure, pair, text, numbers, title_of=title)
        return Rows(found, partial(changes_table, baseline=pair[0], system=pair[1]))

    # What it is shown as -------------------------------------------------------------------------

    def plot(self, kind: str = "changes", **options: Any) -> Any:
        """Draw the comparison; needs Matplotlib.

        Parameters
        ----------
        kind : str, default="changes"
            "changes" (of the queries between the baseline and ``system=`` by ``measure=``,
            sorted, ``n_named=`` at each end by name), and those of :meth:`Evaluation.plot`, with a
            line for each system.
        **options
            Those of the kind, and ``ax=``.

        Returns
        -------
        display : display
            Drawn, with ``ax_`` and ``figure_``; ``plot`` draws it again.
        """
        from sklearn_rank.displays import plot

        return plot(self, kind, options)

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        measure: str | Measure | None = None,
        slices: Mapping[Any, Any] | Callable[[Any], Any] | str | None = None,
        query_text: QueryText = None,
        item_text: ItemText = None,
        about: Sequence[str] = (),
        max_drop: float | Mapping[str | Measure, float] | None = None,
        **unknown: Never,
    ) -> None:
        """Write the answer and every query to one HTML file, which needs no network.

        First the verdict in a sentence, then slices (or systems) by measures, whose cells filter
        the queries below, largest losses first; each query shows both lists of items, the item that
        explains its change, and keys to judge items.

        Parameters
        ----------
        path : str or path
            Name of the file; a report that is there is replaced, any other file is an error.
        title : str, default=None
            Line above the verdict.
        measure : str or Measure, default=None
            Measure by which queries are listed first; None takes that of the verdict.
        slices : mapping, callable or str, default=None
            See ``by_slice``.
        query_text : mapping or callable, default=None
            Texts of queries: {id: text}, or a function of the id. None takes the texts given to
            ``compare``.
        item_text : mapping or callable, default=None
            Titles of items, or mappings with ``title``, ``text``, ``url`` (a link) and ``image``
            (shown if it is a ``data:`` URI, otherwise a link). None takes those given to
            ``compare``.
        about : sequence of str, default=()
            More for the line below the verdict, such as files and the command.
        max_drop : float or {measure: float}, default=None
            Limit of a gate, whose verdict the page then shows; None tells significant changes, and
            what a gate with 0.02 would say.
        **unknown
            None; the error says which name is meant.
        """
        from sklearn_rank.report.systems import write_report

        write_report(
            self,
            path,
            title=title,
            measure=measure,
            slices=slices,
            query_text=self._options.query_text if query_text is None else query_text,
            item_text=self._options.item_text if item_text is None else item_text,
            about=about,
            max_drop=max_drop,
            **unknown,
        )

    def to_frame(self, backend: FrameBackend = "pandas") -> Any:
        """One row per measure and compared system.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Library of the data frame; it has to be installed.

        Returns
        -------
        frame : data frame
            Columns measure, baseline, system, queries, baseline_value, new, change, low, high,
            effect, p, p_holm, wins, ties, losses and detectable. Missing values, such as the
            p-value of a pooled measure, are NaN or null.

        Examples
        --------
        >>> from sklearn_rank import compare
        >>> runs = {"old": {"q": ["x", "a"]}, "new": {"q": ["a"]}}
        >>> frame = compare({"q": {"a"}}, runs, measures="mrr").to_frame("polars")
        >>> frame.select("system", "new", "change").rows()
        [('new', 1.0, 0.5)]
        """
        columns = {name: [getattr(row, name) for row in self.rows] for name in COLUMNS}
        return native_frame(columns, backend)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python objects, NaN as None."""
        return {
            "names": list(self.names),
            "measures": list(self.measures),
            "alpha": self.alpha,
            "all_pairs": self.all_pairs,
            "family_text": self.family_text,
            "counts": self.counts,
            "notes": list(self.notes),
            "rows": [_plain(row) for row in self.rows],
            "scores": [_plain(score) for score in self.scores],
        }

    def _table(self, rows: str) -> Table:
        return differences_table(self) if rows == "changes" else systems_table(self)

    def _printed(self) -> tuple[Table, ...]:
        return printed(self)

    # ---------------------------------------------------------------------------------------------

    def _find(self, measure: str | Measure) -> str:
        """The name under which a measure was compared."""
        scored = self._joined.systems[self.baseline]._scored
        return find_measure(measure, {name: scored[name] for name in self.measures})

    def _pair(self, systems: list[Any]) -> tuple[str, str]:
        for system in systems:
            if system not in self._joined.systems:
                hint = closest(str(system), self.names)
                msg = f"no system {safe_repr(system)}{hint}; there is: {', '.join(self.names)}"
                raise InvalidParameterError(msg)
        if len(systems) == 2:
            return systems[0], systems[1]
        if not systems and len(self.names) > 2:
            msg = f"name one of the systems {', '.join(map(safe_repr, self.others))}"
            raise InvalidParameterError(msg)
        return self.baseline, (systems or self.others)[0]


def comparisons_of(
    groups: Sequence[Joined], options: Options, *, of_slices: bool = False
) -> list[Comparison]:
    """A comparison of each group of queries, whose tests are one family."""
    if not groups:
        return []
    rows = changes_of(groups, options.alpha, all_pairs=options.all_pairs)
    text = describe_family(rows, of_slices=of_slices)
    return [
        Comparison(joined, options, found, text) for joined, found in zip(groups, rows, strict=True)
    ]


def _plain(record: Change | SystemScore) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in asdict(record).items()
    }


# Tables ------------------------------------------------------------------------------------------


def systems_table(comparison: Comparison) -> Table:
    """A row per system and a column per measure, the form of ranx.

    The best value stands out, and behind a value are the letters of the systems than which it is
    significantly better.
    """
    columns = (
        Column("#"),
        Column("system"),
        *(Column(measure, "number") for measure in comparison.measures),
    )
    cells: dict[str, list[Cell]] = {
        name: [text_cell(letter), text_cell(name)] for name, letter in comparison.letters.items()
    }
    for score in comparison.scores:
        cells[score.system].append(
            number_cell(score.value, best=score.best, marks=score.better_than)
        )
    test = f"{comparison.family_text}; alpha {comparison.alpha:g}"
    if not any(score.better_than for score in comparison.scores):
        about = f"no difference is significant ({test})"
    else:
        alone = "" if comparison.all_pairs else f", each compared with {comparison.baseline} alone"
        about = f"letters mark systems it significantly beats ({test}{alone})"
    notes = (about, *_about_measures(comparison), *comparison.notes)
    return Table(columns, tuple(map(tuple, cells.values())), notes=notes, meaning="best")


def _about_measures(comparison: Comparison) -> list[str]:
    names = [name for name in comparison.measures if not comparison.greater_is_better(name)]
    lower = [f"lower is better: {', '.join(names)}"] if names else []
    baseline = comparison.evaluations[comparison.baseline]
    return [*lower, *gain_notes(map(comparison.measure, comparison.measures), baseline._judged)]


def differences_table(comparison: Comparison) -> Table:
    """A row per measure and compared system, then the family of tests and the notes."""
    table = slices_table({"": comparison})
    rows = tuple(row[1:] for row in table.rows)
    notes = (*table.notes, *comparison.notes)
    return replace(table, columns=table.columns[1:], rows=rows, notes=notes)


def slices_table(parts: Mapping[Any, Comparison]) -> Table:
    """The differences of every slice of the queries."""
    first = next(iter(parts.values()))
    listed = [row for part in parts.values() for row in part.rows]
    # Columns of one value: the first that a narrow terminal leaves out.
    one_system, one_number = (
        len({getattr(row, name) for row in listed}) == 1 for name in ("system", "queries")
    )
    columns = (
        Column("slice"),
        Column("measure"),
        Column("system", spare=2 * one_system),
        *([Column("baseline")] if first.all_pairs else []),
        Column("queries", "number", spare=3 * one_number),
        Column("baseline value" if first.all_pairs else "baseline", "number"),
        Column("new", "number"),
        Column("change", "number"),
        Column(f"{100 - 100 * first.alpha:g}% interval", "interval"),
        Column("effect", "number", spare=6),
        Column("p", "number", spare=3),
        Column("p (Holm)", "number"),
        Column("wins", "number", spare=1),
        Column("ties", "number", spare=4),
        Column("losses", "number", spare=1),
        Column("detectable", "number", spare=5),
    )
    rows = tuple(
        (
            *map(text_cell, (label, row.measure, row.system)),
            *([text_cell(row.baseline)] if first.all_pairs else []),
            count_cell(row.queries),
            number_cell(row.baseline_value),
            number_cell(row.new),
            number_cell(
                row.change,
                signed=True,
                best=row.significant,
                worse=row.significant and row.better is False,
            ),
            interval_cell(row.low, row.high, signed=True),
            number_cell(row.effect, digits=2, signed=True),
            p_cell(row.p),
            p_cell(row.p_holm),
            *map(count_cell, (row.wins, row.ties, row.losses)),
            number_cell(row.detectable),
        )
        for label, part in parts.items()
        for row in part.rows
    )
    against = "" if first.all_pairs else f"changes from {first.baseline}; "
    about = f"{against}{first.family_text}; alpha {first.alpha:g}"
    notes = (about, *_about_measures(first))
    return Table(columns, rows, notes=notes, meaning=f"significant at {first.alpha:g}")


def changes_table(
    changes: Sequence[QueryChange], baseline: str, system: str, *, brief: bool = False
) -> Table:
    """Queries that changed, and the items that explain it; ``brief`` names the one of ``cause``."""
    has_text = any(change.text for change in changes)
    columns = (
        Column("query"),
        *([Column("text")] if has_text else []),
        *(Column(title, "number") for title in ("baseline", "new", "change")),
        Column("main reason" if brief else "contributions of items: baseline rank -> new rank"),
    )
    rows = tuple(
        (
            text_cell(change.query),
            *([text_cell(change.text)] if has_text else []),
            number_cell(change.baseline_value),
            number_cell(change.new),
            number_cell(change.change, signed=True),
            text_cell(_main_reason(change) if brief else change.why()),
        )
        for change in changes
    )
    by = f"largest changes by {changes[0].measure}" if changes else "no query changed"
    notes = tuple(dict.fromkeys(change.remark for change in changes if change.remark))
    return Table(columns, rows, notes=(f"{system} against {baseline}: {by}", *notes))


def _main_reason(change: QueryChange) -> str:
    found = cause(change)
    return "" if found is None else found.text


def printed(comparison: Comparison) -> tuple[Table, ...]:
    """The systems where there are several to choose from, and the differences unless too many."""
    systems = systems_table(comparison)
    if len(comparison.rows) > _MOST_PRINTED:
        more = f'{len(comparison.rows):,} differences: to_frame(), or rows="changes"'
        return (replace(systems, notes=(*systems.notes, more)),)
    differences = differences_table(comparison)
    if len(comparison.names) == 2:
        return (differences,)
    return replace(systems, notes=systems.notes[:1]), differences
