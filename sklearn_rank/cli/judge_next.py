"""``sklearn-rank judge-next``: which items to judge."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from typing import Any

from sklearn_rank.cli.reading import (
    Reader,
    read_texts,
    refuse_repeated_input,
    refuse_repeated_runs,
)
from sklearn_rank.cli.terminal import print_table
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.support.runtime import waiting
from sklearn_rank.tables.formats import to_csv
from sklearn_rank.tables.table import Cell, Column, Table, number_cell, text_cell


def run(arguments: argparse.Namespace) -> int:
    """Read, join, list."""
    paths = arguments.qrels, arguments.run_path, arguments.new
    reader = Reader(arguments)
    refuse_repeated_input(*paths)
    refuse_repeated_runs(*paths[1:])
    with waiting("reading judgements"):
        qrels = reader.qrels(arguments.qrels)
    texts = read_texts(arguments)
    systems = []
    old = "RUN" if arguments.new is None else "BASELINE"
    # The newer system comes first: the change is the one that it makes.
    for path, what in ((arguments.new, "NEW"), (arguments.run_path, old)):
        if path is None:
            continue
        with waiting(f"measuring {path}"):
            run, measure = reader.run(path, what), arguments.measure
            names = ("convention", "assume")
            options = {name: getattr(arguments, name) for name in names}
            options["duplicates"] = reader.duplicates.get("run")
            systems.append(evaluate(qrels, run, measure, keep_items=True, **options))
    if systems[0].assumed != "partial":
        msg = (
            "nothing is unjudged, because QRELS counts as complete: it holds no grade of 0, or "
            "--assume says so; pass --assume partial if items absent from QRELS are unjudged"
        )
        raise ValueError(msg)
    rows = systems[0].to_judge(arguments.n, *systems[1:], backend=None)
    columns = dict[Column, list[Cell]]()
    for side in ("query", "item"):
        columns[Column(side)] = list(map(text_cell, rows[side]))
        if texts[f"{side}_text"] is not None:
            columns[Column(f"{side}_text")] = _texts(texts[f"{side}_text"], rows[side])
    if arguments.format == "csv":
        columns[Column("grade", "number")] = [Cell("")] * len(rows["item"])
    for title in ("baseline_rank", "rank"):
        if title in rows:
            columns[Column(title, "number")] = list(map(_rank_cell, rows[title]))
    changes = [number_cell(change, signed=True) for change in rows["change"]]
    columns[Column("change", "number")] = changes
    table = Table(tuple(columns), tuple(zip(*columns.values(), strict=True)))
    if arguments.format == "csv":
        print(to_csv(table), end="")
    else:
        print_table(table)
    return 0


def _texts(texts: Mapping[str, Any], ids: Iterable[str]) -> list[Cell]:
    """Texts of queries or items; for an item with several facts, its title or else its text."""
    shown = [texts.get(id_, "") for id_ in ids]
    return [
        text_cell((text.get("title") or text.get("text") or "") if isinstance(text, dict) else text)
        for text in shown
    ]


def _rank_cell(rank: float | None) -> Cell:
    """A rank: whole unless it is the mean of a tie; empty if the item is not retrieved."""
    return Cell("") if rank is None else Cell(f"{rank:g}", rank)
