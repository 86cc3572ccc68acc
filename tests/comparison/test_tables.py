"""Comparisons as tables: systems with their best values, and differences with everything."""

import pytest

from sklearn_rank import InvalidParameterError, compare
from tests.tables.hostile import HOSTILE

# 40 queries. "old" always second; "same" as well; "new" first but for every fifth query.
TRUTH = {number: {"a"} for number in range(40)}
OLD = {number: ["x", "a"] for number in TRUTH}
NEW = {number: ["x", "y", "a"] if number % 5 == 0 else ["a"] for number in TRUTH}
RUNS = {"old": OLD, "new": NEW, "same": OLD}
MEASURES = ("mrr", "lag")
# (4 * 1 + 1/3) / 5; lag: items above the relevant one, (4 * 0 + 2) / 5.
NEW_MRR, NEW_LAG = 13 / 15, 2 / 5


def test_a_sign_marks_what_is_better_or_worse_than_the_baseline() -> None:
    text = compare(TRUTH, RUNS, measures=MEASURES).to_markdown()
    assert text.splitlines()[:5] == [
        "| system | mrr | lag |",
        "| --- | ---: | ---: |",
        "| old | 0.5000 | 1.0000 |",
        f"| new | **{NEW_MRR:.4f}**<sup>+</sup> | **{NEW_LAG:.4f}**<sup>+</sup> |",
        "| same | 0.5000 | 1.0000 |",
    ]
    assert (
        "signs mark what is significantly better or worse than old (randomization test; Holm"
        in text
    )
    assert text.endswith("lower is better: lag")
    worse = compare(TRUTH, {"new": NEW, "old": OLD, "same": OLD}, measures="mrr").to_latex()
    assert r"new & \textbf{0.8667} \\" in worse
    assert r"old & 0.5000\rlap{$^{-}$} \\" in worse


def test_where_nothing_is_significant_the_note_says_so() -> None:
    text = compare(TRUTH, {"old": OLD, "same": OLD}, measures="mrr").to_markdown()
    assert "no difference is significant (" in text
    assert "<sup>" not in text


def test_equal_systems_are_all_best() -> None:
    text = compare(TRUTH, {"old": OLD, "same": OLD}, measures="mrr").to_markdown()
    assert text.count("**0.5000**") == 2


def test_differences_have_a_column_for_everything() -> None:
    compared = compare(TRUTH, RUNS, measures=MEASURES)
    text = compared.to_markdown(rows="changes").split("\n")
    assert text[0] == (
        "| measure | system | queries | baseline | new | change | 95% interval | effect | "
        "p | p (Holm) | wins | ties | losses | detectable |"
    )
    (row,) = [line for line in text if line.startswith("| mrr | new | 40 | 0.5000 | 0.8667 |")]
    assert " | 32 | 0 | 8 | " in row


def test_two_systems_print_their_differences_and_three_a_table_of_systems_too() -> None:
    two = repr(compare(TRUTH, {"old": OLD, "new": NEW}, measures="mrr")).splitlines()
    assert two[0].split()[:5] == ["measure", "system", "queries", "baseline", "new"]
    assert two[1].split()[:6] == ["mrr", "new", "40", "0.5000", "0.8667", "+0.3667"]
    three = repr(compare(TRUTH, RUNS, measures="mrr"))
    systems, differences = three.split("\n\n")
    assert systems.splitlines()[2].split() == ["new", "0.8667", "*", "+"]
    assert len(differences.splitlines()) > 3


def test_many_differences_are_not_printed_but_counted() -> None:
    runs = {f"system {number}": NEW if number % 2 else OLD for number in range(37)}
    compared = compare(TRUTH, runs, measures="mrr")
    text = repr(compared)
    assert len(text.splitlines()) < 45
    assert text.endswith('36 differences: to_frame(), or rows="changes"')
    assert compared._repr_html_().count("<table") == 1


def test_rows_of_other_kinds_are_refused() -> None:
    compared = compare(TRUTH, RUNS, measures="mrr")
    for method in (compared.to_latex, compared.to_markdown):
        with pytest.raises(InvalidParameterError, match=rf"'rows' parameter of {method.__name__}"):
            method(rows="queries")


@pytest.mark.parametrize("name", [name for name in HOSTILE.values() if name.strip()])
def test_hostile_names_of_systems_reach_no_page_raw(name: str) -> None:
    compared = compare(TRUTH, {name: OLD, "new": NEW}, measures="mrr")
    page = compared._repr_html_()
    for text in (repr(compared), compared.to_markdown(), compared.to_latex(), page):
        assert all(line.isprintable() for line in text.split("\n"))
    for text in (compared.to_markdown(), page):
        assert "<script" not in text
        assert "<img" not in text
