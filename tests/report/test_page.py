"""The HTML report as a file: whole without a network, safe with hostile data, of bounded size."""

import base64
import hashlib
import json
import re
from dataclasses import replace

import pytest

from sklearn_rank.report.content import (
    MOST_CHARACTERS,
    Card,
    Item,
    Notice,
    Queries,
    Report,
    Section,
    Slice,
    as_data,
    by_change,
    script_json,
)
from sklearn_rank.report.page import GENERATOR, page, provenance, write_page
from sklearn_rank.support.text import safe_text
from sklearn_rank.tables.table import Column, Table, text_cell
from tests.report.cases import TABLE, data_of, queries_of, report_of
from tests.tables.hostile import HOSTILE
from tests.tables.test_hostile_names import Page


def test_a_page_asks_the_network_for_nothing():
    text = page(report_of(30))
    assert not Page(text).attributes & {"src", "srcset", "action", "data", "poster"}
    assert set(re.findall(r'href="(.)', text)) == {"#"}
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert not re.search(r"@import|url\(|http", style)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="(.*?)"', text)
    assert policy.startswith("default-src 'none'; ")


def test_the_policy_lets_this_packages_script_run_and_no_other():
    text = page(report_of(3))
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text
    assert script.isascii(), "a server that calls the file Latin-1 would break the hash"


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_are_data(text):
    queries = Queries(
        systems=(text, text + "2"),
        measures=("map",),
        greater=(True,),
        names=[text],
        values=[[[0.5], [0.25]]],
        texts=[text],
        labels=[[text]],
        items=lambda _: [Item(text, 1.0, [1, 2], [[-0.25]], text)],
    )
    table = Table((Column(text),), ((text_cell(text),),), caption=text)
    section = Section(
        text,
        badge=text,
        direction="worse",
        lead=(text,),
        cards=((text, (Card(text, text, text, "better", (1, 0, 2), text),)),),
        notices=(Notice(text, text, text),),
        slices=(Slice(text, text, 1, 0.1, 0.2, 0.1, (0.0, 0.2), "better", text, 1),),
        slice_titles=(text,) * 5,
        changes=table,
        queries=as_data(queries),
        tables=((text, table),),
        message=text,
    )
    written = page(Report(text, text, (text,), (text,), (section, section), ((text, table),)))
    parsed = Page(written)
    assert parsed.tags <= {
        *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "pre"),
        *("div", "table", "caption", "thead", "tbody", "tr", "th", "td", "br", "ul", "li", "a"),
        *("details", "summary", "script", "footer", "strong", "b", "i", "s", "span"),
    }
    assert not {name for name in parsed.attributes if name.startswith("on")}
    assert written.count("<script") == written.count("</script>") == 3
    assert not [line for line in written.split("\n") if not line.isprintable()]
    shown = safe_text(text, limit=MOST_CHARACTERS)
    for data in data_of(written):
        assert (data["queries"], data["texts"], data["slices"]) == ([shown],) * 3
        assert data["items"][0][0][:2] == [shown, shown]


@pytest.mark.parametrize("text", ["</script>", "<!--", "<script", "]]>", "&lt;", "\u2028"])
def test_json_in_a_script_cannot_end_it(text):
    written = script_json({"x": text})
    assert not re.search("[<>&\u2028]", written)
    assert json.loads(written) == {"x": text}


@pytest.mark.slow
def test_ten_thousand_queries_stay_below_5_mb():
    text = page(report_of(10_000))
    assert len(text.encode()) < 5e6
    (data,) = data_of(text)
    assert len(data["queries"]) == len(data["values"][0][0]) == 10_000


def test_items_of_queries_that_changed_least_are_left_out_first():
    queries = queries_of(100)
    data = as_data(queries, room=3_000)
    order = by_change(queries)
    known = [data["items"][number] is not None for number in order]
    assert True in known
    assert known == sorted(known, reverse=True)
    left_out = known.count(False)
    assert data["unknown"] == (
        f"The items of the {left_out} queries that changed least are left out of this file, which "
        "would be too large with them."
    )
    assert None not in as_data(queries)["items"]


def test_queries_come_by_their_change_and_say_what_is_not_known():
    values = [[[0.5, 0.9, 0.5], [0.6, 0.1, None]]]
    queries = Queries(("a", "b"), ("map",), (True,), ["p", "q", "r"], values)
    assert by_change(queries) == [1, 0, 2], "a loss stands before a smaller gain"
    unknown = as_data(replace(queries_of(5), items=lambda _: None))
    assert unknown["items"] == [None] * 5
    assert unknown["unknown"] == "The ids of the items are not known."
    nan = Queries(("a",), ("map",), (True,), ["q"], [[[float("nan")]]], items=lambda _: [])
    assert as_data(nan)["values"] == [[[None]]]


def test_headings_follow_each_other():
    section = Section("one", tables=(("t", TABLE),), queries=as_data(queries_of(3)))
    levels = re.findall(r"<h(\d)", page(Report("x", sections=(section, section))))
    assert levels == ["1", "2", "3", "3", "2", "3", "3"]
    assert re.findall(r"<h(\d)", page(report_of(3))) == ["1", "2", "2", "2", "2"]


def test_several_sections_fold_under_their_titles_with_ids_of_their_own():
    failed = Section("a", "FAIL", "worse", queries=as_data(queries_of(3)))
    passed = Section("b", "PASS", "better", is_open=False, queries=as_data(queries_of(3)))
    text = page(Report("x", sections=(failed, passed)))
    assert '<details class="section" id="section-0" open>' in text
    assert '<details class="section" id="section-1">' in text
    assert '<span class="badge worse">FAIL</span> <h2>a</h2></summary>' in text
    ids = re.findall(r'\bid="(.*?)"', text)
    assert len(ids) == len(set(ids))


def test_what_stands_there_without_a_script():
    text = page(report_of(30))
    assert text == page(report_of(30)), "the same report has the same bytes"
    before = text.partition('<script type="application/json">')[0]
    assert before.count("<table") == 2
    assert text.count('<th scope="row">dense</th>') == 3
    # A card says its direction in signs and words.
    assert '<b>0.554</b> <span class="better">\u25b2 +0.089 from 0.465</span>' in text
    assert '<span class="worse">\u25bc -0.100</span>' in text
    assert "188 better \u00b7 13 same \u00b7 99 worse" in text
    assert 'style="flex:188"' in text
    # Intervals of slices are on one scale, from -0.2 to 0.3: zero is at 40 %, -0.05 at 30 %, 0.1 at
    # 60 %.
    assert text.count('<s style="left:40.00%">') == 2
    assert '<i style="left:0.00%;width:30.00%"></i><b style="left:20.00%">' in text
    assert '<i style="left:60.00%;width:40.00%"></i><b style="left:80.00%">' in text
    assert 'aria-label="-0.200 to -0.050"' in text
    assert '<a href="#queries" data-slice="brand" data-group="dense">53 worse queries</a>' in text


def test_the_commit_comes_from_the_host_and_the_date_from_the_epoch(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1762000000")
    monkeypatch.setenv("GITHUB_SHA", "a1b2c3d4e5f6")
    assert provenance() == ["1 Nov 2025", "commit a1b2c3d4"]
    monkeypatch.setenv("GITHUB_SHA", "<b>")
    assert provenance() == ["1 Nov 2025"]


def test_pictures_stand_in_the_page_which_is_known_by_its_head(tmp_path):
    section = Section(pictures=(("<svg></svg>", "a < b"),))
    write_page(Report("x", sections=(section,)), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<figure><svg></svg><figcaption>a &lt; b</figcaption></figure>" in text
    assert GENERATOR in text[:1000]
