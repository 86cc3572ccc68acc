"""Failures and warnings of gates."""

from __future__ import annotations

__all__ = ["RankGateFailure", "RankGateWarning"]


class RankGateFailure(AssertionError):
    """A quality gate is not passed, or could not measure.

    An ``AssertionError``, so that every test runner counts it as a failure, not as an error.

    Attributes
    ----------
    headline : str
        The first line of the message: measure, value, threshold or change, and number of queries.
    result : GateResult or None
        What was measured; None where nothing could be.
    """

    def __init__(self, message: str, result: object = None) -> None:
        super().__init__(message)
        self.result = result

    @property
    def headline(self) -> str:
        """The first line of the message."""
        return str(self).partition("\n")[0]


class RankGateWarning(UserWarning):
    """A gate passed, and something about it should be looked at: an unconfirmed drop, say."""


# pytest prints the qualified name of an exception: the one that users import.
RankGateFailure.__module__ = RankGateWarning.__module__ = "pytest_rankmetrics"
