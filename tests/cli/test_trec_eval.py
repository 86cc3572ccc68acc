"""Values of the convention "trec_eval" are those of trec_eval 10, which were stored once.

The problem is made up to be nasty: ties, ids that are no ASCII, grades of -1, topics that are
missing from the run or from the judgements, a topic without a relevant item, comments, blank lines.
"""

import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "trec_eval"
CASES = json.loads((HERE / "values.json").read_text(encoding="utf-8"))["cases"]
TREC = ["evaluate", "--convention", "trec_eval", "--format", "trec"]


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
    found = [line.split("\t") for line in printed.splitlines()]
    assert [(query, float(value)) for _, query, value in found] == [
        ("all", value) for value in case["values"].values()
    ]


def test_a_line_is_measure_query_and_value(command):
    printed = command([*TREC, "t.qrels", "two.run", "-m", "P.1,5", "-m", "recip_rank", "-q"])
    assert printed.splitlines()[-3:] == [
        f"{name:<22}\tall\t{value}"
        for name, value in (("precision@1", "0.6667"), ("precision@5", "0.2000"), ("mrr", "0.8333"))
    ]
    assert len(printed.splitlines()) == 3 * 4
