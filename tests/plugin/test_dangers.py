"""Ways in which a gate could pass although nothing, or the wrong thing, was measured.

Each is tried and refused, by the tests named below it.

 1  no queries, or fewer than there should be
      test_dangers_of_data.test_no_queries_do_not_pass
      test_policy.test_a_query_that_does_not_do_as_required_fails
 2  NaN as score, threshold, weight or baseline
      test_dangers_of_data.test_what_is_not_a_number_does_not_pass
      test_baseline_fit.test_a_baseline_whose_numbers_were_edited_is_refused
 3  the worst queries are missing from the run
      test_dangers_of_data.test_a_missing_query_does_not_pass
      test_dangers_of_data.test_a_query_dropped_from_both_sides_does_not_pass
 4  queries without relevant items are left out
      test_dangers_of_data.test_a_query_without_relevant_items_does_not_pass
 5  ids that do not meet
      test_dangers_of_data.test_ids_that_do_not_meet_do_not_pass
      test_dangers_of_data.test_a_baseline_of_zero_is_not_met_by_ids_that_do_not_meet
 6  no baseline
      test_baselines.test_a_missing_baseline_fails_and_is_not_written
      test_dangers_of_updates.test_an_update_on_ci_is_red
 7  an update that nobody looks at
      test_dangers_of_updates.test_an_update_is_asked_for_on_the_command_line_alone
      test_dangers_of_updates.test_an_update_goes_with_no_second_try_and_no_workers
      test_dangers_of_updates.test_an_update_of_the_whole_family_that_nobody_typed_lowers_nothing
 8  a baseline of other data or definitions
      test_baseline_fit.test_another_set_of_queries_is_stale_and_named
      test_baseline_fit.test_another_cutoff_is_another_measure
      test_dangers_of_updates.test_another_tie_rule_does_not_fit_the_baseline
      test_dangers_of_updates.test_other_weights_do_not_fit_the_baseline
 9  a measure that is no longer, or newly, there
      test_baseline_fit.test_a_measure_that_is_no_longer_computed_fails
      test_baseline_fit.test_a_measure_that_the_baseline_does_not_have_fails
10  percent for a fraction
      test_dangers_of_limits.test_a_limit_that_everything_or_nothing_meets_is_refused
11  a limit that everything meets
      test_dangers_of_limits.test_a_limit_that_everything_or_nothing_meets_is_refused
12  the wrong direction
      test_dangers_of_limits.test_a_limit_of_the_wrong_direction_is_refused
13  tolerances: sign, percent, creeping
      test_dangers_of_limits.test_a_tolerance_that_is_none_is_refused
      test_policy.test_a_small_drop_passes_and_does_not_move_the_baseline
14  duplicates that count twice
      test_dangers_of_data.test_a_duplicate_does_not_count_twice
15  scores of the wrong direction
      test_dangers_of_data.test_scores_that_rise_down_the_list_do_not_pass
      test_dangers_of_data.test_a_ranking_upside_down_does_not_pass
16  two sides that are sorted differently
      test_dangers_of_data.test_two_sides_in_different_order_are_not_mixed_up
17  ties in the system's favour
      test_dangers_of_data.test_a_constant_score_is_no_good_ranking
18  returning less looks better
      test_dangers_of_data.test_returning_less_does_not_pass
19  judgements that leaked into the run
      test_dangers_of_data.test_perfection_is_suspicious
      test_dangers_of_data.test_queries_of_the_training_set_are_refused
20  the plugin is not there
      test_loading.test_a_gate_fails_closed_when_the_plugin_is_switched_off
      test_dangers_of_runs.test_a_marker_alone_is_no_gate
      test_dangers_of_runs.test_a_fixture_that_is_taken_and_not_used_is_no_gate
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
      test_dangers_of_data.test_the_mean_hides_no_group_and_no_query
25  rankings that end before the cutoff
      test_dangers_of_data.test_a_cutoff_below_the_end_of_every_ranking_is_told
26  numbers that YAML made strings
      test_dangers_of_limits.test_a_threshold_is_a_number
27  rounding at the edge
      test_dangers_of_limits.test_a_limit_is_met_to_the_ninth_digit_and_no_further
28  arrays and scalars of other libraries
      test_dangers_of_limits.test_a_threshold_is_a_number
29  another sample of queries
      test_dangers_of_data.test_another_sample_of_queries_does_not_pass
30  a failure that is swallowed
      test_swallowed.test_a_failure_that_is_swallowed_is_red
      test_swallowed.test_a_swallowed_failure_is_no_unexpected_pass
31  rounding in the report
      test_assertions.test_digits_are_added_until_value_and_threshold_differ
      test_dangers_of_limits.test_a_change_just_beyond_the_allowed_one_is_shown_with_enough_digits
32  a message and exit code 0
      test_assertions.test_a_threshold_that_is_not_met_fails_with_value_threshold_and_distance
      test_dangers_of_runs.test_a_plain_script_ends_with_an_error
"""

from __future__ import annotations

import importlib
import re


def test_every_danger_has_its_tests() -> None:
    dangers = re.findall(r"^ ?(\d+)  .+((?:\n {6}\S+)+)", __doc__ or "", re.MULTILINE)
    assert [int(number) for number, _ in dangers] == list(range(1, 33))
    for line in " ".join(lines for _, lines in dangers).split():
        module, _, name = line.partition(".")
        home = importlib.import_module(f"tests.plugin.{module}")
        assert callable(getattr(home, name)), name
