"""Nasty problems: one frame of judgements, one of rankings, and what to expect.

What is expected is what frames in memory give, but for refusals, of which the facts are written
down: Spark need not know the number of a row, but has to name the item.
"""

import random
from typing import Any, NamedTuple

import numpy as np
import pytest

from sklearn_rank import (
    ColumnRoleError,
    DuplicateItemError,
    Evaluation,
    QueryMismatchError,
)
from tests.inputs.test_ten_doors import MEASURES, problem

Columns = dict[str, Any]
"""Values of each column, as lists or as arrays of a type of their own."""


class FrameProblem(NamedTuple):
    """Columns of both sides and the options of ``evaluate``."""

    label: str
    truth: Columns
    run: Columns
    options: dict[str, Any]
    needs_order: bool
    """Whether the order of rows counts, which Spark does not keep."""

    @property
    def measures(self) -> list[str]:
        """What to compute: the program of a convention does not have all."""
        if self.options.get("convention") == "trec_eval":
            return ["map", "ndcg@3", "mrr", "recall@2", "precision@3", "hit_rate@2"]
        return MEASURES


class Refused(NamedTuple):
    """What nobody may evaluate."""

    label: str
    truth: Columns
    run: Columns
    error: type[Exception]
    message: str
    options: dict[str, Any] = {}  # noqa: RUF012
    """Never changed."""


def assert_same(found: Evaluation, expected: Evaluation) -> None:
    """The same bits and counts, whatever the order of the queries."""
    assert found.counts == expected.counts
    assert dict(found.scores) == pytest.approx(dict(expected.scores), abs=0, rel=0, nan_ok=True)
    places = [list(found.query_ids).index(query) for query in expected.query_ids]
    assert len(places) == len(found.query_ids)
    for name, values in expected.per_query.items():
        assert found.per_query[name][places].tobytes() == values.tobytes(), name


def problems(number: int) -> list[FrameProblem]:
    """Queries that are only judged or only ranked, ties of all kinds, and many types of columns."""
    return [_problem(seed) for seed in range(number)]


KINDS = ("plain", "integers", "wide scores", "narrow scores", "ranks", "repeated", "weights")


def _problem(seed: int) -> FrameProblem:
    rng = random.Random(seed)
    given = problem(seed)
    truth = _columns(given.rows_of(given.truth), "grade")
    run = _columns(given.rows_of(given.ranking), "score")
    scores = [1.0 if rng.random() < 0.4 else float(score) for score in run["score"]]
    run["score"] = scores
    if seed % 2:
        truth, run = _by_query(truth), _by_query(run)
    options = dict(given.options)
    kind = KINDS[seed % len(KINDS)]
    if kind == "integers":  # of different widths; as text, 9 falls before 10
        for role in ("query", "item"):
            ids = sorted({*truth[role], *run[role]})
            code = {name: 3 * number + 7 for number, name in enumerate(ids)}
            truth[role] = np.array([code[name] for name in truth[role]], np.int32)
            run[role] = np.array([code[name] for name in run[role]], np.int64)
    elif kind == "wide scores":  # integers that float64 does not tell apart
        run["score"] = np.array([2**60 + rng.randrange(3) for _ in scores], np.int64)
    elif kind == "narrow scores":  # float32, with infinities
        choice = [0.1, 0.1, 0.3, -0.0, 0.0, float("inf"), float("-inf")]
        run["score"] = np.array([rng.choice(choice) for _ in scores], np.float32)
    elif kind == "ranks":  # some of which are skipped
        del run["score"]
        ranks = {query: iter(rng.sample(range(1, 99), 98)) for query in run["query"]}
        run["rank"] = [next(ranks[query]) for query in run["query"]]
    elif kind == "repeated":  # items, with other scores, and judgements
        options["duplicates"] = "first"
        for row in rng.sample(range(len(scores)), min(3, len(scores))):
            for name in ("query", "item"):
                run[name].append(run[name][row])
            run["score"].append(rng.choice([run["score"][row], 0.25, -5.0]))
        for name in truth:
            truth[name].append(truth[name][0])
    elif kind == "weights":
        weights = {query: 1 + number % 3 for number, query in enumerate(sorted(given.truth))}
        options["sample_weight"] = weights
    needs_order = options["ties"] == "stable" and "score" in run
    return FrameProblem(f"{seed}-{kind}", truth, run, options, needs_order)


def _columns(rows: list[tuple[str, str, Any]], number: str) -> Columns:
    return {name: [row[i] for row in rows] for i, name in enumerate(("query", "item", number))}


def _by_query(columns: Columns) -> Columns:
    """The rows of each query together."""
    first = {query: place for place, query in reversed(list(enumerate(columns["query"])))}
    order = sorted(range(len(columns["query"])), key=lambda row: first[columns["query"][row]])
    return {name: [values[row] for row in order] for name, values in columns.items()}


# What is refused ----------------------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")
CELLS: list[tuple[str, int, Any, type[Exception], str]] = [
    ("score", 4, NAN, ValueError, "y_score contains NaN at item 'y' of query 'b'"),
    ("item", 4, "x", DuplicateItemError, r"y_score\['b'\] holds item 'x' .*duplicates='first'"),
    ("grade", 1, -1.0, ValueError, r"a negative grade \(-1(\.0)?\) at item 'y' of query 'a'"),
    ("grade", 1, NAN, ValueError, "y_true contains NaN at item 'y' of query 'a'"),
    ("grade", 1, INF, ValueError, "y_true contains infinity at item 'y' of query 'a'"),
]
"""A column, a row of it, what is wrong there, and how that is refused."""

COLUMNS: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    ("item types", {"item": [1, 2, 3] * 2}, TypeError, "items of y_score are int, items of y_true"),
    (
        "no common query",
        {"query": list("cccddd")},
        QueryMismatchError,
        "have no query in common: 'a', 'b' against",
    ),
    ("query types", {"query": [1, 1, 1, 2, 2, 2]}, QueryMismatchError, "have no query in common"),
    (
        "text for scores",
        {"score": list("abcdef")},
        TypeError,
        "column 'score' of y_score holds strings",
    ),
    (
        "one rank twice",
        {"score": None, "rank": [1, 2, 3, 1, 2, 2]},
        ValueError,
        "column 'rank' of y_score has 2 twice for query 'b'",
    ),
    (
        "unknown numbers",
        {"score": None, "points": [1, 2, 3, 1, 2, 3]},
        ColumnRoleError,
        "no column for the role 'score' or 'rank'; it may be 'points'",
    ),
    ("no items", {"item": None}, ColumnRoleError, "y_score has no column for the role 'item'"),
]
"""Columns of the run that are wrong, or not there."""

TRUTH: Columns = {"query": list("aabb"), "item": list("xyxz"), "grade": [1.0, 0.0, 2.0, 1.0]}
RUN: Columns = {
    "query": list("aaabbb"),
    "item": list("xyzxyz"),
    "score": [0.5, 0.25, 0.125, 3.0, 2.0, 1.0],
}


def _with(columns: Columns, name: str, row: int, value: Any) -> Columns:
    values = list(columns[name])
    values[row] = value
    return {**columns, name: values}


def refused() -> list[Refused]:
    """One fault each in two queries of three items."""
    found = []
    for side, columns in (("y_true", TRUTH), ("y_score", RUN)):
        for name in columns:
            message = f"'{name}' of {side} contains missing"
            broken = _with(columns, name, 1, None)
            sides = (broken, RUN) if side == "y_true" else (TRUTH, broken)
            found.append(Refused(f"null {name} of {side}", *sides, ValueError, message))
    for name, row, value, error, message in CELLS:
        if name == "grade":
            sides = (_with(TRUTH, name, row, value), RUN)
        else:
            sides = (TRUTH, _with(RUN, name, row, value))
        label = {"item": "duplicate", "score": "NaN score"}.get(name, f"grade {value}")
        found.append(Refused(label, *sides, error, message))
    for label, changes, error, message in COLUMNS:
        run = {name: values for name, values in {**RUN, **changes}.items() if values is not None}
        found.append(Refused(label, TRUTH, run, error, message))
    text, twice = {**TRUTH, "grade": list("abcd")}, _with(TRUTH, "item", 1, "x")
    unranked = {**RUN, "query": list("aaaccc")}
    of_grades = "column 'grade' of y_true holds strings"
    missing = "1 of 2 judged queries have no ranking: 'b'"
    weight, weights = "sample_weight has no weight for 1 query: 'b'", {"a": 1.0}
    two = r"y_true\['a'\] judges item 'x' twice, with grades"
    return [
        *found,
        Refused("text for grades", text, RUN, TypeError, of_grades),
        Refused("two grades", twice, RUN, ValueError, two),
        Refused("swapped", RUN, TRUTH, TypeError, "are they swapped"),
        Refused("missing", TRUTH, unranked, QueryMismatchError, missing, {"missing": "raise"}),
        Refused("weights", TRUTH, RUN, ValueError, weight, {"sample_weight": weights}),
        Refused("unknown word", TRUTH, RUN, ValueError, "The 'ties' parameter", {"ties": "first"}),
    ]
