"""How rows are written as files, and read by the package and its command."""

import contextlib
import csv
import io
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sklearn_rank import read_qrels, read_run
from sklearn_rank.cli import main
from tests.field.row import Files, Row

Table = dict[str, Any]
PLAIN = (str, int, float, np.number)
NO_OBJECTS = "a file holds no objects of Python"


class CommandError(Exception):
    """What a command says that ends with another code than 0; it names no class."""


# Data in Python as tables of text -----------------------------------------------------------------


def as_tables(row: Row) -> list[Table]:
    """{query: {item: grade} or [items]} and {query: {item: score} or [items]}, all ids as text."""
    tables = []
    for side in (row.truth, row.ranking):
        if "groups" in row.options:
            queries = list(row.options["groups"])
            pairs = {q: {n: x for n, x in enumerate(side) if queries[n] == q} for q in queries}
        else:
            pairs = side if isinstance(side, Mapping) else dict(enumerate(side))
        tables.append({str(query): as_text(items) for query, items in pairs.items()})
    return tables


def as_text(items: Any) -> Any:
    if isinstance(items, np.ndarray) and not isinstance(items.flat[0], str):
        items = dict(enumerate(items.tolist()))
    if not isinstance(items, Mapping):
        return [str(item) for item in items]
    numbers = {str(i): x.item() if isinstance(x, np.generic) else x for i, x in items.items()}
    return {item: int(x) if isinstance(x, bool) else x for item, x in numbers.items()}


def why_no_file(row: Row, form: str) -> str:
    """Why data in Python are not written in a format."""
    for option in ("relevance", "candidates", "sample_weight", "query_ids", "columns", "values"):
        if option in row.options:
            return f"files have no {option}="
    if not all(isinstance(query, PLAIN) for query in row.options.get("groups", ())):
        return NO_OBJECTS
    for side in (row.truth, row.ranking):
        inner = side.values() if isinstance(side, dict) else side
        inner = [side] if "groups" in row.options else inner
        if type(side) not in (list, dict, np.ndarray) or any(
            type(items) not in (list, set, dict, np.ndarray)
            or not all(isinstance(item, PLAIN) for item in items)
            for items in inner
        ):
            return NO_OBJECTS
    if not isinstance(row.want, float) and not isinstance(row.truth, dict):
        return "a file has ids, so nothing in it is read by position"
    tables = as_tables(row)
    try:
        json.dumps(tables)
    except TypeError:
        return NO_OBJECTS
    rows = [row for table in tables for row in rows_of(table)]
    if form != "json" and not all(side for table in tables for side in table.values()):
        return "a line has an item"
    if form == "trec" and any(re.search(r"\s|^$", text) for *ids, _ in rows for text in ids):
        return "TREC separates by spaces"
    if form == "trec" and any(number % 1 for *_, number in rows_of(tables[0])):
        return "TREC has whole grades"
    return ""


# Formats ------------------------------------------------------------------------------------------


def rows_of(table: Table) -> list[tuple[str, str, Any]]:
    """Rows of a table; the items of a list have ranks."""
    return [
        (query, item, number)
        for query, items in table.items()
        for item, number in (
            items.items()
            if isinstance(items, Mapping)
            else [(item, n) for n, item in enumerate(items, 1)]
        )
    ]


def json_of(table: Table, is_run: bool) -> str:
    return json.dumps(table)


def csv_of(table: Table, is_run: bool) -> str:
    out, are_lists = io.StringIO(), list in map(type, table.values())
    last = ["rank" if are_lists else "score"] if is_run else [] if are_lists else ["grade"]
    names = ["query", "item", *last]
    csv.writer(out).writerows([names, *(row[: len(names)] for row in rows_of(table))])
    return out.getvalue()


def trec_of(table: Table, is_run: bool) -> str:
    are_lists = list in map(type, table.values())
    form = "{0} Q0 {1} 1 {2!r} t\n" if is_run else "{0} 0 {1} {2!r}\n"
    rows = [(q, i, (-x if is_run else 1) if are_lists else x) for q, i, x in rows_of(table)]
    return "".join(form.format(*row) for row in rows)


WRITERS = {"json": json_of, "csv": csv_of, "trec": trec_of}


def in_files(row: Row, form: str) -> Files:
    """A row as two files."""
    sides = [WRITERS[form](table, bool(n)) for n, table in enumerate(as_tables(row))]
    options = {key: value for key, value in row.options.items() if key != "groups"}
    return Files(row.source, *sides, row.measure, row.want, form, options=options)


# Reading, and the command -------------------------------------------------------------------------


def written(folder: Path, qrels: Any, run: Any, suffixes: Sequence[str]) -> list[str]:
    paths = [folder / f"{n}.{suffix}" for n, suffix in zip(("a", "b"), suffixes, strict=True)]
    for path, content in zip(paths, (qrels, run), strict=True):
        text = content if isinstance(content, (str, bytes)) else json.dumps(content)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return [*map(str, paths)]


def of_files(files: Files, folder: str) -> list[str]:
    return written(Path(folder), files.qrels, files.run, (files.form.split() * 2)[:2])


def read(files: Files) -> Row:
    """What the package reads."""
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = of_files(files, folder)
        judged = read_qrels(qrels, **files.qrels_options)
        ranked = read_run(run, **files.run_options)
    return Row(files.source, judged, ranked, files.measure, files.want, files.options)


def ended(words: Sequence[str]) -> tuple[str, str]:
    """What a command prints, and what it says of problems."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(list(words))
        except SystemExit as end:
            code = end.code
    if code:
        raise CommandError(" ".join((out.getvalue() + err.getvalue()).split()))
    return out.getvalue(), err.getvalue()


def command_of(files: Files, name: str, folder: str) -> list[str]:
    """Words of a command that reads two files."""
    words = [name, *of_files(files, folder)]
    for side, options in (("qrels", files.qrels_options), ("run", files.run_options)):
        for role, column in options.get("columns", {}).items():
            words += [f"--{side}-column", f"{role}={column or ''}"]
        for text, grade in options.get("grades", {}).items():
            words += ["--grade", f"{text}={grade}"]
        if "duplicates" in options:
            words += ["--duplicates", f"{side}={options['duplicates']}"]
    words += [f"--duplicates=run={x}" for x in [files.options.get("duplicates")] if x]
    return words + [f"--convention={x}" for x in [files.options.get("convention")] if x]
