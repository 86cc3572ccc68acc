"""The gate on data frames that the guide shows runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "gates.md"

FRAMES = """
import pathlib
import pandas as pd
import pytest

USERS = range(24)

@pytest.fixture
def truth():
    return pd.DataFrame({
        "user": list(USERS), "movie": 7, "rating": 5, "country": ["de", "fr"] * 12,
    })

@pytest.fixture
def recommendations():
    better = pathlib.Path("worse").exists() - 0.5
    rows = [(user, 8, 0.0) for user in USERS] + [(user, 7, -better) for user in USERS[1:]]
    return pd.DataFrame([*rows, (99, 7, 1.0)], columns=["user", "movie", "points"])
"""


def test_the_recommender_of_the_guide(pytester: pytest.Pytester, monkeypatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    block = re.search(
        r"```python\n(def test_recommender.*?)```", GUIDE.read_text("utf-8"), re.DOTALL
    )
    assert block is not None
    pytester.makeconftest(FRAMES)
    pytester.makepyfile(test_it=block[1])
    assert pytester.runpytest_subprocess("--rank-update").ret == 0
    assert pytester.runpytest_subprocess().ret == 0
    (pytester.path / "worse").touch()
    done = pytester.runpytest_subprocess()
    assert done.ret == 1
    # 23 of 24 users fall from rank 1 to rank 2; the one without recommendations counts 0.
    done.stdout.fnmatch_lines(["*MAP(min_rel=4)@10 fell from 0.958 to 0.479*"])
