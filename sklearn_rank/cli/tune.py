"""``sklearn-rank tune``: weights of fused runs, and whether they hold on held-out queries."""

from __future__ import annotations

import argparse
import math
from itertools import product
from pathlib import Path
from typing import Any

from sklearn.model_selection import GridSearchCV

from sklearn_rank.cli.reading import Reader, refuse_repeated_input, refuse_repeated_runs
from sklearn_rank.cli.terminal import shown
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.model_selection.cross_val_compare import cross_val_compare
from sklearn_rank.model_selection.splits import QueryKFold
from sklearn_rank.rankers.fusion import RankFusion
from sklearn_rank.scorers import get_scorer
from sklearn_rank.support.disk import FileKind, check_target, readable, write_whole
from sklearn_rank.support.runtime import waiting
from sklearn_rank.support.text import safe_repr

FEWEST = 10
"""Fewest queries with which all folds within folds have some."""
MOST_RUNS = 4
_TAG = "sklearn-rank-tune"
_FUSED = FileKind("a fused run", lambda path: _TAG in path.read_text("utf-8", "replace")[:1000])


def run(arguments: argparse.Namespace) -> int:
    """Read, search, compare out of fold, and say what to keep."""
    measure, paths = read_measure(arguments.measure), arguments.runs
    if not 2 <= len(paths) <= MOST_RUNS:
        msg = f"tune takes 2 to {MOST_RUNS} runs, got {len(paths)}"
        raise ValueError(msg)
    refuse_repeated_input(arguments.qrels, *paths)
    refuse_repeated_runs(*paths)
    if arguments.output is not None:
        check_target(arguments.output, _FUSED, (arguments.qrels, *paths))
    reader = Reader(arguments)
    with waiting("reading"):
        qrels = reader.qrels(arguments.qrels)
        names = [Path(path).name for path in paths]
        names = names if len(set(names)) == len(names) else list(paths)
        runs = {name: reader.run(path) for name, path in zip(names, paths, strict=True)}
    queries = list(qrels)
    if len(queries) < FEWEST:
        msg = f"tune needs at least {FEWEST} judged queries, got {len(queries)}"
        raise ValueError(msg)
    truths = [qrels[query] for query in queries]
    scorer = get_scorer(measure).with_options(zero_division=math.nan)
    equal = RankFusion(runs)
    search = GridSearchCV(equal, _grid(runs), scoring=scorer, cv=QueryKFold(5))
    with waiting("searching"):
        search.fit(queries, truths)
        compared = cross_val_compare(
            {"equal": equal, "tuned": search},
            queries,
            truths,
            measures=[measure],
            zero_division=math.nan,
        )
    row, sign = compared.rows[0], scorer._sign
    seen = sign * search.best_score_
    of_equal = sign * scorer(equal.fit(queries), queries, truths)
    print(
        f"choice    {_described(search.best_params_)} (best of {len(search.cv_results_['params'])})"
    )
    print(f"tuned on  {measure.title} {seen:.3f}, equal weights {of_equal:.3f}")
    ends = f"95% CI {row.low:+.3f} to {row.high:+.3f}"
    moved = f"{row.baseline_value:.3f} -> {row.new:.3f} ({row.change:+.3f}, {ends})"
    print(f"held out  {measure.title} {moved}, {row.queries:,} queries in 5 folds")
    is_better = row.significant and bool(row.better)
    print("confirmed: use the choice" if is_better else "not confirmed: keep equal weights")
    if arguments.output is not None:
        kept = search.best_estimator_ if is_better else equal
        with readable(arguments.output, "--output", "written"):
            write_whole(arguments.output, _trec(kept, _queries(runs)).encode())
        print(
            f"written: {shown(arguments.output)} ({'the choice' if is_better else 'equal weights'})"
        )
    return 0


def _queries(runs: dict[str, Any]) -> list[Any]:
    """Queries of all runs, in the order of their appearance."""
    return list(dict.fromkeys(query for one in runs.values() for query in one))


def _grid(runs: dict[str, Any]) -> dict[str, list[Any]]:
    """Shares in steps of a tenth for two runs, ratios for more; sums only if all have scores."""
    shares = [(n / 10, 1 - n / 10) for n in range(1, 10)]
    weights: list[tuple[float, ...]] = [tuple(round(w, 1) for w in pair) for pair in shares]
    if len(runs) > 2:
        weights = [one for one in product((1, 2, 4), repeat=len(runs)) if min(one) == 1]
    named = [dict(zip(runs, one, strict=True)) for one in weights]
    have_scores = all(one.scores is not None for one in runs.values())
    return {"method": ["rrf", "sum"] if have_scores else ["rrf"], "weights": named}


def _described(choice: dict[str, Any]) -> str:
    weights = ", ".join(f"{shown(name)} {weight:g}" for name, weight in choice["weights"].items())
    method = "reciprocal ranks" if choice["method"] == "rrf" else "sum of scores from 0 to 1"
    return f"{method}, weights {weights}"


def _trec(fusion: RankFusion, queries: list[Any]) -> str:
    """The fused rankings as lines of a TREC run."""
    lines = []
    for query, ranking in zip(queries, fusion.predict(queries), strict=True):
        for rank, item in enumerate(sorted(ranking, key=ranking.__getitem__, reverse=True), 1):
            if len(f"{query} {item}".split()) != 2:
                msg = f"ids in a TREC run cannot hold spaces, got {safe_repr((query, item))}"
                raise ValueError(msg)
            lines.append(f"{query} Q0 {item} {rank} {ranking[item]!r} {_TAG}\n")
    return "".join(lines)
