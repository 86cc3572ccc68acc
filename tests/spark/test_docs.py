"""The examples of the guide to Spark run as they stand there."""

import re
from pathlib import Path
from typing import Any

import polars as pl

PAGE = Path(__file__).parents[2] / "docs" / "spark.md"


def test_examples_run(session, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = {"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "a"], "score": [0.5, 0.25, 1.0]}
    qrels = {"query_id": ["q1", "q2"], "doc_id": ["b", "a"], "grade": [1, 2]}
    pl.DataFrame(run).write_parquet("run.parquet")
    pl.DataFrame(qrels).write_parquet("qrels.parquet")
    names: dict[str, Any] = {"spark": _At(session, tmp_path)}
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        exec(example, names)


class _At:
    """A session whose relative paths are those of the test, not of the process that has Java."""

    def __init__(self, session: Any, directory: Path) -> None:
        self.session, self.directory = session, directory
        self.read = self

    def parquet(self, name: str) -> Any:
        return self.session.read.parquet(str(self.directory / name))
