"""Long data frames of pandas, Polars and PyArrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from sklearn_rank import evaluate
from tests.benchmarks.sweep.case import FOUR_MEASURES, Call, Case, Layout, call

N_RANKED, N_RELEVANT = 50, 5

Columns = Mapping[str, Any]


def _columns(n: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Truth and run: 64-bit ids of queries and items, 32-bit scores."""
    rng = np.random.default_rng(0)
    n_queries = max(n // N_RANKED, 1)
    query = np.repeat(np.arange(n_queries), N_RANKED)
    item = np.tile(np.arange(N_RANKED), n_queries) * 7
    run = {"query": query, "item": item, "score": rng.normal(size=len(item)).astype(np.float32)}
    relevant = np.tile(np.arange(N_RANKED) % (N_RANKED // N_RELEVANT) == 0, n_queries)
    truth = {"query": query[relevant], "item": item[relevant], "grade": np.ones(relevant.sum())}
    return truth, run


def _pandas(columns: Columns) -> Any:
    import pandas as pd

    return pd.DataFrame(dict(columns))


def _polars(columns: Columns) -> Any:
    import polars as pl

    return pl.DataFrame(dict(columns))


def _arrow(columns: Columns) -> Any:
    import pyarrow as pa

    return pa.table(dict(columns))


FRAMES: Mapping[str, Callable[[Columns], Any]] = {
    "pandas": _pandas,
    "Polars": _polars,
    "PyArrow": _arrow,
}


def _text(values: Any) -> Any:
    return [f"id {value}" for value in values.tolist()]


def _categorical(values: Any) -> Any:
    import pandas as pd

    return pd.Categorical(_text(values))


def _evaluated(frame: Callable[[Columns], Any], n: int, **change: Callable[[Any], Any]) -> Call:
    truth, run = _columns(n)
    for name, convert in change.items():
        for side in (truth, run):
            if name in side:
                side[name] = convert(side[name])
    options = {"measures": FOUR_MEASURES, "zero_division": np.nan}
    return call(evaluate, len(run["score"]), frame(truth), frame(run), **options)


def _scattered(frame: Callable[[Columns], Any], n: int) -> Call:
    truth, run = _columns(n)
    order = np.random.default_rng(1).permutation(len(run["score"]))
    run = {name: values[order] for name, values in run.items()}
    options = {"measures": FOUR_MEASURES, "zero_division": np.nan}
    return call(evaluate, len(order), frame(truth), frame(run), **options)


def _cases() -> Iterator[Case]:
    for name, frame in FRAMES.items():
        if name != "pandas":
            yield Case("frames", f"{name}, integers", partial(_evaluated, frame))
        ids = partial(_evaluated, frame, query=_text, item=_text)
        yield Case("frames", f"{name}, ids of text", ids)
        yield Case("frames", f"{name}, rows scattered", partial(_scattered, frame))
    categorical = partial(_evaluated, _pandas, query=_categorical, item=_categorical)
    yield Case("frames", "pandas, categorical ids", categorical)
    objects = partial(_evaluated, _pandas, score=lambda values: values.astype(object))
    yield Case("frames", "pandas, scores as objects", objects)


FRAME = Layout("frames", partial(_evaluated, _pandas), tuple(_cases()), share=0.5)
