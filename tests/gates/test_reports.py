"""The comment on a pull request: short, by texts and titles."""

import pytest

from sklearn_rank.gates.summary import GateRun, Summary, markdown
from tests.tables.hostile import HOSTILE


def run_of(text: str = "red shoes", *, slices: int = 0, passed: bool = False) -> GateRun:
    titles = ["query", "was", "now", "change", "relevant items"]
    row = [text, "0.5000", "0.2500", "-0.2500", f"{text} 1->-"]
    labels = [text, *(f"{text} {n}" for n in range(slices))]
    changes = [[label, "0.5000", "0.2500", "-0.2500", "FAIL"] for label in labels]
    record = {
        "name": text,
        "passed": passed,
        "state": "pass" if passed else "fail",
        "queries": 12,
        "headline": f"MRR fell for {text}",
        "message": "",
        "accept": "pytest --rank-accept x",
        "baseline": "",
        "outlook": "12 queries",
        "table": {"titles": ["measure", "baseline", "now", "change", "verdict"], "rows": changes},
        "losers": {"titles": titles, "rows": [row] * 5},
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
    assert "| red shoes | 0.5000 | 0.2500 | -0.2500 | FAIL |" in text
    assert text.count("| red shoes | 0.5000 | 0.2500 | -0.2500 | red shoes 1-") == 3 * min(gates, 3)
    assert "```text\npytest --rank-accept x\n```" in text.partition("<details>")[2]


def test_gates_that_fail_stand_first():
    text = markdown(Summary(gates=(run_of("red", passed=True), run_of("blue"))))
    assert text.index("**blue**") < text.index("**red**")


def test_gates_that_pass_lose_no_queries():
    text = markdown(Summary(gates=(run_of(passed=True),)))
    assert "1->-" not in text
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
