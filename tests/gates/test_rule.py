"""The rule of gates: by hand, against SciPy, and what must hold of every sample."""

import math
from itertools import product
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_rankmetrics import RankGate
from sklearn_rank.gates import rule as rule_of_gates
from sklearn_rank.gates.limits import HARD_DROP, Settings
from sklearn_rank.gates.rule import (
    Clause,
    Drop,
    Rule,
    detectable_drops,
    false_alarm,
    judge_drops,
)
from sklearn_rank.statistics.paired import PairedDifferences
from sklearn_rank.statistics.randomization import holm
from tests.benchmarks.gate_rates import changed, paired

ANY = Rule(0.0)


def pairs_of(drops, n: int = 0, **options) -> PairedDifferences:
    """Queries that lose so much, and further ones that stay."""
    drops = np.concatenate([drops, np.zeros(max(n - len(drops), 0))])
    return PairedDifferences.of(0.5 - drops / 2, 0.5 + drops / 2, **options)


def judged(drops, n: int = 0, rule: Rule = ANY, **options) -> Drop:
    return judge_drops({"": pairs_of(drops, n, **options)}, {"": rule})[""]


def rate_of(pairs: PairedDifferences, rule: Rule) -> float:
    return false_alarm(({"": pairs}, {"": rule}))


def is_red(found: dict[str, Drop]) -> bool:
    return any(own.clauses for own in found.values())


def hits(lost: int, won: int, n: int, rule: Rule) -> Drop:
    return judged([1.0] * lost + [-1.0] * won, n, rule)


# The rule by hand --------------------------------------------------------------------------------

NONE: tuple[Clause, ...] = ()
TEST, HARD, LOSSES = (Clause.SIGNIFICANT,), (Clause.HARD_DROP,), (Clause.ONLY_LOSSES,)


@pytest.mark.parametrize(
    ("lost", "won", "n", "limits", "clauses"),
    [
        (2, 0, 200, {}, LOSSES),
        (1, 0, 200, {}, NONE),
        (2, 1, 200, {}, NONE),
        (3, 1, 200, {}, NONE),
        # Both sides of 4 coins are 1/8, of 5 1/16.
        (4, 0, 200, {}, LOSSES),
        (5, 0, 200, {}, TEST + LOSSES),
        (5, 0, 200, {"alpha": 1 / 16}, TEST + LOSSES),  # at the level
        (5, 0, 200, {"alpha": 0.06}, LOSSES),
        (5, 0, 200, {"only_losses": False}, TEST),
        # Of 13 coins 9 or more fall to one side in 27 %, of 16 12 or more in 7.7 %.
        (9, 4, 200, {}, NONE),
        (12, 4, 200, {}, TEST),
        (12, 4, 200, {"max_drop": 0.04}, NONE),  # 8 of 200 are not above it
        (12, 4, 200, {"max_drop": 0.0399}, TEST),
        (2, 0, 200, {"max_drop": 0.01}, NONE),
        (31, 31, 62, {}, NONE),
        (3, 1, 10, {"hard_drop": 0.15}, HARD),
        (3, 1, 10, {"hard_drop": 0.2}, NONE),
        (1, 0, 5, {"hard_drop": 0.15}, HARD),
        (5, 0, 5, {"hard_drop": 0.15}, HARD + TEST + LOSSES),
        (0, 9, 200, {}, NONE),
        (0, 0, 200, {}, NONE),
    ],
)
def test_clauses_by_hand(lost, won, n, limits, clauses) -> None:
    found = hits(lost, won, n, Rule(**{"max_drop": 0.005, **limits}))
    assert (found.losses, found.wins, found.queries, -found.change) == (
        lost,
        won,
        n,
        (lost - won) / n,
    )
    assert found.clauses == clauses
    assert found.exceeds is ((lost - won) / n > limits.get("max_drop", 0.005) + 1e-9)


def test_a_measure_without_values_per_query_has_its_limits_alone() -> None:
    rules = {"pooled": Rule(0.02, 0.15)}
    for drop, clauses in ((0.02, NONE), (0.03, (Clause.UNTESTED,)), (math.nan, (Clause.UNTESTED,))):
        found = judge_drops({"pooled": drop}, rules)["pooled"]
        assert found.clauses == clauses
        assert math.isnan(found.p_holm)
    assert judge_drops({"pooled": 0.2}, rules)["pooled"].clauses == (*HARD, Clause.UNTESTED)


def test_directions_units_and_undefined_queries() -> None:
    old, new = [3.0, 1.0, math.nan, 2.0, 5.0], [4.0, 3.0, 1.0, 2.0, math.nan]
    ranks = PairedDifferences.of(new, old, greater_is_better=False)
    assert ranks.drops.tolist() == [1.0, 2.0, 0.0]
    assert ranks.queries.tolist() == [0, 1, 3]
    assert PairedDifferences.of(new, old, weights=[1, 0, 1, 1, 1]).drops.tolist() == [-1.0, 0.0]


# The test ----------------------------------------------------------------------------------------


def test_p_and_interval_are_those_of_the_comparison() -> None:
    drops = np.append(np.random.default_rng(0).normal(0.05, 0.1, 30), np.zeros(10))
    found, pairs = judged(drops), pairs_of(drops)
    assert (found.p, found.low, found.high) == (pairs.p, *pairs.interval(0.9))
    assert (found.losses, found.wins, found.queries) == (pairs.losses, pairs.wins, 40)
    turned = judged(-drops)
    assert turned.p == found.p <= 0.1
    assert (found.improved, turned.improved) == (False, True)
    assert not judged(-drops, rule=Rule(0.0, alpha=found.p / 2)).improved


def test_holm_over_the_family() -> None:
    rng = np.random.default_rng(1)
    family = {name: pairs_of(rng.normal(0.03, 0.1, 40)) for name in "abc"}
    found = judge_drops(family, dict.fromkeys(family, Rule(0.0)))
    p = [drop.p for drop in found.values()]
    assert [drop.p_holm for drop in found.values()] == holm(p).tolist()
    assert p[0] == judge_drops({"": family["a"]}, {"": Rule(0.0)})[""].p


# Monotone ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [10, 40, 200])
@pytest.mark.parametrize("limits", [(0.0, 1.0), (0.02, HARD_DROP), (0.005, 0.05)])
def test_another_loss_is_never_green_and_another_win_never_red(n, limits) -> None:
    red = {
        (lost, won): bool(hits(lost, won, n, Rule(*limits)).clauses)
        for lost, won in product(range(21), range(21))
        if lost + won <= n
    }
    for (lost, won), is_red_now in red.items():
        assert red.get((lost + 1, won), True) or not is_red_now
        assert is_red_now or not red.get((lost, won + 1), False)


@st.composite
def two_samples(draw):
    """Drops of which the second are as large or larger, with weights or clusters."""
    n = draw(st.integers(2, 12))
    values = st.sampled_from([-1.0, -0.5, -0.1, -0.01, 0.0, 0.01, 0.1, 0.3, 0.5, 1.0])
    first = np.array(draw(st.lists(values, min_size=n, max_size=n)))
    rises = np.array(
        draw(st.lists(st.sampled_from([0.0] * 4 + [0.01, 0.3, 2.0]), min_size=n, max_size=n))
    )
    options = {}
    if draw(st.booleans()):
        options["weights"] = draw(st.lists(st.integers(1, 9), min_size=n, max_size=n))
    if draw(st.booleans()):
        options["clusters"] = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    return first, np.minimum(first + rises, 1.0), options


@settings(max_examples=300)
@given(two_samples(), st.sampled_from([0, 30, 300]))
def test_worse_everywhere_is_never_better(two, more) -> None:
    first, second, options = two
    if options:
        more = 0
    n, rule = len(first) + more, Rule(0.02, HARD_DROP)
    less, most = (judged(drops, n, rule, **options) for drops in (first, second))
    assert less.change > 0 or math.isnan(less.p) or most.p <= less.p * (1 + 1e-9)
    assert most.change <= less.change + 1e-12
    clustered = "clusters" in options  # a cluster that lost and won is one of either
    assert most.clauses or not less.clauses or (clustered and less.clauses == LOSSES)


# Gains -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [30, 60])
def test_an_index_that_loses_documents_is_no_gain(n) -> None:
    """One in twenty relevant items is lost, which lifts those below what was removed."""
    rng, ranks = np.random.default_rng(n), np.arange(1, 31)
    improved = recorded = 0
    for _ in range(300):
        rank = rng.choice(ranks, n, p=1 / ranks / (1 / ranks).sum())
        new = 1 / (rank - rng.binomial(rank - 1, 0.05)) * (rng.random(n) >= 0.05)
        found = judged(1 / rank - new)
        improved += found.improved
        recorded += found.recorded
    assert improved <= 0.04 * 300
    assert recorded <= 0.01 * 300


# Rates -------------------------------------------------------------------------------------------


def test_the_rate_of_few_changes_is_a_count() -> None:
    rule = Rule(0.005, 0.15)
    # Of k coins 2 to k fall to the side of losses, and none to the other: 2^-k.
    for k, n, rate in ((1, 40, 0), (2, 40, 1 / 4), (3, 40, 1 / 8), (4, 40, 1 / 16)):
        assert rate_of(pairs_of([0.5] * k, n), rule) == rate
    # One of two changes of 1 in 5 queries is a drop of 0, two are 0.4; one of one is 0.2.
    assert rate_of(pairs_of([1.0], 5), rule) == 1 / 2
    # 7 or more of 10 lost, or 2: (120 + 45 + 10 + 1) / 1024 have a net loss of 4 of 40, above 0.09.
    found = rate_of(pairs_of([-1.0] * 10, 40), Rule(0.02, 0.09, alpha=1e-9))
    assert found == (120 + 45 + 10 + 1) / 1024


def test_measures_and_slices_share_their_signs() -> None:
    one, rule = pairs_of([0.5, 0.5, 0, 0]), Rule(0.005, only_losses=True)
    other = pairs_of([0, 0, 0.5, 0.5])
    family = {"a": one, "b": one}, {"a": rule, "b": rule}
    assert false_alarm(family) == 1 / 4
    apart = {"a": one, "b": other}, {"a": rule, "b": rule}
    assert false_alarm(apart) == 1 - (3 / 4) ** 2
    assert false_alarm(({"a": one}, {"a": rule}), ({"b": other}, {"b": rule})) == 7 / 16
    assert false_alarm(({"a": 0.3}, {"a": rule})) == 0.0


@pytest.mark.parametrize("fewest", [1, 2, 3, 5])
def test_the_rate_follows_the_rule(fewest, monkeypatch) -> None:
    """Whatever the rule says of losses alone, the printed rate is that of the gate."""
    monkeypatch.setattr(rule_of_gates, "FEWEST_LOST", fewest)
    rule, sizes = Rule(0.005, alpha=1e-9), np.array([0.1, 0.2, 0.3, 0.4])
    red = [bool(judged(sizes * signs, 40, rule).clauses) for signs in product((1, -1), repeat=4)]
    assert np.mean(red) == rate_of(pairs_of(sizes, 40), rule) == (1 / 16 if fewest < 5 else 0)
    assert bool(judged([0.4] * fewest, 40, rule).clauses)
    assert not judged([0.4] * (fewest - 1), 40, rule).clauses


def test_prose_names_the_rule() -> None:
    number = {1: "one", 2: "two", 3: "three"}[rule_of_gates.FEWEST_LOST]
    sentence = f"{number} or more queries lost and none won"
    root = Path(__file__).parents[2]
    pages = [root / "README.md", root / "docs" / "gates_reference.md"]
    texts = [page.read_text(encoding="utf-8") for page in pages]
    for text in (*texts, str(rule_of_gates.__doc__), str(RankGate.check.__doc__)):
        assert sentence in " ".join(text.split()), text[:60]


@pytest.mark.parametrize("options", ["", "weights", "clusters"])
def test_the_rate_is_the_share_of_red_gates_over_all_signs(options) -> None:
    rng, n = np.random.default_rng(5), 12
    sizes = np.where(rng.random((3, n)) < 0.6, rng.random((3, n)).round(2), 0.0)
    sizes[:, 8:] = 0
    extra = {
        "weights": {"weights": rng.integers(1, 5, n)},
        "clusters": {"clusters": [*range(8), 0, 1, 2, 3]},
    }
    rules = {"a": Rule(0.02, 0.15), "b": Rule(0.0), "c": Rule(0.03, 0.12, alpha=0.1)}
    of_slices = {"half": Rule(0.01, alpha=0.2, only_losses=False), "other": Rule(0.03, 0.05)}

    def families(signs):
        pairs = {}
        for name, size in zip("abc", sizes, strict=True):
            pairs[name] = pairs_of(signs * size, **extra.get(options, {}))
        slices = {"half": pairs["a"].take(range(6)), "other": pairs["a"].take(range(4, 12))}
        return (pairs, rules), (slices, of_slices)

    red = [
        any(is_red(judge_drops(*family)) for family in families(np.array([*signs, *[1] * 4])))
        for signs in product((1, -1), repeat=8)
    ]
    assert 0 < np.mean(red) < 1
    assert false_alarm(*families(np.ones(n))) == np.mean(red)


# Power -------------------------------------------------------------------------------------------


def test_a_detectable_drop_is_found() -> None:
    rng, rule = np.random.default_rng(0), Rule(0.02, HARD_DROP)
    drops = rng.normal(0, 0.2, 50)
    drops -= drops.mean()
    found = detectable_drops({"": pairs_of(drops)}, {"": rule})[""]
    shifted = rng.normal(found, drops.std(ddof=1), (400, 50)).clip(-1, 1)
    red = [bool(judged(sample, rule=rule).clauses) for sample in shifted]
    assert np.mean(red) == pytest.approx(0.8, abs=0.05)
    assert math.isnan(detectable_drops({"": pairs_of([], 9)}, {"": rule})[""])
    # Each further measure costs power.
    two = detectable_drops({"a": pairs_of(drops), "b": pairs_of(drops)}, {"a": rule, "b": rule})
    assert two["a"] > found * 1.05
    # No drop within the limit is red: what is found lies about .84 standard errors beyond it.
    wide = detectable_drops({"": pairs_of(drops)}, {"": Rule(0.4)})[""]
    assert wide == pytest.approx(0.4 + NormalDist().inv_cdf(0.8) * drops.std(ddof=1) / 50**0.5)


def test_the_order_of_limits_changes_no_rate() -> None:
    """Signs of many changes are drawn, in one order of the measures."""
    rng = np.random.default_rng(4)
    pairs = {name: pairs_of(rng.normal(0.02, 0.2, 60)) for name in "ab"}
    rules = {"a": Rule(0.02), "b": Rule(0.04, alpha=0.05)}
    turned = dict(reversed(pairs.items()))
    assert false_alarm((pairs, rules)) == false_alarm((turned, rules)) > 0


def test_the_default_of_the_hard_limit() -> None:
    """Two of 12 hits lost are a drop of 1/6: red at .16, which 15.5 % of equal systems meet."""
    for n, name, most in ((12, "hit_rate@10", 0.15), (12, "mrr", 0.15), (25, "mrr", 0.11)):
        rng, red = np.random.default_rng(0), 0
        for _ in range(1000):
            pair = paired(*changed(rng, n, 0.5), name)
            red += is_red(judge_drops({"": pair}, {"": Rule(0.02, HARD_DROP)}))
        assert red / 1000 <= most
    assert Settings().hard_drop == HARD_DROP > 2 / 12
