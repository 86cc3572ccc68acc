"""All tests of a comparison: which belong to one family, and their corrected p-values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from sklearn_rank.comparison.join import Joined
from sklearn_rank.comparison.pairs import (
    Pairs,
    detectable_of,
    difference_of,
    in_units,
    interval_of,
    pairs_of,
)
from sklearn_rank.comparison.settings import Settings
from sklearn_rank.comparison.values import Difference
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.statistics.corrections import correct_p_values
from sklearn_rank.statistics.tukey import AllPairs, parametric_tukey, randomised_tukey
from sklearn_rank.support.runtime import with_progress
from sklearn_rank.typing import BoolArray, FloatArray


@dataclass
class _Test:
    """A difference whose family is being formed."""

    group: int
    difference: Difference
    pairs: Pairs | str
    reach: Callable[[float], float] | None = None
    """Half the width of intervals that hold for all pairs at once, by their level."""


@dataclass(frozen=True)
class _Work:
    """One measure over one group of queries, for one pair of systems or for all together."""

    group: int
    """Number of the group: of all queries, or of a slice."""
    joined: Joined
    measure: str
    pairs: tuple[tuple[str, str], ...]

    def run(self, settings: Settings) -> Iterator[_Test]:
        """The tests of its pairs."""
        systems = list(self.joined.systems)
        together = kept = None
        if settings.corrects_itself:
            kept = self._complete(systems)
            together = self._tested_together(systems, kept, settings)
        for first, second in self.pairs:
            pairs = pairs_of(self.joined, self.measure, first, second, kept)
            test = _Test(
                self.group, difference_of(self.joined, self.measure, first, second, pairs), pairs
            )
            if together is not None and not isinstance(pairs, str):
                place = systems.index(first), systems.index(second)
                _take(test, together, place, pairs, settings.level)
            elif together is None and not isinstance(pairs, str):
                low, high = interval_of(pairs, settings)
                p = pairs.differences.p(
                    settings.test,  # type: ignore[arg-type]
                    settings.alternative,
                    settings.n_resamples,
                    settings.seed,
                )
                test.difference = replace(test.difference, low=low, high=high, p=p)
            yield test

    def _complete(self, systems: list[str]) -> BoolArray | None:
        """Queries for which a measure is defined for all systems; None of a pooled one."""
        columns = [self.joined.values(system, self.measure) for system in systems]
        if any(column is None for column in columns):
            return None
        defined = [~np.isnan(column) for column in columns if column is not None]
        return np.asarray(np.logical_and.reduce(defined))

    def _tested_together(
        self, systems: list[str], kept: BoolArray | None, settings: Settings
    ) -> AllPairs | None:
        """What a test of all pairs at once finds; None where it has no values to go by."""
        sides = [
            pairs_of(self.joined, self.measure, systems[0], other, kept) for other in systems[1:]
        ]
        if any(isinstance(side, str) or len(side.old) < 2 for side in sides):
            return None
        pairs = [side for side in sides if isinstance(side, Pairs)]
        values = np.column_stack([pairs[0].old, *(side.new for side in pairs)])
        return _tested(values, pairs[0].weights, settings)


def _tested(values: FloatArray, weights: FloatArray | None, settings: Settings) -> AllPairs:
    if settings.test == "tukey":
        return randomised_tukey(values, weights, settings.n_resamples, settings.seed)
    if weights is not None:
        msg = "test='anova' takes no weights of queries; take test='tukey'"
        raise InvalidParameterError(msg)
    return parametric_tukey(values)


def _take(
    test: _Test, together: AllPairs, place: tuple[int, int], pairs: Pairs, level: float
) -> None:
    """The results of one pair."""
    test.reach = together.reach
    middle, reach = pairs.differences.mean, together.reach(level)
    low, high = in_units(pairs, (middle - reach, middle + reach))
    test.difference = replace(
        test.difference,
        low=low,
        high=high,
        p=float(together.p[place]),
        p_corrected=float(together.p_corrected[place]),
    )


def compared(
    groups: Sequence[Joined], settings: Settings, *, all_pairs: bool
) -> list[tuple[Difference, ...]]:
    """The differences of each group of queries, all tested in one family."""
    work = list(_work(groups, settings, all_pairs=all_pairs))
    tests: list[_Test] = []
    steps: Iterable[int] = range(len(work))
    if settings.is_resampled:
        steps = with_progress([1] * len(work), len(work), "tests")
    for item, _ in zip(work, steps, strict=True):
        tests += item.run(settings)
    for family in _families(tests, settings):
        _correct(family, settings)
    rows: list[list[Difference]] = [[] for _ in groups]
    for test in tests:
        rows[test.group].append(test.difference)
    return [tuple(differences) for differences in rows]


def _work(groups: Sequence[Joined], settings: Settings, *, all_pairs: bool) -> Iterator[_Work]:
    for number, joined in enumerate(groups):
        systems = list(joined.systems)
        pairs = (
            [*combinations(systems, 2)]
            if all_pairs
            else [(systems[0], other) for other in systems[1:]]
        )
        for measure in joined.measures:
            if settings.corrects_itself:
                yield _Work(number, joined, measure, tuple(pairs))
            else:
                yield from (_Work(number, joined, measure, (pair,)) for pair in pairs)


def _families(tests: Sequence[_Test], settings: Settings) -> list[list[_Test]]:
    """Tests that are corrected together."""
    families: dict[str, list[_Test]] = {}
    for test in tests:
        key = "" if settings.family == "all" else test.difference.measure
        families.setdefault(key, []).append(test)
    return list(families.values())


def n_tests(differences: Sequence[Difference]) -> int:
    """Tests that have a p-value."""
    return sum(not math.isnan(difference.p) for difference in differences)


def _correct(family: Sequence[_Test], settings: Settings) -> None:
    """Corrected p-values, and what they leave to be seen."""
    if settings.corrects_itself:
        # One test of all pairs for each measure and slice: these are corrected for their number.
        tested = {
            (test.group, test.difference.measure)
            for test in family
            if not math.isnan(test.difference.p)
        }
        times = len(tested) if settings.correction else 1
        corrected = [min(1.0, times * test.difference.p_corrected) for test in family]
    else:
        p_values = [test.difference.p for test in family]
        corrected = correct_p_values(p_values, settings.correction)
        times = n_tests([test.difference for test in family]) if settings.correction else 1
    for test, p in zip(family, corrected, strict=True):
        test.difference = replace(
            test.difference,
            p_corrected=p,
            significant=p <= settings.alpha,
            detectable=_detectable(test, settings, times),
        )


def _detectable(test: _Test, settings: Settings, times: int) -> float:
    if isinstance(test.pairs, str):
        return math.nan
    return detectable_of(test.pairs, settings, times, test.reach)
