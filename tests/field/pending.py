"""Rows that wait for a change of the package, which is under way."""

PENDING = frozenset(
    (
        "boosters_and_sklearn: a mask upside down",
        "gates: 40 of 40 queries got worse",
        "rag_and_golden: haystack: objects without __eq__",
        "rag_and_golden: llama_index#16361: ids that never match",
        "rag_and_golden: mt-rag-benchmark#3",
        "ranking_libraries: a space after one item in eight",
        "ranking_libraries: half of the queries with a byte order mark",
        "ranking_libraries: half of the queries with a dash",
        "ranking_libraries: half of the queries with a prefix",
        "ranking_libraries: half of the queries with a quotes",
        "ranking_libraries: half of the queries with a suffix",
        "ranking_libraries: one query whose ids look different",
        "ranking_libraries: one score for all in a list",
        "ranking_libraries: the run as its own truth",
        "ranking_libraries: three queries that found nothing",
        "ranking_libraries: truths padded with ''",
        "ranking_libraries: truths padded with 'None'",
        "ranking_libraries: truths padded with 'nan'",
        "ranking_libraries: truths padded with -1",
        "recommenders: lightfm#348",
        "recommenders: spotlight#147",
        "search_and_trec: a cell of several items: ', '",
        "search_and_trec: a cell of several items: ';'",
        "search_and_trec: a cell of several items: '|'",
        "search_and_trec: one score for all",
    )
)
