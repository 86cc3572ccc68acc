"""Text of docstrings, and tables, as Markdown."""

from __future__ import annotations

import re


def plain(text: str) -> str:
    """Literals, references and links to the guide as Markdown has them."""
    text = re.sub(r":\w+:`", "`", text.replace("``", "`"))
    text = re.sub(r"[ ,]*\[\d\]_", "", text)
    return re.sub(r"docs/(\w+\.md)(?:#([\w-]+))?", _link, text)


def _link(match: re.Match[str]) -> str:
    page, anchor = match.groups()
    title = (anchor or page.removesuffix(".md")).replace("-", " ").capitalize()
    return f"[{title}]({page}{'#' + anchor if anchor else ''})"


def table(titles: list[str], rows: list[list[str]]) -> str:
    """A table of Markdown."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def install_commands(text: str, *, released: bool) -> str:
    """A page whose commands install the release, if there is one, instead of a clone."""
    if not released:
        return text
    text = re.sub(r"^ *git clone .*\n", "", text, flags=re.MULTILINE)
    return re.sub(
        r"pip install (['\"]?)\.(\[\w+(?:,\w+)*\])?\1(?![\w.])",
        r"pip install \1sklearn-rank\2\1",
        text,
    )
