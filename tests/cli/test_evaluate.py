"""``sklearn-rank evaluate``: each format, what counts, files larger than memory, what is wrong."""

import io
import json
import sys

import pytest

from sklearn_rank import evaluate, read_qrels, read_run
from sklearn_rank.cli import evaluate as module
from sklearn_rank.cli import main
from sklearn_rank.cli.reading import read_labels
from sklearn_rank.exceptions import FileFormatError
from tests.cli.conftest import ONE

TWO = "evaluate t.qrels two.run -m mrr"


def test_a_run_is_measured_with_intervals_and_counts(command):
    lines = command("evaluate t.qrels one.run -m mrr -m p@1").splitlines()
    expected = str(evaluate(read_qrels("t.qrels"), read_run("one.run"), ("mrr", "p@1")))
    assert lines == expected.splitlines()
    assert "1 judged, but no results returned ('q" in lines[-2]


QUERIES = {"q1": "1.0000", "q2": "0.5000", "q3": "1.0000"}


@pytest.mark.parametrize(
    ("form", "lines"),
    [
        (
            "csv",
            [
                "slice,query,measure,value",
                ",q1,mrr,1.0",
                ",q2,mrr,0.5",
                ",q3,mrr,1.0",
                ",all,mrr,0.8333333333333334",
                "de,all,mrr,0.75",
                "fr,all,mrr,1.0",
            ],
        ),
        (
            "trec",
            [
                *(f"{'mrr':<22}\t{query}\t{value}" for query, value in QUERIES.items()),
                f"{'mrr':<22}\tall\t0.8333",
                f"{'mrr[de]':<22}\tall\t0.7500",
                f"{'mrr[fr]':<22}\tall\t1.0000",
            ],
        ),
        (
            "markdown",
            [
                "| slice | queries | mrr |",
                "| --- | ---: | ---: |",
                "| de | 2 | 0.7500 |",
                "| fr | 1 | 1.0000 |",
                "",
                "| query | mrr |",
                "| --- | ---: |",
                *(f"| {query} | {value} |" for query, value in QUERIES.items()),
            ],
        ),
        ("table", ["slice  queries     mrr", "de           2  0.7500", "fr           1  1.0000"]),
    ],
)
def test_values_of_slices_and_queries_in_each_format(form, lines, command):
    command.write({"labels": "query,label\nq1,de\nq2,de\nq3,fr\n"})
    text = command(f"{TWO} -q --slices labels --format {form}")
    assert "\n".join(lines) in text
    if form in ("csv", "trec"):
        assert text.splitlines() == lines


def test_json(command):
    command.write({"labels": '{"q1": "de", "q2": "de", "q3": "fr"}'})
    one = json.loads(command(f"{TWO} --slices labels --format json"))
    assert (one["run"], one["scores"], one["counts"]["missing"]) == ("two.run", {"mrr": 2.5 / 3}, 0)
    assert one["per_query"]["mrr"] == [1.0, 0.5, 1.0]
    assert one["slices"] == {"de": {"mrr": 0.75}, "fr": {"mrr": 1.0}}


def test_queries_of_several_searches(command):
    hits = [{"_id": "d7", "_score": 2.5}, {"_id": "d2", "_score": 1.5}]
    responses = {"responses": [{"hits": {"hits": hits}}, {"hits": {"hits": []}}]}
    command.write({"r.json": json.dumps(responses), "j.qrels": "q1 0 d2 1\nq2 0 d2 1\n"})
    command.write({"ids.txt": "q1\nq2\n"})
    words = "evaluate j.qrels r.json --queries ids.txt -m mrr --format csv"
    assert command(words).splitlines()[1] == f",all,mrr,{(1 / 2 + 0) / 2}"
    assert "pass --queries, a different id for each" in command("evaluate j.qrels r.json", 2)


@pytest.mark.filterwarnings("ignore:mrr.* is undefined")
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", "0.5000"),
        ("--min-rel 2", "1.0000"),  # q2 alone has a relevant item: the others are undefined
        ("--convention trec_eval", "0.7500"),  # q3 was not retrieved
        ("--convention trec_eval --complete", "0.5000"),
    ],
)
def test_options_say_what_counts(options, expected, command):
    text = command(f"evaluate t.qrels one.run -m mrr --format markdown {options}")
    assert f" | {expected} | " in text.splitlines()[2]


def test_columns_of_other_names(command):
    command.write({"x.csv": "frage,doc,score\nq1,a,1\n"})
    command.write({"x.jsonl": '{"id": "q1", "query": "how", "relevant": ["a"]}\n'})
    words = "evaluate x.jsonl x.csv -m mrr --format csv"
    assert "id of the query: --qrels-column query=id\n" in command(words, 2)
    words += " --qrels-column query=id"
    assert "no column for the role 'query'" in command(words, 2)
    assert command(f"{words} --run-column query=frage").splitlines()[1] == ",all,mrr,1.0"


def test_columns_inside_of_objects(command):
    hits = [{"_id": n, "_score": 9 - n, "_source": {"sku": sku}} for n, sku in enumerate("xa")]
    responses = {"q1": {"hits": {"hits": hits}}}
    command.write({"sku.qrels": "q1 0 a 1\n", "es.json": json.dumps(responses)})
    words = "evaluate sku.qrels es.json -m mrr --format csv --run-column"
    assert "mrr,0.5" in command(f"{words} item=_source.sku")
    text = command(f"{words} item=_source.skuu", 2)
    assert "'_source.skuu', but an item of es.json has '_id', '_score', '_source'" in text


def test_standard_input(command, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ONE.encode())))
    text = command("evaluate t.qrels - -m mrr --format csv")
    assert text.splitlines()[1] == ",all,mrr,0.5"


# What is wrong ----------------------------------------------------------------------------------

FILES = {
    "other.run": "Q1 Q0 a 1 1 t\n",
    "twice.run": "q1 Q0 a 1 1 t\nq1 Q0 a 1 1 t\n",
    "minus.qrels": "q1 0 a 1\nq1 0 b -1\n",
    "films.csv": "user,film,rating\nu1,a,1\n",
    "qrels.jsonl": '{"query": "q1", "relevant_doc_ids": ["a"]}\n',
    "both.json": '[{"query_id": "q1", "golden_chunks": ["a"], "results": [{"id": "a"}]}]',
    "run.jsonl": '{"query_id": "q1", "results": [{"id": "a", "score": 1.5}]}\n',
}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("t.qrels none.run", "RUN 'none.run' cannot be read: there is no such file in "),
        ("t.qrels one.run -m mapp", "unknown measure 'mapp'; did you mean 'map'?"),
        ("t.qrels one.run --convention trec", "unknown convention 'trec'"),
        ("one.run one.run", "one.run:1: 6 fields instead of 4 fields (query 0 item grade)"),
        ("t.qrels other.run", "QRELS and RUN have no query in common"),
        (
            "t.qrels twice.run",
            "'a' at positions 1 and 2. Pass --duplicates run=first to keep the best-ranked one.\n",
        ),
        ("t.qrels twice.run --duplicates first", "--duplicates: must be one of qrels=mean, qrels"),
        ("minus.qrels one.run", "q1'; evaluate reads it as not judged under --convention trec_"),
        ("run.jsonl qrels.jsonl", "run.jsonl:1: 'results' belongs to a run, but this is read as"),
        (
            "both.json both.json",
            "If not, name the list of items: --qrels-column item=golden_chunks",
        ),
        ("qrels.jsonl qrels.jsonl", "'relevant_doc_ids' belongs to judgements, but"),
        ("films.csv one.run", "For another name pass --qrels-column item=...\n"),
        ("t.qrels one.run --min-rel=0", "must be a whole number of at least 1, got '0'"),
        ("t.qrels one.run --run-column=query", "must be ROLE=NAME, or ROLE= for no column"),
        (
            "t.qrels one.run --run-column nope=score",
            "takes the roles query, item, score, distance, rank, got",
        ),
        (
            "t.qrels one.run --run-column grade=x",
            "takes the roles query, item, score, distance, rank, got",
        ),
        ("t.qrels one.run --run-column score=zz", "has no named columns, so --"),
    ],
)
def test_what_could_not_be_measured_ends_with_2(words, message, command):
    command.write(FILES)
    text = command(f"evaluate {words}", 2)
    assert "sklearn-rank evaluate: " in text
    assert message in text


def test_an_error_of_our_own_is_no_failed_gate(command, monkeypatch):
    monkeypatch.setattr(module, "run", lambda _: {}["x"])
    assert "KeyError" in command("evaluate t.qrels one.run", 2)


@pytest.mark.filterwarnings("default")
def test_warnings_are_lines_of_the_command(command, capsys):
    command.write({"case.run": "q1 Q0 A 1 3 t\nq2 Q0 C 1 1 t\n"})
    assert main(["evaluate", "t.qrels", "case.run", "-m", "mrr"]) == 0
    err = capsys.readouterr().err
    assert err.startswith("sklearn-rank evaluate: warning: no relevant item of any query was ret")
    assert "'a' in QRELS, 'A' in RUN), so most measures are 0; spell ids" in err


@pytest.mark.parametrize("form", ["table", "markdown", "trec"])
def test_hostile_ids_do_not_reach_the_terminal(form, command):
    command.write({"h.qrels": "q\x1b[2J 0 a 1\n", "h.run": "q\x1b[2J Q0 a 1 1 t\n"})
    assert "\x1b" not in command(f"evaluate h.qrels h.run -m mrr -q --format {form}")


# Labels and texts of queries, for slices and reports ----------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "query,label\nq1,de\nq2,fr\n",
        "query,label\nq1,de\nq2,fr\nq3,\n",  # an empty label is none
        "lang,qid\nde,q1\nfr,q2\n",
        "query_id,query,intent\nq1,shoes,de\nq2,hats,fr\n",
        "query,item count,slice\nq1,3,de\nq2,4,fr\n",
        '{"query": "q1", "label": "de"}\n{"query": "q2", "label": "fr"}\n',
        '{"q1": "de", "q2": "fr"}',
    ],
)
def test_labels_are_read_in_each_form(text, command):
    command.write({"labels": text})
    assert read_labels("labels") == {"q1": "de", "q2": "fr"}


@pytest.mark.parametrize(
    "text", ['{"_id": "q1", "text": "how", "metadata": {}}\n', "query_id\ttext\nq1\thow\n"]
)
def test_texts_are_read_as_beir_has_them(text, command):
    command.write({"texts": text})
    assert read_labels("texts", "--query-text", "text") == {"q1": "how"}


NO_COLUMNS = "labels:1: needs the columns query and {}, but the first line has "


@pytest.mark.parametrize(
    ("text", "what", "message"),
    [
        ("query,item,score\nq1,a,1\n", "label", NO_COLUMNS),
        ("query,item\nq1,a\n", "label", NO_COLUMNS),
        ("query,text\nq1,how\n", "label", NO_COLUMNS),
        ("query,label\nq1,de\n", "text", NO_COLUMNS),
        ("q1,de\nq2,fr\n", "label", f"{NO_COLUMNS}'q1', 'de'"),
        ('{"query": "q1", "item": "a"}\n', "text", NO_COLUMNS),
        ("", "label", f"{NO_COLUMNS}nothing"),
        ("query,label\nq1,de\nq1,fr\n", "label", "labels:3: query 'q1' has two labels, 'de'"),
        ("query,label\nq1\n", "label", "labels:2: 1 field instead of 2"),
        ('{"q1": ["de"]}', "label", "labels: the label of query 'q1' must be text or a"),
        ('{"q1": "de", "q1": "fr"}', "label", "labels:1: is not JSON: the key 'q1' occurs twice"),
        ("query,label\nq1,\n", "label", "labels: has no label for any query"),
        ("{}", "text", "labels: has no text for any query"),
    ],
)
def test_files_without_labels_are_refused(text, what, message, command):
    command.write({"labels": text})
    with pytest.raises(FileFormatError) as caught:
        read_labels("labels", "--slices", what)
    assert message.format(what) in str(caught.value)


def test_labels_of_none_of_the_queries_are_refused(command):
    command.write({"others": "query,label\nq77,de\n"})
    message = "--slices has no label for any of the queries; check that their ids match"
    assert message in command("evaluate t.qrels one.run --slices others", 2)


@pytest.mark.filterwarnings("ignore:2 of 3 queries have no label")
def test_labels_may_hold_line_separators(command):
    command.write({"labels": "query,label\nq1,d\u2028e\n"})
    assert "\nd\\u2028e        1  1.0000\n" in command(f"{TWO} --slices labels")


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("ndcg@10,map", ["ndcg@10", "map"]),
        ("ndcg@5,10,P_5", ["ndcg@5", "ndcg@10", "precision@5"]),
        ("hmean(ndcg(gain=linear),map)@5, mrr", ["hmean(ndcg(gain=linear),map)@5", "mrr"]),
    ],
)
def test_measures_joined_by_commas(given, read, command):
    words = ["evaluate", "t.qrels", "two.run", "-m", given, "--format", "json"]
    found = json.loads(command(words))
    assert list(found["scores"]) == read


def test_a_word_too_many_shows_the_usage_of_its_command(command):
    said = command("judge-next a b new c", 2)
    usage, second, error = said.splitlines()
    assert usage == "usage: sklearn-rank judge-next [options] QRELS RUN"
    assert second.endswith("judge-next [options] QRELS BASELINE NEW")
    assert error == "sklearn-rank judge-next: error: unrecognized arguments: c"
