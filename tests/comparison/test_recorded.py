"""Baseline files as evaluations: alone, and beside an evaluation whose judgements they share."""

import math
from pathlib import Path
from typing import Any

import pytest

from sklearn_rank import Repeats, compare, evaluate, load, measure_from
from sklearn_rank.comparison import baseline
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError

TRUTH: dict[Any, Any] = {f"q{n}": {"a": 2, "b": 1, "z": 0} for n in range(12)}
OLD = {query: [*"abxyz"] for query in TRUTH}
NEW = {query: [*"xab"] if n < 3 else [*"abxyz"] for n, query in enumerate(TRUTH)}
MEASURES = ("map", "ndcg@3", "lag")


@pytest.fixture
def recorded(tmp_path: Path) -> Any:
    """Function that writes an evaluation as a baseline and reads it."""

    def written(evaluation: Any, **options: Any) -> Any:
        path = tmp_path / "gate.rank.json"
        baseline.write(path, baseline.record(evaluation, "gate", **options), "gate")
        return load(path)

    return written


def evaluated(run: Any = OLD, measures: Any = MEASURES, truth: Any = TRUTH, **options: Any) -> Any:
    return evaluate(truth, run, measures, keep_items=True, **options)


def test_it_has_values_ranks_and_the_first_items(recorded: Any) -> None:
    live = evaluated(NEW)
    found = recorded(live)
    assert sorted(found.query_ids) == sorted(TRUTH)
    for name in MEASURES:
        assert found[name] == pytest.approx(live[name], abs=1e-6)
        by_id = dict(zip(found.query_ids, found.per_query[name].tolist(), strict=True))
        assert [by_id[query] for query in TRUTH] == live.per_query[name].round(6).tolist()
    assert str(found).splitlines()[1].split()[0] == "map"
    assert found.counts["queries"] == 12
    assert found.confidence_interval("map") == pytest.approx(
        live.confidence_interval("map"), abs=1e-5
    )
    place = found.placements([list(found.query_ids).index("q0")])[0]
    assert [(hit.item, hit.rank) for hit in place.hits] == [("a", 2), ("b", 3)]
    assert (place.ranking, place.n_ranked) == (["x", "a", "b"], 3)


@pytest.mark.parametrize("what", ["rankings", "to_judge", "condensed", "losses"])
def test_what_it_lacks_is_named(what: str, recorded: Any) -> None:
    found = recorded(evaluated())
    assert what not in dir(found)
    with pytest.raises(AttributeError, match=f"{what!r}; a baseline file has no judge"):
        getattr(found, what)
    with pytest.raises(InvalidParameterError, match="a baseline file has no judgements"):
        found.plot("at_k", measure="recall", k=2)


def test_whatever_it_has_works(recorded: Any) -> None:
    """Nothing that is there raises, and no count is one of nothing."""
    live = evaluated(NEW)
    found = recorded(live)
    for name in dir(found):
        assert name.startswith("__") or getattr(found, name) is not NotImplemented
    counts = {"undefined", "averaged"} | {*found.counts}
    assert {name: found.counts[name] for name in counts} == {
        name: live.counts[name] for name in counts
    }
    assert "relevant" not in found.counts


def test_its_slices_are_those_of_the_evaluation(recorded: Any) -> None:
    live = evaluated(NEW, sample_weight={query: n + 1.0 for n, query in enumerate(TRUTH)})
    found, slices = recorded(live), {query: query[-1] in "135" for query in TRUTH}
    parts, others = found.by_slice(slices), live.by_slice(slices)
    assert {*parts} == {*others}
    for label, part in parts.items():
        assert sorted(part.query_ids) == sorted(others[label].query_ids)
        for name in MEASURES:
            assert part[name] == pytest.approx(others[label][name], abs=1e-6)
    assert str(parts).count("\n") == str(others).count("\n")


def test_it_compares_as_the_evaluation_that_it_records(recorded: Any, tmp_path: Path) -> None:
    old, new = evaluated(), evaluated(NEW)
    expected = compare({"baseline": old, "now": new})
    found = compare({"baseline": recorded(old), "now": new})
    for row, other in zip(found.rows, expected.rows, strict=True):
        assert (row.measure, row.wins, row.losses) == (other.measure, other.wins, other.losses)
        assert (row.baseline_value, row.change, row.p) == pytest.approx(
            (other.baseline_value, other.change, other.p), abs=1e-5
        )
    assert found.notes == expected.notes
    changes, others = (own.most_changed(3, measure="map") for own in (found, expected))
    assert [change.why() for change in changes] == [change.why() for change in others]
    assert changes[0].before.ranking[:3] == ["a", "b", "x"]
    found.report(tmp_path / "x.html", slices=lambda query: query[-1])
    # Either side may be the file, and not both.
    turned = compare({"now": new, "baseline": recorded(old)})
    assert turned["map"].change == -found["map"].change
    assert turned.by_slice(lambda query: query[-1])["1"]["map"].queries == 2
    with pytest.raises(InvalidParameterError, match="compare one with a result of evaluate"):
        compare({"baseline": recorded(old), "again": recorded(old)})


def test_values_are_rounded_on_both_sides(recorded: Any) -> None:
    thirds = evaluated({query: [*"xya"] for query in TRUTH}, "mrr")
    row = compare({"baseline": recorded(thirds), "now": thirds})["mrr"]
    assert (row.baseline_value, row.new, row.wins, row.losses) == (0.333333, 0.333333, 0, 0)


def test_ids_of_other_types_are_those_of_the_evaluation(recorded: Any) -> None:
    truth = {n: {10 * n, "é"} for n in range(4)}
    old, new = ({n: [10 * n, 7, "é"][::step] for n in truth} for step in (1, -1))
    live = evaluated(new, "map", truth)
    found = compare({"baseline": recorded(evaluated(old, "map", truth)), "now": live})
    assert found.query_ids == [0, 1, 2, 3]
    (place,) = found.evaluations["baseline"].placements([2])
    assert place.ranking == [20, 7, "é"]
    assert {hit.item for hit in place.hits} == {20, "é"}


def test_repeats_keep_their_spread(recorded: Any) -> None:
    runs = Repeats([OLD, NEW, NEW])
    live = evaluate(TRUTH, runs, "map")
    found = recorded(live)
    assert len(found.runs) == 3
    assert sorted(found.spread("AP")) == pytest.approx(sorted(live.spread("map")), abs=1e-6)
    row = compare({"baseline": found, "now": evaluate(TRUTH, OLD, "map")})["map"]
    assert row.noise > 0


def test_what_changed_meanwhile_is_refused(recorded: Any) -> None:
    old, truth = recorded(evaluated()), {**TRUTH, "q1": {"a": 1, "b": 1}}
    with pytest.raises(
        QueryMismatchError, match="recorded with different judgements for 1 query: 'q1'"
    ):
        compare({"baseline": old, "now": evaluated(truth=truth)})
    other = evaluated(measures=["map", "ndcg(gain=exp2)@3", "lag"])
    compare({"baseline": old, "now": other}, measures="map")
    linear = evaluated(measures="ndcg@3", convention="trec_eval")
    with pytest.raises(InvalidParameterError, match="different ndcg@3: gain=linear, recorded with"):
        compare({"baseline": old, "now": linear})
    ties = recorded(evaluated({query: {"a": 1.0, "x": 0.5} for query in TRUTH}))
    with pytest.raises(InvalidParameterError, match="ties='average'"):
        compare(
            {
                "baseline": ties,
                "now": evaluated({q: {"a": 1.0, "x": 0.5} for q in TRUTH}, ties="stable"),
            }
        )


def test_only_common_queries_are_compared(recorded: Any) -> None:
    truth = {query: TRUTH[query] for query in list(TRUTH)[:10]} | {"new": {"a": 1}}
    run = {query: OLD.get(query, ["a"]) for query in truth}
    found = compare({"baseline": recorded(evaluated()), "now": evaluated(run, truth=truth)})
    assert found.counts["left_out"] == {"baseline": 2, "now": 1}
    assert len(found.query_ids) == 10


def test_own_measures_and_pooled_ones(recorded: Any) -> None:
    first = measure_from("first", lambda grades: float(grades[0] > 0), greater_is_better=True)
    late = measure_from("ms", range=(0, math.inf), greater_is_better=False)
    times = {query: n for n, query in enumerate(TRUTH)}
    live = evaluate(
        TRUTH, {q: {"a": 0.5, "x": 0.1, "b": 0.05} for q in TRUTH}, [first, "auc(average=pooled)"],
        values={late: times}, keep_items=True,
    )  # fmt: skip
    found = recorded(live)
    assert [own.metric.greater_is_better for own in found.measures] == [True, True, False]
    assert found["auc(average=pooled)"] == live["auc(average=pooled)"]
    compared = compare({"baseline": found, "now": live})
    assert [row.change for row in compared.rows] == [0, 0, 0]
    part = compared.by_slice({"one": ["q1"]})["one"]
    assert math.isnan(part["auc(average=pooled)"].change)


def test_the_range_of_an_own_measure_is_a_field_whatever_its_name_says(recorded: Any) -> None:
    def judge(grades: Any) -> float:
        return float(grades[0] > 0)

    judge.__name__ = "score[3, 7], lower is better"
    own = measure_from("own", judge, range=(0, 1234567.5), greater_is_better=True)
    found = recorded(evaluated(measures=[own]))
    (read,) = found.measures
    assert (read.metric.lower, read.metric.upper) == (0, 1234567.5)
    assert read.metric.greater_is_better


def test_a_pooled_value_is_that_of_all_recorded_queries(recorded: Any) -> None:
    scores = {query: {"a": 0.5, "b": 0.1, "x": 0.3} for query in TRUTH}
    name, fewer = "auc(average=pooled)", list(TRUTH)[:10]
    old = recorded(evaluated(scores, name))
    whole = compare({"baseline": old, "now": evaluated(scores, name)})
    assert whole[name].change == 0
    truth, run = ({query: own[query] for query in fewer} for own in (TRUTH, scores))
    assert math.isnan(
        compare({"baseline": old, "now": evaluated(run, name, truth)})[name].baseline_value
    )


def test_no_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(baseline.BaselineError, match="there is no baseline "):
        load(tmp_path / "none.rank.json")


def test_the_unjudged_share_is_that_of_the_recorded_ranks(recorded: Any) -> None:
    run = {query: [*"axb"] for query in TRUTH}
    assert recorded(evaluated(run)).unjudged_share(3) == pytest.approx(1 / 3, abs=1e-6)
    assert recorded(evaluated(run)).unjudged_share(2) is None
