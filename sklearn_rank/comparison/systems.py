"""The systems of a comparison by name, in whichever form they were given."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sklearn_rank.engines.registry import engine_of, without_wrapper
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.support.text import closest, listed, safe_repr

_NOT_OF_ALL = frozenset({"y_true", "y_score", "measures"})
"""Parameters of ``evaluate`` that are not passed on by name."""
_OWN = (
    *("measures", "names", "test", "correction", "family", "alpha", "level", "power", "queries"),
    *("query_text", "n_resamples", "random_state"),
)
"""Parameters of ``compare`` and ``compare_all``, for who mistypes one."""
_DEFAULT_MEASURES = ("map", "ndcg@10")
"""Those of ``evaluate``."""


def read_systems(
    given: Sequence[Any], names: Any, measures: Any, reading: Mapping[str, Any], owner: str
) -> dict[str, Evaluation]:
    """Evaluations by name, the baseline first."""
    if given and all(isinstance(system, Evaluation) for system in given):
        systems = dict(zip(_names(names, len(given)), given, strict=True))
    elif len(given) == 1 and _holds_evaluations(given[0]):
        _refuse_names(names)
        systems = dict(given[0])
    elif len(given) == 2 and _may_be_runs(given):
        _refuse_names(names)
        _refuse_unknown(reading, owner)
        _refuse_one_run(given[0], given[1], owner)
        return _checked(_evaluated(given[0], given[1], measures, reading), owner)
    else:
        shown = ", ".join(type(system).__name__ for system in given) or "nothing"
        msg = (
            f"{owner} takes results of evaluate, one {{name: result}}, or y_true and "
            f"{{name: y_score}}; got {shown}"
        )
        raise TypeError(msg)
    if reading:
        _refuse_unknown(reading, owner)
        msg = f"{listed(reading)} says how data are read; results of evaluate were read already"
        raise TypeError(msg)
    return _checked(systems, owner)


def _holds_evaluations(given: Any) -> bool:
    return isinstance(given, Mapping) and any(
        isinstance(value, Evaluation) for value in given.values()
    )


def _may_be_runs(given: Sequence[Any]) -> bool:
    truth, runs = given
    return isinstance(runs, Mapping) and not isinstance(truth, Evaluation)


def _evaluated(
    y_true: Any, runs: Mapping[str, Any], measures: Any, reading: Mapping[str, Any]
) -> dict[str, Evaluation]:
    """Each run evaluated; ids of items in memory are kept, so that changes can be told by item."""
    frames = map(without_wrapper, (y_true, *runs.values()))
    options = {"keep_items": not any(map(engine_of, frames)), **reading}
    relevance = options.pop("relevance", None)
    wanted = _DEFAULT_MEASURES if measures is None else measures
    if isinstance(relevance, Mapping) and set(relevance) != set(runs):
        msg = (
            "relevance belongs to the rankings of one system; pass {name: relevance} with the "
            f"names {listed(runs)}, got {listed(relevance)}"
        )
        raise InvalidParameterError(msg)
    systems = {}
    for name, scores in runs.items():
        own = relevance[name] if isinstance(relevance, Mapping) else relevance
        with _told_of(name):
            systems[name] = evaluate(y_true, scores, wanted, relevance=own, **options)
    return systems


@contextmanager
def _told_of(name: Any) -> Iterator[None]:
    """Errors of this block say which system they are about."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if len(error.args) == 1 and isinstance(error.args[0], str):
            error.args = (f"system {safe_repr(name)}: {error.args[0]}",)
        raise


def _refuse_unknown(reading: Mapping[str, Any], owner: str) -> None:
    """TypeError for a keyword that neither the caller nor ``evaluate`` has."""
    known = inspect.signature(evaluate).parameters
    for name in reading:
        if name not in known or name in _NOT_OF_ALL:
            hint = closest(name, [*known.keys() - _NOT_OF_ALL, *_OWN])
            msg = f"{owner}() got an unexpected keyword argument {safe_repr(name)}{hint}"
            raise TypeError(msg)


def _refuse_one_run(y_true: Any, runs: Mapping[Any, Any], owner: str) -> None:
    """TypeError for the rankings of one system, whose keys are queries."""
    if not isinstance(y_true, Mapping) or not runs or not all(key in y_true for key in runs):
        return
    named = any(
        isinstance(run, Mapping) and any(key in y_true for key in run) for run in runs.values()
    )
    if not named:
        msg = (
            f"{owner} takes y_true and {{name: y_score}}, a name for each system; the keys of "
            f"y_score are queries: {listed(runs, limit=3)}"
        )
        raise TypeError(msg)


def _refuse_names(names: Any) -> None:
    if names is not None:
        msg = "names is for results of evaluate; a mapping names its systems itself"
        raise TypeError(msg)


def _names(names: Any, n_systems: int) -> Sequence[str]:
    if names is None:
        if n_systems == 2:
            return ("baseline", "system")
        return ("baseline", *(f"system {number}" for number in range(1, n_systems)))
    if isinstance(names, str) or not isinstance(names, Sequence):
        msg = f"names must be a sequence of texts, got {safe_repr(names)}"
        raise InvalidParameterError(msg)
    if len(names) != n_systems:
        msg = f"names has {len(names)} names for {n_systems} systems"
        raise InvalidParameterError(msg)
    if len(set(map(repr, names))) < len(names):
        msg = f"names of systems must differ, got {listed(names)}"
        raise InvalidParameterError(msg)
    return names


def _checked(systems: dict[str, Evaluation], owner: str) -> dict[str, Evaluation]:
    for name, system in systems.items():
        if not isinstance(name, str) or not name.strip():
            msg = f"names of systems must be texts, got {safe_repr(name)}"
            raise InvalidParameterError(msg)
        if not isinstance(system, Evaluation):
            msg = f"system {safe_repr(name)} must be a result of evaluate, got {safe_repr(system)}"
            raise TypeError(msg)
    if len(systems) < 2:
        msg = f"{owner} needs at least two systems, got {len(systems)}"
        raise InvalidParameterError(msg)
    return systems
