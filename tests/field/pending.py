"""Rows that wait for a change of the package, which is under way."""

PENDING = frozenset(
    (
        "boosters_and_sklearn: a mask upside down",
        "ranking_libraries: one score for all in a list",
        "ranking_libraries: the run as its own truth",
        "search_and_trec: a cell of several items: ', '",
        "search_and_trec: a cell of several items: ';'",
        "search_and_trec: a cell of several items: '|'",
        "search_and_trec: one score for all",
    )
)
