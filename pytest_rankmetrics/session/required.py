"""Gates that have to run and pass, by name: ``rank_required``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_rankmetrics._support.naming import name_of
from pytest_rankmetrics.report.summary import GateRun, is_red

MOST_NAMED = 5
"""Tests named for one entry of the setting; more would hide the others."""


def is_named(own: str, wanted: str) -> bool:
    """Whether a node id or name, with or without parameters, means this test."""
    return any(name == wanted or name.startswith(f"{wanted}[") for name in (own, name_of(own)))


def _is_named(record: Mapping[str, Any], wanted: str) -> bool:
    name = str(record["name"])
    return (
        is_named(str(record["nodeid"]), wanted) or name == wanted or name.startswith(f"{wanted}[")
    )


@dataclass(frozen=True)
class Required:
    """What the setting is checked against."""

    gates: Sequence[GateRun]
    """The gates that ran."""
    collected: Collection[str]
    """Node ids of the tests that were collected under the names, those left out included."""
    recorded: Mapping[str, str] = field(default_factory=dict)
    """Node ids of the gates with a baseline that this run did not use, with its path."""

    def missing(self, wanted: str) -> Iterator[str]:
        """Why a name is not satisfied; nothing if it is."""
        own = [run for run in self.gates if _is_named(run.record, wanted)]
        gone = {test: path for test, path in self.recorded.items() if is_named(test, wanted)}
        ran = {str(run.record["nodeid"]) for run in own}
        silent = self._silent(wanted, {_function_of(test) for test in (*ran, *gone)}, ran)
        yield from _shortened(
            [
                *(text for run in own if (text := _complaint(run, wanted))),
                *(f"required gate {wanted!r} did not run in {test}" for test in silent),
                *(
                    f"required gate {wanted!r} did not run in {test}, which is recorded in {path} "
                    f"and was not collected"
                    for test, path in gone.items()
                    if test not in self.collected
                ),
            ]
        )
        if not own and not silent and not gone:
            yield f"required gate {wanted!r} did not run"

    def _silent(self, wanted: str, functions: set[str], ran: set[str]) -> list[str]:
        """Tests under a name in which no gate ran, although one does for other parameters."""
        exact = "::" in wanted
        return [
            test
            for test in self.collected
            if test not in ran
            and is_named(test, wanted)
            and (exact or not functions or _function_of(test) in functions)
        ]


def _complaint(run: GateRun, wanted: str) -> str:
    if is_red(run.record) or run.record["verdict"] == "xfail":
        return f"required gate {wanted!r} failed in {run.test}"
    if run.test_passed:
        return ""
    return f"required gate {wanted!r} does not count: {run.test} {run.outcome}"


def _function_of(own: str) -> str:
    file, colons, test = own.partition("::")
    return file + colons + test.partition("[")[0]


def _shortened(texts: list[str]) -> Iterable[str]:
    more = len(texts) - MOST_NAMED
    return texts if more <= 0 else [*texts[:MOST_NAMED], f"... and {more:,} more of the same"]
