"""Rows that wait for a change of the package, which is under way."""

PENDING = frozenset(
    (
        'boosters_and_sklearn: a mask upside down',
        'gates: 40 of 40 queries got worse',
        'gates: pytest-insta#267: test_sp[a:b] and test_sp[a/b]',
        'gates: pytest-snapshot#57: shop/de and shop_de',
        'ranking_libraries: one score for all in a list',
        'ranking_libraries: the run as its own truth',
        "search_and_trec: a cell of several items: ', '",
        "search_and_trec: a cell of several items: ';'",
        "search_and_trec: a cell of several items: '|'",
        'search_and_trec: one score for all',
    )
)
