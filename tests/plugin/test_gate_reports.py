"""What a gate says: unconfirmed drops, texts of queries, gains, numbers that add up."""

import json
from typing import Any

import pytest

from pytest_rankmetrics import GateResult, assert_metric, assert_not_worse, expected_failure
from sklearn_rank import InvalidParameterError
from tests.plugin.cases import case
from tests.plugin.conftest import said
from tests.plugin.one_gate import GATE, gate_of, not_worse


def test_a_renamed_gate_is_led_to_its_old_baseline(recorded):
    new = GATE.replace("test_bm25", "test_okapi")
    recorded.write(test_it=GATE + new.partition("import system\n")[2])
    text = said(recorded.run("-k", "okapi"))
    assert "write it with: pytest test_it.py::test_okapi --rank-update" in text
    assert "git mv" not in text, "the other one is deselected"
    recorded.write(test_it=new)
    text = said(recorded.run())
    assert "beside it test_bm25.rank.json belongs to no test: renamed? git mv " in text
    move = "git mv test_it/test_bm25.rank.json test_it/test_okapi.rank.json; then, or if it is new:"
    assert move in text
    assert text.index("git mv") < text.index("--rank-update")


def test_an_unconfirmed_drop_stands_in_the_last_lines(recorded):
    # Four queries fall from 1/2 to 1/10, two rise to 1: -1.6 / 30 + 1 / 30.
    result = recorded.run(now=[2] * 24 + [10] * 4 + [1] * 2, passed=1, warnings=1)
    (last,) = [line for line in result.stdout.lines if line.startswith("NOT CONFIRMED")]
    assert last.startswith(
        "NOT CONFIRMED: test_bm25: MRR fell by 0.020 (allowed 0.005), which may be chance: "
    )
    assert ": 4 of 30 queries got worse, p = 0.2" in last


def test_a_rise_of_a_measure_of_which_less_is_better_is_a_loss():
    # LAG is rank - 1: q002 rises by 3, q003 falls by 1.
    with expected_failure(match=r"LAG rose from 1\.000 to 1\.500 \(\+0\.500") as info:
        not_worse([2, 5, 1, 2], [2] * 4, "lag", max_drop=0, allow={"unretrieved"})
    (row,) = info.value.result.worst
    assert (row.query, row.was, row.now) == ("q002", 1.0, 4.0)
    assert "biggest gains: q003 -1.0000" in str(info.value)


# Queries -----------------------------------------------------------------------------------------


def failure(**options: Any) -> str:
    with expected_failure() as info:
        not_worse([2] * 29 + [0], [2] * 30, confirm=False, **options)
    return str(info.value)


@pytest.mark.parametrize("given", [{"q030": "red shoes"}, lambda query: f"red shoes of {query}"])
def test_the_text_of_a_query_and_the_head_of_its_list_are_shown(given):
    text = failure(query_text=given)
    assert "    red shoes" in text
    assert "now on top: bad1 bad2 bad3 bad4 bad5" in text
    with expected_failure(match=r"(?s)q010 .*\n +red shoes"):  # below a threshold too
        assert_metric(*case([2] * 9 + [0]), "mrr", at_least=0.9, query_text={"q010": "red shoes"})


def test_texts_are_escaped_and_cut():
    text = failure(query_text=lambda _: "\x1b[2J\n" + "x" * 500)
    assert "\x1b" not in text
    assert "x" * 100 not in text
    assert "(query_text: KeyError)" in failure(query_text=lambda query: {}[query])
    with expected_failure(InvalidParameterError, match=r"query_text must be \{id: text\} or a"):
        assert_metric(*case([2] * 10), "mrr", at_least=0.1, query_text="red shoes")  # type: ignore[arg-type]


SLICED = {f"q{n:03d}": "tail" if n <= 20 else "head" for n in range(1, 61)}
# The tail falls by 0.1 in each query; two queries of the head fall by more, others rise.
MOVED = [3] * 16 + [2] * 4 + [0] * 2 + [1] * 8 + [2] * 30


def test_a_failing_slice_lists_its_own_queries_alone():
    with expected_failure() as info:
        not_worse(MOVED, [2] * 60, max_drop=0.01, slices=SLICED, max_slice_drop=0.02)
    text = str(info.value)
    assert text.startswith('MRR fell from 0.500 to 0.367 for the 20 "tail" queries (-0.133, ')
    assert "biggest losses in slice tail (mrr; these 5 are 31% of the loss; * relevant, " in text
    assert "q021" not in text
    assert "biggest gains" not in text


def test_a_slice_below_its_floor_lists_its_own_queries_alone(suite):
    suite.write(
        test_it=f"""
        from cases import case

        def test_it(rank_gate):
            floor = {{"tail": {{"mrr": 0.4}}}}
            limits = {{"at_least": {{"mrr": 0.3}}, "slice_at_least": floor}}
            rank_gate.check(*case({MOVED}), slices={SLICED}, **limits)
        """
    )
    text = said(suite.run())
    assert "worst queries by mrr in slice tail (5 of 20)" in text
    assert "q021" not in text.partition("worst queries")[2]


# Numbers that add up -----------------------------------------------------------------------------


def test_a_comparison_on_common_queries_shows_its_own_two_numbers(recorded):
    # The 30 common queries stay at 1/2; the ten that are new find nothing: 15 / 40 over all.
    recorded.write(test_it=GATE.replace("max_drop=", 'at_least={"mrr": 0.1}, max_drop='))
    result = recorded.run(now=[2] * 30 + [0] * 10, failed=1)
    text = said(result)
    assert "compare on 30 common queries: MRR is unchanged at 0.500" in text
    rows = [line.split()[-5:] for line in result.stdout.lines]
    assert ["mrr", "0.5000", "0.5000", "+0.0000", "ok"] in rows
    assert any("0.3750" in line and ">= 0.1000" in line for line in result.stdout.lines)


# What a gate that passes says, and costs ---------------------------------------------------------


def test_a_gate_that_passes_is_rendered_only_when_somebody_reads(monkeypatch):
    def never(*_: Any) -> str:
        raise AssertionError

    truth, results = case([2] * 30)
    monkeypatch.setattr("pytest_rankmetrics.gates.run.message", never)
    monkeypatch.setattr("pytest_rankmetrics.gates.run.worst_queries", never)
    result = assert_metric(truth, results, "mrr", at_least=0.4)
    assert result.headline == "MRR is 0.500, at least 0.400 required (30 queries)"
    monkeypatch.undo()
    assert result.message.startswith(result.headline)
    assert "worst queries by mrr" in result.message


def test_reports_have_the_whole_message_of_gates_that_passed(recorded):
    recorded.run("--rank-json=report.json").assert_outcomes(passed=1)
    (gate,) = json.loads((recorded.path / "report.json").read_text(encoding="utf-8"))["gates"]
    assert "95% CI of the change" in gate["message"]


def test_items_are_read_a_second_time_only_for_a_failure():
    class Counted(dict[str, list[str]]):
        read = 0

        def __getitem__(self, query: str) -> list[str]:
            type(self).read += 1
            return super().__getitem__(query)

    truth, results = case([2] * 30)
    assert_metric(truth, Counted(results), "mrr", at_least=0.4)
    assert Counted.read == 30
    with expected_failure(match="bad1 good"):
        assert_metric(truth, Counted(results), "mrr", at_least=0.9)


def test_a_provider_is_called_once_for_each_item():
    calls: list[str] = []

    def provider(item: str) -> str:
        calls.append(item)
        return item

    truth, results = case([2] * 10)
    with expected_failure(match="bad1 good"):
        assert_metric(truth, results, "mrr", at_least=0.9, string_provider=provider)
    assert len(calls) == 10 * (10 + 1)


def test_data_that_changed_meanwhile_lend_no_names():
    truth, results = case([2] * 10)
    result = assert_metric(truth, results, "mrr", at_least=0.4)
    for ranking in results.values():
        ranking.reverse()
    assert "2 of 10" in result.message
    assert "bad" not in result.message


# Queries that could be answered better, or got worse ----------------------------------------------

WORST: dict[str, tuple[list[int], dict[str, float], list[str]]] = {
    "mrr": ([1, 2, 1, 4], {"at_least": 0.9}, ["q004", "q002"]),  # none that has the maximum
    "lag": ([1, 3, 1, 2], {"at_most": 0.5}, ["q002", "q004"]),  # nor the minimum of an error
    "dcg": ([1, 2], {"at_least": 5.0}, ["q002", "q001"]),  # which has no maximum
}


@pytest.mark.parametrize("measure", WORST)
def test_queries_that_could_be_better_are_listed(measure):
    ranks, limits, worst = WORST[measure]
    with expected_failure() as failure:
        assert_metric(*case(ranks), measure, **limits)
    assert [row.query for row in failure.value.result.worst] == worst


@pytest.mark.parametrize("ranks", [[1] * 30, [1] * 29 + [2]])
def test_a_gate_without_a_baseline_lists_no_perfect_query(ranks, suite):
    suite.write(test_it=gate_of('max_drop={"map": 0.005}, allow={"perfect"}'))
    before = suite.files()
    told = "E *no baseline for gate 'test_bm25' (test_it/test_bm25.rank.json); map is *.*"
    text = suite.fails(f"{told} now - write it with: pytest *--rank-update*", now=ranks)
    assert suite.files() - before == {"ranks.json"}, "no baseline is written"
    assert "q001" not in text
    assert ("q030" in text) == (2 in ranks)


# What explains a loss ----------------------------------------------------------------------------

JUDGED = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}}
OLD = {"q1": [*"abx"], "q2": [*"cxy"]}
BY_SCORES: dict[str, Any] = {
    "relevance": {"q1": [0.9, 0.8, 0.7], "q2": [0.9, 0.9, 0.9]},
    "reference_relevance": {"q1": [0.9, 0.8, 0.7], "q2": [0.9, 0.8, 0.7]},
}
LOSSES: dict[str, tuple[str, str, dict[str, Any], list[str]]] = {
    # Gain 3 over log2(3) and log2(4), and 1 over log2(2) and log2(3); then rank 1 to none.
    "dcg": ("xab", "xyz", {}, ["c 1->- -1.00", "b 2->3 -0.39, a 1->2 -0.37"]),
    # An item that did not move costs no average precision.
    "map": ("xba", "cxy", {}, ["a 1->3 -0.42, b 2->2"]),
    # What is no sum is told by ranks alone, and so are places by relevance scores.
    "mar@2": ("xab", "cxy", {}, ["a 1->2, b 2->3"]),
    "gauc": ("abx", "cxy", BY_SCORES, ["c 1->1"]),
}


@pytest.mark.parametrize("measure", LOSSES)
def test_items_are_listed_with_what_they_cost(measure):
    first, second, reading, places = LOSSES[measure]
    new = {"q1": [*first], "q2": [*second]}
    with expected_failure() as failure:
        assert_not_worse(JUDGED, new, OLD, measure, max_drop=0, confirm=False, **reading)
    result = failure.value.result
    assert isinstance(result, GateResult)
    assert [row.places for row in result.worst] == places
