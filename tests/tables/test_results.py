"""Results of public functions are tables in a notebook, and data frames where that is asked."""

import importlib
import inspect
import pkgutil
import re
import sys
from html import unescape
from typing import Any

import pytest

import pytest_rankmetrics
import sklearn_rank
from pytest_rankmetrics import assert_map_at_least
from sklearn_rank import compare, load
from sklearn_rank.comparison import baseline

TRUTH = {"q1": {"a", "b"}, "q2": {"c"}, "q3": {"d"}}
OLD = {"q1": ["a", "b"], "q2": ["c"], "q3": ["x", "d"]}
NEW = {"q1": ["b", "x", "a"], "q2": ["c"], "q3": ["d"]}
KINDS = {"q1": "head", "q2": "tail", "q3": "tail"}
OF_A_CHANGE = """measure baseline system queries baseline_value new change low high effect p p_holm
    wins ties losses detectable significant better remark design_effect noise"""
COMPARED = compare(TRUTH, {"old": OLD, "new": NEW}, ["mrr", "map"])
EVALUATED: Any = COMPARED.evaluations["new"]
RESULTS = {
    "Evaluation": (EVALUATED, 3, "query mrr map"),
    "Evaluation.by_slice": (EVALUATED.by_slice(KINDS), 2, "slice queries mrr map"),
    "Losses": (EVALUATED.losses("map"), 3, "query out_of_reach not_retrieved too_low"),
    "Comparison": (COMPARED, 2, OF_A_CHANGE),
    "Comparison.by_slice": (COMPARED.by_slice(KINDS), 4, f"slice {OF_A_CHANGE}"),
    "QueryChange": (
        COMPARED.most_changed(measure="map"),
        2,
        "query text measure baseline_value new change why",
    ),
    "LossChange": (COMPARED.losses("map"), 1, "measure title change not_retrieved order"),
    "GateResult": (
        assert_map_at_least(TRUTH, NEW, 0.5),
        1,
        "measure slice verdict queries value baseline_value new change allowed p_holm",
    ),
}
"""By the class of the result or its method: an example, its rows and its columns."""
OTHERS = {
    "RecordedEvaluation": "an Evaluation, of which a test is below",
    "Audit": "an answer, shown as a sentence",
    "Placement": "in lists, which pandas.DataFrame reads as they are",
    "Change": "a row of a Comparison",
    **dict.fromkeys(("Qrels", "Run"), "inputs: mappings of queries"),
    **dict.fromkeys(("Measure", "EvalMetric", "RankingScorer"), "definitions"),
    **dict.fromkeys(("QueryRanker", "RankFusion"), "estimators"),
    "MeasureAtKDisplay": "pictures, as all displays",
    "RankingPrecisionRecallCurveDisplay": "pictures",
    "RankingRocCurveDisplay": "pictures",
}
"""Other classes that public functions return, and why they are no tables."""
PACKAGES = (sklearn_rank, pytest_rankmetrics)


def returned() -> set[str]:
    """Names of the classes of the packages that public functions and methods return."""
    for package in PACKAGES:
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(found.name)
    names = tuple(package.__name__ for package in PACKAGES)
    modules = [module for name, module in sys.modules.items() if name.startswith(names)]
    ours = {
        name
        for module in modules
        for name, one in vars(module).items()
        if inspect.isclass(one) and one.__module__.startswith(names)
    }
    texts = []
    for owner in (getattr(package, name) for package in PACKAGES for name in package.__all__):
        methods = inspect.getmembers(owner, inspect.isroutine) if inspect.isclass(owner) else []
        named = [getattr(method, "__func__", method) for name, method in methods if name[0] != "_"]
        for function in [owner, *named]:
            text = str(getattr(function, "__annotations__", {}).get("return", ""))
            texts.append(text.replace("Self", getattr(owner, "__name__", "")))
    return {word for text in texts for word in re.findall(r"\w+", text)} & ours


def test_every_class_that_is_returned_is_known():
    """A new result comes with its rows and columns here."""
    assert returned() == {name.partition(".")[0] for name in RESULTS} | OTHERS.keys()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_a_data_frame(name, backend):
    result, rows, columns = RESULTS[name]
    frame = result.to_frame(backend)
    names = frame.column_names if backend == "pyarrow" else list(frame.columns)
    assert (frame.shape[0], names) == (rows, columns.split())


@pytest.mark.parametrize("name", [name for name in RESULTS if name != "GateResult"])
def test_a_result_is_a_table_in_a_notebook(name):
    """The same titles and cells as its text."""
    result = RESULTS[name][0]
    page = result._repr_html_()
    head = re.findall(r"<th [^>]*>(.*?)</th>", page)
    assert re.split(r"  +", repr(result).split("\n")[0].strip()) == [*map(unescape, head)]
    assert page.count("</tr>") == 1 + sum(
        line.startswith("| ") for line in result.to_markdown().split("\n")[2:]
    )


def test_frames_have_the_values_of_the_results():
    """In full, and labels of several types stay apart."""
    parts = COMPARED.by_slice({"q1": 1, "q2": "1", "q3": "1"}).to_frame()
    assert parts["slice"].tolist() == ["1", "1", "'1'", "'1'"]
    # q1: AP falls from 1 to (1 + 2/3) / 2; q3: its only item rises from rank 2 to 1.
    assert parts["change"].tolist() == pytest.approx([0, -1 / 6, 1 / 4, 1 / 4])
    changed = COMPARED.most_changed(measure="map").to_frame("polars")
    assert changed["query"].to_list() == ["q3", "q1"]
    assert changed["change"].to_list() == pytest.approx([1 / 2, -1 / 6])
    assert changed["why"].to_list() == ["d 2→1 +0.50", "a 1→3 -0.42; b 2→1 +0.25"]
    assert EVALUATED.by_slice(KINDS).to_frame()["map"].tolist() == pytest.approx([5 / 6, 1])
    gate = RESULTS["GateResult"][0].to_frame().loc[0]
    assert (gate["verdict"], gate["value"]) == ("pass", pytest.approx(17 / 18))


def test_a_recorded_evaluation_has_the_frame_of_the_measured_one(tmp_path):
    path = tmp_path / "gate.rank.json"
    baseline.write(path, baseline.record(EVALUATED, "gate"), "gate")
    assert load(path).to_frame().round(6).equals(EVALUATED.to_frame().round(6))


def test_the_losses_of_each_query_are_those_of_their_mean():
    losses = EVALUATED.losses("map")
    assert losses.to_frame()["too_low"].tolist() == pytest.approx([1 / 6, 0, 0])
    assert COMPARED.losses("map").to_frame().loc[0, "order"] == pytest.approx(-1 / 18 + 1 / 6)
