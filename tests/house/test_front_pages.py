"""The code of the README and the start page runs as it stands, and gives what is shown."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.metrics import ndcg_score

from pytest_rankmetrics import assert_not_worse, expected_failure
from sklearn_rank import CONVENTIONS, SearchStopped, cli, compare, evaluate
from tests.house.test_docs import ROOT, load

SHOP = """
import sys

sys.path.insert(0, {docs!r})
from _shop import shop

JUDGED, KINDS, search = shop().qrels, shop().kinds, shop().{run}.get
"""
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
pages = pytest.mark.parametrize("page", ["README.md", "docs/index.md"])


def block(page: str, word: str, kind: str = "python") -> str:
    """The block of a page that has this word."""
    found = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    return next(text for one, text in found if one == kind and word in text)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pages
@pytest.mark.filterwarnings("error", "ignore:Could not find the number of physical cores")
def test_the_search_finds_the_best_candidate(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = block(page, "GridSearchCV")
    assert load("../sklearn_rank/_demo").TUNE in code, "the demo prints the lines that it runs"
    with sklearn.config_context(enable_metadata_routing=False):
        exec(code, {})
    assert re.fullmatch(r"\{'n_estimators': \d+\} 0\.\d+\n", capsys.readouterr().out)


def test_an_evaluation_is_printed_as_it_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    exec(block("README.md", "evaluate"), {})
    assert capsys.readouterr().out.startswith(block("README.md", "95% interval", "text"))


def test_the_change_of_the_mean_is_that_of_the_shop() -> None:
    """The sentence above the red test, whose new engine is better but for brands."""
    made = load("_shop").shop()
    gain = compare(made.qrels, {"old": made.old, "new": made.new}, "ndcg@10")["ndcg@10"].change
    assert f"gains {gain:.3f} over {len(made.qrels)} queries" in README
    start = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert f"made-up shop with {len(made.qrels)} queries" in start


@pytest.mark.parametrize("name", ["report", "comment"])
def test_pictures_show_the_numbers_of_the_shop(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise run `docs/_report_picture.py`, which keeps the numbers in the files."""
    taken, page = load("_report_picture"), Path("report.html")
    monkeypatch.delenv("CI", raising=False)
    if name == "report":
        taken.write_report(page)
        fronts = [(ROOT / one).read_text("utf-8") for one in ("README.md", "docs/index.md")]
        alt = re.findall(r'alt(?:=|: )"(?:A r|R)eport: (.*?)[";]', "".join(fronts))
        assert len(alt) == 3
        assert all(text in page.read_text(encoding="utf-8") for text in alt)
    else:
        page = taken.write_comment()
    now = taken.numbers_in(page)
    assert now.count(" ") > 9
    for look in ("", "-dark"):
        picture = (ROOT / "docs" / "_static" / f"{name}{look}.png").read_bytes()
        start = picture.index(KEY)
        size = int.from_bytes(picture[start - 4 : start], "big")
        assert picture[start + len(KEY) : start + 4 + size].decode() == now


KEY = b"tEXtDescription\0"


def test_terms_of_the_first_sentence_are_explained_as_they_count() -> None:
    """LAG: irrelevant items above a relevant one; ties: the mean of all orders."""
    assert "LAG (irrelevant items above a relevant one)" in " ".join(README.split())
    assert evaluate([{"a", "b"}], [["x", "a", "y", "b"]], "lag")["lag"] == (1 + 2) / 2
    tied = evaluate(np.array([[1, 0, 0]]), np.ones((1, 3)), "mrr")
    assert tied["mrr"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)


def test_programs_that_gain_the_grade_are_those_of_the_presets() -> None:
    named = re.search(r"^(.*) use the grade as gain, not (2\^grade - 1):", README, re.MULTILINE)
    assert named
    grades, scores = {"q": {"a": 3, "b": 1, "c": 0}}, {"q": {"a": 0.1, "b": 0.9, "c": 0.5}}
    default = evaluate(grades, scores, "ndcg")
    assert f"gain {named[2]}" in str(default)
    for program in re.split(", | and ", named[1]):
        name = program.replace("scikit-learn", "sklearn")
        theirs = evaluate(grades, scores, "ndcg", convention=name)["ndcg"]
        assert theirs == evaluate(grades, scores, "ndcg(gain=linear)")["ndcg(gain=linear)"]
    rows = ([*table["q"].values()] for table in (grades, scores))
    assert theirs == pytest.approx(ndcg_score(*map(np.atleast_2d, rows)))
    assert theirs != default["ndcg"]


def test_a_search_without_query_ids_stops() -> None:
    assert "Without query ids a search stops instead of scoring NaN" in README
    names: dict[str, Any] = {}
    with sklearn.config_context(enable_metadata_routing=False):
        exec(block("README.md", "GridSearchCV"), names)
    search = names["search"].set_params(cv=3)
    with pytest.raises(SearchStopped):
        search.fit(names["X"], names["y"])


RULE = [
    (60, 12, 2, True),  # significant
    (10, 2, 0, True),  # two lost and none won
    (10, 3, 1, False),
    (10, 1, 0, False),
    (10, 5, 1, True),  # beyond the hard drop: (5 - 1) / 2 / 10
    (10, 5, 2, False),
]


@pytest.mark.parametrize(("queries", "lost", "won", "is_red"), RULE)
@pytest.mark.filterwarnings("ignore::pytest_rankmetrics.RankGateWarning")
def test_a_gate_fails_by_the_rule_of_the_readme(
    queries: int, lost: int, won: int, is_red: bool
) -> None:
    """Each query that changes moves its item between the ranks 1 and 2."""
    hard = re.search(
        r"two or more queries lost and none won, or beyond `hard_drop` \((.*)\)", README
    )
    assert hard
    assert (lost - won) / 2 / queries > 0.02
    assert ((lost - won) / 2 / queries > float(hard[1])) is ((lost, won) == (5, 1))
    first, second = ["a", "x"], ["x", "a"]
    old = {n: second if lost <= n < lost + won else first for n in range(queries)}
    new = {n: second if n < lost else first for n in range(queries)}
    with expected_failure() if is_red else nullcontext():
        assert_not_worse({n: {"a"} for n in old}, new, old, "mrr", max_drop=0.02)


def test_blocks_of_the_readme_go_on_from_each_other() -> None:
    code = "".join(text for kind, text in BLOCK.findall(README) if kind == "python")
    with sklearn.config_context(enable_metadata_routing=False):
        exec(code, {})


def test_the_arguments_of_the_list_at_the_end_are_read() -> None:
    provider, relevance = re.findall(r"^- [^?`]*: `(.*)`$", README, re.MULTILINE)
    hits = {"q": [SimpleNamespace(id="x"), SimpleNamespace(id="a")]}
    for name, truth, found, option in (
        ("mrr", {"q": [hits["q"][1]]}, hits, provider),
        ("gauc", [{"a"}], [["x", "a"]], relevance),
    ):
        options = eval(f"dict({option})")
        assert evaluate(truth, found, name, **options)[name] == {"mrr": 1 / 2, "gauc": 0}[name]


def test_the_changelog_counts_the_programs_whose_numbers_are_given() -> None:
    text = " ".join((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split())
    others = len(set(CONVENTIONS) - {"default", "trec_eval", "sklearn", "lightgbm"})
    assert f"numbers of trec_eval, scikit-learn, LightGBM and {others} other programs" in text


def test_the_oldest_python_is_that_of_the_package() -> None:
    with open(ROOT / "pyproject.toml", "rb") as stream:
        oldest = tomllib.load(stream)["project"]["requires-python"].removeprefix(">=")
    assert f"\nPython {oldest} or later" in README
    assert f"\nPython {oldest} or later" in (ROOT / "docs" / "install.md").read_text("utf-8")


@pages
def test_the_comparison_writes_its_report(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    if page == "README.md":
        exec(block(page, "evaluate"), names)
        capsys.readouterr()
    exec(block(page, "compare"), names)
    if page == "README.md":
        assert capsys.readouterr().out.startswith(block(page, "what moved", "text"))
    assert "usb hub" in Path("change.html").read_text(encoding="utf-8")


def run_pytest(*options: str) -> tuple[int, str]:
    environment = {name: text for name, text in os.environ.items() if name != "PYTEST_ADDOPTS"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options],
        env=environment | {"COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pages
def test_the_gate_prints_what_is_shown(page: str) -> None:
    """Of the search engine that stands there, and of the made-up shop that went back."""
    code, shown = block(page, "rank_gate"), block(page, "fell from", "text")
    Path("test_search.py").write_text(code, encoding="utf-8")
    for run, options in (("old", ["--rank-update"]), ("new", [])):
        shop = SHOP.format(docs=str(ROOT / "docs"), run=run)
        guard = code.replace("slices=KINDS", "slices=KINDS, max_slice_drop=0.05")
        Path("test_shop.py").write_text(f"{guard}\n\n{shop}", encoding="utf-8")
        returned, text = run_pytest(*options)
        assert returned == (run == "new"), text
        passed = "1 failed, 1 passed" if returned else "2 passed"
        assert passed in text
        assert "warning" not in text
    said = " ".join(line.removeprefix("E ").strip() for line in text.splitlines())
    assert " ".join(shown.split()) in " ".join(said.split())


def test_the_commands_of_the_readme_run(capsys: pytest.CaptureFixture[str]) -> None:
    gate, audit = re.findall(r"`sklearn-rank ((?:gate|audit) .*?)`", README)
    Path("qrels.txt").write_text("a 0 x 1\nb 0 y 1\n", encoding="utf-8")
    Path("new.run").write_text("a Q0 x 1 2 me\nb Q0 y 1 2 me\n", encoding="utf-8")
    assert cli.main([*shlex.split(gate), "--update"]) == 0
    assert cli.main(shlex.split(gate)) == 0
    Path("mine.py").write_text(MINE, encoding="utf-8")
    assert cli.main(shlex.split(audit)) == 1
    assert "ideal" in capsys.readouterr().out


MINE = """
from math import log2


def ndcg(relevant, ranked, k=10):
    found = [item in relevant for item in ranked[:k]]
    ideal = sorted(found, reverse=True)
    dcg = lambda gains: sum(gain / log2(rank + 2) for rank, gain in enumerate(gains))
    return dcg(found) / dcg(ideal) if any(found) else 0.0
"""
