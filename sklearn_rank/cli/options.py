"""Options that several subcommands have: how files are read."""

from __future__ import annotations

import argparse


def add_reading(parser: argparse.ArgumentParser, *kinds: str) -> None:
    """Columns whose names are not recognised, for each kind of file, and limits."""
    roles = {"qrels": "query, item or grade", "run": "query, item, score or rank"}
    group = parser.add_argument_group("how files are read")
    for kind in kinds:
        group.add_argument(
            f"--{kind}-column",
            action="append",
            default=[],
            metavar="ROLE=NAME",
            type=_column,
            help=f"column of {roles[kind]} in {kind} if its name is not recognised; ROLE= alone: "
            "no column has it",
        )
    limits = {
        "--max-rows": "rows of a file (default: 50 million)",
        "--max-bytes": "bytes to which a compressed file may grow (default: 2 GiB)",
        "--max-line": "bytes of a line (default: 1 MiB)",
    }
    for option, what in limits.items():
        group.add_argument(option, type=positive, metavar="N", help=what)


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) < 1:
        msg = f"must be a whole number of at least 1, got {text[:80]!r}"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def _column(text: str) -> tuple[str, str | None]:
    role, equals, name = text.partition("=")
    if not equals:
        msg = f"must be ROLE=NAME, or ROLE= for none, got {text[:80]!r}"
        raise argparse.ArgumentTypeError(msg)
    return role, name or None
