"""``--rank-html``: a section for each gate, its queries now and in the baseline."""

import json
import re

import pytest

from sklearn_rank.report.content import script_json, size_of
from tests.plugin.conftest import Suite
from tests.plugin.one_gate import gate_of
from tests.plugin.test_hostile import FORBIDDEN, HOSTILE, SUITE
from tests.report.cases import data_of
from tests.tables.test_hostile_names import Page

GATES = """
    from cases import case, system

    def test_floor(rank_gate):
        rank_gate.check(*case([1, 2]), at_least={"mrr": 0.5})

    def test_engine(rank_gate):
        rank_gate.check(
            *system(), max_drop={"mrr": 0.005}, metrics=("lag",),
            query_text=lambda query: f"text of {query}",
        )
"""


@pytest.fixture
def gates(suite: Suite) -> Suite:
    """A floor that is met, and an engine that got worse for half of its queries."""
    suite.write(test_it=GATES)
    suite.run("--rank-update", now=[1] * 30)
    suite.system([3] * 15 + [1] * 15)
    return suite


def page_of(suite: Suite, name: str = "report.html") -> str:
    return (suite.path / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_the_page_has_every_gate_and_its_queries_beside_the_baseline(workers, gates):
    gates.run("--rank-html=deep/report.html", *workers).assert_outcomes(passed=1, failed=1)
    text = page_of(gates, "deep/report.html")
    assert re.findall(r"<h2>.*</span> (.*?)</h2>", text) == ["test_engine", "test_floor"]
    assert re.findall(r'class="badge (.*?)">(.*?)<', text) == [
        ("worse", "FAIL"),
        ("better", "PASS"),
    ]
    assert "<h1>1 of 2 gates failed</h1>" in text
    assert "15 worse \u00b7 0 better" in text
    engine, floor = data_of(text)
    assert engine["systems"] == ["baseline", "now"]
    assert dict(zip(engine["measures"], engine["greater"], strict=True)) == {
        "MRR": True,
        "LAG": False,
    }
    mrr = engine["values"][engine["measures"].index("MRR")]
    assert mrr == [[1] * 30, [0.333333] * 15 + [1] * 15]
    assert engine["texts"][0] == f"text of {engine['queries'][0]}"
    assert engine["measures"][engine["show"]["measure"]] == "MRR"
    assert (engine["show"]["slice"], engine["show"]["which"]) == ("", "worse")
    # Ranks before and now, and what that did to MRR and to LAG.
    depths, items = engine["lines"][0]
    ((_, _, grade, ranks, parts),) = [item for item in items if item[2]]
    assert [grade, ranks] == [1, [1, 3]]
    assert dict(zip(engine["measures"], parts, strict=True)) == {"MRR": [-0.666667], "LAG": [2]}
    # The baseline knows where relevant items stood, and of others nothing.
    others = [item for item in items if not item[2]]
    assert depths == [0, None]
    assert {(grade, old) for _, _, grade, (old, _), _ in others} == {(None, None)}
    assert floor["systems"] == ["now"]
    first = [next(item for item in items if item[2]) for _, items in floor["lines"]]
    assert [item[3] for item in first] == [[1], [2]]


def test_a_failing_slice_shows_its_own_worse_queries_first(suite):
    labels = 'slices=lambda query: "tail" if int(query[1:]) > 15 else "head"'
    limits = f'max_drop={{"mrr": 0.9}}, {labels}, max_slice_drop=0.1, hard_drop=0'
    suite.write(test_it=gate_of(limits))
    suite.run("--rank-update", now=[1] * 30)
    suite.run("--rank-html=report.html", now=[3] * 15 + [1] * 15, failed=1)
    text = page_of(suite)
    (data,) = data_of(text)
    failing = data["show"]["slice"]
    assert (failing, data["show"]["which"]) in [("head", "worse"), ("tail", "worse")]
    row = rf'<th scope="row">{failing} .*?<td class="worse">.*?15 worse \u00b7 0 better'
    assert re.search(row, text, re.DOTALL)
    worse = [own < was for was, own in zip(*data["values"][0], strict=True)]
    of_slice = [failing in [data["slices"][n] for n in own] for own in data["labels"]]
    assert worse == of_slice


def test_a_report_replaces_a_report_and_nothing_else_and_others_know_nothing_of_it(gates):
    gates.run("--rank-html=report.html", "--rank-json=report.json")
    first = page_of(gates)
    gates.run("--rank-html=report.html")
    assert page_of(gates) == first
    gates.run("--rank-json=alone.json")
    content, alone = (json.loads(page_of(gates, f"{name}.json")) for name in ("report", "alone"))
    assert content["gates"] == alone["gates"]
    gates.file("own.html", "<p>mine</p>")
    gates.run("--rank-html=own.html", ret=4, says="*'own.html' exists and is not a report")
    assert page_of(gates, "own.html") == "<p>mine</p>\n"


def test_a_baseline_without_ranks_still_has_values(suite):
    suite.write(test_it=gate_of('max_drop={"mrr": 0.005}, store="values"'))
    suite.run("--rank-update", now=[1] * 30)
    suite.run("--rank-html=report.html").assert_outcomes(passed=1)
    (data,) = data_of(page_of(suite))
    assert data["values"] == [[[1] * 30, [1] * 30]]
    assert data["lines"] == [None] * 30


def test_what_has_no_baseline(suite):
    suite.write(
        test_it="""
        from cases import case
        from pytest_rankmetrics import assert_not_worse

        def test_system():
            truth, results = case([1, 2])
            assert_not_worse(truth, results, case([2, 2])[1], measures="mrr", max_drop=0.4)

        def test_unmeasured(rank_gate):
            rank_gate.check({"q": {"a"}}, {"other": ["a"]}, at_least={"mrr": 0.5})
        """
    )
    suite.run("--rank-html=report.html").assert_outcomes(passed=1, failed=1)
    text = page_of(suite)
    assert "FAIL</span> test_unmeasured</h2>" in text
    (data,) = data_of(text)
    assert data["systems"] == ["reference", "now"]


def test_hostile_ids_are_data(suite):
    written = {kind: text for kind, text in HOSTILE.items() if kind != "surrogate"}
    (suite.path / "hostile.json").write_text(json.dumps(written))
    suite.write(test_it=SUITE)
    suite.run("--rank-update", "-q")
    suite.file("worse", "")
    suite.run("-q", "--rank-html=report.html")
    text = page_of(suite)
    assert FORBIDDEN.findall(text) == []
    parsed = Page(text)
    assert "img" not in parsed.tags
    assert not {name for name in parsed.attributes if name.startswith("on")}
    assert text.count("<script") == text.count("</script>") == 2 * len(written) + 2
    assert len(text) < 5_000_000


def test_gates_that_failed_keep_their_items_when_there_is_no_room_for_all(gates, monkeypatch):
    gates.run("--rank-html=report.html")
    room = size_of({"lines": map(script_json, data_of(page_of(gates))[0]["lines"])})
    monkeypatch.setattr("sklearn_rank.report.content.MOST_BYTES", room)
    gates.run("--rank-html=report.html")
    engine, floor = data_of(page_of(gates))
    assert None not in engine["lines"]
    assert (floor["lines"], floor["leftOut"]) == ([None, None], 2)
    assert "Item lists of 2 of 32 queries are left out" in page_of(gates)
