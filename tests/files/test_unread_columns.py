"""Numbers of files under an unknown name are asked about, as those of data frames are."""

import io
import json

import polars as pl
import pytest

from sklearn_rank import ColumnRoleError, evaluate, read_qrels, read_run

TRUTH = {"user": ["u", "u", "v"], "item": ["a", "b", "a"], "clicked": [0, 1, 1]}
RANKED = {"user": ["u", "u", "v"], "item": ["a", "b", "a"], "points": [0.1, 0.9, 2.5]}
FORMS = ("csv", "jsonl", "json", "parquet", "arrow", "nested")


def as_rows(table):
    return [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]


def file_of(table, form, key="results"):
    """The table as a file in memory."""
    out = io.BytesIO()
    if form == "csv":
        lines = [
            ",".join(map(str, row)) for row in (list(table), *zip(*table.values(), strict=True))
        ]
        out.write("\n".join(lines).encode())
    elif form == "jsonl":
        out.write("\n".join(map(json.dumps, as_rows(table))).encode())
    elif form == "json":
        out.write(json.dumps(as_rows(table)).encode())
    elif form == "nested":
        queries: dict[str, list[dict]] = {}
        for row in as_rows(table):
            queries.setdefault(row.pop("user"), []).append(row)
        lines = [json.dumps({"user": query, key: items}) for query, items in queries.items()]
        out.write("\n".join(lines).encode())
    else:
        frame = pl.DataFrame(table)
        (frame.write_parquet if form == "parquet" else frame.write_ipc)(out)
    return io.BytesIO(out.getvalue())


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("form", FORMS)
def test_scores_of_an_unknown_name_are_not_replaced_by_the_order_of_the_rows(form):
    with pytest.raises(
        ColumnRoleError,
        match=r"^<file> has no column for the role 'score' or 'rank', but 'points' holds numbers; "
        r"without them the order of the rows would rank the items\. Pass columns=\{'score': "
        r"'points'\} \(the greatest score ranks first\) or rename the column; .* or pass columns="
        r"\{'score': None\}$",
    ):
        read_run(file_of(RANKED, form))
    named = read_run(file_of(RANKED, form), columns={"score": "points"})
    assert dict(named) == {"u": {"a": 0.1, "b": 0.9}, "v": {"a": 2.5}}
    without = read_run(file_of(RANKED, form), columns={"score": None})
    assert dict(without) == {"u": ["a", "b"], "v": ["a"]}


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("clicked", [[0, 1, 1], [0.0, 1.0, 1.0], [False, True, True]])
def test_grades_of_an_unknown_name_do_not_make_every_row_relevant(form, clicked):
    table = {**TRUTH, "clicked": clicked}
    with pytest.raises(ColumnRoleError, match=r"'grade', but 'clicked' .* every row would be rel"):
        read_qrels(file_of(table, form, "relevant"))
    all_of_them = read_qrels(file_of(table, form, "relevant"), columns={"grade": None})
    assert dict(all_of_them) == {"u": {"a": 1, "b": 1}, "v": {"a": 1}}
    if not (form == "csv" and isinstance(clicked[0], bool)):  # text is no number in a CSV
        named = read_qrels(file_of(table, form, "relevant"), columns={"grade": "clicked"})
        assert dict(named) == {"u": {"a": 0, "b": 1}, "v": {"a": 1}}


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("form", FORMS)
def test_text_is_passed_over(form):
    table = {"user": ["u", "u", "v"], "item": ["a", "b", "a"], "why": ["x", "1", "y"]}
    run = read_run(file_of(table, form))
    assert dict(run) == {"u": ["a", "b"], "v": ["a"]}
    assert run.unread == ("why",)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("form", FORMS[:5])
def test_other_numbers_beside_scores_are_left_alone(form):
    run = read_run(file_of({**RANKED, "score": [3, 2, 1]}, form))
    assert run["u"] == {"a": 3, "b": 2}
    assert run.unread == ("points",)
    qrels = read_qrels(file_of({**TRUTH, "score": [0, 2, 1]}, form))  # BEIR's grades
    assert qrels["u"] == {"a": 0, "b": 2}


def test_the_first_row_tells_what_a_column_holds():
    data = b"query,item,x\nq,a,1e3\nq,b,\nq,c,nan\n"
    with pytest.raises(ColumnRoleError, match="'x' holds numbers"):
        read_run(io.BytesIO(data))
    assert read_run(io.BytesIO(data.replace(b"1e3", b"1%")))["q"] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"item": None}, "columns says that no column is the item, but every row needs one"),
        ({"grade": "gone"}, "columns says that 'grade' is 'gone', but <file> has"),
        ({"thing": None}, "columns names the unknown role 'thing'"),
    ],
)
def test_columns_that_cannot_be(columns, message):
    with pytest.raises(ColumnRoleError, match=message):
        read_qrels(file_of(TRUTH, "csv"), columns=columns)
    if "gone" not in columns.values():
        with pytest.raises(ColumnRoleError, match=message):
            evaluate(pl.DataFrame(TRUTH), {"u": ["a"]}, "mrr", columns=columns)
