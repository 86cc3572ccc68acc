"""The fixtures: ``rank_gate``, a whole policy in one call, and ``rank_regression``."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import pytest

from pytest_rankmetrics._support.naming import EXTENSION, slug
from pytest_rankmetrics.baseline.record import Recording
from pytest_rankmetrics.failures import RankGateFailure
from pytest_rankmetrics.gates.run import (
    CheckArguments,
    check_gate,
    claim,
    hide,
    run_gate,
    split_arguments,
)
from pytest_rankmetrics.gates.update import BaselineUpdater, RecordedGate
from pytest_rankmetrics.policy.policy import read_policy
from pytest_rankmetrics.session import current
from pytest_rankmetrics.session.baseline_files import orphans_beside, shown_path
from pytest_rankmetrics.session.options import OPTIONS, Options
from sklearn_rank.support.text import safe_text

if TYPE_CHECKING:
    from pytest_rankmetrics.assessment.result import GateResult
    from sklearn_rank.measures.catalogue import Measure

__all__ = ["RankGate", "RankRegressionFixture"]


class RankGate:
    """Checks a system against thresholds and against its recorded baseline.

    Given to tests as the fixture ``rank_gate``. One call is one gate: all violations come in one
    failure. Several calls in one test need different names.
    """

    def __init__(
        self,
        request: pytest.FixtureRequest,
        *,
        directory: Path | None = None,
        fullpath: Path | None = None,
        force_regen: bool = False,
        compare: Callable[[BaselineUpdater], GateResult] = BaselineUpdater.result,
    ) -> None:
        self._request = request
        self._compare = compare
        self._directory = directory
        self._fullpath = fullpath
        self._force_regen = force_regen

    def __repr__(self) -> str:
        return "<rank_gate>"

    def check(
        self,
        y_true: Any,
        y_score: Any,
        **arguments: Unpack[CheckArguments],
    ) -> GateResult:
        """Check thresholds, drops, slices and required queries at once.

        With ``max_drop`` the gate needs its baseline, a file next to the test module, which
        ``--rank-update`` writes.

        Parameters
        ----------
        y_true, y_score
            Ground truth and rankings, in any layout of :func:`sklearn_rank.evaluate`.
        at_least, at_most : {measure: float}, default=None
            Thresholds over all queries; see :func:`pytest_rankmetrics.assert_metric`.
        max_drop : float or {measure: float}, default=None
            Allowed drop against the baseline, in units of the measure (for LAG: allowed rise). A
            number applies to all measures named in ``metrics``, ``at_least`` and ``at_most``, and
            without any to ``"map"`` and ``"ndcg@10"``. In [0, 1) where the measure is bounded.
        hard_drop : float or {measure: float}, default=None
            Drop that is never excused; None takes the setting, ``math.inf`` switches it off.
        metrics : str, Measure, or sequence of them, default=()
            Further measures: shown, recorded, and judged by a ``max_drop`` that is a number.
        slices : mapping or callable, default=None
            {query: label or labels}, {label: queries} or a function of the query id.
        max_slice_drop : float or {label: float}, default=None
            Allowed drop of each slice, for every measure that has an allowed drop. A slice fails
            if it exceeds this and is significant over all slices of the gate.
        slice_hard_drop : float, default=None
            Drop of a slice that is never excused.
        slice_at_least, slice_at_most : {label: {measure: float}}, default=None
            Thresholds of slices, of any size.
        per_query_at_least, per_query_at_most : {measure: float}, default=None
            What every single query has to reach; "required" queries alone if those are given.
        max_regressed_queries : int, default=None
            How many queries may be worse than in the baseline, for each measure with a drop.
        required_queries : collection of query ids, default=None
            Queries that have to be evaluated, a contract set: one that is missing fails.
        forbidden_queries : collection of query ids, default=None
            Queries that must not be evaluated, those of the training set: one that is fails.
        confirm, alpha, slice_alpha, test, correction, min_queries, min_slice_size
            Override the settings of the same names.
        pass_if : {"unless_worse", "proven"}, default=None
            Whether a gate passes unless a drop is shown, or only if it is shown that the drop is at
            most ``max_drop``; otherwise it cannot tell. None takes the setting ``rank_pass``.
        store : {"ranks", "values"}, default="ranks"
            What a baseline holds for each query; ``"values"`` keeps item ids out of the file.
        **reading
            As in :func:`pytest_rankmetrics.assert_metric`; ``name`` also names the baseline.

        Returns
        -------
        result : GateResult
            Values, changes, p-values and verdicts.

        Raises
        ------
        RankGateFailure
            If anything is worse than allowed, missing, stale, or could not be measured.
        InvalidParameterError
            If there is no limit at all, or a limit is not acceptable.
        """
        __tracebackhide__ = hide

        def work(name: str) -> GateResult:
            limits, reading, store = split_arguments(arguments, "rank_gate.check")
            options = self._request.config.stash[OPTIONS]
            options = replace(options, update=options.update or self._force_regen)
            policy = read_policy(options.settings, limits, reading.get("values"))

            def compare(recording: Recording) -> GateResult:
                gate = self._recorded_gate(name, options)
                return self._compare(BaselineUpdater(gate, options, policy, recording, store))

            return check_gate((y_true, y_score), policy, reading, name, compare)

        return run_gate(arguments.get("name"), "gate", work)

    def _recorded_gate(self, name: str, options: Options) -> RecordedGate:
        """The gate with its file: next to the test module, or below ``--rank-baseline-dir``."""
        config, module = self._request.config, Path(self._request.path)
        directory = self._directory or module.with_suffix("")
        path = self._fullpath or directory / f"{slug(name)}{EXTENSION}"
        shown, root = shown_path(path, config), config.rootpath
        below = path.resolve().is_relative_to(root.resolve())
        if not below:
            # Tests outside of the root keep their baselines beside them, and nowhere else.
            root = module.parent
        elsewhere = ""
        if options.baseline_dir is not None:
            if self._force_regen:
                msg = "force_regen does not write to --rank-baseline-dir; leave one of them out"
                raise RankGateFailure(msg)
            if not below:
                # Its path is absolute, and would lead to the very file that is not to be read.
                msg = (
                    f"--rank-baseline-dir has no place for {safe_text(shown, limit=300)}, which is "
                    f"not below the root of the project: set --rootdir to a common directory"
                )
                raise RankGateFailure(msg)
            path = options.baseline_dir / shown
            elsewhere = safe_text(str(options.baseline_dir), limit=300)
        running = current.running()
        claim(running, "baseline", shown)
        nodeid = running.own or self._request.node.nodeid
        update, accept = self._commands(name, nodeid)
        orphans = partial(orphans_beside, path, self._request)
        return RecordedGate(name, nodeid, path, root, shown, update, accept, orphans, elsewhere)

    def _commands(self, name: str, nodeid: str) -> tuple[str, str]:
        """Commands that write and lower the baseline, from where pytest was started."""
        target, start = nodeid, self._request.config.invocation_params.dir
        with suppress(ValueError):  # another drive of Windows
            file = Path(os.path.relpath(self._request.path, start)).as_posix()
            target = f"{file}::{nodeid.partition('::')[2]}"
        # A pattern that needs no quoting: the gate's name, or else its test's.
        glob = name.partition("[")[0]
        if not re.fullmatch(r"[A-Za-z0-9_.\-]{1,80}", glob):
            glob = nodeid.rpartition("::")[2].partition("[")[0]
        pytest = f"pytest {shlex.quote(safe_text(target, limit=300))}"
        return (
            f"{pytest} --rank-update",
            f'{pytest} --rank-accept "*{glob}*" --rank-reason "..."',
        )


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

        Returns and raises as :meth:`RankGate.check` does.
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
