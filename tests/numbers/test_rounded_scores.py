"""Rounded scores repeat to the last bit, and are ordered by one sort all the same."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest

from sklearn_rank.support import sorting
from sklearn_rank.support.sorting import falling_codes, order_segments

N_ITEMS = 5000
OFFSETS = np.array([0, 100, 1000, N_ITEMS])
ROUNDED = np.round(np.random.default_rng(3).standard_normal(N_ITEMS), 2)


@pytest.mark.parametrize("next_bits", [False, True])
def test_ties_are_sorted_again_only_if_their_last_bits_differ(*, next_bits: bool) -> None:
    values = ROUNDED.copy()
    if next_bits:
        # Too near for a key of 64 bits, of which the item's number takes 13.
        values[::2] = np.nextafter(values[::2], np.inf)
    with mock.patch.object(sorting, "_sort_rising", wraps=sorting._sort_rising) as sort:
        ordered = order_segments(falling_codes(values), OFFSETS)
    assert sort.call_count == (2 if next_bits else 1)
    segment = np.repeat(np.arange(3), np.diff(OFFSETS))
    expected = np.lexsort((-values, segment))
    np.testing.assert_array_equal(ordered.order, expected)
    same = (values[expected][1:] == values[expected][:-1]) & (segment[1:] == segment[:-1])
    np.testing.assert_array_equal(ordered.same, same)
