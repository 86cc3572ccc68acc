"""Reports of several gates: the gravest first, few words for many, and no name is markup."""

import re
from dataclasses import replace
from typing import Any

import pytest

from sklearn_rank.gates.gate import failed, judge_beside
from sklearn_rank.gates.limits import Settings, read_arguments
from sklearn_rank.gates.verdict import RankGateFailure
from sklearn_rank.view.gate_page import html_text, section_of
from sklearn_rank.view.queries import size_of
from sklearn_rank.view.reports import markdown
from sklearn_rank.view.summary import (
    GateRun,
    Summary,
    print_summary,
    summary_lines,
)
from tests.gates.conftest import beside
from tests.plugin.cases import names, results, truth
from tests.tables.hostile import HOSTILE


def run_of(name: str, *, worse: int = 0, better: int = 0, **limits: Any) -> GateRun:
    """A gate whose first queries fell from rank 2 to 3, and whose next ones rose to 1."""
    new = [3] * worse + [1] * better + [2] * (30 - worse - better)
    limits = {"max_drop": {"mrr": 0.02}, "name": name, **limits}
    result = beside(truth(30), results(new), results([2] * 30), **limits)
    return GateRun({**result.as_dict(), "nodeid": f"test_it.py::{name}"}, f"test_it.py::{name}")


def summary(*runs: GateRun) -> Summary:
    return Summary(gates=runs)


MANY = [run_of("fine"), run_of("bad", worse=6), run_of("worst", worse=20), run_of("good", better=9)]
FAILED = [run_of(f"gate {n}", worse=n) for n in range(8, 16)]


def test_the_gravest_stand_first_in_every_report() -> None:
    order = ["worst", "bad", "good", "fine"]
    text = markdown(summary(*MANY))
    assert text.startswith("### Ranking quality: \u274c 2 of 4 gates failed: worst: MRR fell")
    rows = [line for line in text.split("\n") if line.startswith("| \u274c |")]
    assert [own for row in rows for own in order if f" {own} " in row] == order[:2]
    lines = [line.partition(": ")[2].partition(":")[0] for line in summary_lines(summary(*MANY))]
    assert [own for own in lines if own in order] == order
    page = html_text(summary(*MANY))
    places = [page.index(f">{name}<") for name in order]
    assert places == sorted(places)


@pytest.mark.parametrize("slices", [0, 30])
def test_a_comment_of_one_gate_has_its_rows_its_queries_and_the_command(slices) -> None:
    more = {}
    if slices:
        labels = {query: str(n) for n, query in enumerate(names(slices))}
        more = {"slices": labels, "max_slice_drop": 0.1}
    text = markdown(summary(run_of("red shoes", worse=10, **more)))
    assert len(text) < 4000
    assert "| mrr | 0.5000 \u2192 0.4444 (-0.0556, allowed -0.0200) |" in text
    assert text.count("| good 2→") == 3
    assert "\u274c |" in text
    assert ("measures and slices |" in text) is bool(slices)


def test_a_comment_and_a_page_leave_out_what_has_no_room(monkeypatch) -> None:
    run = run_of("bad", worse=6)
    rows = [[f"{'long name ' * 30}{n}"] * 4 for n in range(3)]
    long = {**run.record, "losers": {"titles": ["a", "b", "c", "d"], "rows": rows}}
    assert len(markdown(summary(*[GateRun(long, str(n)) for n in range(3)]))) < 4200
    sides = (results([3] * 6 + [2] * 24), results([2] * 30))
    limits = replace(read_arguments({"name": "x", "max_drop": 0.02}, Settings()), detail="page")
    section = section_of(judge_beside(truth(30), *sides, limits, limits))
    assert section.queries is not None
    monkeypatch.setattr("sklearn_rank.view.gate_page.MOST_BYTES", size_of(section.queries) * 3 // 2)
    pages = [replace(run, section=section)] * 2
    text = html_text(summary(*pages))
    assert text.count('"leftOut":0') == 1
    assert text.count('"leftOut":30') == 1


def test_the_badge_of_a_gate_has_the_colour_of_its_decision() -> None:
    """Only a gate that passes without doubt is good; a failure that was expected is no success."""
    bad = run_of("bad", worse=20)
    runs = [replace(bad, outcome="xfailed"), bad, run_of("doubt", worse=2, better=1), run_of("ok")]
    runs[2] = replace(runs[2], record={**runs[2].record, "state": "not confirmed"})
    text = html_text(summary(*runs))
    found = re.findall(r'<h2><span class="badge (\w*)">([\w ]+)<', text)
    assert sorted(found) == [("", "NOT CONFIRMED"), ("better", "PASS"), *[("worse", "FAIL")] * 2]


def test_slices_stand_by_their_change() -> None:
    labels = {query: "cheap" if n < 10 else "oak" for n, query in enumerate(names(30))}
    run = run_of("x", worse=14, slices=labels, max_slice_drop=0.01)
    rows = [row[2] for row in run.record["table"]["rows"]]
    assert rows == ["", "cheap", "oak"]


def test_rows_of_a_comment_and_a_message_end_with_how_many_are_left_out() -> None:
    labels = {query: query for query in names(30)}
    for n, comment, said in (
        (12, "", ""),
        (13, "1 more broken limit |", ""),
        (24, "12 more broken limits", ""),
        (30, "18 more broken limits", "\n  and 6 more rows like these\n"),
    ):
        floors = {query: {"mrr": 0.9} for query in names(n)}
        run = run_of("x", max_drop={"mrr": 0.9}, slices=labels, slice_at_least=floors)
        text = markdown(summary(run))
        assert comment in text
        assert ("more broken" in text) is bool(comment)
        message = run.record["message"]
        assert message.count("\n  FAIL") == min(n, 24)
        assert said in message
        assert ("like these" in message) is bool(said)


def test_of_many_failures_each_has_a_sentence_a_query_and_the_command(capsys) -> None:
    text = markdown(summary(*FAILED))
    assert len(text) < 4000
    assert sum(line.startswith("| \u274c |") for line in text.split("\n")) == 8
    print_summary(summary(*FAILED))
    said = capsys.readouterr().out.partition("--- ranking")[0]
    assert said.count("FAILED 'gate ") == 8
    assert said.count("largest losses") == 3
    assert said.count("worst query: q001") == 5


def test_a_gate_that_passes_lost_no_query() -> None:
    text = markdown(summary(run_of("fine")))
    assert "->" not in text
    assert text.startswith("### Ranking quality: 1 gate: passed")


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_are_text_in_a_comment(name) -> None:
    run = run_of("x", worse=10)
    run = GateRun({**run.record, "name": name, "headline": name}, name)
    text = markdown(Summary(gates=(run,), problems=(name,)))
    assert not [part for part in ("<script", "<img", "<b>", "](http", "@every") if part in text]
    assert all(line.isprintable() for line in text.split("\n"))


def test_a_page_of_several_gates_has_a_row_for_each_to_look_at() -> None:
    doubt = run_of("doubt", worse=1, max_drop={"mrr": 0.001})
    text = html_text(summary(*MANY, doubt))
    head = text.partition("<h1>")[2].partition("<div")[0]
    assert head.startswith("2 of 5 gates failed</h1>")
    rows = re.findall(r"<p>(\w+): (MRR fell)", head)
    assert rows == [("worst", "MRR fell"), ("bad", "MRR fell"), ("doubt", "MRR fell")]
    # Gates that pass without doubt are folded: the queries below are near.
    folded = re.findall(r'<details class="gate"><summary>\s*<h2>.*?</span> (\w+)</h2>', text)
    assert folded == ["good", "fine"]
    assert '<details class="gate">' not in html_text(summary(*MANY[:3]))
    alone = html_text(summary(MANY[2]))
    assert f"<h1>Gate failed: {MANY[2].record['headline']}</h1>".replace(") <", ") &lt;") in alone
    assert "<p>2 more gates below</p>" in html_text(summary(*FAILED[:5]))


def test_a_floor_alone_has_its_row_in_a_comment(gate) -> None:
    floor = gate(truth(30), results([2] * 30), at_least={"mrr": 0.9})
    run = GateRun({**floor.as_dict(), "nodeid": "test_it.py::floor"}, "test_it.py::floor")
    row = "| \u274c | test_x | mrr | 0.5000 (&#62;= 0.9000 required) |"
    assert row in markdown(summary(run))
    assert "verdict" not in floor.message


def test_a_comment_names_the_query_before_the_parts_and_a_measure_of_costs_as_one() -> None:
    text = markdown(summary(run_of("lag", worse=10, max_drop={"lag": 0.1})))
    assert "| lag (lower is better) | 1.0000 \u2192 1.3333 (+0.3333, allowed +0.1000) |" in text
    text = markdown(summary(run_of("rank", worse=10)))
    assert 0 < text.index("**Look first at**") < text.index("-0.056 order")


def test_a_gate_that_was_not_measured_has_no_grid() -> None:
    refused = failed("nightly", RankGateFailure("could not measure: 5 queries have no ranking"))
    run = GateRun({**refused.as_dict(), "nodeid": "nightly"}, "nightly", "failed")
    page = html_text(summary(run))
    assert "<h1>Gate failed: could not measure: 5 queries have no ranking</h1>" in page
    assert "<thead>" not in page
