"""Judged items that are not in the index fail a gate; ids that never meet have a cause."""

from __future__ import annotations

from pytest_rankmetrics import RankGateFailure, assert_metric, assert_not_worse, expected_failure
from tests.plugin.conftest import Suite

TRUTH = {"q1": {"a", "gone"}, "q2": {"c"}}
RUN = {"q1": ["a", "b"], "q2": ["c", "b"]}
INDEX = {"a", "b", "c"}


def check(**options: object) -> None:
    assert_metric(TRUTH, RUN, "map", at_least=0.5, known_items=INDEX, **options)


def test_a_judged_item_that_is_not_in_the_index_fails() -> None:
    said = (
        r"could not measure: 1 of 3 judged items is not in the index \('gone'\): was the corpus "
        r're-chunked\?; pass allow=\{"unknown_items"\} if that is right'
    )
    with expected_failure(match=said):
        check()


def test_it_may_be_allowed_and_is_counted() -> None:
    result = assert_metric(
        TRUTH, RUN, "map", at_least=0.5, known_items=INDEX.__contains__, allow={"unknown_items"}
    )
    assert result.counts["unknown_items"] == 1


def test_the_reference_is_held_to_it_too() -> None:
    with expected_failure(match="1 of 3 judged items is not in the index"):
        assert_not_worse(TRUTH, RUN, RUN, "map", known_items=INDEX)


def test_an_error_of_the_index_is_no_failed_gate() -> None:
    with expected_failure(ValueError, match="known_items raised ZeroDivisionError"):
        assert_metric(TRUTH, RUN, "map", at_least=0.5, known_items=lambda item: 1 / 0)


def test_where_nothing_was_found_the_likely_cause_is_named() -> None:
    upper = {query: {item.upper() for item in items} for query, items in TRUTH.items()}
    said = r"meet\? \(ids seem to differ in case: '\w+' in y_true, '\w' in y_score\)"
    with expected_failure(RankGateFailure, match=said):
        assert_metric(upper, RUN, "map", at_least=0.5)


def test_rank_gate_takes_it(suite: Suite) -> None:
    suite.write(
        test_it="""
        def test_index(rank_gate):
            truth, run = {"q1": {"a", "gone"}}, {"q1": ["a"]}
            rank_gate.check(truth, run, at_least={"map": 0.1}, known_items=["a"])
        """
    )
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*1 of 2 judged items is not in the index*"])
