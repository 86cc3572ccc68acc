"""A page for each metric, written when the site is built: question, formula, example, picture."""

from __future__ import annotations

import inspect
import json
import math
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from _markdown import plain, table

from sklearn_rank import evaluate
from sklearn_rank.measures.catalogue import DCG, MAP, METRICS, Metric
from sklearn_rank.measures.conventions import CONVENTIONS
from sklearn_rank.metrics import FUNCTIONS

PRESETS = Path(__file__).parent / "_presets.json"
VERSIONS = json.loads(PRESETS.read_text(encoding="utf-8"))["programs"]

CONVENTION = "[convention](../coming_from.md#conventions)"
GRADES, RANKING = {"a": 0, "b": 3, "d": 1, "f": 2}, ["a", "b", "c", "d", "e"]
EXAMPLE = (
    "The ranking is `a b c d e`; the grades are `a` 0, `b` 3, `d` 1, `f` 2. `c` and `e` are "
    "unjudged, and `f` was not retrieved."
)
CALCULATED = ("ndcg@5", "map", "mrr", "err", "precision@5")
"""Measures of every calculator."""


class Notes(NamedTuple):
    """Text and arithmetic of a page that the record of the metric lacks."""

    name: str
    """Full name."""
    question: str
    tex: str
    """Formula of one query with the default parameters."""
    by_hand: str
    """Arithmetic of the example, equal to the package's value."""
    avoid: str
    sign: str
    """A value that deserves a second look, and its usual cause."""
    searched: tuple[str, ...] = ()
    """Further words to find the page by."""


_NDCG = "(7 / log2(3) + 1 / log2(5)) / (7 / log2(2) + 3 / log2(3) + 1 / log2(4))"

NOTES = {
    "map": Notes(
        "Mean average precision",
        "How high do the relevant items rank?",
        r"\mathrm{AP}@k = \frac{1}{\min(R, k)} \sum_{i=1}^{k} r_i \cdot P@i",
        "(1/2 + 2/4) / 3",
        "grades matter, or only some of the relevant items are judged",
        "a value near 1 usually means few candidates, or that only retrieved items were judged",
        ("map at k", "average precision"),
    ),
    "mar": Notes(
        "Mean average recall",
        "How early does recall grow?",
        r"\mathrm{AR}@k = \frac{1}{\min(R, k)} \sum_{i=1}^{k} r_i \cdot R@i",
        "(1/3 + 2/3) / 3",
        "readers expect MAP, which is more common",
        "values equal to the hit rate mean that each query has one relevant item",
        ("mar at k", "average recall"),
    ),
    "mrr": Notes(
        "Mean reciprocal rank",
        "How high is the first relevant item?",
        r"\mathrm{RR}@k = \frac{1}{\text{rank of the first relevant item}}",
        "1 / 2",
        "users want more than one item",
        "values equal to the hit rate mean that lists hold one item, or that all hits are first",
        ("mrr at k", "reciprocal rank"),
    ),
    "precision": Notes(
        "Precision at k",
        "How much of the first k is relevant?",
        r"P@k = \frac{h}{k}",
        "2 / 4",
        "queries have fewer than k relevant items, since the best ranking is then below 1",
        "a maximum of 1 / k means that each query has one judged relevant item",
        ("precision at k", "p at k", "precision at 10", "precision@10"),
    ),
    "recall": Notes(
        "Recall at k",
        "How many of the relevant items are among the first k?",
        r"R@k = \frac{h}{R}",
        "2 / 3",
        "queries have more than k relevant items, or only some of them are judged",
        "a value of 1 usually means that k is at least as long as the lists",
        ("recall at k", "r at k", "context recall"),
    ),
    "fbeta": Notes(
        "F score at k",
        "How good are precision and recall of the first k together?",
        r"F_b@k = \frac{(1 + b^2) \; P@k \; R@k}{b^2 \, P@k + R@k}",
        "2 * (2/4) * (2/3) / (2/4 + 2/3)",
        "both can be shown side by side",
        "many queries at 2 / (k + 1) mean that they have one relevant item, found in the first k",
        ("f1 at k", "f measure"),
    ),
    "hit_rate": Notes(
        "Hit rate",
        "Is there a relevant item among the first k?",
        r"\mathrm{HR}@k = \begin{cases} 1 & h > 0 \\ 0 & h = 0 \end{cases}",
        "1",
        "there are few queries, since each has the value 0 or 1",
        "a value of 1 at a small k often means that the query itself is among the items",
        ("hit rate at k", "success at k", "hr at k"),
    ),
    "all_hit_rate": Notes(
        "All-hit rate",
        "Is everything that an answer needs among the first k?",
        r"\mathrm{AllHR}@k = \begin{cases} 1 & h = R \\ 0 & h < R \end{cases}",
        "0",
        "some relevant items are optional",
        "values equal to the hit rate mean that each query has one relevant item",
        ("full recall", "multi-hop retrieval"),
    ),
    "rprec": Notes(
        "R-precision",
        "How precise is the ranking at the cutoff where precision equals recall?",
        r"\mathrm{Rprec} = P@R",
        "1 / 3",
        "queries have one relevant item, since it is then a hit rate at 1",
        "if every value is 0 or 1, queries usually have one relevant item each",
        ("r precision",),
    ),
    "iprec": Notes(
        "Interpolated precision",
        "What precision is reached at each level of recall?",
        r"\mathrm{IP} = \frac{1}{11} \sum_{l \in \{0, 0.1, \ldots, 1\}}"
        r" \; \max_{i \,:\, h_i \ge \lfloor l R + 0.5 \rfloor} P@i",
        "9 * (1/2) / 11",
        "scores are tied",
        "equal values at all levels of recall mean that queries have one relevant item each",
        ("11-point average precision",),
    ),
    "set_map": Notes(
        "Set MAP",
        "How good are the first k as a set?",
        r"\mathrm{SetMAP}@k = P@k \cdot R@k = \frac{h^2}{k R}",
        "2**2 / (4 * 3)",
        "the order matters",
        "many queries at 1 / k mean that they have one relevant item, found in the first k",
        ("set map",),
    ),
    "dcg": Notes(
        "Discounted cumulative gain",
        "How much gain do readers get?",
        r"\mathrm{DCG}@k = \sum_{i=1}^{k} \frac{2^{g_i} - 1}{\log_2(i + 1)}",
        "7 / log2(3) + 1 / log2(5)",
        "queries differ in their possible gain; use nDCG",
        "a change that nDCG does not show usually means that the judgements changed",
        ("dcg at k",),
    ),
    "idcg": Notes(
        "Ideal discounted cumulative gain",
        "How much gain is possible?",
        r"\mathrm{IDCG}@k = \sum_{i=1}^{\min(R, k)} \frac{2^{g_{(i)}} - 1}{\log_2(i + 1)}, \quad"
        r" g_{(1)} \ge g_{(2)} \ge \ldots",
        "7 / log2(2) + 3 / log2(3) + 1 / log2(4)",
        "you compare systems",
        "different values for two systems mean that they were measured with different judgements",
        ("ideal dcg", "idcg at k"),
    ),
    "ndcg": Notes(
        "Normalized discounted cumulative gain",
        "How much of the possible gain do readers get?",
        r"\mathrm{nDCG}@k = \frac{\mathrm{DCG}@k}{\mathrm{IDCG}@k}, \quad"
        r" \mathrm{DCG}@k = \sum_{i=1}^{k} \frac{2^{g_i} - 1}{\log_2(i + 1)}",
        _NDCG,
        "most items are relevant, since a random order then has a high value",
        "values above 0.9 for every system mean that nearly all items are relevant, or that only"
        " retrieved items were judged",
        ("ndcg at k", "normalised discounted cumulative gain"),
    ),
    "err": Notes(
        "Expected reciprocal rank",
        "How soon does a reader find enough to stop?",
        r"\mathrm{ERR}@k = \sum_{i=1}^{k} \frac{p_i}{i} \prod_{j=1}^{i-1} (1 - p_j), \quad"
        r" p_i = \frac{2^{g_i} - 1}{2^{g_{\max}}}",
        "7/8 / 2 + 1/8 * 1/8 / 4",
        "readers want several items",
        "high values for low grades mean that nothing better was judged: each query's highest"
        " grade sets its scale",
        ("err at k",),
    ),
    "nerr": Notes(
        "Normalized expected reciprocal rank",
        "How close is ERR to its maximum?",
        r"\mathrm{nERR}@k = \frac{\mathrm{ERR}@k}{\text{ERR}@k \text{ of the best order}}",
        "(7/8 / 2 + 1/8 * 1/8 / 4) / (7/8 / 1 + 1/8 * 3/8 / 2 + 1/8 * 5/8 * 1/8 / 3)",
        "readers want several items",
        "a value near 1 with a low nDCG means that one perfect item is first",
        ("nerr at k",),
    ),
    "lag": Notes(
        "LAG: irrelevant items above a relevant one",
        "How many irrelevant items are read before a relevant one?",
        r"\mathrm{LAG} = \frac{1}{R} \sum_{d \text{ relevant}}"
        r" \#\{\text{irrelevant items above } d\}",
        "(1 + 2 + 3) / 3",
        "lists are cut, since unretrieved items count as last",
        "a value that falls as lists get shorter means that irrelevant items were cut off",
        ("traceability", "lag"),
    ),
    "auc": Notes(
        "Area under the ROC curve over queries",
        "How many pairs are in the right order, weighted by relevant items?",
        r"\mathrm{AUC} = \frac{\#\{\text{relevant above irrelevant}\} + \frac{1}{2}"
        r" \#\{\text{tied}\}}{R \, N}",
        "(2 + 1 + 0) / (3 * 3)",
        "users see only the top",
        "a value far from GAUC means that a few queries with many relevant items dominate",
        ("roc auc", "area under the curve"),
    ),
    "gauc": Notes(
        "Group AUC",
        "How many pairs are in the right order for a user?",
        r"\mathrm{GAUC} = \frac{1}{Q} \sum_{q=1}^{Q} \mathrm{AUC}_q",
        "(2 + 1 + 0) / (3 * 3)",
        "users see only the top",
        "a value below 0.5 usually means that low scores are better, as for distances",
        ("group auc", "click-through rate", "ads"),
    ),
    "lauc": Notes(
        "Limited AUC",
        "How well ordered are the first k?",
        r"\mathrm{LAUC}@k = \frac{1}{\min(R, k)} \sum_{i=1}^{k} r_i \left(1 -"
        r" \frac{\#\{\text{irrelevant items above}\}}{N}\right)",
        "((3 - 1) / 3 + (3 - 2) / 3) / 3",
        "readers expect AUC, which reads the whole ranking",
        "a value far below AUC means that many relevant items are beyond k",
        ("limited auc", "partial auc"),
    ),
    "judged": Notes(
        "Judged share at k",
        "How much of the top was judged?",
        r"\mathrm{Judged}@k = \frac{\#\{\text{judged items in the first } k\}}"
        r"{\#\{\text{items in the first } k\}}",
        "3 / 4",
        "you want to measure quality",
        "1 for the old system and less for the new one mean that only old results were judged",
        ("judged at k", "coverage of judgements"),
    ),
    "unjudged": Notes(
        "Unjudged items at k",
        "How many of the top items were not judged?",
        r"\mathrm{Unjudged}@k = \#\{\text{items in the first } k \text{ without a judgement}\}",
        "1",
        "you want to measure quality",
        "0 for the old system and more for the new one mean that only old results were judged",
        ("unjudged at k", "holes"),
    ),
    "bpref": Notes(
        "Binary preference",
        "Are relevant items above judged irrelevant ones?",
        r"\mathrm{bpref} = \frac{1}{R} \sum_{d \text{ retrieved}} \left(1 -"
        r" \frac{\min(n_d, R)}{\min(N, R)}\right)",
        "((1 - 1/1) + (1 - 1/1)) / 3",
        "nearly all of the top is judged",
        "a value near 1 usually means that hardly any items were judged irrelevant",
        ("incomplete judgements",),
    ),
    "zero_results": Notes(
        "Zero results",
        "How many queries find nothing at all?",
        r"1 \text{ if the ranking is empty, else } 0",
        "0",
        "some queries should find nothing: see `false_answers`",
        "a value that falls together with `ndcg` means that results were padded",
        ("zero result rate", "null results", "no results"),
    ),
    "false_answers": Notes(
        "False answers",
        "How many questions without an answer get one?",
        r"1 \text{ if the ranking has an item, else } 0, \text{ where } R = 0",
        "1",
        "every query has a relevant item, since the value is then undefined",
        "a value of 1 means that the engine always returns something: it needs a threshold",
        ("unanswerable questions", "no answer", "abstention"),
    ),
    "rbp": Notes(
        "Rank-biased precision",
        "How much does a reader who may give up at any rank gain per item?",
        r"\mathrm{RBP}@k = (1 - p) \sum_{i=1}^{k} r_i \, p^{\,i-1}",
        "1/5 * (4/5 + (4/5)**3)",
        "a perfect ranking should have the value 1",
        "a maximum of 0.2 (1 - `persistence`) means that each query has one judged relevant item",
        ("rbp at k", "persistence"),
    ),
    "hmean": Notes(
        "Harmonic mean of two measures",
        "How good are both measures together?",
        r"\mathrm{HM} = \frac{(1 + b^2) \, x \, y}{b^2 x + y}",
        f"2 * ({_NDCG}) * (1/3) / ({_NDCG} + 1/3)",
        "both can be shown side by side",
        "a value of 0 for many queries means that one of the two measures is 0 for them",
        ("extended f1",),
    ),
}


def spelling(metric: Metric, k: int) -> str:
    name = f"{metric.name}(ndcg,map)" if metric.combines else metric.name
    return f"{name}@{k}" if metric.takes_k else name


def example(metric: Metric) -> float:
    """Value of the worked example, by the package."""
    grades, ranking, _ = worked(metric)
    (value,) = evaluate([grades], [ranking], [spelling(metric, 4)]).scores.values()
    return value


def worked(metric: Metric) -> tuple[dict[str, int], list[str], str]:
    """Grades, ranking and description of the worked example."""
    if metric.of_results:
        return {"a": 0}, ["a", "b"], "The ranking is `a b`; `a` was judged irrelevant."
    return GRADES, RANKING, EXAMPLE


def assumed(metric: Metric) -> dict[str, str]:
    """Option for bpref, which warns about examples in which nothing is judged irrelevant."""
    return {"assume": "complete"} if metric.name == "bpref" else {}


def picture(metric: Metric) -> str:
    """Bars: the value if only the item at a rank is relevant, for each of ten ranks."""
    truth = [{f"{rank}": 1} for rank in range(10)]
    rankings = [[f"{rank}" for rank in range(10)]] * 10
    named = spelling(metric, 5)
    values = evaluate(truth, rankings, [named], **assumed(metric)).per_query[named]
    top = float(np.nanmax(values, initial=0.0)) or 1.0
    bars = ""
    for rank, value in enumerate(np.nan_to_num(values).tolist()):
        height, x = 90 * value / top, 10 + 38 * rank
        bars += (
            f'<rect x="{x}" y="{100 - height:.1f}" width="28" height="{max(height, 1):.1f}"/>'
            f'<text x="{x + 14}" y="116">{rank + 1}</text>'
        )
    said = f"{metric.symbol} if the only relevant item has rank 1 to 10"
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
    "only the one relevant item was retrieved": ([{"a"}], [["a"]]),
}
"""Queries that lack something; their values are measured, not written down."""


def undefined(metric: Metric) -> list[str]:
    """Values of such queries, in the order of ``CASES``."""
    options = {"zero_division": math.nan, **assumed(metric)}
    columns = [evaluate(*case, [metric.name], **options) for case in CASES.values()]
    values = [value for column in columns for value in column.scores.values()]
    return ["undefined" if math.isnan(value) else f"{value:g}" for value in values]


def entries_of(metric: Metric) -> dict[str, str]:
    """Entries of the parameters in the docstring of a metric's function, by name."""
    doc = inspect.getdoc(FUNCTIONS[metric]) or ""
    body = doc.split("\nParameters\n----------\n")[1].split("\n\n")[0]
    return {entry.split(" : ")[0]: entry for entry in re.split(r"\n(?=\S)", body)}


def own_parameters(metric: Metric) -> str:
    """Table of the parameters that not every metric has, from its docstring or another's."""
    like = {name: entry for one in (MAP, DCG) for name, entry in entries_of(one).items()}
    entries = entries_of(metric) if metric in FUNCTIONS else like
    rows = []
    names = [name for name in metric.defaults if name in entries]  # some are of conventions alone
    for name in [*(["k"] if metric.takes_k else []), *names]:
        head, *meaning = (line.strip() for line in entries[name].split("\n"))
        values, default = head.removeprefix(f"{name} : ").split(", default=")
        rows.append([f"`{name}`", values, f"`{default}`", plain(" ".join(meaning))])
    if not rows:
        return "None."
    return table(["parameter", "values", "default", "meaning"], rows)


def programs(metric: Metric) -> str:
    """Table of the programs that compute the metric, and how."""
    if metric.combines:
        return f"A {CONVENTION} computes the two members as its program does."
    name, rows = metric.name, []
    for preset in CONVENTIONS.values():
        refused = preset.refused.get(name)
        notes = [f"{case}: {own[name]}" for case, own in preset.differs.items() if name in own]
        if not (refused or notes or name in (preset.measures or ())):
            continue
        said = [f"{key}={value}" for key, value in preset.parameters.get(name, {}).items()]
        undefined = str(preset.undefined.get(name, preset.zero_division))
        notes += [f"{case}: {own['*']}" for case, own in preset.differs.items() if "*" in own]
        notes += [f"with k: {preset.refused[f'{name}@']}"] if f"{name}@" in preset.refused else []
        if refused:
            said, undefined, notes = ["refused"], "", [refused]
        rows.append(
            [
                f"`{preset.name}`",
                version_of(preset.name),
                ", ".join(said),
                undefined,
                "; ".join(notes),
            ]
        )
    if not rows:
        return f"No program with a {CONVENTION} computes it."
    titles = [CONVENTION, "version", "parameters", "undefined query", "differs"]
    return table(titles, [[cell or "-" for cell in row] for row in rows])


def version_of(program: str) -> str:
    """Version whose answers are recorded; LookupError for a program without any."""
    if program not in VERSIONS:
        msg = (
            f"docs/_presets.json has no answers of {program}: add a call of it to "
            f"tests/peers/programs.py, and run python -m tests.peers {program}=PYTHON"
        )
        raise LookupError(msg)
    return str(VERSIONS[program]["version"])


def page(metric: Metric) -> str:
    """The page of a metric in Markdown."""
    notes, measure = NOTES[metric.name], spelling(metric, 4)
    end = "infinity" if math.isinf(metric.upper) else "1"
    better = "higher" if metric.greater_is_better else "lower"
    seen = not (
        metric.of_judgements or metric.skips_unjudged or metric.of_results or metric.combines
    )
    graded, ranking, description = worked(metric)
    grades = "grades above 0 are relevant"
    if "min_rel" in metric.defaults:
        grades += ", or grades of at least `min_rel`"
    if metric.graded:
        grades = "higher grades count more"
    elif metric.combines or metric.of_judgements:
        grades = "as its members read them" if metric.combines else "any grade is a judgement"
    ties = "no effect" if metric.of_results else "the exact expectation over all orders"
    ties = "the expectations of its members are combined" if metric.combines else ties
    facts = {
        "Range": f"0 to {end}; {better} is better",
        "Ties": ties if metric.takes_ties else "refused",
        "Grades": grades,
        **({"Random ranking": chance(metric)} if seen and metric.takes_ties else {}),
        "Avoid when": notes.avoid,
        "Warning sign": notes.sign,
        "Other names": ", ".join(f"`{alias}`" for alias in metric.aliases) or "none",
        "Source": linked(metric.reference),
    }
    if metric in FUNCTIONS:
        facts["Function"] = f"{{py:func}}`~sklearn_rank.{FUNCTIONS[metric].__name__}`"
    by_rank = f"""\
## Value by rank of the relevant item

One of ten items is relevant: `{spelling(metric, 5)}` if that item has rank 1, 2, ... 10.

{picture(metric)}

"""
    measures = " ".join(dict.fromkeys([spelling(metric, 5), *CALCULATED]))
    return f"""\
# {title(metric)}

**{notes.question}**

```{{math}}
{notes.tex}
```

{table(["measure", f"`{spelling(metric, 10)}`"], [list(fact) for fact in facts.items()])}

[Metrics](../metrics.md) explains the symbols.

## Example

{description}

    {measure} = {notes.by_hand}
    {" " * len(measure)} = {example(metric):.4f}

```python
from sklearn_rank import evaluate

grades = {json.dumps(graded)}
evaluate([grades], [{json.dumps(ranking)}], "{measure}")
```

## Calculator

<div class="ranking-calculator" data-measures="{measures}"></div>
<script src="../_static/ranking.js" defer></script>

{by_rank if seen else ""}\
## Parameters

{own_parameters(metric).replace("](", "](../")}

## Undefined queries

{table(["query", "value"], [list(row) for row in zip(CASES, undefined(metric), strict=True)])}

[`zero_division`](../inputs.md#undefined-queries) decides how an undefined query counts.

## Other programs

{programs(metric)}
"""


def title(metric: Metric) -> str:
    """Full name with the symbol, such as "Mean average precision (MAP)"."""
    name = NOTES[metric.name].name
    has_symbol = len(metric.symbol) > 2 and metric.symbol in name.replace(" r", "R").replace(
        " ", ""
    )
    return name if has_symbol else f"{name} ({metric.symbol})"


def linked(reference: str) -> str:
    """A reference with links for the DOIs in it."""
    return re.sub(r"doi:([^\s,;]+)", r"[doi:\1](https://doi.org/\1)", reference)


def write(folder: Path) -> None:
    """Write the pages that changed."""
    folder.mkdir(exist_ok=True)
    for metric in METRICS:
        path, text = folder / f"{metric.name}.md", page(metric)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
