"""Clusters of queries: tests and intervals of a gate go by them, and its baseline records them."""

import json
from typing import Any

import numpy as np
import pytest

from pytest_rankmetrics import assert_not_worse, expected_failure
from sklearn_rank.statistics.differences import Differences
from tests.plugin.cases import case, names
from tests.plugin.one_gate import FILE, GATE, not_worse

# Four queries of each user move together: what one gains, the others gain.
OLD = [1, 1, 1, 1, 2, 2, 2, 2] * 8
NEW = [2, 2, 2, 2, 1, 1, 1, 1] * 8
USERS = {query: f"user{number // 4}" for number, query in enumerate(names(64))}
CLUSTERS: dict[str, Any] = {"mapping": USERS, "function": USERS.__getitem__}


def compared(clusters: Any, **options: Any) -> Any:
    return not_worse(NEW, OLD, clusters=clusters, **options)


@pytest.mark.parametrize("given", CLUSTERS)
def test_a_gate_tests_by_cluster(given):
    # 16 clusters of +-1/2: the standard error is 0.5 / sqrt(15), not 0.5 / sqrt(63).
    result = compared(CLUSTERS[given])
    row = result.metrics["mrr"]
    changes = np.repeat([-0.5, 0.5] * 8, 4)
    paired = Differences.of(changes, clusters=list(USERS.values()))
    assert paired.error == pytest.approx(0.5 / 15**0.5)
    assert row.p == pytest.approx(paired.p("t", "less"))
    assert row.change_ci == pytest.approx(paired.interval(0.95))
    assert (row.clusters, row.design_effect) == (16, pytest.approx(63 / 15))
    assert row.ci[1] - row.ci[0] > 0.25, "the interval of a value goes by cluster, too"
    text = "design effect 4.2: 64 queries in 16 clusters count as 15 independent queries"
    assert f"{text} (mrr)" in result.notes
    plain = compared(None)
    assert not plain.notes
    assert plain.metrics["mrr"].detectable < row.detectable
    assert plain.false_alarm < result.false_alarm


def test_slices_are_tested_by_cluster():
    def in_slice(query: str) -> str:
        return "a" if query < "q033" else "b"

    options: dict[str, Any] = {"slices": in_slice, "max_slice_drop": 0.02, "allow": {"cannot_tell"}}
    # One user of the eight in slice a loses: four queries fall, and one cluster.
    new = [2] * 4 + OLD[4:]
    by_user, plain = (
        not_worse(new, OLD, hard_drop=0, clusters=own, **options) for own in (USERS, None)
    )
    # One coin of user0 against four of its queries, times two slices.
    assert by_user.slices[0].p == 1.0
    assert plain.slices[0].p < 0.2


def test_positions_are_clustered_by_their_names():
    truth, old = ([*side.values()] for side in case(OLD))
    new = [*case(NEW)[1].values()]
    for clusters in CLUSTERS.values():
        result = assert_not_worse(truth, new, old, "mrr", query_ids=names(64), clusters=clusters)
        assert result.metrics["mrr"].clusters == 16


@pytest.mark.parametrize(
    ("clusters", "said"), [({"q001": "a"}, "q002"), ("user", "no data frame with a column 'user'")]
)
def test_clusters_that_lack_a_query_are_refused(clusters, said):
    with expected_failure(Exception, match=said):
        compared(clusters)


def test_bounds_have_no_clusters():
    with expected_failure(match="unjudged='bounds' has no test by clusters"):
        compared(USERS, unjudged="bounds")


def clustered(rule: str) -> str:
    return GATE.replace("max_drop=", f"clusters={rule}, max_drop=")


def test_a_baseline_records_its_clusters(suite):
    suite.write(test_it=clustered("lambda q: q[:3]"))
    suite.record(OLD)
    rows = json.loads(suite.baselines()[FILE])["queries"]
    assert {row["cluster"] for row in rows.values()} == {f"q0{number}" for number in range(7)}
    suite.run().assert_outcomes(passed=1)
    suite.write(test_it=clustered('lambda q: "q06" if q == "q001" else q[:3]'))
    suite.run(failed=1, says="baseline does not fit: clusters changed for 1 (q001)")
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.run().assert_outcomes(passed=1)
