"""The field's own inputs, through every door that takes their form.

The rows are data, a module for each family. A test is a row: it opens all of its doors before it
fails, and names those that gave something else.
"""

import json
import math
import re
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_rankmetrics import RankGate, RankGateFailure, assert_metric, expected_failure
from sklearn_rank import compare, evaluate, make_rank_scorer, measure
from sklearn_rank.exceptions import (
    ConventionWarning,
    QueryMismatchError,
    UndefinedMetricError,
    UndefinedMetricWarning,
)
from sklearn_rank.gates.limits import ALLOWED
from sklearn_rank.metrics import FUNCTIONS
from tests.field import (
    boosters_and_sklearn,
    forms,
    gates,
    rag_and_golden,
    ranking_libraries,
    recommenders,
    search_and_trec,
)
from tests.field.files import (
    WRITERS,
    CommandError,
    as_tables,
    ended,
    flags_of,
    json_of,
    read_of,
    why_no_file,
    written,
)
from tests.field.pending import PENDING
from tests.field.row import Call, Files, Printed, Refused, Row, Want, Warned

FAMILIES = {
    module.__name__.rpartition(".")[2]: module.ROWS
    for module in (
        ranking_libraries,
        boosters_and_sklearn,
        recommenders,
        search_and_trec,
        rag_and_golden,
        gates,
        forms,
    )
}
LEAST = {"rows": 130, "doors": 1000}
"""Fewer rows, or rows times doors, would mean that some were lost."""

# Doors --------------------------------------------------------------------------------------------

OF_FUNCTIONS = {"groups", "ties", "zero_division", "sample_weight", "string_provider", "relevance"}
OF_SCORERS = {"groups", "ties", "zero_division", "string_provider", "convention", "sample_weight"}
LIMIT = {"totals": {"runs": 1.0}, "at_most": {"runs": 1.0}}
"""What a gate needs to be one; the value is judged here."""


class Model:
    """An estimator that has learned its answers by heart."""

    def __init__(self, answers: Any) -> None:
        self.answers = answers

    def fit(self, X: Any, y: Any) -> "Model":
        return self

    def predict(self, X: Any) -> Any:
        return self.answers


class GatePassedError(Exception):
    """A gate that did not fail, inside of a block that lets gates fail."""


def judged(gate: Callable[[], Any], name: str) -> Any:
    """The value of a gate; a red one raises its error, and does not make this run red."""
    with expected_failure((Exception,)) as caught:
        raise GatePassedError(gate())
    if not isinstance(caught.value, GatePassedError):
        raise caught.value
    row = caught.value.args[0].measures[name]
    return row.value


def by_function(row: Any, truth: Any, ranking: Any, request: Any) -> Any:
    asked = measure(row.measure)
    cutoff = {} if asked.k is None else {"k": asked.k}
    options = {key: value for key, value in row.options.items() if key in OF_FUNCTIONS}
    given = dict(asked.parameters)
    return FUNCTIONS[asked.metric](truth, ranking, **cutoff, **given, **options)


def by_evaluate(row: Any, truth: Any, ranking: Any, request: Any) -> Any:
    ev = evaluate(truth, ranking, row.measure, **row.options)
    text = " ".join(str(ev).split())
    if isinstance(row.want, Printed) and not re.search(row.want.words, text):
        raise CommandError(f"printed {text}")
    return ev[row.measure]


def by_compare(row: Any, truth: Any, ranking: Any, request: Any) -> Any:
    again = row.data()[1] if isinstance(row, Row) else ranking
    result = compare(truth, {"old": ranking, "new": again}, [row.measure], **row.options)
    return result.evaluations["new"][row.measure]


def gate_options(row: Any) -> dict[str, Any]:
    """Gates refuse what evaluate leaves out, unless they are allowed to."""
    allow = () if isinstance(row.want, (Refused, Warned)) else ALLOWED
    return {"allow": allow, **row.options}


def by_assertion(row: Any, truth: Any, ranking: Any, request: Any) -> Any:
    value = row.want if isinstance(row.want, (int, float)) else getattr(row.want, "value", 0.5)
    limit = max(value - 1e-9, 1e-6)
    side = "at_least" if measure(row.measure).metric.greater_is_better else "at_most"
    limit = {side: limit if side == "at_least" else value + 1e-9}
    options = gate_options(row)
    name = str(measure(row.measure))
    return judged(lambda: assert_metric(truth, ranking, row.measure, **limit, **options), name)


def by_gate(row: Any, truth: Any, ranking: Any, request: Any) -> Any:
    gate, options = RankGate(request), {**LIMIT, **gate_options(row)}
    name = str(measure(row.measure))
    return judged(lambda: gate.check(truth, ranking, measures=[name], **options), name)


def by_scorer(row: Any, truth: Any, ranking: Any, request: Any) -> Any:
    options = {key: value for key, value in row.options.items() if key in OF_SCORERS}
    groups, weight = options.pop("groups", None), options.pop("sample_weight", None)
    if isinstance(truth, Mapping):
        ranking = [ranking.get(query, []) for query in truth]
        truth = list(truth.values())
    scorer = make_rank_scorer(row.measure, **options)
    X = np.zeros((truth.shape[0] if hasattr(truth, "shape") else len(truth), 1))
    value = scorer(Model(ranking), X, truth, groups=groups, query_weight=weight)
    return value * scorer._sign


IN_PYTHON = {
    "function": by_function,
    "evaluate": by_evaluate,
    "compare": by_compare,
    "assertion": by_assertion,
    "gate": by_gate,
    "scorer": by_scorer,
}


def by_command(row: Any, qrels: Any, run: Any, suffixes: Sequence[str]) -> Any:
    """``sklearn-rank evaluate`` of files, and as a table for what is printed."""
    with tempfile.TemporaryDirectory() as folder:
        paths = map(str, written(Path(folder), qrels, run, suffixes))
        words = ["evaluate", *paths, "-m", row.measure, *flags_of(row)]
        out, err = ended([*words, "--format", "json"])
        if isinstance(row.want, (Warned, Printed)):
            table = " ".join("".join(ended(words)).split())
            if not re.search(row.want.words, table):
                raise CommandError(f"printed {table}")
        elif err and "undefined for" not in err:
            raise CommandError(err)
        value = json.loads(out)["scores"]
    (number,) = value.values()
    return math.nan if number is None else number


def by_gate_command(row: Files) -> Any:
    """``sklearn-rank gate`` of files: whether it measures, since it prints three digits."""
    with tempfile.TemporaryDirectory() as folder:
        suffixes = (row.form.split() * 2)[:2]
        paths = map(str, written(Path(folder), row.qrels, row.run, suffixes))
        limit = ["--at-least", f"{row.measure}={row.want - 1e-9}"]
        allow = [word for name in ALLOWED for word in ("--allow", name)]
        ended(["gate", *paths, "--name", "field", *limit, *allow, *flags_of(row)])
    return row.want


# Which doors --------------------------------------------------------------------------------------

WRITTEN = ("json", "csv", "trec", "command")


def why_not(row: Row, door: str) -> str:
    """Why a row does not go through a door; "" where it does."""
    if door in row.without or (door in WRITTEN and "files" in row.without):
        return row.without.get(door) or row.without["files"]
    if door in WRITTEN:
        why = why_no_file(row, "json" if door == "command" else door)
        alien = set(row.options) - {"groups", "convention"} if door == "command" else ()
        if alien and not (row.options.keys() == {"zero_division"} and _is_nan(row.options)):
            why = why or f"the command has no {'=, '.join(alien)}="
        return why
    truth = row.data()[0]
    try:
        asked = measure(row.measure)
    except ValueError:
        return "no function is found by a wrong name" if door == "function" else ""
    if door == "function":
        if asked.metric not in FUNCTIONS:
            return f"{asked.metric.name} has no function"
        alien = set(row.options) - OF_FUNCTIONS
        return f"functions have no {'=, '.join(alien)}=" if alien else ""
    if door == "scorer":
        alien = set(row.options) - OF_SCORERS
        if isinstance(truth, Set) or hasattr(truth, "__dataframe__") or hasattr(truth, "schema"):
            return "y has a truth per query or row"
        if isinstance(truth, Mapping) and not isinstance(truth, dict):
            return "y is no mapping"
        return f"scorers have no {'=, '.join(alien)}=" if alien else ""
    if door == "compare" and "relevance" in row.options:
        return "two runs have no relevance in common"
    value = row.want if isinstance(row.want, (int, float)) else None
    value = row.want.value if isinstance(row.want, Printed) else value
    if door == "assertion" and value is not None and (value <= 0 or math.isnan(value)):
        return "no limit is met by 0 or NaN"
    if door in ("assertion", "gate") and value is not None and math.isnan(value):
        return "a gate has a number"
    return ""


def _is_nan(options: Mapping[str, Any]) -> bool:
    return isinstance(options["zero_division"], float) and math.isnan(options["zero_division"])


def doors_of(row: Any, request: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The doors of a row, each ready to be opened."""
    if isinstance(row, Call):
        yield from row.doors.items()
    elif isinstance(row, Files):
        for door in IN_PYTHON:
            if not why_not_of_files(row, door):
                yield door, lambda door=door: IN_PYTHON[door](row, *read_of(row), request)
        suffixes = (row.form.split() * 2)[:2]
        if "command" not in row.without:
            yield "command", lambda: by_command(row, row.qrels, row.run, suffixes)
            if isinstance(row.want, float) and row.want > 0:
                yield "gate command", lambda: by_gate_command(row)
    else:
        for door in IN_PYTHON:
            if not why_not(row, door):
                yield door, lambda door=door: IN_PYTHON[door](row, *row.data(), request)
        for form in WRITERS:
            if not why_not(row, form):
                yield form, lambda form=form: through_file(row, form, request)
        if not why_not(row, "command"):
            tables = as_tables(row)
            texts = [json_of(table, bool(n)) for n, table in enumerate(tables)]
            yield "command", lambda: by_command(row, *texts, ["json", "json"])


def why_not_of_files(row: Files, door: str) -> str:
    if door in row.without:
        return row.without[door]
    if door == "scorer":
        return "what is read is a mapping, and y is none"
    return why_not(Row(row.source, {}, {}, row.measure, row.want, row.options), door)


def through_file(row: Row, form: str, request: Any) -> Any:
    sides = [WRITERS[form](table, bool(n)) for n, table in enumerate(as_tables(row))]
    options = {key: value for key, value in row.options.items() if key != "groups"}
    files = Files(row.source, *sides, row.measure, row.want, form, options=options)
    return by_evaluate(files, *read_of(files), request)


# The test -----------------------------------------------------------------------------------------

RED = (QueryMismatchError, RankGateFailure, UndefinedMetricError)
"""What a gate raises where evaluate warns."""
QUIET = (ConventionWarning, DeprecationWarning, PendingDeprecationWarning, UndefinedMetricWarning)
"""Warnings that say nothing of the data; the last is one where a row wants it."""


def fault_of(want: Want, door: str, open_door: Callable[[], Any]) -> str:
    """What a door gave instead of what is right; "" for nothing."""
    caught: Any = None
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            got = open_door()
        except AssertionError as error:
            caught = error if isinstance(error, RankGateFailure) else None
            if caught is None:
                return f"{door}: {error}"
        except (Exception, BaseException) as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            caught = error
    if isinstance(want, Refused):
        if caught is None:
            return f"{door}: gave {got!r}, not an error"
        fits = isinstance(caught, (want.error, CommandError, RankGateFailure))
        text = " ".join(str(caught).split())
        if not fits or not re.search(want.words, text):
            return f"{door}: {type(caught).__name__}: {text[:300]}"
        return ""
    if isinstance(want, Printed) and want.value is None:
        text = " ".join(str(got).split())
        return "" if re.search(want.words, text) else f"{door}: {text}"
    texts = [str(warning.message) for warning in given]
    if isinstance(want, Warned) and isinstance(caught, RED):
        return ""  # of a gate
    if caught is not None:
        return f"{door}: {type(caught).__name__}: {str(caught)[:300]}"
    if isinstance(want, Warned) and door != "command":
        fits = [w for w in given if issubclass(w.category, want.kind)]
        if not any(re.search(want.words, str(w.message)) for w in fits):
            return f"{door}: no such warning, {texts}"
    elif not isinstance(want, Warned):
        loud = [str(w.message) for w in given if not issubclass(w.category, QUIET)]
        if loud:
            return f"{door}: warned {loud}"
    value = want.value if isinstance(want, (Warned, Printed)) else want
    if isinstance(value, float | int) and not isinstance(value, bool):
        same = math.isclose(got, value, rel_tol=1e-12, abs_tol=1e-12)
        same = same or (math.isnan(got) and math.isnan(value))
    else:
        same = got == value
    return "" if same else f"{door}: gave {got!r}, not {value!r}"


def numbered() -> Iterator[Any]:
    for family, rows in FAMILIES.items():
        seen = Counter[str]()
        for row in rows:
            seen[row.source] += 1
            number = f" {seen[row.source]}" if seen[row.source] > 1 else ""
            name = f"{family}: {row}{number}"
            waits = pytest.mark.xfail(reason="pending", strict=True)
            yield pytest.param(row, id=name, marks=[waits] if name in PENDING else [])


@pytest.mark.parametrize("row", list(numbered()))
def test_every_door_gives_what_is_right(row, request):
    faults = [fault_of(row.want, door, opened) for door, opened in doors_of(row, request)]
    assert faults, "no door takes this row"
    assert not any(faults), "\n" + "\n".join(filter(None, faults))


def test_rows_and_doors_are_counted(request):
    rows = [row for family in FAMILIES.values() for row in family]
    n_doors = sum(len(list(doors_of(row, request))) for row in rows)
    assert len(rows) >= LEAST["rows"]
    assert n_doors >= LEAST["doors"]
