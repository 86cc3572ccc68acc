"""Decisions that several modules share: default measures, cutoffs, and what counts as equal."""

from __future__ import annotations

DEFAULT_MEASURES = ("map", "ndcg@10")
"""Measures of every function, assertion and gate that is given none."""
DEFAULT_CUTOFF = 10
"""Depth to which items are counted where no measure has a cutoff."""
SURELY = 3
"""Standard errors beyond which an effect in data is not chance."""
SLACK = 1e-9
"""Rounding of a mean of floats: what differs by less is the same, and meets a limit."""
RECORDED_DECIMALS = 6
"""Decimals of values that gates compare, recorded or not: enough to distinguish rankings of a
million items, and few enough for a readable diff."""
LEAST = 1e-6
"""A recorded value that differs by less is the same: the last of its decimals."""
