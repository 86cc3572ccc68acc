"""Options that several subcommands have: what is measured, and how files are read."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

_ROLES = {"qrels": ("query", "item", "grade"), "run": ("query", "item", "score", "rank")}


def add_reading(parser: argparse.ArgumentParser, *kinds: str) -> None:
    """Columns whose names are not recognised, for each kind of file, and limits."""
    group = parser.add_argument_group("how files are read")
    for kind in kinds:
        roles = _ROLES[kind]
        group.add_argument(
            f"--{kind}-column",
            action="append",
            default=[],
            metavar="ROLE=NAME",
            type=_column_of(roles),
            help=f"column of {', '.join(roles[:-1])} or {roles[-1]} in {kind} if its name is not "
            "recognised; ROLE= alone: no column has it",
        )
    limits = {
        "--max-rows": "rows of a file (default: 50 million)",
        "--max-bytes": "bytes to which a compressed file may grow (default: 2 GiB)",
        "--max-line": "bytes of a line (default: 1 MiB)",
    }
    for option, what in limits.items():
        group.add_argument(option, type=positive, metavar="N", help=what)


def add_measuring(parser: argparse.ArgumentParser, default: str) -> None:
    """What is measured, and what counts; ``default`` says which measures are those of nobody."""
    add = parser.add_argument
    add(
        "-m",
        "--measure",
        action="append",
        default=[],
        metavar="M",
        dest="measures",
        help=f"as map, ndcg@5,10 or P_10; repeat it for more ({default})",
    )
    add("--convention", default="default", metavar="NAME", help="count as this program does")
    add(
        "-c",
        "--complete",
        action="store_true",
        help="count judged queries without a ranking as 0, whatever the convention",
    )
    add("-l", "--level", type=positive, metavar="N", help="lowest grade that is relevant")
    add("-M", "--depth", type=positive, metavar="N", help="read this many items of a ranking")
    add(
        "-J",
        "--judged-only",
        action="store_true",
        help="leave out the items that nobody judged for their query",
    )


def share(text: str) -> float:
    """A probability that is neither impossible nor certain."""
    return _number(text, lambda number: 0 < number < 1, "a number between 0 and 1")


def grade(text: str) -> float:
    """A grade that something relevant can have."""
    return _number(text, lambda number: 0 < number < math.inf, "a finite number above 0")


def whole(text: str) -> int:
    """A whole number of at least 0."""
    return 0 if text == "0" else positive(text)


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) < 1:
        msg = f"must be a whole number of at least 1, got {text[:80]!r}"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def _number(text: str, is_right: Callable[[float], bool], what: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not is_right(number):
        msg = f"must be {what}, got {text[:80]!r}"
        raise argparse.ArgumentTypeError(msg)
    return number


def _column_of(roles: tuple[str, ...]) -> Callable[[str], tuple[str, str | None]]:
    def column(text: str) -> tuple[str, str | None]:
        role, equals, name = text.partition("=")
        if not equals:
            msg = f"must be ROLE=NAME, or ROLE= for none, got {text[:80]!r}"
            raise argparse.ArgumentTypeError(msg)
        if role not in roles:
            msg = f"has the roles {', '.join(roles)}, got {role[:80]!r}"
            raise argparse.ArgumentTypeError(msg)
        return role, name or None

    return column
