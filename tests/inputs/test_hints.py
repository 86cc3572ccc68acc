"""What was probably not meant: swapped arguments, ids that cannot match, data that fit nothing."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank import (
    Qrels,
    RankingDataWarning,
    Run,
    evaluate,
    map_scorer,
    mean_average_precision_score,
)
from sklearn_rank.exceptions import UnknownItemsWarning
from sklearn_rank.inputs.hints import swap_suspicion

RNG = np.random.default_rng(3)
ITEMS = [f"d{number}" for number in range(12)]
RUN = {q: dict(zip(ITEMS, RNG.random(12).tolist(), strict=True)) for q in range(8)}
QRELS = {q: {item: int(RNG.integers(0, 3)) for item in ITEMS[: 3 + q]} for q in range(8)}
RANKED = {q: sorted(scores, key=scores.__getitem__) for q, scores in RUN.items()}
BM25 = {q: {item: int(1e4 * score) for item, score in run.items()} for q, run in RUN.items()}
GRADES, SCORES = RNG.integers(0, 2, 60), RNG.random(60)
QID = np.repeat(np.arange(6), 10)

SWAPPED: list[tuple[str, Any, Any, dict[str, Any]]] = [
    ("scores", QRELS, RUN, {}),
    ("binary", {q: dict.fromkeys(items, 1) for q, items in QRELS.items()}, RUN, {}),
    ("large integers", QRELS, BM25, {}),
    ("ranked lists", QRELS, RANKED, {}),
    ("lists of dicts", list(QRELS.values()), list(RUN.values()), {}),
    ("rows", GRADES, SCORES, {"groups": QID}),
    ("rows in lists", GRADES.tolist(), SCORES.tolist(), {"groups": QID}),
    ("matrix", GRADES.reshape(6, 10), SCORES.reshape(6, 10), {}),
]


@pytest.mark.parametrize(("what", "truth", "run", "own"), SWAPPED)
def test_swapped_arguments_are_noticed(what: str, truth: Any, run: Any, own: Any) -> None:
    evaluate(truth, run, "ndcg", **own)  # warnings are errors in these tests
    with pytest.warns(RankingDataWarning, match="are they swapped") as caught:
        evaluate(run, truth, "ndcg", **own)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_long_tables_are_looked_into() -> None:
    queries = [q for q in RUN for _ in ITEMS]
    scores = [score for run in RUN.values() for score in run.values()]
    table = Qrels.from_columns(queries, ITEMS * len(RUN), grades=scores)
    assert "many different real numbers" in swap_suspicion(table, QRELS)
    assert swap_suspicion(QRELS, table) == ""


def test_ranked_lists_of_the_judged_items_are_noticed() -> None:
    ranked = {q: list(grades) for q, grades in QRELS.items()}
    binary = {q: {i: int(n == 0) for n, i in enumerate(own)} for q, own in QRELS.items()}
    assert "y_true holds ranked lists" in swap_suspicion(ranked, binary)
    assert swap_suspicion(binary, ranked) == ""


@pytest.mark.parametrize(
    ("what", "truth", "run"),
    [
        ("both real", RUN, RUN),
        ("both whole", QRELS, QRELS),
        ("graded by clicks", {q: {"a": 0.5, "b": 0.25, "c": 1.0} for q in RUN}, QRELS),
        ("relevant lists", {q: ["d1"] for q in RUN}, QRELS),
        ("few values", {"q": {"a": 0.1, "b": 0.7}}, {"q": {"a": 1, "b": 0}}),
        ("constant scorer", SCORES, np.zeros(60)),
        ("text", ["a", None], ["b"]),
        ("ragged", [1, [2]], [1, [2]]),
        ("nothing", [], {}),
    ],
)
def test_others_are_not(what: str, truth: Any, run: Any) -> None:
    assert swap_suspicion(truth, run) == ""


@pytest.mark.parametrize("first", [np.inf, -np.inf])
def test_infinite_scores_are_scores(first: float) -> None:
    scores = np.array([first, 1.0, 0.0, 2.0])
    for y_score in (scores, scores.tolist(), list(scores)):
        evaluate([1, 0, 0, 1], y_score, "ndcg", groups=[0, 0, 1, 1])  # warns of nothing


# No relevant item of any query retrieved ----------------------------------------------------------


@pytest.mark.parametrize(
    ("relevant", "ranked", "cause"),
    [
        ("D1", "d1", r"differ in case: 'D1' in y_true, 'd1' in y_score"),
        ("d 1", "d1 ", "differ in spaces"),
        ("7.0", "7", r"differ by a trailing '\.0': '7\.0' in y_true, '7' in y_score"),
        ("007", "7", "differ by leading zeros"),
        ("doc:7", "7", "differ by a prefix"),
        ("corpus/a.txt", "a.txt", "differ by a prefix"),
    ],
)
def test_the_likely_cause_is_named(relevant: str, ranked: str, cause: str) -> None:
    with pytest.warns(RankingDataWarning, match=cause) as caught:
        ev = evaluate({"q": {relevant}}, {"q": ["x", ranked]}, ["map", "mrr"])
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert "no relevant item was retrieved (ids seem to differ" in repr(ev)
    with pytest.warns(RankingDataWarning, match=cause):
        assert mean_average_precision_score([{relevant: 2}], [{"x": 2.0, ranked: 1.0}]) == 0.0


@pytest.mark.parametrize(
    ("truth", "ranking", "cause", "kind"),
    [
        ({"7", 1}, [7, 8], r"differ in type: '7' in y_true, 7 in y_sc", "str"),
        ({("q", "d1"), "x"}, ["d1", "y"], "as a tuple and one of its parts", "tuple"),
    ],
)
def test_types_that_differ_among_others_are_named(
    truth: Any, ranking: Any, cause: str, kind: str
) -> None:
    # Types that have nothing in common are an error.
    with (
        pytest.warns(RankingDataWarning, match=cause),
        pytest.warns(RankingDataWarning, match=f"no {kind} of y_true can match"),
    ):
        evaluate([truth], [ranking], "map")


def test_ids_that_have_nothing_in_common_are_shown_where_queries_are_many() -> None:
    truth = {f"q{number}": {f"alpha{number}"} for number in range(12)}
    run = {query: ["beta", "gamma"] for query in truth}
    with pytest.warns(RankingDataWarning, match="ids look like 'alpha0' in y_true, 'beta'"):
        evaluate(truth, run, "map")


@pytest.mark.parametrize(
    ("truth", "run"),
    [
        ([{"a"}], [["b"]]),
        ([{"a"}], [[]]),
        ([set()], [["a"]]),
        ([{"A"}, {"b"}], [["a"], ["b"]]),
        ([{"a": 0, "B": 1}], [["a", "c"]]),
    ],
    ids=["a plain miss", "nothing ranked", "nothing relevant", "one found", "judged 0"],
)
def test_what_may_be_honest_is_not_remarked(truth: list, run: list) -> None:
    evaluate(truth, run, "map", zero_division=0.0)  # warnings are errors in these tests


# ``known_items=`` ---------------------------------------------------------------------------------


JUDGED = {"q1": {"a": 1, "gone": 2, "b": 0}, "q2": {"c": 1, "lost": 0}}
LISTS = {"q1": ["a", "b"], "q2": ["c", "b"]}
INDEX = ["a", "b", "c", "d"]
SAID = r"2 of 5 judged items are not in the index \('gone', 'lost'\): was the corpus re-chunked\?"

FORMS = {
    "list": INDEX,
    "set": set(INDEX),
    "dict": dict.fromkeys(INDEX, "text"),
    "generator": (item for item in INDEX),
    "array": np.array(INDEX),
    "pandas index": pd.Index(INDEX),
    "pandas series": pd.Series(INDEX),
    "polars series": pl.Series(INDEX),
    "function": INDEX.__contains__,
}


@pytest.mark.parametrize("form", FORMS)
def test_unknown_items_are_counted_and_named(form: str) -> None:
    known = FORMS[form]
    with pytest.warns(UnknownItemsWarning, match=SAID) as caught:
        ev = evaluate(JUDGED, LISTS, "map", known_items=known)
    assert [warning.filename for warning in caught] == [__file__]
    assert ev.counts["unknown_items"] == 2
    assert "2 judged items that are not in the index" in repr(ev)
    assert ev["map"] == evaluate(JUDGED, LISTS, "map")["map"]
    assert ev.items is None, "ids are kept for those who ask for them"


@pytest.mark.parametrize("known", [[*INDEX, "gone", "lost"], lambda _: True], ids=["list", "call"])
def test_nothing_is_said_where_all_are_known(known: object) -> None:
    # Warnings are errors in these tests.
    assert evaluate(JUDGED, LISTS, "map", known_items=known).counts["unknown_items"] == 0


@pytest.mark.parametrize(
    ("truth", "lists", "said"),
    [
        # An item is counted once for all queries.
        ({"q1": {"gone", "a"}, "q2": {"gone"}}, LISTS, "1 of 2 judged items is not in the index"),
        ([{"a", "gone"}, ["c"]], [["a"], ["c"]], r"1 of 3 judged items is .*'gone'"),
        ({"a", "gone"}, [["a", "b"]], r"1 of 2 judged items is .*'gone'"),
    ],
)
def test_unknown_items_of_queries_lists_and_a_shared_truth(
    truth: Any, lists: Any, said: str
) -> None:
    with pytest.warns(UnknownItemsWarning, match=said):
        ev = evaluate(truth, lists, "map", known_items=INDEX)
    assert ev.counts["unknown_items"] == 1


def test_frames_and_files() -> None:
    rows = [(query, item, grade) for query, own in JUDGED.items() for item, grade in own.items()]
    ranked = [(query, item, -n) for query, own in LISTS.items() for n, item in enumerate(own)]
    truth = pl.DataFrame(rows, schema=["query", "item", "grade"], orient="row")
    run = pl.DataFrame(ranked, schema=["query", "item", "score"], orient="row")
    judged, scored = (table.to_dict(as_series=False) for table in (truth, run))
    qrels = Qrels.from_columns(judged["query"], judged["item"], grades=judged["grade"])
    table = Run.from_columns(scored["query"], scored["item"], scores=scored["score"])
    for y_true, y_score in [(truth, run), (truth.to_pandas(), run.to_pandas()), (qrels, table)]:
        with pytest.warns(UnknownItemsWarning, match=SAID):
            ev = evaluate(y_true, y_score, "map", known_items=INDEX)
        assert ev.counts["unknown_items"] == 2


def test_items_are_compared_as_the_provider_spells_them() -> None:
    calls: list[tuple[str, int]] = []

    def document(chunk: tuple[str, int]) -> str:
        calls.append(chunk)
        return chunk[0]

    truth = [{("a", 1), ("gone", 2)}]
    with pytest.warns(UnknownItemsWarning, match=r"1 of 2 judged items is .*'gone'"):
        evaluate(truth, [[("a", 3)]], "map", string_provider=document, known_items=INDEX)
    assert sorted(calls) == [("a", 1), ("a", 3), ("gone", 2)], "one call for each item, as ever"


def test_a_negative_grade_of_trec_eval_is_no_judgement() -> None:
    truth = {"q1": {"a": 1, "gone": -1}}
    evaluate(truth, {"q1": ["a"]}, "map", convention="trec_eval", known_items=INDEX)
    tables = Qrels.from_columns(["q1", "q1"], ["a", "gone"], grades=[1, -1])
    run = Run.from_columns(["q1"], ["a"], scores=[1.0])
    evaluate(tables, run, "map", convention="trec_eval", known_items=INDEX)


@pytest.mark.parametrize(
    ("judged", "known", "cause"),
    [
        ("D1", ["d1"], "ids seem to differ in case: 'D1' in y_true, 'd1' in known_items"),
        ("docs/d1", ["d1", "x"], "by a prefix"),
        ("7", [7], "in type"),
        ("d1", [("d1", "v2")], "as a tuple and one of its parts"),
    ],
)
def test_the_likely_cause_of_unknown_items_is_named(judged: str, known: list, cause: str) -> None:
    with pytest.warns(UnknownItemsWarning, match=cause):
        evaluate({"q": {judged, "a"}}, {"q": ["a", "b"]}, "map", known_items=[*known, "a"])


def test_ids_are_escaped_and_many_are_cut() -> None:
    truth = {"q": {f"\x1b[31m{number}" for number in range(30)} | {"a"}}
    with pytest.warns(UnknownItemsWarning, match="and 25 more") as caught:
        evaluate(truth, {"q": ["a"]}, "map", known_items=["a"])
    assert "\x1b" not in str(caught[0].message)


@pytest.mark.parametrize(
    ("known", "error", "what"),
    [
        ("abc", TypeError, "known_items must be a collection of item ids or a function, got 'abc'"),
        (7, TypeError, "known_items must be a collection of item ids or a function, got 7"),
        ([], ValueError, "known_items is empty"),
        ([["a"]], TypeError, "known_items holds an unhashable list"),
        ({}.__getitem__, ValueError, r"known_items raised KeyError\(.* on item 'a'"),
    ],
)
def test_what_is_no_index_is_refused(known: object, error: type[Exception], what: str) -> None:
    with pytest.raises(error, match=what):
        evaluate({"q": {"a"}}, {"q": ["a"]}, "map", known_items=known)


# Data that fit no measure as they are ------------------------------------------------------------


QUERIES = np.repeat(np.arange(12), 5)
RATINGS = np.tile([5, 1, 3, 2, 4], 12)
PREDICTED = RATINGS + 0.5
RATED = {query: {f"i{item}": item for item in range(1, 6)} for query in range(12)}
NEGATED = {query: {item: -float(grade) for item, grade in RATED[query].items()} for query in RATED}
NEGATED_LISTS = {query: list(NEGATED[query]) for query in NEGATED}
EVERY = r"every judged item of every query is relevant \(lowest grade 1\)"


@pytest.mark.parametrize(
    ("y_true", "y_score", "options"),
    [
        (RATINGS, PREDICTED, {"groups": QUERIES}),
        (RATINGS.reshape(12, 5), PREDICTED.reshape(12, 5), {}),
        (RATED, NEGATED_LISTS, {}),
    ],
    ids=["rows", "matrix", "lists"],
)
def test_ratings_of_which_all_are_relevant(y_true: Any, y_score: Any, options: Any) -> None:
    measures = ["map", "ndcg@3", "hmean(ndcg,hmean(mrr,recall))@2", "map(min_rel=4)", "mrr@2"]
    with pytest.warns(RankingDataWarning, match=EVERY) as given:
        ev = evaluate(y_true, y_score, measures, **options)
    assert ev["map"] == 1.0
    (text,) = (str(warning.message) for warning in given)
    assert "'map', 'hmean(ndcg,hmean(mrr,recall))@2', 'mrr@2';" in text
    assert "as in 'map(min_rel=5)'" in text
    with pytest.warns(RankingDataWarning, match=EVERY):
        mean_average_precision_score(y_true, y_score, k=3, **options)


def test_a_scorer_tells_of_ratings_too() -> None:
    X = PREDICTED[:, None]
    with pytest.warns(RankingDataWarning, match=EVERY):
        assert map_scorer(Ridge().fit(X, RATINGS), X, RATINGS, groups=QUERIES) == 1.0
    scorer = map_scorer.with_options(min_rel=4)
    assert scorer(Ridge().fit(X, RATINGS), X, RATINGS, groups=QUERIES) == 1.0


REVERSED = [
    ((RATINGS > 3) * 1, -PREDICTED, {"groups": QUERIES}),
    (((RATINGS > 3) * 1).reshape(12, 5), -PREDICTED.reshape(12, 5), {}),
    ({query: {"i5", "i4"} for query in RATED}, NEGATED, {}),
]


@pytest.mark.parametrize(("y_true", "y_score", "options"), REVERSED)
@pytest.mark.parametrize("measure", ["map", "recall@1", "ndcg@2"])
def test_distances_rank_backwards(y_true: Any, y_score: Any, options: Any, measure: str) -> None:
    with pytest.warns(RankingDataWarning, match=r"^lower scores seem better: .* 100% .* negate"):
        evaluate(y_true, y_score, measure, **options)


def test_what_is_no_reversed_order_draws_no_warning() -> None:
    rng = np.random.default_rng(0)
    few = {"groups": QUERIES[:45]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate((RATINGS > 3)[:45] * 1, -PREDICTED[:45], "map", **few)  # 9 queries
        evaluate(REVERSED[2][0], NEGATED_LISTS, "map")  # ranks are what was asked for
        for _ in range(50):
            evaluate((RATINGS > 3) * 1, rng.random(60), ["map", "recall@1"], groups=QUERIES)
        evaluate(RATINGS, PREDICTED, ["ndcg", "map(min_rel=4)"], groups=QUERIES)
        evaluate(RATINGS > 0, PREDICTED, "map", groups=QUERIES)  # no ratings
        evaluate([{"a": 1, "b": 2}], [["a", "b"]], "map")  # an example of two items
