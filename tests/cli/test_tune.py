"""``sklearn-rank tune``: the choice, what it gains held out, and one sentence."""

import numpy as np
import pytest

from sklearn_rank import cli, evaluate, read_qrels, read_run


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Forty queries: a good run, a bad one, an equally good one, and judgements."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    lines = {name: [] for name in ("qrels", "good.run", "bad.run", "other.run", "lists.run")}
    for query in range(40):
        relevant = rng.choice(20, 3, replace=False)
        lines["qrels"] += [f"q{query} 0 d{item} 1" for item in relevant]
        for name, signal in (("good", 2.5), ("bad", 0.0), ("other", 2.5)):
            scores = rng.normal(size=20) + signal * np.isin(np.arange(20), relevant)
            for rank, item in enumerate(np.argsort(-scores).tolist(), 1):
                lines[f"{name}.run"].append(f"q{query} Q0 d{item} {rank} {scores[item]} x")
    for name, rows in lines.items():
        (tmp_path / name).write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


def test_a_choice_that_holds_is_confirmed_and_written(files, capsys):
    assert cli.main(["tune", "qrels", "bad.run", "good.run", "-o", "fused.run"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("choice    ")
    assert said[0].endswith("(best of 18)")
    assert said[3:] == ["confirmed: use the choice", "written: fused.run (the choice)"]
    fused = evaluate(read_qrels("qrels"), read_run("fused.run"), "ndcg@10")["ndcg@10"]
    assert fused > evaluate(read_qrels("qrels"), read_run("bad.run"), "ndcg@10")["ndcg@10"]
    assert cli.main(["tune", "qrels", "bad.run", "good.run", "-o", "fused.run"]) == 0  # again


def test_a_choice_that_does_not_hold_keeps_equal_weights(files, capsys):
    words = ["tune", "qrels", "good.run", "other.run", "-m", "map", "-o", "fused.run"]
    assert cli.main(words) == 0
    said = capsys.readouterr().out
    assert "held out  MAP " in said
    assert "not confirmed: keep equal weights\nwritten: fused.run (equal weights)" in said


def test_three_runs_and_a_measure_of_which_less_is_better(files, capsys):
    assert cli.main(["tune", "qrels", "good.run", "other.run", "bad.run", "-m", "lag"]) == 0
    assert "tuned on  LAG " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["qrels", "good.run"], "tune takes 2 to 4 runs, got 1"),
        (["qrels", "good.run", "good.run"], "the same run was given twice"),
        (["few", "good.run", "bad.run"], "needs at least 10 judged queries, got 1"),
        (["qrels", "good.run", "bad.run", "-o", "qrels"], "qrels"),
        (["qrels", "good.run", "bad.run", "-m", "nothing"], "nothing"),
    ],
    ids=["one", "twice", "few", "output", "measure"],
)
def test_what_is_refused(files, capsys, words, message):
    (files / "few").write_text("q1 0 d1 1\n", encoding="utf-8")
    assert cli.main(["tune", *words]) == 2
    assert message in capsys.readouterr().err
