"""A gate is the same in every output: its state, its exit code and its first sentence."""

import csv
import html
import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from sklearn_rank.cli.main import main
from sklearn_rank.gates.gate import failed, judge_gate
from sklearn_rank.gates.limits import Settings, file_name, read_arguments
from sklearn_rank.gates.verdict import BaselineFile, GateResult
from sklearn_rank.support.text import line
from tests.gates.drawn import Drawn, drawn, toml
from tests.plugin.conftest import Suite, said
from tests.strategies import examples

SUITE = """
    from tests.gates.drawn import drawn

    def test_g(rank_gate):
        problem = drawn({seed})
        rank_gate.check(problem.truth, problem.new, name="g", **problem.limits)
"""
REPORTS = {"html": "p.html", "json": "p.json", "markdown": "p.md"}
SLOW = pytest.mark.slow
SEEDS = [pytest.param(n, marks=[SLOW] * (n >= 10)) for n in range(examples(50).max_examples)]
NAMES = (*REPORTS.values(), "step.md")


def judged(problem: Drawn, path: Path, *, is_old: bool = False) -> GateResult:
    """The verdict on the new system, or on the old one, which is recorded."""
    limits = {**problem.limits, "name": "g"}
    truth, run, writes = problem.truth, problem.new, ""
    if is_old:
        truth, run, writes = problem.old_truth, problem.old, "accept"
        limits |= {"totals": problem.old_totals} if problem.old_totals else {}
    file = BaselineFile(path, "g.rank.json", "", "", writes=writes)
    return judge_gate(truth, run, read_arguments(limits, Settings(min_slice_size=3)), file)


def plain(text: str) -> str:
    """A sentence without what differs by door: escapes, names of arguments, files and commands."""
    for name, word in (("QRELS", "y_true"), ("RUN", "y_score")):
        text = text.replace(name, word)
    text = re.sub(r" \([^()]*rank\.json\)|baseline \S*rank\.json|(?<=with: ).*", "", text)
    return html.unescape(text).replace("\\", "")


def check_reports(expected: GateResult, texts: list[str], *, by_command: bool = False) -> None:
    """What is printed, with reports and without, and the reports."""
    page, record, *comments = (Path(name).read_text() for name in NAMES)
    gates = json.loads(record)["gates"]
    sentence = plain(line(expected.headline, 200))
    assert (gates[0]["state"], gates[0]["passed"]) == (expected.state, expected.passed)
    if by_command and not gates[0]["measures"]:  # refused while it was read: by the words of files
        sentence = "could not measure: "
    else:
        assert plain(gates[0]["headline"]) == plain(expected.headline)
    for text in (*texts, *comments, page):
        assert sentence[:140] in plain(text)


@pytest.mark.parametrize("seed", SEEDS)
def test_one_gate_has_one_verdict_everywhere(
    seed: int, suite: Suite, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    problem, path = drawn(seed), suite.path / "test_it" / file_name("g")
    monkeypatch.chdir(suite.path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(suite.path / "step.md"))
    suite.file("pytest.ini", "[pytest]\nrank_min_slice_size = 3\nfilterwarnings = ignore\n")
    suite.write(test_it=SUITE.format(seed=seed))
    with suppress(Exception):  # then there is no baseline
        judged(problem, path, is_old=True)
    try:
        expected = judged(problem, path)
    except Exception as error:
        expected = failed("g", error)
    outputs = [f"{kind}={name}" for kind, name in REPORTS.items()]

    reports = [f"--rank-{output}" for output in outputs] + ["--junitxml=p.xml"]
    runs = [suite.run(*more, ret=int(not expected.passed)) for more in ([], reports)]
    check_reports(expected, list(map(said, runs)))
    failure = ET.parse("p.xml").find(".//failure")
    assert (failure is None) is expected.passed
    if failure is not None:
        claim = expected.headline.removeprefix("UndefinedMetricError: ")
        assert plain(line(claim, 200))[:140] in plain(line(failure.attrib["message"], 1000))

    write_files(problem)
    codes, texts = [], []
    for name in NAMES:
        Path(name).unlink()
    for more in ([], [f"--{output}" for output in outputs]):
        capsys.readouterr()
        codes.append(main(["gate", "--config=gates.toml", *more]))
        texts.append("".join(capsys.readouterr()))
    measured = bool(expected.measures)
    assert codes == [0 if expected.passed else 1 if measured else 2] * 2
    check_reports(expected, texts, by_command=True)


def write_files(problem: Drawn) -> None:
    """The gate as the command reads it."""
    for side in ("truth", "new"):
        Path(f"{side}.json").write_text(json.dumps(getattr(problem, side)))
    gate = {"name": "g", "qrels": "truth.json", "run": "new.json", **problem.limits}
    if "slices" in gate:
        with open("slices.csv", "w", newline="") as file:
            csv.writer(file).writerows([("query", "label"), *gate["slices"].items()])
        gate["slices"] = "slices.csv"
    rows = ['baseline_dir = "test_it"', "[settings]", "min_slice_size = 3", "[[gate]]"]
    rows += [f"{name} = {toml(value)}" for name, value in gate.items()]
    Path("gates.toml").write_text("\n".join(rows))
