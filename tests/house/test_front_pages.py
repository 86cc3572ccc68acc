"""The code of the README and the start page gives what they show, on the data of the example."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sklearn_rank import compare
from tests.house.test_docs import ROOT, load

SHOP = load("_shop")
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FIXTURES = """
import sys

import pytest

sys.path.insert(0, {docs!r})
from _shop import shop

made = shop()
qrels = pytest.fixture(lambda: made.qrels)
kinds = pytest.fixture(lambda: made.kinds)
results = pytest.fixture(lambda: made.{run})
"""
pages = pytest.mark.parametrize("page", ["README.md", "docs/index.md"])


def blocks(page: str) -> list[tuple[str, str]]:
    return BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


@pages
def test_the_comparison_writes_its_report(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = SHOP.shop()
    code = next(text for kind, text in blocks(page) if kind == "python" and "compare" in text)
    exec(code, {"compare": compare, **made._asdict()})
    assert "brand" in (tmp_path / "change.html").read_text(encoding="utf-8")


@pages
def test_the_gate_prints_what_is_shown(page: str, tmp_path: Path) -> None:
    code = next(text for kind, text in blocks(page) if "rank_gate" in text)
    shown = next(text for kind, text in blocks(page) if kind == "text")
    hidden = ("CI", "GITHUB_ACTIONS", "PYTEST_ADDOPTS")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    for run, options, status in (("old", ["--rank-update"], 0), ("new", [], 1)):
        fixtures = FIXTURES.format(docs=str(ROOT / "docs"), run=run)
        (tmp_path / "test_search.py").write_text(f"{fixtures}\n\n{code}", encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options],
            cwd=tmp_path,
            env=environment | {"COLUMNS": "200"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stdout
    assert " ".join(shown.split()) in done.stdout
