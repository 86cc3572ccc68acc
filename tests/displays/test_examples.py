"""The scripts of the guide run, and the guide shows its pictures."""

import re
import runpy
import sys
from pathlib import Path

import pytest

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


def test_pictures_are_those_of_the_guide(tmp_path):
    """Drawn once more, they have the same words."""
    runpy.run_path(str(DOCS / "_pictures.py"))["draw_all"](tmp_path)
    drawn = {path.name: words(path) for path in tmp_path.iterdir()}
    assert len(drawn) > 4
    assert drawn == {name: words(DOCS / name) for name in drawn}


def words(picture):
    return re.findall(r"<text [^>]*>(.*?)</text>", picture.read_text(encoding="utf-8"))
