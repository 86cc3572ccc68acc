"""Each system with its value, and the systems from which it differs significantly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from string import ascii_lowercase

import numpy as np

from sklearn_rank.comparison.join import Joined
from sklearn_rank.comparison.values import Difference, SystemScore
from sklearn_rank.evaluation.scale import mean_over


def letters_of(names: Sequence[str]) -> dict[str, str]:
    """a, b, ... z, aa, ab, ... for the systems."""
    return {name: _letter(number) for number, name in enumerate(names)}


def _letter(number: int) -> str:
    text = ""
    while number >= 0:
        number, place = divmod(number, len(ascii_lowercase))
        text, number = ascii_lowercase[place] + text, number - 1
    return text


def scores_of(joined: Joined, rows: Sequence[Difference]) -> tuple[SystemScore, ...]:
    """A score for each measure and system, measure by measure."""
    letters = letters_of(list(joined.systems))
    beaten: dict[tuple[str, str], list[str]] = {}
    lost: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.significant and row.better is not None:
            pair = (row.system, row.baseline)
            winner, loser = pair if row.better else pair[::-1]
            beaten.setdefault((row.measure, winner), []).append(letters[loser])
            lost.setdefault((row.measure, loser), []).append(letters[winner])
    scores = []
    for measure in joined.measures:
        means = {system: _mean(joined, system, measure) for system in joined.systems}
        defined = [value for value, _ in means.values() if not math.isnan(value)]
        greater = joined.measure(measure).metric.greater_is_better
        best = (max if greater else min)(defined, default=math.nan)
        scores += [
            SystemScore(
                system,
                letters[system],
                measure,
                queries,
                value,
                value == best,
                tuple(sorted(beaten.get((measure, system), ()), key=_rank)),
                tuple(sorted(lost.get((measure, system), ()), key=_rank)),
            )
            for system, (value, queries) in means.items()
        ]
    return tuple(scores)


def _rank(letter: str) -> tuple[int, str]:
    return len(letter), letter


def _mean(joined: Joined, system: str, measure: str) -> tuple[float, int]:
    """Mean over the common queries for which a measure is defined, and how many there are."""
    values = joined.values(system, measure)
    if values is None:
        return joined.pooled(system, measure), len(joined.query_ids)
    weights = joined.weights(system, measure)
    kept = ~np.isnan(values) if weights is None else ~np.isnan(values) & (weights > 0)
    shares = None if weights is None else weights[kept]
    mean = mean_over(values[kept], shares, joined.measure(measure).metric.geometric_from)
    return mean, int(kept.sum())
