"""Whose a baseline is: the gate that recorded it, and whether that may be the gate that asks."""

from __future__ import annotations

from typing import NamedTuple

from pytest_rankmetrics._support.naming import name_of
from sklearn_rank.support.text import safe_repr, safe_text


class Owner(NamedTuple):
    """A gate, as a baseline knows it."""

    gate: str
    """Node id of the test; the name of a gate over files. "" in a file that does not say."""
    name: str
    """Name of the gate; "" in a file of before names were recorded."""

    @property
    def _is_test(self) -> bool:
        return "::" in self.gate

    @property
    def _is_named_by_its_test(self) -> bool:
        return self._is_test and self.name == name_of(self.gate)

    def matches(self, asking: Owner) -> bool:
        """Whether this is the gate that asks, or nothing says that it is not.

        A name of its own says whose a baseline is, because a run has it once; where a gate is
        called like its test, the test counts. The test of a gate in a fixture is whichever comes
        first, so that only a name can be compared. Files without a name may have moved with their
        module since, when nobody asked whose they were.
        """
        if not self.gate or (not self.name and not asking._is_named_by_its_test):
            return True
        if self.name and self.name != asking.name:
            return False
        if self._is_test and asking._is_named_by_its_test:
            return _is_one_test(self.gate, asking.gate, moved=not self.name)
        return True

    def __str__(self) -> str:
        gate = safe_text(self.gate, limit=300)
        if not self.name or self.name in (self.gate, name_of(self.gate)):
            return gate
        return f"{safe_repr(self.name)} ({gate})"


def _is_one_test(first: str, second: str, *, moved: bool) -> bool:
    """Whether two node ids differ at most in the root of the project; ``moved``: in directories."""
    (file, _, test), (other_file, _, other_test) = first.partition("::"), second.partition("::")
    if moved:
        file, other_file = file.rpartition("/")[2], other_file.rpartition("/")[2]
    longer, shorter = sorted((f"/{file}", f"/{other_file}"), key=len, reverse=True)
    return test == other_test and longer.endswith(shorter)
