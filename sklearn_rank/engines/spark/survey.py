"""What Spark counts of both sides before anything is ranked, and what is refused by it.

The same is refused as in memory, in the same order; rows of Spark have no numbers, so that messages
name an example by its ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from sklearn_rank.engines.spark import plans
from sklearn_rank.engines.spark.sides import Sides, SparkSide
from sklearn_rank.exceptions import DuplicateItemError, QueryMismatchError
from sklearn_rank.inputs.join import join_queries
from sklearn_rank.inputs.roles import UnreadColumn, refuse_unread
from sklearn_rank.support.text import MAX_LISTED, listed, safe_repr
from sklearn_rank.typing import Missing, NegativeGrades

SAMPLE = 10_000
"""Ids that are fetched to see why queries of both sides do not meet."""


@dataclass(frozen=True)
class Survey:
    """Numbers of both sides."""

    n_judged: int
    """Queries of the judgements."""
    n_ranked: int
    """Queries of the run."""
    n_common: int
    n_judgements: int
    n_rows: int
    n_evaluated: int
    """Rows of the run in evaluated queries."""
    n_relevant: int
    """Relevant judgements of evaluated queries."""
    n_irrelevant: int
    """Their other judgements."""
    faults: Mapping[str, int]
    """How often something occurs that may have to be refused; see ``plans.survey``."""


def take_survey(sides: Sides, missing: Missing) -> Survey:
    """Count, in one job."""
    text = plans.survey(sides.kinds(), ranks=sides.ranks, skips=missing == "skip")
    numbers = sides.sql(text).toArrow().to_pylist()[0]
    known = {
        name: numbers.pop(name)
        for name in ("n_judged", "n_ranked", "n_common", "n_judgements", "n_rows", "n_evaluated")
    }
    known |= {name: numbers.pop(name) for name in ("n_relevant", "n_irrelevant")}
    return Survey(**known, faults=numbers)


def refuse_faults(
    sides: Sides, survey: Survey, missing: Missing, negative_grades: NegativeGrades
) -> None:
    """Refuse what cannot be evaluated."""
    for side in (sides.truth, sides.run):
        for column, role in (("q", "query"), ("i", "item"), ("x", "value")):
            _refuse_missing(side, column, survey.faults[f"{_short(side)}_{role}_missing"])
    if survey.faults["run_value_repeated"]:
        refuse_repeated_rank(sides)
    refuse_queries(sides, survey, missing)
    refuse = _Refusal(sides, survey, skips=missing == "skip")
    refuse.value(sides.run, "NaN")
    refuse.value(sides.truth, "NaN")
    refuse.value(sides.truth, "infinity")
    if negative_grades == "raise" and survey.faults["truth_value_negative"]:
        query, item, value = refuse.example(sides.truth, "negative")
        where = f"item {safe_repr(item)} of query {safe_repr(query)}"
        msg = f"y_true contains a negative grade ({value!s}) at {where}"
        raise ValueError(msg)
    if survey.faults["truth_item_contradictory"]:
        refuse.contradiction()


def _short(side: SparkSide) -> str:
    return "truth" if side.side.name == "y_true" else "run"


def _refuse_missing(side: SparkSide, column: str, number: int) -> None:
    if number:
        rows = "row" if number == 1 else "rows"
        msg = (
            f"column {safe_repr(side.column(column))} of {side.side.name} contains missing values "
            f"({number:,} {rows})"
        )
        raise ValueError(msg)


def refuse_queries(sides: Sides, survey: Survey, missing: Missing) -> None:
    """Refuse where no query is in both sides, or one that is judged is missing."""
    if survey.n_common and (survey.n_common == survey.n_judged or missing != "raise"):
        return
    if survey.n_common:
        number = survey.n_judged - survey.n_common
        absent = sides.sql(plans.ABSENT).limit(MAX_LISTED + 1).toArrow()["q"].to_pylist()
        more = f" and {number - MAX_LISTED:,} more" if number > MAX_LISTED else ""
        msg = (
            f"{number:,} of {survey.n_judged:,} judged queries have no ranking: "
            f"{listed(absent[:MAX_LISTED])}{more}. "
            "Pass missing='zero' to count them as empty rankings, or missing='skip'."
        )
        raise QueryMismatchError(msg)
    refuse_apart(sides, missing)


def refuse_apart(sides: Sides, missing: Missing) -> None:
    """The refusal of memory for queries that do not meet, by the first of them."""
    join_queries(dict.fromkeys(_ids(sides.truth)), dict.fromkeys(_ids(sides.run)), missing)
    msg = "y_true and y_score have no query in common"  # the first ids alone might meet
    raise QueryMismatchError(msg)


def _ids(side: SparkSide) -> list[Any]:
    """The first ids of queries, in their order."""
    ids = side.rows.select("q").distinct().orderBy("q").limit(SAMPLE).toArrow()["q"].to_pylist()
    return [query for query in ids if query is not None]


def refuse_unknown_columns(sides: Sides, side: SparkSide) -> None:
    """ColumnRoleError if a column of unknown name may hold what no known column holds."""
    seen = []
    for column in side.side.watched:
        query, name = plans.quoted(side.side.named["query"]), plans.quoted(column.name)
        frame = side.frame.selectExpr(f"{query} AS q", f"{name} AS c")
        numbers = sides.sql(plans.UNREAD, side=frame).toArrow().to_pylist()[0]
        # As if these were its values: what is asked of them is whether they differ.
        ends = {0: numbers["least"], 1: numbers["most"]}
        alone = numbers["n_values"] == numbers["n_queries"]
        varies = bool(numbers["varies"])
        seen.append(
            UnreadColumn(column.name, varies=varies, n_values=2, of_query=ends if alone else {})
        )
    refuse_unread(seen, side.side.name, side.side.kinds)


class _Refusal:
    """Errors that name an example."""

    def __init__(self, sides: Sides, survey: Survey, *, skips: bool) -> None:
        self.sides = sides
        self.survey = survey
        self.skips = skips

    def value(self, side: SparkSide, what: str) -> None:
        """ValueError for numbers that are none, as in memory."""
        number = self.survey.faults[f"{_short(side)}_value_{what}"]
        if not number:
            return
        query, item, _ = self.example(side, what)
        more = f", and {number - 1:,} more" if number > 1 else ""
        where = f"item {safe_repr(item)} of query {safe_repr(query)}"
        msg = f"{side.side.name} contains {what} at {where}{more}"
        raise ValueError(msg)

    def example(self, side: SparkSide, what: str) -> tuple[Any, Any, Any]:
        """Query, item and number of the first row that has the fault."""
        rows = self._first(side, plans.wrong("x", side.kinds["x"], what))
        return rows[0]["q"], rows[0]["i"], rows[0]["x"]

    def contradiction(self) -> None:
        """ValueError for an item that was judged twice and not alike."""
        row = self._pair(self.sides.truth, "min(x) <> max(x)")
        msg = (
            f"y_true[{safe_repr(row['q'])}] judges item {safe_repr(row['i'])} twice, with grades "
            f"{row['least']:g} and {row['most']:g}"
        )
        raise ValueError(msg)

    def _first(self, side: SparkSide, condition: str) -> list[dict[str, Any]]:
        text = plans.example(_short(side), f"{condition}{self._also(side)}")
        rows: list[dict[str, Any]] = self.sides.sql(text).toArrow().to_pylist()
        return rows

    def _pair(self, side: SparkSide, condition: str) -> dict[str, Any]:
        text = plans.first_pair(_short(side), condition, self._also(side))
        row: dict[str, Any] = self.sides.sql(text).toArrow().to_pylist()[0]
        return row

    def _also(self, side: SparkSide) -> str:
        """The condition that a query is evaluated."""
        if side is self.sides.run:
            return " AND q IN (SELECT q FROM {truth})"
        return " AND q IN (SELECT q FROM {run})" if self.skips else ""


def refuse_changed(side: str) -> NoReturn:
    """ValueError for a frame whose second reading is not its first."""
    msg = (
        f"{side} had other rows or numbers when it was read once more: it is made anew each time, "
        "with something random, or from files that change meanwhile. Write it to Parquet first, "
        "or cache it"
    )
    raise ValueError(msg)


def refuse_repeated_rank(sides: Sides) -> None:
    """ValueError for two items of one rank."""
    row = sides.sql(plans.FIRST_RANK).toArrow().to_pylist()[0]
    msg = f"query {safe_repr(row['q'])} has two items of rank {-row['x']}"
    raise ValueError(msg)


def refuse_duplicates(sides: Sides, number: int) -> None:
    """DuplicateItemError that names the first repeated item of the run."""
    condition = " AND q IN (SELECT q FROM {truth})"
    row = sides.sql(plans.first_pair("run", "count(*) > 1", condition)).toArrow().to_pylist()[0]
    more = f" ({number:,} rows in all repeat an item)" if number > 1 else ""
    msg = (
        f"y_score[{safe_repr(row['q'])}] holds item {safe_repr(row['i'])} {row['times']} times"
        f"{more}. Pass duplicates='first' to evaluate to keep the best-ranked one."
    )
    raise DuplicateItemError(msg)
