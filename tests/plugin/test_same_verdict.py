"""One gate has one verdict: by pytest and by the command, in any order, under any hash seed."""

import json
import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from sklearn_rank.cli.main import main
from sklearn_rank.gates.gate import judge_beside
from sklearn_rank.gates.limits import Settings, read_arguments

PLACE = ("name", "nodeid", "is_command", "baseline", "accept", "update")
"""Parts of a record that name the test or the command."""
SUITE = """
    from sklearn_rank import read_qrels, read_run

    def test_gate(rank_gate):
        rank_gate.check(
            read_qrels("t.json"), read_run("a.json"), max_drop=0.02, measures=["ndcg@5", "map"]
        )
"""


def problem(seed: int) -> tuple[dict[str, dict[str, int]], list[dict[str, dict[str, float]]]]:
    """Judgements of 24 queries, and two systems."""
    draw = random.Random(seed)
    items = [f"d{n}" for n in range(12)]
    truth = {
        f"q{n}": {item: draw.randrange(3) for item in draw.sample(items, 6)} for n in range(24)
    }
    runs = [
        {query: {item: draw.random() for item in draw.sample(items, 9)} for query in truth}
        for _ in range(2)
    ]
    for own in truth.values():
        own["d0"] = 1  # no query without a relevant item
    return truth, runs


@pytest.mark.parametrize("seed", range(2))
def test_the_plugin_and_the_command_write_one_record(seed, suite, monkeypatch):
    monkeypatch.chdir(suite.path)
    truth, (old, new) = problem(seed)
    suite.write(test_it=SUITE)
    (suite.path / "t.json").write_text(json.dumps(truth))
    words = [
        "gate",
        "t.json",
        "a.json",
        "--name=g",
        "--max-drop=ndcg@5=0.02",
        "--max-drop=map=0.02",
    ]
    for run, by_pytest, by_command in ((old, "--rank-update", "--update"), (new, "-q", "--strict")):
        (suite.path / "a.json").write_text(json.dumps(run))
        suite.run(by_pytest, "--rank-json=plugin.json")
        main([*words, by_command, "--json=command.json"])
    records = []
    for name in ("plugin.json", "command.json"):
        (record,) = json.loads((suite.path / name).read_text())["gates"]
        records.append({key: own for key, own in record.items() if key not in PLACE})
    assert records[0]["measures"]["map"]["change"] != 0
    names = [key for key in records[0] if records[0][key] != records[1][key]]
    assert names == []


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_queries_and_items_changes_no_verdict(seed):
    truth, (old, new) = problem(seed)
    policy = read_arguments(
        {
            "name": "x",
            "max_drop": {"ndcg@5": 0.02},
            "slices": {query: query[-1] for query in truth},
            "max_slice_drop": 0.05,
        },
        replace(Settings(), min_slice_size=2),
    )

    def mixed(by_query: dict[str, Any]) -> dict[str, Any]:
        draw = random.Random(seed)
        names = draw.sample([*by_query], len(by_query))
        return {
            name: dict(draw.sample([*by_query[name].items()], len(by_query[name])))
            for name in names
        }

    result = judge_beside(truth, new, old, policy, policy)
    other = judge_beside(mixed(truth), mixed(new), mixed(old), policy, policy)
    # The rate of false alarms is simulated, by signs drawn query by query.
    messages = [re.sub(r"[\d.]+% false", "", own.message) for own in (result, other)]
    assert messages[0] == messages[1]
    assert other.state == result.state


def test_the_hash_seed_changes_no_verdict(tmp_path):
    """Sets of strings come in another order in each process."""
    truth, (old, new) = problem(0)
    script = (
        "import json, sys\n"
        "from pytest_rankmetrics import assert_not_worse\n"
        "truth, old, new = json.load(sys.stdin)\n"
        "truth = {query: {item for item in own if own[item]} for query, own in truth.items()}\n"
        "try: print(assert_not_worse(truth, new, old, 'ndcg@5', max_drop=0.02).headline)\n"
        "except AssertionError as error: print(error)\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", script],
            input=json.dumps([truth, old, new]),
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "12345")
    }
    assert len(said) == 1
    assert "nDCG@5" in said.pop()
