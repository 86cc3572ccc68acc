"""The report of a comparison: its verdict, its slices, and every query with its items."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import repeat
from typing import Any

from sklearn_rank.comparison.changes import explain_all
from sklearn_rank.comparison.differences import Difference
from sklearn_rank.comparison.notes import unjudged_shares
from sklearn_rank.comparison.result import (
    Comparison,
    differences_table,
    slices_table,
    systems_table,
)
from sklearn_rank.evaluation.bounds import bounds_of_change
from sklearn_rank.evaluation.result import text_function
from sklearn_rank.exceptions import InvalidParameterError, UndefinedMetricError
from sklearn_rank.measures.record import Measure
from sklearn_rank.report.content import (
    Card,
    Direction,
    Item,
    Notice,
    Queries,
    Report,
    Section,
    Slice,
    as_data,
    by_change,
    merged_items,
    numbers,
)
from sklearn_rank.report.page import provenance, write_page
from sklearn_rank.support.disk import HTML_REPORT, check_target
from sklearn_rank.support.text import as_text, safe_repr, safe_text
from sklearn_rank.tables.table import (
    Column,
    Table,
    count_cell,
    fixed,
    number_cell,
    text_cell,
)

MOST_DRAWN = 3
"""Systems that have a picture of their own; a report is to be read."""
NO_PICTURES = "Pictures need Matplotlib, which is not installed."
MOST_NAMED = 3
"""Systems, measures or slices in a sentence."""
MOST_CHANGES = 10
"""Queries that are named in each direction where no script runs."""
MOST_TO_JUDGE = 20
_CHUNK = 256
"""Queries that are looked up at once: there is room for the items of some thousands."""


def report_comparison(comparison: Comparison, path: str | os.PathLike[str], **options: Any) -> None:
    """Write the page of a comparison to a file."""
    if not isinstance(path, (str, os.PathLike)):
        msg = f"report: path must be the name of a file, got {safe_repr(path)}"
        raise TypeError(msg)
    check_target(path, HTML_REPORT)  # before the work is done
    write_page(report_of(comparison, **options), path)


def report_of(
    comparison: Comparison,
    *,
    title: str | None = None,
    measure: str | Measure | None = None,
    slices: Any = None,
    query_text: Any = None,
    item_text: Any = None,
    pictures: bool = True,
    about: Sequence[str] = (),
) -> Report:
    """Everything that a page shows of a comparison."""
    others = comparison.others
    if measure is None:  # the first with values per query
        with_values = (name for name in comparison.measures if not comparison.is_pooled(name))
        main = next(with_values, "")
    else:
        main = comparison[measure, others[0]].measure
    parts = {} if slices is None else comparison.by_slice(slices)
    own_slices = _slices(comparison, parts, main)
    text_of, item_text_of = text_function(query_text), text_function(item_text, "item_text")
    notices, to_judge = _unjudged(comparison, main)
    notices += [
        Notice(f"{note[:1].upper()}{note[1:]}.")
        for note in comparison.notes
        if not note.startswith("unjudged items")
    ]
    drawn = pictures_of(comparison, main) if pictures else ()
    if pictures and not drawn:
        notices.append(Notice(NO_PICTURES))
    section = Section(
        cards=_best_cards(comparison) if comparison.all_pairs else _cards(comparison),
        notices=tuple(notices),
        slices=own_slices,
        slice_titles=(
            f"{_title(comparison, main, says_direction=True)} per slice"
            + "; p is corrected for all rows, intervals are not" * bool(comparison.correction),
            "system",
            comparison.baseline,
            others[0] if len(others) == 1 else "value",
            f"{100 * comparison.level:g}% interval",
        ),
        changes=_changes(comparison, main, text_of) if main else None,
        queries=as_data(_queries(comparison, main, parts, text_of, item_text_of)) if main else None,
        tables=tuple(_tables(comparison, parts, to_judge)),
        pictures=drawn,
    )
    head = _head(comparison)
    about = [about] if isinstance(about, str) else about
    return Report(
        title or head[0],
        headline=title or _verdict(comparison, own_slices),
        about=(*head, *about, *provenance()),
        lead=(_verdict(comparison, own_slices),) if title else (),
        sections=(section,),
    )


def _tables(
    comparison: Comparison, parts: Mapping[Any, Comparison], to_judge: Table | None
) -> Iterator[tuple[str, Table]]:
    """Headings and tables; the notes of all but the first kind stand at the top already."""
    systems, differences = systems_table(comparison), differences_table(comparison)
    yield "Systems", replace(systems, notes=systems.notes[:1])
    yield "Differences", replace(differences, notes=differences.notes[:1])
    if parts:
        yield "Measures by slice", slices_table(parts)
    if to_judge:
        yield "Items to judge next", to_judge


def _head(comparison: Comparison) -> tuple[str, ...]:
    """What is compared, by how many queries, and how many are left out."""
    others, counts = comparison.others, comparison.counts
    if comparison.all_pairs:
        compared = f"{len(comparison.names)} systems, each with each other"
    else:
        named = ", ".join(others) if len(others) <= MOST_NAMED else f"{len(others)} systems"
        compared = f"{named} against {comparison.baseline}"
    n = counts["queries"]
    left_out = [f"{k:,} of {name} left out" for name, k in counts["left_out"].items() if k]
    return (compared, f"{n:,} {'query' if n == 1 else 'queries'}", *left_out)


def _title(comparison: Comparison, measure: str, *, says_direction: bool = False) -> str:
    if not measure:
        return ""
    less = says_direction and not comparison.greater_is_better(measure)
    return comparison.metric(measure).title + " (lower is better)" * less


# The answer --------------------------------------------------------------------------------------


def _direction(row: Difference) -> Direction:
    if not row.significant or row.better is None:
        return ""
    return "better" if row.better else "worse"


def _verdict(comparison: Comparison, slices: Sequence[Slice]) -> str:
    """The answer in one sentence, of significant differences alone."""
    if comparison.all_pairs:
        n, rows = sum(row.significant for row in comparison.rows), len(comparison.rows)
        best: dict[str, list[str]] = {}
        for score in comparison.scores:
            if score.best:
                best.setdefault(score.system, []).append(_title(comparison, score.measure))
        named = [f"{name} is best in {_some(own)}" for name, own in best.items()]
        return f"{'; '.join(named[:MOST_NAMED])}; {n:,} of {rows:,} differences are significant"
    sentences = []
    for system in comparison.others[:MOST_NAMED]:
        kinds: dict[Direction, list[str]] = {"better": [], "worse": [], "": []}
        for row in comparison.rows:
            if row.system == system:
                kinds[_direction(row)].append(_title(comparison, row.measure))
        changed: list[Direction] = [kind for kind in ("better", "worse") if kinds[kind]]
        words = ", ".join(f"{kind} in {_some(kinds[kind])}" for kind in changed)
        if not changed:
            words = "no clear difference"
        elif len(changed) == 1 and not kinds[""]:
            words = f"{changed[0]} overall"
        overall, parts = words, [part for part in slices if part.group == system]
        for kind in ("worse", "better"):
            own = [part.label for part in parts if part.direction == kind]
            is_overall = overall == f"{kind} overall"
            # Where it is better overall, slices that are so, too, are no news.
            if not own or (is_overall and (kind == "better" or len(own) == len(parts))):
                continue
            where = f"{_some(own)} queries"
            if len(own) > MOST_NAMED:
                where = f"slices {_some(own)}"
            words += f" and for {where}" if is_overall else f", {kind} for {where}"
        sentences.append(words if len(comparison.others) == 1 else f"{system}: {words}")
    more = len(comparison.others) - len(sentences)
    text = "; ".join(sentences) + (f"; {more:,} more systems" if more else "")
    return text[:1].upper() + text[1:] if len(comparison.others) == 1 else text


def _some(names: Sequence[str]) -> str:
    *others, last = map(safe_text, names[:MOST_NAMED])
    if len(names) > MOST_NAMED:
        return f"{', '.join([*others, last])} and {len(names) - MOST_NAMED:,} more"
    return f"{', '.join(others)} and {last}" if others else last


def _p_text(row: Difference) -> str:
    if math.isnan(row.p_corrected):
        return "not tested"
    p = row.p_corrected
    return "p < 0.001" if p < 0.0005 else f"p = {p:.3f}"


def _cards(comparison: Comparison) -> tuple[tuple[str, tuple[Card, ...]], ...]:
    groups = []
    for system in comparison.others:
        cards = []
        for row in comparison.rows:
            if row.system != system:
                continue
            direction = _direction(row)
            counts = None
            if row.wins is not None and row.ties is not None and row.losses is not None:
                counts = (row.wins, row.ties, row.losses)
            interval = ""
            if not math.isnan(row.low):
                ends = (fixed(end, digits=3, signed=True) for end in (row.low, row.high))
                interval = f"; {100 * comparison.level:g}% interval {' to '.join(ends)}"
            verdict = f"significantly {direction}" if direction else "no clear difference"
            p = _p_text(row)
            change = ""
            if not math.isnan(row.difference):
                change = fixed(row.difference, digits=3, signed=True)
                change += f" from {fixed(row.baseline_value, digits=3)}"
            value = "undefined" if math.isnan(row.value) else fixed(row.value, digits=3)
            note = p if p == "not tested" else f"{verdict}, {p}{interval}"
            name = _title(comparison, row.measure, says_direction=True)
            cards.append(Card(name, value, change, direction, counts, note))
        groups.append((system if len(comparison.others) > 1 else "", tuple(cards)))
    return tuple(groups)


def _best_cards(comparison: Comparison) -> tuple[tuple[str, tuple[Card, ...]], ...]:
    """The best system of each measure, and those that it beats."""
    names = {letter: name for name, letter in comparison.letters.items()}
    cards = []
    for score in comparison.scores:
        if score.best:
            beaten = [names[letter] for letter in score.better_than]
            note = f"significantly better than {_some(beaten)}" if beaten else "no clear difference"
            value = fixed(score.value, digits=3)
            cards.append(Card(_title(comparison, score.measure), value, score.system, note=note))
    return (("", tuple(cards)),)


def _slices(
    comparison: Comparison, parts: Mapping[Any, Comparison], measure: str
) -> tuple[Slice, ...]:
    """Each slice by the main measure, significant losses first, then by change."""
    if not measure or comparison.all_pairs:
        return ()
    sign = 1 if comparison.greater_is_better(measure) else -1
    own = []
    for label, part in parts.items():
        for system in part.others:
            row = part[measure, system]
            direction = _direction(row)
            verdict = f"{direction or 'no clear difference'}, {_p_text(row)}"
            old, new, change = numbers([row.baseline_value, row.value, row.difference])
            interval = None if math.isnan(row.low) else (row.low, row.high)
            fields = (as_text(label), system, row.queries, old, new, change, interval, direction)
            own.append(Slice(*fields, verdict, row.losses or 0))
    rank = {"worse": 0, "": 1, "better": 2}
    return tuple(sorted(own, key=lambda part: (rank[part.direction], sign * (part.change or 0.0))))


def _unjudged(comparison: Comparison, measure: str) -> tuple[list[Notice], Table | None]:
    """How much is unjudged, what that could change, and what to judge next."""
    top, shares = unjudged_shares(comparison._joined)
    if not shares:
        return [], None
    baseline, others = comparison.baseline, comparison.others
    system = max(others, key=shares.__getitem__)
    text = (
        f"Look here first: nobody judged {shares[system]:.0%} of the first {top} items of "
        f"{safe_text(system)} ({safe_text(baseline)}: {shares[baseline]:.0%}). "
        "They count as irrelevant"
    )
    old, new = comparison.evaluations[baseline], comparison.evaluations[system]
    try:
        bounds = bounds_of_change(new, old, measure)
        ends = (fixed(end, digits=3, signed=True) for end in (bounds.low, bounds.high))
        title = _title(comparison, measure)
        text += f"; by their grades the change of {title} is between {' and '.join(ends)}."
    except (InvalidParameterError, UndefinedMetricError):
        text += "."
    try:
        found = new.to_judge(MOST_TO_JUDGE, old, measure=measure, backend=None)
    except (InvalidParameterError, UndefinedMetricError):
        return [Notice(text)], None
    titles = (f"rank in {system}", f"rank in {baseline}", "possible change of the difference")
    columns = (Column("query"), Column("item"), *(Column(title, "number") for title in titles))
    values = (found[name] for name in ("query", "item", "rank", "rank_other", "move"))
    rows = []
    for query, item, *ranks, move in zip(*values, strict=True):
        places = (count_cell(None if rank is None else int(rank)) for rank in ranks)
        rows.append((text_cell(query), text_cell(item), *places, number_cell(move, signed=True)))
    link = f"{len(rows):,} items to judge next"
    return [Notice(text, link, "items-to-judge-next")], Table(columns, tuple(rows))


# Queries -----------------------------------------------------------------------------------------


def _queries(
    comparison: Comparison,
    main: str,
    parts: Mapping[Any, Comparison],
    text_of: Callable[[Any], str],
    item_text_of: Callable[[Any], str],
) -> Queries:
    """All queries, whose items are looked up when there is room for them."""
    ids = comparison.query_ids
    names = [name for name in comparison.measures if not comparison.is_pooled(name)]
    known: dict[int, list[Item] | None] = {}
    evaluations, places_of = comparison.evaluations, comparison._joined.places
    lengths = [
        evaluations[system].rankings.n_ranked[places_of[system]].tolist()
        for system in comparison.names
    ]

    def items(number: int) -> list[Item] | None:
        if number not in known:
            place = places[number]
            chunk = order[place : place + _CHUNK]
            old, *others = (
                evaluations[system].placements(places_of[system][chunk])
                for system in comparison.names
            )
            systems = list(zip(comparison.others, others, strict=True))
            found = [[changes(name, system, old, new) for system, new in systems] for name in names]
            for place, n in enumerate(chunk):
                own = [[next(of) for of in row] for row in found]
                sides = [old[place], *(new[place] for new in others)]
                known[n] = merged_items(sides, own, item_text_of)
        return known.pop(number)

    def changes(name: str, system: str, old: Any, new: Any) -> Iterator[Any]:
        """Changes by item of one measure and system; none where no kept rank explains it."""
        measure = comparison.metric(name)
        by_score = measure.metric.by_score and evaluations[system]._judged.has_relevance
        if by_score or measure.metric.is_given:
            return repeat(())
        pairs = list(zip(old, new, strict=True))
        return (explanation.items for explanation in explain_all(measure, pairs))

    texts = list(map(text_of, ids))
    queries = Queries(
        systems=comparison.names,
        measures=tuple(_title(comparison, name) for name in names),
        greater=tuple(map(comparison.greater_is_better, names)),
        names=list(map(as_text, ids)),
        values=[
            [numbers(column.tolist()) for column in comparison.values(name).values()]
            for name in names
        ],
        texts=texts if any(texts) else (),
        labels=_labels(ids, parts) if parts else (),
        lengths=lengths,
        measure=names.index(main),
        items=items,
    )
    order = by_change(queries)
    places = {number: place for place, number in enumerate(order)}
    return queries


def _labels(ids: Sequence[Any], parts: Mapping[Any, Comparison]) -> list[list[str]]:
    """Names of the slices of each query."""
    labels: dict[Any, list[str]] = {query: [] for query in ids}
    for label, part in parts.items():
        for query in part.query_ids:
            labels[query].append(as_text(label))
    return list(labels.values())


def _changes(comparison: Comparison, measure: str, text_of: Callable[[Any], str]) -> Table:
    """The largest changes in either direction, for browsers that run no scripts."""
    columns = (
        *map(Column, ("query", "system")),
        *(Column(name, "number") for name in (comparison.baseline, "now", "change")),
        Column("relevant items: rank before -> now, contribution to the change"),
    )
    rows = []
    for direction in ("worse", "better"):
        for system in comparison.others[:MOST_NAMED]:
            for change in comparison.most_changed(
                MOST_CHANGES, measure=measure, system=system, direction=direction
            ):
                name, text = as_text(change.query), text_of(change.query)
                row = (
                    text_cell(f"{name}: {text}" if text else name),
                    text_cell(change.system),
                    number_cell(change.old),
                    number_cell(change.new),
                    number_cell(change.difference, signed=True),
                    text_cell(change.why()),
                )
                rows.append(row)
    note = f"{_title(comparison, measure)}; the largest changes"
    return Table(columns, tuple(rows), notes=(note,))


# Pictures ----------------------------------------------------------------------------------------


def pictures_of(comparison: Comparison, measure: str) -> tuple[tuple[str, str], ...]:
    """Mean differences with intervals, and differences per query; none without Matplotlib."""
    if find_spec("matplotlib") is None or not measure:
        return ()
    from sklearn_rank.displays.forest import ForestDisplay
    from sklearn_rank.displays.queries import QueryDifferencesDisplay

    baseline, pictures = comparison.baseline, []
    if len(comparison.others) > 1:
        interval = f"{100 * comparison.level:g}% intervals"
        forest = ForestDisplay.from_comparison(comparison, measure)
        said = f"Mean difference in {measure} from {baseline}, with {interval}"
        pictures.append((forest.to_svg(title=said, prefix="forest-"), said))
    for place, system in enumerate(comparison.others[:MOST_DRAWN]):
        each = QueryDifferencesDisplay.from_comparison(comparison, measure, system=system)
        said = f"{measure} of {system} minus that of {baseline}, query by query, sorted"
        pictures.append((each.to_svg(title=said, prefix=f"queries-{place}-"), said))
    return tuple(pictures)
