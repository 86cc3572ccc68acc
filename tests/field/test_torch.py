"""Tensors of PyTorch itself, in all places where a tensor may stand."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from sklearn_rank import ndcg_at_k_score
from tests.field.forms import tensor_rows
from tests.field.test_field import test_every_door_gives_what_is_right as every_door

DTYPES = ("float16", "bfloat16", "float32", "float64", "uint8", "int64", "bool")


def make(numbers: Any, dtype: Any, requires_grad: bool = False) -> Any:
    return torch.tensor(np.asarray(numbers), dtype=dtype, requires_grad=requires_grad)


TENSOR = SimpleNamespace(name="torch", make=make, **{n: getattr(torch, n) for n in DTYPES})


@pytest.mark.parametrize("row", tensor_rows(TENSOR), ids=lambda row: row.source)
def test_a_tensor_is_read_at_every_door(row: Any, request: pytest.FixtureRequest) -> None:
    every_door(row, request)


HIDDEN = [
    (0.0, 0),
    (float("inf"), 0),
    (float("-inf"), -1),
    (float("nan"), -100),
]
"""Scores and grades of padding."""


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("hidden", HIDDEN)
def test_the_loop_of_the_recipes_gives_one_number_an_epoch(hidden: Any, dtype: Any) -> None:
    """Batches of one and two queries, whose lists have two items or three."""
    page = (Path(__file__).parents[2] / "docs" / "recipes.md").read_text(encoding="utf-8")
    code = page.partition("## A validation loop in PyTorch")[2].partition("```python\n")[2]
    names: dict[str, Any] = {}
    exec(code.partition("```")[0], names)
    score, grade = hidden
    batches = [
        ([[0.9, 0.5, score]], [[0, 1, grade]], [[1, 1, 0]]),
        ([[0.2, 0.8], [0.4, score]], [[0, 2], [1, grade]], [[1, 1], [1, 0]]),
    ]
    types = (dtype, torch.int64, torch.bool)
    loader = [tuple(map(make, batch, types)) for batch in batches]
    model = torch.nn.Dropout(0.9)  # which leaves scores as they are where it evaluates
    # The first query has its item on rank 2, the others have theirs on rank 1.
    assert names["validate"](model, loader) == pytest.approx((1 / np.log2(3) + 1 + 1) / 3)


@pytest.mark.filterwarnings("ignore:The PyTorch API:UserWarning")
def test_tensors_of_several_lengths_are_told_how_to_be_padded() -> None:
    grades, mask = torch.tensor([[0, 1, 0]]), torch.tensor([[True, True, False]])
    nested = torch.nested.nested_tensor([torch.tensor([0.9, 0.5])])
    for scores, said in (
        (
            nested,
            r"is a nested tensor; pass y_score.to_padded_tensor\(0\), and candidates=",
        ),
        (torch.masked.masked_tensor(grades.float(), mask), r"pass y_score.get_data\(\), and its"),
    ):
        with pytest.raises(TypeError, match=said):
            ndcg_at_k_score(grades, scores)


def test_padding_below_all_items_leaves_measures_with_a_cutoff_as_they_are() -> None:
    scores, mask = torch.tensor([[0.9, 0.5, 0.7]]), torch.tensor([[True, True, False]])
    padded = scores.masked_fill(~mask, float("-inf"))
    assert ndcg_at_k_score(torch.tensor([[0, 1, 0]]), padded, k=10) == 1 / np.log2(3)
