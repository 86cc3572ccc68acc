"""Docstrings and tables as Markdown."""

from __future__ import annotations

import inspect
import re


def markdown(documented: object, end: str) -> str:
    """A docstring up to ``end``, its literals and references written as in Markdown."""
    return plain((inspect.getdoc(documented) or "").split(end)[0])


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
