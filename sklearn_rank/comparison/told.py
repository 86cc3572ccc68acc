"""What a comparison says in words: its family of tests, and what a reader should know."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sklearn_rank.comparison.join import Joined
from sklearn_rank.comparison.settings import Settings
from sklearn_rank.comparison.values import Difference
from sklearn_rank.support.text import safe_repr

FEW_QUERIES = 25
"""Below so many, tests of means are conservative at best and see large differences alone; gates
let no drop pass for want of significance there."""
_TESTS = {
    "t": "paired t-test",
    "permutation": "sign-flip permutations",
    "wilcoxon": "Wilcoxon's signed ranks",
    "bootstrap": "bootstrap",
    "tukey": "randomised Tukey HSD",
    "anova": "Tukey HSD after analysis of variance",
}
_CORRECTIONS = {"holm": "Holm", "bh": "Benjamini-Hochberg", "bonferroni": "Bonferroni"}


def family_text(groups: Sequence[Sequence[Difference]], settings: Settings) -> str:
    """The test, the correction and the p-values that it counts.

    Such as "paired t-test; Holm over 6 p-values: 2 systems x 3 measures".
    """
    rows = [row for group in groups for row in group if not math.isnan(row.p)]
    n_measures = len({row.measure for row in rows})
    pairs = len({(row.baseline, row.system) for row in rows})
    per_measure = settings.family == "measure"
    factors = [_times(pairs, "comparison")]
    if not per_measure:
        factors.append(_times(n_measures, "measure"))
    if len(groups) > 1:
        factors.append(_times(len(groups), "slice"))
    each = " for each measure" if per_measure and n_measures > 1 else ""
    test = _TESTS[settings.test]
    if not rows:
        return f"{test}: nothing could be tested"
    if settings.correction is None:
        return f"{test}; p-values not corrected{' further' if settings.corrects_itself else ''}"
    if settings.corrects_itself:
        families = len(groups) * (1 if per_measure else n_measures)
        further = f", times {families} (Bonferroni): {' x '.join(factors[1:])}"
        return f"{test} over {factors[0]}{further if families > 1 else ''}{each}"
    total = len(rows) if not per_measure or not n_measures else len(rows) // n_measures
    text = f"{test}; {_CORRECTIONS[settings.correction]} over {_times(total, 'p-value')}{each}"
    return f"{text}: {' x '.join(factors)}"


def p_title(test: str, correction: str | None) -> str:
    """Title of the column of p-values, such as "p (Holm)"."""
    name = "Tukey" if test in ("tukey", "anova") else _CORRECTIONS.get(correction or "")
    return "p" if name is None else f"p ({name})"


def _times(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def notes_of(rows: Sequence[Difference], joined: Joined, settings: Settings) -> tuple[str, ...]:
    """What limits the results, in sentences."""
    n_queries, missing = len(joined.query_ids), joined.missing_text
    return (
        *([f"queries without a ranking count as empty ones: {missing}"] if missing else []),
        *_few(n_queries),
        *_coins(rows, settings),
        *_undefined(rows, n_queries),
        *_untested(rows),
    )


def _few(n_queries: int) -> list[str]:
    if n_queries >= FEW_QUERIES:
        return []
    are = "1 query is" if n_queries == 1 else f"{n_queries} queries are"
    return [f"{are} few: only differences as large as those detectable are likely to show"]


def _coins(rows: Sequence[Difference], settings: Settings) -> list[str]:
    """Where so few queries changed that as many coins would agree too often."""
    sides = 2 if settings.alternative == "two-sided" else 1
    weak = {
        f"{row.measure} of {safe_repr(row.system)}": row.wins + row.losses
        for row in rows
        if row.wins is not None
        and row.losses is not None
        and row.wins + row.losses > 0
        and sides * 0.5 ** (row.wins + row.losses) > settings.alpha
    }
    if not weak:
        return []
    most = max(weak.values())
    changed = "1 query" if most == 1 else f"{most} queries"
    return [
        f"at most {changed} changed in {_named(weak)}: as many coins all fall alike with a "
        f"probability above {settings.alpha:g}"
    ]


def _undefined(rows: Sequence[Difference], n_queries: int) -> list[str]:
    missing = {
        f"{row.measure} of {safe_repr(row.system)}": n_queries - row.queries
        for row in rows
        if row.wins is not None and row.queries < n_queries
    }
    if not missing:
        return []
    most = max(missing.values())
    queries = "1 query is" if most == 1 else f"up to {most:,} queries are"
    return [
        f"{queries} left out of {_named(missing)}, where one of the two values is undefined or the "
        "weight is 0"
    ]


def _untested(rows: Sequence[Difference]) -> list[str]:
    remarks = dict.fromkeys((row.measure, row.remark) for row in rows if row.remark)
    return [f"{measure} is not tested: {remark}" for measure, remark in remarks]


def _named(names: Sequence[str] | dict[str, int]) -> str:
    shown = list(names)
    more = len(shown) - 3
    return ", ".join(shown[:3]) + (f" and {more:,} more" if more > 0 else "")
