"""The third answer: a gate that cannot tell is never green by silence.

Here because one query of thirty changed, which no test could confirm: by the toss of a coin it is
worse in one case of two. Unjudged items are the other reason; see ``test_unjudged.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pytest_rankmetrics.policy.settings import Settings
from pytest_rankmetrics.policy.verdicts import Rule, Verdict, assess_change
from tests.plugin.conftest import Suite, said

ONE_FELL = [10] + [2] * 29
HEADLINE = (
    "cannot tell: mrr -0.0133 exceeds the allowed -0.0050 but is not significant (p=0.5000, 30 "
    "queries, 1 worse, 0 better): 1 query changed, too few to confirm any drop"
)
RULE = Rule(max_drop=0.005, hard_drop=0.05, min_queries=25, alpha=0.05, confirm=True)


@pytest.fixture
def undecided(recorded: Suite) -> Suite:
    recorded.system(ONE_FELL)
    return recorded


def test_the_rule() -> None:
    # Within the margin, beyond the hard limit and with few queries nothing needs a test.
    def verdict(drop: float, n: int = 30) -> Verdict:
        return assess_change(drop, n, 0.5, RULE, can_confirm=False).verdict

    assert verdict(0.005) is Verdict.PASS
    assert verdict(0.006) is Verdict.CANNOT_TELL
    assert verdict(0.051) is Verdict.FAIL
    assert verdict(0.006, 24) is Verdict.FAIL


def test_it_warns_where_somebody_reads(undecided: Suite) -> None:
    before = undecided.baselines()
    result = undecided.run()
    result.assert_outcomes(passed=1, warnings=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "test_it.py::test_bm25 *mrr *-0.0133 *CANNOT TELL *too few queries changed (p=0.5*",
            "1 gate: 1 cannot tell",
            "CANNOT TELL: test_bm25 mrr 0.5000 -> 0.4867 (-0.0133, allowed -0.0050): too few *",
        ]
    )
    assert undecided.baselines() == before


WAYS = {
    "CI": ({"CI": "true"}, ()),
    "strict": ({}, ("--rank-strict",)),
    "setting": ({}, ("-o", "rank_cannot_tell=fail")),
    "warnings": ({}, ("-W", "error::pytest_rankmetrics.RankGateWarning")),
    "CI, with workers": ({"CI": "true"}, ("-n", "2")),
}


@pytest.mark.parametrize("way", WAYS)
def test_it_is_red(way: str, undecided: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    environment, options = WAYS[way]
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    result = undecided.run("-rf", *options)
    result.assert_outcomes(failed=1)
    assert result.ret == 1
    assert "too few to confirm any drop" in said(result)
    if way != "warnings":
        result.stdout.fnmatch_lines([f"FAILED test_it.py::test_bm25 - {HEADLINE}"])
        assert 'pass allow={"cannot_tell"} if the change is to go through' in said(result)
        assert "--rank-accept" in said(result)


def test_ci_may_be_told_to_warn(undecided: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    undecided.run("-o", "rank_cannot_tell=warn").assert_outcomes(passed=1, warnings=1)


@pytest.mark.parametrize("options", [(), ("--rank-strict",), ("-W", "error")])
def test_a_test_may_allow_it(
    options: tuple[str, ...], undecided: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    test = undecided.path / "test_it.py"
    test.write_text(test.read_text().replace("0.005}", "0.005}, allow={'cannot_tell'}"))
    result = undecided.run(*options)
    result.assert_outcomes(passed=1, warnings=0)
    assert "note on test_bm25: mrr -0.0133 exceeds the allowed" in said(result), "it is still said"
    assert "CANNOT TELL: test_bm25" in said(result)


def test_other_words_are_no_setting(undecided: Suite) -> None:
    result = undecided.run("-o", "rank_cannot_tell=sometimes")
    assert result.ret == 4
    assert "rank_cannot_tell must be one of ci, fail, warn, got 'sometimes'" in said(result)


def test_every_report_says_it(undecided: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    reports = ("--rank-json=r.json", "--rank-markdown=r.md", "--junitxml=r.xml")
    assert undecided.run(*reports).ret == 1
    (gate,) = json.loads((undecided.path / "r.json").read_text())["gates"]
    assert (gate["verdict"], gate["passed"], gate["test_passed"]) == ("cannot tell", False, False)
    assert gate["headline"] == HEADLINE
    text = (undecided.path / "r.md").read_text()
    assert text.startswith("### Ranking quality: 1 cannot tell\n")
    assert "| **-0.0133**" in text
    assert ":grey_question: cannot tell too few queries changed (p=0.5000, n=30)" in text
    assert "<summary>test" in text
    case_ = ElementTree.parse(undecided.path / "r.xml").find(".//testcase")
    assert case_ is not None
    properties = {own.get("name"): own.get("value") for own in case_.iter("property")}
    assert properties["rank.verdict"] == properties["rank.mrr.verdict"] == "cannot tell"
    failure = case_.find("failure")
    assert failure is not None
    assert failure.get("message", "").startswith("cannot tell: mrr -0.0133")


def test_the_html_report_says_it(undecided: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:asyncio -p no:hypothesispytest -p no:cacheprovider")
    undecided.spawn("--html=r.html", "--self-contained-html")
    page = (undecided.path / "r.html").read_text()
    assert "CANNOT TELL  too few queries changed" in page
    assert "1 gate: 1 cannot tell" in page


def test_a_swallowed_doubt_is_red(undecided: Suite) -> None:
    undecided.write(
        test_it="""
        from cases import system

        def test_bm25(rank_gate):
            try:
                rank_gate.check(*system(), max_drop={"mrr": 0.005})
            except AssertionError:
                pass
    """
    )
    result = undecided.run("--rank-strict")
    result.assert_outcomes(failed=1)
    assert "its failure was swallowed: cannot tell: mrr" in said(result)


def test_a_required_gate_has_not_passed(undecided: Suite) -> None:
    undecided.file("pytest.ini", "[pytest]\nrank_required = test_bm25\n")
    assert undecided.run().ret == 0
    result = undecided.run("--rank-strict")
    assert "required gate 'test_bm25' failed" in said(result)


def test_an_expected_one_is_xfail(undecided: Suite) -> None:
    undecided.write(
        test_it="""
        import pytest
        from cases import system

        @pytest.mark.xfail
        def test_bm25(rank_gate):
            rank_gate.check(*system(), max_drop={"mrr": 0.005})
    """
    )
    result = undecided.run("--rank-strict")
    result.assert_outcomes(xfailed=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["1 gate: 1 xfailed"])


def test_an_update_lowers_nothing(undecided: Suite) -> None:
    before = undecided.baselines()
    text = said(undecided.run("--rank-update"))
    assert undecided.baselines() == before
    assert "not recorded: mrr 0.5000 -> 0.4867" in text
    undecided.run("--rank-accept=*bm25*", "--rank-reason=known").assert_outcomes(passed=1)
    assert undecided.baselines() != before


OUTSIDE = f"""
from pytest_rankmetrics import assert_not_worse
from tests.plugin.cases import case
truth, old = case([2] * 30)
assert_not_worse(truth, case({ONE_FELL})[1], old, "mrr")
"""


def test_outside_of_pytest_as_inside() -> None:
    def stderr(ci: str) -> str:
        """Of a process of its own: a session of pytest knows from its start whether CI runs it."""
        ran = subprocess.run(
            [sys.executable, "-c", OUTSIDE],
            env=os.environ | {"CI": ci},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == bool(ci), ran.stderr
        return ran.stderr

    assert "RankGateWarning: mrr -0.0133" in stderr("")
    assert "cannot tell: mrr -0.0133" in stderr("1")


def test_the_setting_has_a_default() -> None:
    assert Settings().cannot_tell == "ci"
