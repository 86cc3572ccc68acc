"""Options of all gates besides data and limits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from sklearn_rank.inputs.roles import SideColumns
from sklearn_rank.typing import Duplicates, Missing, StringProvider, Ties, ZeroDivision

Allowed: TypeAlias = Literal[
    "unjudged",
    "missed",
    "shared",
    "single_rows",
    "no_hits",
    "swapped",
    "undefined",
    "cannot_tell",
    "truncated",
    "unretrieved",
    "perfect",
]


class DataOptions(TypedDict, total=False):
    """Options of the data of a gate: those of ``sklearn_rank.evaluate``, but strict.

    What the library would leave out, silently or with a warning, is an error here unless the test
    says otherwise: ``zero_division`` and ``missing`` are ``"raise"`` where they are not given, and
    everything else has to be named in ``allow``.
    """

    groups: Any
    """Query id of each row; for the rows layout."""
    columns: SideColumns
    """Columns of data frames by their role, where their names do not tell it."""
    candidates: Any
    """Which cells of a matrix are ranked at all."""
    query_ids: Sequence[Any]
    """Names of the queries; for the lists and matrix layouts, where a query is a position."""
    string_provider: StringProvider | None
    """Turns an item into the string by which items are compared."""
    relevance: Any
    """Scores of the items of ranked lists."""
    sample_weight: Any
    """Weight of each query."""
    clusters: Any
    """Queries that belong together, such as paraphrases: {query: label}, a function of the query
    id, or a column of a data frame. Tests and intervals go by cluster."""
    ties: Ties | None
    zero_division: ZeroDivision
    """Value of undefined queries; default "raise"."""
    missing: Missing
    """Value of judged queries without a ranking; default "raise"."""
    duplicates: Duplicates
    """An item that stands twice in a ranking; default "raise"."""
    ignore_identical_ids: bool
    """Whether the item with the id of its query is left out of a ranking; default False."""
    assume: Literal["complete", "partial"] | None
    """Whether items that are not in the judgements count as judged; None goes by their form."""
    unjudged: Literal["irrelevant", "condense", "bounds"] | None
    """Value of unjudged items: irrelevant, left out, or any grade; None: the setting."""
    values: Mapping[Any, Mapping[Any, float]] | None
    """Values measured elsewhere, such as a latency: {name or measure: {query: number}}."""
    convention: str
    allow: Collection[Allowed]
    """Faults that are no error in this gate: ranked queries that are "unjudged"; items of one
    shared ground truth that were "missed" by all queries or are "shared" by several; queries of
    "single_rows"; "no_hits" at all; arguments that look "swapped"; queries that found nothing, or
    had a value in the baseline, and are "undefined" now. And what is no warning: rankings
    "truncated" before the cutoff, a measure that gets better when relevant items are
    "unretrieved", and a "perfect" score."""
    query_text: Mapping[Any, str] | Callable[[Any], str]
    """Text of a query, shown beside its id if a gate fails."""
    n_queries: int
    """Exact number of queries that have to be evaluated."""
    name: str
    """Name of the gate; default: that of the running test."""


def refuse_unknown(arguments: Mapping[str, Any], *known: type) -> None:
    """TypeError for a keyword argument that is in none of the TypedDicts."""
    names = [name for own in known for name in own.__annotations__]
    unknown = next((name for name in arguments if name not in names), None)
    if unknown is not None:
        from sklearn_rank.support.text import closest

        msg = f"unexpected keyword argument {unknown!r}{closest(unknown, names)}"
        raise TypeError(msg)
