"""Comparisons as tables."""

import pytest

from sklearn_rank import compare
from tests.tables.hostile import HOSTILE

# 40 queries. "old" always second; "same" as well; "new" first but for every fifth query.
TRUTH = {number: {"a"} for number in range(40)}
OLD = {number: ["x", "a"] for number in TRUTH}
NEW = {number: ["x", "y", "a"] if number % 5 == 0 else ["a"] for number in TRUTH}
RUNS = {"old": OLD, "new": NEW, "same": OLD}
MEASURES = ("mrr", "lag")
# (4 * 1 + 1/3) / 5; lag: items above the relevant one, (4 * 0 + 2) / 5.
NEW_MRR, NEW_LAG = 13 / 15, 2 / 5


def test_changes_have_a_column_for_everything() -> None:
    compared = compare(TRUTH, RUNS, measures=MEASURES)
    text = compared.to_markdown().split("\n")
    assert text[0] == (
        "| measure | system | queries | baseline | new | change | 95% interval | effect | "
        "p | p (Holm) | wins | ties | losses | detectable |"
    )
    rows = {tuple(line.split(" | ")[:5]): line for line in text if " | 40 | " in line}
    new = rows["| mrr", "new", "40", "0.5000", f"{NEW_MRR:.4f}"]
    assert " | **+0.3667** | " in new
    assert " | 32 | 0 | 8 | " in new
    assert "**" not in rows["| mrr", "same", "40", "0.5000", "0.5000"]
    assert f" | {NEW_LAG:.4f} | **-0.6000** | " in rows["| lag", "new", "40", "1.0000", "0.4000"]
    assert "lower is better: lag" in text[-1]


def test_two_systems_print_their_changes() -> None:
    two = repr(compare(TRUTH, {"old": OLD, "new": NEW}, measures="mrr")).splitlines()
    assert two[0].split()[:5] == ["measure", "system", "queries", "baseline", "new"]
    assert two[1].split()[:7] == ["mrr", "new", "40", "0.5000", "0.8667", "+0.3667", "*"]
    assert two[2] == "*: significant at 0.05"


@pytest.mark.parametrize("name", [name for name in HOSTILE.values() if name.strip()])
def test_hostile_names_of_systems_reach_no_page_raw(name: str) -> None:
    compared = compare(TRUTH, {name: OLD, "new": NEW}, measures="mrr")
    page = compared._repr_html_()
    for text in (repr(compared), compared.to_markdown(), page):
        assert all(line.isprintable() for line in text.split("\n"))
    for text in (compared.to_markdown(), page):
        assert "<script" not in text
        assert "<img" not in text
