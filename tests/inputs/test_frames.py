"""Long tables and data frames of any library: the numbers, counts and errors of mappings."""

import random
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sklearn_rank import (
    ColumnRoleError,
    DuplicateItemError,
    InvalidParameterError,
    Qrels,
    QueryMismatchError,
    Run,
    evaluate,
    mean_reciprocal_rank_score,
)
from sklearn_rank.inputs import tables

LIBRARIES = {
    "pandas": pd.DataFrame,
    "pandas of Arrow": lambda data: pd.DataFrame(data).convert_dtypes(dtype_backend="pyarrow"),
    "Polars": pl.DataFrame,
    "PyArrow": pa.table,
}
every_library = pytest.mark.parametrize("make", LIBRARIES.values(), ids=LIBRARIES)


@every_library
def test_columns_of_other_names_are_named(make: Any) -> None:
    truth = make({"kunde": ["u"], "film": ["a"], "sterne": [2]})
    run = make({"kunde": ["u", "u"], "film": ["x", "a"], "punkte": [2.0, 1.0]})
    columns = {"query": "kunde", "item": "film", "grade": "sterne", "score": "punkte"}
    assert evaluate(truth, run, "mrr", columns=columns)["mrr"] == 1 / 2
    # One name may stand in one frame alone, where the other says its role by itself.
    other = make({"user": ["u", "u"], "film": ["x", "a"], "punkte": [2.0, 1.0]})
    assert evaluate(truth, other, "mrr", columns=columns)["mrr"] == 1 / 2


@every_library
def test_other_columns_make_slices_of_queries(make: Any) -> None:
    truth = {"user": ["u", "u", "v"], "item": ["a", "b", "c"], "land": ["de", "de", "fr"]}
    truth = make({**truth, "rel": [1, 1, 1]})
    run = make({"user": ["u", "v", "v"], "item": ["a", "x", "c"], "day": [1, 2, 2]})
    ev = evaluate(truth, run, "mrr", columns={"score": None})
    assert {label: part["mrr"] for label, part in ev.by_slice("land").items()} == {
        "de": 1.0,
        "fr": 1 / 2,
    }
    assert list(ev.by_slice("day")) == [1, 2]
    assert list(ev.by_slice("land")["de"].by_slice("day")) == [1]
    with pytest.raises(InvalidParameterError, match=r"no data frame with a column 'town'"):
        ev.by_slice("town")
    with pytest.raises(InvalidParameterError, match=r"query 'u' has both 'a' and 'b'"):
        ev.by_slice("item")


def test_frames_that_disagree_on_a_label() -> None:
    truth = pd.DataFrame({"user": ["u"], "item": ["a"], "land": ["de"], "rel": [1]})
    ev = evaluate(truth, truth.drop(columns="rel").assign(land="fr", score=1.0), "mrr")
    with pytest.raises(InvalidParameterError, match=r"disagree .*'land': query 'u' has 'de'"):
        ev.by_slice("land")


TRUTH = {"user": ["u", "v"], "item": ["a", "b"], "grade": [1, 2]}
RUN = {"user": ["u", "v"], "item": ["a", "b"], "score": [1.0, 2.0]}


RANKED_TWICE = {"user": ["u", "u"], "item": ["a", "b"], "rank": [1, 1]}


def without(data: dict[str, Any], name: str) -> dict[str, Any]:
    return {column: values for column, values in data.items() if column != name}


@every_library
@pytest.mark.parametrize(
    ("truth", "run", "options", "error", "message"),
    [
        (TRUTH, without(RUN, "item"), {}, ColumnRoleError, r"y_score has no column for .*'item'"),
        (without(TRUTH, "user"), RUN, {}, ColumnRoleError, r"columns=\{'query': '.*\.to_numpy\(\)"),
        ({**TRUTH, "doc": ["a", "b"]}, RUN, {}, ColumnRoleError, r"several .* 'item', 'doc'"),
        (
            TRUTH,
            RUN,
            {"columns": {"item": "thing"}},
            ColumnRoleError,
            r"no frame has the column 'thing'",
        ),
        (TRUTH, RUN, {"columns": {"thing": "item"}}, ColumnRoleError, r"unknown role 'thing'"),
        (TRUTH, RUN, {"columns": ["item"]}, ColumnRoleError, r"must be a mapping of role to colu"),
        (RUN, TRUTH, {}, TypeError, r"y_true has scores and y_score has grades; are they swapped"),
        (TRUTH, {**RUN, "score": [1.0, None]}, {}, ValueError, r"'score' of y_score .* \(row 1\)"),
        ({**TRUTH, "item": ["a", None]}, RUN, {}, ValueError, r"'item' of y_true .* \(row 1\)"),
        ({**TRUTH, "grade": [1, -1]}, RUN, {}, ValueError, r"negative grade \(-1\) at item 'b' of"),
        ({**TRUTH, "grade": ["1", "2"]}, RUN, {}, TypeError, r"'grade' of y_true holds strings"),
        (TRUTH, {**RUN, "user": ["w", "x"]}, {}, QueryMismatchError, r"no query in common"),
        (
            TRUTH,
            RUN,
            {"groups": ["u", "v"]},
            TypeError,
            "groups is only for the rows layout",
        ),
        (TRUTH, RANKED_TWICE, {}, ValueError, r"^column 'rank' of y_score has 1 twice for query"),
    ],
)
def test_frames_that_are_refused(
    make: Any, truth: Any, run: Any, options: Any, error: Any, message: str
) -> None:
    with pytest.raises(error, match=message):
        evaluate(make(truth), make(run), "map", **options)


def test_columns_are_for_frames_alone() -> None:
    with pytest.raises(TypeError, match=r"columns applies only to data frames; y_true is a dict"):
        evaluate({"u": {"a"}}, {"u": ["a"]}, "map", columns={"item": "doc"})


@pytest.mark.parametrize("index", [["user"], ["user", "item"], ["score"]])
def test_an_index_is_not_read(index: list[str]) -> None:
    run = pd.DataFrame({"session": ["s", "s"], **RUN})
    with pytest.raises(ColumnRoleError, match=rf"y_score is named '{index[0]}'.*reset_index"):
        evaluate(pd.DataFrame(TRUTH), run.set_index(index), "map")
    evaluate(pd.DataFrame(TRUTH).rename_axis("row"), pd.DataFrame(RUN), "map")
    evaluate(pd.DataFrame(TRUTH), pd.DataFrame(RUN).set_index("user", drop=False), "map")


def test_a_wide_frame_of_scores_still_goes_with_a_matrix() -> None:
    grades = np.array([[1, 0], [0, 1]])
    assert evaluate(grades, pd.DataFrame([[0.2, 0.1], [0.2, 0.1]]), "mrr")["mrr"] == 3 / 4
    with pytest.raises(
        ColumnRoleError, match=r"column names of y_true are not strings.*\.to_numpy\(\)"
    ):
        evaluate(pd.DataFrame(grades), pd.DataFrame(grades), "mrr")


def test_series_of_lists_are_joined_by_their_index() -> None:
    truth = pd.Series({"u": {"a"}, "v": {"b"}, "w": {"c"}})
    run = pd.Series({"v": ["x", "b"], "u": ["a"]})
    ev = evaluate(truth, run, "mrr")
    assert dict(zip(ev.query_ids, ev.per_query["mrr"], strict=True)) == {"u": 1, "v": 1 / 2, "w": 0}
    assert ev.counts["missing"] == 1
    with pytest.raises(ValueError, match=r"the index of y_score repeats queries: 'u'"):
        evaluate(truth, pd.concat([run, run[["u"]]]), "mrr")


def test_series_without_an_index_of_their_own_go_by_position() -> None:
    ev = evaluate(pd.Series([{"a"}, {"b"}]), pd.Series([["a"], ["x", "b"]]), "mrr")
    assert list(ev.query_ids) == [0, 1]
    assert ev.per_query["mrr"].tolist() == [1, 1 / 2]
    filtered = pd.Series([{"x"}, {"a"}, {"b"}])[1:]
    assert evaluate(filtered, [["a"], ["x", "b"]], "mrr")["mrr"] == 3 / 4
    for index in (pd.Index(["u", "v"]), pd.Index([1, 2], name="query")):
        named = pd.Series([["a"], ["x", "b"]], index=index)
        with pytest.raises(TypeError, match="the index of y_true names queries"):
            evaluate(named, [["a"], ["x", "b"]], "mrr")
        with pytest.raises(TypeError, match="the index of y_score names queries"):
            evaluate([{"a"}, {"b"}], named, "mrr")


def test_mappings_read_without_narwhals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "narwhals", None)
    assert evaluate({"q": {"a"}}, {"q": ["a"]}, "map")["map"] == 1.0


# Messages ---------------------------------------------------------------------------------------

CLICKS = {"user": ["u", "u"], "item": ["a", "b"], "grade": [0, 1]}
RANKED = {"user": ["u", "u"], "item": ["a", "b"], "predicted score": [0.1, 0.9]}


def test_tuples_are_ids() -> None:
    ids = [("a", 1), ("b", 2)]
    ranked = pd.DataFrame({**RANKED, "item": ids}).rename(columns={"predicted score": "score"})
    assert evaluate(pd.DataFrame({**CLICKS, "item": ids}), ranked, "mrr")["mrr"] == 1.0


def test_other_numbers_beside_scores_are_left_alone() -> None:
    ranked = pd.DataFrame({**RANKED, "rank": [2, 1]})
    assert evaluate(pd.DataFrame(CLICKS), ranked, "mrr")["mrr"] == 1.0


def test_metric_functions_are_told_to_rename() -> None:
    films = pd.DataFrame(CLICKS).rename(columns={"item": "film"})
    with pytest.raises(
        ColumnRoleError, match=r"metric functions take no columns=; rename the column"
    ):
        mean_reciprocal_rank_score(films, pd.DataFrame(CLICKS))


@pytest.mark.parametrize(("side", "column"), [("y_true", "Grade"), ("y_score", "Score")])
def test_the_frame_is_named(side: str, column: str) -> None:
    sides = {"y_true": CLICKS, "y_score": {**CLICKS, "score": [1.0, 2.0]}}
    sides[side] = {**sides[side], column: [2, 2]}
    message = f"^{side} has several columns for the role '{column.lower()}'"
    with pytest.raises(ColumnRoleError, match=message):
        evaluate(pl.DataFrame(sides["y_true"]), pl.DataFrame(sides["y_score"]), "map")


@pytest.mark.parametrize("name", ["y_true", "y_score"])
def test_lazy_frames_are_collected_first(name: str) -> None:
    sides = {"y_true": pl.DataFrame(CLICKS), "y_score": pl.DataFrame({**CLICKS, "score": [1, 2]})}
    sides[name] = sides[name].lazy()  # type: ignore[assignment]
    message = rf"{name} is a lazy LazyFrame; call \.collect\(\) on it first \(\.pl\(\) in DuckDB"
    with pytest.raises(TypeError, match=message):
        evaluate(*sides.values(), "map")


# Tables as files read them ------------------------------------------------------------------------

every_column = pytest.mark.parametrize("make", [list, pl.Series])


@every_column
def test_ranks_order_the_rows_and_leave_no_scores(make):
    run = Run.from_columns(make(["q", "q", "q"]), make(["a", "b", "c"]), ranks=[3, 1, 2])
    assert run["q"] == ["b", "c", "a"]
    qrels = Qrels.from_columns(make(["q"]), make(["a"]))
    assert evaluate(qrels, run, "mrr")["mrr"] == 1 / 3
    with pytest.raises(ValueError, match=r"items contains missing values \(row 1\)"):
        Run.from_columns(make(["q", "q"]), make(["a", None]))


@every_column
def test_an_item_that_stands_twice_is_refused_or_kept_once(make):
    run = Run.from_columns(
        make(["p", "q", "q", "q"]), make(["a", "a", "b", "a"]), scores=[1, 1, 2, 3]
    )
    qrels = Qrels.from_columns(make(["p", "q"]), make(["a", "a"]))
    with pytest.raises(DuplicateItemError, match=r"y_score\['q'\] holds item 'a' at positions 1"):
        evaluate(qrels, run, "mrr")
    evaluation = evaluate(qrels, run, "mrr", duplicates="first")
    assert evaluation.per_query["mrr"].tolist() == [1.0, 1.0]
    assert evaluation.counts["duplicates"] == 1
    with pytest.raises(DuplicateItemError, match="query 'q' holds item 'a' at positions 1 and 3"):
        run["q"]


@every_column
def test_judgements_may_repeat_but_not_contradict_each_other(make):
    run = Run.from_columns(make(["q", "q"]), make(["b", "a"]), scores=[2.0, 1.0])
    same = Qrels.from_columns(make(["q", "q"]), make(["a", "a"]), grades=[1, 1])
    assert evaluate(same, run, ["recall", "mrr"]).scores == {"recall": 1.0, "mrr": 0.5}
    other = Qrels.from_columns(make(["q", "q"]), make(["a", "a"]), grades=[1, 2])
    with pytest.raises(
        ValueError, match=r"y_true\['q'\] judges item 'a' twice, .* 1 and 2; keep one"
    ):
        evaluate(other, run, "mrr")


IDS = ["a", "b", "c", "é", "z", "10", "9", "ü1", "\U0001f600", "d1", "\uffee"]


def table(mapping, make, kind, name):
    rows = [(query, item, value) for query, own in mapping.items() for item, value in own.items()]
    queries, items, numbers = map(list, zip(*rows, strict=True))
    return kind.from_columns(make(queries), make(items), **{name: numbers})


def test_a_table_is_the_mapping_that_it_stands_for(monkeypatch):
    """Ties, missing and unjudged queries, grades of 0; with a provider, and with one hash for all:
    the result is the same and only slower."""
    rng = random.Random(5)
    truth = {
        f"q{n}": {item: rng.choice([0, 1, 2]) for item in rng.sample(IDS, rng.randint(1, 6))}
        for n in rng.sample(range(7), 6)
    }
    ranking = {
        f"q{n}": {item: rng.choice([0.5, 2.0, rng.random()]) for item in rng.sample(IDS, 8)}
        for n in rng.sample(range(9), 7)
    }
    measures = ("map", "ndcg@10", "mrr", "precision@3", "auc(average=pooled)", "gauc", "lag")
    options = {"measures": measures, "keep_items": True, "zero_division": 0.0}
    expected, real = evaluate(truth, ranking, **options), tables.hashes_of
    for make in (list, pl.Series):
        for hashes in (real, lambda ids: np.zeros(len(ids), np.uint64)):
            monkeypatch.setattr(tables, "hashes_of", hashes)
            qrels, run = table(truth, make, Qrels, "grades"), table(ranking, make, Run, "scores")
            assert (qrels, run) == (truth, ranking)
            found = evaluate(qrels, run, **options)
            assert dict(found.scores) == dict(expected.scores)
            by_keys = evaluate(qrels, run, measures, zero_division=0.0)
            assert dict(by_keys.scores) == dict(expected.scores)
            assert found.placements() == expected.placements()
            upper = evaluate(qrels, run, string_provider=str.upper, **options)
            assert dict(upper.scores) == dict(expected.scores)
    assert "x" not in run
    assert [] not in run
    assert repr(run) == "<Run of 7 queries and 56 rows>"


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("number", [True, False])
def test_a_row_of_a_query_alone_is_a_query_without_items(make, number):
    """As the left join of all queries with what was judged or found has it."""
    ids = {"query": ["q", "p", "q"], "item": ["a", None, "b"]}
    truth = make({**ids, "grade": [1, None, 0]} if number else ids)
    run = make({**ids, "score": [0.5, None, 1.0]} if number else ids)
    found = evaluate(truth, run, "mrr", zero_division=0.0)
    assert found.per_query["mrr"].tolist() == [0.5 if number else 1.0, 0.0]
    assert found.counts["missing"] == 0
    for fault in ({"query": ["q", "q", "q"]}, {"query": ["q", None, "q"]}):
        with pytest.raises(ValueError, match=r"contains missing values \(row 1\)"):
            evaluate(make({**ids, **fault}), run, "mrr")
    if number:
        told = "column 'item' of y_true contains missing values"
        with pytest.raises(ValueError, match=told) as raised:
            evaluate(make({**ids, "grade": [1, 1, 0]}), run, "mrr")
        assert raised.type is ValueError  # whose name reports show


@pytest.mark.parametrize("step", [1, -1, 1 << 44, 1 << 56, -(1 << 56)])
@pytest.mark.parametrize("dtype", ["int8", "uint32", "int64", ">i8", "Int64", "uint64", "object"])
def test_integers_of_pandas_are_the_ids_of_a_mapping(dtype: str, step: int) -> None:
    """Whatever their size: keys hold fewer bits than an id, and ids may differ in the high ones."""
    step = step if "64" in dtype or dtype in (">i8", "object") else 1
    rng, step = random.Random(3), abs(step) if dtype == "uint64" else step
    pairs = {"y_true": ("grade", (0, 1, 2)), "y_score": ("score", (0.5, 2.0, 0.1))}
    plain, frames = {}, []
    for side, (name, values) in pairs.items():
        plain[side] = {
            query: {item * step: rng.choice(values) for item in rng.sample(range(60), 40)}
            for query in (3, 1, 2)
        }
        rows = [(q, item, value) for q, own in plain[side].items() for item, value in own.items()]
        frame = pd.DataFrame(rows, columns=["query", "item", name])
        frames.append(frame.astype({"query": "int16", "item": dtype}))
    options: Any = {"keep_items": True, "ties": "docid"}
    found, expected = (
        evaluate(*sides, ("map", "lag"), **options) for sides in (frames, plain.values())
    )
    frames[1].loc[:, "item"] = 0  # what was read stays
    assert found.placements() == expected.placements()
    assert dict(found.scores) == dict(expected.scores)
