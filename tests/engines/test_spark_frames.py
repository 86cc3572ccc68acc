"""Frames of Spark that cannot be read are refused by name; no session is needed for that."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from sklearn_rank import ColumnRoleError, InvalidParameterError, scan_run
from sklearn_rank.engines.spark.frames import native, refuse_twins, session_of
from sklearn_rank.engines.spark.session import running_session


class Session:
    """A Classic one."""

    def __init__(self, *, case_sensitive: str = "false") -> None:
        self.sparkContext = SimpleNamespace(_jsc=object())
        self._jsparkSession = SimpleNamespace(equals=lambda other: other is self._jsparkSession)
        self.conf = {"spark.sql.caseSensitive": case_sensitive}


class Remote:
    """One of Spark Connect."""

    __module__ = "pyspark.sql.connect.session"

    def __init__(self, session_id: str) -> None:
        self.session_id, self.is_stopped = session_id, False


class Frame:
    def __init__(self, session: Any, *columns: str, streams: bool = False) -> None:
        self.sparkSession, self.columns, self.isStreaming = session, list(columns), streams

    def toArrow(self) -> None:  # noqa: N802
        """PySpark 4 has it."""


def test_one_session_by_two_objects_is_one() -> None:
    session, twin = Session(), Session()
    twin._jsparkSession = session._jsparkSession
    assert session_of({"y_true": Frame(session), "y_score": Frame(twin)}) is session
    assert session_of({"y_score": Frame(twin)}) is twin
    first, second = Remote("a"), Remote("a")
    assert session_of({"y_true": Frame(first), "y_score": Frame(second)}) is first


@pytest.mark.parametrize(
    ("first", "second"),
    [(Session(), Session()), (Remote("a"), Remote("b")), (Session(), Remote("a"))],
    ids=["classic", "connect", "both"],
)
def test_two_sessions_are_refused(first: Any, second: Any) -> None:
    with pytest.raises(InvalidParameterError, match="y_true and y_score are frames of two session"):
        session_of({"y_true": Frame(first), "y_score": Frame(second)})


def test_stopped_sessions_are_refused() -> None:
    session, remote = Session(), Remote("a")
    session.sparkContext._jsc, remote.is_stopped = None, True
    for stopped in (session, remote):
        with pytest.raises(InvalidParameterError, match="in which y_score was read is stopped"):
            session_of({"y_score": Frame(stopped)})


def test_streams_are_refused() -> None:
    with pytest.raises(TypeError, match=r"y_score is a stream, which has no last row"):
        session_of({"y_score": Frame(Session(), streams=True)})


def test_frames_of_spark_3_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pyspark = ModuleType("pyspark")
    pyspark.__version__ = "3.5.1"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyspark", pyspark)
    with pytest.raises(TypeError, match=r"y_true is a frame of PySpark 3\.5\.1, and those of PySp"):
        session_of({"y_true": SimpleNamespace(sparkSession=Session())})


def test_pandas_on_spark_is_unwrapped() -> None:
    class Wrapped:
        def to_spark(self) -> str:
            return "frame"

    assert native(Wrapped()) == "frame"
    assert native("frame") == "frame"


def test_columns_that_spark_takes_for_one_are_refused() -> None:
    columns = ("query", "score", "Score", "part", "part")
    frame, told_apart = Frame(Session(), *columns), Frame(Session(case_sensitive="true"), *columns)
    message = "columns 'score', 'Score' of y_score are of one name to Spark, and 'score' is to be"
    with pytest.raises(ColumnRoleError, match=message):
        refuse_twins(frame, "y_score", ["query", "score"])
    refuse_twins(told_apart, "y_score", ["query", "score"])
    with pytest.raises(ColumnRoleError, match="'part', 'part' of y_true"):
        refuse_twins(told_apart, "y_true", ["part"])
    refuse_twins(frame, "y_score", ["query"])


def _pyspark(monkeypatch: pytest.MonkeyPatch, start: Any) -> None:
    """A package whose sessions start like this."""
    sql = ModuleType("pyspark.sql")
    builder = SimpleNamespace(getOrCreate=start)
    sql.SparkSession = SimpleNamespace(builder=builder)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyspark", ModuleType("pyspark"))
    monkeypatch.setitem(sys.modules, "pyspark.sql", sql)


def test_files_find_the_running_session(monkeypatch: pytest.MonkeyPatch) -> None:
    _pyspark(monkeypatch, lambda: "session")
    assert running_session() == "session"


def test_no_spark_and_no_java_say_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    def fail() -> None:
        raise RuntimeError("[JAVA_GATEWAY_EXITED]")

    (tmp_path / "run.parquet").write_bytes(b"PAR1")
    _pyspark(monkeypatch, fail)
    with pytest.raises(OSError, match=r"takes Java 17 or later, which JAVA_HOME names \(\[JAVA_GA"):
        scan_run(tmp_path / "run.parquet", engine="spark")
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(ImportError, match=r"pip install 'sklearn-rank\[spark\]'"):
        scan_run(tmp_path / "run.parquet", engine="spark")
