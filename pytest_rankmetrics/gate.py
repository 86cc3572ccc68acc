"""The fixtures ``rank_gate``, which checks a whole policy in one call, and ``rank_regression``."""

from __future__ import annotations

import os
import re
import shlex
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pytest_rankmetrics.options import DEFAULTS, Options
from pytest_rankmetrics.session import PytestRun, current, shown_path
from sklearn_rank.gates.gate import failed, judge_gate
from sklearn_rank.gates.limits import (
    DEFAULT_DROP,
    Arguments,
    file_name,
    is_called,
    name_of,
    read_arguments,
)
from sklearn_rank.gates.verdict import BaselineFile, GateResult, RankGateFailure, RankGateWarning
from sklearn_rank.support.constants import DEFAULT_MEASURES
from sklearn_rank.support.text import safe_text
from sklearn_rank.view.words import warnings_of

if TYPE_CHECKING:
    from sklearn_rank.view.page import Section

with suppress(ModuleNotFoundError):  # assertions, and the demonstration, work without pytest
    import pytest

__all__ = ["RankGate", "RankRegressionFixture", "expected_failure"]


class RankGate:
    """Checks a system against thresholds and against its recorded baseline.

    Tests get it as the fixture ``rank_gate``. One call is one gate, and one failure reports all its
    violations. Several calls in one test need different names.
    """

    def __init__(
        self,
        request: pytest.FixtureRequest,
        *,
        path: Path | None = None,
        regenerate: bool = False,
    ) -> None:
        self._request = request
        self._path = path
        self._regenerate = regenerate

    def __repr__(self) -> str:
        return "<rank_gate>"

    def check(
        self,
        y_true: Any,
        y_score: Any = None,
        *,
        measures: Any = (),
        at_least: Any = None,
        at_most: Any = None,
        max_drop: Any = None,
        hard_drop: Any = None,
        totals: Mapping[Any, float] | None = None,
        slices: Any = None,
        max_slice_drop: Any = None,
        slice_at_least: Any = None,
        allow: Collection[str] = (),
        query_text: Any = None,
        item_text: Any = None,
        name: str | None = None,
        **reading: Any,
    ) -> GateResult:
        """Check thresholds, drops and slices at once.

        With ``max_drop`` the gate needs its baseline, which ``--rank-update`` writes next to
        the test module. A drop fails if it is beyond ``hard_drop``, or if it is beyond
        ``max_drop`` and is either significant or has two or more queries lost and none won.

        Parameters
        ----------
        y_true, y_score
            Ground truth and rankings, in any layout of :func:`sklearn_rank.evaluate`; or only an
            Evaluation.
        measures : str, Measure, or sequence of them, default=()
            More measures to show and record; a ``max_drop`` that is a number applies to them, too.
        at_least, at_most : {measure: float}, default=None
            Thresholds over all queries.
        max_drop : float or {measure: float}, default=None
            Allowed drop from the baseline, in units of the measure; a number applies to all
            measures named in the call, by default to ``"map"`` and ``"ndcg@10"``.
        hard_drop : float or {measure: float}, default=None
            Drop beyond which the gate always fails; if equal to ``max_drop``, there is no
            significance test.
        totals : {name: float}, default=None
            Numbers for the whole run; lower is better unless ``at_least`` has the name.
        slices : mapping, callable or str, default=None
            {query: label or labels}, {label: queries}, a function of the query id, or a column.
        max_slice_drop : float, default=None
            Allowed drop of each slice, for every measure that has an allowed drop.
        slice_at_least : {label: {measure: float}}, default=None
            Thresholds for slices of any size.
        allow : collection of str, default=()
            Problems in the data that this gate accepts.
        query_text, item_text : mapping or callable, default=None
            Texts of queries and titles of items.
        name : str, default=None
            Name of the gate and of its baseline; None uses the name of the running test.
        **reading
            Options of :func:`sklearn_rank.evaluate`; ``zero_division`` and ``missing`` are
            ``"raise"`` unless given.

        Returns
        -------
        result : GateResult
            Values, changes, p-values and states.

        Raises
        ------
        RankGateFailure
            If anything is worse than allowed, missing or stale, or cannot be measured.
        InvalidParameterError
            If there is no limit at all, or a limit is invalid.
        """
        __tracebackhide__ = hide
        given = {
            "measures": measures,
            "at_least": at_least,
            "at_most": at_most,
            "max_drop": max_drop,
            "hard_drop": hard_drop,
            "totals": totals,
            "slices": slices,
            "max_slice_drop": max_slice_drop,
            "slice_at_least": slice_at_least,
            "allow": allow,
            "query_text": query_text,
            "item_text": item_text,
            "name": name,
        }
        arguments = {key: value for key, value in given.items() if value is not None} | reading

        def judge(checked: Arguments, run: PytestRun | None) -> GateResult:
            options = run.options if run is not None else DEFAULTS
            nodeid = (run and run.nodeid) or self._request.node.nodeid
            return judge_gate(y_true, y_score, checked, self._file(checked, options, run, nodeid))

        return run_gate(arguments, "gate", judge)

    def _file(
        self, checked: Arguments, options: Options, run: PytestRun | None, nodeid: str
    ) -> BaselineFile:
        """The baseline: next to the test module, or below ``--rank-baseline-dir``."""
        name, compares = checked.name, bool(checked.limits.max_drop)
        config, module = self._request.config, Path(self._request.path)
        path = self._path or module.with_suffix("") / file_name(name)
        shown, elsewhere = shown_path(path, config), ""
        if compares and run is not None:
            run.claim(shown)
        if options.baseline_dir is not None:
            if self._regenerate:
                msg = "force_regen does not write to --rank-baseline-dir; leave one of them out"
                raise RankGateFailure(msg)
            if compares and Path(shown).is_absolute():
                # Joined to a directory it would be the very file that must not be read.
                msg = (
                    f"--rank-baseline-dir has no place for {safe_text(shown, limit=300)}, which is "
                    f"outside of the project's root; set --rootdir to a common directory"
                )
                raise RankGateFailure(msg)
            elsewhere = str(options.baseline_dir)
            path = options.baseline_dir / shown
        writes: Literal["", "update", "accept"] = ""
        if options.update or self._regenerate:
            writes = "update"
        if any(is_called(glob, name, nodeid) for glob in options.accept):
            writes = "accept"
        commands = self._commands(name, nodeid)
        return BaselineFile(path, shown, *commands, elsewhere, writes)

    def _commands(self, name: str, nodeid: str) -> tuple[str, str]:
        """Commands that write and lower the baseline, from where pytest was started."""
        target, start = nodeid, self._request.config.invocation_params.dir
        with suppress(ValueError):  # another drive of Windows
            file = Path(os.path.relpath(self._request.path, start)).as_posix()
            target = f"{file}::{nodeid.partition('::')[2]}"
        pytest = f"pytest {shlex.quote(safe_text(target, limit=300))}"
        accept = shlex.quote(safe_text(f"--rank-accept={name}", limit=300))
        return f"{pytest} --rank-update", f"{pytest} {accept}"


class RankRegressionFixture:
    """``rank_gate`` for users of pytest-regressions; stores baselines where that plugin does."""

    def __init__(self, request: pytest.FixtureRequest, directory: Path) -> None:
        self.request = request
        self.directory = directory
        self.force_regen = False
        self.with_test_class_names = False

    def check(
        self,
        y_true: Any,
        y_score: Any = None,
        measures: Any = DEFAULT_MEASURES,
        *,
        max_drop: Any = DEFAULT_DROP,
        basename: str | None = None,
        **limits: Any,
    ) -> GateResult:
        """Check as :meth:`RankGate.check` does; ``basename`` names the baseline."""
        __tracebackhide__ = hide
        node, option = self.request.node, self.request.config.getoption
        with_class = self.with_test_class_names or option("with_test_class_names", False)
        name = f"{node.cls.__name__}_{node.name}" if node.cls and with_class else node.name
        path = self.directory / file_name(basename or name)
        gate = RankGate(self.request, path=path, regenerate=self.force_regen)
        return gate.check(y_true, y_score, measures=measures, max_drop=max_drop, **limits)


# Running a gate ----------------------------------------------------------------------------------


def run_gate(
    arguments: Mapping[str, Any],
    subject: str,
    judge: Callable[[Arguments, PytestRun | None], GateResult],
) -> GateResult:
    """Judge by checked limits, and record the verdict so that no caller can lose it.

    ``subject`` names a gate that has no name and runs outside of pytest.
    """
    __tracebackhide__ = hide
    run, name = current(), arguments.get("name")
    label = str(name or (run and name_of(run.nodeid)) or subject)
    nodeid, options = ("", DEFAULTS) if run is None else (run.nodeid, run.options)

    def record(result: GateResult, section: Section | None = None) -> None:
        if run is not None:
            run.record(result, nodeid, section)

    try:
        checked = read_arguments(
            {**arguments, "name": label if name is None else name},
            options.settings,
            "page" if options.html else "rates" if options.json else "",
        )
        result, section = judge(checked, run), None
        if options.html:
            from sklearn_rank.view.gate_page import section_of

            section = section_of(result, checked.query_text, checked.item_text)
    except Exception as error:
        record(failed(label, error))
        if type(error).__module__.partition(".")[0] in _OURS:
            raise error.with_traceback(None)  # noqa: B904  # the message has the remedy
        raise
    if not result.passed:
        record(result, section)
        raise RankGateFailure(result.message, result)
    try:
        for text in warnings_of(result):
            warnings.warn(text, RankGateWarning, stacklevel=3)
    except RankGateWarning as error:  # by "-W error", and can be swallowed like any other
        record(failed(label, error))
        raise
    record(result, section)
    return result


_OURS = ("pytest_rankmetrics", "sklearn_rank")


def hide(excinfo: Any) -> bool:
    """The traceback of a failed gate hides the plugin's frames; that of an error shows them."""
    return type(excinfo.value).__module__.partition(".")[0] in _OURS


@contextmanager
def expected_failure(
    expected: type[Exception] | tuple[type[Exception], ...] = RankGateFailure,
    *,
    match: str | re.Pattern[str] | None = None,
) -> Iterator[pytest.ExceptionInfo[Any]]:
    """Pass if a gate fails in the block, as ``pytest.raises`` passes if something raises.

    A failed gate makes its run red even if something swallows its failure; this context declares
    that the failure is intended. The block may contain an ``await`` or wait for an executor.

    Parameters
    ----------
    expected : exception type or tuple of them, default=RankGateFailure
        A gate that cannot measure raises an error of :mod:`sklearn_rank`; with ``-W error`` a gate
        that warns raises ``RankGateWarning``.
    match : str or compiled pattern, default=None
        Regular expression to search for in the message.

    Yields
    ------
    info : pytest.ExceptionInfo
        ``info.value`` is the exception after the block.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_mrr_at_least
    >>> with expected_failure(match="required") as info:
    ...     result = assert_mrr_at_least({"q": {"a"}}, {"q": ["x", "a"]}, 0.9)
    >>> info.value.headline
    'MRR is 0.500, below the 0.900 required (1 query, 95% CI 0.000 to 1.000)'
    """
    __tracebackhide__ = True
    run = current()
    n_before = 0 if run is None else len(run.records)
    with pytest.raises(expected, match=match) as info:
        yield info
    if run is not None:
        run.records[n_before:] = [one for one in run.records[n_before:] if one["passed"]]
