"""Ways in which a gate could pass although nothing, or the wrong thing, was measured.

Each is tried and refused. The numbers are those of the list of dangers that the plugin was
designed against; a test without a module is in this one.

 1  no queries, or fewer than there should be
      test_no_queries_do_not_pass
      test_policy.test_a_query_that_does_not_do_as_required_fails
 2  NaN as score, threshold, weight or baseline
      test_what_is_not_a_number_does_not_pass
      test_baselines.test_a_baseline_whose_numbers_were_edited_is_refused
 3  the worst queries are missing from the run
      test_a_missing_query_does_not_pass
      test_a_query_dropped_from_both_sides_does_not_pass
 4  queries without relevant items are left out
      test_a_query_without_relevant_items_does_not_pass
 5  ids that do not meet
      test_ids_that_do_not_meet_do_not_pass
      test_a_baseline_of_zero_is_not_met_by_ids_that_do_not_meet
 6  no baseline
      test_baselines.test_a_missing_baseline_fails_and_is_not_written
      test_an_update_on_ci_is_red
 7  an update that nobody looks at
      test_an_update_is_asked_for_on_the_command_line_alone
      test_an_update_goes_with_no_second_try_and_no_workers
      test_an_update_of_the_whole_family_that_nobody_typed_lowers_nothing
 8  a baseline of other data or definitions
      test_baselines.test_another_set_of_queries_is_stale_and_named
      test_baselines.test_another_cutoff_is_another_measure
      test_another_tie_rule_does_not_fit_the_baseline
      test_other_weights_do_not_fit_the_baseline
 9  a measure that is no longer, or newly, there
      test_baselines.test_a_measure_that_is_no_longer_computed_fails
      test_baselines.test_a_measure_that_the_baseline_does_not_have_fails
10  percent for a fraction
      test_a_limit_that_everything_or_nothing_meets_is_refused
11  a limit that everything meets
      test_a_limit_that_everything_or_nothing_meets_is_refused
12  the wrong direction
      test_a_limit_of_the_wrong_direction_is_refused
13  tolerances: sign, percent, creeping
      test_a_tolerance_that_is_none_is_refused
      test_policy.test_a_small_drop_passes_and_does_not_move_the_baseline
14  duplicates that count twice
      test_a_duplicate_does_not_count_twice
15  scores of the wrong direction
      test_scores_that_rise_down_the_list_do_not_pass
      test_a_ranking_upside_down_does_not_pass
16  two sides that are sorted differently
      test_two_sides_in_different_order_are_not_mixed_up
17  ties in the system's favour
      test_a_constant_score_is_no_good_ranking
18  returning less looks better
      test_returning_less_does_not_pass
19  judgements that leaked into the run
      test_perfection_is_suspicious
      test_queries_of_the_training_set_are_refused
20  the plugin is not there
      test_loading.test_a_gate_fails_closed_when_the_plugin_is_switched_off
      test_a_marker_alone_is_no_gate
      test_a_fixture_that_is_taken_and_not_used_is_no_gate
      test_required.test_a_suite_that_requires_gates_does_not_run_without_the_plugin
21  deselected, skipped, expected to fail
      test_required.test_a_required_gate_that_was_left_out_fails_the_run
      test_required.test_a_required_gate_that_was_skipped_or_expected_to_fail_fails_the_run
22  nothing collected, everything skipped
      test_required.test_nothing_collected_is_no_pass
      test_required.test_all_tests_skipped_is_no_pass
23  a worker takes the gate with it
      test_required.test_a_required_gate_of_a_worker_that_died_fails_the_run
      test_reports.test_numpy_scalars_do_not_kill_a_worker
24  the mean hides a group or a query
      test_the_mean_hides_no_group_and_no_query
25  rankings that end before the cutoff
      test_a_cutoff_below_the_end_of_every_ranking_is_told
26  numbers that YAML made strings
      test_a_threshold_is_a_number
27  rounding at the edge
      test_a_limit_is_met_to_the_ninth_digit_and_no_further
28  arrays and scalars of other libraries
      test_a_threshold_is_a_number
29  another sample of queries
      test_another_sample_of_queries_does_not_pass
30  a failure that is swallowed
      test_a_failure_that_is_swallowed_is_red
      test_a_swallowed_failure_is_no_unexpected_pass
31  rounding in the report
      test_assertions.test_digits_are_added_until_value_and_threshold_differ
      test_a_change_just_beyond_the_allowed_one_is_shown_with_enough_digits
32  a message and exit code 0
      test_assertions.test_a_threshold_that_is_not_met_fails_with_value_threshold_and_distance
      test_a_plain_script_ends_with_an_error
"""

from __future__ import annotations

import importlib
import re
import sys

import pytest

from tests.plugin.conftest import LEAN, Suite, said


def test_every_danger_has_its_tests() -> None:
    dangers = re.findall(r"^ ?(\d+)  .+((?:\n {6}\S+)+)", __doc__ or "", re.MULTILINE)
    assert [int(number) for number, _ in dangers] == list(range(1, 33))
    tests = "".join(lines for _, lines in dangers)
    for module, name in re.findall(r"(?:(test_\w+)\.)?(test_\w+)\n?", tests):
        home = importlib.import_module(f"tests.plugin.{module or 'test_dangers'}")
        assert callable(getattr(home, name)), name


def attempt(suite: Suite, body: str) -> pytest.RunResult:
    """Run tests with the data and the assertions of this file at hand, each a try to pass."""
    suite.write(test_it=HEAD + body)
    return suite.run("--tb=short")


HEAD = """
    import math
    import numpy as np
    import pandas as pd
    import pytest
    from cases import case, names, ranking, results, system, truth
    from pytest_rankmetrics import (
        assert_auc_at_least, assert_lag_at_most, assert_map_at_least, assert_metric,
        assert_mrr_at_least, assert_ndcg_at_least, assert_not_worse, assert_recall_at_least,
    )
"""


def refused(suite: Suite, calls: dict[str, str], complaint: str) -> None:
    """Each call fails, and what is said of it matches."""
    body = "".join(
        f"\n    def test_{name}(rank_gate):\n        {call}\n" for name, call in calls.items()
    )
    result = attempt(suite, body)
    result.assert_outcomes(failed=len(calls))
    assert result.ret == 1
    reports = re.split(r"\n_{3,} test_", said(result))[1:]
    assert len(reports) == len(calls)
    for report in reports:
        own = "\n".join(line for line in report.splitlines() if line.startswith("E "))
        assert re.search(complaint, own), f"{complaint!r} not in:\n{report}"


# 1 -------------------------------------------------------------------------------------------


def test_no_queries_do_not_pass(suite: Suite) -> None:
    refused(
        suite,
        {
            "mapping": "assert_map_at_least({}, {}, 0.1)",
            "lists": "assert_map_at_least([], [], 0.1)",
            "lag": "assert_lag_at_most({}, {}, 5.0)",
            "rows": "assert_map_at_least([], [], 0.1, groups=[])",
            "matrix": "assert_map_at_least(np.zeros((0, 3)), np.zeros((0, 3)), 0.1)",
            "gate": 'rank_gate.check({}, {}, at_least={"map": 0.1})',
            "drop": 'rank_gate.check({}, {}, max_drop={"map": 0.1})',
            "reference": 'assert_not_worse({}, {}, {}, "map")',
        },
        "(?i)0 queries|no quer",
    )


def test_empty_lists_of_all_queries_do_not_pass(suite: Suite) -> None:
    refused(
        suite,
        {
            "map": "assert_map_at_least(*case([None, None]), 0.1)",
            "lag": "assert_lag_at_most(*case([None, None]), 50.0)",
        },
        "(?i)no relevant item|empty|returned nothing",
    )


# 2 -------------------------------------------------------------------------------------------


def test_what_is_not_a_number_does_not_pass(suite: Suite) -> None:
    refused(
        suite,
        {
            "score": "assert_mrr_at_least([[0, 1]], [[float('nan'), 1.0]], 0.1)",
            "threshold": "assert_mrr_at_least(*case([1, 2]), math.nan)",
            "limit": "assert_lag_at_most(*case([1, 2]), math.nan)",
            "infinite": "assert_lag_at_most(*case([1, 2]), math.inf)",
            "drop": 'assert_not_worse(*case([1, 2]), results([1, 2]), "mrr", max_drop=math.nan)',
            "hard": 'assert_not_worse(*case([1, 2]), results([1, 2]), "mrr", hard_drop=math.nan)',
            "alpha": 'assert_not_worse(*case([1, 2]), results([1, 2]), "mrr", alpha=math.nan)',
            "weight": "assert_mrr_at_least(*case([1, 2]), 0.1,"
            " sample_weight={'q001': math.nan, 'q002': 1})",
            "undefined": "assert_auc_at_least({'q': {'a'}}, {'q': ['a']}, 0.1)",
            "no_numbers": "assert_auc_at_least({'q': {'a'}}, {'q': ['a']}, 0.1,"
            " zero_division=math.nan)",
        },
        "(?i)nan|finite|undefined|inf",
    )


# 3, 4 ----------------------------------------------------------------------------------------


def test_a_missing_query_does_not_pass(suite: Suite) -> None:
    # Without its worst query the system has a mean of 1 instead of 2/3.
    refused(
        suite,
        {
            "assertion": "assert_mrr_at_least(truth(3), {'q001': ['good', 'x'],"
            " 'q002': ['good', 'y']}, 0.5)",
            "gate": "rank_gate.check(truth(3), results([1, 1]), at_least={'mrr': 0.5})",
            "reference": "assert_not_worse(truth(3), results([1, 1]), results([1, 1, 2]), 'mrr')",
            "both": "assert_not_worse(truth(3), results([1, 1]), results([1, 1]), 'mrr')",
        },
        "q003",
    )


def test_a_ranked_query_without_judgements_does_not_pass(suite: Suite) -> None:
    refused(suite, {"it": "assert_mrr_at_least(truth(2), results([1, 2, 3]), 0.5)"}, "q003")


def test_a_query_dropped_from_both_sides_does_not_pass(suite: Suite) -> None:
    suite.write(
        test_it="""
        from cases import names, system

        def test_bm25(rank_gate):
            truth, results = system()
            kept = [query for query in names(30) if query in truth and results[query][0] == "good"]
            kept = kept or names(30)
            rank_gate.check(
                {query: truth[query] for query in kept},
                {query: results[query] for query in kept},
                max_drop={"mrr": 0.005},
            )
        """
    )
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.system([1] * 5 + [9] * 25)
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *baseline does not fit*25 gone*"])


def test_a_query_without_relevant_items_does_not_pass(suite: Suite) -> None:
    refused(
        suite,
        {
            "one": "assert_mrr_at_least({'q001': {'good'}, 'q002': set()}, results([1, 2]), 0.5)",
            "all": "assert_mrr_at_least({'q001': set(), 'q002': set()}, results([1, 2]), 0.5)",
            "lag": "assert_lag_at_most({'q001': {'good'}, 'q002': set()}, results([1, 2]), 5.0)",
            "grades": "assert_ndcg_at_least({'q001': {'good': 1}, 'q002': {'good': 0}},"
            " results([1, 2]), 0.5)",
        },
        "(?i)no relevant item|undefined",
    )


def test_counts_of_what_was_left_out_are_told(suite: Suite) -> None:
    result = attempt(
        suite,
        """
    def test_skipped():
        assert_mrr_at_least(
            {'q001': {'good'}, 'q002': set(), 'q003': {'good'}}, results([4, 2]), 0.9,
            zero_division=math.nan, missing="skip",
        )
        """,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *mrr 0.2500 < 0.9000 required (short by 0.6500; 1 quer*"])
    result.stdout.fnmatch_lines(["E *1 query without a defined value*"])
    result.stdout.fnmatch_lines(["E *1 query without a ranking*"])


# 5 -------------------------------------------------------------------------------------------


def test_ids_that_do_not_meet_do_not_pass(suite: Suite) -> None:
    refused(
        suite,
        {
            "queries": "assert_lag_at_most({1: {'a'}, 2: {'b'}}, {'1': ['a'], '2': ['b']}, 9.0)",
            "types": "assert_lag_at_most({'q': {1}}, {'q': ['1', '2']}, 9.0)",
            "float": "assert_lag_at_most({'q': {'1'}}, {'q': ['1.0', '2.0']}, 9.0)",
            "case": "assert_lag_at_most({'q': {'Doc1'}}, {'q': ['doc1', 'doc2']}, 9.0)",
            "space": "assert_lag_at_most({'q': {'d1 '}}, {'q': ['d1', 'd2']}, 9.0)",
            "prefix": "assert_lag_at_most({'q': {'d1'}}, {'q': ['docs/d1', 'docs/d2']}, 9.0)",
            "composed": "assert_lag_at_most({'q': {'\\u00e9'}}, {'q': ['e\\u0301', 'x']}, 9.0)",
        },
        "(?i)no (ranked )?query|no relevant item|share no|ids are|are int",
    )


def test_a_baseline_of_zero_is_not_met_by_ids_that_do_not_meet(suite: Suite) -> None:
    suite.write(
        test_it="""
        from cases import results, truth

        def test_bm25(rank_gate):
            rank_gate.check(
                truth(30), results([2] * 30, item="Good"), max_drop={"mrr": 0.005}
            )
        """
    )
    result = suite.run("--rank-update")
    result.assert_outcomes(failed=1)
    assert not suite.baselines()


# 6, 7 ----------------------------------------------------------------------------------------

GATE = """
    from cases import system

    def test_bm25(rank_gate):
        rank_gate.check(*system(), max_drop={"mrr": 0.005})
"""


def test_an_update_on_ci_is_red(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    result = suite.run("--rank-update")
    result.assert_outcomes(passed=1)
    assert result.ret == 1
    # An update that has nothing to write is an ordinary run.
    assert suite.run("--rank-update").ret == 0
    suite.system([3] * 30)
    assert suite.run("--rank-accept", "*", "--rank-reason", "x").ret == 1


@pytest.mark.parametrize("place", ["addopts", "environment"])
@pytest.mark.parametrize("option", ["--rank-update", "--rank-accept=* --rank-reason=x"])
def test_an_update_is_asked_for_on_the_command_line_alone(
    place: str, option: str, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    if place == "addopts":
        suite.file("pytest.ini", f"[pytest]\naddopts = {option}\n")
    else:
        monkeypatch.setenv("PYTEST_ADDOPTS", f"{LEAN} {option}")
    result = suite.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "command line" in said(result)
    assert not suite.baselines()


@pytest.mark.parametrize("more", [("--reruns", "1"), ("-n", "2")], ids=" ".join)
@pytest.mark.parametrize(
    "option", [("--rank-update",), ("--rank-accept", "*", "--rank-reason", "x")], ids=" ".join
)
def test_an_update_goes_with_no_second_try_and_no_workers(
    option: tuple[str, ...], more: tuple[str, ...], suite: Suite
) -> None:
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    result = suite.run(*option, *more)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert more[0] in said(result)
    assert not suite.baselines()


def test_an_update_goes_with_no_second_try_of_the_settings_either(suite: Suite) -> None:
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    suite.file("pytest.ini", "[pytest]\nreruns = 1\n")
    result = suite.run("--rank-update")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert not suite.baselines()


@pytest.mark.parametrize("option", ["--regen-all", "--force-regen"])
@pytest.mark.parametrize("place", ["addopts", "environment"])
def test_an_update_of_the_whole_family_that_nobody_typed_lowers_nothing(
    place: str, option: str, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    before = suite.baselines()
    suite.system([3] * 30)
    if place == "addopts":
        suite.file("pytest.ini", f"[pytest]\naddopts = {option}\n")
    else:
        monkeypatch.setenv("PYTEST_ADDOPTS", f"{LEAN} {option}")
    assert suite.run().ret != 0
    assert suite.baselines() == before


@pytest.mark.parametrize("more", [("--reruns", "1"), ("-n", "2")], ids=" ".join)
@pytest.mark.parametrize("option", ["--regen-all", "--force-regen"])
def test_an_update_of_the_whole_family_is_not_judged_by_what_it_wrote(
    option: str, more: tuple[str, ...], suite: Suite
) -> None:
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    before = suite.baselines()
    suite.system([3] * 30)
    assert suite.run(option, *more).ret != 0
    assert suite.baselines() == before


# 8 -------------------------------------------------------------------------------------------


def test_other_weights_do_not_fit_the_baseline(suite: Suite) -> None:
    # Weighing the queries that have become worse with 0 would leave nothing to complain of.
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.write(
        test_it="""
        from cases import names, system

        def test_bm25(rank_gate):
            weights = {query: float(query > "q010") for query in names(30)}
            rank_gate.check(*system(), max_drop={"mrr": 0.005}, sample_weight=weights)
        """
    )
    suite.system([9] * 10 + [2] * 20)
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *weight*"])


@pytest.mark.parametrize(
    ("then", "now"),
    [('ties="average"', 'ties="optimistic"'), ("", 'convention="trec_eval"')],
)
def test_another_tie_rule_does_not_fit_the_baseline(then: str, now: str, suite: Suite) -> None:
    # Two equal scores: the relevant item stands 1.5th on average and first at best.
    tied = """
        from cases import names, truth

        def test_bm25(rank_gate):
            tied = {{query: {{"good": 1.0, "bad": 1.0, "worse": 0.5}} for query in names(30)}}
            rank_gate.check(truth(30), tied, max_drop={{"mrr": 0.005}}, {rule})
    """
    suite.write(test_it=tied.format(rule=then))
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.write(test_it=tied.format(rule=now))
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *ties*"])


# 10 - 13 -------------------------------------------------------------------------------------


def test_a_limit_that_everything_or_nothing_meets_is_refused(suite: Suite) -> None:
    refused(
        suite,
        {
            "percent": "assert_mrr_at_least(*case([1, 2]), 93)",
            "above": "assert_mrr_at_least(*case([1, 2]), 1.0001)",
            "zero": "assert_mrr_at_least(*case([1, 2]), 0)",
            "negative": "assert_mrr_at_least(*case([1, 2]), -0.1)",
            "dcg": "assert_metric(*case([1, 2]), 'dcg@10', at_least=0)",
            "lag": "assert_lag_at_most(*case([1, 2]), -1)",
            "none": "assert_metric(*case([1, 2]), 'mrr')",
            "no_limit": "rank_gate.check(*case([1, 2]))",
            "no_limits": "rank_gate.check(*case([1, 2]), at_least={})",
            "shown": "rank_gate.check(*case([1, 2]), metrics=('mrr',))",
            "gate": "rank_gate.check(*case([1, 2]), at_least={'mrr': 75})",
            "slices": "rank_gate.check(*case([1, 2]), slices={'q001': 'a'},"
            " slice_at_least={'a': {'mrr': 0}})",
            "query": "rank_gate.check(*case([1, 2]), per_query_at_least={'mrr': 0})",
        },
        r"(?i)at_least|at_most|threshold|limit",
    )


def test_a_limit_of_the_wrong_direction_is_refused(suite: Suite) -> None:
    refused(
        suite,
        {
            "lag": "assert_metric(*case([1, 2]), 'lag', at_least=0.1)",
            "map": "assert_metric(*case([1, 2]), 'map', at_most=0.9)",
            "gate_lag": "rank_gate.check(*case([1, 2]), at_least={'lag': 0.1})",
            "gate_map": "rank_gate.check(*case([1, 2]), at_most={'map': 0.9})",
        },
        "(?i)(greater|lower|less|smaller|higher) is better|at_most|at_least",
    )


def test_a_tolerance_that_is_none_is_refused(suite: Suite) -> None:
    pair = "*case([1, 2]), results([1, 2]), 'mrr'"
    refused(
        suite,
        {
            "negative": f"assert_not_worse({pair}, max_drop=-0.005)",
            "percent": f"assert_not_worse({pair}, max_drop=5)",
            "one": f"assert_not_worse({pair}, max_drop=1)",
            "string": f"assert_not_worse({pair}, max_drop='5%')",
            "bool": f"assert_not_worse({pair}, max_drop=True)",
            "hard": f"assert_not_worse({pair}, hard_drop=-0.1)",
            "slice": f"assert_not_worse({pair}, slices={{'q001': 'a'}}, max_slice_drop=5)",
            "alpha": f"assert_not_worse({pair}, alpha=5)",
            "zero_alpha": f"assert_not_worse({pair}, alpha=0)",
            "gate": "rank_gate.check(*case([1, 2]), max_drop={'mrr': 5})",
            "regressed": "rank_gate.check(*case([1, 2]), max_drop={'mrr': 0.1},"
            " max_regressed_queries=-1)",
            "min_queries": f"assert_not_worse({pair}, min_queries=-1)",
        },
        "(?i)max_drop|hard_drop|max_slice_drop|alpha|max_regressed_queries|min_queries",
    )


def test_an_unknown_option_of_a_gate_is_refused(suite: Suite) -> None:
    refused(
        suite,
        {
            "assertion": "assert_mrr_at_least(*case([1, 2]), 0.5, max_drp=0.1)",
            "gate": "rank_gate.check(*case([1, 2]), at_least={'mrr': 0.5}, max_drp=0.1)",
            "allow": "assert_mrr_at_least(*case([1, 2]), 0.5, allow={'everything'})",
            "measure": "rank_gate.check(*case([1, 2]), at_least={'nrr': 0.5})",
            "slice": "rank_gate.check(*case([1, 2]), slices={'q001': 'a'},"
            " slice_at_least={'b': {'mrr': 0.5}})",
            "slice_drop": "assert_not_worse(*case([1, 2]), results([1, 2]), 'mrr',"
            " slices={'q001': 'a'}, max_slice_drop={'b': 0.1})",
            "drop_of": "assert_not_worse(*case([1, 2]), results([1, 2]), 'mrr',"
            " max_drop={'map': 0.1})",
            "no_slices": "rank_gate.check(*case([1, 2]), at_least={'mrr': 0.5},"
            " max_slice_drop=0.1)",
        },
        "max_drp|everything|nrr|slice|max_drop",
    )


# 14 - 18 -------------------------------------------------------------------------------------


def test_a_duplicate_does_not_count_twice(suite: Suite) -> None:
    refused(
        suite,
        {
            "list": "assert_map_at_least({'q': {'a', 'b'}}, {'q': ['a', 'a', 'x']}, 0.9)",
            "frame": "assert_map_at_least({'q': {'1', '2'}}, {'q': [1, '1', 'x']}, 0.9,"
            " string_provider=str)",
        },
        "(?i)twice|duplicate|positions? 1 and 2",
    )


def test_scores_that_rise_down_the_list_do_not_pass(suite: Suite) -> None:
    # Distances given as relevance: the nearest item, at the top, has the smallest.
    refused(
        suite,
        {
            "it": "assert_auc_at_least({'q': {'a'}}, {'q': ['a', 'b', 'c']}, 0.5,"
            " relevance={'q': [0.1, 0.5, 0.9]})"
        },
        "(?i)relevance|order|higher_is_better",
    )


def test_a_ranking_upside_down_does_not_pass(suite: Suite) -> None:
    result = attempt(
        suite,
        """
    def test_distances():
        distances = np.array([[0.1, 0.5, 0.9, 0.7], [0.2, 0.3, 0.4, 0.5]])
        assert_auc_at_least(np.array([[1, 0, 0, 0], [1, 0, 0, 0]]), distances, 0.5)
        """,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["E *auc 0.0000 < 0.5000 required*", "E *auc is below 0.5*lower*better?"]
    )


def test_two_sides_in_different_order_are_not_mixed_up(suite: Suite) -> None:
    refused(
        suite,
        {
            "series": "assert_mrr_at_least(pd.Series([1, 0, 0]),"
            " pd.Series([3.0, 2.0, 1.0], index=[2, 1, 0]), 0.1, groups=[1, 1, 1])",
            "lengths": "assert_mrr_at_least([{'a'}, {'b'}], [['a', 'b']], 0.1)",
        },
        "(?i)index|length|queries|2.*1",
    )
    # By key, the order of the two sides does not matter.
    result = attempt(
        suite,
        """
    def test_keys():
        assert_mrr_at_least(
            {'a': {'x'}, 'b': {'y'}}, {'b': ['y', 'z'], 'a': ['z', 'x']}, 0.75
        )
        """,
    )
    result.assert_outcomes(passed=1)


def test_a_constant_score_is_no_good_ranking(suite: Suite) -> None:
    # One relevant of four tied items: (1 + 1/2 + 1/3 + 1/4) / 4 = 0.5208, wherever it is listed.
    result = attempt(
        suite,
        """
    @pytest.mark.parametrize("place", range(4))
    def test_constant(place):
        grades = np.array([[number == place for number in range(4)]] * 3)
        assert_mrr_at_least(grades, np.ones((3, 4)), 0.6)
        """,
    )
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(["E *mrr 0.5208 < 0.6000 required*"] * 4)


def test_returning_less_does_not_pass(suite: Suite) -> None:
    # Of two relevant items the second is at rank 9: a lag of (0 + 7) / 2. Cut after the first
    # item, the second counts as standing below everything, unless it is ignored by name.
    result = attempt(
        suite,
        """
    ITEMS = ["good", *"abcdefg", "late", "z"]

    def test_whole():
        result = assert_lag_at_most({"q": {"good", "late"}}, {"q": ITEMS}, 3.5)
        assert result.value == 3.5

    def test_less_is_no_better():
        few = assert_lag_at_most({"q": {"good", "late"}}, {"q": ITEMS[:8]}, 9.0).value
        assert few >= 3.5

    def test_ignored():
        assert_lag_at_most(
            {"q": {"good", "late"}}, {"q": ["good"]}, 0.5, unretrieved="ignore"
        )

    def test_ignored_auc():
        assert_auc_at_least(
            {"q": {"good", "late"}}, {"q": ["good", "z"]}, 0.9, unretrieved="ignore"
        )
        """,
    )
    # What is ignored was asked for by name, and is told: as a warning at least.
    text = said(result)
    assert "2 passed" not in text or "warning" in text
    counts = result.parseoutcomes()
    assert counts["passed"] + counts.get("failed", 0) == 4
    assert counts.get("failed", 0) + counts.get("warnings", 0) >= 2


# 19, 20 --------------------------------------------------------------------------------------


def test_perfection_is_suspicious(suite: Suite) -> None:
    result = attempt(
        suite,
        """
    def test_perfect():
        assert_mrr_at_least(*case([1] * 30), 0.5)

    def test_allowed():
        assert_mrr_at_least(*case([1] * 30), 0.5, allow={"perfect"})

    def test_nearly():
        assert_mrr_at_least(*case([1] * 29 + [2]), 0.5)
        """,
    )
    result.assert_outcomes(passed=3, warnings=1)
    result.stdout.fnmatch_lines(["*RankGateWarning: *mrr is *1*30 queries*"])
    suite.run("--rank-strict").assert_outcomes(passed=2, failed=1)


def test_queries_of_the_training_set_are_refused(suite: Suite) -> None:
    refused(
        suite,
        {
            "it": "rank_gate.check(*case([1, 2, 3]), at_least={'mrr': 0.1},"
            " forbidden_queries={'q003', 'q900'})"
        },
        "q003",
    )


def test_a_marker_alone_is_no_gate(suite: Suite) -> None:
    suite.write(
        test_it="""
        import pytest

        @pytest.mark.rank_gate
        def test_marked():
            pass
        """
    )
    result = suite.run()
    assert result.ret == 1
    assert "rank_gate" in said(result)


@pytest.mark.parametrize("fixture", ["rank_gate", "rank_regression"])
def test_a_fixture_that_is_taken_and_not_used_is_no_gate(fixture: str, suite: Suite) -> None:
    suite.write(
        test_it="""
        SYSTEMS = []

        def test_it(FIXTURE):
            for truth, results in SYSTEMS:
                FIXTURE.check(truth, results, at_least={"map": 0.3})
        """.replace("FIXTURE", fixture)
    )
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [f"the test takes the fixture {fixture}, and no gate has run in it"]
    )


def test_a_test_that_is_given_the_fixture_by_another_may_leave_it(suite: Suite) -> None:
    suite.write(
        test_it="""
        import unittest
        import pytest
        from cases import case
        from pytest_rankmetrics import RankGateFailure

        class TestIt(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def _gate(self, rank_gate):
                self.gate = rank_gate

            def test_gate(self):
                self.gate.check(*case([1, 2]), at_least={"mrr": 0.7})

            def test_other(self):
                pass

        def test_expected(rank_gate):
            with pytest.raises(RankGateFailure):
                rank_gate.check(*case([1, 2]), at_least={"mrr": 0.8})

        def test_skipped(rank_gate):
            pytest.skip("no data")
        """
    )
    suite.run().assert_outcomes(passed=3, skipped=1)


# 24, 25 --------------------------------------------------------------------------------------


def test_the_mean_hides_no_group_and_no_query(suite: Suite) -> None:
    # 119 queries are answered at once and the one that matters not at all: a mean of 0.99.
    refused(
        suite,
        {
            "query": "rank_gate.check(*case([1] * 119 + [0]), at_least={'mrr': 0.9},"
            " per_query_at_least={'mrr': 0.2})",
            "slice": "rank_gate.check(*case([1] * 119 + [0]), at_least={'mrr': 0.9},"
            " slices={'q120': 'money'}, slice_at_least={'money': {'mrr': 0.2}})",
        },
        "q120|money",
    )


def test_a_cutoff_below_the_end_of_every_ranking_is_told(suite: Suite) -> None:
    result = attempt(
        suite,
        """
    RANKS = [1] * 20 + [0]

    def test_truncated():
        assert_ndcg_at_least(*case(RANKS), 0.5, k=100)

    def test_allowed():
        assert_ndcg_at_least(*case(RANKS), 0.5, k=100, allow={"truncated"})

    def test_deep_enough():
        assert_ndcg_at_least(*case(RANKS), 0.5, k=10)
        """,
    )
    result.assert_outcomes(passed=3, warnings=1)
    result.stdout.fnmatch_lines(["*RankGateWarning: *100*10*"])
    suite.run("--rank-strict").assert_outcomes(passed=2, failed=1)


# 26 - 31 -------------------------------------------------------------------------------------


def test_a_threshold_is_a_number(suite: Suite) -> None:
    values = {
        "string": "'1e-3'",
        "percent": "'95%'",
        "bool": "True",
        "none": "None",
        "array": "np.array([0.5])",
        "arrays": "np.array([0.5, 0.6])",
        "list": "[0.5]",
        "na": "pd.NA",
        "nat": "pd.NaT",
        "complex": "0.5j",
        "text": "b'0.5'",
        "numpy_bool": "np.True_",
        "huge": "10 ** 400",
    }
    calls = {name: f"assert_mrr_at_least(*case([1, 2]), {value})" for name, value in values.items()}
    gates = {
        f"{name}_gate": f"rank_gate.check(*case([1, 2]), at_least={{'mrr': {value}}})"
        for name, value in values.items()
    }
    refused(suite, {**calls, **gates}, "(?i)threshold|at_least")


def test_a_numpy_scalar_is_a_number(suite: Suite) -> None:
    result = attempt(
        suite,
        """
    @pytest.mark.parametrize("limit", [np.float64(0.75), np.float32(0.75), np.float16(0.75)])
    def test_it(limit):
        result = assert_mrr_at_least(*case([1, 2]), limit)
        assert type(result.metrics["mrr"].at_least) is float
        """,
    )
    result.assert_outcomes(passed=3)


def test_a_limit_is_met_to_the_ninth_digit_and_no_further(suite: Suite) -> None:
    # Rounding of a mean passes (0.1 + 0.2 is not 0.3); what could be meant does not.
    result = attempt(
        suite,
        """
    @pytest.mark.parametrize("limit", [0.75, 0.75 + 5e-10])
    def test_met(limit):
        assert_mrr_at_least(*case([1, 2]), limit)

    @pytest.mark.parametrize("limit", [0.75 + 2e-9, 0.7500001])
    def test_not_met(limit):
        assert_mrr_at_least(*case([1, 2]), limit)
        """,
    )
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["E *mrr 0.750000000 < 0.750000002 required*"])
    result.stdout.fnmatch_lines(["E *mrr 0.7500000 < 0.7500001 required*"])


def test_a_change_just_beyond_the_allowed_one_is_shown_with_enough_digits(suite: Suite) -> None:
    # Ten of thirty queries fall from 1/2 to 1/3: 0.0555555..., against 0.05555 allowed.
    result = attempt(
        suite,
        """
    def test_it():
        new, old = results([3] * 10 + [2] * 20), results([2] * 30)
        assert_not_worse(truth(30), new, old, "mrr", max_drop=0.05555, hard_drop=math.inf)
        """,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *mrr 0.5000* -> 0.4444* (-0.05556, allowed -0.05555;*"])


def test_another_sample_of_queries_does_not_pass(suite: Suite) -> None:
    suite.write(
        test_it="""
        import json
        import random
        from pathlib import Path
        from cases import names, ranking, truth

        def test_sampled(rank_gate):
            seed = int(Path(__file__).with_name("seed").read_text())
            sample = sorted(random.Random(seed).sample(names(100), 30))
            rank_gate.check(
                truth(sample), {query: ranking(2) for query in sample}, max_drop={"mrr": 0.005}
            )
        """
    )
    suite.file("seed", "1")
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.run().assert_outcomes(passed=1)
    suite.file("seed", "2")
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *baseline does not fit: *added*gone*"])


SWALLOWING = """
    import concurrent.futures
    import contextlib
    import threading
    import pytest
    from cases import case
    from pytest_rankmetrics import assert_mrr_at_least

    @pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
    def test_it(rank_gate):
"""
SWALLOWED = {
    "except": """
        try:
            assert_mrr_at_least(*case([1, 2]), 0.8)
        except Exception:
            pass
    """,
    "bare": """
        try:
            rank_gate.check(*case([1, 2]), at_least={"mrr": 0.8})
        except:
            pass
    """,
    "suppress": """
        with contextlib.suppress(AssertionError):
            assert_mrr_at_least(*case([1, 2]), 0.8)
    """,
    "raises of one's own": """
        def raises():
            return contextlib.suppress(Exception)

        with raises():
            assert_mrr_at_least(*case([1, 2]), 0.8)
    """,
    "finally": """
        try:
            assert_mrr_at_least(*case([1, 2]), 0.8)
        finally:
            return
    """,
    "thread": """
        thread = threading.Thread(target=assert_mrr_at_least, args=(*case([1, 2]), 0.8))
        thread.start()
        thread.join()
    """,
    "future": """
        with concurrent.futures.ThreadPoolExecutor() as pool:
            pool.submit(assert_mrr_at_least, *case([1, 2]), 0.8)
    """,
    "could not measure": """
        try:
            assert_mrr_at_least({}, {}, 0.8)
        except Exception:
            pass
    """,
    "bad limit": """
        try:
            assert_mrr_at_least(*case([1, 2]), 80)
        except Exception:
            pass
    """,
}


@pytest.mark.parametrize("way", SWALLOWED)
def test_a_failure_that_is_swallowed_is_red(way: str, suite: Suite) -> None:
    suite.write(test_it=SWALLOWING + SWALLOWED[way])
    result = suite.run()
    assert result.ret == 1, said(result)
    result.assert_outcomes(failed=1)


def test_a_failure_that_a_test_expects_is_none(suite: Suite) -> None:
    suite.write(
        test_it="""
        import unittest
        import pytest
        from cases import case
        from pytest_rankmetrics import RankGateFailure, assert_mrr_at_least

        def test_raises(rank_gate):
            with pytest.raises(RankGateFailure, match="required"):
                assert_mrr_at_least(*case([1, 2]), 0.8)
            with pytest.raises(AssertionError):
                rank_gate.check(*case([1, 2]), at_least={"mrr": 0.8})

        class TestIt(unittest.TestCase):
            def test_raises(self):
                with self.assertRaises(AssertionError):
                    assert_mrr_at_least(*case([1, 2]), 0.8)
        """
    )
    result = suite.run()
    result.assert_outcomes(passed=2)
    assert result.ret == 0


def test_a_failure_is_expected_in_every_way_that_people_write_it(suite: Suite) -> None:
    suite.write(
        test_it="""
        import contextlib
        import pytest
        from cases import case
        from pytest import raises as fails
        from pytest_rankmetrics import RankGateFailure, assert_mrr_at_least

        @contextlib.contextmanager
        def red(text):
            with pytest.raises(RankGateFailure, match=text):
                yield

        def check_red(limit):
            with pytest.raises(RankGateFailure):
                assert_mrr_at_least(*case([1, 2]), limit)

        @pytest.mark.parametrize(
            ("limit", "outcome"),
            [(0.7, contextlib.nullcontext()), (0.8, pytest.raises(RankGateFailure))],
        )
        def test_outcome(limit, outcome):
            with outcome:
                assert_mrr_at_least(*case([1, 2]), limit)

        def test_other_name():
            with fails(AssertionError):
                assert_mrr_at_least(*case([1, 2]), 0.8)

        def test_own_context():
            with red("required"):
                assert_mrr_at_least(*case([1, 2]), 0.8)

        def test_helper():
            check_red(0.8)

        def test_call():
            pytest.raises(RankGateFailure, assert_mrr_at_least, *case([1, 2]), 0.8)

        @pytest.mark.xfail(raises=RankGateFailure, strict=True)
        def test_xfail():
            assert_mrr_at_least(*case([1, 2]), 0.8)
        """
    )
    result = suite.run()
    result.assert_outcomes(passed=6, xfailed=1)
    assert result.ret == 0


def test_a_swallowed_failure_is_no_unexpected_pass(suite: Suite) -> None:
    suite.write(
        test_it="""
        import pytest
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        @pytest.mark.xfail
        def test_it():
            try:
                assert_mrr_at_least(*case([1, 2]), 0.8)
            except AssertionError:
                pass
        """
    )
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["*swallowed its failure*", "*with pytest.raises(RankGateFailure)*"]
    )


# 32 ------------------------------------------------------------------------------------------


def test_a_plain_script_ends_with_an_error(suite: Suite) -> None:
    suite.write(
        script="""
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        assert_mrr_at_least(*case([1, 2]), 0.8)
        print("green")
        """
    )
    result = suite.pytester.run(sys.executable, "-O", "script.py")
    assert result.ret == 1
    assert "green" not in said(result)
    result.stderr.fnmatch_lines(["*RankGateFailure: mrr 0.7500 < 0.8000 required*"])
