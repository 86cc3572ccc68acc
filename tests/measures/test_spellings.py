"""Spellings of other programs, and several cutoffs at once."""

from __future__ import annotations

import math

import pytest

from sklearn_rank import InvalidParameterError, UnknownMeasureError, evaluate, measure
from sklearn_rank.measures.grammar import parse_measures

SPELLINGS = {
    "ndcg_cut.10": "ndcg@10",
    "ndcg_at_10": "ndcg@10",
    "hit_rate_at_5": "hit_rate@5",
    "P.5": "precision@5",
    "relative_P.5": "recall(denominator=min)@5",
    "set_P": "precision",
    "set_recall": "recall",
    "set_F": "fbeta",
    "map_cut.5": "map@5",
    "SetP": "precision",
    "SetR": "recall",
    "SetAP": "set_map",
    "SetF": "fbeta",
    "RecipRank": "mrr",
    "AveragePrecision": "map",
    "Rprec": "rprec",
    "Success@5": "hit_rate@5",
    "F1Beta@10": "fbeta@10",
    "nDCGRendle2020@10": "ndcg(gain=binary)@10",
    "ExtendedF1(ndcg,map)@5": "hmean(ndcg,map)@5",
    "HitRate@3": "hit_rate@3",
    "pre@5": "precision@5",
    "ndcg@5-": "ndcg@5",
    "ndcg-": "ndcg",
    "map@10-": "map@10",
    "map@5-l2": "map(min_rel=2)@5",
}


@pytest.mark.parametrize(("spelling", "meaning"), SPELLINGS.items())
def test_other_programs_spellings(spelling, meaning):
    assert measure(spelling) == measure(meaning)
    assert str(measure(str(measure(spelling)))) == meaning


def test_the_parameter_of_set_f_is_the_square_of_beta():
    assert measure("SetF(beta=2)") == measure("fbeta", beta=math.sqrt(2))
    assert measure("F(beta=2)") == measure("fbeta", beta=2)


@pytest.mark.parametrize(
    ("spelling", "meanings"),
    [
        ("ndcg@5,10", ["ndcg@5", "ndcg@10"]),
        ("P.1, 3", ["precision@1", "precision@3"]),
        ("ndcg_cut.5,10", ["ndcg@5", "ndcg@10"]),
        (
            ["map(denominator=k,min_rel=2)@5,7", "mrr"],
            ["map(denominator=k,min_rel=2)@5", "map(denominator=k,min_rel=2)@7", "mrr"],
        ),
        ("ndcg(gain={1:1,2:3})@1,2", ["ndcg(gain={1:1,2:3})@1", "ndcg(gain={1:1,2:3})@2"]),
    ],
)
def test_several_cutoffs_at_once(spelling, meanings):
    parsed = parse_measures(spelling)
    assert len(parsed) == len(meanings)
    for one, meaning in zip(parsed, meanings, strict=True):
        assert one == measure(meaning)


def test_evaluate_takes_several_cutoffs():
    evaluation = evaluate([{"a", "b"}], [["x", "a"]], ["p@1,2", "mrr"])
    assert evaluation.scores == {"precision@1": 0.0, "precision@2": 0.5, "mrr": 0.5}


def test_one_measure_has_one_cutoff():
    with pytest.raises(InvalidParameterError, match=r"the cutoff of 'ndcg@5,10' must be a whole"):
        measure("ndcg@5,10")
    with pytest.raises(UnknownMeasureError, match=r"'ndcg@5\)-' is not a measure"):
        measure("ndcg@5)-")
