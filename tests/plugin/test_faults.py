"""Whatever happens while a baseline is written, the old one stays whole."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from tests.plugin.conftest import Suite, said

GATES = """
    from cases import system

    def test_bm25(rank_gate):
        rank_gate.check(*system(), max_drop={"mrr": 0.005})
"""
FILE = "test_it/test_bm25.rank.json"
# What a conftest of the suite puts in the place of a call of the operating system, for files
# whose name has to do with a baseline.
PATCH = """
    import builtins
    import errno
    import io
    import os
    import pytest

    def about_a_baseline(path):
        return isinstance(path, (str, os.PathLike)) and ".rank" in os.fspath(path)

    {code}
"""
FAULTS = {
    # The system takes no more bytes: a limit of this process, met as a full disk is.
    "no more bytes": """
    @pytest.fixture(autouse=True)
    def fault():
        resource = pytest.importorskip("resource")
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, hard))
        yield
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    """,
    # The disk is full when the file is flushed.
    "full disk at fsync": """
    @pytest.fixture(autouse=True)
    def fault(monkeypatch):
        def fsync(fd):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        monkeypatch.setattr(os, "fsync", fsync)
    """,
    "no permission to replace": """
    @pytest.fixture(autouse=True)
    def fault(monkeypatch):
        def replace(source, target, **options):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(target))
        monkeypatch.setattr(os, "replace", replace)
        monkeypatch.setattr(os, "rename", replace)
    """,
    "no permission to create": """
    @pytest.fixture(autouse=True)
    def fault(monkeypatch):
        real_open, real_io = os.open, io.open
        def refuse(path):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
        def opened(path, flags, *args, **kwargs):
            if flags & (os.O_WRONLY | os.O_RDWR) and about_a_baseline(path):
                refuse(path)
            return real_open(path, flags, *args, **kwargs)
        def io_opened(path, mode="r", *args, **kwargs):
            if about_a_baseline(path) and set(mode) & set("wax+"):
                refuse(path)
            return real_io(path, mode, *args, **kwargs)
        monkeypatch.setattr(os, "open", opened)
        monkeypatch.setattr(io, "open", io_opened)
        monkeypatch.setattr(builtins, "open", io_opened)
    """,
}
ERRORS = {
    "no more bytes": "File too large",
    "full disk at fsync": "No space left on device",
    "no permission to replace": "Permission denied",
    "no permission to create": "Permission denied",
}


@pytest.fixture
def recorded(suite: Suite) -> Suite:
    """A gate with its baseline, 0.5, and a system that has become better."""
    suite.write(test_it=GATES)
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.system([1] * 15 + [2] * 15)
    return suite


def fault(name: str) -> str:
    return PATCH.format(code=FAULTS[name].strip())


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_while_writing_leaves_the_old_baseline_and_is_told(
    name: str, recorded: Suite
) -> None:
    before, files = recorded.baselines(), recorded.files()
    recorded.write(conftest=fault(name))
    result = recorded.run("--rank-update")
    assert result.ret == 1
    assert "1 failed" in said(result) or "1 error" in said(result)
    assert "INTERNALERROR" not in said(result)
    text = said(result)
    assert ERRORS[name] in text
    assert FILE in text
    assert recorded.baselines() == before
    # No half-written file is left behind either.
    assert recorded.files() == files | {"conftest.py"}
    (recorded.path / "conftest.py").unlink()
    recorded.run().assert_outcomes(passed=1)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_while_writing_the_first_baseline_leaves_none(name: str, suite: Suite) -> None:
    suite.write(test_it=GATES, conftest=fault(name))
    suite.system([2] * 30)
    result = suite.run("--rank-update")
    assert result.ret == 1
    assert ERRORS[name] in said(result)
    assert not suite.baselines()
    assert not [name for name in suite.files() if name.startswith("test_it/")]


def test_a_process_killed_before_it_replaces_leaves_the_old_baseline(recorded: Suite) -> None:
    if not hasattr(signal, "SIGKILL"):
        pytest.skip("this system has no SIGKILL")
    before = recorded.baselines()
    recorded.write(
        conftest="""
        import os
        import pytest
        import signal

        @pytest.fixture(autouse=True)
        def killed(monkeypatch):
            def kill(*args, **kwargs):
                os.kill(os.getpid(), signal.SIGKILL)
            monkeypatch.setattr(os, "replace", kill)
        """
    )
    result = recorded.spawn("--rank-update")
    assert result.ret == -signal.SIGKILL
    assert recorded.baselines() == before
    # What the dead process left does not disturb the next one.
    (recorded.path / "conftest.py").unlink()
    recorded.run().assert_outcomes(passed=1)
    recorded.run("--rank-update").assert_outcomes(passed=1)
    assert recorded.baselines() != before
    assert recorded.run().ret == 0


def test_a_baseline_that_cannot_be_read_fails(recorded: Suite) -> None:
    recorded.write(
        conftest=PATCH.format(
            code="""
    @pytest.fixture(autouse=True)
    def fault(monkeypatch):
        real_io, real_open = io.open, os.open
        def opened(path, *args, **kwargs):
            if about_a_baseline(path):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
            return real_io(path, *args, **kwargs)
        def os_opened(path, *args, **kwargs):
            if about_a_baseline(path):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
            return real_open(path, *args, **kwargs)
        monkeypatch.setattr(io, "open", opened)
        monkeypatch.setattr(builtins, "open", opened)
        monkeypatch.setattr(os, "open", os_opened)
    """.strip()
        )
    )
    result = recorded.run()
    assert result.ret == 1
    assert "1 passed" not in said(result)
    assert FILE in said(result)
    assert "INTERNALERROR" not in said(result)


def test_a_baseline_is_not_written_through_a_link(recorded: Suite) -> None:
    if sys.platform == "win32":
        pytest.skip("links need a privilege on Windows")
    outside = recorded.path / "outside.json"
    os.replace(recorded.path / FILE, outside)
    before = outside.read_bytes()
    (recorded.path / FILE).symlink_to(outside)
    recorded.run("--rank-update")
    assert outside.read_bytes() == before


@pytest.mark.parametrize("option", ["--rank-json", "--rank-markdown"])
def test_a_report_that_cannot_be_written_is_told_and_hides_no_failure(
    option: str, suite: Suite
) -> None:
    suite.write(
        test_it="""
        from cases import case

        def test_bad(rank_gate):
            rank_gate.check(*case([1, 2]), at_least={"mrr": 0.8})
        """
    )
    suite.file("file", "not a directory")
    result = suite.run(f"{option}=file/report")
    assert result.ret in (1, pytest.ExitCode.USAGE_ERROR)
    assert "file/report" in said(result)
    assert "INTERNALERROR" not in said(result)


NOT_MEASURED = {
    "no query": "assert_mrr_at_least({}, {}, 0.5)",
    "another query": "assert_mrr_at_least({'q': {'a'}}, {'r': ['a']}, 0.5)",
    "no such option": "rank_gate.check({'q': {'a'}}, {'q': ['a']}, at_leest={'mrr': 0.5})",
    "no such measure": "rank_gate.check({'q': {'a'}}, {'q': ['a']}, at_least={'nope': 0.5})",
    "a bad limit": "assert_mrr_at_least({'q': {'a'}}, {'q': ['a']}, 50)",
    "a name": "assert_mrr_at_least({'q': {'a'}}, {'q': ['a']}, 0.5, name=' ')",
    "duplicates": "assert_mrr_at_least({'q': {'a'}}, {'q': ['a', 'a']}, 0.5)",
    "NaN": "assert_mrr_at_least({'q': {'a'}}, {'q': {'a': float('nan')}}, 0.5)",
}


@pytest.mark.parametrize("what", NOT_MEASURED)
def test_a_gate_that_could_not_measure_shows_no_source_of_ours(what: str, suite: Suite) -> None:
    suite.write(
        test_it=f"""
        from pytest_rankmetrics import assert_mrr_at_least

        def test_it(rank_gate):
            {NOT_MEASURED[what]}
        """
    )
    result = suite.run()
    result.assert_outcomes(failed=1)
    text = said(result)
    assert "test_it.py:4: " in text, "the caller's line is there"
    assert "sklearn_rank/" not in text
    assert "pytest_rankmetrics/" not in text


def test_a_callback_that_fails_is_shown_with_its_source(suite: Suite) -> None:
    suite.write(
        test_it="""
        from pytest_rankmetrics import assert_mrr_at_least

        def text(item):
            return {}[item]

        def test_it():
            assert_mrr_at_least({'q': {'a'}}, {'q': ['a']}, 0.5, string_provider=text)
        """
    )
    assert "return {}[item]" in said(suite.run())
