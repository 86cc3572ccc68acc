"""What was probably not meant: swapped arguments, ids that cannot match, data that fit nothing."""

import warnings
from typing import Any

import numpy as np
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
    evaluate(truth, run, "ndcg(gain=linear)", **own)  # warnings are errors in these tests
    with pytest.warns(RankingDataWarning, match="are they swapped") as caught:
        evaluate(run, truth, "ndcg(gain=linear)", **own)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_long_tables_and_lists_of_the_judged_items_are_looked_into() -> None:
    queries = [q for q in RUN for _ in ITEMS]
    scores = [score for run in RUN.values() for score in run.values()]
    table = Qrels.from_columns(queries, ITEMS * len(RUN), grades=scores)
    with pytest.warns(RankingDataWarning, match="y_true holds many different real numbers"):
        evaluate(table, QRELS, "ndcg")
    evaluate(QRELS, table, "ndcg")
    ranked = {q: list(grades) for q, grades in QRELS.items()}
    binary = {q: {i: int(n == 0) for n, i in enumerate(own)} for q, own in QRELS.items()}
    with pytest.warns(RankingDataWarning, match="y_true holds ranked lists"):
        evaluate(ranked, binary, "ndcg")
    evaluate(binary, ranked, "ndcg")


@pytest.mark.parametrize(
    ("what", "truth", "run", "own"),
    [
        ("both real", RUN, RUN, {}),
        ("both whole", QRELS, QRELS, {}),
        ("graded by clicks", {q: {"d0": 0.5, "d1": 0.25, "d2": 1.0} for q in RUN}, QRELS, {}),
        ("relevant lists", {q: ["d1"] for q in RUN}, QRELS, {}),
        ("sets", {q: {*ITEMS} for q in RUN}, {q: {"d1": 1, "d2": 0, "d3": 0} for q in RUN}, {}),
        ("few values", {"q": {"a": 0.1, "b": 0.7}}, {"q": {"a": 1, "b": 0}}, {}),
        ("constant scorer", SCORES, np.zeros(60), {"groups": QID}),
        ("infinite scores", [1, 0, 0, 1], [np.inf, 1.0, 0.0, -np.inf], {"groups": [0, 0, 1, 1]}),
    ],
)
def test_others_are_not(what: str, truth: Any, run: Any, own: Any) -> None:
    evaluate(truth, run, "ndcg", **own)  # warnings are errors in these tests


# No relevant item of any query retrieved ----------------------------------------------------------


@pytest.mark.parametrize(
    ("relevant", "ranked", "cause"),
    [
        ("D1", "d1", "differ in spelling: 'D1' in y_true, 'd1' in y_score"),
        ("d 1", "d1 ", "differ in spelling"),
        ("7.0", "7", r"'7\.0' in y_true, '7' in y_score"),
        ("007", "7", "differ in spelling"),
        ("d\u00e9", "de\u0301", "differ in spelling"),
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


def test_types_that_differ_among_others_are_named() -> None:
    # Types that have nothing in common are an error.
    with (
        pytest.warns(RankingDataWarning, match="differ in spelling: '7' in y_true, 7 in"),
        pytest.warns(RankingDataWarning, match="no str of y_true can match"),
    ):
        evaluate([{"7", 1}], [[7, 8]], "map")


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


# Data that fit no measure as they are ------------------------------------------------------------


QUERIES = np.repeat(np.arange(12), 5)
RATINGS = np.tile([5, 1, 3, 2, 4], 12)
PREDICTED = RATINGS + 0.5
RATED = {query: {f"i{item}": item for item in range(1, 6)} for query in range(12)}
NEGATED = {query: {item: -float(grade) for item, grade in RATED[query].items()} for query in RATED}
NEGATED_LISTS = {query: list(NEGATED[query]) for query in NEGATED}
EVERY = r"every ranked item is relevant \(lowest grade 1\)"


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
    assert "as in 'map(min_rel=4)'" in text
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
        evaluate(RATINGS[:45] > 0, PREDICTED[:45], "map", groups=QUERIES[:45])  # no ratings
        evaluate([{"a": 1, "b": 2}], [["a", "b"]], "map")  # an example of two items


# Some ids in another spelling --------------------------------------------------------------------

SPELLINGS = [str.upper, " {}".format, "{}.0".format, lambda item: item.replace("é", "e\u0301")]


@pytest.mark.parametrize("spell", SPELLINGS)
@pytest.mark.parametrize("makes_tables", [False, True])
def test_some_ids_in_another_spelling_are_said(spell: Any, makes_tables: bool) -> None:
    def check(truth: Any, run: Any, message: str) -> None:
        if makes_tables:
            rows = [(q, i) for q, own in truth.items() for i in own]
            truth = Qrels.from_columns(*map(list, zip(*rows, strict=True)))
            rows = [(q, i) for q, own in run.items() for i in own]
            run = Run.from_columns(*map(list, zip(*rows, strict=True)))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            if not message:
                evaluate(truth, run, "mrr")
                return
        with pytest.warns(RankingDataWarning, match=message):
            evaluate(truth, run, "mrr")

    truth = {f"qé{row}": [f"dé{row}"] for row in range(30)}
    for n in (9, 0):
        changed = {
            spell(query) if row < n else query: items
            for row, (query, items) in enumerate(truth.items())
        }
        check(
            truth,
            changed,
            rf"^{n} judged queries have no ranking, and {n} .* {n} of them differ" * bool(n),
        )
    for n in (10, 0):
        changed = {
            query: [spell(item) if row % 3 == 1 and n else item if row else "x" for item in items]
            for row, (query, items) in enumerate(truth.items())
        }
        check(truth, changed, f"^{n} of 30 relevant items seem to be retrieved in" * bool(n))
    check(truth, {query: ["x"] for query in list(truth)[::2]} | dict(list(truth.items())[:9]), "")
