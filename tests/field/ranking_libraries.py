"""What users of trec_eval's family, ranx, torchmetrics and their like have reported."""

import math
from math import log2

from sklearn_rank import evaluate
from sklearn_rank.exceptions import (
    DuplicateItemError,
    QueryMismatchError,
    RankingOrderWarning,
    UndefinedMetricWarning,
    UnknownMeasureError,
)
from tests.field.row import BY_POSITION, Refused, Table, Warned, queries_of
from tests.field.row import matrix as M  # noqa: N812

TEXT_ALONE = {**BY_POSITION, "files": "ids of files are all text"}
POSITIVES, FOUND = {"q1": {"a": 1, "b": 1}}, {"q1": {"x": 3.0, "a": 2.0}}


def spelled(form, n=40, each=2):
    """Every second query has another id in the run."""
    truth = {f"q{i}": {f"d{i}"} for i in range(n)}
    return truth, {form.format(i) if i % each == 0 else f"q{i}": [f"d{i}", "x"] for i in range(n)}


def repeated(n, truth, ranking):
    """The same query n times, with items of its own: "{}a" is "0a", "1a" and so on."""
    bars = [" | ".join(text.format(*[i] * 9) for i in range(n)) for text in (truth, ranking)]
    return queries_of(bars[0], set), queries_of(bars[1], list)


def condensed(name):
    return lambda: evaluate(POSITIVES, FOUND, name, convention="trec_eval").condensed()[name]


TRIPLES = [[f"{n}{x}" for x in "abc"] for n in range(12)]
ROWS = Table()
row, case, files, call = ROWS.row, ROWS.case, ROWS.files, ROWS.call

# torchmetrics, metric learning, knowledge graphs
case("torchmetrics#1952", "b", "a b c", "map@2", 1 / 2)
case("torchmetrics#1952", "b", "a b c", "map@3", 1 / 2)
for k in ("-1", "0", "1.5", "None", "top"):
    case("torchmetrics#3378", "a", "b a", f"precision@{k}", Refused("whole|range"))
case("torchmetrics#1935", "c", "a b c", "mrr@2", 0.0)
case("torchmetrics#1935", "c", "a b c", "mrr@3", 1 / 3)
case("torchmetrics#3104", "a b", "a=0.9", "recall@3", 1 / 2)
case("pytorch-metric-learning#331", "a b", "b a", "map@R", Refused("'R'"))
case("pytorch-metric-learning#525", "a b c", "a x b", "map@2", 1 / 2)
row("ogb#406", M("1 0 0"), M("0.5 0.5 0.1"), "hit_rate@1", 1 / 2)
row("ogb#406", M("1 0 0"), M("0.5 0.5 0.9"), "hit_rate@1", 0.0)
row("ogb#406", M("1 0 0"), M("0.5 0.4 0.1"), "hit_rate@1", 1.0)
case("hits@10 of knowledge graphs", "a", "b a", "hits@10", Refused("hit_rate@10"))
wanted = (3 + 7 / log2(3)) / (7 + 7 / log2(3))
case("ranking-metrics-torch#1", "a=3 b=2 z=3", "b a", "ndcg@2", wanted)
# pytrec_eval, trec_eval
row("pytrec_eval#56", M("1 0 0"), M("1 1 1"), "mrr", (1 + 1 / 2 + 1 / 3) / 3)
case("pytrec_eval#56", "c=1", "a=1 b=1 c=1", "mrr", 1.0, convention="trec_eval")
case("pytrec_eval#16", "a=1.5 b=0.5", "b a", "dcg(gain=linear)", 0.5 + 1.5 / log2(3))
wanted = Refused("a.*(twice|ranks|position)", DuplicateItemError)
case("pytrec_eval#50", "a", "a b a", "map", wanted)
case("pytrec_eval#50", "a", "b b a", "mrr", 1 / 2, duplicates="first")
row("pytrec_eval#52", {"q": {1}}, {"q": ["1"]}, "map", Refused("int"), {}, TEXT_ALONE)
case("pytrec_eval#57", "a | ", "a | x", "ndcg", 1.0, zero_division=math.nan)
case("trec_eval#11", "a b", "x a b", "ndcg_cut_2", 1 / log2(3) / (1 + 1 / log2(3)))
case("trec_eval#11", "a b", "x a b", "ndcg", (1 / log2(3) + 1 / 2) / (1 + 1 / log2(3)))
# ranx, retriv
case("ranx#66", "a=1 x=0", "a x", "bpref", 1.0)
row("ranx#39", {"q": {"a"}, "r": {"b"}}, {"q": ["a"]}, "mrr", (1 + 0) / 2, {}, BY_POSITION)
row("ranx#22", {"q": {*range(100)}}, {"q": [*range(10)]}, "map@10", 10 / 10)
row("ranx#22", {"q": {*range(100)}}, {"q": [*range(10)]}, "map(denominator=relevant)@10", 10 / 100)
case("ranx#30", "a b c", "a x", "mrr@1", 1.0)
case("ranx#30", "a b c", "a x", "recall@1", 1 / 3)
case("ranx#30", "a b c", "a x", "recall(denominator=min)@1", 1.0)
case("ranx#8", "a=0.25 b=0.75", "b a", "dcg(gain=linear)", 0.75 + 0.25 / log2(3))
wanted = Refused("q1", QueryMismatchError)
row("ranx#27", {"q1": {"a"}}, {"1": ["a"]}, "map", wanted, {}, BY_POSITION)
wanted = Refused("type", QueryMismatchError)
row("ranx#27", {1: {"a"}}, {"1": ["a"]}, "map", wanted, {}, TEXT_ALONE)
case("ranx#59", "a=2 b=4", "a b", "ndcg(gain=linear)", (2 + 4 / log2(3)) / (4 + 2 / log2(3)))
case("retriv#12", "a", "b a | c", "mrr", 1 / 2)
case("ranx: a name of another thing", "a", "a", "rbo", Refused("rank_biased_overlap"))
# ir_measures, BEIR, MTEB
case("ir_measures#50", "a=1", "a", "err", (2**1 - 1) / 2**1)
case("ir_measures#61", "a", "a", "alpha_ndcg@10", Refused("alpha_ndcg", UnknownMeasureError))
case("beir#187", "a b c d e", "a b c d e", "recall@5", 5 / 5)
case("beir#43", "a=2 b=1", "b a", "ndcg(gain=linear)", (1 + 2 / log2(3)) / (2 + 1 / log2(3)))
case("mteb#5516", "a=0.25 b=0.75", "a=1 b=1", "dcg(gain=linear)@1", (0.25 + 0.75) / 2)
case("mteb#3030", "a | ", "x a | y", "mrr", Warned(1 / 2, "mrr", UndefinedMetricWarning))
case("sentence-transformers#2814", "c", "a b c", "mrr", 1 / 3)
wanted = Refused("recall\\(denominator=min\\)")
case("lightfm#324", "a b c", "a", "precision(denominator=min)@5", wanted)
# Judgements without a 0: these programs take what is not judged for unjudged.
for name in ("trec_eval", "pytrec_eval", "ir_measures"):
    for asked in ("bpref", "judged@2"):
        row(f"{name}: positives alone", POSITIVES, FOUND, asked, 1 / 2, {"convention": name})
options = {"convention": "trec_eval"}
row("trec_eval: sets", {"q": {"a", "b"}}, {"q": ["x", "a"]}, "bpref", 1 / 2, options)
options = {"convention": "trec_eval"}
source = "trec_eval: 40 queries"
row(source, *repeated(40, "{}a=1 {}b=1 {}c=1", "{}a {}x {}b"), "bpref", 2 / 3, options)
source = "bpref where nothing is irrelevant"
row(source, *repeated(12, "{}a=1 {}b=1", "{}a {}x {}b"), "bpref", Warned((1 + 1 / 2) / 2, "bpref"))
case("ir_measures: -1 is judged", "a=1 b=-1", "b x", "judged@2", 1 / 2, convention="ir_measures")
call("trec_eval -J of positives", {"condensed": condensed("mrr")}, 1.0)
call("trec_eval -J of positives", {"condensed": condensed("map")}, 1 / 2)
# Parts of both sides that do not match
OTHERWISE = {"prefix": "run-q{}", "suffix": "q{}.txt", "quotes": '"q{}"', "dash": "q{}-"}
for name, form in {**OTHERWISE, "byte order mark": "\ufeffq{}", "case": "Q{}"}.items():
    source = f"half of the queries with a {name}"
    none = {**BY_POSITION, "trec": "a mark at the start of a file belongs to no id"}
    row(source, *spelled(form), "mrr", Warned(20 / 40, "q0"), {}, none)
judged = {f"{y}-{n}": {f"{y}{n}"} for y in (19, 20) for n in range(40)}
ranked = {f"20-{n}": [f"20{n}", "x"] for n in range(40)}
row("a run of one year, judgements of two", judged, ranked, "mrr", 40 / 80, {}, BY_POSITION)
ranked = {n + 1: [f"d{n}", "x"] for n in range(20)}
judged = {n: {f"d{n}"} for n in range(20)}
row("queries from 0 and from 1", judged, ranked, "mrr", Warned(0.0, "0|1"), {}, TEXT_ALONE)
ranked = {f"q{n}": [f"d{n} " if n % 8 == 0 else f"d{n}", "x"] for n in range(40)}
judged = {f"q{n}": {f"d{n}"} for n in range(40)}
row("a space after one item in eight", judged, ranked, "mrr", Warned(35 / 40, "d0 "))
for name, form in (("path", "docs/d{}"), ("suffix", "d{}.txt"), ("prefix", "item:d{}")):
    spell = [form if n % 2 else "d{}" for n in range(40)]
    ranked = {f"q{n}": [spell[n].format(n), "x"] for n in range(40)}
    judged = {f"q{n}": {f"d{n}"} for n in range(40)}
    row(f"half of the items with a {name}", judged, ranked, "mrr", Warned(20 / 40, "another spell"))
for one, other in (
    ("a b{}", "a%20b{}"),
    ("a&b{}", "a&amp;b{}"),
    ("docs/a{}.md", "docs\\a{}.md"),
    ("doc_{}", "doc-{}"),
    ("doc:{}", "doc/{}"),
    ("doc{}", "doc{:05}"),
    ("http://x.org/{}", "https://www.x.org/{}"),
    ("a-{}", "a\u2013{}"),
):
    for here, there in ((one, other), (other, one)):
        spell = [(there if n % 2 else here).format(n + 1) for n in range(40)]
        judged = {f"q{n}": {here.format(n + 1)} for n in range(40)}
        ranked = {f"q{n}": [spell[n], "x"] for n in range(40)}
        wanted = Warned(20 / 40, "another spell")
        row(f"half of the items as {there!r}", judged, ranked, "mrr", wanted)
for one, other in (("1.5", "15"), ("-3", "3"), ("doc1-12", "doc11-2"), ("1", "01.5")):
    judged, ranked = {f"q{n}": {one} for n in range(9)}, {f"q{n}": [other] for n in range(9)}
    judged["q9"], ranked["q9"] = {"x"}, ["x"]
    row(f"{one} is not {other}", judged, ranked, "mrr", 1 / 10)
judged = {f"q{n}": {f"doc{n}", f"doc{n + 50}"} for n in range(20)}
ranked = {f"q{n}": [f"doc{n}", f"doc{n}-{n % 7}", f"doc{n}{n}"] for n in range(20)}
row("chunks beside their documents", judged, ranked, "mrr", 1.0)
row("two items of one ranking that differ in case", *repeated(40, "D{}", "D{} d{}"), "mrr", 1.0)
SHIFTED = "items.*numbered from 0"
for name, form in {
    "numbers": int,
    "text": str,
    "names": "d{}".format,
    "zeros": "d-{:04}".format,
}.items():
    none = TEXT_ALONE if form is int else {}
    judged = {f"q{n}": {form(7 * n)} for n in range(40)}
    for step in (1, -1):
        ranked = {f"q{n}": [form(900 + n), form(7 * n + step)] for n in range(1, 40)}
        ranked["q0"] = [form(0)]
        wanted = Warned(1 / 40, SHIFTED)
        row(f"items numbered from 0 and from 1: {name}", judged, ranked, "mrr", wanted, {}, none)
judged = {f"q{n}": {f"d{n}"} for n in range(4)}
ranked = {f"q{n}": ["d90", f"d{n + 1}"] for n in range(4)}
FOLDS = {"scorer": "a poor candidate of a search may find nothing in a fold of few queries"}
row("items from 0 and from 1, 4 queries", judged, ranked, "mrr", Warned(0.0, SHIFTED), {}, FOLDS)
judged = {f"q{n}": {f"d{7 * n}"} for n in range(40)}
ranked = {f"q{n}": [f"d{7 * n + x}" for x in ((1, -1) if n % 4 else (1, 0, -1))] for n in range(40)}
row("chunks before and after", judged, ranked, "mrr", 10 / 2 / 40)
judged = {f"q{n}": {n % 6} for n in range(40)}
ranked = {f"q{n}": [(n + x) % 6 for x in (1, 3, 0 if n % 2 else 4)] for n in range(40)}
row("a catalogue of six", judged, ranked, "mrr", 20 / 3 / 40, {}, TEXT_ALONE)
for pad in ("nan", "None", ""):
    judged = {f"q{n}": [f"d{n}", pad] for n in range(20)}
    ranked = {f"q{n}": [f"d{n}", "x"] for n in range(20)}
    none = {} if pad else {"files": "an empty id is an error there"}
    row(f"truths padded with {pad!r}", judged, ranked, "map", Warned(1 / 2, "padding"), {}, none)
ranked = [[n, n + 100, 500] for n in range(1, 21)]
judged = [[n, n + 100, -1] for n in range(1, 21)]
row("truths padded with -1", judged, ranked, "map", Warned(2 / 3, "padding"))
source = "three queries that found nothing"
judged, ranked = {"q0": {"a"}, "q1": {"b"}, "q2": {"c"}}, {"q0": ["x"], "q1": ["y"], "q2": ["z"]}
row(source, judged, ranked, "mrr", Warned(0.0, "no relevant item"), {}, FOLDS)
source = "one query whose ids look different"
case(source, "d1", "http://x/1 http://x/2", "mrr", Warned(0.0, "no relevant item"))
case("one query that found nothing", "d1", "d2 d3", "mrr", 0.0)
row("one query, negative ids", {"q": {3}}, {"q": [-3, -5]}, "mrr", 0.0, {}, TEXT_ALONE)
# Their right neighbours
row(
    "-1 is an id that rankings have",
    {n: {n, -1} for n in range(20)},
    {n: [n, -1 if n == 7 else 99] for n in range(20)},
    "recall",
    (19 / 2 + 1) / 20,
    {},
    TEXT_ALONE,
)
judged = {n: {f"d{n}"} for n in range(20)}
ranked = {n: [f"d{n}", "x"] for n in range(1, 21)}
row("numbered from 0 on both sides", judged, ranked, "mrr", 19 / 20, {}, TEXT_ALONE)
case("a query of each side alone", "a | b", "a | b", "mrr", 1.0)
judged = {"1": {"a"}, "2": {"b"}, "3": {"c"}}
ranked = {"1": ["a"], "12": ["b"], "13": ["c"]}
row("numbers that end alike", judged, ranked, "mrr", 1 / 3, {}, BY_POSITION)
judged = {f"q{n}": {"New York", "New York, NY"} for n in range(6)}
ranked = {f"q{n}": ["New York, NY", "Paris"] for n in range(6)}
row("an id within an id", judged, ranked, "recall@1", 1 / 2)
# The order of a run
judged = {f"q{n}": [*TRIPLES[n]] for n in range(12)}
ranked = {f"q{n}": [*TRIPLES[n]] for n in range(12)}
row("the run as its own truth", judged, ranked, "map", Warned(1.0, "truth|same"))
row("an oracle returns a set in another order", *repeated(12, "{}a {}b", "{}b {}a"), "map", 1.0)
wanted = Warned(1 / 3, "lower scores seem better")
row("distances as scores", *repeated(12, "{}a", "{}a=0.1 {}b=0.5 {}c=0.9"), "mrr", wanted)
source = "rising scores in a dict have no order"
row(source, *repeated(40, "{}c", "{}a=0.1 {}b=0.5 {}c=0.9"), "mrr", 1.0)
ranked = {f"q{n}": [(f"{n}a", 1.0), (f"{n}b", 1.0)] for n in range(12)}
wanted = Warned((1 + 1 / 2) / 2, "score", RankingOrderWarning)
row("one score for all in a list", {f"q{n}": {f"{n}a"} for n in range(12)}, ranked, "mrr", wanted)
for n in (1, 2, 4):
    data = repeated(n, "{}c", "{}a=0.1 {}b=0.5 {}c=0.9")
    row(f"rising scores in {n} of {n} dicts", *data, "mrr", 1.0)
source = "one score for all in a dict"
row(source, *repeated(12, "{}a", "{}a=1 {}b=1"), "mrr", (1 + 1 / 2) / 2, {}, {"trec": "ranks"})
for name in ("precision_at_k", "ndcg@k", "recall@k", "P@K"):
    case("a letter for the cutoff", "a", "b a", name, Refused("[kK]"))
