"""What is known of a new system while more and more of its items are judged.

python docs/examples/unjudged.py [picture.svg]
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np

from sklearn_rank import bounds_of_change, evaluate
from sklearn_rank.displays import plot_style

QUERIES, ITEMS, MEASURE = 100, 60, "ndcg@10"
STEPS = (0, 25, 50, 75, 100, 150, 200, 300, 400, 500, 600)


def ranked(scores: np.ndarray) -> dict[str, list[str]]:
    """Items of each query, best first."""
    return {f"q{q}": [f"d{d}" for d in np.argsort(-row)] for q, row in enumerate(scores)}


def measured(truth: dict, run: dict) -> object:
    """A system by the judgements that there are; a query without a relevant item counts 0."""
    options = {"assume": "partial", "zero_division": 0.0, "keep_items": True}
    return evaluate(truth, run, MEASURE, **options)


# Grades of all items; both systems see them through noise, the new one through less.
rng = np.random.default_rng(0)
grades = rng.choice([0, 1, 2, 3], (QUERIES, ITEMS), p=[0.80, 0.10, 0.06, 0.04])
old = ranked(grades + 1.6 * rng.normal(size=grades.shape))
new = ranked(grades + 1.15 * rng.normal(size=grades.shape))
complete = {
    f"q{q}": {f"d{d}": int(grade) for d, grade in enumerate(row)} for q, row in enumerate(grades)
}
true = measured(complete, new)[MEASURE] - measured(complete, old)[MEASURE]

# Somebody judged the first ten of the old system, and now judges on, what matters most first.
truth = {query: {d: complete[query][d] for d in items[:10]} for query, items in old.items()}
rows = []
for n_judged, following in zip(STEPS, [*STEPS[1:], STEPS[-1]], strict=True):
    after, before = measured(truth, new), measured(truth, old)
    bounds = bounds_of_change(after, before, MEASURE)
    irrelevant = after[MEASURE] - before[MEASURE]
    condensed = after.condensed()[MEASURE] - before.condensed()[MEASURE]
    rows.append((n_judged, irrelevant, condensed, bounds.low, bounds.high))
    if n_judged in (0, 100, 300, 600):
        print(
            f"{n_judged:3} judged: irrelevant {irrelevant:+.3f}, condensed {condensed:+.3f}, "
            f"bounds {bounds.low:+.3f}..{bounds.high:+.3f}"
        )
    todo = after.to_judge(following - n_judged or None, before, backend=None)
    for query, item in zip(todo["query"], todo["item"], strict=True):
        truth[query][item] = complete[query][item]
print(f"with every item judged: {true:+.3f}")

with plot_style():
    figure, ax = plt.subplots()
    n_judged, irrelevant, condensed, low, high = map(np.array, zip(*rows, strict=True))
    ax.fill_between(n_judged, low, high, alpha=0.25, lw=0)
    # Where the lines stand apart: at their ends they all meet.
    labels = (("irrelevant", irrelevant, 6, (8, -14)), ("condensed", condensed, 7, (0, 6)))
    for name, values, place, offset in labels:
        (line,) = ax.plot(n_judged, values)
        point = n_judged[place], values[place]
        ax.annotate(name, point, offset, textcoords="offset points", color=line.get_color())
    ax.axhline(true, color="black", lw=1, ls="--")
    ax.annotate(" every item\n judged", (1, true), xycoords=("axes fraction", "data"), va="center")
    ax.annotate("bounds", (n_judged[4], 0.75 * high[4]), ha="center")
    ax.set(xlabel="items judged beside the old top 10", ylabel="change of nDCG@10")
    if len(sys.argv) > 1:
        figure.savefig(sys.argv[1], metadata={"Date": None})
