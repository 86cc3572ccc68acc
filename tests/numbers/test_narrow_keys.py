"""Keys of 32 bits: rows whose order they leave in doubt are found, and ordered again."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest

from sklearn_rank.support import sorting
from sklearn_rank.support.sorting import falling_codes, sort_tagged


def placed(scores: Any, tags: list[int], width: int, dtype: str) -> tuple[list[int], list[bool]]:
    codes = falling_codes(np.array(scores, dtype))
    tagged = sort_tagged(codes, np.array(tags, np.uint8), width)
    assert tagged is not None
    same = [False] * (len(tags) - 1) if tagged.same is None else tagged.same.tolist()
    return tagged.tags.tolist(), same


def test_neighbours_that_differ_in_their_last_bit_alone_are_told_apart() -> None:
    # Three bits go to the tags, so that two of the scores near 1 look alike at first.
    close = np.nextafter(np.float32(1), np.float32(2)) - 1
    scores = [[-2, 1, 1 + close, 1 + 2 * close], *[[7, 0, 5, 3]] * 15]
    with mock.patch.object(sorting, "_by_wide_keys", wraps=sorting._by_wide_keys) as wide:
        tags, same = placed(np.ravel(scores), [248, 249, 250, 255] * 16, 4, "float32")
    assert tags == [255, 250, 249, 248] + [248, 250, 255, 249] * 15
    assert not any(same)
    assert [len(call.args[0]) for call in wide.call_args_list] == [4]  # one row of sixteen


def test_tied_scores_are_not_ordered_twice() -> None:
    with mock.patch.object(sorting, "_by_wide_keys", wraps=sorting._by_wide_keys) as wide:
        tags, same = placed([0.3, 7, 0.3, 0.1, 0.2, 0.1], [255, 250, 249] * 2, 3, "float32")
    assert (tags, same) == ([250, 249, 255, 250, 249, 255], [False, True, False, False, True])
    assert not wide.called


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64"])
def test_integers_of_small_range_leave_no_doubt(dtype: str) -> None:
    with mock.patch.object(sorting, "_without_doubt") as doubt:
        tags, same = placed([100, 101, 100, 101], [3, 2, 1, 4], 4, dtype)
    assert (tags, same) == ([2, 4, 1, 3], [True, False, True])
    assert not doubt.called


@pytest.mark.parametrize(("width", "n_tags", "is_narrow"), [(512, 7, True), (2048, 7, False)])
def test_long_rows_would_hold_many_that_look_alike(
    width: int, n_tags: int, is_narrow: bool
) -> None:
    rng = np.random.default_rng(0)
    codes = falling_codes(rng.normal(size=4 * width).astype("float32"))
    tags = rng.integers(255 - n_tags, 256, len(codes)).astype(np.uint8)
    narrow = sorting._by_narrow_keys(codes, tags, width, np.zeros(0, np.int64))
    assert (narrow is not None) == is_narrow
