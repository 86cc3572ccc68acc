"""``sklearn-rank gate``: verdicts, words and baselines of the plugin, without pytest."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sklearn_rank.cli import main
from sklearn_rank.cli.options import build_parser
from sklearn_rank.cli.terminal import in_words_of
from tests.plugin.cases import Ranks, names, ranking
from tests.plugin.conftest import Suite

GATE = """
    import json
    from pathlib import Path
    from sklearn_rank import read_qrels, read_run

    def test_it(rank_gate):
        limits = json.loads(Path(__file__).with_name("limits.json").read_text())
        if "slices" in limits:
            limits["slices"] = lambda query: "odd" if int(query[1:]) % 2 else "even"
        rank_gate.check(read_qrels("t.qrels"), read_run("a.run"), **limits)
"""


@pytest.fixture
def files(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A project that is judged by both."""
    monkeypatch.chdir(suite.path)
    suite.write(test_search=GATE)
    labels = "".join(f"q{n:03d},{'odd' if n % 2 else 'even'}\n" for n in range(1, 400))
    (suite.path / "slices.csv").write_text(f"query,label\n{labels}")
    return suite


def write(path: Path, ranks: Ranks, judged: int | None = None) -> None:
    """The system's rankings, and judgements of one relevant item for each query."""
    rows = [
        f"{query} Q0 {item} {place} {10 - place} t\n"
        for query, rank in zip(names(len(ranks)), ranks, strict=True)
        for place, item in enumerate(ranking(rank), 1)
    ]
    (path / "a.run").write_text("".join(rows))
    queries = names(len(ranks) if judged is None else judged)
    (path / "t.qrels").write_text("".join(f"{query} 0 good 1\n" for query in queries))


def by_pytest(suite: Suite, *options: str) -> tuple[int, dict[str, Any]]:
    code = suite.run("--rank-json=plugin.json", *options).ret
    return int(code), json.loads((suite.path / "plugin.json").read_text())["gates"][0]


def by_command(limits: dict[str, Any], *options: str) -> tuple[int, dict[str, Any]]:
    words = ["gate", "t.qrels", "a.run", "--name", "test_it", "--baseline-dir", "test_search"]
    for name, value in limits.items():
        option = f"--{name.replace('_', '-')}"
        if name == "slices":
            words += [option, "slices.csv"]
        elif isinstance(value, dict):
            words += [f"{option}={measure}={number}" for measure, number in value.items()]
        else:
            words += [
                f"{option}={word}" for word in (value if isinstance(value, list) else [value])
            ]
    code = main([*words, "--json", "command.json", *options])
    return code, json.loads(Path("command.json").read_text())["gates"][0]


def alike(record: dict[str, Any]) -> dict[str, Any]:
    """What both have to say, without the names of tests and the commands to type."""
    rest = {k: v for k, v in record.items() if k not in ("nodeid", "fixture", "name", "message")}
    lines = record["message"].splitlines()
    return {**rest, "message": [line for line in lines if not line.startswith("accept ")]}


CASES: dict[str, tuple[dict[str, Any], Ranks, Ranks]] = {
    "a threshold that holds": ({"at_least": {"map": 0.3}}, [2] * 30, [2] * 30),
    "a threshold that does not": ({"at_least": {"map": 0.3, "mrr": 0.2}}, [2] * 30, [4] * 30),
    "less is better": ({"at_most": {"lag": 1}}, [2] * 30, [3] * 30),
    "no change": ({"max_drop": {"map": 0.005}}, [2] * 30, [2] * 30),
    "a drop": ({"max_drop": {"map": 0.005}}, [1] * 40, [2] * 20 + [1] * 20),
    "a drop of one query": ({"max_drop": {"map": 0.005}}, [1] * 40, [2] + [1] * 39),
    "one number for all": ({"max_drop": 0.001, "at_least": {"mrr": 0.1}}, [2] * 30, [3] * 30),
    "better": ({"max_drop": {"map": 0.005}}, [3] * 30, [2] * 30),
    "slices": (
        {"max_drop": {"map": 0.2}, "slices": True, "max_slice_drop": 0.01, "hard_drop": 0.9},
        [1] * 60,
        [2, 1] * 30,
    ),
    "few queries": ({"max_drop": {"map": 0.005}}, [1] * 8, [2] + [1] * 7),
    "queries that went": ({"max_drop": {"map": 0.005}}, [1] * 40, [1] * 39),
    "nothing retrieved": ({"max_drop": {"map": 0.005}}, [1] * 30, [0] * 30),
    "missing": ({"max_drop": {"map": 0.3}, "missing": "zero"}, [1] * 30, [1] * 29 + [None]),
}


@pytest.mark.parametrize("case", CASES)
def test_both_have_one_verdict_message_and_baseline(files: Suite, case: str) -> None:
    limits, before, now = CASES[case]
    (files.path / "limits.json").write_text(json.dumps(limits))
    write(files.path, before)
    compares = "max_drop" in limits
    if compares:
        assert by_command(limits, "--update")[0] == 0
        written = files.baselines()
        (baseline,) = written.values()
        (files.path / "test_search" / "test_it.rank.json").unlink()
        assert by_pytest(files, "--rank-update")[0] == 0
        (other,) = files.baselines().values()
        first, second = (json.loads(text) for text in (baseline, other))
        assert (first.pop("gate"), second.pop("gate")) == ("test_it", "test_search.py::test_it")
        assert {**first, "seal": ""} == {**second, "seal": ""}
    write(files.path, now)
    code, record = by_command(limits)
    expected_code, expected = by_pytest(files)
    could_measure = not expected["headline"].startswith("could not measure")
    assert code == (expected_code if could_measure else 2)
    assert record["verdict"] == expected["verdict"]
    assert record["metrics"] == expected["metrics"]
    assert record["slices"] == expected["slices"]
    words = build_parser().parse_args(["gate", "t.qrels", "a.run"])
    for key in ("headline", "message"):
        expected[key] = in_words_of(words, expected[key])
    assert alike(record) == alike(expected)


def test_a_renamed_measure_needs_a_reason_to_be_lowered(files: Suite) -> None:
    write(files.path, [1] * 30)
    limits = {"max_drop": {"map": 0.005}}
    assert by_command(limits, "--update")[0] == 0
    kept = files.baselines()
    write(files.path, [2] * 30)
    assert by_command(limits, "--update")[0] == 1
    assert files.baselines() == kept
    code, record = by_command(limits, "--accept", "--reason", "a new index")
    assert (code, record["written"], record["reason"]) == (0, "LOWERED", "a new index")
    assert by_command(limits)[0] == 0


def test_a_failure_says_what_to_type(files: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    write(files.path, [1] * 30)
    assert by_command({"max_drop": {"map": 0.005}})[0] == 1
    out = capsys.readouterr().out
    assert "FAILED test_it\n  no baseline for gate 'test_it' (test_search/" in out
    assert "write it with: sklearn-rank gate t.qrels a.run --name test_it" in out
    assert "--update" in out
    by_command({"max_drop": {"map": 0.005}}, "--update")
    write(files.path, [3] * 30)
    by_command({"max_drop": {"map": 0.005}}, "--accept", "--reason", "x")
    capsys.readouterr()
    write(files.path, [5] * 30)
    assert by_command({"max_drop": {"map": 0.005}})[0] == 1
    assert '--json command.json --accept --reason "..."' in capsys.readouterr().out


def test_in_continuous_integration_nothing_is_written(
    files: Suite, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CI", "true")
    write(files.path, [1] * 30)
    assert main(["gate", "t.qrels", "a.run", "--name", "x", "--max-drop=0.1", "--update"]) == 2
    assert "not for continuous integration" in capsys.readouterr().err
    assert not files.baselines()


CONFIG = """
baseline_dir = "base"

[settings]
min_queries = 10

[[gate]]
name = "bm25"
qrels = "t.qrels"
run = "a.run"
at_least = { map = 0.3 }
max_drop = { "ndcg@10" = 0.005 }
allow = ["perfect"]

[[gate]]
name = "floor"
qrels = "t.qrels"
run = "a.run"
at_least = { "recall@10" = 0.2 }
slices = "slices.csv"
slice_at_least = { odd = { map = 0.1 } }
allow = ["perfect"]
"""


def test_several_gates_stand_in_one_file(files: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    (files.path / "rank.toml").write_text(CONFIG)
    write(files.path, [1] * 30)
    assert main(["gate", "--config", "rank.toml", "--update"]) == 0
    assert list(files.baselines()) == ["base/bm25.rank.json"]
    assert main(["gate", "--config", "rank.toml"]) == 0
    assert "2 gates: all passed" in capsys.readouterr().out
    write(files.path, [0] * 29 + [1])
    assert main(["gate", "--config", "rank.toml", "--junit=out.xml", "--markdown=out.md"]) == 1
    assert "2 gates: 2 failed" in capsys.readouterr().out
    suite = ElementTree.parse(files.path / "out.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "2", "0")
    assert [case.get("name") for case in suite] == ["bm25", "floor"]
    assert "2 of 2 gates failed" in (files.path / "out.md").read_text()


def test_what_cannot_be_measured_ends_with_2_and_hides_no_failure(
    files: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    (files.path / "rank.toml").write_text(CONFIG.replace('run = "a.run"', 'run = "no.run"', 1))
    write(files.path, [1] * 30)
    assert main(["gate", "--config", "rank.toml"]) == 2
    assert "ERROR: gate 'bm25' could not be measured" in capsys.readouterr().out
    write(files.path, [0] * 29 + [1])
    assert main(["gate", "--config", "rank.toml"]) == 1


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("", "has no gate; write one as [[gate]]"),
        ("[[gate]]\nname = 'x'", "gate 'x' has no qrels"),
        (
            "[[gate]]\nname = 'x'\nqrels='t.qrels'\nrun='a.run'",
            "gate 'x' could not be measured: the gate has no limit",
        ),
        (CONFIG.replace("at_least", "at_leest", 1), "unknown key 'at_leest'; did you mean 'at_le"),
        (CONFIG.replace("min_queries", "min_query"), "unknown key 'min_query'; did you mean 'min_"),
        (CONFIG.replace("baseline_dir", "dir"), "unknown key 'dir'"),
        (CONFIG.replace("floor", "bm25"), "two gates have the name 'bm25'"),
        ("= 3", "rank.toml: "),
    ],
)
def test_configurations_that_are_refused(
    files: Suite, capsys: pytest.CaptureFixture[str], config: str, message: str
) -> None:
    (files.path / "rank.toml").write_text(config)
    write(files.path, [1] * 30)
    assert main(["gate", "--config", "rank.toml"]) == 2
    captured = capsys.readouterr()
    assert message in captured.err + captured.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["t.qrels", "a.run"], "--name is missing"),
        (["t.qrels", "--name=x"], "RUN is missing"),
        (["--config=rank.toml", "t.qrels", "a.run"], "QRELS and RUN belong into the file"),
        (["--config=rank.toml", "--at-least=map=1"], "--at-least belong into the file"),
        (["t.qrels", "a.run", "--name=x", "--at-least=0.3"], "write --at-least=MEASURE=0.3"),
        (["t.qrels", "a.run", "--name=x", "--accept"], "needs --reason"),
        (["t.qrels", "a.run", "--name=x", "--reason=y"], "pass both or neither"),
    ],
)
def test_words_that_do_not_go_together(
    files: Suite, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    (files.path / "rank.toml").write_text(CONFIG)
    write(files.path, [1] * 30)
    assert main(["gate", *words]) == 2
    assert message in capsys.readouterr().err


def test_ids_reach_no_report_raw(files: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    (files.path / "t.qrels").write_text("".join(f"q{n}\x1b[31m 0 good 1\n" for n in range(30)))
    rows = [f"q{n}\x1b[31m Q0 <b>bad</b> 1 2 t\nq{n}\x1b[31m Q0 good 2 1 t\n" for n in range(30)]
    (files.path / "a.run").write_text("".join(rows))
    words = ["gate", "t.qrels", "a.run", "--name", "<i>\x1b", "--at-least=mrr=0.9"]
    assert main([*words, "--markdown=o.md", "--junit=o.xml"]) == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    for name in ("o.md", "o.xml"):
        text = (files.path / name).read_text()
        assert "\x1b" not in text
        assert "<b>" not in text
        assert "<i>" not in text


def test_no_pytest_is_needed(files: Suite) -> None:
    write(files.path, [2] * 30)
    code = (
        "import sys\n"
        "for name in ('pytest', '_pytest', 'pytest_regressions'): sys.modules[name] = None\n"
        "from sklearn_rank.cli import main\n"
        "words = ['gate', 't.qrels', 'a.run', '--name=x', '--max-drop=map=0.1']\n"
        "sys.exit(main([*words, '--update']) or main(words))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 gate: all passed" in done.stdout


def test_hints_name_the_working_copy_where_baselines_are_those_of_the_target_branch(
    files: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    write(files.path, [2] * 30)
    words = ["gate", "t.qrels", "a.run", "--name=bm25", "--max-drop=map=0.005"]
    assert main([*words, "--baseline-dir=eval", "--update"]) == 0
    (files.path / ".git").mkdir()
    shutil.copytree(files.path / "eval", files.path / "base" / "eval")
    (files.path / "base" / ".git").mkdir()
    directory = ["--baseline-dir", "base/eval"]
    assert main([*words, *directory]) == 0
    here = "sklearn-rank gate t.qrels a.run --name=bm25 --max-drop=map=0.005 --baseline-dir=eval"
    for change, command in {
        "queries were added": f"refresh with: {here} --update",
        "it is better": f"can be raised: {here} --update",
        "it is worse": f'accept    {here} --accept --reason "..."',
        "it is new": f"commit it and merge: {here} --update",
    }.items():
        rank = 1 if "better" in change else 5 if "worse" in change else 2
        write(files.path, [rank] * 29 + [2])
        if "added" in change:
            write(files.path, [2] * 31)
        own = [*words[:3], "--name=new", *words[4:]] if "new" in change else words
        capsys.readouterr()
        assert main([*own, *directory]) == ("better" not in change)
        printed = capsys.readouterr().out
        assert command.replace("bm25", own[3][7:]) in printed, change
        assert "--baseline-dir base" not in printed
        if "added" in change:
            assert "the baseline is that of base/eval: run this in the working copy" in printed
    (files.path / "base" / ".git").rmdir()
    (files.path / "base" / ".git").write_text("gitdir: ../.git/modules/base")
    write(files.path, [5] * 30)
    main([*words, *directory])
    assert "--baseline-dir base/eval" in capsys.readouterr().out, "a submodule is no other checkout"
