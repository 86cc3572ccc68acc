"""Items that nobody judged: which they are in each layout, and what is assumed."""

import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_array

from sklearn_rank import Evaluation, compare, evaluate
from sklearn_rank.exceptions import ConventionWarning, RankingDataWarning
from sklearn_rank.rankings.placements import unjudged_items

TRUTH = {"q": {"a": 2, "b": 0}, "r": {"c": 1}}
SCORES = {"q": {"a": 4.0, "x": 3.0, "b": 2.0, "y": 1.0}, "r": {"z": 2.0, "c": 1.0}}
LISTS = {query: list(ranking) for query, ranking in SCORES.items()}


def long(table: dict[str, Any], number: str) -> dict[str, list[Any]]:
    rows = [(q, item, value) for q, items in table.items() for item, value in items.items()]
    queries, items, numbers = map(list, zip(*rows, strict=True))
    return {"query": queries, "item": items, number: numbers}


def places(evaluation: Evaluation) -> tuple[list[int], list[int], list[int]]:
    unjudged = evaluation.rankings.unjudged
    assert unjudged is not None
    offsets, above, tied = unjudged.positions
    return offsets.tolist(), above.tolist(), tied.tolist()


TRUTHS, LISTED = list(TRUTH.values()), list(LISTS.values())
RANKS = {query: {item: n for n, item in enumerate(own, 1)} for query, own in LISTS.items()}
GRADED, SCORED = pl.DataFrame(long(TRUTH, "grade")), pl.DataFrame(long(SCORES, "score"))
LAYOUTS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "lists": (TRUTHS, LISTED, {}),
    "lists with a provider": (TRUTHS, LISTED, {"string_provider": str.upper}),
    "kept lists": (TRUTHS, LISTED, {"keep_items": True}),
    "tuples": (TRUTHS, list(map(tuple, LISTED)), {}),
    "scored lists": (TRUTHS, list(SCORES.values()), {}),
    "mapping of lists": (TRUTH, LISTS, {}),
    "mapping of scores": (TRUTH, SCORES, {}),
    **{ties: (TRUTH, SCORES, {"ties": ties}) for ties in (
        "stable", "docid", "optimistic", "pessimistic")},
    "with a provider": (TRUTH, SCORES, {"string_provider": str.upper}),
    "kept": (TRUTH, SCORES, {"keep_items": True}),
    "pandas": (GRADED.to_pandas(), SCORED.to_pandas(), {}),
    "Polars": (GRADED, SCORED, {}),
    "frame by id": (GRADED, SCORED, {"ties": "docid"}),
    "frame and mapping": (GRADED, SCORES, {}),
    "ranked frame": (GRADED, pl.DataFrame(long(RANKS, "rank")), {}),
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_a_partial_truth_does_not_name_is_unjudged(layout: str) -> None:
    y_true, y_score, options = LAYOUTS[layout]
    ev = evaluate(y_true, y_score, ("judged@2", "ndcg@2", "map"), **options)
    assert ev.assumed == ev.counts["assumed"] == "partial"
    assert (ev.counts["unjudged_items"], ev.counts["unjudged"]) == (3, 0)
    assert places(ev) == ([0, 2, 3], [1, 3, 0], [1, 1, 1])
    assert ev.per_query["judged@2"].tolist() == [1 / 2, 1 / 2]
    # Other measures have one value whatever is assumed.
    complete = evaluate(y_true, y_score, ("ndcg@2", "map"), assume="complete", **options)
    assert [complete[name] for name in complete] == [ev["ndcg@2"], ev["map"]]
    assert (complete.assumed, complete.counts["unjudged_items"]) == ("complete", 0)
    assert complete.rankings.unjudged is None


@pytest.mark.parametrize(
    ("truth", "assumed", "unjudged"),
    [
        ([{"a"}, {"c"}], "", 0),
        ([["a"], ("c",)], "", 0),
        ([{"a": 1}, {"c": 2}], "complete", 0),
        ([{"a": 1}, {"c": 0}], "partial", 4),
        ([{"a": 0.0, "b": 1.5}, {"c": 1}], "partial", 3),
    ],
)
@pytest.mark.parametrize("scored", [False, True])
def test_a_grade_of_zero_makes_a_truth_partial(
    truth: Any, assumed: str, unjudged: int, *, scored: bool
) -> None:
    rankings = list((SCORES if scored else LISTS).values())
    ev = evaluate(truth, rankings, "unjudged", zero_division=0.0)
    assert (ev.assumed, ev.counts["unjudged_items"]) == (assumed, unjudged)


POSITIVES = ({"q": {"a": 1, "c": 1}}, {"q": {"x": 2.0, "a": 1.0}})


@pytest.mark.parametrize("convention", ["trec_eval", "pytrec_eval", "ir_measures"])
@pytest.mark.parametrize("kind", [dict, set, list, pl.DataFrame])
def test_some_conventions_take_all_truths_for_partial(convention: str, kind: Any) -> None:
    """As these programs do; but that positives leave the rest unjudged is no news."""
    truth, run = POSITIVES
    y_true = {query: kind(items) for query, items in truth.items() if kind is not pl.DataFrame}
    y_true = y_true or pl.DataFrame(long(truth, "grade"))
    ev = evaluate(y_true, run, ("bpref", "judged@2", "mrr"), convention=convention, keep_items=True)
    assert (ev["bpref"], ev["judged@2"], ev.condensed()["mrr"]) == (0.5, 0.5, 1.0)
    assert (ev.assumed, ev.counts["unjudged_items"]) == ("positives", 0)
    assert str(ev).endswith("1 query")
    told = evaluate(y_true, run, "bpref", convention=convention, assume="complete")
    assert (told["bpref"], told.assumed) == (0.25, "complete")
    if kind is dict:
        truth = {"q": {**truth["q"], "y": 0}}
        assert evaluate(truth, run, "judged", convention=convention).assumed == "partial"


def test_gates_of_positives_do_not_speak_of_the_unjudged() -> None:
    truth = {f"q{n}": {f"a{n}"} for n in range(12)}
    runs = ({q: [item.upper(), *items] for q, items in truth.items() for item in items},) * 2
    same = compare(truth, dict(zip("ab", runs, strict=True)), "mrr", convention="trec_eval")
    assert "judged" not in str(same)
    assert "judged" not in str(same.evaluations["a"])


def test_a_negative_grade_counts_as_judged_in_ir_measures() -> None:
    truth, run = {"q": {"a": 1, "b": -1}}, {"q": {"b": 2.0, "x": 1.0, "a": 0.5}}
    ev = evaluate(truth, run, ("judged@2", "mrr"), convention="ir_measures")
    assert (ev["judged@2"], ev["mrr"], ev.assumed) == (0.5, 1 / 3, "partial")
    with pytest.warns(ConventionWarning, match="^1 grades are below 0, .* bpref: its bpref treats"):
        evaluate(truth, run, "bpref", convention="ir_measures")
    rows = evaluate(
        [1, -1], [1.0, 2.0], "ndcg", groups=["q", "q"], convention="ir_measures", ties="average"
    )
    assert rows["ndcg"] == pytest.approx(1 / np.log2(3))


def test_bpref_warns_where_nothing_is_judged_irrelevant() -> None:
    truth, run = POSITIVES
    with pytest.warns(RankingDataWarning, match="nothing is judged irrelevant, so 'bpref' treats"):
        assert evaluate(truth, run, ("map", "bpref"))["bpref"] == 0.25
    evaluate(truth, run, "map")  # warnings are errors in these tests
    for assume in ("complete", "partial"):
        evaluate(truth, run, "bpref", assume=assume)
    evaluate({"q": {"a": 1, "x": 0}}, run, "bpref")
    evaluate([1, 0], [1.0, 2.0], "bpref", groups=["q", "q"])  # all are judged


@pytest.mark.parametrize("scored", [False, True])
@pytest.mark.parametrize("options", [{}, {"string_provider": str}, {"ties": "stable"}])
@pytest.mark.parametrize("kind", [set, list, tuple, lambda items: dict.fromkeys(items, 1)])
def test_any_truth_is_partial_when_told(kind: Any, options: Any, *, scored: bool) -> None:
    rankings = list((SCORES if scored else LISTS).values())
    truth = [kind(["a"]), kind(["c"])]
    ev = evaluate(truth, rankings, "unjudged", assume="partial", **options)
    assert ev.assumed == "partial"
    assert ev.per_query["unjudged"].tolist() == [3, 1]


def test_one_truth_of_all_queries_may_be_partial() -> None:
    rankings = [["a", "x"], ["y", "c"]]
    assert evaluate({"a", "c"}, rankings, "unjudged").counts["unjudged_items"] == 0
    ev = evaluate({"a", "c"}, rankings, "unjudged@1", assume="partial")
    assert ev.per_query["unjudged@1"].tolist() == [0, 1]


def test_a_negative_grade_of_a_convention_is_no_judgement() -> None:
    truth, scores = {"q": {"a": 1, "b": -1, "c": 1}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    frames = pl.DataFrame(long(truth, "grade")), pl.DataFrame(long(scores, "score"))
    for y_true, y_score in ((truth, scores), (truth, {"q": ["a", "b", "c"]}), frames):
        ev = evaluate(y_true, y_score, "judged@2", convention="trec_eval")
        assert (ev["judged@2"], ev.assumed, ev.counts["unjudged_grades"]) == (0.5, "partial", 1)


@pytest.mark.parametrize("wrap", [np.array, csr_array])
@pytest.mark.parametrize("masked", [False, True])
def test_negative_grades_of_arrays_are_unjudged(wrap: Any, *, masked: bool) -> None:
    grades, scores = np.array([[1, -1, 0], [-2, 1, -1]]), np.array([[3.0, 2, 1], [1, 2, 3]])
    candidates = np.array([[True, True, True], [True, True, False]]) if masked else None
    options: dict[str, Any] = {"convention": "trec_eval", "ties": "average"}
    measures = ("judged@2", "unjudged")
    ev = evaluate(wrap(grades), scores, measures, candidates=candidates, **options)
    assert ev.assumed == "partial"
    assert ev.per_query["unjudged"].tolist() == ([1, 1] if masked else [1, 2])
    assert ev.per_query["judged@2"].tolist() == [0.5, 0.5]
    options["groups"] = np.repeat([0, 1], 3)
    rows = evaluate(grades.ravel(), scores.ravel(), "unjudged", **options)
    assert rows.per_query["unjudged"].tolist() == [1, 2]


def test_relevance_scores_have_places_of_their_own() -> None:
    """In the list ``x`` is second; among the scores it is tied with ``b``."""
    ev = evaluate(
        [{"a": 1, "b": 0}], [["a", "x", "b"]], ("unjudged@1", "gauc"), relevance=[[3.0, 1.0, 1.0]]
    )
    assert places(ev) == ([0, 1], [1], [1])
    unjudged = ev.ranking_data.by_score.unjudged
    assert unjudged is not None
    assert (unjudged.positions.above.tolist(), unjudged.positions.tied.tolist()) == ([1], [2])


def test_a_dropped_duplicate_is_counted_once() -> None:
    ev = evaluate([{"a": 1, "b": 0}], [["x", "a", "x"]], "unjudged", duplicates="first")
    assert ev["unjudged"] == 1


def test_a_missing_query_has_no_unjudged_items() -> None:
    ev = evaluate({"q": {"a": 1, "b": 0}, "r": {"a": 1}}, {"q": ["x", "a"]}, "unjudged")
    assert ev.per_query["unjudged"].tolist() == [1, 0]


@pytest.mark.parametrize("scored", [False, True])
def test_slices_and_copies_carry_them(*, scored: bool) -> None:
    rankings = SCORES if scored else LISTS
    ev = evaluate(TRUTH, rankings, ("unjudged@1", "map"))
    (part,) = ev.by_slice({"r": "only", "q": []}).values()
    assert places(part) == ([0, 1], [0], [1])
    assert (part.assumed, part.counts["unjudged_items"]) == ("partial", 1)
    copy = pickle.loads(pickle.dumps(ev))
    assert places(copy) == places(ev)


def test_what_was_assumed_is_printed() -> None:
    partial = evaluate(TRUTH, LISTS, "map")
    assert (
        "2 queries; judgements treated as incomplete: 3 of 6 ranked items are unjudged and count "
        "as irrelevant\n"
    ) in str(partial)
    assert "3 of 6 ranked items are unjudged" in partial._repr_html_()
    complete = evaluate([{"a": 1}], [["a", "x"]], "map")
    assert str(complete).endswith("1 query; judgements treated as complete")
    assert str(evaluate([{"a"}], [["a", "x"]], "map")).endswith("1 query")


@pytest.mark.parametrize("ties", ["docid", "stable", "average"])
def test_flags_stand_in_the_order_in_which_ties_are_broken(ties):
    tied = {f"d{number}": 0.5 for number in range(1, 41)}
    evaluation = evaluate(
        {"p": {"d1": 1, "d2": 0}, "q": {"d40": 1, "d39": 0}},
        {"p": tied, "q": tied},
        "map",
        ties=ties,
        keep_items=True,
    )
    for query, unjudged in zip("pq", unjudged_items(evaluation.ranking_data), strict=True):
        named = {"p": {"d1", "d2"}, "q": {"d40", "d39"}}[query]
        assert set(unjudged) == tied.keys() - named
