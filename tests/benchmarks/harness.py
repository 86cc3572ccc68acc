"""Programs in turn over the same work, and what prints their figures and those of simulations."""

import argparse
import ctypes
import gc
import math
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
    """Times the peer's time, for the first of the peers; milliseconds more than it if ``in_ms``."""
    n_rows: int = 0
    """Rows of the input; 0 where nothing is counted by row."""
    input_bytes: int = 0
    calls: int = 1
    """Calls per turn: short calls are timed together."""
    in_ms: bool = False


class Figures(NamedTuple):
    """The row of the table for one peer."""

    row: str
    work: str
    peer: str
    ours_ms: float
    peer_ms: float | None
    ratio: float | None
    """Of the least times of both: others use the processor, too, and only take time away."""
    at_most: float | None
    in_ms: bool
    """Whether the two are milliseconds more than the peer's."""
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
    """Processor time of one call, without the collector's pauses."""
    gc.collect()
    gc.disable()
    try:
        if isinstance(work, Timed):
            return work.seconds()
        start = time.process_time()
        for _ in range(calls):
            work()
        return (time.process_time() - start) / calls
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
    least, coldest = dict.fromkeys(works, math.inf), math.inf
    for _ in range(rounds):
        if cold and not isinstance(row.ours, Timed) and release():
            coldest = min(coldest, seconds_of(row.ours))
        for name, work in works.items():
            least[name] = min(least[name], seconds_of(work, row.calls))
    ours, limits = least[""], dict(zip(row.peers, row.at_most, strict=False))
    of_input = peak_bytes(row.ours) / row.input_bytes if row.input_bytes else None
    for name in row.peers or {"": None}:
        theirs = least.get(name) if name else None
        ratio = None
        if theirs is not None:
            ratio = 1e3 * (ours - theirs) if row.in_ms else ours / theirs
        yield Figures(
            row.name,
            row.work,
            name,
            ours * 1e3,
            theirs and theirs * 1e3,
            ratio,
            limits.get(name),
            row.in_ms,
            ours * 1e9 / row.n_rows if row.n_rows else None,
            coldest / ours if coldest < math.inf else None,
            of_input,
        )


# Output -----------------------------------------------------------------------------------------


def table(results: list[Figures]) -> str:
    """A Markdown table; a ratio above its target is bold."""
    titles = ("row", "work", "peer", "ours, ms", "peer, ms", "ratio", "at most", "ns a row")
    rows = []
    for one in results:
        ratio = "absent" if one.peer else ""
        if one.ratio is not None:
            ratio = f"{one.ratio:+.2g} ms" if one.in_ms else f"{one.ratio:.2f}"
            if one.at_most is not None and one.ratio > one.at_most:
                ratio = f"**{ratio}**"
        cells = [one.row, one.work, one.peer or "-", _number(one.ours_ms), _number(one.peer_ms)]
        numbers = (one.at_most, one.ns_row, one.cold, one.of_input)
        rows.append([*cells, ratio, *map(_number, numbers)])
    return markdown((*titles, "cold", "of input"), rows, text=3)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def markdown(titles: Iterable[str], rows: Iterable[Iterable[Any]], text: int = 1) -> str:
    """A Markdown table whose first columns are text, and whose others are numbers."""
    titles = list(titles)
    rule = ["---"] * text + ["--:"] * (len(titles) - text)
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in (titles, rule, *rows))


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
