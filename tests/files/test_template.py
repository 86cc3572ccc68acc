"""Templates for judges: written with empty grades, filled in, and read back."""

import io
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from sklearn_rank import Qrels, read_template, write_template
from sklearn_rank.exceptions import ColumnRoleError, FileFormatError

NASTY = [
    "=1+1",
    "\t=2",
    "-7",
    "+7",
    "@x",
    "'quoted",
    'say "so"',
    "a,b",
    "a;b",
    "tab\tbed",
    "é",
    "007",
    "'",
]


@pytest.mark.parametrize("name", ["todo.csv", "todo.tsv"])
@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_what_is_filled_in_is_read_back(tmp_path: Path, name: str, library: object) -> None:
    path = tmp_path / name
    frame = library.DataFrame({"query": ["q"] * len(NASTY), "item": NASTY})  # type: ignore[attr-defined]
    write_template(frame, path)
    with pytest.raises(FileFormatError, match="no grade is filled in"):
        read_template(path)
    header, *lines = path.read_text().splitlines()
    assert not any(line.startswith(("=", "+", "-", "@")) for line in lines)
    filled = [f"{line}{place % 3}" for place, line in enumerate(lines)]
    path.write_text("\n".join([header, *filled]))
    assert read_template(path)["q"] == {item: place % 3 for place, item in enumerate(NASTY)}


def test_rows_without_a_grade_are_left_out() -> None:
    text = b"query,item,grade,move\nq1,a,2,0.5\nq1,b,,0.4\nq2,c, ,0.3\nq2,d,0,0.2\n"
    qrels = read_template(io.BytesIO(text))
    assert {query: qrels[query] for query in qrels} == {"q1": {"a": 2}, "q2": {"d": 0}}


def test_ranks_and_moves_stand_beside(tmp_path: Path) -> None:
    ranks = {"rank": [1.5], "rank_other": [float("nan")], "move": [0.123456789]}
    frame = pd.DataFrame({"query": [1], "item": [7], "grade": [None], **ranks})
    write_template(frame, tmp_path / "todo.csv")
    text = (tmp_path / "todo.csv").read_text()
    assert text == "query,item,grade,rank,rank_other,move\n1,7,,1.5,,0.123457\n"


@pytest.mark.parametrize(
    ("text", "error", "what"),
    [
        ("query,item,grade\nq,a,high\n", FileFormatError, ":2: grade 'high' is not a number"),
        ("query,item,grade\nq,b,\nq,a,x\n", FileFormatError, ":3: grade 'x' is not a number"),
        ("query,item,grade\nq,a\n", FileFormatError, ":2: 2 fields instead of 3"),
        ("query,item,rank\nq,a,1\n", FileFormatError, "has no column of grades"),
        ("item,grade\na,1\n", ColumnRoleError, "query"),
    ],
)
def test_what_is_no_template_is_refused(text: str, error: type, what: str) -> None:
    with pytest.raises(error, match=what):
        read_template(io.BytesIO(text.encode()))


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "todo.csv"
    with pytest.raises(ValueError, match=r"the id .* holds a line break"):
        write_template(pd.DataFrame({"query": ["q"], "item": ["a\nb"]}), path)
    with pytest.raises(TypeError, match=r"ids in files are text or whole numbers, got 1\.5"):
        write_template(pd.DataFrame({"query": [1.5], "item": ["a"]}), path)
    with pytest.raises(ValueError, match="rows has no column 'item'"):
        write_template(pd.DataFrame({"query": ["q"]}), path)
    assert not path.exists()


def test_judgements_are_joined() -> None:
    old = Qrels.from_columns(["q1", "q1"], ["a", "b"], grades=[2, 0])
    new = Qrels.from_columns(["q2", "q1", "q1"], ["a", "c", "a"], grades=[1, 3, 2])
    both = old.joined(new)
    assert {query: both[query] for query in both} == {
        "q1": {"a": 2, "b": 0, "c": 3},
        "q2": {"a": 1},
    }
    assert len(old["q1"]) == 2
    other = Qrels.from_columns(["q1"], ["a"], grades=[1])
    with pytest.raises(ValueError, match="query 'q1' judges item 'a' twice, with grades 2 and 1"):
        old.joined(other)
