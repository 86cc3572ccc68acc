"""The rule of a gate with a baseline: when a drop fails, when it is excused, what is said."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from tests.plugin.conftest import Suite, said

GATE = """
    from cases import system

    def test_bm25(rank_gate):
        rank_gate.check(*system(), max_drop={{"mrr": 0.005}}{more})
"""
STRICT_WARNING = ("-W", "error::pytest_rankmetrics.RankGateWarning")


def recorded(suite: Suite, ranks: list[int], more: str = "") -> None:
    """A gate whose baseline holds these ranks."""
    suite.write(test_it=GATE.format(more=more))
    suite.system(ranks)
    suite.run("--rank-update").assert_outcomes(passed=1)


def p_value(before: list[int], after: list[int]) -> float:
    """One-sided p of the paired t-test on reciprocal ranks, by the textbook formula."""
    change = np.array([1 / new if new else 0.0 for new in after])
    change -= np.array([1 / old if old else 0.0 for old in before])
    t = change.mean() / (change.std(ddof=1) / len(change) ** 0.5)
    return float(stats.t.cdf(t, len(change) - 1))


# 17 of 60 queries worse, two better; one of them has its item at rank 9 instead of 1.
BEFORE = [3] * 16 + [1] + [4] * 2 + [2] * 41
AFTER = [4] * 16 + [9] + [3] * 2 + [2] * 41


def test_a_confirmed_drop_fails_with_everything_in_its_first_line(suite: Suite) -> None:
    recorded(suite, BEFORE)
    suite.system(AFTER)
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert result.ret == 1
    # (16/3 + 1 + 2/4 + 41/2) / 60 = 0.4556; (16/4 + 1/9 + 2/3 + 41/2) / 60 = 0.4213
    p = p_value(BEFORE, AFTER)
    assert 0.001 < p < 0.05
    result.stdout.fnmatch_lines(
        [
            "E *RankGateFailure: mrr 0.4556 -> 0.4213 (-0.0343, allowed -0.0050; "
            f"p={p:.4f}, 60 queries, 17 worse, 2 better)",
            "E *metric *baseline *now *change *95% CI of the change *allowed *worse/better/same*",
            f"E *mrr *0.4556 *0.4213 *-0.0343 *-0.0*..-0.0* *-0.0050 *{p:.4f} *17/2/41 *FAIL*",
            "E *biggest losses*",
            "E *q017 *1.0000 *0.1111 *-0.8889 *good*1->9*",
            "E *biggest gains: *q018 +0.0833*",
            "E *baseline *test_it/test_bm25.rank.json*",
            "E *accept *--rank-accept*--rank-reason*",
            "E *paired t, one-sided, alpha 0.05*",
        ]
    )


def test_the_interval_of_the_change_is_that_of_scipy(suite: Suite) -> None:
    recorded(suite, BEFORE)
    suite.system(AFTER)
    before, after = (1 / np.array(ranks) for ranks in (BEFORE, AFTER))
    low, high = stats.ttest_rel(after, before).confidence_interval(0.95)
    suite.run().stdout.fnmatch_lines([f"E *mrr *{low:+.4f}..{high:+.4f} *"])


# Six queries of thirty fall from first to second and five rise: a drop of 0.0167.
FIRST = [1] * 10 + [2] * 20
SOME_FELL = [2] * 6 + [1] * 9 + [2] * 15


def test_an_unconfirmed_drop_passes_with_a_warning(suite: Suite) -> None:
    recorded(suite, FIRST)
    before = suite.baselines()
    suite.system(SOME_FELL)
    result = suite.run()
    result.assert_outcomes(passed=1, warnings=1)
    assert result.ret == 0
    p = p_value(FIRST, SOME_FELL)
    assert 0.3 < p < 0.5
    result.stdout.fnmatch_lines(["*RankGateWarning: *mrr -0.0167 exceeds the allowed -0.0050*"])
    result.stdout.fnmatch_lines([f"*not significant (p={p:.4f}, 30 queries, 6 worse, 5 better)*"])
    result.stdout.fnmatch_lines(["test_it.py::test_bm25 *mrr *-0.0167 *warn *not confirmed*"])
    assert suite.baselines() == before


@pytest.mark.parametrize("strict", [("--rank-strict",), STRICT_WARNING, ("-W", "error")])
def test_an_unconfirmed_drop_fails_where_that_is_asked(
    strict: tuple[str, ...], suite: Suite
) -> None:
    recorded(suite, FIRST)
    suite.system(SOME_FELL)
    result = suite.run(*strict)
    result.assert_outcomes(failed=1)
    assert result.ret == 1


def test_an_unconfirmed_drop_fails_a_gate_that_wants_no_confirmation(suite: Suite) -> None:
    recorded(suite, FIRST, ", confirm=False")
    suite.system(SOME_FELL)
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *mrr 0.6667 -> 0.6500 (-0.0167, allowed -0.0050;*"])


def test_few_queries_excuse_nothing(suite: Suite) -> None:
    # Four of eight queries lose their only relevant item: p is far above 0.05 only because the
    # drop is judged by so few queries; without the hard limit the margin decides.
    recorded(suite, [6] * 8, ", hard_drop=float('inf')")
    suite.system([6] * 4 + [0] * 4)
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *significance is not used below 25 queries*"])


def test_four_of_eight_queries_that_lose_everything_fail(suite: Suite) -> None:
    # The sign-flip p-value of this is 2 ** -3 = 0.125 two-sided; a gate by p alone lets it pass.
    recorded(suite, [1] * 4 + [2] * 4, ', test="permutation"')
    suite.system([0] * 4 + [2] * 4)
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *mrr 0.7500 -> 0.2500 (-0.5000*8 queries, 4 worse, 0 better)*"])


def test_a_drop_beyond_the_hard_limit_is_never_excused(suite: Suite) -> None:
    # 7 queries of 30 lose their item, 5 find one, one falls from first to second: noisy, p = 0.24.
    before = [1] * 7 + [0] * 5 + [1] + [2] * 17
    after = [0] * 7 + [1] * 5 + [2] + [2] * 17
    assert p_value(before, after) > 0.2
    recorded(suite, before)
    suite.system(after)
    result = suite.run()
    result.assert_outcomes(failed=1)
    # 7 - 5 + 1/2 of 30
    result.stdout.fnmatch_lines(["E *mrr 0.5500 -> 0.4667 (-0.0833, allowed -0.0050;*"])
    result.stdout.fnmatch_lines(["*hard limit 0.05*"])


def test_an_improvement_passes_and_is_offered(suite: Suite) -> None:
    recorded(suite, [2] * 30)
    before = suite.baselines()
    suite.system([1] * 3 + [2] * 27)
    result = suite.run()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "test_it.py::test_bm25 *mrr *0.5500 *0.5000 *+0.0500 *improved*",
            "*1 baseline can be raised*--rank-update*",
        ]
    )
    assert suite.baselines() == before


def test_a_small_drop_passes_and_does_not_move_the_baseline(suite: Suite) -> None:
    # Of 200 queries one more falls from rank 1 to rank 5 at each step: 0.8 / 200 = 0.004.
    start = [1] * 100 + [2] * 100
    recorded(suite, start, ", confirm=False")
    before = suite.baselines()
    outcomes = []
    for step in range(1, 11):
        suite.system([5] * step + start[step:])
        outcomes.append("passed" if suite.run("-q").ret == 0 else "failed")
        assert suite.baselines() == before
    assert outcomes == ["passed"] + ["failed"] * 9


def test_an_improvement_that_nobody_recorded_fails_where_the_ratchet_requires_it(
    suite: Suite,
) -> None:
    recorded(suite, [2] * 30)
    suite.file("pytest.ini", "[pytest]\nrank_ratchet = require\n")
    suite.run().assert_outcomes(passed=1)
    suite.system([1] * 3 + [2] * 27)
    result = suite.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*mrr 0.5000 -> 0.5500 (+0.0500*--rank-update*"])


def test_lag_rises_when_it_gets_worse(suite: Suite) -> None:
    suite.write(
        test_it="""
        from cases import system

        def test_lag(rank_gate):
            rank_gate.check(*system(), max_drop={"lag": 0.1}, allow={"unretrieved"})
        """
    )
    suite.system([3] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.system([4] * 15 + [3] * 15)
    worse = suite.run()
    worse.assert_outcomes(failed=1)
    worse.stdout.fnmatch_lines(
        ["E *lag 2.0000 -> 2.5000 (+0.5000, allowed +0.1000;*30 queries, 15 worse, 0 better)*"]
    )
    suite.system([2] * 15 + [3] * 15)
    better = suite.run()
    better.assert_outcomes(passed=1)
    better.stdout.fnmatch_lines(["test_it.py::test_lag *lag *1.5000 *2.0000 *-0.5000 *improved*"])


def test_thresholds_and_drops_come_in_one_failure(suite: Suite) -> None:
    suite.write(
        test_it="""
        from cases import system

        def test_all(rank_gate):
            rank_gate.check(
                *system(),
                at_least={"map": 0.4, "recall@1": 0.2},
                max_drop={"mrr": 0.005, "recall@5": 0.005},
            )
        """
    )
    suite.system([1] * 10 + [2] * 20)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.system([1] * 5 + [2] * 10 + [0] * 15)
    result = suite.run()
    result.assert_outcomes(failed=1)
    # mrr (5 + 5) / 30; recall@5 15/30; recall@1 5/30 = 0.1667; map as mrr
    text = said(result)
    for part in (
        "mrr 0.6667 -> 0.3333",
        "recall@5",
        "map 0.3333 < 0.4000 required",
        "recall@1 0.1667 < 0.2000 required",
    ):
        assert part in text


# Slices --------------------------------------------------------------------------------------

SLICED = """
    from cases import names, system

    TYPES = {{
        query: "long-tail" if number < 12 else "tiny" if number < 16 else "head"
        for number, query in enumerate(names(60))
    }}

    def test_sliced(rank_gate):
        rank_gate.check(
            *system(), max_drop={{"mrr": 0.05}}, slices=TYPES, max_slice_drop=0.02{more}
        )
"""
EVEN = [1] * 30 + [2] * 30


def sliced(suite: Suite, more: str = "") -> None:
    suite.write(test_it=SLICED.format(more=more))
    suite.system(EVEN)
    suite.run("--rank-update").assert_outcomes(passed=1)


def test_a_slice_that_drops_fails_although_the_mean_hardly_moves(suite: Suite) -> None:
    sliced(suite)
    # Seven of the twelve long-tail queries fall from first to second, and two others rise:
    # 3.5 / 12 = 0.2917 of the slice and 2.5 / 60 = 0.0417 of all. Seven coins show tails in one
    # of 128 tosses, 0.0156 among the tests of two slices; six would not do at 0.02.
    suite.system([2] * 7 + EVEN[7:30] + [1, 1] + EVEN[32:])
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *slice long-tail -0.2917*"])
    result.stdout.fnmatch_lines(
        [
            "E *slice * queries *baseline *now *change *allowed *",
            "E *long-tail *12 *1.0000 *0.7083 *-0.2917 *-0.0200 *FAIL*",
        ]
    )
    result.stdout.fnmatch_lines(["E *head *44 *improved*"])


def test_a_small_slice_is_shown_and_not_gated(suite: Suite) -> None:
    sliced(suite)
    # All four tiny queries lose everything but rank 10: 4 * 0.9 / 60 = 0.06 would fail; here two
    # of them: 1.8 / 60 = 0.03, within the allowed 0.05.
    suite.system([*EVEN[:12], 10, 10, *EVEN[14:]])
    result = suite.run("-rA", "--rank-show=all")
    result.assert_outcomes(passed=1)
    assert "n=4, not gated" in said(result)


def test_a_slice_of_other_queries_does_not_fit(suite: Suite) -> None:
    # The five queries that have become worse are moved from the tail to a slice that is too small
    # to be judged, and the tail becomes too small too.
    sliced(suite)
    suite.write(test_it=SLICED.format(more="").replace("number < 12", "5 <= number < 12"))
    suite.system([2] * 5 + EVEN[5:])
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *long-tail*"])


def test_a_slice_that_is_gone_fails(suite: Suite) -> None:
    sliced(suite)
    suite.write(test_it=SLICED.format(more="").replace('"long-tail"', '"head"'))
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *baseline has *slice*long-tail*"])


def test_a_gate_that_no_longer_looks_at_slices_fails(suite: Suite) -> None:
    sliced(suite)
    suite.write(test_it=GATE.format(more="").replace("test_bm25", "test_sliced"))
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *baseline has *slice*"])


def test_slices_may_have_thresholds_of_their_own(suite: Suite) -> None:
    suite.write(
        test_it="""
        from cases import case, names

        def test_sliced(rank_gate):
            rank_gate.check(
                *case([1, 1, 2, 4]),
                slices={"easy": names(4)[:2], "hard": names(4)[2:]},
                slice_at_least={"easy": {"mrr": 0.9}, "hard": {"mrr": 0.4}},
            )
        """
    )
    result = suite.run()
    result.assert_outcomes(failed=1)
    # (1/2 + 1/4) / 2 = 0.375 < 0.4
    result.stdout.fnmatch_lines(["E *hard*mrr 0.3750 < 0.4000 required*"])


def test_the_significance_of_a_slice_is_that_among_all_slices(suite: Suite) -> None:
    # Ten slices of ten queries, in one of which six queries fall from first to second: by itself
    # p = 1 / 2 ** 6 = 0.0156 (0.0051 by Student), and 0.156 among ten slices.
    before, after = [1] * 100, [2] * 6 + [1] * 94
    p = max(p_value(before[:10], after[:10]), 2**-6)
    assert p == 2**-6
    suite.write(
        test_it="""
        from cases import names, system

        OPTIONS = dict(max_drop={"mrr": 0.05}, max_slice_drop=0.02, allow={"perfect"})

        def test_ten(rank_gate):
            parts = {query: f"part{number // 10}" for number, query in enumerate(names(100))}
            rank_gate.check(*system(), slices=parts, **OPTIONS)

        def test_alone(rank_gate):
            rank_gate.check(*system(), slices={"part0": names(10)}, **OPTIONS)
        """
    )
    suite.system(before)
    suite.run("--rank-update").assert_outcomes(passed=2)
    suite.system(after)
    result = suite.run("-rf", "--rank-json=report.json")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["FAILED test_it.py::test_alone*part0 -0.3000*"])
    gates = json.loads((suite.path / "report.json").read_text())["gates"]
    found = [one["p"] for gate in gates for one in gate["slices"] if one["label"] == "part0"]
    assert sorted(found) == pytest.approx([p, 10 * p], abs=1e-6)


# Required and forbidden queries, limits per query ---------------------------------------------

QUERIES = """
    from cases import case

    def test_queries(rank_gate):
        rank_gate.check(*case([1, 2, 4]), at_least={{"mrr": 0.3}}, {policy})
"""


@pytest.mark.parametrize(
    ("policy", "complaint"),
    [
        ('required_queries=["q001", "q007"]', "*q007*"),
        ('forbidden_queries=["q002", "q009"]', "*q002*"),
        ('per_query_at_least={"mrr": 0.5}', "*q003*0.2500*0.5000*"),
        ('per_query_at_least={"mrr": 0.5}, required_queries=["q003"]', "*q003*0.2500*0.5000*"),
        ("n_queries=4", "*3 queries*4*"),
    ],
)
def test_a_query_that_does_not_do_as_required_fails(
    policy: str, complaint: str, suite: Suite
) -> None:
    suite.write(test_it=QUERIES.format(policy=policy))
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"E {complaint}"])


def test_queries_that_do_as_required_pass(suite: Suite) -> None:
    suite.write(
        test_it=QUERIES.format(
            policy='required_queries=["q001"], per_query_at_least={"mrr": 0.9}, n_queries=3, '
            'forbidden_queries=["q009"]'
        )
    )
    suite.run().assert_outcomes(passed=1)


def test_more_regressed_queries_than_allowed_fail(suite: Suite) -> None:
    recorded(suite, [2] * 60, ", max_regressed_queries=2")
    suite.system([1, 1, 3, 3] + [2] * 56)
    suite.run().assert_outcomes(passed=1)
    suite.system([1, 1, 3, 3, 3] + [2] * 55)
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *3 *queries*2*"])
