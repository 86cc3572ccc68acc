"""What ``sklearn-rank doctor`` says of judgements and of a run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.inputs.id_columns import as_list
from sklearn_rank.inputs.long_tables import LongTable, Qrels, Run
from sklearn_rank.inputs.mappings import almost_equal
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


def _found(is_odd: bool, what: str) -> Finding:
    return Finding("!" if is_odd else "", what)


def of_qrels(qrels: Qrels) -> list[Finding]:
    """Sizes, grades, repeated items, queries without relevant items."""
    relevant = _sums(qrels, qrels.grades > 0)
    grades = Counter(qrels.grades.tolist())
    counts = ", ".join(f"{grade:g}: {number:,}" for grade, number in sorted(grades.items()))
    none = [query for query, count in zip(qrels, relevant, strict=True) if count == 0]
    findings = [
        _found(False, f"{len(qrels):,} queries, {qrels.n_rows:,} judgements; grades {counts}"),
        _found(False, f"relevant items of a query: {_spread(relevant)}"),
    ]
    if qrels.comments:
        findings.append(_found(False, f"{qrels.comments:,} comment lines in {qrels.source}"))
    if none:
        findings.append(_found(True, f"no relevant item for {len(none):,} queries: {listed(none)}"))
    if grades.keys() <= {1}:
        findings.append(
            _found(False, "every judgement is relevant: nothing tells unjudged from irrelevant")
        )
    if min(grades) < 0:
        what = "negative grades need --convention trec_eval, which reads them as not judged"
        findings.append(_found(True, what))
    return [*findings, *_repeated(qrels, "judged")]


def of_slices(qrels: Qrels, labels: Mapping[str, str]) -> list[Finding]:
    """Slices too thin to say anything, and queries without a label."""
    sizes = Counter(labels[query] for query in qrels if query in labels)
    thin = {label: size for label, size in sizes.items() if size < FEW_QUERIES}
    without = [query for query in qrels if query not in labels]
    findings = [_found(False, f"{len(sizes):,} slices")]
    if thin:
        shown = listed([f"{label} ({size})" for label, size in thin.items()])
        findings.append(_found(True, f"slices of fewer than {FEW_QUERIES} queries: {shown}"))
    if without:
        findings.append(_found(True, f"{len(without):,} queries have no label: {listed(without)}"))
    return findings


def of_run(qrels: Qrels, run: Run) -> list[Finding]:
    """Lengths, queries and items that do not meet, and what difference could be seen."""
    lengths = np.diff(run.offsets)
    missing = [query for query in qrels if query not in run]
    unjudged = [query for query in run if query not in qrels]
    findings = [
        _found(False, f"{len(run):,} rankings, {run.n_rows:,} rows; items each: {_spread(lengths)}")
    ]
    for queries, what in (
        (missing, "judged queries have no ranking"),
        (unjudged, "ranked queries have no judgements"),
    ):
        if queries:
            findings.append(_found(True, f"{len(queries):,} {what}: {listed(queries)}"))
    findings += _almost(missing, unjudged, "queries")
    findings += _almost(_ids(qrels) - _ids(run), _ids(run) - _ids(qrels), "items")
    findings += _repeated(run, "ranked")
    if findings[-1].what.startswith("the item") or len(missing) == len(qrels):
        return findings
    return [*findings, *_resolution(qrels, run)]


def _ids(table: LongTable) -> set[str]:
    return set(as_list(table.item_ids))


def _almost(left: Iterable[str], right: Iterable[str], what: str) -> list[Finding]:
    """Ids that would meet if they were written alike."""
    left, right = set(left), set(right)
    return [
        _found(True, f"{number:,} {what} of both sides would meet with {change}")
        for change, number in almost_equal(left, right).items()
    ]


def _repeated(table: LongTable, what: str) -> list[Finding]:
    rows = table.rows.repeated()
    if not len(rows):
        return []
    number = int(np.searchsorted(table.offsets, rows[0], side="right")) - 1
    item = as_list(table.item_ids[int(rows[0]) : int(rows[0]) + 1])
    where = listed([table.query_ids[number]])
    return [_found(True, f"the item {listed(item)} is {what} more than once for query {where}")]


def _resolution(qrels: Qrels, run: Run) -> list[Finding]:
    """How well the mean is known, and which difference of two such systems would show."""
    evaluation = evaluate(
        qrels, run, "ndcg@10", convention="trec_eval", missing="zero", zero_division=math.nan
    )
    values = evaluation.per_query["ndcg@10"]
    values = values[~np.isnan(values)]
    if len(values) < 2:
        return [_found(True, "fewer than two queries with relevant items: no interval at all")]
    low, high = evaluation.confidence_interval("ndcg@10")
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    return [
        _found(
            len(values) < FEW_QUERIES,
            f"ndcg@10 is {evaluation['ndcg@10']:.3f} over {len(values):,} queries, 95 % interval "
            f"{low:.3f}..{high:.3f}",
        ),
        _found(
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
