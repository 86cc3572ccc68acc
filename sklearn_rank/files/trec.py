"""TREC's formats, as trec_eval reads them, but for numbers that are none.

A run has six fields (query, Q0, item, rank, score, tag), of which the rank does not count; what
follows the tag is passed over. Judgements have four (query, 0, item, grade). White space separates.
Lines that begin with ``#`` are comments, as in trec_eval 10; blank lines are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sklearn_rank.files.numbers import read_number, read_whole
from sklearn_rank.files.rows import Fields, Rows, add_fast
from sklearn_rank.files.source import Block, Source, check_id

RUN = Fields(6, 0, 2, 4, spaced=True)
QRELS = Fields(4, 0, 2, 3, whole=True, spaced=True)


def read_trec(source: Source, blocks: Iterable[Block], *, is_run: bool) -> Rows:
    """Rows of a run or of judgements."""
    rows = Rows(source)
    for _ in add_trec(rows, blocks, is_run=is_run):
        pass
    return rows


def add_trec(rows: Rows, blocks: Iterable[Block], *, is_run: bool) -> Iterator[Rows]:
    """The rows after each block, for those who take them away."""
    fields = RUN if is_run else QRELS
    for block in blocks:
        if not add_fast(rows, block, fields, tag=5 if is_run else None):
            _add_lines(rows, block, fields)
        yield rows


def _add_lines(rows: Rows, block: Block, fields: Fields) -> None:
    """The same line by line, with something to say of each."""
    source = rows.source
    queries, items, numbers = [], [], []
    read = read_whole if fields.whole else read_number
    what = "grade" if fields.whole else "score"
    for line, data in enumerate(block.data.split(b"\n")[:-1], block.first_line):
        if data.startswith(b"#"):
            rows.comments += 1
            continue
        # Bytes split at ASCII white space alone, as trec_eval does; other spaces belong to ids.
        parts = data.split()
        if not parts:
            continue
        if len(parts) < fields.n_fields or (fields.whole and len(parts) > fields.n_fields):
            source.fail(line, _wrong_number(len(parts), fields))
        queries.append(check_id(source, line, parts[0].decode(), "query id"))
        items.append(check_id(source, line, parts[2].decode(), "item id"))
        numbers.append(read(source, line, parts[fields.number or 0].decode(), what))
        if not fields.whole:
            rows.tag = parts[5].decode()
    rows.add(queries, items, numbers)


def _wrong_number(n_fields: int, fields: Fields) -> str:
    own, other = ("judgements", "a run") if fields.whole else ("a run", "judgements")
    expected = "4 fields (query 0 item grade)"
    if not fields.whole:
        expected = "6 fields (query Q0 item rank score tag)"
    message = f"{n_fields} fields instead of {expected}"
    if n_fields == (RUN if fields.whole else QRELS).n_fields:
        message += f"; it looks like {other} and is read as {own}: are the two files swapped?"
    return message
