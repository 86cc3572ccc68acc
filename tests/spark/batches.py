"""The problems of all engines in few jobs: those of one kind together, their queries told apart."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tests.engines.problems import N_PROBLEMS, Columns, EngineProblem, problems
from tests.spark.conftest import WAYS

TIES = ("average", "docid", "optimistic", "docid", "pessimistic")
KINDS = 7
"""Kinds of columns that the problems have in turns."""


class Batch(NamedTuple):
    """Problems of one kind of columns and one rule for missing queries, as one problem."""

    label: str
    truth: Columns
    run: Columns
    measures: list[str]
    options: dict[str, Any]
    way: str


def batches() -> list[Batch]:
    """All problems, each in one batch; rules for ties and ways take turns."""
    parts = problems(N_PROBLEMS)
    return [
        _batch(number, {seed: parts[seed] for seed in range(kind + KINDS * odd, N_PROBLEMS, 14)})
        for number, (kind, odd) in enumerate((k, o) for k in range(KINDS) for o in (0, 1))
    ]


def _batch(number: int, parts: dict[int, EngineProblem]) -> Batch:
    first = next(iter(parts.values()))
    options = {name: value for name, value in first.options.items() if name != "sample_weight"}
    # "stable" stays where ranks leave no ties; rows of Spark have no order to leave them in.
    if options["ties"] == "stable" and not first.needs_order:
        ties = "stable"
    else:
        ties = TIES[number % len(TIES)]
    options |= {"ties": ties, "zero_division": (math.nan, 0.0, 1.0)[number % 3]}
    if "sample_weight" in first.options:
        options["sample_weight"] = {
            _told_apart(seed, query): weight
            for seed, part in parts.items()
            for query, weight in part.options["sample_weight"].items()
        }
    way = WAYS[number % len(WAYS)]
    return Batch(
        f"{number}-{first.label.partition('-')[2]}",
        _together(parts, "truth"),
        _together(parts, "run"),
        first.measures,
        options,
        way,
    )


def _told_apart(seed: int, query: Any) -> Any:
    return f"{seed}-{query}" if isinstance(query, str) else 1000 * seed + query


def _together(parts: dict[int, EngineProblem], side: str) -> Columns:
    """Rows of all problems, with queries of their own."""
    columns: dict[str, list[Any]] = {}
    for seed, part in parts.items():
        for name, values in getattr(part, side).items():
            own = [_told_apart(seed, query) for query in values] if name == "query" else values
            columns.setdefault(name, []).append(own)
    return {
        name: np.concatenate(lists)
        if all(isinstance(values, np.ndarray) for values in lists)
        else [value for values in lists for value in values]
        for name, lists in columns.items()
    }
