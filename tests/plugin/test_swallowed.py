"""A gate that fails, or that never runs, ends the run red, whoever hides it."""

import json
import sys

import pytest

from tests.plugin.conftest import LEAN, Suite, failures, said
from tests.plugin.one_gate import FILE, WORSE

SWALLOWED = """
def test_bare(rank_gate):
    try:
        rank_gate.check(*case([1, 2]), at_least={"mrr": 0.8})
    except:
        pass

def test_suppress(): lost()

def test_finally():
    try:
        fails()
    finally:
        return

def test_thread():
    thread = threading.Thread(target=fails)
    thread.start()
    thread.join()

def test_future():
    with ThreadPoolExecutor() as pool:
        pool.submit(fails)

def test_could_not_measure():
    with contextlib.suppress(Exception):
        assert_mrr_at_least({}, {}, 0.8)

def test_bad_limit():
    with contextlib.suppress(Exception):
        assert_mrr_at_least(*case([1, 2]), 80)

def test_raises():
    with pytest.raises(RankGateFailure):
        fails()

def test_raises_of_another_type():
    with pytest.raises(ValueError):
        try:
            fails()
        finally:
            raise ValueError

def test_raises_in_a_call(): pytest.raises(AssertionError, fails)

def test_assertRaises():
    with unittest.TestCase().assertRaises(AssertionError):
        fails()

def test_NumPy(): np.testing.assert_raises(AssertionError, fails)

def test_skip():
    try:
        fails()
    except AssertionError:
        pytest.skip("no data")

def test_xfail():
    try:
        fails()
    except AssertionError:
        pytest.xfail("flaky")

def test_xfail_mark_of_the_node(request):
    try:
        fails()
    except AssertionError:
        request.node.add_marker(pytest.mark.xfail)
        raise

def test_xfail_mark_of_the_request(request):
    try:
        fails()
    except AssertionError:
        request.applymarker(pytest.mark.xfail)
        raise

def test_coroutine():
    async def search():
        await asyncio.gather(asyncio.to_thread(fails), return_exceptions=True)
    asyncio.run(search())

def test_warning_made_an_error():
    with warnings.catch_warnings(), contextlib.suppress(Warning):
        warnings.simplefilter("error")
        assert_mrr_at_least(*case([1] * 30), 0.8)

def test_warning_given_before_and_made_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        for action in ("default", "error"):
            warnings.filters[0] = (action, None, Warning, None, 0)
            assert_mrr_at_least(*case([1] * 30), 0.8)

def test_another_expected_failure():
    with contextlib.suppress(AssertionError):
        assert_mrr_at_least(*case([1, 2]), 0.9)
    with expected_failure():
        fails()
"""


def test_a_failure_that_is_swallowed_is_red(suite):
    suite.tests(SWALLOWED)
    thread = "ignore::pytest.PytestUnhandledThreadExceptionWarning"
    result = suite.run("-W", thread, ret=1, failed=SWALLOWED.count("def test_"))
    for test, text in failures(result).items():
        # Where a mark is added or a warning made an error, pytest shows the failure itself.
        passes_on = "mark" in test or "given_before" in test
        assert passes_on or "expected_failure()" in text, test


def test_a_swallowed_failure_is_no_unexpected_pass(suite):
    suite.tests("@pytest.mark.xfail\ndef test_it(): lost()")
    suite.run(
        failed=1,
        lines=["*gate test_it failed, and its failure was swallowed: MRR*", "*expected_failure()*"],
    )


METHOD = "class TestIt(unittest.TestCase):\n    {}\n    def test_it(self): fails()"
EXPECTED = {
    "mark": "@pytest.mark.xfail\ndef test_it(): fails()",
    "strict mark": "@pytest.mark.xfail(raises=RankGateFailure, strict=True)\n"
    "def test_it(): fails()",
    "mark that comes first": "def test_it(request):\n    request.applymarker(pytest.mark.xfail)\n"
    "    fails()",
    "method of unittest": METHOD.format("@unittest.expectedFailure"),
    "class of unittest": "@unittest.expectedFailure\n" + METHOD.format(""),
}


@pytest.mark.parametrize("way", EXPECTED)
def test_a_test_that_is_marked_to_fail_may(way, suite):
    suite.tests(EXPECTED[way])
    result = suite.run(ret=0, xfailed=1)
    assert "a hook made" not in said(result)


def test_a_doctest_that_expects_a_failure_is_red(suite):
    suite.file("pytest.ini", "[pytest]\npythonpath = .\n")
    suite.file(
        "guide.md",
        """
        >>> from cases import case
        >>> from pytest_rankmetrics import assert_mrr_at_least
        >>> assert_mrr_at_least(*case([1, 2]), 0.8)
        Traceback (most recent call last):
        ...
        pytest_rankmetrics.RankGateFailure: MRR is 0.750, below the 0.800 required ...
        """,
    )
    suite.run(
        "--doctest-glob=*.md",
        "-o",
        "doctest_optionflags=ELLIPSIS",
        failed=1,
        lines=["*gate guide.md failed*", "*expected_failure()*"],
    )


def test_a_warning_that_was_made_an_error_keeps_its_numbers(suite):
    suite.tests("def test_it(): assert_mrr_at_least(*case([1] * 30), 0.8)")
    options = ("-W", "error::pytest_rankmetrics.RankGateWarning", "--rank-json=report.json")
    suite.run(*options).assert_outcomes(failed=1)
    (gate,) = json.loads((suite.path / "report.json").read_text())["gates"]
    assert (gate["verdict"], gate["metrics"]["mrr"]["value"]) == ("fail", 1.0)
    assert "mrr is exactly 1" in gate["headline"]


def test_a_test_whose_name_holds_a_nul_hides_nothing(suite):
    items = """
class Case(pytest.Item):
    def runtest(self): lost()

class File(pytest.File):
    def collect(self): yield Case.from_parent(self, name="a\\x00b")

def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".case":
        return File.from_parent(parent, path=file_path)
"""
    suite.tests(items, "conftest.py")
    suite.file("one.case", "")
    suite.run(failed=1, says="failed, and its failure was swallowed")


# Outside of any test -----------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_failure_outside_of_any_test_is_red(workers, suite):
    suite.tests("lost()\ndef test_it(): pass")
    suite.run(*workers, ret=1, lines=["ERROR: gate mrr failed, and its failure was swallowed*"])


def test_a_failure_that_stops_the_import_of_a_module_is_told_once(suite):
    suite.tests("fails()")
    result = suite.run(ret=2)
    assert "swallowed" not in said(result)
    result.stdout.fnmatch_lines(["E *MRR is 0.750, below the 0.800 required*"])


PLACES = {
    "conftest": "lost()",
    "configure": "def pytest_configure(): lost()",
    "sessionfinish": "def pytest_sessionfinish(): lost()",
    "terminal summary": "def pytest_terminal_summary(): lost()",
    "unconfigure": "def pytest_unconfigure(): lost()",
    "cleanup": "def pytest_configure(config): config.add_cleanup(lost)",
    "a thread, joined late": """
def pytest_sessionfinish():
    global thread
    thread = threading.Thread(target=lost)
    thread.start()
def pytest_unconfigure(): thread.join()
""",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_failure_that_is_swallowed_in_a_hook_is_red(place, suite):
    suite.write(test_it="def test_it(): pass")
    suite.tests(PLACES[place], "conftest.py")
    result = suite.run(ret=1, passed=1)
    assert said(result).count("gate mrr failed, and its failure was swallowed") == 1


# Whoever sets the exit code ----------------------------------------------------------------------

LATE = {
    "last": """
        @pytest.hookimpl(trylast=True)
        def pytest_sessionfinish(session):
            session.exitstatus = 0
    """,
    "wrapper": """
        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_sessionfinish(session):
            yield
            session.exitstatus = 0
    """,
    "unconfigure": """
        kept = []

        def pytest_sessionstart(session):
            kept.append(session)

        @pytest.hookimpl(tryfirst=True)
        def pytest_unconfigure():
            kept.pop().exitstatus = 0
    """,
    "report": """
        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_runtest_makereport():
            report = yield
            report.outcome, report.longrepr = "passed", None
            return report
    """,
}


@pytest.mark.parametrize("hook", LATE)
def test_a_hook_does_not_hide_a_failed_gate(hook, recorded):
    recorded.tests(LATE[hook], "conftest.py")
    told = "rankmetrics: the gate of test_it.py::test_bm25 failed, and a hook made"
    if hook == "report":
        told = "gate test_bm25 failed, and its failure was swallowed"
    recorded.run(now=WORSE, ret=1, says=told)


def test_a_hook_may_set_the_exit_code_where_gates_passed(recorded):
    recorded.tests(LATE["last"], "conftest.py")
    recorded.run("-o", "rank_required=test_gone", ret=1)
    recorded.file("test_other.py", "def test_other(): assert False")
    recorded.run(ret=0, passed=1, failed=1)


EXITS = {
    "of its own test": (
        "def test_bad():\n    lost()\n    pytest.exit('done', returncode={})",
        "ERROR: test_it.py::test_bad: *MRR is 0.750, below the 0.800 required*",
    ),
    "of an earlier test": (
        "def test_bad(): fails()\ndef test_exit(): pytest.exit('done', returncode={})",
        "ERROR: *test_it.py::test_bad failed*ended green*",
    ),
}


@pytest.mark.parametrize("code", [0, 5])
@pytest.mark.parametrize("way", EXITS)
def test_an_exit_hides_no_failure(way, code, suite):
    text, line = EXITS[way]
    suite.tests(text.format(code))
    suite.run(ret=1, lines=[line])


def test_an_exit_keeps_its_code_where_no_gate_failed_wherever_it_is(suite):
    suite.tests(EXITS["of an earlier test"][0].format(0).replace("fails()", "pass"))
    suite.run(ret=0)
    hook = "def pytest_configure():\n    lost()\n    pytest.exit('x', returncode=0)"
    suite.tests(hook, "conftest.py")
    suite.run(ret=1)


REQUIRED = ("-o", "rank_required=test_bm25")
HOOKS = (
    *("configure", "sessionstart", "collection"),
    *("collection_modifyitems", "collection_finish", "runtestloop"),
)


def leave(suite: Suite, hook: str, first: str = "", code: int = 0) -> None:
    text = f"def pytest_{hook}(): pytest.exit('enough', returncode={code})"
    suite.file("conftest.py", f"import pytest\n{first}\n{text}")


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("first", ["", "@pytest.hookimpl(tryfirst=True)"], ids=["", "tryfirst"])
def test_a_run_that_ends_before_its_required_gate_is_red(hook, first, recorded):
    leave(recorded, hook, first)
    recorded.run(*REQUIRED, ret=1, says="required gate 'test_bm25' did not run")
    assert recorded.run().ret == 0, "without required gates an exit is left alone"


def test_the_exit_code_is_that_of_a_process(recorded):
    leave(recorded, "sessionstart")
    assert recorded.spawn(*REQUIRED).ret == 1
    for option in ("--collect-only", "--setup-plan", "--help", "--version"):
        assert recorded.run(*REQUIRED, option).ret == 0, "what runs no test requires none"
    leave(recorded, "sessionstart", code=7)
    assert recorded.run(*REQUIRED).ret == 7


def test_a_run_within_a_run_does_not_end_the_outer_one(recorded):
    recorded.file("inner/test_inner.py", "def test_inner(): pass")
    leave(recorded, "sessionstart")
    (recorded.path / "conftest.py").rename(recorded.path / "inner" / "conftest.py")
    recorded.file(
        "test_outer.py",
        """
        import pytest

        def test_outer():
            assert pytest.main(["inner", "--rootdir=inner", "-p", "no:cacheprovider"]) == 0
        """,
    )
    assert recorded.run(*REQUIRED, "test_it.py", "test_outer.py").ret == 0


@pytest.mark.parametrize("clear", ["monkeypatch.delenv('CI')", "monkeypatch.setenv('CI', '')"])
def test_ci_is_what_it_was_before_the_tests(clear, recorded, monkeypatch):
    monkeypatch.setenv("CI", "true")
    test = recorded.path / "test_it.py"
    text = test.read_text().replace("(rank_gate):", f"(rank_gate, monkeypatch):\n    {clear}")
    test.write_text(text)
    recorded.run(now=[10] + [2] * 29, failed=1)
    recorded.system(WORSE)
    (recorded.path / FILE).unlink()
    recorded.run("--rank-update", ret=1, says="baselines were written in continuous integration")


@pytest.mark.parametrize("option", ["--rank-json", "--rank-html"])
def test_a_report_of_an_earlier_run_does_not_outlive_this_one(option, gate):
    test, report = gate.path / "test_it.py", gate.path / "report"
    text = test.read_text()
    gate.run("--rank-update", f"{option}=report")
    assert report.stat().st_size
    for early in ("--collect-only", "--version", "--help"):
        gate.run(f"{option}=report", early)
        assert report.exists(), early
    test.write_text(f"{text}\nimport os\nos._exit(0)\n")
    assert gate.spawn(f"{option}=report").ret == 0, "nobody can see it"
    assert not report.exists(), "this is why CI asks for the file"
    report.write_text("of somebody else")
    assert gate.run(f"{option}=report").ret == 4
    assert report.read_text() == "of somebody else"


# Gates that are none -----------------------------------------------------------------------------


TAKING = {
    "argument": "def test_it({0}):\n    for system in []:\n        {0}.check(*system)",
    "usefixtures": "@pytest.mark.usefixtures('{0}')\ndef test_it(): pass",
    "module": "pytestmark = pytest.mark.usefixtures('{0}')\ndef test_it(): pass",
}


@pytest.mark.parametrize("fixture", ["rank_gate", "rank_regression"])
def test_a_marker_or_a_fixture_that_is_taken_and_not_used_is_no_gate(fixture, suite):
    suite.tests("@pytest.mark.rank_gate\ndef test_marked(): pass")
    suite.run(ret=1, failed=1, says="the test is marked rank_gate, and no gate has run in it")
    for way, text in TAKING.items():
        suite.tests(text.format(fixture), f"test_{way}.py")
    text = said(suite.run(failed=1 + len(TAKING)))
    line = f"\nthe test takes the fixture {fixture}, and no gate has run in it\n"
    assert text.count(line) == len(TAKING)


def test_a_fixture_asked_for_in_a_test_needs_a_gate(suite):
    ask = 'request.getfixturevalue("rank_gate")'
    text = "".join(f"def test_{name}(request):\n    {ask}\n" for name in ("first", "second"))
    skipped = f"def test_skipped(request):\n    {ask}\n    pytest.skip('no engine')\n"
    suite.tests(text + skipped)
    # The recorder joins in the middle of the first test, whose call it judges at its teardown.
    result = suite.run(passed=1, errors=1, failed=1, skipped=1)
    assert said(result).count("\nthe test takes the fixture rank_gate, and no gate has run") == 2
    check = ".check(*case([1, 2]), at_least={'mrr': 0.5})"
    suite.tests(text.replace(ask, f"{ask}{check}"))
    assert suite.run().ret == 0


def test_a_test_that_is_given_the_fixture_by_another_may_leave_it(suite):
    text = """
class TestIt(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def _gate(self, rank_gate):
        self.gate = rank_gate

    def test_gate(self):
        self.gate.check(*case([1, 2]), at_least={"mrr": 0.7})

    def test_other(self):
        pass

def test_expected(rank_gate):
    with expected_failure():
        rank_gate.check(*case([1, 2]), at_least={"mrr": 0.8})

def test_skipped(rank_gate):
    pytest.skip("no data")
"""
    suite.tests(text)
    suite.run().assert_outcomes(passed=3, skipped=1)


HELPERS = {
    "argument": ("", "def helper(rank_gate): return rank_gate", "(helper)"),
    "request": ("", "def helper(request): return request.getfixturevalue('rank_gate')", "(helper)"),
    "autouse": ("(autouse=True)", "def helper(rank_gate): return rank_gate", "()"),
    "a fixture of a fixture": (
        "",
        "def helper(rank_gate): return rank_gate\n\n@pytest.fixture\ndef outer(helper): pass",
        "(outer)",
    ),
}
CHECKS = "def test_checks(helper): helper.check({'q': {'a'}}, {'q': ['a']}, at_least={'mrr': 0.5})"


@pytest.mark.parametrize(
    ("way", "workers"), [*((way, ()) for way in HELPERS), ("request", ("-n", "2"))]
)
def test_a_fixture_of_ones_own_that_takes_the_gate_needs_a_test_that_checks(way, workers, suite):
    mark, helper, arguments = HELPERS[way]
    text = f"import pytest\n\n@pytest.fixture{mark}\n{helper}\n\ndef test_it{arguments}: pass\n"
    suite.write(test_it=text)
    told = ["ERROR: the fixture 'helper' of test_it.py takes a gate, and no *"]
    suite.run(*workers, ret=1, passed=1, lines=told)
    suite.write(test_it=f"{text}\n{CHECKS}\n")
    assert suite.run(*workers).ret == 0, "the fixture is of use"
    assert suite.run(*workers, "-k", "test_it").ret == 0, "the test that checks was left out"
    assert suite.run(*workers, "test_it.py::test_it").ret == 0


# expected_failure(): the one way in which a test says that it wants to see a gate fail ------------

AWAITED = """
def test_assertion():
    with expected_failure(match="MRR is 0.750, below the 0.800") as info:
        fails()
    assert type(info.value) is RankGateFailure
    assert info.value.headline.startswith("MRR is 0.750")
    assert info.value.result.value == 0.75

def test_fixture(rank_gate):
    with expected_failure():
        rank_gate.check(*case([1, 2]), at_least={"mrr": 0.8})

def test_helper():
    @contextlib.contextmanager
    def red(text):
        with expected_failure(match=text):
            yield

    with red("required"):
        fails()

def test_stack():
    with contextlib.ExitStack() as stack:
        stack.enter_context(expected_failure())
        fails()

def test_decorator(): expected_failure()(fails)()

def test_await():
    async def search():
        with expected_failure():
            await fails_later()

    asyncio.run(search())

def test_run():
    with expected_failure():
        asyncio.run(fails_later())

def test_task():
    async def search():
        task = asyncio.create_task(fails_later())
        with expected_failure():
            await task

    asyncio.run(search())

def test_task_group():
    async def search():
        with expected_failure(match="required") as info:
            async with asyncio.TaskGroup() as group:
                group.create_task(fails_later())
                group.create_task(fails_later())
        assert type(info.value) is RankGateFailure

    asyncio.run(search())

def test_thread():
    with ThreadPoolExecutor() as pool:
        future = pool.submit(fails)
        with expected_failure():
            future.result()

def test_unittest():
    class TestIt(unittest.TestCase):
        def test_it(self):
            with expected_failure():
                fails()

    TestIt("test_it").debug()

def test_raised_from():
    with expected_failure(RuntimeError, match="the search"):
        try:
            fails()
        except AssertionError as error:
            raise RuntimeError("the search is broken") from error

def test_raised_during():
    with expected_failure(RuntimeError):
        try:
            fails()
        finally:
            raise RuntimeError

def test_could_not_measure():
    with expected_failure(InvalidParameterError, match="at_least"):
        assert_mrr_at_least(*case([1, 2]), 80)

def test_warning():
    with warnings.catch_warnings(), expected_failure(RankGateWarning):
        warnings.simplefilter("error")
        assert_mrr_at_least(*case([1] * 30), 0.8)

def test_several():
    for _ in range(3):
        with expected_failure():
            fails()

def test_within_pytest_raises():
    with pytest.raises(ZeroDivisionError):
        with expected_failure():
            fails()
        1 / 0
"""


def test_a_failure_that_a_test_expects_is_none(suite):
    suite.tests(AWAITED)
    suite.run("--rank-json=report.json", ret=0, passed=AWAITED.count("\ndef test_"))
    gates = json.loads((suite.path / "report.json").read_text())["gates"]
    assert not [gate for gate in gates if gate["verdict"] == "fail"]


BLOCK = "with expected_failure():\n        "
UNMET = {
    "nothing": (f"{BLOCK}pass", "DID NOT RAISE"),
    "a pass": (f"{BLOCK}assert_mrr_at_least(*case([1, 2]), 0.7)", "DID NOT RAISE"),
    "another error": (f"{BLOCK}1 / 0", "ZeroDivisionError"),
    "another message": (
        'with expected_failure(match="ndcg"):\n        fails()',
        "Regex pattern did not match",
    ),
    "another message, swallowed": (
        'with contextlib.suppress(Exception), expected_failure(match="ndcg"):\n        fails()',
        "swallowed: MRR is 0.750, below the 0.800 required",
    ),
    "a group of others": (
        f"{BLOCK}raise ExceptionGroup('both', [RankGateFailure('x'), ValueError('other')])",
        "ExceptionGroup: both",
    ),
    "another error of the gate": (
        f"{BLOCK}assert_mrr_at_least(*case([1, 2]), 80)",
        "InvalidParameterError",
    ),
}


def test_an_expectation_that_is_not_met_is_red(suite):
    tests = [f"def test_{n}():\n    {body}\n" for n, (body, _) in enumerate(UNMET.values())]
    suite.tests("\n".join(tests))
    found = failures(suite.run("--tb=short", failed=len(UNMET)))
    for (_, complaint), text in zip(UNMET.values(), found.values(), strict=True):
        assert complaint in text


def test_a_coroutine_of_pytest_may_expect_a_failure(suite, monkeypatch):
    pytest.importorskip("pytest_asyncio")
    monkeypatch.setenv("PYTEST_ADDOPTS", LEAN.replace("-p no:asyncio", ""))
    suite.file("pytest.ini", "[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    test = f"async def test_it():\n    {BLOCK}await asyncio.to_thread(fails)\n"
    suite.tests(f"@pytest.mark.asyncio\n{test}")
    suite.run(ret=0, passed=1)


def test_a_module_may_expect_a_failure_while_it_is_imported(suite):
    suite.tests(f"{BLOCK}fails()\n\ndef test_it(): pass\n")
    assert suite.run().ret == 0


def test_assertions_judge_in_a_plain_script_without_pytest(suite):
    suite.file(
        "script.py",
        """
        import sys
        from cases import case
        from pytest_rankmetrics import RankGateFailure, assert_mrr_at_least, expected_failure

        try:
            assert_mrr_at_least(*case([1, 2]), 0.75)
            assert_mrr_at_least(*case([1, 2]), 0.8)
        except RankGateFailure as error:
            print(error.headline)
        print("imported" if "pytest" in sys.modules else "not imported")
        with expected_failure():
            assert_mrr_at_least(*case([1, 2]), 0.8)
        assert_mrr_at_least(*case([1, 2]), 0.76)
        print("green")
        """,
    )
    result = suite.pytester.run(sys.executable, "-O", "script.py")
    assert result.ret == 1
    headline = "MRR is 0.750, below the 0.800 required (2 queries*"
    result.stdout.fnmatch_lines([headline, "not imported"])
    assert "green" not in said(result)
    result.stderr.fnmatch_lines(["*RankGateFailure: MRR is 0.750, below the 0.760 required*"])
