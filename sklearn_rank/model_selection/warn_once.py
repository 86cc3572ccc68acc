"""Warnings that a search gives once, and not for every candidate and fold."""

from __future__ import annotations

import re
from typing import Any

from sklearn_rank.model_selection.sklearn_frames import notes_of_warnings
from sklearn_rank.support.runtime import warn


def warn_once(message: str, category: type[Warning], key: Any = None) -> None:
    """Warn, unless the search that is running has had a warning of this kind.

    Python would show equal texts once, but scikit-learn resets that memory with every fold.
    """
    notes = notes_of_warnings()
    if notes is None:
        warn(message, category)
        return
    said = notes.setdefault("said", set())
    # The first words tell kinds of one category apart; numbers and ids differ from fold to fold.
    key = key or tuple(re.findall(r"(?<!\S)[a-z]+(?!\S)", message)[:3])
    if (category, key) not in said:
        # Noted afterwards: a warning that a filter makes an error is one in each fold.
        warn(message, category)
        said.add((category, key))
