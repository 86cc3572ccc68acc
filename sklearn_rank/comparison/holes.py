"""Judgements with holes: what a reader of a comparison should know of items that nobody judged."""

from __future__ import annotations

from sklearn_rank.comparison.join import Joined
from sklearn_rank.kernels.judgements import unjudged_share
from sklearn_rank.support.text import safe_repr

_TOP = 10
"""Ranks that are looked at where no measure has a cutoff."""
_MOST_NAMED = 3


def notes_of_holes(joined: Joined) -> tuple[str, ...]:
    """How much of the first ranks of each system is unjudged, if anything is."""
    top = _top_of(joined)
    shares = _shares(joined, top)
    if not any(shares.values()):
        return ()
    baseline, *others = shares
    others.sort(key=lambda name: -shares[name])
    named = [f"{shares[name]:.0%} of {safe_repr(name)}" for name in others[:_MOST_NAMED]]
    more = len(others) - _MOST_NAMED
    named += [f"{more:,} more systems"] * (more > 0)
    return (
        f"unjudged items count as irrelevant: of the first {top}, {', '.join(named)} "
        f"({safe_repr(baseline)}: {shares[baseline]:.0%}) are unjudged; bounds_of_change says what "
        "that could mean",
    )


def _top_of(joined: Joined) -> int:
    """The first cutoff of a measure."""
    cutoffs = (joined.measure(name).k for name in joined.measures)
    return next((k for k in cutoffs if k is not None), _TOP)


def _shares(joined: Joined, top: int) -> dict[str, float]:
    """Share of unjudged items by system."""
    shares = {}
    for name, system in joined.systems.items():
        rankings = system._judged.rankings
        # Ranking unjudged items costs as much as ranking all did, so that it is not done in vain.
        if rankings.unjudged is None or not rankings.unjudged.counts.any():
            shares[name] = 0.0
        else:
            shares[name] = unjudged_share(rankings, k=top, queries=joined.places[name])
    return shares
