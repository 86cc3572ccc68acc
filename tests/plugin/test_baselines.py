"""Baseline files: when they are written, what they hold, and when they do not fit."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.plugin.conftest import Suite, said

GATE = """
    from cases import system

    def test_bm25(rank_gate):
        rank_gate.check(*system(), max_drop={"mrr": 0.005})
"""
FILE = "test_it/test_bm25.rank.json"


@pytest.fixture
def gate(suite: Suite) -> Suite:
    """A suite with one gate and no baseline yet."""
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    return suite


@pytest.fixture
def recorded(gate: Suite) -> Suite:
    """A suite with one gate and its baseline: 0.5."""
    gate.run("--rank-update").assert_outcomes(passed=1)
    return gate


WORSE = [3] * 15 + [2] * 15
BETTER = [1] * 15 + [2] * 15


def value(suite: Suite, file: str = FILE, measure: str = "mrr") -> float:
    """What a baseline says of a measure."""
    return float(json.loads(suite.baselines()[file])["metrics"][measure]["value"])


# Writing -------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [(), ("--reruns", "1")], ids=["alone", "second try"])
def test_a_missing_baseline_fails_and_is_not_written(more: tuple[str, ...], gate: Suite) -> None:
    before = gate.files()
    result = gate.run(*more)
    assert result.ret == 1
    assert "1 failed" in said(result)
    result.stdout.fnmatch_lines(
        [
            "E *no baseline for gate 'test_bm25' (test_it/test_bm25.rank.json); "
            "mrr is 0.5000 now - write it with: pytest *--rank-update*"
        ]
    )
    assert gate.files() == before
    assert gate.run(*more).ret == 1


def test_an_update_writes_the_missing_baseline(gate: Suite) -> None:
    result = gate.run("--rank-update")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*baselines written: 1 new*"])
    (content,) = gate.baselines().values()
    assert content.endswith(b"}\n")
    assert b"\r" not in content
    content.decode("utf-8")
    result = gate.run()
    result.assert_outcomes(passed=1)
    assert result.ret == 0


def test_two_updates_write_the_same_bytes(recorded: Suite) -> None:
    before = recorded.baselines()
    shutil.rmtree(recorded.path / "test_it")
    recorded.run("--rank-update").assert_outcomes(passed=1)
    assert recorded.baselines() == before


def test_a_baseline_is_readable_and_holds_ranks_and_no_machine(recorded: Suite) -> None:
    text = recorded.baselines()[FILE].decode()
    baseline = json.loads(text)
    assert baseline["format"] == "rank-baseline/1"
    assert baseline["gate"] == "test_it.py::test_bm25"
    assert baseline["metrics"]["mrr"]["value"] == 0.5
    assert baseline["metrics"]["mrr"]["queries"] == 30
    assert list(baseline["queries"]) == sorted(baseline["queries"])
    query = baseline["queries"]["q007"]
    assert (query["mrr"], query["ranks"], query["n"]) == (0.5, {"good": 2}, 10)
    # One query per line, and nothing that changes from one machine or day to the next.
    assert sum('"q0' in line for line in text.splitlines()) == 30
    assert str(recorded.path) not in text


def test_an_improvement_moves_the_baseline_only_by_an_update(recorded: Suite) -> None:
    before = recorded.baselines()
    recorded.system(BETTER)
    recorded.run().assert_outcomes(passed=1)
    assert recorded.baselines() == before
    result = recorded.run("--rank-update")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*baselines written: *1 raised*"])
    assert value(recorded) == 0.75


def test_an_update_does_not_lower(recorded: Suite) -> None:
    before = recorded.baselines()
    recorded.system(WORSE)
    result = recorded.run("--rank-update")
    result.assert_outcomes(failed=1)
    assert result.ret == 1
    assert recorded.baselines() == before


def test_an_update_does_not_take_a_gain_of_one_measure_for_a_loss_of_another(
    suite: Suite,
) -> None:
    suite.write(
        test_it="""
        from cases import system

        def test_bm25(rank_gate):
            rank_gate.check(*system(), max_drop={"mrr": 0.3, "recall@5": 0.3})
        """
    )
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    before = suite.baselines()
    # mrr rises to (20 + 0) / 30, recall@5 falls to 20 / 30.
    suite.system([1] * 20 + [6] * 10)
    suite.run("--rank-update")
    assert suite.baselines() == before


def test_a_lower_baseline_needs_a_reason(recorded: Suite) -> None:
    before = recorded.baselines()
    recorded.system(WORSE)
    for arguments in (
        ("--rank-accept", "*bm25*"),
        ("--rank-accept", "*bm25*", "--rank-reason", ""),
        ("--rank-accept", "*bm25*", "--rank-reason", "  "),
    ):
        result = recorded.run(*arguments)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert "--rank-reason" in said(result)
        assert recorded.baselines() == before


def test_a_drop_is_accepted_with_its_reason(recorded: Suite) -> None:
    recorded.system(WORSE)
    result = recorded.run("--rank-accept", "*bm25*", "--rank-reason", "qrels v3")
    result.assert_outcomes(passed=1)
    # (15 / 3 + 15 / 2) / 30 = 0.4167
    result.stdout.fnmatch_lines(
        [
            "*baselines written: *1 LOWERED*",
            "*LOWERED test_it/test_bm25.rank.json *mrr 0.5000 -> 0.4167 *(reason: qrels v3)*",
        ]
    )
    (accepted,) = json.loads(recorded.baselines()[FILE])["accepted"]
    assert accepted["reason"] == "qrels v3"
    assert accepted["mrr"] == [0.5, pytest.approx(0.416667, abs=2e-6)]
    recorded.run().assert_outcomes(passed=1)


def test_a_drop_is_not_accepted_for_a_gate_of_another_name(recorded: Suite) -> None:
    before = recorded.baselines()
    recorded.system(WORSE)
    result = recorded.run("--rank-accept", "*dense*", "--rank-reason", "qrels v3")
    result.assert_outcomes(failed=1)
    assert recorded.baselines() == before


def test_a_reason_without_anything_to_accept_is_a_mistake(recorded: Suite) -> None:
    assert recorded.run("--rank-reason", "x").ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.parametrize("option", ["--regen-all", "--force-regen"])
def test_the_options_of_pytest_regressions_say_what_they_lower(
    option: str, recorded: Suite
) -> None:
    recorded.system(WORSE)
    result = recorded.run(option)
    result.stdout.fnmatch_lines(["*LOWERED test_it/test_bm25.rank.json *mrr 0.5000 -> 0.4167*"])
    assert value(recorded) == pytest.approx(0.416667, abs=2e-6)


# Fit -----------------------------------------------------------------------------------------


def test_a_measure_that_is_no_longer_computed_fails(suite: Suite) -> None:
    both = GATE.replace('{"mrr": 0.005}', '{"mrr": 0.005, "recall@5": 0.005}')
    suite.write(test_it=both)
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.write(test_it=GATE)
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *baseline has 'recall@5' but the test did not compute it*"])


def test_a_measure_that_the_baseline_does_not_have_fails(recorded: Suite) -> None:
    recorded.write(test_it=GATE.replace('{"mrr": 0.005}', '{"mrr": 0.005, "recall@5": 0.005}'))
    result = recorded.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *recall@5*"])
    recorded.run("--rank-update").assert_outcomes(passed=1)
    recorded.run().assert_outcomes(passed=1)


def test_another_cutoff_is_another_measure(suite: Suite) -> None:
    suite.write(test_it=GATE.replace('"mrr"', '"mrr@5"'))
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.write(test_it=GATE.replace('"mrr"', '"mrr@10"'))
    suite.run().assert_outcomes(failed=1)


STALE = {
    "added": ("truth['q061'] = {'good'}; results['q061'] = ranking(2)", "*1 quer*added*q061*"),
    "gone": ("del truth['q007'], results['q007']", "*1 *gone*q007*"),
    "judged anew": ("truth['q011'] = {'good', 'bad5'}", "*judgments changed*1*q011*"),
    "graded anew": ("truth['q011'] = {'good': 3}", "*judgments changed*1*q011*"),
}


@pytest.mark.parametrize("change", STALE)
def test_another_set_of_queries_is_stale_and_named(change: str, recorded: Suite) -> None:
    code, complaint = STALE[change]
    recorded.write(
        test_it=f"""
        from cases import ranking, system

        def test_bm25(rank_gate):
            truth, results = system()
            {code}
            rank_gate.check(truth, results, max_drop={{"mrr": 0.005}})
        """
    )
    before = recorded.baselines()
    result = recorded.run()
    result.assert_outcomes(failed=1)
    assert result.ret == 1
    common = 30 if change == "added" else 29
    result.stdout.fnmatch_lines(
        [f"E *baseline does not fit: {complaint[1:]}compare* {common} common queries: mrr *0.0000*"]
    )
    assert recorded.baselines() == before
    # Not worse on the common queries: an update refreshes.
    recorded.run("--rank-update").assert_outcomes(passed=1)
    assert recorded.baselines() != before
    recorded.run().assert_outcomes(passed=1)


def test_a_stale_baseline_is_not_refreshed_over_a_drop(recorded: Suite) -> None:
    recorded.write(
        test_it="""
        from cases import system

        def test_bm25(rank_gate):
            truth, results = system()
            del truth["q030"], results["q030"]
            rank_gate.check(truth, results, max_drop={"mrr": 0.005})
        """
    )
    recorded.system(WORSE)
    before = recorded.baselines()
    recorded.run("--rank-update").assert_outcomes(failed=1)
    assert recorded.baselines() == before


def test_a_query_inserted_in_front_of_lists_is_not_paired_with_its_neighbour(
    suite: Suite,
) -> None:
    listed = """
        from cases import ranking

        ITEMS = [f"item{{number}}" for number in range({first}, 30)]

        def test_lists(rank_gate):
            results = [ranking(2, item=item) for item in ITEMS]
            rank_gate.check([{{item}} for item in ITEMS], results, max_drop={{"mrr": 0.005}})
    """
    suite.write(test_it=listed.format(first=1))
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.run().assert_outcomes(passed=1)
    suite.write(test_it=listed.format(first=0))
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *baseline does not fit: *"])


# A measure that is defined anew ------------------------------------------------------------

GRADED = """
    from cases import names, ranking

    def test_graded(rank_gate):
        truth = {{query: {{"good": 2, "bad3": 1}} for query in names(30)}}
        results = {{query: ranking(2) for query in names(30)}}
        rank_gate.check(truth, results, max_drop={{"ndcg{gain}@10": 0.005}}, store="{store}")
"""


def redefine(suite: Suite) -> None:
    """Let the baseline say that its nDCG was computed by an older definition with other values."""
    path = suite.path / "test_it" / "test_graded.rank.json"
    baseline = json.loads(path.read_text())
    metric = baseline["metrics"]["ndcg@10"]
    metric["value"] = 0.9
    metric["definition"]["v"] = 0
    for query in baseline["queries"].values():
        query["ndcg@10"] = 0.9
    path.write_text(json.dumps(baseline))


def test_a_baseline_of_an_older_definition_is_scored_anew_from_its_ranks(suite: Suite) -> None:
    suite.write(test_it=GRADED.format(gain="", store="ranks"))
    suite.run("--rank-update").assert_outcomes(passed=1)
    redefine(suite)
    result = suite.run("-rA")
    result.assert_outcomes(passed=1)
    assert "re-scored from" in said(result)


def test_scores_alone_cannot_be_scored_anew(suite: Suite) -> None:
    suite.write(test_it=GRADED.format(gain="", store="scores"))
    suite.run("--rank-update").assert_outcomes(passed=1)
    assert b'"ranks"' not in suite.baselines()["test_it/test_graded.rank.json"]
    assert b"good" not in suite.baselines()["test_it/test_graded.rank.json"]
    suite.run().assert_outcomes(passed=1)
    redefine(suite)
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *baseline does not fit*"])


# Broken files ------------------------------------------------------------------------------

BROKEN = {
    "empty": "",
    "no JSON": "{",
    "another format": '{"format": "rank-baseline/99", "metrics": {}, "queries": {}}',
    "a list": "[]",
    "no queries": '{"format": "rank-baseline/1", "gate": "g", "metrics": {}, "queries": {}}',
    "NaN": '{"format": "rank-baseline/1", "gate": "g", "queries": {"q001": {"mrr": NaN}},'
    ' "metrics": {"mrr": {"value": NaN, "queries": 30, "definition": {"v": 1}}}}',
    "infinity": '{"format": "rank-baseline/1", "gate": "g", "queries": {},'
    ' "metrics": {"mrr": {"value": -1e999, "queries": 30, "definition": {"v": 1}}}}',
    "key twice": '{"format": "rank-baseline/1", "format": "rank-baseline/1"}',
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize("mistake", BROKEN)
def test_a_broken_baseline_is_refused_by_name(mistake: str, recorded: Suite) -> None:
    (recorded.path / FILE).write_text(BROKEN[mistake])
    result = recorded.run()
    assert result.ret in (1, pytest.ExitCode.USAGE_ERROR)
    assert "1 passed" not in said(result)
    assert "test_bm25.rank.json" in said(result)
    assert "INTERNALERROR" not in said(result)


@pytest.mark.parametrize("mistake", ["NaN", "value", "query", "number of queries", "string"])
def test_a_baseline_whose_numbers_were_edited_is_refused(mistake: str, recorded: Suite) -> None:
    path = recorded.path / FILE
    baseline = json.loads(path.read_text())
    if mistake == "NaN":
        baseline["queries"]["q001"]["mrr"] = float("nan")
    elif mistake == "value":
        baseline["metrics"]["mrr"]["value"] = 0.1
    elif mistake == "query":
        baseline["queries"]["q001"]["mrr"] = 0.1
    elif mistake == "string":
        baseline["metrics"]["mrr"]["value"] = "0.5"
    else:
        baseline["metrics"]["mrr"]["queries"] = 29
    path.write_text(json.dumps(baseline))
    recorded.system(WORSE)
    result = recorded.run()
    assert result.ret in (1, pytest.ExitCode.USAGE_ERROR)
    assert "1 passed" not in said(result)
    assert "INTERNALERROR" not in said(result)


# Names -------------------------------------------------------------------------------------

NAMES = ["a-b", "a_b", "a/b", "A-B", "x" * 300, "schöne/日本", "CON", "nul.txt", "..", "a b", "a:b"]


def test_every_parametrisation_has_a_file_of_its_own(suite: Suite) -> None:
    suite.write(
        test_it=f"""
        import pytest
        from cases import case

        @pytest.mark.parametrize("name", {NAMES!r}, ids=str)
        def test_one(name, rank_gate):
            rank_gate.check(*case([2, 3]), max_drop={{"mrr": 0.005}})
        """
    )
    suite.run("--rank-update").assert_outcomes(passed=len(NAMES))
    files = [name.rpartition("/")[2] for name in suite.baselines()]
    assert len({name.lower() for name in files}) == len(NAMES)
    allowed = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
    reserved = {"con", "prn", "aux", "nul", "com1", "lpt1"}
    for name in files:
        assert set(name) <= allowed, name
        assert len(name) <= 120
        assert name.partition(".")[0].lower() not in reserved
    assert {name.rpartition("/")[0] for name in suite.baselines()} == {"test_it"}
    suite.run().assert_outcomes(passed=len(NAMES))


def test_names_that_a_test_gives_are_made_safe_too(suite: Suite) -> None:
    given = ["../../evil", "CON", "com1.x", "a/b", "a-b", ".hidden", "x" * 200, "a\\b", "/abs", "é"]
    suite.write(
        test_it=f"""
        import pytest
        from cases import case

        @pytest.mark.parametrize("name", {given!r}, ids=range({len(given)}))
        def test_one(name, rank_gate):
            rank_gate.check(*case([2, 3]), max_drop={{"mrr": 0.005}}, name=name)
        """
    )
    suite.run("--rank-update").assert_outcomes(passed=len(given))
    files = list(suite.baselines())
    assert {name.rpartition("/")[0] for name in files} == {"test_it"}
    assert len({name.lower() for name in files}) == len(given)
    assert not any(name.rpartition("/")[2].startswith(".") for name in files)
    assert not list(suite.path.parent.rglob("evil*"))
    suite.run().assert_outcomes(passed=len(given))


def test_equal_methods_of_two_classes_have_files_of_their_own(suite: Suite) -> None:
    suite.write(
        test_it="""
        from cases import case

        class TestSparse:
            def test_quality(self, rank_gate):
                rank_gate.check(*case([2, 3]), max_drop={"mrr": 0.005})

        class TestDense:
            def test_quality(self, rank_gate):
                rank_gate.check(*case([1, 3]), max_drop={"mrr": 0.005})
        """
    )
    suite.run("--rank-update").assert_outcomes(passed=2)
    assert len(suite.baselines()) == 2
    suite.run().assert_outcomes(passed=2)


TWICE = """
    from cases import case

    def test_{name}(rank_gate):
        rank_gate.check(*case([2, 3]), {limits}, name="bm25")
"""


@pytest.mark.parametrize("limits", ['max_drop={"mrr": 0.005}', 'at_least={"mrr": 0.3}'])
def test_one_name_for_two_gates_fails(limits: str, suite: Suite) -> None:
    suite.write(
        test_it=TWICE.format(name="one", limits=limits)
        + TWICE.format(name="two", limits=limits).replace("from cases import case", "")
    )
    result = suite.run("--rank-update")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["*two tests use the *name 'bm25': test_it.py::test_one and test_it.py::test_two*"]
    )


def test_one_name_for_two_gates_fails_when_two_workers_run_them(suite: Suite) -> None:
    limits = 'at_least={"mrr": 0.3}'
    suite.write(
        test_one=TWICE.format(name="one", limits=limits),
        test_two=TWICE.format(name="two", limits=limits),
    )
    result = suite.run("-n", "2", "--dist=loadfile")
    assert result.ret == 1
    assert "two tests use the name 'bm25'" in said(result)


def test_two_gates_of_one_test_need_two_names(suite: Suite) -> None:
    suite.write(
        test_it="""
        from cases import case

        def test_same(rank_gate):
            rank_gate.check(*case([2, 3]), max_drop={"mrr": 0.005})
            rank_gate.check(*case([1, 3]), max_drop={"mrr": 0.005})

        def test_different(rank_gate):
            rank_gate.check(*case([2, 3]), max_drop={"mrr": 0.005}, name="sparse")
            rank_gate.check(*case([1, 3]), max_drop={"mrr": 0.005}, name="dense")
        """
    )
    result = suite.run("--rank-update")
    result.assert_outcomes(passed=1, failed=1)
    assert "test_same" in said(result)


# Where a baseline is read ------------------------------------------------------------------


def test_a_change_cannot_lower_the_baseline_that_judges_it(recorded: Suite) -> None:
    base = recorded.path / "base"
    shutil.copytree(recorded.path / "test_it", base / "test_it")
    recorded.system(WORSE)
    recorded.run("--rank-accept", "*", "--rank-reason", "trust me").assert_outcomes(passed=1)
    recorded.run().assert_outcomes(passed=1)
    result = recorded.run("--rank-baseline-dir", "base")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *mrr 0.5000 -> 0.4167*"])


@pytest.mark.parametrize(
    "writing", [("--rank-update",), ("--rank-accept", "*", "--rank-reason", "x")], ids=" ".join
)
def test_baselines_of_elsewhere_are_not_written(writing: tuple[str, ...], gate: Suite) -> None:
    (gate.path / "base").mkdir()
    result = gate.run("--rank-baseline-dir", "base", *writing)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--rank-baseline-dir" in said(result)
    assert not gate.baselines()


def test_a_directory_of_baselines_that_does_not_exist_is_a_mistake(recorded: Suite) -> None:
    result = recorded.run("--rank-baseline-dir", "bas")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "bas" in said(result)


def test_a_gate_that_the_other_directory_does_not_know_fails(recorded: Suite) -> None:
    (recorded.path / "base").mkdir()
    result = recorded.run("--rank-baseline-dir", "base")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *no baseline for gate 'test_bm25'*it is not below *base*"])


@pytest.mark.parametrize("directory", ["base", "."])
def test_a_test_outside_of_the_project_is_not_judged_by_its_own_baseline(
    directory: str, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(suite.path)
    # A path that is not below the root is absolute: joined to a directory it stays what it was.
    suite.file("project/pytest.ini", "[pytest]")
    suite.file("project/base/readme", "nothing here")
    suite.file("tests/test_it.py", GATE)
    suite.system([2] * 30)
    arguments = ("--rootdir=project", "tests")
    suite.run(*arguments, "--rank-update").assert_outcomes(passed=1)
    result = suite.run(*arguments, f"--rank-baseline-dir=project/{directory}")
    assert result.ret != 0
    if directory == "base":
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["E *--rank-baseline-dir has no place for *--rootdir*"])


def test_the_project_is_no_other_checkout(recorded: Suite) -> None:
    result = recorded.run("--rank-baseline-dir=.")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "would judge itself" in said(result)


# What to type ------------------------------------------------------------------------------


def test_a_command_can_be_pasted_into_a_shell_where_pytest_was_started(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.file("pytest.ini", "[pytest]")
    suite.system([2] * 30)
    suite.file(
        "part/test_it.py",
        """
        import pytest
        from cases import system

        @pytest.mark.parametrize("name", ["a b", "$(rm x)"])
        def test_it(name, rank_gate):
            rank_gate.check(*system(), max_drop={"mrr": 0.005})
        """,
    )
    monkeypatch.syspath_prepend(suite.path)
    monkeypatch.chdir(suite.path / "part")
    result = suite.run()
    result.assert_outcomes(failed=2)
    for test in ("test_it[[]a b]", "test_it[[]$(rm x)]"):
        result.stdout.fnmatch_lines([f"E *: pytest 'test_it.py::{test}' --rank-update"])
    # In the table a verdict is short: the command stands in the message.
    rows = [line for line in result.outlines if line.startswith("part/") and "FAIL" in line]
    assert len(rows) == 2
    assert not any("--rank-update" in row for row in rows)


def test_what_was_printed_accepts_the_gate_of_one_parameter(suite: Suite) -> None:
    # To fnmatch, brackets are a set of characters; to pytest they hold the parameters.
    suite.write(
        test_it="""
        import pytest
        from cases import system

        @pytest.mark.parametrize("depth", [10, 20])
        def test_it(depth, rank_gate):
            rank_gate.check(*system(depth=depth), max_drop={"mrr": 0.005})
        """
    )
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=2)
    suite.system(WORSE)
    accept = "--rank-accept=test_it.py::test_it[10]"
    suite.run(accept, "--rank-reason=why").assert_outcomes(passed=1, failed=1)


def test_a_pattern_that_accepts_nothing_is_told(recorded: Suite) -> None:
    result = recorded.run("--rank-accept=*bm26*", "--rank-reason=why")
    result.assert_outcomes(passed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["ERROR: *no gate that ran is called '[*]bm26[*]'"])


def test_a_directory_with_an_escape_in_its_name_reaches_no_message(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(suite.path)
    suite.system([2] * 30)
    suite.file("a\x1b[31mb/test_it.py", GATE)
    result = suite.run("--rank-show=none", "-p", "no:terminal", "--rank-json=report.json")
    assert result.ret == 1
    (gate,) = json.loads((suite.path / "report.json").read_text())["gates"]
    assert "no baseline" in gate["message"]
    assert "\x1b" not in gate["message"]


# Files that belong to no test ---------------------------------------------------------------


@pytest.fixture
def orphan(suite: Suite) -> Suite:
    """A suite whose second gate was deleted, with two files in the way."""
    second = '\ndef test_old(rank_gate):\n    rank_gate.check(*system(), max_drop={"mrr": 0.005})\n'
    margin = "\n    "
    suite.write(test_it=GATE + second.replace("\n", margin))
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=2)
    suite.write(test_it=GATE, test_other="def test_nothing(): pass")
    suite.file("test_it/data.csv", "1,2")
    suite.file("test_it/test_old.json", "{}")
    return suite


UNUSED = "*1 baseline file belongs to no test*test_it/test_old.rank.json*"


def test_the_file_of_a_deleted_test_is_reported(orphan: Suite) -> None:
    result = orphan.run()
    assert result.ret == 0
    result.stdout.fnmatch_lines([UNUSED])
    assert "test_it/test_old.rank.json" in orphan.baselines()


def test_the_file_of_a_deleted_test_may_fail_the_run(orphan: Suite) -> None:
    result = orphan.run("--rank-unused=fail")
    assert result.ret == 1
    result.stdout.fnmatch_lines([UNUSED])


def test_a_strict_run_fails_for_a_file_that_belongs_to_no_test(orphan: Suite) -> None:
    assert orphan.run("--rank-strict").ret == 1


def test_only_baselines_are_deleted(orphan: Suite) -> None:
    orphan.run("--rank-unused=delete")
    assert list(orphan.baselines()) == [FILE]
    assert {"test_it/data.csv", "test_it/test_old.json"} <= orphan.files()


def test_the_file_of_a_gate_that_no_longer_compares_is_reported(recorded: Suite) -> None:
    recorded.write(test_it=GATE.replace('max_drop={"mrr": 0.005}', 'at_least={"mrr": 0.1}'))
    recorded.system(WORSE)
    result = recorded.run()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["*1 baseline file belongs to no test*test_it/test_bm25.rank.json*"]
    )
    assert recorded.run("--rank-unused=fail").ret == 1


PARTIAL = [
    ("-k", "bm25"),
    ("test_it.py",),
    ("test_it.py::test_bm25",),
    ("-m", "rank_gate"),
    ("--deselect", "test_other.py::test_nothing"),
    ("--ignore", "test_other.py"),
    ("-x",),
    ("--lf", "-p", "cacheprovider"),
]


@pytest.mark.parametrize("arguments", PARTIAL, ids=" ".join)
def test_a_run_of_a_part_of_the_suite_knows_no_unused_files(
    arguments: tuple[str, ...], orphan: Suite
) -> None:
    if "-x" in arguments:
        orphan.write(test_a="def test_fails(): raise ValueError")
    result = orphan.run("--rank-unused=delete", *arguments)
    assert "belongs to no test" not in said(result)
    assert len(orphan.baselines()) == 2


@pytest.mark.parametrize(
    "test",
    [
        "import pytest\n\n@pytest.mark.skip\ndef test_skipped(): pass",
        "import pytest\n\ndef test_skipped(): pytest.skip('no data')",
        "import pytest\n\n@pytest.mark.xfail(run=False)\ndef test_skipped(): pass",
        "def test_broken(): raise ValueError",
        "import missing_module",
    ],
    ids=["mark", "skip", "not run", "error", "import"],
)
def test_a_test_that_did_not_run_may_own_a_file(test: str, orphan: Suite) -> None:
    orphan.write(test_other=test)
    result = orphan.run("--rank-unused=delete")
    assert "belongs to no test" not in said(result)
    assert len(orphan.baselines()) == 2


def test_a_worker_that_died_may_have_owned_a_file(orphan: Suite) -> None:
    orphan.write(
        test_other="""
        import os

        def test_dies():
            os._exit(1)
        """
    )
    result = orphan.run("-n", "2", "--rank-unused=delete")
    assert result.ret == 1
    assert "belongs to no test" not in said(result)
    assert len(orphan.baselines()) == 2
