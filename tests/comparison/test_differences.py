"""What a comparison says of two systems: by hand, and against SciPy on the values per query."""

import json
import math
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import Change, compare, evaluate
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.statistics.paired import PairedDifferences
from sklearn_rank.statistics.randomization import holm
from sklearn_rank.view.systems import report_of


def runs(n: int, gains: dict[str, float], seed: int = 0) -> tuple[Any, dict[str, Any]]:
    """A matrix of grades, some queries without any, and scores that know them more or less."""
    generator = np.random.default_rng(seed)
    truth = (generator.random((n, 12)) < 0.2).astype(int)
    noise = generator.random((n, 12))
    scores = {
        name: noise + gain * truth + 0.5 * generator.random((n, 12)) for name, gain in gains.items()
    }
    return truth, scores


THREE = {"old": 0.2, "new": 0.5, "same": 0.2}


def compared(n: int = 60, measures: Any = ("map", "mrr"), **options: Any) -> Any:
    truth, scores = runs(n, THREE)
    return compare(truth, scores, measures=measures, zero_division=np.nan, **options)


def changed(found: Any) -> Any:
    values = found.values("map")
    return values["new"] - values["old"]


# A row -------------------------------------------------------------------------------------------


def test_a_row_by_hand() -> None:
    # Reciprocal ranks 1, 1/2, 1, 1 and 1/2, 1/2, 1/2, 1: differences -1/2, 0, -1/2, 0.
    truth = {query: {"a"} for query in "pqrs"}
    old = {"p": ["a"], "q": ["x", "a"], "r": ["a"], "s": ["a"]}
    new = {"p": ["x", "a"], "q": ["x", "a"], "r": ["x", "a"], "s": ["a"]}
    row = compare(truth, {"old": old, "new": new}, measures="mrr")["mrr"]
    assert (row.measure, row.baseline, row.system, row.queries) == ("mrr", "old", "new", 4)
    assert (row.baseline_value, row.new, row.change) == (7 / 8, 5 / 8, -1 / 4)
    assert (row.wins, row.ties, row.losses, row.better) == (0, 2, 2, False)
    spread = math.sqrt((2 * (1 / 4) ** 2 + 2 * (1 / 4) ** 2) / 3)
    assert row.effect == pytest.approx(-1 / 4 / spread)
    assert row.p == row.p_holm == 1 / 2
    # Two changes, and one more of 1/2 among four queries; no difference is below -1.
    reach = stats.t.ppf(0.975, 2) * math.hypot(spread / 2, 1 / 8)
    assert (row.low, row.high) == pytest.approx((-1, -1 / 4 + reach))
    assert math.isnan(row.detectable)  # of two changes nothing is said
    assert not row.significant


def test_p_values_are_those_of_the_values_per_query() -> None:
    found = compared(15, ("map", "lag"))
    for measure, greater in (("map", True), ("lag", False)):
        values, row = found.values(measure), found[measure, "new"]
        chosen = ~np.isnan(values["old"])
        assert 0 < chosen.sum() < 15
        bounds = (0, 1) if greater else (0, math.inf)
        expected = PairedDifferences.of(
            values["new"], values["old"], greater_is_better=greater, bounds=bounds
        )
        change = (values["new"] - values["old"])[chosen]
        tested = stats.permutation_test(  # all of them, whose number is below infinity
            (change,), np.mean, permutation_type="samples", n_resamples=np.inf
        )
        assert row.p == expected.p == pytest.approx(tested.pvalue, rel=0.02)
        assert (row.queries, row.low, row.high) == (chosen.sum(), *expected.interval())
        critical, freedom = stats.t.isf(0.05 / 2 / 4, len(change) - 1), len(change) - 1
        power = stats.nct.sf(critical, freedom, row.detectable / stats.sem(change))
        assert power == pytest.approx(0.8, abs=0.01)
    assert any("the measure is undefined for one of" in note for note in found.notes)
    # Less is better turns wins, and not the change.
    assert row.change < 0
    assert (row.wins > row.losses, row.better) == (True, True)


def test_weights_weigh_both_sides() -> None:
    weights = np.arange(30) % 4
    found = compared(30, "map", sample_weight=weights)
    evaluated = found.evaluations
    row = found["map", "new"]
    assert row.new == pytest.approx(evaluated["new"]["map"])
    assert row.change == pytest.approx(evaluated["new"]["map"] - evaluated["old"]["map"])
    change = changed(found)
    assert row.queries == (~np.isnan(change) & (weights > 0)).sum()
    expected = PairedDifferences.of(change, weights=weights)
    assert (row.p, row.low, row.high) == pytest.approx((expected.p, *expected.interval()))


def test_systems_that_weigh_queries_differently_are_not_tested() -> None:
    # Weights by impressions are lengths of rankings.
    truth = {"q": {"a"}, "r": {"b"}}
    found = compare(
        truth,
        {"old": {"q": [*"axy"], "r": [*"xb"]}, "new": {"q": [*"xay"], "r": [*"bxyz"]}},
        measures="auc(average=impressions)",
    )
    (row,) = found.rows
    assert math.isnan(row.p)
    assert row.wins is None
    assert row.remark == "the systems weigh the queries differently"
    assert row.change == pytest.approx((3 * 1 / 2 + 4 * 1) / 7 - (3 * 1 + 2 * 0) / 5)
    assert "is not tested: the systems weigh the queries differently" in found.notes[-1]


def test_a_pooled_measure_has_values_and_no_test() -> None:
    found = compared(30, ("auc(average=pooled)", "map"))
    row, evaluated = found["auc(average=pooled)", "new"], found.evaluations
    assert row.change == evaluated["new"][row.measure] - evaluated["old"][row.measure]
    assert row.better
    assert math.isnan(row.p)
    assert "Holm over 2 p-values: 2 comparisons x 1 measure" in found.family_text
    for refused in (found.values, lambda name: found.most_changed(measure=name)):
        with pytest.raises(InvalidParameterError, match="it has no values per query"):
            refused(row.measure)
    assert found.most_changed(1)[0].measure == "map"
    # It is none of the tests by whose number levels are divided.
    alone = compare(evaluated, measures="map")
    assert found["map", "new"].detectable == alone["map", "new"].detectable > 0


def test_a_pooled_measure_over_common_queries_alone() -> None:
    truth, scores = runs(20, THREE)

    def pooled(name: str, n: int) -> Any:
        groups = np.repeat(np.arange(n), 12)
        sides = truth[:n].ravel(), scores[name][:n].ravel()
        return evaluate(*sides, "auc(average=pooled)", groups=groups)

    (row,) = compare(pooled("old", 20), pooled("new", 10)).rows
    expected = [pooled(name, 10)["auc(average=pooled)"] for name in ("old", "new")]
    assert (row.queries, [row.baseline_value, row.new]) == (10, expected)


# A family ----------------------------------------------------------------------------------------


def test_systems_and_measures_are_one_family() -> None:
    found = compared()
    raw = [row.p for row in found.rows]
    assert [row.p_holm for row in found.rows] == holm(raw).tolist()
    assert found.family_text == (
        "randomization test; Holm over 4 p-values: 2 comparisons x 2 measures"
    )
    # What was asked for counts, whether or not it changed.
    twice = {name: found.evaluations[name] for name in ("old", "new")} | {
        "again": found.evaluations["old"]
    }
    unchanged = compare(twice)
    assert [row.p_holm for row in unchanged.rows if row.system == "again"] == [1.0, 1.0]
    assert unchanged["map", "new"].p_holm == min(1.0, 4 * unchanged["map", "new"].p)


def test_slices_are_a_family_of_their_own_here_and_on_a_page() -> None:
    found = compared(measures="map")
    labels = {query: query % 3 for query in found.query_ids}
    parts = found.by_slice(labels)
    rows = [row for part in parts.values() for row in part.rows]
    assert list(parts) == [0, 1, 2]
    expected_p = holm([row.p for row in rows]).tolist()
    assert [row.p_holm for row in rows] == expected_p
    assert parts[0].family_text == (
        "randomization test; Holm over 6 p-values: 2 comparisons x 1 measure x 3 slices"
    )
    page = report_of(found, slices=labels)
    cells = {
        (row.new, row.slice): row.cells[0].p
        for row in page.sections[0].rows
        if row.new and row.cells[0] is not None
    }
    places = [("", found.rows), *((str(label), part.rows) for label, part in parts.items())]
    keys = [(found.names.index(row.system), label) for label, group in places for row in group]
    p_values = [*(row.p_holm for row in found.rows), *expected_p]
    assert cells == dict(zip(keys, p_values, strict=True))
    change = changed(found)[1::3]
    assert parts[1]["map", "new"].p == PairedDifferences.of(change).p
    assert parts[1].query_ids == found.query_ids[1::3]


def test_slices_by_a_column_of_the_frames() -> None:
    import polars as pl

    truth = pl.DataFrame({"query": [1, 2], "item": ["a", "b"], "grade": 1, "kind": ["x", "y"]})
    run = pl.DataFrame({"query": [1, 2, 2], "item": [*"aab"], "score": [1.0, 2.0, 1.0]})
    parts = compare(truth, {"old": run, "new": run}, measures="mrr").by_slice("kind")
    assert {label: part["mrr"].new for label, part in parts.items()} == {"x": 1, "y": 0.5}


def test_many_tiny_gains_beside_a_loss_are_no_gain() -> None:
    # 14 queries rise by 1/9 - 1/10, and one falls by thrice that: signs tell, the mean does not.
    truth = {query: {"a"} for query in range(30)}
    few, many = [9] * 14 + [6] + [1] * 15, [10] * 14 + [5] + [1] * 15
    sides = [
        {query: [*(f"x{n}" for n in range(rank - 1)), "a", "z"] for query, rank in enumerate(ranks)}
        for ranks in (many, few)
    ]
    gain = compare(truth, dict(zip("ab", sides, strict=True)), measures="mrr")["mrr"]
    loss = compare(truth, dict(zip("ab", sides[::-1], strict=True)), measures="mrr")["mrr"]
    assert gain.change == -loss.change > 0
    assert gain.p == loss.p <= 0.05
    assert (gain.significant, loss.significant) == (False, True)
    assert (gain.low <= 0, loss.high) == (True, 0.0)


# Notes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (1, "1 query changed in mrr of 'new': too few for any difference to be significant at "),
        (9, "9 queries changed in mrr of 'new': too few for a detectable change"),
        (10, ""),
    ],
)
def test_few_changes_are_noted(changed: int, why: str) -> None:
    truth = {query: {"a"} for query in range(30)}
    new = {query: [*"xy"[query % 2 :], "a"] if query < changed else ["a"] for query in truth}
    found = compare(truth, {"old": {key: ["a"] for key in truth}, "new": new}, measures="mrr")
    assert [note.removesuffix("0.05") for note in found.notes] == [f"only {why}"] * bool(why)
    assert math.isnan(found["mrr"].detectable) == bool(why)


@pytest.mark.parametrize("alpha", [0.5, 0.4999])
def test_a_p_value_of_alpha_is_significant(alpha: float) -> None:
    truth = {query: {"a"} for query in range(30)}
    new = {query: ["x", "a"] if query < 2 else ["a"] for query in truth}
    runs = {"old": {query: ["a"] for query in truth}, "new": new}
    found = compare(truth, runs, measures="mrr", alpha=alpha)
    assert found["mrr"].p_holm == 0.5
    assert found["mrr"].significant == (alpha == 0.5)
    assert ("any difference" in found.notes[0]) == (alpha < 0.5)


def test_a_row_is_found_by_name() -> None:
    found = compared()
    assert found["map", "new"] is found["AP", "new"]
    with pytest.raises(InvalidParameterError, match=r"one of the systems; .* 'old': 'new', 'same'"):
        found["map"]
    with pytest.raises(InvalidParameterError, match=r"no system 'nwe'; did you mean 'new'\?"):
        found["map", "nwe"]
    with pytest.raises(InvalidParameterError, match="'old'; systems compared with 'old': 'new'"):
        found["map", "old"]
    with pytest.raises(InvalidParameterError, match="'err' was not evaluated"):
        found["err", "new"]
    assert tuple(found) == found.rows


# As plain values ---------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_has_a_row_for_each_difference_and_plain_objects_are_json(backend: Any) -> None:
    found = compared(measures=("map", "auc(average=pooled)"))
    frame = found.to_frame(backend)
    columns = list(frame.column_names if backend == "pyarrow" else frame.columns)
    assert columns == [field.name for field in fields(Change)]
    if backend == "pandas":
        rows = frame.to_dict("records")
    else:
        rows = frame.to_pylist() if backend == "pyarrow" else frame.to_dicts()
    assert len(rows) == 4
    cells = [rows[0][name] for name in ("measure", "system", "wins")]
    assert cells == ["map", "new", found["map", "new"].wins]
    assert rows[2]["p"] is None or math.isnan(rows[2]["p"])
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["names"] == ["old", "new", "same"]
    assert plain["rows"][2]["p"] is None
    assert plain["alpha"] == 0.05


# Unjudged items ----------------------------------------------------------------------------------

JUDGED = {query: {"a": 1, "b": 0} for query in range(30)}
HALF = {query: ["b", "a"] for query in JUDGED}
MORE = {query: ["x", "a", "y"] for query in JUDGED}


COMPLETE = {query: {"a"} for query in JUDGED}
UNJUDGED = [
    (
        JUDGED,
        {"old": HALF, "new": MORE},
        "mrr@2",
        "top 2, 50% of 'new' ('old': 0%) are unjudged",
    ),
    (
        JUDGED,
        {"old": HALF}
        | {
            f"new {n}": {query: ["a", *(f"x{i}" for i in range(n))] for query in JUDGED}
            for n in range(5)
        },
        "mrr",
        "top 10, 80% of 'new 4', 75% of 'new 3', 67% of 'new 2', 2 more",
    ),
    (JUDGED, {"old": HALF, "new": HALF}, "mrr", ""),
    (COMPLETE, {"old": HALF, "new": MORE}, "mrr", ""),
]


@pytest.mark.parametrize(("truth", "runs", "measure", "text"), UNJUDGED)
def test_unjudged_items_are_noted(truth: Any, runs: Any, measure: str, text: str) -> None:
    notes = compare(truth, runs, measures=measure).notes
    assert len(notes) == bool(text)
    start = "unjudged items count as irrelevant: in the "
    assert all(f"{start}{text}" in note for note in notes)


def test_only_common_queries_count() -> None:
    old = evaluate({query: JUDGED[query] for query in range(25)}, {q: HALF[q] for q in range(25)})
    runs = {query: HALF[query] if query < 25 else MORE[query] for query in JUDGED}
    compared = compare(old, evaluate(JUDGED, runs))
    assert not any("unjudged" in note for note in compared.notes)


# False alarms ------------------------------------------------------------------------------------


def test_equal_systems_seldom_differ() -> None:
    """Of 400 tables of four equal systems, and of the first two of them, as many as promised."""
    n_tables, firsts, families, sliced = 400, [], [], []
    for seed in range(n_tables):
        generator = np.random.default_rng(seed)
        truth = (generator.random((40, 8)) < 0.3).astype(int)
        scores = {name: generator.random((40, 8)) for name in "abcd"}
        found = compare(truth, scores, ["map"], zero_division=np.nan)
        firsts.append(found.rows[0].p)
        families.append([row.p_holm for row in found.rows])
        if seed % 4 == 0:
            parts = compare({name: found.evaluations[name] for name in "ab"})
            halves = parts.by_slice(lambda query: query % 2).values()
            sliced.append(any(row.significant for part in halves for row in part.rows))
    p, corrected = np.array(firsts), np.array(families).min(axis=1)
    for level in (0.05, 0.2, 0.5):
        # p-values that are twice too small or too large are far from one of the levels.
        error = 3 * math.sqrt(level * (1 - level) / n_tables)
        assert level - error <= np.mean(p <= level) <= level + error
        assert np.mean(corrected <= level) <= level + error
    assert np.mean(sliced) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / len(sliced))
