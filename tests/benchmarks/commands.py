"""Rows of whole processes: the commands, imports and runs of pytest that people wait for."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import numpy as np

from sklearn_rank import evaluate
from sklearn_rank.gates.limits import CI_VARIABLES
from tests.benchmarks import rows
from tests.benchmarks.harness import Row, Timed
from tests.benchmarks.rows import FIVE, ROOT, by_row, call, p20, write_files


def processor_time(*arguments: str, folder: str | Path = ROOT, **settings: str) -> Any:
    """Processor time of a process from start to end, which keeps its compiled files.

    It sees no continuous integration, where no baseline may be written.
    """
    command, hidden = [sys.executable, *arguments], {"PYTHONDONTWRITEBYTECODE", *CI_VARIABLES}
    env = {name: value for name, value in os.environ.items() if name not in hidden} | settings

    def timer() -> float:
        before = getrusage(RUSAGE_CHILDREN)
        subprocess.run(command, capture_output=True, cwd=folder, check=True, env=env)
        after = getrusage(RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return Timed(timer)


def p8(full: bool) -> Iterator[Row]:
    """Imports, what is loaded when it is first used, and pytest with the plugin and without it."""
    bare = {"import numpy": partial(processor_time, "-c", "import numpy")}
    for statement in ("import sklearn_rank", "from sklearn_rank import evaluate"):
        yield Row("P8", statement, processor_time("-c", statement), bare, (1.3,))
    code = "from sklearn_rank import evaluate; ev = evaluate([{'a'}, {'b'}], [['a'], ['a']])"
    peers = {"without print": partial(processor_time, "-c", code)}
    printing = processor_time("-c", f"{code}; print(ev)")
    yield Row("P8", "the first print(evaluate(...))", printing, peers, (25,), in_ms=True)
    count = 5_000 if full else 50
    many = f"@pytest.mark.parametrize('n', range({count}))\ndef test_n(n): assert n >= 0\n"
    suites = {
        "an empty pytest run": "def test_nothing(): ...\n",
        f"{count:,} tests without gates": f"import pytest\n{many}",
    }
    for work, text in suites.items():
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "test_it.py").write_text(text)
            run = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
            here = partial(processor_time, *run, folder=folder)
            without = {"without the plugin": partial(here, "-p", "no:rankmetrics")}
            yield Row("P8", work, here(), without, (5,), in_ms=True)


def p17(full: bool) -> Iterator[Row]:
    """The commands, whole processes, with files of 50 queries of 100 documents."""
    bare = {"import numpy": partial(processor_time, "-c", "import numpy")}
    with tempfile.TemporaryDirectory() as folder:
        names = [str(Path(folder, name)) for name in ("qrels.txt", "old.txt", "new.txt")]
        qrels, old, new = names
        for run in (old, new):
            write_files(Path(run), Path(qrels), 50, 100)
        policy = ("--name", "gate", "--at-least", "map=0.01")
        recorded = (*policy, "--max-drop", "map=0.1", "--baseline-dir", folder)
        program = ("-m", "sklearn_rank")
        processor_time(*program, "gate", qrels, old, *recorded, "--update").seconds()
        for what, at_most, words in (
            ("evaluate", 2.5, ("evaluate", qrels, old)),
            ("compare", 5.0, ("compare", qrels, old, new)),
            ("gate, threshold", 3.0, ("gate", qrels, old, *policy)),
            ("gate, baseline", 3.0, ("gate", qrels, old, *recorded)),
            ("report", 4.0, ("report", qrels, old, new, "-o", str(Path(folder, "page.html")))),
        ):
            ours = processor_time(*program, *words)
            yield Row("P17", f"sklearn-rank {what}, 50 x 100", ours, bare, (at_most,))


def p27(full: bool) -> Iterator[Row]:
    """Two deep runs with partial judgements compared, against each evaluated."""
    for n_queries in (1_000, 300) if full else (3,):
        with tempfile.TemporaryDirectory() as folder:
            names = [str(Path(folder, name)) for name in ("qrels.txt", "old.txt", "new.txt")]
            for run in names[1:]:
                write_files(Path(run), Path(names[0]), n_queries, 1_000)
            program = ("-m", "sklearn_rank")
            each = [processor_time(*program, "evaluate", names[0], run) for run in names[1:]]
            peers = {"evaluate of both": lambda e=each: Timed(lambda: sum(o.seconds() for o in e))}
            ours = processor_time(*program, "compare", *names)
            yield Row("P27", f"sklearn-rank compare, {n_queries:,} x 1,000", ours, peers, (1.5,))


def p23(full: bool) -> Iterator[Row]:
    """The page of a comparison of few queries."""
    for row in p20(full, n_queries=300 if full else 10, at_most=9.0):
        yield replace(row, name="P23")


def p24(_: bool) -> Iterator[Row]:
    """The demonstration, whose time is that of one thread, at most 6 s, idle and not."""
    with tempfile.TemporaryDirectory() as folder:
        words = ("-m", "sklearn_rank", "demo", "-o", str(Path(folder, "page.html")))
        timed, one = processor_time(*words), processor_time(*words, OMP_NUM_THREADS="1")
        peers = {"one thread": lambda: one}
        yield Row("P24", "sklearn-rank demo", timed, peers, (1.1,))
        peers, what = {"one thread": lambda: beside_loops(one)}, "beside two busy loops"
        yield Row("P24", f"sklearn-rank demo {what}", beside_loops(timed), peers, (1.1,))


def beside_loops(timed: Timed) -> Timed:
    """The same on a machine whose two processors others keep busy."""

    def timer() -> float:
        loop = [sys.executable, "-c", "while True: pass"]
        with subprocess.Popen(loop) as first, subprocess.Popen(loop) as second:
            try:
                return timed.seconds()
            finally:
                first.kill()
                second.kill()

    return Timed(timer)


def p25(full: bool) -> Iterator[Row]:
    """Numbers in arrays of objects, memory of frames, and a convention's second look at a query."""
    import pandas as pd

    n_queries = 2_000 if full else 20
    rng, groups = np.random.default_rng(0), np.repeat(np.arange(n_queries), 100)
    truth, scores = (rng.random(len(groups)) < 0.1).astype(int), rng.random(len(groups))
    rows = {"groups": groups, "y_true": truth}
    floats = {"float64": lambda: call({**rows, "y_score": scores})}
    objects = {**rows, "y_score": scores.astype(object)}
    yield by_row("P25", objects, "scores of dtype object", call(objects), floats, 2.5)
    keys = {"query": groups, "item": np.arange(len(groups)) % 1_000}
    frame = pd.DataFrame(keys | {"score": scores})
    judged_frame = pd.DataFrame(keys | {"grade": truth})[::10]
    work = f"{len(frame):,} rows of integers in pandas; of input: bytes a row, at most 60"
    ours = partial(evaluate, judged_frame, frame, "map")
    yield Row("P25", work, ours, {}, n_rows=len(frame), input_bytes=len(frame))
    judged = {"q": {f"d{n}": n % 3 for n in range(10)}}
    run = {"q": dict(zip(judged["q"], scores[:10].tolist(), strict=True))}
    for name in ("pytrec_eval", "trec_eval"):
        ours = partial(evaluate, judged, run, FIVE, convention=name)
        peers = {"the default": lambda: partial(evaluate, judged, run, FIVE)}
        calls = 200 if full else 2
        yield Row("P25", f"one query of 10, like {name}", ours, peers, (1.3,), calls=calls)


def p26(full: bool) -> Iterator[Row]:
    """Gates with baselines, in one run of pytest, against as many evaluations."""
    n_gates, n_queries = (50, 200) if full else (2, 5)
    body = f"""
import os, random, pytest
from sklearn_rank import evaluate
rng, docs = random.Random(0), [f"d{{n}}" for n in range(50)]
RUN = {{f"q{{n}}": rng.sample(docs, 20) for n in range({n_queries})}}
TRUTH = {{query: set(rng.sample(items, 5)) for query, items in RUN.items()}}
@pytest.mark.parametrize("n", range({n_gates}))
def test_it(n, rank_gate):
    if os.environ.get("BARE"):
        evaluate(TRUTH, RUN, "ndcg@10")
    else:
        rank_gate.check(TRUTH, RUN, max_drop={{"ndcg@10": 0.02}}, name=f"gate {{n}}")
"""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_it.py").write_text(body)
        run = partial(processor_time, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder=folder)
        run("--rank-update").seconds()
        peers = {"evaluate": partial(run, BARE="1")}
        work = f"{n_gates} gates with baselines, {n_queries} x 20"
        yield Row("P26", work, run(), peers, (6.0 * n_gates,), in_ms=True)


ROWS: Mapping[str, Callable[[bool], Iterator[Row]]] = {
    function.__name__.upper(): function
    for function in (
        rows.p1,
        rows.p2,
        rows.p3,
        rows.p4,
        rows.p5,
        rows.p6,
        rows.p7,
        p8,
        rows.p9,
        rows.p10,
        rows.p12,
        rows.p13,
        rows.p15,
        rows.p16,
        p17,
        rows.p18,
        rows.p19,
        rows.p20,
        rows.p21,
        rows.p22,
        p23,
        p24,
        p25,
        p26,
        p27,
    )
}
"""Rows by name: a function of whether the size is full."""
