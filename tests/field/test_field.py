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
from collections.abc import Callable, Iterator, Mapping, Set
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
    mixed_up,
    rag_and_golden,
    ranking_libraries,
    recommenders,
    search_and_trec,
)
from tests.field.files import WRITERS, CommandError, command_of, ended, in_files, read, why_no_file
from tests.field.row import Call, Files, Printed, Refused, Row, Warned

FAMILIES = {
    "ranking_libraries": ranking_libraries.ROWS,
    "boosters_and_sklearn": boosters_and_sklearn.ROWS,
    "recommenders": recommenders.ROWS,
    "search_and_trec": search_and_trec.ROWS,
    "rag_and_golden": rag_and_golden.ROWS,
    "gates": gates.ROWS,
    "forms": forms.ROWS,
    "mixed_up": mixed_up.ROWS,
}
LEAST = {"rows": 450, "doors": 3000}
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


def judged(row: Row, gate: Callable[..., Any], **limits: Any) -> Any:
    """The value of a gate; a red one raises its error, and does not make this run red."""
    allow = () if isinstance(row.want, (Refused, Warned)) else ALLOWED
    with expected_failure((Exception,)) as caught:
        passed = gate(row.truth, row.ranking, **{"allow": allow, **row.options, **limits})
        raise GatePassedError(passed)
    if not isinstance(caught.value, GatePassedError):
        raise caught.value
    return caught.value.args[0].measures[str(measure(row.measure))].value


def by_function(row: Row, request: Any) -> Any:
    asked = measure(row.measure)
    given = {"k": asked.k, **dict(asked.parameters), **row.options}
    if asked.k is None:
        del given["k"]
    return FUNCTIONS[asked.metric](row.truth, row.ranking, **given)


def by_evaluate(row: Row, request: Any) -> Any:
    ev = evaluate(row.truth, row.ranking, row.measure, **row.options)
    text = " ".join(str(ev).split())
    if isinstance(row.want, Printed) and not re.search(row.want.words, text):
        raise CommandError(f"printed {text}")
    return ev[row.measure]


def by_compare(row: Row, request: Any) -> Any:
    runs = {"old": row.ranking, "new": row.ranking}
    return compare(row.truth, runs, [row.measure], **row.options)[row.measure].new


def by_assertion(row: Row, request: Any) -> Any:
    value = getattr(row.want, "value", row.want) if not isinstance(row.want, Refused) else 0.5
    side, limit = "at_most", value + 1e-9
    if measure(row.measure).metric.greater_is_better:
        side, limit = "at_least", max(value - 1e-9, 1e-6)
    return judged(row, assert_metric, measure=row.measure, **{side: limit})


def by_gate(row: Row, request: Any) -> Any:
    return judged(row, RankGate(request).check, measures=[row.measure], **LIMIT)


def by_scorer(row: Row, request: Any) -> Any:
    options, truth, ranking = dict(row.options), row.truth, row.ranking
    groups, weight = options.pop("groups", None), options.pop("sample_weight", None)
    if isinstance(truth, Mapping):
        truth, ranking = list(truth.values()), [ranking.get(query, []) for query in truth]
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


def by_command(files: Files) -> Any:
    """``sklearn-rank evaluate``, and its table for what is printed."""
    with tempfile.TemporaryDirectory() as folder:
        words = [*command_of(files, "evaluate", folder), "-m", files.measure]
        out, err = ended([*words, "--format", "json"])
        if isinstance(files.want, (Warned, Printed)):
            table = " ".join("".join(ended(words)).split())
            if not re.search(files.want.words, table):
                raise CommandError(f"printed {table}")
        elif err and "undefined for" not in err:
            raise CommandError(err)
    (number,) = json.loads(out)["scores"].values()
    return math.nan if number is None else number


def by_gate_command(files: Files) -> Any:
    """``sklearn-rank gate``: whether it reaches the value, since it prints three digits."""
    with tempfile.TemporaryDirectory() as folder:
        words = [*command_of(files, "gate", folder), "--name", "field"]
        words += [word for name in ALLOWED for word in ("--allow", name)]
        ended([*words, "--at-least", f"{files.measure}={files.want - 1e-9}"])
    return files.want


# Which doors --------------------------------------------------------------------------------------


def why_not(row: Row, door: str) -> str:
    """Why a row does not go through a door; "" where it does."""
    is_file = door in WRITERS or door == "command"
    why = row.without.get(door) or row.without.get("files") if is_file else row.without.get(door)
    if why or door == "evaluate":
        return why or ""
    return _why_no_file(row, door) if is_file else _why_not_in_python(row, door)


def _why_no_file(row: Row, door: str) -> str:
    alien = row.options.keys() - {"groups", "convention"} if door == "command" else ()
    if alien and str(row.options) != "{'zero_division': nan}":
        return f"the command has no {'=, '.join(alien)}="
    return why_no_file(row, "json" if door == "command" else door)


def _why_not_in_python(row: Row, door: str) -> str:
    options = {"function": OF_FUNCTIONS, "scorer": OF_SCORERS}
    options["compare"] = row.options.keys() - {"relevance"}
    alien = row.options.keys() - options.get(door, row.options.keys())
    if alien:
        return f"a {door} has no {'=, '.join(alien)}="
    if door == "function":
        try:
            return "" if measure(row.measure).metric in FUNCTIONS else "it has no function"
        except ValueError:
            return "a wrong name has no function"
    if door == "scorer" and (
        isinstance(row.truth, Set)
        or hasattr(row.truth, "__dataframe__")
        or hasattr(row.truth, "schema")
        or (isinstance(row.truth, Mapping) and not isinstance(row.truth, dict))
    ):
        return "y has a truth per query or row"
    value = getattr(row.want, "value", row.want)
    if door == "assertion" and isinstance(value, float) and not value > 0:
        return "no limit is met by 0"
    return ""


def doors_of(row: Any, request: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The doors of a row, each ready to be opened."""
    if isinstance(row, Call):
        yield from row.doors.items()
        return
    is_file = isinstance(row, Files)
    shape = Row(row.source, set(), [], row.measure, row.want, row.options) if is_file else row
    fresh: Callable[[], Row] = (lambda: read(row)) if is_file else row.fresh
    for door, opened in IN_PYTHON.items():
        if not why_not(shape.fresh(), door):
            yield door, lambda opened=opened: opened(fresh(), request)
    if is_file:
        yield "command", lambda: by_command(row)
        if isinstance(row.want, float) and row.want > 0:
            yield "gate command", lambda: by_gate_command(row)
        return
    for form in WRITERS:
        if not why_not(row.fresh(), form):
            files = in_files(row.fresh(), form)
            yield form, lambda files=files: by_evaluate(read(files), request)
    if not why_not(row.fresh(), "command"):
        yield "command", lambda: by_command(in_files(row.fresh(), "json"))


# The test -----------------------------------------------------------------------------------------

RED = (QueryMismatchError, RankGateFailure, UndefinedMetricError)
"""What a gate raises where evaluate warns."""
QUIET = (ConventionWarning, DeprecationWarning, UndefinedMetricWarning)
"""Warnings that say nothing of the data; the last is one where a row wants it."""


def fault_of(want: Any, door: str, open_door: Callable[[], Any]) -> str:
    """What a door gave instead of what is right; "" for nothing."""
    caught: BaseException | None = None
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            got = open_door()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # that of a search is none of Exception
            caught, got = error, None
    if caught is None:
        fault = _fault_of_value(want, got, given, door)
    else:
        fault = _fault_of_error(want, caught)
    return f"{door}: {fault}" if fault else ""


def _fault_of_error(want: Any, error: BaseException) -> str:
    text = " ".join(str(error).split())
    if isinstance(want, Refused):
        others = isinstance(error, (CommandError, RankGateFailure))
        right = (others or isinstance(error, want.error)) and re.search(want.words, text)
    else:
        right = isinstance(want, Warned) and isinstance(error, RED)
    return "" if right else f"{type(error).__name__}: {text[:300]}"


def _fault_of_value(want: Any, got: Any, given: Any, door: str) -> str:
    if isinstance(want, Refused):
        return f"gave {got!r}, not an error"
    if isinstance(want, Printed) and want.value is None:
        text = " ".join(str(got).split())
        return "" if re.search(want.words, text) else text
    if isinstance(want, Warned):
        said = [str(one.message) for one in given if issubclass(one.category, want.kind)]
        if door != "command" and not any(re.search(want.words, text) for text in said):
            return f"no such warning, {said}"
    else:
        loud = [str(one.message) for one in given if not issubclass(one.category, QUIET)]
        if loud:
            return f"warned {loud}"
    value = getattr(want, "value", want)
    if isinstance(value, float):
        same = math.isclose(got, value, rel_tol=1e-12, abs_tol=1e-12)
    else:
        same = got == value
    return "" if same else f"gave {got!r}, not {value!r}"


def numbered() -> Iterator[Any]:
    """Rows with their names: those of one source have numbers."""
    seen = Counter[str]()
    for family, rows in FAMILIES.items():
        for row in rows:
            name = f"{family}: {row.source}"
            seen[name] += 1
            name += f" {seen[name]}" if seen[name] > 1 else ""
            yield pytest.param(row, id=name)


@pytest.mark.parametrize("row", list(numbered()))
def test_every_door_gives_what_is_right(row: Any, request: pytest.FixtureRequest) -> None:
    faults = [fault_of(row.want, door, opened) for door, opened in doors_of(row, request)]
    assert faults, "no door takes this row"
    assert not any(faults), "\n" + "\n".join(filter(None, faults))


def test_rows_and_doors_are_counted(request: pytest.FixtureRequest) -> None:
    rows = [row for family in FAMILIES.values() for row in family]
    assert len(rows) >= LEAST["rows"]
    assert sum(len(list(doors_of(row, request))) for row in rows) >= LEAST["doors"]
