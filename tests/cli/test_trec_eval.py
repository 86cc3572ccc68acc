"""Values of the convention "trec_eval" are those of trec_eval 10, which were stored once.

The problem is made up to be nasty: ties, ids that are no ASCII, grades of -1, topics that are
missing from the run or from the judgements, a topic without a relevant item, comments, blank lines.
"""

import csv
import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "trec_eval"
CASES = json.loads((HERE / "values.json").read_text(encoding="utf-8"))["cases"]
TREC = ["evaluate", "--convention", "trec_eval", "--format", "csv"]


@pytest.mark.filterwarnings("ignore:the ranking is empty in 1 query")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["options"] or "-")
def test_names_and_values_are_those_of_trec_eval(case, command):
    lines = (HERE / "nasty.run").read_text(encoding="utf-8").splitlines(keepends=True)
    run = [line for line in lines if (line.split() or [""])[0] not in case["without"]]
    command.write({"nasty.run": "".join(run)})
    wanted = ["-m", ",".join(case["values"])]
    printed = command(
        [*TREC, str(HERE / "nasty.qrels"), "nasty.run", *case["options"].split(), *wanted]
    )
    rows = list(csv.DictReader(printed.splitlines()))
    assert {row["query"] for row in rows} == {"all"}
    assert [round(float(row["value"]), 4) for row in rows] == list(case["values"].values())
