"""Where the query of each row is found when nobody passes it: by name, never by guess."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_rank.typing import Array


def carried_query_ids(name: str, X: Any, y: Any = None) -> Array | None:
    """Query ids from the column ``name`` of X, else its index level, else that of y."""
    column = _column(name, X)
    if column is not None:
        return column
    for carrier in (X, y):
        level = _index_level(name, carrier)
        if level is not None:
            return level
    return None


def without_query_ids(name: str, X: Any) -> Any:
    """X without its column of query ids, if it has one."""
    if _column(name, X) is None:
        return X
    return X[[column for column in X.columns if column != name]]


def _column(name: str, X: Any) -> Array | None:
    columns = getattr(X, "columns", None)
    if columns is None or not hasattr(X, "__getitem__") or name not in list(columns):
        return None
    column = X[name]
    return column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)


def _index_level(name: str, carrier: Any) -> Array | None:
    index = getattr(carrier, "index", None)
    if not hasattr(carrier, "iloc") or name not in list(getattr(index, "names", ())):
        return None
    values: Array = index.get_level_values(name).to_numpy()  # type: ignore[union-attr]
    return values
