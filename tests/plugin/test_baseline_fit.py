"""Baseline files that do not fit, are defined anew, or are broken."""

from __future__ import annotations

import json

import pytest

from tests.plugin.conftest import Suite, said
from tests.plugin.one_gate import FILE, GATE, WORSE

# Fit ---------------------------------------------------------------------------------------------


def test_a_measure_that_is_no_longer_computed_fails(suite: Suite) -> None:
    both = GATE.replace('{"mrr": 0.005}', '{"mrr": 0.005, "recall@5": 0.005}')
    suite.write(test_it=both)
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.write(test_it=GATE)
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *baseline has 'recall@5' but the test did not compute it*"])


def test_a_measure_that_the_baseline_does_not_have_fails(recorded: Suite) -> None:
    recorded.write(test_it=GATE.replace('{"mrr": 0.005}', '{"mrr": 0.005, "recall@5": 0.005}'))
    result = recorded.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *recall@5*"])
    recorded.run("--rank-update").assert_outcomes(passed=1)
    recorded.run().assert_outcomes(passed=1)


def test_another_cutoff_is_another_measure(suite: Suite) -> None:
    suite.write(test_it=GATE.replace('"mrr"', '"mrr@5"'))
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.write(test_it=GATE.replace('"mrr"', '"mrr@10"'))
    suite.run().assert_outcomes(failed=1)


STALE = {
    "added": ("truth['q061'] = {'good'}; results['q061'] = ranking(2)", "*1 quer*added*q061*"),
    "gone": ("del truth['q007'], results['q007']", "*1 *gone*q007*"),
    "judged anew": ("truth['q011'] = {'good', 'bad5'}", "*judgments changed*1*q011*"),
    "graded anew": ("truth['q011'] = {'good': 3}", "*judgments changed*1*q011*"),
}


@pytest.mark.parametrize("change", STALE)
def test_another_set_of_queries_is_stale_and_named(change: str, recorded: Suite) -> None:
    code, complaint = STALE[change]
    recorded.write(
        test_it=f"""
        from cases import ranking, system

        def test_bm25(rank_gate):
            truth, results = system()
            {code}
            rank_gate.check(truth, results, max_drop={{"mrr": 0.005}})
        """
    )
    before = recorded.baselines()
    result = recorded.run()
    result.assert_outcomes(failed=1)
    assert result.ret == 1
    common = 30 if change == "added" else 29
    result.stdout.fnmatch_lines(
        [f"E *baseline does not fit: {complaint[1:]}compare* {common} common queries: mrr *0.0000*"]
    )
    assert recorded.baselines() == before
    # Not worse on the common queries: an update refreshes.
    recorded.run("--rank-update").assert_outcomes(passed=1)
    assert recorded.baselines() != before
    recorded.run().assert_outcomes(passed=1)


def test_a_stale_baseline_is_not_refreshed_over_a_drop(recorded: Suite) -> None:
    recorded.write(
        test_it="""
        from cases import system

        def test_bm25(rank_gate):
            truth, results = system()
            del truth["q030"], results["q030"]
            rank_gate.check(truth, results, max_drop={"mrr": 0.005})
        """
    )
    recorded.system(WORSE)
    before = recorded.baselines()
    recorded.run("--rank-update").assert_outcomes(failed=1)
    assert recorded.baselines() == before


def test_a_query_inserted_in_front_of_lists_is_not_paired_with_its_neighbour(
    suite: Suite,
) -> None:
    listed = """
        from cases import ranking

        ITEMS = [f"item{{number}}" for number in range({first}, 30)]

        def test_lists(rank_gate):
            results = [ranking(2, item=item) for item in ITEMS]
            rank_gate.check([{{item}} for item in ITEMS], results, max_drop={{"mrr": 0.005}})
    """
    suite.write(test_it=listed.format(first=1))
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.run().assert_outcomes(passed=1)
    suite.write(test_it=listed.format(first=0))
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *baseline does not fit: *"])


def test_a_measure_that_could_not_be_compared_is_not_called_ok(recorded: Suite) -> None:
    recorded.write(
        test_it="""
        from cases import system

        def test_bm25(rank_gate):
            truth, results = system()
            truth = {query: {"good", "bad1"} for query in truth}
            rank_gate.check(truth, results, max_drop={"mrr": 0.005})
        """
    )
    result = recorded.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*FAIL  baseline does not fit: judgments changed*", "* mrr *"])
    (row,) = [line for line in result.outlines if line.split()[:1] == ["mrr"]]
    assert row.endswith("not compared")


# A measure that is defined anew ------------------------------------------------------------------

GRADED = """
    from cases import names, ranking

    def test_graded(rank_gate):
        truth = {{query: {{"good": 2, "bad3": 1}} for query in names(30)}}
        results = {{query: ranking(2) for query in names(30)}}
        rank_gate.check(truth, results, max_drop={{"ndcg{gain}@10": 0.005}}, store="{store}")
"""


def redefine(suite: Suite) -> None:
    """Let the baseline say that its nDCG was computed by an older definition with other values."""
    path = suite.path / "test_it" / "test_graded.rank.json"
    baseline = json.loads(path.read_text())
    del baseline["seal"]
    metric = baseline["metrics"]["ndcg@10"]
    metric["value"] = 0.9
    metric["definition"]["v"] = 0
    for query in baseline["queries"].values():
        query["ndcg@10"] = 0.9
    path.write_text(json.dumps(baseline))


def test_a_baseline_of_an_older_definition_is_scored_anew_from_its_ranks(suite: Suite) -> None:
    suite.write(test_it=GRADED.format(gain="", store="ranks"))
    suite.run("--rank-update").assert_outcomes(passed=1)
    redefine(suite)
    result = suite.run("-rA")
    result.assert_outcomes(passed=1)
    assert "re-scored from" in said(result)


def test_scores_alone_cannot_be_scored_anew(suite: Suite) -> None:
    suite.write(test_it=GRADED.format(gain="", store="values"))
    suite.run("--rank-update").assert_outcomes(passed=1)
    assert b'"ranks"' not in suite.baselines()["test_it/test_graded.rank.json"]
    assert b"good" not in suite.baselines()["test_it/test_graded.rank.json"]
    suite.run().assert_outcomes(passed=1)
    redefine(suite)
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *baseline does not fit*"])


# What an update refreshes ------------------------------------------------------------------------

WEIGHTED = """
    from cases import system

    def test_bm25(rank_gate):
        truth, results = system()
        weight = {{query: 1.0 + {factor} * n for n, query in enumerate(truth)}}
        rank_gate.check(truth, results, max_drop={{"mrr": 0.005}}, sample_weight=weight{more})
"""


def test_an_update_refreshes_other_weights_where_nothing_is_lower(suite: Suite) -> None:
    suite.write(test_it=WEIGHTED.format(factor=0, more=""))
    suite.system([1] * 15 + [2] * 15)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.write(test_it=WEIGHTED.format(factor=1, more=""))
    result = suite.run()
    result.assert_outcomes(failed=1)
    # Weights 1 to 30: by these the old system has (120 + 345 / 2) / 465 = 0.6290, too.
    assert "weights changed for 29 (" in said(result)
    assert "compare on 30 common queries: mrr 0.6290 -> 0.6290 (+0.0000)" in said(result)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.run().assert_outcomes(passed=1)
    suite.write(test_it=WEIGHTED.format(factor=2, more=""))
    suite.system([2] * 30)
    before = suite.baselines()
    suite.run("--rank-update").assert_outcomes(failed=1)
    assert suite.baselines() == before


def test_the_one_query_with_another_weight_is_named(suite: Suite) -> None:
    gate = WEIGHTED.format(factor=0, more="").replace("1.0 + 0 * n", "1.0 + (n == NUMBER)")
    suite.write(test_it=gate.replace("NUMBER", "3"))
    suite.system([2] * 10)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.write(test_it=gate.replace("NUMBER", "99"))
    assert "weights changed for 1 (q004)" in said(suite.run())


def test_an_update_drops_a_measure_that_is_no_longer_computed(suite: Suite) -> None:
    gate = """
        from cases import system

        def test_bm25(rank_gate):
            rank_gate.check(*system(), max_drop={"mrr": 0.005}, metrics=("recall(min_rel=1)@5",))
    """
    suite.write(test_it=gate.replace("(min_rel=1)", ""))
    suite.system([2] * 10)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.write(test_it=gate)
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert (
        "baseline has 'recall@5' but the test did not compute it; if that is right, refresh with: "
        "--rank-update" in said(result)
    )
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.run().assert_outcomes(passed=1)


def test_how_much_is_judged_is_compared_with_what_was_recorded(suite: Suite) -> None:
    suite.write(
        test_it="""
            from cases import names, results

            def test_bm25(rank_gate):
                truth = {query: {"good": 1, "bad1": 0} for query in names(10)}
                shown = ("judged@5", "unjudged@5", "judged@2")
                rank_gate.check(truth, results([2] * 10), max_drop={"mrr": 0.005}, metrics=shown)
        """
    )
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.run("--rank-strict").assert_outcomes(passed=1)


SLICED = """
    from cases import system

    def test_bm25(rank_gate):
        truth, results = system()
        labels = {{query: {label} for n, query in enumerate(truth)}}
        rank_gate.check(
            truth, results, max_drop={{"mrr": 0.005}}, slices=labels, max_slice_drop=0.02
        )
"""


@pytest.mark.parametrize(
    "worse",
    [[1] * 20 + [2] * 20, [1] * 10 + [2] * 10 + [1] * 10 + [2] * 10],
    ids=["the same values", "a slice that fell"],
)
def test_queries_that_moved_between_slices_are_named(worse: list[int], suite: Suite) -> None:
    suite.write(test_it=SLICED.format(label="'head' if n < 20 else 'tail'"))
    suite.system([1] * 20 + [2] * 20)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.run().assert_outcomes(passed=1)
    # As many in each, and where nothing fell no mean moved by more than one would notice.
    suite.write(test_it=SLICED.format(label="'head' if n < 19 or n == 20 else 'tail'"))
    suite.system(worse)
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert "2 queries are in other slices: q020 head -> tail; q021 tail -> head" in said(result)


# Broken files ------------------------------------------------------------------------------------

BROKEN = {
    "empty": "",
    "no JSON": "{",
    "another format": '{"format": "rank-baseline/99", "metrics": {}, "queries": {}}',
    "a list": "[]",
    "no queries": '{"format": "rank-baseline/1", "gate": "g", "metrics": {}, "queries": {}}',
    "NaN": '{"format": "rank-baseline/1", "gate": "g", "queries": {"q001": {"mrr": NaN}},'
    ' "metrics": {"mrr": {"value": NaN, "queries": 30, "definition": {"v": 1}}}}',
    "infinity": '{"format": "rank-baseline/1", "gate": "g", "queries": {},'
    ' "metrics": {"mrr": {"value": -1e999, "queries": 30, "definition": {"v": 1}}}}',
    "key twice": '{"format": "rank-baseline/1", "format": "rank-baseline/1"}',
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize("mistake", BROKEN)
def test_a_broken_baseline_is_refused_by_name(mistake: str, recorded: Suite) -> None:
    (recorded.path / FILE).write_text(BROKEN[mistake])
    result = recorded.run()
    assert result.ret in (1, pytest.ExitCode.USAGE_ERROR)
    assert "1 passed" not in said(result)
    assert "test_bm25.rank.json" in said(result)
    assert "INTERNALERROR" not in said(result)


@pytest.mark.parametrize("mistake", ["NaN", "value", "query", "number of queries", "string"])
def test_a_baseline_whose_numbers_were_edited_is_refused(mistake: str, recorded: Suite) -> None:
    path = recorded.path / FILE
    baseline = json.loads(path.read_text())
    if mistake == "NaN":
        baseline["queries"]["q001"]["mrr"] = float("nan")
    elif mistake == "value":
        baseline["metrics"]["mrr"]["value"] = 0.1
    elif mistake == "query":
        baseline["queries"]["q001"]["mrr"] = 0.1
    elif mistake == "string":
        baseline["metrics"]["mrr"]["value"] = "0.5"
    else:
        baseline["metrics"]["mrr"]["queries"] = 29
    path.write_text(json.dumps(baseline))
    recorded.system(WORSE)
    result = recorded.run()
    assert result.ret in (1, pytest.ExitCode.USAGE_ERROR)
    assert "1 passed" not in said(result)
    assert "INTERNALERROR" not in said(result)
