"""Weights, layouts, blocks, threads and hash seeds change no bit that they should not."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse

from sklearn_rank import Evaluation, evaluate, measure
from tests.numbers.invariants import MEASURES, bits, evaluated, values_in_order
from tests.strategies import Problem, problems

# Weights -----------------------------------------------------------------------------------------

WEIGHTS = st.lists(st.integers(0, 4), min_size=4, max_size=4).filter(lambda weights: weights[0])


@given(problem=problems(), weights=WEIGHTS)
@example(problem=Problem({"q": {"a": 1}}, {"q": {"a ": 1}}), weights=[1, 1, 1, 1])
def test_weights_count_in_proportion(problem: Problem, weights: list[int]) -> None:
    y_true, y_score = problem.mapping
    given = dict(zip(y_true, weights, strict=False))

    def scores(factor: float) -> Evaluation:
        scaled = {query: factor * weight for query, weight in given.items()}
        return evaluated(y_true, y_score, MEASURES, sample_weight=scaled)

    once, twice, less = scores(1), scores(2), scores(0.3)
    assert bits(once) == bits(twice)
    for chosen in MEASURES:
        assert less[chosen] == pytest.approx(once[chosen], rel=1e-12, nan_ok=True), chosen


@given(problem=problems(), weights=WEIGHTS)
def test_whole_weights_repeat_queries_and_0_removes_them(
    problem: Problem, weights: list[int]
) -> None:
    y_true, y_score = problem.mapping
    given = dict(zip(y_true, weights, strict=False))
    weighted = evaluated(y_true, y_score, MEASURES, sample_weight=given)
    copies = [(query, copy) for query, weight in given.items() for copy in range(weight)]
    repeated = evaluated(
        {(query, copy): y_true[query] for query, copy in copies},
        {(query, copy): y_score[query] for query, copy in copies},
        MEASURES,
    )
    for chosen in MEASURES:
        expected = pytest.approx(repeated[chosen], rel=1e-12, nan_ok=True)
        assert weighted[chosen] == expected, chosen
        if set(given.values()) <= {0, 1}:
            assert weighted[chosen].hex() == repeated[chosen].hex(), chosen


# Layouts -----------------------------------------------------------------------------------------


@given(problem=problems(equal_lengths=True, missed=False))
def test_matrices_and_ranked_lists_have_the_bits_of_mappings(problem: Problem) -> None:
    """Lists carry an order alone, which is that of the stable tie policy; others: ten doors."""
    dense, scores = problem.matrix
    expected = values_in_order(evaluated(*problem.mapping))
    for grades in (dense, sparse.csr_array(dense)):
        assert values_in_order(evaluated(grades, scores)) == expected
    expected = values_in_order(evaluated(dense, scores, MEASURES, ties="stable"))
    assert values_in_order(evaluated(*problem.lists, MEASURES)) == expected


# Determinism -------------------------------------------------------------------------------------


_HASHED = """
import json, sys
from sklearn_rank import evaluate
problem = json.loads(sys.stdin.read())
truths = {query: set(items) for query, items in problem["y_true"].items()}
found = evaluate(truths, problem["y_score"], problem["measures"], zero_division=float("nan"))
shared = evaluate(
    set(problem["shared"]), problem["lists"], problem["measures"], zero_division=float("nan")
)
for evaluation in (found, shared):
    print(json.dumps({name: value.hex() for name, value in evaluation.scores.items()}))
    print(json.dumps({n: [v.hex() for v in vs] for n, vs in evaluation.per_query.items()}))
"""


def test_the_hash_seed_changes_no_bit() -> None:
    """Sets of strings come in another order in each process."""
    rng = np.random.default_rng(5)
    words = [f"word {number}" for number in range(40)]
    y_score = {
        f"q{query}": {word: int(rng.integers(0, 6)) for word in rng.choice(words, 15, False)}
        for query in range(20)
    }
    y_true = {query: rng.choice(words, 8, False).tolist() for query in y_score}
    lists = [[f"{query} {word}" for word in scores] for query, scores in y_score.items()]
    problem = {
        "y_true": y_true,
        "y_score": y_score,
        "measures": [str(chosen) for chosen in MEASURES],
        "lists": lists,
        "shared": [f"{query} {word}" for query, items in y_true.items() for word in items],
    }

    def run(seed: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", _HASHED],
            input=json.dumps(problem),
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    first = run("0")
    assert len(first.splitlines()) == 4
    assert run("1") == run("12345") == first


def test_numbers_per_query_reach_their_query_in_large_problems() -> None:
    """Kernels run on blocks of queries; what is given per query is cut in the same places."""
    rng = np.random.default_rng(0)
    grades = rng.integers(0, 2, (3000, 40))
    scores = rng.normal(size=grades.shape)
    negatives = (grades == 0).sum(axis=1) + np.arange(3000)
    together = evaluate(grades, scores, measure("gauc", n_negatives=negatives.tolist()))
    for query in (0, 1, 1637, 1638, 1639, 2999):
        one = slice(query, query + 1)
        alone = evaluate(
            grades[one], scores[one], measure("gauc", n_negatives=int(negatives[query]))
        )
        (values,), (value,) = together.per_query.values(), alone.per_query.values()
        assert values[query] == value[0]
