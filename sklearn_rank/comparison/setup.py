"""What a comparison is of: systems, measures, queries, and the way of testing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn_rank.comparison.join import Joined
from sklearn_rank.comparison.settings import Settings
from sklearn_rank.evaluation.result import Evaluation


@dataclass(frozen=True, repr=False, eq=False)
class Setup:
    """Systems that were joined, and how they are compared."""

    _joined: Joined
    _settings: Settings

    @property
    def names(self) -> tuple[str, ...]:
        """The systems, the baseline first."""
        return tuple(self._joined.systems)

    @property
    def baseline(self) -> str:
        """The first system."""
        return self.names[0]

    @property
    def others(self) -> tuple[str, ...]:
        """All systems but the baseline."""
        return self.names[1:]

    @property
    def measures(self) -> tuple[str, ...]:
        """What the systems are compared in."""
        return self._joined.measures

    @property
    def query_ids(self) -> list[Any]:
        """Queries that all systems have, in the order of the first."""
        return list(self._joined.query_ids)

    @property
    def evaluations(self) -> dict[str, Evaluation]:
        """The systems as they were given, with all their queries."""
        return dict(self._joined.systems)

    @property
    def counts(self) -> dict[str, Any]:
        """``queries`` that all systems have; of each system, queries ``left_out`` and ``missing``.

        A missing one is judged and has no ranking, and counts as an empty one.
        """
        joined = self._joined
        return {
            "queries": len(joined.query_ids),
            "left_out": dict(joined.left_out),
            "missing": dict(joined.missing),
        }

    @property
    def test(self) -> str:
        """The test of each difference."""
        return self._settings.test

    @property
    def alternative(self) -> str:
        """Which differences count against chance."""
        return self._settings.alternative

    @property
    def correction(self) -> str | None:
        """How p-values are corrected for their number."""
        return self._settings.correction

    @property
    def family(self) -> str:
        """Which p-values are corrected together."""
        return self._settings.family

    @property
    def alpha(self) -> float:
        """The greatest corrected p-value that counts as significant."""
        return self._settings.alpha

    @property
    def level(self) -> float:
        """Level of the intervals."""
        return self._settings.level

    @property
    def power(self) -> float:
        """Probability with which a detectable difference is found."""
        return self._settings.power
