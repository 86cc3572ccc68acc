"""Forms in which people hold judgements and rankings: each is read, or refused by its name."""

import array
import collections
import decimal
import fractions
from dataclasses import dataclass
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

from tests.field.row import Made, Refused, Row, Table
from tests.field.tensor import Tensor

GRADES, SCORES, QUERIES = [0, 1, 0, 1, 0, 0], [0.9, 0.5, 0.1, 0.8, 0.7, 0.6], [7, 7, 7, 9, 9, 9]
RIGHT = (1 / 2 + 1) / 2
"""The reciprocal ranks of two queries of three items each."""
TWO = (2, 3)
M_GRADES, M_SCORES = np.reshape(GRADES, TWO), np.reshape(SCORES, TWO)
ROWS_OF = {"groups": QUERIES}


def tensor_rows(tensor):
    """Data of a class of tensors, in all places where a tensor may stand."""
    make, float32, bfloat16, integer = tensor.make, tensor.float32, tensor.bfloat16, tensor.int64
    rows = []

    def row(name, truth, ranking, measure="mrr", want=RIGHT, **options):
        rows.append(Row(f"{tensor.name}: {name}", truth, ranking, measure, want, options))

    def ids(items):
        return make(items, integer)

    one_row, learning = make(SCORES, float32), make(M_SCORES, float32, True)
    for kind in ("float64", "float32", "float16", "bfloat16"):
        dtype = getattr(tensor, kind)
        row(f"matrix of {kind}", make(M_GRADES, dtype), make(M_SCORES, dtype))
    row("matrix of ranks", make(M_GRADES, tensor.bool), ids([[2, 1, 0], [9, 7, 5]]))
    row("matrix that learns", make(M_GRADES, tensor.uint8), learning)
    row("grades alone", ids(M_GRADES), M_SCORES)
    row("scores alone", M_GRADES, make(M_SCORES, bfloat16))
    row("rows", ids(GRADES), one_row, groups=ids(QUERIES))
    row("rows of listed queries", ids(GRADES), one_row, groups=QUERIES)
    row("rows that learn", ids(GRADES), make(SCORES, float32, True), groups=ids(QUERIES))
    score = {"x": make(0.9, float32), "a": make(0.5, float32)}
    row("one score", {"q": {"a", "b"}}, {"q": score}, want=1 / 2)
    grade = {"q": {"a": ids(2)}}
    row("one grade", grade, {"q": ["x", "a"]}, "dcg", (2**2 - 1) / np.log2(3))
    row("ids of a ranking", {"q": {3, 5}}, {"q": ids([9, 3, 5])}, want=1 / 2)
    row("ids of a truth", {"q": ids([3, 5])}, {"q": [9, 3, 5]}, want=1 / 2)
    row("ids per query", [{3}, {5}], ids([[3, 4], [6, 5]]))
    row("items one by one", {"q": {3, 5}}, {"q": [*ids([9, 3, 5])]}, want=1 / 2)
    row("a list of tensors", [{3}, {5}], [ids([3, 4]), ids([6, 5])])
    row("candidates", M_GRADES, M_SCORES, candidates=make(np.ones(TWO), tensor.bool))
    weighted = (3 * 1 / 2 + 1 * 1) / (3 + 1)
    row("weights", M_GRADES, M_SCORES, want=weighted, sample_weight=make([3.0, 1.0], float32))
    row("relevance", [{"a"}], [["b", "a"]], "gauc", 0.0, relevance=make([[0.9, 0.5]], float32))
    row("rows without groups", ids(GRADES), one_row, want=Refused("groups"))
    unknown = make([[np.nan, 1, 2]], float32)
    row("NaN", ids([[1, 0, 0]]), unknown, want=Refused("NaN"))
    return rows


@dataclass
class Item:
    """An item that has no hash, since it can be equal to another."""

    id: str


@dataclass(frozen=True)
class Fixed:
    """An item with a hash."""

    id: str


Hit = collections.namedtuple("Hit", "id score")
Judged = collections.namedtuple("Judged", "id grade")
COMMON = (tuple, collections.deque, np.array, pd.Series, pd.Index, pl.Series, pa.array, iter)
"""Forms of numbers, of rankings and of truths."""


def named(**forms):
    """Forms by name, and those that all have in common."""
    return {form.__name__: form for form in COMMON} | forms


def each(form, table):
    return {query: form([*items]) for query, items in table.items()}


def falling(items):
    return [(item, 9 - n) for n, item in enumerate(items)]


def of_arrow(numbers):
    return pd.Series(pa.array(numbers), dtype=pd.ArrowDtype(pa.array(numbers).type))


ARRAYS = named(
    memoryview=lambda numbers: memoryview(np.array(numbers)),
    array_array=lambda numbers: array.array("dl"[isinstance(numbers[0], int)], numbers),
    masked=np.ma.masked_array,
    series_of_strings=lambda numbers: pd.Series(numbers, index=[*"fedcba"]),
    int64_or_float64=lambda numbers: pd.Series(numbers).convert_dtypes(),
    pandas_array=pd.array,
    pandas_of_arrow=of_arrow,
    arrow_chunks=lambda numbers: pa.chunked_array([numbers[:2], numbers[2:]]),
    numbers_of_numpy=lambda numbers: [*np.array(numbers)],
    no_dimension=lambda numbers: [*map(np.array, numbers)],
    decimals=lambda numbers: [*map(decimal.Decimal, map(str, numbers))],
    fractions=lambda numbers: [*map(fractions.Fraction, numbers)],
    objects=lambda numbers: np.array(numbers, dtype=object),
    big_endian=lambda numbers: np.array(numbers, dtype=">f8"),
    float16=lambda numbers: np.array(numbers, dtype=np.float16),
    longdouble=lambda numbers: np.array(numbers, dtype=np.longdouble),
)
MATRICES = {
    form.__name__: form
    for form in (memoryview, np.ma.masked_array, np.asfortranarray, pd.DataFrame, np.ndarray.tolist)
}
RANKINGS = named(
    keys=lambda items: dict.fromkeys(items).keys(),
    string=lambda items: pd.array(items, dtype="string"),
    categories=pd.Categorical,
    generator=lambda items: (item for item in items),
    pairs=falling,
    named_tuples=lambda items: [Hit(*pair) for pair in falling(items)],
    dicts=lambda items: [{"id": item, "score": score} for item, score in falling(items)],
    objects=lambda items: [SimpleNamespace(id=i, score=score) for i, score in falling(items)],
    scores=lambda items: dict(falling(items)),
    decimals=lambda items: {i: decimal.Decimal(score) for i, score in falling(items)},
    no_dimension=lambda items: {i: np.array(score) for i, score in falling(items)},
    ordered=lambda items: collections.OrderedDict(falling(items)),
    series_of_scores=lambda items: pd.Series(dict(falling(items))),
    counter=lambda items: collections.Counter(dict(falling(items))),
)
TRUTHS = named(
    set=set,
    frozenset=frozenset,
    string=lambda items: pd.array(items, dtype="string"),
    key_view=lambda items: dict.fromkeys(items).keys(),
    grades=lambda items: dict.fromkeys(items, 1),
    default=lambda items: collections.defaultdict(int, dict.fromkeys(items, 1)),
    counter=collections.Counter,
    booleans=lambda items: dict.fromkeys(items, True),
    numbers_of_numpy=lambda items: dict.fromkeys(items, np.int64(1)),
    judged_dicts=lambda items: [{"id": item, "grade": 1} for item in items],
    judged_tuples=lambda items: [Judged(item, 1) for item in items],
    generator=lambda items: (item for item in items),
)
FRAMES = {
    "pandas": pd.DataFrame,
    "Int64, string": pd.DataFrame.convert_dtypes,
    "of Arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "categories": lambda frame: frame.astype({"query": "category", "item": "category"}),
    "Polars": pl.from_pandas,
    "Arrow": pa.Table.from_pandas,
    "RecordBatch": pa.RecordBatch.from_pandas,
    "in another order": lambda frame: frame[::-1],
}
UNREADABLE = {"generator": "generator", "iter": "iterator", "decimals": "Decimal"} | {
    "fractions": "Fraction",
    "series_of_scores": "Series.*to_dict",
    "keys": "dict_keys",
    "judged_dicts": "dict",
    "judged_tuples": "{item: grade}",
    "DataFrame": "to_numpy|DataFrame",
    "tolist": "array",
    "RecordBatch": "RecordBatch",
}
"""Forms that are refused, and what is said of them."""


def right(name):
    """The value of a form that is read, or the error of one that is not."""
    return Refused(UNREADABLE[name]) if name in UNREADABLE else RIGHT


MAPPINGS = (collections.OrderedDict, MappingProxyType, collections.UserDict, collections.ChainMap)
SPARSE = [f"{kind}_{form}" for kind in ("csr", "csc", "coo") for form in ("array", "matrix")]
TRUTH, RANKING = {"a": {"x": 1, "y": 1}, "b": {"z": 1}}, {"a": ["v", "x", "y"], "b": ["z"]}
SCORED = {"a": {"v": 3.0, "x": 2.0, "y": 1.0}, "b": {"z": 0.5}}
LONG = pd.DataFrame({"query": [*"aaabbb"], "item": [*"xyzxyz"], "grade": GRADES})
RAN = pd.DataFrame({"query": [*"aaabbb"], "item": [*"xyzxyz"], "score": SCORES})
EMPTY = {"n": {}, "a": {"x"}, "b": ["y"]}
ROWS = Table()
row, case, files, call = ROWS.row, ROWS.case, ROWS.files, ROWS.call

ROWS.extend(tensor_rows(Tensor))
for name, form in ARRAYS.items():
    judged, ranked = Made(form, GRADES), Made(form, SCORES)
    row(f"rows of {name}", judged, ranked, "mrr", right(name), ROWS_OF)
    wanted = right(name) if name == "iter" else RIGHT
    row(f"groups of {name}", GRADES, SCORES, "mrr", wanted, {"groups": Made(form, QUERIES)})
for name, form in MATRICES.items():
    judged, ranked = Made(form, M_GRADES), Made(form, M_SCORES)
    row(f"matrix of {name}", judged, ranked, "mrr", right(name))
for name in SPARSE:
    form = getattr(sparse, name)
    row(f"sparse {name}", form(M_GRADES), M_SCORES, "mrr", RIGHT)
    row(f"sparse scores {name}", M_GRADES, form(M_SCORES), "mrr", Refused("sparse"))
for form in (*MAPPINGS, lambda table: collections.defaultdict(dict, table)):
    row(f"queries in a {form.__name__}", form(TRUTH), form(RANKING), "mrr", RIGHT)
    inner = {q: form(TRUTH[q]) for q in TRUTH}, {q: form(SCORED[q]) for q in SCORED}
    row(f"items in a {form.__name__}", *inner, "mrr", RIGHT)
for name, form in RANKINGS.items():
    row(f"a ranking of {name}", TRUTH, Made(each, form, RANKING), "mrr", right(name))
for name, form in TRUTHS.items():
    row(f"a truth of {name}", Made(each, form, TRUTH), RANKING, "mrr", right(name))
for name, form in FRAMES.items():
    row(f"a frame, {name}", Made(form, LONG), Made(form, RAN), "mrr", right(name))
for kind in ("Int64", "boolean"):
    judged = LONG.assign(grade=pd.array([None, *GRADES[1:]], dtype=kind))
    row(f"a grade of {kind} is NA", judged, RAN, "mrr", Refused("grade"))
judged = LONG.assign(query=pd.array([None, *"aabbb"], dtype="string"))
row("a query is NA", judged, RAN, "mrr", Refused("query"))
ranked = RAN.assign(score=pd.array([None, *SCORES[1:]], dtype="Float64"))
row("a score is NA", LONG, ranked, "mrr", Refused("score"))
row("labels as booleans", LONG.assign(grade=LONG.grade.astype("boolean")), RAN, "mrr", RIGHT)
# `{}` beside sets and lists
ZERO = {"zero_division": 0.0}
ranked = {"n": ["z"], "a": ["v", "x"], "b": ["y"]}
row("{} beside sets", EMPTY, ranked, "mrr", (0 + 1 / 2 + 1) / 3, ZERO)
row("{} beside lists", {"n": {"z"}, "a": {"x"}}, {"n": {}, "a": ["x"]}, "mrr", (0 + 1) / 2)
row("{} beside scores", {"n": {"z"}, "a": {"x"}}, {"n": {}, "a": {"x": 1.0}}, "mrr", (0 + 1) / 2)
row("{} in lists", [{}, {"x"}], [["z"], ["v", "x"]], "mrr", (0 + 1 / 2) / 2, ZERO)
row("{} of numbers", [{}, {7}, [8]], [[1], [2, 7], [8]], "mrr", (0 + 1 / 2 + 1) / 3, ZERO)
row("[] beside grades", [[], {"x": 2}], [["z"], ["v", "x"]], "mrr", (0 + 1 / 2) / 2, ZERO)
judged, ranked = pd.Series([{}, {"x"}], [*"na"]), pd.Series([["z"], ["v", "x"]], [*"na"])
row("{} in a Series", judged, ranked, "mrr", (0 + 1 / 2) / 2, ZERO)
# Objects as items
row("dataclasses with a hash", [{Fixed("a")}], [[Fixed("b"), Fixed("a")]], "mrr", 1 / 2)
row("dataclasses without a hash", [[Item("a")]], [[Item("b"), Item("a")]], "mrr", 1 / 2)
options = {"string_provider": lambda item: item.id}
row("dataclasses and a provider", [[Item("a")]], [[Item("b"), Item("a")]], "mrr", 1 / 2, options)
row("lists as items", [[["a"]]], [[["b"], ["a"]]], "mrr", Refused("list"))
row("one text as a ranking", {"q": {"a"}}, {"q": "ba"}, "mrr", Refused("text|str|list"))
row("one number as a truth", {"q": 3}, {"q": [3]}, "mrr", Refused("list|set|int"))
row("nothing", None, None, "mrr", Refused("None|y_true"))
row("a truth of None", {"q": None}, {"q": ["a"]}, "mrr", Refused("None|query id"))
row("bytes", {"q": {b"a"}}, {"q": [b"b", b"a"]}, "mrr", 1 / 2)
# Forms of one query, of rows and of columns
FLAT = {"files": "it is no table", "scorer": "y has a truth for each query"}
row("one query, flat", {"a"}, ["b", "a"], "mrr", Refused(r"\[y_true\]"), {}, FLAT)
row("one query, flat lists", ["a"], ["b", "a"], "mrr", Refused(r"\[y_true\]"), {}, FLAT)
row("one query, flat dicts", {"a": 1}, {"a": 0.5}, "mrr", Refused("{query: {item"), {}, FLAT)
row("one ranking, flat", [{"a"}], ["b", "a"], "mrr", Refused(r"\[y_true\]"), {}, FLAT)
judged, ranked = {("q", "a"): 1}, {("q", "a"): 1.0}
wanted = Refused("{query: {item")
row("a number by query and item", judged, ranked, "mrr", wanted, {}, FLAT)
row(
    "one item for each",
    {"q": 5, "p": 7},
    {"q": [5], "p": [8, 7]},
    "mrr",
    Refused(r"\[5\]"),
    {},
    FLAT,
)
row("(score, id)", {"q": ["a"]}, {"q": [(4.5, "b"), (4.1, "a")]}, "mrr", Refused(r"\(id, score\)"))
row("triples", {"q": ["a"]}, {"q": [("a", 4.1, "x")]}, "mrr", Refused(r"\(id, score\)"))
row("{rank: item}", {"q": ["a"]}, {"q": {1: "b", 2: "a"}}, "mrr", Refused("values"), {}, FLAT)
RECORDS = LONG.to_dict("records"), RAN.to_dict("records")
row("rows as dicts", *RECORDS, "mrr", Refused("DataFrame"), {}, FLAT)
number = [{"user": 1, "item": 5, "rating": 4}], [{"user": 1, "item": 6, "score": 0.5}]
row("rows as dicts of numbers", *number, "mrr", Refused("DataFrame"), {}, FLAT)
row("columns", LONG.to_dict("list"), RAN.to_dict("list"), "mrr", Refused("DataFrame"), {}, FLAT)
number = {"user": [1, 2], "item": [5, 6]}, {"user": [1, 2], "item": [6, 5], "score": [0.9, 0.1]}
row("columns of numbers", *number, "mrr", Refused("DataFrame"), {}, FLAT)
judged, ranked = {"user": ["a"], "item": ["b"]}, {"user": ["a", "d"], "item": ["c", "b"]}
row("queries named so", judged, ranked, "mrr", 3 / 4, {}, {"files": "keys of JSON have roles"})
row("items named so", [{"user": 1, "item": 0}], [["item", "user"]], "mrr", 1 / 2)
judged, ranked = LONG.set_index(["query", "item"]).grade, RAN.set_index(["query", "item"]).score
row("series by query and item", judged, ranked, "mrr", Refused("reset_index"), {}, FLAT)
twice = pd.concat([LONG, LONG[["item"]]], axis=1)
row("a frame with a name twice", twice, RAN, "mrr", Refused("rename", ValueError))
column = np.reshape(GRADES, (-1, 1))
row("a column", column, np.reshape(SCORES, (-1, 1)), "mrr", Refused(r"ravel\(\)|1-D"), ROWS_OF)
both = np.column_stack([SCORES, SCORES])
row("predict_proba", GRADES, both, "mrr", Refused(r"\[:, -1\]|one score per row"), ROWS_OF)
