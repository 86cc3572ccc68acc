"""The subcommands: their output in each format, their exit codes, and what they refuse."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys

import pytest

from sklearn_rank import evaluate, read_qrels, read_run
from sklearn_rank.cli import main

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\nq3 0 d 1\n"
RUN = "q1 Q0 b 1 2.0 one\nq1 Q0 a 2 1.0 one\nq2 Q0 c 1 3.0 one\nq9 Q0 c 1 3.0 one\n"
OTHER = "q1 Q0 a 1 2.0 two\nq2 Q0 x 1 3.0 two\nq2 Q0 c 2 1.0 two\nq3 Q0 d 1 1.0 two\n"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("t.qrels", QRELS), ("one.run", RUN), ("two.run", OTHER)):
        (tmp_path / name).write_text(text)
    return tmp_path


def output(capsys, *arguments, code=0):
    assert main(arguments) == code
    out, err = capsys.readouterr()
    assert (err == "") == (code == 0)
    return out if code == 0 else err


# evaluate ----------------------------------------------------------------------------------------


def test_a_run_is_measured_with_intervals_and_counts(capsys):
    lines = output(capsys, "evaluate", "t.qrels", "one.run", "-m", "mrr", "-m", "p@1").splitlines()
    expected = evaluate(read_qrels("t.qrels"), read_run("one.run"), ("mrr", "p@1"))
    assert [" ".join(line.split()) for line in lines] == [
        " ".join(line.split()) for line in str(expected).splitlines()
    ]
    assert "1 judged but without a ranking; 1 ranked but without judgements" in lines[-1]


def test_several_runs_stand_side_by_side(capsys):
    lines = output(capsys, "evaluate", "t.qrels", "one.run", "two.run", "-m", "mrr").splitlines()
    # (1/2 + 1 + 0) / 3 and (1 + 1/2 + 1) / 3
    assert [line.split() for line in lines[:2]] == [
        ["measure", "one.run", "two.run"],
        ["mrr", "0.5000", "0.8333"],
    ]
    assert lines[2].startswith("one.run: 3 queries; 1 judged but without a ranking")


def test_csv_has_a_row_for_each_value(capsys):
    text = output(capsys, "evaluate", "t.qrels", "two.run", "-m", "mrr", "-q", "--format", "csv")
    assert list(csv.reader(io.StringIO(text))) == [
        ["run", "slice", "query", "measure", "value"],
        ["two.run", "", "all", "mrr", "0.8333333333333334"],
        ["two.run", "", "q1", "mrr", "1.0"],
        ["two.run", "", "q2", "mrr", "0.5"],
        ["two.run", "", "q3", "mrr", "1.0"],
    ]


def test_json_holds_everything(capsys):
    (files := ("t.qrels", "one.run", "two.run"))
    objects = json.loads(output(capsys, "evaluate", *files, "-m", "mrr", "--format", "json"))
    assert [one["run"] for one in objects] == ["one.run", "two.run"]
    assert objects[0]["scores"] == {"mrr": 0.5}
    assert objects[1]["per_query"]["mrr"] == [1.0, 0.5, 1.0]
    assert objects[0]["counts"]["missing"] == 1


def test_markdown_and_latex(capsys):
    arguments = ("evaluate", "t.qrels", "one.run", "two.run", "-m", "mrr", "--format")
    assert output(capsys, *arguments, "markdown").splitlines() == [
        "| measure | one.run | two.run |",
        "| --- | ---: | ---: |",
        "| mrr | 0.5000 | 0.8333 |",
    ]
    assert output(capsys, *arguments, "latex").splitlines() == [
        r"% \usepackage{booktabs}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"measure & one.run & two.run \\",
        r"\midrule",
        r"mrr & 0.5000 & 0.8333 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_lines_like_trec_evals_under_the_own_convention(capsys):
    arguments = ("evaluate", "t.qrels", "two.run", "-m", "mrr", "-q", "--format", "trec")
    assert output(capsys, *arguments).splitlines() == [
        "mrr                   \tq1\t1.0000",
        "mrr                   \tq2\t0.5000",
        "mrr                   \tq3\t1.0000",
        "mrr                   \tall\t0.8333",
    ]


@pytest.mark.parametrize("name", ["labels.csv", "labels.json"])
def test_slices(name, files, capsys):
    text = "query,label\nq1,de\nq2,de\nq3,fr\n"
    if name.endswith("json"):
        text = '{"q1": "de", "q2": "de", "q3": "fr"}'
    (files / name).write_text(text)
    arguments = ("evaluate", "t.qrels", "two.run", "-m", "mrr", "--slices", name)
    rows = [line.split() for line in output(capsys, *arguments).splitlines()[1:4]]
    assert rows == [["mrr", "all", "0.8333"], ["mrr", "de", "0.7500"], ["mrr", "fr", "1.0000"]]
    objects = json.loads(output(capsys, *arguments, "--format", "json"))
    assert objects[0]["slices"] == {"de": {"mrr": 0.75}, "fr": {"mrr": 1.0}}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "0.5000"),
        (["--level", "2"], "1.0000"),  # q2 alone has a relevant item: the others are undefined
        (["--depth", "1"], "0.3333"),  # q1 loses its relevant item
        (["--judged-only"], "0.5000"),
        (["--convention", "trec_eval"], "0.7500"),  # q3 was not retrieved
        (["--convention", "trec_eval", "--complete"], "0.5000"),
    ],
)
@pytest.mark.filterwarnings("ignore:mrr.* is undefined")
def test_options_say_what_counts(options, expected, capsys):
    arguments = ("evaluate", "t.qrels", "one.run", "-m", "mrr", "--format", "markdown")
    assert output(capsys, *arguments, *options).splitlines()[-1].endswith(f" {expected} |")


def test_columns_of_other_names(files, capsys):
    (files / "x.csv").write_text("frage,doc,score\nq1,a,1\n")
    (files / "x.jsonl").write_text('{"id": "q1", "query": "how", "relevant": ["a"]}\n')
    arguments = ("evaluate", "x.jsonl", "x.csv", "-m", "mrr", "--format", "trec")
    assert "id of the query: --qrels-column query=id\n" in output(capsys, *arguments, code=2)
    arguments = (*arguments, "--qrels-column", "query=id")
    assert "no column for the role 'query'" in output(capsys, *arguments, code=2)
    text = output(capsys, *arguments, "--run-column", "query=frage")
    assert text == "mrr                   \tall\t1.0000\n"


def test_standard_input(monkeypatch, capsys):
    stream = io.TextIOWrapper(io.BytesIO(RUN.encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    text = output(capsys, "evaluate", "t.qrels", "-", "-m", "mrr", "--format", "csv")
    assert text.splitlines()[1] == "'-,,all,mrr,0.5"


# What is wrong -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["t.qrels", "none.run"], "RUN 'none.run' cannot be read: there is no such file in "),
        (["t.qrels", "one.run", "-m", "mapp"], "unknown measure 'mapp'; did you mean 'map'?"),
        (["t.qrels", "one.run", "--convention", "trec"], "unknown convention 'trec'"),
        (["one.run", "one.run"], "one.run:1: 6 fields instead of 4 fields (query 0 item grade)"),
        (["t.qrels", "other.run"], "QRELS and RUN have no query in common"),
        (["t.qrels", "twice.run"], "holds item 'a' at positions 1 and 2"),
    ],
)
def test_what_could_not_be_measured_ends_with_2(arguments, message, files, capsys):
    (files / "other.run").write_text("Q1 Q0 a 1 1 t\n")
    (files / "twice.run").write_text("q1 Q0 a 1 1 t\nq1 Q0 a 1 1 t\n")
    error = output(capsys, "evaluate", *arguments, code=2)
    assert error.startswith("sklearn-rank evaluate: ")
    assert message in error


@pytest.mark.parametrize("option", ["--level=0", "--depth=-1", "--depth=x", "--run-column=query"])
def test_options_that_mean_nothing(option, capsys):
    with pytest.raises(SystemExit) as end:
        main(["evaluate", "t.qrels", "one.run", option])
    assert end.value.code == 2
    assert "must be" in capsys.readouterr().err


def test_an_error_of_our_own_is_no_failed_gate(monkeypatch, capsys):
    def broken(_):
        raise KeyError("x")

    monkeypatch.setattr("sklearn_rank.cli.evaluate.run", broken)
    assert "KeyError" in output(capsys, "evaluate", "t.qrels", "one.run", code=2)


def test_hostile_ids_do_not_reach_the_terminal(files, capsys):
    (files / "h.qrels").write_text("q\x1b[2J 0 a 1\n")
    (files / "h.run").write_text("q\x1b[2J Q0 a 1 1 t\n")
    arguments = ("evaluate", "h.qrels", "h.run", "-m", "mrr", "-q")
    for form in ("table", "markdown", "latex", "trec"):
        assert "\x1b" not in output(capsys, *arguments, "--format", form)


# convert, measures, doctor ------------------------------------------------------------------------


def test_convert(capsys):
    text = output(capsys, "convert", "run", "one.run", "one.jsonl.gz")
    assert text == "one.jsonl.gz: 3 queries, 4 rows\n"
    assert read_run("one.jsonl.gz") == read_run("one.run")
    output(capsys, "convert", "qrels", "t.qrels", "t.csv")
    assert read_qrels("t.csv") == read_qrels("t.qrels")
    output(capsys, "convert", "run", "one.jsonl.gz", "back.run", "--tag", "new")
    assert read_run("back.run").tag == "new"


def test_measures(capsys):
    text = output(capsys, "measures")
    assert all(f"\n{name} " in text for name in ("map", "ndcg", "lag", "hmean"))
    text = output(capsys, "measures", "P_5")
    assert text.startswith("precision (P)\n")
    assert "spellings:   precision, p, pre, prec, precision_at_k, set_p\n" in text
    (one,) = json.loads(output(capsys, "measures", "lag", "--json"))
    assert (one["range"], one["cutoff"]) == ("[0, inf), lower is better", False)


def test_doctor_names_what_is_odd(files, capsys):
    (files / "odd.qrels").write_text("# c\nq1 0 A 1\nq1 0 A 1\nQ2 0 b 0\nq3 0 c -1\n")
    (files / "odd.run").write_text("q1 Q0 a 1 1 t\nq2 Q0 x 1 1 t\nq2 Q0 x 1 1 t\n")
    text = output(capsys, "doctor", "odd.qrels", "odd.run")
    for finding in (
        "3 queries, 4 judgements; grades -1: 1, 0: 1, 1: 2",
        "1 comment lines",
        "no relevant item for 2 queries: 'Q2', 'q3'",
        "negative grades need --convention trec_eval",
        "the item 'A' is judged more than once for query 'q1'",
        "2 judged queries have no ranking: 'Q2', 'q3'",
        "1 ranked queries have no judgements: 'q2'",
        "1 queries of both sides would meet with case folded",
        "1 items of both sides would meet with case folded",
        "the item 'x' is ranked more than once for query 'q2'",
    ):
        assert finding in text, finding


def test_doctor_says_what_can_be_seen(files, capsys):
    (files / "labels.csv").write_text("query,label\nq1,de\nq2,de\n")
    text = output(capsys, "doctor", "t.qrels", "two.run", "--slices", "labels.csv")
    assert "slices of fewer than 30 queries: 'de (2)'" in text
    assert "1 queries have no label: 'q3'" in text
    assert "ndcg@10 is 0.8770 over 3 queries, 95 % interval" in text  # (1 + 1/log2(3) + 1) / 3
    assert "would be seen in four of five cases" in text


# On a terminal -----------------------------------------------------------------------------------


def test_a_terminal_gets_a_drawn_table_and_a_pipe_plain_text(files):
    pytest.importorskip("pty")
    import pty

    arguments = [sys.executable, "-m", "sklearn_rank.cli", "evaluate", "t.qrels", "one.run"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    plain = subprocess.run(
        arguments, capture_output=True, text=True, check=True, env=environment, cwd=files
    )
    assert plain.stdout.isascii()
    assert plain.stderr == ""
    leader, follower = pty.openpty()
    with os.fdopen(leader, "rb", buffering=0) as reading:
        with subprocess.Popen(
            arguments, stdout=follower, stderr=subprocess.DEVNULL, env=environment, cwd=files
        ) as process:
            os.close(follower)
            drawn = b""
            try:
                while part := reading.read(65536):
                    drawn += part
            except OSError:  # the other end is closed
                pass
        assert process.returncode == 0
    assert "┃".encode() in drawn
