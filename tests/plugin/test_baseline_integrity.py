"""A baseline that somebody edited is refused by field; what another run wrote is not replaced."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
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
from tests.plugin.conftest import Suite, said

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


def set_metric(name: str, **fields: Any) -> Edit:
    return lambda content: content["metrics"][name].update(fields)


def lower_all(content: dict[str, Any]) -> None:
    content["metrics"]["mrr"]["value"] = 0.25
    for query in content["queries"].values():
        query["mrr"] = 0.25


def without_values(content: dict[str, Any]) -> None:
    content["metrics"]["mrr"]["value"] = 0.1
    for query in content["queries"].values():
        del query["mrr"]


def move_an_item(content: dict[str, Any]) -> None:
    content["queries"]["q003"]["ranks"] = {"good": 4}


def beyond_the_list(content: dict[str, Any]) -> None:
    content["queries"]["q003"]["ranks"] = {"good": 11}


def lower_one(content: dict[str, Any]) -> None:
    content["queries"]["q003"]["mrr"] = 0.25
    content["metrics"]["mrr"]["value"] = 0.475


def worse_in_every_field(content: dict[str, Any]) -> None:
    lower_all(content)
    for query in content["queries"].values():
        query["ranks"] = {"good": 4}


def a_slice(content: dict[str, Any]) -> None:
    content["slices"]["all"]["mrr"] = 0.4


def a_label(content: dict[str, Any]) -> None:
    content["queries"]["q003"]["slices"] = ["all"]
    content["queries"]["q003"]["weight"] = 1.0


def other_reason(content: dict[str, Any]) -> None:
    content["accepted"] = [{"reason": "judgements v3", "mrr": [0.6, 0.5]}]


EDITS: dict[str, tuple[str, Edit, str]] = {
    "a lower value": (GATE, set_metric("mrr", value=0.1), "mrr is said to be 0.1"),
    "no values per query": (GATE, without_values, "metrics.mrr: the queries have no values"),
    "called weighted": (GATE, set_metric("mrr", weighted=True), "metrics.mrr.weighted: True"),
    "called weighted, and lower": (
        GATE,
        set_metric("mrr", weighted=True, value=0.1),
        "metrics.mrr.weighted: True",
    ),
    "all values lower": (GATE, lower_all, r"queries.q001.mrr: 0.250000 where its ranks give 0.5"),
    "one value lower": (GATE, lower_one, r"queries.q003.mrr: 0.250000 where its ranks give 0.5"),
    "another rank": (GATE, move_an_item, r"queries.q003.mrr: 0.500000 where its ranks give 0.25"),
    "a rank beyond the list": (GATE, beyond_the_list, "query 'q003' has 'good' at rank 11, of 10"),
    "ranks, values and total": (GATE, worse_in_every_field, "seal: it does not fit the rest"),
    "a slice": (SLICED, a_slice, "seal: it does not fit the rest"),
    "a weight of a query": (SLICED, a_label, "seal: it does not fit the rest"),
    "a reason": (GATE, other_reason, "seal: it does not fit the rest"),
    "without ranks": (SCORES, lower_all, "seal: it does not fit the rest"),
    "a pooled value": (
        POOLED,
        set_metric("auc(average=pooled)", value=0.3),
        "seal: it does not fit the rest",
    ),
    "a weighted value": (
        WEIGHTED,
        set_metric("mrr", value=0.3),
        "metrics.mrr.value: 0.3 where its queries give 0.5",
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_baseline_is_refused_by_file_and_field(edit: str, suite: Suite) -> None:
    gate, change, complaint = EDITS[edit]
    suite.write(test_it=gate)
    suite.system([2] * 10)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.run().assert_outcomes(passed=1)
    content = json.loads(suite.baselines()[FILE])
    change(content)
    (suite.path / FILE).write_text(json.dumps(content), encoding="utf-8")
    for arguments in ((), ("--rank-update",)):
        result = suite.run(*arguments)
        result.assert_outcomes(failed=1)
        result.stdout.re_match_lines([f".*baseline {FILE} .*{complaint}.*"])


def test_what_nothing_proves_needs_a_seal(suite: Suite) -> None:
    suite.write(test_it=SCORES)
    suite.system([2] * 10)
    suite.run("--rank-update").assert_outcomes(passed=1)
    content = json.loads(suite.baselines()[FILE])
    del content["seal"]
    (suite.path / FILE).write_text(json.dumps(content), encoding="utf-8")
    assert "metrics.mrr: nothing proves its values, and the file has no seal" in said(suite.run())


NUMBERS = {
    "metrics.mrr.value": lambda content, number: content["metrics"]["mrr"].update(value=number),
    "a value of a query": lambda content, number: content["queries"]["q001"].update(mrr=number),
    "a rank": lambda content, number: content["queries"]["q001"].update(ranks={"good": number}),
    "a length": lambda content, number: content["queries"]["q001"].update(n=number),
    "a weight": lambda content, number: content["queries"]["q001"].update(weight=number),
}


@pytest.mark.parametrize("place", NUMBERS)
def test_a_number_of_400_digits_names_the_file(place: str, suite: Suite) -> None:
    suite.write(test_it=GATE)
    suite.system([2] * 10)
    suite.run("--rank-update").assert_outcomes(passed=1)
    content = json.loads(suite.baselines()[FILE])
    NUMBERS[place](content, 10**400)
    (suite.path / FILE).write_text(json.dumps(content), encoding="utf-8")
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert f"FAILED test_it.py::test_bm25 - baseline {FILE} cannot be read: " in said(result)


# Writing -----------------------------------------------------------------------------------------


def baseline(nodeid: str = "t.py::t") -> Baseline:
    measured = measure_strictly(
        {"q": {"a"}}, {"q": ["x", "a"]}, [measure("mrr")], {}, keep_items=True
    )
    return Recording(measured).baseline(Owner(nodeid, "t"), "ranks", {})


def test_what_another_run_wrote_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
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


def test_a_writer_waits_for_another_and_then_leaves_its_file(tmp_path: Path) -> None:
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


def test_a_file_over_the_size_limit_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "MAX_BYTES", 100)
    path, content = tmp_path / "gate.rank.json", baseline()
    with pytest.raises(BaselineError, match=r"at most 100 are read; store='values' takes less"):
        write_baseline(path, content, tmp_path, "gate")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("link", ["directory", "file", "outside"])
def test_nothing_is_written_through_a_link(link: str, tmp_path: Path) -> None:
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


def test_the_gate_of_a_file_is_read_from_its_head(tmp_path: Path) -> None:
    path = tmp_path / "gate.rank.json"
    write_baseline(path, baseline("t.py::t[ä]"), tmp_path, "gate")
    assert recorded_gate(path) == "t.py::t[ä]"
    path.write_text("{", encoding="utf-8")
    assert recorded_gate(path) == ""
    assert recorded_gate(tmp_path / "none") == ""
