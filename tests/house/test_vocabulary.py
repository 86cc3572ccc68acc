"""One word for one thing: names of the API, columns, options and headings use the listed words."""

import argparse
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields

import pytest

import pytest_rankmetrics
import sklearn_rank
import sklearn_rank.evaluation
import sklearn_rank.inputs
import sklearn_rank.measures
from pytest_rankmetrics.options import INI, OPTION_TABLE
from sklearn_rank.cli.gate import _KEYS
from sklearn_rank.cli.options import build_parser
from sklearn_rank.comparison.differences import Change
from sklearn_rank.gates.verdict import GateResult, MeasureResult
from tests.house.test_docs import LINK, PAGES, prose

INSTEAD = {
    "place": "rank (1, 2, 3), position (0, 1, 2) or row",
    "own": "what it is",
    "kept": "what it is",
    "known": "what it is",
    "told": "what it is",
    "beside": "what it is",
    "metrics": "measures: metrics with a cutoff and parameters",
    "level": "min_rel for grades, confidence_level for intervals",
    "old": "baseline",
    "previous": "baseline",
    "before": "baseline",
    "reference": "baseline",
    "now": "new",
    "after": "new",
    "delta": "change; contribution, of an item",
    "difference": "change",
    "move": "change; contribution, of an item",
    "confidence": "confidence_level",
    "missed": "unretrieved (relevant, not ranked) or missing (no ranking)",
    "unlabelled": "unjudged",
    "unrated": "unjudged",
}
"""Words that are no name of data, and the word of the documentation for it."""
ALLOWED = {
    "METRICS": "the records of all metrics, without cutoffs",
    "confidence_level": "the word itself",
    "confidence_interval": "the field's word",
    "reference": "of a metric: the publication",
    "Reference of gates": "the page of reference",
    "differences": "of a convention: on which data a program counts otherwise",
    "Differences from data in memory": "of Spark: what it does otherwise",
}


def members(made: type) -> Iterator[tuple[str, object]]:
    """Public attributes that a class has from this package, not from Python or scikit-learn."""
    for base in made.__mro__:
        if base.__module__.startswith(("sklearn_rank", "pytest_rankmetrics")):
            yield from ((name, it) for name, it in vars(base).items() if not name.startswith("_"))


def parameters(function: object) -> list[str]:
    return [*inspect.signature(function).parameters] if inspect.isfunction(function) else []


def api() -> Iterator[str]:
    """Public names, attributes, fields and parameters."""
    for module in (
        sklearn_rank,
        pytest_rankmetrics,
        sklearn_rank.evaluation,
        sklearn_rank.inputs,
        sklearn_rank.measures,
    ):
        for name in module.__all__:
            public = getattr(module, name)
            yield name
            yield from parameters(public)
            for attribute, it in members(public) if inspect.isclass(public) else ():
                it = getattr(it, "__func__", it)
                yield from (attribute, *parameters(it))
            if inspect.isclass(public):
                yield from getattr(public, "__annotations__", ())


def options() -> Iterator[str]:
    """Options of the command and of pytest, keys of the ini file and of rank.toml."""
    (commands,) = (
        action
        for action in build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    for command in commands.choices.values():
        for action in command._actions:
            yield from (*action.option_strings, str(action.metavar or action.dest))
    yield from (*OPTION_TABLE, *(row[0] for row in INI), *_KEYS)


def columns() -> Iterator[str]:
    """Columns of data frames, and keys of the JSON of a gate."""
    yield from (field.name for field in fields(Change))
    yield from (own.name for made in (GateResult, MeasureResult) for own in fields(made))


def headings() -> Iterator[str]:
    """Headings of pages, and of the columns of their tables."""
    for page in PAGES:
        text = LINK.sub("]", prose(page))
        yield from re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        yield from re.findall(r"^(\|.+)\n\| ---", text, re.MULTILINE)


@pytest.mark.parametrize("names", [api, options, columns, headings])
def test_names_are_those_of_the_vocabulary(names):
    listed = {*names()} - {*ALLOWED}
    assert len(listed) > 20
    # A page on all metrics may say so.
    instead = {word: INSTEAD[word] for word in INSTEAD if (names, word) != (headings, "metrics")}
    wrong = {}
    for name in listed:
        words = re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower())
        singular = {word.removesuffix("s") for word in words}
        if found := {*words, *singular} & {*instead}:
            wrong[name] = [instead[word] for word in found]
    assert wrong == {}
