"""Draw ``docs/scaling.svg`` and write the table of ``docs/scaling.md`` from the benchmark's JSON.

Run ``python -m tests.benchmarks --json docs/_scaling.json`` and then ``python docs/_scaling.py``.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))

PANELS = ("rows", "queries", "hits", "measures", "cores")
TITLES = {
    "rows": "rows, ever more queries",
    "queries": "the same rows in more queries",
    "hits": "relevant items in queries of 1,000",
    "measures": "measures in one call",
    "cores": "threads",
}


def draw(series: list[dict[str, Any]], target: Path) -> None:
    """One panel for each quantity."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams |= {"svg.hashsalt": "scaling", "svg.fonttype": "none", "font.size": 9}
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(9, 5.4), layout="constrained")
    for name, axis in zip(PANELS, axes.flat, strict=False):
        lines = [one for one in series if one["name"] == name]
        for one in lines:
            _line(axis, one)
        axis.set_title(TITLES[name], fontsize=9)
        axis.set_xlabel(lines[0]["quantity"])
        axis.set_ylim(0, 1.1 * axis.dataLim.ymax)
        if len(lines) > 1:
            axis.legend(frameon=False)
    axes.flat[-1].set_axis_off()
    figure.savefig(target, metadata={"Date": None})
    plt.close(figure)


def _line(axis: Any, one: dict[str, Any]) -> None:
    """Nanoseconds per row where the rows differ or are many; else milliseconds."""
    per_row = one["name"] in ("rows", "queries", "hits")
    cost = [
        1e6 * ms / rows if per_row else ms for ms, rows in zip(one["ms"], one["rows"], strict=True)
    ]
    axis.plot(one["values"], cost, marker="o", label=one["line"])
    axis.set_ylabel("ns per row" if per_row else "ms")
    if per_row:
        axis.set_xscale("log")
    else:
        axis.set_xticks(one["values"])


def fill(page: str, name: str, text: str) -> str:
    """The page with the text between the markers of that name."""
    pattern = rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)"
    return re.sub(pattern, lambda found: f"{found[1]}\n{text}\n\n{found[2]}", page, flags=re.DOTALL)


def growth(series: list[dict[str, Any]]) -> str:
    """Nanoseconds per row at each number of rows."""
    (one,) = [one for one in series if one["name"] == "rows"]
    lines = ["| rows | ms | ns per row |", "|--:|--:|--:|"]
    for rows, ms in zip(one["rows"], one["ms"], strict=True):
        lines.append(f"| {rows:,} | {ms:,.0f} | {1e6 * ms / rows:.1f} |")
    return "\n".join(lines)


def main() -> None:
    from tests.benchmarks._measure import Result
    from tests.benchmarks._report import heading, table

    report = json.loads((DOCS / "_scaling.json").read_text())
    page = (DOCS / "scaling.md").read_text()
    results = [Result(**one) for one in report["results"]]
    facts = textwrap.fill(heading(report["machine"], report["rounds"]) + ".", 100)
    page = fill(page, "machine", facts)
    page = fill(page, "table", table(results))
    page = fill(page, "growth", growth(report["series"]))
    (DOCS / "scaling.md").write_text(page)
    draw(report["series"], DOCS / "scaling.svg")


if __name__ == "__main__":
    main()
