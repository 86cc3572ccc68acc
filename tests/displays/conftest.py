"""Pictures without a screen, closed after each test. Needs Matplotlib, which ``test`` has."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")
