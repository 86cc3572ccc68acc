"""Failures that a test expects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pytest_rankmetrics.failures import RankGateFailure
from pytest_rankmetrics.session import current

if TYPE_CHECKING:
    import pytest

__all__ = ["expected_failure"]


@contextmanager
def expected_failure(
    expected: type[Exception] | tuple[type[Exception], ...] = RankGateFailure,
    *,
    match: str | re.Pattern[str] | None = None,
) -> Iterator[pytest.ExceptionInfo[Any]]:
    """Pass if a gate fails in the block, as ``pytest.raises`` passes if something raises.

    A failed gate makes its run red even if the test goes on: ``pytest.raises``, ``except`` clauses,
    ``contextlib.suppress`` and doctests hide a failure, and nothing tells an intended one from a
    lost one. This says that it is intended. It may stand around everything that the failure passes
    through: an ``await``, the result of an executor, a helper that raises something else from it.

    Parameters
    ----------
    expected : exception type or tuple of them, default=RankGateFailure
        What leaves the block. A gate that could not measure raises an error of
        :mod:`sklearn_rank`, such as ``QueryMismatchError``; with ``-W error`` a gate that warns
        raises ``RankGateWarning``.
    match : str or compiled pattern, default=None
        Regular expression that is searched in the message.

    Yields
    ------
    info : pytest.ExceptionInfo
        ``info.value`` is the exception, once the block has ended. Of a group, as
        ``asyncio.TaskGroup`` raises it, the first member that is expected.

    Raises
    ------
    pytest.fail.Exception
        If nothing is raised in the block.
    AssertionError
        If the message does not match.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_mrr_at_least
    >>> with expected_failure(match="required") as info:
    ...     result = assert_mrr_at_least({"q": {"a"}}, {"q": ["x", "a"]}, 0.9)
    >>> info.value.headline
    'MRR is 0.500, below the 0.900 required (1 query, 95% CI 0.000 to 1.000)'
    """
    __tracebackhide__ = True
    import pytest

    with pytest.raises(expected, match=match) as info:  # noqa: PT012
        try:
            yield info
        except BaseExceptionGroup as group:
            matching, others = group.split(expected)
            if matching is None or others is not None or isinstance(group, expected):
                raise
            member: BaseException = matching
            while isinstance(member, BaseExceptionGroup):
                member = member.exceptions[0]
            raise member from group
    _drop_records(info.value)


def _drop_records(error: BaseException) -> None:
    """Forget the failed gates that led to an exception."""
    running = current.running()
    seen: set[int] = set()
    left: list[BaseException | None] = [error, error.__cause__]
    while left:
        link = left.pop()
        if link is None or id(link) in seen:
            continue
        seen.add(id(link))
        if isinstance(link, BaseExceptionGroup):
            left += link.exceptions
        # Stop at an exception that a gate raised: what led to it is no concern of the test.
        if not running.expected(link):
            left += [link.__cause__, link.__context__]
