"""``sklearn-rank gate``: its words, exit codes and baselines; verdicts are tests of the plugin."""

import json

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
        ("--max-drop=0.04 --max-drop=mrr=0.001", "--max-drop 0.04 names no measure; write --max"),
        ("--max-drop=mrr=0.001 --max-drop=0.04", "--max-drop 0.04 names no measure; write --max"),
        ("--at-least map=0.1 --run-column score=zz", "has no named columns, so -"),
        ("--max-drop map=0.1 --baseline-dir=", "--baseline-dir is empty, so a change would judge"),
        ("--at-least map=0.1 --slices gone", "--slices 'gone' cannot be read"),
    ],
)
def test_what_means_nothing_is_refused(words, message, command):
    assert message in command(f"{GATE} {words}", 2)


def test_what_could_not_be_measured_ends_with_2_and_no_baseline_with_1(command):
    for run in ("none.run", "q7.run"):
        text = command(f"gate t.qrels {run} --name g --at-least map=0.1", 2)
        assert "could not" in text
        assert "..." not in text
    text = command("gate t.qrels none.run --name g --at-least map=0.1", 2)
    assert "ids of QRELS and RUN match" in text
    assert "pass --allow no_hits if that is intended" in text
    assert "FAIL" in command(f"{GATE} --max-drop map=0.1", 1)


def test_a_report_that_is_refused_ends_with_2_whatever_the_verdict(command):
    for limit in ("--max-drop map=0.1", "--at-least map=0.1"):
        text = command(f"{GATE} {limit} --json t.qrels", 2)
        assert "t.qrels is an input of this call" in text
    assert (command.folder / "t.qrels").read_text() == QRELS
    words = f"{GATE} --at-least map=0.1 --json o.txt --markdown o.txt"
    assert "report o.txt was not written: two reports have this path" in command(words, 2)
    assert not (command.folder / "o.txt").exists()


def test_an_option_is_named_to_a_command_and_a_key_to_a_file(command):
    text = command("gate t.qrels part.run --name g --at-least map=0.1", 2)
    assert "Pass --missing zero to count them as empty" in text
    command.write({"rank.toml": TOML.format("part.run", "map")})
    text = command("gate --config rank.toml", 2)
    assert "Pass missing='zero' to count them as empty" in text


CONFIG = """
baseline_dir = "base"

[settings]
min_slice_size = 2

[[gate]]
name = "bm25"
qrels = "t.qrels"
run = "a.run"
at_least = { map = 0.3 }
max_drop = { "ndcg@10" = 0.005 }

[[gate]]
name = "floor"
qrels = "t.qrels"
run = "a.run"
at_least = { "recall@1" = 0.2 }
slices = "slices.csv"
slice_at_least = { odd = { map = 0.1 } }
"""
LABELS = "query,label\nq1,odd\nq2,odd\n"
MISSED = "q1 Q0 b 1 3 new\nq1 Q0 a 2 2 new\nq2 Q0 z 1 2 new\nq2 Q0 y 2 1 new\n"


def test_several_gates_stand_in_one_file(command):
    command.write({"rank.toml": CONFIG, "slices.csv": LABELS})
    command("gate --config rank.toml --update")
    assert [path.name for path in (command.folder / "base").iterdir()] == ["bm25.rank.json"]
    assert "2 gates: all passed" in command("gate --config rank.toml")
    command.write({"a.run": MISSED})
    text = command("gate --config rank.toml --markdown=out.md", 1)
    assert "2 gates: 2 failed" in text
    assert "2 of 2 gates failed" in (command.folder / "out.md").read_text()
    # What cannot be measured ends with 2, and hides no failure.
    command.write({"rank.toml": CONFIG.replace('"a.run"', '"gone.run"', 1)})
    text = command("gate --config rank.toml --markdown=gone.md", 1)
    assert "FAIL: bm25: could not measure: " in text
    assert "2 gates: 2 failed" in text
    assert "accept" not in (command.folder / "gone.md").read_text().partition("floor**")[0]
    command.write({"a.run": RUN})
    command("gate --config rank.toml", 2)


NO_LIMIT = "[[gate]]\nname = 'x'\nqrels='t.qrels'\nrun='a.run'"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("", "has no gate; write one as [[gate]]"),
        ("[[gate]]\nname = 'x'", "gate 'x' has no qrels"),
        (NO_LIMIT, "FAIL: x: could not measure: the gate has no limit"),
        (
            CONFIG.replace("at_least", "thresholds", 1),
            "unknown key 'thresholds'; did you mean 'at_",
        ),
        (CONFIG.replace("at_least", "at_leest", 1), "unknown key 'at_leest'; did you mean 'at_le"),
        (
            CONFIG.replace("min_slice_size", "min_slices_size"),
            "unknown key 'min_slices_size'; did you mean 'min_",
        ),
        (CONFIG.replace("baseline_dir", "dir"), "unknown key 'dir'"),
        (CONFIG.replace("floor", "bm25"), "two gates have the baseline bm25.rank.json; rename"),
        (
            f"{NO_LIMIT}\nduplicates = 'first'",
            "gate 'x': duplicates must be one of qrels=mean, qrels=max, qrels=first, run=first, g",
        ),
        (f"{NO_LIMIT}\nduplicates = ['run=first', 1]", "run=first, got '1'"),
        (b"\xff\xfe", "rank.toml is not UTF-8 text"),
        (b"[[gate", "rank.toml is not TOML: "),
    ],
)
def test_configurations_that_are_refused(config, message, command):
    command.write({"rank.toml": config, "slices.csv": LABELS})
    assert message in command("gate --config rank.toml", 2)


def test_duplicates_are_of_a_side_in_the_words_of_the_command(command):
    judged, ranked = "q 0 a 1\nq 0 a 3\n", "q Q0 a 1 3 t\nq Q0 a 2 2 t\n"
    toml = '[[gate]]\nname = "x"\nqrels = "two.qrels"\nrun = "two.run"\nat_least = { mrr = 1.0 }\n'
    files = {"two.qrels": judged, "two.run": ranked, "once.qrels": "q 0 a 3\n"}
    command.write({**files, "rank.toml": toml})
    words = "gate two.qrels two.run --name x --at-least mrr=1"
    for config in (True, False):
        asked = 'duplicates = "{}"' if config else "--duplicates {}"
        text = command("gate --config rank.toml" if config else words, 2)
        assert f"pass {asked.format('qrels=mean')}, 'max' or 'first' to combine" in text
        command.write({"rank.toml": toml.replace("two.qrels", "once.qrels")})
        judged_once = f"{words} --duplicates qrels=max"
        text = command("gate --config rank.toml" if config else judged_once, 2)
        assert f"Pass {asked.format('run=first')} to keep the best-ranked" in text
    command.write({"rank.toml": f'{toml}duplicates = ["qrels=mean", "run=first"]\n'})
    assert "1 gate: passed" in command("gate --config rank.toml")
    both = "--duplicates qrels=mean --duplicates run=first"
    assert "1 gate: passed" in command(f"{words} {both}")
    for name, others in (("evaluate", ""), ("compare", " two.csv"), ("judge-next", "")):
        command.write({"two.csv": "query,item,score\nq,b,9\nq,a,1\n"})
        options = "--assume partial" if name == "judge-next" else ""
        command(f"{name} two.qrels two.run{others} {both} {options}")


def test_a_configuration_names_the_requests_of_responses(command):
    config = '[[gate]]\nname = "x"\nqrels = "t.qrels"\nrun = "responses.json"\n'
    config += 'queries = "ids.txt"\nat_least = { "recall@1" = 1.0 }\n'
    hits = [{"hits": {"hits": [{"_id": "d", "_score": 1.0}]}}] * 2
    files = {"rank.toml": config, "ids.txt": "one\ntwo\n", "t.qrels": "one 0 d 1\ntwo 0 d 1\n"}
    command.write({**files, "responses.json": json.dumps({"responses": hits})})
    assert "1 gate: passed" in command("gate --config rank.toml")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("t.qrels a.run", "--name is missing"),
        ("t.qrels --name=x", "RUN is missing"),
        ("--config=rank.toml t.qrels a.run", "QRELS and RUN belong in the file"),
        ("--config=rank.toml --at-least=map=1", "--at-least belong in the file"),
        ("t.qrels a.run --name=x --at-least=0.3", "write --at-least=MEASURE=0.3"),
    ],
)
def test_words_that_do_not_go_together(words, message, command):
    command.write({"rank.toml": CONFIG})
    assert message in command(f"gate {words}", 2)


def test_in_continuous_integration_nothing_is_written(command, monkeypatch):
    monkeypatch.setenv("CI", "true")
    text = command(f"{GATE} --max-drop=0.1 --update", 2)
    assert "refused in continuous integration" in text
    assert not list(command.folder.rglob("*.rank.json"))


def test_ids_reach_no_report_raw(command):
    command.write({"t.qrels": "q\x1b[31m 0 good 1\n"})
    command.write({"a.run": "q\x1b[31m Q0 <b>bad</b> 1 2 t\nq\x1b[31m Q0 good 2 1 t\n"})
    words = ["gate", "t.qrels", "a.run", "--name", "<i>\x1b", "--at-least=mrr=0.9"]
    assert "\x1b" not in command([*words, "--markdown=o.md"], 1)
    text = (command.folder / "o.md").read_text().partition("```")[0]  # in which nothing is markup
    assert not [part for part in ("\x1b", "<b>", "<i>") if part in text]


def test_grades_of_texts(command):
    command.write({"esci.csv": "query,item,esci_label\nq1,a,E\nq1,b,I\nq2,a,E\n"})
    command.write({"esci.run": "q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\nq2 Q0 a 1 1 t\n"})
    assert "pass --grade E=..." in command("evaluate esci.csv esci.run", 2)
    words = "evaluate esci.csv esci.run -m mrr --format csv --grade E=3 --grade I=0"
    assert command(words).splitlines()[1] == ",all,mrr,0.75"
    gate = '[[gate]]\nname = "g"\nqrels = "esci.csv"\nrun = "esci.run"\nat_least = {mrr = 0.75}\n'
    command.write({"rank.toml": f"{gate}grades = {{E = 3, I = 0}}\n"})
    command("gate --config rank.toml")
    command.write({"rank.toml": f"{gate}grades = 3\n"})
    assert "grades must be a table of texts and numbers" in command("gate --config rank.toml", 2)


def test_values_and_clusters_of_files(command):
    """As options and as keys; a gate of files has no columns, whose names are by side."""
    command.write(
        {"ms.csv": "query,ms\nq1,0.1\nq2,0.3\n", "users.csv": "query,cluster\nq1,u\nq2,u\n"}
    )
    words = f"{GATE} -m map --at-least ms=0.2 --values ms=ms.csv --clusters users.csv"
    assert "ms" in command(words)
    assert "FAIL" in command(words.replace("ms=0.2", "ms=0.21"), 1)
    gate = '[[gate]]\nname = "g"\nqrels = "t.qrels"\nrun = "a.run"\nat_least = {{ ms = {} }}\n'
    files = 'values = { ms = "ms.csv" }\nclusters = "users.csv"\n'
    for least, code in ((0.2, 0), (0.21, 1)):
        command.write({"rank.toml": gate.format(least) + files})
        command("gate --config rank.toml", code)
    for key, told in {
        'columns = { item = "url" }': "unknown key 'columns'",
        'values = "ms.csv"': "values must be a table of names and files",
    }.items():
        command.write({"rank.toml": f"{gate.format(0.2)}{key}\n"})
        assert told in command("gate --config rank.toml", 2)
    command.write({"ms.csv": "query,ms\nq1,0.1\nq2,x\n"})
    assert "query 'q2' has 'x', which is not a number" in command(words, 2)
    command.write({"ms.csv": '{"version": 1, "model": "e5", "queries": []}'})
    wanted = "JSON {query: number}, or CSV with a query and a number"
    assert f"'model' has 'e5', which is not a number; pass {wanted}" in command(words, 2)
    command.write({"ms.csv": "query,fast,slow\nq1,0.1,0.3\n"})
    assert "needs the columns query and ms, but the first line" in command(words, 2)
    answers = [
        {"question": f"q{n}", "answer": "x", "cost": 9, "ms": x} for n, x in ((1, 0.1), (2, 0.3))
    ]
    for text in ("\n".join(map(json.dumps, answers)), json.dumps(answers)):
        command.write({"ms.csv": text})
        assert "ms is 0.2" in command(words), "the column of that name, among others"
        assert "FAIL" in command(words.replace("ms=0.2", "ms=0.21"), 1)
    assert "must be NAME=FILE" in command(f"{GATE} --values ms", 2)


def test_runs_of_one_system_are_joined_by_commas(command):
    """q1 has 1 and 1/2 in the two runs, q2 has 1 and 1: the mean is (3/4 + 1) / 2."""
    command.write({"b.run": "q1 Q0 b 1 3 t\nq1 Q0 a 2 2 t\nq2 Q0 a 1 2 t\n"})
    words = "gate t.qrels a.run,b.run --name g --at-least mrr={}"
    assert "0.875" in command(words.format(0.87))
    assert "0.875" in command(words.format(0.88), 1)


def test_a_contract_has_no_rate_of_false_alarms(command):
    words = f"{GATE} --max-drop mrr=0.1 --hard-drop 0.1"
    command(f"{words} --update")
    command.write({"a.run": "q1 Q0 b 1 3 t\nq1 Q0 a 2 2 t\nq2 Q0 a 1 2 t\n"})
    text = command(words, 1)
    assert "FAIL" in text
    assert "allowed -0.100): 1 of 2 queries got worse, none better\n" in text
    assert "of the time" not in text
    assert "p = " not in text


def test_what_warns_in_pytest_is_printed_where_the_gate_passes(command):
    command.write({"labels.csv": LABELS})
    words = f"{GATE} --max-drop mrr=0.02 --slices labels.csv --max-slice-drop 0.1"
    command(f"{words} --update")
    text = command(words)
    assert "1 gate: passed" in text
    assert text.count("warning: g: max_slice_drop has no effect") == 1
    assert command(f"{words} --strict", 1).count("warning:") == 0


def test_a_list_that_is_both_sides_never_passes(command):
    command.write({"both.jsonl": '{"query": "1", "gt": ["a"], "hit": ["x"]}'})
    words = "gate both.jsonl both.jsonl --name g --at-least mrr=0.9 --qrels-column item={}"
    words += " --run-column item={}"
    assert "is read as both the relevant and" in command(words.format("gt", "gt"), 2)
    assert "no relevant item" in command(words.format("gt", "hit"), 2)


def test_columns_of_a_table_are_keys(command):
    command.write({"truth.csv": "user,item,clicked\nu,a,0\nu,b,1\nv,a,1\n"})
    command.write({"ranked.csv": "user,item,points\nu,a,0.1\nu,b,0.9\nv,a,2.5\n"})
    gate = '[[gate]]\nname = "g"\nqrels = "truth.csv"\nrun = "ranked.csv"\nat_least = {mrr = 0.8}\n'
    gate += 'qrels_column = {grade = "clicked"}\n'
    command.write({"rank.toml": gate + 'run_column = {score = ""}\n'})
    assert "MRR is 0.750" in command("gate --config rank.toml", 1)
    command.write({"rank.toml": gate + 'run_column = "points"\n'})
    assert "run_column must be a table of roles and names" in command("gate --config rank.toml", 2)


# Baselines --------------------------------------------------------------------------------------


def test_a_baseline_of_no_gate_is_named(command):
    command(f"{GATE} --max-drop map=0.1 --update")
    command.write({"rank.toml": TOML.format("a.run", "mrr")})
    text = command("gate --config rank.toml")
    assert "baselines in rank-baselines without a gate: 'g.rank.json'" in text


def test_the_command_that_is_shown_is_the_typed_one_without_what_writes(command):
    command(f"{GATE} --max-drop map=0.1 --update")
    command.write({"a.run": "q1 Q0 b 1 3 new\nq1 Q0 a 2 2 new\nq2 Q0 a 1 2 new\n"})
    text = command("gate --update t.qrels a.run --name g --max-drop map=0.1", 1)
    assert "sklearn-rank gate t.qrels a.run --name g --max-drop map=0.1 --accept" in text
