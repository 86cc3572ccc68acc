"""The page of speeds: its tables are those of the stored runs, of any number of machines."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.benchmarks import __main__ as command
from tests.benchmarks import _report
from tests.benchmarks._figures import Against, Figures, Spread, Times
from tests.benchmarks._runs import (
    EVALUATE,
    READ,
    SORT,
    Cost,
    Run,
    Series,
    Swept,
    load,
    merged,
    store,
)
from tests.benchmarks._worker import Order

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")


def load_page_writer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("_scaling", ROOT / "docs" / "_scaling.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WRITER = load_page_writer()


def level(value: float) -> Spread:
    return Spread(value, value, value, value)


def facts(processor: str = "Xeon", setting: str = "native") -> dict[str, Any]:
    return {
        "processor": processor,
        "cores": 2,
        "setting": setting,
        "disabled": "" if setting == "native" else "X86_V4",
        "features": [],
        "load": 0.1,
        "python": "3.11",
        "numpy": "2.4",
        "peers": {},
        "date": "2030-01-01",
        "size": "full",
        "rounds": 7,
    }


def figures(row: str = "P1", ours: float = 4.0, cold: float | None = None) -> Figures:
    """A contest in which the peer takes 10 ms."""
    spread = None if cold is None else level(cold)
    slower = None if cold is None else level(cold / ours)
    peer = Against("XGBoost", Times(level(10.0), None, None), level(ours / 10), None, "0.5", True)
    times = Times(level(ours), spread, slower)
    return Figures(row, "rows", 1_000, False, times, (peer,), {}, 1e6 * ours / 1_000, {})


def run(results: list[Figures] | None = None, **changed: Any) -> Run:
    return Run({**facts(), **changed}, [figures()] if results is None else results)


def test_the_page_shows_the_stored_runs() -> None:
    runs = load(ROOT / "docs" / "_scaling.json")
    assert WRITER.written(PAGE, runs) == PAGE, "run: python docs/_scaling.py"


def test_stored_runs_are_of_full_size() -> None:
    assert {run.facts["size"] for run in load(ROOT / "docs" / "_scaling.json")} == {"full"}


def test_machines_and_settings_stand_side_by_side() -> None:
    runs = [
        run(),
        run([figures(ours=6.0)], setting="avx2", disabled="X86_V4"),
        run([figures(ours=8.0)], processor="EPYC"),
    ]
    assert _report.labels(runs) == ["A native", "A avx2", "B native"]
    assert _report.ratios(runs).splitlines() == [
        "| row | work | peer | at most | A native | A avx2 | B native |",
        "| --- | --- | --- | --: | --: | --: | --: |",
        "| P1 | rows | XGBoost | 0.5 | 0.40 | 0.60 | 0.80 |",
    ]
    assert "| B native | EPYC | 2 | nothing |" in _report.machines(runs)
    assert "| A avx2 | Xeon | 2 | X86_V4 |" in _report.machines(runs)


def test_rows_that_only_one_machine_has() -> None:
    runs = [run([figures("P10")]), run([figures("P9")], processor="EPYC")]
    assert _report.ratios(runs).splitlines()[2:] == [
        "| P9 | rows | XGBoost | 0.5 |  | 0.40 |",
        "| P10 | rows | XGBoost | 0.5 | 0.40 |  |",
    ]


def with_peer(**changed: Any) -> Figures:
    base = figures()
    return replace(base, peers=(replace(base.peers[0], **changed),))


@pytest.mark.parametrize(
    ("results", "cell"),
    [
        (with_peer(ratio=Spread(0.3, 0.25, 0.351, 0.2)), "0.30 (0.25-0.35)"),
        (with_peer(cold_ratio=level(0.45)), "0.40 / 0.45"),
        (with_peer(reached=False), "**0.40**"),
        (with_peer(ratio=None), "absent"),
        (replace(with_peer(ratio=Spread(0.3, 0.2, 0.4, 0.25)), by_least=True), "0.25 (least)"),
    ],
)
def test_ratios_as_text(results: Figures, cell: str) -> None:
    assert _report.ratios([run([results])]).splitlines()[-1].split(" | ")[-1] == f"{cell} |"


@pytest.mark.parametrize(
    ("results", "cell"),
    [
        (figures(), "4.00, 4000.0 ns a row"),
        (figures(cold=5.0), "4.00 / 5.00, cold 1.25 x, 4000.0 ns a row"),
        (
            replace(figures(cold=8.0), missed={"cold": 1.3, "ns_row": 18.0}),
            "4.00 / 8.00, **cold 2.00 x** (at most 1.3), **4000.0 ns a row** (at most 18)",
        ),
        (replace(figures(), ours=None, ns_row=None), "absent"),
    ],
)
def test_times_as_text(results: Figures, cell: str) -> None:
    lines = _report.times([run([results])]).splitlines()
    assert lines[2] == f"| P1 | rows | ours | {cell} |"
    assert lines[3] == "| P1 | rows | XGBoost | 10 |"


def test_peaks_as_text() -> None:
    memory = {"traced": 77.2, "resident": 60.3, "times_input": 1.234}
    missed = replace(figures(), memory=memory, missed={"of_input": 0.5})
    line = "| P1 | rows | 77 | 60 | **1.23** (at most 0.5) |"
    assert _report.peaks([run(), run([missed], setting="avx2")]).splitlines()[-1] == line


def test_growth_and_floor_as_text() -> None:
    both = run()
    both.series = [Series("rows", "rows", "", [1e6], [20.0], [1_000_000])]
    both.floor = [Cost("sort 64-bit keys, 64 at a time", "key", 2.345)]
    assert _report.growth([both, run(setting="avx2")]).splitlines()[-1] == "| 1,000,000 | 20.0 |  |"
    assert _report.floor([both]).splitlines()[-1] == (
        "| sort 64-bit keys, 64 at a time | key | 2.35 |"
    )


def test_the_floor_says_how_far_an_evaluation_is_from_it() -> None:
    both = run()
    both.floor = [
        Cost(READ, "row", 1.0),
        Cost(SORT, "row", 3.0),
        Cost(f"{EVALUATE} ndcg@10", "row", 14.0),
    ]
    assert _report.floor([run(setting="avx2"), both]).splitlines()[-1] == (
        "| ndcg@10: times reading and sorting once |  |  | 3.50 x |"
    )


def swept(**changed: Any) -> Swept:
    case = Swept(
        "rows", "ids: tuples", 1_000_000, 155.0, 7.0, 4.2, 40.3, True, False, "hashed one by one"
    )
    return replace(case, **changed)


def test_the_sweep_names_what_is_beyond_its_limits() -> None:
    both = run()
    both.sweep = [swept(), swept(case="ids: int32", ratio=1.0, ns_row=22.0, too_much=False)]
    both.sweep.append(swept(case="ties", too_much=False, too_fast=True, growth=16.0, reason=""))
    assert _report.sweep([both]).splitlines()[2:] == [
        "| rows | ids: tuples | **7.00**, 155 ns, x4.2, 40 B |",
        "| rows | ids: int32 | 1.00, 22 ns, x4.2, 40 B |",
        "| rows | ties | 7.00, 155 ns, **x16.0**, 40 B |",
        "",
        "* rows, ids: tuples: hashed one by one",
        "* rows, ties: not explained",
    ]


def test_later_runs_replace_what_they_measured_again() -> None:
    first = run([figures("P1"), figures("P3")], load=0.9)
    first.sweep = [swept()]
    (both,) = merged([first, run([figures("P3", 5.0), figures("P2")])])
    assert [(each.row, each.ours and each.ours.warm.median) for each in both.results] == [
        ("P1", 4.0),
        ("P2", 4.0),
        ("P3", 5.0),
    ]
    assert both.sweep == [swept()]
    assert both.facts["load"] == 0.9  # the busiest that any figure was measured under


@pytest.mark.parametrize("name", ["processor", "setting", "numpy", "python", "cores"])
def test_other_machines_and_versions_are_columns_of_their_own(name: str) -> None:
    assert len(merged([run(), run(**{name: "another"})])) == 2


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of documentation that may be written to."""
    markers = "\n".join(f"<!-- {name} -->\n<!-- end of {name} -->" for name in WRITER.TABLES)
    (tmp_path / "scaling.md").write_text(f"# Scaling\n{markers}\n")
    store(tmp_path / "_scaling.json", [run()])
    monkeypatch.setattr(WRITER, "DOCS", tmp_path)
    monkeypatch.setattr(WRITER, "draw", lambda runs, target: target.write_text(str(len(runs))))
    return tmp_path


def test_one_command_fills_the_page(docs: Path) -> None:
    store(docs / "a.json", [run(), run(setting="avx2")])
    store(docs / "b.json", [run([figures("P3", 1.0)])])
    WRITER.main(["--json", str(docs / "a.json"), str(docs / "b.json")])
    page = (docs / "scaling.md").read_text()
    assert "| P1 | rows | XGBoost | 0.5 | 0.40 | 0.40 |" in page
    assert "| P3 | rows | XGBoost | 0.5 | 0.10 |  |" in page
    assert len(json.loads((docs / "_scaling.json").read_text())["runs"]) == 2
    assert (docs / "scaling.svg").read_text() == "2"
    WRITER.main([])
    assert (docs / "scaling.md").read_text() == page


def test_tables_without_figures_say_so(docs: Path) -> None:
    WRITER.main([])
    text = (docs / "scaling.md").read_text()
    assert "<!-- sweep -->\n\nNo figures are stored.\n\n<!-- end of sweep -->" in text


def test_the_plots_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    names = [("rows", ""), ("queries", "1 hits each"), ("queries", "10 hits each"), ("cores", "")]
    both = [run(), run(setting="avx2")]
    for each in both:
        each.series = [
            Series(name, "threads", line, [1, 2], [3.0, 4.0], [5, 6]) for name, line in names
        ]
    WRITER.draw(both, tmp_path / "plot.svg")
    text = (tmp_path / "plot.svg").read_text()
    assert all(label in text for label in ("A native", "A avx2", "10 hits each"))


def commands() -> list[list[str]]:
    (block,) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    return [shlex.split(line.removeprefix("$ ")) for line in block.splitlines()]


def test_the_commands_of_the_page(
    docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As they stand, but that what is measured comes from the test."""
    install, *measuring, write = commands()
    assert install == ["python", "-m", "pip", "install", "-e", ".[bench]"]

    def measured(order: Order) -> Run:
        return run(setting=order.setting)

    monkeypatch.setattr(command, "run_in_process", measured)
    monkeypatch.chdir(docs)
    for words in measuring:
        assert words[:3] == ["python", "-m", "tests.benchmarks"]
        assert command.main(words[3:]) == 0
    assert "| A native |" in capsys.readouterr().out
    assert write[:2] == ["python", "docs/_scaling.py"]
    WRITER.main(write[2:])
    assert "A native" in (docs / "scaling.md").read_text()
