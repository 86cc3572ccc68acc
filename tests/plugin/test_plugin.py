"""The plugin: gates wherever tests run, what a failure looks like, and how a run ends."""

import json
import xml.etree.ElementTree as ET

import pytest

from tests.plugin.conftest import LEAN, Suite, failures, said
from tests.plugin.one_gate import BETTER, FILE, GATE, WORSE, value

TWO = ("-n", "2")


def recorded(suite: Suite) -> list[tuple[str, str, str]]:
    """(node id, name, state) of every gate of the report of the last run."""
    gates = json.loads((suite.path / "report.json").read_text())["gates"]
    return sorted((gate["nodeid"], gate["name"], gate["state"]) for gate in gates)


# A gate in a test --------------------------------------------------------------------------------

CONTEXTS = {
    "unittest": """
class TestSearch(unittest.TestCase):
    def test_it(self):
        assert_mrr_at_least(*case([1, 2]), {limit})
""",
    "thread": """
def test_it():
    with ThreadPoolExecutor(1) as pool:
        pool.submit(assert_mrr_at_least, *case([1, 2]), {limit}).result()
""",
    "async": """
@pytest.mark.asyncio
async def test_it():
    await asyncio.sleep(0)
    assert_mrr_at_least(*case([1, 2]), {limit})
""",
    "fixture": """
@pytest.fixture
def checked(rank_gate):
    return rank_gate

class TestSearch:
    def test_it(self, checked):
        checked.check(*case([1, 2]), at_least={{"mrr": {limit}}})
""",
    "setup": """
@pytest.fixture
def floor():
    assert_mrr_at_least(*case([1, 2]), {limit})

def test_it(floor): pass
""",
}


@pytest.mark.parametrize("context", CONTEXTS)
def test_a_gate_is_recorded_once_under_its_test(context, suite, monkeypatch):
    if context == "async":
        pytest.importorskip("pytest_asyncio")
        monkeypatch.setenv("PYTEST_ADDOPTS", LEAN.replace("-p no:asyncio", ""))
        suite.file("pytest.ini", "[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    text = CONTEXTS[context]
    nodeid = f"test_it.py::{'TestSearch::' if 'TestSearch' in text else ''}test_it"
    for limit, state in ((0.75, "pass"), (0.8, "fail")):
        suite.tests(text.format(limit=limit))
        result = suite.run("--rank-json=report.json", ret=0 if state == "pass" else 1)
        assert [(gate[0], gate[2]) for gate in recorded(suite)] == [(nodeid, state)]
    result.stdout.fnmatch_lines(["E *MRR is 0.750, below the 0.800 required*"])


FAILING = """
def test_search():
    assert_mrr_at_least(*case([1, 2]), 0.76)
"""


def test_a_failure_has_one_line_that_says_all_and_ends_on_the_line_of_the_test(suite, monkeypatch):
    monkeypatch.setenv("CI", "1")
    suite.tests(FAILING)
    result = suite.run("-ra", "--junitxml=junit.xml", failed=1)
    headline = "MRR is 0.750, below the 0.760 required (2 queries"
    result.stdout.fnmatch_lines([f"E *RankGateFailure: {headline}*", "test_it.py:*: Rank*"])
    shown = [line for line in result.outlines if line.startswith(">")]
    assert shown == [">       assert_mrr_at_least(*case([1, 2]), 0.76)"]
    # In CI the summary and the XML have the first line; the table stands in the report alone.
    (summary,) = [line for line in result.outlines if line.startswith("FAILED")]
    assert headline in summary
    assert said(result).count("worst queries by") == 1
    failure = ET.parse(suite.path / "junit.xml").find(".//failure")
    assert failure is not None
    assert failure.get("message") == summary.partition(" - ")[2]
    assert "pytest_rankmetrics/" not in said(result)
    assert "gate.py" in said(suite.run("--full-trace"))


def test_a_refusal_shows_no_source_of_ours_and_a_callback_its_own(suite):
    suite.tests(
        """
        def test_refused():
            assert_mrr_at_least(*case([1, 2]), 93)

        def test_callback():
            def provider(item):
                raise ValueError("mine")
            assert_mrr_at_least([{"a"}], [["a"]], 0.5, string_provider=provider)
        """
    )
    found = failures(suite.run(failed=2))
    assert "for 93 % write 0.93" in found["test_refused"]
    assert "/sklearn_rank/" not in found["test_refused"]
    assert 'raise ValueError("mine")' in found["test_callback"]


RECORDED = """
def test_bm25(rank_gate): rank_gate.check(*system(), max_drop={"mrr": 0.02})
"""


def test_a_gate_has_a_line_and_says_more_when_it_fails_or_is_recorded(suite):
    suite.tests(RECORDED)
    text = said(suite.run("--rank-update", now=[2] * 30, passed=1))
    assert "new: test_bm25: MRR is 0.500 (30 queries)" in text
    assert f"baseline new: {FILE}" in text
    text = suite.passes()
    assert "ok: test_bm25: MRR is unchanged at 0.500 (30 queries)\n1 gate: passed" in text
    assert "80% power" not in text
    text = suite.fails(now=WORSE)
    assert "FAIL: test_bm25: MRR fell from 0.500 to 0.417" in text
    assert "  With 30 queries this gate detects MRR drops of 0." in text
    text = suite.passes(now=[5] * 4 + [1] + [2] * 25, warnings=1)
    assert "NOT CONFIRMED: test_bm25: MRR fell by 0.023 (allowed 0.02), which may be" in text
    assert "1 gate: 1 passed" not in text
    assert "1 gate: passed (1 not confirmed)" in text
    suite.run("--rank-strict", ret=1, failed=1)
    suite.run("-W", "error::pytest_rankmetrics.RankGateWarning", ret=1, failed=1)
    assert "1 baseline can be raised: pytest --rank-update" in suite.passes(now=BETTER)
    assert "ok: test_bm25" not in said(suite.run("-q", now=[2] * 30, passed=1))
    assert "FAIL: test_bm25" in said(suite.run("-q", now=WORSE, failed=1))


# How a run ends ----------------------------------------------------------------------------------

SWALLOWED = {
    "suppressed": "    with contextlib.suppress(AssertionError): fails()",
    "pytest.raises": "    with pytest.raises(AssertionError): fails()",
    "except": "    try: fails()\n    except Exception: pass",
    "thread": "    with ThreadPoolExecutor() as pool: pool.submit(lost).result()",
    "xfail": "    pytest.xfail_me()",
    "skip": "    lost()\n    pytest.skip('later')",
}


@pytest.mark.parametrize("way", SWALLOWED)
def test_a_red_gate_whose_test_passed_makes_the_run_red(way, suite):
    body = SWALLOWED[way]
    mark = "@pytest.mark.xfail\n" if way == "xfail" else ""
    body = "    fails()" if way == "xfail" else body
    suite.tests(f"{mark}def test_it():\n{body}\n\ndef test_other(): pass")
    result = suite.run(ret=1)
    result.stdout.fnmatch_lines(["*ERROR: test_it.py::test_it: gate 'test_it' failed, but its te*"])
    assert "expected_failure()" in said(result)


def test_a_failure_that_is_expected_is_no_failure(suite):
    suite.tests(
        """
        def test_it():
            with expected_failure(match="below the 0.8") as info:
                assert_mrr_at_least(*case([1, 2]), 0.7, name="fine")
                fails()
            assert info.value.result.value == 0.75
            with expected_failure(InvalidParameterError):
                assert_mrr_at_least(*case([1]), 93)

        @pytest.mark.asyncio
        async def later():
            with expected_failure():
                await fails_later()

        def test_later():
            asyncio.run(later())

        def test_nothing():
            with expected_failure(): pass
        """
    )
    result = suite.run("--rank-json=report.json", ret=1, passed=2, failed=1)
    assert "ERROR:" not in said(result)
    assert [name for _, name, _ in recorded(suite)] == ["fine"]
    assert "FAILED test_it.py::test_nothing - Failed: DID NOT RAISE" in said(result)


def test_a_gate_at_the_head_of_a_module_is_seen(suite):
    suite.tests("lost()\n\ndef test_it(): pass")
    result = suite.run(ret=1, passed=1)
    assert "ERROR: gate" in said(result).replace("test_it.py::test_it: ", "")


def test_two_gates_with_one_baseline_fail(suite):
    def test(name: str, *names: str) -> str:
        calls = (
            f"    rank_gate.check(*case([2, 3]), max_drop={{'mrr': 0.02}}{own})\n" for own in names
        )
        return f"def test_{name}(rank_gate):\n{''.join(calls)}\n"

    suite.tests(
        test("twice", "", "")
        + test("named", ", name='a'", ", name='b'")
        + test("number", ", name=0")
        + test("other", ", name='a'")
    )
    found = failures(suite.run("--rank-update", ret=1))
    assert sorted(found) == ["test_number", "test_other", "test_twice"]
    assert "two gates of test_it.py::test_twice share a baseline" in found["test_twice"]
    assert "name of a gate must be text" in found["test_number"]
    tests = "test_it.py::test_named and test_it.py::test_other"
    assert f"two tests use the baseline 'test_it/a.rank.json': {tests}" in found["test_other"]


MANY = """
@pytest.mark.parametrize("number", range(5))
def test_it(number):
    assert_mrr_at_least(*case([1, 2]), 0.9)
"""


def test_after_the_third_failure_a_sentence_a_query_and_the_command_suffice(suite):
    suite.tests(MANY)
    text = said(suite.run(ret=1, failed=5))
    assert text.count("RankGateFailure: MRR is 0.750, below the 0.900 required") >= 5
    assert text.count("worst queries by mrr") == 3
    assert text.count("worst query: q002 0.5000") == 2


# Several processes, and second tries -------------------------------------------------------------

SHARED = """
@pytest.fixture(scope="session")
def checked():
    assert_mrr_at_least(*case([1, 2]), {limit}, name="shared")

@pytest.mark.parametrize("number", range(4))
def test_it(checked, number):
    assert_mrr_at_least(*case([1, 2]), np.float64(0.7))
"""


def test_workers_say_what_one_process_says(suite):
    suite.file("pytest.ini", "[pytest]\nrank_required = shared\n")
    suite.tests(SHARED.format(limit=0.5))
    suite.run(*TWO, "--rank-json=report.json", ret=0)
    assert {name for _, name, _ in recorded(suite)} == {
        "shared",
        *(f"test_it[{n}]" for n in range(4)),
    }
    suite.tests(SHARED.format(limit=0.5) + "\n\ndef test_lost(): lost()")
    result = suite.run(*TWO, "--rank-json=report.json", "--rank-html=report.html", ret=1)
    assert "gate 'test_lost' failed, but its test passed" in said(result)
    assert said(result).count("ranking quality gates") == 1
    assert "test_lost" in (suite.path / "report.html").read_text()


def test_a_second_try_takes_the_row_of_the_first(suite):
    pytest.importorskip("pytest_rerunfailures")
    suite.tests(
        """
        tries = []

        def test_flaky(rank_gate):
            tries.append(1)
            rank_gate.check(*case([2] * len(tries) + [3]), at_least={"mrr": 0.44}, name="flaky")
        """
    )
    text = said(suite.spawn("--reruns", "1", "--rank-json=report.json", ret=0))
    assert "ok: flaky: MRR is 0.444, at least 0.440 required (3 queries)\n1 gate:" in text
    assert len(recorded(suite)) == 1
    told = "test_it.py::test_flaky passed on a rerun; a gate must give the same result every time"
    suite.spawn("--reruns", "1", "--rank-json=report.json", "--rank-strict", ret=1, says=told)


# rank_regression ---------------------------------------------------------------------------------

REGRESSION = """
from cases import system

def test_bm25(rank_regression):
    rank_regression.check(*system(), measures="mrr"{more})
"""


@pytest.mark.parametrize(
    ("more", "file"),
    [
        ("", FILE),
        (', basename="own"', "test_it/own.rank.json"),
    ],
)
def test_rank_regression_is_one_sided_and_writes_only_when_told(more, file, suite):
    suite.write(test_it=REGRESSION.format(more=more))
    suite.run(now=[2] * 30, failed=1)
    assert not suite.baselines()
    suite.run("--force-regen", passed=1)
    assert value(suite, file) == 0.5
    before = suite.baselines()
    suite.passes(now=BETTER)
    text = suite.fails(now=WORSE)
    assert "MRR fell from 0.500 to 0.417" in text
    suite.run("--regen-all", failed=1)
    assert suite.baselines() == before


# Reports -----------------------------------------------------------------------------------------


def test_reports_have_every_gate_and_no_data_of_theirs_is_markup(suite):
    suite.tests(
        """
        def test_one(rank_gate):
            judged = {"<b>&|`q": {"good"}, "::error::": {"good"}, "q3": {"x"}}
            ranked = {q: ["bad", "<script>x", *items] for q, items in judged.items()}
            rank_gate.check(judged, ranked, at_least={"mrr": 0.9}, name="<i>gate|",
                query_text=lambda q: "<u>text", item_text=lambda i: "<s>title")
        """
    )
    options = ("--rank-json=r.json", "--rank-html=r.html", "--rank-markdown=r.md")
    suite.run(*options, ret=1)
    (gate,) = json.loads((suite.path / "r.json").read_text())["gates"]
    assert (gate["state"], gate["passed"], gate["name"]) == ("fail", False, "<i>gate|")
    page = (suite.path / "r.html").read_text()
    for text in ("<b>&|", "<script>x", "<u>text", "<s>title", "<i>gate"):
        assert text not in page
    markdown = (suite.path / "r.md").read_text()
    assert markdown.startswith("### Ranking quality: \u274c ")
    assert "<i>gate|" not in markdown.partition("<details>")[0]


def test_a_job_on_github_has_a_summary_and_no_command_of_the_data(suite, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(suite.path / "step.md"))
    suite.tests(
        """
        def test_one():
            assert_mrr_at_least({"::error::q": {"a"}}, {"::error::q": ["b", "a"]}, 0.9)
        """
    )
    result = suite.run(ret=1)
    assert not [line for line in result.outlines if line.lstrip().startswith("::")]
    assert "### Ranking quality: \u274c test_one: " in (suite.path / "step.md").read_text("utf-8")


def test_every_object_that_is_registered_can_be_switched_off_by_name(suite):
    suite.file(
        "conftest.py",
        """
        def pytest_collection_finish(session):
            named = dict(session.config.pluginmanager.list_name_plugin())
            ours = {n for n, p in named.items() if "rankmetrics" in getattr(p, "__name__", str(p))}
            print("OURS", sorted(ours))
        """,
    )
    suite.write(test_it=GATE)
    assert "OURS ['rankmetrics']" in said(suite.run("-s", now=[2] * 30))
