"""What all gates have in common, wherever data and baseline come from: sort out, measure, judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, cast

from pytest_rankmetrics._support.typing import DataOptions, refuse_unknown
from pytest_rankmetrics.assessment.assess import assess
from pytest_rankmetrics.assessment.result import GateResult
from pytest_rankmetrics.baseline.record import Recording, Store
from pytest_rankmetrics.gates.outcome import result_of
from pytest_rankmetrics.measuring.strict import measure_strictly
from pytest_rankmetrics.policy.policy import GateLimits, Policy
from sklearn_rank.support.checks import check_option


class CheckArguments(GateLimits, DataOptions, total=False):
    """Everything that a gate takes besides its data."""

    store: Literal["ranks", "values"]


class SplitArguments(NamedTuple):
    """The same, sorted by purpose."""

    limits: GateLimits
    reading: DataOptions
    store: Store


def split_arguments(arguments: Mapping[str, Any], owner: str) -> SplitArguments:
    """Limits, how the data is read, and what is stored; TypeError for any other name."""
    refuse_unknown(arguments, CheckArguments)
    store = arguments.get("store", "ranks")
    check_option(store, "store", ("ranks", "values"), owner)

    def those_of(kind: type) -> dict[str, Any]:
        return {name: arguments[name] for name in kind.__annotations__ if name in arguments}

    return SplitArguments(
        cast("GateLimits", those_of(GateLimits)), cast("DataOptions", those_of(DataOptions)), store
    )


def check_gate(
    data: tuple[Any, Any],
    policy: Policy,
    reading: DataOptions,
    name: str,
    compare: Callable[[Recording], GateResult],
) -> GateResult:
    """Measure y_true and y_score, and judge them: by ``compare`` where there are allowed drops."""
    measured = measure_strictly(
        *data,
        policy.measures,
        reading,
        unjudged=policy.settings.unjudged,
        keep_items=policy.compares,
    )
    if policy.compares:
        return compare(Recording(measured))
    return result_of(assess(policy, measured), name)
