"""How ids of two sides that do not match differ: spelling, a prefix or suffix, their kind."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable
from itertools import islice
from typing import Any

from sklearn_rank.support.text import safe_repr

_MARKS = dict.fromkeys(map(ord, "\"'\u2018\u2019\u201c\u201d[]\ufeff\u200b"))
"""Quotes, brackets and zero-width marks, which belong to no id."""
_MARKS |= dict.fromkeys(map(ord, "_/\\:\u2010\u2011\u2013\u2014"), "-")
"""Separators of the parts of an id, which are often exchanged."""
_ZEROS = re.compile(r"\x000+")
_ZEROS_WITHIN = re.compile(r"0(?<=[^0-9.]0)0*(?=[0-9])")
"""Zeros before a number, by a pattern whose first letter is sought in C."""
_NUMERIC = re.compile(r"[-+]?[\d.,]+")
_TRIED, _AMONG = 10, 5_000
"""Number of ids that are sought, and of ids of the other side to seek them in."""
_FEW_IDS = 2
"""Fewer ids may share a prefix by chance."""
_MUCH_LONGER, _LONG_IDS, _LEAST_IDS = 3, 8, 4
"""Ids of another kind are at least this many times longer, and this long; this many show it."""


def _plain(keys: list[Any]) -> str:
    """Ids without type, case, spaces, quotes, leading zeros and a trailing ".0", as one text.

    Separators of parts, and escapes of URLs and HTML, make no difference.
    """
    try:
        text = "\0".join(["", *keys, ""])
    except TypeError:  # of others than texts
        keys = [k.decode("utf-8", "replace") if isinstance(k, bytes) else str(k) for k in keys]
        text = "\0".join(["", *keys, ""])
    if text.count("\0") > len(keys) + 1:
        text = "\0".join(["", *(key.replace("\0", "") for key in keys), ""])
    if "%" in text or "&" in text:
        text = _decoded(text)
    text = text if text.isascii() else unicodedata.normalize("NFC", text)
    text = "".join(text.casefold().split())
    if "://" in text:
        text = text.replace("https://", "http://").replace("://www.", "://")
    text = text.translate(_MARKS).replace(".0\0", "\0")
    return _ZEROS.sub("\0", text) if "\x000" in text else text


def _decoded(text: str) -> str:
    """A text without the escapes of URLs and of HTML."""
    from html import unescape  # imported where there is one, which is seldom
    from urllib.parse import unquote

    return unescape(unquote(text.replace("%00", "")))


def alike_ids(left: Iterable[Any], right: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Unequal ids of the two sides that have the same plain form."""
    left, right = list(left), list(right)
    texts = [_plain(left), _plain(right)]
    if any(_ZEROS_WITHIN.search(text) is None for text in texts):
        texts = [_ZEROS_WITHIN.sub("", text) for text in texts]
    mine, others = (text.split("\0")[1:-1] for text in texts)
    if set(mine).isdisjoint(others):
        return []
    by_plain, keys = dict(zip(others, right, strict=True)), dict(zip(left, mine, strict=True))
    return [(key, by_plain[plain]) for key, plain in keys.items() if plain in by_plain]


def _affixed(left: Collection[Any], right: Collection[Any]) -> tuple[str, list[tuple[Any, Any]]]:
    """A prefix or suffix of ids of ``right`` that most of ``left`` lack, and the pairs of both.

    Digits do not count: "11" is not "1" with a prefix.
    """
    texts, found = {str(key): key for key in right}, Counter[tuple[str, str]]()
    for key in islice(map(str, left), _TRIED):
        for text in islice(texts, _AMONG) if key else ():
            if len(text) > len(key) and key in text:
                before, _, after = text.partition(key)
                found[before, after] += not f"{before}{after}".isdecimal()
    for (before, after), times in found.most_common(1):
        pairs = [(key, texts.get(f"{before}{key}{after}")) for key in left]
        pairs = [pair for pair in pairs if pair[1] is not None]
        if times and len(pairs) >= max(_FEW_IDS, min(len(left), len(right)) / 2):
            what = f"the prefix {safe_repr(before)}" if before else f"the suffix {safe_repr(after)}"
            return what, pairs
    return "", []


def affixed_items(
    queries: Iterable[tuple[Collection[Any], Collection[Any], Collection[Any]]],
) -> list[tuple[Any, Any]]:
    """Items that were not retrieved, and ranked ones that differ only by a prefix or suffix.

    ``queries`` are the lost, the relevant and the ranked items of each. Numbers around an id, and
    single letters around a word, make another id.
    """
    found: dict[tuple[str, str, bool], list[tuple[Any, Any]]] = {}
    for lost, relevant, ranked in queries:
        others, true = ranked, set[Any]()
        try:
            joined = "\0".join(others)
        except TypeError:  # of others than texts
            others = [item for item in ranked if type(item) is str]
            joined = "\0".join(others)
        for key in (item for item in lost if type(item) is str):
            # Most have nothing alike, which loops in C show.
            if key not in joined and not any(map(key.__contains__, others)):
                continue
            true = true or set(relevant)
            for text in others:
                if text in true:
                    continue
                short, long = (key, text) if len(key) < len(text) else (text, key)
                if not short or len(short) == len(long):
                    continue
                before = long[: -len(short)] if long.endswith(short) else ""
                after = long[len(short) :] if not before and long.startswith(short) else ""
                affix = before or after
                if not affix or affix.isdecimal() or _NUMERIC.fullmatch(long):
                    continue
                if len(affix) > 1 or not affix.isalnum() or short.isdecimal():
                    found.setdefault((before, after, short is key), []).append((key, text))
    return max(found.values(), key=len, default=[])


def spelling_hint(left: Collection[Any], right: Collection[Any]) -> str:
    """How many unmatched ids differ only in spelling; "" if none does."""
    what, pairs = "type, case, spaces, punctuation or zeros", alike_ids(left, right)
    if not pairs:
        what, pairs = _affixed(left, right)
    if not pairs:
        what, pairs = _affixed(right, left)
        pairs = [(key, other) for other, key in pairs]
    if not pairs:
        return ""
    example = " and ".join(map(safe_repr, pairs[0]))
    return f". {len(pairs):,} of them differ only in {what}, such as {example}"


def look_different(left: Iterable[Any], right: Iterable[Any]) -> bool:
    """Whether ids are of two kinds: all have other punctuation, or are much longer."""
    sides = [[str(key).removeprefix("-") for key in side] for side in (left, right)]
    if not all(sides):
        return False
    signs = [{frozenset(c for c in key if not c.isalnum()) for key in side} for side in sides]
    lengths = [(min(map(len, side)), max(map(len, side))) for side in sides]
    (least, most), (fewest, greatest) = lengths
    if not signs[0] & signs[1]:
        return True
    if sum(map(len, sides)) < _LEAST_IDS:
        return False
    is_longer = least >= max(_MUCH_LONGER * greatest, _LONG_IDS)
    return is_longer or fewest >= max(_MUCH_LONGER * most, _LONG_IDS)
