"""Gates with baselines on lazy frames: recorded, compared and moved as those of mappings are."""

import polars as pl
import pytest

from tests.plugin.conftest import Suite
from tests.plugin.one_gate import BETTER, FILE, GATE, WORSE, value

LAZY = """
    import polars as pl
    from cases import system
    from sklearn_rank.engines import stream

    def lazy():
        truth, run = system()
        qrels = [(q, i, 1) for q, items in truth.items() for i in items]
        rows = [(q, i, 1 / n) for q, items in run.items() for n, i in enumerate(items, 1)]
        return (
            pl.LazyFrame(qrels, schema=["query", "item", "grade"], orient="row"),
            pl.LazyFrame(rows, schema=["query", "item", "score"], orient="row"),
        )

    def test_bm25(rank_gate, monkeypatch):
        monkeypatch.setattr(stream, "_SMALL", HELD)
        rank_gate.check(*lazy(), max_drop={"mrr": 0.005})
"""
assert pl.LazyFrame  # imported here, else each suite would import Polars, which lasts, anew
SMALL = {"read at once": "1 << 20", "streamed": "0"}


@pytest.fixture(params=SMALL)
def lazy_gate(request: pytest.FixtureRequest, gate: Suite) -> Suite:
    """The gate of lists, on lazy frames."""
    gate.write(test_it=LAZY.replace("HELD", SMALL[request.param]))
    return gate


def test_gates_on_frames_do_as_those_on_lists(lazy_gate):
    assert lazy_gate.run().ret == 1
    of_frames = lazy_gate.record()
    lazy_gate.passes()
    # (15 * 1/3 + 15 * 1/2) / 30 against 1/2
    lazy_gate.fails("*mrr*0.4167*0.5000*", arguments=("--rank-update",), now=WORSE)
    assert lazy_gate.baselines() == of_frames
    lazy_gate.record(BETTER)
    assert value(lazy_gate) == 0.75
    (lazy_gate.path / FILE).unlink()
    lazy_gate.write(test_it=GATE)
    assert lazy_gate.record([2] * 30) == of_frames
