"""What is kept of each measure, found by any spelling of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sklearn_rank.evaluation.compute import Scored
from sklearn_rank.exceptions import InvalidParameterError, UnknownMeasureError
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.text import closest, safe_repr


def find_measure(spec: Any, scored: Mapping[str, Scored]) -> str:
    """Name of the measure that a spelling means, with or without a convention's parameters."""
    if isinstance(spec, str) and spec in scored:
        return spec
    wanted = read_measure(spec)
    for name, kept in scored.items():
        measure = kept.measure
        if measure == wanted or (name == str(wanted) and wanted.agrees_with(measure)):
            return name
    names = list(scored)
    asked = wanted.in_full()
    msg = f"{safe_repr(asked)} was not evaluated{closest(asked, names)}; there is: "
    raise UnknownMeasureError(msg + ", ".join(names))


def counts_of(judged: RankingData, scored: Mapping[str, Scored]) -> dict[str, Any]:
    """Queries, and everything that was left out or could mislead."""
    rankings, counts = judged.rankings, judged.counts
    return {
        "queries": len(rankings),
        "missing": counts.missing,
        "unjudged": counts.unjudged,
        "no_relevant": int((rankings.n_relevant == 0).sum()),
        "tied": judged.by_score.n_tied,
        "ranked": int(rankings.n_ranked.sum()),
        "relevant": int(rankings.n_relevant.sum()),
        "retrieved": int(rankings.n_retrieved.sum()),
        "duplicates": counts.duplicates,
        "missed": counts.missed,
        "unjudged_grades": counts.unjudged_grades,
        "unknown_items": counts.unknown_items,
        "unjudged_items": _n_unjudged(judged.rankings),
        "assumed": judged.assumed,
        "undefined": {name: kept.average.n_undefined for name, kept in scored.items()},
        "averaged": {name: kept.average.n_averaged for name, kept in scored.items()},
    }


def _n_unjudged(rankings: JudgedRankings) -> int:
    return 0 if rankings.unjudged is None else int(rankings.unjudged.counts.sum())


class ByMeasure(Mapping[str, Any]):
    """A mapping keyed by canonical spellings that reads any spelling."""

    def __init__(self, values: Mapping[str, Any], scored: Mapping[str, Scored]) -> None:
        self._values = values
        self._scored = scored

    def __getitem__(self, spec: str | Measure) -> Any:
        name = find_measure(spec, self._scored)
        if name not in self._values:
            msg = f"{name} ranks all queries together; it has no values per query"
            raise InvalidParameterError(msg)
        return self._values[name]

    def __contains__(self, spec: object) -> bool:
        try:
            return find_measure(spec, self._scored) in self._values
        except (TypeError, ValueError):
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)
