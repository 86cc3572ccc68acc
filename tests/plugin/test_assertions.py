"""Thresholds: what passes, what fails, and what a failure looks like."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from tests.plugin.conftest import Suite, said

# Reciprocal ranks 1 and 1/2: a mean of 0.75.
THREE_QUARTERS = """
    from cases import case
    from pytest_rankmetrics import assert_map_at_least

    def test_search():
        assert_map_at_least(*case([1, 2]), {threshold})
"""


def test_a_threshold_that_is_met_exactly_passes(suite: Suite) -> None:
    suite.write(test_it=THREE_QUARTERS.format(threshold=0.75))
    suite.run().assert_outcomes(passed=1)


def test_a_threshold_that_is_not_met_fails_with_value_threshold_and_distance(suite: Suite) -> None:
    suite.write(test_it=THREE_QUARTERS.format(threshold=0.76))
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["E *RankGateFailure: map 0.7500 < 0.7600 required (short by 0.0100; 2 queries*"]
    )


def test_digits_are_added_until_value_and_threshold_differ(suite: Suite) -> None:
    # 1/3 = 0.33333..., which four digits cannot tell from 0.33334.
    suite.write(
        test_it="""
        from cases import case
        from pytest_rankmetrics import assert_map_at_least

        def test_search():
            assert_map_at_least(*case([3, 3]), 0.33334)
        """
    )
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *map 0.33333 < 0.33334 required*"])


def test_a_value_one_millionth_below_the_threshold_is_shown_with_six_digits(suite: Suite) -> None:
    # Weights 349 999 and 650 001 of a query found first and one not found: 0.349999.
    suite.write(
        test_it="""
        from cases import case
        from pytest_rankmetrics import assert_map_at_least

        def test_search():
            weights = {"q001": 349_999, "q002": 650_001}
            assert_map_at_least(*case([1, 0]), 0.35, sample_weight=weights)
        """
    )
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *map 0.349999 < 0.350000 required*"])


def test_the_traceback_ends_on_the_line_of_the_test(suite: Suite) -> None:
    suite.write(test_it=THREE_QUARTERS.format(threshold=0.76))
    result = suite.run()
    shown = [line for line in result.outlines if line.startswith(">")]
    assert shown == [">       assert_map_at_least(*case([1, 2]), 0.76)"]
    result.stdout.fnmatch_lines(["test_it.py:5: RankGateFailure"])
    assert not re.search(r"pytest_rankmetrics[/\\]\w+\.py", said(result))


def test_the_full_trace_shows_the_frames_of_the_plugin(suite: Suite) -> None:
    suite.write(test_it=THREE_QUARTERS.format(threshold=0.76))
    assert re.search(r"pytest_rankmetrics[/\\]\w+\.py", said(suite.run("--full-trace")))


def test_an_error_inside_the_plugin_keeps_its_frames(suite: Suite) -> None:
    suite.write(
        test_it="""
        from cases import case
        from pytest_rankmetrics import assert_map_at_least

        def broken(item):
            return {}[item]

        def test_search():
            assert_map_at_least(*case([1, 2]), 0.5, string_provider=broken)
        """
    )
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert "KeyError" in said(result)


def test_on_ci_the_summary_of_a_failure_is_its_first_line(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "1")
    suite.write(test_it=THREE_QUARTERS.format(threshold=0.76))
    result = suite.run("-ra", "--junitxml=junit.xml")
    failures = [line for line in result.outlines if line.startswith("FAILED")]
    assert len(failures) == 1
    headline = failures[0].partition(" - ")[2]
    assert "map 0.7500 < 0.7600 required (short by 0.0100; 2 queries" in headline
    # The table of the worst queries stands in the report of the failure and nowhere else.
    assert said(result).count("worst queries by") == 1
    failure = ET.parse(suite.path / "junit.xml").find(".//failure")
    assert failure is not None
    assert failure.get("message") == headline
    assert "\n" not in failure.get("message", "")


def test_the_worst_queries_are_shown_with_what_they_returned(suite: Suite) -> None:
    suite.write(
        test_it="""
        from cases import case
        from pytest_rankmetrics import assert_map_at_least

        def test_search():
            assert_map_at_least(*case([1, 1, 5, 0, None, 2, 1, 1]), 0.9)
        """
    )
    result = suite.run()
    # 1 + 1 + 1/5 + 0 + 0 + 1/2 + 1 + 1 = 4.7 of 8
    result.stdout.fnmatch_lines(
        [
            "E *map 0.5875 < 0.9000 required (short by 0.3125; 8 queries*",
            "E *worst queries by *",
            "E *q004 *0.0000 *nowhere of 10 *good *bad1 bad2 bad3*",
            "E *q005 *0.0000 *nowhere of 0 *good *(empty list)*",
            "E *q003 *0.2000 *5 of 10*",
            "E *1 query returned nothing and counts as 0*q005*",
        ]
    )


def test_a_lag_at_its_limit_passes_and_above_it_fails(suite: Suite) -> None:
    # One irrelevant item above in q001, three in q002: a lag of 2.
    suite.write(
        test_it="""
        from cases import case
        from pytest_rankmetrics import assert_lag_at_most

        def test_met():
            assert_lag_at_most(*case([2, 4]), 2.0)

        def test_not_met():
            assert_lag_at_most(*case([2, 4]), 1.9)
        """
    )
    result = suite.run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["E *lag 2.0000 > 1.9000 allowed*2 queries*"])


LAYOUTS = {
    "rows": "assert_mrr_at_least([0, 1, 1, 0], [3, 2, 9, 1], {t}, groups=['a', 'a', 'b', 'b'])",
    "matrix": "assert_mrr_at_least(np.eye(2)[::-1], np.array([[3.0, 2.0], [9.0, 1.0]]), {t})",
    "lists": "assert_mrr_at_least([{'x'}, {'y'}], [['z', 'x'], ['y', 'z']], {t})",
    "mapping": "assert_mrr_at_least({'a': {'x'}, 'b': {'y'}},"
    " {'b': {'y': 2.0, 'z': 1.0}, 'a': ['z', 'x']}, {t})",
    "provider": "assert_mrr_at_least([{1}, {2}], [[3, 1], [2, 3]], {t}, string_provider=str)",
    "relevance": "assert_mrr_at_least([{'x'}, {'y'}], [['z', 'x'], ['y', 'z']], {t},"
    " relevance=[[0.9, 0.4], [0.8, 0.1]])",
    "one set": "assert_mrr_at_least({'a-x', 'b-y'}, [['a-z', 'a-x'], ['b-y', 'b-z']], {t})",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_of_the_library_is_read(layout: str, suite: Suite) -> None:
    # The relevant item stands second for a, first for b: (1/2 + 1) / 2.
    call = LAYOUTS[layout]
    suite.write(
        test_it=f"""
        import numpy as np
        from pytest_rankmetrics import assert_mrr_at_least

        def test_met():
            {call.replace("{t}", "0.75")}

        def test_not_met():
            {call.replace("{t}", "0.751")}
        """
    )
    result = suite.run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["E *mrr 0.7500 < 0.7510 required (short by 0.0010; 2 queries*"])


def test_a_measure_is_named_in_any_spelling(suite: Suite) -> None:
    suite.write(
        test_it="""
        from cases import case
        from pytest_rankmetrics import assert_metric

        def test_met():
            assert_metric(*case([1, 2]), "RR@10", at_least=0.75)

        def test_below():
            assert_metric(*case([1, 2]), "recip_rank", at_least=0.8)

        def test_above():
            assert_metric(*case([2, 4]), "lag", at_most=1.0)
        """
    )
    result = suite.run()
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["E *mrr 0.7500 < 0.8000 required*", "E *lag 2.0000 > 1.0000 *"])


def test_two_systems_of_one_run_are_compared_without_a_file(suite: Suite) -> None:
    suite.write(
        test_it="""
        from cases import case, results, truth
        from pytest_rankmetrics import assert_not_worse

        GOOD, BAD = results([2] * 30), results([3] * 10 + [2] * 20)

        def test_same():
            assert_not_worse(truth(30), GOOD, GOOD, "mrr", max_drop=0.005)

        def test_better():
            assert_not_worse(truth(30), GOOD, BAD, "mrr", max_drop=0.005)

        def test_worse():
            assert_not_worse(truth(30), BAD, GOOD, "mrr", max_drop=0.005)
        """
    )
    before = suite.files()
    result = suite.run()
    # Ten of thirty queries fall from 1/2 to 1/3: 10 * (1/6) / 30 = 0.0556
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        ["E *mrr 0.5000 -> 0.4444 (-0.0556, allowed -0.0050; *30 queries, 10 worse, 0 better)*"]
    )
    assert suite.files() == before


def test_the_result_of_an_assertion_tells_what_was_measured(suite: Suite) -> None:
    suite.write(
        test_it="""
        import json
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        def test_search():
            result = assert_mrr_at_least(*case([1, 2, 4, 5]), 0.2)
            assert type(result.value) is float
            assert result.value == 0.4875  # (1 + 1/2 + 1/4 + 1/5) / 4
            low, high = result.ci
            assert 0 <= low < result.value < high <= 1
            assert result.query_ids == ("q001", "q002", "q003", "q004")
            assert result.per_query["mrr"] == (1, 1 / 2, 1 / 4, 1 / 5)
            assert (result.verdict, result.passed, result.queries) == ("pass", True, 4)
            assert json.loads(json.dumps(result.as_dict()))["metrics"]["mrr"]["value"] == 0.4875
        """
    )
    suite.run().assert_outcomes(passed=1)


def test_assertions_work_in_a_plain_script(suite: Suite) -> None:
    suite.write(
        script="""
        import sys
        from cases import case
        from pytest_rankmetrics import RankGateFailure, assert_map_at_least

        assert_map_at_least(*case([1, 2]), 0.75)
        try:
            assert_map_at_least(*case([1, 2]), 0.76)
        except AssertionError as error:
            assert type(error) is RankGateFailure
            print(error.headline)
        assert "pytest" not in sys.modules
        """
    )
    result = suite.pytester.runpython(suite.path / "script.py")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["map 0.7500 < 0.7600 required (short by 0.0100; 2 queries*"])
