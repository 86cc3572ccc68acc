"""The report of a comparison holds what the comparison says, query by query."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sklearn_rank import UnknownMeasureError, compare, compare_all
from sklearn_rank.report.comparison import report_of
from sklearn_rank.report.page import page

TRUTH = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}, "q3": {"d": 1}}
OLD = {"q1": ["x", "b", "a"], "q2": ["c"], "q3": ["x", "y"]}
NEW = {"q1": ["a", "x"], "q2": ["x", "c"], "q3": ["x", "y"]}
BEST = {"q1": ["a", "b"], "q2": ["c"], "q3": ["d"]}
TEXTS = {"q1": "first question", "q2": "second <b>question</b>"}


def compared(**options):
    runs = {"old": OLD, "new": NEW, "best": BEST}
    return compare(TRUTH, runs, measures=("mrr", "ndcg@10"), query_text=TEXTS, **options)


def data_of(text: str) -> dict:
    (data,) = re.findall(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)
    return json.loads(data)


def written(comparison, folder: Path, **options) -> str:
    comparison.report(folder / "r.html", pictures=False, **options)
    return (folder / "r.html").read_text(encoding="utf-8")


def test_a_report_has_every_query_with_the_values_of_every_system(tmp_path) -> None:
    data = data_of(written(compared(), tmp_path))
    assert data["systems"] == ["old", "new", "best"]
    assert (data["measures"], data["greater"]) == (["mrr", "ndcg@10"], [True, True])
    assert (data["queries"], data["texts"]) == (["q1", "q2", "q3"], [*TEXTS.values(), ""])
    assert data["values"][0] == [[0.5, 1, 0], [1, 0.5, 0], [1, 1, 1]]
    assert data["lengths"] == [[3, 1, 2], [2, 2, 2], [2, 1, 1]]


def test_items_have_their_ranks_in_every_system_and_their_shares(tmp_path) -> None:
    data = data_of(written(compared(), tmp_path))
    # Item, grade, rank in old, new and best, share of the change of mrr from old to new and best.
    first = {item[0]: item[1:] for item in data["items"][0]}
    assert first == {"a": [2, 3, 1, 1, 1, 1], "b": [1, 2, None, 2, -0.5, -0.5]}
    assert data["items"][2] == [["d", 1, None, None, 1, 0, 1]]
    assert data["explained"] == "mrr"


def test_shares_add_up_to_the_change_of_the_measure_that_is_asked_for(tmp_path) -> None:
    data = data_of(written(compared(), tmp_path, measure="nDCG@10"))
    assert data["explained"] == "ndcg@10"
    for query, items in enumerate(data["items"]):
        old, *others = (column[query] for column in data["values"][1])
        for place, value in enumerate(others):
            shares = sum(item[5 + place] for item in items)
            assert shares == pytest.approx(value - old, abs=1e-5)


def test_tables_stand_in_the_page_with_slices_and_the_largest_changes(tmp_path) -> None:
    text = written(compared(), tmp_path, slices={"q1": "head", "q2": "tail", "q3": "tail"})
    assert re.findall(r"<h2>(.*?)</h2>", text) == ["Systems", "Differences", "Slices", "Queries"]
    assert '<th scope="row">tail</th><th scope="row">mrr</th><th scope="row">new</th>' in text
    assert "<title>new, best against old</title>" in text
    assert "<p>3 queries</p>" in text
    assert "q2: second &lt;b&gt;question&lt;/b&gt;" in text
    assert "a 3-&gt;1 +1; b 2-&gt;- -0.5" in text


def test_the_title_of_many_systems_counts_them(tmp_path) -> None:
    runs = {f"system {number}": NEW for number in range(6)}
    text = written(compare(TRUTH, runs, measures="mrr"), tmp_path)
    assert "<h1>5 systems against system 0</h1>" in text
    text = written(compare_all(TRUTH, runs, measures="mrr", test="t"), tmp_path)
    assert "<h1>6 systems, each with each other</h1>" in text
    assert "<h1>Own</h1>" in written(compared(), tmp_path, title="Own")


def test_queries_that_were_left_out_are_counted(tmp_path) -> None:
    from sklearn_rank import evaluate

    old = evaluate(TRUTH, OLD, "mrr")
    new = evaluate({"q1": TRUTH["q1"], "q2": TRUTH["q2"]}, {"q1": ["a"], "q2": ["c"]}, "mrr")
    text = written(compare({"old": old, "new": new}), tmp_path)
    assert "<p>2 queries; 1 of old left out</p>" in text
    assert data_of(text)["items"] == [None, None], "ids of items were not kept"
    assert data_of(text)["unknown"] == "The ids of the items are not known."


def test_a_pooled_measure_alone_has_no_queries(tmp_path) -> None:
    runs = {name: {"q1": {"a": score, "x": 0.5}} for name, score in (("old", 0.1), ("new", 0.9))}
    comparison = compare({"q1": {"a": 1}}, runs, measures="auc(average=pooled)")
    text = written(comparison, tmp_path)
    assert "<h2>Queries</h2>" not in text
    assert "<h2>Systems</h2>" in text


def test_an_unknown_measure_is_refused_before_a_file_is_written(tmp_path) -> None:
    with pytest.raises(UnknownMeasureError, match="unknown measure 'mapp'"):
        compared().report(tmp_path / "r.html", measure="mapp")
    assert not (tmp_path / "r.html").exists()


def test_a_path_is_needed() -> None:
    with pytest.raises(TypeError, match="report: path must be the name of a file, got None"):
        compared().report(None)


def test_pictures_are_inline_svg_with_ids_of_their_own() -> None:
    pytest.importorskip("matplotlib")
    text = page(report_of(compared()))
    assert text.count("<figure><svg") == 3
    ids = re.findall(r'\bid="(.*?)"', text)
    assert len(ids) == len(set(ids))
    assert "mrr of best minus that of old, query by query, sorted" in text
    assert page(report_of(compared())) == text, "the same comparison has the same bytes"


def test_without_matplotlib_the_page_says_why_it_has_no_pictures(monkeypatch) -> None:
    monkeypatch.setattr("sklearn_rank.report.comparison.find_spec", lambda _: None)
    text = page(report_of(compared()))
    assert "<svg" not in text
    assert "Pictures need Matplotlib, which is not installed." in text
    assert "Matplotlib" not in page(report_of(compared(), pictures=False))
