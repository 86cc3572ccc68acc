"""Query ids that are text: coded by what their container knows, the same as one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sklearn_rank.inputs.rows import group_rows, read_groups

SORTED = ["b"] * 9 + ["a"] * 7 + ["\u00e9\U0001f600"] * 5 + ["b"] * 4
SCATTERED = ["b", "a", "c", "a", "b", "", "c", "b"] * 3
FORMS: dict[str, Any] = {
    "pandas objects": lambda ids: pd.Series(ids, dtype=object),
    "pandas string": lambda ids: pd.Series(ids, dtype="string"),
    "pandas array": lambda ids: pd.array(ids, dtype="string"),
    "Polars": pl.Series,
    "Polars categorical": lambda ids: pl.Series(["z", *ids]).cast(pl.Categorical)[1:],
    "Polars enum": lambda ids: pl.Series(ids).cast(pl.Enum(sorted({*ids, "z"}))),
    "NumPy": np.array,
    "NumPy objects": lambda ids: np.array(ids, dtype=object),
    "NumPy bytes": lambda ids: np.array([text.encode() for text in ids]),
}


def grouped(groups: Any) -> tuple[list[Any], list[list[int]]]:
    grouping = group_rows(read_groups(groups))
    n_rows = int(grouping.offsets[-1])
    rows = np.arange(n_rows) if grouping.order is None else grouping.order
    ids = [text.decode() if isinstance(text, bytes) else text for text in grouping.query_ids]
    return ids, [part.tolist() for part in np.split(rows, grouping.offsets[1:-1])]


@pytest.mark.parametrize("ids", [SORTED, SCATTERED, ["a"]], ids=["sorted", "scattered", "alone"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_text_of_all_containers_is_grouped_alike(form: Any, ids: list[str]) -> None:
    queries = list(dict.fromkeys(ids))
    rows = [[row for row, text in enumerate(ids) if text == query] for query in queries]
    assert grouped(form(ids)) == (queries, rows)


@pytest.mark.parametrize("name", [name for name in FORMS if "NumPy" not in name])
def test_missing_text_is_refused_with_its_row(name: str) -> None:
    ids: list[Any] = ["a", "a", None, "b"]
    if name == "Polars enum":
        groups = pl.Series(ids, dtype=pl.Enum(["a", "b"]))
    elif name == "Polars categorical":
        groups = pl.Series(ids, dtype=pl.Categorical)
    else:
        groups = FORMS[name](ids)
    with pytest.raises(ValueError, match=r"groups contains missing values \(row 2\)"):
        read_groups(groups)


def test_a_run_of_equal_objects_of_two_types_is_refused_as_ever() -> None:
    groups = np.array([1] * 9 + [True] * 9, dtype=object)
    with pytest.raises(ValueError, match=r"mixes numbers of several types, int \(row 0\) and bool"):
        read_groups(groups)


def test_intervals_are_told_apart_by_both_ends() -> None:
    ids = pd.IntervalIndex.from_tuples([(1, 2), (0, 2), (1, 3), (0, 2), (1, 2)], closed="left")
    queries, rows = grouped(pd.Series(ids))
    assert (queries, rows) == ([ids[0], ids[1], ids[2]], [[0, 4], [1, 3], [2]])
    with pytest.raises(ValueError, match=r"missing values \(row 1\)"):
        read_groups(pd.Series([pd.Interval(0, 1), None]))
