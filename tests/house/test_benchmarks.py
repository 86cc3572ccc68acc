"""The benchmark's arithmetic, its rows, and its command."""

import pytest

from tests.benchmarks import __main__ as command
from tests.benchmarks import boosters
from tests.benchmarks.harness import Row, Timed, measure, table


def row(ours, peers, **options) -> Row:
    return Row("P0", "some work", ours, peers, **options)


def clock(*seconds: float) -> Timed:
    """A call that takes these times, after a first one to get started."""
    times = iter((0.0, *seconds))
    return Timed(lambda: next(times))


def absent():
    raise ModuleNotFoundError(name="another")


@pytest.mark.parametrize(
    ("in_ms", "ratio", "shown"), [(False, 0.4, "**0.40**"), (True, -6, "-6 ms")]
)
def test_a_ratio_is_of_the_least_times_of_the_rounds(in_ms, ratio, shown):
    ours, theirs = clock(0.009, 0.004, 0.005), clock(0.02, 0.01, 0.03)
    work = row(ours, {"another": lambda: theirs}, at_most=(0.3,), n_rows=1_000, in_ms=in_ms)
    (figures,) = measure(work, rounds=3)
    assert figures.ratio == pytest.approx(ratio)
    assert (figures.ours_ms, figures.peer_ms) == pytest.approx((4.0, 10.0))
    assert figures.ns_row == pytest.approx(0.004 * 1e9 / 1_000)
    assert shown in table([figures])


def test_programs_take_turns_after_one_run_of_each():
    calls: list[str] = []
    peers = {"b": lambda: lambda: calls.append("b"), "c": absent}
    of_b, of_c = measure(row(lambda: calls.append("a"), peers), rounds=2)
    assert calls == ["a", "b", "a", "b", "a", "b"]
    assert of_b.ratio is not None
    assert (of_c.peer, of_c.peer_ms, of_c.ratio) == ("c", None, None)


@pytest.mark.slow
def test_the_command_takes_its_options(monkeypatch, capsys):
    monkeypatch.setattr(command, "measure", lambda *_, **__: [])
    monkeypatch.setattr(command, "_restart", lambda cpu, argv: 0)
    for words in (["--cold"], ["--cpu", "avx2", "--only", "P1,P3"]):
        assert command.main(words) == 0
    with pytest.raises(SystemExit):
        command.main(["--only", "P99"])
    assert "unknown row 'P99'; there is P1, P2" in capsys.readouterr().err


def test_watched_boosters_are_measured(capsys):
    boosters.main(["--queries=20", "--rows=5", "--trees=2", "--rounds=1"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines[1:]] == ["lgb.train", "xgb.train", "XGBRanker"]
