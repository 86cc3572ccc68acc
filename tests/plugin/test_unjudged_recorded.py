"""Baselines of unjudged items: what is stored, what older files lack, and every run mode."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.plugin.conftest import Suite, said

SUITE = """
    import json
    from pathlib import Path

    TRUTH = {{"q1": {{"a": 2, "b": 1, "c": 0}}, "q2": {{"a": 1, "b": 0}}}}

    def test_unjudged(rank_gate):
        run = json.loads(Path(__file__).with_name("run.json").read_text())
        rank_gate.check(TRUTH, run, max_drop={{"ndcg@3": {margin}}}, {options})
"""
FILE = "test_it/test_unjudged.rank.json"
OLD = {"q1": ["a", "b", "c"], "q2": ["a", "y"]}
NEW = {"q1": ["a", "x", "b"], "q2": ["a", "y"]}
# Half of the change of the one query that changes: see test_unjudged.py.
LINE = "nDCG@3 fell by 0.018 (allowed 0.005), but -0.018..+0.163 is possible"


def write(suite: Suite, run: Any, *options: str, margin: float = 0.005) -> None:
    suite.write(test_it=SUITE.format(options=", ".join(options), margin=margin))
    suite.file("run.json", json.dumps(run))


def recorded(suite: Suite, *options: str, margin: float = 0.005) -> dict[str, Any]:
    """A baseline of the old system, after which the suite has the new one."""
    write(suite, OLD, *options, margin=margin)
    suite.record()
    suite.file("run.json", json.dumps(NEW))
    return content(suite)


def content(suite: Suite) -> dict[str, Any]:
    baseline: dict[str, Any] = json.loads(suite.baselines()[FILE])
    return baseline


def edit(suite: Suite, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change the baseline by hand."""
    baseline = content(suite)
    change(baseline)
    (suite.path / FILE).write_text(json.dumps(baseline))


BOUNDS = 'unjudged="bounds"'


def test_a_baseline_holds_the_places_of_unjudged_items_for_bounds_alone(suite):
    share = {"top": 3, "share": 0.2}
    for policy in ("irrelevant", "condense", "bounds"):
        baseline = recorded(suite, f'unjudged="{policy}"')
        places = [row.get("unjudged") for row in baseline["queries"].values()]
        if policy == "bounds":
            assert baseline["unjudged"] == {**share, "depth": 3}
            assert places == [{}, {"y": 2}]
        else:
            assert baseline["unjudged"] == share
            assert places == [None, None]
        (suite.path / FILE).unlink()
    complete = recorded(suite, 'assume="complete"')
    assert "unjudged" not in complete
    assert all("unjudged" not in row for row in complete["queries"].values())


def test_a_measure_that_a_baseline_could_not_be_read_with_is_not_recorded(suite):
    write(suite, OLD, 'metrics="unjudged"')
    complaint = "a baseline has another use for the name unjudged; give that measure a cutoff"
    assert complaint in suite.fails(arguments=("--rank-update",))
    assert not suite.baselines()
    write(suite, OLD, 'metrics="unjudged@3"')
    suite.record()
    suite.passes()


def test_bounds_against_a_baseline(suite):
    recorded(suite, BOUNDS)
    result = suite.run(passed=1, warnings=1)
    text = said(result)
    assert f"RankGateWarning: {LINE}: unjudged items decide; judge first: q1 x (+0.181)" in text
    result.stdout.fnmatch_lines(
        [
            "test_it.py::test_unjudged *ndcg@3 *0.9820 *1.0000 *-0.0180 *CANNOT TELL *unjudged "
            "items decide (-0.0180..+0.1634)",
            "CANNOT TELL (fails in CI): test_unjudged: nDCG@3 fell by 0.018 (allowed 0.005), but "
            "-0.018..+0.163 is possible: unjudged items decide; judge first: q1 x (+0.181)*",
        ]
    )


def test_what_cannot_be_told_is_red_with_strict_and_reports_have_its_ends(suite):
    recorded(suite, BOUNDS)
    options = ("-rf", "-n", "2", "--rank-strict", "--rank-json=r.json", "--rank-markdown=r.md")
    text = suite.fails(arguments=options)
    assert f"FAILED test_it.py::test_unjudged - Cannot tell: {LINE}" in text
    (gate,) = json.loads((suite.path / "r.json").read_text())["gates"]
    low, high = gate["metrics"]["ndcg@3"]["change_bounds"]
    assert (low, high) == pytest.approx((-0.0180298, 0.1633533), abs=1e-6)
    assert "unjudged items decide (-0.0180..+0.1634)" in (suite.path / "r.md").read_text()


def test_it_passes_where_no_grading_exceeds_the_margin_and_where_lists_are_condensed(suite):
    recorded(suite, BOUNDS, margin=0.02)
    suite.passes("--rank-strict")
    (suite.path / FILE).unlink()
    recorded(suite, 'unjudged="condense"')
    suite.passes("--rank-strict")


def test_the_headline_tells_what_is_new(suite):
    recorded(suite, margin=0.05)
    note = "note on test_unjudged: 40% of the new top 3 are unjudged (baseline 20%)"
    assert note in suite.passes()
    assert "unjudged (" not in suite.passes("-o", "rank_max_new_unjudged=0.2")


# Baselines of another kind -----------------------------------------------------------------------


def older(baseline: dict[str, Any]) -> None:
    """As an older version has written it."""
    del baseline["unjudged"], baseline["seal"]
    for row in baseline["queries"].values():
        row.pop("unjudged", None)


def test_an_older_baseline_still_compares_and_cannot_be_bounded(suite):
    recorded(suite)
    edit(suite, older)
    text = suite.fails()
    assert "nDCG@3 fell from 1.000 to 0.982 (-0.018, allowed -0.005): 1 of 2 queries" in text
    assert "unjudged (" not in text, "it is not known how many were"
    before = suite.baselines()
    write(suite, NEW, BOUNDS)
    assert "not recorded: ndcg@3 1.0000 -> 0.9820" in said(suite.run("--rank-update"))
    write(suite, OLD, BOUNDS)
    text = said(suite.run("--rank-strict"))
    unknown = "nDCG@3 is unchanged: the baseline does not say where unjudged items stood"
    assert f"Cannot tell: {unknown}; record it anew with: --rank-update" in text
    assert suite.baselines() == before
    # Nothing is lower, so that an update may record what was not known.
    suite.record()
    assert content(suite)["queries"]["q2"]["unjudged"] == {"y": 2}
    suite.passes("--rank-strict")


def test_lists_condensed_and_not_do_not_compare(suite):
    recorded(suite)
    write(suite, OLD, 'unjudged="condense"')
    text = suite.fails()
    assert "ndcg@3 was stored with unjudged=None, now unjudged=condense" in text
    assert "cannot be scored anew" in text


@pytest.mark.parametrize("key", ["x1", "y"])
def test_an_edited_place_is_refused(key, suite):
    recorded(suite, BOUNDS)
    edit(suite, lambda baseline: baseline["queries"]["q2"].update(unjudged={key: 1}))
    assert "seal: it does not fit the rest of the file; restore the file" in suite.fails()


@pytest.mark.parametrize(
    ("unjudged", "what"),
    [
        ([], "unjudged must be an object"),
        ({"top": 0, "share": 0.1}, "unjudged needs the share of unjudged items"),
        ({"top": 3, "share": 1.5}, "unjudged needs the share of unjudged items"),
        ({"top": 3, "share": "much"}, "unjudged has 'much' where a number is expected"),
        ({"top": 3, "share": 0.1, "depth": "3"}, "unjudged needs the share of unjudged items"),
    ],
)
def test_nonsense_is_refused(unjudged, what, suite):
    recorded(suite)
    edit(suite, lambda baseline: baseline.update(unjudged=unjudged))
    assert what in suite.fails()


UNBOUNDED = {
    "scores": ('store="values"', "needs to know where unjudged items stood: pass store='ranks'"),
    "gmap": ('max_drop={"gmap": 0.1}', "cannot bound gmap: a change of geometric means"),
    "weights by grades": ('max_drop={"auc": 0.1}', "cannot bound auc: nothing is known of"),
    "pooled": ('max_drop={"lag(average=pooled)": 1}', "cannot bound lag(average=pooled): nothi"),
    "ties": ('ties="optimistic"', "no bounds with ties='optimistic' or 'pessimistic'"),
}


@pytest.mark.parametrize("name", UNBOUNDED)
def test_what_could_never_be_bounded_is_refused_when_it_is_recorded(name, suite):
    options, complaint = UNBOUNDED[name]
    scored = {query: dict.fromkeys(items, 1.0) for query, items in OLD.items()}
    write(suite, scored if name == "ties" else OLD, BOUNDS, options)
    if "max_drop" in options:
        text = (suite.path / "test_it.py").read_text().replace('max_drop={"ndcg@3": 0.005}, ', "")
        (suite.path / "test_it.py").write_text(text)
    for arguments in (("--rank-update",), ()):
        assert complaint in suite.fails(arguments=arguments)
    assert not suite.baselines()


def test_the_command_judges_by_bounds_too(suite, monkeypatch, capsys):
    from sklearn_rank.cli import main

    monkeypatch.chdir(suite.path)
    rows = [("q1", "a", 2), ("q1", "b", 1), ("q1", "c", 0), ("q2", "a", 1), ("q2", "b", 0)]
    suite.file("t.qrels", "\n".join(f"{query} 0 {item} {grade}" for query, item, grade in rows))
    for name, run in (("old", OLD), ("new", NEW)):
        lines = [
            f"{query} Q0 {item} {rank} {9 - rank} {name}"
            for query, items in run.items()
            for rank, item in enumerate(items, 1)
        ]
        suite.file(f"{name}.run", "\n".join(lines))
    gate = ["--name", "g", "--max-drop", "ndcg@3=0.005", "--unjudged", "bounds"]
    assert main(["gate", "t.qrels", "old.run", *gate, "--update"]) == 0
    capsys.readouterr()
    assert main(["gate", "t.qrels", "new.run", *gate]) == 0
    assert "g: nDCG@3 fell by 0.018" in capsys.readouterr().out
    assert main(["gate", "t.qrels", "new.run", *gate, "--strict"]) == 1
    assert f"Cannot tell: {LINE}" in capsys.readouterr().out
    assert main(["gate", "t.qrels", "new.run", *gate, "--strict", "--allow", "cannot_tell"]) == 0
