"""The table of what the real programs answered, for measures.md."""

from __future__ import annotations

from _markdown import table

import sklearn_rank
from sklearn_rank.measures.conventions import CONVENTIONS, Convention
from tests.peers.compare import Compared, all_compared, read_record

CHECKED = """\
### Checked against the programs

The real programs solved some fifty small problems: binary and graded, with ties, empty queries,
relevant items that were not retrieved, cutoffs beyond the list. "equal" counts the problems on
which all values of queries and the mean are those of the program (to 1e-6, as some compute in
float32, or to the digits that it prints). Where the package warns or raises instead, the last
column says why; "fails" are problems that the program itself refuses."""


def programs() -> str:
    """One row for each group of measures of a program that fared alike."""
    rows = []
    record = read_record()["programs"]
    called = [[f"`{program}`", f"`{answers['call']}`"] for program, answers in record.items()]
    for program, version, results in all_compared():
        alike: dict[tuple[str, ...], list[str]] = {}
        for measure, cells in _by_metric(results).items():
            preset = CONVENTIONS[program]
            alike.setdefault(_outcome(preset, measure, cells), []).append(f"`{measure}`")
        rows += [
            [f"`{program}`", version, ", ".join(measures), *outcome]
            for outcome, measures in alike.items()
        ]
    checked = table(["preset", "version", "measures", "equal", "differs"], rows)
    return f"{checked}\n\n{table(['preset', 'called'], called)}"


def _by_metric(results: dict[str, Compared]) -> dict[str, list[Compared]]:
    """Measures with all their cutoffs together, unless one is refused and another is not."""
    grouped: dict[str, list[Compared]] = {}
    for measure, result in results.items():
        name, at, _ = measure.partition("@")
        whole = grouped.get(name)
        apart = at and whole is not None and bool(whole[0].refused) != bool(result.refused)
        grouped.setdefault(f"{name}@k" if apart else name, []).append(result)
    return grouped


def _outcome(preset: Convention, measure: str, results: list[Compared]) -> tuple[str, str]:
    refused = results[0].refused
    if refused:
        return "refused", refused
    equal, warned, failed = (
        {name for result in results for name in getattr(result, kind)}
        for kind in ("equal", "warned", "failed")
    )
    metric = measure.partition("@")[0].partition("(")[0]
    reasons = [
        f"{case}: {known.get(metric, known.get('*'))}"
        for case, known in preset.differs.items()
        if metric in known or "*" in known
    ]
    if warned and preset.zero_division_of(sklearn_rank.measure(measure)) == "raise":
        reasons.append("raises where a query is undefined: the program's mean is NaN")
    if warned and preset.missing == "raise":
        reasons.append("raises where a query has no ranking")
    if failed:
        reasons.append(f"the program fails on {len(failed)}")
    return f"{len(equal - warned)} of {len(equal | warned)}", "; ".join(reasons) or "-"
