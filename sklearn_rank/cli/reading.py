"""Files that are named on the command line; ``-`` is standard input."""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sklearn_rank.exceptions import FileFormatError
from sklearn_rank.files.jsons import load_json
from sklearn_rank.files.read import qrels_of, run_of
from sklearn_rank.files.source import Limits, Source, source_of
from sklearn_rank.inputs.roles import Columns, plain_name, role_of
from sklearn_rank.inputs.tables import Qrels, Run
from sklearn_rank.support.disk import readable
from sklearn_rank.support.text import format_list, safe_repr, safe_text


@dataclass(frozen=True)
class Reader:
    """Reads the files of a command as its options say."""

    limits: Limits
    qrels_columns: Columns
    run_columns: Columns

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Reader:
        """The options as they were typed."""
        names = [field.name for field in fields(Limits)]
        given = {name: getattr(arguments, name) for name in names if getattr(arguments, name)}
        return cls(Limits(**given), dict(arguments.qrels_column), dict(arguments.run_column))

    def qrels(self, path: str, what: str = "QRELS") -> Qrels:
        """Judgements; ``what`` is how the usage of the command calls the file."""
        return qrels_of(self._source(path, what), None, self.qrels_columns or None)

    def run(self, path: str, what: str = "RUN") -> Run:
        """A run."""
        return run_of(self._source(path, what), None, self.run_columns or None)

    def _source(self, path: str, what: str) -> Source:
        return source_of(sys.stdin.buffer if path == "-" else path, self.limits, what)


def refuse_repeated_input(*paths: str | None) -> None:
    """ValueError if standard input is to be read twice, which can be read once."""
    if paths.count("-") > 1:
        msg = "'-' is standard input, which can be read only once; name a file for the others"
        raise ValueError(msg)


def read_ids(path: str, what: str = "--known-items") -> set[str]:
    """Ids of a file with one on each line; ValueError if it holds none."""
    ids = {line for line in _text(path, what).splitlines() if line}
    if not ids:
        msg = f"{safe_text(path)}: holds no id; write one on each line"
        raise FileFormatError(msg)
    return ids


# What is said of queries ------------------------------------------------------------------------

_NAMES = {
    "label": ("label", "labels", "slice", "segment", "group", "category", "class", "type"),
    "text": ("text", "query_text", "title", "question", "description"),
}
"""Columns that hold a label, or what a query asks."""


def read_labels(path: str, option: str = "--slices", what: str = "label") -> dict[str, str]:
    """{query: label} of a CSV file, of JSON lines, or of a JSON object.

    ``option`` names the file in messages, and ``what`` is "label" or "text".
    """
    source = source_of(path, Limits(), option)
    text = _text(path, option)
    labels: dict[str, str] = {}
    for line, query, label in _pairs(source, text, what):
        if not isinstance(label, (str, int, float)):
            source.fail(line, f"the {what} of query {safe_repr(query)} is not text")
        if label == "" and what == "label":
            continue  # an empty cell is no label, and no slice of that name
        if labels.setdefault(str(query), str(label)) != str(label):
            both = f"{safe_repr(labels[str(query)])} and {safe_repr(str(label))}"
            source.fail(line, f"query {safe_repr(query)} has the {what}s {both}")
    return labels


def _pairs(source: Source, text: str, what: str) -> Iterator[tuple[int | None, Any, Any]]:
    """Line, query and label of each row."""
    first = text.lstrip().partition("\n")[0]
    if not first.startswith("{"):
        lines = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in text else ",")
        names = next(lines, [])
        query, label = _columns(source, names, what)
        for line, row in enumerate(lines, 2):
            if len(row) != len(names):
                source.fail(line, f"{len(row)} fields instead of {len(names)}")
            yield line, row[names.index(query)], row[names.index(label)]
    elif _is_row(first):
        for line, row_text in enumerate(text.split("\n"), 1):
            if row_text.strip():
                row = load_json(source, line, row_text.encode())
                names = list(row) if isinstance(row, dict) else []
                query, label = _columns(source, names, what, line)
                yield line, row[query], row[label]
    else:
        labels = load_json(source, None, text.encode())
        yield from ((None, query, label) for query, label in labels.items())


def _is_row(line: str) -> bool:
    """Whether a line is an object with the id of a query and something said of it."""
    try:
        row = json.loads(line)
    except ValueError:
        return False
    return len(row) > 1 and any(role_of(name) == "query" or name in ("_id", "id") for name in row)


def _columns(source: Source, names: list[str], what: str, line: int = 1) -> tuple[str, str]:
    """The column of queries, and that of labels or texts: by name, else the only other one."""
    wanted, other = _NAMES[what], _NAMES["text" if what == "label" else "label"]
    plain = {name: plain_name(name) for name in names}
    queries = [name for name in names if role_of(name) == "query"] or [
        name for name in names if name in ("_id", "id")
    ]
    rest = [name for name in names if name not in queries]
    found = [name for name in rest if plain[name] in map(plain_name, wanted)]
    if not found and len(names) == 2:
        taken = map(plain_name, other)
        found = [name for name in rest if role_of(name) is None and plain[name] not in taken]
    if len(queries) != 1 or len(found) != 1:
        shown = format_list(names, limit=20) or "nothing"
        source.fail(line, f"needs the columns query and {what}, and the first line has {shown}")
    return queries[0], found[0]


def _text(path: str, option: str) -> str:
    with readable(path, option):
        data = Path(path).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        msg = f"{safe_text(path)}:{line}: is not UTF-8 text"
        raise FileFormatError(msg) from None
