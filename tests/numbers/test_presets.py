"""The presets against what the real programs answered, as docs/_presets.json records it."""

import contextlib
import math
import re

import numpy as np
import pytest

from sklearn_rank import CONVENTIONS, UnknownMeasureError, evaluate, measure
from tests.peers.__main__ import RECORD
from tests.peers.compare import all_compared, read_record
from tests.peers.problems import digest, problems
from tests.strategies import nasty_problem

PROGRAMS = read_record()["programs"]


def test_the_record_answers_these_problems():
    """Otherwise ask the programs again: ``.ci/versions peers``."""
    assert read_record()["problems"] == digest()
    assert RECORD.stat().st_size < 1_000_000


def test_every_preset_is_recorded():
    presets = set(CONVENTIONS) - {"default"}
    assert set(PROGRAMS) == presets


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_preset_gives_the_numbers_of_its_program_or_says_that_it_does_not(program):
    results = next(results for name, _, results in all_compared() if name == program)
    different = {measure: result.different for measure, result in results.items()}
    assert {measure: names for measure, names in different.items() if names} == {}
    # A preset that refused or warned of everything would pass, too.
    assert all(result.equal or result.refused for result in results.values())
    assert sum(len(result.equal) for result in results.values()) >= 40


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_metric_of_a_preset_is_recorded(program):
    preset = CONVENTIONS[program]
    asked = {name for answer in PROGRAMS[program]["values"].values() for name in answer}
    recorded = {name.partition("@")[0].partition("(")[0] for name in asked}
    assert recorded >= set(preset.measures) - {"idcg", "hmean"}


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_name_of_a_program_is_offered_or_refused_with_a_reason(program):
    preset = CONVENTIONS[program]
    for name in PROGRAMS[program]["names"]:
        plain = re.sub("^Retrieval|(_at_k|_score|At)$", "", name)
        with contextlib.suppress(UnknownMeasureError):
            metric = measure(plain).metric
            assert metric.of_judgements or metric.name in {*preset.measures, *preset.refused}, name


def test_the_problems_are_nasty():
    """Each kind of problem is what its tags say."""
    for problem in problems():
        tags, queries = problem["tags"], problem["queries"]
        runs = [dict(query["run"] or []) for query in queries]
        tied = any(len(set(run.values())) < len(run) for run in runs)
        assert tied == ("ties" in tags), problem["name"]
        assert any(query["run"] is None for query in queries) == ("missing" in tags)
        assert any(grade > 1 for q in queries for grade in q["judged"].values()) == (
            "graded" in tags
        )
        if "complete" in tags:
            assert all(
                set(query["judged"]) == set(run) for query, run in zip(queries, runs, strict=True)
            )


# Live, on random nasty problems, to 1e-9 ---------------------------------------------------------

CUTOFFS = (1, 2, 3, 5, 10, 20, 100)
CUT = {"map_cut": "map", "ndcg_cut": "ndcg", "P": "precision"}
CUT |= {"recall": "recall", "success": "hit_rate"}
TREC_EVAL = {"map": "map", "recip_rank": "mrr", "ndcg": "ndcg", "set_P": "precision"}
TREC_EVAL |= {"set_recall": "recall", "set_F": "fbeta"}
TREC_EVAL |= {f"{theirs}_{k}": f"{ours}@{k}" for theirs, ours in CUT.items() for k in CUTOFFS}


def test_pytrec_eval():
    """It keeps scores as float32, which those of the problems are, ends ids at a NUL, and can end
    the process where a query has negative grades alone."""
    import pytrec_eval

    asked = {re.sub(r"_(\d+)$", r".\1", name) for name in TREC_EVAL}
    seen = dict.fromkeys(("missing", "empty", "negative", "unjudged", "missed", "none", "tied"), 0)
    for seed in range(80):
        y_true, y_score = nasty_problem(seed).mapping
        expected = pytrec_eval.RelevanceEvaluator(y_true, asked).evaluate(y_score)
        found = evaluate(y_true, y_score, tuple(TREC_EVAL.values()), convention="pytrec_eval")
        assert list(found.query_ids) == [query for query in y_true if query in y_score]
        assert set(found.query_ids) == set(expected)
        for theirs, ours in TREC_EVAL.items():
            wanted = [expected[query][theirs] for query in found.query_ids]
            values = found.per_query[ours]
            np.testing.assert_allclose(values, wanted, 1e-9, 1e-9, err_msg=f"{theirs}, {seed}")
            assert found[ours] == pytest.approx(math.fsum(wanted) / len(wanted), abs=1e-9)
        for query, truth in y_true.items():
            scores = y_score.get(query, {})
            seen["missing"] += query not in y_score
            seen["empty"] += query in y_score and not scores
            seen["negative"] += min(truth.values()) < 0
            seen["none"] += max(truth.values()) <= 0
            seen["unjudged"] += not scores.keys() <= truth.keys()
            seen["missed"] += any(g > 0 and item not in scores for item, g in truth.items())
            seen["tied"] += len(set(scores.values())) < len(scores)
    assert min(seen.values()) >= 5, seen
