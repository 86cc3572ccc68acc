"""Comparisons as tables: systems with letters as ranx has them, and differences with everything."""

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


def test_systems_have_letters_of_those_that_they_beat() -> None:
    text = compare(TRUTH, RUNS, measures=MEASURES, all_pairs=True).to_markdown()
    assert text.splitlines()[:5] == [
        "| # | system | mrr | lag |",
        "| --- | --- | ---: | ---: |",
        "| a | old | 0.5000 | 1.0000 |",
        f"| b | new | **{NEW_MRR:.4f}**<sup>ac</sup> | **{NEW_LAG:.4f}**<sup>ac</sup> |",
        "| c | same | 0.5000 | 1.0000 |",
    ]
    assert "letters mark systems it significantly beats (randomization test; Holm over " in text
    assert text.endswith("lower is better: lag")


def test_against_a_baseline_only_its_letter_can_be_won() -> None:
    text = compare(TRUTH, RUNS, measures="mrr").to_latex()
    assert r"b & new & \textbf{0.8667}\rlap{$^{a}$} \\" in text
    assert "each compared with old alone" in text


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


def test_all_pairs_name_both_systems() -> None:
    text = compare(TRUTH, RUNS, measures="mrr", all_pairs=True).to_markdown(rows="changes")
    assert "| mrr | same | new | 40 | 0.8667 | 0.5000 | **-0.3667** |" in text


def test_two_systems_print_their_differences_and_three_a_table_of_systems_too() -> None:
    two = repr(compare(TRUTH, {"old": OLD, "new": NEW}, measures="mrr")).splitlines()
    assert two[0].split()[:5] == ["measure", "system", "queries", "baseline", "new"]
    assert two[1].split()[:6] == ["mrr", "new", "40", "0.5000", "0.8667", "+0.3667"]
    three = repr(compare(TRUTH, RUNS, measures="mrr"))
    systems, differences = three.split("\n\n")
    assert systems.splitlines()[2].split() == ["b", "new", "0.8667", "*", "a"]
    assert len(differences.splitlines()) > 3


def test_many_differences_are_not_printed_but_counted() -> None:
    runs = {f"system {number}": NEW if number % 2 else OLD for number in range(9)}
    compared = compare(TRUTH, runs, measures="mrr", all_pairs=True)
    text = repr(compared)
    assert len(text.splitlines()) < 15
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
