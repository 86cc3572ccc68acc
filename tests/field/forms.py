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
ROWS_OF = {"groups": QUERIES}


def tensor_rows(tensor):
    """Data of a class of tensors, in all places where a tensor may stand."""
    float32, bfloat16, integer = tensor.float32, tensor.bfloat16, tensor.int64
    make, grades, scores = tensor.make, np.reshape(GRADES, TWO), np.reshape(SCORES, TWO)

    def one(kind, dtype, learns=False):
        return make(np.reshape(kind, TWO), dtype, learns)

    def ids(items):
        return make(items, integer)

    def row(name, truth, ranking, measure="mrr", want=RIGHT, **options):
        return Row(f"{tensor.name}: {name}", truth, ranking, measure, want, options)

    groups = make(QUERIES, integer)
    return [
        *(
            row(f"matrix of {name}", one(GRADES, kind), one(SCORES, dtype))
            for name, kind, dtype in (
                ("float32", integer, float32),
                ("float64", float32, tensor.float64),
                ("float16", tensor.uint8, tensor.float16),
                ("integers", tensor.bool, integer),
            )
            if name != "integers"
        ),
        row("matrix of ranks", one(GRADES, tensor.bool), one([2, 1, 0, 9, 7, 5], integer)),
        row("bfloat16", one(GRADES, bfloat16), one(SCORES, bfloat16)),
        row("that learns", one(GRADES, float32), one(SCORES, float32, True)),
        row("grades alone", one(GRADES, integer), scores),
        row("scores alone", grades, one(SCORES, float32)),
        row("rows", make(GRADES, integer), make(SCORES, float32), groups=groups),
        row("rows of lists of ids", make(GRADES, integer), make(SCORES, float32), groups=QUERIES),
        row("rows in one batch", make(GRADES, float32), make(SCORES, float32, True), groups=groups),
        row(
            "one score",
            {"q": {"a", "b"}},
            {"q": {"x": make(0.9, float32), "a": make(0.5, float32)}},
            want=1 / 2,
        ),
        row(
            "one grade",
            {"q": {"a": make(2, integer)}},
            {"q": ["x", "a"]},
            "dcg",
            (2**2 - 1) / np.log2(3),
        ),
        row("ids of a ranking", {"q": {3, 5}}, {"q": ids([9, 3, 5])}, want=1 / 2),
        row("ids of a truth", {"q": ids([3, 5])}, {"q": [9, 3, 5]}, want=1 / 2),
        row("ids per query", [{3}, {5}], ids([[3, 4], [6, 5]])),
        row("items one by one", {"q": {3, 5}}, {"q": [*ids([9, 3, 5])]}, want=1 / 2),
        row("a list of tensors", [{3}, {5}], [ids([3, 4]), ids([6, 5])]),
        row("candidates", grades, scores, candidates=make(np.ones(TWO), tensor.bool)),
        row(
            "weights",
            grades,
            scores,
            want=(3 * 1 / 2 + 1 * 1) / 4,
            sample_weight=make([3.0, 1.0], float32),
        ),
        row("relevance", [{"a"}], [["b", "a"]], "gauc", 0.0, relevance=make([[0.9, 0.5]], float32)),
        row("without groups", make(GRADES, integer), make(SCORES, float32), want=Refused("groups")),
        row("NaN", one(GRADES, integer), one([np.nan, *SCORES[1:]], float32), want=Refused("NaN")),
    ]


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
ARRAYS = {
    "memoryview": lambda numbers: memoryview(np.array(numbers)),
    "array.array": lambda numbers: array.array(
        "d" if isinstance(numbers[0], float) else "i", numbers
    ),
    "tuple": tuple,
    "deque": collections.deque,
    "range or list": lambda numbers: numbers,
    "masked array": np.ma.masked_array,
    "pandas Series": pd.Series,
    "pandas Series of strings' index": lambda numbers: pd.Series(numbers, index=[*"fedcba"]),
    "pandas Int64 or Float64": lambda numbers: pd.Series(numbers).convert_dtypes(),
    "pandas array": lambda numbers: pd.array(numbers),
    "pandas of Arrow": lambda numbers: pd.Series(
        pa.array(numbers), dtype=pd.ArrowDtype(pa.array(numbers).type)
    ),
    "Index": pd.Index,
    "Polars Series": pl.Series,
    "Arrow array": pa.array,
    "Arrow chunked array": lambda numbers: pa.chunked_array([numbers[:2], numbers[2:]]),
    "numbers of NumPy": lambda numbers: [*np.array(numbers)],
    "0-d arrays": lambda numbers: [np.array(number) for number in numbers],
    "Decimal": lambda numbers: [decimal.Decimal(str(number)) for number in numbers],
    "Fraction": lambda numbers: [fractions.Fraction(number) for number in numbers],
    "objects": lambda numbers: np.array(numbers, dtype=object),
    "big-endian": lambda numbers: np.array(numbers).astype(">f8"),
    "float16": lambda numbers: np.array(numbers, dtype=np.float16),
    "longdouble": lambda numbers: np.array(numbers, dtype=np.longdouble),
}
MATRICES = {
    "memoryview": lambda numbers: memoryview(np.reshape(numbers, TWO)),
    "masked array": lambda numbers: np.ma.masked_array(np.reshape(numbers, TWO)),
    "Fortran order": lambda numbers: np.asfortranarray(np.reshape(numbers, TWO)),
    "objects": lambda numbers: np.reshape(numbers, TWO).astype(object),
}
SPARSE = [
    getattr(sparse, f"{kind}_{form}")
    for kind in ("csr", "csc", "coo")
    for form in ("array", "matrix")
]
TRUTH, RANKING = {"a": {"x": 1, "y": 1}, "b": {"z": 1}}, {"a": ["v", "x", "y"], "b": ["z"]}
MAPPINGS = {
    "OrderedDict": collections.OrderedDict,
    "defaultdict": lambda made: collections.defaultdict(dict, made),
    "MappingProxyType": MappingProxyType,
    "UserDict": collections.UserDict,
    "ChainMap": collections.ChainMap,
}
SCORED = {"a": {"v": 3.0, "x": 2.0, "y": 1.0}, "b": {"z": 0.5}}
RANKINGS = {
    "tuple": tuple,
    "deque": collections.deque,
    "dict of scores": lambda items: {i: -n for n, i in enumerate(items)},
    "keys": lambda items: dict.fromkeys(items).keys(),
    "array": np.array,
    "objects": lambda items: np.array(items, dtype=object),
    "Index": pd.Index,
    "Series": pd.Series,
    "string": lambda items: pd.array(items, dtype="string"),
    "categories": pd.Categorical,
    "Polars": pl.Series,
    "Arrow": pa.array,
    "StringDtype": lambda items: pd.Series(items, dtype="string[pyarrow]"),
    "iterator": iter,
    "generator": lambda items: (item for item in items),
    "map": lambda items: map(str, items),
    "pairs": lambda items: [(i, 9 - n) for n, i in enumerate(items)],
    "named tuples": lambda items: [Hit(i, 9 - n) for n, i in enumerate(items)],
    "dicts": lambda items: [{"id": i, "score": 9 - n} for n, i in enumerate(items)],
    "objects with id": lambda items: [
        SimpleNamespace(id=i, score=9 - n) for n, i in enumerate(items)
    ],
    "scores of Decimal": lambda items: {i: decimal.Decimal(9 - n) for n, i in enumerate(items)},
    "scores of 0-d arrays": lambda items: {i: np.array(9.0 - n) for n, i in enumerate(items)},
    "OrderedDict": lambda items: collections.OrderedDict((i, 9 - n) for n, i in enumerate(items)),
    "Series of scores": lambda items: pd.Series({i: 9 - n for n, i in enumerate(items)}),
    "Counter": lambda items: collections.Counter({i: 9 - n for n, i in enumerate(items)}),
}
UNREADABLE = {
    **dict.fromkeys(("iterator", "generator", "map"), "sequence.*list"),
    "scores of Decimal": "Decimal",
    "Series of scores": "Series.*to_dict",
    "Decimal": "Decimal",
    "Fraction": "Fraction",
    "Arrow record batch": "RecordBatch",
    "keys": "dict_keys",
    "dicts": "dict",
    "named tuples": "{item: grade}",
}
"""Forms that are refused, and what is said of them."""


def each(form, table):
    return {query: form([*items]) for query, items in table.items()}


def right(name, *readable):
    """The value of a form that is read, or the error of one that is not."""
    return RIGHT if name in readable or name not in UNREADABLE else Refused(UNREADABLE[name])


TRUTHS = {
    "set": set,
    "frozenset": frozenset,
    "tuple": tuple,
    "list": list,
    "array": np.array,
    "Series": pd.Series,
    "Index": pd.Index,
    "string": lambda items: pd.array(items, dtype="string"),
    "Polars": pl.Series,
    "Arrow": pa.array,
    "keys": lambda items: dict.fromkeys(items).keys(),
    "dict": lambda items: dict.fromkeys(items, 1),
    "defaultdict": lambda items: collections.defaultdict(int, dict.fromkeys(items, 1)),
    "Counter": collections.Counter,
    "booleans": lambda items: dict.fromkeys(items, True),
    "numbers of NumPy": lambda items: dict.fromkeys(items, np.int64(1)),
    "dicts": lambda items: [{"id": i, "grade": 1} for i in items],
    "named tuples": lambda items: [Judged(i, 1) for i in items],
    "iterator": iter,
    "generator": lambda items: (item for item in items),
}
LONG = pd.DataFrame({"query": [*"aaabbb"], "item": [*"xyzxyz"], "grade": GRADES})
RAN = pd.DataFrame({"query": [*"aaabbb"], "item": [*"xyzxyz"], "score": SCORES})
FRAMES = {
    "pandas": lambda frame: frame,
    "Int64, string": lambda frame: frame.convert_dtypes(),
    "of Arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "categories": lambda frame: frame.astype({"query": "category", "item": "category"}),
    "Polars": pl.from_pandas,
    "Arrow": pa.Table.from_pandas,
    "in another order": lambda frame: frame[::-1],
    "Polars categories": lambda frame: pl.from_pandas(frame).with_columns(
        pl.col("query", "item").cast(pl.Categorical)
    ),
    "Arrow record batch": lambda frame: pa.RecordBatch.from_pandas(frame),
}
EMPTY = {"n": {}, "a": {"x"}, "b": ["y"]}
ROWS = Table()
row, case, files, call = ROWS.row, ROWS.case, ROWS.files, ROWS.call

ROWS.extend(tensor_rows(Tensor))
for name, form in ARRAYS.items():
    judged = Made(form, GRADES)
    row(f"rows of {name}", judged, Made(form, SCORES), "mrr", right(name), ROWS_OF)
for name, form in ARRAYS.items():
    row(f"groups of {name}", GRADES, SCORES, "mrr", RIGHT, {"groups": form(QUERIES)})
for name, form in MATRICES.items():
    row(f"matrix of {name}", Made(form, GRADES), Made(form, SCORES), "mrr", RIGHT)
for form in SPARSE:
    judged = form(np.reshape(GRADES, TWO))
    row(f"sparse {form.__name__}", judged, np.reshape(SCORES, TWO), "mrr", RIGHT)
for form in SPARSE:
    source = f"sparse scores {form.__name__}"
    row(source, np.reshape(GRADES, TWO), form(np.reshape(SCORES, TWO)), "mrr", Refused("sparse"))
for name, form in MAPPINGS.items():
    row(f"queries in a {name}", form(TRUTH), form(RANKING), "mrr", (1 / 2 + 1) / 2)
for name, form in MAPPINGS.items():
    ranked = {q: form(SCORED[q]) for q in TRUTH}
    row(f"items in a {name}", {q: form(TRUTH[q]) for q in TRUTH}, ranked, "mrr", (1 / 2 + 1) / 2)
for name, form in RANKINGS.items():
    ranked = Made(each, form, RANKING)
    row(f"a ranking as {name}", TRUTH, ranked, "mrr", right(name, "dicts", "named tuples"))
for name, form in TRUTHS.items():
    judged = Made(each, form, TRUTH)
    row(f"a truth as {name}", judged, RANKING, "mrr", right(name, "keys"))
for name, form in FRAMES.items():
    row(f"a frame, {name}", Made(form, LONG), Made(form, RAN), "mrr", right(name))
for kind, dtype in (("Int64", "Int64"), ("boolean", "boolean")):
    judged = Made(lambda d=dtype: LONG.assign(grade=pd.array([None, *GRADES[1:]], dtype=d)))
    row(f"{kind} is none for one item", judged, RAN, "mrr", Refused("grade"))
judged = Made(lambda: LONG.assign(query=pd.array([None, *"aabbb"], dtype="string")))
row("a query is none", judged, RAN, "mrr", Refused("query"))
ranked = Made(lambda: RAN.assign(score=pd.array([None, *SCORES[1:]], dtype="Float64")))
row("a score is none", LONG, ranked, "mrr", Refused("score"))
judged = Made(lambda: LONG.assign(grade=pd.array(GRADES, dtype="Int64") > 0))
row("labels as booleans", judged, RAN, "mrr", RIGHT)
# `{}` beside sets and lists
ranked = {"n": ["z"], "a": ["v", "x"], "b": ["y"]}
row("{} beside sets", EMPTY, ranked, "mrr", (0 + 1 / 2 + 1) / 3, {"zero_division": 0.0})
source = "{} as a ranking among lists"
row(source, {"n": {"z"}, "a": {"x"}}, {"n": {}, "a": ["x"]}, "mrr", (0 + 1) / 2)
source = "{} as a ranking among scores"
row(source, {"n": {"z"}, "a": {"x"}}, {"n": {}, "a": {"x": 1.0}}, "mrr", (0 + 1) / 2)
options = {"zero_division": 0.0}
row("{} in lists", [{}, {"x"}], [["z"], ["v", "x"]], "mrr", (0 + 1 / 2) / 2, options)
source = "{} among ids that are numbers"
row(source, [{}, {7}, [8]], [[1], [2, 7], [8]], "mrr", (0 + 1 / 2 + 1) / 3, {"zero_division": 0.0})
options = {"zero_division": 0.0}
row("[] beside grades", [[], {"x": 2}], [["z"], ["v", "x"]], "mrr", (0 + 1 / 2) / 2, options)
ranked = pd.Series([["z"], ["v", "x"]], [*"na"])
judged = pd.Series([{}, {"x"}], [*"na"])
row("{} in a Series", judged, ranked, "mrr", (0 + 1 / 2) / 2, {"zero_division": 0.0})
# Objects as items
row("dataclasses with a hash", [{Fixed("a")}], [[Fixed("b"), Fixed("a")]], "mrr", 1 / 2)
source = "dataclasses without a hash"
row(source, [[Item("a")]], [[Item("b"), Item("a")]], "mrr", 1 / 2)
options = {"string_provider": lambda item: item.id}
row("dataclasses and a provider", [[Item("a")]], [[Item("b"), Item("a")]], "mrr", 1 / 2, options)
row("lists as items", [[["a"]]], [[["b"], ["a"]]], "mrr", Refused("list"))
row("one text as a ranking", {"q": {"a"}}, {"q": "ba"}, "mrr", Refused("text|str|list"))
row("one number as a truth", {"q": 3}, {"q": [3]}, "mrr", Refused("list|set|int"))
row("nothing", None, None, "mrr", Refused("None|y_true"))
row("a truth of None", {"q": None}, {"q": ["a"]}, "mrr", Refused("None|query id"))
row("bytes", {"q": {b"a"}}, {"q": [b"b", b"a"]}, "mrr", 1 / 2)
