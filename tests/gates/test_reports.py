"""The comment on a pull request: short, by texts and titles."""

from typing import Any

import pytest

from sklearn_rank.gates.report import GateRun, Summary, markdown
from tests.tables.hostile import HOSTILE


def metric(**given: Any) -> dict[str, Any]:
    own = {"name": "mrr", "title": "MRR", "label": None, "state": "fail", "value": 0.25}
    own |= {"baseline": 0.5, "change": -0.25, "allowed": 0.01, "at_least": None, "at_most": None}
    own |= {"queries": 12, "too_small": False}
    own["drop"] = {"n": 12, "lost": 9, "won": 3, "p_adjusted": 0.01}
    return {**own, **given}


def run_of(text: str = "red shoes", *, slices: int = 0, passed: bool = False) -> GateRun:
    move = {"item": text, "was": "1", "now": "-", "contribution": -0.5, "title": text}
    row = {"query": text, "was": 0.5, "now": 0.25, "moves": [move], "text": text}
    record = {
        "name": text,
        "passed": passed,
        "state": "pass" if passed else "fail",
        "queries": 12,
        "headline": f"MRR fell for {text}",
        "message": "",
        "accept": "pytest --rank-accept x",
        "metrics": {"mrr": metric()},
        "baseline": "",
        "outlook": "12 queries",
        "slices": [metric(label=f"{text} {n}", state="pass") for n in range(slices)],
        "worst": {"measure": "mrr", "rows": [row] * 5},
    }
    return GateRun(record, "test.py::test_x")


@pytest.mark.parametrize(("gates", "slices"), [(1, 0), (1, 200), (40, 3)])
def test_the_comment_has_a_sentence_three_rows_and_three_queries_below_4000_characters(
    gates, slices
):
    text = markdown(Summary(gates=tuple(run_of(slices=slices) for _ in range(gates))))
    assert len(text) < 4000
    assert text.startswith(f"### Ranking quality: {gates} of {gates} gate")
    assert " failed: MRR fell for red shoes\n" in text
    head = text.partition("**The queries")[0]
    assert head.count("\n| ") - 2 == min(3, gates * (1 + slices))
    lost = "\u2587" * 6 + "\u2581" * 2
    assert f"| 0.500 | 0.250 | **-0.250** | {lost} 9 worse, 3 better | :x: allowed drop" in head
    assert text.count("| red shoes | 0.50 \u2192 0.25 | **red shoes** gone from rank 1 |") == 3
    assert "```text\npytest --rank-accept x\n```" in text.partition("<details>")[2]


def test_gates_that_fail_stand_first():
    text = markdown(Summary(gates=(run_of("red", passed=True), run_of("blue"))))
    assert "**The queries" in text
    table = [own for own in text.split("\n") if own.startswith("| ") and "gone from" not in own]
    assert [name for row in table for name in ("red", "blue") if name in row] == ["blue", "red"]


def test_gates_that_pass_lose_no_queries():
    text = markdown(Summary(gates=(run_of(passed=True),)))
    assert "lost most" not in text
    assert text.startswith("### Ranking quality: 1 gate: ")


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_are_text_in_a_comment(name):
    text = markdown(Summary(gates=(run_of(name),), problems=(name,)))
    assert not [part for part in ("<script", "<img", "<b>", "](http", "@every") if part in text]
    assert all(line.isprintable() for line in text.split("\n"))


def test_the_comment_links_to_the_reports_of_its_run(monkeypatch):
    for name, value in {
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "a/b",
        "GITHUB_RUN_ID": "7",
    }.items():
        monkeypatch.setenv(name, value)
    link = "[Reports of this run](https://github.com/a/b/actions/runs/7#artifacts)"
    assert link in markdown(Summary(gates=(run_of(),)))
