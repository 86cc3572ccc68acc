"""Ids on their way into messages: escaped, quoted, cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank.support.text import format_list, safe_repr


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("it's", r"'it\'s'"),
        ("\x1b[31m", r"'\x1b[31m'"),
        ("a\r\nb\t", r"'a\x0d\x0ab\x09'"),
        ("\u202e\u2066", r"'\u202e\u2066'"),
        ("\ud800", r"'\ud800'"),
        ("caf\u00e9 \u6771 \U0001f600", "'caf\u00e9 \u6771 \U0001f600'"),
    ],
)
def test_safe_repr(value, expected):
    assert safe_repr(value) == expected


def test_safe_repr_leaves_out_the_middle():
    assert safe_repr("x" * 80) == "'" + "x" * 80 + "'"
    assert safe_repr("x" * 100_000 + "y" * 100_000) == "'" + "x" * 39 + "..." + "y" * 38 + "'"
    assert safe_repr("https://shop.example/921/0", limit=24) == "'https://sho...mple/921/0'"
    assert safe_repr(list(range(1000)), limit=9) == "[0,...99]"
    assert safe_repr(type("\x1b[2J\n", (), {})).startswith(r"<class 'tests.house.test_text.\x1b[2J")


class Broken:
    def __repr__(self):
        raise RuntimeError("no text")


@pytest.mark.parametrize("value", [Broken(), 10**5000], ids=["broken repr", "too many digits"])
def test_safe_repr_never_fails(value):
    assert safe_repr(value).isprintable()


@given(st.one_of(st.text(), st.binary(), st.integers(), st.tuples(st.text(), st.floats())))
def test_safe_repr_is_one_printable_line(value):
    assert safe_repr(value).isprintable()


@given(st.text(alphabet=st.characters(exclude_categories=[]), max_size=40))
def test_safe_repr_keeps_texts_apart(text):
    assert safe_repr(text) != safe_repr(text + "x")


def test_listed_names_five_and_counts_the_rest():
    assert format_list([]) == ""
    assert format_list(["a", 1]) == "'a', 1"
    assert format_list(range(2000)) == "0, 1, 2, 3, 4 and 1,995 more"
