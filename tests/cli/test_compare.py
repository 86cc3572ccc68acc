"""``sklearn-rank compare`` and ``report``: each format, the options, and what is refused."""

import csv
import io
import json

import pytest

from sklearn_rank import compare, evaluate, read_qrels, read_run
from tests.cli.conftest import Command
from tests.report.cases import data_of

RUNS = "compare t.qrels old.run new.run same.run -m mrr"
PAIR = "compare t.qrels old.run new.run -m mrr"
REPORT = "report t.qrels one.run two.run -m mrr"


@pytest.fixture
def runs(command: Command) -> Command:
    """Three runs: the second has the relevant item one rank higher in every other query."""
    command.write({"t.qrels": "".join(f"q{number} 0 d 1\n" for number in range(40))})
    for name, tops in (("old", (2, 3)), ("new", (1, 3)), ("same", (2, 3))):
        lines = [
            f"q{number} Q0 {'d' if rank == tops[number % 2] else f'x{rank}'} {rank} {9 - rank} t\n"
            for number in range(40)
            for rank in range(1, 5)
        ]
        command.write({f"{name}.run": "".join(lines)})
    return command


def test_changes_are_shown(runs):
    text = runs(RUNS)
    # (1/2 + 1/3) / 2 and (1 + 1/3) / 2.
    assert [line.split()[:6] for line in text.splitlines()[1:3]] == [
        ["mrr", "new.run", "40", "0.4167", "0.6667", "+0.2500"],
        ["mrr", "same.run", "40", "0.4167", "0.4167", "+0.0000"],
    ]
    assert "Holm over 2 p-values: 2 comparisons x 1 measure" in text


def test_the_numbers_are_those_of_the_library(runs):
    rows = list(csv.DictReader(io.StringIO(runs(f"{RUNS} --format csv"))))
    qrels, names = read_qrels("t.qrels"), ("old.run", "new.run", "same.run")
    systems = {name: evaluate(qrels, read_run(name), "mrr") for name in names}
    expected = compare(systems).rows
    assert [row["system"] for row in rows] == ["new.run", "same.run"]
    assert [float(row["change"]) for row in rows] == [row.change for row in expected]
    assert [float(row["p_holm"]) for row in rows] == [row.p_holm for row in expected]


def test_a_table_in_markdown(runs):
    row = "| mrr | new.run | 40 | 0.4167 | 0.6667 | **+0.2500** |"
    assert row in runs(f"{RUNS} --format markdown")


def test_options_reach_the_comparison(runs):
    content = json.loads(runs(f"{RUNS} --format json --alpha 0.01"))
    assert content["alpha"] == 0.01


def test_the_queries_that_changed_most(runs):
    lines = runs(f"{PAIR} --changed 2").splitlines()
    assert "new.run against old.run: largest changes by mrr" in lines
    assert "MRR rose" in lines
    (row,) = (line for line in lines if line.startswith("q0 "))
    assert row.split() == ["q0", "0.5000", "1.0000", "+0.5000", "d", "2→1", "+0.50"]
    runs.write({"titles.csv": "item,text\nd,A title\n", "texts.csv": "query,text\nq0,who?\n"})
    text = runs(f"{PAIR} --changed 1 --item-text titles.csv --query-text texts.csv")
    assert "A title 2→1 +0.50" in text
    assert "who?" in text
    none = runs("compare t.qrels old.run same.run -m mrr --changed 1")
    assert "same.run against old.run: no query changed" in none


def test_other_queries_are_counted_or_refused(runs):
    runs.write({"part.run": "q1 Q0 d 1 1.0 t\n"})
    words = "compare t.qrels old.run part.run -m mrr"
    trec_eval = f"{words} --convention trec_eval"
    assert "left out: 39 of 'old.run'" in runs(trec_eval)
    # Judged queries without a ranking count as empty rankings unless a convention says otherwise.
    text = " ".join(runs(words).split())
    assert "left out" not in text
    assert "count as empty rankings: 39 of 'part.run'" in text


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("old.run old.run", "the same run was given twice"),
        ("old.run new.run --changed 1 --format csv", "needs --format text, got csv"),
        ("old.run missing.run", "missing.run"),
        ("old.run new.run -m nothing", "unknown measure 'nothing'"),
        ("old.run new.run --alpha 1", "must be a number between 0 and 1"),
        ("old.run new.run --alpha x", "must be a number between 0 and 1"),
        ("old.run new.run --changed -1", "must be a whole number"),
    ],
)
def test_what_cannot_be_compared_ends_with_2(words, complaint, runs):
    assert complaint in runs(f"compare t.qrels {words}", 2)


def test_hostile_ids_do_not_reach_the_terminal(command):
    command.write({"t.qrels": "q\x1b[31m 0 d\x1b[0m 1\n"})
    for name, items in (("old", ("x", "d\x1b[0m")), ("new", ("d\x1b[0m", "x"))):
        lines = (f"q\x1b[31m Q0 {item} {n} {3 - n} t\n" for n, item in enumerate(items, 1))
        command.write({f"{name}.run": "".join(lines)})
    text = command(f"{PAIR} --changed 1")
    assert "\x1b" not in text
    assert "\\x1b" in text


# report -----------------------------------------------------------------------------------------


def test_a_page_with_items_texts_and_slices(command):
    command.write({"texts.json": '{"q1": "first <b>", "q2": "second", "q3": "third"}'})
    command.write({"labels.csv": "query,label\nq1,head\nq2,tail\nq3,tail\n"})
    command.write({"items.tsv": "item\ttext\na\tTitle of a\n"})
    options = ["--query-text", "texts.json", "--slices", "labels.csv", "--title", "A <b> title"]
    options += ["--item-text", "items.tsv"]
    first, *_, last = command([*REPORT.split(), *options]).splitlines()
    few = "3 queries are too few to tell: MRR +0.333 (2 better, 1 worse)"
    assert (first, last) == (few, "report.html")
    text = (command.folder / "report.html").read_text(encoding="utf-8")
    (data,) = data_of(text)
    assert data["systems"] == ["one.run", "two.run"]
    assert data["texts"] == ["first <b>", "second", "third"]
    assert data["lines"][0][1][0][:5] == ["a", "Title of a", 1, [2, 1], [[0.5]]]
    assert "<p>A &lt;b&gt; title</p><h1>3 queries are too few to tell: " in text
    assert '<th scope="row">head <span' in text
    assert "sklearn-rank report " in text


def test_the_measure_that_is_explained_and_the_file_are_chosen(command, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    command(f"{REPORT} -m recall@1 --explain R@1 -o own.html --open")
    assert opened == [(command.folder / "own.html").as_uri()]
    (data,) = data_of((command.folder / "own.html").read_text(encoding="utf-8"))
    assert data["measures"][data["show"]["measure"]] == "R@1"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("i.csv", "item,title,url\na,A,https://x/a\n"),
        ("i.jsonl", '{"item": "a", "title": "A", "url": "https://x/a"}\n'),
        ("i.json", '{"a": {"title": "A", "url": "https://x/a"}}'),
    ],
)
def test_one_run_has_a_report_and_items_have_links(name, text, command):
    command.write({name: text})
    words = REPORT.split()
    told = command([*words[:2], words[2], "--item-text", name]).splitlines()
    assert told[0].startswith("MAP ")
    (data,) = data_of((command.folder / "report.html").read_text(encoding="utf-8"))
    assert data["systems"] == [""]
    about = {item[0]: item[1] for item in data["lines"][0][1]}
    assert about["a"] == {"title": "A", "url": "https://x/a"}


def test_a_comparison_ends_in_the_verdict_and_the_queries_that_lost_most(runs):
    lines = runs(f"compare t.qrels {PAIR.split()[3]} {PAIR.split()[2]} -m mrr").splitlines()
    assert "MRR fell" in lines
    assert lines[-1] == "old.run against new.run: largest changes by mrr"
    head, *rows = lines[lines.index("", lines.index("MRR fell")) + 1 : -1]
    assert head.split() == ["query", "baseline", "new", "change", "main", "reason"]
    assert [row.split()[3] for row in rows] == ["-0.5000"] * 3


def test_a_report_of_limits_says_what_a_gate_says(runs):
    words = "t.qrels new.run old.run -m mrr"
    first, *_ = runs(f"report {words} --max-drop 0.02").splitlines()
    assert first.startswith("Gate failed: MRR fell from 0.667 to 0.417")
    assert "A gate with max_drop 0.02 would be red" in runs(f"report {words}")
    passed = runs(f"report {words} --max-drop mrr=0.6")
    assert passed.startswith("Gate passed")
    assert "would" not in passed
    assert "limits a drop from a baseline" in runs("report t.qrels new.run --max-drop 0.02", 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--query-text none.json", "--query-text 'none.json' cannot be read"),
        ("--query-text t.qrels", "needs the columns query and text, but the first line has"),
        ("--explain mapp", "unknown measure 'mapp'"),
        ("-o none/report.html", "there is no folder 'none'; create it first"),
    ],
)
def test_what_is_wrong_with_a_report_is_named(options, message, command):
    assert message in command(f"{REPORT} {options}", 2)


def test_clusters_of_a_file(runs):
    labels = {f"q{number}": f"u{number // 8}" for number in range(40)}
    runs.write({"owners.csv": "query,cluster\n" + "".join(f"{q},{u}\n" for q, u in labels.items())})
    row = next(csv.DictReader(io.StringIO(runs(f"{PAIR} --clusters owners.csv --format csv"))))
    qrels, names = read_qrels("t.qrels"), ("old.run", "new.run")
    systems = {name: evaluate(qrels, read_run(name), "mrr", clusters=labels) for name in names}
    assert float(row["p_holm"]) == compare(systems).rows[0].p_holm
    plain = next(csv.DictReader(io.StringIO(runs(f"{PAIR} --format csv"))))
    assert row["p_holm"] != plain["p_holm"]
    one = json.loads(runs("evaluate t.qrels old.run -m mrr --clusters owners.csv --format json"))
    assert one["clusters"] == list(labels.values())
