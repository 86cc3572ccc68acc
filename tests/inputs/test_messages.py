"""Messages: ids are escaped and cut, offences come in input order, all is checked first."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sklearn_rank import (
    DuplicateItemError,
    QueryMismatchError,
    UndefinedMetricWarning,
    evaluate,
    ndcg_at_k_score,
)

HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "0.12 FAIL\r0.99 PASS",
    "x\n::add-mask::0.1",
    "\x07\x08\x7f",
    "\x9b31m",
    "\u202eevil\u2066",
    "a\u200bb\ufeff",
    "a\u2028b\u2029",
    "\ud800",
    "a\0b",
    "x" * 200_000,
    "\x1b" * 200_000,
]


def hostile_calls(item):
    """Calls that fail and have to say something of the item."""
    query = {item: {"a"}}
    return {
        "duplicate": lambda: evaluate([{"a"}], [[item, item]], "map"),
        "collision": lambda: evaluate([{item, "b"}], [["b"]], "map", string_provider=lambda x: "s"),
        "grade": lambda: evaluate([{item: -1}], [["a"]], "map"),
        "grade type": lambda: evaluate([{item: "1"}], [["a"]], "map"),
        "score": lambda: evaluate([{"a"}], [{item: math.nan}], "map"),
        "score type": lambda: evaluate([{"a"}], [{item: item}], "map"),
        "mismatch": lambda: evaluate(query, {"other": ["a"]}, "map"),
        "missing": lambda: evaluate({**query, "q": {"a"}}, {"q": ["a"]}, "map", missing="raise"),
        "query": lambda: evaluate(query, {item: "str"}, "map"),
        "row": lambda: evaluate([-1], [1], "map", groups=[item]),
        "weight": lambda: evaluate([1, 0], [2, 1], "map", groups=[item] * 2, sample_weight=[1, 2]),
        "no weight": lambda: evaluate(query, {item: ["a"]}, "map", sample_weight={}),
        "undefined": lambda: evaluate({item: set()}, {item: ["a"]}, "map", zero_division="raise"),
        "bare": lambda: evaluate([{"a"}], [item], "map"),
        "provider": lambda: evaluate([{"a"}], [[item]], "map", string_provider=lambda x: {}[x]),
        "measure": lambda: evaluate([{"a"}], [["a"]], item),
        "parameter": lambda: evaluate([{"a"}], [["a"]], f"ndcg(gain='{item}')"),
        "convention": lambda: evaluate([{"a"}], [["a"]], convention=item),
        "ties": lambda: evaluate([{"a"}], [["a"]], ties=item),
    }


@pytest.mark.parametrize("where", hostile_calls("x"))
@pytest.mark.parametrize("item", HOSTILE)
def test_hostile_text_is_escaped_and_cut_in_messages(item, where):
    with pytest.raises((TypeError, ValueError)) as caught:
        hostile_calls(item)[where]()
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 2000


def test_hostile_query_ids_are_escaped_in_warnings():
    with pytest.warns(UndefinedMetricWarning) as caught:
        evaluate({"\x1b[2J\n": set()}, {"\x1b[2J\n": ["a"]}, "map")
    assert str(caught[0].message).isprintable()
    assert r"'\x1b[2J\x0a'" in str(caught[0].message)


def test_at_most_five_ids_are_listed():
    truth = {f"q{number}": {"a"} for number in range(1000)}
    with pytest.raises(
        QueryMismatchError, match=r"999 of 1,000 .*: 'q1', 'q2', 'q3', 'q4', 'q5' and 994 more\."
    ):
        evaluate(truth, {"q0": ["a"]}, "map", missing="raise")


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_first_offence_in_input_order_is_reported(n_jobs):
    for _ in range(3):
        with pytest.raises(
            DuplicateItemError, match=r"^y_score\[1\] holds item 'b' at positions 1 and 3"
        ):
            evaluate([{"a"}] * 3, [["a"], ["b", "c", "b", "c"], ["d", "d"]], "map", n_jobs=n_jobs)
        with pytest.raises(
            ValueError, match=r"^y_score contains NaN at row 2 of query 'a', and 1 more"
        ):
            evaluate(
                [1, 0, 0, 1], [1, 2, np.nan, np.nan], "map", groups=list("baab"), n_jobs=n_jobs
            )
        with pytest.raises(ValueError, match=r"^y_true contains a negative grade \(-3\) at row 1"):
            evaluate([1, -3, -9, 1], [1, 2, 3, 4], "map", groups=list("baab"), n_jobs=n_jobs)


def test_nothing_is_computed_before_everything_is_checked():
    def gain(grades):
        raise AssertionError("called before the last query was read")

    with pytest.raises(ValueError, match=r"y_score\[1\] contains NaN"):
        ndcg_at_k_score([{"a"}, {"a"}], [{"a": 1.0}, {"a": math.nan}], gain=gain)
