"""Why a case may cost more than the limit: what is known, named and explained.

The reason of a case stands beside it wherever it is beyond a limit. A case that is within its
limits on every processor needs none.
"""

from __future__ import annotations

from collections.abc import Mapping

_OBJECTS = "each number is an object of Python, which is looked at one by one"
_HASHED = "each id is hashed and compared as an object of Python"
_VALUES = (
    "each query has a value for each measure, which is kept and averaged; with so few rows a query "
    "that is most of the work"
)
_RANKINGS = "each ranking is checked for items that repeat, which takes a call however short it is"
_HUNDRED = "a hundred measures, where the reference has four"

REASONS: Mapping[tuple[str, str], str] = {
    ("rows", "ids: UUIDs"): _HASHED,
    ("rows", "ids: tuples, scattered"): _HASHED,
    ("rows", "ids: NumPy text, scattered"): (
        "each text is hashed and compared, and all columns are put in the order of the queries"
    ),
    ("rows", "scores: objects"): _OBJECTS,
    ("rows", "scores: a list"): _OBJECTS,
    ("rows", "scores: a list of NumPy numbers"): _OBJECTS,
    ("rows", "scores: a tuple"): _OBJECTS,
    ("rows", "grades: objects"): _OBJECTS,
    ("rows", "shape: 1 rows a query"): _VALUES,
    ("rows", "shape: one query, five million rows"): (
        "a query is ranked whole, and so many keys fall out of the cache"
    ),
    ("rows, options", "measures: ndcg@1 to ndcg@100"): _HUNDRED,
    ("rows, options", "measures: 100"): _HUNDRED,
    ("an evaluation", "by_slice, 1,000 slices"): (
        "a thousand evaluations, each with its values, counts and averages"
    ),
    ("an evaluation", "interval: bootstrap"): "9,999 resamples of all queries",
    ("an evaluation", "placements"): "an object for each relevant item",
    ("matrix", "shape: 2 columns"): _VALUES,
    ("lists", "items: bytes"): _HASHED,
    ("lists", "items: tuples with a string provider"): "the provider is called for each item",
    ("lists", "relevance"): "a score of each item is read and checked beside its id",
    ("lists", "shape: 1 items a ranking"): _RANKINGS,
    ("lists", "shape: 2 items a ranking"): _RANKINGS,
    ("gates", "beside another system, permutation"): "9,999 permutations of all queries",
}
