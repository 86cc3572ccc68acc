"""A file that the system does not give: the error names the argument, the path and a remedy."""

import builtins
import errno
import io
import os
import threading

import polars as pl
import pytest

from sklearn_rank import FileFormatError, read_qrels, read_run

RUN = "q1 Q0 a 1 1.5 t\n"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bm25.run").write_text(RUN)
    (tmp_path / "folder").mkdir()


@pytest.mark.parametrize("read", [read_run, read_qrels])
@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        ("bm52.run", FileNotFoundError, "no such file in '.*'; did you mean 'bm25.run'\\?$"),
        ("zzz", FileNotFoundError, "no such file in '.*'; check the path$"),
        ("folder", IsADirectoryError, "it is a folder; name a file"),
        ("gone/bm25.run", FileNotFoundError, "there is no folder 'gone'$"),
        ("https://x.y/bm25.run", FileNotFoundError, "it is a URL; download it first$"),
        ("bm25.run/x", NotADirectoryError, "part of the path is a file, not a folder"),
        ("link.run", FileNotFoundError, "it is a link to a file that does not exist"),
    ],
)
def test_paths_that_are_no_files(read, path, error, message):
    os.symlink("nowhere", "link.run")
    with pytest.raises(error, match=f"^path '{path}' cannot be read: .*{message}") as caught:
        read(path)
    assert caught.value.errno


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


def test_files_of_text_are_told_how_to_open():
    with open("bm25.run", encoding="utf-8") as file:
        for text in (file, io.StringIO(RUN)):
            with pytest.raises(TypeError, match=r"open it with 'rb', or pass io\.BytesIO\("):
                read_run(text)


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf"])
def test_empty_files(data):
    with pytest.raises(FileFormatError, match=r"^<file>: is empty$"):
        read_run(io.BytesIO(data))


# Pipes -------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", ["bm25.run", "run.parquet"])
def test_a_pipe_is_read_once_whatever_flows_through_it(name):
    pl.DataFrame({"query": ["q1"], "item": ["a"], "score": [1.5]}).write_parquet("run.parquet")
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
