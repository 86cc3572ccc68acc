"""Labels and texts of queries, for slices and reports."""

import pytest

from sklearn_rank.cli.reading import read_labels
from sklearn_rank.exceptions import FileFormatError


@pytest.mark.parametrize(
    "text",
    [
        "query,label\nq1,de\nq2,fr\n",
        "query,label\nq1,de\nq2,fr\nq3,\n",  # an empty label is none
        "lang,qid\nde,q1\nfr,q2\n",
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


NO_COLUMNS = "labels:1: needs the columns query and {}, and the first line has "


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
        ("query,label\nq1,de\nq1,fr\n", "label", "labels:3: query 'q1' has the labels 'de' and 'f"),
        ("query,label\nq1\n", "label", "labels:2: 1 fields instead of 2"),
        ('{"q1": ["de"]}', "label", "labels: the label of query 'q1' is not text"),
        ('{"q1": "de", "q1": "fr"}', "label", "labels: is not JSON: the key 'q1' stands twice"),
        ("query,label\nq1,\n", "label", "labels: gives no query a label"),
        ("{}", "text", "labels: gives no query a text"),
    ],
)
def test_files_without_labels_are_refused(text, what, message, command):
    command.write({"labels": text})
    with pytest.raises(FileFormatError) as caught:
        read_labels("labels", "--slices", what)
    assert message.format(what) in str(caught.value)


@pytest.mark.parametrize(
    "words", ["evaluate t.qrels one.run", "doctor t.qrels", "report t.qrels one.run two.run"]
)
def test_every_command_refuses_labels_that_are_all_empty(words, command):
    command.write({"labels": "query,label\nq1,\n", "others": "query,label\nq77,de\n"})
    assert "labels: gives no query a label" in command(f"{words} --slices labels", 2)
    if words.startswith("evaluate"):
        message = "--slices gives none of the queries a label"
        assert message in command(f"{words} --slices others", 2)


@pytest.mark.filterwarnings("ignore:2 of 3 queries have no label")
def test_labels_may_hold_line_separators(command):
    command.write({"labels": "query,label\nq1,d\u2028e\n"})
    text = command("evaluate t.qrels two.run --slices labels -m mrr")
    lines = [line for line in text.splitlines() if line.startswith("mrr ")]
    assert [line.split()[1] for line in lines] == ["all", "d\\u2028e"]
