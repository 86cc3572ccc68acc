"""Why a case may cost more than the limit: what is known, named and explained.

The reason of a case stands beside it wherever it is beyond a limit. A case that is within its
limits on every processor needs none.
"""

from __future__ import annotations

from collections.abc import Mapping

_HASHED = "each id is hashed and compared as an object of Python"
_VALUES = (
    "each query has a value for each measure, which is kept and averaged; with so few rows a query "
    "that is most of the work"
)
_RANKINGS = (
    "each ranking is checked for items that repeat, which takes a call however short it is, and "
    "each query has a value for each measure"
)
_SHORT = "each query has two dicts, which are read and joined, and a value for each measure"
_HUNDRED = "a hundred measures, where the reference has four: each costs a fifth of the reference"
_OF_TIES = (
    "the chance of each place of a tie, item by item: three times nDCG of the same ties, where the "
    "reference has none"
)
_NUMPY = "each id is made one of Python's own, whose hash is not known yet"

_SCATTERED = "each id is hashed and compared, and all columns are put in the order of the queries"

REASONS: Mapping[tuple[str, str], str] = {
    ("rows", "ids: a list of integers, scattered"): (
        "the list becomes an array, and all columns are put in the order of the queries"
    ),
    ("rows", "ids: a list of text, scattered"): _SCATTERED,
    ("rows", "ids: tuples, scattered"): _SCATTERED,
    ("rows", "ids: NumPy text, scattered"): _SCATTERED,
    ("scorers", "ids: tuples"): _HASHED,
    ("rows", "shape: 1 rows a query"): _VALUES,
    ("rows", "shape: one query, five million rows"): (
        "a query is ranked whole, and so many keys fall out of the cache"
    ),
    ("rows, options", "ties: err, 8 distinct scores"): _OF_TIES,
    ("rows, options", "ties: nerr, 8 distinct scores"): _OF_TIES,
    ("rows, options", "measures: ndcg@1 to ndcg@100"): _HUNDRED,
    ("rows, options", "measures: 100"): _HUNDRED,
    ("an evaluation", "by_slice, 1,000 slices"): (
        "a thousand evaluations, each with its rankings, counts and four means: a quarter of a "
        "millisecond each, however many queries they have"
    ),
    ("an evaluation", "interval: bootstrap"): (
        "9,999 resamples of all queries, eight nanoseconds a draw; beyond the cache draws wait for "
        "memory"
    ),
    ("an evaluation", "placements"): (
        "an object for each query and each relevant item, which Python's garbage collector visits "
        "again and again as they become more"
    ),
    ("matrix", "shape: 2 columns"): _VALUES,
    ("lists", "items: NumPy integers"): _NUMPY,
    ("lists", "items: NumPy text"): _NUMPY,
    ("lists", "items: tuples"): _HASHED,
    ("lists", "items: bytes"): _HASHED,
    ("lists", "items: tuples with a string provider"): "the provider is called for each item",
    ("lists", "relevance"): "a score of each item is read and checked beside its id",
    ("lists", "shape: 1 items a ranking"): _RANKINGS,
    ("lists", "shape: 2 items a ranking"): _RANKINGS,
    ("mapping", "shape: 2 items a ranking"): _SHORT,
    ("gates", "beside another system, permutation"): "9,999 permutations of all queries",
}
