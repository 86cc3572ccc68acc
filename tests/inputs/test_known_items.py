"""``known_items=``: judged items that no ranking can hold are counted and named."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sklearn_rank import Qrels, Run, evaluate
from sklearn_rank.exceptions import UnknownItemsWarning

TRUTH = {"q1": {"a": 1, "gone": 2, "b": 0}, "q2": {"c": 1, "lost": 0}}
RUN = {"q1": ["a", "b"], "q2": ["c", "b"]}
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
        ev = evaluate(TRUTH, RUN, "map", known_items=known)
    assert [warning.filename for warning in caught] == [__file__]
    assert ev.counts["unknown_items"] == 2
    assert "2 judged items that are not in the index" in repr(ev)


def test_values_are_those_without_it() -> None:
    with pytest.warns(UnknownItemsWarning):
        ev = evaluate(TRUTH, RUN, "map", known_items=INDEX)
    plain = evaluate(TRUTH, RUN, "map")
    assert ev["map"] == plain["map"]
    assert plain.counts["unknown_items"] == 0
    assert ev.items is None, "ids are kept for those who ask for them"


@pytest.mark.parametrize("known", [[*INDEX, "gone", "lost"], lambda _: True], ids=["list", "call"])
def test_nothing_is_said_where_all_are_known(known: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evaluate(TRUTH, RUN, "map", known_items=known).counts["unknown_items"] == 0


def test_an_item_is_counted_once_for_all_queries() -> None:
    truth = {"q1": {"gone", "a"}, "q2": {"gone"}}
    with pytest.warns(UnknownItemsWarning, match="1 of 2 judged items is not in the index"):
        ev = evaluate(truth, RUN, "map", known_items=INDEX)
    assert ev.counts["unknown_items"] == 1


def test_lists_and_one_shared_truth() -> None:
    with pytest.warns(UnknownItemsWarning, match=r"1 of 3 judged items is .*'gone'"):
        evaluate([{"a", "gone"}, ["c"]], [["a"], ["c"]], "map", known_items=INDEX)
    with pytest.warns(UnknownItemsWarning, match=r"1 of 2 judged items is .*'gone'"):
        evaluate({"a", "gone"}, [["a", "b"]], "map", known_items=INDEX)


def test_frames_and_files() -> None:
    rows = [(query, item, grade) for query, own in TRUTH.items() for item, grade in own.items()]
    truth = pl.DataFrame(rows, schema=["query", "item", "grade"], orient="row")
    ranked = [(query, item, -place) for query, own in RUN.items() for place, item in enumerate(own)]
    run = pl.DataFrame(ranked, schema=["query", "item", "score"], orient="row")
    queries, items, grades = (list(column) for column in zip(*rows, strict=True))
    qrels = Qrels.from_columns(queries, items, grades=grades)
    queries, items, scores = (list(column) for column in zip(*ranked, strict=True))
    table = Run.from_columns(queries, items, scores=scores)
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
    with warnings.catch_warnings():
        warnings.simplefilter("error")
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
def test_the_likely_cause_is_named(judged: str, known: list, cause: str) -> None:
    with pytest.warns(UnknownItemsWarning, match=cause):
        evaluate({"q": {judged, "a"}}, {"q": ["a", "b"]}, "map", known_items=[*known, "a"])


def test_ids_are_escaped_and_many_are_cut() -> None:
    truth = {"q": {f"\x1b[31m{number}" for number in range(30)} | {"a"}}
    with pytest.warns(UnknownItemsWarning, match="and 25 more") as caught:
        evaluate(truth, {"q": ["a"]}, "map", known_items=["a"])
    assert "\x1b" not in str(caught[0].message)


def broken(_item: object) -> bool:
    raise OSError("no index")


@pytest.mark.parametrize(
    ("known", "error", "what"),
    [
        ("abc", TypeError, "known_items must be a collection of item ids or a function, got 'abc'"),
        (7, TypeError, "known_items must be a collection of item ids or a function, got 7"),
        ([], ValueError, "known_items is empty"),
        ([["a"]], TypeError, "known_items holds an unhashable list"),
        (broken, ValueError, r"known_items raised OSError\('no index'\) on item 'a'"),
    ],
)
def test_what_is_no_index_is_refused(known: object, error: type[Exception], what: str) -> None:
    with pytest.raises(error, match=what):
        evaluate({"q": {"a"}}, {"q": ["a"]}, "map", known_items=known)


@pytest.mark.parametrize(
    ("y_true", "y_score", "groups"),
    [([1, 0], [0.5, 0.2], [1, 1]), ([[1, 0]], [[0.5, 0.2]], None)],
    ids=["rows", "matrix"],
)
def test_layouts_without_ids_refuse_it(y_true: object, y_score: object, groups: object) -> None:
    y_true, y_score = np.array(y_true), np.array(y_score)
    with pytest.raises(TypeError, match="known_items applies to ranked lists and mappings"):
        evaluate(y_true, y_score, "map", groups=groups, known_items=["a"])
