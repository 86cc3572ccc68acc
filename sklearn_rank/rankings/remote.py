"""Rankings of which only sizes are here: places and grades are where an engine keeps them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.rankings.judged import Cutoff, JudgedRankings
from sklearn_rank.rankings.unjudged import Unjudged
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray


class RemoteRankings(Protocol):
    """Where the places are."""

    def values(
        self, function: Callable[[JudgedRankings], Sequence[FloatArray]], n_values: int
    ) -> list[FloatArray]:
        """What a function makes of blocks of whole queries, in the order of the queries.

        It is sent to the places, and has to be one that can be pickled.
        """

    def release(self) -> None:
        """Forget what was kept for the next call, which makes it anew."""


@dataclass(frozen=True)
class RankingSizes(JudgedRankings):
    """Sizes of rankings, in which no hit and no grade is stored."""

    graded: IntArray = field(kw_only=True)
    """(Q,) relevant items of a grade above 1."""

    @classmethod
    def of(
        cls,
        query_ids: Sequence[Any] | Array,
        *,
        n_ranked: IntArray,
        n_relevant: IntArray,
        n_retrieved: IntArray,
        n_graded: IntArray,
        in_ties: BoolArray,
        weights: FloatArray | None = None,
        unjudged: Unjudged | None = None,
    ) -> RankingSizes:
        """Rankings of these sizes, each of shape (Q,)."""
        judged_offsets = offsets_of(n_relevant)
        none = np.zeros(0, dtype=np.int64)
        return cls(
            query_ids=query_ids,
            offsets=np.zeros(len(n_ranked) + 1, dtype=np.int64),
            above=none,
            tied=none,
            grades=np.zeros(0),
            n_ranked=n_ranked,
            judged_offsets=judged_offsets,
            # As many as there are, in no memory; nobody reads what they are.
            judged_grades=np.broadcast_to(np.uint8(1), int(judged_offsets[-1])),
            weights=weights,
            cutoff=Cutoff(0, n_retrieved, in_ties),
            unjudged=unjudged,
            graded=n_graded,
        )

    @property
    def n_graded(self) -> int:
        """Relevant items of a grade above 1."""
        return int(self.graded.sum())

    def take(self, queries: IntArray) -> RankingSizes:
        """The sizes of some queries alone."""
        ids = self.query_ids
        return RankingSizes.of(
            ids[queries]
            if isinstance(ids, np.ndarray)
            else [ids[query] for query in queries.tolist()],
            n_ranked=self.n_ranked[queries],
            n_relevant=self.n_relevant[queries],
            n_retrieved=self.n_retrieved[queries],
            n_graded=self.graded[queries],
            in_ties=self.in_ties[queries],
            weights=None if self.weights is None else self.weights[queries],
            unjudged=None if self.unjudged is None else self.unjudged.take(queries),
        )

    def at_least(self, min_rel: float) -> NoReturn:  # noqa: ARG002
        """Refuse: grades are not here."""
        refuse_remote()


ARE_REMOTE = (
    "places of items stayed where the rows are; pass engine=EngineOptions(memory_limit=...) to "
    "evaluate, as much as the driver can hold, to bring them back"
)


def refuse_remote() -> NoReturn:
    """InvalidParameterError for what takes the places of single items."""
    raise InvalidParameterError(ARE_REMOTE)
