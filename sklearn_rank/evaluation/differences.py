"""Where the number of a convention cannot be that of its program: said by name, once a call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from sklearn_rank.exceptions import ConventionWarning
from sklearn_rank.inputs.layouts import layout_of
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.conventions import Convention
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.sorting import sortable
from sklearn_rank.typing import Array


def warn_of_differences(
    preset: Convention,
    measures: Mapping[str, Measure],
    judged: RankingData,
    sides: tuple[Any, Any],
    *,
    ties_are_given: bool,
) -> None:
    """Warn of what the program does with these data and no parameter expresses."""
    for text in told_differences(preset, measures, judged, sides, ties_are_given=ties_are_given):
        warn(text, ConventionWarning)


def told_differences(
    preset: Convention,
    measures: Mapping[str, Measure],
    judged: RankingData,
    sides: tuple[Any, Any],
    *,
    ties_are_given: bool,
    numbers: bool = True,
) -> Iterator[str]:
    """The same in sentences, with the ``numbers`` of what is concerned or in general."""
    rankings = judged.rankings
    cases: dict[str, Callable[[], int]] = {
        "tied": lambda: 0 if ties_are_given else judged.by_score.n_tied,
        "empty": lambda: int((rankings.n_ranked == 0).sum()) - judged.counts.missing,
        "unfound": lambda: int(((rankings.n_relevant > 0) & (rankings.n_retrieved == 0)).sum()),
        "graded": lambda: rankings.n_graded,
        "at most 0": lambda: _n_at_most_zero(_scores(*sides)),
        **{
            case: partial(_n_alike, case, sides, len(rankings))
            for case in ("close", "equal", "equal of 16")
        },
    }
    if judged.count_scores is not None:
        of_scores = ("at most 0", "close", "equal", "equal of 16")
        cases |= {case: partial(judged.count_scores, case) for case in of_scores}
    if ties_are_given:
        cases |= dict.fromkeys(("equal", "equal of 16"), lambda: 0)
    for case, count in cases.items():
        differences = preset.differences(case, measures)
        number = count() if differences else 0
        if number > 0:
            queries = "query" if numbers and number == 1 else "queries"
            what = _SUBJECTS[case].format(f"{number:,}" if numbers else "some", queries)
            yield (
                f"{what}, which convention {preset.name!r} cannot count as its program does: "
                f"{differences}"
            )


_SUBJECTS = {
    "tied": "relevant items are tied in {} {}",
    "empty": "the ranking is empty in {} {}",
    "unfound": "nothing relevant was retrieved in {} {}",
    "graded": "{} grades are above 1",
    "at most 0": "{} scores are at most 0",
    "close": "scores differ by less than float32 tells in {} {}",
    "equal": "items share a score in {} {}",
    "equal of 16": "items share a score in {} {} of 16 or more items",
}


def _n_at_most_zero(scores: list[Array]) -> int:
    return sum(int((values <= 0).sum()) for values in scores)


def _n_alike(case: str, sides: tuple[Any, Any], n_queries: int) -> int:
    """Rankings with equal scores, or with "close" ones, which are equal as float32 alone."""
    scores = _scores(*sides)
    if case == "close":
        return sum(
            len(np.unique(values.astype(np.float32))) < len(np.unique(sortable(values)))
            for values in scores
        )
    if layout_of(sides[0]) == "rows" and n_queries > 1:
        return 0  # which rows are one ranking is not known here
    least = 16 if case == "equal of 16" else 2
    return sum(
        len(values) >= least and len(np.unique(sortable(values))) < len(values)
        for block in scores
        for values in (block if block.ndim == 2 else [block])
    )


def _scores(y_true: Any, y_score: Any) -> list[Array]:
    """Scores of each ranking that has any; those of arrays all together."""
    if layout_of(y_true) in ("rows", "matrix"):
        return [np.asarray(y_score.toarray() if hasattr(y_score, "toarray") else y_score)]
    rankings = y_score.values() if isinstance(y_score, Mapping) else y_score
    listed = rankings if isinstance(rankings, Iterable) else ()
    return [np.array(list(ranking.values())) for ranking in listed if isinstance(ranking, Mapping)]
