"""One evaluation, read strictly: what the library would leave out is an error here."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, get_args

from pytest_rankmetrics._support.typing import Allowed, DataOptions, refuse_unknown
from pytest_rankmetrics.measuring.evaluation import StrictEvaluation
from pytest_rankmetrics.measuring.refusals import (
    refuse,
    refuse_empty,
    refuse_left_out,
    refuse_other_number,
    refuse_swapped,
    refuse_undefined,
    refuse_unjudged,
    refuse_unjudged_of_engine,
)
from pytest_rankmetrics.measuring.suspicions import suspicions
from pytest_rankmetrics.policy.settings import UnjudgedPolicy
from sklearn_rank.engines.problem import engine_of
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import (
    InvalidParameterError,
    RankingDataWarning,
    UnknownItemsWarning,
)
from sklearn_rank.inputs.frames import as_tables
from sklearn_rank.inputs.layouts import layout_of
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.support.text import safe_repr

_PASSED_ON = (
    "groups",
    "candidates",
    "string_provider",
    "relevance",
    "sample_weight",
    "ties",
    "convention",
    "zero_division",
    "missing",
    "duplicates",
    "known_items",
    "assume",
)
"""Arguments of ``evaluate``; the others are the plugin's own."""

_STRICT = {"zero_division": "raise", "missing": "raise", "duplicates": "raise"}


def measure_strictly(
    y_true: Any,
    y_score: Any,
    measures: Sequence[Measure],
    reading: DataOptions,
    *,
    unjudged: UnjudgedPolicy = "irrelevant",
    keep_items: bool = False,
) -> StrictEvaluation:
    """Evaluate, and fail where something would have been left out.

    ``keep_items`` is for gates that need the ids of all items whatever comes out: a baseline.
    """
    refuse_unknown(reading, DataOptions)
    allow = _allowed(reading)
    unknown: Literal["ignore", "error"] = "ignore" if "unknown_items" in allow else "error"
    options = {**_STRICT, **{name: reading[name] for name in _PASSED_ON if name in reading}}  # type: ignore[literal-required]
    is_lazy = engine_of(y_true) is not None or engine_of(y_score) is not None
    if is_lazy:
        options["columns"] = reading.get("columns")
    else:
        y_true, y_score = as_tables(y_true, y_score, reading.get("columns"))
        refuse_empty(y_true, y_score)
        refuse_swapped(y_true, y_score, allow)
    keep_items = keep_items or unjudged == "condense"  # which reads deeper than any cutoff
    read = partial(_evaluate, y_true, y_score, measures, options, unknown)
    measured = StrictEvaluation(
        read(keep_items=keep_items or _needs_items(y_true, reading)),
        reading,
        measures,
        layout_of(y_true),
        unjudged,
        read_again=partial(read, keep_items=True),
    )
    if is_lazy:
        refuse_unjudged_of_engine(measured, allow)
    elif isinstance(y_true, Mapping):
        refuse_unjudged(y_true, y_score, allow)
    refuse_left_out(measured, allow)
    refuse_undefined(measured, allow)
    refuse_other_number(measured, reading)
    measured.warnings += suspicions(measured, allow)
    return measured


def _needs_items(y_true: Any, reading: DataOptions) -> bool:
    """Whether ids, and all places, are kept at once.

    A provider is called once for each item, so that there is no second reading; and of one ground
    truth it has to be known which queries share its items. Arrays have no ids, and may be changed
    before a report asks for places.
    """
    given = any(reading.get(name) is not None for name in ("string_provider", "relevance"))
    return given or isinstance(y_true, Set) or layout_of(y_true) in ("rows", "matrix")


def _evaluate(
    y_true: Any,
    y_score: Any,
    measures: Sequence[Measure],
    options: Mapping[str, Any],
    unknown: Literal["ignore", "error"],
    *,
    keep_items: bool,
) -> Evaluation:
    try:
        with _without_warnings(unknown):
            return evaluate(y_true, y_score, measures, keep_items=keep_items, **options)
    except UnknownItemsWarning as warning:
        refuse(str(warning), "unknown_items")


_filters = threading.Lock()
"""``catch_warnings`` replaces filters of the whole process, and gates may run in threads."""


_NO_FAILURE = "y_score holds -inf|lower scores seem better|every judged item"
"""Warnings of data that a gate measures as they are."""


@contextmanager
def _without_warnings(unknown: Literal["ignore", "error"]) -> Iterator[None]:
    """What the library warns of here, the gate either allows or fails for."""
    with _filters, warnings.catch_warnings():
        warnings.simplefilter("ignore", RankingDataWarning)
        warnings.filterwarnings("default", _NO_FAILURE, RankingDataWarning)
        warnings.simplefilter(unknown, UnknownItemsWarning)
        yield


def _allowed(reading: DataOptions) -> Collection[str]:
    allow = reading.get("allow", ())
    if isinstance(allow, str) or not isinstance(allow, Collection):
        msg = f"allow must be a collection of words, got {safe_repr(allow)}"
        raise InvalidParameterError(msg)
    known = get_args(Allowed)
    unknown = [word for word in allow if word not in known]
    if unknown:
        msg = f"allow has the unknown word {safe_repr(unknown[0])}; there are: {', '.join(known)}"
        raise InvalidParameterError(msg)
    return allow
