"""What users of recommender libraries have reported: thresholds, candidates, padding, frames."""

import math
from math import log2

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

from sklearn_rank.exceptions import DuplicateItemError
from tests.field.row import Made, Printed, Refused, Table
from tests.field.row import matrix as M  # noqa: N812


def log(columns, text):
    """A frame of users and items, and a number where there is a third column."""
    made = pd.DataFrame([row.split() for row in text.split("|")], columns=columns.split())
    return made.apply(lambda column: pd.to_numeric(column) if column.name in NUMBERS else column)


NUMBERS = ("rating", "clicks", "estimate", "rank", "score", "label", "votes")
STARS = log("user item rating", "u a 1 | u b 5 | v c 2")
SHOWN = log("user item estimate", "u a 4.5 | u b 4.0 | u x 1.0 | v x 3.5 | v c 0.5")
NAMED = {"columns": {"score": "estimate"}}
SEEN = np.array([[True, False, False]])
ROWS = Table()
row, case, files, call = ROWS.row, ROWS.case, ROWS.files, ROWS.call

wanted = (3 + 2 / log2(3) + 3 / 2 + 1 / log2(6) + 2 / log2(7)) / (
    3 + 3 / log2(3) + 2 / 2 + 2 / log2(5) + 1 / log2(6)
)
case("recommenders#1749", "a=3 b=2 c=3 e=1 f=2", "a b c d e f", "ndcg(gain=linear)", wanted)
case("recommenders#1749", "a=3 b=2", "b a", "ndcg", (3 + 7 / log2(3)) / (7 + 3 / log2(3)))
ranked = Made(lambda: SHOWN[SHOWN.estimate >= 3.5])
row("recommenders#2154", STARS, ranked, "precision@2", (2 / 2 + 0) / 2, NAMED)
wanted = Refused("number|text|y_true|strings")
row("recommenders#2105", [*"0101"], [0.2, 0.7, 0.5, 0.1], "map", wanted, {"groups": [*"aabb"]})
case("implicit#412", "a b c d", "a x", "precision@2", 1 / 2)
case("implicit#412", "a b c d", "a x", "recall(denominator=min)@2", 1 / 2)
for kind in (
    sparse.csr_array,
    sparse.csc_array,
    sparse.coo_array,
    sparse.csr_matrix,
    sparse.coo_matrix,
):
    for dtype in (np.int8, np.float32):
        source = f"implicit#726: {kind.__name__} of {np.dtype(dtype).name}"
        row(source, kind(M("0 1 0").astype(dtype)), M("0.9 0.5 0.1"), "map", 1 / 2)
judged = sparse.csr_array(M("0 1 0"))
row("implicit: bare ids", judged, M("1 0"), "map", Refused("set of relevant ids"))
row("implicit: ids and scores", judged, (M("1 0"), M("0.9 0.5")), "map", Refused("ids"))
case("spark#24458", "a b c", "a x", "map@2", 1 / 1 / 2)
case("spark#24458", "a b c", "a x", "map(denominator=relevant)@2", 1 / 1 / 3)
row("spark-ranking-metrics#2", STARS, STARS, "map", Refused("score|rank"))
case("lkpy#309", "a=1 b=1", "x a", "ndcg(gain=linear)@2", 1 / log2(3) / (1 + 1 / log2(3)))
case("lkpy#309", "a b c", "a b", "ndcg@2", 1.0)
for name in ("map", "ndcg@5", "mrr", "recall@5", "precision@1", "hit_rate@5"):
    case("lenskit#871", "a | b", " | b", name, (0 + 1) / 2)
ranked = log("user item rank", "u a 1 | u b 2")
row("RecTools#19", log("user item", "u a | u a | u b"), ranked, "map", 1.0)
ranked = log("user item rank", "u a 1 | u a 2")
row("RecTools#19", log("user item", "u a"), ranked, "map", Refused("a", DuplicateItemError))
case("cornac#372", "a", "x a", "precision@2", 1 / 2)
case("cornac#372", "a b", "a b x", "precision@3", 2 / 3)
row("cornac#372: all items", M("1 0 1 0"), M("4 3 2 1"), "recall@2", 1 / 2)
row("Surprise#70", STARS, SHOWN, "map", Refused("estimate"))
row("Surprise#70", STARS, SHOWN, "map(min_rel=4)", 1 / 2, {**NAMED, "zero_division": math.nan})
row("spotlight#147", STARS, SHOWN, "map", Printed((1 + 1 / 2) / 2, "every grade above 0"), NAMED)
case("lightfm#348", "a=1 b=5", "x a b", "map", Printed((1 / 2 + 2 / 3) / 2, "every grade above 0"))
case("lightfm#348", "a=1 b=5", "x a b", "map(min_rel=4)", 1 / 3)
case("graded 0 and 1", "a=1 b=0", "b a", "mrr", 1 / 2)
row("lightfm#312: seen items", M("0 0 1"), M("0.9 0.8 0.5"), "mrr", 1 / 2, {"candidates": ~SEEN})
ranked = Made(lambda: np.ma.masked_array(M("0.9 0.8 0.5"), SEEN))
row("lightfm#500: seen items", M("0 0 1"), ranked, "mrr", 1 / 2)
judged = log("user item votes", "u a 3 | u b 1")
ranked = log("user item score", "u b 2 | u a 1")
wanted = (1 + 7 / log2(3)) / (7 + 1 / log2(3))
row("evidently#1006", judged, ranked, "ndcg", wanted, {"columns": {"grade": "votes"}})
judged = log("user item votes", "u a 3 | u b 1")
row("evidently#1006", judged, log("user item score", "u b 2 | u a 1"), "ndcg", Refused("votes"))
judged = log("user item label", "u a 0 | u b 1 | v a 1")
ranked = log("user item rank", "u a 1 | u b 2 | v a 1")
row("softwaredoug.com: one frame", judged, ranked, "mrr", (1 / 2 + 1) / 2)
judged = log("user item clicks", "u a 3 | u a 1")
row("clicks of a log", judged, log("user item score", "u a 1"), "map", Refused("clicks|a"), {})
for role in ("score", "item", "query", "grade"):
    source = f"a name that no frame has: {role}"
    ranked = log("user item score", "u a 1")
    wanted = Refused("nope", ValueError)
    row(source, log("user item", "u a"), ranked, "map", wanted, {"columns": {role: "nope"}})
ranked = log("user item", " | ".join(f"u{n} {item}" for n in range(12) for item in "abc"))
judged = log("user item", " | ".join(f"u{n} b" for n in range(12)))
wanted = Printed(1 / 2, "order of the rows|row")
row("rows sorted by item, no score", judged, ranked, "mrr", wanted)
ranked = pd.DataFrame(
    {"user": ["u"] * 2, "item": [*"ab"], "score": [0.9, 0.1], "distance": [0.9, 0.1]}
)
source = "a score and a distance that differ"
row(source, log("user item", "u a"), ranked, "mrr", Refused("distance"), {})
case("recommenders#1041", "a b", "a=0.9", "recall@2", 1 / 2)
case("lightfm#544", "a b c d e", "a b", "recall(denominator=min)@2", 2 / 2)
# Several systems, users and rows
OF_Y = {"scorer": "y and what predict returns have the same rows"}
likes = log("user item", "u a | v b | w c")
shown = log("user item score", "u x 2 | u a 1 | v b 2 | v x 1 | w c 2 | w x 1")
logged = pd.concat([shown.assign(system="old"), shown.assign(system="new")])
wanted = Refused("'system' has 2 values.*compare.*groupby.*'first'", DuplicateItemError)
row("a log of two systems", likes, logged, "mrr", wanted)
wanted = Refused("'system' has 2 values.*group_by", DuplicateItemError)
row("a log in Polars", pl.from_pandas(likes), pl.from_pandas(logged), "mrr", wanted)
logged = pd.concat([shown, shown[:1]]).assign(system="old")
row("an item shown twice", likes, logged, "mrr", Refused("^(?!.*values)"))
judged = pd.Series([["a"], ["b"]], index=["u", "v"])
wanted = Refused("give y_score the queries as its index")
row("a series without users", judged, pd.Series([["x", "a"], ["b", "x"]]), "mrr", wanted, {}, OF_Y)
judged, ranked = ([*frame.itertuples(index=False)] for frame in (likes, shown))
row("named tuples", judged, ranked, "mrr", Refused("lists of rows; pass data frames"), {}, OF_Y)
wide = [
    frame.assign(n=1).pivot(index="user", columns="item", values="n") for frame in (likes, shown)
]
row("pivoted frames", *wide, "mrr", Refused("each column is an item.*reindex.*to_numpy"))
# Scores and grades in torchmetrics' order
scores = M("-0.5 1.5 0.5 | 2.0 -1.25 0.1")
wanted = Refused("Are y_true and y_score swapped.$")
row("scores before grades", scores, M("1 0 1 | 0 1 0"), "map", wanted)
