"""Inputs as people hold them, drawn at random: right, refused or warned of, never wrong in silence.

A problem is lists of items with grades and scores, whose values an oracle computes from these
lists. It is written in one of many forms, by names, types and containers drawn at random, and may
then have a defect: something that a person overlooks.
"""

import io
import json
import math
import random
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sklearn_rank import RankingDataWarning, evaluate, read_qrels, read_run
from sklearn_rank.inputs.roles import ROLES

N_PROBLEMS = 3_000
MEASURES = ("mrr", "recall@3")
Problem = tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]


def problem_of(rng: random.Random) -> Problem:
    """Grades and distinct scores of the items of each query, the best first."""
    truth, run = {}, {}
    for number in range(rng.choice([3, 12, 40])):
        items = rng.sample([f"d{n}" for n in range(20)], rng.randint(3, 9))
        scores = sorted((n / 8 for n in rng.sample(range(8, 999), len(items))), reverse=True)
        run[f"q{number}"] = dict(zip(items, scores, strict=True))
        judged = rng.sample(items, rng.randint(2, 3))
        grades = rng.choice([(1, 0, 2), (0, 2, 1), (1, 1, 0)])
        truth[f"q{number}"] = dict(zip(judged, grades, strict=False))
    return truth, run


def oracle(truth: Any, run: Any) -> dict[str, float]:
    """Means over queries, from ranked lists."""
    reciprocal, recall = [], []
    for query, judged in truth.items():
        scores = run[query]
        ranked = sorted(scores, key=scores.__getitem__, reverse=True)
        relevant = {item for item, grade in judged.items() if grade > 0}
        ranks = [rank for rank, item in enumerate(ranked, 1) if item in relevant]
        reciprocal.append(1 / ranks[0] if ranks else 0.0)
        recall.append(sum(rank <= 3 for rank in ranks) / len(relevant))
    return {"mrr": sum(reciprocal) / len(truth), "recall@3": sum(recall) / len(truth)}


# Forms -------------------------------------------------------------------------------------------


@dataclass
class Drawn:
    """A problem with the names and types in which it is written."""

    rng: random.Random
    truth: Any
    run: Any
    number: str = "score"
    """What orders the items: a score, distance or rank, or their order alone."""
    grade: bool = True
    """Whether grades are written, or relevant items alone."""
    hides: str = ""
    """The number whose column has a name that says nothing."""

    def name(self, role: Any) -> str:
        family = self.rng.choice(ROLES[role][: 3 if role == "item" else 1])
        name = self.rng.choice(family.ids.split())
        return self.rng.choice([name, name.upper(), name.replace("_", "-"), name.title()])

    def numbers(self, scores: dict[Any, float]) -> list[Any]:
        values = list(scores.values())
        if self.number == "distance":
            return [-value for value in values]
        order = sorted(values, reverse=True)
        return [order.index(value) + 1 for value in values] if self.number == "rank" else values

    def table(self, side: str) -> dict[str, list[Any]]:
        """Columns of a row for each query and item, the rows in any order of the queries."""
        sides = self.truth if side == "truth" else self.run
        rows: list[tuple[Any, ...]] = []
        for query, own in sides.items():
            if side == "truth" and not self.grade:
                own = {item: grade for item, grade in own.items() if grade > 0}
            numbers = list(own.values()) if side == "truth" else self.numbers(own)
            rows += [(query, item, number) for item, number in zip(own, numbers, strict=True)]
        if self.number and self.rng.random() < 0.5:
            self.rng.shuffle(rows)
        columns = dict(
            zip(["query", "item", "number"], map(list, zip(*rows, strict=True)), strict=True)
        )
        role = "grade" if side == "truth" else self.number
        if not role or (side == "truth" and not self.grade):
            columns.pop("number")
        hidden = side == {"grade": "truth", "number": "run"}.get(self.hides)
        if hidden:
            columns["number"] = hidden_numbers(self.rng, columns["number"])
        return {
            "votes"
            if hidden and name == "number"
            else self.name(role if name == "number" else name): values
            for name, values in columns.items()
        }

    def ranking(self, scores: dict[Any, float]) -> list[Any]:
        return list(scores)

    def hits(self, scores: dict[Any, float]) -> list[Any]:
        """Items with their numbers: pairs, dicts or objects, as retrievers have them."""
        form, name = self.rng.choice(["dicts", "objects"]), self.number
        if self.number == "score" and self.rng.random() < 0.5:
            return list(zip(scores, self.numbers(scores), strict=True))
        rows = [
            {"id": i, **({name: n} if name else {})}
            for i, n in zip(scores, self.numbers(scores), strict=True)
        ]
        return [SimpleNamespace(**row) for row in rows] if form == "objects" else rows


def hidden_numbers(rng: random.Random, numbers: list[Any]) -> list[Any]:
    """Numbers as they may stand in a column of any name."""
    texts = {0: "no", 1: "yes", 2: "surely"}
    forms: list[Callable[[Any], Any]] = [float, str, "{:g}%".format]
    if set(numbers) <= set(texts):
        forms += [bool, texts.__getitem__]
    hidden = list(map(rng.choice(forms), numbers))
    return [None, *hidden[1:]] if rng.random() < 0.5 and isinstance(hidden[0], str) else hidden


def container(rng: random.Random, items: list[Any]) -> Any:
    makers: list[Callable[[Any], Any]] = [list, tuple, lambda x: np.array(x), pd.Series, pl.Series]
    return rng.choice(makers)(items)


def judged_of(drawn: Drawn, own: dict[Any, int]) -> Any:
    items = [item for item, grade in own.items() if grade > 0]
    if drawn.grade:
        return dict(own)
    return drawn.rng.choice([set, frozenset, list, tuple])(items)


def mapping(drawn: Drawn) -> Any:
    truth = {query: judged_of(drawn, own) for query, own in drawn.truth.items()}
    form = drawn.rng.choice(["lists", "scores", "hits"])
    if form == "lists":
        run = {q: container(drawn.rng, drawn.ranking(own)) for q, own in drawn.run.items()}
    elif form == "scores" and drawn.number == "score":
        run = {query: dict(own) for query, own in drawn.run.items()}
    else:
        state = drawn.rng.getstate()
        run = {}
        for query, own in drawn.run.items():
            drawn.rng.setstate(state)  # all of one form
            run[query] = drawn.hits(own)
    return truth, run


def lists(drawn: Drawn) -> Any:
    truth, run = mapping(drawn)
    return list(truth.values()), [run[query] for query in truth]


def series(drawn: Drawn) -> Any:
    truth = pd.Series({query: judged_of(drawn, own) for query, own in drawn.truth.items()})
    return truth, pd.Series({query: list(own) for query, own in drawn.run.items()})


def frames(drawn: Drawn) -> Any:
    makers: list[Any] = [pd.DataFrame, pl.DataFrame, pa.table]
    made = [drawn.rng.choice(makers)(drawn.table(side)) for side in ("truth", "run")]
    return tuple(made)


def csv(drawn: Drawn) -> Any:
    files = []
    for side in ("truth", "run"):
        table, separator = pd.DataFrame(drawn.table(side)), drawn.rng.choice(",;\t")
        files.append(io.BytesIO(table.to_csv(index=False, sep=separator).encode()))
    return read_qrels(files[0]), read_run(files[1])


def parquet(drawn: Drawn) -> Any:
    files = []
    for side in ("truth", "run"):
        files.append(io.BytesIO())
        pl.DataFrame(drawn.table(side)).write_parquet(files[-1])
        files[-1].seek(0)
    return read_qrels(files[0]), read_run(files[1])


def json_lines(drawn: Drawn) -> Any:
    files = []
    for side in ("truth", "run"):
        rows = pd.DataFrame(drawn.table(side)).to_dict("records")
        files.append(io.BytesIO("\n".join(map(json.dumps, rows)).encode()))
    return read_qrels(files[0]), read_run(files[1])


def json_file(drawn: Drawn) -> Any:
    state, run = drawn.rng.getstate(), {}
    for query, own in drawn.run.items():
        drawn.rng.setstate(state)
        run[query] = [getattr(hit, "__dict__", hit) for hit in drawn.hits(own)]
    truth = {query: judged_of(drawn, own) for query, own in drawn.truth.items()}
    truth = {query: own if isinstance(own, dict) else list(own) for query, own in truth.items()}
    files = [io.BytesIO(json.dumps(side).encode()) for side in (truth, run)]
    return read_qrels(files[0]), read_run(files[1])


def trec(drawn: Drawn) -> Any:
    truth = [
        f"{q} 0 {item} {grade}" for q, own in drawn.truth.items() for item, grade in own.items()
    ]
    run = [
        f"{query} Q0 {item} {rank} {score} tag"
        for query, own in drawn.run.items()
        for rank, (item, score) in enumerate(own.items(), 1)
    ]
    files = [io.BytesIO("\n".join(lines).encode()) for lines in (truth, run)]
    return read_qrels(files[0]), read_run(files[1])


FORMS = {
    form.__name__: form
    for form in (
        mapping,
        lists,
        series,
        frames,
        csv,
        parquet,
        json_lines,
        json_file,
        trec,
    )
}


# Defects -----------------------------------------------------------------------------------------

Form = Callable[[Drawn], Any]


def respelled(drawn: Drawn, *, queries: bool) -> Drawn:
    """Two in five or all of the queries, or of the relevant items, in another spelling."""
    rng, share = drawn.rng, drawn.rng.choice([0.4, 1.0])
    form = rng.choice([str.upper, " {}".format, "{} ".format, "{}.0".format])
    relevant = [(q, i) for q, own in drawn.truth.items() for i, grade in own.items() if grade > 0]
    keys: list[Any] = list(drawn.run) if queries else relevant
    changed = set(rng.sample(keys, math.ceil(share * len(keys))))
    if queries:
        run = {form(q) if q in changed else q: own for q, own in drawn.run.items()}
    else:
        run = {
            q: {form(i) if (q, i) in changed else i: score for i, score in own.items()}
            for q, own in drawn.run.items()
        }
    return replace(drawn, run=run)


def rising(drawn: Drawn) -> Drawn:
    """Distances, least first, that call themselves scores."""
    run = {q: dict(zip(own, sorted(own.values()), strict=True)) for q, own in drawn.run.items()}
    return replace(drawn, run=run, number="score")


def with_a_gap(drawn: Drawn, what: str) -> Drawn:
    """A score, or an id, is missing."""
    run = {q: dict(own) for q, own in drawn.run.items()}
    query = drawn.rng.choice(list(run))
    item = next(iter(run[query]))
    gap = drawn.rng.choice([None, math.nan]) if what == "score" else None
    run[query] = {gap if what == "id" and i == item else i: s for i, s in run[query].items()}
    if what == "score":
        run[query][item] = gap
    return replace(drawn, run=run, number="score")


ALL = tuple(FORMS)
TABLES = ("frames", "csv", "parquet", "json_lines")
SCORED = (*TABLES, "mapping", "lists", "json_file")
DEFECTS: dict[str, tuple[Callable[[Drawn], Drawn], tuple[str, ...]]] = {
    "queries in another spelling": (
        partial(respelled, queries=True),
        ("mapping", "series", *TABLES),
    ),
    "items in another spelling": (partial(respelled, queries=False), ALL),
    # Not of mappings, whose scores are acquitted where they agree with few judgements by chance.
    "distances as scores": (rising, ("json_file", "trec")),
    "a missing score": (partial(with_a_gap, what="score"), SCORED),
    "a missing id": (
        partial(with_a_gap, what="id"),
        ("mapping", "lists", "series", "frames", "csv"),
    ),
    "hidden grades": (lambda drawn: replace(drawn, hides="grade", grade=True), TABLES),
    "hidden scores": (lambda drawn: replace(drawn, hides="number", number="score"), TABLES),
}


def indexed(drawn: Drawn) -> Any:
    """Frames, of which the index has a role, and perhaps a weaker column of it is there."""
    truth, run = (pd.DataFrame(drawn.table(side)) for side in ("truth", "run"))
    run["session"] = 1
    return truth, run.set_index(list(run)[drawn.rng.randint(0, 1)])


def a_series_beside_a_list(drawn: Drawn) -> Any:
    truth, run = series(drawn)
    run = run.sample(frac=1.0, random_state=drawn.rng.randint(0, 99))
    return drawn.rng.choice([(truth.tolist(), run), (truth.sample(frac=1.0), run.tolist())])


def matrices_of_ids(drawn: Drawn) -> Any:
    rng, rows = np.random.default_rng(drawn.rng.randint(0, 99)), len(drawn.run)
    ids = np.array([rng.permutation(900)[:5] + 40 for _ in range(rows)])
    return ids, ids + 1000


def pairs_as_truth(drawn: Drawn) -> Any:
    _, run = mapping(drawn)
    return {query: list(own.items()) for query, own in drawn.truth.items()}, run


def parts_of_a_frame(drawn: Drawn) -> Any:
    truth, run = mapping(drawn)
    tables = [pd.DataFrame(own.items(), columns=["doc", "score"]) for own in drawn.run.values()]
    make = drawn.rng.choice([lambda own: own, lambda own: own.set_index("doc")["score"]])
    return truth, dict(zip(run, map(make, tables), strict=True))


def swapped(drawn: Drawn) -> Any:
    truth, run = mapping(replace(drawn, grade=False))
    return run, truth


CONTAINERS = (
    indexed,
    a_series_beside_a_list,
    matrices_of_ids,
    pairs_as_truth,
    parts_of_a_frame,
    swapped,
)


def drawn_for(form: str, seed: int) -> Drawn:
    rng = random.Random(f"{form} {seed}")
    number, grade = rng.choice(["score", "distance", "rank", ""]), rng.random() < 0.7
    return Drawn(rng, *problem_of(rng), number, grade)


def outcome(make: Callable[[], Any], expected: Any) -> str:
    """What becomes of an input: right, refused, warned of or wrong."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = evaluate(*make(), MEASURES).scores
        except (ValueError, TypeError):
            return "refused"
    if any(issubclass(own.category, RankingDataWarning) for own in caught):
        return "warned of"
    return "right" if found == pytest.approx(expected, abs=1e-12) else "wrong"


@pytest.mark.parametrize("form", FORMS)
def test_inputs_without_a_defect_are_right(form: str) -> None:
    for seed in range(N_PROBLEMS // 30):
        drawn = drawn_for(form, seed)
        expected = oracle(drawn.truth, drawn.run)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = evaluate(*FORMS[form](drawn), MEASURES).scores
        assert found == pytest.approx(expected, abs=1e-12), (form, seed)


@pytest.mark.parametrize("defect", DEFECTS)
def test_inputs_with_a_defect_are_never_wrong_in_silence(defect: str) -> None:
    change, forms = DEFECTS[defect]
    outcomes: Counter[str] = Counter()
    for seed in range(N_PROBLEMS // 2 // len(DEFECTS)):
        form = forms[seed % len(forms)]
        drawn = drawn_for(form, seed)
        expected = oracle(drawn.truth, drawn.run)
        said = outcome(partial(FORMS[form], change(drawn)), expected)
        outcomes[said] += 1
        assert said != "wrong", (defect, form, seed)
    assert outcomes["right"] < sum(outcomes.values()) / 2


@pytest.mark.parametrize("make", CONTAINERS)
def test_containers_that_mean_something_else_are_never_read(make: Form) -> None:
    for seed in range(N_PROBLEMS // 6 // len(CONTAINERS)):
        drawn = drawn_for(make.__name__, seed)
        expected = oracle(drawn.truth, drawn.run)
        assert outcome(partial(make, drawn), expected) != "wrong", seed
