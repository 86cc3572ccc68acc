"""A comparison over judgements with holes says how much of each system nobody judged."""

from __future__ import annotations

from sklearn_rank import compare, evaluate

TRUTH = {query: {"a": 1, "b": 0} for query in range(30)}
OLD = {query: ["b", "a"] for query in TRUTH}
NEW = {query: ["x", "a", "y"] for query in TRUTH}


def test_unjudged_items_are_noted_by_system() -> None:
    (note,) = compare(TRUTH, {"old": OLD, "new": NEW}, measures="mrr@2").notes
    assert note == (
        "unjudged items count as irrelevant: of the first 2, 50% of 'new' ('old': 0%) are "
        "unjudged; bounds_of_change says what that could mean"
    )


def test_of_many_systems_those_with_most_holes_are_named() -> None:
    runs = {"old": OLD} | {
        f"new {n}": {query: ["a", *(f"x{i}" for i in range(n))] for query in TRUTH}
        for n in range(5)
    }
    (note,) = compare(TRUTH, runs, measures="mrr").notes
    assert "of the first 10, 80% of 'new 4', 75% of 'new 3', 67% of 'new 2', 2 more" in note


def test_nothing_is_said_where_all_that_is_returned_is_judged() -> None:
    assert compare(TRUTH, {"old": OLD, "new": OLD}, measures="mrr").notes == ()
    complete = {query: {"a"} for query in TRUTH}
    assert compare(complete, {"old": OLD, "new": NEW}, measures="mrr").notes == ()


def test_only_common_queries_count() -> None:
    old = evaluate({query: TRUTH[query] for query in range(25)}, {q: OLD[q] for q in range(25)})
    runs = {query: OLD[query] if query < 25 else NEW[query] for query in TRUTH}
    compared = compare(old, evaluate(TRUTH, runs))
    assert not any("unjudged" in note for note in compared.notes)
