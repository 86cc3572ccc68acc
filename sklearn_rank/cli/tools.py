"""``sklearn-rank combine``, ``convert``, ``measures``, ``audit`` and ``demo``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from sklearn_rank.cli.terminal import print_table, shown
from sklearn_rank.measures.record import Metric
from sklearn_rank.support.runtime import waiting
from sklearn_rank.support.text import for_log, format_list, safe_repr


def run_combine(arguments: argparse.Namespace) -> int:
    """Means of stored evaluations over data sets, of each run."""
    from dataclasses import replace
    from pathlib import Path

    from sklearn_rank.cli.reading import read_stored, refuse_repeated_runs
    from sklearn_rank.evaluation.combine import combine
    from sklearn_rank.evaluation.tables import plain_number
    from sklearn_rank.tables.formats import to_markdown

    stems = [Path(path).stem for path in arguments.files]
    names = stems if len(set(stems)) == len(stems) else arguments.files
    refuse_repeated_runs(*arguments.files, what="file")
    stored = dict(zip(names, map(read_stored, arguments.files), strict=True))
    # One run each may be called by another name in each data set.
    is_one = all(len(parts) == 1 for parts in stored.values())
    runs: dict[str, dict[str, Any]] = {}
    for name, parts in stored.items():
        for part in parts:
            of_run = runs.setdefault("" if is_one else str(part.get("run", "")), {})
            if name in of_run:
                msg = f"{safe_repr(name)} has two results of the run {safe_repr(part.get('run'))}"
                raise ValueError(msg)
            of_run[name] = part
    found = []
    for run, parts in runs.items():
        lacking = [name for name in names if name not in parts]
        if lacking:
            msg = f"{format_list(lacking)} has no results of the run {safe_repr(run)}"
            raise ValueError(msg)
        weights = dict(arguments.weights) or None
        if len(weights or ()) < len(arguments.weights):
            msg = f"--weight names a data set twice: {format_list(n for n, _ in arguments.weights)}"
            raise ValueError(msg)
        found.append((run, combine(parts, average=arguments.average, weights=weights)))
    if arguments.format == "json":
        records = [
            {
                "run": run,
                "weights": means.weights,
                "scores": {name: plain_number(mean) for name, mean in means.items()},
            }
            for run, means in found
        ]
        print(json.dumps(records, indent=1, allow_nan=False))
        return 0
    for run, combination in found:
        table = replace(combination._table("data sets"), caption=run)
        if arguments.format == "table":
            print_table(table)
        else:
            print(to_markdown(table), end="\n\n" if run != found[-1][0] else "\n")
    return 0


def run_convert(arguments: argparse.Namespace) -> int:
    """Read and write."""
    from sklearn_rank.cli.reading import Reader
    from sklearn_rank.files.write import write_qrels, write_run
    from sklearn_rank.support.disk import refuse_inputs

    source, target, force = arguments.source, arguments.target, arguments.force
    if target == "-":
        msg = "TARGET '-' has no suffix to tell the format; name a file, or /dev/stdout for TREC"
        raise ValueError(msg)
    refuse_inputs(target, [source])
    with waiting(f"converting {source}"):
        table: Any
        if arguments.kind == "run":
            table = Reader(arguments).run(source, "SOURCE")
            write_run(table, target, tag=arguments.tag, overwrite=force)
        else:
            table = Reader(arguments).qrels(source, "SOURCE")
            write_qrels(table, target, overwrite=force)
    print(f"{shown(target)}: {len(table):,} queries, {table.n_rows:,} rows")
    return 0


def run_measures(arguments: argparse.Namespace) -> int:
    """Available measures and their spellings."""
    from sklearn_rank.measures.catalogue import METRICS
    from sklearn_rank.measures.grammar import parse_measures
    from sklearn_rank.tables.table import words_table

    named = () if arguments.spelling is None else parse_measures(arguments.spelling)
    metrics = list(dict.fromkeys(measure.metric for measure in named)) or list(METRICS)
    if arguments.json:
        print(json.dumps(list(map(_described, metrics)), indent=1))
    elif named:
        print("\n\n".join(map(_in_full, metrics)))
    else:
        rows = [(metric.name, metric.symbol, _range(metric), metric.summary) for metric in metrics]
        print_table(words_table(("name", "symbol", "range", "meaning"), rows))
        print("Append @10 for a cutoff and (parameter=value) for a parameter.")
    return 0


def _range(metric: Metric) -> str:
    upper = "inf)" if metric.upper == float("inf") else "1]"
    return f"[0, {upper}{'' if metric.greater_is_better else ', lower is better'}"


def _described(metric: Metric) -> dict[str, Any]:
    return {
        "name": metric.name,
        "symbol": metric.symbol,
        "spellings": [metric.name, *metric.aliases],
        "meaning": metric.summary,
        "formula": metric.formula,
        "range": _range(metric),
        "cutoff": metric.takes_k,
        "parameters": {name: str(value) for name, value in metric.defaults.items()},
        "reference": metric.reference,
    }


def _in_full(metric: Metric) -> str:
    lines = _described(metric)
    name, symbol = lines.pop("name"), lines.pop("symbol")
    parameters = ", ".join(f"{key}={value}" for key, value in lines["parameters"].items())
    lines["spellings"] = ", ".join(lines["spellings"])
    lines["cutoff"] = f"{name}@10" if metric.takes_k else "none"
    lines["parameters"] = parameters or "none"
    return "\n".join(
        [f"{name} ({symbol})", *(f"  {key + ':':<12} {text}" for key, text in lines.items())]
    )


def run_audit(arguments: argparse.Namespace) -> int:
    """Compare a function of the caller with a measure; modules of this directory are found."""
    from sklearn_rank.cli.terminal import GATE_FAILED
    from sklearn_rank.evaluation.audit import audit

    # As `python FILE` and `python -m MODULE` have it.
    sys.path[:0] = [os.path.dirname(arguments.function), ""]
    found = audit(arguments.function, arguments.measure)
    print(for_log(str(found)))
    return 0 if found.agrees else GATE_FAILED


def run_demo(arguments: argparse.Namespace) -> int:
    """Choose, compare and protect a ranker on built-in data."""
    from sklearn_rank.support.disk import HTML_REPORT, check_target

    check_target(arguments.output, HTML_REPORT)
    try:
        from sklearn_rank._demo import run_demo as run
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("pydoc_data"):
            raise
        msg = "this Python was installed without its help pages"
        raise ImportError(msg) from None
    run(arguments.output, is_opened=arguments.open)
    return 0
