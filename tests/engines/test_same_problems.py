"""Two hundred nasty problems and every refusal, through all engines of one machine."""

import pytest

from sklearn_rank import evaluate
from tests.engines.conftest import take_way
from tests.engines.problems import EngineProblem, assert_same, in_memory, problems, refused

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_rank.RankingDataWarning")
SHARES = 10
"""Problems of a test: one test for each would spend its time in fixtures."""
IN_TURN = {
    "polars": ["blocks"] * 12 + ["at once"],
    "duckdb": ["at once"] * 10 + ["blocks"] * 3,
}
"""Ways that problems take in turn: read at once is memory's own code, DuckDB delivers to that of
Polars. Thirteen ways and seven kinds of columns meet in every pair."""


@pytest.mark.parametrize("share", range(SHARES))
def test_engines_give_the_same_bits_and_counts(share, engine, lazy, monkeypatch):
    ways = IN_TURN[engine]
    for number, given in list(enumerate(problems()))[share::SHARES]:
        way, run = ways[number % len(ways)], given.run
        take_way(way, monkeypatch)
        if way == "blocks":  # which take the rows of a query together
            first = {query: place for place, query in reversed(list(enumerate(run["query"])))}
            order = sorted(range(len(run["query"])), key=lambda row: first[run["query"][row]])
            run = {name: [values[row] for row in order] for name, values in run.items()}
        found = evaluate(lazy(given.truth), lazy(run), given.measures, **given.options)
        assert_same(found, in_memory(given))
        assert list(found.query_ids) == list(in_memory(given).query_ids), given.label


@pytest.mark.parametrize("given", refused(), ids=lambda given: given.label)
def test_engines_refuse_what_memory_refuses(given, lazy, way):
    with pytest.raises(given.error, match=given.message):
        evaluate(lazy(given.truth), lazy(given.run), "map", **given.options)


def test_the_problems_are_nasty():
    """Else all of the above would show little."""
    found = [in_memory(given) for given in problems()]
    assert sum(evaluation.counts["tied"] > 0 for evaluation in found) >= 20
    for name in ("missing", "unjudged", "duplicates", "unjudged_grades", "identical_ids"):
        assert sum(evaluation.counts[name] > 0 for evaluation in found) >= 20, name
    assert {type(given) for given in problems(3)} == {EngineProblem}
