"""The third answer: a gate that cannot tell is never green by silence.

Here because one query of thirty changed, which no test could confirm: by the toss of a coin it is
worse in one case of two. Unjudged items are the other reason; see ``test_unjudged.py``.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.plugin.conftest import Suite, said
from tests.plugin.one_gate import GATE

ONE_FELL = [10] + [2] * 29
HEADLINE = (
    "Cannot tell: MRR fell by 0.013 (allowed 0.005), but only 1 of 30 queries changed: check q001"
)


@pytest.fixture
def undecided(recorded: Suite) -> Suite:
    recorded.system(ONE_FELL)
    return recorded


def test_it_warns_where_somebody_reads(undecided, monkeypatch):
    before = undecided.baselines()
    undecided.run(
        passed=1,
        warnings=1,
        lines=[
            "test_it.py::test_bm25 *mrr *-0.0133 *CANNOT TELL *too few queries changed (p = 0.5*",
            "1 gate: 1 cannot tell",
            "CANNOT TELL (fails in CI): test_bm25: MRR fell by 0.013 (allowed 0.005), but only*",
        ],
    )
    assert undecided.baselines() == before
    monkeypatch.setenv("CI", "true")
    undecided.passes("-o", "rank_cannot_tell=warn", warnings=1)
    told = "rank_cannot_tell must be one of ci, fail, warn, got 'sometimes'"
    undecided.run("-o", "rank_cannot_tell=sometimes", ret=4, says=told)


WAYS = {
    "CI": ({"CI": "true"}, ()),
    "strict": ({}, ("--rank-strict",)),
    "setting": ({}, ("-o", "rank_cannot_tell=fail")),
    "warnings": ({}, ("-W", "error::pytest_rankmetrics.RankGateWarning")),
    "CI, with workers": ({"CI": "true"}, ("-n", "2")),
}


@pytest.mark.parametrize("name", WAYS)
def test_it_is_red(name, undecided, monkeypatch):
    environment, options = WAYS[name]
    for variable, content in environment.items():
        monkeypatch.setenv(variable, content)
    text = undecided.fails(arguments=("-rf", *options))
    assert "but only 1 of 30 queries changed" in text
    if name != "warnings":
        assert f"FAILED test_it.py::test_bm25 - {HEADLINE}" in text
        assert 'pass allow={"cannot_tell"} if the change is to go through' in text
        assert "--rank-accept" in text


@pytest.mark.parametrize("options", [(), ("--rank-strict",), ("-W", "error")])
def test_a_test_may_allow_it(options, undecided, monkeypatch):
    monkeypatch.setenv("CI", "true")
    undecided.write(test_it=GATE.replace("0.005}", "0.005}, allow={'cannot_tell'}"))
    text = undecided.passes(*options)
    assert "note on test_bm25: MRR fell by 0.013 (allowed 0.005), but only 1" in text, (
        "it is still said"
    )
    assert "CANNOT TELL: test_bm25" in text


def test_every_report_says_it(undecided, monkeypatch):
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:asyncio -p no:hypothesispytest -p no:cacheprovider")
    reports = ("--rank-json=r.json", "--rank-markdown=r.md", "--junitxml=r.xml")
    assert undecided.spawn(*reports, "--html=r.html", "--self-contained-html").ret == 1
    (gate,) = json.loads((undecided.path / "r.json").read_text())["gates"]
    assert (gate["verdict"], gate["passed"], gate["test_passed"]) == ("cannot tell", False, False)
    assert gate["headline"] == HEADLINE
    text = (undecided.path / "r.md").read_text()
    assert text.startswith("### Ranking quality: 1 cannot tell\n")
    assert "| **-0.0133**" in text
    assert ":grey_question: cannot tell too few queries changed (p = 0.5, n=30)" in text
    assert "<summary>test" in text
    tree = ElementTree.parse(undecided.path / "r.xml")
    properties = {own.get("name"): own.get("value") for own in tree.iter("property")}
    assert properties["rank.verdict"] == properties["rank.mrr.verdict"] == "cannot tell"
    (failure,) = tree.iter("failure")
    assert failure.get("message", "").startswith("Cannot tell: MRR fell by 0.013")
    page = (undecided.path / "r.html").read_text()
    assert "CANNOT TELL  too few queries changed" in page
    assert "1 gate: 1 failed (1 cannot tell)" in page


def test_it_is_neither_swallowed_nor_passed_and_may_be_expected(undecided):
    undecided.file("pytest.ini", "[pytest]\nrank_required = test_bm25\n")
    assert undecided.run().ret == 0
    assert "required gate 'test_bm25' failed" in said(undecided.run("--rank-strict"))
    call = 'rank_gate.check(*system(), max_drop={"mrr": 0.005})'
    swallowed = GATE.replace(
        call, f"try:\n            {call}\n        except AssertionError:\n            pass"
    )
    undecided.write(test_it=swallowed)
    text = undecided.fails(arguments=("--rank-strict",))
    assert "its failure was swallowed: Cannot tell: MRR" in text
    undecided.file("pytest.ini", "[pytest]\n")
    undecided.write(
        test_it=GATE.replace("def test", "import pytest\n\n    @pytest.mark.xfail\n    def test")
    )
    undecided.run("--rank-strict", ret=0, xfailed=1, lines=["1 gate: 1 xfailed"])


def test_an_update_lowers_nothing(undecided):
    before = undecided.baselines()
    text = said(undecided.run("--rank-update"))
    assert undecided.baselines() == before
    assert "not recorded: mrr 0.5000 -> 0.4867" in text
    undecided.passes("--rank-accept=*bm25*", "--rank-reason=known")
    assert undecided.baselines() != before


OUTSIDE = f"""
from pytest_rankmetrics import assert_not_worse
from tests.plugin.cases import case
truth, old = case([2] * 30)
assert_not_worse(truth, case({ONE_FELL})[1], old, "mrr")
"""


@pytest.mark.parametrize("ci", ["", "1"])
def test_outside_of_pytest_as_inside(ci):
    """In a process of its own: a session of pytest knows from its start whether CI runs it."""
    ran = subprocess.run(
        [sys.executable, "-c", OUTSIDE],
        env=os.environ | {"CI": ci},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == bool(ci), ran.stderr
    said = "Cannot tell: MRR fell by 0.013" if ci else "RankGateWarning: MRR fell by 0.013"
    assert said in ran.stderr
