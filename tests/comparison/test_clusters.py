"""Clusters of queries: where they are read, and what goes by them."""

import math
import pickle
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest

from sklearn_rank import compare, evaluate
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.statistics.means import mean_interval
from sklearn_rank.statistics.paired import PairedDifferences

QUERIES = [f"q{number:02}" for number in range(60)]
OWNERS = {query: f"user {number // 5}" for number, query in enumerate(QUERIES)}
CODES = np.arange(60) // 5
TRUTH = {query: {"a"} for query in QUERIES}


def runs(seed: int) -> dict[str, list[str]]:
    """Rankings whose ranks are alike within a user."""
    generator = np.random.default_rng(seed)
    ranks = np.clip(np.repeat(generator.integers(0, 6, 12), 5) + generator.integers(0, 2, 60), 0, 6)
    return {
        query: [f"x{n}" for n in range(rank)] + ["a", "z"]
        for query, rank in zip(QUERIES, ranks, strict=True)
    }


OLD, NEW = (evaluate(TRUTH, runs(seed), "mrr", clusters=OWNERS) for seed in (0, 1))
CHANGE = NEW.per_query["mrr"] - OLD.per_query["mrr"]


def test_labels_come_from_a_mapping_a_function_or_a_column() -> None:
    assert OLD.clusters.tolist() == list(OWNERS.values())
    assert evaluate(TRUTH, runs(0), "mrr").clusters is None
    by_function = evaluate(TRUTH, runs(0), "mrr", clusters=lambda query: query[:2])
    assert by_function.clusters.tolist() == [query[:2] for query in QUERIES]
    truth = pd.DataFrame(
        {"query": ["q1", "q2"], "item": ["a", "a"], "grade": 1, "user": ["u", "v"]}
    )
    scores = pd.DataFrame({"query": ["q1", "q2"], "item": ["a", "a"], "score": [0.5, 0.5]})
    assert evaluate(
        truth, scores, "mrr", clusters="user", columns={"query": "query"}
    ).clusters.tolist() == ["u", "v"]


def test_wrong_labels_are_refused() -> None:
    some = {query: label for query, label in OWNERS.items() if query != "q07"}
    for clusters in (some, {**OWNERS, "q07": math.nan}, {**OWNERS, "q07": None}):
        with pytest.raises(InvalidParameterError, match="no label for 1 of 60 queries: 'q07'"):
            evaluate(TRUTH, runs(0), "mrr", clusters=clusters)
    with pytest.raises(InvalidParameterError, match=r"gives 'q00' the label \['u'\]; pass one"):
        evaluate(TRUTH, runs(0), "mrr", clusters=lambda _: ["u"])
    with pytest.raises(InvalidParameterError, match=r"clusters must be .query: label., such as"):
        evaluate(TRUTH, runs(0), "mrr", clusters=list(OWNERS.values()))  # type: ignore[arg-type]


def test_scores_stay_and_intervals_go_by_cluster() -> None:
    plain = evaluate(TRUTH, runs(0), "mrr")
    assert plain["mrr"] == OLD["mrr"]
    values = plain.per_query["mrr"]
    # Equal clusters: the interval of their means.
    means = values.reshape(12, 5).mean(axis=1)
    expected = mean_interval(means, None, (0, 1), 0.95)
    assert OLD.confidence_interval("mrr") == pytest.approx(expected)
    low, high = plain.confidence_interval("mrr")
    assert np.diff(OLD.confidence_interval("mrr"))[0] > 1.5 * (high - low)
    weights = np.arange(60) + 1.0
    found = mean_interval(values, weights, (0, math.inf), 0.95, CODES)
    own = PairedDifferences.of(values, weights=weights, clusters=CODES)
    assert sum(found) / 2 == pytest.approx(own.mean)
    assert found[1] - found[0] == pytest.approx(2 * own.error * 2.262157, rel=0.2)


def test_slices_and_copies_keep_the_labels() -> None:
    parts = OLD.by_slice(lambda query: int(query[1:]) % 2)
    assert parts[1].clusters.tolist() == list(OWNERS.values())[1::2]
    assert pickle.loads(pickle.dumps(OLD)).clusters.tolist() == OLD.clusters.tolist()
    assert OLD.to_dict()["clusters"] == list(OWNERS.values())
    assert "clusters" not in evaluate(TRUTH, runs(0), "mrr").to_dict()


def test_comparisons_go_by_cluster() -> None:
    row = compare(OLD, NEW)["mrr"]
    expected = PairedDifferences.of(CHANGE, clusters=CODES)
    assert row.p == expected.p
    assert row.design_effect == expected.design_effect > 1.5
    # Labels of one side are enough, and those of `evaluate` may be passed on.
    plain = evaluate(TRUTH, runs(1), "mrr")
    np.testing.assert_equal(asdict(compare(OLD, plain)["mrr"]), asdict(row))
    passed = compare(TRUTH, {"baseline": runs(0), "new": runs(1)}, measures="mrr", clusters=OWNERS)
    np.testing.assert_equal(asdict(passed["mrr"]), asdict(row))


def test_contradicting_labels_are_refused() -> None:
    moved = evaluate(TRUTH, runs(1), "mrr", clusters={**OWNERS, "q07": "user 9"})
    message = "query 'q07' is in cluster 'user 1' for 'baseline' but in 'user 9' for 'new'"
    with pytest.raises(InvalidParameterError, match=message):
        compare(OLD, moved)


def test_the_design_effect_is_said() -> None:
    effect = PairedDifferences.of(CHANGE, clusters=CODES).design_effect
    counted = f"60 queries count as {60 / effect:.0f}"
    note = f"clusters: design effect {effect:.1f} (mrr of 'new'): {counted}"
    assert note in compare(OLD, NEW).notes
    assert "clusters: design effect" in str(OLD)
    assert "clusters" not in str(evaluate(TRUTH, runs(0), "mrr", clusters=lambda query: query))
