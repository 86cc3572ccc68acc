"""Search over Python's own help pages: the lists layout.

``help("while")`` prints a page and, under it, related topics. The page is the query, the other
pages are the documents, and those behind the related topics are the relevant ones.
"""

from __future__ import annotations

import math
import pydoc
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pydoc_data.topics import topics
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, train_test_split

from sklearn_rank._demo.report import (
    FITS,
    Block,
    Code,
    Heading,
    Output,
    gate,
    search_table,
    threshold_below,
)
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.scorers import map_scorer

MEASURES = ("map", "mrr", "recall@10", "ndcg@10")
GRID: dict[str, list[Any]] = {
    "query_words": [0, 50, None],
    "stop_words": [None, "english"],
    "bigrams": [False, True],
}
FOLDS = 5
N_FITS = math.prod(map(len, GRID.values())) * FOLDS


@dataclass(frozen=True)
class HelpPages:
    """Texts of the pages, and for each page with related topics the pages behind them."""

    texts: dict[str, str]
    related: dict[str, set[str]]


def read_help_pages() -> HelpPages:
    """The help pages of this Python."""
    texts: dict[str, str] = dict(topics)
    related: dict[str, set[str]] = {}
    for name in [*pydoc.Helper.topics, *pydoc.Helper.keywords]:
        page, others = _entry(name)
        if page in texts:
            targets = {_entry(other)[0] for other in others.split()}
            related.setdefault(page, set()).update((targets & texts.keys()) - {page})
    return HelpPages(texts, {page: others for page, others in related.items() if others})


def _entry(name: str) -> tuple[str, str]:
    """Page and related topics of a help topic; pydoc stores a plain name for "see there"."""
    for _ in range(10):
        entry: Any = pydoc.Helper.topics.get(name) or pydoc.Helper.keywords.get(name)
        if not entry:
            return "", ""
        if isinstance(entry, tuple):
            page, others = entry
            return str(page), str(others)
        name = entry
    return "", ""


class PageRetriever(BaseEstimator):  # type: ignore[misc]
    """Ranks all other pages by the cosine similarity of their texts to that of the query page.

    Parameters
    ----------
    texts : dict of str to str
        The collection: page name to text.
    query_words : int, default=0
        How many words of the query page are searched for, besides its name; None takes all.
    stop_words : {"english"}, default=None
        Frequent words that are left out.
    bigrams : bool, default=False
        Whether pairs of neighbouring words count as words.
    """

    def __init__(
        self,
        texts: dict[str, str],
        query_words: int | None = 0,
        stop_words: str | None = None,
        bigrams: bool = False,
    ) -> None:
        self.texts = texts
        self.query_words = query_words
        self.stop_words = stop_words
        self.bigrams = bigrams

    def fit(self, X: Any = None, y: Any = None) -> PageRetriever:  # noqa: ARG002
        """Index the collection; queries and judgements teach this retriever nothing."""
        FITS.tick()
        self.pages_ = sorted(self.texts)
        self.vectorizer_ = TfidfVectorizer(
            stop_words=self.stop_words,
            ngram_range=(1, 2 if self.bigrams else 1),
        )
        self.index_ = self.vectorizer_.fit_transform([self.texts[page] for page in self.pages_])
        return self

    def predict(self, X: Sequence[str]) -> list[list[str]]:
        """For each page of ``X`` all other pages, the most similar first."""
        queries = self.vectorizer_.transform([self._query(page) for page in X])
        orders = np.argsort(-(queries @ self.index_.T).toarray(), axis=1, kind="stable")
        return [
            [self.pages_[place] for place in order if self.pages_[place] != page]
            for page, order in zip(X, orders.tolist(), strict=True)
        ]

    def _query(self, page: str) -> str:
        words = self.texts[page].split()
        return " ".join([page.replace("-", " "), *words[: self.query_words]])


@dataclass(frozen=True)
class Outcome:
    """The search, and how the chosen and a broken retriever do on held-out queries."""

    pages: HelpPages
    search: Any
    n_training: int
    held_out: Evaluation
    example: tuple[str, list[str], set[str]]
    failure: str
    """What the gate says of a retriever that forgot to read the query page."""


def run() -> Outcome:
    """Choose a retriever on some of the queries, measure it on the others."""
    pages = read_help_pages()
    queries = sorted(pages.related)
    train, test = train_test_split(queries, test_size=0.4, random_state=0)
    related = {page: pages.related[page] for page in test}

    search = GridSearchCV(PageRetriever(pages.texts), GRID, scoring=map_scorer, cv=FOLDS)
    search.fit(train, [pages.related[page] for page in train])

    rankings = dict(zip(test, search.predict(test), strict=True))
    held_out = evaluate(related, rankings, MEASURES)
    middle = test[int(np.argsort(held_out.per_query["map"], kind="stable")[len(test) // 2])]
    broken = clone(search.best_estimator_).set_params(query_words=0).fit()
    return Outcome(
        pages=pages,
        search=search,
        n_training=len(train),
        held_out=held_out,
        example=(middle, rankings[middle], related[middle]),
        failure=_failure(
            related, dict(zip(test, broken.predict(test), strict=True)), held_out["map"]
        ),
    )


def _failure(related: dict[str, set[str]], rankings: dict[str, list[str]], measured: float) -> str:
    from pytest_rankmetrics import RankGateFailure, assert_map_at_least

    try:
        assert_map_at_least(related, rankings, threshold_below(measured))
    except RankGateFailure as failure:
        return str(failure)
    return ""


def report(outcome: Outcome) -> list[Block]:
    """The outcome, to be shown."""
    pages, search = outcome.pages, outcome.search
    chosen = ", ".join(f"{name}={search.best_params_[name]!r}" for name in GRID)
    links = sum(map(len, pages.related.values()))
    n_queries, n_held_out = len(pages.related), len(outcome.held_out.query_ids)
    return [
        Heading("1. Search over Python's own help pages"),
        f"{len(pages.texts)} pages of Python {sys.version_info.major}.{sys.version_info.minor}; "
        f"{n_queries} of them name related topics ({links} links). Query: one page. Relevant: the "
        f"pages of its related topics. All other pages are ranked. Tuned on {outcome.n_training} "
        f"queries; {n_held_out} are held out until the end.",
        Code(
            "GridSearchCV(PageRetriever(texts), grid, scoring=map_scorer, cv=5)\\\n"
            "    .fit(queries, related)"
        ),
        f"{len(search.cv_results_['params'])} candidates, {FOLDS} folds; MAP is the mean over the "
        "folds, +- the standard deviation:",
        search_table(search.cv_results_, {name: name for name in GRID}),
        f"Chosen: {chosen}",
        f"On the {n_held_out} held-out queries:",
        Output(repr(outcome.held_out)),
        _example(*outcome.example),
    ]


def report_gate(outcome: Outcome) -> list[Block]:
    """The gate that would protect the retriever, and what it says when it is needed."""
    measured = outcome.held_out["map"]
    return [
        Heading("3. The gate"),
        f"A test that protects the retriever of help pages (MAP {measured:.6f}, rounded down):",
        gate("test_help_search_finds_related_pages", threshold_below(measured)),
        "Somebody breaks it: the query is now the page's name alone, without its text. The test "
        "ends red, and whoever is on call reads:",
        Output(outcome.failure, is_failure=True),
        "Where to read on: docs/gates.md for baselines that only a real drop fails, "
        "docs/recipes.md for rankers and recommenders, docs/inputs.md for your data.",
    ]


def _example(page: str, ranking: list[str], truth: set[str]) -> str:
    first = ", ".join(topic + ("*" if topic in truth else "") for topic in ranking[:5])
    return (
        f"A middling held-out query, {page!r} ({len(truth)} related, marked *), finds first: "
        f"{first}"
    )
