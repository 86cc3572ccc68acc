"""Engines that are called: a full-text server of SQLite, commands, slow, failing and flaky ones."""

from __future__ import annotations

import itertools
import json
import sqlite3
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from sklearn_rank import (
    InvalidParameterError,
    RankingDataWarning,
    evaluate,
    retrieve,
)

PAGES = {
    "ties": "Tied items are ranked in every order at once, and the mean is exact.",
    "scorers": "A scorer ranks held-out queries in a grid search.",
    "gates": "A gate fails a test when the ranker gets worse.",
    "files": "Read judgements and rankings from files of many formats.",
}
QUERIES = {"q1": "tied items", "q2": "grid search", "q3": "judgements", "q4": "unheard"}
TRUTH = {"q1": {"ties"}, "q2": {"scorers"}, "q3": {"files"}, "q4": {"gates"}}


class Handler(BaseHTTPRequestHandler):
    """``/search?q=``: ids and BM25 scores; ``delay``, ``fail`` and ``flaky`` are paths."""

    calls = itertools.count()

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        number = next(self.calls)
        if url.path == "/slow":
            time.sleep(0.05)
        if url.path == "/hang" and "tied" in url.query:
            time.sleep(2)
        if url.path == "/fail" and "grid" in url.query:
            self.send_error(500, "index is red")
            return
        database = sqlite3.connect(":memory:")
        database.execute("CREATE VIRTUAL TABLE pages USING fts5(id UNINDEXED, text)")
        database.executemany("INSERT INTO pages VALUES (?, ?)", PAGES.items())
        found = database.execute(
            "SELECT id, -rank FROM pages WHERE pages MATCH ? ORDER BY rank",
            (" OR ".join(parse_qs(url.query)["q"][0].split()),),
        ).fetchall()
        database.close()
        if url.path == "/flaky" and number % 2:
            found = [("gates", 99.0), *found]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(found).encode())

    def log_message(self, *_: Any) -> None:
        """Nothing: standard error is looked at."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def engine(url: str) -> Any:
    def search(query: str) -> Any:
        try:
            with urllib.request.urlopen(f"{url}?q={quote(query)}") as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            error.close()
            raise

    return search


def test_a_run_of_a_server(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    run = retrieve(engine(f"{server}/search"), QUERIES)
    assert list(run) == list(run.seconds) == list(QUERIES)
    assert [results[0][0] for results in run.values() if results] == ["ties", "scorers", "files"]
    assert run.empty == ["q4"]
    assert run.errors == {}
    assert evaluate(TRUTH, run, "mrr")["mrr"] == 3 / 4
    assert capsys.readouterr() == ("", "")  # no terminal, no progress


def test_time_is_a_measure(server: str) -> None:
    run = retrieve(engine(f"{server}/slow"), QUERIES, n_jobs=1)
    assert all(0.05 <= seconds < 5 for seconds in run.seconds.values())
    found = evaluate(TRUTH, run, "mrr", values=run.timings)
    assert found["seconds"] == pytest.approx(sum(run.seconds.values()) / 4)
    milliseconds = sorted(1000 * seconds for seconds in run.seconds.values())
    assert milliseconds[2] <= run.totals["p95_ms"] <= milliseconds[3]
    assert run.totals["errors"] == 0


def test_queries_are_asked_at_a_time() -> None:
    together = threading.Barrier(4, timeout=20)  # broken unless four threads wait
    run = retrieve(lambda query: [query] * (together.wait() >= 0), range(8), n_jobs=4)
    assert run == {number: [number] for number in range(8)}


def test_failures_are_kept_by_query(server: str) -> None:
    with pytest.warns(RankingDataWarning, match=r"^1 of 4 .*; 'q2': HTTPError: .*red. They .* 0"):
        run = retrieve(engine(f"{server}/fail"), QUERIES)
    assert list(run) == ["q1", "q3", "q4"]
    assert isinstance(run.errors["q2"], urllib.error.HTTPError)
    assert list(run.seconds) == list(QUERIES)
    assert run.totals["errors"] == 1
    assert evaluate(TRUTH, run, "mrr", values=run.timings)["mrr"] == 2 / 4


def test_a_query_that_hangs_fails_alone(server: str) -> None:
    start = time.monotonic()
    with pytest.warns(RankingDataWarning, match=r"'q1': TimeoutError: no answer within 0.5 sec"):
        run = retrieve(engine(f"{server}/hang"), QUERIES, n_jobs=1, timeout=0.5)
    assert time.monotonic() - start < 2
    assert list(run) == ["q2", "q3", "q4"]
    assert 0.5 <= run.seconds["q1"] < 2


def test_repeats_of_a_flaky_engine(server: str) -> None:
    found = evaluate(
        TRUTH, retrieve(engine(f"{server}/flaky"), QUERIES, repeats=4, n_jobs=1), "mrr"
    )
    # Two of four runs put "gates" first, which is right for q4 alone: calls alternate.
    assert 3 / 8 <= found["mrr"] <= 1


COMMAND = f"""{sys.executable} -c '
import json, sys
query = sys.argv[1]
if "grid" in query: sys.exit("index is red")
if query == "tied items": print("ties\\t2.5\\nfiles\\t1.5")
elif query == "judgements": print(json.dumps(["files"]))
elif query == "$(echo) \\"x\\"": print("as typed")
' {{query}}"""


def test_a_command() -> None:
    queries = {**QUERIES, "q5": '$(echo) "x"'}
    with pytest.warns(RankingDataWarning, match="'q2': RuntimeError: exit code 1: index is red"):
        run = retrieve(COMMAND, queries, n_jobs=2)
    ranked = {"q1": [("ties", 2.5), ("files", 1.5)], "q3": ["files"], "q4": [], "q5": ["as typed"]}
    assert run == ranked


def test_a_command_that_hangs_is_killed() -> None:
    command = f"{sys.executable} -c 'import time; time.sleep(60)' {{query}}"
    with pytest.raises(ValueError, match=r"^all 2 queries failed; 'a': Time"):
        retrieve(command, ["a", "b"], timeout=0.3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"engine": 3}, "engine must be a function or a command, got 3"),
        ({"engine": "./search"}, "engine is a command without {query}: './search'"),
        ({"queries": "a b"}, "queries must be {id: query} or a list of different ones, got 'a b'"),
        ({"queries": []}, "a list of different ones, got []"),
        ({"queries": ["a", "a"]}, "a list of different ones, got ['a', 'a']"),
        ({"queries": TRUTH}, "queries holds ground truth; pass {id: query}, or list(queries)"),
        ({"repeats": 0}, "repeats"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"timeout": 0}, "timeout"),
    ],
)
def test_wrong_calls(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        retrieve(**{"engine": list, "queries": ["a"], **arguments})
    assert message in str(caught.value)


@pytest.mark.parametrize("results", ["a", {"a"}, None, 3])
def test_results_without_order_are_errors(results: Any) -> None:
    with pytest.raises(ValueError, match="all 1 queries failed") as caught:
        retrieve(lambda _: results, ["a"])
    assert isinstance(caught.value.__cause__, TypeError)
