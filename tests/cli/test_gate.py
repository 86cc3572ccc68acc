"""``sklearn-rank gate``: its words, exit codes and baselines; verdicts are tests of the plugin."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Command

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
RUN = "q1 Q0 a 1 3 new\nq1 Q0 b 2 2 new\nq2 Q0 a 1 2 new\n"
GATE = "gate t.qrels a.run --name g"
TOML = '[[gate]]\nname = "f"\nqrels = "t.qrels"\nrun = "{0}"\nat_least = {{ {1} = 0.1 }}\n'


@pytest.fixture(autouse=True)
def _files(command: Command) -> None:
    command.write({"t.qrels": QRELS, "a.run": RUN, "part.run": "q1 Q0 a 1 3 t\n"})
    command.write({"none.run": "q1 Q0 zz 1 1 t\nq2 Q0 yy 1 1 t\n", "q7.run": "q7 Q0 zz 1 1 t\n"})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--at-least map=0.4 --at-least MAP=0.001", "--at-least names map twice"),
        ("--max-drop P_5=0.4 --max-drop p@5=0", "--max-drop names precision@5 twice"),
        ("--at-least map=0.1 --accept --reason .", "--accept lowers baselines and"),
        ("--at-least map=0.1 --accept --reason \u200b", "--accept lowers baseli"),
        ("--at-least map=0.1 --run-column score=zz", "has no named columns, which -"),
        ("--at-least map=0.1 --slices gone", "--slices 'gone' cannot be read"),
    ],
)
def test_what_means_nothing_is_refused(words: str, message: str, command: Command) -> None:
    assert message in command(f"{GATE} {words}", 2)


def test_what_could_not_be_measured_ends_with_2_and_no_baseline_with_1(command: Command) -> None:
    for run in ("none.run", "q7.run"):
        text = command(f"gate t.qrels {run} --name g --at-least map=0.1", 2)
        assert "could not" in text
        assert "characters)" not in text
    text = command("gate t.qrels none.run --name g --at-least map=0.1", 2)
    assert "ids of QRELS and RUN match" in text
    assert "pass --allow no_hits if that is right" in text
    assert "FAIL" in command(f"{GATE} --max-drop map=0.1", 1)


def test_a_report_that_is_refused_ends_with_2_whatever_the_verdict(command: Command) -> None:
    for limit in ("--max-drop map=0.1", "--at-least map=0.1 --allow perfect"):
        text = command(f"{GATE} {limit} --json t.qrels", 2)
        assert "t.qrels is an input of this call" in text
    assert (command.folder / "t.qrels").read_text() == QRELS


def test_an_option_is_named_to_a_command_and_a_key_to_a_file(command: Command) -> None:
    text = command("gate t.qrels part.run --name g --at-least map=0.1", 2)
    assert "Pass --missing zero to count them as empty" in text
    command.write({"rank.toml": TOML.format("part.run", "map")})
    text = command("gate --config rank.toml", 2)
    assert "Pass missing='zero' to count them as empty" in text


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"\xff\xfe", "rank.toml: is not UTF-8 text"), (b"[[gate", "rank.toml: is not TOML: ")],
)
def test_settings_that_are_no_toml(data: bytes, message: str, command: Command) -> None:
    command.write({"rank.toml": data})
    assert message in command("gate --config rank.toml", 2)


def test_columns_of_a_table_are_keys(command: Command) -> None:
    command.write({"truth.csv": "user,item,clicked\nu,a,0\nu,b,1\nv,a,1\n"})
    command.write({"ranked.csv": "user,item,points\nu,a,0.1\nu,b,0.9\nv,a,2.5\n"})
    gate = '[[gate]]\nname = "g"\nqrels = "truth.csv"\nrun = "ranked.csv"\nat_least = {mrr = 0.8}\n'
    gate += 'qrels_column = {grade = "clicked"}\n'
    command.write({"rank.toml": gate + 'run_column = {score = ""}\n'})
    assert "0.7500" in command("gate --config rank.toml", 1)
    command.write({"rank.toml": gate + 'run_column = "points"\n'})
    assert "run_column is a table of roles and names" in command("gate --config rank.toml", 2)


# Baselines --------------------------------------------------------------------------------------


def test_an_update_does_not_take_over_a_copied_baseline(command: Command) -> None:
    command(f"{GATE} --max-drop map=0.1 --update")
    folder = command.folder / "rank-baselines"
    data = (folder / "g.rank.json").read_bytes()
    (folder / "h.rank.json").write_bytes(data)
    words = "gate t.qrels a.run --name h --max-drop map=0.1"
    assert "h.rank.json is a copy of that of the gate 'g'" in command(f"{words} --update", 2)
    assert (folder / "h.rank.json").read_bytes() == data
    (folder / "g.rank.json").unlink()  # renamed
    command(f"{words} --update")
    command(words)


def test_a_baseline_of_no_gate_is_named(command: Command) -> None:
    command(f"{GATE} --max-drop map=0.1 --update")
    command.write({"rank.toml": TOML.format("a.run", "mrr") + 'allow = ["perfect"]\n'})
    text = command("gate --config rank.toml")
    assert "baselines in rank-baselines of no gate: 'g.rank.json'" in text


def test_the_command_that_is_shown_is_the_typed_one_without_what_writes(command: Command) -> None:
    command(f"{GATE} --max-drop map=0.1 --update")
    command.write({"a.run": "q1 Q0 b 1 3 new\nq1 Q0 a 2 2 new\nq2 Q0 a 1 2 new\n"})
    text = command("gate --update t.qrels a.run --name g --max-drop map=0.1", 1)
    assert "sklearn-rank gate t.qrels a.run --name g --max-drop map=0.1 --accept" in text
