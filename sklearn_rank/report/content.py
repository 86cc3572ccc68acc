"""Content of a report as plain values, whether it is about one system, several or gates."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from sklearn_rank.comparison.changes import ItemChange
from sklearn_rank.rankings.placements import Placement
from sklearn_rank.support.runtime import with_progress
from sklearn_rank.support.text import as_text, safe_text
from sklearn_rank.tables.table import Table, fixed, words_table

MOST_BYTES = 4_500_000
"""Items of all queries of a page, which the script reads query by query."""
MOST_ITEMS = 60
"""Items of a query: the first ranks of all systems, then the largest contributions."""
MOST_CHARACTERS = 300
"""Characters of an id, the text of a query or the title of an item."""
MOST_OF_PASSAGE = 1200
"""Characters of the text of an item."""
TOP = 10
"""Ranks of a query that stand side by side."""
MOST_NAMED = 3
"""Systems, measures or slices in a sentence."""
_LINKS = {"url": ("https://", "http://"), "image": ("data:image/", "https://", "http://")}
"""Starts of addresses that a page shows."""
_DIGITS = 6
"""Two more than are shown, so that contributions add up to the change beside them."""
_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
"""JSON in a script element ends at "</script", however it is quoted."""

Number = float | None
"""None stands for an undefined value, or for the rank of an item that was not retrieved."""
Direction = Literal["better", "worse", ""]
_KINDS: tuple[Direction, ...] = ("worse", "better")
"""Losses come first."""


# The grid ----------------------------------------------------------------------------------------


class Cell(NamedTuple):
    """One measure of a row of the grid."""

    value: Number
    old: Number = None
    change: Number = None
    interval: tuple[Number, Number] | None = None
    """Interval of the change; of the value where nothing is compared."""
    p: Number = None
    """Corrected p-value."""
    direction: Direction = ""
    """Significantly better or worse; of a gate, worse is a failure."""
    counts: tuple[int, int, int] | None = None
    """Queries that are better, the same and worse."""
    bins: tuple[int, ...] = ()
    """Number of queries in equal parts of the range of values."""
    note: str = ""
    """Such as "best" or "allowed 0.005"."""


class Row(NamedTuple):
    """Two systems, or one, over all queries or a slice."""

    label: str
    queries: int
    cells: tuple[Cell | None, ...]
    """By measure; None without a value."""
    slice: str = ""
    old: int = 0
    """Number of the baseline among the systems."""
    new: int = 1
    """Number of the system."""


@dataclass(frozen=True)
class Section:
    """One comparison, one system or one gate: a grid and its queries."""

    systems: tuple[str, ...]
    """The baseline first."""
    measures: tuple[str, ...]
    greater: tuple[bool, ...]
    """Whether higher values of a measure are better."""
    rows: tuple[Row, ...]
    title: str = ""
    badge: str = ""
    """Decision of a gate, before its title."""
    direction: Direction = ""
    """Whether that decision is good or bad."""
    lead: str = ""
    """Sentence above the grid."""
    notes: tuple[str, ...] = ()
    """Limits of the numbers."""
    changes: Table | None = None
    """Some queries, for browsers without scripts."""
    queries: Mapping[str, Any] | None = None
    """All queries, as :func:`as_data` makes them of ``Queries``."""
    message: str = ""
    """Lines of the terminal."""


class Verdict(NamedTuple):
    """The answer."""

    sentence: str
    kind: Literal["better", "worse", "same"]
    """Colour: same without a significant change."""
    details: tuple[str, ...] = ()
    """Sentences with the numbers behind it."""
    to_judge: tuple[Any, ...] = ()
    """Ids of the queries of the items to judge next."""


@dataclass(frozen=True)
class Report:
    """The whole page."""

    title: str
    """Of the window."""
    verdict: Verdict
    sections: tuple[Section, ...] = ()
    about: tuple[str, ...] = ()
    """Numbers of queries, files, date, commit."""
    notes: tuple[str, ...] = ()
    heading: str = ""
    """Title of the caller, above the verdict."""


def short(value: Number, *, signed: bool = False) -> str:
    """A number with three digits; "undefined" for None."""
    return "undefined" if value is None else fixed(value, digits=3, signed=signed)


def count(number: int, one: str, several: str = "") -> str:
    """``1 query``, ``250 queries``."""
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def slice_name(label: Any) -> str:
    """A label as text, and in words where it would be empty."""
    return as_text(label).strip() or "(empty)"


def p_text(p: Number) -> str:
    """A p-value in a sentence."""
    return "not tested" if p is None else "p < 0.001" if p < 0.0005 else f"p = {p:.3f}"


def grid_table(section: Section) -> Table:
    """The grid as a table of words; significant changes have an arrow."""

    def text(cell: Cell | None) -> str:
        if cell is None or cell.change is None:
            return "" if cell is None else f"{short(cell.value)} {cell.note}".strip()
        arrow = {"": "", "worse": "\u25bc ", "better": "\u25b2 "}[cell.direction]
        counts = f", {cell.counts[2]:,} worse, {cell.counts[0]:,} better" if cell.counts else ""
        change = f"{short(cell.change, signed=True)} ({short(cell.old)} to {short(cell.value)}"
        return f"{arrow}{change}{counts})"

    several = len(section.systems) > 2
    rows = [
        (
            f"{section.systems[row.new]}, " * bool(several and row.slice)
            + f"{row.label} ({row.queries:,})",
            *map(text, row.cells),
        )
        for row in section.rows
    ]
    return words_table(("queries", *section.measures), rows)


# The verdict -------------------------------------------------------------------------------------


class Finding(NamedTuple):
    """A significant change: a filled cell of the grid."""

    row: Row
    cell: Cell
    measure: str
    greater: bool

    @property
    def order(self) -> tuple[Any, ...]:
        """Losses first, all queries before slices, then the surest and largest.

        It does not depend on the order of rows and measures.
        """
        cell, p = self.cell, self.cell.p
        size = -abs(cell.change or 0.0)
        gravity = cell.direction != "worse", bool(self.row.slice), 1.0 if p is None else p
        return *gravity, size, self.measure, self.row.label, self.row.new

    @property
    def verb(self) -> str:
        """Direction of the values; of measures that should be low, it is said which is worse."""
        verb = "rose" if (self.cell.change or 0.0) > 0 else "fell"
        return verb if self.greater else f"{verb} (lower is better)"


def findings(sections: Iterable[Section]) -> list[Finding]:
    """Significant changes, in an order that does not depend on that of rows and measures."""
    found = [
        Finding(row, cell, measure, greater)
        for section in sections
        for row in section.rows
        for cell, measure, greater in zip(row.cells, section.measures, section.greater, strict=True)
        if cell is not None and cell.direction
    ]
    return sorted(found, key=lambda finding: finding.order)


def some(names: Iterable[str]) -> str:
    """``a, b and c``, or ``a, b, c and 4 more``."""
    texts = [safe_text(name, limit=40) for name in names]
    shown, more = texts[:MOST_NAMED], len(texts) - MOST_NAMED
    if more > 0:
        return f"{', '.join(shown)} and {more:,} more"
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def claims(found: Sequence[Finding]) -> str:
    """Losses, then gains: ``MAP fell for brand queries; MRR and nDCG@10 rose``."""
    phrases = []
    for kind in _KINDS:
        alike = [finding for finding in found if finding.cell.direction == kind]
        others = [finding for finding in found if finding.cell.direction != kind]
        phrases.append(_claim(alike, {finding.measure for finding in others if finding.row.slice}))
    return "; ".join(filter(None, phrases))


def _claim(found: Sequence[Finding], reversed_in_slices: Collection[str]) -> str:
    """Changes of one direction, and the measures with a slice that changed the other way."""
    where: dict[str, list[Finding]] = {}
    for finding in found:
        where.setdefault(finding.measure, []).append(finding)
    groups: dict[tuple[str, str], list[str]] = {}
    for measure, parts in where.items():
        overall = [finding for finding in parts if not finding.row.slice]
        # A slice is news where the whole has not changed, or lost less.
        size = max((abs(finding.cell.change or 0.0) for finding in overall), default=-1.0)
        slices = [
            finding
            for finding in parts
            if finding.row.slice and abs(finding.cell.change or 0.0) > size
        ]
        named = some(dict.fromkeys(finding.row.slice for finding in slices))
        is_gain = parts[0].cell.direction == "better"
        text = "" if overall and is_gain else f"for {named} queries" * bool(named)
        if overall and text:
            text = f", most {text}"
        elif text:
            text = f" {text}"
        elif overall and measure in reversed_in_slices:
            text = " overall"
        groups.setdefault((parts[0].verb, text), []).append(measure)
    phrases = [f"{some(names)} {verb}{text}" for (verb, text), names in groups.items()]
    if len(phrases) > MOST_NAMED:
        rest = count(len(phrases) - MOST_NAMED, "more change")
        phrases = [*phrases[:MOST_NAMED], rest]
    return "; ".join(phrases)


def claims_by_system(found: Sequence[Finding], systems: Sequence[str]) -> str:
    """Systems with the same claims together, losses first; slices only where alone."""
    grouped: dict[tuple[bool, str], list[str]] = {}
    for number in {finding.row.new for finding in found}:
        parts = [finding for finding in found if finding.row.new == number]
        overall = [finding for finding in parts if not finding.row.slice] or parts
        gained = all(finding.cell.direction == "better" for finding in parts)
        grouped.setdefault((gained, claims(overall)), []).append(systems[number])
    phrases = [f"{some(sorted(names))}: {text}" for (_, text), names in sorted(grouped.items())]
    more = len(phrases) - MOST_NAMED
    return "; ".join(phrases[:MOST_NAMED]) + (f"; {more:,} more systems changed" * (more > 0))


# Queries -----------------------------------------------------------------------------------------


class Item(NamedTuple):
    """One item of a query: relevant, or among the first ranks of a system."""

    item: str
    grade: Number
    """None: not judged."""
    ranks: Sequence[Number]
    """In each system."""
    contributions: Sequence[Sequence[Number]] = ()
    """To the change of each measure, for each system but the first; empty: unknown."""
    text: Any = ""
    """Its title, or a mapping with title, text, url and image."""
    scores: Sequence[Number] = ()
    """In each system; empty: unknown."""


class Items(NamedTuple):
    """Items of a query."""

    items: Sequence[Item]
    depths: Sequence[int | None]
    """Of each ranking, the ranks whose items are known; None: all."""


@dataclass(frozen=True)
class Queries:
    """Details of the queries; data is raw."""

    systems: tuple[str, ...]
    """The baseline first."""
    measures: tuple[str, ...]
    greater: tuple[bool, ...]
    names: Sequence[str]
    """Ids of the queries."""
    values: Sequence[Sequence[Sequence[Number]]]
    """By measure, system and query."""
    texts: Sequence[str] = ()
    """Text of each query; empty: unknown."""
    labels: Sequence[Sequence[str]] = ()
    """Slices of each query."""
    lengths: Sequence[Sequence[int]] = ()
    """By system and query, of the rankings."""
    show: Mapping[str, Any] = field(default_factory=dict)
    """First view: ``measure`` by number, ``slice`` by label, ``which`` queries."""
    to_judge: Sequence[int] = ()
    """Numbers of the queries of the items to judge next, these first."""
    items: Callable[[int], Items | None] = field(default=lambda _: None)
    """Items of a query by its number; None where they are not known."""
    is_repeated: bool = False
    """Whether values are means over runs; items then belong to the first run."""


def script_json(value: Any) -> str:
    """JSON that no text in it can break out of."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = text.translate(_SCRIPT)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def as_data(queries: Queries, room: int = MOST_BYTES) -> dict[str, Any]:
    """Everything of the queries; ``lines`` has the items of as many as there is room for."""
    n_queries = len(queries.names)
    lines, left_out = [""] * n_queries, 0
    order = by_change(queries)
    for place, _ in enumerate(with_progress([1] * n_queries, n_queries, "writing the report")):
        known = queries.items(order[place])
        if known is not None:
            rows = list(map(_item_row, known.items[:MOST_ITEMS]))
            line = script_json([list(known.depths), rows])
            room -= len(line)
            if room < 0:
                left_out = n_queries - place
                break
            lines[order[place]] = line
    slices = list(dict.fromkeys(label for group in queries.labels for label in group))
    number = {label: place for place, label in enumerate(slices)}
    return {
        "systems": list(map(_shown, queries.systems)),
        "measures": list(queries.measures),
        "greater": list(queries.greater),
        "queries": list(map(_shown, queries.names)),
        "raw": _raw(queries.names),
        "texts": list(map(_shown, queries.texts)),
        "slices": list(map(_shown, slices)),
        "labels": [[number[label] for label in group] for group in queries.labels],
        "values": [[list(map(rounded, column)) for column in group] for group in queries.values],
        "lengths": [list(column) for column in queries.lengths],
        "show": {"measure": 0, "slice": "", "which": "all", **queries.show},
        "toJudge": list(queries.to_judge),
        "leftOut": left_out,
        "isRepeated": queries.is_repeated,
        "lines": lines,
    }


def _item_row(entry: Item) -> list[Any]:
    name = _shown(entry.item)
    parts = [list(map(rounded, row)) for row in entry.contributions]
    row = [name, _facts(entry.text), rounded(entry.grade), entry.ranks, parts]
    # What is not finite has no difference to itself.
    scores = [None if s is None or s - s != 0 else round(s, _DIGITS) for s in entry.scores]
    has_scores = scores.count(None) < len(scores)
    if has_scores or name != entry.item:
        row.append(scores if has_scores else [])
    if name != entry.item:
        row.append(entry.item)
    return row


def _facts(text: Any) -> str | dict[str, str]:
    """Title of an item, or what else is known of it; a link that is none of the web is left out."""
    if not text:
        return ""
    if isinstance(text, str):
        return safe_text(text, limit=MOST_OF_PASSAGE)
    if not isinstance(text, Mapping):
        return _shown(str(text))
    given = {name: str(text[name]) for name in ("title", "text", "url", "image") if text.get(name)}
    facts = {}
    for name, value in given.items():
        if name in _LINKS:
            if value.startswith(_LINKS[name]) and value.isprintable():
                facts[name] = value
        else:
            facts[name] = safe_text(value, limit=MOST_OF_PASSAGE)
    return facts


def _raw(names: Sequence[str]) -> dict[int, str]:
    """Ids that are not shown as they are, for judgements that are exported."""
    return {n: name for n, name in enumerate(names) if _shown(name) != name}


def size_of(data: Mapping[str, Any]) -> int:
    """Bytes of the items."""
    return sum(map(len, data["lines"]))


def without_items(data: Mapping[str, Any]) -> dict[str, Any]:
    """Data without its items, for which a page has no more room."""
    n_queries = len(data["lines"])
    return {**data, "lines": [""] * n_queries, "leftOut": n_queries}


def by_change(queries: Queries) -> list[int]:
    """Numbers of the queries, the largest change in any measure or the worst value first."""

    def weight(number: int) -> float:
        largest = 0.0
        for columns, greater in zip(queries.values, queries.greater, strict=True):
            was, *values = (column[number] for column in columns)
            if was is None:
                continue
            if not values:
                return was if greater else -was
            largest = max(largest, *(abs(now - was) for now in values if now is not None), 0.0)
        return -largest

    return sorted(range(len(queries.names)), key=weight)


def merged_items(
    sides: Sequence[Placement],
    parts: Sequence[Sequence[Iterable[ItemChange]]] = (),
    text_of: Callable[[Any], Any] = lambda _: "",
    key: Callable[[Any], Any] | None = None,
) -> Items | None:
    """The first items of every ranking of a query, and all relevant ones; None without ids.

    ``parts`` are changes by item, measure by measure, of every ranking but the first. ``key`` gives
    ids of all rankings one type.
    """
    if all(side.judged is None for side in sides):
        return None
    same = key or _itself
    names: dict[Any, Any] = {}
    grades: dict[Any, float] = {}
    for side in sides:
        names |= {same(item): item for item in side.ranking[:TOP]}
        for item, grade in (side.judged or {}).items():
            name = same(item)
            grades[name] = grade
            if grade > 0:
                names[name] = item
        for hit in side.hits:
            names.setdefault(same(hit.item), hit.item)
    ranks: dict[Any, list[Number]] = {name: [None] * len(sides) for name in names}
    scores: dict[Any, list[Number]] = {name: [None] * len(sides) for name in names}
    for number, side in enumerate(sides):
        for rank, item in enumerate(side.ranking, 1):
            name = same(item) if key else item
            if name in ranks:
                ranks[name][number] = rank
                scores[name][number] = side.scores[rank - 1] if side.scores else None
        for hit in side.hits:  # in a tie the mean of its ranks
            ranks[same(hit.item)][number] = hit.rank
    shares: dict[Any, list[list[Number]]] = {
        name: [[None] * (len(sides) - 1) for _ in parts] for name in names
    }
    largest = dict.fromkeys(names, 0.0)
    for place, systems in enumerate(parts):
        for number, changes in enumerate(systems):
            for change in changes:
                name, part = same(change.item), change.contribution
                if name in shares and math.isfinite(part):
                    shares[name][place][number] = part
                    largest[name] = max(largest[name], abs(part))
    top = {same(item) for side in sides for item in side.ranking[:TOP]}
    order = sorted(names, key=lambda name: (name not in top, -largest[name]))
    depths = [None if len(side.ranking) >= side.n_ranked else len(side.ranking) for side in sides]
    items = [
        Item(
            *(as_text(names[name]), grades.get(name), ranks[name], shares[name]),
            *(text_of(names[name]), scores[name]),
        )
        for name in order
    ]
    return Items(items, depths)


def _itself(item: Any) -> Any:
    return item


def rounded(value: Any) -> Number:
    """As many digits as count; a whole number without a point."""
    if value is None or not math.isfinite(value):
        return None
    cut = round(float(value), _DIGITS)
    return int(cut) if cut.is_integer() and abs(cut) < 2**53 else cut


def _shown(text: str) -> str:
    return safe_text(text, limit=MOST_CHARACTERS)


def numbers(values: Iterable[float]) -> Sequence[Number]:
    """Numbers, with None for non-finite ones."""
    return [value if math.isfinite(value) else None for value in values]
