"""A change to a search engine: titles now count more. Which queries got better, and is it chance?

python docs/examples/search_engine_change.py [picture.svg]
"""

from __future__ import annotations

import sys

import numpy as np

from sklearn_rank import compare, evaluate

rng = np.random.default_rng(7)
nouns = ("lamp", "desk", "chair", "rug", "shelf", "mirror", "vase", "clock", "sofa", "stool")
adjectives = ("red", "cheap", "oak", "small", "modern", "garden", "used", "kids")
queries = [f"{adjective} {noun}" for noun in nouns for adjective in adjectives]
grades = {
    query: {f"d{number}": int(grade) for number, grade in enumerate(rng.integers(0, 4, 12))}
    for query in queries
}


def search(title_weight: float) -> dict[str, list[str]]:
    """The first ten of forty documents; scores of titles and of texts reflect the grade."""
    noise = np.random.default_rng(1)
    ranked = {}
    for query in queries:
        wanted = np.array([grades[query].get(f"d{number}", 0) for number in range(40)])
        text = 0.5 * wanted + noise.normal(size=40)
        title = 0.5 * wanted + noise.normal(size=40)
        order = np.argsort(-(text + title_weight * title), kind="stable")[:10]
        ranked[query] = [f"d{number}" for number in order]
    return ranked


measures = ("ndcg@10", "precision@5", "mrr")
before = evaluate(grades, search(title_weight=0.2), measures, keep_items=True)
after = evaluate(grades, search(title_weight=0.6), measures, keep_items=True)

comparison = compare({"before": before, "after": after})
print(comparison)
for change in comparison.most_changed(3):
    print(f"{change.query}: {change.baseline_value:.2f} -> {change.new:.2f}  ({change.why(3)})")

shown = comparison.plot("changes", measure="ndcg@10")
if sys.argv[1:]:
    shown.figure_.savefig(sys.argv[1], metadata={"Date": None})
