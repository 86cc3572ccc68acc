"""Settings of the processor: which there are, and that a worker measures under its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.benchmarks import __main__ as command
from tests.benchmarks import _cpu
from tests.benchmarks._cpu import VARIABLE, Setting, all_features, settings_of, widest
from tests.benchmarks._memory import can_release, release
from tests.benchmarks._runs import load
from tests.benchmarks._worker import Order, run_in_process

NEW = ["X86_V3", "X86_V4", "AVX512_ICL"]
"""As NumPy 2.4 names them."""
OLD = ["SSSE3", "SSE42", "FMA3", "AVX2", "AVX512F", "AVX512_SKX"]
"""As NumPy 1.26 does."""


@pytest.mark.parametrize(
    ("found", "disabled"),
    [
        (NEW, {"native": "", "avx2": "X86_V4 AVX512_ICL", "baseline": " ".join(NEW)}),
        (OLD, {"native": "", "avx2": "AVX512F AVX512_SKX", "baseline": " ".join(OLD)}),
        (["X86_V3"], {"native": "", "baseline": "X86_V3"}),
        (["ASIMDHP", "SVE"], {"native": ""}),
        ([], {"native": ""}),
    ],
)
def test_settings_of_a_processor(found: list[str], disabled: dict[str, str]) -> None:
    settings = settings_of(found)
    assert {name: setting.disabled for name, setting in settings.items()} == disabled
    assert all(setting.name == name for name, setting in settings.items())


@pytest.mark.parametrize(
    ("found", "level"),
    [(NEW, "avx512"), (OLD, "avx512"), (["X86_V3"], "avx2"), (["FMA3", "AVX2"], "avx2")],
)
def test_what_targets_go_by(found: list[str], level: str) -> None:
    assert widest(found) == level
    assert widest(["SSE42"]) == widest([]) == "baseline"


def test_a_setting_replaces_what_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "X86_V4")
    assert Setting("avx2", "X86_V3").environment()[VARIABLE] == "X86_V3"
    assert VARIABLE not in Setting("native").environment()
    assert _cpu.current() == Setting("as the environment says", "X86_V4")
    monkeypatch.delenv(VARIABLE)
    assert _cpu.current() == Setting("native")


def test_every_setting_hides_what_it_says() -> None:
    """Each in a process: NumPy refuses names that it does not know, or cannot hide."""
    for setting in settings_of(all_features()).values():
        order = Order((), "small", 1, False, setting.name, setting.disabled)
        facts = run_in_process(order).facts
        assert not set(facts["features"]) & set(setting.disabled.split())
        assert (facts["setting"], facts["disabled"]) == (setting.name, setting.disabled)
        level = {"native": widest(all_features())}.get(setting.name, setting.name)
        assert widest(facts["features"]) == level


def test_the_processor_has_a_name() -> None:
    assert _cpu.processor()


def test_a_processor_by_family_and_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    first = "processor\t: 0\ncpu family\t: 6\nmodel\t\t: 106\nmodel name\t: Xeon @ 2.80GHz\n"
    cpuinfo.write_text(f"{first}\nprocessor\t: 1\nmodel name\t: another\n")
    monkeypatch.setattr(_cpu, "Path", lambda _: cpuinfo)
    assert _cpu.processor() == "Xeon @ 2.80GHz (family 6, model 106)"


def test_a_processor_that_the_system_does_not_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_cpu, "Path", lambda _: tmp_path / "no such file")
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr("platform.processor", lambda: "Intel64 Family 6")
    assert _cpu.processor() == "Intel64 Family 6"


@pytest.mark.skipif(not can_release(), reason="this C library has no malloc_trim")
def test_free_memory_goes_back_to_the_system() -> None:
    from tests.benchmarks._memory import _status

    blocks = [bytearray(100_000) for _ in range(500)]  # 50 MB, in pieces too small for mappings
    keep = [bytearray(100) for _ in range(10)]  # above them, so that the heap does not shrink
    held = _status("VmRSS")
    blocks.clear()
    release()
    assert held - _status("VmRSS") > 40_000  # KiB
    assert len(keep) == 10


def test_caches_of_ours_are_forgotten() -> None:
    from sklearn_rank.files import rows

    caches = [value for value in vars(rows).values() if hasattr(value, "cache_info")]
    assert caches
    for cache in caches:
        cache()
    release()
    assert all(cache.cache_info().currsize == 0 for cache in caches)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "P1,P99"], "unknown row 'P99'; there is P1, "),
        (["--rounds", "0"], "--rounds must be at least 1, got 0"),
        (["--cpu", "native,z80"], "--cpu: no setting 'z80' here; there is native"),
    ],
)
def test_wrong_arguments(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        command.main(arguments)
    assert message in capsys.readouterr().err


def test_a_run_of_all_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "runs.json"
    options = ["--size", "small", "--rounds", "2", "--only", "P13", "--cpu", "all", "--cold"]
    assert command.main([*options, "--json", str(path)]) == 0
    runs = load(path)
    printed = capsys.readouterr().out
    assert [run.facts["setting"] for run in runs] == list(settings_of(all_features()))
    for run in runs:
        assert {figures.row for figures in run.results} == {"P13"}
        assert f"| A {run.facts['setting']} |" in printed
        for figures in run.results:
            assert figures.ours is not None
            assert (figures.ours.cold is not None) == can_release()
    assert all(figures.memory for figures in runs[0].results)
