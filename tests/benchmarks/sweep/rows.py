"""Rows: types of ids, scores and grades, and shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any
from uuid import UUID

import numpy as np

from sklearn_rank import evaluate
from tests.benchmarks.rows import ltr_rows
from tests.benchmarks.sweep.case import FOUR_MEASURES, Call, Case, Layout, call

MEAN_LENGTH = 110
"""Of queries of lognormal length."""


def rows_of(n: int) -> dict[str, Any]:
    """About so many rows: sorted 64-bit ids, 64-bit grades, 32-bit scores."""
    return ltr_rows(max(n // MEAN_LENGTH, 1))


def evaluated(rows: Mapping[str, Any], measures: Any = FOUR_MEASURES, **options: Any) -> Call:
    """A call of ``evaluate`` over rows."""
    options = {"zero_division": np.nan} | options
    return call(evaluate, len(rows["y_true"]), **rows, measures=measures, **options)


def reference(n: int) -> Call:
    """What all else is compared with."""
    return evaluated(rows_of(n))


Convert = Callable[[Any], Any]


def _names(ids: Any) -> Any:
    return np.array([f"query {number}" for number in range(int(ids.max()) + 1)])


def _text(ids: Any) -> Any:
    return _names(ids)[ids]


def _pandas_text(ids: Any) -> Any:
    import pandas as pd

    return pd.Series(_text(ids).tolist())


def _pandas_categorical(ids: Any) -> Any:
    import pandas as pd

    return pd.Series(pd.Categorical.from_codes(ids, _names(ids)))


def _pandas_zoned(ids: Any) -> Any:
    import pandas as pd

    return pd.Series(pd.to_datetime(ids, unit="s", utc=True))


def _pandas_period(ids: Any) -> Any:
    import pandas as pd

    return pd.Series(pd.PeriodIndex.from_ordinals(ids, freq="D"))


def _arrow_text(ids: Any) -> Any:
    import pyarrow as pa

    return pa.array(_text(ids).tolist())


def _arrow_dictionary(ids: Any) -> Any:
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(ids.astype(np.int32), _names(ids).tolist())


def _polars_text(ids: Any) -> Any:
    import polars as pl

    return pl.Series(_text(ids).tolist())


def _polars_categorical(ids: Any) -> Any:
    import polars as pl

    return _polars_text(ids).cast(pl.Categorical)


IDS: Mapping[str, Convert] = {
    "int32": lambda ids: ids.astype(np.int32),
    "uint64": lambda ids: ids.astype(np.uint64),
    "float64": lambda ids: ids.astype(np.float64),
    "a list of integers": lambda ids: ids.tolist(),
    "a list of NumPy integers": list,
    "integers as objects": lambda ids: ids.astype(object),
    "NumPy text": _text,
    "a list of text": lambda ids: _text(ids).tolist(),
    "pandas text": _pandas_text,
    "Arrow text": _arrow_text,
    "Polars text": _polars_text,
    "pandas categorical": _pandas_categorical,
    "Arrow dictionary": _arrow_dictionary,
    "Polars categorical": _polars_categorical,
    "datetimes": lambda ids: ids.astype("datetime64[s]"),
    "datetimes with a time zone": _pandas_zoned,
    "pandas Period": _pandas_period,
    "tuples": lambda ids: [(number, "q") for number in ids.tolist()],
    "UUIDs": lambda ids: [UUID(int=number) for number in ids.tolist()],
}
SCATTERED = (
    "a list of integers",
    "NumPy text",
    "a list of text",
    "pandas text",
    "pandas categorical",
    "Arrow dictionary",
    "tuples",
)


def _pandas(values: Any) -> Any:
    import pandas as pd

    return pd.Series(values)


def _polars(values: Any) -> Any:
    import polars as pl

    return pl.Series(values)


def _arrow(values: Any) -> Any:
    import pyarrow as pa

    return pa.array(values)


def _whole(dtype: str) -> Convert:
    """Integers with as many different values as the type can hold of them."""
    return lambda values: (values * min(1e6, np.iinfo(dtype).max / 8)).clip(min=0).astype(dtype)


NUMBERS: Mapping[str, Convert] = {
    "objects": lambda values: values.astype(object),
    "a list": lambda values: values.tolist(),
    "a list of NumPy numbers": list,
    "a tuple": lambda values: tuple(values.tolist()),
    "a pandas series": _pandas,
    "a Polars series": _polars,
    "an Arrow array": _arrow,
}
SCORES: Mapping[str, Convert] = {
    "float16": lambda values: values.astype(np.float16),
    "float64": lambda values: values.astype(np.float64),
    "float32 of the other byte order": lambda values: values.astype(">f4"),
    "int8": _whole("int8"),
    "int64": _whole("int64"),
    "uint64": _whole("uint64"),
    **NUMBERS,
}
GRADES: Mapping[str, Convert] = {
    "bool": lambda grades: grades > 0,
    "uint8": lambda grades: grades.astype(np.uint8),
    "float64, whole": lambda grades: grades.astype(np.float64),
    "float64, real": lambda grades: grades * 0.7,
    **NUMBERS,
}


def _converted(column: str, convert: Convert, scattered: bool, n: int) -> Call:
    rows = rows_of(n)
    if scattered:
        order = np.random.default_rng(0).permutation(len(rows["y_true"]))
        rows = {name: values[order] for name, values in rows.items()}
    return evaluated({**rows, column: convert(rows[column])})


def _types() -> Iterator[Case]:
    for what, column, ways in (
        ("ids", "groups", IDS),
        ("scores", "y_score", SCORES),
        ("grades", "y_true", GRADES),
    ):
        for name, convert in ways.items():
            yield Case("rows", f"{what}: {name}", partial(_converted, column, convert, False))
    yield Case("rows", "ids: int64, scattered", partial(_converted, "groups", np.asarray, True))
    for name in SCATTERED:
        make = partial(_converted, "groups", IDS[name], True)
        yield Case("rows", f"ids: {name}, scattered", make)


def equal_lengths(length: int, n: int) -> dict[str, Any]:
    """Queries of one length, each tenth row relevant."""
    rng = np.random.default_rng(0)
    n_queries = max(n // length, 1)
    n_rows = n_queries * length
    return {
        "groups": np.repeat(np.arange(n_queries), length),
        "y_true": (rng.random(n_rows) < 0.1).astype(np.int64),
        "y_score": rng.normal(size=n_rows).astype(np.float32),
    }


def _of_length(length: int, n: int) -> Call:
    return evaluated(equal_lengths(length, n))


def _one_query(n: int) -> Call:
    return evaluated(equal_lengths(n, n))


def _one_giant(n: int) -> Call:
    """Half of all rows in one query, the others in queries of ten."""
    rows = equal_lengths(10, n)
    rows["groups"][: len(rows["groups"]) // 2] = 0
    return evaluated(rows)


def _shapes() -> Iterator[Case]:
    for length in (1, 2, 10, 1_000, 100_000):
        share = 2.5 if length == 1 else 1.0  # a million queries
        yield Case("rows", f"shape: {length:,} rows a query", partial(_of_length, length), share)
    yield Case("rows", "shape: one query, five million rows", _one_query, share=12.5)
    yield Case("rows", "shape: one giant among queries of ten", _one_giant)


ROWS = Layout("rows", reference, (*_types(), *_shapes()))
