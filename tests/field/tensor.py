"""A stand-in for a tensor of PyTorch, which the light set of tests does not install.

It behaves as a tensor does where that differs from an array: its `dtype` has no `kind`, items are
tensors without a dimension, which have no length, and some are not given to NumPy.
"""

from types import SimpleNamespace

import numpy as np

DTYPES = ("float16", "bfloat16", "float32", "float64", "uint8", "int32", "int64", "bool")


class DType:
    """A type of numbers: a name and nothing else."""

    def __init__(self, name):
        self.name_of_it = name
        self.is_floating_point = "float" in name

    def __repr__(self):
        return f"torch.{self.name_of_it}"


class StandIn:
    """Numbers of a type, on the CPU."""

    def __init__(self, numbers, dtype, requires_grad=False):
        self._numbers, self.dtype, self.requires_grad = numbers, dtype, requires_grad
        self.shape, self.ndim, self.is_sparse = numbers.shape, numbers.ndim, False
        self.device = SimpleNamespace(type="cpu")

    def __len__(self):
        if not self.ndim:
            raise TypeError("len() of a 0-d tensor")
        return len(self._numbers)

    def __iter__(self):
        if not self.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter([self[n] for n in range(len(self))])

    def __getitem__(self, key):
        return StandIn(np.asarray(self._numbers[key]), self.dtype, self.requires_grad)

    def dim(self):
        return self.ndim

    def size(self):
        return self.shape

    def numel(self):
        return self._numbers.size

    def detach(self):
        return StandIn(self._numbers, self.dtype)

    def cpu(self):
        return self

    def float(self):
        return StandIn(self._numbers, TYPES["float32"], self.requires_grad)

    def to(self, dtype):
        return StandIn(self._numbers, dtype, self.requires_grad)

    def tolist(self):
        return self._numbers.tolist()

    def item(self):
        return self._numbers.item()

    def __float__(self):
        return float(self._numbers)

    def __int__(self):
        return int(self._numbers)

    def __bool__(self):
        if self._numbers.size != 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self._numbers)

    def __index__(self):
        return int(self._numbers)

    def __eq__(self, other):
        other = other._numbers if isinstance(other, StandIn) else other
        return StandIn(np.asarray(self._numbers == other), TYPES["bool"])

    def __hash__(self):
        return id(self)

    def __gt__(self, other):
        return StandIn(np.asarray(self._numbers > other), TYPES["bool"])

    def numpy(self):
        if self.requires_grad:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach()"
            )
        if self.dtype is TYPES["bfloat16"]:
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self._numbers

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.numpy(), dtype=dtype)


TYPES = {name: DType(name) for name in DTYPES}


def make(numbers, dtype, requires_grad=False):
    kept = dtype.name_of_it.replace("bfloat16", "float32")
    return StandIn(np.asarray(numbers).astype(kept), dtype, requires_grad)


Tensor = SimpleNamespace(name="stand-in", make=make, **TYPES)
