"""Orders, ids and queries that were mixed up, and right data that look like them."""

import numpy as np
import pandas as pd
import pyarrow as pa

from sklearn_rank.exceptions import QueryMismatchError, RankingOrderWarning
from tests.field.row import BY_POSITION, Printed, Refused, Table, Warned

N = range(40)
RNG = np.random.default_rng(0)
TRUTHS = [{f"{n}a", f"{n}b"} for n in N]
LISTS = [[f"{n}{c}" for c in "axybuvwz"] for n in N]
IDS = [f"Q-{n:03d}" for n in N]
TRUTH, FOUND = dict(zip(IDS, TRUTHS, strict=True)), dict(zip(IDS, LISTS, strict=True))
PLACES = [RNG.permutation(12).tolist() for _ in N]
OF_7 = float(np.mean([1 / (1 + places.index(7)) for places in PLACES]))
NO_TEXT = {"files": "ids of files are text"}
ROWS = Table()
row, case, files, call = ROWS.row, ROWS.case, ROWS.files, ROWS.call

# Ids
judged = pd.DataFrame({"query": [("a", 1), ("a", 1), ("b", 2)], "item": [*"xyz"], "grade": 1})
ranked = pd.DataFrame({"query": [("b", 2), ("a", 1)] * 2, "item": [*"wvzx"], "score": [9, 8, 5, 1]})
row("queries are tuples", judged, ranked, "mrr", (1 / 2 + 1 / 2) / 2, {}, NO_TEXT)
judged, ranked = {"q": {("d1", 4)}}, {"q": [(("d2", 4), 0.9), (("d1", 4), 0.5)]}
row("a passage and its score", judged, ranked, "mrr", 1 / 2, {}, NO_TEXT)
wanted = Warned(1 / 2, "scores rise", RankingOrderWarning)
row("passages and distances", judged, {"q": ranked["q"][::-1]}, "mrr", wanted, {}, NO_TEXT)
row("passages", judged, {"q": [("d2", 4), ("d1", 4)]}, "mrr", 1 / 2, {}, NO_TEXT)
options = {"query_ids": [["a"], ["b"]]}
row("names that are lists", TRUTHS[:2], LISTS[:2], "mrr", Refused("query_ids.*list"), options)
wanted = Refused("collection.*list")
row("a collection of lists", TRUTH, FOUND, "mrr", wanted, {"collection": [["a"]]})
options = {"values": pd.DataFrame({"query": IDS, "ms": 1.0, 0: 2.0})}
row("a column named 0", TRUTH, FOUND, "mrr", 1.0, options)
row("a table as groups", [1, 0], [2, 1], "mrr", Refused("groups"), {"groups": pa.table({"q": [1]})})
# Items in another order
wanted = Warned(1 / 5, "(last items of lists|lower scores) seem better.*(reverse|negate)")
rising = [[*found[:1:-1], *(found[:2] if n % 2 else found[1::-1])] for n, found in enumerate(LISTS)]
row("lists that rise", TRUTH, dict(zip(IDS, rising, strict=True)), "mrr", wanted)
row("lists that rise, by position", TRUTHS, rising, "mrr", wanted)
ranked, scored = [[*"zyxwvuts", f"{n}a", "r"] for n in N], {"trec": "its scores may be distances"}
row("hits at rank 9", TRUTHS, ranked, "mrr", 1 / 9, {}, scored)
wanted = Printed((1 / 5 + 1 / 4) / 2, "^(?!.*reverse).*most lists end at a relevant item: were")
ranked = [[*"wvu", f"{n}b", *"tsrqp"] if n % 2 else [*"wvut"] for n in N]
ranked = [[*found, f"{n}a"] for n, found in enumerate(ranked)]
row("lists cut at a click", TRUTHS, ranked, "mrr", wanted)
row("an advertisement first", TRUTHS, [["ad", f"{n}a", "x"] for n in N], "mrr", 1 / 2)
wanted = Printed(1.0, "order of the (lists|rows), which are sorted by item")
ranked, ranks = {q: sorted(found) for q, found in FOUND.items()}, {"csv": "ranks", "trec": "ranks"}
row("lists that are sorted", TRUTH, ranked, "mrr", wanted, {}, ranks)
wanted = Warned(OF_7, "output of argsort.*ids\\[order\\]")
row("places instead of ids", [{7, 900, 901 + n} for n in N], PLACES, "mrr", wanted)
row("an item that the index lacks", [{7, 90} for _ in N], PLACES, "mrr", OF_7)
row("the most popular", [{7, 900, 901 + n} for n in N], [[*range(12)] for _ in N], "mrr", 1 / 8)
# Queries in another order
wanted = Warned(0.0, "for a query other than their own.*truths in the same")
late = LISTS[1:] + LISTS[:1]
row("lists by one too late", TRUTHS, late, "mrr", wanted)
row("queries by one too late", TRUTH, dict(zip(IDS, late, strict=True)), "mrr", wanted)
order = RNG.permutation(40)
wanted = Warned(float(np.mean(order == N)), wanted.words)
row("lists in another order", TRUTHS, [LISTS[n] for n in order], "mrr", wanted)
wanted = Warned(0.0, "numbered from 0 on one side and from 1")
ranked = {f"Q-{n + 1:03d}": found for n, found in enumerate(LISTS)}
row("queries numbered from 1", TRUTH, ranked, "mrr", wanted, {}, BY_POSITION)
weak = [[f"{n}a" if n % 9 == 0 else f"{n - 1}c", f"{n}u", f"{n}v"] for n in N]
row("a weak engine", TRUTHS, weak, "mrr", 5 / 40)
ranked = [[f"{n}a", f"{n}u", *[f"{n + 1}a"] * (n % 9 == 0)] for n in N]
row("queries find themselves", [{f"{n + 1}a"} for n in N], ranked, "mrr", 5 / 3 / 40)
judged = {f"q{n}": {"a"} for n in N}
ranked = {f"q{n}" if n % 4 else f"Q{n}": ["a"] for n in N}
wanted = Refused("10 of 40 judged.*10 of them differ only in.*q0", QueryMismatchError)
row("queries in capitals", judged, ranked, "mrr", wanted, {"missing": "raise"}, BY_POSITION)
ranked = [[f"c{n + 1}", f"c{n - 1}", *[f"c{n}"] * (n % 9 == 0)] for n in N]
row("the passages beside", [{f"c{n}"} for n in N], ranked, "mrr", 5 / 3 / 40)
# Sides that are alike
GRADES, GROUPS = np.tile([1, 0, 2], 12), np.repeat(np.arange(12), 3)
options = {"groups": GROUPS}
row("grades as scores", GRADES, GRADES.copy(), "mrr", Printed(1.0, "are the same"), options)
wanted = Printed(1.0, "^(?!.*are the same)")
row("scores in the order of grades", GRADES, 2 * GRADES, "mrr", wanted, options)
wanted = Printed(1.0, "every ranked item is relevant.*join.*swapped")
row("hits alone", TRUTH, {q: sorted(truth)[::-1] for q, truth in TRUTH.items()}, "mrr", wanted)
row("lists swapped", LISTS, [[f"{n}b", f"{n}a"] for n in N], "mrr", wanted)
wanted = Printed(1.0, "^(?!.*every ranked item)")
row("one hit each", TRUTHS, [found[:1] for found in LISTS], "mrr", wanted)
options = {"groups": GROUPS}
wanted = Warned(1.0, "every item of every query has the grade 1.*irrelevant items, too")
row("rows of positives alone", np.ones(36, int), np.arange(36.0), "mrr", wanted, options)
# Ids in arrays, and grades that look like them
held_out = np.zeros((40, 4), int)
for n in N:
    held_out[n, : 1 + n % 3] = RNG.permutation(200)[: 1 + n % 3] + 31
shown = np.array([RNG.permutation(200)[:4] + 31 for n in N])
wanted = Refused("look like ids.*without padding.*if i > 0")
row("ids padded with 0", held_out, shown, "mrr", wanted)
padded = np.where(held_out, held_out, -1)
row("ids padded with -1", padded, shown, "mrr", Refused("without padding.*if i >= 0"))
ranked = np.array([RNG.permutation(200)[:50] + 31 for n in N])
judged = np.pad(held_out[:, :1], ((0, 0), (0, 49)))
row("one id in a row", judged, ranked, "mrr", Refused("without padding"))
percents = 99 - np.tile(np.arange(50), (40, 1))
row("one grade of 100 in a row", np.where(judged, 100, 0), percents, "mrr", 1.0)
judged = np.array([[*RNG.permutation(25)[:2] + 1, 0] for n in N])
ranked = np.array([RNG.permutation(25)[:3] + 1 for n in N])
wanted = Warned(1.0, "If they are ids.*without padding")
row("small ids padded with 0", judged, ranked, "hit_rate@2", wanted)
scores = np.array([RNG.permutation(4) + 50 for n in N])
falling = -np.sort(-held_out, axis=1)
row("counts that fall", falling, 99 - np.tile(np.arange(4), (40, 1)), "mrr", 1.0)
row("counts", held_out[:, ::-1], np.tile(np.arange(4), (40, 1)) + 50, "mrr", 1.0)
row("lists of counts and scores", held_out, 9 * held_out, "mrr", 1.0)
of_50 = np.where(held_out, np.tile([50, 100, 75, 0], (40, 1)), 0)
row("grades of 50 and more", of_50, np.tile([80, 99, 70, 0], (40, 1)), "hit_rate@3", 1.0)
# One truth, and equal truths
gold = {f"{n}{c}" for n in N for c in "ab"}
wanted = Warned((1 + 2 / 3) / 80, "is this one truth for all queries")
found = [[f"{n}a", f"{n}x", f"{n}b"] for n in N]
row("one truth for each query", [gold] * 40, found, "map", wanted)
row("popular items", [{"a", "b", "c"}] * 40, [[*"axbyzuv"]] * 40, "map", (1 + 2 / 3) / 3)
row("ways to ask one question", [{"a", "b", "c"}] * 3, [["a"], ["b"], ["c"]], "mrr", 1.0)
row(
    "a weak engine for them",
    [set("abcdef")] * 4,
    [[f"x{n}", "abcx"[n]] for n in range(4)],
    "mrr",
    3 / 8,
)
