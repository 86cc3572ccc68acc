"""``sklearn-rank report``: the page of a comparison, from files."""

from __future__ import annotations

import json
import re

import pytest

from sklearn_rank.cli import main

QRELS = "q1 0 a 1\nq2 0 b 1\n"
OLD = "q1 Q0 x 1 2 t\nq1 Q0 a 2 1 t\nq2 Q0 b 1 1 t\n"
NEW = "q1 Q0 a 1 2 t\nq2 Q0 b 1 1 t\n"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    for name, text in {"t.qrels": QRELS, "old.run": OLD, "new.run": NEW}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def data_of(path) -> dict:
    text = path.read_text(encoding="utf-8")
    (data,) = re.findall(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)
    return json.loads(data)


def test_a_page_with_items_texts_and_slices(files, capsys) -> None:
    (files / "texts.json").write_text('{"q1": "first <b>", "q2": "second"}')
    (files / "labels.csv").write_text("query,label\nq1,head\nq2,tail\n")
    arguments = ["report", "t.qrels", "old.run", "new.run", "-m", "mrr", "--query-text"]
    assert main([*arguments, "texts.json", "--slices", "labels.csv", "--title", "A <b> title"]) == 0
    assert capsys.readouterr() == ("report.html: 2 systems, 2 queries\n", "")
    data = data_of(files / "report.html")
    assert data["systems"] == ["old.run", "new.run"]
    assert data["texts"] == ["first <b>", "second"]
    assert data["items"][0] == [["a", 1, 2, 1, 0.5]]
    text = (files / "report.html").read_text(encoding="utf-8")
    assert "<h1>A &lt;b&gt; title</h1>" in text
    assert '<th scope="row">head</th>' in text


def test_the_measure_that_is_explained_and_the_file_are_chosen(files, capsys) -> None:
    arguments = ["report", "t.qrels", "old.run", "new.run", "-m", "mrr", "-m", "recall@1"]
    assert main([*arguments, "--explain", "R@1", "-o", "own.html"]) == 0
    assert data_of(files / "own.html")["explained"] == "recall@1"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--query-text", "none.json"], "--query-text 'none.json' cannot be read"),
        (["--query-text", "t.qrels"], "needs the columns query and text, and the first line has"),
        (["--explain", "mapp"], "unknown measure 'mapp'"),
        (["-o", "none/report.html"], "there is no folder 'none'; create it first"),
    ],
)
def test_what_is_wrong_is_named(options, message, capsys) -> None:
    assert main(["report", "t.qrels", "old.run", "new.run", "-m", "mrr", *options]) == 2
    assert message in capsys.readouterr().err
