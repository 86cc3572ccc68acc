"""What the scorers of a multimetric search share: the judged rankings of one fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sklearn_rank.model_selection.options import ScorerOptions
from sklearn_rank.model_selection.reading import Reading
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.runtime import Give

Told = tuple[str, type[Warning]]
"""A warning."""


@dataclass(frozen=True, eq=False)
class Asked:
    """What a scorer is called with, and how it reads that."""

    estimator: Any
    X: Any
    y: Any
    groups: Any
    query_weight: Any
    bound: Any
    passed_as: str
    options: ScorerOptions

    def is_same(self, other: Asked) -> bool:
        """Whether both read the same objects in the same way."""
        return (
            all(getattr(self, name) is getattr(other, name) for name in _OBJECTS)
            and self.passed_as == other.passed_as
            and self.options == other.options
        )


_OBJECTS = ("estimator", "X", "y", "groups", "query_weight", "bound")


class JudgedFold(NamedTuple):
    """What was read, and what that warned of."""

    read: Reading
    judged: RankingData
    of_data: list[Told]
    """Warnings of the reader."""
    faults: list[Told]
    """Warnings of the queries, which a search gives once and not for each of its scorers."""


def shared_by(caller: Any) -> dict[Any, Any] | None:
    """Where the scorers of one call of a multimetric scorer keep what they share; None: nowhere.

    It is the dict in which scikit-learn keeps their predictions, and ends with it. There is none
    where only one of the scorers asks for these predictions.
    """
    given = getattr(caller, "args", None) or (None,)
    return given[0] if isinstance(given[0], dict) else None


def fold_of(
    shared: dict[Any, Any] | None, asked: Asked, read: Callable[[Give], JudgedFold], give: Give
) -> JudgedFold:
    """The fold as another scorer has read it, with its warnings given again, or read now."""
    known: list[tuple[Asked, JudgedFold]] = [] if shared is None else shared.setdefault(_KEY, [])
    for other, fold in known:
        if asked.is_same(other):
            for told in fold.of_data:
                give(*told)
            return fold
    fold = read(give)
    known.append((asked, fold))
    return fold


_KEY = "sklearn_rank"
