"""The report of a comparison holds what the comparison says, query by query."""

import re
from pathlib import Path

import pytest

from sklearn_rank import UnknownMeasureError, compare, compare_all, evaluate
from sklearn_rank.report.comparison import report_of
from sklearn_rank.report.page import page
from tests.report.cases import data_of

TRUTH = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}, "q3": {"d": 1}}
OLD = {"q1": ["x", "b", "a"], "q2": ["c"], "q3": ["x", "y"]}
NEW = {"q1": ["a", "x"], "q2": ["x", "c"], "q3": ["x", "y"]}
BEST = {"q1": ["a", "b"], "q2": ["c"], "q3": ["d"]}
TEXTS = {"q1": "first question", "q2": "second <b>question</b>"}


def compared(**options):
    runs = {"old": OLD, "new": NEW, "best": BEST}
    return compare(TRUTH, runs, measures=("mrr", "ndcg@10"), query_text=TEXTS, **options)


def written(comparison, folder: Path, **options) -> str:
    comparison.report(folder / "r.html", pictures=False, **options)
    return (folder / "r.html").read_text(encoding="utf-8")


def test_a_report_has_every_query_with_the_values_of_every_system(tmp_path):
    labels = {"q1": "head", "q2": ["tail", "rare"], "q3": "tail"}
    data = data_of(written(compared(), tmp_path, slices=labels))[0]
    assert data["systems"] == ["old", "new", "best"]
    assert (data["measures"], data["greater"]) == (["MRR", "nDCG@10"], [True, True])
    assert (data["queries"], data["texts"]) == (["q1", "q2", "q3"], [*TEXTS.values(), ""])
    assert [[data["slices"][n] for n in own] for own in data["labels"]] == [
        *(["head"], ["tail", "rare"], ["tail"])
    ]
    assert data["values"][0] == [[0.5, 1, 0], [1, 0.5, 0], [1, 1, 1]]
    assert data["lengths"] == [[3, 1, 2], [2, 2, 2], [2, 1, 1]]


def test_items_have_their_ranks_and_parts_that_add_up_to_the_change(tmp_path):
    options = {"item_text": {"a": "Title <i>"}, "measure": "nDCG@10"}
    (data,) = data_of(written(compared(), tmp_path, **options))
    # Item, title, grade, ranks in old, new and best, parts of the change of each measure.
    first = {item[0]: item[1:] for item in data["items"][0]}
    assert first["a"][:3] == ["Title <i>", 2, [3, 1, 1]]
    assert first["a"][3][0] == [1, 1]
    assert first["b"][:3] == ["", 1, [2, None, 2]]
    assert first["b"][3][0] == [-0.5, -0.5]
    assert first["x"] == ["", None, [1, 2, None], [[None, None]] * 2], "nobody judged x"
    last = {item[0]: item[1:] for item in data["items"][2]}
    assert last["d"][1:3] == [1, [None, None, 1]]
    assert data["measure"] == 1
    for query, items in enumerate(data["items"]):
        for measure, columns in enumerate(data["values"]):
            old, *others = (column[query] for column in columns)
            for place, value in enumerate(others):
                parts = [item[4][measure][place] or 0 for item in items]
                assert sum(parts) == pytest.approx(value - old, abs=1e-5)


def test_the_page_stands_in_order(tmp_path):
    text = written(compared(), tmp_path, slices={"q1": "head", "q2": "tail", "q3": "tail"})
    assert re.findall(r"<h2.*?>(.*?)</h2>", text) == [
        *("new", "best", "Slices", "Queries", "Systems", "Differences", "Measures by slice")
    ]
    assert '<th scope="row">tail</th><th scope="row">mrr</th><th scope="row">new</th>' in text
    assert "<title>new, best against old</title>" in text
    assert "q2: second &lt;b&gt;question&lt;/b&gt;" in text
    assert "a 3-&gt;1 +1; b 2-&gt;- -0.5" in text


def moved(by: dict[str, float], n: int = 40, measures=("mrr", "ndcg@3")):
    """Two systems: the relevant item moves from rank 2 to another, label by label."""
    truth, runs, labels = {}, {"old": {}, "new": {}}, {}
    for label, rank in by.items():
        for number in range(n):
            query = f"{label}{number}"
            truth[query], labels[query] = {"a": 1}, label
            runs["old"][query] = ["x", "a", "y", "z"]
            others = iter("xyzuvw")
            ranks = range(1, 5)
            own = rank if number % 8 else 2
            runs["new"][query] = ["a" if place == own else next(others) for place in ranks]
    return compare(truth, runs, measures=measures), labels


@pytest.mark.parametrize(
    ("by", "headline"),
    [
        ({"head": 1, "brand": 3}, "Better overall, worse for brand queries"),
        ({"head": 1, "long": 1}, "Better overall"),
        ({"head": 3, "long": 4}, "Worse overall"),
        ({"head": 2, "long": 2}, "No clear difference"),
        (
            {"a": 4, "b": 4, "c": 4, "d": 4, "long": 1},
            "Worse overall and for slices a, b, c and 1 more, better for long queries",
        ),
    ],
)
def test_the_headline_is_the_verdict(by, headline, tmp_path):
    comparison, labels = moved(by)
    text = written(comparison, tmp_path, slices=labels)
    assert f"<h1>{headline}</h1>" in text
    own = written(comparison, tmp_path, slices=labels, title="Own")
    assert "<h1>Own</h1>" in own
    assert f"<p>{headline}</p>" in own


def test_each_with_each_shows_the_best_system_and_what_it_beats():
    truth = {str(number): {"a": 1} for number in range(30)}
    ranks = {"low": ["x", "y", "a"], "mid": ["x", "a"], "high": ["a"]}
    runs = {name: dict.fromkeys(truth, ranking) for name, ranking in ranks.items()}
    runs["high"] |= {"0": ["x", "a"]}
    comparison = compare_all(truth, runs, measures=["mrr", "lag"], test="t")
    report = report_of(comparison, pictures=False)
    assert report.headline == "high is best in MRR and LAG; 6 of 6 differences are significant"
    (_, cards) = report.sections[0].cards[0]
    assert [(card.measure, card.change, card.note) for card in cards] == [
        ("MRR", "high", "significantly better than low and mid"),
        ("LAG", "high", "significantly better than low and mid"),
    ]


def test_of_a_measure_of_which_less_is_better_a_rise_is_worse(tmp_path):
    # The relevant item falls from rank 2 to 3 in 35 of 40 queries: LAG 1 to 1.875.
    comparison, labels = moved({"head": 3}, measures=["lag"])
    text = written(comparison, tmp_path, slices=labels)
    assert "<h1>Worse overall</h1>" in text
    assert "<strong>LAG (lower is better)</strong>" in text
    assert '<span class="worse">\u25b2 +0.875 from 1.000</span>' in text


def test_measures_that_disagree_are_named():
    runs = {"old": {}, "new": {}}
    for number in range(40):
        own = str(number)
        runs["old"][own] = ["a", "x", "y", "b"]
        runs["new"][own] = ["x", "a", "b"] if number % 9 else runs["old"][own]
    truth = {query: {"a": 1, "b": 1} for query in runs["old"]}
    report = report_of(compare(truth, runs, measures=["mrr", "recall@3"]), pictures=False)
    assert report.headline == "Better in R@3, worse in MRR"


def test_a_worse_slice_comes_first_with_its_interval_and_queries(tmp_path):
    comparison, labels = moved({"head": 1, "brand": 3})
    (section,) = report_of(comparison, slices=labels, pictures=False).sections
    first, last = section.slices
    assert (first.label, first.direction, first.worse) == ("brand", "worse", 35)
    assert (last.label, last.direction, last.worse) == ("head", "better", 0)
    assert first.change == pytest.approx(35 / 40 * (1 / 3 - 1 / 2))
    low, high = first.interval
    assert low < first.change < high < 0
    assert "35 worse queries</a>" in written(comparison, tmp_path, slices=labels)


def test_unjudged_items_are_said_first_with_what_they_could_change():
    truth = {"q1": {"a": 1, "x": 0}, "q2": {"a": 1, "x": 0}}
    runs = {name: {q: [top, "a"] for q in truth} for name, top in (("old", "x"), ("new", "n"))}
    (section,) = report_of(compare(truth, runs, measures="mrr"), pictures=False).sections
    # Half of new's items; if both n are relevant, MRR rises from 1/2 to 1.
    assert section.notices[0].text == (
        "Look here first: nobody judged 50% of the first 10 items of new (old: 0%). They count as "
        "irrelevant; by their grades the change of MRR is between +0.000 and +0.500."
    )
    assert section.notices[0].link == "2 items to judge next"
    heading, table = section.tables[-1]
    assert heading == "Items to judge next"
    assert [row[1].text for row in table.rows] == ["n", "n"]


def test_the_title_of_many_systems_counts_them(tmp_path):
    runs = {f"system {number}": NEW for number in range(6)}
    text = written(compare(TRUTH, runs, measures="mrr"), tmp_path)
    assert "<title>5 systems against system 0</title>" in text
    assert "; 2 more systems</h1>" in text
    text = written(compare_all(TRUTH, runs, measures="mrr", test="t"), tmp_path)
    assert "<title>6 systems, each with each other</title>" in text
    assert "is best in MRR" in text
    assert "; 0 of 15 differences are significant</h1>" in text


def test_the_first_line_says_what_was_compared(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    monkeypatch.setenv("GITHUB_SHA", "0123456789abcdef")
    text = written(compared(), tmp_path, about=["qrels <1>"])
    parts = ["new, best against old", "3 queries", "qrels &lt;1&gt;", "1 Jan 1970"]
    line = " \u00b7 ".join([*parts, "commit 01234567"])
    assert f'<p class="faint">{line}</p>' in text
    assert line.partition("qrels")[0] in written(compared(), tmp_path, about="qrels <1>")


def test_queries_that_were_left_out_are_counted(tmp_path):
    old = evaluate(TRUTH, OLD, "mrr")
    new = evaluate({"q1": TRUTH["q1"], "q2": TRUTH["q2"]}, {"q1": ["a"], "q2": ["c"]}, "mrr")
    text = written(compare({"old": old, "new": new}), tmp_path)
    assert "2 queries \u00b7 1 of old left out" in text
    assert data_of(text)[0]["items"] == [None, None], "ids of items were not kept"
    assert data_of(text)[0]["unknown"] == "The ids of the items are not known."


def test_a_pooled_measure_alone_has_no_queries(tmp_path):
    runs = {name: {"q1": {"a": score, "x": 0.5}} for name, score in (("old", 0.1), ("new", 0.9))}
    comparison = compare({"q1": {"a": 1}}, runs, measures="auc(average=pooled)")
    text = written(comparison, tmp_path)
    assert ">Queries</h2>" not in text
    assert ">Systems</h2>" in text


def test_wrong_arguments_are_refused_before_a_file_is_written(tmp_path):
    with pytest.raises(UnknownMeasureError, match="unknown measure 'mapp'"):
        compared().report(tmp_path / "r.html", measure="mapp")
    with pytest.raises(TypeError, match="report: path must be the name of a file, got None"):
        compared().report(None)
    assert not (tmp_path / "r.html").exists()


def test_pictures_are_inline_svg_with_ids_of_their_own():
    pytest.importorskip("matplotlib")
    text = page(report_of(compared()))
    assert text.count("<figure><svg") == 3
    ids = re.findall(r'\bid="(.*?)"', text)
    assert len(ids) == len(set(ids))
    assert "mrr of best minus that of old, query by query, sorted" in text
    assert page(report_of(compared())) == text, "the same comparison has the same bytes"


def test_without_matplotlib_the_page_says_why_it_has_no_pictures(monkeypatch):
    monkeypatch.setattr("sklearn_rank.report.comparison.find_spec", lambda _: None)
    text = page(report_of(compared()))
    assert "<svg" not in text
    assert "Pictures need Matplotlib, which is not installed." in text
    assert "Matplotlib" not in page(report_of(compared(), pictures=False))
