"""Take the pictures of the documentation: the report of `_shop.py` and a comment on a pull request.

Run it by hand: `python docs/_report_picture.py`. It needs Chromium and Pillow. Each file
records its numbers; a test compares them.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from _shop import shop, write_report

from sklearn_rank import cli

STATIC = Path(__file__).parent / "_static"
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
DARK = "--blink-settings=preferredColorScheme=0"
REPORT, COMMENT = (1280, 900), (940, 600)
STYLE = """<!doctype html><meta charset="utf-8"><style>
body { font: 14px/1.5 sans-serif; margin: 8px; padding: 16px; border: 1px solid #d0d7de;
  border-radius: 6px; color: #1f2328; background: #fff }
h3 { font-size: 1.25em; margin: 0 0 16px } table { border-collapse: collapse; margin: 0 0 16px }
pre { white-space: pre-wrap } td, th { border: 1px solid #d0d7de; padding: 5px 12px }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #0d1117 } body, td, th { border-color: #3d444d } }
</style>"""


def numbers_in(page: Path) -> str:
    """Decimal numbers that a page or a text shows."""
    text = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", page.read_text("utf-8"), flags=re.DOTALL)
    return " ".join(re.findall(r"[-+]?\d+\.\d+", text))


def photograph(page: Path, path: Path, size: tuple[int, int], *options: str) -> None:
    from PIL import Image, PngImagePlugin

    shown = PngImagePlugin.PngInfo()
    shown.add_text("Description", numbers_in(page))
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw.png"
        window = (f"--user-data-dir={folder}", "--window-size={},{}".format(*size))
        command = ["chromium", *OPTIONS, *window, *options, f"--screenshot={raw}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True)
        Image.open(raw).convert("RGB").quantize(96).save(path, optimize=True, pnginfo=shown)


def write_comment() -> Path:
    """Write the comment of a gate that the new engine fails; works in the folder."""
    made = shop()
    for name in ("qrels", "new", "old", "kinds", "texts", "titles"):
        Path(f"{name}.json").write_text(json.dumps(getattr(made, name)), encoding="utf-8")
    limits = "--name search --max-drop ndcg@10=0.02 --slices kinds.json --max-slice-drop 0.05"
    texts = "--query-text texts.json --item-text titles.json"
    for run, how in (("old", "--update"), ("new", "--markdown comment.md")):
        command = f"gate qrels.json {run}.json {limits} {texts} {how}"
        cli.main(command.split())
    return Path("comment.md")


def write_as_page(comment: Path, path: Path) -> None:
    """Write Markdown as GitHub shows it."""
    from markdown_it import MarkdownIt

    text = comment.read_text(encoding="utf-8")
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    path.write_text(STYLE + page.replace("<details>", "<details open>"), encoding="utf-8")


if __name__ == "__main__":
    os.environ.pop("CI", None)
    with tempfile.TemporaryDirectory() as made, contextlib.chdir(made):
        pages = Path(made, "report.html"), Path(made, "comment.html")
        write_report(pages[0])
        write_as_page(write_comment(), pages[1])
        for page, size in zip(pages, (REPORT, COMMENT), strict=True):
            photograph(page, STATIC / f"{page.stem}.png", size)
            photograph(page, STATIC / f"{page.stem}-dark.png", size, DARK)
