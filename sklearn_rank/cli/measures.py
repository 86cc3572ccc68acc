"""``sklearn-rank measures``: what can be measured, and how it is spelled."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from sklearn_rank.cli.terminal import print_table

if TYPE_CHECKING:
    from sklearn_rank.measures.record import Metric


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "measures",
        help="list the measures: names, spellings, formula, range",
        description="List all measures, or say everything of the one that a spelling means.",
    )
    parser.add_argument("spelling", nargs="?", metavar="MEASURE", help="as ndcg@10 or P_5")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what the records say."""
    from sklearn_rank.measures.catalogue import METRICS
    from sklearn_rank.measures.grammar import parse_measures
    from sklearn_rank.tables.table import words_table

    asked = () if arguments.spelling is None else parse_measures(arguments.spelling)
    metrics = list(dict.fromkeys(measure.metric for measure in asked)) or list(METRICS)
    if arguments.json:
        print(json.dumps([_described(metric) for metric in metrics], indent=1))
    elif asked:
        print("\n\n".join(_in_full(metric) for metric in metrics))
    else:
        rows = [(metric.name, metric.symbol, _range(metric), metric.summary) for metric in metrics]
        print_table(words_table(("name", "symbol", "range", "meaning"), rows))
        print("Behind a name: @10 for a cutoff, (parameter=value) for a parameter.")
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
    lines |= {
        "spellings": ", ".join(lines["spellings"]),
        "cutoff": f"{name}@10" if metric.takes_k else "none",
        "parameters": parameters or "none",
    }
    told = (f"  {key + ':':<12} {text}" for key, text in lines.items())
    return "\n".join([f"{name} ({symbol})", *told])
