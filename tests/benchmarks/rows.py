"""The rows of the table, each by its name; ``full`` sizes are those that are compared."""

import io
import json
import random
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pytest_rankmetrics import assert_map_at_least
from sklearn_rank import (
    compare,
    evaluate,
    map_scorer,
    mean_average_precision_score,
    ndcg_at_k_score,
    read_qrels,
    read_run,
)
from tests.benchmarks.harness import Row, Timed, Work, seconds_of

ROOT = Path(__file__).parents[2]
FOUR = ("map", "ndcg@10", "mrr", "precision@10")
FIVE = ("map", "ndcg@10", "mrr", "precision@10", "recall@100")
TREC_FIVE = {"map", "ndcg_cut_10", "recip_rank", "P_10", "recall_100"}
TEN = (*FIVE[:4], "recall@10", "err@10", "hit_rate@5", "rprec", "f1@10", "lag")
TWENTY = (
    "map",
    "map@10",
    "map@100",
    "mar@10",
    "mrr",
    "mrr@10",
    "precision@5",
    "precision@10",
    "recall@10",
    "recall@100",
    "f1@10",
    "hit_rate@1",
    "hit_rate@10",
    "ndcg",
    "ndcg@5",
    "ndcg@10",
    "ndcg@100",
    "dcg@10",
    "err@10",
    "gauc",
)
GRADES = (0.5, 0.2, 0.15, 0.1, 0.05)
"""Shares of the grades 0 to 4."""

# Rows and matrices of numbers -------------------------------------------------------------------

Rows = dict[str, Any]


def ltr_rows(full: bool, dtype: str = "float32") -> Rows:
    """Queries of lognormal length between 1 and 1251 rows, as in learning to rank."""
    n_queries = 30_000 if full else 300
    rng = np.random.default_rng(0)
    lengths = np.clip(np.exp(rng.normal(4.3, 0.9, n_queries)).astype(int), 1, 1251)
    n_rows = int(lengths.sum())
    return {
        "groups": np.repeat(np.arange(n_queries), lengths),
        "y_true": rng.choice(5, n_rows, p=GRADES),
        "y_score": rng.normal(size=n_rows).astype(dtype),
    }


def call(rows: Rows, measures: Any = FOUR) -> Work:
    return partial(evaluate, **rows, measures=measures, zero_division=np.nan)


def by_row(name: str, rows: Rows, what: str, ours: Work, peers: Any, *at_most: float) -> Row:
    n_rows, n_bytes = len(rows["y_true"]), sum(column.nbytes for column in rows.values())
    return Row(name, f"{n_rows:,} rows, {what}", ours, peers, at_most, n_rows, n_bytes)


def p1(full: bool) -> Iterator[Row]:
    """Four measures against one of XGBoost's."""
    cut = tuple(measure.partition("@")[0] + "@10" for measure in FOUR)
    cases: list[tuple[str, Any, str, float]] = [
        ("float32", FOUR, "4 measures, float32", 0.4),
        ("float64", FOUR, "4 measures, float64", 0.4),
        ("float32", cut, "4 measures cut at 10", 0.3),
    ]
    for dtype, measures, what, at_most in cases:
        rows = ltr_rows(full, dtype)
        peers = {"XGBoost, ndcg@10 alone": partial(_xgboost, rows)}
        yield by_row("P1", rows, what, call(rows, measures), peers, at_most)


def _xgboost(rows: Rows) -> Any:
    """Its evaluation less its prediction, of a model that returns the scores as they are."""
    import xgboost

    scores = rows["y_score"].astype(np.float32)
    data = xgboost.DMatrix(
        scores[:, None], label=rows["y_true"], qid=rows["groups"], base_margin=scores
    )
    options = {"objective": "rank:ndcg", "eval_metric": "ndcg@10", "learning_rate": 0.0}
    options |= {"max_depth": 1, "nthread": 1}
    model = xgboost.train(options, data, num_boost_round=1)
    return Timed(
        lambda: seconds_of(lambda: model.eval(data)) - seconds_of(lambda: model.predict(data))
    )


def p2(full: bool) -> Iterator[Row]:
    """One measure against torchmetrics."""
    rows = ltr_rows(full)

    def torchmetrics(name: str) -> Work:
        import torch
        from torchmetrics import retrieval

        graded = name == "RetrievalNormalizedDCG"
        target = torch.tensor(rows["y_true"] if graded else (rows["y_true"] > 0).astype(int))
        preds, indexes = torch.tensor(rows["y_score"]), torch.tensor(rows["groups"])

        def work() -> Any:
            measure = getattr(retrieval, name)()
            measure.update(preds, target, indexes=indexes)
            return measure.compute()

        return work

    for ours, name in (
        (mean_average_precision_score, "RetrievalMAP"),
        (ndcg_at_k_score, "RetrievalNormalizedDCG"),
    ):
        peers = {f"torchmetrics {name}": partial(torchmetrics, name)}
        work = partial(ours, **rows, zero_division=np.nan)
        yield by_row("P2", rows, "1 measure", work, peers, 1 / 30)


def p3(full: bool) -> Iterator[Row]:
    """A matrix against scikit-learn."""
    from sklearn.metrics import ndcg_score

    rng = np.random.default_rng(0)
    shape = (30_000 if full else 300, 120)
    y_true, y_score = rng.choice(5, shape, p=GRADES), rng.normal(size=shape).astype(np.float32)
    theirs = partial(ndcg_score, y_true, y_score, k=10)
    peers = {
        "scikit-learn, ties ignored": lambda: partial(theirs, ignore_ties=True),
        "scikit-learn, ties averaged": lambda: theirs,
    }
    ours = partial(ndcg_at_k_score, y_true, y_score, k=10, gain="linear", zero_division=0.0)
    n_bytes = y_true.nbytes + y_score.nbytes
    work = f"matrix of {shape[0]:,} x {shape[1]}, ndcg@10"
    yield Row("P3", work, ours, peers, (1 / 4, 1 / 12), y_true.size, n_bytes)


def p9(full: bool) -> Iterator[Row]:
    """Twenty measures against one."""
    rows = ltr_rows(full)
    peers = {"itself, map alone": lambda: call(rows, "map")}
    yield by_row("P9", rows, "20 measures", call(rows, TWENTY), peers, 1.6)


def p10(full: bool) -> Iterator[Row]:
    """Ties: eight distinct scores, as of a small tree."""
    rows = ltr_rows(full)
    leaves = np.random.default_rng(1).integers(0, 8, len(rows["y_score"])).astype(np.float32)
    tied = {**rows, "y_score": leaves}
    peers = {"itself, without ties": lambda: call(rows)}
    yield by_row("P10", tied, "4 measures, 8 distinct scores", call(tied), peers, 2.0)


def p13(full: bool) -> Iterator[Row]:
    """Queries of one length: short, middling, and long with few hits."""
    rng = np.random.default_rng(0)
    for length, n_queries, hits in ((10, 1_000_000, 1), (1_000, 3_000, 100), (100_000, 30, 1_000)):
        n_queries = n_queries if full else max(n_queries // 1_000, 1)
        y_true = np.zeros((n_queries, length), dtype=np.int64)
        y_true[:, :hits] = 1
        scores = rng.normal(size=(n_queries, length)).astype(np.float32)
        keys = scores.view(np.uint32).astype(np.uint64) << np.uint64(32)
        keys |= np.arange(length, dtype=np.uint64)
        rows = {
            "groups": np.repeat(np.arange(n_queries), length),
            "y_true": rng.permuted(y_true, axis=1).ravel(),
            "y_score": scores.ravel(),
        }
        peers = {"numpy.sort of as many keys": lambda keys=keys: partial(np.sort, keys, axis=1)}
        what = f"{length:,} a query, {hits:,} relevant: 4 measures"
        limits = (1.0,) if length == 100_000 else ()
        yield by_row("P13", rows, what, call(rows), peers, *limits)


def p16(full: bool) -> Iterator[Row]:
    """Small calls: ten queries of ten items."""
    from sklearn.linear_model import Ridge
    from sklearn.metrics import make_scorer, r2_score

    rng = np.random.default_rng(0)
    y_true, y_score = rng.choice(5, (10, 10), p=GRADES), rng.normal(size=(10, 10))
    y_true[:, 0] = 1

    discounts = np.log2(np.arange(2, 12))

    def loop(k: int | None = None) -> float:
        values = []
        for grades, scores in zip(y_true, y_score, strict=True):
            gains = 2.0**grades - 1
            best = (np.sort(gains)[::-1] / discounts)[:k].sum()
            found = gains[np.argsort(-scores, kind="stable")] / discounts
            values.append(found[:k].sum() / best)
        return float(np.mean(values))

    rows = {"y_true": y_true.ravel(), "y_score": y_score.ravel(), "groups": np.arange(100) // 10}
    X = rng.normal(size=(100, 3))
    fitted = (Ridge().fit(X, rows["y_true"]), X, rows["y_true"])
    of_rows = partial(evaluate, **rows)
    twenty = [f"ndcg@{k}" for k in range(1, 21)]
    works: list[tuple[str, Work, str, Work, float, bool]] = [
        ("evaluate, ndcg", partial(of_rows, measures="ndcg"), "a loop", loop, 2.3, False),
        ("ndcg_at_k_score", partial(ndcg_at_k_score, y_true, y_score), "a loop", loop, 2.3, False),
        (
            "evaluate, ndcg@1 to @20",
            partial(of_rows, measures=twenty),
            "20 loops",
            lambda: [loop(k) for k in range(1, 21)],
            2.2,
            False,
        ),
        (
            "map_scorer",
            partial(map_scorer, *fitted, groups=rows["groups"]),
            "a scorer of r2_score",
            partial(make_scorer(r2_score), *fitted),
            0.1,
            True,
        ),
    ]
    for what, ours, name, theirs, at_most, in_ms in works:
        peers, calls = {name: lambda theirs=theirs: theirs}, 200 if full else 2
        work = f"10 queries of 10: {what}"
        yield Row("P16", work, ours, peers, (at_most,), in_ms=in_ms, calls=calls)


def p21(full: bool) -> Iterator[Row]:
    """Query ids of other types than integers, in a call and in a search."""
    import pandas as pd
    from sklearn import config_context
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import GroupKFold, cross_val_score

    rng, n_queries = np.random.default_rng(0), 3_000 if full else 30
    whole = np.repeat(np.arange(n_queries), 100)
    text = pd.Series(whole).map("query {}".format).astype("str")
    kinds: dict[str, tuple[Any, float]] = {
        "dates with a time zone": (pd.to_datetime(pd.Series(whole), unit="h", utc=True), 4.0),
        "categories": (text.astype("category"), 3.0),
        "a series of text": (text, 4.0),
        "a list of text": (text.tolist(), 7.0),
    }
    y, scores = rng.choice(5, len(whole), p=GRADES), rng.random(len(whole))
    of_whole = partial(evaluate, y, scores, "map")
    same = {"integers": lambda: partial(of_whole, groups=whole)}
    for kind, (ids, at_most) in kinds.items():
        work = f"{len(whole):,} rows by {kind}"
        yield Row("P21", work, partial(of_whole, groups=ids), same, (at_most,), n_rows=len(y))
    X = rng.normal(size=(len(whole) // 5, 5))

    def search(ids: Any) -> Any:
        cv, params = GroupKFold(5), {"groups": ids[: len(X)]}
        with config_context(enable_metadata_routing=True):
            return cross_val_score(
                LinearRegression(), X, y[: len(X)], scoring=map_scorer, cv=cv, params=params
            )

    peers = {"integers": lambda: partial(search, whole)}
    work = f"cross_val_score of {len(X):,} rows by a series of text"
    yield Row("P21", work, partial(search, text), peers, (1.9,), n_rows=len(X))


# Dictionaries, lists and files ------------------------------------------------------------------


def p4(full: bool) -> Iterator[Row]:
    """{query: {document: score}}, and twenty measures of the same (P9)."""
    rng = random.Random(0)
    queries = [f"q{number}" for number in range(1_000 if full else 50)]
    run = {query: {f"d{number}": rng.random() for number in range(1_000)} for query in queries}
    qrels = {
        query: {f"d{n}": rng.choice((0, 0, 1, 2)) for n in rng.sample(range(1_500), 50)}
        for query in queries
    }

    def of_ir_measures() -> Work:
        import ir_measures
        from ir_measures import AP, RR, P, R, nDCG

        measures: list[Any] = [AP, nDCG @ 10, RR, P @ 10, R @ 100]
        return lambda: ir_measures.calc_aggregate(measures, qrels, run)

    def of_pytrec_eval() -> Work:
        import pytrec_eval

        return lambda: pytrec_eval.RelevanceEvaluator(qrels, TREC_FIVE).evaluate(run)

    def of_ranx() -> Work:
        import ranx

        return lambda: ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), list(FIVE))

    peers: Any = {"ir_measures": of_ir_measures, "pytrec_eval": of_pytrec_eval}
    peers["ranx, building included"] = of_ranx
    work = f"{len(queries):,} queries x 1,000 documents, 50 judged"
    ours, more = (partial(evaluate, qrels, run, measures) for measures in (FIVE, TWENTY))
    yield Row("P4", f"{work}: 5 measures", ours, peers, (1 / 4, 1 / 5, 1 / 12))
    as_theirs = partial(ours, convention="pytrec_eval")
    same = {"pytrec_eval": of_pytrec_eval}
    yield Row("P4", f"{work}: 5 measures, convention='pytrec_eval'", as_theirs, same, (0.6,))
    alone = {"itself, map alone": lambda: partial(evaluate, qrels, run, "map")}
    yield Row("P4", f"{work}: 20 measures", more, alone, (1.6,))


def p19(full: bool) -> Iterator[Row]:
    """Short rankings as dicts, and one long one as an array."""
    rng = random.Random(0)
    cases = ((50, 10, "ndcg@10", 2.5), (200, 20, FIVE, 1.2), (1_000, 10, "ndcg@10", 1.0))
    names = {"ndcg@10": {"ndcg_cut_10"}, FIVE: TREC_FIVE}
    for n_queries, length, measures, at_most in (*cases, (1_000, 100, "ndcg@10", 1.1)):
        n_queries = n_queries if full else 5
        run: dict[str, dict[str, float]] = {
            f"q{n}": {f"d{rng.randrange(10**7)}": rng.random() for _ in range(length)}
            for n in range(n_queries)
        }
        qrels = {
            query: {item: rng.choice((0, 1, 2)) for item in [*items][::3]} | {"d": 1}
            for query, items in run.items()
        }

        def of_pytrec_eval(qrels: Any = qrels, run: Any = run, own: Any = names[measures]) -> Work:
            import pytrec_eval

            return lambda: pytrec_eval.RelevanceEvaluator(qrels, own).evaluate(run)

        ours = partial(evaluate, qrels, run, measures)
        what = f"{n_queries:,} dicts of {length}: {measures if measures != FIVE else '5 measures'}"
        calls = max(20_000 // (n_queries * length), 1) if full else 1
        yield Row("P19", what, ours, {"pytrec_eval": of_pytrec_eval}, (at_most,), calls=calls)
    grades, scores = (
        values[None] for values in np.random.default_rng(0).random((2, 10**6 if full else 10**3))
    )
    best = {"argpartition": lambda: partial(np.argpartition, -scores[0], 10)}
    ours = partial(evaluate, (grades > 0.999).astype(int), scores, "ndcg@10")
    yield Row("P19", f"one query of {scores.size:,} items", ours, best)


def p18(full: bool) -> Iterator[Row]:
    """Frames of pandas, as recommenders hold them."""
    import pandas as pd

    rng, n_users = np.random.default_rng(0), 5_000 if full else 50
    users, truth_users = np.repeat(np.arange(n_users), 20), np.repeat(np.arange(n_users), 10)
    items = np.argsort(rng.random((n_users, 1_000)), axis=1)[:, :25]
    for kind, at_most in (("int", 0.6), ("str", 0.4)):
        reco = pd.DataFrame({"user_id": users, "item_id": items[:, :20].ravel()})
        truth = pd.DataFrame(
            {
                "user_id": truth_users,
                "item_id": items[:, [*range(0, 10, 2), *range(20, 25)]].ravel(),
            }
        )
        if kind == "str":
            reco, truth = ("i" + frame.astype(str) for frame in (reco, truth))
        ranks = np.tile(np.arange(20), n_users)

        def of_rectools(reco: Any = reco, truth: Any = truth, ranks: Any = ranks) -> Work:
            from rectools.metrics import MAP, calc_metrics

            ranked, judged = reco.assign(rank=ranks + 1), truth.assign(weight=1.0)
            return lambda: calc_metrics({"map": MAP(10)}, reco=ranked, interactions=judged)

        ours = partial(evaluate, truth, reco.assign(score=-ranks), "map@10")
        what = f"pandas, {n_users:,} users x 20, {kind} ids"
        yield Row("P18", what, ours, {"RecTools": of_rectools}, (at_most,), len(reco))


def p5(full: bool) -> Iterator[Row]:
    """Ranked lists and sets, against looking up each item and nothing more."""
    rng = random.Random(0)
    catalogue = [f"item {number}" for number in range(20_000)]
    n_users = 100_000 if full else 1_000
    rankings = [rng.sample(catalogue, 100) for _ in range(n_users)]
    truths = [{*rng.sample(ranking, 5), *rng.sample(catalogue, 5)} for ranking in rankings]

    def membership() -> list[Any]:
        pairs = zip(truths, rankings, strict=True)
        return [list(map(truth.__contains__, ranking)) for truth, ranking in pairs]

    ours, peers = (
        partial(evaluate, truths, rankings, FIVE),
        {"looking up alone": lambda: membership},
    )
    yield Row("P5", f"{n_users:,} users x 100 items: 5 measures", ours, peers, (1.9,))


def p7(full: bool) -> Iterator[Row]:
    """Rows in memory against a tenth of them, for each row."""
    import pandas as pd
    import polars as pl

    n_rows = 10_000_000 if full else 10_000
    rng = np.random.default_rng(0)
    run = {
        "query": np.repeat(np.arange(n_rows // 100), 100),
        "item": (np.arange(n_rows) * 7919) % 1_000_003,
        "score": rng.random(n_rows),
    }
    judged = {"query": run["query"][::10], "item": run["item"][::10]}
    judged["grade"] = rng.integers(0, 3, n_rows // 10)
    for kind, frame in (("pandas", pd.DataFrame), ("Polars", pl.DataFrame)):
        whole = frame(judged), frame(run)
        tenth = whole[0][: n_rows // 100], whole[1][: n_rows // 10]
        yield from _grown(f"{kind}, integers", n_rows, whole, tenth)
    items, n_lists = run["item"].reshape(-1, 100), n_rows // 100
    rankings = [[f"item {item}" for item in row] for row in items.tolist()]
    truths = [{*ranking[::10]} for ranking in rankings]
    tenth = truths[: n_lists // 10], rankings[: n_lists // 10]
    yield from _grown("lists of text", n_rows, (truths, rankings), tenth)


def _grown(what: str, n_rows: int, whole: Any, tenth: Any) -> Iterator[Row]:
    ours, part = (partial(evaluate, *sides, "map") for sides in (whole, tenth))
    peers = {f"{n_rows // 10:,} rows, ten times": lambda: Timed(lambda: 10 * seconds_of(part))}
    yield Row("P7", f"{n_rows:,} rows, {what}", ours, peers, (1.3,), n_rows=n_rows)


def p6(full: bool) -> Iterator[Row]:
    """A run file and judgements in TREC's format, reading included."""
    with tempfile.TemporaryDirectory() as folder:
        run, qrels = Path(folder, "run.txt"), Path(folder, "qrels.txt")
        n_lines = write_files(run, qrels, 1_000 if full else 5, 1_000)

        def of_pytrec_eval() -> Work:
            import pytrec_eval

            def work() -> Any:
                with qrels.open() as judgements, run.open() as lines:
                    judged = pytrec_eval.parse_qrel(judgements)
                    evaluator = pytrec_eval.RelevanceEvaluator(judged, TREC_FIVE)
                    return evaluator.evaluate(pytrec_eval.parse_run(lines))

            return work

        def ours() -> Any:
            return evaluate(read_qrels(qrels), read_run(run), FIVE)

        peers = {"pytrec_eval and its readers": of_pytrec_eval}
        work = f"a run file of {n_lines:,} lines: 5 measures"
        yield Row("P6", work, ours, peers, (1 / 5,), n_lines)


def write_files(run: Path, qrels: Path, n_queries: int, length: int) -> int:
    """Write a run and judgements in TREC's format; the number of lines."""
    rng = random.Random(0)
    with run.open("w") as lines, qrels.open("w") as judgements:
        for query in range(n_queries):
            scores = sorted((rng.random() for _ in range(length)), reverse=True)
            documents = rng.sample(range(10**7), length)
            for rank, (document, score) in enumerate(zip(documents, scores, strict=True), 1):
                lines.write(f"{query} Q0 doc{document:08d} {rank} {score:.6f} bm25\n")
            for document in rng.sample(documents, 56):
                judgements.write(f"{query} 0 doc{document:08d} {rng.choice((0, 0, 1, 2))}\n")
    return n_queries * length


def p12(full: bool) -> Iterator[Row]:
    """Gates against the evaluation that they need."""
    rng = random.Random(0)
    catalogue = [f"item {number}" for number in range(20_000)]
    names = [f"q{number}" for number in range(10_000 if full else 500)]
    rankings = {name: rng.sample(catalogue, 50) for name in names}
    truths = {name: {*rng.sample(ranked, 5)} for name, ranked in rankings.items()}
    scores = {
        name: {item: 1.0 / place for place, item in enumerate(items, 1)}
        for name, items in rankings.items()
    }
    many = f"{len(names):,} x 50"
    works: list[tuple[str, Any, Any]] = [
        (f"lists, {many}", truths, rankings),
        (f"{{item: score}}, {many}", truths, scores),
        *(
            (f"{what}, {len(few)} x 50", *({name: side[name] for name in few} for side in sides))
            for few in (names[:200], names[:50], names[:5])
            for what, sides in (
                ("lists", (truths, rankings)),
                ("{item: score}", (truths, scores)),
            )
        ),
    ]
    for what, truth, run in works:
        gate, bare = (partial(f, truth, run) for f in (assert_map_at_least, evaluate))
        peers = {"evaluate of the same": lambda bare=bare: partial(bare, "map")}
        calls, at_most = 10 if len(truth) <= 200 else 1, 1.4 if len(truth) <= 50 else 1.15
        work = f"a passing gate, {what}"
        yield Row("P12", work, partial(gate, 0.01), peers, (at_most,), calls=calls)


def p15(full: bool) -> Iterator[Row]:
    """Many systems compared in many measures, evaluation included."""
    n_systems, n_queries = (20, 10_000) if full else (3, 100)
    rng = np.random.default_rng(0)
    truth = (rng.random((n_queries, 30)) < 0.15).astype(int)
    truth[:, 0] = 1
    common = 0.3 * truth + rng.random(truth.shape)
    runs = {f"system {n}": common + rng.random(truth.shape) for n in range(n_systems)}

    def of_ranx() -> Work:
        import ranx

        def by_query(rows: Any) -> dict[str, dict[str, Any]]:
            return {
                f"q{n}": {f"d{item}": value for item, value in enumerate(row)}
                for n, row in enumerate(rows.tolist())
            }

        judged = by_query(truth)
        qrels = ranx.Qrels({q: {d: g for d, g in row.items() if g} for q, row in judged.items()})
        own = [ranx.Run(by_query(scores), name=name) for name, scores in runs.items()]
        # In the places of ERR and LAG, which it lacks, measures of about the same cost.
        names = [*TEN[:5], "dcg@10", "hit_rate@5", "r-precision", "f1@10", "ndcg_burges@10"]
        return lambda: ranx.compare(qrels, own, names, stat_test="student")

    work = f"{n_systems} systems, {n_queries:,} queries of 30, 10 measures"
    ours = partial(compare, truth, runs, measures=TEN)
    yield Row("P15", work, ours, {"ranx.compare": of_ranx}, (1 / 3,))


def p20(full: bool, n_queries: int = 0, at_most: float = 4.0) -> Iterator[Row]:
    """The page of a comparison against the comparison."""
    rng = random.Random(0)
    names = [f"q{number}" for number in range(n_queries or (10_000 if full else 20))]
    truths = {name: {f"d{number}" for number in range(5)} for name in names}
    old, new = (
        {name: rng.sample([f"d{number}" for number in range(50)], 20) for name in names}
        for _ in range(2)
    )
    bare = partial(compare, truths, {"old": old, "new": new}, measures="map")

    def page() -> None:
        systems = {"old": old, "new": new}
        with tempfile.TemporaryDirectory() as folder:
            found = compare(truths, systems, measures="map", keep_items=True)
            found.report(Path(folder, "page.html"))

    work = f"HTML of a comparison, {len(names):,} queries of 20"
    yield Row("P20", work, page, {"compare": lambda: bare}, (at_most,))


def p22(full: bool) -> Iterator[Row]:
    """JSON Lines of rows, and of lists in three forms, against json.loads of the lines."""
    rng, n_rows = random.Random(0), 200_000 if full else 2_000
    ids, scores = [f"d{rng.randrange(10**6)}" for _ in range(n_rows)], np.arange(100, 0, -1) / 100

    def lists(make: Callable[[Any], Any]) -> list[Any]:
        parts = [zip(ids[n : n + 100], scores, strict=True) for n in range(0, n_rows, 100)]
        return [{"query": f"q{n}", "results": make(part)} for n, part in enumerate(parts)]

    forms: dict[str, tuple[float, list[Any]]] = {
        "rows": (
            1.5,
            [
                {"query": f"q{n // 100}", "item": item, "score": scores[n % 100]}
                for n, item in enumerate(ids)
            ],
        ),
        "lists of 100 ids": (3.0, lists(lambda part: [item for item, _ in part])),
        "lists of 100 objects": (3.0, lists(lambda part: [{"id": d, "score": s} for d, s in part])),
        "100 scores by id": (3.0, lists(dict)),
    }
    for what, (at_most, objects) in forms.items():
        texts = [json.dumps(one) for one in objects]
        data = "\n".join(texts).encode()

        def ours(data: bytes = data) -> Any:
            return read_run(io.BytesIO(data), format="jsonl")

        def loads(texts: list[str] = texts) -> Any:
            return [json.loads(text) for text in texts]

        peers = {"json.loads": lambda loads=loads: loads}
        work = f"JSON Lines, {what}, {n_rows:,} items"
        yield Row("P22", work, ours, peers, (at_most,), n_rows, len(data))
