"""Runs as Markdown tables, the machines and settings side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from textwrap import wrap

from tests.benchmarks._figures import Against, Figures, Spread, Times
from tests.benchmarks._runs import EVALUATE, READ, SORT, Run, Swept

_WIDTH = 100
"""Of a line of prose."""

Runs = Sequence[Run]


def report(runs: Runs) -> str:
    """Every table for which there are figures."""
    tables = (machines, ratios, times, peaks, growth, floor, sweep)
    return "\n\n".join(table for table in (make(runs) for make in tables) if table)


def labels(runs: Runs) -> list[str]:
    """Short names of the runs: a letter for the machine, and the setting."""
    machines: dict[object, str] = {}
    names = []
    for run in runs:
        machine = (run.facts["processor"], run.facts["cores"])
        letter = machines.setdefault(machine, chr(ord("A") + len(machines)))
        names.append(f"{letter} {run.facts['setting']}")
    return names


def machines(runs: Runs) -> str:
    """What the columns of the other tables were measured on."""
    head = [
        "column",
        "processor",
        "cores",
        "hidden from NumPy",
        "load at the start",
        "Python",
        "NumPy",
        "rounds",
        "date",
    ]
    body = [[label, *_machine(run)] for label, run in zip(labels(runs), runs, strict=True)]
    return _table(head, body, numbers=0)


def _machine(run: Run) -> list[str]:
    named = ("processor", "cores", "disabled", "load", "python", "numpy", "rounds", "date")
    return [str(run.facts[name]) or "nothing" for name in named]


def ratios(runs: Runs) -> str:
    """Ours over the peers' times: warm with quartiles, cold after a slash."""
    lines = _lines(runs, lambda figures: [peer.peer for peer in figures.peers])
    body = []
    for row, work, name in lines:
        peers = [_peer(run, row, work, name) for run in runs]
        target = next(peer.target for peer, _ in filter(None, peers))
        cells = ["" if pair is None else _ratio(*pair) for pair in peers]
        body.append([row, work, name, target, *cells])
    return _table(["row", "work", "peer", "at most", *labels(runs)], body, numbers=1 + len(runs))


def _lines(runs: Runs, programs: Callable[[Figures], Iterable[str]]) -> list[tuple[str, str, str]]:
    every = [
        (figures.row, figures.work, name)
        for run in runs
        for figures in run.results
        for name in programs(figures)
    ]
    return sorted(dict.fromkeys(every), key=lambda line: int(line[0].removeprefix("P")))


def _find(run: Run, row: str, work: str) -> Figures | None:
    same = (each for each in run.results if (each.row, each.work) == (row, work))
    return next(same, None)


def _peer(run: Run, row: str, work: str, name: str) -> tuple[Against, bool] | None:
    figures = _find(run, row, work)
    if figures is None:
        return None
    same = (peer for peer in figures.peers if peer.peer == name)
    return next(((peer, figures.by_least) for peer in same), None)


def _ratio(peer: Against, by_least: bool) -> str:
    if peer.ratio is None:
        return "absent"
    text = f"{_digits(peer.ratio.least)} (least)" if by_least else _quartiles(peer.ratio)
    if peer.cold_ratio is not None:
        text += f" / {_digits(peer.cold_ratio.median)}"
    return f"**{text}**" if peer.reached is False else text


def _quartiles(spread: Spread) -> str:
    if spread.low == spread.high:
        return _digits(spread.median)
    return f"{_digits(spread.median)} ({_digits(spread.low)}-{_digits(spread.high)})"


def _digits(value: float) -> str:
    """As many as two runs may agree in."""
    if 0.1 <= abs(value) < 10:
        return f"{value:.2f}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def times(runs: Runs) -> str:
    """Milliseconds of all programs, warm and cold; of ours also for each row."""
    lines = _lines(runs, lambda figures: ["ours", *(peer.peer for peer in figures.peers)])
    body = [
        [row, work, name, *(_time(_find(run, row, work), name) for run in runs)]
        for row, work, name in lines
    ]
    return _table(["row", "work", "ms of", *labels(runs)], body, numbers=len(runs))


def _time(figures: Figures | None, program: str) -> str:
    if figures is None:
        return ""
    if program != "ours":
        same = (peer for peer in figures.peers if peer.peer == program)
        return next((_milliseconds(peer.times, figures.by_least) for peer in same), "")
    text = _milliseconds(figures.ours, figures.by_least)
    slower = figures.ours.cold_over_warm if figures.ours is not None else None
    if slower is not None:
        text += _judged(f"cold {_digits(slower.median)} x", figures.missed.get("cold"))
    if figures.ns_row is not None:
        text += _judged(f"{figures.ns_row:.1f} ns a row", figures.missed.get("ns_row"))
    return text


def _milliseconds(times: Times | None, by_least: bool) -> str:
    if times is None:
        return "absent"
    text = _digits(times.warm.least if by_least else times.warm.median)
    return text if times.cold is None else f"{text} / {_digits(times.cold.median)}"


def _judged(text: str, limit: float | None) -> str:
    return f", {text}" if limit is None else f", **{text}** (at most {limit:g})"


def peaks(runs: Runs) -> str:
    """Memory of ours beside its input, from the first run that has it."""
    body = []
    for row, work, _ in _lines(runs, lambda _: [""]):
        stored = (_find(run, row, work) for run in runs)
        figures = next((figures for figures in stored if figures and figures.memory), None)
        if figures is not None:
            body.append([row, work, *_peak(figures)])
    return _table(["row", "work", "allocated MiB", "resident MiB", "of input"], body, numbers=3)


def _peak(figures: Figures) -> list[str]:
    memory = figures.memory
    share = f"{memory['times_input']:.2f}" if "times_input" in memory else ""
    limit = figures.missed.get("of_input")
    if limit is not None:
        share = f"**{share}** (at most {limit:g})"
    return [f"{memory['traced']:,.0f}", f"{memory['resident']:,.0f}", share]


def growth(runs: Runs) -> str:
    """Nanoseconds a row at each number of rows."""
    body: dict[int, list[str]] = {}
    for place, run in enumerate(runs):
        for series in (series for series in run.series if series.name == "rows"):
            for rows, ms in zip(series.rows, series.ms, strict=True):
                body.setdefault(rows, [""] * len(runs))[place] = f"{1e6 * ms / rows:.1f}"
    lines = [[f"{rows:,}", *cells] for rows, cells in sorted(body.items())]
    return _table(["ns a row, of rows", *labels(runs)], lines, numbers=1 + len(runs))


def floor(runs: Runs) -> str:
    """What reading, sorting and evaluating cost an element."""
    body: dict[tuple[str, str], list[str]] = {}
    for place, run in enumerate(runs):
        for cost in run.floor:
            body.setdefault((cost.step, cost.of), [""] * len(runs))[place] = _digits(cost.ns)
    lines = [[*names, *cells] for names, cells in body.items()]
    lines += _above_floor(runs)
    return _table(["step", "ns for each", *labels(runs)], lines, numbers=len(runs))


def _above_floor(runs: Runs) -> list[list[str]]:
    """Times of reading once and sorting once that an evaluation takes."""
    lines: dict[str, list[str]] = {}
    for place, run in enumerate(runs):
        costs = {cost.step: cost.ns for cost in run.floor}
        for step, ns in costs.items():
            if step.startswith(EVALUATE) and {READ, SORT} <= costs.keys():
                cells = lines.setdefault(step.removeprefix(EVALUATE), [""] * len(runs))
                cells[place] = f"{_digits(ns / (costs[READ] + costs[SORT]))} x"
    return [
        [f"{name.strip()}: times reading and sorting once", "", *cells]
        for name, cells in lines.items()
    ]


def sweep(runs: Runs) -> str:
    """Cost beside the reference of the layout, and what is beyond the limits and why."""
    body = [
        [layout, case, *(_swept(_case(run, layout, case)) for run in runs)]
        for layout, case in _cases(runs)
    ]
    table = _table(["layout", "case", *labels(runs)], body, numbers=len(runs))
    return "\n\n".join(part for part in (table, _remarks(runs)) if part)


def _cases(runs: Runs) -> list[tuple[str, str]]:
    return list(dict.fromkeys((case.layout, case.case) for run in runs for case in run.sweep))


def _case(run: Run, layout: str, case: str) -> Swept | None:
    same = (swept for swept in run.sweep if (swept.layout, swept.case) == (layout, case))
    return next(same, None)


def _swept(swept: Swept | None) -> str:
    if swept is None:
        return ""
    ratio, growth = _digits(swept.ratio), f"x{swept.growth:.1f}"
    ratio = f"**{ratio}**" if swept.too_much else ratio
    growth = f"**{growth}**" if swept.too_fast else growth
    return f"{ratio}, {_digits(swept.ns_row)} ns, {growth}, {swept.bytes_row:.0f} B"


def _remarks(runs: Runs) -> str:
    lines = []
    for layout, case in _cases(runs):
        flagged = [
            swept
            for swept in (_case(run, layout, case) for run in runs)
            if swept is not None and (swept.too_much or swept.too_fast)
        ]
        if flagged:
            line = f"* {layout}, {case}: {flagged[0].reason or 'not explained'}"
            lines += wrap(line, _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(lines)


def _table(head: Sequence[str], body: Sequence[Sequence[str]], numbers: int) -> str:
    """Nothing where there is no line; the last ``numbers`` columns are set to the right."""
    if not body:
        return ""
    sides = ["---"] * (len(head) - numbers) + ["--:"] * numbers
    rows = [list(head), sides, *body]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows
    )
