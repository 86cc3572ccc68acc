"""Ids that attack whoever reads a report: they reach no terminal, XML, table or JSON raw."""

import json
import re
import xml.etree.ElementTree as ET

import pytest

from sklearn_rank.cli import main
from tests.plugin.conftest import LEAN, Suite, said
from tests.plugin.test_reports import rows

HOSTILE = {
    "esc": "\x1b[31mred\x1b[2J",
    "cr": "0.12 FAIL\r0.99 PASS",
    "osc": "\x1b]8;;http://evil\x07link\x1b]8;;\x07 \x1b]52;c;ZXZpbA==\x07",
    "c1": "\x9b31m\x90\x9d",
    "bell": "\x07\x08\x00\x7f",
    "bidi": "\u202egnp.exe\u2066\u2069\u200f",
    "zero width": "a\u200bb\ufeff\u2028c\u2029",
    "newline": "a\n::error::forged\n##vso[task.complete result=Succeeded;]\n##teamcity[x]",
    "command": "::error file=x::forged",
    "cdata": "a]]>b<!--&<script>alert(1)</script>\ufffe\uffff",
    "pipe": "a|b||c\\|d",
    "backticks": "a`b``c```d",
    "image": "![x](http://evil/x.png) [y](http://evil) <img src=x>",
    "surrogate": "lone\ud800",
    "long": "L" * 200_000,
    "astral": "\U000e0041\U0010ffff",
}
COMMAND = re.compile(r"^(::|##vso\[|##teamcity\[)", re.MULTILINE)
FORBIDDEN = re.compile(
    "[^\n\t\x20-\x7e\xa0-\uffff\U00010000-\U0010ffff]"
    "|[\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)

# The hostile text is a query, the relevant item, an irrelevant item, a slice and a gate's name.
SUITE = """
    import json
    from pathlib import Path

    import pytest
    from cases import ranking

    HOSTILE = json.loads(Path(__file__).with_name("hostile.json").read_text())
    WORSE = Path(__file__).with_name("worse").exists()

    @pytest.mark.filterwarnings("ignore::pytest_rankmetrics.RankGateWarning")
    @pytest.mark.parametrize("kind", HOSTILE)
    def test_gate(kind, rank_gate):
        text = HOSTILE[kind]
        truth = {text: {text}, **{f"{text}{n}": {text} for n in range(11)}}
        results = {
            query: [f"{text}!", *ranking(5 if WORSE else 2, item=text)] for query in truth
        }
        rank_gate.check(
            truth, results, at_least={"recall@9": 0.5, "mrr": 0.9 if WORSE else 0.1},
            max_drop={"map": 0.005}, slices={query: text for query in truth},
            max_slice_drop=0.01, name=f"{text} {kind}",
        )
"""


@pytest.fixture
def hostile(suite: Suite) -> Suite:
    """A gate for each hostile text, all of which fail, with baselines."""
    (suite.path / "hostile.json").write_text(json.dumps(HOSTILE))
    suite.write(test_it=SUITE)
    # A lone surrogate has no UTF-8 form: the file may refuse it, but not crash the run.
    suite.run("--rank-update", "-q")
    suite.file("worse", "")
    return suite


def test_no_id_reaches_the_terminal_the_xml_the_table_or_the_json_raw(hostile, monkeypatch):
    monkeypatch.setenv("CI", "1")
    result = hostile.run(
        "-rA",
        "--junitxml=junit.xml",
        "--rank-json=report.json",
        "--rank-markdown=summary.md",
        failed=len(HOSTILE),
    )
    text = said(result)
    junit = (hostile.path / "junit.xml").read_bytes()
    report = (hostile.path / "report.json").read_text(encoding="utf-8")
    markdown = (hostile.path / "summary.md").read_text(encoding="utf-8")
    attributes = [shown for one in ET.fromstring(junit).iter() for shown in one.attrib.values()]
    texts = [one.text or "" for one in ET.fromstring(junit).iter()]
    for shown in (text, markdown, *attributes, *texts):
        assert FORBIDDEN.findall(shown) == []
    assert COMMAND.findall(text) == COMMAND.findall(markdown) == []
    assert max(map(len, (text, junit, markdown))) < 400_000
    assert len(ET.fromstring(junit).findall(".//failure")) == len(HOSTILE)
    assert len(json.loads(report)["gates"]) == len(HOSTILE)
    head, _, *body = rows(markdown)
    assert {len(row) for row in body} == {len(head)}
    # Two thresholds, a drop and one slice for each gate, in one table.
    assert len(body) >= 3 * len(HOSTILE)
    outside = re.sub(r"(`+).*?\1", "", markdown)
    assert not [word for word in ("<script", "<img", "![") if word in outside]


def test_no_id_reaches_the_terminal_raw_through_a_worker(hostile):
    text = said(hostile.run("-n", "2", "-q"))
    assert f"{len(HOSTILE)} failed" in text
    assert FORBIDDEN.findall(text) == COMMAND.findall(text) == []


def test_no_id_reaches_the_html_report_raw(hostile, monkeypatch):
    pytest.importorskip("pytest_html")
    addopts = LEAN.replace("-p no:html", "").replace("-p no:metadata", "")
    monkeypatch.setenv("PYTEST_ADDOPTS", addopts)
    hostile.run("-q", "--html=report.html")
    text = (hostile.path / "report.html").read_text(encoding="utf-8")
    assert "<script>alert(1)</script>" not in text
    assert "<img src=x>" not in text
    assert re.findall("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]", text) == []


def test_baselines_of_hostile_ids_are_plain_json_and_read_back(suite):
    # A lone surrogate has no UTF-8 form.
    written = {kind: text for kind, text in HOSTILE.items() if kind != "surrogate"}
    (suite.path / "hostile.json").write_text(json.dumps(written))
    suite.write(test_it=SUITE)
    suite.run("--rank-update", "-q").assert_outcomes(passed=len(written))
    found = suite.baselines()
    assert len(found) == len(written)
    queries: set[str] = set()
    for name, content in found.items():
        assert name.startswith("test_it/")
        assert len(name) < 150
        assert name.isascii()
        # Every id is on the line of its query: no raw control character but the end of the line.
        text = content.decode("utf-8")
        assert re.findall("[\x00-\x09\x0b-\x1f\x7f]", text) == []
        queries |= set(json.loads(text)["queries"])
    assert set(written.values()) <= queries
    suite.run("-q").assert_outcomes(passed=len(written))


def test_an_error_about_hostile_data_is_escaped_too(suite):
    # The relevant item stands twice, a query is missing, a measure is named by hostile text.
    (suite.path / "hostile.json").write_text(json.dumps(HOSTILE))
    suite.write(
        test_it="""
        import json
        from pathlib import Path

        import pytest
        from pytest_rankmetrics import assert_metric

        HOSTILE = json.loads(Path(__file__).with_name("hostile.json").read_text())

        @pytest.fixture(params=HOSTILE)
        def TEXT(request):
            return HOSTILE[request.param]

        def test_twice(TEXT):
            assert_metric({TEXT: {TEXT}}, {TEXT: [TEXT, TEXT]}, "mrr", at_least=0.5)

        def test_missing(TEXT):
            assert_metric({TEXT: {TEXT}, "b": {"c"}}, {"b": ["c"]}, "mrr", at_least=0.5)

        def test_unjudged(TEXT):
            assert_metric({"b": {"c"}}, {"b": ["c"], TEXT: ["d"]}, "mrr", at_least=0.5)

        def test_measure(TEXT):
            assert_metric({"b": {"c"}}, {"b": ["c"]}, TEXT, at_least=0.5)

        def test_not_met(TEXT):
            assert_metric({TEXT: {TEXT}}, {TEXT: ["x", TEXT]}, "mrr", at_least=0.9, name=TEXT)
        """
    )
    result = suite.run("--tb=short", "--junitxml=junit.xml", failed=5 * len(HOSTILE))
    text = said(result)
    assert FORBIDDEN.findall(text) == []
    assert COMMAND.findall(text) == []
    assert len(text) < 60_000 * len(HOSTILE)
    ET.parse(suite.path / "junit.xml")


COMMANDS = ("::stop-commands::x", "::error::forged", "##[error]forged")


@pytest.mark.parametrize("traceback", ["native", "long", "line"])
def test_no_line_of_a_github_log_is_a_command(traceback, suite, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    suite.write(
        test_it=f"""
        import pytest
        from cases import ranking
        from pytest_rankmetrics import assert_mrr_at_least

        @pytest.mark.parametrize("n", range(3))
        def test_it(n):
            text = {COMMANDS}[n]
            truth = {{text: {{text}}, "q": {{text}}}}
            results = {{query: ranking(3, item=text) for query in truth}}
            assert_mrr_at_least(truth, results, 0.9, name=text)
        """
    )
    text = said(suite.run(f"--tb={traceback}"))
    if traceback != "line":  # of which pytest 8 shows no message
        assert "\\x3a:error::forged" in text
    commands = [line for line in text.splitlines() if line.lstrip().startswith("::")]
    names = ["\\x3a%3Astop-commands%3A%3Ax", "\\x3a%3Aerror%3A%3Aforged", "\\x23#[error]forged"]
    own = "::error file=test_it.py,line=5,title={}::MRR is 0.333, below the 0.900 required (2 "
    assert len(commands) == 3, "ours alone"
    for command, name in zip(commands, names, strict=True):
        assert command.startswith(own.format(name))
    assert "##[" not in text.replace("'##[error]forged')[n]", ""), "but for the test's source"


def test_no_line_of_the_command_is_a_command_of_github(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    (tmp_path / "t.qrels").write_text("::error::q 0 ::d 1\n")
    (tmp_path / "a.run").write_text("::error::q Q0 x 1 2 t\n::error::q Q0 ::d 2 1 t\n")
    words = ["gate", str(tmp_path / "t.qrels"), str(tmp_path / "a.run"), "--at-least", "mrr=0.9"]
    assert main([*words, "--name", "::error::gate"]) == 1
    printed = capsys.readouterr().out
    assert "\\x3a:error::gate" in printed
    (command,) = [line for line in printed.splitlines() if line.lstrip().startswith("::")]
    assert command.startswith("::error title=\\x3a%3Aerror%3A%3Agate::MRR is ")
