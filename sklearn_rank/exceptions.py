"""Errors and warnings that callers may want to catch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sklearn.exceptions import UndefinedMetricWarning as UndefinedMetricWarning

__all__ = [
    "ColumnRoleError",
    "ConventionWarning",
    "DuplicateItemError",
    "FileFormatError",
    "InvalidParameterError",
    "QueryMismatchError",
    "QuerySplitError",
    "RankingConfigError",
    "RankingDataWarning",
    "RankingMatchWarning",
    "RankingOrderWarning",
    "SearchStopped",
    "UndefinedMetricError",
    "UndefinedMetricWarning",
    "UnknownMeasureError",
]


class InvalidParameterError(ValueError, TypeError):
    """A parameter (``k``, an option) has an invalid value, or one that does not fit the data."""


class UnknownMeasureError(InvalidParameterError):
    """No measure has this name or spelling."""


class ColumnRoleError(ValueError):
    """The columns of queries, items, scores or grades are ambiguous."""


class DuplicateItemError(ValueError):
    """One ranking holds the same item twice."""


class FileFormatError(ValueError):
    """A file does not follow its format; the message begins with file and line."""

    line: int | None = None
    """Number of the wrong line, if a line is wrong."""


class QueryMismatchError(ValueError):
    """Judgements and rankings have different queries."""


class QuerySplitError(ValueError):
    """A cross-validation split divides a query."""


class UndefinedMetricError(ValueError):
    """A measure is undefined for a query, or has no exact bound over all gradings."""


class RankingConfigError(TypeError):
    """The query ids of rows are missing, or a scorer cannot measure anything as it is set up.

    A search over such a scorer ends with :class:`SearchStopped`, which has the same message.
    """


class SearchStopped(BaseException):
    """A scorer cannot measure any candidate, so the search stops.

    A ``BaseException`` on purpose: model selection turns any ``Exception`` in a scorer into NaN,
    and the search would succeed and pick the first candidate.
    """


class ConventionWarning(UserWarning):
    """A convention's program treats these data differently, and no parameter reproduces it."""


class RankingDataWarning(UserWarning):
    """The data look wrong: unmatched ids, swapped arguments, split queries, truncated rankings."""


class RankingMatchWarning(RankingDataWarning):
    """Queries or items of one side match none of the other; a gate fails unless it allows this."""


class RankingOrderWarning(RankingDataWarning):
    """Scores or ranks contradict the order of the rankings; an error in gates."""


def __getattr__(name: str) -> Any:
    # scikit-learn's class, so that one filter serves both libraries; imported when a warning
    # is really given, because scikit-learn is slow to import and most calls never warn.
    if name == "UndefinedMetricWarning":
        from sklearn.exceptions import UndefinedMetricWarning

        return UndefinedMetricWarning
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
