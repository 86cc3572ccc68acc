"""Files that are named on the command line; ``-`` is standard input."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from dataclasses import dataclass, fields
from pathlib import Path

from sklearn_rank.exceptions import FileFormatError
from sklearn_rank.files.jsons import load_json
from sklearn_rank.files.read import qrels_of, run_of
from sklearn_rank.files.source import Limits, Source, source_of
from sklearn_rank.inputs.roles import Columns, role_of
from sklearn_rank.inputs.tables import Qrels, Run
from sklearn_rank.support.disk import readable
from sklearn_rank.support.text import listed, safe_repr, safe_text


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


def read_labels(path: str, option: str = "--slices", what: str = "label") -> dict[str, str]:
    """{query: label} of a CSV file with two columns, or of a JSON object.

    ``option`` names the file in messages, and ``what`` stands there for a label.
    """
    text = _text(path, option)
    source = source_of(path, Limits(), option)
    if text.lstrip().startswith("{"):
        labels = load_json(source, None, text.encode())
        for query, label in labels.items():
            if isinstance(label, (list, dict)) or label is None:
                source.fail(None, f"the {what} of query {safe_repr(query)} is not text")
        return {query: str(label) for query, label in labels.items()}
    return _labels_of_rows(source, text, what)


def _labels_of_rows(source: Source, text: str, what: str) -> dict[str, str]:
    lines = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in text else ",")
    rows = list(lines)
    names = rows[0] if rows else []
    queries = [place for place, name in enumerate(names) if role_of(name) == "query"]
    if len(names) != 2 or len(queries) != 1:
        shown = listed(names) or "nothing"
        source.fail(1, f"needs the columns query and {what}, and the first line has {shown}")
    (place,) = queries
    labels: dict[str, str] = {}
    for line, row in enumerate(rows[1:], 2):
        if len(row) != 2:
            source.fail(line, f"{len(row)} fields instead of 2")
        query, label = row[place], row[1 - place]
        if labels.setdefault(query, label) != label:
            both = f"{safe_repr(labels[query])} and {safe_repr(label)}"
            source.fail(line, f"query {safe_repr(query)} has the {what}s {both}")
    return labels


def _text(path: str, option: str) -> str:
    with readable(path, option):
        data = Path(path).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        msg = f"{safe_text(path)}:{line}: is not UTF-8 text"
        raise FileFormatError(msg) from None
