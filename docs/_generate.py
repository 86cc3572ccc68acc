"""Write the parts of the documentation that repeat the package.

These are metrics.md, the table of conventions in coming_from.md, and those of layouts, names of
columns and ties in inputs.md. All come from records, presets, signatures and docstrings. Run it
after a change to any of these; a test compares the files with it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

# The pages describe this checkout, also where another copy of the package is installed.
sys.path.insert(0, str(Path(__file__).parents[1]))

from _architecture import picture, walk
from _markdown import table
from _metric_pages import NOTES, title
from _programs import agreement

from sklearn_rank import scorers
from sklearn_rank.inputs.layouts import LAYOUTS
from sklearn_rank.inputs.roles import LISTS, ROLES, Names
from sklearn_rank.measures.catalogue import METRICS, Metric
from sklearn_rank.measures.conventions import CONVENTIONS, Convention
from sklearn_rank.metrics import FUNCTIONS
from sklearn_rank.rankings.ranking import TIE_RULES

DOCS = Path(__file__).parent
ARCHITECTURE = DOCS / "architecture.md"
INPUTS = DOCS / "inputs.md"
COMING_FROM = DOCS / "coming_from.md"

BEGIN = "<!-- begin: written by docs/_generate.py -->"
END = "<!-- end: written by docs/_generate.py -->"

_HEAD = """\
# Metrics

<!-- Written by docs/_generate.py; change that, a docstring or a record, and run it. -->

Each metric has a page with its formula, an example, a calculator, its parameters and the programs
that compute it. [Which metric](which_metric.md) helps you choose.

"""

_SYMBOLS = """\
The score is the mean over queries. Formulas are for one query: R relevant items, retrieved or not;
N irrelevant items in the ranking; h relevant items among the first k; r is 1 at the rank of a
relevant item and 0 elsewhere; g is the grade of an item; P@i and R@i are precision and recall of
the first i; Q is the number of queries; b is the parameter `beta`.

`k=None`, the default of functions with a cutoff, reads the whole ranking. With tied items a metric
is the exact expectation over all their orders unless `ties=` is given
([Inputs](inputs.md#ties)). `convention=` of `evaluate` changes defaults to those of [another
program](coming_from.md#conventions).

"""

_EXAMPLE = """\
One query by hand: the relevant items `b` and `d` are at ranks 2 and 4.

```pycon
>>> from sklearn_rank import evaluate
>>> ev = evaluate([{"b", "d"}], [["a", "b", "c", "d"]], ["map", "mrr", "p@2", "r@2", "lag", "gauc"])
>>> ev["map"]  # (1/2 + 2/4) / 2
0.5
>>> ev["mrr"], ev["p@2"], ev["r@2"]  # first relevant item at rank 2; one of two found within 2
(0.5, 0.5, 0.5)
>>> ev["lag"]  # one irrelevant item above b, two above d
1.5
>>> ev["gauc"]  # of the pairs b-a, b-c, d-a, d-c only b-c is in the right order
0.25

```

"""

_GAINS = """\
## Gains and discounts

DCG is the sum of gain(grade) / discount(rank), and nDCG is DCG / ideal DCG.

| `gain=` | gain of a grade g above 0 |
| --- | --- |
| `"exp2"` | 2^g - 1; an error from grade 1024 on, which float64 cannot hold |
| `"linear"` | g |
| `"binary"` | 1 |
| `"exp2_next"` | 2^(g + 1) - 1 |
| a mapping | its value for g, at least 0; every grade needs one, as in `{1: 1, 2: 10}` |

`discount` is `"log2"`, log2(rank + 1); `"log2_rank"`, log2(rank) from rank 2 on; `"log2_plus_2"`,
log2(rank + 2); `"one_plus_log2"`, 1 + log2(rank); or `"rank"`.

```pycon
>>> from sklearn_rank import dcg_at_k_score
>>> dcg_at_k_score([{"a": 2, "b": 1}], [["b", "a"]], gain={1: 1, 2: 10}, discount="rank")
6.0

```

"""

_UNDEFINED = """\
## Undefined queries

The page of each metric lists the queries for which it is undefined: for most, those without a
relevant item. [`zero_division`](inputs.md#undefined-queries) decides how they count. `ndcg` is also
undefined if all gains are 0, and with `unretrieved="ignore"` LAG and the areas under curves if
nothing relevant was retrieved.

"""

_CURVES = """\
## Curves

`ranking_roc_curve` and `ranking_precision_recall_curve` return arrays, as scikit-learn's do:
pooled over all queries (which needs scores comparable across queries) or, with
`average="macro"`, as the mean of the queries' curves.

```pycon
>>> from sklearn_rank import ranking_roc_curve
>>> fpr, tpr, _ = ranking_roc_curve([1, 0, 1, 0], [4, 3, 2, 1], groups=[0, 0, 1, 1])
>>> fpr.tolist(), tpr.tolist()
([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])

```
"""


_PAGES = """
```{toctree}
:hidden:
:glob:

metric/*
```
"""


def pages() -> dict[Path, str]:
    """Every file that is wholly or partly written here, with the text that it should have."""
    return {
        DOCS / "metrics.md": metrics_page(),
        ARCHITECTURE: _with_parts(ARCHITECTURE, walk(), picture()),
        INPUTS: _with_parts(INPUTS, _layouts(), _roles(), _ties()),
        COMING_FROM: _with_parts(COMING_FROM, _conventions()),
    }


def metrics_page() -> str:
    """All metrics in a table, and what they share."""
    return f"{_HEAD}{_overview()}\n\n{_SYMBOLS}{_EXAMPLE}{_GAINS}{_UNDEFINED}{_CURVES}{_PAGES}"


def _conventions() -> str:
    checked = agreement()
    titles = ["preset", "ties", "undefined", "missing", "negative grade", "parameters"]
    titles.append("equal values")
    rows = [
        [
            f"`{preset.name}`",
            preset.ties,
            _undefined_text(preset),
            preset.missing,
            preset.negative_grades,
            _preset_parameters(preset),
            checked.get(preset.name, "-"),
        ]
        for preset in CONVENTIONS.values()
    ]
    return table(titles, rows)


def _preset_parameters(preset: Convention) -> str:
    """Parameters that the preset sets; metrics with the same ones share an entry."""
    metrics: dict[str, list[str]] = {}
    for metric, parameters in preset.parameters.items():
        text = ", ".join(f"{name}={value}" for name, value in parameters.items())
        metrics.setdefault(text, []).append(metric)
    return "; ".join(f"{', '.join(names)}: {text}" for text, names in metrics.items()) or "none"


def _undefined_text(preset: Convention) -> str:
    """The value of an undefined query, and the metrics for which it differs."""
    others = [f"{metric} {value}" for metric, value in preset.undefined.items()]
    return "; ".join([str(preset.zero_division), *others])


def _with_parts(path: Path, *parts: str) -> str:
    """Text of a file with the part between each pair of marks replaced."""
    before, *rest = path.read_text(encoding="utf-8").split(BEGIN)
    afters = [text.split(END)[1] for text in rest]
    return before + "".join(
        f"{BEGIN}\n\n{part}\n\n{END}{after}" for part, after in zip(parts, afters, strict=True)
    )


def _layouts() -> str:
    return table(
        ["layout", "`y_true`", "`y_score`", "a query is"],
        [
            [f"[{layout.name}](#{layout.name})", layout.y_true, layout.y_score, layout.query]
            for layout in LAYOUTS.values()
        ],
    )


_WITHOUT = {
    "score": "ordered by distance, smallest first",
    "distance": "the rank decides",
    "rank": "the order of the rows counts",
    "grade": "every row is relevant",
}


def _roles() -> str:
    """Names of columns: commas separate the names of a list, a slash its names of texts."""

    def names(families: Iterable[Names]) -> str:
        lists = (" / ".join(filter(None, map(_listed, family))) for family in families)
        return "; ".join(lists)

    roles = [[role, names(own), _WITHOUT.get(role, "an error")] for role, own in ROLES.items()]
    lists = [
        [f"{side} items, a list in JSON", names(own), "one item per row"]
        for side, own in LISTS.items()
    ]
    return table(["role", "names", "without such a column"], roles + lists)


def _listed(names: str) -> str:
    return ", ".join(f"`{name}`" for name in names.split())


def _ties() -> str:
    return table(
        ["`ties=`", "order of tied items"],
        [[f'`"{rule.name}"`', rule.order] for rule in TIE_RULES.values()],
    )


def _overview() -> str:
    rows = []
    for metric in METRICS:
        names = (_spelling(metric), _function(metric), _scorer(metric))
        link = f"[{title(metric)}](metric/{metric.name}.md)"
        spellings = "<br>".join(f"`{name}`" for name in names if name)
        rows.append([link, NOTES[metric.name].question, spellings])
    return table(["metric", "question", "measure, function, scorer"], rows)


def _function(metric: Metric) -> str:
    return FUNCTIONS[metric].__name__ if metric in FUNCTIONS else ""


def _spelling(metric: Metric) -> str:
    if metric.combines:
        return f"{metric.name}(ndcg,map)@10"
    return f"{metric.name}@10" if metric.takes_k else metric.name


def _scorer(metric: Metric) -> str:
    """Name of the predefined scorer, if there is one."""
    ready = [
        name
        for name in scorers.__all__
        if getattr(getattr(scorers, name), "measure", None) is not None
        and getattr(scorers, name).measure.metric == metric
    ]
    return ready[0] if ready else ""


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
