"""Lines of output equal those of trec_eval 10, which were stored once, byte for byte.

The problem is made up to be nasty: ties, ids that are no ASCII, grades of -1, topics that are
missing from the run or from the judgements, a topic without a relevant item, comments, blank lines.
"""

import json
import re
from pathlib import Path

import pytest

from sklearn_rank import write_qrels, write_run
from sklearn_rank.cli import main
from sklearn_rank.cli.trec_measures import OFFERED

HERE = Path(__file__).parent / "trec_eval"
CASES = json.loads((HERE / "cases.json").read_text())["cases"]
TREC = ("evaluate", "--convention", "trec_eval", "--format", "trec")
OMITTED = "relstring, infAP, Rprec_mult, binG, G, ndcg_rel, Rndcg"
DIVIDED_BY_NOTHING = ("iprec_at_recall_", "11pt_avg")
"""Where trec_eval prints ``-nan`` for a topic of which -J leaves nothing."""


def output(capsys, *arguments):
    assert main([*TREC, *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == (
        f"measures of trec_eval not offered: {OMITTED}\n" if "all_trec" in arguments else ""
    )
    return out


@pytest.mark.parametrize("name", CASES)
def test_every_line_is_that_of_trec_eval(name, capsys):
    case = CASES[name]
    files = [str(HERE / case.get("qrels", "nasty.qrels")), str(HERE / case["run"])]
    ours = output(capsys, *case["arguments"], *files).splitlines()
    theirs = (HERE / f"{name}.out").read_text(encoding="utf-8").splitlines()
    theirs = [
        line for line in theirs if re.split(r"_[\d.]+ | ", line)[0] not in OMITTED.split(", ")
    ]
    assert len(ours) == len(theirs)
    differing = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
    for line, other in differing:
        assert other.startswith(DIVIDED_BY_NOTHING)
        assert other.endswith("-nan")
        assert line.split("\t")[:2] == other.split("\t")[:2]
        assert 0 <= float(line.split("\t")[2]) <= 1
    assert bool(differing) == (name in ("judged_depth_level", "complete_judged_depth"))


def test_every_measure_offered_is_in_the_stored_output():
    text = "".join(
        (HERE / f"{case}.out").read_text(encoding="utf-8") for case in ("all_q", "numbers")
    )
    labels = {line.split("\t")[0].strip() for line in text.splitlines()}
    for own in OFFERED:
        assert any(label.startswith(own.name) for label in labels), own.name


def test_spellings_of_this_package_are_translated(capsys):
    files = [str(HERE / "nasty.qrels"), str(HERE / "nasty.run")]
    own = output(capsys, "-m", "ndcg@5", "-m", "ndcg@10", "-m", "mrr", "-m", "p@5", *files)
    theirs = ["-m", "ndcg_cut.5,10", "-m", "recip_rank", "-m", "P.5"]
    assert own == output(capsys, *theirs, *files)


@pytest.mark.parametrize(
    ("spelling", "message"),
    [
        ("mapp", "measure 'mapp' is not offered; did you mean 'map'"),
        ("lag", "lag is no measure of trec_eval"),
        ("mrr@10", "mrr@10 is no measure of trec_eval"),
        ("P.0", "'0' in 'P.0' is no parameter of P"),
        ("P.1.5", "'1.5' in 'P.1.5' is no parameter of P"),
        ("map.5", "'5' in 'map.5' is no parameter of map"),
        ("set_F.1,2", "'1,2' in 'set_F.1,2' is no parameter of set_F"),
        ("utility.1,-1,0,0", "'1' in 'utility.1,-1,0,0' is no parameter of utility"),
        ("11pt_avg.-1", "is no parameter of 11pt_avg"),
    ],
)
def test_what_trec_eval_does_not_have_is_refused_before_a_file_is_read(spelling, message, capsys):
    assert main([*TREC, "-m", spelling, "no.qrels", "no.run"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err


def test_without_a_summary_there_are_lines_of_trec_eval_alone(capsys):
    assert main(["evaluate", "-n", "no.qrels", "no.run"]) == 2
    assert "--no-summary goes with --convention trec_eval --format trec" in capsys.readouterr().err


def test_a_geometric_mean_adds_nothing_to_small_values(tmp_path, capsys):
    files = [str(tmp_path / "x.qrels"), str(tmp_path / "x.run")]
    write_qrels({"q": {"d38": 1}}, files[0])
    write_run({"q": [f"d{number}" for number in range(39)]}, files[1])
    (line,) = output(capsys, "-m", "gm_map", *files).splitlines()
    assert line.endswith("\t0.0256"), "1/39 is 0.025641"
