"""Evaluations as text, HTML, plain objects, and data frames through narwhals."""

from __future__ import annotations

import copy
import html
import math
from collections.abc import Mapping, Sequence
from datetime import date, time
from typing import Any, Literal, Protocol, get_args

import numpy as np

from sklearn_rank.support.parameters import check_option
from sklearn_rank.support.tables import aligned
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray

FrameBackend = Literal["pandas", "polars", "pyarrow"]
_FRAMES = get_args(FrameBackend)
TITLES = ("measure", "score", "95 % interval", "queries")
_HUGE = 1e9
"""From here on four decimals would widen the column; LAG and DCG have no upper bound."""


class _Evaluation(Protocol):
    @property
    def scores(self) -> Mapping[str, float]: ...
    @property
    def per_query(self) -> Mapping[str, FloatArray]: ...
    @property
    def counts(self) -> dict[str, Any]: ...
    @property
    def hint(self) -> str: ...
    def confidence_interval(self, measure: str) -> tuple[float, float]: ...


def to_text(evaluation: _Evaluation) -> str:
    """A row per measure, then what was counted."""
    rows = [TITLES, *table_rows(evaluation)]
    lines = aligned(rows, "<><>", least=(12, 6, 14, 11))
    return "\n".join([*lines, remarks(evaluation.counts, evaluation.hint)])


def to_html(evaluation: _Evaluation) -> str:
    """The same as an HTML table, every text escaped."""
    head = "".join(f"<th>{title}</th>" for title in TITLES)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
        for row in table_rows(evaluation)
    )
    said = html.escape(remarks(evaluation.counts, evaluation.hint))
    return (
        f"<table><caption>{said}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def to_frame(query_ids: list[Any], columns: Mapping[str, FloatArray], backend: FrameBackend) -> Any:
    """A native data frame with a row per query."""
    import narwhals as nw

    check_option(backend, "backend", _FRAMES, "to_frame")
    kinds = {type(query) for query in query_ids}
    ids = query_ids if kinds <= {str} or kinds <= {int} else list(map(_whole, query_ids))
    data = {"query": ids, **{name: values.tolist() for name, values in columns.items()}}
    return nw.from_dict(data, backend=backend).to_native()


def to_dict(
    evaluation: _Evaluation, query_ids: Sequence[Any], measures: Mapping[str, str]
) -> dict[str, Any]:
    """Everything as plain Python objects, NaN as None."""
    return {
        "scores": {name: _plain_number(score) for name, score in evaluation.scores.items()},
        "measures": dict(measures),
        "counts": copy.deepcopy(evaluation.counts),
        "query_ids": [plain_id(query) for query in query_ids],
        "per_query": {
            name: [_plain_number(value) for value in values.tolist()]
            for name, values in evaluation.per_query.items()
        },
    }


def _plain_number(value: float) -> float | None:
    return None if math.isnan(value) else value


def plain_id(query: Any) -> Any:
    """A query id as JSON can hold it: dates as ISO text, tuples as lists, the rest by ``repr``."""
    if isinstance(query, np.generic):
        query = str(query) if query.dtype.kind in "mM" else query.item()
    if query is None or isinstance(query, (str, int, float)):
        return query
    if isinstance(query, (date, time)):
        return query.isoformat()
    if isinstance(query, tuple):
        return [plain_id(part) for part in query]
    return _whole(query)


def _whole(query: Any) -> str:
    """An id as text that keeps it apart from all others."""
    return safe_repr(query, limit=None)


def table_rows(evaluation: _Evaluation) -> list[tuple[str, str, str, str]]:
    """A row per measure: name, score, interval and number of queries."""
    counts = evaluation.counts
    rows = []
    for name, score in evaluation.scores.items():
        low = high = math.nan
        if name in evaluation.per_query:
            low, high = evaluation.confidence_interval(name)
        interval = "" if math.isnan(low) else f"{_digits(low)}..{_digits(high)}"
        queries = counts["averaged"][name]
        rows.append((name, _digits(score), interval, f"{queries:,}"))
    return rows


def _digits(value: float) -> str:
    """Four digits after the point, or as many in all of a number that would fill the line."""
    return f"{value:.4f}" if not abs(value) >= _HUGE else f"{value:.4g}"


_REMARKS = (
    ("missing", "judged but without a ranking"),
    ("unjudged", "ranked but without judgements, left out"),
    ("no_relevant", "without a relevant item"),
    ("tied", "with ties at a relevant item"),
)
_ITEM_REMARKS = (
    ("duplicates", "repeated items left out"),
    ("missed", "relevant items that no query retrieved"),
    ("unjudged_grades", "negative grades read as not judged"),
    ("unknown_items", "judged items that are not in the index"),
)


def remarks(counts: dict[str, Any], hint: str = "") -> str:
    """What was counted, in one line, and why nothing was retrieved."""
    parts = [_spoken(counts["queries"])]
    parts += [f"{counts[key]:,} {text}" for key, text in _REMARKS if counts[key]]
    parts += [f"{counts[key]:,} {text}" for key, text in _ITEM_REMARKS if counts[key]]
    if counts["relevant"] and not counts["retrieved"]:
        parts.append(f"no relevant item was retrieved{f' ({hint})' if hint else ''}")
    return "; ".join(parts)


def _spoken(queries: int) -> str:
    return "1 query" if queries == 1 else f"{queries:,} queries"
