"""The presets against what the real programs answered, as docs/_presets.json records it."""

import contextlib
import re

import pytest

from sklearn_rank import CONVENTIONS, UnknownMeasureError, measure
from sklearn_rank.evaluation.program_differences import CASES
from sklearn_rank.measures.catalogue import METRICS
from tests.peers.__main__ import RECORD
from tests.peers.compare import all_compared, read_record
from tests.peers.problems import digest, problems

PROGRAMS = read_record()["programs"]


def test_the_record_answers_these_problems():
    """Otherwise ask the programs again: ``.ci/peers``."""
    assert read_record()["problems"] == digest()
    assert RECORD.stat().st_size < 1_000_000


def test_every_name_in_a_preset_is_read():
    """A misspelled metric or case would apply to nothing."""
    names = {metric.name for metric in METRICS} | {"*"}
    for preset in CONVENTIONS.values():
        told = (preset.parameters, preset.undefined, preset.cutoffs, preset.refused)
        told += tuple(preset.differs.values())
        used = {name.rstrip("@") for names_of in told for name in names_of}
        assert used <= names, preset.name
        assert {*preset.differs} <= {*CASES}, preset.name


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
