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
from tests.field.row import Files, Refused, Row, Warned

Table = dict[str, Any]


def plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, bool) else value


def as_tables(row: Row) -> tuple[Table, Table]:
    """{query: {item: grade} or [items]} and {query: {item: score} or [items]}, all ids as text."""
    truth, ranking = row.data()
    if isinstance(truth, Mapping):
        pairs = list(truth.items()), list(ranking.items())
    elif "groups" in row.options:
        made = []
        for numbers in (truth, ranking):
            table: Table = {}
            for n, (query, number) in enumerate(zip(row.options["groups"], numbers, strict=True)):
                table.setdefault(query, {})[n] = plain(number)
            made.append(list(table.items()))
        pairs = made[0], made[1]
    else:
        pairs = list(enumerate(truth)), list(enumerate(ranking))
    return as_text(pairs[0]), as_text(pairs[1])


def as_text(pairs: Sequence[tuple[Any, Any]]) -> Table:
    table: Table = {}
    for query, items in pairs:
        if isinstance(items, np.ndarray) and not isinstance(items.flat[0], str):
            items = dict(enumerate(items.tolist()))
        if isinstance(items, Mapping):
            table[str(query)] = {str(item): plain(number) for item, number in items.items()}
        else:
            table[str(query)] = [str(item) for item in items]
    return table


def rows_of(table: Table, last: int = 0) -> list[tuple[str, str, Any]]:
    """Rows of a table; items of a list have ranks, or where ``last`` is -1 falling scores."""
    rows = []
    for query, items in table.items():
        if isinstance(items, Mapping):
            rows += [(query, item, number) for item, number in items.items()]
        else:
            rows += [(query, item, abs(last * len(items) + n)) for n, item in enumerate(items, 1)]
    return rows


def json_of(table: Table, is_run: bool) -> str:
    return json.dumps(table)


def csv_of(table: Table, is_run: bool) -> str:
    out = io.StringIO()
    lists = not any(isinstance(side, Mapping) for side in table.values())
    names = ("query", "item", "rank" if lists else "score") if is_run else ("query", "item")
    rows = rows_of(table)
    if not is_run and not lists:
        names = (*names, "grade")
    csv.writer(out).writerows([names, *(row[: len(names)] for row in rows)])
    return out.getvalue()


def trec_of(table: Table, is_run: bool) -> str:
    form = "{} Q0 {} 1 {!r} t\n" if is_run else "{} 0 {} {!r}\n"
    lists = not any(isinstance(side, Mapping) for side in table.values())
    rows = rows_of(table, -1)
    return "".join(form.format(q, i, 1 if lists and not is_run else x) for q, i, x in rows)


WRITERS = {"json": json_of, "csv": csv_of, "trec": trec_of}


def why_no_file(row: Row, form: str) -> str:
    """Why data in Python are not written in a format."""
    for option in ("relevance", "candidates", "sample_weight", "query_ids", "columns", "values"):
        if option in row.options:
            return f"files have no {option}="
    truth, ranking = row.data()
    if not isinstance(truth, (list, dict, np.ndarray)) or not isinstance(
        ranking, (list, dict, np.ndarray)
    ):
        return "a file holds no objects of Python"
    if type(row.want) in (Refused, Warned) and not isinstance(truth, dict):
        return "a file has ids, so nothing in it is read by position"
    try:
        tables = as_tables(row)
        sides = [side for table in tables for side in table.values()]
        json.dumps(tables)
    except TypeError:
        return "a file holds no objects of Python"
    given = [*_values(truth), *_values(ranking)]
    if any(not isinstance(side, (list, set, dict, np.ndarray)) for side in given) or any(
        not isinstance(item, (str, int, float, np.number)) for side in given for item in side
    ):
        return "a file holds no objects of Python"
    if form != "json" and not all(sides):
        return "a line has an item"
    numbers = [number for *_, number in rows_of(tables[0])]
    texts = [text for table in tables for row in rows_of(table) for text in row[:2]]
    if form == "trec" and any(re.search(r"\s", text) or not text for text in texts):
        return "TREC separates by spaces"
    if form == "trec" and any(number % 1 for number in numbers):
        return "TREC has whole grades"
    return ""


def _values(data: Any) -> list[Any]:
    if isinstance(data, np.ndarray) and data.ndim == 1:
        return [data]
    if isinstance(data, list) and data and isinstance(data[0], (int, float)):
        return [data]
    return list(data.values() if isinstance(data, dict) else data)


def read_of(files: Files) -> tuple[Any, Any]:
    """What is read, by the suffixes of the form."""
    forms_of = (files.form.split() * 2)[:2]
    with tempfile.TemporaryDirectory() as folder:
        paths = written(Path(folder), files.qrels, files.run, forms_of)
        truth = read_qrels(paths[0], **files.qrels_options)
        return truth, read_run(paths[1], **files.run_options)


def written(folder: Path, qrels: Any, run: Any, suffixes: Sequence[str]) -> list[Path]:
    paths = []
    for name, content, suffix in zip(("judged", "ranked"), (qrels, run), suffixes, strict=True):
        path = folder / f"{name}.{suffix}"
        text = content if isinstance(content, (str, bytes)) else json.dumps(content)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        paths.append(path)
    return paths


def ended(words: Sequence[str]) -> tuple[str, str]:
    """What a command prints; an error of it is an error of the class that it names."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(list(words))
        except SystemExit as end:
            code = end.code
    if code:
        raise CommandError(" ".join((out.getvalue() + err.getvalue()).split()))
    return out.getvalue(), err.getvalue()


class CommandError(Exception):
    """A command ended with another code than 0; its text has no class."""


def flags_of(row: Any) -> list[str]:
    words = []
    for side in ("qrels", "run"):
        options = getattr(row, f"{side}_options", {})
        for role, name in options.get("columns", {}).items():
            words += [f"--{side}-column", f"{role}={name or ''}"]
        for text, grade in options.get("grades", {}).items():
            words += ["--grade", f"{text}={grade}"]
        if "duplicates" in options:
            words += ["--duplicates", f"{side}={options['duplicates']}"]
    if "convention" in row.options:
        words += ["--convention", row.options["convention"]]
    return words
