"""Corrections of p-values for several tests at once. SciPy is imported when asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

from sklearn_rank.support.checks import check_option
from sklearn_rank.support.text import safe_repr

Correction = Literal["holm", "bh", "bonferroni"]


def correct_p_values(p_values: Sequence[float], correction: Correction | None) -> list[float]:
    """P-values of one family of tests, corrected for their number.

    Parameters
    ----------
    p_values : sequence of float
        In [0, 1]; NaN, where there was no test, stays NaN and is not counted.
    correction : {"holm", "bonferroni", "bh"} or None
        "holm" [1]_ and "bonferroni" keep the chance of any false alarm among all tests at alpha,
        "holm" with more power; "bh" [2]_ keeps the share of false ones among all alarms at alpha.
        None corrects nothing.

    Returns
    -------
    corrected : list of float
        In the order given, in [0, 1]; significant are those of at most alpha.

    Raises
    ------
    ValueError
        If a value is outside [0, 1].
    InvalidParameterError
        If the correction is unknown.

    References
    ----------
    .. [1] Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979.
    .. [2] Benjamini and Hochberg, Controlling the False Discovery Rate, 1995.

    Examples
    --------
    >>> from sklearn_rank.statistics import correct_p_values
    >>> correct_p_values([0.01, 0.04, 0.03], "bonferroni")
    [0.03, 0.12, 0.09]
    """
    if correction is not None:
        check_option(correction, "correction", tuple(_CORRECTIONS), "correct_p_values")
    tested = [p for p in p_values if not math.isnan(p)]
    if any(not 0 <= p <= 1 for p in tested):
        msg = f"p-values lie in [0, 1], got {safe_repr(list(p_values))}"
        raise ValueError(msg)
    if correction is None or not tested:
        return [float(p) for p in p_values]
    corrected = iter(_CORRECTIONS[correction](tested))
    return [math.nan if math.isnan(p) else next(corrected) for p in p_values]


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: p-values that keep the chance of any false alarm among them at alpha.

    Parameters
    ----------
    p_values : sequence of float
        In [0, 1]; NaN, where there was no test, stays NaN and is not counted.

    Returns
    -------
    corrected : list of float
        In the order given, in [0, 1].

    Raises
    ------
    ValueError
        If a value is outside [0, 1].

    References
    ----------
    .. [1] Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979.

    Examples
    --------
    >>> from sklearn_rank.statistics import holm
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    return correct_p_values(p_values, "holm")


def _holm(tested: list[float]) -> list[float]:
    """The least p-value times the number of tests, the next times one less, and never falling."""
    corrected, least = [0.0] * len(tested), 0.0
    for done, place in enumerate(sorted(range(len(tested)), key=tested.__getitem__)):
        least = min(1.0, max(least, (len(tested) - done) * tested[place]))
        corrected[place] = least
    return corrected


def _bonferroni(tested: list[float]) -> list[float]:
    return [min(1.0, len(tested) * p) for p in tested]


def _benjamini_hochberg(tested: list[float]) -> list[float]:
    from scipy import stats

    corrected: list[float] = stats.false_discovery_control(tested).tolist()
    return corrected


_CORRECTIONS: dict[str, Callable[[list[float]], list[float]]] = {
    "holm": _holm,
    "bh": _benjamini_hochberg,
    "bonferroni": _bonferroni,
}
