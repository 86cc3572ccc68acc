"""What comes of the way that counts, before and after Spark counts; no session is needed."""

from __future__ import annotations

import pyarrow as pa
import pytest

from sklearn_rank import EngineOptions
from sklearn_rank.engines.spark import plans, reading
from sklearn_rank.engines.spark.counting import _Hits, counted

JUDGED = pa.table(
    {
        "q": ["a", "a", "a", "a", "a", "b", "b", "c"],
        "grade": [1.0, 2.0, 0.0, 3.0, 1.0, 0.0, 0.0, 3.0],
        "x": [0.25, 0.25, 0.5, 0.75, None, 1.0, None, None],
    }
)
"""Three relevant hits of "a", two of them with one score, and one that was judged irrelevant."""
COUNTS = pa.table({"bin": [0, 1, 2, 3], "n": [1, 5, 3, 2], "same": [0, 2, 1, 0]})
"""Of "a" a row below 0.25, two of 0.25 and three up to 0.75, one of 0.75 and two above; of "b" two
rows; none of "c"."""


def test_scores_of_hits_are_sent_once_and_ascending():
    hits = _Hits.of(JUDGED, ["x"])
    assert hits.scores.to_pydict() == {
        "q": ["a", "b", "c"],
        "base": [0, 3, 4],
        "scores": [[0.25, 0.75], [], []],
    }
    assert hits.longest == 2


def test_ids_part_what_one_score_joins():
    judged = JUDGED.slice(0, 4).append_column("i", pa.array(["x", "y", "z", "w"]))
    scores = _Hits.of(judged, ["x", "i"]).scores["scores"].to_pylist()
    assert scores == [
        [{"x": 0.25, "i": "x"}, {"x": 0.25, "i": "y"}, {"x": 0.75, "i": "w"}],
    ]


class _Spark:
    """Answers for both plans."""

    session = property(lambda self: self)

    def sql(self, text, **frames):
        self.answer = COUNTS if frames else JUDGED
        return self

    def toArrow(self):  # noqa: N802
        return self.answer

    def createDataFrame(self, table):  # noqa: N802
        return table


@pytest.mark.parametrize("skips", [False, True])
def test_counted_rows_become_the_waist(skips):
    table = counted(_Spark(), by_id=False, skips=skips, all_judged=True)
    expected = {
        # Sorted by score: those of 0.25, of which three rows up to 0.75, one of it and two above.
        "q": ["a", "a", "a", "a", "b", "c"],
        "grade": [1, 2, 3, 1, 0, 3],
        "n_ranked": [9, 9, 9, 9, 2, 0],
        "above": [3 + 3, 3 + 3, 3 - 1, -1, -1, -1],
        "tied": [2, 2, 1, 1, 1, 1],
        # Four items of "a" and one of "b" are both ranked and judged.
        "unjudged": [5, 5, 5, 5, 1, 0],
        "repeated": [0] * 6,
    }
    if skips:
        expected = {name: values[:-1] for name, values in expected.items()}
    assert table.to_pydict() == expected


@pytest.mark.parametrize("longest", range(20))
def test_every_place_is_within_reach_of_the_halves(longest):
    text = plans.count(longest=longest, by_id=False)
    steps = [step for step in range(1, 32) if f"place + {step}, place)" in text]
    assert sum(steps) >= longest
    assert len(steps) == longest.bit_length()


def test_nothing_was_judged():
    assert _Hits.of(JUDGED.slice(0, 0), ["x"]).longest == 0


@pytest.mark.parametrize(
    ("n_relevant", "n_irrelevant", "is_partial", "way"),
    [
        (1000, 9000, False, "count"),
        (1025, 0, False, "window"),
        # Of what nobody judged the rest is known by what somebody did.
        (1000, 9000, True, "window"),
    ],
)
def test_the_way_is_chosen_by_sizes(n_relevant, n_irrelevant, is_partial, way):
    class Read(reading._Reading):
        def __init__(self):
            self.options, self.raises, self._memory = EngineOptions(), True, 1 << 20

    n_all = n_relevant + n_irrelevant
    survey = reading.Survey(10, 10, 10, n_all, 9, 9, n_relevant, n_irrelevant, {})
    assert Read()._way(survey, is_partial=is_partial, is_away=False) == way
