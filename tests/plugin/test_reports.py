"""What a run tells: terminal, JUnit, JSON, Markdown and HTML, also under pytest-xdist."""

import html
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.plugin.conftest import LEAN, Suite, said
from tests.plugin.one_gate import WORSE

SUITE = """
    def test_good(rank_gate):
        rank_gate.check(*case([1, 2]), at_least={"mrr": 0.5})

    def test_bad(rank_gate):
        rank_gate.check(*case([1, 2]), at_least={"mrr": 0.8, "map": 0.5})

    def test_assertion():
        assert_recall_at_least(*case([1, 2, 4, 8]), 0.5, k=3)

    def test_other():
        pass
"""
SECTION = "ranking quality gates"


def write(suite: Suite, body: str) -> Suite:
    suite.tests(body)
    return suite


@pytest.fixture
def gates(suite: Suite) -> Suite:
    """Three gates, one of which fails, and a test without one."""
    return write(suite, SUITE)


def properties(path: Path, test: str) -> dict[str, str]:
    """JUnit properties of a test; each name once."""
    found = [
        (one.get("name", ""), one.get("value", ""))
        for one in ET.parse(path).findall(f".//testcase[@name='{test}']//property")
    ]
    assert len(dict(found)) == len(found), f"a name comes twice: {found}"
    return dict(found)


def rows(markdown: str) -> list[list[str]]:
    """Cells of the lines of the first Markdown table."""
    table = []
    for line in markdown.splitlines():
        if line.startswith("|"):
            table.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
        elif table:
            break
    return table


# Terminal ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_one_table_one_json_and_one_markdown_whatever_the_workers(workers, gates, monkeypatch):
    summary = gates.path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    result = gates.run(
        "--rank-json=report.json", "--junitxml=junit.xml", *workers, ret=1, passed=3, failed=1
    )
    assert said(result).count(SECTION) == 1
    result.stdout.fnmatch_lines(
        [
            f"*{SECTION}*",
            "gate *metric *now *limit *verdict*",
            "test_it.py::test_bad *mrr *0.7500 *>= 0.8000 *FAIL*",
            "3 gates: 1 failed*",
        ]
    )
    report = json.loads((gates.path / "report.json").read_text())
    assert report["format"] == "rank-report/1"
    assert report["settings"]["alpha"] == 0.05
    assert sorted(gate["nodeid"] for gate in report["gates"]) == [
        "test_it.py::test_assertion",
        "test_it.py::test_bad",
        "test_it.py::test_good",
    ]
    assert properties(gates.path / "junit.xml", "test_bad")["rank.mrr"] == "0.75"
    text = summary.read_text()
    assert text.startswith("before\n")
    assert text.count("### Ranking quality: 1 of 3 gates failed") == 1
    assert text.count("| gate | metric |") == 1


def test_the_table_folds_slices_without_a_remark(suite):
    code = """
        def test_it(rank_gate):
            truth = {f"q{n:02d}": {"a"} for n in range(60)}
            ranked = {q: ["b", "a"] if q < "q20" else ["a", "b"] for q in truth}
            old = {q: ["a", "b"] for q in truth}
            slices = {q: "low" if q < "q20" else f"part {int(q[1:]) % 3}" for q in truth}
            rank_gate.check(truth, RANKED, max_drop={"mrr": 0.1}, max_slice_drop=0.1, slices=slices)
    """
    write(suite, code.replace("RANKED", "old"))
    suite.run("--rank-update", passed=1)
    write(suite, code.replace("RANKED", "ranked"))
    text = said(suite.run("--rank-show=all", ret=1, failed=1))
    table = text.partition(SECTION)[2].splitlines()
    assert any(
        re.search(r"\. low mrr +0\.5000 .* FAIL  slice \(20 queries\)", one) for one in table
    )
    assert any(re.search(r"\. 3 other slices +ok$", one) for one in table)


def test_a_failure_that_was_expected_is_not_called_one(suite):
    # pytest says "1 xfailed" and ends with 0: no report may say that a gate failed.
    write(suite, SUITE.replace("def test_bad", "@pytest.mark.xfail\n    def test_bad"))
    result = suite.run("--rank-markdown=summary.md", ret=0, passed=3, xfailed=1)
    assert "1 failed" not in said(result)
    assert "2 gates passed, 1 xfailed" in (suite.path / "summary.md").read_text()
    result.stdout.fnmatch_lines(["test_it.py::test_bad *mrr *xfail*"])


def test_two_gates_of_one_test_do_not_repeat_its_name(suite):
    body = """
    def test_floor():
        assert_map_at_least(*case([1, 2]), 0.5)
        assert_mrr_at_least(*case([1, 2]), 0.5)
    """
    lines = write(suite, body).run().outlines
    shown = [line.split()[:2] for line in lines if line.startswith("test_it.py::test_floor")]
    assert shown == [["test_it.py::test_floor", "map"], ["test_it.py::test_floor", "mrr"]]


def test_a_new_slice_is_new(suite):
    body = """
    def test_it(rank_gate):
        slices = {"all": ["q001", "q002"]}
        rank_gate.check(*case([1, 2]), max_drop={"mrr": 0.01}, slices=slices, max_slice_drop=0.02)
    """
    lines = write(suite, body).run("--rank-update").outlines
    assert [line.split()[-1] for line in lines if ". all mrr" in line] == ["new"]


@pytest.mark.parametrize(
    ("options", "bad", "good"),
    [
        (("--rank-show=all",), 1, 1),
        (("--rank-show=failed",), 1, 0),
        (("--rank-show=none",), 0, 0),
        (("-q",), 1, 0),
    ],
)
def test_the_table_shows_what_is_asked_for(options, bad, good, gates):
    lines = gates.run(*options).outlines
    table = lines[next((n for n, line in enumerate(lines) if SECTION in line), len(lines)) :]
    assert sum(line.startswith("test_it.py::test_bad ") for line in table) == bad
    assert sum(line.startswith("test_it.py::test_good ") for line in table) == good


def test_the_number_of_worst_queries_is_a_setting(suite):
    write(suite, "\n    def test_it(): assert_mrr_at_least(*case([2, 3, 4, 5, 6, 7, 8, 9]), 0.9)")

    def shown(*arguments: str) -> int:
        return len(re.findall(r"^E +q00\d ", said(suite.run(*arguments)), re.MULTILINE))

    assert (shown(), shown("--rank-worst=2"), shown("--rank-worst=0")) == (5, 2, 0)


def test_the_terminal_is_ascii_and_at_most_100_columns_wide(suite):
    body = """
    def test_long(rank_gate):
        rank_gate.check(
            *system(),
            at_least={"map": 0.9},
            max_drop={"mrr": 0.005, "ndcg@10": 0.005, "recall@5": 0.01},
            slices={query: "a slice with a name that is very long" for query in names(30)},
            max_slice_drop=0.02,
        )
    """
    write(suite, body).system([1] * 15 + [2] * 15)
    suite.run("--rank-update")
    result = suite.run("--tb=short", now=[9] * 15 + [2] * 15, failed=1)
    own = [line for line in result.outlines if line.startswith("E ")]
    assert len(own) > 10
    for line in own[1:]:
        assert line.isascii(), line
        assert len(line.removeprefix("E   ")) <= 100, line


# JUnit -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["xunit1", "xunit2"])
def test_junit_has_the_numbers_as_properties(family, gates):
    gates.run(
        "--junitxml=junit.xml", "-o", f"junit_family={family}", "-W", "error", passed=3, failed=1
    )
    assert properties(gates.path / "junit.xml", "test_bad") == {
        "rank.gate": "test_bad",
        "rank.queries": "2",
        "rank.verdict": "fail",
        "rank.mrr": "0.75",
        "rank.mrr.verdict": "fail",
        "rank.map": "0.75",
        "rank.map.verdict": "pass",
    }
    assert properties(gates.path / "junit.xml", "test_other") == {}
    gates.run("--junitxml=junit.xml", "-o", "rank_junit=false").assert_outcomes(passed=3, failed=1)
    assert properties(gates.path / "junit.xml", "test_bad") == {}, "for strict readers"


def test_junit_has_baseline_change_and_p(recorded):
    recorded.run("--junitxml=junit.xml", now=WORSE)
    found = properties(recorded.path / "junit.xml", "test_bm25")
    assert float(found["rank.mrr.baseline"]) == 0.5
    assert float(found["rank.mrr.change"]) == pytest.approx(-1 / 12, abs=1e-6)
    assert 0 < float(found["rank.mrr.p"]) < 0.05


def test_junit_has_the_gates_of_every_phase(suite):
    body = """
    @pytest.fixture
    def after():
        yield
        assert_map_at_least(*case([1, 3]), 0.2, name="later")

    def test_it(after, record_property):
        record_property("own", "kept")
        assert_mrr_at_least(*case([1, 2]), 0.3, name="first")
    """
    write(suite, body).run("--junitxml=junit.xml", "-W", "ignore").assert_outcomes(passed=1)
    found = properties(suite.path / "junit.xml", "test_it")
    assert found["own"] == "kept"
    assert found["rank.first.mrr"] == "0.75"
    assert found["rank.later.map"] == "0.666667"
    assert "rank.gate" not in found


# JSON and Markdown -------------------------------------------------------------------------------


def test_the_json_report_has_only_what_json_has(suite):
    # With one query there is no interval: NaN must not reach the report.
    write(suite, '\n    def test_it(rank_gate): rank_gate.check(*case([2]), at_most={"lag": 0.5})')
    suite.run("--rank-json=deep/er/report.json").assert_outcomes(failed=1)

    def refuse(text: str) -> None:
        raise AssertionError(text)

    text = (suite.path / "deep/er/report.json").read_text()
    (gate,) = json.loads(text, parse_constant=refuse)["gates"]
    assert gate["metrics"]["lag"]["value"] == 1.0
    assert gate["metrics"]["lag"]["ci"] == [None, None]
    assert gate["queries"] == 1


def test_markdown_goes_where_it_is_told(gates, monkeypatch):
    summary = gates.path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    gates.run("--rank-markdown=own.md")
    assert not summary.exists()
    head, _, *body = rows((gates.path / "own.md").read_text())
    assert head[:4] == ["gate", "metric", "now", "baseline"]
    assert all(len(row) == len(head) for row in body)
    assert {row[0].replace("\\", "") for row in body} == {"test_good", "test_bad", "test_assertion"}
    gates.run("--rank-markdown=none")
    assert not summary.exists()
    write(gates, "\n    def test_nothing(): pass").run().assert_outcomes(passed=1)
    assert not summary.exists(), "a suite without gates writes none"


def test_markdown_says_what_a_query_asks_and_names_the_measure(suite):
    body = """
    def test_it(rank_gate):
        texts = {"q010": "red | shoes"}
        rank_gate.check(*system(), max_drop={"mrr": 0.005}, query_text=texts)
    """
    write(suite, body).system([2] * 10)
    suite.run("--rank-update")
    suite.run("--rank-markdown=r.md", now=[2] * 9 + [0], failed=1)
    text = (suite.path / "r.md").read_text()
    assert "| query | mrr was | now | change | relevant items: rank in the baseline" in text
    assert "red &#124; shoes |" in text


def test_a_summary_stays_below_the_limit_of_its_host(suite, monkeypatch):
    # A limit of 20 kB instead of 1 MB, and gates whose details alone are longer: the details are
    # cut, never the table.
    monkeypatch.setattr("pytest_rankmetrics.report.files.MOST_BYTES", 20_000)
    body = """
    @pytest.mark.parametrize("number", range(15))
    def test_many(number, rank_gate):
        rank_gate.check(truth(30), results([5] * 30), at_least={"map": 0.9, "mrr": 0.9})
    """
    options = ("-q", "--rank-markdown=summary.md", "--rank-show=none", "--rank-worst=30")
    write(suite, body).run(*options)
    text = (suite.path / "summary.md").read_text()
    assert 10_000 < len(text.encode()) < 20_000
    # Title, line, and two measures of each gate; details of some.
    assert len(rows(text)) == 2 + 2 * 15
    assert 0 < text.count("<details>") < 15
    assert text.count("<details>") == text.count("</details>")


# Of others ---------------------------------------------------------------------------------------


def test_the_html_report_has_the_table(gates, monkeypatch):
    pytest.importorskip("pytest_html")
    monkeypatch.setenv(
        "PYTEST_ADDOPTS", LEAN.replace("-p no:html", "").replace("-p no:metadata", "")
    )
    gates.run("--html=report.html", "--self-contained-html").assert_outcomes(passed=3, failed=1)
    text = (gates.path / "report.html").read_text()
    assert SECTION in text.lower()
    assert "0.7500" in text
    # The message of each gate stands beside its test, escaped twice: in HTML in JSON in HTML.
    shown = html.unescape(html.unescape(text))
    extras = re.findall(r"<pre>(.*?)</pre>", shown, re.DOTALL)
    assert (
        sum("MRR is 0.750, below the 0.800 required" in html.unescape(one) for one in extras) == 1
    )
    assert sum("MRR is 0.750, at least 0.500 required" in html.unescape(one) for one in extras) == 1


def test_numpy_scalars_do_not_kill_a_worker(suite):
    # A worker that dies is forgiven while others are alive: the failing gate would be gone.
    body = """
    def test_bad(rank_gate):
        truth, results = case([1, 2])
        scores = {
            query: {item: np.float32(10 - rank) for rank, item in enumerate(items)}
            for query, items in results.items()
        }
        rank_gate.check(
            truth, scores, at_least={"mrr": np.float32(0.8), "map": np.float64(0.5)},
            sample_weight={"q001": np.int64(1), "q002": np.float32(1)},
            slices={query: np.int64(3) for query in truth}, n_queries=np.int64(2),
            required_queries=np.array(["q001"]),
        )

    def test_good():
        pass
    """
    options = ("-n", "4", "--junitxml=junit.xml", "--rank-json=report.json")
    result = write(suite, body).run(*options)
    result.assert_outcomes(failed=1, passed=1)
    assert result.ret == 1
    assert "crashed" not in said(result)
    own = [line for line in result.outlines if line.startswith(("E ", "test_it.py::"))]
    assert len(own) > 3
    assert not [line for line in own if "np." in line]
