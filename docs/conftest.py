"""Pages are tests, programs are not. Pictures need no screen, and are closed after each page."""

from __future__ import annotations

import matplotlib as mpl
import pytest

# They need what builds the site, and the scripts of examples/ would run at import.
collect_ignore_glob = ["*.py"]
mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    import matplotlib.pyplot as plt

    plt.close("all")  # of docstrings, too
    yield
    plt.close("all")
