"""How often the presets gave the values of the real programs, for coming_from.md."""

from __future__ import annotations

from tests.peers.compare import all_compared


def agreement() -> dict[str, str]:
    """For each preset, how many values of all its measures on all problems are equal."""
    told = {}
    for program, version, results in all_compared():
        offered = [result for result in results.values() if not result.refused]
        differ = sum(len(set(result.warned)) for result in offered)
        equal = sum(len(set(result.equal) - set(result.warned)) for result in offered)
        told[program] = f"{equal:,} of {equal + differ:,} ({version})"
    return told
