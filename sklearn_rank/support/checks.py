"""Is this argument acceptable? One sentence per rule, and each rule has its home here."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from itertools import combinations, pairwise
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError, RankingConfigError
from sklearn_rank.support.text import argument, called, count, safe_repr
from sklearn_rank.typing import Array, FloatArray, NegativeGrades

EXACT_INTEGER = 2**53
"""float64 holds every integer up to here."""

_BYTE = 255
_CHUNK = 1 << 14
"""Values that stay in the nearest cache from one pass over them to the next."""
_NATIVE = frozenset({list, tuple, dict, set, frozenset, str, bytes, type(None)})
_OF_FRAMES = ("pandas", "polars", "pyarrow", "scipy", "narwhals")
"""Libraries whose columns and matrices are read as such."""
MISSING_TYPES = ("NAType", "NaTType")
"""Names of the types of data frame libraries' nulls, recognised without importing them."""


def refuse_unordered(values: Any, name: str) -> None:
    """TypeError for values that have no order, can be read only once, or are a single string."""
    kind = type(values).__name__
    if isinstance(values, (str, bytes)):
        msg = f"{name} is a {kind}; did you mean [{safe_repr(values)}]?"
    elif isinstance(values, Set):
        msg = f"{name} is a {kind}, which has no order; pass a list"
    elif isinstance(values, Iterator):
        msg = f"{name} must be a sequence; got {kind}. Use list(...)"
    elif values is None or not hasattr(values, "__len__"):
        msg = f"{name} must be a sequence; got {kind}"
    else:
        return
    raise TypeError(msg)


# Arrays ------------------------------------------------------------------------------------------


def negated(distances: Array) -> Array:
    """Scores from distances: the negative, exact except for unsigned integers."""
    is_plain = distances.dtype.kind in "if" and distances.dtype.itemsize > 1
    scores: Array = -(distances if is_plain else distances.astype(np.float64))
    return scores


def is_foreign_number(value: Any) -> bool:
    """Whether this is a zero-dimensional array, such as an item of a tensor."""
    return getattr(value, "shape", None) == () and not isinstance(value, np.generic)


_NO_ARRAYS = (int, float, str, bytes, np.generic, tuple, Mapping, type(None))


def without_arrays(values: Sequence[Any]) -> Sequence[Any]:
    """The values, with zero-dimensional arrays as Python numbers."""
    if all(issubclass(kind, _NO_ARRAYS) for kind in set(map(type, values))):
        return values
    return [value.item() if is_foreign_number(value) else value for value in values]


def as_native(values: Any, name: str) -> Any:
    """A NumPy array in place of a tensor, a buffer or any other library's array.

    Everything else stays as it is: containers of Python, and series, which have an index.
    """
    if type(values) in _NATIVE or isinstance(values, (np.ndarray, np.generic)):
        return values
    if isinstance(values, (memoryview, array)):
        return np.asarray(values)
    dtype, is_tensor = getattr(values, "dtype", None), hasattr(values, "detach")
    if not is_tensor:
        if dtype is None or hasattr(dtype, "kind") or not hasattr(values, "shape"):
            return values  # a type of pandas or NumPy has a kind
        is_array = hasattr(values, "__array__") or hasattr(values, "__dlpack__")
        if not is_array or type(values).__module__.partition(".")[0] in _OF_FRAMES:
            return values
    device = getattr(values, "device", None)
    if getattr(device, "type", "cpu") != "cpu":
        msg = f"{name} is a tensor on {device}; pass {name}.cpu()"
        raise TypeError(msg)
    values = values.detach() if is_tensor else values
    if str(dtype).endswith("bfloat16") and hasattr(values, "float"):
        values = values.float()  # which holds all its numbers, and NumPy lacks the type
    try:
        return np.asarray(values)
    except Exception as error:
        kind = type(values).__name__
        msg = f"{name} is a {kind} of {dtype}, which NumPy cannot read; pass numbers as float32"
        if "sparse" in str(getattr(values, "layout", "")):
            msg = f"{name} is a sparse {kind}; pass {name}.to_dense()"
        elif getattr(values, "is_nested", False):
            msg = f"{name} is a nested tensor; pass {name}.to_padded_tensor(0), and candidates="
        elif hasattr(values, "get_mask"):
            msg = f"{name} is a {kind}; pass {name}.get_data(), and its mask as candidates="
        raise TypeError(msg) from error


def as_numpy(values: Any) -> Any:
    """A series or frame by its ``to_numpy``; others as they are."""
    is_plain = type(values) is np.ndarray or not hasattr(values, "to_numpy")
    return values if is_plain else values.to_numpy()


def to_array(values: Any, name: str) -> Array:
    """Array of any dtype and shape from an array-like, without reading numbers from strings."""
    if type(values) is np.ndarray:
        return values
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        msg = f"{name} has masked values; drop or fill them"
        if name == "y_true":
            msg += ", as y_true.filled(0) with candidates=~y_true.mask"
        raise TypeError(msg)
    values = as_native(values, name)
    if isinstance(values, (list, tuple)):
        values = without_arrays(values)
    if not isinstance(values, np.ndarray):
        refuse_unordered(values, name)
        if isinstance(values, Mapping):
            msg = f"{name} is a {type(values).__name__}; pass an array"
            raise TypeError(msg)
    try:
        return np.asarray(values)
    except ValueError as error:
        msg = f"{name} is ragged: its rows differ in length"
        raise ValueError(msg) from error
    except Exception as error:  # of an element of another library
        msg = f"{name} holds values that NumPy cannot read ({error}); pass numbers"
        raise TypeError(msg) from error


def as_column(array: Array, name: str) -> Array:
    """The array if it is 1-D."""
    if array.ndim != 1:
        msg = f"{name} should be a 1d array, got an array of shape {array.shape} instead."
        if array.ndim == 2 and array.shape[1] in (1, 2):
            what = " of predict_proba" if array.shape[1] == 2 else ""
            msg += f" Pass the last column{what}, {name}[:, -1]"
        raise ValueError(msg)
    return array


def as_numbers(values: Any, name: str) -> Array:
    """Array of real numbers: nothing is cast down, negated or guessed."""
    array = to_array(values, name)
    kind = array.dtype.kind
    if kind == "b":
        return array.astype(np.uint8)
    if kind == "O":
        return _objects_as_numbers(array, name)
    if kind not in "iuf":
        what = "holds strings; pass numbers"
        if kind not in "US":
            what = f"has dtype {array.dtype}; pass real numbers"
        msg = f"{name} {what}"
        raise TypeError(msg)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if kind == "f" and isinstance(values, (list, tuple)) and array.size:
        # Large integers among floats are seen as objects alone, which round nothing.
        largest = float(np.abs(array[np.isfinite(array)]).max(initial=0.0))
        if largest >= EXACT_INTEGER:
            return _objects_as_numbers(np.array(values, dtype=object), name)
    return array


def is_missing(value: Any) -> bool:
    """Whether a single value is None, NaN or a data frame library's null."""
    if value is None or type(value).__name__ in MISSING_TYPES:
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)


def _objects_as_numbers(array: Array, name: str) -> Array:
    """Numbers of an array of objects, none rounded, or an error that names the first other one."""
    flat = array.ravel().tolist()
    kinds = set(map(type, flat))
    floats = [kind for kind in kinds if issubclass(kind, (float, np.floating))]
    if floats and kinds <= {int, *floats}:
        with suppress(OverflowError):
            numbers = array.astype(np.float64, order="C")
            finite = numbers[np.isfinite(numbers)] if int in kinds else numbers[:0]
            is_exact = np.abs(finite).max(initial=0.0) < EXACT_INTEGER
            if is_exact and not np.isnan(numbers).any():
                return numbers
    if kinds != {int}:
        for position, value in enumerate(flat):
            if is_missing(value):
                msg = f"{name} contains missing values (position {position})"
                raise ValueError(msg)
            if isinstance(value, (int, float, np.number, np.bool_)):
                continue
            if isinstance(value, (str, bytes)):
                msg = f"{name} holds strings; pass numbers"
                raise TypeError(msg)
            kind = type(value).__name__
            msg = f"{name} holds {kind} objects (position {position}); pass ints or floats"
            is_number = isinstance(value, Real) or hasattr(value, "as_tuple")  # of Decimal
            raise ValueError(msg) if is_number else TypeError(msg)
    if all(issubclass(kind, int) for kind in kinds):
        for dtype in (np.int64, np.uint64):
            with suppress(OverflowError):
                return np.array(flat, dtype=dtype).reshape(array.shape)
    with suppress(OverflowError):
        exact = np.array([float(value) for value in flat], dtype=np.float64)
        pairs = zip(flat, exact.tolist(), strict=True)
        if not any(isinstance(value, int) and value != number for value, number in pairs):
            return exact.reshape(array.shape)
    msg = f"{name} mixes integers that float64 cannot hold with other numbers; pass one dtype"
    raise ValueError(msg)


# Values ------------------------------------------------------------------------------------------


def check_finite(array: Array, name: str, *, where: Any = None, infinite: bool = False) -> bool:
    """ValueError at the first NaN (or infinite value, unless ``infinite`` is allowed).

    Returns whether -inf is among the values.
    """
    if array.dtype.kind != "f" or not array.size:
        return False
    # One pass that allocates nothing: a NaN or an infinity survives in the sum of the extremes.
    low, high = np.minimum.reduce(array, None), np.maximum.reduce(array, None)
    bad_nan = bool(low != low or high != high)
    bad_inf = not infinite and bool(np.isinf(low) or np.isinf(high))
    if not bad_nan and not bad_inf:
        return bool(low == -np.inf)
    wrong = np.isnan(array) if bad_nan else np.isinf(array)
    positions = np.flatnonzero(wrong)
    at = where(int(positions[0])) if where else f"position {int(positions[0])}"
    more = f", and {len(positions) - 1:,} more" if len(positions) > 1 else ""
    what = "NaN" if bad_nan else "infinity"
    msg = f"{name} contains {what} at {at}{more}"
    raise ValueError(msg)


def as_bytes(values: Array) -> Array | None:
    """The values in a byte each, if all are whole numbers from 0 to 255; else None."""
    kind, size = values.dtype.kind, values.dtype.itemsize
    if values.dtype == np.uint8:
        return values
    narrow = np.empty(values.shape, np.uint8)
    # As unsigned numbers, negative ones exceed every other.
    limit = _BYTE if size > 1 else np.iinfo(np.int8).max
    for start in range(0, len(values), _CHUNK):
        part, given = narrow[start : start + _CHUNK], values[start : start + _CHUNK]
        if kind == "f":
            with np.errstate(invalid="ignore"):
                part[:] = given
            if (part != given).any():
                return None
        elif np.maximum.reduce(given.view(f"u{size}") if kind == "i" else given) > limit:
            return None
        else:
            part[:] = given
    return narrow


def check_grades(
    array: Array,
    name: str,
    *,
    where: Callable[[int], str],
    negative: NegativeGrades,
    advice: str = "",
) -> Array:
    """Grades that are finite, fit float64 and, unless ``negative`` allows them, are at least 0."""
    narrow = as_bytes(array)
    if narrow is not None:
        return narrow  # there is nothing to refuse
    check_finite(array, name, where=where)
    given, wrong, what = array, np.zeros(0, bool), "negative grade"
    if negative == "raise" and array.dtype.kind != "u":
        wrong = array < 0
    if array.dtype.itemsize > 8 and not wrong.any():
        with np.errstate(over="ignore", under="ignore"):
            array = array.astype(np.float64)
        wrong = np.isinf(array) | ((array == 0) & (given != 0))
        what = "grade that float64 cannot hold"
    if wrong.any():
        position = int(np.flatnonzero(wrong)[0])
        msg = f"{name} contains a {what} ({given.flat[position]!s}) at {where(position)}"
        if what == "negative grade":
            if (given[wrong] % 1).any():
                advice = f". Are {called('y_true')} and {called('y_score')} swapped?"
            msg += f"; evaluate reads it as not judged under {argument('convention', 'trec_eval')}"
            msg += advice
        raise ValueError(msg)
    return array


def check_weights(
    values: Any,
    n_queries: int,
    name: str = "sample_weight",
    *,
    where: Callable[[int], str] = "position {}".format,
) -> FloatArray:
    """One finite weight of at least 0 for each query, not all of them 0."""
    name = called(name)
    weights = as_column(as_numbers(values, name).astype(np.float64), name)
    msg = ""
    if len(weights) != n_queries:
        given = count(len(weights), "weight")
        queries = count(n_queries, "query", "queries")
        msg = f"{name} has {given} for {queries}; pass one per query"
    else:
        check_finite(weights, name, where=where)
        if weights.min(initial=0.0) < 0:
            position = int(np.flatnonzero(weights < 0)[0])
            msg = f"{name} contains a negative value ({weights[position]}) at {where(position)}"
        elif not weights.any():
            msg = f"{name} sums to zero"
    if msg:
        raise ValueError(msg)
    return weights


def check_same_length(name_a: str, length_a: int, name_b: str, length_b: int) -> None:
    """ValueError in scikit-learn's words when two arguments differ in length."""
    if length_a != length_b:
        msg = (
            f"Found input variables with inconsistent numbers of samples: "
            f"[{length_a}, {length_b}] ({name_a}, {name_b})"
        )
        raise ValueError(msg)


def _indexes(arguments: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Names and indexes of those arguments that are pandas objects."""
    return [
        (name, value.index)
        for name, value in arguments.items()
        if type(value) is not np.ndarray and hasattr(value, "iloc") and hasattr(value, "index")
    ]


def check_same_index(**arguments: Any) -> None:
    """ValueError when pandas objects are paired whose indexes differ: pairing is by position."""
    for (name_a, index_a), (name_b, index_b) in pairwise(_indexes(arguments)):
        if not index_a.equals(index_b):
            msg = f"{name_a} and {name_b} have different indexes; align them or pass .to_numpy()"
            raise ValueError(msg)


def check_same_order(**arguments: Any) -> None:
    """ValueError when pandas objects hold the same rows in different orders."""
    # All pairs: of three, the one between may be of other rows.
    for (name_a, index_a), (name_b, index_b) in combinations(_indexes(arguments), 2):
        if len(index_a) != len(index_b) or index_a.equals(index_b):
            continue
        if index_a.isin(index_b).all() and index_b.isin(index_a).all():
            msg = (
                f"{name_a} and {name_b} have the same index in different orders, but rows are "
                "paired by position; align them or pass .to_numpy()"
            )
            raise ValueError(msg)


def refuse_shuffled(values: Any, name: str, query_ids: list[Any] | None = None) -> None:
    """ValueError for a series whose index has positions, or query ids, in another order."""
    if not (hasattr(values, "iloc") and hasattr(values, "index")):
        return
    if query_ids is not None and [*values.index] != query_ids:
        if {*values.index} == {*query_ids}:
            msg = (
                f"the index of {name} has the query_ids in another order, but queries are matched "
                f"by position; pass {name}.loc[query_ids]"
            )
            raise ValueError(msg)
        return
    rows = np.asarray(values.index)
    if rows.dtype.kind not in "iu" or np.array_equal(rows, np.arange(len(rows))):
        return
    if np.array_equal(np.sort(rows), np.arange(len(rows))):
        msg = (
            f"the index of {name} is shuffled, but queries are matched by position; pass "
            f"{name}.sort_index(), or {name}.to_numpy() if it is already in query order"
        )
        raise ValueError(msg)


# Parameters --------------------------------------------------------------------------------------


def refuse_value(value: Any, name: str, owner: str, rule: str) -> NoReturn:
    """InvalidParameterError in scikit-learn's words."""
    msg = f"The '{name}' parameter of {owner} must be {rule}. Got {safe_repr(value)} instead."
    raise InvalidParameterError(msg)


def check_cutoff(k: Any, owner: str) -> int | None:
    """``k`` as a plain integer, or None for the whole ranking."""
    if k is None:
        return None
    if not _is_integer(k) or k < 1:
        several = "; evaluate takes several cutoffs, as in 'ndcg@5,10'"
        hint = several if isinstance(k, (list, tuple)) else ""
        refuse_value(k, "k", owner, f"an int in the range [1, inf) or None{hint}")
    return int(k)


def check_integer(value: Any, name: str, owner: str, *, at_least: int) -> int:
    """``value`` as a plain integer of at least a bound."""
    if not _is_integer(value) or value < at_least:
        refuse_value(value, name, owner, f"an int in the range [{at_least}, inf)")
    return int(value)


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def check_option(value: Any, name: str, allowed: Collection[str], owner: str) -> str:
    """``value`` if it is one of the ``allowed`` words."""
    if not isinstance(value, str) or value not in allowed:
        refuse_value(value, name, owner, f"one of {', '.join(map(repr, allowed))}")
    return value


def check_number(value: Any, name: str, owner: str, *, at_least: float, above: bool = False) -> Any:
    """``value`` as a finite number of at least (or above) a bound; integers stay integers."""
    fits = _is_number(value) and at_least <= value <= sys.float_info.max
    if not fits or (above and value == at_least):
        range_ = f"{'(' if above else '['}{at_least:g}, inf)"
        refuse_value(value, name, owner, f"a finite number in the range {range_}")
    return int(value) if isinstance(value, Integral) else float(value)


def check_flag(value: Any, name: str, owner: str) -> bool:
    """``value`` as a plain bool; 0, 1 and words are refused."""
    if not isinstance(value, (bool, np.bool_)):
        refuse_value(value, name, owner, "a bool")
    return bool(value)


def check_zero_division(value: Any, owner: str) -> str | float:
    """``zero_division`` as "warn", "raise" or a number; NaN leaves the query out."""
    if isinstance(value, str) and value in ("warn", "raise"):
        return value
    if not _is_number(value) or not (value != value or value in (0.0, 1.0)):
        rule = "one of 'warn', 'raise', nan, 0.0, 1.0"
        if _is_number(value):
            rule += f" (for others use np.nan_to_num(ev.per_query[name], nan={value}).mean())"
        refuse_value(value, "zero_division", owner, rule)
    return float(value)


def check_query_name(name: Any, parameter: str) -> str:
    """RankingConfigError if this cannot name a column or index level that holds query ids."""
    if not isinstance(name, str) or not name:
        msg = f"{parameter} must be the name of a column or index level, got {safe_repr(name)}"
        raise RankingConfigError(msg)
    return name
