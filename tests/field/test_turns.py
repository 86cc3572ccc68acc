"""What new users type, and the words of the error that lead them on.

What is typed is text, so that a row is a line.
"""

import pytest

import sklearn_rank as sr

TRUTH = {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}}
RUN = {"q1": ["a", "x"], "q2": ["x", "b"], "q3": ["x", "y", "z", "c"]}
EV, ONE = sr.evaluate(TRUTH, RUN, ["map", "ndcg@10"]), sr.evaluate(TRUTH, RUN, "mrr")
CHANGE = sr.compare(TRUTH, {"old": RUN, "new": RUN}, ["map", "mrr"])
NAMES = {"sr": sr, "TRUTH": TRUTH, "RUN": RUN, "ev": EV, "one": ONE, "change": CHANGE}


def typed(*texts: str, says: str) -> dict[str, str]:
    return dict.fromkeys(texts, says)


WORKS = {
    "dict(one)": {"mrr": (1 + 1 / 2 + 1 / 4) / 3},
    "{**one}": {"mrr": (1 + 1 / 2 + 1 / 4) / 3},
    "f'{one}'.split()[:2]": ["measure", "score"],
    "sr.compare(TRUTH, {'map': RUN, 'mrr': RUN}, ['map', 'mrr'])['mrr'].system": "mrr",
}
RESULTS = {
    "ev.map": r"'map'; it is result\['map'\]$",
    "ev.ndcg_at_10": r"it is result\['ndcg_at_10'\]$",
    "ev.ndcg": r"did you mean 'ndcg@10'\? Measures are elements: result\['map'\]$",
    "ev.perquery": r"did you mean 'per_query'\?$",
    "ev._ipython_display_": "has no attribute '_ipython_display_'$",
    "change.map": r"'map'; it is result\['map'\]$",
    "change.per_query": r"values\('map'\) has the values",
    "change.to_judge": r"evaluations\['new'\]\.to_judge",
    "change['new']": r"'new' is a system; its change is result\[measure, system\]",
    "ev['q1']": r"'q1' is a query, not a measure; to_frame\(\) has a row per query",
    "ev['q7']": "unknown measure 'q7'",
    **typed(
        "one.items()", "one.values()", "one.score", "one.mean()", "one.item()", "one > 0.7",
        "0.7 >= one", "float(one)", "round(one, 2)", "f'{one:.3f}'", "'%.3f' % one",
        "sorted([one, one])",
        says=r"^'Evaluation'.*; result\['mrr'\] is a score, and result.scores has all$",
    ),
    **typed("one.worst()", "one.best", says=r"\.sort_values\('mrr'\) orders them$"),
    **typed("ev.p_value", "ev.significant", says=r"'new': new}\)\['map'\] has it$"),
    **typed("ev.get('map')", "ev.get", says=r"result\['map'\] is a score, and result.scores has"),
    "change.get('map')": r"result\['map'\] has change, low, high",
    **typed(
        "ev.loc['q1']", "ev.head()", "change.describe()", "change.sort_values('p')", "ev.columns",
        says=r"; to_frame\(\) makes a data frame, which has it$",
    ),
    **typed("ev.ci", "ev.std", "ev.intervals", says=r"confidence_interval\('map'\) is one$"),
    **typed(
        "change.significant", "change.p_value", "change.p_values", "change.diff", "change.wins",
        "change > 0", "float(change)", "change.ttest", "change.winner",
        says=r"^'Comparison'.*; result\['map'\] has change, low, high, p, significant, better",
    ),
    **typed("change.summary()", "ev.show()", says=r"print\(result\) shows it$"),
}  # fmt: skip


@pytest.mark.parametrize("typed", WORKS)
def test_it_works(typed: str) -> None:
    assert eval(typed, {**NAMES}) == WORKS[typed]


LEADS_ON = {**RESULTS}


@pytest.mark.parametrize("typed", LEADS_ON)
def test_the_error_leads_on(typed: str) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError, ImportError), match=LEADS_ON[typed]):
        exec(typed, {**NAMES})
