"""Text tables: aligned by what a terminal shows, not by the number of characters."""

from __future__ import annotations

import pytest

from sklearn_rank.tables.formats import aligned, display_width


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("map", 3),
        ("日本", 4),
        ("\uff4d\uff41\uff50", 6),
        ("é", 1),
        ("e\u0301", 1),
        ("ä日", 3),
    ],
)
def test_the_width_of_a_text_is_that_on_a_terminal(text: str, width: int) -> None:
    assert display_width(text) == width


def test_columns_stand_to_their_side_and_lines_have_no_end_of_spaces() -> None:
    rows = [("slice", "queries", ""), ("a", "7", "ok"), ("long-tail", "1,000", "")]
    assert aligned(rows, "<><") == [
        "slice      queries",
        "a                7  ok",
        "long-tail    1,000",
    ]


def test_the_last_side_stands_for_the_rest() -> None:
    assert aligned([("a", "1", "22"), ("b", "333", "4")], "<>") == ["a    1  22", "b  333   4"]


def test_wide_characters_take_two_columns() -> None:
    assert aligned([("日本", "1"), ("e\u0301tat", "2"), ("abcd", "3")], "<>") == [
        "日本  1",
        "e\u0301tat  2",
        "abcd  3",
    ]
