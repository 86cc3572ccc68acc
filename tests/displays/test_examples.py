"""The scripts of the guide run, and the guide shows its pictures."""

import runpy
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from sklearn_rank import compare

DOCS = Path(__file__).parents[2] / "docs"
SCRIPTS = sorted((DOCS / "examples").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_draws_its_picture(script, tmp_path, monkeypatch, capsys):
    if "lightgbm" in script.read_text(encoding="utf-8"):
        pytest.importorskip("lightgbm", minversion="4.0")
    picture = tmp_path / "picture.svg"
    monkeypatch.setattr(sys, "argv", [str(script), str(picture)])
    runpy.run_path(str(script), run_name="__main__")
    assert "</svg>" in picture.read_text(encoding="utf-8")
    assert capsys.readouterr().out.strip(), "a script tells what it found"


def test_pages_link_every_script():
    pages = "".join(path.read_text(encoding="utf-8") for path in DOCS.glob("*.md"))
    assert [one.name for one in SCRIPTS if f"(examples/{one.name})" not in pages] == []


def test_every_picture_is_shown_on_a_page():
    pages = "".join(path.read_text(encoding="utf-8") for path in DOCS.glob("*.md"))
    paths = (path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.svg"))
    pictures = [path for path in paths if not path.startswith("_static/")]
    assert len(pictures) > 4
    assert [name for name in pictures if f"({name})" not in pages] == []


def test_pictures_are_those_of_the_guide():
    """Drawn once more, a picture has the same words."""
    namespace = runpy.run_path(str(DOCS / "_pictures.py"))
    systems = namespace["evaluations"]()
    pair = compare({name: systems[name] for name in ("vectors", "both")})
    shown = pair.plot("changes", measure="ndcg@10")
    stored = (DOCS / "differences.svg").read_text(encoding="utf-8")
    for line in shown.ax_.get_title(loc="left").splitlines():
        assert line in stored
    plt.close("all")
