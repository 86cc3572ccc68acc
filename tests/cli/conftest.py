"""A folder with judgements and runs, and the command that is run in it."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from sklearn_rank.cli import main

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\nq3 0 d 1\n"
ONE = "q1 Q0 b 1 2.0 one\nq1 Q0 a 2 1.0 one\nq2 Q0 c 1 3.0 one\nq9 Q0 c 1 3.0 one\n"
TWO = "q1 Q0 a 1 2.0 two\nq2 Q0 x 1 3.0 two\nq2 Q0 c 2 1.0 two\nq3 Q0 d 1 1.0 two\n"


class Command:
    """``sklearn-rank`` in a folder that has ``t.qrels``, ``one.run`` and ``two.run``."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        self.write({"t.qrels": QRELS, "one.run": ONE, "two.run": TWO})

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            (self.folder / name).write_bytes(data)

    def __call__(self, words: str | Sequence[str], code: int = 0) -> str:
        """What is printed; errors, too, where the command is to fail."""
        self._capsys.readouterr()
        try:
            ended = main(words.split() if isinstance(words, str) else list(words))
        except SystemExit as end:
            ended = int(end.code or 0)
        out, err = self._capsys.readouterr()
        assert ended == code, out + err
        # The names of Python's arguments, but as ids of the data.
        assert not re.search(r"(?<!')\by_(true|score)\b(?!')", out + err), out + err
        assert code or not err
        return out + err

    def process(self, words: str, **options: object) -> subprocess.CompletedProcess[bytes]:
        """The same in a process of its own."""
        prefix = options.pop("prefix", [])
        command = [*prefix, sys.executable, "-m", "sklearn_rank.cli", *words.split()]  # type: ignore[misc]
        environment = {**os.environ, **options.pop("environment", {})}  # type: ignore[dict-item]
        options.setdefault("stdout", subprocess.PIPE)
        return subprocess.run(  # type: ignore[call-overload, no-any-return]
            command,
            check=False,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=self.folder,
            **options,
        )


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path, capsys)
