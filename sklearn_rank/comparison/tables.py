"""Comparisons as tables: systems with letters for what they beat, and every single difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from sklearn_rank.comparison.told import p_title
from sklearn_rank.comparison.values import Difference, QueryChange, SystemScore
from sklearn_rank.measures.record import Measure
from sklearn_rank.tables.cells import count_cell, interval_cell, number_cell, p_cell, text_cell
from sklearn_rank.tables.table import Cell, Column, Table


class _Comparison(Protocol):
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def measures(self) -> tuple[str, ...]: ...
    @property
    def all_pairs(self) -> bool: ...
    @property
    def family_text(self) -> str: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def rows(self) -> tuple[Difference, ...]: ...
    @property
    def scores(self) -> tuple[SystemScore, ...]: ...
    @property
    def letters(self) -> Mapping[str, str]: ...
    @property
    def level(self) -> float: ...
    @property
    def alpha(self) -> float: ...
    @property
    def test(self) -> str: ...
    @property
    def correction(self) -> str | None: ...
    def greater_is_better(self, measure: str | Measure) -> bool: ...


def systems_table(comparison: _Comparison) -> Table:
    """A row per system and a column per measure, the form of ranx.

    The best value stands out, and behind a value are the letters of the systems than which it is
    significantly better.
    """
    scores = {(score.system, score.measure): score for score in comparison.scores}
    columns = (
        Column("#", name="letter"),
        Column("system"),
        *(Column(measure, "number") for measure in comparison.measures),
    )
    rows = tuple(
        (
            text_cell(comparison.letters[name]),
            text_cell(name),
            *(_score_cell(scores[name, measure]) for measure in comparison.measures),
        )
        for name in comparison.names
    )
    notes = (_about_letters(comparison), *_about_directions(comparison), *comparison.notes)
    return Table(columns, rows, notes=notes, meaning="best")


def _score_cell(score: SystemScore) -> Cell:
    return number_cell(score.value, best=score.best, marks=score.better_than)


def _about_letters(comparison: _Comparison) -> str:
    test = f"{comparison.family_text}; alpha {comparison.alpha:g}"
    if not any(score.better_than for score in comparison.scores):
        return f"no difference is significant ({test})"
    compared = "any other" if comparison.all_pairs else f"with {comparison.names[0]}"
    asked = "" if comparison.all_pairs else f", each compared {compared} alone"
    return f"letters: significantly better than that system ({test}{asked})"


def _about_directions(comparison: _Comparison) -> list[str]:
    names = [name for name in comparison.measures if not comparison.greater_is_better(name)]
    return [f"lower is better: {', '.join(names)}"] if names else []


def differences_table(comparison: _Comparison) -> Table:
    """A row per measure and compared system, then the family of tests and the notes."""
    rows = tuple(_difference_cells(row, comparison.all_pairs) for row in comparison.rows)
    notes = (_about_test(comparison), *_about_directions(comparison), *comparison.notes)
    return Table(
        _difference_columns(comparison), rows, notes=notes, meaning=_significant(comparison)
    )


def slices_table(parts: Mapping[Any, _Comparison]) -> Table:
    """The differences of every slice of the queries."""
    if not parts:
        return Table((Column("slice"),), ())
    first = next(iter(parts.values()))
    columns = (Column("slice"), *_difference_columns(first))
    rows = tuple(
        (text_cell(label), *_difference_cells(row, part.all_pairs))
        for label, part in parts.items()
        for row in part.rows
    )
    notes = (_about_test(first), *_about_directions(first))
    return Table(columns, rows, notes=notes, meaning=_significant(first))


def _about_test(comparison: _Comparison) -> str:
    against = "" if comparison.all_pairs else f"differences from {comparison.names[0]}; "
    return f"{against}{comparison.family_text}; alpha {comparison.alpha:g}"


def _significant(comparison: _Comparison) -> str:
    return f"significant at {comparison.alpha:g}"


def _difference_columns(comparison: _Comparison) -> tuple[Column, ...]:
    level = f"{100 * comparison.level:g} % interval"
    return (
        Column("measure"),
        Column("system"),
        *([Column("baseline")] if comparison.all_pairs else []),
        Column("queries", "number"),
        Column("value", "number"),
        Column("difference", "number"),
        Column(level, "interval", "interval"),
        Column("effect", "number"),
        Column(p_title(comparison.test, comparison.correction), "number", "p_corrected"),
        *(Column(name, "number") for name in ("wins", "ties", "losses", "detectable")),
    )


def _difference_cells(row: Difference, all_pairs: bool) -> tuple[Cell, ...]:
    keys = (row.measure, row.system, *([row.baseline] if all_pairs else []))
    return (
        *map(text_cell, keys),
        count_cell(row.queries),
        number_cell(row.value),
        number_cell(row.difference, signed=True, best=row.significant),
        interval_cell(row.low, row.high, signed=True),
        number_cell(row.effect, digits=2, signed=True),
        p_cell(row.p_corrected),
        *map(count_cell, (row.wins, row.ties, row.losses)),
        number_cell(row.detectable),
    )


def changes_table(changes: Sequence[QueryChange], baseline: str, system: str) -> Table:
    """Queries that changed, and the items that explain it."""
    columns = (
        Column("query"),
        *([Column("text")] if any(change.text for change in changes) else []),
        *(Column(title, "number") for title in ("was", "now", "change")),
        Column("relevant items: rank then -> rank now, part of the change", name="why"),
    )
    rows = tuple(
        (
            text_cell(change.query),
            *([text_cell(change.text)] if len(columns) > 5 else []),
            number_cell(change.old),
            number_cell(change.new),
            number_cell(change.difference, signed=True),
            Cell(change.why(), change.why()),
        )
        for change in changes
    )
    by = f"largest changes by {changes[0].measure}" if changes else "no query changed"
    notes = tuple(dict.fromkeys(change.remark for change in changes if change.remark))
    return Table(columns, rows, caption=f"{system} against {baseline}: {by}", notes=notes)


MOST_PRINTED = 30
"""Differences that a terminal shows; many systems in many measures are a table of systems."""


def printed(comparison: _Comparison) -> tuple[Table, ...]:
    """The systems where there are several to choose from, and the differences unless too many."""
    systems = systems_table(comparison)
    if len(comparison.rows) > MOST_PRINTED:
        more = f'{len(comparison.rows):,} differences: to_frame(), or rows="differences"'
        return (replace(systems, notes=(*systems.notes, more)),)
    differences = differences_table(comparison)
    if len(comparison.names) == 2:
        return (differences,)
    return replace(systems, notes=systems.notes[:1]), differences
