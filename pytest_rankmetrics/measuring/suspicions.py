"""What a gate measured and should not be proud of: warnings, unless the test allows them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pytest_rankmetrics.measuring.evaluation import StrictEvaluation

ENOUGH = 10
"""With fewer queries a perfect score, or rankings of one length, may be chance."""

_MAY_END_EARLY = ("lists", "mapping")
"""Layouts in which a system chooses how much it retrieves; arrays score all candidates."""

_PERFECT_ORDER = ("map", "mrr", "ndcg", "nerr", "auc", "gauc")
"""Metrics that are 1 only if every query is answered as well as can be."""


def suspicions(measured: StrictEvaluation, allow: Collection[str]) -> Iterator[str]:
    """What looks wrong although it could be measured."""
    checks = {
        "truncated": _truncated,
        "unretrieved": _rewards_silence,
        "perfect": _perfect,
    }
    for word, check in checks.items():
        text = "" if word in allow else check(measured)
        if text:
            yield text


def _truncated(measured: StrictEvaluation) -> str:
    """Rankings of which most end at one length, before the cutoff, and lack relevant items."""
    if measured.layout not in _MAY_END_EARLY or len(measured) < ENOUGH:
        return ""
    lengths = measured.n_ranked[measured.n_ranked > 0]
    if not len(lengths) or measured.counts["retrieved"] == measured.counts["relevant"]:
        return ""
    length = int(lengths.max())
    deeper = [name for name, used in measured.used.items() if (used.k or 0) > length]
    if not deeper or 2 * int((lengths == length).sum()) < len(lengths):
        return ""
    return (
        f"{deeper[0]} reads deeper than the rankings, which end at {length} and lack "
        'relevant items; pass allow={"truncated"} if that is right'
    )


def _rewards_silence(measured: StrictEvaluation) -> str:
    """Measures that rise when less is retrieved, with no other beside them."""
    if measured.layout not in _MAY_END_EARLY:
        return ""
    rewarding = [name for name, used in measured.used.items() if used.rewards_short]
    if not rewarding or len(rewarding) < len(measured.used):
        return ""
    return (
        f"{rewarding[0]} gets better when less is retrieved; "
        'gate recall beside it, or pass allow={"unretrieved"}'
    )


def _perfect(measured: StrictEvaluation) -> str:
    """A score of 1 over many queries: perhaps the rankings know the judgements."""
    perfect = [
        name
        for name, used in measured.used.items()
        if used.metric.name in _PERFECT_ORDER and measured.value(name) == 1.0
    ]
    if not perfect or len(measured) < ENOUGH:
        return ""
    return (
        f"{perfect[0]} is exactly 1 over {len(measured):,} queries: do the rankings know the "
        'judgements? Pass allow={"perfect"} if that is right'
    )
