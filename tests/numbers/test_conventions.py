"""A convention fills in parameters that were left open, refuses what it cannot give, and warns."""

import copy
import math
import pickle

import numpy as np
import pytest

from sklearn_rank import (
    CONVENTIONS,
    ConventionWarning,
    InvalidParameterError,
    QueryMismatchError,
    UndefinedMetricError,
    UnknownMeasureError,
    evaluate,
    measure,
)
from sklearn_rank.measures.conventions import find_convention

RANKING = [["a", "x", "b", "y"]], [{"a": 1, "b": 2, "z": 1}]


@pytest.mark.parametrize(
    ("spec", "used"),
    [
        ("ndcg", "ndcg(gain=linear)"),
        ("ndcg@5", "ndcg(gain=linear)@5"),
        ("ndcg(gain=exp2)", "ndcg"),
        ("ndcg(gain=binary)", "ndcg(gain=binary)"),
        ("ndcg_burges", "ndcg"),
        ("nDCG(dcg='exp-log2')", "ndcg"),
        ("map(denominator=min)@5", "map@5"),
        ("map(rel=2)", "map(denominator=relevant,min_rel=2)"),
        ("mrr", "mrr"),
    ],
)
def test_explicit_parameters_of_measures_win(spec, used):
    assert str(CONVENTIONS["trec_eval"].apply(measure(spec))) == used


def test_results_are_found_as_asked_and_as_used():
    ranking, truth = RANKING
    asked = (measure("ndcg@1"), measure("ndcg", k=1, gain="exp2"))
    both = evaluate(truth, ranking, asked, convention="trec_eval")
    assert list(both.scores.values()) == pytest.approx([1 / 2, 1 / 3])
    evaluation = evaluate(truth, ranking, "ndcg@1", convention="trec_eval")
    assert list(evaluation.scores) == ["ndcg@1"]
    assert evaluation["ndcg@1"] == evaluation["ndcg(gain=linear)@1"] == 1 / 2
    assert [str(used) for used in evaluation.measures] == ["ndcg(gain=linear)@1"]
    assert evaluation.to_dict()["measures"] == {"ndcg@1": "ndcg(gain=linear)@1"}
    with pytest.raises(UnknownMeasureError, match="was not evaluated"):
        evaluation["ndcg(gain=exp2)@1"]  # an explicit parameter that it did not use


# What counts for an undefined query --------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "measures", "expected"),
    [
        ("trec_eval", ("map",), [1 / 2]),
        ("xgboost", ("map", "ndcg@5", "precision@1"), [1.0, 1.0, 1 / 2]),
        ("warprec", ("precision@1", "f1@1", "hmean(map,mrr)@1"), [1.0, 1.0, 1.0]),
        ("ptranking", ("map",), None),
        ("recbole", ("recall",), None),
    ],
)
def test_an_undefined_query_counts_what_the_program_counts_unless_told(name, measures, expected):
    def scores(**options):
        sides = [set(), {"a"}], [["a"], ["a"]]
        return list(evaluate(*sides, measures, convention=name, **options).scores.values())

    message = r"^\S+( and \S+|, \S+ and \S+)? (is|are) undefined for 1 of 2 queries: 0$"
    if expected is None:  # where a mean of the program is NaN the query is named
        with pytest.raises(UndefinedMetricError, match=message):
            scores()
    else:
        assert scores() == expected
    for value, mean in ((0.0, 1 / 2), (1.0, 1.0), (np.nan, 1.0)):
        assert set(scores(zero_division=value)) == {mean}
    with pytest.raises(UndefinedMetricError, match=message):
        scores(zero_division="raise")


def test_slices_and_intervals_keep_what_an_undefined_query_counts():
    truth = {"a": set(), "b": {"x"}, "c": {"x"}, "d": {"x"}}
    evaluation = evaluate(
        truth, {query: ["x"] for query in truth}, ("ndcg", "precision"), convention="xgboost"
    )
    part = evaluation.by_slice({"a": "left", "b": "left", "c": "right", "d": "right"})["left"]
    assert (part["ndcg"], part["precision"]) == (1.0, 1 / 2)
    low, high = evaluation.confidence_interval("precision")
    assert low < 3 / 4 < high


# Ties, missing queries ---------------------------------------------------------------------------


def test_explicit_ties_win():
    truth, run = {"q": {"a"}}, {"q": {"a": 1, "b": 1}}
    assert evaluate(truth, run, "mrr")["mrr"] == (1 + 1 / 2) / 2
    # Falling ids: b above a.
    assert evaluate(truth, run, "mrr", convention="trec_eval")["mrr"] == 1 / 2
    assert evaluate(truth, run, "mrr", convention="trec_eval", ties="optimistic")["mrr"] == 1.0
    assert evaluate(truth, run, "map", convention="lightgbm")["map"] == 1.0
    assert evaluate(truth, run, "mrr", convention="catboost")["mrr"] == 1 / 2
    assert evaluate(truth, run, "mrr", convention="warprec", ties="pessimistic")["mrr"] == 1 / 2


@pytest.mark.parametrize(("relevant", "expected"), [(9, 1.0), ("9", 1.0), (10, 1 / 3)])
def test_trec_eval_compares_ids_as_text(relevant, expected):
    """ "9" is greater than "10", so it stands first, whatever the type of the ids."""
    scores = dict.fromkeys(map(type(relevant), (9, 10, 11)), 1.0)
    found = evaluate({"q": {relevant: 1}}, {"q": scores}, "mrr", convention="trec_eval")
    assert found["mrr"] == expected


def test_explicit_missing_wins():
    pair = {"p": {"a"}, "q": {"b"}}, {"p": ["a"]}
    assert evaluate(*pair, "map", convention="trec_eval")["map"] == 1.0
    assert evaluate(*pair, "map", convention="trec_eval", missing="zero")["map"] == 1 / 2
    with pytest.raises(QueryMismatchError, match="1 of 2 judged queries have no ranking: 'q'"):
        evaluate(*pair, "map", convention="ranx")
    assert evaluate(*pair, "map", convention="ranx", missing="skip")["map"] == 1.0


# What cannot be given ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "spec", "message"),
    [
        ("recbole", "gauc", r"^gauc is not offered under convention 'recbole': .* is auc here$"),
        ("xgboost", "auc", r"'xgboost': XGBoost's auc counts all pairs of a group in"),
        ("lightgbm", "mar@5", r"^mar@5 is not offered under convention 'lightgbm': .*: map, ndcg$"),
        ("sklearn", "map@5", r"'sklearn': label_ranking_average_precision_score has no cutoff$"),
        ("ir_measures", "mrr@5", r"'ir_measures': its RR@k comes from another provider"),
        ("catboost", "gauc", r"'catboost': CatBoost's QueryAUC counts a tie half"),
        ("catboost", "err", r"'catboost': CatBoost's ERR uses the grade as the probability"),
        ("rectools", "ndcg@5", r"'rectools': RecTools divides by the DCG of k relevant items"),
        ("ir_measures", "set_map@2", r"^set_map@2 .*: the program computes it only without a cut"),
        ("pytrec_eval", "iprec", "it runs trec_eval 9, which rounds"),
        ("xgboost", "hmean(ndcg,map)@5", r"^hmean\(ndcg,map\)@5 is not offered under convention"),
    ],
)
def test_what_a_program_does_not_have_is_refused(name, spec, message):
    with pytest.raises(UnknownMeasureError, match=message):
        evaluate([{"a"}], [["a"]], spec, convention=name)


@pytest.mark.parametrize(
    ("name", "spec", "scores", "message"),
    [
        (
            "warprec",
            ("mrr@5", "map@5"),
            {"a": 1, "b": 1},
            r"^relevant items are tied in 1 query, which the program of convention 'warprec' "
            r"counts differently: mrr@5, map@5: the program leaves the order of tied items to ",
        ),
        (
            "sklearn",
            ("map", "ndcg"),
            {"a": 1, "b": 1},
            r"differently: map: label_ranking_av",
        ),
        ("trec_eval", "map", {}, r"^the ranking is empty in 1 query, .*: a run file cannot"),
        (
            "ardoco",
            "map",
            {"x": 1},
            r"^nothing relevant was retrieved in 1 query, .*found nothing$",
        ),
        (
            "ptranking",
            ("map@2", "map@1"),
            {"a": 1},
            r"^the ranking is shorter than the cutoff in 1 query, .*: map@2: PT-Ranking counts 0",
        ),
        ("lenskit", ("map", "mrr"), {}, r": map: LensKit leaves an empty list out of the mean$"),
    ],
)
def test_data_that_a_program_counts_otherwise_are_warned_of(name, spec, scores, message):
    with pytest.warns(ConventionWarning, match=message) as caught:
        evaluate({"q": {"a": 1}}, {"q": scores}, spec, convention=name)
    told = [one for one in caught if one.category is ConventionWarning]
    assert [one.filename for one in told] == [__file__]


TIED, JUDGED = {"a": 1.0, **{f"x{n}": 1.0 for n in range(15)}}, {"q": {"a": 1, "b": 0}}


@pytest.mark.parametrize(
    ("name", "spec", "scores", "silent", "message"),
    [
        ("torchmetrics", "map", {"a": 0.0, "b": -1.0}, {"a": 1.0, "b": -1.0}, "0 or less in 1 q"),
        ("torchmetrics", "recall@1", {"a": -1}, {"a": 1, "b": -1}, "treats items with scores"),
        *(
            (name, "mrr", {"a": 0.8, "b": 0.8 + 1e-9}, {"a": 0.8, "b": 0.8}, "tied as float32 in")
            for name in ("pytrec_eval", "ir_measures")
        ),
        (
            "ir_measures",
            "judged@1",
            {"a": 1, "x": 1},
            {"a": 1, "b": 1, "x": 0},
            "by ascending",
        ),
        ("ranx", "mrr", TIED, dict([*TIED.items()][:15]), "in 1 query with 16 or more items"),
        ("recommenders", "map", {"a": 1}, None, "^nothing is relevant to the 1 query, .* 0$"),
    ],
)
def test_scores_and_sizes_that_a_program_reads_otherwise_are_warned_of(
    name, spec, scores, silent, message
):
    truth = JUDGED if silent else {"q": {"b": 0}}
    with pytest.warns(ConventionWarning, match=message):
        evaluate(truth, {"q": scores}, spec, convention=name)
    if silent:
        evaluate(truth, {"q": silent}, spec, convention=name)
    if name == "ranx":  # whoever says how ties are broken knows
        evaluate(truth, {"q": scores}, spec, convention=name, ties="stable")


def test_grades_that_a_program_counts_otherwise_are_warned_of():
    with pytest.warns(ConventionWarning, match="^1 grades are above 1, .* a sum of grades$"):
        evaluate([{"a": 2, "b": 1}], [["a", "b"]], "map", convention="ptranking")


@pytest.mark.parametrize(
    ("spec", "expected"), [("ndcg", 0.429089070278), ("map", 0.205694623176), ("precision", 0.4375)]
)
def test_xgboost_reads_32_ranks_unless_told_otherwise(spec, expected):
    # Asked of XGBoost 3.2: 60 rows of one group, without "@" in eval_metric.
    generator = np.random.default_rng(0)
    grades, scores = generator.integers(0, 2, 60), generator.permutation(60) / 64
    found = evaluate(grades[None], scores[None], (spec, f"{spec}@60"), convention="xgboost")
    assert found[spec] == pytest.approx(expected, abs=1e-9)
    assert found[f"{spec}@60"] != found[spec]
    assert str(found.measures[0]).endswith("@32")


def test_a_mean_of_measures_is_found_by_its_members():
    """Those of WarpRec have the settings of WarpRec."""
    found = evaluate([{"a"}], [["x", "a"]], "hmean(ndcg,mrr)@2", convention="warprec")
    used = measure("hmean(mrr,mrr)@2").options["measures"]
    assert found.measures[0].options["measures"][1] == used[1]
    assert found["hmean(ndcg,mrr)@2"] == pytest.approx(2 / (math.log2(3) + 2))
    for other in ("hmean(mrr,ndcg)@2", "hmean"):
        with pytest.raises(UnknownMeasureError, match="was not evaluated"):
            found[other]


# Conventions as values ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("trec", r"^unknown convention 'trec'; did you mean 'trec_eval'\?; known conventions: def"),
        ("scikit-learn", r"unknown convention 'scikit-learn'.*; known conventions: default, trec_"),
        (None, r"^unknown convention None; known conventions: default"),
        (["trec_eval"], r"unknown convention \['trec_eval'\]; known conventions"),
        ("\x1b", r"unknown convention '\\x1b'"),
    ],
)
def test_unknown_conventions(name, message):
    with pytest.raises(InvalidParameterError, match=message):
        find_convention(name)
    with pytest.raises(InvalidParameterError, match=message):
        evaluate([{"a"}], [["a"]], convention=name)


def test_presets_are_values():
    for preset in CONVENTIONS.values():
        assert pickle.loads(pickle.dumps(preset)) is preset
        assert {preset: preset.name}[copy.deepcopy(preset)] == preset.name
