"""A page in a headless Chromium: what stands in it after a script of ours has used it."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
PHONE, DESKTOP = "390,844", "1280,900"
DARK = "--blink-settings=preferredColorScheme=0"
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>\n')


def opened(page: str, folder: Path, *options: str, size: str = DESKTOP) -> str:
    """The document as the browser has it once it is loaded."""
    assert CHROMIUM is not None
    (folder / "page.html").write_text(page, encoding="utf-8")
    profile = folder / "profile"
    done = subprocess.run(
        [
            *(CHROMIUM, *QUIET, f"--user-data-dir={profile}", f"--window-size={size}", *options),
            *("--dump-dom", (folder / "page.html").as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


def used(page: str, script: str, folder: Path, *options: str, size: str = DESKTOP) -> Any:
    """What an asynchronous function with this body returns, run in the page.

    The page's policy would not let it run, and is taken out for it.
    """
    runner = f"""<script>
        const done = async () => {{ {script} }};
        addEventListener("load", () => done().catch((error) => String(error.stack)).then((result) =>
          document.body.append(Object.assign(document.createElement("output"),
            {{ id: "result", textContent: JSON.stringify(result) }}))));
        </script></body>"""
    own = _POLICY.sub("", page).replace("</body>", runner)
    document = opened(own, folder, "--virtual-time-budget=20000", *options, size=size)
    (result,) = re.findall(r'<output id="result">(.*?)</output>', document, re.DOTALL)
    return json.loads(html.unescape(result))
