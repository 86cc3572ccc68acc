"""Frames of Spark that cannot be read, refused before anything is computed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any
from uuid import uuid4

from sklearn_rank.exceptions import ColumnRoleError, InvalidParameterError
from sklearn_rank.support.text import listed, safe_repr


def native(values: Any) -> Any:
    """A frame of Spark itself, where pandas on Spark is wrapped around it."""
    return values.to_spark() if hasattr(type(values), "to_spark") else values


def session_of(frames: Mapping[str, Any]) -> Any:
    """The session of all frames, by the names that messages call them."""
    sessions = {name: _running(name, frame) for name, frame in frames.items()}
    first, last = next(iter(sessions.values())), next(reversed(sessions.values()))
    if not _is_same(first, last):
        msg = (
            f"{' and '.join(sessions)} are frames of two sessions of Spark, which do not see each "
            "other; read both in one"
        )
        raise InvalidParameterError(msg)
    return first


def _running(name: str, frame: Any) -> Any:
    """The session of a frame that can be read."""
    if not hasattr(type(frame), "toArrow"):
        from pyspark import __version__

        msg = (
            f"{name} is a frame of PySpark {__version__}, and those of PySpark 4 are the oldest "
            "that are read; write it to Parquet for scan_run and scan_qrels, or pass its toPandas()"
        )
        raise TypeError(msg)
    session = frame.sparkSession
    if _is_stopped(session):
        msg = f"the session of Spark in which {name} was read is stopped; read it again in another"
        raise InvalidParameterError(msg)
    if frame.isStreaming:
        msg = (
            f"{name} is a stream, which has no last row; pass what was written of it, or evaluate "
            "each batch (writeStream.foreachBatch)"
        )
        raise TypeError(msg)
    return session


def planned(session: Any, text: str, frames: Mapping[str, Any]) -> Any:
    """The frame that SQL makes of others, which it calls ``{name}``.

    A Classic session knows frames by temporary views. PySpark's own ``sql(text, **frames)`` drops
    these by the catalogue, which forgets what is cached of them, the caller's cache included.
    """
    if _is_remote(session):
        return session.sql(text, **frames)
    views = {name: f"sklearn_rank_{uuid4().hex}" for name in frames}
    try:
        for name, frame in frames.items():
            frame.createOrReplaceTempView(views[name])
        return session.sql(text.format(**views))
    finally:
        catalogue = session._jsparkSession.sessionState().catalog()
        for view in views.values():
            catalogue.dropTempView(view)


def _is_remote(session: Any) -> bool:
    """Whether a session is one of Connect; both kinds have nearly all attributes."""
    return ".connect." in type(session).__module__


def _is_stopped(session: Any) -> bool:
    if _is_remote(session):
        return bool(session.is_stopped)
    return session.sparkContext._jsc is None


def _is_same(one: Any, other: Any) -> bool:
    """Whether both objects stand for one session."""
    if one is other or _is_remote(one) != _is_remote(other):
        return one is other
    if _is_remote(one):
        return bool(one.session_id == other.session_id)
    return bool(one._jsparkSession.equals(other._jsparkSession))


def refuse_twins(frame: Any, name: str, columns: Collection[str]) -> None:
    """ColumnRoleError for columns whose names Spark does not tell from others of the frame."""
    session = frame.sparkSession
    folds = session.conf.get("spark.sql.caseSensitive", "false") != "true"
    for column in columns:
        twins = [
            other
            for other in frame.columns
            if other == column or (folds and other.lower() == column.lower())
        ]
        if len(twins) > 1:
            msg = (
                f"columns {listed(twins)} of {name} are of one name to Spark, and "
                f"{safe_repr(column)} is to be read; rename or drop the others"
            )
            raise ColumnRoleError(msg)
