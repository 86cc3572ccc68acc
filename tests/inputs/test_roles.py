"""Which column is read as what: one table of names for frames, JSON Lines and CSV."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_rankmetrics import assert_mrr_at_least, expected_failure
from sklearn_rank import (
    ColumnRoleError,
    FileFormatError,
    InvalidParameterError,
    evaluate,
    read_qrels,
    read_run,
)
from sklearn_rank.inputs.roles import LISTS, ROLES

KNOWN = " ".join(
    f"{family.ids} {family.texts}"
    for families in (*ROLES.values(), *LISTS.values())
    for family in families
).split()
TRUTH = {"query": ["q", "q", "p"], "item": ["a", "b", "c"], "grade": [2, 0, 1]}
RUN = {"query": ["q", "q", "p", "p"], "item": ["x", "a", "c", "b"], "score": [3.0, 1.0, 0.5, 2.5]}
EXPECTED = evaluate(pl.DataFrame(TRUTH), pl.DataFrame(RUN), ["mrr", "ndcg"]).scores


def csv_of(table: dict[str, Any]) -> io.BytesIO:
    rows = [list(table), *zip(*table.values(), strict=True)]
    return io.BytesIO("\n".join(",".join(map(str, row)) for row in rows).encode())


def parquet_of(table: dict[str, Any]) -> io.BytesIO:
    out = io.BytesIO()
    pl.DataFrame(table, strict=False).write_parquet(out)
    return io.BytesIO(out.getvalue())


def lines_of(table: dict[str, Any]) -> io.BytesIO:
    rows = zip(*table.values(), strict=True)
    return lines(*(dict(zip(table, row, strict=True)) for row in rows))


def lines(*objects: Any) -> io.BytesIO:
    return io.BytesIO("\n".join(map(json.dumps, objects)).encode())


@st.composite
def tables(draw: Any) -> Any:
    """Both tables with other names, in another order, beside columns of any known names."""
    names = draw(st.lists(st.sampled_from(KNOWN), min_size=10, max_size=10, unique=True))
    columns = dict(zip(("query", "item", "grade", "score"), names, strict=False))
    sides = []
    for table, spare in ((TRUTH, names[4:7]), (RUN, names[7:])):
        renamed: dict[str, Any] = {columns[role]: values for role, values in table.items()}
        n = len(table["query"])
        noise = [[7] * n, list(range(n)), [f"t{row}" for row in range(n)]]
        renamed |= dict(zip(spare, noise, strict=True))
        sides.append({name: renamed[name] for name in draw(st.permutations(list(renamed)))})
    return sides, columns


@given(tables())
def test_names_and_order_of_columns_never_change_a_value(made: Any) -> None:
    (truth, run), columns = made
    for make in (pd.DataFrame, pl.DataFrame):
        found = evaluate(make(truth), make(run), ["mrr", "ndcg"], columns=columns)
        assert found.scores == EXPECTED
    judged, ranked = ({role: columns[role] for role in table} for table in (TRUTH, RUN))
    for write in (csv_of, lines_of):
        qrels = read_qrels(write(truth), columns=judged)
        found = evaluate(qrels, read_run(write(run), columns=ranked), ["mrr", "ndcg"])
        assert found.scores == EXPECTED


# A column has one role ---------------------------------------------------------------------------


def test_what_is_given_to_one_role_is_not_taken_for_another() -> None:
    # Ranked a, b by the places 1 and 2; the greater "prediction" would rank b first.
    truth = {"query": ["q"], "item": ["a"], "grade": [1]}
    run = {"query": ["q", "q"], "item": ["a", "b"], "prediction": [1, 2]}
    columns = {"rank": "prediction"}
    assert evaluate(pd.DataFrame(truth), pd.DataFrame(run), "mrr", columns=columns)["mrr"] == 1.0
    assert_mrr_at_least(pd.DataFrame(truth), pd.DataFrame(run), 1.0, columns=columns)
    for write in (csv_of, lines_of):
        assert read_run(write(run), columns=columns) == {"q": ["a", "b"]}


def test_ids_of_items_are_not_read_as_grades() -> None:
    truth = pd.DataFrame({"doc": [1, 1, 1], "label": [1, 2, 3]})
    run = pd.DataFrame({"doc": [1, 1, 1], "label": [9, 2, 1], "score": [3, 2, 1]})
    columns = {"query": "doc", "item": "label"}
    # Every row of the truth is relevant: of 3 items, two are found at ranks 2 and 3.
    ideal, gained = 1 + 1 / 1.584962500721156 + 1 / 2, 1 / 1.584962500721156 + 1 / 2
    found = evaluate(truth, run, "ndcg", columns=columns)["ndcg"]
    assert found == pytest.approx(gained / ideal)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"query": "item", "item": "item"}, "gives 'item' to 'query' and to 'item', but a column"),
        ({"grade": "zz"}, "no frame has the column 'zz' of columns=; they have"),
        ({"relevant": {"item": "item"}}, "unknown role 'relevant'"),
        ({"item": 7}, "sets 'item' to 7, which is not the name of a column"),
    ],
)
def test_columns_that_cannot_be(columns: Any, message: str) -> None:
    with pytest.raises(ColumnRoleError, match=message):
        evaluate(pl.DataFrame(TRUTH), pl.DataFrame(RUN), "mrr", columns=columns)


def test_an_id_beside_a_text_is_the_id() -> None:
    """PyTerrier has qid and query, Ragas user_input, BEIR's files doc_id and document."""
    run = {"qid": ["1", "1"], "query": ["how", "how"], "docno": ["x", "a"], "score": [2.0, 1.0]}
    truth = {"qid": ["1"], "docno": ["a"], "label": [1]}
    assert evaluate(pd.DataFrame(truth), pd.DataFrame(run), "mrr")["mrr"] == 1 / 2
    for write in (csv_of, lines_of):
        assert list(read_run(write(run))) == ["1"]
    both = pd.DataFrame({**run, "user_id": [7, 7]})
    with pytest.raises(ColumnRoleError, match="several columns for the role 'query': 'qid', 'user"):
        evaluate(pd.DataFrame(truth), both, "mrr")


@pytest.mark.parametrize("name", ["expected_chunk_ids", "relevant_chunks", "gold_doc_ids"])
def test_names_of_question_sets(name: str) -> None:
    one = {"question": "how?", name: ["a", "b"], "set": "hard"}
    assert read_qrels(lines(one)) == {"how?": {"a": 1, "b": 1}}
    assert read_qrels(lines({"id": "7", **one})) == {"7": {"a": 1, "b": 1}}


@pytest.mark.parametrize("name", ["asin", "sku", "chunk_id"])
def test_names_of_items(name: str) -> None:
    run = {"query": ["q", "q"], name: ["a", "b"], "score": [1.0, 2.0]}
    for write in (csv_of, lines_of):
        assert read_run(write(run)) == {"q": {"a": 1.0, "b": 2.0}}
    with pytest.raises(ColumnRoleError, match="several columns for the role 'item'"):
        read_run(csv_of({**run, "item": ["c", "d"]}))
    linked = {"query": ["q"], "url": ["u"], "score": [1.0]}
    assert (read_run(csv_of(linked)), read_run(csv_of({**linked, "item_id": ["a"]}))) == (
        {"q": {"u": 1.0}},
        {"q": {"a": 1.0}},
    )


def test_distances_of_a_column_rank_the_least_first() -> None:
    run = {"query": ["q"] * 3, "doc_id": ["a", "b", "c"], "_distance": [0.9, 0.1, 0.4]}
    run = {name.replace("_distance", "distance"): values for name, values in run.items()}
    expected = {"q": {"a": -0.9, "b": -0.1, "c": -0.4}}
    for write in (csv_of, lines_of):
        assert read_run(write(run)) == expected
    for make in (pd.DataFrame, pl.DataFrame):
        assert evaluate({"q": {"c"}}, make(run), "mrr")["mrr"] == 1 / 2
    other = {"l2": run.pop("distance"), **run}
    assert read_run(csv_of(other), columns={"distance": "l2"}) == expected
    unsigned = pl.DataFrame(run).with_columns(distance=pl.Series([9, 1, 4], dtype=pl.UInt8))
    assert evaluate({"q": {"c"}}, unsigned, "mrr")["mrr"] == 1 / 2


# Lists of items ----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames_with_lists_of_items_are_passed_as_mappings(make: Any) -> None:
    frame = make({"user_input": ["q"], "retrieved_context_ids": [["x", "a"]], "doc": [["a"]]})
    with pytest.raises(
        TypeError, match=r"'doc' of y_true contains lists.*dict\(zip\(frame\['query'"
    ):
        evaluate(frame, {"q": ["a"]}, "mrr")
    with pytest.raises(
        ColumnRoleError, match=r"y_score has no column .* lists of items to a mapping"
    ):
        evaluate({"q": {"a"}}, frame[["user_input", "retrieved_context_ids"]], "mrr")
    sides = [dict(zip(frame["user_input"], frame[name], strict=True)) for name in frame.columns[1:]]
    assert evaluate(sides[1], sides[0], "mrr")["mrr"] == 1 / 2


def test_one_list_of_a_file_is_not_both_sides(tmp_path: Path) -> None:
    file = tmp_path / "both.jsonl"
    file.write_bytes(lines({"query": "q", "gt": ["a"], "hit": ["x"]}).getvalue())
    for name in ("gt", "hit"):
        qrels = read_qrels(file, columns={"item": name})
        with pytest.raises(ColumnRoleError, match=rf"'{name}\[\]' is read as both"):
            evaluate(qrels, read_run(file, columns={"item": name}), "mrr")
    found = lines({"query": "q", "docs": ["a"]}).getvalue()  # of two streams nothing is known
    assert evaluate(read_qrels(io.BytesIO(found)), read_run(io.BytesIO(found)), "mrr")["mrr"] == 1.0
    rows = lines({"query": "q", "item": "a", "grade": 1, "score": 0.5}).getvalue()
    assert evaluate(read_qrels(io.BytesIO(rows)), read_run(io.BytesIO(rows)), "mrr")["mrr"] == 1.0


def test_ids_in_lists_of_items() -> None:
    with pytest.raises(ColumnRoleError, match="an item of <file> has no id; its fields are 'text'"):
        read_run(lines({"query": "q", "results": [{"text": "a"}]}))
    two = {"query": "q", "hits": [{"id": 1, "doc_id": "d7"}]}
    with pytest.raises(ColumnRoleError, match=r"several ids: 'id', 'doc_id'.*'item': 'id'"):
        read_run(lines(two))
    assert read_run(lines(two), columns={"item": "doc_id"}) == {"q": ["d7"]}
    linked = {"query": "q", "hits": [{"_id": "d7", "url": "u", "document": "text"}]}
    assert read_run(lines(linked)) == {"q": ["d7"]}


# Grades as text ----------------------------------------------------------------------------------

ESCI = {
    "example_id": [1, 2, 3, 4],
    "query": ["q", "q", "p", "p"],
    "product_id": ["a", "b", "c", "d"],
    "esci_label": ["E", "I", "I", "S"],
}


@pytest.mark.parametrize("name", ["esci_label", "judged", "Urteil"])
def test_grades_as_text_are_not_all_relevant(name: str) -> None:
    table = {(name if key == "esci_label" else key): values for key, values in ESCI.items()}
    ranked = {"q": ["b", "a"], "p": ["c", "d"]}
    for make in (pd.DataFrame, pl.DataFrame):
        with pytest.raises((TypeError, ValueError), match=rf"'{name}'.*\{{'E': \.\.\., "):
            evaluate(make(table), ranked, "mrr")
    with expected_failure((TypeError, ColumnRoleError), match=rf"'{name}'"):
        assert_mrr_at_least(pd.DataFrame(table), ranked, 0.1)
    for write in (csv_of, lines_of, parquet_of):
        with pytest.raises(ValueError, match=r"grades=\{'E': \.\.\."):
            read_qrels(write(table))
        grades = {"E": 3, "S": 2, "C": 1, "I": 0}
        qrels = read_qrels(write(table), columns={"grade": name}, grades=grades)
        assert qrels == {"q": {"a": 3, "b": 0}, "p": {"c": 0, "d": 2}}
        with pytest.raises(ValueError, match="grade 'I' is not in grades=, which has 'E', 'S'"):
            read_qrels(write(table), columns={"grade": name}, grades={"E": 1, "S": 0})
    with pytest.raises(InvalidParameterError, match="it gives 'E' the grade 'x'"):
        read_qrels(csv_of(table), grades={"E": "x"})  # type: ignore[dict-item]


@pytest.mark.parametrize("item", ["movieId", "book_id", "track_id", "article-id", "news_id"])
def test_items_of_public_data_sets_are_known(item: str) -> None:
    rated = pd.DataFrame({"userId": [1, 1, 2], item: [10, 20, 10], "rating": [5, 3, 4]})
    ranked = pd.DataFrame({"userId": [1, 1, 2], item: [10, 20, 30], "prediction": [3.0, 2.0, 1.0]})
    assert evaluate(rated, ranked, "mrr")["mrr"] == 1 / 2


# Columns without a role ---------------------------------------------------------------------------

N = 30
MAY_BE_GRADES = {
    "whole numbers": [0, 1],
    "real numbers": [0.0, 1.0],
    "flags": [False, True],
    "first one missing": [None, 0, 1, 1, 0],
    "objects": ["unsure", 1, 0, None],
    "numbers as text": ["0", "1"],
    "shares": [f"{share}%" for share in range(N)],
    "yes and no": ["yes", "no"],
    "unknown texts": ["unsure", "relevant", "irrelevant"],
    "with a sign": ["1-good", "0-bad"],
    "one text": ["irrelevant"],
    "categories": pd.Categorical(["HR", "NR"] * (N // 2)),
}
MAY_BE_SCORES = ("whole numbers", "real numbers", "flags", "first one missing", "objects", "shares")
ARE_NEITHER = {
    "dates": list(pd.date_range("2024-01-01", periods=3)),
    "many texts": [f"text {row}" for row in range(N)],
    "nothing": [None],
}
DOORS = {
    "pandas": lambda table: table,
    "objects": lambda table: table.astype(object),
    "Polars": lambda table: pl.DataFrame(table.to_dict("list"), strict=False),
    "CSV": lambda table: io.BytesIO(table.to_csv(index=False).encode()),
    "JSON Lines": lambda table: io.BytesIO(
        table.to_json(orient="records", lines=True, date_format="iso").encode()
    ),
    "lists in JSON Lines": lambda table: nested(table),
    "Parquet": lambda table: parquet_of(table.to_dict("list")),
}


def nested(table: pd.DataFrame) -> io.BytesIO:
    """A line for each query, with its row in a list."""
    rows = json.loads(table.to_json(orient="records", date_format="iso"))
    key = "query_id" if "query_id" in table else "query"
    return lines(*({"query": row.pop(key), "docs": [row]} for row in rows))


def column_of(values: Any) -> Any:
    return values if len(values) == N else (list(values) * N)[:N]


def through(door: str, table: pd.DataFrame, side: str, columns: Any = None) -> Any:
    """MRR of a table that lacks a number, by one of the doors."""
    other = {f"q{row}": ["b"] if side == "y_score" else {"b": 1} for row in range(N)}
    other = {query: ["x", "b"] for query in other} if side == "y_true" else other
    made: Any = DOORS[door](table)
    if isinstance(made, io.BytesIO):
        made = (read_qrels if side == "y_true" else read_run)(made, columns=columns)
        columns = None
    sides = (made, other) if side == "y_true" else (other, made)
    return evaluate(*sides, "mrr", columns=columns)["mrr"]


def without_number(values: Any, name: str = "votes") -> pd.DataFrame:
    queries = [f"q{row}" for row in range(N)]
    return pd.DataFrame({"query": queries, "item": ["b"] * N, name: column_of(values)})


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", ["votes", "label_id"])
@pytest.mark.parametrize("values", MAY_BE_GRADES.values(), ids=MAY_BE_GRADES)
def test_a_column_that_may_be_the_grade_is_never_left_out(
    door: str, name: str, values: Any
) -> None:
    table = without_number(values, name)
    if name == "label_id" and len(set(table[name])) == N:
        assert through(door, table, "y_true") == 1 / 2  # ids
        return
    is_plain = values is not MAY_BE_GRADES["flags"] or name == "label_id"
    proposed = name if is_plain else r"\.\.\."
    with pytest.raises(ColumnRoleError, match=rf"'{name}' \(.*={{'grade': '{proposed}'\}}"):
        through(door, table, "y_true")
    assert through(door, table, "y_true", {"grade": None}) == 1 / 2
    if table[name].notna().all():
        labelled = evaluate(table, {key: ["b"] for key in table["query"]}, "mrr", clusters=name)
        assert labelled["mrr"] == 1.0


@pytest.mark.parametrize(
    ("header", "columns", "proposed"),
    [
        (
            "question,relevant,notes",
            None,
            "item': '...'}. 'relevant' is a name for lists: write a row for each item, or JSON",
        ),
        ("mode,doc,rel", None, "query': '...'"),
        ("q,doc,rel", None, "query': 'q'"),
        ("qid,gold_doc,rel", None, "item': 'gold_doc'"),
        ("qid,applied,x,y", None, "item': '...'"),
    ],
)
def test_a_hint_proposes_what_a_name_supports(header, columns, proposed) -> None:
    data = f"{header}\n{','.join('1' * (header.count(',') + 1))}\n".encode()
    with pytest.raises(ColumnRoleError, match=re.escape(proposed)) as refusal:
        read_qrels(io.BytesIO(data), format="csv", columns=columns)
    assert all(f"'{name}'" in str(refusal.value) for name in header.split(","))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", MAY_BE_SCORES)
def test_a_column_that_may_be_the_score_is_never_left_out(door: str, kind: str) -> None:
    table = without_number(MAY_BE_GRADES[kind], "bm25")
    what, proposed = ("flags", r"\.\.\.") if kind == "flags" else ("numbers", "bm25")
    message = rf"'bm25' \({what}\).*columns=\{{'score': '{proposed}'\}}"
    with pytest.raises(ColumnRoleError, match=message):
        through(door, table, "y_score")
    assert through(door, table, "y_score", {"score": None}) == 1.0


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("values", ARE_NEITHER.values(), ids=ARE_NEITHER)
def test_other_columns_are_left_alone(door: str, values: Any) -> None:
    table = without_number(values)
    table["row_id"], table["exampleId"], table["question"] = range(N), range(N), "how?"
    table["query_id"], table["item_id"], table["item"] = table["query"], table["item"], "text"
    table = table.drop(columns="query")
    assert through(door, table, "y_true") == 1 / 2
    assert through(door, table, "y_score") == 1.0


def test_lists_of_numbers_are_not_left_out():
    hits = {"query": "q", "retrieved": ["a", "b"], "bm25": [1, 2]}
    with pytest.raises(
        ValueError, match=r":1: has a list 'bm25' with a number for each item; write"
    ):
        read_run(lines(hits), format="jsonl")
    assert read_run(lines(hits), columns={"score": None}) == {"q": ["a", "b"]}
    assert read_run(lines({**hits, "bm25": ["x", "y"]})) == {"q": ["a", "b"]}


LISTS_AS_TEXT = ("['a', 'b']", '["a", "b"]', "['a']", "[]", "['a' 'b']", "{'a', 'b'}", "[1, 2]")
NO_LISTS = ("[1]", "[a]", "[doc](x)", "('a', 'b')", "New York, NY", "{}", "[", "a[0]", "{'a': 1}")


@pytest.mark.parametrize("door", ["pandas", "Polars", "CSV", "JSON Lines", "Parquet"])
@pytest.mark.parametrize("side", ["y_true", "y_score"])
def test_a_list_as_text_is_never_one_item(door: str, side: str) -> None:
    """As ``to_csv`` of pandas writes cells that hold lists."""
    for text in (*LISTS_AS_TEXT, *NO_LISTS):
        table = pd.DataFrame({"query": ["q0", "q0"], "item": ["b", text]})
        if text in NO_LISTS:
            assert 0 < through(door, table, side) <= 1, "an id"
            continue
        with pytest.raises(
            (TypeError, FileFormatError), match="is the text of a list; write a row"
        ):
            through(door, table, side)
