"""One nasty problem, ten ways in: the same bits and the same counts.

Rows, lists and mappings stay in Python; data frames come from pandas, Polars and PyArrow; files are
TREC, JSON Lines, CSV and Parquet. Files are written here, row by row and query beside query, not by
the package, so that a mistake of its writers cannot answer for one of its readers.
"""

import csv
import io
import json
import math
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sklearn_rank import Evaluation, evaluate, read_qrels, read_run
from tests.strategies import examples

IDS = [
    "a",
    "b",
    "A",
    "1",
    "01",
    "1.0",
    "1e5",
    "-1",
    "nan",
    "NA",
    "null",
    "None",
    "true",
    "inf",
    "0012",
    "9",
    "10",
    "é",
    "e\u0301",
    "日本",
    "\U0001f600",
    "ß",
    "ss",
    "z#",
    "\u200b",
    "x\u00a0y",
    'say"so',
    "x,y",
    "x;y|z",
    "'",
    "=1+1",
    "\\",
    "{}",
    "%s",
    "query",
    "Q0",
]
SCORES = [
    0.0,
    -0.0,
    1.0,
    1.0 + 1e-9,
    1.0 - 1e-9,
    1e-300,
    -1e-300,
    5e-324,
    1e300,
    -2.5,
    2.0**53,
    2.0**53 + 2,
    1 / 3,
    0.1 + 0.2,
    0.3,
    -7,
    3,
]
"""Ties, zeros of both signs, values that are equal as float32, values that barely exist."""
GRADES = [0, 0, 0, 1, 1, 2, 3, 4, 54, 900]
MEASURES = [
    "map",
    "ndcg@3",
    "mrr",
    "recall@2",
    "precision@3",
    "ndcg(gain=linear)",
    "hit_rate@2",
    "lag",
    "rprec",
    "map@4",
    "fbeta@3",
    "err@5",
    "gauc",
    "set_map",
    "mar@3",
]
Table = dict[str, dict[str, Any]]


class Problem(NamedTuple):
    """Judgements, rankings, and how they are counted."""

    truth: Table
    ranking: Table
    rng: random.Random
    options: dict[str, Any]

    def rows_of(self, table: Table) -> list[tuple[str, str, Any]]:
        """Rows of all queries in confusion; those of a query stay in their order."""
        left = {query: list(items.items()) for query, items in table.items() if items}
        # Queries begin in the order of the mapping, which is that of the result.
        rows = [(query, *items.pop(0)) for query, items in left.items()]
        queries = [query for query, items in left.items() for _ in items]
        self.rng.shuffle(queries)
        return rows + [(query, *left[query].pop(0)) for query in queries]


def problem(seed: int) -> Problem:
    """A few queries, of which some are only judged and some only ranked."""
    rng = random.Random(seed)
    *queries, unjudged, missing = rng.sample(IDS, rng.randint(3, 6))
    palette = rng.sample(SCORES, 4)
    ranking: Table = {
        query: {
            item: rng.choice(palette) if rng.random() < 0.8 else rng.gauss(0, 1)
            for item in rng.sample(IDS, rng.choice([1, 2, 5, 9]))
        }
        for query in (*queries, unjudged)
    }
    truth: Table = {
        query: {
            item: rng.choice(GRADES)
            for item in {**dict.fromkeys(rng.sample([*ranking[query]], 1)), **_some(rng)}
        }
        for query in queries
    }
    truth = dict(sorted({**truth, missing: _some(rng)}.items(), key=lambda _: rng.random()))
    options: dict[str, Any] = {
        "ties": ("average", "stable", "docid", "optimistic", "pessimistic")[seed % 5],
        "zero_division": (0.0, math.nan, 1.0)[seed % 3],
        "missing": ("zero", "skip")[seed % 2],
    }
    if seed % 7 == 0:  # what TREC calls unjudged
        truth[queries[0]][next(iter(ranking[queries[0]]))] = -1
        options["convention"] = "trec_eval"
    return Problem(truth, ranking, rng, options)


def _some(rng: random.Random) -> dict[str, int]:
    return {item: rng.choice(GRADES) for item in rng.sample(IDS, rng.randint(1, 5))}


def without_what_arrays_cannot_say(given: Problem) -> Problem:
    """Queries that are judged and ranked, and of their judgements those of ranked items."""
    queries = [query for query in given.truth if given.ranking.get(query)]
    ranking = {query: given.ranking[query] for query in queries}
    truth = {
        query: {item: grade for item, grade in given.truth[query].items() if item in ranking[query]}
        for query in queries
    }
    return given._replace(truth=truth, ranking=ranking)


# The ten ways in ----------------------------------------------------------------------------------


def in_rows(given: Problem, measures: list[str]) -> Evaluation:
    rows = given.rows_of(given.ranking)
    options = dict(given.options)
    if options["ties"] == "docid":  # arrays have no ids: the rows stand in their order
        rows.sort(key=lambda row: row[1], reverse=True)
        rows.sort(key=lambda row: list(given.ranking).index(row[0]))
        options["ties"] = "stable"
    grades = [given.truth[query].get(item, 0) for query, item, _ in rows]
    groups = [query for query, _, _ in rows]
    return evaluate(grades, [score for *_, score in rows], measures, groups=groups, **options)


def in_lists(given: Problem, measures: list[str]) -> Evaluation:
    truths = [given.truth[query] for query in given.ranking]
    return evaluate(truths, list(given.ranking.values()), measures, **given.options)


def in_mappings(given: Problem, measures: list[str]) -> Evaluation:
    return evaluate(given.truth, given.ranking, measures, **given.options)


def in_frames(make: Callable[[dict[str, list[Any]]], Any]) -> Callable[..., Evaluation]:
    def door(given: Problem, measures: list[str]) -> Evaluation:
        truth, ranking = (
            dict(zip(names, map(list, zip(*given.rows_of(table), strict=True)), strict=True))
            for names, table in (
                (("user_id", "doc", "relevance"), given.truth),
                (("qid", "document_id", "prediction"), given.ranking),
            )
        )
        return evaluate(make(truth), make(ranking), measures, **given.options)

    return door


def in_files(
    write: Callable[[Problem, Table, bool], bytes], form: str
) -> Callable[..., Evaluation]:
    def door(given: Problem, measures: list[str]) -> Evaluation:
        qrels = read_qrels(io.BytesIO(write(given, given.truth, False)), format=form)
        run = read_run(io.BytesIO(write(given, given.ranking, True)), format=form)
        return evaluate(qrels, run, measures, **given.options)

    return door


def as_trec(given: Problem, table: Table, is_run: bool) -> bytes:
    rows = given.rows_of(table)
    if is_run:
        return "".join(f"{q} Q0 {d} 1 {x!r} t\n" for q, d, x in rows).encode()
    return "".join(f"{q}\t0\t{d}\t{x}\r\n" for q, d, x in rows).encode()


def as_json_lines(given: Problem, table: Table, is_run: bool) -> bytes:
    name = "score" if is_run else "grade"
    if given.rng.random() < 0.5:
        objects: Any = ({"query": q, "item": d, name: x} for q, d, x in given.rows_of(table))
    else:
        key = "results" if is_run else "relevant"
        objects = (
            {"query_id": query, key: [{"id": item, name: x} for item, x in items.items()]}
            for query, items in table.items()
        )
    return "\n".join(json.dumps(value, ensure_ascii=False) for value in objects).encode()


def as_csv(given: Problem, table: Table, is_run: bool) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(("doc_id", "score" if is_run else "label", "title", "session"))
    writer.writerows((item, repr(number), "-", q) for q, item, number in given.rows_of(table))
    return b"\xef\xbb\xbf" + out.getvalue().encode()


def as_parquet(given: Problem, table: Table, is_run: bool) -> bytes:
    queries, items, numbers = zip(*given.rows_of(table), strict=True)
    columns = {"query": queries, "pid": items, "sim" if is_run else "rating": numbers}
    out = io.BytesIO()
    pl.DataFrame(columns, strict=False).write_parquet(out)
    return out.getvalue()


COUNTED = ("missing", "unjudged", "unjudged_grades")
KEYED: dict[str, Callable[..., Evaluation]] = {
    "pandas": in_frames(pd.DataFrame),
    "Polars": in_frames(lambda columns: pl.DataFrame(columns, strict=False)),
    "PyArrow": in_frames(pa.table),
    "TREC": in_files(as_trec, "trec"),
    "JSON Lines": in_files(as_json_lines, "jsonl"),
    "CSV": in_files(as_csv, "csv"),
    "Parquet": in_files(as_parquet, "parquet"),
}
ARRAYS = {"rows": in_rows, "lists": in_lists}


def bits(evaluation: Evaluation, *, keyed: bool = True, judged: bool = True) -> Iterator[Any]:
    """Everything that is said of the queries, as values that are equal or not."""
    yield {name: value.hex() for name, value in evaluation.scores.items()}
    unsaid = () if judged else ("unjudged_items", "assumed")
    yield {name: number for name, number in evaluation.counts.items() if name not in unsaid}
    queries = list(evaluation.query_ids) if keyed else None
    for name, values in evaluation.per_query.items():
        yield name, queries, [value.hex() for value in values.tolist()]


def compare(doors: dict[str, Callable[..., Evaluation]], given: Problem, seed: int) -> Evaluation:
    known = MEASURES[:7] if "convention" in given.options else MEASURES
    measures = random.Random(-seed).sample(known, 2)
    expected = in_mappings(given, measures)
    for name, door in doors.items():
        keyed = name != "lists"
        # Rows grade every item: nothing is left unsaid that could be unjudged.
        said = {"keyed": keyed, "judged": name != "rows"}
        result = list(bits(door(given, measures), **said))
        assert result == list(bits(expected, **said)), (name, seed, given.options)
    return expected


@pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.RankingDataWarning")
@pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.ConventionWarning")
def test_ten_doors_give_the_same_bits_and_counts() -> None:
    """One test for all seeds: each alone would spend its time on beginning and ending."""
    totals = dict.fromkeys((*COUNTED, "tied", "no_relevant"), 0)
    not_retrieved = 0
    for seed in range(examples(40).max_examples):
        given = problem(seed)
        counts = compare(KEYED, given, seed).counts
        compare(ARRAYS, without_what_arrays_cannot_say(given), seed)
        for name in totals:
            totals[name] += counts[name]
        not_retrieved += counts["relevant"] - counts["retrieved"]
    # What is compared happens: ties, missing and unjudged queries, undefined ones.
    assert min(*totals.values(), not_retrieved) > 1, totals
