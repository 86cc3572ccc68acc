"""Errors and warnings that callers may want to catch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sklearn.exceptions import UndefinedMetricWarning as UndefinedMetricWarning

__all__ = [
    "BoundsError",
    "ColumnRoleError",
    "ConventionWarning",
    "CutRankingsWarning",
    "DegenerateQueriesWarning",
    "DuplicateItemError",
    "FileFormatError",
    "GroupsRequiredError",
    "InvalidParameterError",
    "MaskedScoresWarning",
    "NothingRetrievedWarning",
    "QueryMismatchError",
    "QuerySplitError",
    "QuerySplitWarning",
    "RankingConfigError",
    "ScoresRequiredError",
    "SharedTruthWarning",
    "UndefinedMetricError",
    "UndefinedMetricWarning",
    "UnknownItemsWarning",
    "UnknownMeasureError",
]


class BoundsError(ValueError):
    """There is no exact bound of a measure over all gradings, or none that is found in time."""


class ColumnRoleError(ValueError):
    """It is not clear which column holds the queries, the items, the scores or the grades."""


class FileFormatError(ValueError):
    """A file does not hold what its format demands; the message begins with file and line."""


class InvalidParameterError(ValueError, TypeError):
    """A parameter (``k``, an option) has a value that its rule does not allow."""


class UnknownMeasureError(InvalidParameterError):
    """A measure was asked for by a name or spelling that means nothing here."""


class DuplicateItemError(ValueError):
    """One ranking holds the same item twice."""


class QueryMismatchError(ValueError):
    """Judgements and rankings do not speak of the same queries."""


class QuerySplitError(ValueError):
    """A cross-validation split divides a query."""


class ScoresRequiredError(ValueError):
    """A pooled measure was asked of rankings whose scores do not compare across queries."""


class UndefinedMetricError(ValueError):
    """A measure is undefined for a query and ``zero_division="raise"`` was asked for."""


class RankingConfigError(TypeError):
    """A scorer was set up in a way in which it cannot measure anything.

    A ``TypeError`` on purpose: scikit-learn's model selection suppresses ``ValueError`` where it
    turns a scorer's result into a number, so that only other errors end a search.
    """


class GroupsRequiredError(RankingConfigError):
    """The query of each row is needed and was not given."""


class ConventionWarning(UserWarning):
    """The program of a convention counts these data otherwise, in a way that is not offered."""


class DegenerateQueriesWarning(UserWarning):
    """Every query has a single row, so that nothing is ranked; perhaps groups are row ids."""


class CutRankingsWarning(UserWarning):
    """All rankings end at one length, and a measure needs the irrelevant items that are cut off."""


class MaskedScoresWarning(UserWarning):
    """A measure that counts every irrelevant item met cells of a matrix that are scored -inf."""


class NothingRetrievedWarning(UserWarning):
    """No relevant item of any query was retrieved: perhaps the ids are written differently."""


class QuerySplitWarning(UserWarning):
    """The rows of a fold that is scored are only part of their queries."""


class SharedTruthWarning(UserWarning):
    """An item of the one ground truth shared by all queries was found by several queries."""


class UnknownItemsWarning(UserWarning):
    """Judged items are not in the index, so that no ranking can hold them."""


def __getattr__(name: str) -> Any:
    # scikit-learn's own class, so that one filter serves both libraries; imported when a warning
    # is really given, because scikit-learn is slow to import and most calls never warn.
    if name == "UndefinedMetricWarning":
        from sklearn.exceptions import UndefinedMetricWarning

        return UndefinedMetricWarning
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
