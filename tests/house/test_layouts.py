"""One record for each layout of an input: reading and the guide draw on it."""

import inspect
from typing import Any

import numpy as np
import pytest

from sklearn_rank.inputs.join import read_items
from sklearn_rank.inputs.layouts import LAYOUTS, Layout, layout_of, read_rankings
from sklearn_rank.typing import RankingOptions

every_layout = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=lambda layout: layout.name)

TRUTHS: dict[str, Any] = {
    "rows": [1, 0],
    "matrix": np.array([[1, 0]]),
    "lists": [{"a"}],
    "mapping": {"q": {"a"}},
}
TOLD = {"sample_weight", "ties", "depth", "n_jobs"}
"""What every layout is told."""


def test_each_layout_is_told_by_the_type_of_the_truth() -> None:
    assert {name: layout_of(truth) for name, truth in TRUTHS.items()} == {
        name: name for name in LAYOUTS
    }


@every_layout
def test_a_reader_takes_what_the_record_says(layout: Layout) -> None:
    parameters = list(inspect.signature(layout.read).parameters)
    assert parameters[:2] == ["y_true", "y_score"]
    names = set(parameters[2:])
    if "ranking" in names:
        names = names - {"ranking"} | set(RankingOptions.__annotations__)
    if "options" in names:  # passed on as they are, beside what readers find out themselves
        passed = inspect.signature(read_items).parameters.values()
        names |= {own.name for own in passed if own.kind is own.KEYWORD_ONLY}
        names -= {"options", "weights", "shared"}
    assert names == layout.takes | TOLD


@every_layout
@pytest.mark.parametrize("name", ["groups", "candidates", "string_provider", "relevance"])
def test_what_a_layout_does_not_take_is_refused_by_name(layout: Layout, name: str) -> None:
    takes = layout.takes | ({"string_provider"} if layout.has_ids else set())
    if name not in takes:
        with pytest.raises(TypeError, match=rf"^{name} .* the {layout.name} layout"):
            read_rankings(TRUTHS[layout.name], None, **{name: len})
