"""What items have to do with a value and its change: by hand, and as exact sums."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank import evaluate, measure
from sklearn_rank.kernels.moves import Moved, part_changes
from sklearn_rank.measures import METRICS
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.rankings.judged import JudgedRankings
from tests.strategies import examples

ITEMS = "abcdef"
MEASURES = [
    *(str(metric.name) for metric in METRICS if metric.parts or metric.contributions),
    "map@3",
    "map(denominator=relevant)@2",
    "map(denominator=k)@4",
    "ndcg@3",
    "dcg(gain=linear)@2",
    "mrr@2",
    "hit_rate@2",
    "err@3",
    "nerr@4",
    "precision@3",
    "precision(denominator=retrieved)@4",
    "recall@2",
    "recall(denominator=min)@2",
    "fbeta(beta=2)@3",
    "fbeta(beta=0)@3",
    "lag(unretrieved=ignore)",
    "gauc(unretrieved=ignore)",
    "gauc(smoothing=1)",
    "gauc(n_negatives=9)",
]

truths = st.dictionaries(st.sampled_from(ITEMS), st.integers(1, 3).map(float), min_size=1)
# Few levels, so that there are ties; some relevant items are not retrieved.
scores = st.dictionaries(st.sampled_from(ITEMS + "xyz"), st.integers(0, 4).map(float), min_size=1)


def of_query(truth: dict[str, float], run: dict[str, float]) -> tuple[JudgedRankings, np.ndarray]:
    """The rankings of a query, and which item of the truth each hit is."""
    evaluation = evaluate({"q": truth}, {"q": run}, "map", keep_items=True, zero_division=np.nan)
    (placement,) = evaluation.placements()
    items = [list(truth).index(hit.item) for hit in placement.hits]
    return evaluation.rankings, np.array(items, dtype=np.int64)


def options_of(spec: Measure) -> dict[str, object]:
    others = ("average", "min_rel")
    return {"k": spec.k, **{name: of for name, of in spec.options.items() if name not in others}}


def value_of(spec: Measure, rankings: JudgedRankings) -> float:
    return float(spec.metric.kernel(rankings, **options_of(spec))[0])


def change_by_item(spec: Measure, moved: Moved) -> np.ndarray:
    if spec.metric.contributions is not None:
        return spec.metric.contributions(moved, **options_of(spec))
    old, new = (spec.metric.parts(own, **options_of(spec)) for own in (moved.old, moved.new))
    return part_changes(moved, old, new)


@pytest.mark.parametrize("name", MEASURES)
@examples(12)
@given(truth=truths, old=scores, new=scores)
def test_items_add_up_to_the_value_and_to_its_change(
    name: str, truth: dict[str, float], old: dict[str, float], new: dict[str, float]
) -> None:
    spec = measure(name)
    (was, old_items), (now, new_items) = of_query(truth, old), of_query(truth, new)
    values = [value_of(spec, rankings) for rankings in (was, now)]
    if any(map(math.isnan, values)):  # nothing irrelevant, nothing retrieved
        return
    if spec.metric.parts is not None:
        for rankings, value in zip((was, now), values, strict=True):
            parts = spec.metric.parts(rankings, **options_of(spec))
            missing = len(truth) - len(rankings.above)
            assert math.fsum([*parts.hits, missing * parts.missing[0]]) == pytest.approx(
                value, rel=1e-12, abs=1e-13
            )
    moved = Moved(was, now, old_items, new_items, np.array([0, len(truth)]))
    changes = change_by_item(spec, moved)
    assert len(changes) == len(truth)
    assert math.fsum(changes) == pytest.approx(values[1] - values[0], rel=1e-11, abs=1e-12)


@given(truth=truths, old=scores, new=scores, k=st.sampled_from([None, 1, 3, 5]))
def test_an_item_that_did_not_move_has_no_part_in_average_precision(
    truth: dict[str, float], old: dict[str, float], new: dict[str, float], k: int | None
) -> None:
    (was, old_items), (now, new_items) = of_query(truth, old), of_query(truth, new)
    moved = Moved(was, now, old_items, new_items, np.array([0, len(truth)]))
    changes = change_by_item(measure("map", k=k), moved)
    places = [
        dict(zip(items.tolist(), zip(r.above.tolist(), r.tied.tolist(), strict=True), strict=True))
        for r, items in ((was, old_items), (now, new_items))
    ]
    for item in range(len(truth)):
        if places[0].get(item) == places[1].get(item):
            assert changes[item] == 0


# By hand -----------------------------------------------------------------------------------------


def untied(order: str) -> dict[str, float]:
    return {item: float(-rank) for rank, item in enumerate(order)}


def moved(truth: str, old: str, new: str) -> Moved:
    grades = dict.fromkeys(truth, 1.0)
    (was, old_items), (now, new_items) = (
        of_query(grades, untied(old)),
        of_query(grades, untied(new)),
    )
    return Moved(was, now, old_items, new_items, np.array([0, len(truth)]))


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        # a 1 -> 3, b 2 -> 1; grades 1: 1 / log2(2, 3, 4) is 1, 0.6309, 0.5.
        ("dcg", "abx", "bxa", [0.5 - 1, 1 - 1 / math.log2(3)]),
        # a 1 -> 4, b stays at 3 and answers now.
        ("mrr", "axby", "xyba", [-1, 1 / 3]),
    ],
)
def test_changes_by_item(name: str, old: str, new: str, expected: list[float]) -> None:
    change = change_by_item(measure(name), moved("ab", old, new))
    assert change.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("k", [None, 3])
@pytest.mark.parametrize("seed", range(6))
def test_average_precision_by_shapley(seed: int, k: int | None) -> None:
    """The mean, over all orders in which the items may move, of what each then changes."""
    generator = np.random.default_rng(seed)
    old, new = ({i: int(r) for i, r in enumerate(generator.permutation(9)[:4] + 1)} for _ in "on")

    def total(ranks: list[int]) -> Fraction:
        alone = sum(Fraction(1, rank) for rank in ranks if rank <= (k or rank))
        # Of two items on one rank, before and after a move, one stands a rank below.
        lower = (max(a, b) + (a == b) for a, b in itertools.combinations(ranks, 2))
        return alone + sum(Fraction(1, rank) for rank in lower if rank <= (k or rank))

    parts = [Fraction(0)] * 4
    orders = list(itertools.permutations(range(4)))
    for order in orders:
        ranks = dict(old)
        for item in order:
            before = total(list(ranks.values()))
            ranks[item] = new[item]
            parts[item] += (total(list(ranks.values())) - before) / len(orders)
    names = "abcd"
    lists = []
    for ranks in (old, new):
        places = ["x"] * 10
        for item, rank in ranks.items():
            places[rank - 1] = names[item]
        lists.append(
            "".join(str(place) if item == "x" else item for place, item in enumerate(places))
        )
    change = change_by_item(measure("map", k), moved(names, *lists))
    assert change.tolist() == pytest.approx([float(part / (k or 4)) for part in parts])


def test_average_precision_over_hits_has_no_parts() -> None:
    with pytest.raises(ValueError, match="its divisor, the items found, changes"):
        change_by_item(measure("map(denominator=retrieved)"), moved("ab", "ab", "ax"))
    with pytest.raises(ValueError, match="its divisor changes with the ranking, from 2 to 1"):
        change_by_item(measure("map(denominator=listed)"), moved("ab", "abc", "a"))
