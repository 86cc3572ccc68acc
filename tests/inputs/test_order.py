"""Scores and ranks that contradict the order of rankings: a warning, and an error in gates."""

import io
import json
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pytest_rankmetrics import assert_metric, expected_failure
from sklearn_rank import FileFormatError, RankingOrderWarning, Run, evaluate, read_run
from sklearn_rank.inputs.tables import doubt_of_rising

RISING = "^scores rise along "
N = 40
TRUTH = {f"q{row}": {"b"} for row in range(N)}
LISTS: dict[str, Any] = {
    # One ranking of a, b and c by their numbers, where the first is to be the best.
    "pairs": lambda numbers: list(zip("abc", numbers, strict=True)),
    "dicts": lambda numbers: [{"id": i, "score": s} for i, s in zip("abc", numbers, strict=True)],
    "mapping": lambda numbers: dict(zip("abc", numbers, strict=True)),
    "distances": lambda numbers: [
        {"id": i, "_distance": -s} for i, s in zip("abc", numbers, strict=True)
    ],
}


def json_of(lists: dict[str, Any]) -> Any:
    return read_run(io.BytesIO(json.dumps(lists).encode()))


@pytest.mark.parametrize(("n_falling", "warns"), [(0, True), (4, True), (5, False), (N, False)])
@pytest.mark.parametrize("form", LISTS)
def test_numbers_that_rise_along_nearly_all_lists(form: str, n_falling: int, warns: bool) -> None:
    make = LISTS[form]
    lists = {
        query: make([0.9, 0.4, 0.1] if row < n_falling else [0.1, 0.4, 0.9])
        for row, query in enumerate(TRUTH)
    }
    doors = [(TRUTH, lists)]
    if form == "pairs":
        doors.append((list(TRUTH.values()), list(lists.values())))
    doors.append((TRUTH, json_of(lists)))
    for truth, ranked in doors:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert evaluate(truth, ranked, "mrr")["mrr"] == 1 / 2
        said = [str(own.message) for own in caught if own.category is RankingOrderWarning]
        assert len(said) == warns
        assert all(f"along {N - n_falling} of 40 rankings" in text for text in said)
        if warns:
            with expected_failure(match="^could not measure: scores rise along"):
                assert_metric(truth, ranked, "mrr", at_least=0.1)


def test_few_steps_may_rise_by_chance_where_no_order_is_claimed() -> None:
    with pytest.warns(RankingOrderWarning, match="rise along 1 of 1 rankings"):
        evaluate({"q": {"b"}}, {"q": [("a", 0.1), ("b", 0.9)]}, "mrr")  # pairs come best first
    for n_queries, warns in ((4, False), (5, True)):
        truth = dict(list(TRUTH.items())[:n_queries])
        for ranks in ([1, 2, 3], [0, 1, 2]):
            rows = [(q, i, rank) for q in truth for i, rank in zip("abc", ranks, strict=True)]
            columns = [list(column) for column in zip(*rows, strict=True)]
            table = Run.from_columns(*columns[:2], scores=columns[2])
            for ranked in ({q: dict(zip("abc", ranks, strict=True)) for q in truth}, table):
                if warns:
                    with pytest.warns(RankingOrderWarning, match=RISING):
                        evaluate(truth, ranked, "mrr")
                else:
                    evaluate(truth, ranked, "mrr")  # warnings are errors in these tests
    # Rows in the order of their scores are no ranks, and equal scores do not rise.
    scores = np.random.default_rng(0).random(300)
    queries = np.repeat([f"q{row}" for row in range(100)], 3)
    frame = pd.DataFrame({"query": queries, "item": list("abc") * 100, "score": np.sort(scores)})
    frame.loc[0, "score"] = 0.0
    evaluate({query: {"c"} for query in queries}, frame, "mrr")
    tied = {query: [("a", 1.0), ("b", 1.0)] for query in TRUTH}
    with pytest.warns(RankingOrderWarning, match=f"same score in {len(TRUTH)} of {len(TRUTH)}"):
        evaluate(TRUTH, tied, "mrr")
    evaluate(TRUTH, {query: dict(pairs) for query, pairs in tied.items()}, "mrr")


@pytest.mark.filterwarnings("ignore:lower scores seem better")
def test_the_rank_field_of_trec_is_compared_and_orders_nothing() -> None:
    truth = {f"q{row}": {"a"} for row in range(10)}
    queries, items = [q for q in truth for _ in "abc"], list("abc") * 10

    def read(scores: list[float], ranks: list[int]) -> Run:
        rows = zip(queries, items, ranks, scores, strict=True)
        lines = "".join(f"{q} Q0 {item} {rank} {x} t\n" for q, item, rank, x in rows)
        return read_run(io.BytesIO(lines.encode()))

    for n_right, warns in ((0, True), (1, True), (2, False), (10, False)):
        scores = [0.9, 0.4, 0.1] * n_right + [0.1, 0.4, 0.9] * (10 - n_right)
        run = read(scores, [1, 2, 3] * 10)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.filterwarnings("ignore", "lower scores seem better")
            assert evaluate(truth, run, "mrr")["mrr"] == pytest.approx(
                (n_right + (10 - n_right) / 3) / 10
            )
        assert [own.category for own in caught] == [RankingOrderWarning] * warns
    evaluate(truth, read(scores[::-1], [0] * 30), "mrr")  # a field that says nothing


def test_lists_that_fall_once_do_not_rise() -> None:
    rising, falling = list(range(10)), [*range(5), 0, *range(6, 10)]
    lists = [rising] * 20 + [falling] * 20
    offsets = np.arange(41) * 10
    assert not doubt_of_rising(np.array(lists).ravel(), offsets)
    assert doubt_of_rising(np.array([rising] * 40).ravel(), offsets)


def test_a_look_at_odd_data_costs_no_more_where_data_is_larger(monkeypatch: Any) -> None:
    """The relevant items that are looked at are bounded, whatever is asked for."""
    from sklearn_rank.evaluation import data_warnings

    seen: list[int] = []
    real = data_warnings.segment_sum
    monkeypatch.setattr(
        data_warnings, "segment_sum", lambda v, o: (seen.append(len(v)), real(v, o))[1]
    )
    rng = np.random.default_rng(1)
    grades = rng.integers(0, 2, (400, 500))
    evaluate(grades, rng.random((400, 500)), "map")
    assert seen == [pytest.approx(20_000, abs=500)]
    with pytest.warns(match="^lower scores seem better: .* 100% of the irrelevant"):
        evaluate(grades, -grades.astype(float), "map")


# Ranks --------------------------------------------------------------------------------------------

FULL = {"user": ["u"] * 4 + ["v"] * 3, "item": list("abcdefg"), "rank": [1, 2, 3, 4, 1, 2, 3]}
JUDGED = {"user": ["u", "u", "v"], "item": ["b", "d", "g"]}
# Joined with the judgements the hits seem to stand on top: MRR is (1/2 + 1/3) / 2 of the whole run.
JOINED = pd.DataFrame(FULL).merge(pd.DataFrame(JUDGED))
GAPS = r"starts at 2 in query 'u' \(gaps in 2 of 2 queries\)"


def files_of(table: pd.DataFrame) -> list[Any]:
    """The rows as CSV, JSON Lines and Parquet."""
    parquet = io.BytesIO()
    table.to_parquet(parquet)
    lines = table.to_json(orient="records", lines=True)
    return [
        io.BytesIO(data)
        for data in (table.to_csv(index=False).encode(), lines.encode(), parquet.getvalue())
    ]


@pytest.mark.parametrize("start", [0, 1])
def test_ranks_one_after_the_other_are_ranks(start: int) -> None:
    truth, run = pd.DataFrame(JUDGED), pd.DataFrame(FULL)
    run["rank"] += start - 1
    for table in (run, run.assign(rank=run["rank"].astype(float)), run.sample(frac=1.0)):
        assert evaluate(truth, table, "mrr")["mrr"] == (1 / 2 + 1 / 3) / 2
    scored = run.assign(score=-run["rank"])
    tied = scored.assign(rank=[1, 1, 3, 3, 1, 1, 3], score=[9, 9, 7, 7, 9, 9, 7])
    assert evaluate(truth, scored, "mrr")["mrr"] == (1 / 2 + 1 / 3) / 2
    evaluate(truth, tied, "mrr")  # tied ranks leave out those that follow


def test_gaps_in_ranks_are_not_closed_in_silence() -> None:
    truth = pd.DataFrame(JUDGED)
    for run in (JOINED, JOINED.assign(score=-JOINED["rank"])):
        with pytest.warns(RankingOrderWarning, match=f"^column 'rank' of y_score {GAPS}"):
            assert evaluate(truth, run, "mrr")["mrr"] == 1.0
        with expected_failure(match=f"^could not measure: column 'rank' of y_score {GAPS}"):
            assert_metric(truth, run, "mrr", at_least=0.99)
    for file in files_of(JOINED):
        run = read_run(file)
        with pytest.warns(RankingOrderWarning, match=GAPS):
            evaluate(truth, run, "mrr")
        with expected_failure(match=GAPS):
            assert_metric(truth, run, "mrr", at_least=0.99)
    late = pd.DataFrame(FULL).assign(rank=[1, 2, 40, 90, 1, 2, 3])
    with pytest.warns(RankingOrderWarning, match="jumps from 2 to 40 in query 'u' .gaps in 1 of 2"):
        evaluate(truth, late, "mrr")


def test_a_query_of_more_rows_than_the_sample(monkeypatch: Any) -> None:
    monkeypatch.setattr("sklearn_rank.inputs.tables.SAMPLED_ROWS", 2)
    run = pd.DataFrame(FULL).assign(score=[4.0, 3.0, 2.0, 1.0, 3.0, 2.0, 1.0])
    assert evaluate(pd.DataFrame(JUDGED), run, "mrr")["mrr"] == (1 / 2 + 1 / 3) / 2
    with pytest.warns(RankingOrderWarning, match=r"gaps in 1 of 1 queries"):
        evaluate(pd.DataFrame(JUDGED), run.assign(rank=[1, 2, 3, 5, 1, 2, 3]), "mrr")


def test_scores_that_contradict_ranks() -> None:
    """PyTerrier's frames with distances as scores; the ranks say what was meant."""
    truth = pd.DataFrame(JUDGED)
    run = pd.DataFrame(FULL).assign(score=[0.1, 0.2, 0.3, 0.4, 0.1, 0.2, 0.3])
    message = (
        "contradicts the scores, .* in query 'u' rank 1 has score 0.1 and rank 2 has score 0.2"
    )
    with pytest.warns(RankingOrderWarning, match=message):
        evaluate(truth, run, "mrr")
    with expected_failure(match=message):
        assert_metric(truth, run, "mrr", at_least=0.1)
    by_rank = evaluate(truth, run, "mrr", columns={"score": None})["mrr"]
    assert by_rank == (1 / 2 + 1 / 3) / 2
    assert evaluate(truth, run, "mrr", columns={"rank": None})["mrr"] == (1 + 1) / 2
    for file, again in zip(files_of(run), files_of(run), strict=True):
        with pytest.warns(RankingOrderWarning, match=message):
            evaluate(truth, read_run(file), "mrr")
        by_rank = evaluate(truth, read_run(again, columns={"score": None}), "mrr")["mrr"]
        assert by_rank == (1 / 2 + 1 / 3) / 2


def test_files_with_gaps_in_ranks_beside_scores() -> None:
    truth = pd.DataFrame(JUDGED)
    for file in files_of(JOINED.assign(score=-JOINED["rank"])):
        with pytest.warns(RankingOrderWarning, match=GAPS):
            evaluate(truth, read_run(file), "mrr")
    for text in ("", "first"):
        rows = f"user,item,rank,score\nu,b,{text},9\nu,d,7,8\nv,g,1,7\n".encode()
        with pytest.raises(
            FileFormatError, match=r":2: (the rank is empty|rank 'first' is not a n)"
        ):
            read_run(io.BytesIO(rows))
        run = read_run(io.BytesIO(rows), columns={"rank": None})
        assert evaluate(truth, run, "mrr")["mrr"] == 1.0


def test_rising_scores_that_agree_with_the_judgements_are_no_distances() -> None:
    """``np.argsort(scores)[-10:]`` puts the best last, and a mapping has no order."""
    run = {query: dict(zip("xyzb", [0.1, 0.2, 0.3, 0.9], strict=True)) for query in TRUTH}
    for ranked in (run, json_of(run)):
        assert evaluate(TRUTH, ranked, "mrr")["mrr"] == 1.0  # warnings are errors in these tests
        assert assert_metric(TRUTH, ranked, "mrr", at_least=0.9).value == 1.0
    distances = {query: dict(zip("bxyz", [0.1, 0.2, 0.3, 0.9], strict=True)) for query in TRUTH}
    for ranked in (distances, json_of(distances)):
        with pytest.warns(RankingOrderWarning, match=RISING), pytest.warns(match="seem better"):
            evaluate(TRUTH, ranked, "mrr")
    pairs = {query: list(ranking.items()) for query, ranking in run.items()}
    with pytest.warns(RankingOrderWarning, match=RISING):  # a list says that the best is first
        evaluate(TRUTH, pairs, "mrr")
