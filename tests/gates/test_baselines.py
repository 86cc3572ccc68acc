"""Baselines: what is recorded, when it fits and is written, and files that are not believed."""

import json
import math
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sklearn_rank.comparison.baseline import BASELINE_FORMAT, BaselineError, key_of, record
from sklearn_rank.gates.limits import Settings, file_name
from sklearn_rank.gates.verdict import GateResult, RankGateFailure
from sklearn_rank.statistics.student import least_found
from sklearn_rank.view.gate_page import section_of
from sklearn_rank.view.reports import markdown
from sklearn_rank.view.summary import GateRun, Summary
from tests.gates.conftest import Gate, beside, rules
from tests.plugin.cases import case, names, results, truth

DROP: dict[str, Any] = {"max_drop": {"mrr": 0.02}}


def content(gate: Gate) -> dict[str, Any]:
    return json.loads(gate.path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


# What is recorded --------------------------------------------------------------------------------


def test_a_file_has_one_query_a_line_and_what_explains_a_drop(gate):
    labels = {query: "head" if query < "q003" else "tail" for query in names(4)}
    gate.record(*case([2, 1, 0, 3]), **DROP, measures="recall@1", slices=labels)
    text = gate.path.read_text()
    assert text.endswith("\n")
    assert sum(line.startswith('    {"id":') for line in text.split("\n")) == 4
    own = content(gate)
    assert own["format"] == BASELINE_FORMAT
    # (1/2 + 1 + 0 + 1/3) / 4, and one of four first
    assert own["measures"]["mrr"]["value"] == pytest.approx(0.458333)
    assert own["measures"]["recall@1"]["value"] == 0.25
    first, *_, last = own["queries"]
    assert first["values"] == {"recall@1": 0.0, "mrr": 0.5}
    assert first["found"] == {"good": 2}
    assert first["top"] == ["bad1", "good", *(f"bad{n}" for n in range(3, 11))]
    assert (first["n"], first["slices"], last["slices"]) == (10, ["head"], ["tail"])
    again = gate.path.read_bytes()
    gate.record(*case([2, 1, 0, 3]), **DROP, measures="recall@1", slices=labels)
    assert gate.path.read_bytes() == again


def test_a_measure_without_a_limit_is_shown_with_both_values(gate):
    limits = {**DROP, "hard_drop": 0.02, "measures": "recall@1"}
    gate.record(*case([1, 2, 1, 3]), **limits)
    result = gate(*case([1, 2, 4, 9]), **limits)
    shown = result.measures["recall@1"]
    assert (shown.baseline_value, shown.new, shown.state) == (0.5, 0.25, None)
    assert "shown    recall@1    0.5000  0.2500  -0.2500" in result.message
    assert "R@1" not in result.headline
    assert result.as_dict()["largest_fall"] < 0.25
    same = gate(*case([1, 2, 1, 3]), **limits)
    assert same.headline == "MRR is unchanged at 0.708 (4 queries)"


def test_an_item_that_never_moved_is_where_it_was(gate):
    gate.record(*case([2] * 4), **DROP)
    result = gate(*case([9] + [2] * 3), **DROP, hard_drop=0.02)
    assert result.worst is not None
    (row,) = result.worst.rows
    assert [own[:4] for own in row.items] == [("good", 1.0, 2.0, 9.0)]
    from sklearn_rank.gates.gate import judge_gate
    from sklearn_rank.gates.limits import read_arguments

    policy = replace(read_arguments({**DROP, "name": "test_x"}, Settings()), detail="page")
    page = section_of(judge_gate(*case([9] + [2] * 3), policy, gate.place))
    ranks = {row[0]: row[3] for row in json.loads(page.queries["lines"][0])[1]}
    assert ranks["bad1"] == [1, 1]
    assert ranks["good"] == [2, 9]
    # A measure that the baseline lacks is on the page all the same.
    policy = replace(
        read_arguments({**DROP, "name": "x", "measures": "map"}, Settings()), detail="page"
    )
    page = section_of(judge_gate(*case([9] + [2] * 3), policy, gate.place))
    assert page.measures == ("MAP", "MRR")


def test_contributions_of_graded_items_sum_to_the_change(gate):
    y_true = {f"q{n}": {"a": 3, "b": 1, "c": 0} for n in range(4)}
    limits = {"max_drop": {"ndcg@10": 0.02}, "hard_drop": 0.02}
    gate.record(y_true, {query: ["a", "c", "b"] for query in y_true}, **limits)
    worst = gate(y_true, {query: ["b", "c", "a"] for query in y_true}, **limits).worst
    assert worst is not None
    for row in worst.rows:
        assert sum(own.contribution for own in row.items) == pytest.approx(row.change)


HOSTILE = ["\x1b[31mred", "a\nb", "\u202eevil", "q\ud800", "::error::x", '"', "\\", "schön", "日本"]


def test_any_text_is_an_id_and_no_character_acts_on_a_terminal(gate):
    judgements = {query: {query + "!"} for query in HOSTILE}
    run = {query: ["x", query + "!"] for query in HOSTILE}
    gate.record(judgements, run, **DROP)
    text = gate.path.read_text(encoding="utf-8")
    assert all(c.isprintable() or c == "\n" for c in text)
    assert gate(judgements, run, **DROP).state == "pass"
    worse = {query: ["x", "y", query + "!"] for query in HOSTILE}
    result = gate(judgements, worse, **DROP)
    assert result.state == "fail"
    assert all(c.isprintable() or c == "\n" for c in result.message)


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ([1, "1"], "1 and '1' would be the same in a baseline"),
        ([object(), "b"], "differs in every run"),
        ([frozenset({1}), "b"], "differs in every run"),
    ],
)
def test_ids_that_a_file_cannot_hold_are_refused(ids, said, gate):
    with pytest.raises(BaselineError, match=said):
        gate({own: {"a"} for own in ids}, {own: ["a"] for own in ids}, **DROP, update=True)
    assert key_of(np.int64(3)) == "3"


# The lock ----------------------------------------------------------------------------------------


def spoil(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], Any]:
    def apply(path: Path) -> None:
        own = json.loads(path.read_text())
        change(own)
        path.write_text(json.dumps(own))

    return apply


def at(*keys: Any, value: Any) -> Callable[[Path], Any]:
    def change(own: Any) -> None:
        for key in keys[:-1]:
            own = own[key]
        own[keys[-1]] = value

    return spoil(change)


SEALED = "it was changed after recording; restore the file, or delete it and record it again"
FAULTS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a value": (at("queries", 0, "values", "mrr", value=0.4), SEALED),
    "judgements": (at("queries", 0, "judged", value="0" * 16), SEALED),
    "a seal": (at("seal", value="0" * 16), SEALED),
    "no seal": (spoil(lambda own: own.pop("seal")), "missing required field `seal`"),
    "a query less": (spoil(lambda own: own["queries"].pop()), SEALED),
    "a key more": (
        at("queries", 0, "x", value=1),
        "unknown field `x` - at `$.queries[0]`; if",
    ),
    "a rank of 0": (at("queries", 0, "found", "good", value=0), "`int` >= 1"),
    "a rank of no kind": (at("queries", 0, "found", "good", value="3-"), "matching regex"),
    "text": (at("queries", 0, "values", "mrr", value="x"), "Expected `float | null`"),
    "a format": (
        at("format", value="rank-baseline/1"),
        "; if another version wrote it, delete it",
    ),
    "a report": (at("format", value="rank-report/2"), "it is a report of --rank-json or --json"),
    "half": (lambda path: path.write_bytes(path.read_bytes()[:200]), "truncated"),
    "a merge": (lambda path: path.write_text("<<<<<<< HEAD\n"), "JSON is malformed"),
    "no UTF-8": (lambda path: path.write_bytes(b"\xff"), "cannot be read"),
    "depth": (lambda path: path.write_text("[" * 100_000), "cannot be read"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_that_is_not_what_was_recorded_is_refused(fault, gate):
    gate.record(*case([2, 3]), **DROP)
    change, said = FAULTS[fault]
    change(gate.path)
    before = gate.path.read_bytes()
    for update in (False, True):
        with pytest.raises(BaselineError, match=r"gate\.rank\.json cannot be read") as error:
            gate(*case([2, 3]), update=update, **DROP)
        assert said in str(error.value)
    assert gate.path.read_bytes() == before


def test_the_layout_of_a_file_is_no_content(gate):
    gate.record(*case([2, 3]), **DROP)
    own = content(gate)
    gate.path.write_text(json.dumps(dict(reversed(own.items())), indent=4).replace("\n", "\r\n"))
    assert gate(*case([2, 3]), **DROP).state == "pass"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_a_full_disk_leaves_the_old_file(gate, monkeypatch):
    gate.record(*case([2] * 30), **DROP)
    before = gate.path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sklearn_rank.comparison.baseline.replace_file", full)
    with pytest.raises(BaselineError, match="No space left on device; the old one is unchanged"):
        gate(*case([1] * 30), update=True, **DROP)
    monkeypatch.undo()
    assert gate.path.read_bytes() == before


def test_what_a_killed_writer_left_is_removed_by_the_next_one(gate):
    """That of a writer at work stays."""
    left, fresh = (gate.path.with_name(f".g.rank.json.{n}.rank-tmp") for n in (1, 2))
    for path in (left, fresh):
        path.write_text("{")
    os.utime(left, (0, time.time() - 3700))
    gate.record(*case([2] * 30), **DROP)
    assert (left.exists(), fresh.exists()) == (False, True)


def test_a_baseline_that_another_run_writes_meanwhile_is_not_replaced(gate, monkeypatch):
    gate.record(*case([3] * 30), **DROP)

    def slow(*arguments: Any) -> Any:
        gate.path.write_text(gate.path.read_text() + "\n")
        return record(*arguments)

    monkeypatch.setattr("sklearn_rank.gates.gate.record", slow)
    result = gate(*case([1] * 30), **DROP, update=True)
    assert (result.written, result.state) == ("", "fail")
    assert "not recorded: another run wrote the baseline" in result.message


@pytest.mark.parametrize(
    ("old", "new", "is_moved"),
    [
        ("shop/de", "shop_de", False),
        ("test_sp[a:b]", "test_sp[a/b]", False),
        ("Shop", "shop", False),  # on file systems without case
        ("bm25", "bm26", True),
        ("shop/de", "shop/de", False),
    ],
)
def test_two_names_that_make_one_file(gate, old, new, is_moved):
    gate.place = replace(gate.place, path=gate.path.with_name(file_name(old)))
    gate(*case([2] * 30), name=old, update=True, **DROP)
    if is_moved or old == new:
        moved = gate.place.path.rename(gate.path.with_name(file_name(new)))
        gate.place = replace(gate.place, path=moved)
        assert gate(*case([2] * 30), name=new, **DROP).passed
        return
    for writes in ({}, {"update": True}, {"accept": True}):
        with pytest.raises(BaselineError, match=r"is the baseline of gate .*rename this gate, or"):
            gate(*case([1] * 30), name=new, **writes, **DROP)


# Fit ---------------------------------------------------------------------------------------------

THIRTY = case([2] * 30)
STALE: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "ties": ({"ties": "stable"}, {"ties": "docid"}, "read with ties=docid, recorded with stable"),
    "zero_division": (
        {"zero_division": 1.0},
        {"zero_division": 0.0},
        "zero_division=0.0, recorded with 1.0",
    ),
    "missing": ({}, {"missing": "skip"}, "missing=skip, recorded with raise"),
    "weights": ({}, {"sample_weight": dict.fromkeys(names(30), 2.0)}, "30 queries with other w"),
    "clusters": ({}, {"clusters": dict.fromkeys(names(30), "c")}, "30 queries in other clusters"),
    "a measure more": ({}, {"measures": "map"}, "it lacks 'map'"),
    "a measure less": ({"measures": "map"}, {}, "baseline has 'map' but the gate does not compute"),
    "a parameter": (
        {"max_drop": {"map@5": 0.02}},
        {"max_drop": {"map(denominator=relevant)@5": 0.02}},
        "it lacks 'map(denominator=relevant)@5'",
    ),
    "slices": (
        {"slices": {q: "a" if q < "q015" else "b" for q in names(30)}},
        {"slices": {q: "a" if q < "q014" else "b" for q in names(30)}},
        "1 query is in other slices: q014 a -> b",
    ),
}


@pytest.mark.parametrize("name", STALE)
def test_a_baseline_read_or_counted_otherwise_is_stale(name, gate):
    then, now, said = STALE[name]
    run = {q: {d: 1 / n for n, d in enumerate(r, 1)} for q, r in THIRTY[1].items()}
    data = THIRTY[0], (run if name == "ties" else THIRTY[1])
    gate.record(*data, **{**DROP, **then})
    result = gate(*data, **{**DROP, **now})
    assert result.state == "stale", result.headline
    assert said in result.headline
    assert result.headline.count("refresh with: pytest --rank-update") == 1
    again = gate(*data, **{**DROP, **now}, update=True)
    if name in ("weights", "clusters", "a measure more", "a measure less", "slices"):
        assert again.passed, "nothing is lower"
    else:
        assert not again.written
    assert "refresh with" not in again.message
    assert gate(*data, **{**DROP, **now}, accept=True).passed


def test_no_slice_that_was_recorded_vanishes(gate):
    labels = {q: "a" if q < "q015" else "b" for q in names(30)}
    gate.record(*THIRTY, **DROP, slices=labels)
    result = gate(*THIRTY, **DROP, slices=dict.fromkeys(names(30), "a"))
    assert "16 queries are in other slices: q015 b -> a" in result.headline
    assert "30 queries are in other slices: q001 a -> none" in gate(*THIRTY, **DROP).headline


def test_a_slice_without_a_value_is_recorded_without_it(gate):
    judged = {**truth(30), **{query: {} for query in names(10)}}
    limits = {**DROP, "slices": {q: str(q > "q010") for q in names(30)}, "max_slice_drop": 0.02}
    limits |= {"allow": {"undefined"}}
    gate.record(judged, results([2] * 30), **limits)
    assert content(gate)["slices"] == {"False": {}, "True": {"mrr": 0.5}}
    assert gate(judged, results([2] * 30), **limits).state == "pass"


@pytest.mark.parametrize("n_new", [30, 1])
def test_after_judging_again_the_value_of_all_and_of_those_in_common_are_apart(n_new, gate):
    """With fewer than half of the queries in common there is nothing to compare."""
    gate.record(*case([1] * 60), **DROP)
    again = {query: {"bad3"} for query in names(60)[: 60 - n_new]}
    judgements = {**truth(60), **again}
    result = gate(judgements, results([1] * 60), **DROP)
    assert result.state == "stale"
    value = (n_new + (60 - n_new) / 3) / 60
    assert result.value == pytest.approx(value)
    if n_new == 30:
        said = f"on the 30 queries in common, MRR is unchanged at 1.000 ({value:.3f} over all)"
        assert said in result.headline
        left = gate(judgements, results([1] * 60), **DROP, update=True)
        assert not left.written
        assert f"not recorded: over all queries mrr 1.0000 -> {value:.4f}" in left.message
        assert gate(judgements, results([1] * 60), **DROP, accept=True).written
        assert f"MRR is unchanged at {value:.3f} (60 queries)" in (
            gate(judgements, results([1] * 60), **DROP).headline
        )
    else:
        assert "too few queries in common to compare" in result.headline
        assert result.measures["mrr"].baseline_value is None
        left = gate(judgements, results([1] * 60), **DROP, update=True)
        assert not left.written
        assert not left.passed
        accepted = gate(judgements, results([1] * 60), **DROP, accept=True)
        assert accepted.written


def test_with_a_third_of_the_recorded_queries_nothing_is_compared(gate):
    gate.record(*case([2] * 60), **DROP)
    result = gate(*case([2] * 20), **DROP)
    assert "40 queries gone" in result.headline
    assert "too few queries in common to compare" in result.headline


@pytest.mark.parametrize("recorded", [29, 31])
def test_a_drop_on_common_queries_is_told_beside_other_queries(recorded, gate):
    gate.record(*case([2] * recorded), **DROP)
    result = gate(*case([3] * 30), **DROP)
    word = "added" if recorded == 29 else "gone"
    assert result.headline.startswith(
        f"baseline does not fit: 1 query {word} (q0{max(recorded, 30)})"
    )
    assert "MRR fell from 0.500 to 0.333" in result.headline
    assert "drop" in rules(result)
    assert not gate(*case([3] * 30), **DROP, update=True).written
    assert "refresh" not in result.headline
    assert "refresh with: pytest --rank-update" in gate(*case([2] * 30), **DROP).headline


READINGS: list[dict[str, Any]] = [
    {},
    {"ties": "stable"},
    {"ties": "docid"},
    {"zero_division": 0.0},
    {"zero_division": 1.0},
    {"zero_division": math.nan},
    {"missing": "zero"},
    {"missing": "skip"},
    {"convention": "trec_eval"},
    {"sample_weight": {f"q{n}": 1.0 + n for n in range(12)}},
    {"clusters": {f"q{n}": n // 2 for n in range(12)}},
    {"string_provider": lambda item: item.split("-")[0]},
]


@st.composite
def systems(draw: Any) -> Any:
    """Judgements and two systems over twelve queries, with ties, gaps and an id that is a query."""
    grades = st.sampled_from([0, 0, 1, 2])
    items = ["a-1", "a-2", "b", "c", "d"]
    judgements, runs = {}, ({}, {})
    for n in range(12):
        query = f"q{n}"
        own = draw(st.dictionaries(st.sampled_from(items), grades, min_size=1))
        judgements[query] = {**own, "e": 1, "z": 0}
        for run in runs:
            known = st.sampled_from([*items, "e", query])
            run[query] = draw(st.dictionaries(known, st.sampled_from([1.0, 2.0, 3.0]), min_size=1))
    return judgements, *runs


@given(data=systems(), then=st.sampled_from(READINGS), now=st.sampled_from(READINGS))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_recorded_and_read_otherwise_it_is_red_or_as_beside(data, then, now, tmp_path):
    """The numbers of a gate with a baseline are those of both systems measured together."""
    judgements, old, new = data
    gate = Gate(tmp_path)
    more = {"allow": {"undefined", "no_hits"}}
    limits: dict[str, Any] = {"max_drop": {"mrr": 0.02, "ndcg@3": 0.05}, **more}

    def attempt(call: Callable[..., GateResult], *sides: Any, **own: Any) -> GateResult | None:
        try:
            return call(judgements, *sides, **{**limits, **own})
        except (ValueError, RankGateFailure):
            return None

    gate.path.unlink(missing_ok=True)
    recorded = attempt(gate, old, update=True, **then)
    if recorded is None or not recorded.written:
        return
    checked, own = attempt(gate, new, **now), attempt(beside, new, old, **now)
    if checked is None or not checked.passed:
        return
    assert own is not None
    for name, row in checked.measures.items():
        other = own.measures[name]
        assert (row.baseline_value, row.new, row.state) == (
            other.baseline_value,
            other.new,
            other.state,
        )
        assert row.drop is not None
        assert other.drop is not None
        assert (row.drop.p, row.drop.losses) == (other.drop.p, other.drop.losses)


@pytest.mark.parametrize(
    "now", [{"missing": "zero"}, {"allow": {"missing"}}, {"zero_division": 0.0}], ids=str
)
def test_what_raised_on_nothing_fits_other_readings(now, gate):
    """Advice to count missing queries as 0 leads to a verdict, not to a stale baseline."""
    judged, run = case([2] * 30)
    gate.record(judged, run, **DROP)
    assert gate(judged, run, **DROP, **now).passed
    assert gate(judged, run, **DROP, **now, update=True).passed
    assert gate(judged, run, **DROP).passed, "and back"
    if "zero_division" not in now:
        lacks = gate(
            judged, {query: items for query, items in run.items() if query != "q007"}, **DROP, **now
        )
        assert lacks.measures["mrr"].drop.losses == 1
        assert lacks.state == "pass"


# Writing -----------------------------------------------------------------------------------------


def test_without_a_baseline_a_gate_fails_and_says_what_to_type(gate):
    result = gate(*THIRTY, **DROP)
    assert result.state == "fail"
    said = "no baseline for gate 'test_x' (gate.rank.json); mrr is 0.5000 now - write it with: "
    assert result.headline == f"{said}pytest --rank-update"
    assert not gate.path.exists()
    failing = gate(*THIRTY, **DROP, at_least={"map": 0.9}, update=True)
    assert failing.state == "fail"
    assert "not_written" in rules(failing)
    assert not gate.path.exists()
    assert "vacuous" in rules(gate(*THIRTY, max_drop={"mrr": 0.6}, update=True))


def test_recording_says_what_the_next_run_will_see(gate):
    sample = gate.record(*case([1, 2, 3, 4, 2, 1] * 5), **DROP)
    (note,) = sample.as_dict()["notes"]
    # The deviation of changes is .45 of that of the values.
    deviation = 0.45 * np.std([1, 1 / 2, 1 / 3, 1 / 4, 1 / 2, 1] * 5, ddof=1)
    drop = least_found(deviation / 30**0.5, 29, 0.1, 0.8)
    assert note.startswith(
        f"With 30 queries this gate detects MRR drops of {drop:.3f} or more (80%"
    )
    assert "pass hard_drop equal to max_drop" in note
    # The values of few queries are alike by chance, and would promise too much.
    assert not gate.record(*case([1, 2, 3] * 3), **DROP).as_dict()["notes"]
    assert len(gate.record(*case([1, 2, 3] * 3 + [4]), **DROP).as_dict()["notes"]) == 1
    contract = gate.record(*THIRTY, **DROP, hard_drop=0.02)
    assert not gate(*THIRTY, **DROP, hard_drop=0.02).can_be_raised
    assert contract.as_dict()["notes"] == ["a contract: every drop of MRR beyond 0.02 is red"]


def test_a_run_that_fails_does_not_advise_to_raise(gate):
    gate.record(*THIRTY, **DROP)
    failing = gate(*case([1] * 15 + [2] * 15), **DROP, at_least={"mrr": 0.9})
    assert failing.can_be_raised
    assert not failing.as_dict()["can_be_raised"], "a run that fails has nothing to advise"


MOVES: dict[str, tuple[list[int], dict[str, Any], str, str]] = {
    "the same": ([2] * 30, {}, "", "pass"),
    "a gain": ([1] * 15 + [2] * 15, {}, "raised", "improved"),
    "luck": ([1] * 6 + [2] * 24, {}, "", "improved"),  # 2 ** -5: not below .02
    "a little lower": ([3] + [2] * 29, {}, "", "pass"),
    "a drop": ([3] * 15 + [2] * 15, {}, "", "fail"),
}


@pytest.mark.parametrize("name", MOVES)
def test_an_update_raises_and_refreshes_and_never_lowers(name, gate):
    ranks, limits, written, state = MOVES[name]
    gate.record(*THIRTY, **DROP)
    before = gate.path.read_bytes()
    # A run that would be declined does not advise what declines.
    assert gate(*case(ranks), **DROP).can_be_raised is (written == "raised")
    result = gate(*case(ranks), **{**DROP, **limits}, update=True)
    assert not result.can_be_raised
    assert (result.written, result.state) == (written, state), result.headline
    assert (gate.path.read_bytes() == before) is (written == "")
    if name == "luck":
        assert "not recorded: the gain is not significant at 0.02 (mrr 0.5000 ->" in result.message
    if name == "a little lower":
        assert "not recorded: mrr 0.5000 -> 0.4944" in result.message
    if name == "a gain":
        assert result.recorded_changes == {"mrr": (0.5, 0.75)}


def test_a_refresh_says_what_moves_over_all_queries(gate):
    """One query of 60 is judged anew: 1 - 8 / 9 / 60 is lower by less than the limit."""
    gate.record(*case([1] * 60), **DROP)
    judgements = {**truth(60), names(60)[0]: {"bad9"}}
    result = gate(judgements, results([1] * 60), **DROP, update=True)
    assert result.written == "refreshed"
    assert "over all queries mrr 1.0000 -> 0.9852" in result.message


@pytest.mark.parametrize(("rank", "written"), [(1, "refreshed"), (3, "")])
def test_a_measure_that_leaves_while_it_falls_is_not_dropped(rank, written, gate):
    """The other one sees no more than the first item."""
    limits = {"max_drop": {"mrr": 0.02, "hit_rate@1": 0.02}}
    gate.record(*case([1] * 2 + [2] * 28), **limits)
    left = gate(*case([1] * 2 + [1 + rank] * 28), max_drop={"hit_rate@1": 0.02}, update=True)
    assert left.written == written, left.message
    assert ("not recorded: over all queries mrr 0.5333 -> 0.3000" in left.message) is not written
    if not written:
        accepted = gate(*case([1] * 2 + [4] * 28), max_drop={"hit_rate@1": 0.02}, accept=True)
        assert accepted.written == "lowered"


@pytest.mark.parametrize(("rank", "written"), [(2, "raised"), (4, "")])
def test_a_slice_that_leaves_while_it_falls_is_not_dropped(rank, written, gate):
    """All together do not fall: 10 of 40 lose 1 / 4, 30 gain 1 / 12 at least."""
    labels = {query: "b" if n < 10 else "a" for n, query in enumerate(names(40))}
    limits = {**DROP, "max_slice_drop": 0.1}
    gate.record(*case([2] * 10 + [3] * 30), **limits, slices=labels)
    merged = dict.fromkeys(labels, "all")
    left = gate(*case([rank] * 10 + [2] * 30), **limits, slices=merged, update=True)
    assert left.written == written, left.message
    assert ("not recorded: slice b mrr 0.5000 -> 0.2500" in left.message) is not written


def test_no_row_raises_another(gate):
    """A latency that is a little lower says nothing of MRR, nor MRR of it."""
    limits = {"max_drop": {"mrr": 0.02, "ms": 5.0}}
    gate.record(*THIRTY, **limits, totals={"ms": 100.0})
    for ranks, ms, said in (
        ([1] + [2] * 29, 99.99, "the gain is not significant at 0.02 (mrr 0.5000 -> 0.5167)"),
        ([1] + [2] * 29, 90.0, "the gain is not significant at 0.02 (mrr 0.5000 -> 0.5167)"),
        ([2] * 30, 99.99, "the gain is not beyond max_drop (ms 100.0000 -> 99.9900)"),
        ([1] * 30, 99.99, "the gain is not beyond max_drop (ms 100.0000 -> 99.9900)"),
    ):
        result = gate(*case(ranks), **limits, totals={"ms": ms}, update=True)
        assert not result.written
        assert f"not recorded: {said}" in result.message
        assert not gate(*case(ranks), **limits, totals={"ms": ms}).can_be_raised
    raised = gate(*THIRTY, **limits, totals={"ms": 90.0}, update=True)
    assert raised.written == "raised"
    assert raised.headline == "ms fell from 100.000 to 90.000 (30 queries)"


def test_only_accepting_lowers(gate):
    gate.record(*THIRTY, **DROP)
    result = gate(*case([3] * 30), **DROP, accept=True)
    assert (result.written, result.state) == ("lowered", "pass")
    assert result.recorded_changes == {"mrr": (0.5, pytest.approx(1 / 3, abs=1e-6))}
    # It mends drops alone: a floor stays.
    before = gate.path.read_bytes()
    result = gate(*case([9] * 30), **DROP, at_least={"mrr": 0.3}, accept=True)
    assert result.state == "fail"
    assert gate.path.read_bytes() == before
    assert gate(*case([3] * 30), **DROP).state == "pass"


def test_values_are_compared_as_they_are_stored(gate):
    scores = dict.fromkeys(names(30), 0.1234564)
    moved = dict.fromkeys(names(30), 0.1234561)
    limits: dict[str, Any] = {"max_drop": {"own": 0.0}, "hard_drop": 0.0}
    gate.record(*THIRTY, values={"own": scores}, **limits)
    result = gate(*THIRTY, values={"own": moved}, **limits)
    assert result.state == "pass", result.headline
    drop = result.measures["own"].drop
    assert drop is not None
    assert (drop.losses, drop.change) == (0, 0.0)


def test_advice_is_for_the_checkout_that_can_be_changed(gate):
    gate.elsewhere()
    assert "a new or renamed gate is red until ../base has" in gate(*THIRTY, **DROP).headline
    gate.record(*THIRTY, **DROP)
    result = gate(*case([3] * 30), **DROP)
    assert "accept    pytest --rank-accept" in result.message
    comment = markdown(Summary(gates=[GateRun({**result.as_dict(), "nodeid": "x"}, "x")]))
    for text in (result.message, comment):
        assert "this run stays red until the change is merged" in text


@pytest.mark.parametrize(
    "limits", [{"max_slice_drop": 0.1}, {"slice_at_least": {"a": {"mrr": 0.2}}}], ids=lambda _: ""
)
@pytest.mark.parametrize("size", [1, 5, 20])
def test_an_update_lowers_no_slice_that_has_a_limit(size, limits, gate):
    """Of any size, while all queries together gain."""
    labels = {query: "a" if n < size else "b" for n, query in enumerate(names(40))}
    limits = {**DROP, "slices": labels, **limits}
    gate.record(*case([2] * 40), **limits)
    result = gate(*case([3] + [2] * (size - 1) + [1] * (40 - size)), **limits, update=True)
    assert not result.written
    assert f"not recorded: slice a mrr {-1 / 6 / size:.4f}" in result.message
    assert gate(*case([2] * size + [1] * (40 - size)), **limits, update=True).written == "raised"
