"""What a gate says of each kind of limit: never of another one, and never calmer than the data."""

from __future__ import annotations

from typing import Any

import pytest

from sklearn_rank import compare, measure_from
from sklearn_rank.gates.gate import verdict_on
from sklearn_rank.view.words import outlook_of, would
from tests.gates.conftest import Gate, beside
from tests.plugin.cases import results, truth

N = 24
SPREAD = [1, 2, 3, 4] * 6
LOWER = [1, 4, 5, 4, 3, 4] * 4
"""16 of 24 queries are lower than by SPREAD, none is higher."""
TIME = measure_from("ms", range=(0, float("inf")), greater_is_better=False)


def scored(ranks: list[int]) -> dict[str, dict[str, float]]:
    """Rankings with scores, which pooled measures need."""
    return {
        query: {item: float(-n) for n, item in enumerate(items)}
        for query, items in results(ranks).items()
    }


def clusters(size: int) -> dict[str, int]:
    return {query: n // size for n, query in enumerate(truth(N))}


def fell(old: list[int], new: list[int], **limits: Any) -> Any:
    return beside(truth(len(old)), scored(new), scored(old), **limits)


@pytest.mark.parametrize(
    ("limits", "notes"),
    [
        ({"max_drop": {"lag": 0.2}}, ["this gate detects LAG rises of 0.288 or more (80% power)"]),
        ({"max_drop": {"recall@3": 0.02}}, ["this gate detects R@3 drops of 0.104 or more"]),
        (
            {"max_drop": {"mrr": 0.02, "recall@9": 0.02, "lag": 0.2}},
            [
                "this gate detects MRR drops of 0.085 and LAG rises of 0.328 or more (80% power), "
                "if queries change as usual; its power for R@9 is not known yet. If these "
                "queries are a contract rather than a sample, pass hard_drop equal to max_drop"
            ],
        ),
        (
            {
                "max_drop": {"mrr": 0.02, "lag": 0.2, "p95_ms": 5},
                "hard_drop": {"mrr": 0.02, "lag": 0.2},
                "totals": {"p95_ms": 180.0},
            },
            [
                "a contract: every drop of MRR beyond 0.02 and every rise of LAG beyond 0.2 is red",
                "without a test: every rise of p95_ms beyond 5 is red",
            ],
        ),
        (
            {"max_drop": {"auc(average=pooled)": 0.02}},
            ["without a test: every drop of AUC(average=pooled) beyond 0.02 is red"],
        ),
        (
            {
                "max_drop": {TIME: 5},
                "values": {TIME: {query: 100.0 + n for n, query in enumerate(truth(N))}},
            },
            ["this gate detects ms rises of "],
        ),
        ({"max_drop": {"recall@9": 0.02}}, []),
        ({"at_least": {"mrr": 0.1}, "max_drop": {"map": 0.02}}, ["detects MAP drops of"]),
    ],
)
def test_recording_speaks_of_each_limit_for_what_it_is(gate: Gate, limits: Any, notes: Any) -> None:
    said = gate.record(truth(N), scored(SPREAD), **limits).as_dict()["notes"]
    assert len(said) == len(notes)
    for text, part in zip(said, notes, strict=True):
        assert part in text


def test_recording_counts_clusters_where_they_vary(gate: Gate) -> None:
    """Three clusters are too few; 12 detect less than their 24 queries would, a drop of 0.070."""
    limits: Any = {"max_drop": {"mrr": 0.02}}
    three = gate.record(truth(N), scored(SPREAD), **limits, clusters=clusters(8))
    assert three.as_dict()["notes"] == []
    twelve = gate.record(truth(N), scored(SPREAD), **limits, clusters=clusters(2))
    assert "this gate detects MRR drops of 0.083 or more" in twelve.as_dict()["notes"][0]


@pytest.mark.parametrize(
    ("old", "new", "limits", "said"),
    [
        ([1, 1], [3, 3], {"max_drop": {"mrr": 0.02}}, "2 of 2 queries got worse, none better, wh"),
        (SPREAD, LOWER, {"max_drop": {"lag": 0.2}}, "LAG rose from 1.500 to 2.500 (+1.000, allow"),
        (SPREAD, LOWER, {"max_drop": {"mrr": 0}}, "no drop allowed"),
        (SPREAD, LOWER, {"max_drop": {"lag": 0}}, "no rise allowed"),
        (
            SPREAD,
            LOWER,
            {"max_drop": {"auc(average=pooled)": 0.02}},
            "allowed -0.020): one value for the whole run, not tested",
        ),
    ],
)
def test_a_drop_names_what_made_it_red(old: Any, new: Any, limits: Any, said: str) -> None:
    assert said in fell(old, new, **limits).headline


def test_p_is_no_reason_where_the_counts_are() -> None:
    """Two lost of two are red with p = .5; five of five, p = .0625, by their test."""
    limits: Any = {"max_drop": {"mrr": 0.02}}
    two, five = ([1] * n for n in (2, 5))
    by_counts, by_test = fell(two, [2, 2], **limits), fell(five, [2] * 5, **limits)
    assert by_counts.headline.endswith(
        "none better, which is red without a test (p (Holm) = 0.5000)"
    )
    assert by_test.headline.endswith("none better, p (Holm) = 0.0625")
    compared = compare(truth(2), {"old": results(two), "new": results([2, 2])}, "mrr")
    assert would(verdict_on(compared)) == (
        "A gate with max_drop 0.02 would be red: MRR fell by 0.500, 2 queries got worse, none "
        "better, which is red without a test"
    )
    sides = {"old": {"good": 2, "x": 1}, "new": {"good": 1, "x": 2}}
    runs = {name: dict.fromkeys(truth(2), scores) for name, scores in sides.items()}
    pooled = compare(truth(2), runs, "auc(average=pooled)")
    assert would(verdict_on(pooled)) == (
        "A gate with max_drop 0.02 would be red: AUC(average=pooled) fell by 1.000"
    )


def test_clusters_count_where_they_vary() -> None:
    """24 queries got worse, in 3 clusters: too few of these."""
    limits: Any = {"max_drop": {"mrr": 0.02}}
    three = fell([1] * N, [2] * N, **limits, clusters=clusters(8))
    assert three.headline.endswith("which is red without a test (p (Holm) = 0.2500)")
    assert outlook_of(three).startswith("Too few clusters changed in MRR to estimate what this")
    twelve = fell([1] * N, [2] * N, **limits, clusters=clusters(2))
    assert outlook_of(twelve).startswith("All changes in MRR are equal, so there is no spread to")


def test_power_is_of_a_measure_that_is_tested_and_by_its_direction() -> None:
    slower = fell(SPREAD, LOWER, max_drop={"lag": 0.2})
    assert "detects LAG rises of" in outlook_of(slower)
    # MRR is a contract, and 4 queries lost R@4.
    both = fell(SPREAD, LOWER, max_drop={"mrr": 0.02, "recall@4": 0.02}, hard_drop={"mrr": 0.02})
    assert outlook_of(both).startswith("Too few queries changed in R@4 to estimate what this")
    fails = fell(SPREAD, LOWER, max_drop={"mrr": 0.9, "map": 0.02}, hard_drop={"mrr": 0.9})
    assert "detects MAP drops of" in outlook_of(fails)


def test_what_nobody_judged_is_no_news_for_a_latency(gate: Gate) -> None:
    judged = {query: {"a": 1, "x": 0} for query in truth(N)}
    old, new = ({query: ["a", second] for query in judged} for second in ("x", "new"))
    partial: Any = {"assume": "partial", "measures": ["mrr"]}
    for limits in ({"max_drop": {"p95_ms": 5}}, {"max_drop": {"p95_ms": 5, "mrr": 0.02}}):
        gate.record(judged, old, **partial, **limits, totals={"p95_ms": 100.0})
        slower = gate(judged, new, **partial, **limits, totals={"p95_ms": 120.0})
        assert slower.headline.startswith("p95_ms rose from 100.000 to 120.000")
        assert ("unjudged" in slower.headline) is ("mrr" in limits["max_drop"])


@pytest.mark.parametrize("has_texts", [False, True])
def test_long_names_leave_room_for_ranks(has_texts: bool) -> None:
    judged = {f"https://shop.example/search?{'x' * 90}={n}": {"a" * 90: 1} for n in range(9)}
    old, new = ({query: [*first, "a" * 90] for query in judged} for first in ("", "xyz"))
    texts: Any = {"query_text": lambda q: f"red running shoes {q}", "item_text": lambda d: "A" * 60}
    given = texts if has_texts else {}
    message = beside(judged, new, old, max_drop={"mrr": 0.02}, **given).message
    rows = [line for line in message.split("\n") if "1\u21924 -0.75" in line]
    assert len(rows) == 5
    assert all(f"={n} " in row or f"={n})" in row for n, row in enumerate(rows))
    assert max(map(len, message.split("\n")[1:])) <= 96
