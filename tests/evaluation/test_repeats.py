"""Repeated runs of one system: means per query, and the noise between runs."""

import numpy as np
import pytest

from sklearn_rank import (
    InvalidParameterError,
    QueryMismatchError,
    Repeats,
    UndefinedMetricWarning,
    compare,
    evaluate,
)
from sklearn_rank.cli import main
from sklearn_rank.statistics.paired import PairedDifferences

TRUTH = {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}}
RUNS = [
    {"q1": ["a"], "q2": ["x", "b"], "q3": ["c"]},
    {"q1": ["x", "a"], "q2": ["x", "b"], "q3": ["c"]},
    {"q1": ["x", "y", "z", "a"], "q2": ["x", "b"], "q3": ["c"]},
]
MEASURES = ("mrr", "hit_rate@1")


def test_a_query_has_the_mean_of_its_runs() -> None:
    found = evaluate(TRUTH, Repeats(RUNS), MEASURES)
    assert found.per_query["mrr"] == pytest.approx([(1 + 1 / 2 + 1 / 4) / 3, 1 / 2, 1])
    assert found.per_query["hit_rate@1"] == pytest.approx([1 / 3, 0, 1])
    assert found["mrr"] == pytest.approx((7 / 12 + 1 / 2 + 1) / 3)
    assert found.spread("mrr") == pytest.approx([np.std([1, 1 / 2, 1 / 4], ddof=1), 0, 0])
    assert [run["mrr"] for run in found.runs] == [
        evaluate(TRUTH, run, "mrr")["mrr"] for run in RUNS
    ]
    assert found.placements()[0].hits[0].rank == 1, "places are those of the first run"
    deviation = np.std([run["mrr"] for run in found.runs], ddof=1)
    assert f"means over 3 runs; mrr varies by {deviation:.4f}" in str(found)
    assert (found.to_dict()["runs"], "runs" in found.runs[0].to_dict()) == (3, False)
    low, high = found.confidence_interval("mrr")
    assert low < found["mrr"] < high


def test_slices_and_other_views_are_means_of_runs() -> None:
    truth = {query: {item: 1, "x": 0} for query, (item,) in TRUTH.items()}
    found = evaluate(truth, Repeats(RUNS), MEASURES, sample_weight={"q1": 3, "q2": 1, "q3": 1})
    assert found["mrr"] == pytest.approx((3 * 7 / 12 + 1 / 2 + 1) / 5)
    part = found.by_slice(lambda query: query == "q1")[True]
    assert part["mrr"] == pytest.approx(7 / 12)
    assert len(part.runs) == 3
    assert found.condensed()["mrr"] == pytest.approx(
        sum(run.condensed()["mrr"] for run in found.runs) / 3
    )
    pooled = evaluate(
        TRUTH,
        Repeats([{"q1": {"a": 1.0, "x": 2.0}}, {"q1": {"a": 3.0, "x": 2.0}}]),
        "auc(average=pooled)",
        missing="skip",
    )
    assert pooled["auc(average=pooled)"] == pytest.approx((0 + 1) / 2)
    with pytest.raises(InvalidParameterError, match="to_judge reads the rankings of one run"):
        found.to_judge(1)
    with pytest.raises(InvalidParameterError, match="a single run has no spread"):
        found.runs[0].spread("mrr")


@pytest.mark.filterwarnings("ignore:.*ignores unretrieved relevant items:UserWarning")
def test_weights_of_a_measure_are_means_of_runs() -> None:
    truth = {"q1": {"a", "b"}, "q2": {"c"}}
    runs = [{"q1": ["a", "x", "b"], "q2": ["c", "x"]}, {"q1": ["a", "x"], "q2": ["c", "x"]}]
    found = evaluate(truth, Repeats(runs), "auc(unretrieved=ignore)")
    # q1 retrieves two relevant items in one run, at an AUC of 1/2, and one in the other, at 1.
    weight, value = (2 + 1) / 2, (1 / 2 + 1) / 2
    assert found.query_weights("auc(unretrieved=ignore)") == pytest.approx([weight, 1])
    assert found["auc(unretrieved=ignore)"] == pytest.approx((weight * value + 1) / (weight + 1))


def test_what_is_undefined_in_every_run_stays_so_and_is_said_once() -> None:
    truth = {"q1": {"a"}, "q2": set()}
    runs = [{"q1": ["a"], "q2": ["x"]}, {"q1": ["x", "a"], "q2": ["y"]}]
    with pytest.warns(UndefinedMetricWarning) as said:
        found = evaluate(truth, Repeats(runs), "map")
    assert len(said) == 1
    assert np.isnan(found.per_query["map"]).tolist() == [False, True]
    assert (found["map"], found.counts["undefined"]) == (3 / 4, {"map": 1})
    counted = evaluate(truth, Repeats(runs), "map", zero_division=0.0)
    assert counted["map"] == (3 / 4 + 0) / 2


def test_other_queries_and_wrong_runs_are_refused() -> None:
    with pytest.raises(
        QueryMismatchError, match="run 2 of Repeats has different queries from run 1"
    ):
        evaluate(TRUTH, Repeats([RUNS[0], {"q1": ["a"]}]), "mrr", missing="skip")
    with pytest.raises(ValueError, match="run 2 of Repeats: "):
        evaluate(TRUTH, Repeats([RUNS[0], {"q1": ["a", "a"]}]), "mrr")
    for runs in ({"q1": ["a"]}, "ab", [Repeats(RUNS), RUNS[0]]):
        with pytest.raises(TypeError, match="Repeats takes a list of runs"):
            Repeats(runs)
    with pytest.raises(InvalidParameterError, match="needs at least two runs, got 1"):
        Repeats([RUNS[0]])
    with pytest.raises(InvalidParameterError, match="relevance is for a single run"):
        evaluate([{"a"}], Repeats([[["a"]]] * 2), "ndcg", relevance=[[1.0]])


# Noise -------------------------------------------------------------------------------------------


def test_the_noise_of_a_change_by_hand() -> None:
    # Three queries vary by 0.2, 0 and 0.1 between three runs of one system, the other by nothing.
    change, spread = np.array([0.1, 0.0, 0.5]), np.array([0.2, 0.0, 0.1])
    one, variance = (0.2**2 + 0.1**2) / 9, change.var(ddof=1) / 3

    def noise(*spreads: object, weights: object = None, runs: object = (3, 3)) -> float:
        found = PairedDifferences.of(change, weights=weights, spreads=spreads, runs=runs)
        return found.noise * (found.error**2 / variance)

    assert noise(spread, np.zeros(3)) == pytest.approx(one / 3 / variance)
    assert noise(None, spread, runs=(1, 3)) == pytest.approx((one + one / 3) / variance)
    # Weights 2, 1, 1: the first query is half of the mean.
    heavy = ((0.2 / 2) ** 2 + (0.1 / 4) ** 2) / 2 / variance
    assert noise(spread, np.zeros(3), weights=[2, 1, 1], runs=(2, 2)) == pytest.approx(heavy)
    assert np.isnan(noise(None, None))
    assert noise(spread * 99, spread) == pytest.approx(1)
    # What moves all queries is beyond that: (0.04 - 0.05 / 9) / 3, and as much on the other side.
    both = {"spreads": (spread, None), "runs": (3, 1)}
    moved = PairedDifferences.of(change, run_variances=(0.04, None), **both)
    assert moved.between == pytest.approx((0.04 - one) * (1 / 3 + 1))
    assert moved.take([1, 2]).between == moved.between
    assert PairedDifferences.of(change, run_variances=(one / 2, None), **both).between == 0
    assert noise(np.zeros(3), np.zeros(3)) == 0


def test_comparisons_say_what_repeats_are_worth() -> None:
    rng = np.random.default_rng(0)
    truth = {f"q{number}": {"d0"} for number in range(40)}

    def run() -> dict[str, list[str]]:
        return {q: [f"d{item}" for item in rng.permutation(8)] for q in truth}

    systems = {name: Repeats([run() for _ in range(3)]) for name in ("old", "new")}
    found = compare(truth, systems, measures="mrr")
    row = found["mrr"]
    assert row.noise > 0.8  # nothing else varies
    note = f"noise between runs, as a share of the variance of a change: {row.noise:.0%} for mrr of"
    assert f"{note} 'new'" in found.notes
    assert found.most_changed(1)[0].remark == (
        "mrr is a mean over runs, but the ranks come from the first run"
    )
    assert found.by_slice(lambda query: query[-1])["1"]["mrr"].noise > 0
    same = Repeats([systems["old"].runs[0]] * 2)
    twice = compare(truth, {"old": same, "new": Repeats([run()] * 2)}, measures="mrr")
    assert twice["mrr"].noise == 0
    assert np.isnan(compare(truth, {"old": run(), "new": run()}, measures="mrr")["mrr"].noise)


def test_repeats_without_a_common_value_have_no_noise() -> None:
    runs = {"old": {"q": ["a"]}, "new": Repeats([{"q": ["a"]}, {"q": ["a", "x"]}])}
    compared = compare({"q": {"a"}}, runs, "gauc", zero_division=np.nan)
    assert np.isnan(compared["gauc", "new"].change)


# Files -------------------------------------------------------------------------------------------


def test_files_of_one_system_are_joined_by_commas(tmp_path, capsys) -> None:
    for number, run in enumerate(RUNS, start=1):
        lines = (
            f"{query} Q0 {item} {rank} {-rank} t"
            for query, items in run.items()
            for rank, item in enumerate(items, start=1)
        )
        (tmp_path / f"new-{number}.run").write_text("\n".join(lines))
    (tmp_path / "qrels").write_text("\n".join(f"{q} 0 {item} 1" for q, (item,) in TRUTH.items()))
    qrels, *runs = (
        str(tmp_path / name) for name in ("qrels", *(f"new-{n}.run" for n in (1, 2, 3)))
    )
    assert main(["evaluate", qrels, ",".join(runs), "-m", "mrr"]) == 0
    found = evaluate(TRUTH, Repeats(RUNS), "mrr")
    said = capsys.readouterr().out
    assert f"{found['mrr']:.4f}" in said
    assert "means over 3 runs" in said
    assert main(["compare", qrels, runs[0], ",".join(runs[1:]), "-m", "mrr"]) == 0
    said = capsys.readouterr().out
    assert "new-2.run and 1 more" in said
    assert "noise between runs" in said
    assert main(["compare", qrels, runs[0], ",".join(runs[:2])]) == 2
    assert "the same run was given twice" in capsys.readouterr().err
    odd = tmp_path / "a,b.run"
    odd.write_text((tmp_path / "new-1.run").read_text())
    assert main(["evaluate", qrels, str(odd), "-m", "mrr"]) == 0
    assert "means over" not in capsys.readouterr().out
