"""The session that files are read in where nobody gives one."""

from __future__ import annotations

from typing import Any


def running_session() -> Any:
    """The session that runs, or a new one with Spark's own settings.

    Raises
    ------
    ImportError
        If PySpark is not there.
    OSError
        If Spark does not start, mostly for want of Java.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        msg = f"engine='spark' takes PySpark 4: pip install 'sklearn-rank[spark]' ({error})"
        raise ImportError(msg) from error
    try:
        return SparkSession.builder.getOrCreate()
    except RuntimeError as error:
        msg = f"Spark does not start; it takes Java 17 or later, which JAVA_HOME names ({error})"
        raise OSError(msg) from error
