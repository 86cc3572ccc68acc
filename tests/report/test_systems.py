"""Reports of systems: the verdict holds whatever the order of data, and pages say what it says."""

import math
import re
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_rank import (
    RankingDataWarning,
    Repeats,
    UnknownMeasureError,
    compare,
    evaluate,
    measure_from,
)
from sklearn_rank.gates.gate import judge_gate
from sklearn_rank.gates.limits import Settings, read_arguments
from sklearn_rank.gates.verdict import RankGateFailure
from sklearn_rank.view.page import GridCell, Row, Section, claims, findings, page
from sklearn_rank.view.systems import report_of
from tests.report.cases import data_of

TRUTH = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}, "q3": {"d": 1}}
OLD = {"q1": ["x", "b", "a"], "q2": ["c"], "q3": ["x", "y"]}
NEW = {"q1": ["a", "x"], "q2": ["x", "c"], "q3": ["x", "y"]}
BEST = {"q1": ["a", "b"], "q2": ["c"], "q3": ["d"]}
TEXTS = {"q1": "first question", "q2": "second <b>question</b>"}


def compared(**options):
    runs = {"old": OLD, "new": NEW, "best": BEST}
    return compare(TRUTH, runs, measures=("mrr", "ndcg@10"), **options)


def written(result, folder: Path, **options) -> str:
    result.report(folder / "r.html", **options)
    return (folder / "r.html").read_text(encoding="utf-8")


# The verdict -------------------------------------------------------------------------------------


def moved(by, n=40, measures=("mrr", "ndcg@3"), system="new"):
    """Two systems: the relevant item moves from rank 2 to another, label by label."""
    truth, runs, labels = {}, {"old": {}, system: {}}, {}
    for label, rank in by.items():
        for number in range(n):
            query = f"{label}{number}"
            truth[query], labels[query] = {"a": 1}, label
            runs["old"][query] = ["x", "a", "y", "z"]
            others = iter("xyzuvw")
            own = rank if number % 8 else 2
            runs[system][query] = ["a" if place == own else next(others) for place in range(1, 5)]
    return compare(truth, runs, measures=measures), labels


@pytest.mark.parametrize(
    ("by", "measures", "sentence", "kind"),
    [
        (
            {"head": 1, "brand": 3},
            ("mrr", "ndcg@3"),
            "MRR and nDCG@3 fell for brand queries; MRR and nDCG@3 rose overall",
            "worse",
        ),
        ({"head": 1, "long": 1}, ("mrr",), "MRR rose", "better"),
        ({"head": 3, "long": 4}, ("mrr",), "MRR fell, most for long queries", "worse"),
        ({"head": 2, "long": 2}, ("mrr",), "No value changed", "same"),
        (
            # LAG counts irrelevant items above: 1 to 2 in 35 of 40 queries.
            {"head": 3, "long": 2},
            ("lag",),
            "LAG rose (lower is better), most for head queries",
            "worse",
        ),
        (
            {"a": 4, "b": 4, "c": 4, "d": 4, "long": 1},
            ("mrr",),
            "MRR fell, most for a, b, c and 1 more queries; MRR rose for long queries",
            "worse",
        ),
    ],
)
def test_the_sentence_names_losses_first_and_where_they_are(by, measures, sentence, kind):
    comparison, labels = moved(by, measures=measures)
    report = report_of(comparison, slices=labels)
    assert report.verdict[:2] == (sentence, kind)
    assert f'<header class="answer {kind}">' in page(report)
    (data,) = data_of(page(report))
    show, slices = data["show"], data["slices"]
    # The page opens with the cell of the first claim.
    assert sentence.startswith(data["measures"][show["measure"]]) or kind == "same"
    assert (show["slice"] in slices) == (" fell for " in sentence.partition(";")[0])
    assert show["which"] == ("" if kind == "same" else kind)


DIRECTIONS = st.sampled_from(["worse", "better", ""])


@st.composite
def grids(draw):
    """Grids of up to two measures and three slices, some changes significant."""
    n_measures, n_slices = draw(st.integers(1, 2)), draw(st.integers(0, 3))
    rows = []
    for label in ["", "brand", "head", "long"][: n_slices + 1]:
        cells = []
        for _ in range(n_measures):
            kind = draw(DIRECTIONS)
            size = draw(st.integers(1, 100)) / 1000
            change = {"worse": -size, "better": size, "": size}[kind]
            p = 0.01 if kind else 0.5
            cells.append(GridCell(0.5 + change, 0.5, change, None, p, kind, (1, 2, 3)))
        rows.append(Row(label or "all queries", 6, tuple(cells), label))
    return Section(("old", "new"), ("MAP", "MRR")[:n_measures], (True,) * n_measures, tuple(rows))


@given(grids())
def test_a_sentence_does_not_depend_on_the_order_and_lacks_no_loss(section):
    found = findings(section)
    told = claims(found)
    for places in permutations(range(len(section.measures))):
        rows = [
            row._replace(cells=tuple(row.cells[place] for place in places)) for row in section.rows
        ]
        measures = tuple(section.measures[place] for place in places)
        other = Section(section.systems, measures, section.greater, tuple(reversed(rows)))
        assert claims(findings(other)) == told
    losses = told.partition(" rose")[0]
    for own in found:
        if own.cell.direction == "worse":
            assert own.measure in losses, "every loss is named with its measure"
            overall = any(
                other.measure == own.measure and not other.row.slice
                for other in found
                if other.cell.direction == "worse"
            )
            assert overall or own.row.slice in told, (
                "and with its slice where the whole did not fall"
            )
        else:
            assert own.measure in told


@st.composite
def runs_of(draw):
    """Rankings of three systems over six queries in two slices."""
    rankings = st.lists(st.permutations("abcx"), min_size=24, max_size=24)
    return {name: draw(rankings) for name in ("new", "other")}


@settings(max_examples=15, deadline=None)
@given(runs_of())
def test_bar_grid_terminal_and_page_say_the_same_in_every_order(drawn):
    queries = [f"q{number}" for number in range(24)]
    truth = {query: {"a": 1, "b": 1} for query in queries}
    runs = {"old": {query: list("xcab") for query in queries}}
    runs |= {name: dict(zip(queries, own, strict=True)) for name, own in drawn.items()}
    slices = {query: "odd" if number % 2 else "even" for number, query in enumerate(queries)}
    said = set()
    for names in (("old", "new", "other"), ("old", "other", "new")):
        for measures in (("mrr", "precision@1"), ("precision@1", "mrr")):
            result = compare(truth, {name: runs[name] for name in names}, measures=measures)
            for own in (slices, dict(reversed(slices.items()))):
                whole, parts = result, result.by_slice(own)
                report = report_of(whole, slices=own)
                section, verdict = report.sections[0], report.verdict
                said.add((verdict.sentence, verdict.kind, verdict.details[:1]))
                filled = {
                    (section.systems[row.new], row.slice, title): cell.direction
                    for row in section.rows
                    for title, cell in zip(section.measures, row.cells, strict=True)
                    if cell.direction
                }
                expected = {
                    (row.system, label, result.measure(row.measure).title): "better"
                    if row.better
                    else "worse"
                    for label, part in (("", whole), *parts.items())
                    for row in part.rows
                    if row.significant
                }
                assert filled == expected, "no significant change is missing from the grid"
                text = page(report)
                assert text.count('<td class="worse">') == [*expected.values()].count("worse")
                assert text.count('<td class="better">') == [*expected.values()].count("better")
                assert f"<h1>{verdict.sentence}</h1>" in text
    assert len(said) == 1


def test_several_systems_are_ranked_and_those_with_one_claim_stand_together():
    truth = {str(number): {"a": 1} for number in range(30)}
    rank = {"base": 2, "low": 3, "lower": 3, "high": 1}
    runs = {
        name: {q: [*"xyz"[: place - 1], "a"] if n else ["x", "a"] for n, q in enumerate(truth)}
        for name, place in rank.items()
    }
    report = report_of(compare(truth, runs, measures="mrr"))
    assert report.verdict.sentence == (
        "low and lower: MRR fell; high: MRR rose; highest MRR: high, significantly above base"
    )
    assert [row.label for row in report.sections[0].rows] == ["high", "base", "low", "lower"]


def test_the_share_of_unjudged_items_follows_the_claim():
    truth = {f"q{n}": {"a": 1, "x": 0} for n in range(30)}
    runs = {"old": {query: ["a", "x", "n"] for query in truth}}
    runs["new"] = {q: ["n", "a"] if n % 9 else ["a", "x", "n"] for n, q in enumerate(truth)}
    verdict = report_of(compare(truth, runs, measures="mrr@2")).verdict
    assert verdict[:2] == ("MRR@2 fell", "worse")
    # 26 of 60 places
    assert verdict.more[-1] == (
        "Unjudged items count as irrelevant: in the top 2, 43% of 'new' ('old': 0%) are "
        "unjudged. Judge first: \u201cn\u201d for \u201cq1\u201d; \u201cn\u201d for \u201cq2\u201d."
    )
    assert len(verdict.to_judge) == 20
    assert "q0" not in verdict.to_judge


def test_a_page_shows_the_verdict_of_its_limits_or_what_a_gate_would_say():
    # 6 of 40 queries fall from rank 1 to 2, and none wins: p = 2 / 2^6.
    truth = {f"q{n}": {"a": 1} for n in range(40)}
    runs = {"old": {q: ["a", "x"] for q in truth}}
    runs["new"] = {q: ["x", "a"] if n < 6 else ["a", "x"] for n, q in enumerate(truth)}
    result = compare(truth, runs, measures="mrr")
    plain = report_of(result)
    assert plain.verdict[:2] == ("MRR fell", "worse")
    red = report_of(result, max_drop=0.02)
    assert red.verdict.kind == "worse"
    assert red.verdict.sentence.startswith("Gate failed: MRR fell from 1.000 to 0.925 (-0.075, all")
    (cell,) = red.sections[0].rows[0].cells
    assert (cell.direction, cell.note) == ("worse", "allowed 0.02, fail")
    few = compare(truth, {**runs, "new": {**runs["old"], "q0": ["x", "y", "a"]}}, "mrr")
    assert report_of(few).verdict.sentence == (
        "1 changed query out of 40 is too few to tell: MRR -0.017 (none better, 1 worse)"
    )
    assert report_of(few).verdict.details[-1] == "A gate with max_drop 0.02 would pass."
    green = report_of(few, max_drop={"mrr": 0.5})
    assert green.verdict.kind == "same"
    assert green.verdict.sentence.startswith("Gate passed: ")
    several = compare(truth, {**runs, "same": runs["old"]}, measures="mrr")
    details = report_of(several).verdict.details
    assert details[-1] == "A gate with max_drop 0.02 would be red for new."
    moved = {
        side: {q: ["x", "a"] if n // 10 == part else ["a", "x"] for n, q in enumerate(truth)}
        for part, side in enumerate(("new", "old"))
    }
    labels = {q: "lost" if n < 10 else "rest" for n, q in enumerate(truth)}
    in_slice = report_of(
        compare(truth, {"old": moved["old"], "new": moved["new"]}, "mrr"), slices=labels
    )
    says = 'A gate with max_slice_drop 0.02 would be red: MRR fell by 0.500 for "lost", 10 queries '
    assert in_slice.verdict.details[-1].startswith(says)
    with pytest.raises(ValueError, match="'map' was not evaluated; evaluated: mrr"):
        report_of(result, max_drop={"map": 0.02})
    with pytest.raises(ValueError, match="max_drop compares two systems, got 3"):
        report_of(several, max_drop=0.02)


def test_the_usual_gate_limits_measures_between_0_and_1_alone():
    bits = measure_from("bits", range=(0, float("inf")))
    sides = [
        evaluate(TRUTH, run, "mrr", values={bits: dict.fromkeys(TRUTH, number)})
        for run, number in ((OLD, 6.0), (OLD, 2.0))
    ]
    both = report_of(compare(*sides))
    assert both.verdict.details[-1] == "A gate with max_drop 0.02 would pass."
    (alone,) = [report_of(compare(*sides, measures=bits))]
    assert not any("A gate with" in detail for detail in alone.verdict.details)
    assert (both.sections[0].queries or {})["given"] == [False, True]


def test_a_page_opens_with_what_fails_its_gate(tmp_path):
    # MRR@1 and MAP fall alike, and MAP comes first, but only MRR@1 has a limit.
    truth = {f"q{n}": {"a": 1} for n in range(40)}
    runs = {"old": {q: ["a", "x"] for q in truth}}
    runs["new"] = {q: ["x", "a"] if n < 6 else ["a", "x"] for n, q in enumerate(truth)}
    result = compare(truth, runs, measures=("map", "mrr@1"))
    labels = {query: "odd" if n % 2 else "even" for n, query in enumerate(truth)}
    text = written(result, tmp_path, slices=labels, max_drop={"mrr@1": 0.02})
    show = data_of(text)[0]["show"]
    assert (show["measure"], show["slice"], show["which"]) == (1, "", "worse")
    assert "largest changes by mrr@1" in text
    report = report_of(result, slices=labels, max_drop={"mrr@1": 0.02})
    unlimited, limited = report.sections[0].rows[0].cells
    assert (unlimited.direction, unlimited.note) == ("", "")
    assert (limited.direction, limited.note) == ("worse", "allowed 0.02, fail")
    passes = written(result, tmp_path, max_drop={"mrr@1": 0.5})
    assert data_of(passes)[0]["show"]["measure"] == 1
    assert data_of(written(result, tmp_path, measure="map"))[0]["show"]["measure"] == 0


def test_numbers_of_a_single_test_name_no_other():
    result, _ = moved({"head": 1}, measures=("mrr",))
    (numbers, _), (test,) = report_of(result).verdict[2:4]
    assert numbers.endswith("p (Holm) < 0.0001): 0 of 40 queries got worse, 35 better.")
    assert test == f"{result.family_text[0].upper()}{result.family_text[1:]}."
    two, labels = moved({"head": 1})
    assert "other change is significant (" in report_of(two).verdict.more[0]
    # Slices are a family of their own.
    both = report_of(two, slices=labels).verdict.more[0]
    assert both.count("Holm over") == 2
    assert "; slices: Holm over 2 p-values: 1 comparison x 2 measures x 1 slice)" in both


def test_changes_that_are_none_say_so():
    same = compare(TRUTH, {"old": OLD, "new": OLD}, measures=("mrr", "map"))
    report = report_of(same)
    assert report.verdict[:2] == ("No value changed", "same")
    assert report.verdict.details == ("A gate with max_drop 0.02 would pass.",)


# The page ----------------------------------------------------------------------------------------


def test_a_report_has_every_query_with_the_values_of_every_system(tmp_path):
    labels = {"q1": "head", "q2": ["tail", "rare"], "q3": "tail"}
    data = data_of(written(compared(), tmp_path, slices=labels, query_text=TEXTS))[0]
    assert data["systems"] == ["old", "new", "best"]
    assert (data["measures"], data["greater"]) == (["MRR", "nDCG@10"], [True, True])
    assert (data["queries"], data["texts"]) == (["q1", "q2", "q3"], [*TEXTS.values(), ""])
    assert [[data["slices"][n] for n in own] for own in data["labels"]] == [
        ["head"],
        ["tail", "rare"],
        ["tail"],
    ]
    assert data["values"][0] == [[0.5, 1, 0], [1, 0.5, 0], [1, 1, 1]]
    assert data["lengths"] == [[3, 1, 2], [2, 2, 2], [2, 1, 1]]


def test_items_have_their_ranks_and_parts_that_add_up_to_the_change(tmp_path):
    about = {"title": "Title <i>", "url": "javascript:alert(1)", "image": "data:image/png;base64,"}
    options = {"item_text": {"a": about}, "measure": "nDCG@10"}
    (data,) = data_of(written(compared(), tmp_path, **options))
    # Item, what is known of it, grade, ranks in old, new and best, parts of each measure's change.
    first = {item[0]: item[1:] for item in data["lines"][0][1]}
    assert first["a"][0] == {"title": "Title <i>", "image": "data:image/png;base64,"}
    assert first["a"][1:3] == [2, [3, 1, 1]]
    assert first["a"][3][0] == [1, 1]
    assert first["b"][:3] == ["", 1, [2, None, 2]]
    assert first["x"] == ["", None, [1, 2, None], [[None, None]] * 2], "nobody judged x"
    for query, (depths, items) in enumerate(data["lines"]):
        assert depths == [None] * 3, "all rankings are known whole"
        for measure, columns in enumerate(data["values"]):
            old, *others = (column[query] for column in columns)
            for place, value in enumerate(others):
                parts = [item[4][measure][place] or 0 for item in items]
                assert sum(parts) == pytest.approx(value - old, abs=1e-5)


def test_ranks_of_one_run_explain_no_mean_of_several():
    runs = {"old": OLD, "new": Repeats([NEW, BEST])}
    report = report_of(compare(TRUTH, runs, measures="mrr"))
    (data,) = data_of(page(report))
    assert data["values"][0][1] == [1, 0.75, 0.5]
    assert {part for _, items in data["lines"] for item in items for part in item[4][0]} == {None}


def test_scores_of_items_stand_beside_them():
    runs = {"old": {"q": {"a": 2.5, "x": 1.25}}, "new": {"q": {"a": 0.5}}}
    (section,) = report_of(compare({"q": {"a": 1}}, runs, measures="mrr")).sections
    (data,) = data_of(page(report_of(compare({"q": {"a": 1}}, runs, measures="mrr"))))
    assert [row[5] for row in data["lines"][0][1]] == [[2.5, 0.5], [1.25, None]]
    assert section.queries["leftOut"] == 0


def test_one_system_shows_its_worst_queries_and_their_distribution(tmp_path):
    result = evaluate(TRUTH, OLD, ("mrr", "ndcg@10"), keep_items=True)
    text = written(result, tmp_path, slices={"q1": "head", "q2": "tail", "q3": "tail"})
    assert "<h1>MRR 0.500 and nDCG@10 0.529 over 3 queries</h1>" in text
    assert "1 query has MRR 0." in text
    (data,) = data_of(text)
    assert data["systems"] == [""]
    # Values 1/2, 1 and 0 in ten parts of [0, 1].
    assert "queries by value, from 0 up: 1, 0, 0, 0, 0, 1, 0, 0, 0, 1" in text
    assert text.count('<tr class="part">') == 2


def test_the_first_line_says_what_was_compared(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    monkeypatch.setenv("GITHUB_SHA", "0123456789abcdef")
    text = written(compared(), tmp_path, about=["qrels <1>"], title="Own")
    parts = ["new and best against old", "3 queries", "qrels &lt;1&gt;", "1 Jan 1970"]
    line = " \u00b7 ".join([*parts, "commit 01234567"])
    assert f'<p class="faint">{line}</p>' in text
    assert line.partition("qrels")[0] in written(compared(), tmp_path, about="qrels <1>")
    assert "<p>Own</p><h1>2 changed queries out of 3 are too few to tell: MRR +0.000 (1 " in text


def test_queries_that_were_left_out_are_counted(tmp_path):
    old = evaluate(TRUTH, OLD, "mrr")
    new = evaluate({"q1": TRUTH["q1"], "q2": TRUTH["q2"]}, {"q1": ["a"], "q2": ["c"]}, "mrr")
    text = written(compare({"old": old, "new": new}), tmp_path)
    assert "2 queries \u00b7 1 query of old left out" in text
    assert data_of(text)[0]["lines"] == [None, None], "ids of items were not stored"


def test_a_pooled_measure_alone_has_no_queries(tmp_path):
    runs = {name: {"q1": {"a": score, "x": 0.5}} for name, score in (("old", 0.1), ("new", 0.9))}
    comparison = compare({"q1": {"a": 1}}, runs, measures="auc(average=pooled)")
    text = written(comparison, tmp_path)
    assert data_of(text) == []
    assert re.search(r"<b>\+1.000</b> <span>0.000 \u2192 1.000</span>", text)
    alone = report_of(comparison.evaluations["new"])
    assert alone.sections[0].rows[0].cells == (GridCell(1.0),)


def test_a_measure_with_a_value_on_one_side_has_a_cell():
    runs = {"old": {"q": {"a": 2, "x": 1}}, "new": {"q": {"a": 1}}}  # new ranks nothing irrelevant
    comparison = compare({"q": {"a"}}, runs, "auc(average=pooled)", zero_division=math.nan)
    (cell,) = report_of(comparison).sections[0].rows[0].cells
    assert (cell.old, cell.value) == (1.0, None)


def test_a_slice_without_a_name_and_one_of_all_queries_are_slices():
    comparison, labels = moved({"head": 1, "brand": 3})
    slices = {query: ["", "every"] for query in labels}
    rows = report_of(comparison, slices=slices).sections[0].rows
    assert [(row.label, row.slice) for row in rows] == [
        ("all queries", ""),
        ("(empty)", "(empty)"),
        ("every", "every"),
    ]


def test_wrong_arguments_are_refused_before_a_file_is_written(tmp_path):
    with pytest.raises(UnknownMeasureError, match="unknown measure 'mapp'"):
        compared().report(tmp_path / "r.html", measure="mapp")
    with pytest.raises(TypeError, match=r"^path must be the name of a file, got None"):
        compared().report(None)
    with pytest.raises(TypeError, match=r"^path must be the name of a file, got PosixPath"):
        compared().report(tmp_path)
    for result in (compared(), evaluate(TRUTH, OLD, "mrr")):
        with pytest.raises(TypeError, match=r"'slice'; did you mean 'slices'\?"):
            result.report(tmp_path / "r.html", slice={})
    with pytest.raises(ValueError, match="item_text needs the ids of items: pass keep_items=True"):
        evaluate(TRUTH, OLD, "mrr").report(tmp_path / "r.html", item_text={"a": "A"})
    assert not (tmp_path / "r.html").exists()


def test_a_page_says_that_items_of_repeated_runs_are_those_of_the_first():
    for new, is_repeated in ((Repeats([NEW, BEST]), True), (NEW, False)):
        result = compare(TRUTH, {"old": OLD, "new": new}, measures="mrr")
        assert data_of(page(report_of(result)))[0]["isRepeated"] is is_repeated


# Where nothing was learned -----------------------------------------------------------------------


def test_what_says_nothing_about_the_systems_is_said_first():
    queries = [f"q{number}" for number in range(40)]
    old = {query: ["a", "b"] for query in queries}
    nothing = {query: {"a": 0, "b": 0} for query in queries}
    all_zero = compare(nothing, {"old": old, "new": old}, "mrr", zero_division=math.nan)
    verdict = report_of(all_zero).verdict
    assert verdict[:2] == ("Nothing could be compared: no query has a relevant item", "same")
    judged = {query: {"a": 1, "b": 0} for query in queries}
    dense = {query: ["x", "y"] for query in queries}
    with pytest.warns(RankingDataWarning, match="'dense': no relevant item of any query"):
        compared = compare(judged, {"old": old, "dense": dense}, "mrr")
    unknown = report_of(compared).verdict
    assert unknown[:2] == (
        "No results of dense are judged: these numbers say nothing about it",
        "same",
    )
    assert unknown.details[0].startswith("dense retrieved no relevant item")
    two = {query: judged[query] for query in queries[:2]}
    better = {query: ["b", "a"] for query in two}
    few = report_of(compare(two, {"old": better, "new": old}, "mrr", missing="skip")).verdict
    assert few.sentence == "2 queries are too few to tell: MRR +0.500 (2 better, none worse)"
    enough = {q: old[q] if n < 20 else ["b", "a"] for n, q in enumerate(queries)}
    said = report_of(compare(judged, {"old": old, "new": enough}, "mrr")).verdict.sentence
    assert said == "MRR fell"
    with pytest.warns(RankingDataWarning, match="'dense': no relevant item of any query"):
        three = compare(judged, {"old": old, "dense": dense, "new": enough}, "mrr")
    verdict = report_of(three).verdict
    assert verdict.kind == "worse"
    assert verdict.sentence.startswith("new: MRR fell; ")
    assert verdict.sentence.endswith("; no results of dense are judged")


def test_what_no_test_looks_at_is_not_called_insignificant():
    """A pooled measure falls untested, and 30 losses in 3 clusters are 3."""
    judged = {f"q{n}": {"a": 1} for n in range(30)}
    old = {query: {"a": 1.0, "x": 0.5, "y": -1.0} for query in judged}
    new = {query: {"x": 0.5, "a": 0.0, "y": -1.0} for query in judged}
    pooled = report_of(compare(judged, {"old": old, "new": new}, "auc(average=pooled)")).verdict
    assert pooled.sentence == "Nothing was tested: AUC(average=pooled) -0.500"
    both = compare(judged, {"old": old, "new": new}, ["mrr", "auc(average=pooled)"])
    assert report_of(both).verdict.sentence == "MRR fell"
    assert "Not tested: AUC(average=pooled) -0.500." in report_of(both).verdict.details
    gated = report_of(both, max_drop={"mrr": 0.9}).verdict
    assert gated.details[-1] == "Neither limited nor tested: AUC(average=pooled) -0.500."
    same = compare(judged, {"old": old, "new": old}, ["mrr", "auc(average=pooled)"])
    assert report_of(same, max_drop={"mrr": 0.9}).verdict.details == ()
    limited = report_of(both, max_drop={"auc(average=pooled)": 0.9}).verdict
    assert not [text for text in limited.details if "tested" in text]
    clusters = {query: n % 3 for n, query in enumerate(judged)}
    alike = compare(judged, {"old": old, "new": new}, "mrr", clusters=clusters)
    said = "3 clusters are too few to tell: MRR -0.500 (none better, 30 worse)"
    assert report_of(alike).verdict.sentence == said
    assert alike.notes[-1].startswith("only 3 clusters changed in mrr of 'new': too few")


def test_a_pass_that_is_not_confirmed_is_called_so():
    judged = {f"q{n}": {"a": 1} for n in range(20)}
    old = {query: ["a", "x", "y"] for query in judged}
    new = old | {"q1": ["x", "y", "a"]}
    (said,) = report_of(compare(judged, {"old": old, "new": new}, "mrr")).verdict.details
    assert said.startswith("A gate with max_drop 0.02 would pass with an unconfirmed drop: MRR")
    three = compare(judged, {"old": old, "new": new, "same": old}, "mrr")
    said = report_of(three).verdict.details[-1]
    assert said == "A gate with max_drop 0.02 would pass with an unconfirmed drop for new."


def test_a_page_tells_that_some_ids_are_spelled_otherwise():
    judged = {f"q{n}": {"a": 1, f"b{n}": 1} for n in range(20)}
    run = {f"q{n}": ["a", f"B{n}"] for n in range(20)}
    with pytest.warns(RankingDataWarning, match="seem to be retrieved in another spelling"):
        compared = compare(judged, {"old": {q: ["a"] for q in judged}, "new": run}, "mrr")
    said = "new: 20 of 40 relevant items seem to be retrieved in another spelling, such as "
    assert report_of(compared).verdict.details[0].startswith(said)
    alone = report_of(compared.evaluations["new"]).verdict.details
    assert alone[-1].startswith("20 of 40 relevant items seem to be retrieved in another spelling")


def test_the_gates_of_compare_and_report_refuse_what_a_gate_refuses():
    """A query without a ranking, in either or both, or without a value."""
    truth = {f"q{number}": {"a": 1, "b": 0} for number in range(20)}
    run = {query: ["a", "b"] for query in truth}
    lacking = {query: run[query] for query in truth if query != "q3"}
    for word, old, new, judged in (
        ("missing", run, lacking, truth),
        ("missing", lacking, lacking, truth),
        ("undefined", run, run, truth | {"q3": {"a": 0}}),
        ("unjudged", run, {**run, "new": ["a"]}, truth),
    ):
        result = compare(judged, {"old": old, "new": new}, "mrr", zero_division=math.nan)
        with pytest.raises((RankGateFailure, ValueError)):
            judge_gate(judged, new, read_arguments({"at_least": {"mrr": 0.1}}, Settings()))
        words = f'allow={{"{word}"}}'
        would = report_of(result).verdict.details[-1]
        assert would.startswith("A gate with max_drop 0.02 would be red: could not measure: ")
        assert words in would
        told = report_of(result, max_drop=0.02).verdict
        assert told.kind == "worse"
        assert words in told.sentence


def test_a_measure_that_fell_and_has_no_limit_is_named_beside_a_gate():
    """AP falls from (1 + 2/3) / 2 to (1 + 2/5) / 2, nDCG, dominated by the first item, by 0.015."""
    truth = {f"q{n}": {"a": 3, "b": 1} for n in range(12)}
    old, new = (dict.fromkeys(truth, items) for items in (["a", "x", "b"], [*"axyzb"]))
    result = compare(truth, {"old": old, "new": new}, ["ndcg", "map"])
    report = report_of(result, max_drop={"ndcg": 0.1})
    assert report.verdict.sentence.startswith("Gate passed: ")
    assert "without a limit: MAP -0.133 overall (p (Holm) = 0.0" in " ".join(report.verdict.details)
    cells = [(cell.direction, cell.note) for cell in report.sections[0].rows[0].cells]
    assert cells == [("", "allowed 0.1"), ("worse", "no limit")]


def test_a_slice_that_fell_and_has_no_limit_is_named_beside_a_gate():
    result, labels = moved({"head": 1, "brand": 3})
    verdict = report_of(result, slices=labels, max_drop=0.3).verdict
    assert verdict.sentence.startswith("Gate passed: ")
    assert verdict.details[0].startswith("Worse, but without a limit: ")
    assert "for brand (p" in verdict.details[0]
    guarded = report_of(result, slices=labels, max_drop=0.3, max_slice_drop=0.02).verdict
    assert guarded.sentence.startswith("Gate failed: ")
    assert not [text for text in guarded.details if "for brand" in text]
    pooled = compare(
        {"q": {"a": 1, "b": 0}},
        {"old": {"q": {"a": 2, "b": 1}}, "new": {"q": {"a": 2, "b": 1}}},
        ["mrr", "auc(average=pooled)"],
    )
    assert report_of(pooled, slices={"q": "all"}).verdict.sentence == "No value changed"
