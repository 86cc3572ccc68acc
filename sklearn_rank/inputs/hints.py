"""Hints about data that are probably wrong: swapped arguments, ids that cannot match.

If no relevant item was retrieved, or ids of the two sides differ in spelling, they name the
difference.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from numbers import Number
from typing import Any

import numpy as np

from sklearn_rank.exceptions import RankingDataWarning, RankingMatchWarning
from sklearn_rank.inputs.hits import PROVIDER
from sklearn_rank.inputs.spelling import affixed_items, alike_ids, look_different, spelling_hint
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.constants import SURELY
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.segments import sizes_of
from sklearn_rank.support.text import called, count, safe_repr, takes

_QUERIES, _ITEMS = 100, 1000
"""Number of ids that are looked at: enough to see a spelling."""
_FIRST = 12
"""Items that were not retrieved, after which the search ends in most data."""
_SPELLED = 0.25
"""Least share of lost items in another spelling for a hint; a third is surely seen."""
_MOSTLY = 0.9
"""Share of items ranked for another query that are first there, as queries are for themselves."""
_FEW_ALIKE = 2
"""Fewer items may have another spelling for a reason, such as "A" and "a" in one list."""
_APART = "items seem to be numbered from 0 on one side and from 1 on the other"
_MANY = 10
"""Queries that are not all perfect by chance."""
_JOINTS, _SPACES = frozenset("|;,\n\t "), re.compile(r"\s+")
_SEPARATORS = re.compile(r"\s*[|;,\n]\s*"), _SPACES
"""Separators of the items in a cell; spaces also occur within ids."""
_DIGITS = re.compile(r"\d+")
_BESIDE = 6
"""Lost items whose neighbours are sought before more queries are looked at."""
_MEASURES = r"(?i)(n?dcg|mrr|map|(mean_)?average_precision|recall|precision|hit_?rate)([@_]\w+)?"
"""Names of measures, of which an evaluation of another program has a value for each query."""
_MOST_DIGITS = 18
"""Digits of a number at the end of an id; more are a hash."""
_PADDING_IDS = frozenset({"", "nan", "NaN", "None", "null", "<NA>", -1})
"""What fills up lists of unequal length, as text or as a number."""

# Types of ids ------------------------------------------------------------------------------------


def refuse_unequal_types(
    ranked: set[type], true: set[type], objects: str = "", provide: Callable[[], str] = str
) -> None:
    """TypeError if ids of these types cannot be equal, RankingDataWarning if some cannot.

    ``objects`` says how ranked objects, if any, are compared, and ``provide`` by what they can be.
    """
    if not ranked or not true:
        return

    def named(kinds: Iterable[type]) -> str:
        return " and ".join(sorted(kind.__name__ for kind in kinds))

    # Text of objects without a ``__str__`` names no item.
    plain = (Number, str, bytes, tuple)
    others = [kind for kind in ranked | true if not issubclass(kind, plain)]
    are_bare = any(kind.__str__ is object.__str__ for kind in others)
    given = provide() if are_bare else ""
    provider = f"string_provider={given}" if given else "string_provider (such as str)"
    if are_bare and not given:
        provider = f"{PROVIDER.removeprefix('; pass ')},"
    # 1 and 1.0 are equal, but floats among ids come from a column with gaps, or are scores.
    mixes = all(any(issubclass(kind, base) for kind in ranked | true) for base in (int, float))
    for name, side, other in (("y_score", ranked, true), ("y_true", true, ranked)):
        ours, theirs = called("y_score"), called("y_true")
        alone = [kind for kind in side if not any(_can_be_equal(kind, one) for one in other)]
        if mixes or len(alone) == len(side):
            both = f"items of {ours} are {named(ranked)}, items of {theirs} are {named(true)}"
            msg = f"{both}; pass {provider} to compare them"
            if objects and not are_bare:
                msg += f" ({objects})"
            if str in ranked & true:
                msg += (
                    ". Pass rows of query, item and number as data frames, DataFrame(rows, "
                    "columns=['query', 'item', 'score'])"
                )
            elif any(issubclass(kind, float) for kind in ranked | true):
                msg += (
                    ". Floats often come from a column with missing values: drop those rows and "
                    "convert it, for example with .astype('int64'). If these are grades and "
                    "scores, pass 2-D arrays, or 1-D arrays with groups"
                )
            raise TypeError(msg)
        if alone:
            warn(
                f"items of {name} are {named(side)}, items of the other side are {named(other)}: "
                f"no {named(alone)} of {name} can match; pass {provider}, or ids of one type",
                RankingDataWarning,
            )


def _can_be_equal(kind: type, other: type) -> bool:
    """Whether objects of two types may be equal: related types, or numbers."""
    shared = set(kind.__mro__) & set(other.__mro__) - {object}
    return bool(shared) or (issubclass(kind, Number) and issubclass(other, Number))


# Queries of one side alone ------------------------------------------------------------------------


def warn_of_spelling(missing: Collection[Any], unjudged: Collection[Any]) -> None:
    """RankingMatchWarning if queries of the two sides differ only in spelling."""
    hint = spelling_hint(missing, unjudged)
    if hint:
        warn(
            f"{count(len(missing), 'judged query has', 'judged queries have')} no ranking, and "
            f"{count(len(unjudged), 'ranked query has', 'ranked queries have')} no judgements"
            f"{hint}",
            RankingMatchWarning,
        )


def warn_of_shift(y_true: Mapping[Any, Any], y_score: Mapping[Any, Any]) -> None:
    """RankingMatchWarning if queries of one side are numbered from 0, those of the other from 1.

    Then the rankings of their neighbours hold more relevant items than their own.
    """
    queries = list(islice(y_true, _QUERIES))
    if not all(_renumbered(query, (1,)) for query in queries):
        return
    sides = [*(y_true[query] for query in queries), *islice(y_score.values(), _QUERIES)]
    if not all(isinstance(side, Collection) for side in sides):
        return  # one that is read once

    def n_found(step: int) -> int:
        others = [_renumbered(query, (step,))[0] for query in queries]
        pairs = zip(queries, others, strict=True)
        both = ((y_true[query], y_score[other]) for query, other in pairs if other in y_score)
        return sum(len(set(relevant) & set(ranked)) for relevant, ranked in map(_items_of, both))

    try:
        found = {step: n_found(step) for step in (0, 1, -1)}
    except TypeError:  # items that are read with more care
        return
    step = 1 if found[1] > found[-1] else -1
    if found[step] > max(2 * found[0], 1):
        first, last = map(safe_repr, (queries[0], *_renumbered(queries[0], (step,))))
        warn(
            f"queries seem to be numbered from 0 on one side and from 1 on the other: matching "
            f"{first} with {last} and so on finds {found[step]:,} relevant items, but matching "
            f"equal numbers only {found[0]:,}",
            RankingMatchWarning,
        )


# Relevant items that were not retrieved -----------------------------------------------------------


@dataclass
class _Lost:
    """What was seen of relevant items that were not retrieved."""

    n_looked: int = 0
    """Relevant items that were looked at."""
    n_hits: int = 0
    """Those that are ranked."""
    n_lost: int = 0
    """Those that are missing from a ranking that is not empty."""
    alike: list[tuple[Any, Any]] = field(default_factory=list)
    """Lost items, and the ranked items that seem to be the same in another spelling."""
    is_affixed: bool = False
    """Whether they differ by a prefix or suffix."""
    padding: Counter[Any] = field(default_factory=Counter)
    queries: list[tuple[list[Any], list[Any], list[Any]]] = field(default_factory=list)
    """The lost, relevant and ranked items of queries with lost and ranked items."""
    n_read: int = 0
    """Queries whose ids were read."""
    cells: list[str] = field(default_factory=list)
    """Texts whose parts are items of the other side of the query."""
    words: list[str] = field(default_factory=list)
    """Such texts that may be single ids, such as "New York"."""

    def look(self, truth: Collection[Any], ranking: Collection[Any]) -> None:
        """Look at a query."""
        relevant, ranked = _items_of((truth, ranking))
        retrieved = ranking if type(ranking) is dict else set(ranked)
        lost = [item for item in relevant if item not in retrieved]
        self.n_looked += len(relevant)
        self.n_hits += len(relevant) - len(lost)
        if lost and ranked:
            self.n_lost += len(lost)
            self.queries.append((lost, relevant, ranked))
            for item in _PADDING_IDS.intersection(lost):
                self.padding[item] += 1

    def read_ids(self) -> None:
        """Find cells of several items, and the lost items that are ranked in another spelling."""
        new, self.n_read = self.queries[self.n_read :], len(self.queries)
        for lost_here, relevant, ranked_here in new:
            for items, others in ((lost_here, ranked_here), (ranked_here, relevant)):
                for cell, is_list in _first_cell(items, others):
                    (self.cells if is_list else self.words).append(cell)
        lost, _, ranked = (chain.from_iterable(part) for part in zip(*new, strict=True))
        if alike_ids(lost, ranked):  # which most often shows that there is nothing
            for lost_here, relevant, ranked_here in new:
                true = set(relevant)
                self.alike += alike_ids(lost_here, (i for i in ranked_here if i not in true))
        if self.is_affixed or not self.alike:
            pairs = affixed_items(new)
            n_lost = sum(len(lost_here) for lost_here, _, _ in new)
            if len(pairs) >= max(_SPELLED * n_lost, _FEW_ALIKE + 1):
                self.alike, self.is_affixed = self.alike + pairs, True

    @property
    def show_signs(self) -> bool:
        """Whether something was found that makes it worth looking at more queries."""
        return bool(self.alike or self.padding or self.words)

    def are_beside(self) -> bool:
        """Whether more items may be ranked under another number than under their own."""
        if self.n_hits >= self.n_lost:
            return False
        found, _ = self._beside(_BESIDE, (1, -1))
        n_less, n_more = sorted(found)
        return n_more > max(_SPELLED * _BESIDE, n_less)

    def numbered_apart(self, surely: float = SURELY) -> tuple[int, int] | None:
        """1 or -1 if ranked items have numbers greater by that than relevant ones; and how many.

        Then far more are ranked under that number than under their own or the neighbouring ones.
        """
        (more, less, more_yet, less_yet), n_room = self._beside(_ITEMS, (1, -1, 2, -2))
        step, n, by_chance = 1, more, max(self.n_hits, less, more_yet)
        if less > more:
            step, n, by_chance = -1, less, max(self.n_hits, more, less_yet)
        least = by_chance + max(by_chance, surely * math.sqrt(n + by_chance))
        return (step, n) if n > max(least, _SPELLED * n_room) else None

    def _beside(self, n_looked: int, steps: tuple[int, ...]) -> tuple[list[int], int]:
        """How many lost items are ranked under their number plus each step, and how many could be.

        A ranking can hold no more of them than it has items.
        """
        found, n_room = [0] * len(steps), 0
        for lost, _, ranked in self.queries:
            here = [_renumbered(item, steps) for item in lost[: min(n_looked, _FIRST)]]
            here = list(filter(None, here))
            for n, names in enumerate(zip(*here, strict=True)):
                found[n] += len({*names}.intersection(ranked))
            n_looked, n_room = n_looked - len(here), n_room + min(len(here), len(ranked))
            if n_looked <= 0:
                break
        return found, n_room

    def example(self, step: int) -> tuple[Any, Any]:
        """A lost item, and the ranked one whose number is greater by a step."""
        return next(
            (item, name)
            for lost, _, ranked in self.queries
            for item in lost
            for name in _renumbered(item, (step,))
            if name in ranked
        )


def with_mismatch_hint(
    judged: RankingData,
    pairs: Iterable[tuple[Collection[Any], Collection[Any]]],
    least_missed: int = 3,
    *,
    is_sample: bool = False,
) -> RankingData:
    """Warn, and note it in the data, if no relevant items were retrieved, or oddly few.

    ``pairs`` are the ground truth and the ranking of each query, as they were read, or of a sample
    of queries. Fewer than ``least_missed`` queries may all miss if their ids look alike.
    """
    rankings = judged.rankings
    n_hits, n_relevant = int(rankings.n_hits.sum()), int(rankings.n_relevant.sum())
    is_miss = not n_hits and (n_relevant > 0 or judged.counts.missed > 0)
    cause, judged = judged.hint, replace(judged, hint="") if judged.hint else judged
    if not is_miss and n_hits == n_relevant:
        if n_hits == int(rankings.n_ranked.sum()) and len(rankings) >= _MANY:
            _warn_of_own_truth(pairs)
        return judged
    lost, looked, rest = _Lost(), list[Collection[Any]](), iter(pairs)
    truths: list[Collection[Any]] = []
    n_wanted, is_low = rankings.n_relevant[:_QUERIES].tolist(), 4 * n_hits < n_relevant
    are_short = (rankings.n_hits < rankings.n_relevant)[:_QUERIES].tolist()
    if is_sample or judged.n_shared:  # items of one truth may be lost to all queries
        n_wanted, are_short = [0] * _QUERIES, [True] * _QUERIES
    for n, is_short, (truth, ranking) in zip(n_wanted, are_short, rest, strict=False):
        truths.append(truth)
        looked.append(ranking)
        if not is_short:
            lost.n_looked, lost.n_hits = lost.n_looked + n, lost.n_hits + n
            continue
        lost.look(truth, ranking)
        if lost.n_lost >= _FIRST and not (lost.n_read or is_miss):
            lost.read_ids()
            _refuse_cells(lost.cells)
            if not (lost.show_signs or lost.are_beside() or is_low or _places_of_argsort(lost)):
                return judged  # of a third of the items, some would show
    if lost.n_read < len(lost.queries) and (not lost.n_read or lost.show_signs):
        lost.read_ids()
    _refuse_cells(lost.cells)
    if len(lost.words) >= _FEW_ALIKE and not judged.read_as:
        what = f"strings were read as one item each, such as {safe_repr(lost.words[0])}"
        judged = replace(judged, read_as=f"{what}, whose words are items of the other side")
    _warn_of_padding(lost, chain(looked, (ranking for _, ranking in rest)))
    places = _places_of_argsort(lost)
    if is_low and not (places or is_sample or judged.n_shared):
        every = chain(zip(truths, looked, strict=True), islice(rest, _ITEMS))
        places = _of_other_queries([*every], judged.query_ids)
    if is_miss:
        return _warn_of_miss(judged, lost, cause or places, least_missed)
    hint = "" if judged.n_shared else _numbered_apart(lost)
    hint = hint or _spelled_otherwise(lost, truths)
    if hint or places:
        advice = "" if places else _alike()
        warn(f"{places or hint}{advice}", RankingDataWarning)
    return replace(judged, hint=places or hint)


def _first_cell(items: list[Any], others: list[Any]) -> list[tuple[str, bool]]:
    """One of the first texts that is not an item of the other side, although all of its parts are.

    And whether it is a list: words without a digit may be one id, such as a place or a phrase. For
    a single text, one such part is enough if all parts have the same shape, as in "d1 d2".
    """
    for item in items[:_FEW_ALIKE]:
        if type(item) is not str or _JOINTS.isdisjoint(item) or item in others:
            continue
        for pattern in _SEPARATORS:
            parts, known = pattern.split(item), set(others)
            if len(parts) == 1 or known.isdisjoint(parts):
                continue
            shapes = {_DIGITS.sub("0", part) for part in parts}
            if known.issuperset(parts):
                return [(item, pattern is not _SPACES or all("0" in shape for shape in shapes))]
            if len(items) == len(shapes) == 1 and "0" in shapes.pop():
                return [(item, True)]
    return []


def _refuse_cells(cells: list[str]) -> None:
    if len(cells) >= _FEW_ALIKE:
        msg = (
            f"{safe_repr(cells[0])} is a list in one string: its parts are items of the other "
            f"side, and so are the parts of {safe_repr(cells[1])}; split them into one item each"
        )
        raise TypeError(msg)


def _warn_of_own_truth(pairs: Iterable[tuple[Collection[Any], Collection[Any]]]) -> None:
    """Warn if every query has the same items in the same order on both sides."""
    n_queries = n_several = 0
    for truth, ranking in pairs:
        if isinstance(truth, Mapping) and len(set(truth.values())) > 1:
            return  # of ratings, which are warned of as such
        if isinstance(truth, Set) or len(truth) != len(ranking) or list(truth) != list(ranking):
            return
        n_queries, n_several = n_queries + 1, n_several + (len(truth) > 1)
    if 2 * n_several > n_queries:
        warn(
            "y_true and y_score hold the same items in the same order for every query, so every "
            "measure has its best value: was a run passed as y_true?",
            RankingDataWarning,
        )


def _warn_of_miss(judged: RankingData, lost: _Lost, cause: str, least_missed: int) -> RankingData:
    """Warn that no relevant item of any query was retrieved, unless that is no surprise."""
    examples = [(lost_here[0], ranked[0]) for lost_here, _, ranked in lost.queries]
    kinds = {type(item) for pair in examples for item in pair}
    if kinds and not any("__eq__" in vars(base) for kind in kinds for base in kind.__mro__[:-1]):
        named = " and ".join(sorted(kind.__name__ for kind in kinds))
        msg = (
            f"items are {named} objects without __eq__, so each equals only itself and none of "
            "y_true is in y_score; pass string_provider=lambda item: item.id"
        )
        raise TypeError(msg)
    is_surprise = len(examples) >= least_missed or (
        examples and all(look_different(here, ranked) for here, _, ranked in lost.queries)
    )
    apart = lost.numbered_apart(SURELY / 2 if is_surprise else SURELY)
    measured = _values_of_measures(lost)
    if not (is_surprise or lost.alike or apart or measured):
        return judged
    cause = measured or cause
    if lost.alike:
        cause = cause or f"ids seem to differ in spelling: {_pair(*lost.alike[0])}"
    elif apart:
        cause = cause or f"{_APART}: {_pair(*lost.example(apart[0]))}"
    cause = cause or f"ids look like {_pair(*examples[0])}"
    warn(
        f"no relevant item of any query was retrieved ({cause}), so most measures are 0"
        + ("; pass rankings of items" if measured else _alike()),
        RankingMatchWarning,
    )
    return replace(judged, hint=cause)


def _alike() -> str:
    """The advice for ids of two spellings."""
    how = ", for example with string_provider=" * takes("string_provider")
    return f"; spell ids alike on both sides{how}"


def _values_of_measures(lost: _Lost) -> str:
    """That every ranking holds the same names of measures, as {query: {measure: value}}; or ""."""
    names = {tuple(ranked) for _, _, ranked in lost.queries}
    if len(names) != 1 or not all(re.fullmatch(_MEASURES, str(name)) for name in min(names)):
        return ""
    return f"{called('y_score')} holds values of measures, such as {safe_repr(min(names)[0])}"


def _places_of_argsort(lost: _Lost) -> str:
    """Message that rankings hold 0 to n - 1 each, which most relevant items exceed; or ""."""
    n_relevant = n_greater = 0
    for _, relevant, ranked in lost.queries:
        if (
            len(ranked) < _BESIDE
            or {*map(type, ranked)} != {int}
            or {*ranked} != {*range(len(ranked))}
        ):
            return ""
        n_relevant += len(relevant)
        n_greater += sum(type(item) is int and item >= len(ranked) for item in relevant)
    are_sorted = all(ranked == sorted(ranked) for _, _, ranked in lost.queries)
    if len(lost.queries) < _FEW_ALIKE or are_sorted or 2 * n_greater <= n_relevant:
        return ""
    return (
        f"each ranking holds the numbers 0 to n - 1 once, like the output of argsort, but "
        f"{n_greater:,} of {n_relevant:,} relevant items are greater; rank the ids, ids[order]"
    )


def _of_other_queries(pairs: list[tuple[Collection[Any], Collection[Any]]], query_ids: Any) -> str:
    """Message that most relevant items are ranked for one other query, or for the next; or ""."""
    sides = [_items_of(pair) for pair in pairs]
    wanted = [(n, item) for n, (relevant, _) in enumerate(sides) for item in relevant]
    ranked_by: dict[Any, list[int]] = {item: [] for _, item in wanted}
    for number, (_, ranked) in enumerate(sides):
        for item in ranked_by.keys() & ranked:
            ranked_by[item].append(number)

    def found_at(step: int) -> list[tuple[int, int, Any]]:
        others = ((n, (n + step) % len(sides), item) for n, item in wanted)
        return [one for one in others if one[1] in ranked_by[one[2]]]

    less, found = sorted(map(found_at, (1, -1)), key=len)
    single = ((n, ranked_by[item], item) for n, item in wanted if len(ranked_by[item]) == 1)
    alone = [(n, other, item) for n, (other,), item in single if other != n]
    found, by_chance = max(found, alone, key=len), max(len(less), len(found_at(0)))
    pairings = {(n, other) for n, other, _ in found}
    # A query that is an item itself is first for itself, and relevant to those like it.
    are_first = sum(sides[other][1][0] == item for _, other, item in found)
    if (
        len(found) < max(_FIRST, len(wanted) / 2, 4 * by_chance)
        or len(pairings) > min(len(set(side)) for side in zip(*pairings, strict=True))
        or are_first > _MOSTLY * len(found)
    ):
        return ""
    number, other, item = found[0]
    return (
        f"{len(found):,} of {len(wanted):,} relevant items are ranked for a query other than "
        f"their own, such as {safe_repr(item)} of {safe_repr(query_ids[number])} for "
        f"{safe_repr(query_ids[other])}: are rankings and truths in the same order?"
    )


def _numbered_apart(lost: _Lost) -> str:
    """Message that items are numbered from 0 on one side and from 1 on the other; or ""."""
    apart = lost.numbered_apart()
    if apart is None:
        return ""
    step, n_found = apart
    which = "next" if step > 0 else "previous"
    return (
        f"{_APART}: {n_found:,} of {lost.n_looked:,} relevant items are ranked under the {which} "
        f"number, such as {_pair(*lost.example(step))}, but only {lost.n_hits:,} under their own"
    )


def _spelled_otherwise(lost: _Lost, truths: list[Collection[Any]]) -> str:
    """Message that items are ranked in another spelling; or ""."""
    # What is judged in the very spelling that was ranked is an item of its own.
    judged_ids = set(chain.from_iterable(truths)) if lost.alike else ()
    alike = [pair for pair in lost.alike if pair[1] not in judged_ids]
    if len(alike) < max(_SPELLED * lost.n_lost, _FEW_ALIKE):
        return ""
    return (
        f"{len(alike):,} of {lost.n_looked:,} relevant items seem to be retrieved in another "
        f"spelling, such as {_pair(*alike[0])}"
    )


def _warn_of_padding(lost: _Lost, rankings: Iterable[Collection[Any]]) -> None:
    """Warn of a value in many truths, such as -1 or "nan", that no ranking has."""
    for item, times in lost.padding.most_common(1):
        n_both = len(lost.queries)
        if times < max(n_both / 2, _FEW_ALIKE) or any(item in ranking for ranking in rankings):
            continue
        warn(
            f"y_true seems to hold padding: {safe_repr(item)} is relevant to {times:,} of "
            f"{n_both:,} queries but in no ranking, so it counts as not retrieved; leave it out",
            RankingDataWarning,
        )


def _renumbered(item: Any, steps: tuple[int, ...]) -> list[Any]:
    """The item with the number at the end of its id raised by each step; empty without a number."""
    if type(item) is int:
        return [item + step for step in steps]
    if type(item) is not str or not item[-1:].isdecimal():
        return []
    before = item.rstrip("0123456789")
    digits = item[len(before) :]
    if len(digits) > _MOST_DIGITS or not digits:
        return []
    width = len(digits) if digits[0] == "0" else 0
    return [f"{before}{int(digits) + step:0{width}}" for step in steps]


def _pair(relevant: Any, ranked: Any) -> str:
    sides = called("y_true"), called("y_score")
    return f"{safe_repr(relevant)} in {sides[0]}, {safe_repr(ranked)} in {sides[1]}"


def _items_of(pair: tuple[Collection[Any], Collection[Any]]) -> tuple[list[Any], list[Any]]:
    """Some relevant and some ranked items of a query."""
    truth, ranking = pair
    relevant: Iterable[Any] = truth
    if isinstance(truth, Mapping):
        relevant = [item for item, grade in truth.items() if grade > 0]
    return list(islice(relevant, _ITEMS)), list(islice(ranking, _ITEMS))


# Swapped arguments -------------------------------------------------------------------------------

_FIRST_VALUES, _VALUES = 100, 10_000
"""Numbers of each side to look at; the first show that most scores are not grades."""
_MOST_GRADE, _FEW_GRADES, _MANY_SCORES = 10, 6, 10
"""Grades are few, and small whole numbers; scores are many."""


def swap_suspicion(data: RankingData, y_true: Any) -> str:
    """Why judgements and rankings seem to be swapped, and the right call; "" if they do not."""
    rankings = data.rankings
    if data.items.scores is None or not len(rankings.relevant_grades):
        return ""
    scores, grades = data.items.scores[:_VALUES], rankings.relevant_grades[:_VALUES]
    for part in (scores[:_FIRST_VALUES], scores):
        if not len(part) or part.min() < 0 or part.max() > _MOST_GRADE or (part % 1).any():
            return ""
    values, different = np.unique(scores), np.unique(grades)
    if len(values) > min(_FEW_GRADES, len(scores) // 2) or values[-1] == 0:
        return ""
    if len(different) > 1:
        what = "many different real numbers, like scores"
        are_scores = (
            different[-1] > _MOST_GRADE**2 or np.count_nonzero(grades % 1) > len(grades) / 2
        )
        is_swapped = are_scores and len(different) > max(_MANY_SCORES, len(grades) // 2)
    else:
        what, lengths, judged = "ranked lists", rankings.n_relevant, sizes_of(data.items.offsets)
        is_cut = (lengths == lengths[0]).all() and not (judged == judged[0]).all()
        is_swapped = _are_lists(y_true) and (
            (is_cut and lengths[0] >= _MANY_SCORES // 2)
            or lengths.sum() > 2 * judged.sum()
            or (values[0] == 0 and ((lengths == judged) & (lengths == rankings.n_hits)).all())
        )
    if not is_swapped or (data.judgements is None and len(values) == 1):
        return ""
    true, score = called("y_true"), called("y_score")
    return (
        f"{true} holds {what}, and {score} a few small whole numbers, like grades: are they "
        f"swapped? Judgements come first: ({true}, {score})"
    )


def _are_lists(y_true: Any) -> bool:
    """Whether the ground truth of each of several queries is a list."""
    truths = list(
        y_true.values() if type(y_true) is dict else y_true if type(y_true) is list else ()
    )
    return len(truths) > 1 and all(isinstance(truth, (list, tuple)) for truth in truths[:_QUERIES])
