"""Baselines that do not fit or are defined anew, and what an update then refreshes."""

import json

import pytest

from tests.plugin.one_gate import GATE, WORSE

LIMIT = '{"mrr": 0.005}'


def test_measures_that_only_one_side_has_fail(recorded):
    two = '{"mrr": 0.005, "recall@5": 0.005}'
    recorded.write(test_it=GATE.replace(LIMIT, two))
    recorded.fails("E *baseline does not have 'recall@5'*")
    recorded.record()
    recorded.write(test_it=GATE)
    gone = "baseline has 'recall@5' but the test did not compute it; if that is right, refresh with"
    assert f"{gone}: --rank-update" in recorded.fails()
    # Another relevant grade is another measure, and so is another cutoff.
    for other in ('"recall(min_rel=1)@5"', '"recall@10"'):
        recorded.write(test_it=GATE.replace(LIMIT, two.replace('"recall@5"', other)))
        assert gone in recorded.fails()
    recorded.record()
    recorded.passes()


STALE = {
    "added": ("truth['q061'] = {'good'}; results['q061'] = ranking(2)", "*1 quer*added*q061*"),
    "gone": ("del truth['q007'], results['q007']", "*1 *gone*q007*"),
    "judged anew": ("truth['q011'] = {'good', 'bad5'}", "*judgments changed*1*q011*"),
    "graded anew": ("truth['q011'] = {'good': 3}", "*judgments changed*1*q011*"),
}
CHANGED = """
    from cases import ranking, system

    def test_bm25(rank_gate):
        truth, results = system()
        {code}
        rank_gate.check(truth, results, max_drop={{"mrr": 0.005}})
"""


@pytest.mark.parametrize("change", STALE)
def test_another_set_of_queries_is_stale_and_named(change, recorded):
    code, complaint = STALE[change]
    recorded.write(test_it=CHANGED.format(code=code))
    before = recorded.baselines()
    common = 30 if change == "added" else 29
    recorded.fails(
        f"E *baseline does not fit: {complaint[1:]}compare* {common} common queries: "
        "MRR is unchanged*"
    )
    assert recorded.baselines() == before
    # Not worse on the common queries: an update refreshes, but not over a drop.
    recorded.fails(arguments=("--rank-update",), now=WORSE)
    assert recorded.baselines() == before
    assert recorded.record([2] * 30) != before
    recorded.passes()


def test_a_query_inserted_in_front_of_lists_is_not_paired_with_its_neighbour(suite):
    listed = """
        from cases import ranking

        ITEMS = [f"item{{number}}" for number in range({first}, 30)]

        def test_lists(rank_gate):
            results = [ranking(2, item=item) for item in ITEMS]
            rank_gate.check([{{item}} for item in ITEMS], results, max_drop={{"mrr": 0.005}})
    """
    suite.write(test_it=listed.format(first=1))
    suite.record()
    suite.passes()
    suite.write(test_it=listed.format(first=0))
    suite.fails("E *baseline does not fit: *")


def test_a_measure_that_could_not_be_compared_is_not_called_ok(recorded):
    code = 'truth = {query: {"good", "bad1"} for query in truth}'
    recorded.write(test_it=CHANGED.format(code=code))
    text = recorded.fails("*FAIL  baseline does not fit: judgments changed*", "* mrr *")
    (row,) = [line for line in text.splitlines() if line.split()[:1] == ["mrr"]]
    assert row.endswith("not compared")


# A measure that is defined anew ------------------------------------------------------------------

GRADED = """
    from cases import names, ranking

    def test_graded(rank_gate):
        truth = {{query: {{"good": 2, "bad3": 1}} for query in names(30)}}
        results = {{query: ranking(2) for query in names(30)}}
        rank_gate.check(truth, results, max_drop={{"ndcg@10": 0.005}}, store="{store}")
"""


@pytest.mark.parametrize("store", ["ranks", "values"])
def test_a_baseline_of_an_older_definition_is_scored_anew_from_its_ranks(store, suite):
    suite.write(test_it=GRADED.format(store=store))
    suite.record()
    suite.passes()
    path = suite.path / "test_it" / "test_graded.rank.json"
    text = path.read_text()
    assert ("good" in text) is ('"ranks"' in text) is (store == "ranks")
    # By an older definition with other values.
    baseline = json.loads(text)
    del baseline["seal"]
    metric = baseline["metrics"]["ndcg@10"]
    metric["value"] = 0.9
    metric["definition"]["v"] = 0
    for query in baseline["queries"].values():
        query["ndcg@10"] = 0.9
    path.write_text(json.dumps(baseline))
    if store == "ranks":
        assert "re-scored from" in suite.passes("-rA")
    else:
        suite.fails("E *baseline does not fit*cannot be scored anew*")


# What an update refreshes ------------------------------------------------------------------------

WEIGHTED = """
    from cases import system

    def test_bm25(rank_gate):
        truth, results = system()
        weight = {{query: {weight} for n, query in enumerate(truth)}}
        rank_gate.check(truth, results, max_drop={{"mrr": 0.005}}, sample_weight=weight)
"""


def test_an_update_refreshes_other_weights_where_nothing_is_lower(suite):
    suite.write(test_it=WEIGHTED.format(weight="1.0"))
    suite.record([1] * 15 + [2] * 15)
    suite.write(test_it=WEIGHTED.format(weight="1.0 + (n == 3)"))
    assert "weights changed for 1 (q004)" in suite.fails()
    suite.write(test_it=WEIGHTED.format(weight="1.0 + n"))
    text = suite.fails()
    # Weights 1 to 30: by these the old system has (120 + 345 / 2) / 465 = 0.6290, too.
    assert "weights changed for 29 (" in text
    assert "compare on 30 common queries: MRR is unchanged at 0.629" in text
    before = suite.record()
    suite.passes()
    suite.write(test_it=WEIGHTED.format(weight="1.0 + 2 * n"))
    suite.fails(arguments=("--rank-update",), now=[2] * 30)
    assert suite.baselines() == before


def test_how_much_is_judged_is_compared_with_what_was_recorded(suite):
    suite.write(
        test_it="""
            from cases import names, results

            def test_bm25(rank_gate):
                truth = {query: {"good": 1, "bad1": 0} for query in names(10)}
                shown = ("judged@5", "unjudged@5", "judged@2")
                rank_gate.check(truth, results([2] * 10), max_drop={"mrr": 0.005}, metrics=shown)
        """
    )
    suite.record()
    suite.passes("--rank-strict")


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
def test_queries_that_moved_between_slices_are_named(worse, suite):
    suite.write(test_it=SLICED.format(label="'head' if n < 20 else 'tail'"))
    suite.record([1] * 20 + [2] * 20)
    suite.passes()
    # As many in each, and where nothing fell no mean moved by more than one would notice.
    suite.write(test_it=SLICED.format(label="'head' if n < 19 or n == 20 else 'tail'"))
    suite.system(worse)
    assert "2 queries are in other slices: q020 head -> tail; q021 tail -> head" in suite.fails()
