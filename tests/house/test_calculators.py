"""The calculators of the documentation give the numbers of the Python functions. Needs Chromium."""

import json
import math
import random
from pathlib import Path

import numpy as np
import pytest

from sklearn_rank import evaluate
from sklearn_rank.measures.catalogue import METRICS
from sklearn_rank.statistics.means import mean_interval
from sklearn_rank.statistics.student import least_found
from tests.report.test_browser import pytestmark, using

__all__ = ["pytestmark"]

DOCS = Path(__file__).parents[2] / "docs"
RANKING = (DOCS / "_static" / "ranking.js").read_text(encoding="utf-8")
SCRIPT = (DOCS / "_static" / "calculators.js").read_text(encoding="utf-8")


def page(body: str = "") -> str:
    return f"<!DOCTYPE html><html><body>{body}<script>{SCRIPT}</script></body></html>"


def test_they_agree_with_python(tmp_path):
    hits = [(0, 3, 0.95), (1, 2, 0.5), (46, 50, 0.95), (499, 500, 0.999), (30, 30, 0.9)]
    drops = [(2, 0.15, 0.05, 0.8), (700, 0.3, 0.01, 0.95), (200_000, 1, 0.05, 0.8)]
    needed = [(0.02, 0.15, 0.05, 0.8), (0.5, 0.1, 0.05, 0.8), (0.001, 0.4, 0.01, 0.9)]
    gates = [(50, 0.15, 0.005, 0.05, 0.05), (25, 0.3, 0.005, 0.05, 0.05), (400, 0.1, 0, 1, 0.01)]
    script = "".join(
        f"{name}: {json.dumps(own)}.map((own) => {name}(...own)),"
        for name, own in (
            ("hitRateInterval", hits),
            ("detectableDrop", drops),
            ("queriesNeeded", needed),
            ("falseAlarmRate", gates),
        )
    )
    found = using(page(), f"return {{ {script} }};", tmp_path)
    for pair, (n, of, level) in zip(found["hitRateInterval"], hits, strict=True):
        expected = mean_interval(np.repeat([1.0, 0.0], [n, of - n]), None, (0.0, 1.0), level)
        assert pair == pytest.approx(expected, abs=1e-9)
    for drop, (n, sd, alpha, power) in zip(found["detectableDrop"], drops, strict=True):
        expected = least_found(sd / math.sqrt(n), n - 1, alpha, power)
        assert drop == pytest.approx(expected, rel=1e-6)
    for n, (drop, sd, alpha, power) in zip(found["queriesNeeded"], needed, strict=True):
        few, enough = (
            least_found(sd / math.sqrt(own), own - 1, alpha, power) for own in (n - 1, n)
        )
        assert enough <= drop < few
    for rate, (n, sd, least, hard, alpha) in zip(found["falseAlarmRate"], gates, strict=True):
        error = sd / math.sqrt(n)  # of a drop of 0 this share is found
        none = least_found(error, n - 1, alpha, max(rate, 1e-9), least=least, most=hard)
        assert none == pytest.approx(0, abs=0.1 * error)


def test_the_page_answers_at_once_and_refuses_what_is_out_of_range(tmp_path):
    text = (DOCS / "calculators.md").read_text(encoding="utf-8").partition("<script")[0]
    result = using(
        page(text),
        """
        const answers = () => texts("output");
        const first = answers();
        const set = (name, value) => {
          const field = document.querySelector(`[name=${name}]`);
          field.value = value;
          field.dispatchEvent(new Event("input", { bubbles: true }));
          return answers()[0];
        };
        const [impossible, wrong, right] = ["51", "x", "50"].map((hits) => set("hits", hits));
        return { first, impossible, wrong, right };
        """,
        tmp_path,
    )
    assert result["first"] == [
        "Hit rate 0.920, between 0.808 and 0.978",
        "Between 0.570 and 0.654",
        "350 queries",
        "5.0% of runs of an unchanged system fail",
    ]
    assert result["impossible"] == "There cannot be more hits than queries."
    assert result["wrong"] == "Enter a number within the range of each field."
    assert result["right"] == "Hit rate 1.000, between 0.929 and 1.000"


MEASURES = [
    f"{metric.name}{'(ndcg,map)' if metric.combines else ''}{cutoff}"
    for metric in METRICS
    for cutoff in (("", "@5", "@10") if metric.takes_k else ("",))
]


@pytest.mark.filterwarnings("ignore:nothing is judged irrelevant")
def test_every_formula_of_the_ranking_calculator_agrees_with_python(tmp_path):
    rng = random.Random(1)
    queries = [
        [rng.choices((0, 0, 0, 1, 2, 3, None), k=count) for count in (7, 2)] for _ in range(60)
    ]
    found = using(
        f"<!DOCTYPE html><html><body><script>{RANKING}</script></body></html>",
        f"""const finite = (value) => Number.isFinite(value) ? value : null;
        return {json.dumps(queries)}.map(([grades, lost]) => {json.dumps(MEASURES)}.map(
          (measure) => finite(valueOf(measure, grades, lost))));""",
        tmp_path,
    )
    for (grades, lost), values in zip(queries, found, strict=True):
        truth = {f"{item}": grade for item, grade in enumerate(grades + lost) if grade is not None}
        ranking = [f"{item}" for item in range(len(grades))]
        ev = evaluate([truth], [ranking], MEASURES, zero_division=math.nan)
        expected = [None if math.isnan(value) else value for value in ev.scores.values()]
        assert values == pytest.approx(expected, abs=1e-12)


def test_results_move_by_key_and_change_their_grade_by_a_click(tmp_path):
    box = '<div class="ranking-calculator" data-measures="mrr ndcg@5"></div>'
    result = using(
        f"<!DOCTYPE html><html><body>{box}<script>{RANKING}</script></body></html>",
        """
        const buttons = () => document.querySelectorAll(".ranking-calculator button");
        const state = () => [texts("dt"), texts("dd span:last-child"), texts("pre")[0]];
        const first = state();
        buttons()[0].dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
        const focused = document.activeElement.textContent;
        const moved = state();
        buttons()[0].click();
        return { first, focused, moved, clicked: buttons()[0].textContent };
        """,
        tmp_path,
    )
    assert result["first"][0] == ["mrr", "ndcg@5"]
    assert result["first"][1][0] == "1.0000"
    assert result["focused"] == "a grade 3 rank 2"
    names: dict[str, object] = {}
    *lines, call = result["moved"][2].split("\n")
    exec("\n".join(lines), names)
    scores = eval(call, names | {"evaluate": evaluate}).scores
    assert [f"{value:.4f}" for value in scores.values()] == result["moved"][1]
    assert result["moved"][1][0] == "0.5000"
    assert result["clicked"] == "b grade 1 rank 1"
