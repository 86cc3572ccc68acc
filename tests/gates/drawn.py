"""Gates drawn at random: data, faults in them and limits of each kind, by seed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

ODD = ("::error::", "<b>", "\u202eRTL \u2066", "two\nlines", "a|b||c", "'\" `x`", "42", "x" * 90)
"""Texts that an output could take for its marks; they begin ids of queries, items and slices."""
MEASURES = {
    "mrr": 1.0, "map": 1.0, "ndcg@3": 1.0, "ndcg@10": 1.0, "recall@3": 1.0, "precision@1": 1.0,
    "bpref": 1.0, "auc": 1.0, "auc(average=pooled)": 1.0, "lag": 9.0, "ms": 100.0, "coverage": 1.0,
    "clicks": 1.0,
}  # fmt: skip
"""Measures and the size of their values: ms and coverage are totals, clicks come from outside."""
LOWER = ("lag", "ms")
FAULTS = ("none", "none", "missing", "no relevant", "all grades 0", "unjudged query", "no hits",
          "new engine", "nan", "huge", "empty", "judged anew", "lost query")  # fmt: skip


@dataclass
class Drawn:
    """A gate: judgements and rankings of both systems, limits, and what stands beside."""

    truth: dict[str, dict[str, float]]
    old_truth: dict[str, dict[str, float]]
    old: dict[str, dict[str, float]]
    new: dict[str, dict[str, float]]
    limits: dict[str, Any] = field(default_factory=dict)
    old_totals: dict[str, float] = field(default_factory=dict)


def drawn(seed: int) -> Drawn:
    """The problem of a seed."""
    draw = np.random.default_rng(seed)
    n = int(draw.choice([1, 2, 3, 12, 40], p=[0.1, 0.15, 0.15, 0.3, 0.3]))
    odd = [str(draw.choice(ODD)) if draw.random() < 0.5 else "" for _ in range(3)]
    queries = [f"{odd[0]}q{number}" for number in range(n)]
    items = [f"{odd[1]}d{number}" for number in range(12)]
    truth, old, new = {}, {}, {}
    moved = draw.choice([0.0, 0.1, 0.5, 1.0])
    shift = draw.choice([-1.0, 0.0, 1.0, 2.0])
    alike = draw.random() < 0.2  # then every query has the same change
    for query in queries:
        if not truth or not alike:
            judged = draw.permutation(12)[:6].tolist()
            grades = draw.choice([0, 0, 1, 2], 6).tolist()
            quality = [draw.normal(size=12) for _ in range(2)]
            moves = draw.random() < moved
        grades[0] = grades[0] or 1
        truth[query] = {items[item]: grade for item, grade in zip(judged, grades, strict=True)}
        own = np.zeros(12)
        own[judged] = grades
        before = quality[0] + own
        after = quality[1] + own * (1 - shift) if moves else before
        depth = 9 if draw.random() < 0.8 else 12
        for run, scores in ((old, before), (new, after)):
            ranked = np.argsort(-scores)[:depth].tolist()
            run[query] = {items[item]: round(float(scores[item]), 3) for item in ranked}
    fault, old_truth = str(draw.choice(FAULTS)), {query: {**own} for query, own in truth.items()}
    first = queries[0]
    if fault in ("missing", "lost query"):
        del new[first]
        if fault == "missing":
            del old[first]
    elif fault == "no relevant":
        truth[first] = old_truth[first] = dict.fromkeys(truth[first], 0)
    elif fault == "all grades 0":
        truth = old_truth = {query: dict.fromkeys(own, 0) for query, own in truth.items()}
    elif fault == "unjudged query":
        old["extra"] = new["extra"] = new.get(first, {"d": 1.0})
    elif fault == "no hits":
        new = {query: {f"z{item}": own[item] for item in own} for query, own in new.items()}
    elif fault == "new engine":
        new[first] = {f"z{item}": score for item, score in new[first].items()}
    elif fault in ("nan", "huge"):
        new[first] = dict.fromkeys(new[first], float("nan") if fault == "nan" else 1e308)
    elif fault == "empty":
        new[first] = {}
    elif fault == "judged anew":
        for query in queries[: max(1, n // 2)]:
            truth[query][items[11]] = 0 if truth[query].get(items[11]) else 1
    problem = Drawn(truth, old_truth, old, new)
    _limit(problem, draw, queries, odd[2])
    return problem


def _limit(problem: Drawn, draw: np.random.Generator, queries: list[str], odd: str) -> None:
    limits = problem.limits
    for name in draw.permutation(list(MEASURES))[: draw.integers(1, 4)].tolist():
        size = MEASURES[name]
        if name in ("ms", "coverage"):
            now, was = (float(size * draw.choice([0.7, 0.74, 0.7499, 0.8])) for _ in range(2))
            limits.setdefault("totals", {})[name], problem.old_totals[name] = now, was
        elif name == "clicks":
            clicks = draw.random(len(queries)).round(2).tolist()
            limits["values"] = {name: dict(zip(queries, clicks, strict=True))}
        kind = str(draw.choice(["floor", "drop", "drop", "share", "contract", "both"]))
        if kind in ("floor", "both") or name == "coverage":
            least = size * float(draw.choice([0.1, 0.5, 0.8]))
            limits.setdefault("at_most" if name in LOWER else "at_least", {})[name] = least
        if kind != "floor":
            drop: Any = size * float(draw.choice([0.0, 0.02, 0.05]))
            limits.setdefault("max_drop", {})[name] = "5%" if kind == "share" else drop
            if kind == "contract":
                limits.setdefault("hard_drop", {})[name] = drop
    if draw.random() < 0.5:
        labels = [f"{odd}head", f"{odd}tail"]
        limits["slices"] = {query: labels[number % 3 > 0] for number, query in enumerate(queries)}
        compared = limits.get("max_drop", {})
        if compared and not any("pooled" in name for name in compared) and draw.random() < 0.7:
            limits["max_slice_drop"] = float(draw.choice([0.02, 0.1]))
        if draw.random() < 0.3:
            limits["slice_at_least"] = {labels[0]: {"mrr": 0.3}}
    if draw.random() < 0.6:
        from sklearn_rank.gates.limits import ALLOWED

        limits["allow"] = list(ALLOWED)


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{json.dumps(name)} = {toml(own)}" for name, own in value.items())
        return f"{{ {pairs} }}"
    return json.dumps(value)
