"""``pytest.exit(returncode=0)`` before the first test: what is required did not run."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Suite, said

REQUIRED = ("-o", "rank_required=test_bm25")
HOOKS = (
    *("configure", "sessionstart", "collection"),
    *("collection_modifyitems", "collection_finish", "runtestloop"),
)


def leave(suite: Suite, hook: str, first: str = "") -> None:
    suite.file(
        "conftest.py",
        f"import pytest\n{first}\ndef pytest_{hook}(): pytest.exit('enough', returncode=0)",
    )


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("first", ["", "@pytest.hookimpl(tryfirst=True)"], ids=["", "tryfirst"])
def test_a_run_that_ends_before_its_required_gate_is_red(
    hook: str, first: str, recorded: Suite
) -> None:
    leave(recorded, hook, first)
    result = recorded.run(*REQUIRED)
    assert result.ret == 1
    assert "required gate 'test_bm25' did not run" in said(result)


def test_the_exit_code_is_that_of_a_process(recorded: Suite) -> None:
    leave(recorded, "sessionstart")
    assert recorded.spawn(*REQUIRED).ret == 1


@pytest.mark.parametrize("hook", HOOKS)
def test_without_required_gates_an_exit_is_left_alone(hook: str, recorded: Suite) -> None:
    leave(recorded, hook)
    assert recorded.run().ret == 0


@pytest.mark.parametrize("option", ["--collect-only", "--setup-plan", "--help", "--version"])
def test_what_runs_no_test_requires_none(option: str, recorded: Suite) -> None:
    leave(recorded, "sessionstart")
    assert recorded.run(*REQUIRED, option).ret == 0


def test_another_exit_code_is_left_alone(recorded: Suite) -> None:
    recorded.file(
        "conftest.py",
        "import pytest\ndef pytest_sessionstart(): pytest.exit('enough', returncode=7)",
    )
    assert recorded.run(*REQUIRED).ret == 7


def test_a_run_within_a_run_does_not_end_the_outer_one(recorded: Suite) -> None:
    recorded.file("inner/test_inner.py", "def test_inner(): pass")
    recorded.file(
        "inner/conftest.py",
        "import pytest\ndef pytest_sessionstart(): pytest.exit('enough', returncode=0)",
    )
    recorded.file(
        "test_outer.py",
        """
        import pytest

        def test_outer():
            assert pytest.main(["inner", "--rootdir=inner", "-p", "no:cacheprovider"]) == 0
        """,
    )
    assert recorded.run(*REQUIRED, "test_it.py", "test_outer.py").ret == 0
