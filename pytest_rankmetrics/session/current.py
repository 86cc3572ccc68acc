"""The running test: where gates find their settings, and leave their records.

A stack instead of a context variable: pytest runs one test at a time, event loops keep the context
in which they were made (of another test, then), and threads of a test have none of its own.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from pytest_rankmetrics.policy.settings import Settings


@dataclass(eq=False, repr=False)
class Running:
    """One run of one test."""

    nodeid: str = ""
    """What pytest calls the test now: pytest-xdist appends its group."""
    own: str = ""
    """What the test is called in every run."""
    settings: Settings = field(default_factory=Settings)
    records: list[dict[str, Any]] = field(default_factory=list)
    """Gates that ran and were not reported yet."""
    names: list[str] = field(default_factory=list)
    """Names of all gates of this run of the test."""
    explains: bool = False
    """Whether a report was asked for that says everything of gates that passed, too."""
    ran: bool = False
    """Whether any gate was called in this try of the test."""
    given: dict[str, str] = field(default_factory=dict)
    """Explicit names in the whole session, with the test that took each."""

    @property
    def test(self) -> str:
        """Name of the test within its module, its classes included."""
        return self.own.partition("::")[2].replace("::", ".") or self.own


_stack: list[Running] = []
_nobody = Running()


def push(running: Running) -> None:
    """A test starts."""
    _stack.append(running)


def pop() -> None:
    """The test ends."""
    _stack.pop()


def running() -> Running:
    """The test that is running; outside of pytest one without name whose records nobody reads.

    A session within a session may run without the plugin: its tests are not those of the stack.
    """
    if not _stack:
        return _nobody
    current = os.environ.get("PYTEST_CURRENT_TEST")
    named = _stack[-1].nodeid.replace("\x00", "(null)")
    if current is not None and current.rpartition(" (")[0] != named:
        return _nobody
    return _stack[-1]
