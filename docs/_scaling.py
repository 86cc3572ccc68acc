"""Write the tables of ``docs/scaling.md`` and draw ``docs/scaling.svg`` from runs of the benchmark.

    python -m tests.benchmarks --cpu all --cold --json /tmp/run.json
    python docs/_scaling.py --json /tmp/run.json

Several files, of several machines or of parts measured apart, become columns side by side; what two
of them measured on the same machine under the same setting counts as in the later one. They take
the place of the stored runs, which ``--json docs/_scaling.json /tmp/run.json`` keeps. Without
``--json`` the page is written anew from the stored runs.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))

from sklearn_rank.displays import plot_style  # noqa: E402
from sklearn_rank.displays.style import series_style  # noqa: E402
from tests.benchmarks import _report  # noqa: E402
from tests.benchmarks._runs import Run, Series, load, merged, store  # noqa: E402

TABLES = ("machines", "ratios", "times", "peaks", "growth", "floor", "sweep")
"""Names of the page's markers and of the functions that make what stands between them."""
PANELS = {
    "rows": "rows, ever more queries",
    "queries": "the same rows in more queries",
    "hits": "relevant items in queries of 1,000",
    "measures": "measures in one call",
    "cores": "threads",
}


def written(page: str, runs: Sequence[Run]) -> str:
    """The page with the tables of these runs."""
    for name in TABLES:
        page = _fill(page, name, getattr(_report, name)(runs) or "No figures are stored.")
    return page


def _fill(page: str, name: str, text: str) -> str:
    """The page with the text between the markers of that name."""
    pattern = rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)"
    return re.sub(pattern, lambda match: f"{match[1]}\n{text}\n\n{match[2]}", page, flags=re.DOTALL)


def draw(runs: Sequence[Run], target: Path) -> None:
    """One panel for each quantity, one line for each run."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    with plot_style():
        figure, axes = plt.subplots(2, 3, figsize=(9, 5.4))
        for name, axis in zip(PANELS, axes.flat, strict=False):
            _panel(axis, name, runs)
        handles, names = axes.flat[0].get_legend_handles_labels()
        axes.flat[-1].set_axis_off()
        axes.flat[-1].legend(handles, names, loc="center", title="machine, setting")
        figure.savefig(target, metadata={"Date": None})
        plt.close(figure)


STYLES = ("-", "--")


def _panel(axis: Any, name: str, runs: Sequence[Run]) -> None:
    axis.set_title(PANELS[name], fontsize=9)
    lines: dict[str, Any] = {}
    for number, (label, run) in enumerate(zip(_report.labels(runs), runs, strict=True)):
        each = [series for series in run.series if series.name == name]
        for series, style in zip(each, STYLES, strict=False):
            drawn = _line(axis, series, label, number, style)
            lines.setdefault(series.line, drawn)
            axis.set_xlabel(series.quantity)
    axis.set_ylim(bottom=0)
    if len(lines) > 1:
        axis.legend(lines.values(), lines)


def _line(axis: Any, series: Series, label: str, number: int, style: str) -> Any:
    """Nanoseconds per row where the rows differ or are many; else milliseconds."""
    per_row = series.name in ("rows", "queries", "hits")
    cost = [
        1e6 * ms / rows if per_row else ms for ms, rows in zip(series.ms, series.rows, strict=True)
    ]
    (drawn,) = axis.plot(
        series.values, cost, label=label, **{**series_style(number), "linestyle": style}
    )
    axis.set_ylabel("ns per row" if per_row else "ms")
    if per_row:
        axis.set_xscale("log")
    else:
        axis.set_xticks(series.values)
    return drawn


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python docs/_scaling.py")
    parser.add_argument("--json", type=Path, nargs="+", help="runs to show, instead of the stored")
    options = parser.parse_args(argv)
    stored = DOCS / "_scaling.json"
    if options.json:
        store(stored, merged(run for path in options.json for run in load(path)))
    runs = load(stored)
    page = DOCS / "scaling.md"
    page.write_text(written(page.read_text(encoding="utf-8"), runs), encoding="utf-8")
    draw(runs, DOCS / "scaling.svg")


if __name__ == "__main__":
    main()
