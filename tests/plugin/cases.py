"""Rankings whose every number can be computed in the head, for the suites and for the tests.

A query has one relevant item, ``"good"`` unless it has a name of its own, and is described by the
rank at which the system returns it: 0 means not returned among the ``depth`` items, ``None`` means
that the system returned nothing at all. Average precision and reciprocal rank of such a query are
1 / rank (0 where the item is not returned), recall@k is 1 if rank <= k, LAG is rank - 1.

The file is copied next to the suites that the tests run, which import it.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

Ranks = Sequence["int | None"]


def names(n: int) -> list[str]:
    """q001, q002, ..."""
    return [f"q{number:03d}" for number in range(1, n + 1)]


def ranking(rank: int | None, *, item: str = "good", depth: int = 10) -> list[str]:
    """Items of one query, the relevant one at ``rank``."""
    if rank is None:
        return []
    items = [f"bad{number}" for number in range(1, depth + 1)]
    if rank:
        items[rank - 1] = item
    return items


def truth(queries: Iterable[str] | int, *, item: str = "good") -> dict[str, set[str]]:
    """Judgements: one relevant item for each query."""
    queries = names(queries) if isinstance(queries, int) else list(queries)
    return {query: {item} for query in queries}


def results(ranks: Ranks, *, item: str = "good", depth: int = 10) -> dict[str, list[str]]:
    """Ranked lists of q001, q002, ..."""
    return {
        query: ranking(rank, item=item, depth=depth)
        for query, rank in zip(names(len(ranks)), ranks, strict=True)
    }


def case(ranks: Ranks, **options: object) -> tuple[dict[str, set[str]], dict[str, list[str]]]:
    """Judgements and ranked lists."""
    return truth(len(ranks)), results(ranks, **options)  # type: ignore[arg-type]


def system(**options: object) -> tuple[dict[str, set[str]], dict[str, list[str]]]:
    """What the system under test returns now: the ranks in the file next to this one."""
    return case(json.loads(Path(__file__).with_name("ranks.json").read_text()), **options)
