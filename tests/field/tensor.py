"""A stand-in for a tensor of PyTorch, which the light set of tests does not install.

It behaves as a tensor does where that differs from an array: its `dtype` has no `kind`, its items
are tensors without a dimension, which have no length, and some are not given to NumPy.
"""

from types import SimpleNamespace

import numpy as np

DTYPES = ("float16", "bfloat16", "float32", "float64", "uint8", "int64", "bool")


class DType:
    """A type of numbers: a name and nothing else."""

    def __init__(self, name):
        self.name = f"torch.{name}"

    def __repr__(self):
        return self.name


class StandIn:
    """Numbers of a type, on the CPU."""

    def __init__(self, numbers, dtype, requires_grad=False):
        self._numbers, self.dtype, self.requires_grad = numbers, dtype, requires_grad
        self.shape, self.ndim, self.is_sparse = numbers.shape, numbers.ndim, False
        self.dim, self.item, self.tolist = lambda: self.ndim, numbers.item, numbers.tolist

    def __len__(self):
        if not self.ndim:
            raise TypeError("len() of a 0-d tensor")
        return len(self._numbers)

    def __iter__(self):
        return iter([self[n] for n in range(len(self))])

    def __getitem__(self, key):
        return StandIn(np.asarray(self._numbers[key]), self.dtype, self.requires_grad)

    def __eq__(self, other):
        return StandIn(np.asarray(self._numbers == other), TYPES["bool"])

    def __hash__(self):
        return id(self)

    def __bool__(self):
        if self._numbers.size != 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self._numbers)

    def __float__(self):
        return float(self._numbers)

    def detach(self):
        return StandIn(self._numbers, self.dtype)

    def cpu(self):
        return self

    def float(self):
        return StandIn(self._numbers, TYPES["float32"], self.requires_grad)

    def __array__(self, dtype=None, copy=None):
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if self.dtype is TYPES["bfloat16"]:
            raise TypeError("Got unsupported ScalarType BFloat16")
        return np.asarray(self._numbers, dtype=dtype)

    numpy = __array__


TYPES = {name: DType(name) for name in DTYPES}


def make(numbers, dtype, requires_grad=False):
    kept = dtype.name.removeprefix("torch.").replace("bfloat16", "float32")
    return StandIn(np.asarray(numbers).astype(kept), dtype, requires_grad)


Tensor = SimpleNamespace(name="stand-in", make=make, **TYPES)
