"""Tensors of PyTorch itself, in all places where a tensor may stand."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from tests.field.forms import tensor_rows
from tests.field.test_field import test_every_door_gives_what_is_right as every_door

DTYPES = ("float16", "bfloat16", "float32", "float64", "uint8", "int64", "bool")


def make(numbers: Any, dtype: Any, requires_grad: bool = False) -> Any:
    return torch.tensor(np.asarray(numbers), dtype=dtype, requires_grad=requires_grad)


TENSOR = SimpleNamespace(name="torch", make=make, **{n: getattr(torch, n) for n in DTYPES})


@pytest.mark.parametrize("row", tensor_rows(TENSOR), ids=lambda row: row.source)
def test_a_tensor_is_read_at_every_door(row: Any, request: pytest.FixtureRequest) -> None:
    every_door(row, request)
