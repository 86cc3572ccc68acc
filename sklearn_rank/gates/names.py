"""Names of gates, of their tests and of their files."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

EXTENSION = ".rank.json"
DIRECTORY = "rank-baselines"
"""Of the command; those of pytest are in the directory of the tests."""


def file_name(name: str) -> str:
    """The file of a baseline, named as pytest-regressions names files.

    Examples
    --------
    >>> file_name("test_bm25"), file_name("test_bm25[a/b]")
    ('test_bm25.rank.json', 'test_bm25_a_b_.rank.json')
    """
    return re.sub(r"\W", "_", name) + EXTENSION


def is_called(pattern: str, *names: str) -> bool:
    """Whether any of the names matches a pattern, whose brackets may be literal.

    Examples
    --------
    >>> is_called("*bm25*", "test_bm25"), is_called("test_bm25[a]", "test_bm25[a]")
    (True, True)
    """
    return any(name == pattern or fnmatchcase(name, pattern) for name in names)


def name_of(nodeid: str) -> str:
    """Name of a test within its module, the default name of its gate."""
    return nodeid.partition("::")[2].replace("::", ".") or nodeid
