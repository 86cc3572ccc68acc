"""The code of the README and the start page runs as it stands, and gives what is shown."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn

from sklearn_rank import cli, compare
from tests.house.test_docs import ROOT, load

SHOP = """
import sys

sys.path.insert(0, {docs!r})
from _shop import shop

JUDGED, KINDS, search = shop().qrels, shop().kinds, shop().{run}.get
"""
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
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"gains {gain:.3f} over {len(made.qrels)} queries" in text


@pages
def test_the_comparison_writes_its_report(page: str) -> None:
    names: dict[str, object] = {}
    if page == "README.md":
        exec(block(page, "evaluate"), names)
    exec(block(page, "compare"), names)
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
    for options in (["--rank-update"], []):
        returned, text = run_pytest(*options)
        assert returned == 0, text
    for run, options in (("old", ["--rank-update"]), ("new", [])):
        shop = SHOP.format(docs=str(ROOT / "docs"), run=run)
        Path("test_shop.py").write_text(f"{code}\n\n{shop}", encoding="utf-8")
        returned, text = run_pytest("test_shop.py", *options)
    assert returned == 1, text
    said = " ".join(line.removeprefix("E ").strip() for line in text.splitlines())
    assert " ".join(shown.split()) in " ".join(said.split())


def test_the_commands_of_the_readme_run(capsys: pytest.CaptureFixture[str]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    gate, audit = re.findall(r"`sklearn-rank ((?:gate|audit) .*?)`", readme)
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
