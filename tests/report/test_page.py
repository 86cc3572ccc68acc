"""The HTML report as a file: whole without a network, safe with hostile data, of bounded size."""

import base64
import hashlib
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank import compare, evaluate
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.rankings.placements import Hit, Placement
from sklearn_rank.support.text import safe_text
from sklearn_rank.tables.table import Column, Table, text_cell
from sklearn_rank.view.page import (
    GENERATOR,
    GridCell,
    Report,
    Row,
    Verdict,
    page,
    provenance,
    some,
)
from sklearn_rank.view.queries import (
    MOST_CHARACTERS,
    by_change,
    items_of,
    queries_data,
    script_json,
    without_items,
)
from sklearn_rank.view.systems import report_of as report_on
from tests.report.cases import data_of, many, report_of, section_of
from tests.tables.hostile import HOSTILE
from tests.tables.test_hostile_names import Page


def test_a_page_asks_the_network_for_nothing():
    text = page(report_of(30))
    assert not Page(text).attributes & {"src", "srcset", "action", "poster", "href"}
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert not re.search(r"@import|url\(|http", style)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="(.*?)"', text)
    assert policy.startswith("default-src 'none'; img-src data:; ")


def test_right_to_left_names_leave_the_order_of_a_sentence_alone():
    name = "\u0639\u0644\u0627\u0645\u0629 \u062a\u062c\u0627\u0631\u064a\u0629"
    verdict = Verdict(f'MAP fell for "50 {name}" & \u05d0<b>', "worse")
    text = page(replace(report_of(3), verdict=verdict, heading=name))
    said = f"MAP fell for &#34;50 <bdi>{name}</bdi>&#34; &amp; <bdi>\u05d0</bdi>&lt;b&gt;"
    assert f"<h1>{said}</h1>" in text
    assert f"<p><bdi>{name}</bdi></p>" in text
    assert f"<title>{report_of(3).title}</title>" in text


def test_long_names_are_told_apart_by_their_ends():
    assert some([f"lambdarank-with-all-features-of-the-shop-{n}" for n in (1, 2)]) == (
        "lambdarank-with-all...ures-of-the-shop-1 and lambdarank-with-all...ures-of-the-shop-2"
    )


def test_hidden_slices_are_counted():
    rows = [Row("all queries", 60, (GridCell(0.5, 0.4, 0.1),))]
    rows += [
        Row(f"s{n}", 3, (GridCell(0.5, 0.4, 0.1, direction="better" if n < 2 else ""),), f"s{n}")
        for n in range(20)
    ]
    text = page(replace(report_of(3), sections=(section_of(many(60), *rows),)))
    assert "hidden>Show 18 more slices</button>" in text
    assert text.count('class="part quiet"') == 18


def test_one_system_without_a_script_has_its_worst_queries():
    judged = {f"q{n}": {"a": 1} for n in range(12)}
    run = {query: [f"x{i}" for i in range(n)] + ["a", "y"] for n, query in enumerate(judged)}
    text = page(report_on(evaluate(judged, run, ["mrr", "map"], keep_items=True)))
    table = text.partition('class="scroll unscripted"')[2]
    assert "<h2>Queries with the lowest values: MRR</h2>" in table
    assert table.index(">q11<") < table.index(">q10<")
    assert re.findall("<th[^>]*>(.*?)</th>", table) == ["query", "value", "relevant at ranks"]
    assert "largest changes by" not in table
    best = page(report_on(evaluate(judged, {query: ["a"] for query in judged}, keep_items=True)))
    assert 'class="scroll unscripted"' not in best
    lower = page(report_on(evaluate(judged, run, "lag", keep_items=True)))
    assert "<h2>Queries with the highest values: LAG</h2>" in lower


def test_the_policy_lets_this_packages_script_run_and_no_other():
    text = page(report_of(3))
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text
    assert script.isascii(), "a server that calls the file Latin-1 would break the hash"


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_are_data(text):
    about = {"title": text, "text": text, "url": text, "image": text}
    query = text.encode(errors="replace").decode()  # a lone surrogate is no id
    runs = {query or "old": {query: [query, "x"]}, query + "2": {query: ["x", query]}}
    result = compare({query: {query: 1}}, runs, "mrr")
    texts = {"query_text": {query: text}, "item_text": {query: about}}
    data = report_on(result, slices={query: text}, **texts).sections[0].queries
    row = Row(
        text, 1, (GridCell(0.1, 0.2, 0.1, (0.0, 0.2), 0.1, "better", (1, 0, 2), note=text),), text
    )
    table = Table((Column(text),), ((text_cell(text),),), notes=(text,))
    options = {"title": text, "badge": text, "direction": "worse", "lead": text, "message": text}
    section = section_of(data, row, notes=(text,), changes=table, **options)
    verdict = Verdict(text, "worse", (text,))
    written = page(Report(text, verdict, (section, section), (text,), (text,), text))
    parsed = Page(written)
    assert parsed.tags <= {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "main",
        "section",
        "footer",
        "h1",
        "h2",
        "p",
        "pre",
        "div",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "br",
        "ul",
        "li",
        "details",
        "summary",
        "script",
        "strong",
        "b",
        "span",
        "button",
        "dl",
        "dt",
        "dd",
    }
    assert not {name for name in parsed.attributes if name.startswith("on")}
    assert written.count("<script") == written.count("</script>") == 5
    assert not [line for line in written.split("\n") if not line.isprintable()]
    for data in data_of(written):
        assert data["queries"] == [safe_text(query, limit=MOST_CHARACTERS)]
        assert data["texts"] == ([safe_text(text, limit=MOST_CHARACTERS)] if text else [])
        item = next(row for row in data["lines"][0][1] if row[0] != "x" or text == "x")
        assert item[0] == data["queries"][0]
        assert "url" not in item[1], "no address of the web"
        assert (item[6] if len(item) > 6 else item[0]) == query, "judgements name the item"


@pytest.mark.parametrize("text", ["</script>", "<!--", "<script", "]]>", "&lt;", "\u2028"])
def test_json_in_a_script_cannot_end_it(text):
    written = script_json({"x": text})
    assert not re.search("[<>&\u2028]", written)
    assert json.loads(written) == {"x": text}


def test_the_page_says_what_it_leaves_out():
    data = without_items(many(300))
    section = section_of({**data, "leftOut": 1234}, *report_of(3).sections[0].rows)
    text = page(Report("x", Verdict("x", "same"), (section,)))
    assert "the items of 1,234 of 300 queries are left out" in text.partition("<table")[0]
    assert "queries are left out" not in page(report_of(3))


def systems_of(runs, n=100):
    """Evaluations, columns of values, and ids of some queries."""
    truth = {f"q{number}": {"a": 1} for number in range(n)}
    evaluations = {
        name: evaluate(truth, {q: run(k) for k, q in enumerate(truth)}, "mrr", keep_items=True)
        for name, run in runs.items()
    }
    values = {one.measures[0]: [] for one in evaluations.values()}
    for one in evaluations.values():
        values[one.measures[0]].append(one.per_query["mrr"])
    systems = {name: (one, np.arange(n)) for name, one in evaluations.items()}
    return systems, list(truth), values


@pytest.mark.parametrize(("room", "most"), [(3_000, 1_500), (10**6, 12)])
def test_items_of_queries_that_changed_least_are_left_out_first(monkeypatch, room, most):
    monkeypatch.setattr("sklearn_rank.view.queries.MOST_QUERIES", most)
    runs = {"old": lambda _: ["a"], "new": lambda k: [f"x{n}" for n in range(k % 7)] + ["a"]}
    systems, ids, values = systems_of(runs)
    texts = (str, lambda _: "")
    data = queries_data(systems, ids, values, (), texts, room=room)
    is_written = [bool(data["lines"][number]) for number in by_change(values)]
    assert 0 < sum(is_written) <= most
    assert is_written == sorted(is_written, reverse=True)
    assert data["leftOut"] == is_written.count(False) > 0
    monkeypatch.undo()
    assert "" not in queries_data(systems, ids, values, (), texts)["lines"]


def test_queries_come_by_their_change_and_one_system_by_its_worst_values():
    nan = float("nan")
    mrr, lag = evaluate([{"a"}], [["a"]], ("mrr", "lag")).measures
    old, new = np.array([0.5, 0.9, 0.5]), np.array([0.6, 0.1, nan])
    assert by_change({mrr: [old, new]}) == [1, 0, 2], "a loss stands before a smaller gain"
    alone = np.array([0.5, 0.9, 0.1])
    assert by_change({mrr: [alone]}) == [2, 0, 1]
    assert by_change({lag: [alone]}) == [1, 0, 2]


ITEMS = st.lists(st.sampled_from("abcdefghijklmnop"), unique=True, max_size=14)


def placed(ranking, judged, depth):
    """A ranking of which the first items are known, and the ranks of all relevant ones."""
    hits = [Hit(d, judged[d], n, 1) for n, d in enumerate(ranking) if judged.get(d, 0) > 0]
    grades = sorted((grade for grade in judged.values() if grade > 0), reverse=True)
    return Placement("q", hits, len(ranking), grades, judged, ranking[:depth])


@given(ITEMS, ITEMS, st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3)), st.data())
def test_ranks_are_those_of_the_rankings_and_unknown_only_below_the_stored_depth(
    old, new, judged, data
):
    depth = data.draw(st.sampled_from([0, 10, 20]))
    sides = placed(old, judged, depth), placed(new, judged, 20)
    depths, items = items_of(sides)
    assert depths == [None if depth >= len(old) else depth, None]
    assert {item[0] for item in items} >= {*new[:10], *old[:10][:depth]}
    for item in items:
        for ranking, rank, known in zip((old, new), item[3], depths, strict=True):
            place = ranking.index(item[0]) + 1 if item[0] in ranking else None
            # The page calls an item new or gone only where the whole ranking is known.
            is_unknown = rank is None and known is not None and not (item[2] or 0) > 0
            assert rank == place or (is_unknown and place > known)


def test_headings_follow_each_other_and_sections_have_ids_of_their_own():
    text = page(report_of(3, sections=2))
    assert re.findall(r"<h(\d)", text) == ["1", *"2222"]
    ids = re.findall(r'\bid="(.*?)"', text)
    assert len(ids) == len(set(ids))


def test_what_stands_there_without_a_script():
    text = page(report_of(30))
    assert text == page(report_of(30)), "the same report has the same bytes"
    before = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    assert before.count("<table") == 2
    assert "<h1>nDCG@10 fell for brand queries</h1>" in before
    assert '<header class="answer worse">' in before
    cell = re.sub(r"\s+", " ", re.findall(r'<td class="worse">(.*?)</td>', before, re.DOTALL)[0])
    assert "<b>\u25bc -0.100</b> <span>0.700 \u2192 0.600</span>" in cell
    assert "<span>53 worse \u00b7 3 better</span><span>allowed 0.02</span>" in cell
    assert 'title="-0.200 to -0.050, p (Holm) = 0.0100"' in cell


@pytest.mark.parametrize(("systems", "names"), [(("baseline", "new"), 0), (("old", "new"), 1)])
def test_systems_are_named_where_their_names_say_more_than_their_part(systems, names):
    assert page(report_of(3, systems=systems)).count('<dl class="names">') == names


def test_the_commit_comes_from_the_host_and_the_date_from_the_epoch(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1762000000")
    monkeypatch.setenv("GITHUB_SHA", "a1b2c3d4e5f6")
    assert provenance() == ["1 Nov 2025", "commit a1b2c3d4"]
    monkeypatch.setenv("GITHUB_SHA", "<b>")
    assert provenance() == ["1 Nov 2025"]


def test_a_page_is_known_by_its_head():
    assert GENERATOR in page(report_of(1))[:1000]


def test_a_page_keeps_the_items_of_what_it_lists_first():
    """The largest losses and gains by each measure, over all queries and in each slice."""
    rng = np.random.default_rng(0)
    measures = [parse_measures(name)[0] for name in ("mrr", "map", "lag")]
    values = {one: [rng.random(3_000), rng.random(3_000)] for one in measures}
    labels = [["brand"] if number % 30 == 0 else ["plain"] for number in range(3_000)]
    kept = set(by_change(values, labels)[:1_500])
    for measure, (old, new) in values.items():
        better = (new - old) * (1 if measure.metric.greater_is_better else -1)
        for label in (None, "brand", "plain"):
            of = [n for n in range(3_000) if label is None or labels[n] == [label]]
            ranked = sorted(of, key=better.__getitem__)
            assert {*ranked[:50], *ranked[-50:]} <= kept, (str(measure), label)
    assert sorted(by_change(values)) == list(range(3_000))
    alone = {measures[0]: [np.array([0.5, 0.0, 1.0])]}
    assert by_change(alone) == [1, 0, 2]
