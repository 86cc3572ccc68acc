"""Files that are named on the command line; ``-`` is standard input."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sklearn_rank.exceptions import FileFormatError
from sklearn_rank.files.read import read_qrels, read_run
from sklearn_rank.inputs.long_tables import Qrels, Run
from sklearn_rank.inputs.roles import find_roles
from sklearn_rank.support.text import safe_repr, safe_text


def read_qrels_file(path: str, columns: Sequence[tuple[str, str]]) -> Qrels:
    """Judgements."""
    return read_qrels(_source(path), columns=dict(columns) or None)


def read_run_file(path: str, columns: Sequence[tuple[str, str]]) -> Run:
    """A run."""
    return read_run(_source(path), columns=dict(columns) or None)


def _source(path: str) -> Any:
    return sys.stdin.buffer if path == "-" else path


def read_labels(path: str) -> dict[str, str]:
    """{query: label} of a CSV file with two columns, or of a JSON object."""
    text = Path(path).read_text(encoding="utf-8-sig")
    if text.lstrip().startswith("{"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            msg = f"{safe_text(path)}: is not JSON: {safe_text(str(error))}"
            raise FileFormatError(msg) from None
        return {str(query): str(label) for query, label in value.items()}
    rows = list(csv.reader(text.splitlines(), delimiter="\t" if "\t" in text else ","))
    names = rows[0] if rows else []
    query = find_roles(names, ("query",), where=safe_text(path))["query"]
    others = [name for name in names if name != query]
    if len(others) != 1:
        msg = f"{safe_text(path)}: a column of labels beside {safe_repr(query)} is needed"
        raise FileFormatError(msg)
    labels = {}
    for line, row in enumerate(rows[1:], 2):
        if len(row) != len(names):
            msg = f"{safe_text(path)}:{line}: {len(row)} fields instead of {len(names)}"
            raise FileFormatError(msg)
        labels[row[names.index(query)]] = row[names.index(others[0])]
    return labels
