"""Items as retrievers return them: pairs with a score, dicts, and objects of other libraries.

An object of LangChain, LlamaIndex, Haystack or Qdrant is compared by its ``node_id`` or ``id``, or
by what ``string_provider`` says: a function, or a path of attributes and keys.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, islice
from numbers import Number, Real
from typing import Any

import numpy as np

from sklearn_rank.inputs.roles import item_ids, names_of
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import StringProvider

PLAIN = (str, bytes, Number, np.generic, tuple, list, Mapping, Set, type(None))
"""Text, numbers and collections; other ids are objects."""
_IDS = ("node_id", "id")
_PAIRS = "(id, score) pairs"
_SHOWN, _DEPTH = 100, 3
"""Items of each side, and steps of a path, that are tried for a path to propose."""


def provider_of(given: Any) -> Callable[[Any], Any] | None:
    """The function of an item that a path stands for; a function as it is."""
    if given is None or callable(given):
        return given  # type: ignore[no-any-return]
    if not isinstance(given, str) or not all(given.split(".")):
        msg = (
            "string_provider must be a function of an item, or a path of attributes and keys such "
            f"as 'metadata.source', got {safe_repr(given)}"
        )
        raise TypeError(msg)

    def follow(item: Any) -> Any:
        for name in given.split("."):
            item = item[name] if isinstance(item, Mapping) else getattr(item, name)
        return str(item) if isinstance(item, (int, np.integer)) else item

    return follow


class HitReader:
    """Tells in which form retrievers returned the items of one evaluation, and reads it."""

    def __init__(
        self, rankings: Iterable[Any], truths: Iterable[Any], provider: StringProvider | None
    ) -> None:
        lists = [ranking for ranking in rankings if isinstance(ranking, (list, tuple))]
        truths = [truth for truth in truths if isinstance(truth, Collection)]
        self._wanted = list(islice(chain.from_iterable(truths), _SHOWN))
        true = set(map(type, chain.from_iterable(truths)))
        first = {type(item): item for item in chain.from_iterable(lists)}
        pairs = [item[0] for item in chain.from_iterable(lists) if _is_pair(item)]
        several = islice(chain(pairs, chain.from_iterable(lists)), _SHOWN)
        self._paths = list(chain.from_iterable(_paths(item) for item in several))
        objects = {
            type(item): item for item in (*first.values(), *pairs) if not isinstance(item, PLAIN)
        }
        self.object = next((item for kind, item in objects.items() if kind not in true), None)
        """A ranked object where the truth has none, whose texts then stand as they are."""
        self._keeps, self.kind = provider is not None, ""
        # Objects of both sides are compared as they are, if they can be.
        as_is = {kind for kind in true if getattr(kind, "__hash__", None) is not None}
        self._by_id = {
            kind for kind, item in objects.items() if kind not in as_is and _id_of(item) is not None
        }
        if callable(provider):
            return  # which reads pairs and dicts by itself
        if any(issubclass(kind, Mapping) for kind in first):
            self.kind = "dicts"
        elif pairs and not any(issubclass(kind, tuple) for kind in true):
            # Where the ground truth has tuples, pairs are ids themselves.
            self.kind = _PAIRS
        elif provider is not None or any(kind in self._by_id for kind in first):
            self.kind = "objects"

    def read(self, hits: Sequence[Any], where: object) -> tuple[list[Any], list[Any] | None]:
        """Items and scores of a ranked list; no scores: the items stand in order."""
        are_dicts = self.kind == "dicts"
        for place, hit in enumerate(hits if are_dicts or self.kind == _PAIRS else ()):
            if not (isinstance(hit, Mapping) if are_dicts else _is_pair(hit)):
                msg = (
                    f"{where} holds {safe_repr(hit)} at position {place + 1}, and other items of "
                    f"y_score are {self.kind}; pass one, with a number as score, for each item"
                )
                raise TypeError(msg)
        if are_dicts:
            return self._dicts(hits, where)
        if self.kind == _PAIRS:
            return [item for item, _ in hits], [score for _, score in hits]
        if not self.kind:
            return list(hits), None
        scores = [getattr(hit, "score", None) for hit in hits]
        given = [score for score in scores if score is not None]
        if given and len(given) < len(hits):
            raise _uneven(where, given, hits)
        return list(hits), given or None

    def _dicts(
        self, hits: Sequence[Mapping[Any, Any]], where: object
    ) -> tuple[list[Any], list[Any] | None]:
        items, scores, has_ranks, each = list[Any](), list[Any](), False, True
        for hit in hits:
            names = [key for key, held in hit.items() if isinstance(key, str) and held is not None]
            ids = item_ids(names)
            if len(ids) != 1 and not self._keeps:
                msg = (
                    f"{where} holds dicts without one id each ({format_list(hit)}); the id is "
                    'called "id", "_id" or as in a data frame ("doc_id"); pass {id: score} per '
                    f"query{self._advice()}"
                )
                raise TypeError(msg)
            items.append(hit if self._keeps else hit[ids[0]])
            score_names = names_of(names, "score")
            scores += [hit[name] for name in score_names]
            each &= len(score_names) == 1
            has_ranks |= bool(names_of(names, "rank"))
        if scores and not each:
            raise _uneven(where, scores, hits)
        if has_ranks and not scores:
            msg = (
                f"{where} holds dicts with ranks and no scores; sort them by rank and pass their "
                "ids"
            )
            raise TypeError(msg)
        return items, scores or None

    def key(self, item: Any, where: object) -> Any:
        """Key by which an object is compared; TypeError, with a path that fits, if it has none."""
        if type(item) in self._by_id:
            found = _id_of(item)
            if found is not None:
                return found
        elif getattr(item, "__hash__", None) is not None:
            return item
        msg = f"items of {where} are unhashable {type(item).__name__}{self._advice()}"
        raise TypeError(msg)

    def mismatch(self) -> str:
        """Why no ranked object may be a judged item; "" where there are none."""
        if self.object is None:
            return ""
        kind, key = type(self.object).__name__, "string_provider" if self._keeps else "id"
        return f"{kind} objects are compared by their {key}{self._advice()}"

    def _advice(self) -> str:
        fits = [path for path, value in self._paths if value in self._wanted]
        if fits:
            return f"; pass string_provider={fits[0]!r}"
        some = format_list(dict.fromkeys(path for path, _ in self._paths))
        such = f", such as {some}" if some else ""
        return f"; pass string_provider, a function or a path of attributes and keys{such}"


def _uneven(where: object, scores: Sequence[Any], hits: Sequence[Any]) -> ValueError:
    numbers = f"{len(scores)} scores for {len(hits)} items"
    return ValueError(f"{where} has {numbers}; give each item one, or none")


def _is_pair(item: Any) -> bool:
    if not isinstance(item, (list, tuple)) or len(item) != 2:
        return False
    return isinstance(item[1], (Real, np.number)) and not isinstance(item[1], (bool, np.bool_))


def _id_of(item: Any) -> Any:
    ids = (getattr(item, name, None) for name in _IDS)
    return next((found for found in ids if found is not None), None)


def _paths(item: Any, depth: int = _DEPTH) -> Iterator[tuple[str, str]]:
    """Paths within an object, each with the text that it leads to."""
    parts = item if isinstance(item, Mapping) else getattr(item, "__dict__", {})
    for name, value in parts.items():
        if not isinstance(name, str) or name.startswith("_") or "." in name:
            continue
        if isinstance(value, str):
            yield name, value
        elif depth > 1:
            yield from ((f"{name}.{path}", text) for path, text in _paths(value, depth - 1))
