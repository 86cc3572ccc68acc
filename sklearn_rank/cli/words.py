"""What the library says of its arguments, in the words of the command line."""

from __future__ import annotations

import re

_WORDS = {
    r"\by_true\b": "QRELS",
    r"\by_score\b": "RUN",
    r"(contains a negative grade .*)": r"\1; --convention trec_eval reads it as not judged",
    r"; string_provider= can spell the items of both sides alike": "",
    r"Pass duplicates='first' to evaluate to keep the best-ranked one\.": "Keep one of them.",
    r"pass overwrite=True": "pass --force",
    r"\b(missing)='(\w+)'": r"--\1 \2",
}
_HAS = {r"\b(missing)='(\w+)'": ("gate",)}
"""Options that only some commands have."""


def in_words_of(command: str, text: str) -> str:
    """A message of the library as somebody at a terminal can follow it."""
    for pattern, words in _WORDS.items():
        if command in _HAS.get(pattern, (command,)):
            text = re.sub(pattern, words, text)
    return text
