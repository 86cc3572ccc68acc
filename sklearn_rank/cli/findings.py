"""What ``sklearn-rank doctor`` says of judgements and of a run."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.exceptions import ConventionWarning, RankingDataWarning
from sklearn_rank.inputs.hints import almost_equal, equal_but_for
from sklearn_rank.inputs.tables import LongTable, Qrels, Run, as_list
from sklearn_rank.support.text import listed
from sklearn_rank.typing import IntArray

FEW_QUERIES = 30
"""Below, an interval of the mean says little, and Student's t leans on values that are no bell."""
_DETECTED = 1.959964 + 0.841621
"""Standard errors of a difference that is significant at 5 % in four of five repetitions."""


class Finding(NamedTuple):
    """One remark; the mark is ``!`` where something is likely wrong."""

    mark: str
    what: str


def _remark(is_odd: bool, what: str) -> Finding:
    return Finding("!" if is_odd else "", what)


def of_qrels(qrels: Qrels) -> list[Finding]:
    """Sizes, grades, repeated items, queries without relevant items."""
    relevant = _sums(qrels, qrels.grades > 0)
    grades = Counter(qrels.grades.tolist())
    counts = ", ".join(f"{grade:g}: {number:,}" for grade, number in sorted(grades.items()))
    none = [query for query, count in zip(qrels, relevant, strict=True) if count == 0]
    findings = [
        _remark(False, f"{len(qrels):,} queries, {qrels.n_rows:,} judgements; grades {counts}"),
        _remark(False, f"relevant items of a query: {_spread(relevant)}"),
    ]
    if qrels.comments:
        findings.append(_remark(False, f"{qrels.comments:,} comment lines in {qrels.source}"))
    if none:
        findings.append(
            _remark(True, f"no relevant item for {len(none):,} queries: {listed(none)}")
        )
    if grades.keys() <= {1}:
        findings.append(
            _remark(False, "every judgement is relevant: nothing tells unjudged from irrelevant")
        )
    if min(grades) < 0:
        what = "negative grades need --convention trec_eval, which reads them as not judged"
        findings.append(_remark(True, what))
    return [*findings, *_columns(qrels), *_alike(qrels), *_repeated(qrels, "judged")]


def of_slices(qrels: Qrels, labels: Mapping[str, str]) -> list[Finding]:
    """Slices too thin to say anything, and queries without a label."""
    sizes = Counter(labels[query] for query in qrels if query in labels)
    thin = {label: size for label, size in sizes.items() if size < FEW_QUERIES}
    without = [query for query in qrels if query not in labels]
    findings = [_remark(False, f"{len(sizes):,} slices")]
    if thin:
        shown = listed([f"{label} ({size})" for label, size in thin.items()])
        findings.append(_remark(True, f"slices of fewer than {FEW_QUERIES} queries: {shown}"))
    if without:
        findings.append(_remark(True, f"{len(without):,} queries have no label: {listed(without)}"))
    return findings


def of_run(qrels: Qrels, run: Run) -> list[Finding]:
    """Lengths, queries and items that do not meet, and what difference could be seen."""
    lengths = np.diff(run.offsets)
    missing = [query for query in qrels if query not in run]
    unjudged = [query for query in run if query not in qrels]
    findings = [
        _remark(
            False, f"{len(run):,} rankings, {run.n_rows:,} rows; items each: {_spread(lengths)}"
        )
    ]
    for queries, what in (
        (missing, "judged queries have no ranking"),
        (unjudged, "ranked queries have no judgements"),
        ([run.query_ids[place] for place in np.flatnonzero(lengths == 0)], "rankings are empty"),
    ):
        if queries:
            findings.append(_remark(True, f"{len(queries):,} {what}: {listed(queries)}"))
    findings += _almost(missing, unjudged, "queries")
    findings += _almost(_ids(qrels) - _ids(run), _ids(run) - _ids(qrels), "items")
    findings += [*_columns(run), *_alike(run), *_repeated(run, "ranked")]
    if len(missing) == len(qrels):
        return findings
    try:
        return [*findings, *_resolution(qrels, run)]
    except ValueError as error:
        return [*findings, _remark(True, f"this cannot be measured: {error}")]


def _ids(table: LongTable) -> set[str]:
    ids = table.item_ids
    return set(ids if isinstance(ids, list) else ids.unique().to_list())


def _columns(table: LongTable) -> list[Finding]:
    """Columns that were passed over; perhaps one of them was meant to be read."""
    if not table.unread:
        return []
    what = f"columns without a role, which are not read: {listed(table.unread, limit=20)}"
    return [_remark(False, what)]


def _alike(table: LongTable) -> list[Finding]:
    """Queries that are perhaps one, written in two ways."""
    findings = []
    for change, pairs in equal_but_for(table).items():
        shown = "; ".join(listed(pair) for pair in pairs[:3])
        what = f"{len(pairs):,} queries are written in several ways, but for {change}: {shown}"
        findings.append(_remark(True, what))
    return findings


def _almost(left: Iterable[str], right: Iterable[str], what: str) -> list[Finding]:
    """Ids that would meet if they were written alike."""
    left, right = set(left), set(right)
    return [
        _remark(True, f"{number:,} {what} of both sides would meet with {change}")
        for change, number in almost_equal(left, right).items()
    ]


def _repeated(table: LongTable, what: str) -> list[Finding]:
    rows = table.rows.repeated()
    if not len(rows):
        return []
    queries = np.unique(np.searchsorted(table.offsets, rows, side="right") - 1)
    item = as_list(table.item_ids[int(rows[0]) : int(rows[0]) + 1])
    where = listed([table.query_ids[queries[0]]])
    others = f", and {len(queries) - 1:,} more queries repeat items" if len(queries) > 1 else ""
    text = f"the item {listed(item)} is {what} more than once for query {where}{others}"
    return [_remark(True, text)]


def _resolution(qrels: Qrels, run: Run) -> list[Finding]:
    """How well the mean is known, and which difference of two such systems would show."""
    with warnings.catch_warnings():
        # What it says is among the findings.
        warnings.simplefilter("ignore", ConventionWarning)
        warnings.simplefilter("ignore", RankingDataWarning)
        convention = "trec_eval" if (qrels.grades < 0).any() else "default"
        evaluation = evaluate(qrels, run, "ndcg@10", convention=convention, zero_division=math.nan)
    values = evaluation.per_query["ndcg@10"]
    values = values[~np.isnan(values)]
    if len(values) < 2:
        return [_remark(True, "fewer than two queries with relevant items: no interval at all")]
    low, high = evaluation.confidence_interval("ndcg@10")
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    return [
        _remark(
            len(values) < FEW_QUERIES,
            f"ndcg@10 is {evaluation['ndcg@10']:.4f} over {len(values):,} queries, 95 % interval "
            f"{low:.4f}..{high:.4f}",
        ),
        _remark(
            False,
            f"a change of {_DETECTED * error:.3f} would be seen in four of five cases, if changes "
            "vary from query to query as the values do; similar systems show smaller ones",
        ),
    ]


def _sums(qrels: Qrels, rows: object) -> IntArray:
    running = np.concatenate(([0], np.cumsum(np.asarray(rows, dtype=np.int64))))
    return np.diff(running[qrels.offsets])


def _spread(values: IntArray) -> str:
    return f"{values.min():,} to {values.max():,}, median {np.median(values):g}"
