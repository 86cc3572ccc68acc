"""``sklearn-rank judge-next``: a list of items, which is a file of judgements once filled in."""

import pytest

from sklearn_rank import RankingDataWarning, read_qrels
from tests.cli.conftest import Command

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
RUN = "q1 Q0 x 1 3 new\nq1 Q0 a 2 2 new\nq1 Q0 y 3 1 new\nq2 Q0 a 1 2 new\nq2 Q0 b 2 1 new\n"
OLD = "q1 Q0 a 1 2 old\nq1 Q0 y 2 1 old\nq2 Q0 a 1 2 old\n"


@pytest.fixture(autouse=True)
def _files(command: Command) -> None:
    command.write({"t.qrels": QRELS, "new.run": RUN, "old.run": OLD})


def test_a_list(command):
    assert command("judge-next t.qrels new.run -m P_2").splitlines() == [
        "query  item  rank   change",
        "q1     x        1  +0.2500",
        "q2     b        2  +0.2500",
    ]


def test_a_list_for_a_comparison(command):
    assert command("judge-next t.qrels old.run new.run -m P_2 -n 2").splitlines() == [
        "query  item  baseline_rank  rank   change",
        "q1     x                       1  +0.2500",
        "q1     y                 2        -0.2500",
    ]


def test_there_and_back(command):
    text = command("judge-next t.qrels new.run -m P_2 --format csv")
    assert text == "query,item,grade,rank,change\nq1,x,,1,0.25\nq2,b,,2,0.25\n"
    command.write({"todo.csv": text.replace("q1,x,,", "q1,x,2,")})
    with pytest.warns(RankingDataWarning, match="1 rows have no grade and are left out"):
        assert dict(read_qrels("todo.csv")) == {"q1": {"x": 2}}


def test_texts_stand_beside_ids_and_are_no_obstacle_on_the_way_back(command):
    command.write({"q.csv": "query,text\nq1,red shoes\n"})
    command.write({"i.jsonl": '{"id": "x", "title": "A shoe", "text": "..."}\n'})
    words = "judge-next t.qrels new.run -m P_2 --query-text q.csv --item-text i.jsonl"
    assert command(words).splitlines()[:2] == [
        "query  query_text  item  item_text  rank   change",
        "q1     red shoes   x     A shoe        1  +0.2500",
    ]
    text = command(f"{words} --format csv")
    assert text.splitlines()[1] == "q1,red shoes,x,A shoe,,1,0.25"
    command.write({"todo.csv": text.replace("A shoe,,", "A shoe,2,")})
    with pytest.warns(RankingDataWarning, match="1 rows have no grade"):
        assert read_qrels("todo.csv")["q1"] == {"x": 2}


def test_judgements_without_a_zero_are_complete(command):
    command.write({"t.qrels": "q1 0 a 1\nq2 0 a 1\n"})
    error = command("judge-next t.qrels new.run", 2)
    assert error.startswith("sklearn-rank judge-next: nothing is unjudged, because QRELS counts")
    assert "--assume partial" in error
    assert "q1     x" in command("judge-next t.qrels new.run --assume partial -n 1")


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("t.qrels", "required: RUN"),
        ("t.qrels new.run new.run", "the same run was given twice"),
        ("- -", "'-' is standard input, which can be read only once"),
    ],
)
def test_what_makes_no_sense_is_refused(words, what, command):
    assert what in command(f"judge-next {words}", 2)


@pytest.mark.filterwarnings("ignore:no relevant item of any query was retrieved")
def test_ids_reach_a_terminal_escaped(command):
    command.write({"new.run": "q1 Q0 \x1b[31mx 1 3 new\n"})
    assert "\x1b" not in command("judge-next t.qrels new.run")
