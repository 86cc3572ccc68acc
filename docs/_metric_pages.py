"""A page for each metric, written when the site is built: question, formula, example, picture."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sklearn_rank import evaluate
from sklearn_rank.measures.catalogue import METRICS, Metric
from sklearn_rank.measures.conventions import CONVENTIONS
from sklearn_rank.metrics import FUNCTIONS

GRADES, RANKING = {"a": 0, "b": 3, "d": 1, "f": 2}, ["a", "b", "c", "d", "e"]
_NDCG = "(7 / log2(3) + 1 / log2(5)) / (7 / log2(2) + 3 / log2(3) + 1 / log2(4))"


class Notes(NamedTuple):
    """What no record says of a metric."""

    question: str
    avoid: str
    """When not to use it."""
    by_hand: str
    """Arithmetic of the example, which has the value of the package."""


NOTES = {
    "map": Notes(
        "How far up are all relevant items?",
        "grades matter, or few of the relevant items are known",
        "(1/2 + 2/4) / 3",
    ),
    "mar": Notes(
        "How early is recall gained?", "readers expect MAP, which is common", "(1/3 + 2/3) / 3"
    ),
    "mrr": Notes(
        "How far up is the first relevant item?", "users want more than one item", "1 / 2"
    ),
    "precision": Notes(
        "How much of the first k is relevant?",
        "queries have fewer than k relevant items: the best ranking is then below 1",
        "2 / 4",
    ),
    "recall": Notes(
        "How much of what is relevant is within k?",
        "queries have more than k relevant items, or few of them are known",
        "2 / 3",
    ),
    "fbeta": Notes(
        "Precision and recall of the first k in one number?",
        "the two can be looked at side by side",
        "2 * (2/4) * (2/3) / (2/4 + 2/3)",
    ),
    "hit_rate": Notes(
        "Is there anything relevant within k?", "queries are few: each is 0 or 1", "1"
    ),
    "all_hit_rate": Notes(
        "Is everything that an answer needs within k?", "some relevant items are optional", "0"
    ),
    "rprec": Notes(
        "What is precision where recall equals it?",
        "queries have one relevant item: it is then a hit rate at 1",
        "1 / 3",
    ),
    "iprec": Notes(
        "Which precision is reached at each level of recall?", "scores are tied", "9 * (1/2) / 11"
    ),
    "set_map": Notes("How good is the first k as a set?", "the order counts", "2**2 / (4 * 3)"),
    "gmap": Notes(
        "Do any queries fail?",
        "queries of 0 are noise of the judgements",
        "exp(log((1/2 + 2/4) / 3))",
    ),
    "dcg": Notes(
        "How much gain do readers get?",
        "queries differ in what there is to gain: take nDCG",
        "7 / log2(3) + 1 / log2(5)",
    ),
    "idcg": Notes(
        "How much gain is there to get?",
        "systems are compared",
        "7 / log2(2) + 3 / log2(3) + 1 / log2(4)",
    ),
    "ndcg": Notes(
        "How much of the possible gain do readers get?",
        "most items are relevant: a random order then has a high value",
        _NDCG,
    ),
    "err": Notes(
        "How soon is a reader satisfied, who stops then?",
        "readers want several items",
        "7/8 / 2 + 1/8 * 1/8 / 4",
    ),
    "nerr": Notes(
        "ERR, of what it could be?",
        "readers want several items",
        "(7/8 / 2 + 1/8 * 1/8 / 4) / (7/8 / 1 + 1/8 * 3/8 / 2 + 1/8 * 5/8 * 1/8 / 3)",
    ),
    "lag": Notes(
        "How many irrelevant items are read before a relevant one?",
        "lists are cut: items that were not retrieved count as last",
        "(1 + 2 + 3) / 3",
    ),
    "auc": Notes(
        "How many pairs are in the right order, pairs of large queries counting most?",
        "only the top is seen",
        "(2 + 1 + 0) / (3 * 3)",
    ),
    "gauc": Notes(
        "How many pairs are in the right order for a user?",
        "only the top is seen",
        "(2 + 1 + 0) / (3 * 3)",
    ),
    "lauc": Notes(
        "AUC of the first k?",
        "readers expect AUC, which reads all",
        "((3 - 1) / 3 + (3 - 2) / 3) / 3",
    ),
    "judged": Notes("How much of the top did somebody judge?", "quality is asked for", "3 / 4"),
    "unjudged": Notes("How many items of the top did nobody judge?", "quality is asked for", "1"),
    "bpref": Notes(
        "Are relevant items above judged irrelevant ones?",
        "nearly all of the top is judged",
        "((1 - 1/1) + (1 - 1/1)) / 3",
    ),
    "hmean": Notes(
        "Two measures in one number?",
        "the two can be looked at side by side",
        f"2 * ({_NDCG}) * (1/3) / ({_NDCG} + 1/3)",
    ),
}


def spelling(metric: Metric, k: int) -> str:
    name = f"{metric.name}(ndcg,map)" if metric.combines else metric.name
    return f"{name}@{k}" if metric.takes_k else name


def example(metric: Metric) -> float:
    """Value of the worked example, by the package."""
    (value,) = evaluate([GRADES], [RANKING], [spelling(metric, 4)]).scores.values()
    return value


def picture(metric: Metric) -> str:
    """Bars: the value of ten items, or LAG, if only the one at a rank is relevant."""
    truth = [{f"{rank}": 1} for rank in range(10)]
    rankings = [[f"{rank}" for rank in range(10)]] * 10
    values = evaluate(truth, rankings, [spelling(metric, 5)]).per_query[spelling(metric, 5)]
    top = float(np.nanmax(values)) or 1.0
    bars = ""
    for rank, value in enumerate(np.nan_to_num(values).tolist()):
        height, x = 90 * value / top, 10 + 38 * rank
        bars += (
            f'<rect x="{x}" y="{100 - height:.1f}" width="28" height="{max(height, 1):.1f}"/>'
            f'<text x="{x + 14}" y="116">{rank + 1}</text>'
        )
    said = f"{metric.symbol} where the only relevant item has rank 1 to 10"
    return f'<svg class="ranks" viewBox="0 0 400 122" role="img" aria-label="{said}">{bars}</svg>'


def differs(metric: Metric) -> str:
    """Conventions under which the metric has other parameters."""
    found = []
    for name, preset in CONVENTIONS.items():
        own = preset.parameters.get(metric.name, {}).items()
        said = ", ".join(f"{key}={value}" for key, value in own if not callable(value))
        found += [f"`{name}` ({said})"] if said else []
    return ", ".join(found) or "no convention"


def page(metric: Metric) -> str:
    """The page of a metric in Markdown."""
    notes, measure = NOTES[metric.name], spelling(metric, 4)
    end = "infinity" if math.isinf(metric.upper) else "1"
    better = "greater" if metric.greater_is_better else "less"
    facts = {
        "Formula": metric.formula,
        "Range": f"0 to {end}; {better} is better",
        "Ties": "the exact expectation over all orders" if metric.takes_ties else "refused",
        "Avoid it where": notes.avoid,
        "Other names": ", ".join(f"`{alias}`" for alias in metric.aliases) or "none",
        "Other parameters in": differs(metric),
        "Reference": metric.reference,
    }
    if metric in FUNCTIONS:
        facts["Function"] = f"{{py:func}}`sklearn_rank.{FUNCTIONS[metric].__name__}`"
    grades = ", ".join(f"`{item}` {grade}" for item, grade in GRADES.items())
    rows = "\n".join(f"| {name} | {text} |" for name, text in facts.items())
    text = f"""\
# {metric.symbol}

**{notes.question}**

| measure | `{spelling(metric, 10)}` |
| --- | --- |
{rows}

Parameters and undefined queries: [Metrics](../metrics.md#{metric.name}).

## By hand

The ranking is `{" ".join(RANKING)}`, the grades are {grades}. Nobody judged `c` and `e`; `f`
was not retrieved.

    {measure} = {notes.by_hand} = {example(metric):.4f}
"""
    if metric.reads_unjudged or metric.combines:
        return text
    return f"""{text}
## What it sees

Ten items of which one is relevant: the value where that one has rank 1, 2, ... 10
(`{spelling(metric, 5)}`).

{picture(metric)}
"""


def write(folder: Path) -> None:
    """Write the pages, those that changed alone."""
    folder.mkdir(exist_ok=True)
    for metric in METRICS:
        path, text = folder / f"{metric.name}.md", page(metric)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
