"""Data frames of any library, through narwhals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from sklearn_rank.support.checks import check_option

FrameBackend = Literal["pandas", "polars", "pyarrow"]
_FRAMES = get_args(FrameBackend)


def native_frame(columns: Mapping[str, list[Any]], backend: FrameBackend) -> Any:
    """A data frame of the library, with these columns."""
    check_option(backend, "backend", _FRAMES, "to_frame")
    import narwhals as nw

    return nw.from_dict(dict(columns), backend=backend).to_native()
