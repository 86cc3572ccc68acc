"""Measures as text: what is printed reads back, and what other programs write is understood."""

import copy
import math
import pickle
import time
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank import (
    InvalidParameterError,
    UnknownMeasureError,
    evaluate,
    harmonic_mean_score,
    measure,
)
from sklearn_rank.measures import METRICS
from sklearn_rank.measures.catalogue import find_metric
from sklearn_rank.measures.grammar import parse_measures

# Values of own parameters, besides their defaults.
VALUES = {
    "denominator": {
        "map": ["relevant", "retrieved", "k"],
        "precision": ["retrieved"],
        "recall": ["min"],
    },
    "min_rel": [1, 2, 0.5, 1e-7, 123456789.25],
    "normalize": [True],
    "beta": [0, 0.5, 2, 0.1234567890123, 1e16, 1e300],
    "gain": ["linear", "exp2_next", {1: 1, 2: 3.5}, {0.5: 0.123456789012, 1234567: 7654321}],
    "max_grade": [4, 4.5, 1234567],
    "unretrieved": ["ignore"],
    "n_negatives": [0, 100, 1234567.5, [1, 2], [1234567]],
    "smoothing": [1, 0.25],
    "tail": ["linear"],
    "discount": ["log2_rank", "rank"],
    "average": {"lag": ["pooled"], "auc": ["pooled", "macro", "impressions"]},
    "recall": [0, 0.1, 0.123456789, 1],
}


def records():
    for metric in METRICS:
        base = "hmean(ndcg(gain=linear)@5,map)" if metric.combines else metric.name
        for k in (None, 1, 10, 10**30) if metric.takes_k else (None,):
            yield measure(base, k=k)
            for name in metric.defaults:
                values = VALUES.get(name, [])
                for value in values.get(metric.name, []) if isinstance(values, dict) else values:
                    if value != "k" or k is not None:
                        yield measure(base, k=k, **{name: value})


RECORDS = list(records())


def test_what_is_printed_reads_back():
    for one in RECORDS:
        assert measure(str(one)) == one
        assert str(measure(str(one))) == str(one)
        assert repr(one) == f"<measure {one}>"


def test_measures_are_values():
    assert len({str(one) for one in RECORDS}) == len(set(RECORDS))
    for one in RECORDS:
        for twin in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
            assert (twin, hash(twin), twin.given) == (one, hash(one), one.given)
            assert twin.options == one.options
            assert "options" not in one.__getstate__()  # read, and not stored
        assert one != measure("map(denominator=k)@77")
        assert one != str(one)


def test_names_and_aliases_are_read_in_any_case():
    for metric in METRICS:
        for name in (metric.name, *metric.aliases):
            assert find_metric(name) is metric
            assert find_metric(name.upper()) is metric
        assert pickle.loads(pickle.dumps(metric)) is copy.deepcopy(metric) is metric


SPELLINGS = {
    # trec_eval
    "ndcg_cut.10": "ndcg@10",
    "hit_rate_at_5": "hit_rate@5",
    "set_recall": "recall",
    "set_F": "fbeta",
    "SetF": "fbeta",
    "Rprec": "rprec",
    "nDCGRendle2020@10": "ndcg(gain=binary)@10",
    "ExtendedF1(ndcg,map)@5": "hmean(ndcg,map)@5",
    "map@5-l2": "map(min_rel=2)@5",
    "11pt_avg": "iprec",
    "all_hit@5": "all_hit_rate@5",
    "iprec(recall=11pt)": "iprec",
    "IPrec@0.1": "iprec(recall=0.1)",
    "iprec_at_recall_0.10": "iprec(recall=0.1)",
    "iprec_at_recall.0.25": "iprec(recall=0.25)",
    "ndcg_cut_10": "ndcg@10",
    # ir_measures
    "nDCG(dcg='log2')@20": "ndcg(gain=linear)@20",
    "nDCG(dcg='exp-log2')@10": "ndcg@10",
    "RR(rel=2)@10": "mrr(min_rel=2)@10",
    # ranx
    "precision@5-l2": "precision(min_rel=2)@5",
    "ndcg_burges@10": "ndcg@10",
    # own
    "fbeta( beta = 2.0 ) @ 5": "fbeta(beta=2)@5",
    "  ndcg@10 ": "ndcg@10",
    "ndcg(discount=log2,gain=linear)@3": "ndcg(gain=linear)@3",
    "ndcg(gain={1: 1, 2: 3})@10": "ndcg(gain={1:1,2:3})@10",
    "ndcg(gain={2:3,1:1})": "ndcg(gain={1:1,2:3})",
    "map(denominator='relevant')": "map(denominator=relevant)",
    "map(min_rel=none)": "map",
    # The parameter of SetF is the square of beta.
    "SetF(beta=4)": "fbeta(beta=2)",
    "F(beta=2)": "fbeta(beta=2)",
    "hmean(P_5,hmean(map,r))": "hmean(precision@5,hmean(map,recall))",
}


def test_spellings():
    for text, printed in SPELLINGS.items():
        assert str(measure(text)) == printed
        assert measure(text) == measure(printed)


SEVERAL = [
    ("ndcg@5,10", ["ndcg@5", "ndcg@10"]),
    ("P.1, 3", ["precision@1", "precision@3"]),
    ("ndcg_cut.5,10", ["ndcg@5", "ndcg@10"]),
    (
        ["map(denominator=k,min_rel=2)@5,7", "mrr"],
        ["map(denominator=k,min_rel=2)@5", "map(denominator=k,min_rel=2)@7", "mrr"],
    ),
    ("ndcg(gain={1:1,2:3})@1,2", ["ndcg(gain={1:1,2:3})@1", "ndcg(gain={1:1,2:3})@2"]),
]


def test_several_cutoffs_at_once():
    for spelling, meanings in SEVERAL:
        assert parse_measures(spelling) == parse_measures(map(measure, meanings))
    evaluation = evaluate([{"a", "b"}], [["x", "a"]], ["p@1,2", "mrr"])
    assert evaluation.scores == {"precision@1": 0.0, "precision@2": 0.5, "mrr": 0.5}


UNKNOWN = {
    "nDGC@10": r"^unknown measure 'nDGC'; did you mean 'ndcg'\?; known measures: map, mar, ",
    "hits@10": r"unknown measure 'hits'; hits@10 of knowledge graphs is 'hit_rate@10'; known",
    "rbo@10": r"unknown measure 'rbo'; rank_biased_overlap_score\(first, second\) compares two",
    "coverage@20": r"unknown measure 'coverage'; it does not depend on judgements: .* values=",
    "ndcg10": r"^unknown measure 'ndcg10'; did you mean 'ndcg@10'\?; known measures: map",
    "NDCG-5": r"did you mean 'ndcg@5'\?",
    "p10": r"did you mean 'precision@10'\?",
    "f2@5": r"did you mean 'fbeta\(beta=2\)'\?",
    "lag5": r"did you mean 'lag'\?",
    "hmean(ndgc,map)": r"unknown measure 'ndgc'; did you mean 'ndcg'\?",
    "": r"^'' is not a measure; spell it like 'ndcg\(gain=linear\)@10'$",
    "map,ndcg@10": r"looks like several: pass a list, or on the command line -m for each",
    "ndcg(": r"'ndcg\(' is not a measure",
    "map\0": r"'map\\x00' is not a measure",
    "m\u0430p": r"unknown measure 'm\u0430p'; did you mean 'map'\?",
    "ndcg@5-": r"minus sign counts undefined queries as 0; write 'ndcg@5' and zero_division=0\.0$",
    "ndcg-": r"minus sign .* write 'ndcg' and zero_division=0\.0$",
    **dict.fromkeys(("P.", "P.x", "ndcg.cut.10", ".5"), r"not a measure|unknown measure"),
    "x" * 100_000: r"unknown measure 'x{39}\.\.\.x{38}'",
}


WRONG = {
    "ndcg@0": r"^The 'k' parameter of 'ndcg@0' must be an int in the range \[1, inf\) or None",
    "ndcg@-1": r"^the cutoff of 'ndcg@-1' must be a whole number, got '-1'$",
    "err(max_grade=dataset)": r"must be 'query' or a finite number above 0",
    "ndcg@\u0663": r"must be a whole number, got '\u0663'",
    "ndcg@" + "9" * 5000: r"must be a whole number, got '9{39}\.\.\.9{38}'",
    "auc@10": r"^auc reads the whole ranking and takes no cutoff, got k=10$",
    "ndcg(gian=linear)": r"^ndcg has no parameter 'gian'; did you mean 'gain'\?; it has: gain, dis",
    "ndcg(gain=log)": r"The 'gain' parameter of ndcg must be one of .*\. Got 'log' instead",
    "ndcg(gain=)": r"^'' in 'ndcg\(gain=\)' is neither a number nor a word$",
    "ndcg(gain=[1,2])": r"'ndcg\(gain=\[1,2\]\)'",
    "ndcg(gain={1:[2]})": r"is neither a number nor a word",
    "ndcg(gain=linear,gain=exp2)": r"^gain is set twice in 'ndcg\(gain=linear,gain=exp2\)'$",
    "f1(beta=2)": r"beta is set twice in 'f1\(beta=2\)'",
    "fbeta(beta=-1)": r"The 'beta' parameter of fbeta must be a finite number in .*\. Got -1",
    "fbeta(beta=" + "9" * 400 + ")": r"The 'beta' parameter of fbeta must be a finite number",
    "fbeta(beta=" + "9" * 5000 + ")": r"is neither a number nor a word",
    "map-l" + "9" * 400: r"'min_rel' parameter of map must be a finite number",
    "map-l0": r"The 'min_rel' parameter of map must be a finite number in the range \(0, inf\)",
    "auc(average=micro)": r"The 'average' parameter of auc must be one of 'positives', 'pooled'",
    "hmean(ndcg,lag)": r"hmean needs measures with values per query from 0 to 1 \(best\), got lag",
    "hmean(auc(average=pooled),map)": r"hmean needs measures .* got auc\(average=pooled",
    "map(ndcg,map)": r"^map does not combine other measures, got 'map\(ndcg,map\)'$",
    "fbeta(beta=" + "(" * 500 + ")": r"is neither a number nor a word",
    r"fbeta(beta='a\d')": r"fbeta",
    "hmean(" * 3000 + "map" + ",map)" * 3000: r"hmean",
}


REFUSED = [
    *((text, UnknownMeasureError, message) for text, message in UNKNOWN.items()),
    *((text, InvalidParameterError, message) for text, message in WRONG.items()),
]


@pytest.mark.parametrize(
    ("text", "error", "message"), REFUSED, ids=[row[0][:30] for row in REFUSED]
)
def test_wrong_measures(text, error, message):
    with pytest.raises(error, match=message):
        measure(text)


PIECES = st.sampled_from(
    [
        "ndcg",
        "map",
        "hmean",
        "P",
        "_10",
        "@",
        "@10",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ",",
        "=",
        "gain",
        "beta",
        "denominator",
        "k",
        "0",
        "1e9",
        "1:2",
        "-",
        "-l2",
        "rel",
        "dcg",
        "'",
        "n_negatives",
        "none",
        "true",
        "0x1",
        "1_0",
        "1if",
        "\\d",
        " ",
        "\n",
        "\0",
        "\ud800",
    ]
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=12).map("".join)))
def test_only_three_errors_come_out_of_any_text(text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            one = measure(text)
        except (InvalidParameterError, UnknownMeasureError):
            return
    assert measure(str(one)) == one


ATOMS = st.one_of(st.text(), st.integers(), st.floats(), st.none(), st.binary(), st.booleans())
NESTED = st.recursive(ATOMS, lambda inner: st.lists(inner) | st.tuples(inner, inner), max_leaves=4)


@given(st.sampled_from(METRICS), NESTED, NESTED, st.sampled_from(sorted(VALUES)))
def test_only_three_errors_come_out_of_any_parameter(metric, k, value, name):
    base = "hmean(ndcg,map)" if metric.combines else metric.name
    for arguments in ({"k": k}, {name: value}):
        try:
            measure(base, **arguments)
        except InvalidParameterError:
            continue


def test_parameters_by_keyword():
    assert measure("ndcg", k=10, gain="linear") == measure("ndcg(gain=linear)@10")
    assert measure("ndcg@10", k=10) == measure("ndcg@10")
    assert measure("fbeta", beta=np.float64(1)) == measure("f1")
    assert measure(measure("fbeta"), k=np.int64(3)).k == 3


@pytest.mark.parametrize(
    ("spec", "k", "parameters", "message"),
    [
        ("ndcg@10", 5, {}, r"^k is set twice for 'ndcg@10'$"),
        ("ndcg(gain=linear)", None, {"gain": "exp2"}, r"^gain is set twice for 'ndcg\(gain="),
        ("f1", None, {"beta": 2}, r"^beta is set twice for 'f1'$"),
        ("map", True, {}, r"The 'k' parameter of map must be an int"),
        ("auc", None, {"n_negatives": 10**400}, r"The 'n_negatives' parameter of auc"),
        ("auc", None, {"n_negatives": [[1], [2, 3]]}, r"The 'n_negatives' parameter of auc"),
        ("ndcg", None, {"gain": {math.nan: 1}}, r"The 'gain' parameter of ndcg .* Got nan"),
        ("ndcg", None, {"gain": np.array([0, 1])}, r"The 'gain' parameter of ndcg"),
        ("map", None, {"min_rel": 0}, r"The 'min_rel' parameter of map"),
    ],
)
def test_wrong_keywords(spec, k, parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        measure(spec, k=k, **parameters)


HMEAN = "hmean(map(denominator=k),recall)@10"


def test_members_take_the_cutoff_of_the_whole():
    assert str(measure(HMEAN)) == HMEAN
    assert measure(HMEAN) == measure("hmean", k=10, measures=("map(denominator=k)", "recall"))
    # Two relevant items, one found at rank 1: AP is 1 / 10, recall 1 / 2.
    pair = [{"a", "z"}], [["a", "b"]]
    expected = 2 * 1 / 10 * 1 / 2 / (1 / 10 + 1 / 2)
    assert evaluate(*pair, HMEAN)[HMEAN] == pytest.approx(expected)
    members = ("map(denominator=k)", "recall")
    assert harmonic_mean_score(*pair, k=10, measures=members) == pytest.approx(expected)


@pytest.mark.parametrize(
    "text",
    [
        "map" + " " * 50_000 + "!",
        "map" + "_1" * 40_000 + "!",
        "hmean(" * 20_000,
        "fbeta(beta=" + "(" * 50_000 + ")",
        "x" * 10_000_000,
    ],
    ids=lambda text: text[:12],
)
def test_long_texts_are_refused_at_once(text):
    start = time.perf_counter()
    with pytest.raises(
        InvalidParameterError, match=r"not a measure|unknown|nests|longer|neither|whole number"
    ):
        measure(text)
    assert time.perf_counter() - start < 1


def test_defaults_are_equal_to_nothing_given():
    assert measure("map(denominator=min)") == measure("map") != measure("map@10")
    assert hash(measure("map(denominator=min)")) == hash(measure("map"))
    assert measure("map(denominator=min)").given == {"denominator"}


def test_tables_make_measures_that_are_values():
    one = measure("ndcg", gain={2: 3, 1: 1})
    assert pickle.loads(pickle.dumps(one)) == one == copy.deepcopy(one)
    assert hash(one) == hash(measure("ndcg", gain={1: 1, 2: 3}))


@pytest.mark.parametrize(
    ("measures", "error", "message"),
    [
        ([], ValueError, r"^measures is empty; name at least one$"),
        (
            ["p@1", "p@2", "P_1"],
            ValueError,
            r"^measures has precision@1 twice; 'p@1' is precision@1$",
        ),
        (3, TypeError, r"measures must be a str, a Measure or a sequence of them, got 3"),
        ([None], TypeError, r"a measure must be a str or Measure, got NoneType"),
        ([max], TypeError, r"got builtin_function_or_method: .*; measure_from\(name, function\)"),
        ([b"map"], TypeError, r"a measure must be a str or Measure, got bytes: b'map'"),
    ],
)
def test_wrong_sets_of_measures(measures, error, message):
    with pytest.raises(error, match=message):
        parse_measures(measures)


@pytest.fixture(scope="module")
def evaluation():
    # Precisions at the relevant ranks 1 and 3: 1 and 2/3.
    measures = ("f1@5", "P_5", "map(denominator=relevant)@5", "hmean(ndcg,map,beta=0.5)@5")
    return evaluate([{"a", "c", "z"}], [["a", "b", "c", "d", "e", "f"]], measures)


NDCG = (1 + 1 / 2) / (1 + 1 / math.log2(3) + 1 / 2)
MAP = (1 + 2 / 3) / 3


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ("f1@5", 2 * 2 / (3 + 5)),
        (measure("f1", k=5), 2 * 2 / (3 + 5)),
        ("P@5", 2 / 5),
        ("AP(denominator=relevant)@5", MAP),
        # Members take the cutoff of the whole.
        ("hmean(nDCG,AP,beta=0.5)@5", 1.25 * NDCG * MAP / (0.25 * NDCG + MAP)),
    ],
)
def test_results_are_found_under_any_spelling(evaluation, spelling, expected):
    assert evaluation[spelling] == pytest.approx(expected, rel=1e-14)
    assert evaluation.scores[spelling] == evaluation[spelling]
    assert evaluation.per_query[spelling].tolist() == [evaluation[spelling]]
    assert spelling in evaluation.scores


def test_what_was_not_evaluated_is_named(evaluation):
    with pytest.raises(
        UnknownMeasureError, match=r"^'precision@6' was not evaluated; did you mean 'precision@5'\?"
    ):
        evaluation["P@6"]
    with pytest.raises(UnknownMeasureError, match=r"^unknown measure 'nDGC'; did you mean 'ndcg'"):
        evaluation["nDGC"]
    with pytest.raises(TypeError, match=r"a measure must be a str or Measure, got int"):
        evaluation[3]
    assert "mrr" not in evaluation.scores
    assert 3 not in evaluation.scores


DEPTHS = {
    "map": None,
    "map@7": 7,
    "rprec": None,
    "auc": None,
    "lauc@7": None,
    "dcg@7": 7,
    "dcg(gain=linear)@7": 7,
    "hmean(ndcg,map)@7": 7,
    "hmean(ndcg@9,map@2)": 9,
    "hmean(ndcg@9,map)": None,
}


@pytest.mark.parametrize(("name", "depth"), DEPTHS.items())
def test_how_deep_a_measure_reads(name: str, depth: int | None) -> None:
    assert measure(name).depth == depth


LETTERS = ("precision_at_k", "ndcg@k", "P@K", "MAP@k", "recallAtK", "ndcg_cut_k", "hit_rate_at_k")
LETTERS += ("ndcg(gain=linear)@k", "success_k", "ndcg_at_k_score", "judged-at-k")


@pytest.mark.parametrize("text", LETTERS)
def test_a_letter_is_no_cutoff(text):
    """Or the measure of whole rankings would be computed without a word."""
    for call in (measure, lambda text: evaluate([{"a"}], [["a"]], ["map", text])):
        with pytest.raises(
            InvalidParameterError, match=r"^the k in .* write a cutoff, as in '.*@10'"
        ):
            call(text)
    assert measure(text, k=3).k == 3
