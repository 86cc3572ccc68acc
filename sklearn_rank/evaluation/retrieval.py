"""Runs of an engine that is called here: a function, or a command, for each query."""

from __future__ import annotations

import json
import math
import shlex
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextvars import copy_context
from queue import Empty, SimpleQueue
from subprocess import DEVNULL, run
from threading import Thread
from time import perf_counter
from typing import Any

import numpy as np

from sklearn_rank.evaluation.repeats import Repeats
from sklearn_rank.exceptions import InvalidParameterError, RankingDataWarning
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.own import measure_from
from sklearn_rank.support.checks import check_integer, check_number
from sklearn_rank.support.runtime import warn, with_progress
from sklearn_rank.support.text import safe_repr, safe_text

__all__ = ["Retrieved", "retrieve"]


class Retrieved(dict[Any, Any]):
    """Results by query; ``errors`` of failed queries, and ``seconds`` of every query."""

    def __init__(self, answers: Mapping[Any, tuple[float, Any]]) -> None:
        found = {query: results for query, (_, results) in answers.items()}
        self.errors = {q: error for q, error in found.items() if isinstance(error, BaseException)}
        self.seconds = {query: seconds for query, (seconds, _) in answers.items()}
        super().__init__({q: found[q] for q in found if q not in self.errors})

    @property
    def empty(self) -> list[Any]:
        """Queries without results."""
        return [query for query, results in self.items() if not results]

    @property
    def timings(self) -> dict[Measure, dict[Any, float]]:
        """The measure ``seconds`` for ``evaluate(..., values=)``; less is better."""
        seconds = measure_from("seconds", range=(0, math.inf), greater_is_better=False)
        return {seconds: dict(self.seconds)}

    @property
    def totals(self) -> dict[str, float]:
        """Percentiles of the time per query in milliseconds, and the number of failed queries."""
        p50, p95 = (1000 * np.percentile([*self.seconds.values()], [50, 95])).tolist()
        return {"p50_ms": p50, "p95_ms": p95, "errors": float(len(self.errors))}


def retrieve(
    engine: str | Callable[[Any], Any],
    queries: Mapping[Any, Any] | Iterable[Any],
    repeats: int = 1,
    *,
    n_jobs: int = 4,
    timeout: float | None = 60.0,
) -> Any:
    """Ask an engine all queries, and keep results, errors and times.

    Parameters
    ----------
    engine : callable or str
        ``engine(query)`` returns results, best first: ids, (id, score) pairs, {id: score} or
        objects. Or a command, split into words without a shell, in which ``{query}`` is the query;
        it prints an id a line, perhaps with a tab and a score, or JSON of these forms.
    queries : mapping or iterable
        {id: query}, or queries that are their own ids.
    repeats : int, default=1
        Times that all queries are asked, for engines that answer differently each time.
    n_jobs : int, default=4
        Queries that are asked at a time, under which each takes longer.
    timeout : float or None, default=60
        Seconds after which a query has failed: a command is killed, a function runs on unheard.

    Returns
    -------
    run : Retrieved, or Repeats of them

    Raises
    ------
    ValueError
        If every query failed. If some did, a warning says so.

    Examples
    --------
    >>> from sklearn_rank import evaluate, retrieve
    >>> pages = {"d1": "rank results", "d2": "train a ranker"}
    >>> def search(query):
    ...     return [page for page, text in pages.items() if query in text]
    >>> run = retrieve(search, {"q1": "ranker", "q2": "scores"})
    >>> run, run.empty
    ({'q1': ['d2'], 'q2': []}, ['q2'])
    >>> evaluate({"q1": {"d2"}, "q2": {"d1"}}, run, "mrr")["mrr"]
    0.5
    """
    repeats = check_integer(repeats, "repeats", "retrieve", at_least=1)
    n_jobs = check_integer(n_jobs, "n_jobs", "retrieve", at_least=1)
    if timeout is not None:
        timeout = check_number(timeout, "timeout", "retrieve", at_least=0.0, above=True)
    texts = _texts(queries)
    ask = _command(engine, timeout) if isinstance(engine, str) else engine
    if not callable(ask):
        msg = f"engine must be a function or a command, got {safe_repr(engine)}"
        raise InvalidParameterError(msg)
    answers: list[dict[Any, tuple[float, Any]]] = [{} for _ in range(repeats)]
    total = repeats * len(texts)
    asked = ((into, *pair) for into in answers for pair in _answers(ask, texts, n_jobs, timeout))
    steps = (into.update({query: answer}) or 1 for into, query, answer in asked)
    deque(with_progress(steps, total, "retrieving"), 0)
    runs = [Retrieved({query: found[query] for query in texts}) for found in answers]
    failed = [(query, error) for run in runs for query, error in run.errors.items()]
    if failed:
        query, error = failed[0]
        text = f"{safe_repr(query)}: {type(error).__name__}: {safe_text(str(error), limit=200)}"
        if len(failed) == total:
            msg = f"all {total:,} queries failed; {text}"
            raise ValueError(msg) from error
        counts = "They have no ranking, which counts 0, and is an error in gates"
        warn(f"{len(failed):,} of {total:,} queries failed; {text}. {counts}", RankingDataWarning)
    return Repeats(runs) if repeats > 1 else runs[0]


def _texts(queries: Mapping[Any, Any] | Iterable[Any]) -> dict[Any, Any]:
    """{id: query}."""
    listed = list(queries) if isinstance(queries, Iterable) else []
    texts = dict(queries if isinstance(queries, Mapping) else zip(listed, listed, strict=True))
    if not texts or len(texts) < len(listed) or isinstance(queries, str):
        msg = f"queries must be {{id: query}} or a list of different ones, got {safe_repr(queries)}"
        raise InvalidParameterError(msg)
    if any(isinstance(text, (Mapping, Set)) for text in texts.values()):
        msg = "queries holds ground truth; pass {id: query}, or list(queries) if ids are queries"
        raise InvalidParameterError(msg)
    return texts


def _answers(
    ask: Callable[[Any], Any], texts: Mapping[Any, Any], n_jobs: int, timeout: float | None
) -> Iterator[tuple[Any, tuple[float, Any]]]:
    """Queries with seconds, and results or the error, as they come; late ones are not heard."""
    waiting, running = deque(texts), dict[Any, float]()
    done = SimpleQueue[tuple[Any, tuple[float, Any]]]()

    def work(query: Any) -> None:
        start = perf_counter()
        try:
            results = ask(texts[query])
            if isinstance(results, (str, bytes, Set)) or hasattr(results, "columns"):
                msg = f"the engine returned a {type(results).__name__}, not a list, best first"
                raise TypeError(msg)  # noqa: TRY301
            results = results if isinstance(results, Mapping) else list(results)
        except BaseException as error:  # a thread that exits would be waited for
            results = error
        done.put((query, (perf_counter() - start, results)))

    while waiting or running:
        while waiting and len(running) < n_jobs:
            query = waiting.popleft()
            running[query] = perf_counter()
            # Of a pool the interpreter would wait for the threads that hang.
            Thread(target=copy_context().run, args=(work, query), daemon=True).start()
        try:
            left = None if timeout is None else min(running.values()) + timeout - perf_counter()
            answer = done.get(timeout=left and max(left, 0.0))
        except Empty:
            query = min(running, key=running.__getitem__)
            error = TimeoutError(f"no answer within {timeout:g} seconds")
            answer = query, (perf_counter() - running[query], error)
        if running.pop(answer[0], None) is not None:
            yield answer


def _command(command: str, timeout: float | None) -> Callable[[Any], Any]:
    """Function that runs a command for a query and reads its output."""
    words = shlex.split(command)
    if not any("{query}" in word for word in words):
        msg = f"engine is a command without {{query}}: {safe_repr(command)}"
        raise InvalidParameterError(msg)

    def ask(query: Any) -> Any:
        asked = [word.replace("{query}", str(query)) for word in words]
        done = run(asked, stdin=DEVNULL, capture_output=True, timeout=timeout, encoding="utf-8")
        text = done.stdout.strip()
        if done.returncode:
            msg = f"exit code {done.returncode}: {done.stderr.strip().rpartition(chr(10))[2]}"
            raise RuntimeError(msg)
        if text.startswith(("[", "{")):
            return json.loads(text)
        rows = [line.split("\t") for line in text.splitlines()]
        return [(row[0], float(row[1])) if len(row) == 2 else "\t".join(row) for row in rows]

    return ask
