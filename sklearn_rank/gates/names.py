"""Names of gates as names of files: readable, valid everywhere, and never the same for two."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from hashlib import sha256

EXTENSION = ".rank.json"  # as disk.BASELINE, without loading that in every run of pytest
LONGEST = 80
"""File systems take 255 bytes; a hash, the extension and a temporary name are added."""

_RESERVED = r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?"


def slug(name: str) -> str:
    """A file name (without extension) for any text; where a character is replaced, a hash is added.

    Names that differ only in case differ here too, because a file system may not tell them apart.

    Examples
    --------
    >>> slug("test_bm25")
    'test_bm25'
    >>> slug("test_bm25[a/b]") != slug("test_bm25[a_b]")
    True
    """
    text = re.sub(r"[^a-z0-9._-]", "_", name.lower())[:LONGEST]
    if text.startswith(".") or re.fullmatch(_RESERVED, text):
        text = "_" + text[1:] if text.startswith(".") else "_" + text
    if text == name and text:
        return text
    return f"{text}-{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def is_called(pattern: str, *names: str) -> bool:
    """Whether any of some names equals a pattern or matches it; brackets may be literal.

    Examples
    --------
    >>> is_called("*bm25*", "test_bm25"), is_called("test_bm25[a]", "test_bm25[a]")
    (True, True)
    """
    return any(name == pattern or fnmatchcase(name, pattern) for name in names)


def name_of(nodeid: str) -> str:
    """Name of a test within its module, the default name of its gate."""
    return nodeid.partition("::")[2].replace("::", ".") or nodeid
