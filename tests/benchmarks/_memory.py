"""Peak memory of our side of the contests of a row, in a process of their own.

``python -m tests.benchmarks._memory ROW SIZE`` prints it as JSON.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tracemalloc
from pathlib import Path

from tests.benchmarks._measure import Contest, Work

MIB = 2**20


def peaks_of(row: str, size: str) -> list[dict[str, float]]:
    """For each contest the MiB of one call beside its input: allocated, and resident."""
    command = [sys.executable, "-m", __name__, row, size]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: list[dict[str, float]] = json.loads(done.stdout)
    return figures


def peak(contest: Contest) -> dict[str, float]:
    """The figures of one contest, in this process."""
    if contest.ours is None or not contest.in_process:
        return {}
    figures = {"resident": resident_growth(contest.ours), "traced": traced_peak(contest.ours)}
    if contest.input_bytes:
        figures["times_input"] = figures["traced"] * MIB / contest.input_bytes
    return figures


def traced_peak(work: Work) -> float:
    """MiB that Python and NumPy allocate at most during one run."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / MIB
    finally:
        tracemalloc.stop()


def resident_growth(work: Work) -> float:
    """MiB by which the largest resident set of one run exceeds what was resident before.

    Linux tells the peak of this program alone and can start it anew, which ``ru_maxrss`` cannot:
    that one holds what the parent process had, too. Elsewhere it is all there is.
    """
    if not _STATUS.exists():
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        work()
        return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    Path("/proc/self/clear_refs").write_text("5")
    before = _status("VmRSS")
    work()
    return (_status("VmHWM") - before) / 1024


_STATUS = Path("/proc/self/status")


def _status(field: str) -> float:
    lines = _STATUS.read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(field))


def main() -> None:
    from tests.benchmarks.catalogue import contests_of

    row, size = sys.argv[1:]
    print(json.dumps([peak(contest) for contest in contests_of(row, size)]))


if __name__ == "__main__":
    main()
