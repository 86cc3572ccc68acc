"""Dangers of data: missing queries, NaN, ids that do not meet, duplicates, order, leaks."""

from __future__ import annotations

from tests.plugin.attempts import attempt, refused
from tests.plugin.conftest import Suite, said


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

    def test_lag_falls_where_rankings_end_early():
        assert assert_lag_at_most({"q": {"good", "late"}}, {"q": ["good"]}, 0.5).value == 0.0

    def test_precision_rises_where_rankings_end_early():
        assert_metric({"q": {"good", "late"}}, {"q": ["good"]}, "precision", at_least=0.9)

    def test_recall_beside_it(rank_gate):
        limits = {"p": 0.9, "recall": 0.4}
        rank_gate.check({"q": {"good", "late"}}, {"q": ["good"]}, at_least=limits)

    def test_a_cutoff_is_not_filled_by_ending_early():
        assert_metric({"q": {"good", "late"}}, {"q": ["good"]}, "precision@2", at_least=0.4)

    def test_arrays_score_every_candidate():
        assert_lag_at_most(np.array([[1, 0]]), np.array([[2, 1]]), 0.5)

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
    # ReaderOptions of, but beside recall, with a cutoff, and of arrays.
    result.assert_outcomes(passed=9, warnings=6)
    assert said(result).count("warn  ") == 6


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

    def test_half_of_the_rankings():
        truth, run = case([1] * 19 + [0])
        run = {q: items[: 5 + 5 * (n % 2)] for n, (q, items) in enumerate(run.items())}
        assert_ndcg_at_least(truth, run, 0.5, k=100)

    def test_less_than_half():
        truth, run = case([1] * 19 + [0])
        run = {q: items[: 10 if n < 9 else 5] for n, (q, items) in enumerate(run.items())}
        assert_ndcg_at_least(truth, run, 0.5, k=100)

    def test_allowed():
        assert_ndcg_at_least(*case(RANKS), 0.5, k=100, allow={"truncated"})

    def test_deep_enough():
        assert_ndcg_at_least(*case(RANKS), 0.5, k=10)
        """,
    )
    result.assert_outcomes(passed=5, warnings=2)
    result.stdout.fnmatch_lines(["*RankGateWarning: *100*10*"])
    suite.run("--rank-strict").assert_outcomes(passed=3, failed=2)


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


def test_swapped_arguments_are_refused(suite: Suite) -> None:
    refused(
        suite,
        {
            "lists": "judged, ranked = case([2] * 10);"
            " grades = {q: dict.fromkeys(items, 1) for q, items in judged.items()};"
            " assert_map_at_least(ranked, grades, 0.01)",
            "scores": "judged, ranked = case([2] * 10);"
            " points = {q: {i: 9.5 - n * 1.01 - len(q) / 7 - int(q[1:]) / 99 for n, i in"
            " enumerate(items)} for q, items in ranked.items()};"
            " grades = {q: dict.fromkeys(items, 1) for q, items in judged.items()};"
            " rank_gate.check(points, grades, at_least={'map': 0.01})",
        },
        r"are they swapped\? Judgements come first.*allow=\{.swapped.\}",
    )
