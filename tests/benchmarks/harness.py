"""Programs in turn over the same work, and what prints their figures and those of simulations."""

import argparse
import ctypes
import gc
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

Work = Callable[[], Any]


@dataclass(frozen=True)
class Row:
    """One call of ours and its peers."""

    name: str
    work: str
    ours: Any
    peers: Mapping[str, Callable[[], Any]]
    """Each builds its call; ImportError where the peer is absent."""
    at_most: Sequence[float] = ()
    """Times the peer's time, for the first of the peers."""
    n_rows: int = 0
    """Rows of the input; 0 where nothing is counted by row."""
    input_bytes: int = 0
    is_process: bool = False
    """Whole processes: no cold memory, no peak, and the least of the rounds counts."""
    calls: int = 1
    """Calls per turn: short calls are timed together."""


class Figures(NamedTuple):
    """The row of the table for one peer."""

    row: str
    work: str
    peer: str
    ours_ms: float
    peer_ms: float | None
    ratio: tuple[float, float, float] | None
    """Median and quartiles over the rounds; for processes the ratio of the least times."""
    at_most: float | None
    ns_row: float | None
    cold: float | None
    """Times the warm time, with memory returned to the system before."""
    of_input: float | None
    """Peak of allocated memory over the size of the input."""


class Timed:
    """A call that measures its own seconds, such as a call less a part of it."""

    def __init__(self, timer: Callable[[], float]) -> None:
        self.seconds = timer


def seconds_of(work: Any, calls: int = 1) -> float:
    """Wall time of one call, without the collector's pauses."""
    gc.collect()
    gc.disable()
    try:
        if isinstance(work, Timed):
            return work.seconds()
        start = time.perf_counter()
        for _ in range(calls):
            work()
        return (time.perf_counter() - start) / calls
    finally:
        gc.enable()


def release() -> bool:
    """Return free memory to the system, and forget what our caches hold; False if impossible."""
    gc.collect()
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("sklearn_rank", "pytest_rankmetrics"):
            for value in list(vars(module).values()):
                clear = getattr(value, "cache_clear", None)
                if callable(clear):
                    clear()
    try:
        return bool(ctypes.CDLL(None).malloc_trim(0) + 1)
    except (AttributeError, OSError, TypeError):
        return False


def peak_bytes(work: Work) -> int:
    """Most bytes that Python and NumPy allocate during one call."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def measure(row: Row, rounds: int, *, cold: bool = False) -> Iterator[Figures]:
    """Figures of a row for each of its peers; an absent one has no times."""
    works: dict[str, Any] = {"": row.ours}
    for name, build in row.peers.items():
        with suppress(ImportError):
            works[name] = build()
    for work in works.values():
        seconds_of(work)
    turns: dict[str, list[float]] = {name: [] for name in works}
    colds: list[float] = []
    for _ in range(rounds):
        if cold and not row.is_process and release():
            colds.append(seconds_of(row.ours))
        for name, work in works.items():
            turns[name].append(seconds_of(work, row.calls))
    ours = turns[""]
    middle = min if row.is_process else statistics.median
    limits = dict(zip(row.peers, row.at_most, strict=False))
    of_input = peak_bytes(row.ours) / row.input_bytes if row.input_bytes else None
    for name in row.peers or {"": None}:
        theirs = turns.get(name) if name else None
        yield Figures(
            row.name,
            row.work,
            name,
            middle(ours) * 1e3,
            middle(theirs) * 1e3 if theirs else None,
            ratio_of(ours, theirs, least=row.is_process) if theirs else None,
            limits.get(name),
            middle(ours) * 1e9 / row.n_rows if row.n_rows else None,
            statistics.median(colds) / middle(ours) if colds else None,
            of_input,
        )


def ratio_of(
    ours: list[float], theirs: list[float], *, least: bool = False
) -> tuple[float, float, float]:
    """Median and quartiles of the ratios of the rounds, or the ratio of the least times."""
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    if least or len(ratios) == 1:
        return (min(ours) / min(theirs),) * 3
    first, middle, third = statistics.quantiles(ratios, n=4, method="inclusive")
    return middle, first, third


# Output -----------------------------------------------------------------------------------------


def table(results: list[Figures]) -> str:
    """A Markdown table; a ratio above its target is bold."""
    titles = ("row", "work", "peer", "ours, ms", "peer, ms", "ratio", "at most", "ns a row")
    rows = []
    for one in results:
        ratio = "absent" if one.peer else ""
        if one.ratio is not None:
            ratio = f"{one.ratio[0]:.2g} ({one.ratio[1]:.2g}-{one.ratio[2]:.2g})"
            if one.at_most is not None and one.ratio[0] > one.at_most:
                ratio = f"**{ratio}**"
        cells = [one.row, one.work, one.peer or "-", _number(one.ours_ms), _number(one.peer_ms)]
        numbers = (one.at_most, one.ns_row, one.cold, one.of_input)
        rows.append([*cells, ratio, *map(_number, numbers)])
    return markdown((*titles, "cold", "of input"), rows, text=3)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.2g}"


def markdown(titles: Iterable[str], rows: Iterable[Iterable[Any]], text: int = 1) -> str:
    """A Markdown table whose first columns are text, and whose others are numbers."""
    titles = list(titles)
    rule = ["---"] * text + ["--:"] * (len(titles) - text)
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in (titles, rule, *rows))


def numbers_of(doc: str | None, argv: list[str] | None = None, **defaults: int) -> Any:
    """The options of a simulation, all of which are whole numbers."""
    parser = argparse.ArgumentParser(description=doc)
    for name, default in defaults.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default: {default}")
    return parser.parse_args(argv)


def simulate(doc: str | None, tables: Mapping[str, tuple[Any, Iterable[str], int]]) -> None:
    """Print the tables of a simulation, or one: its rows by runs and seed, its titles, its runs."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=tables)
    parser.add_argument("--runs", type=int, help="in each cell")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for name, (rows, titles, runs) in tables.items():
        if given.only in (None, name):
            print(
                f"{name}\n\n{markdown(titles, rows(given.runs or runs, given.seed))}\n", flush=True
            )
