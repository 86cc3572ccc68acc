"""What other people's hooks and late requests do cannot turn a run green."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Suite, said
from tests.plugin.one_gate import FILE, WORSE

LATE = {
    "last": """
        import pytest

        @pytest.hookimpl(trylast=True)
        def pytest_sessionfinish(session):
            session.exitstatus = 0
    """,
    "wrapper": """
        import pytest

        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_sessionfinish(session):
            yield
            session.exitstatus = 0
    """,
    "unconfigure": """
        import pytest

        kept = []

        def pytest_sessionstart(session):
            kept.append(session)

        @pytest.hookimpl(tryfirst=True)
        def pytest_unconfigure():
            kept.pop().exitstatus = 0
    """,
}


@pytest.mark.parametrize("hook", LATE.values(), ids=LATE)
def test_a_hook_that_sets_the_exit_code_does_not_hide_a_failed_gate(
    hook: str, recorded: Suite
) -> None:
    recorded.file("conftest.py", hook)
    recorded.system(WORSE)
    result = recorded.run()
    assert result.ret == 1
    assert "rankmetrics: the gate of test_it.py::test_bm25 failed, and a hook" in said(result)


def test_a_hook_that_sets_the_exit_code_does_not_hide_a_required_gate(recorded: Suite) -> None:
    recorded.file("conftest.py", LATE["last"])
    result = recorded.run("-o", "rank_required=test_gone")
    assert result.ret == 1
    assert "test_gone" in said(result)


def test_a_hook_may_set_the_exit_code_where_gates_passed(recorded: Suite) -> None:
    recorded.file("conftest.py", LATE["last"])
    with (recorded.path / "test_it.py").open("a", encoding="utf-8") as file:
        file.write("\ndef test_other():\n    assert False\n")
    result = recorded.run()
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 0


def test_an_expected_failure_leaves_the_exit_code_alone(suite: Suite) -> None:
    suite.write(
        test_it="""
            import pytest
            from cases import case
            from pytest_rankmetrics import assert_mrr_at_least

            @pytest.mark.xfail
            def test_it():
                assert_mrr_at_least(*case([1, 2]), 0.8)
        """
    )
    result = suite.run()
    result.assert_outcomes(xfailed=1)
    assert result.ret == 0
    assert "a hook made" not in said(result)


@pytest.mark.parametrize("fixture", ["rank_gate", "rank_regression"])
def test_a_fixture_asked_for_in_a_test_promises_a_gate(fixture: str, suite: Suite) -> None:
    suite.write(
        test_it=f"""
            import pytest

            def test_first(request):
                request.getfixturevalue("{fixture}")

            def test_second(request):
                request.getfixturevalue("{fixture}")

            def test_skipped(request):
                request.getfixturevalue("{fixture}")
                pytest.skip("no engine")
        """
    )
    result = suite.run()
    assert result.ret == 1
    said_so = f"the test takes the fixture {fixture}, and no gate has run in it"
    # The recorder joins in the middle of the first test, whose call it judges at its teardown.
    result.assert_outcomes(passed=1, errors=1, failed=1, skipped=1)
    assert said(result).count(f"\n{said_so}") == 2


def test_a_fixture_asked_for_in_a_test_that_calls_it_passes(suite: Suite) -> None:
    suite.write(
        test_it="""
            from cases import case

            def test_it(request):
                request.getfixturevalue("rank_gate").check(*case([1, 2]), at_least={"mrr": 0.5})
        """
    )
    result = suite.run()
    result.assert_outcomes(passed=1)
    assert result.ret == 0


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


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
@pytest.mark.parametrize("way", HELPERS)
def test_a_fixture_of_ones_own_that_takes_the_gate_needs_a_test_that_checks(
    way: str, workers: tuple[str, ...], suite: Suite
) -> None:
    mark, helper, arguments = HELPERS[way]
    text = f"import pytest\n\n@pytest.fixture{mark}\n{helper}\n\ndef test_it{arguments}: pass\n"
    suite.write(test_it=text)
    result = suite.run(*workers)
    result.assert_outcomes(passed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["ERROR: the fixture 'helper' of test_it.py takes a gate, and no *"]
    )
    suite.write(test_it=f"{text}\n{CHECKS}\n")
    assert suite.run(*workers).ret == 0, "the fixture is of use"
    assert suite.run(*workers, "-k", "test_it").ret == 0, "the test that checks was left out"
    assert suite.run(*workers, "test_it.py::test_it").ret == 0


@pytest.mark.parametrize("mark", ["@pytest.mark.usefixtures('rank_gate')\n", "pytestmark = "])
def test_usefixtures_promises_a_gate(mark: str, suite: Suite) -> None:
    mark = f"{mark}pytest.mark.usefixtures('rank_gate')\n" if mark.endswith("= ") else mark
    suite.write(test_it=f"import pytest\n\n{mark}def test_it(): pass")
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert "the test takes the fixture rank_gate, and no gate has run in it" in said(result)


SWALLOW = """
    import unittest
    import pytest
    from cases import case
    from pytest_rankmetrics import assert_mrr_at_least

"""


def test_xfail_called_after_a_failure_hides_nothing(suite: Suite) -> None:
    suite.write(
        test_it=SWALLOW
        + """
    def test_it():
        try:
            assert_mrr_at_least(*case([1, 2]), 0.8)
        except AssertionError:
            pytest.xfail("flaky")
"""
    )
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert result.ret == 1
    assert "failed, and its failure was swallowed" in said(result)


@pytest.mark.parametrize("how", ["request.node.add_marker", "request.applymarker"])
def test_an_xfail_mark_that_comes_after_the_failure_hides_nothing(how: str, suite: Suite) -> None:
    suite.write(
        test_it=SWALLOW
        + f"""
    def test_early(request):
        {how}(pytest.mark.xfail)
        assert_mrr_at_least(*case([1, 2]), 0.8)

    def test_late(request):
        try:
            assert_mrr_at_least(*case([1, 2]), 0.8)
        except AssertionError:
            {how}(pytest.mark.xfail)
            raise
"""
    )
    result = suite.run()
    result.assert_outcomes(xfailed=1, failed=1)
    assert result.ret == 1


GATE = """
import contextlib
from cases import case
from pytest_rankmetrics import assert_mrr_at_least

def lost():
    with contextlib.suppress(AssertionError):
        assert_mrr_at_least(*case([1, 2]), 0.8)

"""
PLACES = {
    "conftest": "lost()",
    "configure": "def pytest_configure(): lost()",
    "sessionfinish": "def pytest_sessionfinish(): lost()",
    "terminal summary": "def pytest_terminal_summary(): lost()",
    "unconfigure": "def pytest_unconfigure(): lost()",
    "cleanup": "def pytest_configure(config): config.add_cleanup(lost)",
    "a thread, joined late": """
import threading
def pytest_sessionfinish():
    global thread
    thread = threading.Thread(target=lost)
    thread.start()
def pytest_unconfigure(): thread.join()
""",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_failure_that_is_swallowed_in_a_hook_is_red(place: str, suite: Suite) -> None:
    suite.write(test_it="def test_it(): pass")
    (suite.path / "conftest.py").write_text(GATE + PLACES[place])
    result = suite.run()
    result.assert_outcomes(passed=1)
    assert result.ret == 1
    assert said(result).count("gate mrr failed, and its failure was swallowed") == 1


def test_a_hook_swallows_a_failure_and_ends_the_run(suite: Suite) -> None:
    text = "import pytest\ndef pytest_configure():\n    lost()\n    pytest.exit('x', returncode=0)"
    (suite.path / "conftest.py").write_text(GATE + text)
    assert suite.run().ret == 1


def test_a_warning_that_was_given_before_is_made_an_error_all_the_same(suite: Suite) -> None:
    suite.write(
        test_it="""
        import warnings
        import pytest
        from cases import case
        from pytest_rankmetrics import RankGateWarning, assert_mrr_at_least

        def test_it():
            with warnings.catch_warnings():
                warnings.simplefilter("default")
                for action in ("default", "error"):
                    warnings.filters[0] = (action, None, Warning, None, 0)
                    assert_mrr_at_least(*case([1] * 30), 0.8)
        """
    )
    suite.run().assert_outcomes(failed=1)


@pytest.mark.parametrize("clear", ["monkeypatch.delenv('CI')", "monkeypatch.setenv('CI', '')"])
def test_ci_is_what_it_was_before_the_tests(
    clear: str, recorded: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    test = recorded.path / "test_it.py"
    text = test.read_text().replace("(rank_gate):", f"(rank_gate, monkeypatch):\n    {clear}")
    test.write_text(text)
    recorded.system([10] + [2] * 29)
    recorded.run().assert_outcomes(failed=1)
    recorded.system(WORSE)
    (recorded.path / FILE).unlink()
    result = recorded.run("--rank-update")
    assert result.ret == 1
    assert "baselines were written in continuous integration" in said(result)


@pytest.mark.parametrize("option", ["--rank-json", "--rank-html"])
def test_a_report_of_an_earlier_run_does_not_outlive_this_one(option: str, gate: Suite) -> None:
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


@pytest.mark.parametrize("owner", ["method", "class"])
def test_failures_that_unittest_expects_are_expected(owner: str, suite: Suite) -> None:
    mark = "@unittest.expectedFailure"
    suite.write(
        test_it=SWALLOW
        + f"""
    {mark if owner == "class" else ""}
    class TestIt(unittest.TestCase):
        {mark if owner == "method" else ""}
        def test_it(self):
            assert_mrr_at_least(*case([1, 2]), 0.8)
"""
    )
    result = suite.run()
    result.assert_outcomes(xfailed=1)
    assert result.ret == 0


@pytest.mark.parametrize("reason", ["\u200b", "\udcff", " - "], ids=["no width", "no text", "dash"])
def test_a_reason_that_says_nothing_is_refused(reason: str, recorded: Suite) -> None:
    before = recorded.baselines()
    recorded.system(WORSE)
    result = recorded.run("--rank-accept=*", f"--rank-reason={reason}")
    assert result.ret == 4
    assert "--rank-accept lowers baselines and needs --rank-reason=TEXT" in said(result)
    assert recorded.baselines() == before
