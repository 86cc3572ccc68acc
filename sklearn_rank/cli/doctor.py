"""``sklearn-rank doctor``: oddities of judgements and runs, before anything is measured."""

from __future__ import annotations

import argparse
import math
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from sklearn_rank.cli.reading import Reader, read_labels, refuse_repeated_input
from sklearn_rank.cli.terminal import FAILED, print_table
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.exceptions import ConventionWarning, RankingDataWarning
from sklearn_rank.inputs.arrays import CodedIds
from sklearn_rank.inputs.hints import almost_equal, equal_but_for
from sklearn_rank.inputs.tables import LongTable, Qrels, Run
from sklearn_rank.support.runtime import waiting
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.tables.table import words_table
from sklearn_rank.typing import IntArray

FEW_QUERIES = 30
"""Below, an interval of the mean says little, and Student's t leans on values that are no bell."""
MOST_UNJUDGED = 0.05
"""Share of the top above which unjudged items may decide a comparison."""
_DETECTED = 1.959964 + 0.841621
"""Standard errors of a difference that is significant at 5 % in four of five repetitions."""
_Finding: TypeAlias = "tuple[str, str]"
"""A mark, ``!`` where something is likely wrong, and the finding."""


def run(arguments: argparse.Namespace) -> int:
    """Read, look and print."""
    reader = Reader(arguments)
    refuse_repeated_input(arguments.qrels, arguments.run_path)
    with waiting("reading judgements"):
        qrels = reader.qrels(arguments.qrels)
    rows, doubts = list(_of_qrels(qrels)), qrels.doubts
    if arguments.slices is not None:
        rows += _of_slices(qrels, read_labels(arguments.slices))
    if arguments.run_path is not None:
        with waiting(f"reading {arguments.run_path}"):
            ranking = reader.run(arguments.run_path)
        with waiting("comparing ids"):
            rows += _of_run(qrels, ranking)
        doubts += ranking.doubts
    print_table(words_table(("", "finding"), rows))
    return FAILED if doubts else 0


def _of_qrels(qrels: Qrels) -> Iterator[_Finding]:
    """Sizes, grades, repeated items, queries without relevant items."""
    running = np.concatenate(([0], np.cumsum(qrels.grades > 0)))
    relevant = np.diff(running[qrels.offsets])
    grades = Counter(qrels.grades.tolist())
    counts = ", ".join(f"{grade:g}: {number:,}" for grade, number in sorted(grades.items()))
    none = [qrels.query_ids[place] for place in np.flatnonzero(relevant == 0)]
    yield "", f"{len(qrels):,} queries, {qrels.n_rows:,} judgements; grades {counts}"
    yield "", f"relevant items of a query: {_spread(relevant)}"
    if qrels.comments:
        yield "", f"{qrels.comments:,} comment lines in {qrels.source}"
    if none:
        yield "!", f"no relevant item for {len(none):,} queries: {format_list(none)}"
    if grades.keys() <= {1}:
        yield "", "every judgement is relevant: nothing tells unjudged from irrelevant"
    if min(grades) < 0:
        yield "!", "negative grades need --convention trec_eval, which reads them as not judged"
    yield from _of_table(qrels, "judged")


def _of_slices(qrels: Qrels, labels: Mapping[str, str]) -> Iterator[_Finding]:
    """Slices too thin to say anything, and queries without a label."""
    sizes = Counter(labels[query] for query in qrels if query in labels)
    thin = [f"{label} ({size})" for label, size in sizes.items() if size < FEW_QUERIES]
    without = [query for query in qrels if query not in labels]
    yield "", f"{len(sizes):,} slices"
    if thin:
        yield "!", f"slices of fewer than {FEW_QUERIES} queries: {format_list(thin)}"
    if without:
        yield "!", f"{len(without):,} queries have no label: {format_list(without)}"


def _of_run(qrels: Qrels, run: Run) -> Iterator[_Finding]:
    """Lengths, ids without a match, and the difference that could be seen."""
    lengths = np.diff(run.offsets)
    missing = [query for query in qrels if query not in run]
    unjudged = [query for query in run if query not in qrels]
    empty = [run.query_ids[place] for place in np.flatnonzero(lengths == 0)]
    yield "", f"{len(run):,} rankings, {run.n_rows:,} rows; items each: {_spread(lengths)}"
    for queries, what in (
        (missing, "judged queries have no ranking"),
        (unjudged, "ranked queries have no judgements"),
        (empty, "rankings are empty"),
    ):
        if queries:
            yield "!", f"{len(queries):,} {what}: {format_list(queries)}"
    judged, ranked = (
        {*(ids.distinct if isinstance(ids, CodedIds) else ids.unique().to_list())}
        for ids in (qrels.item_ids, run.item_ids)
    )
    sides = ((set(missing), set(unjudged), "queries"), (judged - ranked, ranked - judged, "items"))
    for left, right, what in sides:  # ids that would match if they were written alike
        for change, number in almost_equal(left, right).items():
            yield "!", f"{number:,} {what} of both sides would match with {change}"
    yield from _of_table(run, "ranked")
    if len(missing) < len(qrels):
        try:
            yield from _resolution(qrels, run)
        except ValueError as error:
            yield "!", f"this cannot be measured: {error}"


def _of_table(table: LongTable, what: str) -> Iterator[_Finding]:
    """Columns without a role, queries that are perhaps one, repeated items."""
    if table.roles:
        read = ", ".join(f"{role} from {safe_repr(name)}" for role, name in table.roles.items())
        yield "", f"{what}: {read}"
    yield from (("!", doubt) for doubt in table.doubts)
    if table.unread:
        yield (
            "",
            f"columns without a role, which are not read: {format_list(table.unread, limit=20)}",
        )
    for change, pairs in equal_but_for(table).items():
        shown = "; ".join(format_list(pair) for pair in pairs[:3])
        yield "!", f"{len(pairs):,} queries are written in several ways, but for {change}: {shown}"
    rows = table.repeated()
    if len(rows):
        queries = np.unique(np.searchsorted(table.offsets, rows, side="right") - 1)
        item = [table.keys_of(rows[:1])[0][1]]
        where = format_list([table.query_ids[queries[0]]])
        others = len(queries) - 1
        more = f", and {others:,} more queries repeat items" if others else ""
        yield "!", f"the item {format_list(item)} is {what} more than once for query {where}{more}"


def _resolution(qrels: Qrels, run: Run) -> Iterator[_Finding]:
    """Confidence interval of the mean, and the detectable difference of two such systems."""
    with warnings.catch_warnings():
        # What it says is among the findings.
        warnings.simplefilter("ignore", ConventionWarning)
        warnings.simplefilter("ignore", RankingDataWarning)
        convention = "trec_eval" if (qrels.grades < 0).any() else "default"
        options: dict[str, Any] = {"convention": convention, "zero_division": math.nan}
        evaluation = evaluate(qrels, run, ("ndcg@10", "judged@10"), **options)
    share = 1 - evaluation["judged@10"]
    if share > 0 and evaluation.assumed == "partial":
        yield (
            "!" if share > MOST_UNJUDGED else "",
            f"{share:.0%} of the first 10 items are unjudged, and count as irrelevant; "
            "sklearn-rank judge-next lists those that matter most",
        )
    values = evaluation.per_query["ndcg@10"]
    values = values[~np.isnan(values)]
    if len(values) < 2:
        yield "!", "fewer than two queries with relevant items: no interval at all"
        return
    low, high = evaluation.confidence_interval("ndcg@10")
    seen = _DETECTED * float(values.std(ddof=1)) / math.sqrt(len(values))
    yield (
        "!" if len(values) < FEW_QUERIES else "",
        f"ndcg@10 is {evaluation['ndcg@10']:.4f} over {len(values):,} queries, 95% interval "
        f"{low:.4f}..{high:.4f}",
    )
    if seen == 0:
        yield "!", "ndcg@10 is the same for every query"
        return
    yield (
        "",
        f"this test set detects a change of about {seen:.3f} with 80% power; less for similar "
        "systems",
    )


def _spread(values: IntArray) -> str:
    return f"{values.min():,} to {values.max():,}, median {np.median(values):g}"
