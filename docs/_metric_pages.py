"""A page for each metric, written when the site is built: question, formula, example, picture."""

from __future__ import annotations

import inspect
import json
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from _markdown import plain, table

from sklearn_rank import evaluate
from sklearn_rank.measures.catalogue import METRICS, Metric
from sklearn_rank.measures.conventions import CONVENTIONS
from sklearn_rank.metrics import FUNCTIONS
from sklearn_rank.metrics.shared import PARAMETERS, entries_of, sections

PRESETS = Path(__file__).parent / "_presets.json"
VERSIONS = json.loads(PRESETS.read_text(encoding="utf-8"))["programs"]

CONVENTION = "[convention](../measures.md#conventions)"
GRADES, RANKING = {"a": 0, "b": 3, "d": 1, "f": 2}, ["a", "b", "c", "d", "e"]
_NDCG = "(7 / log2(3) + 1 / log2(5)) / (7 / log2(2) + 3 / log2(3) + 1 / log2(4))"


class Notes(NamedTuple):
    """What no record says of a metric."""

    question: str
    avoid: str
    """When not to use it."""
    suspicious: str
    by_hand: str
    """Arithmetic of the example, which has the value of the package."""


NOTES = {
    "map": Notes(
        "How far up are all relevant items?",
        "grades matter, or few of the relevant items are known",
        "it is nearly 1: candidates are few, or nothing but the system's results was judged",
        "(1/2 + 2/4) / 3",
    ),
    "mar": Notes(
        "How early is recall gained?",
        "readers expect MAP, which is common",
        "it equals the hit rate: each query has one relevant item",
        "(1/3 + 2/3) / 3",
    ),
    "mrr": Notes(
        "How far up is the first relevant item?",
        "users want more than one item",
        "it equals the hit rate: lists hold one item, or all hits are first",
        "1 / 2",
    ),
    "precision": Notes(
        "How much of the first k is relevant?",
        "queries have fewer than k relevant items: the best ranking is then below 1",
        "no query is above 1 / k: one relevant item of each is known",
        "2 / 4",
    ),
    "recall": Notes(
        "How much of what is relevant is within k?",
        "queries have more than k relevant items, or few of them are known",
        "it is 1: k is at least as long as the lists",
        "2 / 3",
    ),
    "fbeta": Notes(
        "Precision and recall of the first k in one number?",
        "the two can be looked at side by side",
        "many queries have 2 / (k + 1): their one relevant item is somewhere within k",
        "2 * (2/4) * (2/3) / (2/4 + 2/3)",
    ),
    "hit_rate": Notes(
        "Is there anything relevant within k?",
        "queries are few: each is 0 or 1",
        "it is 1 at a small k: the query itself is among the items",
        "1",
    ),
    "all_hit_rate": Notes(
        "Is everything that an answer needs within k?",
        "some relevant items are optional",
        "it equals the hit rate: each query has one relevant item",
        "0",
    ),
    "rprec": Notes(
        "What is precision where recall equals it?",
        "queries have one relevant item: it is then a hit rate at 1",
        "queries have 0 or 1 alone: each has one relevant item",
        "1 / 3",
    ),
    "iprec": Notes(
        "Which precision is reached at each level of recall?",
        "scores are tied",
        "all levels of recall have the same value: each query has one relevant item",
        "9 * (1/2) / 11",
    ),
    "set_map": Notes(
        "How good is the first k as a set?",
        "the order counts",
        "many queries have 1 / k: their one relevant item is somewhere within k",
        "2**2 / (4 * 3)",
    ),
    "gmap": Notes(
        "Do any queries fail?",
        "queries of 0 are noise of the judgements",
        "it is tiny beside a fair MAP: queries that find nothing count 0.00001",
        "exp(log((1/2 + 2/4) / 3))",
    ),
    "dcg": Notes(
        "How much gain do readers get?",
        "queries differ in what there is to gain: take nDCG",
        "it changes where nDCG does not: the judgements changed",
        "7 / log2(3) + 1 / log2(5)",
    ),
    "idcg": Notes(
        "How much gain is there to get?",
        "systems are compared",
        "two systems differ: they were measured with other judgements",
        "7 / log2(2) + 3 / log2(3) + 1 / log2(4)",
    ),
    "ndcg": Notes(
        "How much of the possible gain do readers get?",
        "most items are relevant: a random order then has a high value",
        "every system is above 0.9: nearly all items are relevant, or only results were judged",
        _NDCG,
    ),
    "err": Notes(
        "How soon is a reader satisfied, who stops then?",
        "readers want several items",
        "queries without high grades do best: each is scaled by its own highest grade",
        "7/8 / 2 + 1/8 * 1/8 / 4",
    ),
    "nerr": Notes(
        "ERR, of what it could be?",
        "readers want several items",
        "it is nearly 1 beside a low nDCG: one perfect item on top is enough",
        "(7/8 / 2 + 1/8 * 1/8 / 4) / (7/8 / 1 + 1/8 * 3/8 / 2 + 1/8 * 5/8 * 1/8 / 3)",
    ),
    "lag": Notes(
        "How many irrelevant items are read before a relevant one?",
        "lists are cut: items that were not retrieved count as last",
        "it falls as lists get shorter: irrelevant items that are cut off do not count",
        "(1 + 2 + 3) / 3",
    ),
    "auc": Notes(
        "How many pairs are in the right order, pairs of large queries counting most?",
        "only the top is seen",
        "it is far from GAUC: a few queries with many relevant items decide",
        "(2 + 1 + 0) / (3 * 3)",
    ),
    "gauc": Notes(
        "How many pairs are in the right order for a user?",
        "only the top is seen",
        "it is below 0.5: low scores are the good ones, as distances are",
        "(2 + 1 + 0) / (3 * 3)",
    ),
    "lauc": Notes(
        "AUC of the first k?",
        "readers expect AUC, which reads all",
        "it is far below AUC: what is relevant beyond k counts 0",
        "((3 - 1) / 3 + (3 - 2) / 3) / 3",
    ),
    "judged": Notes(
        "How much of the top did somebody judge?",
        "quality is asked for",
        "an old system has 1 and a new one less: only the old one's results were judged",
        "3 / 4",
    ),
    "unjudged": Notes(
        "How many items of the top did nobody judge?",
        "quality is asked for",
        "an old system has 0 and a new one more: only the old one's results were judged",
        "1",
    ),
    "bpref": Notes(
        "Are relevant items above judged irrelevant ones?",
        "nearly all of the top is judged",
        "it is nearly 1: hardly any judged item is irrelevant",
        "((1 - 1/1) + (1 - 1/1)) / 3",
    ),
    "rbp": Notes(
        "How much does a reader gain per item, who gives up at some rank?",
        "a perfect ranking should have the value 1",
        "no query is above 0.2, 1 - `persistence`: one relevant item of each is known",
        "1/5 * (4/5 + (4/5)**3)",
    ),
    "hmean": Notes(
        "Two measures in one number?",
        "the two can be looked at side by side",
        "it is 0 for many queries: one member is",
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


def chance(metric: Metric) -> str:
    """The expected value of a random order: that of a tie of all items."""
    truth = {f"{item}": max(3 - item, 0) for item in range(10)}
    scores = evaluate([truth], [dict.fromkeys(truth, 0.0)], [spelling(metric, 5)]).scores
    (value,) = scores.values()
    return f"{value:.3f} (`{spelling(metric, 5)}`; ten items, three relevant, of grades 3, 2, 1)"


CASES = {
    "nothing is relevant": ([set()], [["x", "y"]]),
    "the ranking is empty": ([{"a"}], [[]]),
    "nothing relevant was retrieved": ([{"a"}], [["x", "y"]]),
    "the one relevant item alone was retrieved": ([{"a"}], [["a"]]),
}
"""Queries that lack something; what they count is measured, not written down."""


def undefined(metric: Metric) -> list[str]:
    """What such queries count, in the order of ``CASES``."""
    columns = [evaluate(*case, [metric.name], zero_division=math.nan) for case in CASES.values()]
    values = [value for column in columns for value in column.scores.values()]
    return ["undefined" if math.isnan(value) else f"{value:g}" for value in values]


def own_parameters(metric: Metric) -> str:
    """Table of the parameters that not every metric has, from its docstring."""
    documented = PARAMETERS
    if metric in FUNCTIONS:
        documented = entries_of(sections(inspect.getdoc(FUNCTIONS[metric]) or "")["Parameters"])
    rows = []
    for name in [*(["k"] if metric.takes_k else []), *metric.defaults]:
        head, *meaning = (line.strip() for line in documented[name].split("\n"))
        values, default = head.removeprefix(f"{name} : ").split(", default=")
        rows.append([f"`{name}`", values, f"`{default}`", plain(" ".join(meaning))])
    return table(["parameter", "values", "default", "meaning"], rows)


def programs(metric: Metric) -> str:
    """Table of the programs that compute the metric, and how."""
    if metric.combines:
        return f"A {CONVENTION} counts the two members as its program does."
    name, rows = metric.name, []
    for preset in CONVENTIONS.values():
        refused = preset.refused.get(name)
        notes = [f"{case}: {own[name]}" for case, own in preset.differs.items() if name in own]
        if not (refused or notes or name in (preset.measures or ())):
            continue
        said = [f"{key}={shown(value)}" for key, value in preset.parameters.get(name, {}).items()]
        undefined = str(preset.undefined.get(name, preset.zero_division))
        notes += [f"{case}: {own['*']}" for case, own in preset.differs.items() if "*" in own]
        notes += [f"with k: {preset.refused[f'{name}@']}"] if f"{name}@" in preset.refused else []
        if refused:
            said, undefined, notes = ["refused"], "", [refused]
        version = VERSIONS[preset.name]["version"]
        rows.append([f"`{preset.name}`", version, ", ".join(said), undefined, "; ".join(notes)])
    if not rows:
        return f"None of the programs that have a {CONVENTION}."
    titles = [CONVENTION, "version", "parameters", "undefined query", "differs"]
    return table(titles, [[cell or "-" for cell in row] for row in rows])


def shown(value: object) -> str:
    """A function as the first line of its docstring, after the program's name."""
    if callable(value):
        return (inspect.getdoc(value) or "").split(": ")[-1].rstrip(".")
    return str(value)


def page(metric: Metric) -> str:
    """The page of a metric in Markdown."""
    notes, measure = NOTES[metric.name], spelling(metric, 4)
    end = "infinity" if math.isinf(metric.upper) else "1"
    better = "greater" if metric.greater_is_better else "less"
    seen = not (metric.reads_unjudged or metric.combines)
    grades = "every grade above 0 is relevant, or each from `min_rel` on"
    if metric.graded:
        grades = "a higher one counts more"
    elif metric.combines or metric.of_judgements:
        grades = "as its members read them" if metric.combines else "any grade is a judgement"
    facts = {
        "Formula": metric.formula,
        "Range": f"0 to {end}; {better} is better",
        "Ties": "the exact expectation over all orders" if metric.takes_ties else "refused",
        "Grades": grades,
        **({"A random order has": chance(metric)} if seen and metric.takes_ties else {}),
        "Avoid it where": notes.avoid,
        "Suspicious if": notes.suspicious,
        "Other names": ", ".join(f"`{alias}`" for alias in metric.aliases) or "none",
        "Reference": metric.reference,
    }
    if metric in FUNCTIONS:
        facts["Function"] = f"{{py:func}}`~sklearn_rank.{FUNCTIONS[metric].__name__}`"
    of_items = ", ".join(f"`{item}` {grade}" for item, grade in GRADES.items())
    sees = f"""\
## What it sees

Ten items of which one is relevant: the value where that one has rank 1, 2, ... 10
(`{spelling(metric, 5)}`).

{picture(metric)}

"""
    return f"""\
# {metric.symbol}

**{notes.question}**

{table(["measure", f"`{spelling(metric, 10)}`"], [list(fact) for fact in facts.items()])}

Symbols and gains: [Metrics](../metrics.md).

## By hand

The ranking is `{" ".join(RANKING)}`, the grades are {of_items}. Nobody judged `c` and `e`; `f`
was not retrieved.

    {measure} = {notes.by_hand}
    {" " * len(measure)} = {example(metric):.4f}

{sees if seen else ""}\
## Parameters

{own_parameters(metric).replace("](", "](../")}

## Undefined queries

{table(["query", "counts"], [list(row) for row in zip(CASES, undefined(metric), strict=True)])}

What an undefined query counts is up to [`zero_division`](../inputs.md#undefined-queries).

## Other programs

{programs(metric)}
"""


def write(folder: Path) -> None:
    """Write the pages, those that changed alone."""
    folder.mkdir(exist_ok=True)
    for metric in METRICS:
        path, text = folder / f"{metric.name}.md", page(metric)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
