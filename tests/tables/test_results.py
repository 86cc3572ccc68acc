"""Results that are lists or dicts, and print as tables."""

import pickle

import pytest

from sklearn_rank import compare, evaluate
from sklearn_rank.tables.formats import MOST_PRINTED

N = MOST_PRINTED + 5
TRUTH = {f"q{number:02d}": {"a": 2, "b": 1} for number in range(N)}
OLD = {query: ["a", "x", "b"] for query in TRUTH}
NEW = {query: ["x", "a", "b"] for query in TRUTH}
EVIL = "<b>\x1b[31m"


@pytest.fixture(scope="module")
def compared():
    return compare(TRUTH, {"old": OLD, "new": NEW}, ["mrr", "map"], query_text={"q03": EVIL})


def results(compared):
    own = compared.evaluations["new"]
    labels = {query: f"s{number}" for number, query in enumerate(TRUTH)}
    return {
        "worst": own.worst(N, query_text={"q03": EVIL}),
        "by_slice": own.by_slice(labels),
        "most_changed": compared.most_changed(N),
        "worst of two": compared.worst(N),
        "query_changes": compared.query_changes(list(TRUTH)),
        "slices of two": compared.by_slice(
            {query: {"s1": "b"}.get(s, "a") for query, s in labels.items()}
        ),
    }


def test_long_lists_print_their_first_rows_and_stay_lists(compared):
    for name, result in results(compared).items():
        assert isinstance(result, (list, dict))
        text, page = repr(result), result._repr_html_()
        assert EVIL not in text + page, name
        assert pickle.loads(pickle.dumps(result)).to_csv() == result.to_csv()
        if len(result) == N:
            assert f"and {N - MOST_PRINTED} more" in text
            assert page.count("<tr>") == 1 + MOST_PRINTED
            assert result.to_csv().count("\n") >= N, "a file has them all"
    worst = compared.evaluations["new"].worst(2)
    assert repr(worst).split("\n") == [
        "query     mrr  relevant at",
        "q00    0.5000  2, 3 of 3",
        "q01    0.5000  2, 3 of 3",
    ]
    assert worst == list(worst)
    assert repr(worst[:1]) == repr([worst[0]])


def test_nothing_to_show_is_a_table_without_rows(compared):
    perfect = compare(TRUTH, {"old": OLD, "new": OLD}, "mrr")
    assert "no query changed" in repr(perfect.most_changed())
    assert repr(perfect.evaluations["old"].worst()) == "query  value  relevant at"


def test_slices_have_a_row_each(compared):
    parts = compared.evaluations["new"].by_slice({"head": {"q00"}, "tail": {"q01", "q02"}})
    assert repr(parts).split("\n") == [
        "slice  queries     mrr     map",
        "head         1  0.5000  0.5833",
        "tail         2  0.5000  0.5833",
    ]  # (1 / 2 + 2 / 3) / 2


def test_bounds_are_a_table():
    bounds = evaluate([{"a": 1, "b": 0}], [["a", "b", "new"]], "map").bounds("map")
    assert repr(bounds).split("\n") == [
        "measure   least  greatest",
        "map      0.8333    1.0000",
        "1 query; over all grades of unjudged items",
    ]


@pytest.mark.parametrize(
    ("measures", "note"),
    [
        ("ndcg@2", "ndcg@2: gain 2^grade - 1, discount log2(rank + 1)"),
        (("ndcg(gain=linear)", "dcg(gain=linear)"), "gain grade, discount log2(rank + 1)"),
        ("map", ""),
    ],
)
def test_gain_and_discount_are_told_where_grades_are_above_1(measures, note):
    assert note in repr(evaluate(TRUTH, NEW, measures))
    assert ("gain" in repr(evaluate(TRUTH, NEW, measures)).split("\n")[-1]) is bool(note)
    assert note in repr(compare(TRUTH, {"old": OLD, "new": NEW}, measures))
    binary = {query: {"a": 1} for query in TRUTH}
    assert "discount" not in repr(evaluate(binary, NEW, measures))
