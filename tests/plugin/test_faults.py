"""Whatever happens while a baseline is written, the old one stays whole."""

import os
import signal

import pytest

from tests.plugin.conftest import failures, said
from tests.plugin.one_gate import BETTER, FILE

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
    "File too large": """
    @pytest.fixture(autouse=True)
    def fault():
        resource = pytest.importorskip("resource")
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, hard))
        yield
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    """,
    # The disk is full when the file is flushed.
    "No space left on device": """
    @pytest.fixture(autouse=True)
    def fault(monkeypatch):
        def fsync(fd):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        monkeypatch.setattr(os, "fsync", fsync)
    """,
    "Permission denied": """
    @pytest.fixture(autouse=True)
    def fault(monkeypatch):
        def replace(source, target, **options):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(target))
        monkeypatch.setattr(os, "replace", replace)
        monkeypatch.setattr(os, "rename", replace)
    """,
}
OPENING = """
    @pytest.fixture(autouse=True)
    def fault(monkeypatch):
        real_open, real_io = os.open, io.open
        def refuse(path):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
        def opened(path, flags, *args, **kwargs):
            if ({flags}) and about_a_baseline(path):
                refuse(path)
            return real_open(path, flags, *args, **kwargs)
        def io_opened(path, mode="r", *args, **kwargs):
            if about_a_baseline(path) and set(mode) & set("{modes}"):
                refuse(path)
            return real_io(path, mode, *args, **kwargs)
        monkeypatch.setattr(os, "open", opened)
        monkeypatch.setattr(io, "open", io_opened)
        monkeypatch.setattr(builtins, "open", io_opened)
"""
NO_READING = OPENING.format(flags="True", modes="rwax")
NO_WRITING = OPENING.format(flags="flags & (os.O_WRONLY | os.O_RDWR)", modes="wax+")


def fault(code: str) -> str:
    return PATCH.format(code=code.strip())


@pytest.mark.parametrize(("error", "code"), [*FAULTS.items(), ("Permission denied", NO_WRITING)])
def test_a_fault_while_writing_leaves_what_was_there_and_is_told(error, code, gate):
    gate.write(conftest=fault(code))
    for ranks in ([2] * 30, BETTER):
        gate.system(ranks)
        before, files = gate.baselines(), gate.files()
        gate.run("--rank-update", ret=1, says=(error, FILE))
        assert gate.baselines() == before
        # No half-written file is left behind either.
        assert gate.files() - {"test_it"} == files - {"test_it"}
        (gate.path / "conftest.py").rename(gate.path / "kept")
        gate.run("--rank-update" if not before else "--rank-show=all").assert_outcomes(passed=1)
        (gate.path / "kept").rename(gate.path / "conftest.py")


def test_a_process_killed_before_it_replaces_leaves_the_old_baseline(recorded):
    if not hasattr(signal, "SIGKILL"):
        pytest.skip("this system has no SIGKILL")
    before = recorded.baselines()
    recorded.system(BETTER)
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
    recorded.spawn("--rank-update", ret=-signal.SIGKILL)
    assert recorded.baselines() == before
    # What the dead process left does not disturb the next one.
    (recorded.path / "conftest.py").unlink()
    recorded.run().assert_outcomes(passed=1)
    recorded.run("--rank-update").assert_outcomes(passed=1)
    assert recorded.baselines() != before
    assert recorded.run().ret == 0


def test_a_baseline_that_cannot_be_read_fails(recorded):
    recorded.write(conftest=fault(NO_READING))
    result = recorded.run(ret=1)
    assert "1 passed" not in said(result)
    assert FILE in said(result)


def test_files_of_a_process_that_was_killed_are_swept(recorded):
    folder = recorded.path / "test_it"
    old, new = (folder / f".test_bm25.rank.json.{digit * 8}.rank-tmp" for digit in "0f")
    other = folder / ".own.tmp"
    for path in (old, new, other):
        path.write_text("")
    for path in (old, other):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    assert recorded.run().ret == 0
    assert old.exists(), "a run that only reads deletes nothing"
    assert recorded.run("--rank-update").ret == 0
    assert not old.exists()
    assert new.exists(), "another run may be writing it"
    assert other.exists()


NOT_MEASURED = [
    "assert_mrr_at_least({}, {}, 0.5)",
    "assert_mrr_at_least({'q': {'a'}}, {'r': ['a']}, 0.5)",
    "rank_gate.check({'q': {'a'}}, {'q': ['a']}, at_leest={'mrr': 0.5})",
    "rank_gate.check({'q': {'a'}}, {'q': ['a']}, at_least={'nope': 0.5})",
    "assert_mrr_at_least({'q': {'a'}}, {'q': ['a']}, 50)",
    "assert_mrr_at_least({'q': {'a'}}, {'q': ['a']}, 0.5, name=' ')",
    "assert_mrr_at_least({'q': {'a'}}, {'q': ['a', 'a']}, 0.5)",
    "assert_mrr_at_least({'q': {'a'}}, {'q': {'a': float('nan')}}, 0.5)",
]


def test_a_gate_that_could_not_measure_shows_no_source_of_ours(suite):
    tests = [f"def test_{n}(rank_gate): {call}\n" for n, call in enumerate(NOT_MEASURED)]
    suite.file(
        "test_it.py", "\n".join(["from pytest_rankmetrics import assert_mrr_at_least", *tests])
    )
    found = failures(suite.run(failed=len(tests)))
    for text in found.values():
        assert "test_it.py:" in text, "the caller's line is there"
        assert "sklearn_rank/" not in text
        assert "pytest_rankmetrics/" not in text


def test_a_callback_that_fails_is_shown_with_its_source(suite):
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
