"""The demonstration that `sklearn-rank demo` runs: two searches on data that is always there.

Search over Python's own help pages: `help("while")` prints a page and, under it, related topics.
The page is the query, and the pages behind the topics are relevant. Then learning to rank on
scikit-learn's digits: a row is a pair of images, relevant if both show the same digit.
"""

from __future__ import annotations

import math
import pydoc
import sys
import textwrap
from collections.abc import Sequence
from pydoc_data.topics import topics
from typing import Any

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, train_test_split

from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.scorers import map_scorer
from sklearn_rank.support.runtime import waiting
from sklearn_rank.tables.formats import aligned
from sklearn_rank.typing import FloatArray, IntArray

SHOWN = 5
"""Candidates of a search that are shown, best first; the worst follows."""

# Help pages -------------------------------------------------------------------------------------

PAGES_GRID: dict[str, list[Any]] = {
    "query_words": [0, 50, None],
    "stop_words": [None, "english"],
    "bigrams": [False, True],
}


def read_help_pages() -> tuple[dict[str, str], dict[str, set[str]]]:
    """Texts of the pages, and for each page with related topics the pages behind them."""

    def entry(name: str) -> tuple[str, str]:
        """Page and related topics of a help topic; pydoc stores a plain name for "see there"."""
        found: Any = name
        while isinstance(found, str):
            found = pydoc.Helper.topics.get(found) or pydoc.Helper.keywords.get(found) or ("", "")
        return str(found[0]), str(found[1])

    texts: dict[str, str] = dict(topics)
    related: dict[str, set[str]] = {}
    for name in [*pydoc.Helper.topics, *pydoc.Helper.keywords]:
        page, others = entry(name)
        targets = {entry(other)[0] for other in others.split()} & texts.keys() - {page}
        if page in texts and targets:
            related.setdefault(page, set()).update(targets)
    return texts, related


class PageRetriever(BaseEstimator):  # type: ignore[misc]
    """Ranks all other pages by the similarity of their texts to the query page.

    It searches for the page's name and the first ``query_words`` of its text; None takes all.
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
        self.pages_ = sorted(self.texts)
        words = (1, 2 if self.bigrams else 1)
        self.vectorizer_ = TfidfVectorizer(stop_words=self.stop_words, ngram_range=words)
        self.index_ = self.vectorizer_.fit_transform([self.texts[page] for page in self.pages_])
        return self

    def predict(self, X: Sequence[str]) -> list[list[str]]:
        """For each page of ``X`` all other pages, the most similar first."""
        queries = [
            " ".join([page.replace("-", " "), *self.texts[page].split()[: self.query_words]])
            for page in X
        ]
        similar = (self.vectorizer_.transform(queries) @ self.index_.T).toarray()
        orders = np.argsort(-similar, axis=1, kind="stable").tolist()
        return [
            [self.pages_[place] for place in order if self.pages_[place] != page]
            for page, order in zip(X, orders, strict=True)
        ]


def run_demo() -> None:
    """Both searches, and the gate that would protect the first."""
    texts, related = read_help_pages()
    train, test = train_test_split(sorted(related), test_size=0.4, random_state=0)
    search = GridSearchCV(PageRetriever(texts), PAGES_GRID, scoring=map_scorer, cv=5)
    with waiting("1/2 searching for the best retriever of help pages"):
        search.fit(train, [related[page] for page in train])
    truth = {page: related[page] for page in test}
    rankings = dict(zip(test, search.predict(test), strict=True))
    held_out = evaluate(truth, rankings, ("map", "mrr", "recall@10", "ndcg@10"))
    middle = test[int(np.argsort(held_out.per_query["map"], kind="stable")[len(test) // 2])]
    first = (page + "*" * (page in truth[middle]) for page in rankings[middle][:5])
    _say(
        f"{len(texts)} pages of Python {sys.version_info.major}.{sys.version_info.minor}; "
        f"{len(related)} of them name related topics ({sum(map(len, related.values()))} links). "
        "Query: one page. Relevant: the pages of its related topics. All other pages are ranked. "
        f"Tuned on {len(train)} queries; {len(test)} are held out until the end.",
        title="1. Search over Python's own help pages",
        code="GridSearchCV(PageRetriever(texts), grid, scoring=map_scorer, cv=5)\\\n"
        "    .fit(queries, related)",
    )
    _say_search(search)
    _say(f"On the {len(test)} held-out queries:", code=repr(held_out))
    _say(
        f"A middling held-out query, {middle!r} ({len(truth[middle])} related, marked *), finds "
        f"first: {', '.join(first)}"
    )
    _demonstrate_pairs()
    broken = clone(search.best_estimator_).set_params(query_words=0).fit()
    _demonstrate_gate(truth, dict(zip(test, broken.predict(test), strict=True)), held_out["map"])


# Pairs of digits --------------------------------------------------------------------------------

N_QUERIES, N_ITEMS = 80, 100
PAIRS_GRID = {"C": [0.001, 0.01, 0.1, 1.0], "fit_intercept": [True, False]}


def read_pairs() -> list[tuple[FloatArray, IntArray, IntArray]]:
    """Differences of images, grades and query ids to learn from, and held-out ones of others."""
    pixels, digits = load_digits(return_X_y=True)
    images = np.random.default_rng(0).permutation(len(digits))
    parts = np.split(images, np.cumsum([N_QUERIES, N_ITEMS, N_QUERIES, N_ITEMS]))
    pairs = []
    for queries, items in (parts[:2], parts[2:4]):
        query, item = np.repeat(queries, len(items)), np.tile(items, len(queries))
        X = np.abs(pixels[query] - pixels[item]) / 16
        pairs.append((X, (digits[query] == digits[item]).astype(np.int64), query))
    return pairs


def _demonstrate_pairs() -> None:
    (X, y, qid), (X_test, y_test, qid_test) = read_pairs()
    folds = GroupKFold(n_splits=3, shuffle=True, random_state=0)
    ranker = LogisticRegression(max_iter=1000)
    search = GridSearchCV(ranker, PAIRS_GRID, scoring=map_scorer, cv=folds)
    with (
        waiting("2/2 searching for the best ranker of digits"),
        sklearn.config_context(enable_metadata_routing=True),
    ):
        search.fit(X, y, groups=qid)
    scores = search.decision_function(X_test)
    measures = ("map", "mrr", "ndcg@10", "precision@10", "gauc")
    held_out = evaluate(y_test, scores, measures, groups=qid_test)
    constant = evaluate(y_test, np.zeros(len(y_test)), "map", groups=qid_test)
    _say(
        f"{N_QUERIES} query images against {N_ITEMS} others: {N_QUERIES * N_ITEMS:,} rows of "
        "(query, item) pairs, grade 1 for the same digit. As many rows of other images are held "
        "out until the end; no image is on both sides.",
        title="2. Learning to rank on scikit-learn's digits",
        code="with sklearn.config_context(enable_metadata_routing=True):\n"
        "    GridSearchCV(ranker, grid, scoring=map_scorer, cv=GroupKFold(3))\\\n"
        "        .fit(X, y, groups=qid)",
    )
    _say_search(search)
    _say(f"On the {N_QUERIES} held-out queries:", code=repr(held_out))
    _say(
        "The folds separate queries, not items: each fold's items were seen with other queries. "
        "The held-out images are all new, so the second number is the harder and the honest one "
        f"({search.best_score_:.4f} against {held_out['map']:.4f}). A constant score, which says "
        f"nothing, gets MAP {constant['map']:.4f} whatever the order of the rows."
    )


# The gate ---------------------------------------------------------------------------------------


def _demonstrate_gate(truth: Any, rankings: Any, measured: float) -> None:
    from pytest_rankmetrics import RankGateFailure, assert_map_at_least

    threshold, failure = math.floor(measured * 100) / 100, ""
    try:
        assert_map_at_least(truth, rankings, threshold)
    except RankGateFailure as error:
        failure = str(error)
    _say(
        f"A test that protects the retriever of help pages (MAP {measured:.6f}, rounded down):",
        title="3. The gate",
        code="from pytest_rankmetrics import assert_map_at_least\n\n"
        "def test_help_search_finds_related_pages(y_true, y_score):\n"
        f"    assert_map_at_least(y_true, y_score, {threshold:.2f})",
    )
    _say(
        "Somebody breaks it: the query is now the page's name alone, without its text. The test "
        "ends red, and whoever is on call reads:",
        code=failure,
    )
    _say(
        "Where to read on: docs/gates.md for baselines that only a real drop fails, "
        "docs/recipes.md for rankers and recommenders, docs/inputs.md for your data."
    )


# Output -----------------------------------------------------------------------------------------


def _say(text: str, *, title: str = "", code: str = "") -> None:
    if title:
        print(f"\n{title}\n{'=' * len(title)}\n")
    print(textwrap.fill(text, 79) + "\n", flush=True)
    if code:
        print(textwrap.indent(code, "    ") + "\n", flush=True)


def _say_search(search: Any) -> None:
    """The best candidates and the worst."""
    results, names = search.cv_results_, list(search.param_grid)
    order = np.argsort(-results["mean_test_score"], kind="stable").tolist()
    rows = [["rank", "MAP", "+-", *names]]
    for place, candidate in enumerate(order, 1):
        scores = [f"{results[f'{kind}_test_score'][candidate]:.4f}" for kind in ("mean", "std")]
        values = [str(results["params"][candidate][name]) for name in names]
        rows.append([str(place), *scores, *values])
    more = ["..", f"{len(order) - SHOWN - 1} more", *[""] * (len(names) + 1)]
    _say(
        f"{len(order)} candidates, {search.n_splits_} folds; MAP is the mean over the folds, +- "
        "the standard deviation:",
        code="\n".join(aligned([*rows[: SHOWN + 1], more, rows[-1]], "<")),
    )
    _say(f"Chosen: {', '.join(f'{name}={search.best_params_[name]}' for name in names)}")
