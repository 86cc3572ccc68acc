"""Files as lazy frames: nothing is read before somebody evaluates them."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from sklearn_rank.engines.read import EngineOptions
from sklearn_rank.engines.stream import exact
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.files.columnar import columnar_kind
from sklearn_rank.files.read import FORMATS, FileFormat, read_parts
from sklearn_rank.files.source import Limits, Source, opened, source_of
from sklearn_rank.files.text import find_columns
from sklearn_rank.inputs.roles import Columns
from sklearn_rank.support.checks import check_option
from sklearn_rank.support.disk import readable
from sklearn_rank.support.text import format_list, safe_repr

if TYPE_CHECKING:
    import polars as pl

ScanEngine: TypeAlias = Literal["polars", "duckdb", "spark"]
Paths: TypeAlias = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"

_UNLIMITED = Limits(max_rows=1 << 62, max_bytes=1 << 62)
"""Files are larger than memory here; lines are not."""


def scan_run(
    path: Paths,
    *,
    format: FileFormat | None = None,
    columns: Mapping[str, str | None] | None = None,
    engine: ScanEngine = "polars",
    memory_limit: int | str | None = None,
) -> Any:
    r"""Rankings of a system in files that may be larger than memory, as a lazy frame.

    Parameters
    ----------
    path : path, or sequence of paths
        Files of one format; a folder stands for all files in it, a name with ``*``, ``?`` or
        ``[`` for all that match.
    format : {"trec", "csv", "jsonl", "json", "parquet", "arrow"}, default=None
        None tells it from the first file. JSON is read whole, the others as they stream.
    columns : mapping, default=None
        Column of a role ("query", "item", "score", "rank") whose name is not recognised, or None
        for a role that no column has.
    engine : {"polars", "duckdb", "spark"}, default="polars"
        DuckDB and Spark, in its running session or one of its own, read Parquet alone.
    memory_limit : int or str, default=None
        What DuckDB's own buffers may take, as in :class:`EngineOptions`.

    Returns
    -------
    run : polars.LazyFrame, duckdb.DuckDBPyRelation or pyspark.sql.DataFrame
        The columns "query" and "item", as text, and "score" or "rank" if there is one.

    Raises
    ------
    FileFormatError
        If the files do not hold what their format demands; of text that is seen while they stream.
    ColumnRoleError
        If it is not clear which column holds what.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn_rank import evaluate, scan_qrels, scan_run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run, qrels = Path(folder, "bm25.run"), Path(folder, "qrels.txt")
    ...     written = run.write_text("q1 Q0 d7 1 12.5 bm25\nq1 Q0 d2 2 9.25 bm25\n")
    ...     written = qrels.write_text("q1 0 d2 1\n")
    ...     evaluate(scan_qrels(qrels), scan_run(run), "mrr")["mrr"]
    0.5
    """
    return _scan(path, format, columns, engine, memory_limit, is_run=True)


def scan_qrels(
    path: Paths,
    *,
    format: FileFormat | None = None,
    columns: Mapping[str, str | None] | None = None,
    engine: ScanEngine = "polars",
    memory_limit: int | str | None = None,
) -> Any:
    """Relevance judgements in files that may be larger than memory, as a lazy frame.

    Parameters
    ----------
    path, format, columns, engine, memory_limit
        As in :func:`scan_run`; the roles are "query", "item" and "grade".

    Returns
    -------
    qrels : polars.LazyFrame, duckdb.DuckDBPyRelation or pyspark.sql.DataFrame
        The columns "query" and "item", as text, and "grade" if there is one.
    """
    return _scan(path, format, columns, engine, memory_limit, is_run=False)


def _scan(
    path: Paths,
    format: FileFormat | None,
    columns: Columns | None,
    engine: ScanEngine,
    memory_limit: int | str | None,
    *,
    is_run: bool,
) -> Any:
    owner = "scan_run" if is_run else "scan_qrels"
    check_option(engine, "engine", get_args(ScanEngine), owner)
    if format is not None:
        check_option(format, "format", FORMATS, owner)
    options = EngineOptions(memory_limit)  # refuses a limit that is none
    sources = [source_of(name, _UNLIMITED) for name in files_of(path)]
    kind: str | None = format
    if kind is None:
        with opened(sources[0]) as (_, head):
            kind = columnar_kind(head)
    if engine != "polars" and kind != "parquet":
        msg = f"engine={engine!r} reads Parquet here, and {sources[0].name} is none; leave it out"
        raise InvalidParameterError(msg)
    if engine == "polars" and kind not in ("parquet", "arrow"):
        return _text(sources, format, columns, is_run=is_run)
    if engine == "polars":
        return _columnar(sources, str(kind), columns, is_run=is_run)
    paths = [str(source.path) for source in sources]
    frame: Any
    if engine == "duckdb":
        import duckdb

        from sklearn_rank.engines.duckdb import quoted as quote

        connection = duckdb.connect()
        _OPEN.append(connection)
        if options.memory_limit is not None:
            connection.execute(f"SET memory_limit = '{options.n_bytes}B'")
        frame, text = connection.read_parquet(paths), "VARCHAR"
    else:
        from sklearn_rank.engines.spark import quoted as quote  # type: ignore[assignment]
        from sklearn_rank.engines.spark import running_session

        frame, text = running_session().read.parquet(*paths), "string"
    named = find_columns(list(frame.columns), columns, sources[0].name, is_run=is_run)
    ids = {"query": named.query, "item": named.item}
    selected = [f"CAST({quote(name)} AS {text}) AS {role}" for role, name in ids.items()]
    if named.number is not None:
        sign, kind = ("-", "score") if named.kind == "distance" else ("", named.kind)
        selected.append(f"{sign}{quote(named.number)} AS {kind}")
    selected += [quote(name) for name in named.spare]
    return frame.project(", ".join(selected)) if engine == "duckdb" else frame.selectExpr(*selected)


_OPEN: list[Any] = []
"""Connections, which early versions close although a relation still reads by them."""


def is_several(path: str) -> bool:
    """Whether a path names a folder or a pattern, not a file."""
    return os.path.isdir(path) or (glob.has_magic(path) and not os.path.exists(path))


def files_of(path: Paths) -> list[str]:
    """All files that a path, a pattern, a folder or several of them name, in order."""
    names: list[str] = []
    holder: dict[str, str] = {}
    for entry in [path] if isinstance(path, (str, os.PathLike)) else list(path):
        text = os.fsdecode(os.fspath(entry))
        is_folder = os.path.isdir(text)
        is_pattern = is_several(text) and not is_folder
        found: list[str] = []
        for name in sorted(glob.glob(text, recursive=True)) if is_pattern else [text]:
            # Of a folder as Spark writes it: marks of success and checksums are no data.
            within = [os.path.join(at, one) for at, _, ones in os.walk(name) for one in ones]
            data = [one for one in within if not os.path.basename(one).startswith(("_", "."))]
            found += sorted(data) if os.path.isdir(name) else [name]
        if not found:
            fault = "is a folder without files" if is_folder else "is the name of no file"
            msg = f"path {safe_repr(text)} {fault}"
            raise FileNotFoundError(msg)
        names += found
        what = "path" if found == [text] else f"path {safe_repr(text)} stands for files of which"
        holder.update(dict.fromkeys(found, what))
    if not names:
        msg = "path is an empty list; name a file, a pattern, a folder, or several of them"
        raise FileNotFoundError(msg)
    for name in names:
        with readable(name, holder[name]), open(name, "rb"):
            pass
    return names


def _columnar(
    sources: list[Source], kind: str, columns: Columns | None, *, is_run: bool
) -> pl.LazyFrame:
    import polars as pl

    parts: list[pl.LazyFrame] = []
    first: list[str] = []
    for source in sources:
        frame = (pl.scan_parquet if kind == "parquet" else pl.scan_ipc)(source.path)
        schema = frame.collect_schema()
        named = find_columns(schema.names(), columns, source.name, is_run=is_run)
        query, item = exact([named.query, named.item])
        selected = [query.cast(pl.String).alias("query"), item.cast(pl.String).alias("item")]
        if named.number is not None:
            number = exact([named.number])[0]
            falls = named.kind == "distance"
            selected.append((-number).alias("score") if falls else number.alias(named.kind))
        # Numbers of unknown names go along, to be looked at.
        others = [name for name in named.spare if schema[name].is_numeric()]
        parts.append(frame.select(*exact(others), *selected))
        names = parts[-1].collect_schema().names()
        first = first or names
        if names != first:
            source.fail(
                None,
                f"holds the columns {format_list(names)}, and "
                f"{sources[0].name} {format_list(first)}; files of one run are alike",
            )
    # Shards may differ in the width of their numbers, and in columns that nobody reads.
    return parts[0] if len(parts) == 1 else pl.concat(parts, how="vertical_relaxed")


def _text(
    sources: list[Source], format: FileFormat | None, columns: Columns | None, *, is_run: bool
) -> pl.LazyFrame:
    """A lazy frame that asks the strict readers of text for some rows at a time."""
    import polars as pl
    from polars.io.plugins import register_io_source

    parts = read_parts(sources[0], format, columns, is_run=is_run)
    first = next(parts)
    parts.close()
    schema: dict[str, Any] = {"query": pl.String, "item": pl.String}
    if first.numbers is not None:
        schema[first.role] = pl.Series(first.numbers[:0]).dtype

    def read(
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        batch_size: int | None,  # noqa: ARG001
    ) -> Iterator[pl.DataFrame]:
        left = n_rows
        for source in sources:
            for part in read_parts(source, format, columns, is_run=is_run):
                values = {"query": part.queries, "item": part.items}
                if part.numbers is not None:
                    values[part.role] = part.numbers
                frame = pl.DataFrame(values, schema_overrides=schema).select(list(schema))
                if left is not None:
                    frame = frame.head(left)
                    left -= frame.height
                if predicate is not None:
                    frame = frame.filter(predicate)
                yield frame if with_columns is None else frame.select(with_columns)
                if left == 0:
                    return

    return register_io_source(read, schema=schema)
