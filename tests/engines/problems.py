"""Nasty problems for every engine: one frame of judgements, one of rankings, and what to expect.

What is expected is what frames in memory give, but for refusals, of which the facts are written
down: an engine need not know the number of a row, but has to name the item.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

from sklearn_rank import (
    ColumnRoleError,
    DuplicateItemError,
    Evaluation,
    QueryMismatchError,
    evaluate,
)
from tests.inputs.test_ten_doors import MEASURES, Problem, problem

Columns = dict[str, Any]
"""Values of each column, as lists or as arrays of a type of their own."""
N_PROBLEMS = 200


class EngineProblem(NamedTuple):
    """Columns of both sides and the options of ``evaluate``."""

    label: str
    truth: Columns
    run: Columns
    options: dict[str, Any]
    needs_order: bool
    """Whether the order of rows counts, which not every engine knows."""

    @property
    def measures(self) -> list[str]:
        """What to compute: the program of a convention does not have all."""
        if self.options.get("convention") == "trec_eval":
            return ["map", "ndcg@3", "mrr", "recall@2", "precision@3", "hit_rate@2"]
        return MEASURES


class Refused(NamedTuple):
    """What no engine may evaluate."""

    label: str
    truth: Columns
    run: Columns
    error: type[Exception]
    message: str
    options: dict[str, Any] = {}  # noqa: RUF012
    """Never changed."""


def in_memory(given: EngineProblem) -> Evaluation:
    """What is expected."""
    if given.label not in _EXPECTED:
        _EXPECTED[given.label] = _evaluated(given)
    return _EXPECTED[given.label]


_EXPECTED: dict[str, Evaluation] = {}


def _evaluated(given: EngineProblem) -> Evaluation:
    return evaluate(
        pl.DataFrame(given.truth), pl.DataFrame(given.run), given.measures, **given.options
    )


def assert_same(found: Evaluation, expected: Evaluation) -> None:
    """The same bits and counts, whatever the order of the queries."""
    assert found.counts == expected.counts
    assert dict(found.scores) == pytest.approx(dict(expected.scores), abs=0, rel=0, nan_ok=True)
    places = [list(found.query_ids).index(query) for query in expected.query_ids]
    assert len(places) == len(found.query_ids)
    for name, values in expected.per_query.items():
        assert found.per_query[name][places].tobytes() == values.tobytes(), name


def problems(number: int = N_PROBLEMS) -> list[EngineProblem]:
    """Queries that are only judged or only ranked, ties of all kinds, and many types of columns."""
    return [_problem(seed) for seed in range(number)]


def _problem(seed: int) -> EngineProblem:
    rng = random.Random(seed)
    given = problem(seed)
    truth = _columns(given.rows_of(given.truth), "grade")
    run = _columns(given.rows_of(given.ranking), "score")
    run["score"] = [1.0 if rng.random() < 0.4 else float(score) for score in run["score"]]
    if seed % 2:
        truth, run = _by_query(truth), _by_query(run)
    change = _CHANGES[seed % len(_CHANGES)]
    options = dict(given.options)
    change(given, truth, run, options, rng)
    needs_order = options["ties"] == "stable" and "score" in run
    return EngineProblem(f"{seed}-{change.__name__[1:]}", truth, run, options, needs_order)


def _columns(rows: list[tuple[str, str, Any]], number: str) -> Columns:
    return {name: [row[i] for row in rows] for i, name in enumerate(("query", "item", number))}


def _by_query(columns: Columns) -> Columns:
    """The rows of each query together."""
    first = {query: place for place, query in reversed(list(enumerate(columns["query"])))}
    order = sorted(range(len(columns["query"])), key=lambda row: first[columns["query"][row]])
    return {name: [values[row] for row in order] for name, values in columns.items()}


Change = Callable[[Problem, Columns, Columns, dict[str, Any], random.Random], None]


def _nothing(*_: Any) -> None:
    """As it is: float64 scores and text."""


def _integer_ids(
    given: Problem, truth: Columns, run: Columns, options: dict[str, Any], rng: random.Random
) -> None:
    """Item and query ids as integers of different widths; as text, 9 falls before 10."""
    for role in ("query", "item"):
        ids = sorted({*truth[role], *run[role]})
        code = {name: 3 * number + 7 for number, name in enumerate(ids)}
        truth[role] = np.array([code[name] for name in truth[role]], np.int32)
        run[role] = np.array([code[name] for name in run[role]], np.int64)


def _wide_scores(
    given: Problem, truth: Columns, run: Columns, options: dict[str, Any], rng: random.Random
) -> None:
    """Integers that float64 does not tell apart."""
    run["score"] = np.array([2**60 + rng.randrange(3) for _ in run["score"]], np.int64)


def _narrow_scores(
    given: Problem, truth: Columns, run: Columns, options: dict[str, Any], rng: random.Random
) -> None:
    """float32, with infinities."""
    choice = [0.1, 0.1, 0.3, -0.0, 0.0, float("inf"), float("-inf")]
    run["score"] = np.array([rng.choice(choice) for _ in run["score"]], np.float32)


def _ranks(
    given: Problem, truth: Columns, run: Columns, options: dict[str, Any], rng: random.Random
) -> None:
    """No scores but ranks, some of which are skipped."""
    del run["score"]
    ranks = {query: iter(rng.sample(range(1, 99), 98)) for query in run["query"]}
    run["rank"] = [next(ranks[query]) for query in run["query"]]


def _repeated(
    given: Problem, truth: Columns, run: Columns, options: dict[str, Any], rng: random.Random
) -> None:
    """Items that come twice, with other scores, and judgements that come twice."""
    options["duplicates"] = "first"
    for row in rng.sample(range(len(run["query"])), min(3, len(run["query"]))):
        for name in ("query", "item"):
            run[name].append(run[name][row])
        run["score"].append(rng.choice([run["score"][row], 0.25, -5.0]))
    for name in truth:
        truth[name].append(truth[name][0])


def _weights(
    given: Problem, truth: Columns, run: Columns, options: dict[str, Any], rng: random.Random
) -> None:
    options["sample_weight"] = {
        query: 1 + number % 3 for number, query in enumerate(sorted(given.truth))
    }


_CHANGES: tuple[Change, ...] = (
    _nothing,
    _integer_ids,
    _wide_scores,
    _narrow_scores,
    _ranks,
    _repeated,
    _weights,
)


# What is refused ----------------------------------------------------------------------------------


def refused() -> list[Refused]:
    """One fault each in two queries of three items."""
    return [
        _fault(
            "null query", ValueError, "'query' of y_score contains missing", run_query=(1, None)
        ),
        _fault("null item", ValueError, "'item' of y_score contains missing", run_item=(4, None)),
        _fault(
            "null score", ValueError, "'score' of y_score contains missing", run_score=(0, None)
        ),
        _fault(
            "null judged query",
            ValueError,
            "'query' of y_true contains missing",
            truth_query=(0, None),
        ),
        _fault(
            "null judged item",
            ValueError,
            "'item' of y_true contains missing",
            truth_item=(2, None),
        ),
        _fault(
            "null grade", ValueError, "'grade' of y_true contains missing", truth_grade=(2, None)
        ),
        _fault(
            "NaN score",
            ValueError,
            "y_score contains NaN at item 'y' of query 'b'",
            run_score=(4, float("nan")),
        ),
        _fault(
            "duplicate",
            DuplicateItemError,
            r"y_score\['b'\] holds item 'x' .*duplicates='first'",
            run_item=(4, "x"),
        ),
        _fault(
            "negative grade",
            ValueError,
            r"y_true contains a negative grade \(-1(\.0)?\) at item 'y' of query 'a'",
            truth_grade=(1, -1.0),
        ),
        _fault(
            "NaN grade",
            ValueError,
            "y_true contains NaN at item 'y' of query 'a'",
            truth_grade=(1, float("nan")),
        ),
        _fault(
            "infinite grade",
            ValueError,
            "y_true contains infinity at item 'y' of query 'a'",
            truth_grade=(1, float("inf")),
        ),
        _fault(
            "two grades",
            ValueError,
            r"y_true\['a'\] judges item 'x' twice, with grades",
            truth_item=(1, "x"),
        ),
        _whole(
            "item types",
            TypeError,
            "items of y_score are int, items of y_true are str",
            run_item=[1, 2, 3, 1, 2, 3],
        ),
        _whole(
            "no common query",
            QueryMismatchError,
            "have no query in common: 'a', 'b' against",
            run_query=["c"] * 3 + ["d"] * 3,
        ),
        _whole(
            "query types",
            QueryMismatchError,
            "have no query in common",
            run_query=[1, 1, 1, 2, 2, 2],
        ),
        _whole(
            "text for scores",
            TypeError,
            "column 'score' of y_score holds strings",
            run_score=list("abcdef"),
        ),
        _whole(
            "text for grades",
            TypeError,
            "column 'grade' of y_true holds strings",
            truth_grade=list("abcd"),
        ),
        _whole(
            "one rank twice",
            ValueError,
            "query 'b' has two items of rank 2",
            run_score=None,
            run_rank=[1, 2, 3, 1, 2, 2],
        ),
        _whole(
            "a missing ranking",
            QueryMismatchError,
            "1 of 2 judged queries have no ranking: 'b'",
            run_query=["a"] * 3 + ["c"] * 3,
        )._replace(options={"missing": "raise"}),
        _whole(
            "unknown numbers",
            ColumnRoleError,
            "no column for the role 'score' or 'rank', but 'points' holds numbers",
            run_score=None,
            run_points=[1, 2, 3, 1, 2, 3],
        ),
        _whole(
            "no items", ColumnRoleError, "y_score has no column for the role 'item'", run_item=None
        ),
        _whole("swapped", TypeError, "are they swapped", swap=True),
        _whole(
            "weights that lack a query",
            ValueError,
            "sample_weight has no weight for 1 queries: 'b'",
        )._replace(options={"sample_weight": {"a": 1.0}}),
        _whole("unknown word", ValueError, "The 'ties' parameter")._replace(
            options={"ties": "first"}
        ),
    ]


def _plain() -> tuple[Columns, Columns]:
    truth = {
        "query": ["a", "a", "b", "b"],
        "item": ["x", "y", "x", "z"],
        "grade": [1.0, 0.0, 2.0, 1.0],
    }
    run = {
        "query": ["a", "a", "a", "b", "b", "b"],
        "item": list("xyzxyz"),
        "score": [0.5, 0.25, 0.125, 3.0, 2.0, 1.0],
    }
    return truth, run


def _fault(label: str, error: type[Exception], message: str, **cell: tuple[int, Any]) -> Refused:
    """One cell is wrong."""
    truth, run = _plain()
    for where, (row, value) in cell.items():
        side, _, column = where.partition("_")
        (truth if side == "truth" else run)[column][row] = value
    return Refused(label, truth, run, error, message)


def _whole(
    label: str, error: type[Exception], message: str, *, swap: bool = False, **columns: Any
) -> Refused:
    """Whole columns are wrong, or not there."""
    truth, run = _plain()
    for where, values in columns.items():
        side, _, column = where.partition("_")
        of_side = truth if side == "truth" else run
        if values is None:
            del of_side[column]
        else:
            of_side[column] = values
    if swap:
        truth, run = run, truth
    return Refused(label, truth, run, error, message)
