"""The fixture ``rank_regression``: the ranking member of the pytest-regressions family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rankmetrics._support.naming import EXTENSION
from pytest_rankmetrics.gates.gate import RankGate
from pytest_rankmetrics.gates.run import hide
from pytest_rankmetrics.gates.update import BaselineUpdater

if TYPE_CHECKING:
    import os

    from pytest_rankmetrics.assessment.result import GateResult
    from sklearn_rank.measures.catalogue import Measure

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

    def __repr__(self) -> str:
        return "<rank_regression>"

    def check(
        self,
        y_true: Any,
        y_score: Any,
        metrics: str | Measure | Sequence[str | Measure] = ("map", "ndcg@10"),
        *,
        max_drop: Any = 0.005,
        basename: str | None = None,
        fullpath: os.PathLike[str] | str | None = None,
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
            Name of the gate and of its baseline file; None takes the test's name.
        fullpath : path, default=None
            The baseline file itself, relative to the test module; not together with ``basename``.
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
        __tracebackhide__ = hide
        if basename is not None and fullpath is not None:
            msg = "pass basename or fullpath, not both"
            raise ValueError(msg)
        if basename is not None:
            policy.setdefault("name", basename)
        file = None if fullpath is None else Path(self.request.path).parent / fullpath
        gate = RankGate(
            self.request,
            directory=self.original_datadir,
            fullpath=file,
            force_regen=self.force_regen,
            compare=self._compare,
        )
        return gate.check(y_true, y_score, metrics=metrics, max_drop=max_drop, **policy)

    def _compare(self, updater: BaselineUpdater) -> GateResult:
        """Compare the way of the family: what was obtained is dumped, and checked by the policy.

        Where there is no baseline, or one is to be written, the engine of the family would write
        whatever was measured; gates do not.
        """
        if not updater.compares_only:
            return updater.result()
        from pytest_regressions.common import perform_regression_check

        path = updater.gate.path
        name = path.name.removesuffix(EXTENSION) + ".obtained" + EXTENSION
        named = replace(updater, gate=replace(updater.gate, obtained=f"<tmp_path>/{name}"))
        results: list[GateResult] = []
        perform_regression_check(
            datadir=self.datadir,
            original_datadir=self.original_datadir,
            request=self.request,
            check_fn=lambda _obtained, _expected: results.append(named.result()),
            dump_fn=named.dump,
            extension=EXTENSION,
            fullpath=path,
            obtained_filename=self.request.getfixturevalue("tmp_path") / name,
            with_test_class_names=self.with_test_class_names,
        )
        return results[0]


def make_fixture(request: pytest.FixtureRequest) -> RankRegressionFixture:
    """The fixture, on the data directories of pytest-regressions."""
    if not request.config.pluginmanager.hasplugin("regressions"):
        msg = "rank_regression needs pytest-regressions: pip install 'sklearn-rank[pytest]'"
        raise pytest.UsageError(msg)
    original = request.getfixturevalue("original_datadir")
    return RankRegressionFixture(request.getfixturevalue("lazy_datadir"), original, request)
