"""Where a reader of tied items stops, in expectation over all their orders.

Let G(t) be the expected chance that one of t items drawn from a tie of m satisfies. By summation
by parts the expected stop / rank, ``a`` items standing above the tie, is the sum of
G(t) / ((a + t) (a + t + 1)) below the last place p, and G(p) / (a + p). All terms are positive, so
nothing cancels. There are two ways to G, and the sizes of a tie alone decide which it goes, so
that no value depends on the ties beside it:

* few items: one item after another joins those that may be drawn;
* many: drawing each item independently with probability v leaves everybody unsatisfied with the
  chance B(v), the product of all 1 - s v, which is the mean of 1 - G(t) over a binomial t. Cauchy's
  integral takes the mean back:

      (1 - G(t)) C(m, t) = 1 / (2 pi i) times the integral of B(v) v^(-t-1) (1-v)^(t-m-1) dv

  around 0 or, read backwards, around 1. Through the saddle at t / m a few equidistant nodes give
  it to the last bits, because the integrand is analytic and hardly oscillates. G is so smooth in t
  (a polynomial) that a dozen places stand for all between one power of two and the next.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sklearn_rank.support.segments import (
    blocks,
    offsets_of,
    segment_index,
    segment_max,
    segment_sum,
    sizes_of,
    take_segments,
)
from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray

NOBODY = 1e-20
"""A probability this small of still reading adds nothing to an expectation."""
_BLOCK = 1 << 15
"""Numbers that are computed at once: three arrays of so many fit a processor's second cache."""
_CELLS, _CELLS_OF_LARGE = 150_000, 16_000
"""Places times items that cost one by one what the integral does, and each large stop in it."""
_STEPS = 300
"""No more items than this join one by one, however few places are read: each takes six calls."""
_ONE_BY_ONE = 24
"""Places this close to either end of a tie are summed one by one. For those between, the integrand
is below 1e-18 where the circle closes, as it must be for t that is no whole number."""
_PLACES = 12
"""Gauss nodes from one power of two to the next: ten would do for the last bits of all sums."""
_ANGLES = 30
"""Nodes on half the circle; the other half is the conjugate. With 24 the error is 1e-13."""
_LOG_TINY = 42.0
"""Weights below exp(-42), or 6e-19, are left out."""
_LARGE = 0.5
"""log(1 - s v) is a power series below this, of 60 terms at most; larger factors multiply."""


class Alike(NamedTuple):
    """Items of a tie that satisfy with the same probability; the largest such group first."""

    offsets: IntArray
    """Of the groups of each tie."""
    stops: FloatArray
    counts: IntArray

    def take(self, ties: IntArray) -> Alike:
        """The groups of some ties alone."""
        chosen, offsets = take_segments(self.offsets, ties)
        return Alike(offsets, self.stops[chosen], self.counts[chosen])


class _Depth(NamedTuple):
    """How much of each tie is read."""

    above: IntArray
    size: IntArray
    drawn: IntArray
    """Places after which nobody reads on, or the tie or the ranking ends."""
    is_cut: BoolArray
    """Whether places follow; G is 1 there."""

    def take(self, ties: IntArray) -> _Depth:
        """That of some ties alone."""
        return _Depth(self.above[ties], self.size[ties], self.drawn[ties], self.is_cut[ties])


def tied_stop(
    stops: FloatArray,
    first: IntArray,
    relevant: IntArray,
    above: IntArray,
    size: IntArray,
    cut: int,
) -> FloatArray:
    """Expected stop / rank within tie groups, for a reader who arrives at the group."""
    above, size = above.astype(np.int64, copy=False), size.astype(np.int64, copy=False)
    groups, inside = _alike(stops, first, relevant, size), np.minimum(size, cut - above)
    # After Maclaurin, t draws satisfy nobody with a probability of at most (1 - mean)^t.
    mean = np.minimum(segment_sum(groups.stops * groups.counts, groups.offsets) / size, 1.0)
    with np.errstate(divide="ignore"):
        enough = np.ceil(math.log(NOBODY) / np.log1p(-mean))
    drawn = np.minimum(inside, np.maximum(enough, 1.0)).astype(np.int64)
    depth = _Depth(above, size, drawn, drawn < inside)
    is_large = _is_large(groups, depth)
    result = np.empty(len(first))
    _by_integral(groups, depth, np.flatnonzero(is_large), result)
    _by_item(groups, depth, np.flatnonzero(~is_large), result)
    return result


def _alike(stops: FloatArray, first: IntArray, relevant: IntArray, size: IntArray) -> Alike:
    """The items of each tie by their stop; the irrelevant ones, too, which never satisfy."""
    tie = np.repeat(np.arange(len(first)), relevant)
    places = np.arange(len(tie)) - np.repeat(offsets_of(relevant)[:-1], relevant)
    chances = stops[first[tie] + places]
    new = np.ones(len(tie), dtype=bool)
    new[1:] = (tie[1:] != tie[:-1]) | (chances[1:] != chances[:-1])
    starts, rest = np.flatnonzero(new), np.flatnonzero(size > relevant)
    tie = np.concatenate((tie[starts], rest))
    counts = np.concatenate((np.diff(starts, append=len(chances)), (size - relevant)[rest]))
    order = np.lexsort((-counts, tie))
    chances = np.concatenate((chances[starts], np.zeros(len(rest))))
    offsets = np.searchsorted(tie[order], np.arange(len(first) + 1))
    return Alike(offsets, chances[order], counts[order])


def _is_large(groups: Alike, depth: _Depth) -> BoolArray:
    """Whether the integral is the cheaper way for a tie."""
    steps = depth.size - groups.counts[groups.offsets[:-1]]
    share = np.repeat(depth.drawn / depth.size, sizes_of(groups.offsets))
    large = np.where(groups.stops * share > _LARGE, groups.counts, 0)
    cells = _CELLS + _CELLS_OF_LARGE * segment_sum(large, groups.offsets)
    return np.asarray((steps > _STEPS) | (steps * depth.drawn > cells))


# Item by item ------------------------------------------------------------------------------------


def _by_item(groups: Alike, depth: _Depth, ties: IntArray, result: FloatArray) -> None:
    """Put the expected stops of some ties in their places."""
    widths = _rounded_up(depth.drawn[ties])
    first_counts = groups.counts[groups.offsets[:-1][ties]]
    steps = depth.size[ties] - first_counts
    for width in np.unique(widths).tolist():
        of_width = np.flatnonzero(widths == width)
        of_width = of_width[np.argsort(first_counts[of_width], kind="stable")]
        n_rows = max(_BLOCK // width, 1)
        for start in range(0, len(of_width), n_rows):
            rows = of_width[start : start + n_rows]
            # Those with the most steps first: the ties that still grow are the first rows.
            chosen = ties[rows[np.argsort(-steps[rows], kind="stable")]]
            satisfied = _satisfied(groups, chosen, width)
            result[chosen] = _of_satisfied(satisfied, depth.take(chosen))


def _rounded_up(drawn: IntArray) -> IntArray:
    """Up to three leading bits, so that few widths serve all.

    A width follows from its own tie alone: sums over padded rows have other bits in other widths.
    """
    step = np.left_shift(1, np.maximum(np.frexp(drawn.astype(np.float64))[1] - 3, 0))
    rounded: IntArray = (drawn + step - 1) // step * step
    return rounded


def _satisfied(groups: Alike, ties: IntArray, width: int) -> FloatArray:
    """(ties, width + 1) G(t) for t up to ``width``; a row is right up to the size of its tie.

    Among t items of one group alone G is 1 - (1 - s)^t. All others join one by one: the newest of
    n items is among t draws with probability t / n.
    """
    starts, drawn = groups.offsets[:-1][ties], np.arange(width + 1.0)
    total = groups.counts[starts][:, None]
    satisfied = np.where(drawn <= total, _any_of(groups.stops[starts], drawn), 0.0)
    joining, steps = _joining(groups, ties)
    least, most = int(total.min()), int(total.max())
    added, rate = np.empty((2, len(ties), width))
    for step, stop in enumerate(joining, 1):
        rows = slice(0, int(np.searchsorted(-steps, -step, side="right")))
        old, n, stop = satisfied[rows, : most + step + 1], total[rows] + step, stop[rows, None]
        new, share = added[rows, : old.shape[1] - 1], rate[rows, : old.shape[1] - 1]
        np.multiply(old[:, :-1], 1.0 - stop, out=new)
        new += stop
        new -= old[:, 1:]
        t = drawn[1 : old.shape[1]]
        np.multiply(t, 1.0 / n, out=share)
        # More cannot be drawn: G stays exactly 0 there, whichever ties are at hand.
        share[:, least + step :][t[least + step :] > n] = 0.0
        new *= share
        old[:, 1:] += new
    return satisfied


def _joining(groups: Alike, ties: IntArray) -> tuple[FloatArray, IntArray]:
    """(steps, ties) stops of the items of all groups but the first, and how many each tie has."""
    offsets, stops, counts = groups.take(ties)
    counts[offsets[:-1]] = 0
    steps = segment_sum(counts, offsets).astype(np.int64)
    joining = np.zeros((len(ties), int(steps.max())))
    joining[np.arange(joining.shape[1]) < steps[:, None]] = np.repeat(stops, counts)
    return np.ascontiguousarray(joining.T), steps


def _any_of(stops: FloatArray, drawn: FloatArray) -> FloatArray:
    """Probability that at least one of some items satisfies, all of which do with one chance."""
    with np.errstate(divide="ignore", invalid="ignore"):
        chances = -np.expm1(drawn * np.log1p(-stops)[:, None])
    return np.where(drawn == 0, 0.0, chances)


def _of_satisfied(satisfied: FloatArray, depth: _Depth) -> FloatArray:
    """Expected 1 / rank of the stop from G."""
    drawn, is_cut = depth.drawn, depth.is_cut
    places, above = np.arange(1.0, satisfied.shape[1]), depth.above.astype(np.float64)
    rank = above[:, None] + places
    terms = satisfied[:, 1:] / (rank * (rank + 1.0))
    terms[places >= (drawn + is_cut)[:, None]] = 0.0
    last = np.where(is_cut, 1.0, satisfied[np.arange(len(drawn)), drawn])
    expected: FloatArray = terms.sum(axis=1) + last / (above + drawn + is_cut)
    return expected


# By Cauchy's integral ----------------------------------------------------------------------------


def _by_integral(groups: Alike, depth: _Depth, ties: IntArray, result: FloatArray) -> None:
    """Put the expected stops of some ties in their places."""
    numbers = zip(*(part.tolist() for part in depth.take(ties)), strict=True)
    sums = [_quadrature(*of_tie) for of_tie in numbers]
    offsets = offsets_of(np.array([len(places) for places, _ in sums], dtype=np.int64))
    for first, last in blocks(offsets, _BLOCK // _ANGLES):
        places, weights = map(np.concatenate, zip(*sums[first:last], strict=True))
        chosen, borders = ties[first:last], offsets[first : last + 1] - offsets[first]
        satisfied = _satisfied_at(places, borders, groups.take(chosen), depth.size[chosen])
        result[chosen] = segment_sum(weights * satisfied, borders)
    is_cut = ties[depth.is_cut[ties]]
    result[is_cut] += 1.0 / (depth.above[is_cut] + depth.drawn[is_cut] + 1.0)


@lru_cache(maxsize=64)
def _quadrature(above: int, size: int, drawn: int, is_cut: bool) -> tuple[FloatArray, FloatArray]:
    """Places, and the weight of G at each in the expected stop / rank."""
    last = drawn if is_cut else drawn - 1
    parts = [_each(0, min(_ONE_BY_ONE, last))]
    start, end = _ONE_BY_ONE, min(last, size - _ONE_BY_ONE)
    while start < end:
        stop = min(2 * start, end)
        nodes, weights = _gauss(stop - start)
        parts.append((nodes + (start + 1.0), weights))
        start = stop
    parts.append(_each(start, last))
    places, weights = map(np.concatenate, zip(*parts, strict=True))
    weights /= (above + places) * (above + places + 1.0)
    if is_cut:
        return places, weights
    return np.append(places, drawn), np.append(weights, 1.0 / (above + drawn))


def _each(start: int, stop: int) -> tuple[FloatArray, FloatArray]:
    """Each place after ``start`` up to ``stop``."""
    return np.arange(start + 1.0, stop + 1.0), np.ones(max(stop - start, 0))


@lru_cache(maxsize=64)
def _gauss(n: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights that sum a polynomial over 0, 1, ... n - 1, of degree 23 or less.

    Golub and Welsch's way from the recurrence of the discrete Chebyshev polynomials.
    """
    if n <= _PLACES:
        return np.arange(float(n)), np.ones(n)
    degree = np.arange(1.0, _PLACES)
    square = degree * degree
    off = np.sqrt(square * (float(n) * n - square) / (4.0 * (4.0 * square - 1.0)))
    nodes, vectors = np.linalg.eigh(np.diag(off, 1) + np.diag(off, -1))
    return nodes + (n - 1) / 2.0, n * vectors[0] ** 2


def _satisfied_at(
    places: FloatArray, borders: IntArray, groups: Alike, sizes: IntArray
) -> FloatArray:
    """G at some places of each tie, from 1 to its size; near both ends they are whole numbers."""
    tie = segment_index(borders)
    size, mean = sizes[tie], segment_sum(groups.stops * groups.counts, groups.offsets) / sizes
    near = (places + 0.5) / (size + 1.0)
    far = near > 0.5
    order, radius = np.where(far, size - places, places), np.where(far, 1.0 - near, near)
    widest = _widest(order / (1.0 - radius), places * mean[tie])
    angle = widest[:, None] * np.linspace(0.0, 1.0, _ANGLES)
    order, radius, left = order[:, None], radius[:, None], (size - order + 1.0)[:, None]
    x, y = radius * np.cos(angle), radius * np.sin(angle)

    # v^-order (1 - v)^-left over what it is at angle 0.
    real, imaginary = 2.0 * radius * np.sin(angle / 2.0) ** 2 / (1.0 - radius), y / (radius - 1.0)
    logarithm = 0.5 * np.log1p(2.0 * real + real * real + imaginary * imaginary)
    weight = np.exp(-left * logarithm)
    phase = -order * angle - left * np.arctan2(imaginary, 1.0 + real)
    weight[:, 0] /= 2.0
    weight[:, -1] /= np.where(widest >= math.pi, 2.0, 1.0)
    of_real, of_imaginary = weight * np.cos(phase), weight * np.sin(phase)

    v = x + 1j * y
    v[far] = 1.0 - v[far]
    chance = _any_satisfies(v, borders, groups)
    total = (of_real * chance.real - of_imaginary * chance.imag).sum(axis=1)
    satisfied: FloatArray = total / of_real.sum(axis=1)
    return satisfied


def _widest(order: FloatArray, stopped: FloatArray) -> FloatArray:
    """Angle beyond which neither the weights, nor they times B, count for anything.

    They fall as exp(-order (1 - cos)), and B rises as exp(-stopped cos) at most.
    """
    order, stopped = np.maximum(order, 1e-3), np.minimum(stopped, _LOG_TINY)
    alone = _LOG_TINY / order
    with_b = (_LOG_TINY - stopped) / np.maximum(order - stopped, 1e-3)
    return np.arccos(np.maximum(1.0 - np.where(order < _LOG_TINY, with_b, alone), -1.0))


def _any_satisfies(v: Array, borders: IntArray, groups: Alike) -> Array:
    """1 - B(v): the chance that somebody is satisfied if each item is drawn with chance ``v``."""
    tie, distance = segment_index(borders), np.abs(v).max(axis=1)
    farthest = np.repeat(segment_max(distance, borders), sizes_of(groups.offsets))
    is_large = groups.stops * farthest > _LARGE
    small = groups._replace(counts=np.where(is_large, 0, groups.counts))
    logarithm = _log_of_small(v, tie, distance, small)
    # 1 - exp(z), with no digit lost where z is small.
    real, imaginary = logarithm.real, logarithm.imag
    chance = np.empty_like(v)
    chance.real = 2.0 * np.sin(imaginary / 2.0) ** 2 - np.expm1(real) * np.cos(imaginary)
    chance.imag = -np.exp(real) * np.sin(imaginary)
    for number in np.flatnonzero(segment_sum(is_large, groups.offsets)).tolist():
        members = slice(groups.offsets[number], groups.offsets[number + 1])
        times = groups.counts[members] * is_large[members]
        rows = slice(borders[number], borders[number + 1])
        for stop in np.repeat(groups.stops[members], times).tolist():
            chance[rows] += (1.0 - chance[rows]) * (stop * v[rows])
    return chance


def _log_of_small(v: Array, tie: IntArray, distance: FloatArray, groups: Alike) -> Array:
    """Logarithm of B(v) by its power series: minus the sum of sum(s^k) v^k / k."""
    largest = segment_max(np.where(groups.counts > 0, groups.stops, 0.0), groups.offsets)[tie]
    with np.errstate(divide="ignore"):
        terms = np.ceil(_LOG_TINY / -np.log(largest * distance)).astype(np.int64)
    sums = np.empty((int(terms.max()), len(groups.offsets) - 1))
    powers = groups.counts.astype(np.float64)
    for number, row in enumerate(sums, 1):
        powers *= groups.stops
        row[:] = segment_sum(powers, groups.offsets) / number
    # Rows that take the most terms first: those that are begun are the first ones.
    order = np.argsort(-terms, kind="stable")
    v, tie, fewer = v[order], tie[order], -terms[order]
    total = np.zeros_like(v)
    for number in range(len(sums), 0, -1):
        begun = total[: int(np.searchsorted(fewer, -number, side="right"))]
        begun.real -= sums[number - 1][tie[: len(begun)], None]
        begun *= v[: len(begun)]
    logarithm = np.empty_like(total)
    logarithm[order] = total
    return logarithm
