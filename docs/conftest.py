"""Pictures of the guide's examples need no screen, and are closed after each page."""

from __future__ import annotations

import matplotlib as mpl
import pytest

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    import matplotlib.pyplot as plt

    plt.close("all")  # of docstrings, too
    yield
    plt.close("all")
