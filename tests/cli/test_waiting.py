"""What a terminal is told while something takes its time."""

from __future__ import annotations

import pytest

from sklearn_rank.support import runtime
from sklearn_rank.support.runtime import waiting


def test_nothing_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    with waiting("reading"):
        pass
    assert capsys.readouterr().err == ""


def test_a_terminal_sees_what_goes_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with waiting("reading [bold]a\x1b.run"):
        pass
    said = capsys.readouterr().err
    # Markup and control characters of a name are shown, not obeyed.
    assert "reading [bold]a" in said
    assert "a\x1b.run" not in said


def test_one_bar_is_enough(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    token = runtime._SHOWN.set(True)
    with runtime.waiting("Spark counts rows"):
        pass
    runtime._SHOWN.reset(token)
    assert capsys.readouterr().err == ""
