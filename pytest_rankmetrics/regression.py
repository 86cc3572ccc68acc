"""The fixture ``rank_regression``: the ranking member of the pytest-regressions family."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os

    import pytest

    from pytest_rankmetrics.results import GateResult
    from sklearn_rank.measures import Measure

__all__ = ["RankRegressionFixture"]


class RankRegressionFixture:
    """Compares rankings with recorded ones; only a drop fails.

    Made like the fixtures of pytest-regressions: the same constructor arguments, data directories
    and attributes ``force_regen`` and ``with_test_class_names``.
    """

    def __init__(
        self, datadir: Any, original_datadir: Path, request: pytest.FixtureRequest
    ) -> None:
        self.datadir = datadir
        self.original_datadir = original_datadir
        self.request = request
        self.force_regen = False
        self.with_test_class_names = False

    def check(
        self,
        y_true: Any,
        y_score: Any,
        metrics: str | Measure | Sequence[str | Measure] = ("map", "ndcg@10"),
        *,
        max_drop: Any = 0.005,
        basename: str | None = None,
        fullpath: os.PathLike[str] | None = None,
        **policy: Any,
    ) -> GateResult:
        """Check that no measure has dropped below its recorded value.

        Parameters
        ----------
        y_true, y_score
            Ground truth and rankings, in any layout of :func:`sklearn_rank.evaluate`.
        metrics : str, Measure, or sequence of them, default=("map", "ndcg@10")
            What is compared; the direction is that of each measure.
        max_drop : float or {measure: float}, default=0.005
            Allowed drop.
        basename : str, default=None
            Name of the baseline file without its extension; None takes the gate's name.
        fullpath : path, default=None
            The baseline file itself; not together with ``basename``.
        **policy
            Everything else that :meth:`RankGate.check` takes.

        Returns
        -------
        result : GateResult
            Values, changes, p-values and verdicts.

        Raises
        ------
        RankGateFailure
            If a measure is worse than allowed, the baseline is missing or stale, or nothing could
            be measured.
        """
        raise NotImplementedError
