"""Long data frames: the same bits, counts and errors as mappings, whatever the library."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sklearn_rank import (
    ColumnRoleError,
    InvalidParameterError,
    QueryMismatchError,
    evaluate,
    mean_average_precision_score,
)

Frame = Callable[[dict[str, Any]], Any]
LIBRARIES: dict[str, Frame] = {
    "pandas": pd.DataFrame,
    "pandas of Arrow": lambda data: pd.DataFrame(data).convert_dtypes(dtype_backend="pyarrow"),
    "Polars": pl.DataFrame,
    "PyArrow": pa.table,
}
every_library = pytest.mark.parametrize("library", LIBRARIES)


@every_library
def test_ranks_order_as_lists_do_and_without_them_the_rows_stand(library: str) -> None:
    make = LIBRARIES[library]
    truth = make({"user": ["u", "u", "v"], "item": ["a", "b", "c"]})
    ranked = {"user": ["u", "v", "u", "u"], "item": ["b", "c", "x", "a"], "rank": [3, 1, 1, 2]}
    # u: x, a, b; every row of a truth without grades is relevant.
    expected = ((1 / 2 + 2 / 3) / 2 + 1) / 2
    assert evaluate(truth, make(ranked), "map")["map"] == expected
    in_order = make({"user": ["u", "u", "u", "v"], "item": ["x", "a", "b", "c"]})
    assert evaluate(truth, in_order, "map")["map"] == expected
    assert mean_average_precision_score(truth, in_order) == expected


@every_library
def test_columns_of_other_names_are_named(library: str) -> None:
    make = LIBRARIES[library]
    truth = make({"kunde": ["u"], "film": ["a"], "sterne": [2]})
    run = make({"kunde": ["u", "u"], "film": ["x", "a"], "punkte": [2.0, 1.0]})
    columns = {"query": "kunde", "item": "film", "grade": "sterne", "score": "punkte"}
    assert evaluate(truth, run, "mrr", columns=columns)["mrr"] == 1 / 2
    # One name may stand in one frame alone, where the other says its role by itself.
    other = make({"user": ["u", "u"], "film": ["x", "a"], "punkte": [2.0, 1.0]})
    assert evaluate(truth, other, "mrr", columns=columns)["mrr"] == 1 / 2


@every_library
def test_other_columns_make_slices_of_queries(library: str) -> None:
    make = LIBRARIES[library]
    truth = make({"user": ["u", "u", "v"], "item": ["a", "b", "c"], "land": ["de", "de", "fr"]})
    run = make({"user": ["u", "v", "v"], "item": ["a", "x", "c"], "day": [1, 2, 2]})
    ev = evaluate(truth, run, "mrr")
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
    truth = pd.DataFrame({"user": ["u"], "item": ["a"], "land": ["de"]})
    ev = evaluate(truth, truth.assign(land="fr", score=1.0), "mrr")
    with pytest.raises(InvalidParameterError, match=r"do not agree .*'land': query 'u' has 'de'"):
        ev.by_slice("land")


TRUTH = {"user": ["u", "v"], "item": ["a", "b"], "grade": [1, 2]}
RUN = {"user": ["u", "v"], "item": ["a", "b"], "score": [1.0, 2.0]}


def without(data: dict[str, Any], name: str) -> dict[str, Any]:
    return {column: values for column, values in data.items() if column != name}


@every_library
@pytest.mark.parametrize(
    ("truth", "run", "options", "error", "message"),
    [
        (TRUTH, without(RUN, "item"), {}, ColumnRoleError, r"y_score has no column for .*'item'"),
        (without(TRUTH, "user"), RUN, {}, ColumnRoleError, r"columns=\{'query': '.*\.to_numpy\(\)"),
        (
            {**TRUTH, "doc": ["a", "b"]},
            RUN,
            {},
            ColumnRoleError,
            r"several .* 'item', 'doc'",
        ),
        (TRUTH, RUN, {"columns": {"item": "thing"}}, ColumnRoleError, r"names 'thing', which no f"),
        (TRUTH, RUN, {"columns": {"thing": "item"}}, ColumnRoleError, r"unknown role 'thing'"),
        (TRUTH, RUN, {"columns": ["item"]}, ColumnRoleError, r"must be a mapping of role to colu"),
        (RUN, TRUTH, {}, TypeError, r"y_true has scores and y_score has grades; are they swapped"),
        (TRUTH, {**RUN, "score": [1.0, None]}, {}, ValueError, r"'score' of y_score .* \(row 1\)"),
        ({**TRUTH, "item": ["a", None]}, RUN, {}, ValueError, r"'item' of y_true .* \(row 1\)"),
        ({**TRUTH, "grade": [1, -1]}, RUN, {}, ValueError, r"negative grade \(-1\) at item 'b' of"),
        ({**TRUTH, "grade": ["1", "2"]}, RUN, {}, TypeError, r"'grade' of y_true holds strings"),
        (TRUTH, {**RUN, "user": ["w", "x"]}, {}, QueryMismatchError, r"no query in common"),
        (TRUTH, RUN, {"groups": ["u", "v"]}, TypeError, r"groups says which rows .* leave groups"),
        (
            TRUTH,
            {**without(RUN, "score"), "user": ["u", "u"], "rank": [1, 1]},
            {},
            ValueError,
            r"^column 'rank' of y_score has 1 twice for query 'u'",
        ),
    ],
)
def test_frames_that_are_refused(
    library: str,
    truth: dict[str, Any],
    run: dict[str, Any],
    options: dict[str, Any],
    error: type[Exception],
    message: str,
) -> None:
    make = LIBRARIES[library]
    with pytest.raises(error, match=message):
        evaluate(make(truth), make(run), "map", **options)


def test_columns_are_for_frames_alone() -> None:
    with pytest.raises(TypeError, match=r"columns names columns of data frames; y_true is a dict"):
        evaluate({"u": {"a"}}, {"u": ["a"]}, "map", columns={"item": "doc"})


def test_an_index_that_holds_the_queries_is_pointed_at() -> None:
    truth = pd.DataFrame(TRUTH).set_index("user")
    with pytest.raises(ColumnRoleError, match=r"The index has 'user': \.reset_index\(\) makes"):
        evaluate(truth, pd.DataFrame(RUN), "map")


def test_a_wide_frame_of_scores_still_goes_with_a_matrix() -> None:
    grades = np.array([[1, 0], [0, 1]])
    assert evaluate(grades, pd.DataFrame([[0.2, 0.1], [0.2, 0.1]]), "mrr")["mrr"] == 3 / 4


def test_text_with_categories_and_large_integers_are_ids_as_they_are() -> None:
    truth = pd.DataFrame({"user": pd.Categorical(["u", "v"]), "item": [2**63 - 1, 5]})
    run = pd.DataFrame({"user": ["u", "v"], "item": [2**63 - 1, 6], "score": [1.0, 1.0]})
    assert evaluate(truth, run, "mrr").per_query["mrr"].tolist() == [1.0, 0.0]


def test_series_of_lists_are_joined_by_their_index() -> None:
    truth = pd.Series({"u": {"a"}, "v": {"b"}, "w": {"c"}})
    run = pd.Series({"v": ["x", "b"], "u": ["a"]})
    ev = evaluate(truth, run, "mrr")
    assert dict(zip(ev.query_ids, ev.per_query["mrr"], strict=True)) == {"u": 1, "v": 1 / 2, "w": 0}
    assert ev.counts["missing"] == 1
    with pytest.raises(ValueError, match=r"the index of y_score holds queries more .*: 'u'"):
        evaluate(truth, pd.concat([run, run[["u"]]]), "mrr")


def test_series_without_an_index_of_their_own_go_by_position() -> None:
    ev = evaluate(pd.Series([{"a"}, {"b"}]), pd.Series([["a"], ["x", "b"]]), "mrr")
    assert list(ev.query_ids) == [0, 1]
    assert ev.per_query["mrr"].tolist() == [1, 1 / 2]
    # Beside a list there is nothing to join by.
    ev = evaluate(pd.Series([{"a"}, {"b"}], index=["u", "v"]), [["a"], ["x", "b"]], "mrr")
    assert ev.per_query["mrr"].tolist() == [1, 1 / 2]


def test_mappings_read_without_narwhals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "narwhals", None)
    assert evaluate({"q": {"a"}}, {"q": ["a"]}, "map")["map"] == 1.0
