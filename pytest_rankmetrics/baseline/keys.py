"""Ids as JSON keys: the same text in every run and with every version of NumPy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from pytest_rankmetrics.failures import RankGateFailure
from sklearn_rank.support.text import safe_repr

# An address, or a set, whose order depends on the hash seed.
_FLEETING = re.compile(r" at 0x[0-9a-fA-F]+|\bfrozenset\(\{")


def key_of(value: Any) -> str:
    """A query or item id as a key of JSON."""
    return value if isinstance(value, str) else str(_plain(value))


def _plain(value: Any) -> Any:
    """Python's own type: the repr of NumPy scalars differs between its versions."""
    if isinstance(value, np.generic):
        return value.item()
    if type(value) is tuple:
        return tuple(map(_plain, value))
    return value


def stable_key(value: Any, what: str) -> str:
    """The key of an id; RankGateFailure if it would differ in another run."""
    if isinstance(value, str):
        return value
    key = key_of(value)
    if type(value) is not int and (isinstance(value, frozenset) or _FLEETING.search(key)):
        msg = (
            f"{what} {safe_repr(value)} reads differently in every run, and a baseline would never "
            "fit; give its type a __str__ of its own, or pass string_provider or query_ids"
        )
        raise RankGateFailure(msg)
    return key


def keys_of(values: Iterable[Any], what: str) -> list[str]:
    """Keys of some ids; RankGateFailure if two collide, or one would differ in another run."""
    values = list(values)
    if set(map(type, values)) <= {str} and len(set(values)) == len(values):
        return values  # texts are their own keys
    keys = [stable_key(value, what) for value in values]
    if len(set(keys)) < len(keys):
        seen: dict[str, Any] = {}
        for key, value in zip(keys, values, strict=True):
            if key in seen:
                both = f"{safe_repr(seen[key])} and {safe_repr(value)}"
                msg = f"{what} {both} would be one in a baseline; name them apart"
                raise RankGateFailure(msg)
            seen[key] = value
    return keys


def judged_pairs(judged: Mapping[Any, float]) -> list[list[Any]]:
    """Judged items and their grades, sorted."""
    if set(map(type, judged)) <= {str}:
        return sorted(map(list, judged.items()))
    return sorted([stable_key(item, "items"), float(grade)] for item, grade in judged.items())
