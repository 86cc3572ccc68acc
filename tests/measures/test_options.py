"""Parameters of a measure with their values: made once, and never stored with it."""

from __future__ import annotations

import copy
import pickle

import pytest

from sklearn_rank import measure


def test_options_are_made_once_and_cannot_be_changed():
    ndcg = measure("ndcg(gain=linear)@10")
    assert dict(ndcg.options) == {"gain": "linear", "discount": "log2"}
    assert ndcg.options is ndcg.options
    with pytest.raises(TypeError, match="does not support item assignment"):
        ndcg.options["gain"] = "exp2"


@pytest.mark.parametrize("spelling", ["map", "ndcg(gain=linear)@10", "hmean(ndcg,map)@5"])
def test_a_stored_measure_is_the_same_whether_its_options_were_read_or_not(spelling):
    unread, read = measure(spelling), measure(spelling)
    assert read.options
    assert pickle.dumps(read) == pickle.dumps(unread)
    for restored in (pickle.loads(pickle.dumps(read)), copy.deepcopy(read)):
        assert restored == read
        assert restored.options == read.options
        assert str(restored) == spelling
