"""A file that the system does not give: the error names the argument, the path and a remedy."""

from __future__ import annotations

import builtins
import errno
import io
import os
import threading

import pytest

from sklearn_rank import FileFormatError, read_qrels, read_run, write_qrels, write_run

READERS = pytest.mark.parametrize("read", [read_run, read_qrels])
QRELS = "q1 0 a 1\n"
RUN = "q1 Q0 a 1 1.5 t\n"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bm25.run").write_text(RUN)
    (tmp_path / "dev.qrels").write_text(QRELS)
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.run").write_text("")


@READERS
def test_a_name_close_to_that_of_a_file_is_answered_by_it(read, tmp_path):
    with pytest.raises(
        FileNotFoundError,
        match=r"^path 'bm52\.run' cannot be read: there is no such file in '.*'; "
        r"did you mean 'bm25\.run'\?$",
    ) as caught:
        read("bm52.run")
    assert caught.value.errno == errno.ENOENT
    with pytest.raises(FileNotFoundError, match=r"no such file in '.*'; check the path$"):
        read(tmp_path / "zzz")


@READERS
@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        ("folder", IsADirectoryError, "it is a folder; name a file"),
        ("gone/bm25.run", FileNotFoundError, "there is no folder 'gone'$"),
        ("bm25.run/x", NotADirectoryError, "part of the path is a file, not a folder"),
    ],
)
def test_paths_that_are_no_files(read, path, error, message):
    with pytest.raises(error, match=f"path '{path}' cannot be read: {message}"):
        read(path)


def test_a_link_to_nothing():
    os.symlink("nowhere", "link.run")
    with pytest.raises(FileNotFoundError, match="it is a link to a file that does not exist"):
        read_run("link.run")


@pytest.mark.parametrize(
    ("number", "error", "message"),
    [
        (errno.EACCES, PermissionError, "permission denied; check who may access it"),
        (errno.EMFILE, OSError, "Too many open files"),
    ],
)
def test_files_that_the_system_withholds(number, error, message, monkeypatch):
    """Simulated: whoever runs the tests may be allowed to read everything."""

    def refuse(path, *_):
        raise OSError(number, os.strerror(number), path)

    monkeypatch.setattr(builtins, "open", refuse)
    with pytest.raises(error, match=f"path 'bm25.run' cannot be read: {message}"):
        read_run("bm25.run")


def test_nothing_of_a_path_reaches_the_terminal_unescaped():
    with pytest.raises(FileNotFoundError) as caught:
        read_run("evil\x1b[2J\n.run")
    assert "'evil\\x1b[2J\\x0a.run'" in str(caught.value)


@READERS
@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf"])
def test_empty_files(read, data):
    with pytest.raises(FileFormatError, match=r"^<file>: is empty$"):
        read(io.BytesIO(data))


# Pipes -------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", ["bm25.run", "run.parquet"])
def test_a_pipe_is_read_once_whatever_flows_through_it(name):
    write_run({"q1": {"a": 1.5}}, name, overwrite=True)
    with open(name, "rb") as file:
        data = file.read()
    os.mkfifo("pipe")

    def fill():
        with open("pipe", "wb") as pipe:
            pipe.write(data)

    writer = threading.Thread(target=fill)
    writer.start()
    try:
        assert dict(read_run("pipe")) == {"q1": {"a": 1.5}}
    finally:
        writer.join()


# Files that are written --------------------------------------------------------------------------


def test_files_that_cannot_be_written():
    with pytest.raises(
        FileNotFoundError,
        match=r"path 'gone/x\.run' cannot be written: there is no folder 'gone'; create it first",
    ):
        write_run({"q": ["a"]}, "gone/x.run")
    with pytest.raises(IsADirectoryError, match="path 'folder' cannot be written: it is a folder"):
        write_qrels({"q": {"a"}}, "folder")
    assert sorted(os.listdir()) == ["bm25.run", "dev.qrels", "empty.run", "folder"]
