"""Take the pictures of the README and the start page: the report of `_shop.py`, light and dark.

Run it by hand: `python docs/_report_picture.py`. It needs Chromium and Pillow.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from _shop import write_report
from PIL import Image

STATIC = Path(__file__).parent / "_static"
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
DARK = "--blink-settings=preferredColorScheme=0"
WIDTH, HEIGHT = 1280, 900


def photograph(address: str, path: Path, *options: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw.png"
        own = (f"--user-data-dir={folder}", f"--window-size={WIDTH},{HEIGHT}")
        command = ["chromium", *OPTIONS, *own, *options, f"--screenshot={raw}", address]
        subprocess.run(command, check=True, capture_output=True)
        Image.open(raw).convert("RGB").quantize(96).save(path, optimize=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        page = Path(made) / "report.html"
        write_report(page)
        photograph(page.as_uri(), STATIC / "report.png")
        photograph(page.as_uri(), STATIC / "report-dark.png", DARK)
