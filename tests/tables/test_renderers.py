"""Cells and tables in every format: digits, points in line, and the best."""

import math
import pickle
from functools import cached_property

import pytest

from sklearn_rank import compare, evaluate
from sklearn_rank.tables.formats import (
    MOST_PRINTED,
    Tabular,
    aligned,
    display_width,
    to_csv,
    to_html,
    to_markdown,
    to_text,
)
from sklearn_rank.tables.table import (
    Cell,
    Column,
    Table,
    count_cell,
    fixed,
    interval_cell,
    number_cell,
    p_cell,
    p_text,
    text_cell,
)

SYSTEMS = Table(
    (Column("system"), Column("map", "number"), Column("95% interval", "interval")),
    (
        (text_cell("bm25"), number_cell(0.25), interval_cell(-0.5, 1.0)),
        (text_cell("dense"), number_cell(10.5, best=True), interval_cell(9, 12)),
        (text_cell("none"), number_cell(math.nan), interval_cell(math.nan, 1.0)),
    ),
    notes=("3 queries", "Holm"),
)

# Cells -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.12345, "0.1235"), (-0.0, "0.0000"), (1.5e9, "1.5e+09"), (math.inf, "inf"), (2, "2.0000")],
)
def test_a_number_has_four_digits_behind_its_point(value, text):
    assert fixed(value) == number_cell(value).text == text


def test_a_change_has_its_sign_and_a_small_p_value_is_not_called_zero():
    signed = {0.5: "+0.5000", -0.5: "-0.5000", -0.0: "+0.0000"}
    assert {value: fixed(value, signed=True) for value in signed} == signed
    for p, text in {0.00005: "0.0001", 0.0000499: "<0.0001", 1: "1.0000"}.items():
        assert p_cell(p) == Cell(text, p)
        assert p_text(p) in (f"p (Holm) = {text}", f"p (Holm) < {text[1:]}")


def test_what_is_not_there_is_an_empty_cell():
    empty = [number_cell(None), number_cell(math.nan), p_cell(None), p_cell(math.nan)]
    empty += [count_cell(None), interval_cell(None, 1.0), interval_cell(0.0, math.nan)]
    assert set(empty) == {Cell("")}
    assert count_cell(1234567) == Cell("1,234,567", 1234567)


# Formats -----------------------------------------------------------------------------------------


def test_text():
    assert to_text(SYSTEMS).split("\n") == [
        "system      map       95% interval",
        "bm25     0.2500    -0.5000..1.0000",
        "dense   10.5000 *  9.0000..12.0000",
        "none",
        "3 queries",
        "Holm",
    ]
    # Sentences are not cut.
    whole = Table((Column("finding", longest=None),), ((text_cell("x" * 300),),))
    assert "x" * 300 in to_text(whole)


def test_markdown():
    assert to_markdown(SYSTEMS).split("\n") == [
        "| system | map | 95% interval |",
        "| --- | ---: | ---: |",
        "| bm25 | 0.2500 | -0.5000..1.0000 |",
        "| dense | **10.5000** | 9.0000..12.0000 |",
        "| none |  |  |",
        "",
        "3 queries  ",
        "Holm",
    ]


def test_html():
    page = to_html(SYSTEMS)
    assert '<caption style="caption-side:bottom">3 queries<br>Holm</caption>' in page
    assert '<th style="text-align:right">map</th>' in page
    assert (
        '<tr><td style="text-align:left">dense</td><td style="text-align:right">'
        "<strong>10.5000</strong></td>"
    ) in page
    assert "color" not in page, "it reads on light ground and on dark"


def test_csv_has_numbers_in_full():
    third = Table((Column("x", "number"),), ((number_cell(1 / 3),), (number_cell(None),)))
    assert to_csv(third) == 'x\n0.3333333333333333\n""\n'


# Cells that stand out ----------------------------------------------------------------------------


def best_table(*, best: bool) -> Table:
    cell = number_cell(0.5, best=best)
    return Table((Column("map", "number"),), ((cell,),), notes=("2 queries",), meaning="best")


def test_each_format_names_its_own_sign():
    assert to_text(best_table(best=True)).splitlines()[2:] == ["*: best", "2 queries"]
    assert "bold: best  \n2 queries" in to_markdown(best_table(best=True))
    assert ">bold: best<br>2 queries</caption>" in to_html(best_table(best=True))
    for write in (to_text, to_markdown, to_html):
        assert "best" not in write(best_table(best=False))


# Width on a terminal ------------------------------------------------------------------------------


WIDTHS = {"": 0, "map": 3, "日本": 4, "\uff4d\uff41\uff50": 6, "é": 1, "e\u0301": 1, "ä日": 3}


def test_the_width_of_a_text_is_that_on_a_terminal():
    assert {text: display_width(text) for text in WIDTHS} == WIDTHS


def test_columns_stand_to_their_side_and_lines_have_no_end_of_spaces():
    rows = [("slice", "queries", ""), ("a", "7", "ok"), ("long-tail", "1,000", "")]
    assert aligned(rows, "<><") == [
        "slice      queries",
        "a                7  ok",
        "long-tail    1,000",
    ]
    wide = [("日本", "1"), ("e\u0301tat", "2"), ("abcd", "3")]
    assert aligned(wide, "<>") == ["日本  1", "e\u0301tat  2", "abcd  3"]


# Results that are lists or dicts, and print as tables ---------------------------------------------

N = MOST_PRINTED + 5
TRUTH = {f"q{number:02d}": {"a": 2, "b": 1} for number in range(N)}
OLD = {query: ["a", "x", "b"] for query in TRUTH}
NEW = {query: ["x", "a", "b"] for query in TRUTH}
EVIL = "<b>\x1b[31m"


@pytest.fixture(scope="module")
def compared():
    return compare(TRUTH, {"old": OLD, "new": NEW}, ["mrr", "map"])


def results(compared):
    own = compared.evaluations["new"]
    labels = {query: f"s{number}" for number, query in enumerate(TRUTH)}
    return {
        "by_slice": own.by_slice(labels),
        "most_changed": compared.most_changed(N, query_text={"q03": EVIL}),
        "slices of two": compared.by_slice(
            {query: {"s1": "b"}.get(s, "a") for query, s in labels.items()}
        ),
    }


def test_long_lists_print_their_first_rows_and_stay_lists(compared):
    for name, result in results(compared).items():
        assert isinstance(result, (list, dict))
        text, page = repr(result), result._repr_html_()
        assert EVIL not in text + page, name
        assert pickle.loads(pickle.dumps(result)).to_markdown() == result.to_markdown()
        if len(result) == N:
            assert f"and {N - MOST_PRINTED} more" in text
            assert page.count("<tr>") == 1 + MOST_PRINTED
            assert result.to_markdown().count("\n") >= N, "a file has them all"
    changed = compared.most_changed(2)
    assert changed == list(changed)
    assert repr(changed[:1]) == repr([changed[0]])


def test_nothing_to_show_is_a_table_without_rows(compared):
    perfect = compare(TRUTH, {"old": OLD, "new": OLD}, "mrr")
    assert "no query changed" in repr(perfect.most_changed())


def test_slices_have_a_row_each(compared):
    parts = compared.evaluations["new"].by_slice({"head": {"q00"}, "tail": {"q01", "q02"}})
    assert repr(parts).split("\n") == [
        "slice  queries     mrr     map",
        "head         1  0.5000  0.5833",
        "tail         2  0.5000  0.5833",
    ]  # (1 / 2 + 2 / 3) / 2


@pytest.mark.parametrize(
    ("measures", "note"),
    [
        ("ndcg@2", "ndcg@2: gain 2^grade - 1, discount log2(rank + 1)"),
        (("ndcg(gain=linear)", "dcg(gain=linear)"), "gain grade, discount log2(rank + 1)"),
        ("rbp(gain=linear)", "rbp(gain=linear): gain grade"),
        ("map", ""),
    ],
)
def test_gain_and_discount_are_told_where_grades_are_above_1(measures, note):
    assert note in repr(evaluate(TRUTH, NEW, measures))
    assert ("gain" in repr(evaluate(TRUTH, NEW, measures)).split("\n")[-1]) is bool(note)
    assert note in repr(compare(TRUTH, {"old": OLD, "new": NEW}, measures))
    binary = {query: {"a": 1} for query in TRUTH}
    assert "discount" not in repr(evaluate(binary, NEW, measures))


def test_a_frame_library_that_is_absent_is_named(monkeypatch):
    monkeypatch.setattr("sklearn_rank.tables.table.find_spec", lambda _: None)
    with pytest.raises(ModuleNotFoundError, match=r"pandas is not .*backend='polars', .*to_dict"):
        evaluate([{"a"}], [["a"]], "map").to_frame()


# Names that a result does not have ---------------------------------------------------------------


class Failing(Tabular):
    """A result with a property that fails inside, and one that is also in the table of hints."""

    @property
    def notes(self) -> str:
        return [].missing_name  # type: ignore[attr-defined, no-any-return]

    @cached_property
    def table(self) -> str:
        return {}.other_name  # type: ignore[attr-defined, no-any-return]


def test_a_hint_never_hides_the_error_of_a_property() -> None:
    for name, cause in (
        ("notes", "'list' object has no attribute 'missing_name'"),
        ("table", "other"),
    ):
        with pytest.raises(AttributeError, match=cause):
            getattr(Failing(), name)
    with pytest.raises(AttributeError, match="'Failing' object has no attribute 'to_df'; to_frame"):
        getattr(Failing(), "to_df")  # noqa: B009
    assert not hasattr(Failing(), "nothing")
