"""What a comparison found, measure by measure and system by system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sklearn_rank.comparison.changes import Changes, Direction
from sklearn_rank.comparison.family import compared
from sklearn_rank.comparison.holes import notes_of_holes
from sklearn_rank.comparison.join import Joined
from sklearn_rank.comparison.scores import letters_of, scores_of
from sklearn_rank.comparison.settings import Settings
from sklearn_rank.comparison.setup import Setup
from sklearn_rank.comparison.shown import Shown
from sklearn_rank.comparison.told import family_text, notes_of
from sklearn_rank.comparison.values import Difference, QueryChange, SystemScore
from sklearn_rank.evaluation.by_label import read_slices
from sklearn_rank.evaluation.by_measure import find_measure
from sklearn_rank.evaluation.worst import QueryText
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.record import Measure
from sklearn_rank.support.checks import check_integer, check_option
from sklearn_rank.support.text import closest, safe_repr
from sklearn_rank.typing import FloatArray

__all__ = ["Comparison"]


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Setup, Shown):
    """What :func:`compare` or :func:`compare_all` found.

    Attributes
    ----------
    names : tuple of str
        The systems, the baseline first.
    measures : tuple of str
        What they are compared in.
    query_ids : list
        Queries that all systems have, in the order of the first.
    rows : tuple of Difference
        Measure by measure, each other system against the baseline, or each pair.
    scores : tuple of SystemScore
        Measure by measure, each system with its value and whom it beats.
    notes : tuple of str
        What a reader should know: few queries, queries left out, measures without a test.

    Examples
    --------
    >>> from sklearn_rank import compare
    >>> truth = {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}}
    >>> old = {"q1": ["x", "a"], "q2": ["b", "x"], "q3": ["x", "y", "c"]}
    >>> new = {"q3": ["c"], "q2": ["b", "x"], "q1": ["a", "x"]}
    >>> row = compare(truth, {"old": old, "new": new}, measures="mrr")["mrr"]
    >>> round(row.difference, 4), row.wins, row.ties, row.losses  # (1/2 + 0 + 2/3) / 3
    (0.3889, 2, 1, 0)
    """

    _rows: tuple[Difference, ...]
    all_pairs: bool
    """Whether each system is compared with each other, not with the baseline alone."""
    family_text: str
    """Which p-values are corrected together, and how."""
    _notes: tuple[str, ...] = ()
    _query_text: Any = None

    @classmethod
    def of(
        cls,
        joined: Joined,
        settings: Settings,
        *,
        all_pairs: bool,
        notes: tuple[str, ...] = (),
        query_text: Any = None,
    ) -> Comparison:
        """The comparison of joined systems over all their common queries."""
        (rows,) = compared([joined], settings, all_pairs=all_pairs)
        told = family_text([rows], settings)
        return cls(joined, settings, rows, all_pairs, told, notes, query_text)

    # What was found ------------------------------------------------------------------------------

    @property
    def rows(self) -> tuple[Difference, ...]:
        """Measure by measure, each other system against the baseline, or each pair."""
        return self._rows

    @cached_property
    def scores(self) -> tuple[SystemScore, ...]:
        """Measure by measure, each system with its value and whom it beats."""
        return scores_of(self._joined, self._rows)

    @property
    def letters(self) -> dict[str, str]:
        """A letter for each system."""
        return letters_of(self.names)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, in sentences."""
        told = notes_of(self._rows, self._joined, self._settings)
        return (*self._notes, *notes_of_holes(self._joined), *told)

    def __getitem__(self, key: str | Measure | tuple[Any, ...]) -> Difference:
        """The difference of a measure: ``[measure]``, ``[measure, system]``, or of a pair."""
        measure, *systems = key if isinstance(key, tuple) else (key,)
        pair = self._pair(systems)
        name = self._find(measure)
        for row in self._rows:
            if row.measure == name and (row.baseline, row.system) == pair:
                return row
        msg = (
            f"{safe_repr(pair[1])} was not compared with {safe_repr(pair[0])}: systems are "
            f"compared with {safe_repr(self.baseline)}, and all pairs by compare_all"
        )
        raise KeyError(msg)

    def values(self, measure: str | Measure) -> dict[str, FloatArray]:
        """Values per query of each system, in the order of ``query_ids``; NaN where undefined."""
        name = self._find(measure)
        return {system: self._values(system, name).copy() for system in self.names}

    def differences(self, measure: str | Measure, system: str | None = None) -> FloatArray:
        """System minus baseline per query, NaN where either is undefined."""
        name, (first, second) = self._find(measure), self._pair([] if system is None else [system])
        return np.asarray(self._values(second, name) - self._values(first, name))

    def weights(self, measure: str | Measure) -> FloatArray | None:
        """Weights of the queries in the mean of a measure for the baseline; None: all alike."""
        return self._joined.weights(self.baseline, self._find(measure))

    def metric(self, measure: str | Measure) -> Measure:
        """A measure with the parameters of its convention."""
        return self._joined.measure(self._find(measure))

    def is_pooled(self, measure: str | Measure) -> bool:
        """Whether a measure ranks all queries together, so that nothing can be tested."""
        return self.metric(measure).is_pooled

    def greater_is_better(self, measure: str | Measure) -> bool:
        """Direction of a measure."""
        return self.metric(measure).metric.greater_is_better

    def by_slice(
        self, slices: Mapping[Any, Any] | Callable[[Any], Any] | str
    ) -> dict[Any, Comparison]:
        """The same comparison for each slice of the queries; all slices are one family of tests.

        Parameters
        ----------
        slices : mapping, callable or str
            As those of :meth:`Evaluation.by_slice`; a column is one of the baseline's data frames.

        Returns
        -------
        comparisons : dict of label to Comparison
            In order of first appearance. P-values are corrected for the number of slices, too.

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
        >>> {label: round(part["mrr"].difference, 4) for label, part in parts.items()}
        {'head': 0.25, 'tail': -0.0833}
        """
        joined = self._joined
        if isinstance(slices, str):
            slices = joined.systems[self.baseline]._judged.labels(slices)
        labels = read_slices(slices, joined.query_ids, self._known())
        groups = {label: joined.take(queries) for label, queries in labels.items()}
        results = compared(list(groups.values()), self._settings, all_pairs=self.all_pairs)
        told = family_text(results, self._settings)
        return {
            label: Comparison(
                part, self._settings, rows, self.all_pairs, told, (), self._query_text
            )
            for (label, part), rows in zip(groups.items(), results, strict=True)
        }

    # Single queries ------------------------------------------------------------------------------

    def most_changed(
        self,
        n: int = 10,
        *,
        measure: str | Measure | None = None,
        system: str | None = None,
        direction: Direction = "both",
        query_text: QueryText = None,
    ) -> list[QueryChange]:
        """The queries that changed most, and the items that explain it.

        What an item contributes is its part of the change: of DCG, its gain times the change of
        its discount. The parts of all relevant items sum to the change of the query exactly. The
        guide "Comparing" says what they are for each measure.

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
        query_text : mapping or callable, default=None
            {query: text}, or a function of the query id; None takes what ``compare`` was told.

        Returns
        -------
        changes : list of QueryChange
            The largest change first; of a geometric mean, the largest change of the logarithm.

        Raises
        ------
        InvalidParameterError
            If the measure is pooled.
        InvalidParameterError
            If a parameter means nothing here.

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
        >>> change.query, change.text, round(change.difference, 4)
        ('q1', 'who is it', -0.1667)
        >>> change.why()
        'a 1->3 -0.42; b 2->1 +0.25'
        """
        check_option(direction, "direction", ("both", "worse", "better"), "most_changed")
        n = check_integer(n, "n", "most_changed", at_least=0)
        return self._changes(measure, system, query_text).most_changed(n, direction)

    def worst(
        self,
        n: int = 10,
        *,
        measure: str | Measure | None = None,
        system: str | None = None,
        query_text: QueryText = None,
    ) -> list[QueryChange]:
        """The queries that a system answers worst, beside how the baseline answers them.

        Parameters
        ----------
        n : int, default=10
            At most so many; queries of the best possible value are never among them.
        measure, system, query_text
            As those of :meth:`most_changed`.

        Returns
        -------
        changes : list of QueryChange
            The worst value first.

        Examples
        --------
        >>> from sklearn_rank import compare
        >>> truth = {"q1": {"a"}, "q2": {"b"}}
        >>> runs = {"old": {"q1": ["a"], "q2": ["b"]}, "new": {"q1": ["a"], "q2": ["x", "b"]}}
        >>> [(change.query, change.new) for change in compare(truth, runs, measures="mrr").worst()]
        [('q2', 0.5)]
        """
        n = check_integer(n, "n", "worst", at_least=0)
        return self._changes(measure, system, query_text).worst(n)

    def query_changes(
        self,
        queries: Iterable[Any],
        *,
        measure: str | Measure | None = None,
        system: str | None = None,
        query_text: QueryText = None,
    ) -> list[QueryChange]:
        """The same for queries by their ids, in the order given."""
        return self._changes(measure, system, query_text).of(queries)

    def _changes(self, measure: Any, system: str | None, query_text: QueryText) -> Changes:
        pair = self._pair([self.others[0] if system is None else system])
        if measure is None:
            tested = [name for name in self.measures if not self.is_pooled(name)]
            measure = (tested or self.measures)[0]
        text = self._query_text if query_text is None else query_text
        return Changes(self._joined, self._find(measure), pair, text)

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

    def _values(self, system: str, measure: str) -> FloatArray:
        values = self._joined.values(system, measure)
        if values is None:
            msg = f"{measure} ranks all queries together; it has no values per query"
            raise InvalidParameterError(msg)
        return values

    def _known(self) -> set[Any]:
        """Ids of all queries of all systems, and of those that were left out of them."""
        known: set[Any] = set()
        for system in self._joined.systems.values():
            known.update(system._judged.listed_ids(), system._judged.left_out)
        return known
