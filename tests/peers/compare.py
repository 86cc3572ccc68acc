"""What this package makes of the given problems, held against what a program made of them."""

import json
import math
import re
import warnings
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sklearn_rank import (
    ConventionWarning,
    QueryMismatchError,
    UndefinedMetricError,
    UnknownMeasureError,
    evaluate,
    measure,
)
from sklearn_rank.measures.conventions import find_convention
from tests.peers.__main__ import RECORD
from tests.peers.problems import problems

DIGITS = {"trec_eval": 5e-5, "ir_measures err": 1e-5}
"""Half of the last digit that a program prints; a mean of rounded values gets no worse."""
TOLERANCE = 1e-6
"""Some programs compute in float32."""


@dataclass
class Compared:
    """How a measure of a program did on the problems."""

    equal: list[str] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)
    """Problems on which the package gave no number or another one, and said so by name."""
    different: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    """Problems on which the program raised."""
    refused: str = ""
    """What the package said instead of a number."""


def read_record() -> dict[str, Any]:
    """The record as it is committed."""
    record: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return record


def compared(program: str, values: dict[str, Any]) -> dict[str, Compared]:
    """Each measure of a program, on all problems that it read."""
    known = {problem["name"]: problem for problem in problems()}
    preset = find_convention(program)
    results: dict[str, Compared] = {}
    for name, answers in values.items():
        offered = []
        for asked in answers:
            result = results.setdefault(asked, Compared())
            try:
                preset.apply(measure(asked))
                offered.append(asked)
            except UnknownMeasureError as error:
                result.refused = str(error).partition(": ")[2]
        for asked, ours in _ours(program, offered, known[name]).items():
            kind = f"{program} {measure(asked).metric.name}"
            tolerance = DIGITS.get(kind, DIGITS.get(program, TOLERANCE)) + 1e-12
            _place(name, answers[asked], ours, results[asked], tolerance)
    return results


def _place(
    problem: str,
    answer: list[Any],
    ours: dict[str, Any] | None,
    result: Compared,
    tolerance: float,
) -> None:
    """Note the problem where it belongs; ``ours`` is None where the package raised by name."""
    per_query, mean = answer
    if any(isinstance(value, str) and value != "nan" for value in (*per_query, mean)):
        result.failed.append(problem)
    elif ours is None:
        result.warned.append(problem)
    elif _agree(ours, per_query, mean, tolerance):
        result.equal.append(problem)
    elif ours["warned"]:
        result.warned.append(problem)
    else:
        result.different.append(problem)


def _agree(ours: dict[str, Any], per_query: list[Any], mean: Any, tolerance: float) -> bool:
    pairs = [] if mean is None else [(ours["mean"], mean)]
    if any(value is not None for value in per_query):
        pairs += zip(ours["values"], per_query, strict=True)
    return all(_alike(mine, theirs, tolerance) for mine, theirs in pairs)


def _ours(
    program: str, measures: list[str], problem: dict[str, Any]
) -> dict[str, dict[str, Any] | None]:
    """Values of the queries, mean and whether it was warned of, for each measure."""
    truth = {query["query"]: query["judged"] for query in problem["queries"]}
    run = {q["query"]: dict(q["run"]) for q in problem["queries"] if q["run"] is not None}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            evaluation = evaluate(truth, run, measures, convention=program)
        except (QueryMismatchError, UndefinedMetricError):
            if len(measures) == 1:
                return {measures[0]: None}
            # It may be for one of them.
            each = [_ours(program, [asked], problem) for asked in measures]
            return {asked: answer[asked] for asked, answer in zip(measures, each, strict=True)}
    texts = [str(w.message) for w in caught if issubclass(w.category, ConventionWarning)]
    warned = {name for text in texts for name in re.split(r"[:;,] ", text)}
    return {
        asked: {
            "values": _per_query(scored, dict.fromkeys(truth), evaluation.query_ids),
            "mean": evaluation[asked],
            "warned": str(measure(asked)) in warned,
        }
        for asked, scored in zip(measures, evaluation.scored.values(), strict=True)
    }


def _per_query(scored: Any, values: dict[str, Any], query_ids: Any) -> list[float | None]:
    """What each query counted, None where it is left out."""
    if scored.values is not None:
        settled = scored.zero_division if isinstance(scored.zero_division, float) else math.nan
        for query, value in zip(query_ids, scored.values.tolist(), strict=True):
            values[query] = settled if math.isnan(value) else value
    return list(values.values())


def _alike(mine: float | None, theirs: Any, tolerance: float) -> bool:
    """Whether two values agree; a query that is left out is as good as one that is undefined."""
    left, right = (math.nan if v is None or v == "nan" else v for v in (mine, theirs))
    return abs(left - right) <= tolerance or (math.isnan(left) and math.isnan(right))


@cache
def all_compared() -> list[tuple[str, str, dict[str, Compared]]]:
    """Every program of the record with its version and how its measures did."""
    return [
        (program, answers["version"], compared(program, answers["values"]))
        for program, answers in read_record()["programs"].items()
    ]
