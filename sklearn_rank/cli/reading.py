"""Files that are named on the command line; ``-`` is standard input."""

from __future__ import annotations

import argparse
import csv
import io
import math
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from sklearn_rank.evaluation.repeats import Repeats
from sklearn_rank.files.jsons import json_values
from sklearn_rank.files.read import read_qrels, read_run
from sklearn_rank.files.source import MAX_BYTES, Source, lines_of, source_of, text_of
from sklearn_rank.inputs.roles import Columns, Role, ids_among, plain_name, role_of
from sklearn_rank.inputs.tables import Qrels, Run
from sklearn_rank.support.text import count, format_list, safe_repr


class Reader:
    """Reads the files of a command by its options; columns given here win over them."""

    def __init__(
        self,
        arguments: argparse.Namespace,
        qrels_columns: Columns | None = None,
        run_columns: Columns | None = None,
        grades: Mapping[str, float] | None = None,
        queries: str | None = None,
        duplicates: Mapping[str, str] | None = None,
    ) -> None:
        self._arguments, self.max_bytes = arguments, arguments.max_bytes or MAX_BYTES
        self.qrels_columns = qrels_columns or dict(arguments.qrels_column) or None
        self.run_columns = run_columns or dict(arguments.run_column) or None
        queries, what = queries or arguments.queries, "queries" if queries else "--queries"
        self.queries = queries and lines_of(queries, what)
        self.duplicates: Mapping[str, Any] = duplicates or dict(arguments.duplicates)
        """Which of several rows of an item counts, by side."""
        self.grades = grades or dict(arguments.grade_of) or None

    def qrels(self, path: str, what: str = "QRELS") -> Qrels:
        """Judgements; ``what`` is the name of the file in the usage of the command."""
        self._arguments.reading = "qrels"
        return read_qrels(
            self._source(path, what),
            columns=self.qrels_columns,
            grades=self.grades,
            duplicates=self.duplicates.get("qrels", "raise"),
        )

    def run(self, path: str, what: str = "RUN") -> Run:
        """A run."""
        self._arguments.reading = "run"
        source = self._source(path, what)
        return read_run(source, columns=self.run_columns, queries=self.queries)

    def runs(self, paths: str) -> Run | Repeats:
        """A run, or repeated runs of one system given as files separated by commas."""
        several = split_runs(paths)
        if len(several) == 1:
            return self.run(paths)
        return Repeats([self.run(path) for path in several])

    def _source(self, path: str, what: str) -> Any:
        return source_of(sys.stdin.buffer if path == "-" else path, what, self.max_bytes)


def split_runs(paths: str) -> list[str]:
    """Files of repeated runs of one system; an existing file named with a comma is one run."""
    several = paths.split(",")
    return [paths] if os.path.exists(paths) or not all(several) else several


def refuse_repeated_input(*paths: str | None) -> None:
    """ValueError if standard input would be read twice."""
    if paths.count("-") > 1:
        msg = "'-' is standard input, which can be read only once; name a file for the others"
        raise ValueError(msg)


def refuse_repeated_runs(*paths: str | None) -> None:
    """ValueError if a run would be compared with itself."""
    given = [path for path in paths if path is not None]
    if len(set(given)) < len(given):
        msg = "the same run was given twice; pass different runs"
        raise ValueError(msg)


# Labels and texts of queries --------------------------------------------------------------------

_COLUMN_NAMES = {
    "label": (
        "label",
        "labels",
        "slice",
        "cluster",
        "segment",
        "group",
        "category",
        "class",
        "type",
        "set",
    ),
    "text": ("text", "querytext", "title", "question", "description"),
    "number": ("number", "value"),
}
"""Plain names of columns that hold a label of a query, its text, or a number."""


def read_labels(
    path: str, option: str = "--slices", what: str = "label", of: Role = "query"
) -> dict[str, str]:
    """{query: label} of a CSV file, of JSON lines, or of a JSON object.

    ``option`` names the file in messages, ``what`` is "label" or "text", ``of`` "query" or "item".
    """
    source = source_of(path, option)
    labels: dict[str, str] = {}
    for line, query, label in _pairs(source, text_of(path, option), what, of):
        if label in ("", None) and what == "label":
            continue  # an empty cell is no label, and no slice of that name
        if not isinstance(label, (str, int, float)):
            got = f"must be text or a number, got {safe_repr(label)}"
            source.fail(line, f"the {what} of {of} {safe_repr(query)} {got}")
        if labels.setdefault(str(query), str(label)) != str(label):
            both = f"{safe_repr(labels[str(query)])} and {safe_repr(str(label))}"
            source.fail(line, f"{of} {safe_repr(query)} has two {what}s, {both}; keep one")
    if not labels:
        source.fail(None, f"has no {what} for any {of}")
    return labels


_FACTS = ("title", "text", "url", "image")


def read_items(path: str, option: str = "--item-text") -> dict[str, Any]:
    """{item: title}, or {item: {title, text, url, image}} of a file with such columns."""
    source, text = source_of(path, option), text_of(path, option)
    first = text.lstrip().partition("\n")[0]
    rows: list[dict[str, Any]] = []
    if first.startswith("{"):
        rows = [value for _, value in json_values(source, text)]
        if len(rows) == 1 and not _is_row(rows[0]):
            if not all(isinstance(value, dict) for value in rows[0].values()):
                return dict(read_labels(path, option, "text", "item"))
            rows = [{"item": item, **facts} for item, facts in rows[0].items()]
    else:
        delimiter = "\t" if "\t" in first else ","
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))
    names = list(rows[0]) if rows else []
    facts = {plain_name(name): name for name in names if plain_name(name) in _FACTS}
    rest = [name for name in names if name not in facts.values()]
    ids = [name for name in rest if role_of(name) == "item" or name in ("_id", "id")]
    if len(ids) != 1 or len(facts) < 2:
        return dict(read_labels(path, option, "text", "item"))
    return {str(row[ids[0]]): {fact: row.get(name) for fact, name in facts.items()} for row in rows}


def read_texts(arguments: argparse.Namespace) -> dict[str, Any]:
    """Texts of queries and titles of items, as arguments of the library."""
    texts, items = arguments.query_text, arguments.item_text
    return {
        "query_text": None if texts is None else read_labels(texts, "--query-text", "text"),
        "item_text": None if items is None else read_items(items),
    }


def read_values(path: str, name: str) -> dict[str, float]:
    """{query: number} of a file in the formats of labels; NaN for an empty cell.

    The column called ``name`` comes before others.
    """
    source, values = source_of(path, "--values"), dict[str, float]()
    for line, query, value in _pairs(source, text_of(path, "--values"), "number", "query", name):
        try:
            number = math.nan if value in ("", None) else float(value)
        except (TypeError, ValueError):
            text = f"query {safe_repr(query)} has {safe_repr(value)}, which is not a number"
            shape = "; pass JSON {query: number}, or CSV with a query and a number"
            source.fail(line, text + shape * (line is None))
        if str(query) in values:
            source.fail(line, f"query {safe_repr(query)} has two numbers; keep one")
        values[str(query)] = number
    return values


def _pairs(
    source: Source, text: str, what: str, of: Role, name: str | None = None
) -> Iterator[tuple[int | None, Any, Any]]:
    """Line, query and label of each row; the label may have a column of this name."""
    first = text.lstrip().partition("\n")[0]
    if not first.startswith(("{", "[")):
        lines = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in text else ",")
        names = next(lines, [])
        query, label = _columns(source, 1, names, what, of, name)
        for line, row in enumerate(lines, 2):
            if len(row) != len(names):
                source.fail(line, f"{count(len(row), 'field')} instead of {len(names)}")
            yield line, row[names.index(query)], row[names.index(label)]
    else:
        values: list[tuple[int | None, Any]] = list(json_values(source, text))
        if len(values) == 1 and isinstance(values[0][1], list):
            values = [(None, value) for value in values[0][1]]
        if len(values) == 1 and not _is_row(values[0][1]):
            yield from ((None, key, value) for key, value in values[0][1].items())
            return
        for place, value in values:
            names = list(value) if isinstance(value, dict) else []
            query, label = _columns(source, place, names, what, of, name)
            yield place, value[query], value[label]


def _is_row(row: Any) -> bool:
    """Whether an object has the id of a query or an item, and other fields."""
    ids = ("query", "item")
    return len(row) > 1 and any(role_of(name) in ids or name in ("_id", "id") for name in row)


def _columns(
    source: Source, line: int | None, names: list[str], what: str, of: Role, name: str | None
) -> tuple[str, str]:
    """The columns of ids and of labels or texts: by name, else the only other one."""
    queries = ids_among([one for one in names if one != name], of, _COLUMN_NAMES[what])
    if len(queries) == 1 and name in names:
        return queries[0], str(name)
    rest = {one: plain_name(one) for one in names if one not in queries}
    labels = [one for one in names if rest.get(one) in _COLUMN_NAMES[what]]
    if not labels and (len(names) == 2 or what != "text"):
        others = {*_COLUMN_NAMES["label"], *_COLUMN_NAMES["text"]}
        may_be = (None, of) if what == "text" else (None,)
        labels = [one for one in rest if role_of(one) in may_be and rest[one] not in others]
    if len(queries) != 1 or len(labels) != 1:
        shown = format_list(names, limit=20) or "nothing"
        wanted = f"{of} and {name or what}"
        source.fail(line, f"needs the columns {wanted}, but the first line has {shown}")
    return queries[0], labels[0]
