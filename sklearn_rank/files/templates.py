"""Templates for judges: a CSV file of items whose grades are filled in, and read back."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from sklearn_rank.files.read import whole_grades
from sklearn_rank.files.source import Limits, Source, blocks, opened, source_of
from sklearn_rank.files.text import Rows, add_delimited
from sklearn_rank.files.write import csv_of, id_as_text, save
from sklearn_rank.inputs.tables import Qrels, as_list
from sklearn_rank.support.disk import Kind, check_target
from sklearn_rank.support.text import format_list, safe_text

_FORMULA = ("=", "+", "-", "@", "'")
"""What a spreadsheet would take for a formula, and the sign that says it is none."""
_COLUMNS = ("rank", "rank_other", "move")
"""Columns that `to_judge` puts beside query, item and grade."""


def write_template(rows: Any, path: str | os.PathLike[str]) -> None:
    """Write items to be judged as a CSV file with an empty column ``grade``.

    Parameters
    ----------
    rows : data frame
        As :meth:`Evaluation.to_judge` returns it; the columns ``query`` and ``item`` are needed,
        others are written beside them.
    path : path
        The file appears whole or not at all, and replaces nothing but a template to which nobody
        has added grades or columns.
        In a name that ends in ``.tsv`` tabs separate.

    Raises
    ------
    FileExistsError
        If there is another file, or a template to which somebody has added grades or columns.
    TypeError, ValueError
        If an id is neither text nor a whole number, or holds a line break.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from sklearn_rank import read_template, write_template
    >>> rows = pd.DataFrame({"query": ["q1", "q1"], "item": ["d7", "d9"], "rank": [1, 4]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "todo.csv")
    ...     write_template(rows, path)
    ...     print(path.read_text(), end="")
    ...     filled = path.write_text(path.read_text().replace("d7,", "d7,2"))
    ...     read_template(path)["q1"]
    query,item,grade,rank
    q1,d7,,1
    q1,d9,,4
    {'d7': 2}
    """
    import narwhals as nw

    columns = nw.from_native(rows, eager_only=True).to_dict(as_series=False)
    save_template(columns, path)


def save_template(columns: dict[str, list[Any]], path: str | os.PathLike[str]) -> None:
    """The same for columns by name."""
    check_template(path, columns=columns)
    names = ["query", "item", "grade"]
    names += [name for name in columns if name not in names]
    missing = [name for name in names[:2] if name not in columns]
    if missing:
        msg = f"rows has no column {missing[0]!r}; pass the frame of Evaluation.to_judge"
        raise ValueError(msg)
    n_rows = len(columns["query"])
    table = {"grade": [None] * n_rows, **columns}
    for name in ("query", "item"):
        table[name] = [_shielded(id_as_text(value)) for value in columns[name]]
    separator = "\t" if str(path).lower().endswith(".tsv") else ","
    rows = zip(*([_cell(value) for value in table[name]] for name in names), strict=True)
    save(path, csv_of(names, rows, separator))


def _shielded(text: str) -> str:
    """An id that no spreadsheet takes for a formula; reading takes the sign away again."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _cell(value: Any) -> Any:
    """A cell; NaN and None are empty, and moves have as many digits as people read."""
    if value is None or value != value:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else value


def read_template(path: str | os.PathLike[str] | IO[bytes]) -> Qrels:
    r"""Read the grades that were filled into a template; rows without a grade are left out.

    Parameters
    ----------
    path : path or binary file
        CSV or TSV with the columns ``query``, ``item`` and ``grade``.

    Returns
    -------
    qrels : Qrels
        The judgements; :meth:`Qrels.joined` adds them to those that there were.

    Raises
    ------
    FileFormatError
        If no grade is filled in, one is no number, or a line is not as the header says.
    ColumnRoleError
        If a column is missing.

    Examples
    --------
    >>> import io
    >>> from sklearn_rank import read_template
    >>> read_template(io.BytesIO(b"query,item,grade\nq1,d7,2\nq1,d9,\n"))["q1"]
    {'d7': 2}
    """
    source = source_of(path, Limits())
    rows = _filled_rows(source)
    if not rows.n_rows:
        source.fail(None, "no grade is filled in")
    queries, items, grades, _ = rows.take()
    assert grades is not None
    ids = [[text.removeprefix("'") for text in as_list(column)] for column in (queries, items)]
    return Qrels.from_columns(*ids, grades=whole_grades(source, grades), source=source.name)


def check_template(
    path: str | os.PathLike[str], columns: Iterable[str] = (), inputs: Iterable[Any] = ()
) -> None:
    """FileExistsError if a template at this path would replace what somebody has written."""

    def is_untouched(there: Path) -> bool:
        try:
            rows = _filled_rows(source_of(there, Limits()))
        except ValueError:
            return False
        added = [name for name in rows.unread if name not in {*_COLUMNS, *columns}]
        what = f"holds columns that were added ({format_list(added)})" if added else ""
        if rows.n_rows:
            what = f"holds grades that were filled in ({rows.n_rows:,})"
        if what:
            msg = (
                f"{safe_text(str(there))} {what}; read them first (--filled, read_template), and "
                "write to another file"
            )
            raise FileExistsError(msg)
        return True

    check_target(path, Kind("template", is_untouched), inputs)


def _filled_rows(source: Source) -> Rows:
    """The rows of a template that have a grade."""
    rows = Rows(source, is_run=False)
    with opened(source) as (file, head):
        for _ in add_delimited(rows, blocks(source, file, head), None):
            pass
    if rows.n_rows and not rows.numbers:
        source.fail(1, "has no column of grades")
    return rows
