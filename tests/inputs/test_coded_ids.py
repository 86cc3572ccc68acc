"""Ids of any kind, coded by one look at each."""

from __future__ import annotations

from uuid import UUID, uuid5

import numpy as np
import pytest

from sklearn_rank import evaluate
from sklearn_rank.inputs.ids import code_objects
from sklearn_rank.inputs.rows import read_groups

SPACE = UUID(int=7)


class Counted:
    """An id that counts how often it is hashed."""

    hashes = 0

    def __init__(self, name):
        self.name = name

    def __hash__(self):
        Counted.hashes += 1
        return hash(self.name)

    def __eq__(self, other):
        return self.name == other.name


def test_codes_follow_the_first_appearance():
    coded = code_objects(["b", "a", "b", "c", "a"])
    assert coded.distinct == ["b", "a", "c"]
    assert coded.codes.tolist() == [0, 1, 0, 2, 1]


def test_an_id_is_hashed_once_and_once_more_where_it_is_new():
    Counted.hashes = 0
    coded = code_objects([Counted(name) for name in "aabbbbbbaa"])
    assert coded.codes.tolist() == [0, 0, 1, 1, 1, 1, 1, 1, 0, 0]
    assert Counted.hashes <= 10 + 2 * 2


def test_uuids_name_queries():
    ids = [uuid5(SPACE, name) for name in "aabb"]
    evaluation = evaluate([1, 0, 0, 1], [0.9, 0.1, 0.9, 0.1], "mrr", groups=ids)
    assert evaluation.query_ids == [ids[0], ids[2]]
    assert evaluation["mrr"] == (1 + 1 / 2) / 2
    with pytest.raises(ValueError, match=r"groups contains missing values \(row 1\)"):
        read_groups([ids[0], None])


def test_a_subclass_of_uuid_keeps_its_own_equality():
    class Folded(UUID):
        def __eq__(self, other):
            return True

        def __hash__(self):
            return 1

    coded = code_objects([Folded(int=1), Folded(int=2)])
    assert coded.codes.tolist() == [0, 0]


@pytest.mark.parametrize("container", [list, tuple])
@pytest.mark.parametrize("odd", [{"a": 1}, {"a"}, frozenset("a")])
def test_rankings_in_the_place_of_scores_are_refused_wherever_they_stand(container, odd):
    with pytest.raises(TypeError, match="are y_true and y_score swapped"):
        evaluate([1, 0, 1], container([0.5, odd, 0.1]), "mrr", groups=[1, 1, 1])


def test_an_unhashable_id_is_named_with_its_row():
    with pytest.raises(TypeError, match="groups holds an unhashable list at row 2"):
        read_groups(np.array(["a", "b", [1], {}], dtype=object))
