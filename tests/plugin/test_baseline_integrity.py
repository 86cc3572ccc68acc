"""A baseline that somebody edited is refused by field; what another run wrote is not replaced."""

import json
import math
import os
import re
import threading
from collections.abc import Callable
from typing import Any

import pytest

from pytest_rankmetrics.baseline import file
from pytest_rankmetrics.baseline.content import Baseline, Owner
from pytest_rankmetrics.baseline.file import (
    BaselineError,
    read_baseline,
    recorded_gate,
    write_baseline,
)
from pytest_rankmetrics.baseline.record import Recording
from pytest_rankmetrics.measuring.strict import measure_strictly
from sklearn_rank import measure

# Ten queries whose relevant item stands at rank 2: every reciprocal rank is 1/2.
GATE = """
    from cases import system

    def test_bm25(rank_gate):
        rank_gate.check(*system(), max_drop={"mrr": 0.005}, allow={"unretrieved"})
"""
SLICED = GATE.replace("max_drop", "slices=lambda query: 'all', max_drop")
SCORES = GATE.replace("max_drop", 'store="values", max_drop')
POOLED = """
    def test_bm25(rank_gate):
        truth = {f"q{n}": {"good"} for n in range(10)}
        results = {query: {"bad": 0.2, "good": 0.1 + n / 50} for n, query in enumerate(truth)}
        rank_gate.check(truth, results, max_drop={"auc(average=pooled)": 0.005})
"""
WEIGHTED = """
    from cases import system

    def test_bm25(rank_gate):
        truth, results = system()
        weight = {query: 1 + n for n, query in enumerate(truth)}
        rank_gate.check(truth, results, max_drop={"mrr": 0.005}, sample_weight=weight)
"""
FILE = "test_it/test_bm25.rank.json"
Edit = Callable[[dict[str, Any]], Any]


def with_mrr(value: float, *queries: int, **ranks: int) -> Edit:
    """The same value in some queries and in the total; with other ranks, if any are given."""

    def edit(content: dict[str, Any]) -> None:
        rows = content["queries"]
        for number in queries:
            rows[f"q{number:03d}"] |= {"mrr": value, **({"ranks": ranks} if ranks else {})}
        content["metrics"]["mrr"]["value"] = sum(row["mrr"] for row in rows.values()) / len(rows)

    return edit


def set_metric(name: str = "mrr", **fields: Any) -> Edit:
    return lambda content: content["metrics"][name].update(fields)


def set_query(**fields: Any) -> Edit:
    return lambda content: content["queries"]["q003"].update(fields)


def without_values(content: dict[str, Any]) -> None:
    content["metrics"]["mrr"]["value"] = 0.1
    for query in content["queries"].values():
        del query["mrr"]


ALL = range(1, 11)
HUGE, SEAL = 10**400, "seal: it does not fit the rest"
NO_NUMBER = "where a number is expected"
EDITS: dict[str, tuple[str, Edit, str]] = {
    "a lower value": (GATE, set_metric(value=0.1), "mrr is said to be 0.1"),
    "a value that is text": (GATE, set_metric(value="0.5"), NO_NUMBER),
    "a huge value": (GATE, set_metric(value=HUGE), NO_NUMBER),
    "another number of queries": (GATE, set_metric(queries=9), "mrr is said to be of 9 queries"),
    "no number of queries": (GATE, set_metric(queries=0), "mrr has no number of queries"),
    "no definition": (GATE, set_metric(definition=None), "mrr has no definition"),
    "called weighted": (GATE, set_metric(weighted=True), "metrics.mrr.weighted: True"),
    "weighted by what": (GATE, set_metric(weighted=3), "mrr has a weighted that is no bool"),
    "called weighted, and lower": (
        GATE,
        set_metric(weighted=True, value=0.1),
        "metrics.mrr.weighted: True",
    ),
    "no values per query": (GATE, without_values, "metrics.mrr: the queries have no values"),
    "all values lower": (GATE, with_mrr(0.25, *ALL), "queries.q001.mrr: 0.25.* ranks give 0.5"),
    "one value lower": (GATE, with_mrr(0.25, 3), "queries.q003.mrr: 0.25.* where its ranks give"),
    "one huge value": (GATE, set_query(mrr=HUGE), NO_NUMBER),
    "NaN": (GATE, set_query(mrr=math.nan), "NaN is not a number of JSON"),
    "another rank": (GATE, set_query(ranks={"good": 4}), "q003.mrr: 0.5.* its ranks give 0.25"),
    "a rank beyond the list": (GATE, set_query(ranks={"good": 11}), "'good' at rank 11, of 10"),
    "a rank that is none": (GATE, set_query(ranks={"good": HUGE}), "is not a rank"),
    "ranks without n": (GATE, set_query(n=HUGE), "'q003' needs ranks and n together"),
    "no digest": (GATE, set_query(truth=1), "'q003' has no digest of its judgements"),
    "a weight": (GATE, set_query(weight=HUGE), NO_NUMBER),
    "no labels": (SLICED, set_query(slices=3), "'q003' has slices that are no list of labels"),
    "ranks, values and total": (GATE, with_mrr(0.25, *ALL, good=4), SEAL),
    "a slice": (SLICED, lambda content: content["slices"]["all"].update(mrr=0.4), SEAL),
    "a weight of a query": (SLICED, set_query(weight=1.0), SEAL),
    "a reason": (GATE, lambda own: own.update(accepted=[{"reason": "v3", "mrr": [1, 0]}]), SEAL),
    "without ranks": (SCORES, with_mrr(0.25, *ALL), SEAL),
    "without a seal": (
        SCORES,
        lambda content: content.pop("seal"),
        "metrics.mrr: nothing proves its values, and the file has no seal",
    ),
    "a pooled value": (POOLED, set_metric("auc(average=pooled)", value=0.3), SEAL),
    "a weighted value": (
        WEIGHTED,
        set_metric(value=0.3),
        "metrics.mrr.value: 0.3 where its queries give 0.636364",
    ),
    "a geometric mean": (
        GATE.replace("mrr", "gmap"),
        set_metric("gmap", value=0.625),
        "gmap is said to be 0.625, and its queries have a mean of 0.5",
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_baseline_is_refused_by_file_and_field(edit, suite):
    gate, change, complaint = EDITS[edit]
    suite.write(test_it=gate)
    ranks = [1] * 5 + [4] * 5 if "gmap" in gate else [2] * 10
    before = suite.record([1] * 5 + [2] * 5 if gate == WEIGHTED else ranks)
    suite.passes()
    content = json.loads(before[FILE])
    change(content)
    (suite.path / FILE).write_text(json.dumps(content), encoding="utf-8")
    for arguments in ((), ("--rank-update",)):
        text = suite.fails(arguments=arguments)
        assert re.search(f"baseline {FILE} .*{complaint}", text)


BROKEN = {
    "empty": "",
    "no JSON": "{",
    "another format": '{"format": "rank-baseline/99", "metrics": {}, "queries": {}}',
    "a list": "[]",
    "no measure": '{"format": "rank-baseline/1", "gate": "g", "metrics": {}, "queries": {}}',
    "infinity": '{"format": "rank-baseline/1", "gate": "g", "queries": {},'
    ' "metrics": {"mrr": {"value": -1e999, "queries": 30, "definition": {"v": 1}}}}',
    "key twice": '{"format": "rank-baseline/1", "metrics": {"mrr": {"value": 0.5, "queries": 1,'
    ' "definition": {}}}, "queries": {"q": {"truth": "", "mrr": 1.0}, "q": {"truth": "",'
    ' "mrr": 0.5}}}',
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize("mistake", BROKEN)
def test_a_broken_baseline_is_refused_by_name(mistake, tmp_path):
    path = tmp_path / "gate.rank.json"
    path.write_text(BROKEN[mistake])
    with pytest.raises(BaselineError, match=f"^baseline {mistake} cannot be read: "):
        read_baseline(path, mistake)


# Writing -----------------------------------------------------------------------------------------


def baseline(nodeid: str = "t.py::t") -> Baseline:
    measured = measure_strictly(
        {"q": {"a"}}, {"q": ["x", "a"]}, [measure("mrr")], {}, keep_items=True
    )
    return Recording(measured).baseline(Owner(nodeid, "t"), "ranks", {})


def test_what_another_run_wrote_meanwhile_is_not_overwritten(tmp_path):
    path, content = tmp_path / "gate.rank.json", baseline()
    write_baseline(path, content, tmp_path, "gate")
    _, read = read_baseline(path, "gate")
    better = path.read_text(encoding="utf-8").replace("0.5", "0.9")
    path.write_text(better, encoding="utf-8")
    with pytest.raises(BaselineError, match="another run has written it meanwhile; run again"):
        write_baseline(path, content, tmp_path, "gate", read)
    with pytest.raises(BaselineError, match="another run has written it meanwhile"):
        write_baseline(path, content, tmp_path, "gate")
    assert path.read_text(encoding="utf-8") == better
    assert [one.name for one in tmp_path.iterdir()] == ["gate.rank.json"], "nothing left behind"


def test_a_writer_waits_for_another_and_then_leaves_its_file(tmp_path):
    fcntl = pytest.importorskip("fcntl", reason="locks of Unix")
    path, errors = tmp_path / "gate.rank.json", []

    def write_now() -> None:
        try:
            write_baseline(path, baseline(), tmp_path, "gate")
        except BaselineError as error:
            errors.append(str(error))

    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    writer = threading.Thread(target=write_now)
    writer.start()
    writer.join(0.5)
    assert writer.is_alive(), "it waits"
    path.write_text("of another run", encoding="utf-8")
    os.close(handle)
    writer.join()
    assert path.read_text(encoding="utf-8") == "of another run"
    assert "another run has written it meanwhile" in errors[0]


def test_a_file_over_the_size_limit_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(file, "MAX_BYTES", 100)
    path, content = tmp_path / "gate.rank.json", baseline()
    with pytest.raises(BaselineError, match=r"at most 100 are read; store='values' takes less"):
        write_baseline(path, content, tmp_path, "gate")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("link", ["directory", "file", "outside"])
def test_nothing_is_written_through_a_link(link, tmp_path):
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    (project / "tests").mkdir(parents=True)
    elsewhere.mkdir()
    path = project / "tests" / "test_it" / "gate.rank.json"
    if link == "file":
        path.parent.mkdir()
        path.symlink_to(elsewhere / "gate.rank.json")
    elif link == "directory":  # within the project
        (project / "other").mkdir()
        path.parent.symlink_to(project / "other")
    else:
        path = elsewhere / "gate.rank.json"
    content = baseline()
    with pytest.raises(BaselineError, match=r"is a symbolic link|it is outside of"):
        write_baseline(path, content, project, "gate")
    assert not list(elsewhere.iterdir())
    assert not list((project / "tests").rglob("gate.rank.json")) or link == "file"


def test_the_gate_of_a_file_is_read_from_its_head(tmp_path):
    path = tmp_path / "gate.rank.json"
    write_baseline(path, baseline("t.py::t[ä]"), tmp_path, "gate")
    assert recorded_gate(path) == "t.py::t[ä]"
    path.write_text("{", encoding="utf-8")
    assert recorded_gate(path) == ""
    assert recorded_gate(tmp_path / "none") == ""
