"""Relevant items that are not in the collection, and losses that they explain, at every door."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from sklearn_rank import InvalidParameterError, Repeats, compare, evaluate, load
from sklearn_rank.cli import main
from sklearn_rank.comparison.baseline import as_text, record, write
from sklearn_rank.gates.gate import judge_gate
from sklearn_rank.gates.limits import Settings, read_arguments
from sklearn_rank.gates.verdict import BaselineFile
from sklearn_rank.view.gate_page import html_text, section_of
from sklearn_rank.view.reports import json_text, markdown
from sklearn_rank.view.summary import GateRun, Summary

# Twenty queries with one item each, found first; four items leave, and four others fall.
TRUTH = {f"q{n:02}": {f"d{n}": 1} for n in range(20)}
OLD = {query: [*items, "x"] for query, items in TRUTH.items()}
NEW = {
    query: ["x"] if n < 4 else ["x", *items] if n < 8 else [*items, "x"]
    for n, (query, items) in enumerate(TRUTH.items())
}
ITEMS = {f"d{n}" for n in range(4, 20)} | {"x"}
SAID = "4 of 8 losses: the items left the collection (d0 d1 d2 +1); 4 remain: MRR -0.125"


def test_relevant_items_outside_are_counted():
    ev = evaluate(TRUTH, NEW, "mrr", collection=ITEMS)
    assert ev.counts["outside_collection"] == ev.counts["cannot_be_won"] == 4
    assert "4 relevant items are not in the collection; 4 queries have no relevant" in repr(ev)
    assert ev["mrr"] == evaluate(TRUTH, NEW, "mrr")["mrr"]
    assert "cannot_be_won" not in evaluate(TRUTH, NEW, "mrr").counts
    both = evaluate({"q": {"a": 2, "b": 1, "c": 0}}, {"q": ["a"]}, "mrr", collection=["a"])
    assert (both.counts["outside_collection"], both.counts["cannot_be_won"]) == (1, 0)
    whole = evaluate(TRUTH, NEW, "mrr", collection=ITEMS | {f"d{n}" for n in range(4)})
    assert "collection" not in repr(whole)
    parts = ev.by_slice({query: query < "q02" for query in TRUTH})
    assert [part.counts["cannot_be_won"] for part in parts.values()] == [2, 2]


def forms(tmp_path):
    path = tmp_path / "ids.txt"
    path.write_text("\n".join(sorted(ITEMS)) + "\n", encoding="utf-8")
    return [
        ITEMS,
        sorted(ITEMS),
        np.array(sorted(ITEMS)),
        pd.Series(sorted(ITEMS)),
        dict.fromkeys(ITEMS, "text"),
        path,
        str(path),
    ]


def test_a_collection_of_any_form(tmp_path):
    for collection in forms(tmp_path):
        assert evaluate(TRUTH, NEW, "mrr", collection=collection).counts["cannot_be_won"] == 4
    runs = Repeats([NEW, OLD])
    assert evaluate(TRUTH, runs, "mrr", collection=ITEMS).counts["cannot_be_won"] == 4


@pytest.mark.parametrize(
    ("truth", "run", "collection", "message"),
    [
        (TRUTH, NEW, set(), "collection is empty"),
        (
            TRUTH,
            NEW,
            {1, 2},
            "collection contains none of the .* 'd0' in y_true, [12] in c",
        ),
        (TRUTH, NEW, 5, "collection must be ids, or a file with one id per line, got 5"),
        ([[1, 0]], [[0.1, 0.2]], {1}, "collection needs item ids, which arrays do not have"),
    ],
    ids=["empty", "types", "number", "matrix"],
)
def test_what_is_refused(truth, run, collection, message):
    truth = np.array(truth) if isinstance(truth, list) else truth
    with pytest.raises(InvalidParameterError, match=message):
        evaluate(truth, np.array(run) if isinstance(run, list) else run, collection=collection)


def test_a_comparison_says_which_losses_it_explains(tmp_path):
    found = compare(TRUTH, {"old": OLD, "new": NEW}, "mrr", collection=ITEMS)
    assert found["mrr"].change == compare(TRUTH, {"old": OLD, "new": NEW}, "mrr")["mrr"].change
    found.report(tmp_path / "page.html")
    # Both were evaluated with the same collection: nothing has left since.
    assert "left the collection" not in (tmp_path / "page.html").read_text(encoding="utf-8")
    old, new = evaluate(TRUTH, OLD, "mrr", keep_items=True), found.evaluations["new"]
    compare(old, new).report(tmp_path / "page.html")
    assert SAID in (tmp_path / "page.html").read_text(encoding="utf-8")


def gate(tmp_path, run, writes="", **options):
    path = tmp_path / "search.rank.json"
    file = BaselineFile(path, "search.rank.json", "update", "accept", writes=writes)
    arguments = {"max_drop": {"mrr": 0.02}, "name": "search", **options}
    return judge_gate(TRUTH, run, read_arguments(arguments, Settings()), file), path


@pytest.mark.parametrize("before", [None, {f"d{n}" for n in range(20)} | {"x"}], ids=["old", "now"])
def test_a_gate_says_first_what_left(tmp_path, before):
    given = {} if before is None else {"collection": before}
    gate(tmp_path, OLD, "update", **given)
    result, _ = gate(tmp_path, NEW, collection=ITEMS)
    plain, _ = gate(tmp_path, NEW)
    assert (result.state, result.findings[0].text) == (plain.state, plain.findings[0].text)
    assert result.headline == f"{SAID}; {plain.headline}"
    assert result.message.startswith(SAID)
    assert "4 queries have no relevant item in the collection" in " ".join(result.message.split())
    run = GateRun({**result.as_dict(), "nodeid": "search"}, "search", section=section_of(result))
    summary = Summary((run,))
    assert SAID in html_text(summary)
    assert SAID in json.loads(json_text(summary))["gates"][0]["collection"]
    assert "4 of 8 losses" in markdown(summary)
    assert "collection" not in plain.headline


def test_baselines_record_relevant_items_outside_where_a_collection_is_given(tmp_path):
    plain = as_text(record(evaluate(TRUTH, OLD, "mrr", keep_items=True), "search"))
    gate(tmp_path, OLD, "update")
    _, path = gate(tmp_path, OLD)
    assert '"outside"' not in path.read_text(encoding="utf-8")
    whole = evaluate(TRUTH, OLD, "mrr", collection={f"d{n}" for n in range(20)})
    assert as_text(record(whole, "search")) == plain
    outside = evaluate(TRUTH, NEW, "mrr", collection=ITEMS)
    write(path, record(outside, "search"), "search")
    text = path.read_text(encoding="utf-8")
    assert re.findall(r'"outside":\["(d\d+)"\]', text) == ["d0", "d1", "d2", "d3"]
    assert load(path)["mrr"] == outside["mrr"]


def test_an_item_that_was_outside_before_has_not_left(tmp_path):
    gate(tmp_path, OLD, "update", collection=ITEMS)
    result, _ = gate(tmp_path, NEW, collection=ITEMS)
    assert "left the collection" not in result.headline


def test_commands_read_a_file_of_ids(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    for name, run in (("old", OLD), ("new", NEW)):
        lines = (f"{q} Q0 {d} {n} {-n} x\n" for q, ds in run.items() for n, d in enumerate(ds))
        (tmp_path / f"{name}.run").write_text("".join(lines), encoding="utf-8")
    lines = (f"{query} 0 {item} 1\n" for query, items in TRUTH.items() for item in items)
    (tmp_path / "qrels").write_text("".join(lines), encoding="utf-8")
    forms(tmp_path)
    assert main(["evaluate", "qrels", "new.run", "-m", "mrr", "--collection", "ids.txt"]) == 0
    assert "4 queries have no relevant item in" in capsys.readouterr().out
    words = ["--name", "search", "--max-drop", "mrr=0.02"]
    assert main(["gate", "qrels", "old.run", *words, "--update"]) == 0
    assert main(["gate", "qrels", "new.run", *words, "--collection", "ids.txt"]) == 1
    assert SAID in capsys.readouterr().out
