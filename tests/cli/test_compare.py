"""``sklearn-rank compare``: its output in each format, its exit codes, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from sklearn_rank import compare, compare_all, evaluate, read_qrels, read_run
from sklearn_rank.cli import main

QRELS = "".join(f"q{number} 0 d 1\n" for number in range(40))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three runs: the second has the relevant item one rank higher in every other query."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.qrels").write_text(QRELS)
    for name, tops in (("old", (2, 3)), ("new", (1, 3)), ("same", (2, 3))):
        lines = [
            f"q{number} Q0 {'d' if rank == tops[number % 2] else f'x{rank}'} {rank} {9 - rank} t\n"
            for number in range(40)
            for rank in range(1, 5)
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


def output(capsys: Any, *arguments: str, code: int = 0) -> str:
    assert main(["compare", "t.qrels", *arguments]) == code
    out, err = capsys.readouterr()
    assert (err == "") == (code == 0)
    return str(out if code == 0 else err)


RUNS = ("old.run", "new.run", "same.run")


def test_systems_and_differences_are_shown(capsys: Any) -> None:
    text = output(capsys, *RUNS, "-m", "mrr")
    # (1/2 + 1/3) / 2 and (1 + 1/3) / 2.
    assert [line.split() for line in text.splitlines()[1:4]] == [
        ["a", "old.run", "0.4167"],
        ["b", "new.run", "0.6667", "*", "a"],
        ["c", "same.run", "0.4167"],
    ]
    assert "Holm over 2 p-values: 2 comparisons x 1 measure" in text
    assert "+0.2500" in text


def test_the_numbers_are_those_of_the_library(capsys: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(output(capsys, *RUNS, "-m", "mrr", "--format", "csv"))))
    qrels = read_qrels("t.qrels")
    systems = {name: evaluate(qrels, read_run(name), "mrr") for name in RUNS}
    expected = compare(systems).rows
    assert [row["system"] for row in rows] == ["new.run", "same.run"]
    assert [float(row["difference"]) for row in rows] == [row.difference for row in expected]
    assert [float(row["p_corrected"]) for row in rows] == [row.p_corrected for row in expected]
    told = json.loads(output(capsys, *RUNS, "-m", "mrr", "--format", "json", "--all-pairs"))
    pairs = compare_all(systems).rows
    assert [row["p_corrected"] for row in told["rows"]] == [row.p_corrected for row in pairs]


@pytest.mark.parametrize(
    ("form", "part"),
    [
        ("markdown", "| b | new.run | **0.6667**<sup>a</sup> |"),
        ("latex", r"\textbf{0.6667}"),
        ("html", "<table"),
    ],
)
def test_tables_of_other_formats(form: str, part: str, capsys: Any) -> None:
    assert part in output(capsys, *RUNS, "-m", "mrr", "--format", form)
    rows = output(capsys, *RUNS, "-m", "mrr", "--format", form, "--rows", "differences")
    assert "detectable" in rows


def test_rows_of_text(capsys: Any) -> None:
    systems = output(capsys, *RUNS, "--rows", "systems")
    differences = output(capsys, *RUNS, "--rows", "differences")
    assert "detectable" not in systems
    assert "detectable" in differences


def test_options_reach_the_comparison(capsys: Any) -> None:
    arguments = ("--format", "json", "-m", "mrr")
    told = json.loads(
        output(
            capsys,
            *RUNS,
            *arguments,
            *("--test", "permutation", "--alternative", "greater", "--correction", "bh"),
            *("--family", "measure", "--alpha", "0.01"),
        )
    )
    assert (told["test"], told["alternative"]) == ("permutation", "greater")
    assert (told["correction"], told["family"], told["alpha"]) == ("bh", "measure", 0.01)
    none = json.loads(output(capsys, *RUNS, *arguments, "--correction", "none"))
    assert none["correction"] is None


def test_the_queries_that_changed_most(capsys: Any) -> None:
    text = output(capsys, "old.run", "new.run", "-m", "mrr", "--changed", "2")
    lines = text.splitlines()
    assert "new.run against old.run: largest changes by mrr" in lines
    assert lines[-2].split() == ["q0", "0.5000", "1.0000", "+0.5000", "d", "2->1", "+0.5"]
    told = json.loads(
        output(capsys, "old.run", "new.run", "-m", "mrr", "--changed", "1", "--format", "json")
    )
    assert told["most_changed"] == [
        {
            "query": "q0",
            "measure": "mrr",
            "baseline": "old.run",
            "system": "new.run",
            "old": 0.5,
            "new": 1.0,
            "why": "d 2->1 +0.5",
        }
    ]
    none = output(capsys, "old.run", "same.run", "-m", "mrr", "--changed", "1")
    assert "same.run against old.run: no query changed" in none


def test_other_queries_are_counted_or_refused(files: Path, capsys: Any) -> None:
    (files / "part.run").write_text("q1 Q0 d 1 1.0 t\n")
    arguments = ("old.run", "part.run", "-m", "mrr", "--convention", "trec_eval")
    assert "left out: 39 of 'old.run'" in output(capsys, *arguments)
    complaint = output(capsys, *arguments, "--same-queries", code=2)
    assert "evaluated on different queries: 39 of 'old.run'" in complaint
    # Judged queries without a ranking count as empty ones unless a convention says otherwise.
    told = output(capsys, "old.run", "part.run", "-m", "mrr")
    assert "left out" not in told
    assert "count as empty ones: 39 of 'part.run'" in " ".join(told.split())
    complaint = output(capsys, "old.run", "part.run", "--same-queries", code=2)
    assert "rankings for different queries: none for 39 of 'part.run'" in complaint


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("old.run", "old.run"), "a run is named twice"),
        (("old.run", "new.run", "--test", "tukey"), "test of all pairs; add --all-pairs"),
        (("old.run", "new.run", "--all-pairs", "--alternative", "less"), "is about a baseline"),
        (("old.run", "new.run", "--changed", "1", "--format", "csv"), "goes with --format text"),
        (("old.run", "missing.run"), "missing.run"),
        (("old.run", "new.run", "-m", "nothing"), "unknown measure 'nothing'"),
    ],
)
def test_what_cannot_be_compared_ends_with_2(
    arguments: tuple[str, ...], complaint: str, capsys: Any
) -> None:
    assert complaint in output(capsys, *arguments, code=2)


@pytest.mark.parametrize("option", [("--alpha", "1"), ("--alpha", "x"), ("--changed", "-1")])
def test_options_that_mean_nothing(option: tuple[str, str], capsys: Any) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["compare", "t.qrels", "old.run", "new.run", *option])
    assert ended.value.code == 2
    assert "must be a" in capsys.readouterr().err


def test_hostile_ids_do_not_reach_the_terminal(files: Path, capsys: Any) -> None:
    (files / "t.qrels").write_text("q\x1b[31m 0 d\x1b[0m 1\n")
    for name, rank in (("old", 2), ("new", 1)):
        lines = f"q\x1b[31m Q0 x 1 {3 - rank} t\nq\x1b[31m Q0 d\x1b[0m {rank} {rank} t\n"
        (files / f"{name}.run").write_text(lines)
    text = output(capsys, "old.run", "new.run", "-m", "mrr", "--changed", "1")
    assert "\x1b" not in text
    assert "\\x1b" in text
