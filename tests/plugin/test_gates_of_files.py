"""``sklearn-rank gate``: verdicts, words and baselines of the plugin, without pytest."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sklearn_rank.cli import main
from sklearn_rank.cli.options import build_parser
from sklearn_rank.cli.terminal import in_words_of
from tests.plugin.cases import Ranks, names, ranking
from tests.plugin.conftest import Suite
from tests.plugin.one_gate import BETTER, FILE, WORSE
from tests.plugin.one_gate import GATE as ONE_GATE
from tests.plugin.one_gate import value as recorded_value

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
def test_both_have_one_verdict_message_and_baseline(files, case):
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


def test_a_renamed_measure_needs_a_reason_to_be_lowered(files):
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


def test_no_pytest_is_needed(files):
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


def test_hints_name_the_working_copy_where_baselines_are_those_of_the_target_branch(files, capsys):
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


# Gates with baselines on lazy frames: recorded, compared and moved as those of mappings are -------

LAZY = """
    import polars as pl
    from cases import system
    from sklearn_rank.engines import stream

    def lazy():
        truth, run = system()
        qrels = [(q, i, 1) for q, items in truth.items() for i in items]
        rows = [(q, i, 1 / n) for q, items in run.items() for n, i in enumerate(items, 1)]
        return (
            pl.LazyFrame(qrels, schema=["query", "item", "grade"], orient="row"),
            pl.LazyFrame(rows, schema=["query", "item", "score"], orient="row"),
        )

    def test_bm25(rank_gate, monkeypatch):
        monkeypatch.setattr(stream, "_SMALL", HELD)
        rank_gate.check(*lazy(), max_drop={"mrr": 0.005})
"""
assert pl.LazyFrame  # imported here, else each suite would import Polars, which lasts, anew
SMALL = {"read at once": "1 << 20", "streamed": "0"}


@pytest.fixture(params=SMALL)
def lazy_gate(request: pytest.FixtureRequest, gate: Suite) -> Suite:
    """The gate of lists, on lazy frames."""
    gate.write(test_it=LAZY.replace("HELD", SMALL[request.param]))
    return gate


def test_gates_on_frames_do_as_those_on_lists(lazy_gate):
    assert lazy_gate.run().ret == 1
    of_frames = lazy_gate.record()
    lazy_gate.passes()
    # (15 * 1/3 + 15 * 1/2) / 30 against 1/2
    lazy_gate.fails("*mrr*0.4167*0.5000*", arguments=("--rank-update",), now=WORSE)
    assert lazy_gate.baselines() == of_frames
    lazy_gate.record(BETTER)
    assert recorded_value(lazy_gate) == 0.75
    (lazy_gate.path / FILE).unlink()
    lazy_gate.write(test_it=ONE_GATE)
    assert lazy_gate.record([2] * 30) == of_frames
