"""Assertions: what passes, what fails, what a failure looks like, and what their results hold."""

import json
import pickle
import re
import xml.etree.ElementTree as ET
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

from pytest_rankmetrics import (
    GateResult,
    assert_lag_at_most,
    assert_map_at_least,
    assert_metric,
    assert_mrr_at_least,
    assert_not_worse,
    expected_failure,
)
from tests.plugin.cases import case, names, results, truth
from tests.plugin.conftest import said

# Reciprocal ranks 1 and 1/2: a mean of 0.75.
THREE_QUARTERS = """
    from cases import case
    from pytest_rankmetrics import assert_map_at_least

    def test_search():
        assert_map_at_least(*case([1, 2]), {threshold})
"""


def test_a_failure_has_one_line_that_says_all_and_ends_on_the_line_of_the_test(suite, monkeypatch):
    suite.write(test_it=THREE_QUARTERS.format(threshold=0.75))
    suite.passes()
    monkeypatch.setenv("CI", "1")
    suite.write(test_it=THREE_QUARTERS.format(threshold=0.76))
    result = suite.run("-ra", "--junitxml=junit.xml", failed=1)
    headline = "MAP is 0.750, below the 0.760 required (2 queries"
    result.stdout.fnmatch_lines([f"E *RankGateFailure: {headline}*", "test_it.py:5: Rank*"])
    shown = [line for line in result.outlines if line.startswith(">")]
    assert shown == [">       assert_map_at_least(*case([1, 2]), 0.76)"]
    # In CI the summary and the XML have the first line; the table stands in the report alone.
    (summary,) = [line for line in result.outlines if line.startswith("FAILED")]
    assert headline in summary
    assert said(result).count("worst queries by") == 1
    failure = ET.parse(suite.path / "junit.xml").find(".//failure")
    assert failure is not None
    assert failure.get("message") == summary.partition(" - ")[2]
    own_file = re.compile(r"pytest_rankmetrics[/\\]\w+\.py")
    assert not own_file.search(said(result))
    assert own_file.search(said(suite.run("--full-trace")))


def test_digits_are_added_until_value_and_threshold_differ():
    # 1/3 = 0.33333..., which four digits cannot tell from 0.33334.
    with expected_failure(match=r"^MAP is 0\.33333, below the 0\.33334 required"):
        assert_map_at_least(*case([3, 3]), 0.33334)
    # Weights 349 999 and 650 001 of a query found first and one not found: 0.349999.
    with expected_failure(match=r"^MAP is 0\.349999, below the 0\.350000 required"):
        weights = {"q001": 349_999, "q002": 650_001}
        assert_map_at_least(*case([1, 0]), 0.35, sample_weight=weights)
    # Rounding of a mean passes (0.1 + 0.2 is not 0.3); what could be meant does not.
    assert assert_mrr_at_least(*case([1, 2]), 0.75 + 5e-10).passed
    with expected_failure(match=r"MRR is 0\.750000000, below the 0\.750000002 required"):
        assert_mrr_at_least(*case([1, 2]), 0.75 + 2e-9)
    # Ten of thirty queries fall from 1/2 to 1/3: 0.0555555..., against 0.05555 allowed.
    new, old = results([3] * 10 + [2] * 20), results([2] * 30)
    with expected_failure(match=r"MRR fell from 0\.500 to 0\.444 \(-0\.05556, allowed -0\.05555\)"):
        assert_not_worse(truth(30), new, old, "mrr", max_drop=0.05555, hard_drop=0)


def test_the_worst_queries_are_shown_with_what_they_returned(suite):
    suite.write(test_it=THREE_QUARTERS.replace("[1, 2]", "[1, 1, 5, 0, None, 2, 1, 1]"))
    text = (suite.path / "test_it.py").read_text().replace("{threshold}", "0.9")
    suite.file("test_it.py", text)
    # 1 + 1 + 1/5 + 0 + 0 + 1/2 + 1 + 1 = 4.7 of 8
    suite.fails(
        "E *MAP is 0.588, below the 0.900 required (8 queries*",
        "E *worst queries by *",
        "E *q004 *0.0000 *nowhere of 10 *good *bad1 bad2 bad3*",
        "E *q005 *0.0000 *nowhere of 0 *good *(empty list)*",
        "E *q003 *0.2000 *5 of 10*",
        "E *1 query returned nothing and counts as 0*q005*",
    )


LAYOUTS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "rows": ([0, 1, 1, 0], [3, 2, 9, 1], {"groups": ["a", "a", "b", "b"]}),
    "matrix": (np.eye(2)[::-1], np.array([[3.0, 2.0], [9.0, 1.0]]), {}),
    "lists": ([{"x"}, {"y"}], [["z", "x"], ["y", "z"]], {}),
    "mapping": ({"a": {"x"}, "b": {"y"}}, {"b": {"y": 2.0, "z": 1.0}, "a": ["z", "x"]}, {}),
    "provider": ([{1}, {2}], [[3, 1], [2, 3]], {"string_provider": str}),
    "relevance": (
        [{"x"}, {"y"}],
        [["z", "x"], ["y", "z"]],
        {"relevance": [[0.9, 0.4], [0.8, 0.1]]},
    ),
    "one set": ({"a-x", "b-y"}, [["a-z", "a-x"], ["b-y", "b-z"]], {}),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_of_the_library_is_read(layout):
    # The relevant item stands second for a, first for b: (1/2 + 1) / 2.
    y_true, y_score, reading = LAYOUTS[layout]
    assert assert_mrr_at_least(y_true, y_score, 0.75, **reading).value == 0.75
    with expected_failure(match=r"MRR is 0\.750, below the 0\.751 required \(2 queries"):
        assert_mrr_at_least(y_true, y_score, 0.751, **reading)


def test_measures_have_any_spelling_and_lag_a_limit_from_above():
    assert assert_metric(*case([1, 2]), "RR@10", at_least=0.75).passed
    with expected_failure(match=r"^MRR is 0\.750, below the 0\.800 required"):
        assert_metric(*case([1, 2]), "recip_rank", at_least=0.8)
    # One irrelevant item above in q001, three in q002: a lag of 2.
    assert assert_lag_at_most(*case([2, 4]), 2.0, allow={"unretrieved"}).value == 2.0
    for limit in (1.9, 1.0):
        with expected_failure(match=rf"^LAG is 2\.000, above the {limit}00 allowed .*2 queries"):
            assert_metric(*case([2, 4]), "lag", at_most=limit)


def test_two_systems_of_one_run_are_compared_without_a_file(suite):
    good, bad = results([2] * 30), results([3] * 10 + [2] * 20)
    for new, old, verdict in ((good, good, "pass"), (good, bad, "improved")):
        assert assert_not_worse(truth(30), new, old, "mrr").verdict == verdict
    # Ten of thirty queries fall from 1/2 to 1/3: 10 * (1/6) / 30 = 0.0556
    said = r"fell from 0\.500 to 0\.444 \(-0\.056, hard limit -0\.050\): 10 of 30 queries got worse"
    with expected_failure(match=said):
        assert_not_worse(truth(30), bad, good, "mrr")
    assert not suite.baselines()


def gate(threshold: float) -> GateResult:
    return assert_mrr_at_least(*case([1, 2, 4, 5]), threshold)


def test_results_and_failures_are_plain_and_travel_between_processes():
    own = gate(0.2)
    assert type(own.value) is float
    assert own.value == 0.4875  # (1 + 1/2 + 1/4 + 1/5) / 4
    assert 0 <= own.ci[0] < own.value < own.ci[1] <= 1
    assert own.query_ids == tuple(names(4))
    assert own.per_query["mrr"] == (1, 1 / 2, 1 / 4, 1 / 5)
    assert (own.verdict, own.passed, own.queries) == ("pass", True, 4)
    assert json.loads(json.dumps(own.as_dict()))["metrics"]["mrr"]["value"] == 0.4875
    with ProcessPoolExecutor(1) as pool:
        result = pool.submit(gate, 0.2).result()
        with pytest.raises(AssertionError, match=r"MRR is 0\.487, below the 0\.900") as info:
            pool.submit(gate, 0.9).result()
    assert result.as_dict() == own.as_dict()
    assert (result.ci, result.message, result.per_query) == (own.ci, own.message, own.per_query)
    failed = info.value.result  # type: ignore[attr-defined]
    assert [row.query for row in failed.worst] == ["q004", "q003", "q002"]
    assert pickle.loads(pickle.dumps(failed)) == failed


def test_what_perfect_lists_would_give_is_said_without_weights_alone():
    sentence = "a perfect list for this query alone would give mrr 1.0000"
    weights = {"q001": 3.0, "q002": 1.0, "q003": 4.0}
    for reading, value in (({}, "0.833"), ({"sample_weight": weights}, "0.812")):
        with expected_failure() as failure:
            assert_mrr_at_least(*case([2, 1, 1]), 0.9, **reading)
        assert f"MRR is {value}, below the 0.900" in str(failure.value)  # (3 / 2 + 1 + 4) / 8
        assert (sentence in str(failure.value)) is not bool(reading)
