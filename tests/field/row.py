"""What a row of the table is: data that somebody has, and what is right for them.

A row says where the need is known from, as ``repository#number`` of a public report or as the name
of a form. ``want`` is the value with its arithmetic, or what is said instead of it or beside it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sklearn_rank.exceptions import RankingDataWarning


@dataclass(frozen=True)
class Refused:
    """An error of these classes, with words that lead on (a regular expression)."""

    words: str
    error: Any = (TypeError, ValueError)


@dataclass(frozen=True)
class Warned:
    """The value, and a warning; a gate is red or shows the warning."""

    value: float
    words: str
    kind: type[Warning] = RankingDataWarning


@dataclass(frozen=True)
class Printed:
    """The value, and words beside it where an evaluation is printed; None: words of a command."""

    value: float | None
    words: str


class Made:
    """Data that are made anew for each door, since a door may use them up."""

    def __init__(self, make: Callable[..., Any], *given: Any) -> None:
        self.make, self.given = make, given


def made(value: Any) -> Any:
    return value.make(*value.given) if isinstance(value, Made) else value


@dataclass(frozen=True)
class Row:
    """Data in Python, which go through all doors that take their form.

    ``without`` says why a door is left out, where that does not follow from the form; "files" are
    all formats and the command.
    """

    source: str
    truth: Any
    ranking: Any
    measure: str
    want: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    without: Mapping[str, str] = field(default_factory=dict)

    def fresh(self) -> "Row":
        options = {name: made(value) for name, value in self.options.items()}
        return replace(self, truth=made(self.truth), ranking=made(self.ranking), options=options)


@dataclass(frozen=True)
class Files:
    """Contents of a file of judgements and of one with a run.

    ``form`` is the suffix of both, or of each; ``qrels_options`` and ``run_options`` are those of
    ``read_qrels`` and ``read_run``.
    """

    source: str
    qrels: Any
    run: Any
    measure: str
    want: Any
    form: str = "json"
    qrels_options: Mapping[str, Any] = field(default_factory=dict)
    run_options: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Call:
    """What is no pair of judgements and rankings: its doors, each a function."""

    source: str
    doors: Mapping[str, Callable[[], Any]]
    want: Any


def queries_of(text: str, kind: type) -> dict[str, Any]:
    """Queries between bars: "a b | c=2" are the items of q0, and the number of an item of q1."""
    table = {}
    for n, part in enumerate(text.split("|")):
        items = dict(word.split("=") for word in part.split() if "=" in word)
        numbers = {item: float(x) if "." in x else int(x) for item, x in items.items()}
        table[f"q{n}"] = numbers or kind(part.split())
    return table


def matrix(text: str) -> np.ndarray:
    """A matrix whose rows stand between bars."""
    kind = float if "." in text else int
    return np.array([[kind(word) for word in row.split()] for row in text.split("|")])


BY_POSITION = {"scorer": "lists are joined by position, not by ids"}


class Table(list[Any]):
    """The rows of a family."""

    def row(self, *values: Any, **options: Any) -> None:
        self.append(Row(*values, **options))

    def files(self, *values: Any, **options: Any) -> None:
        self.append(Files(*values, **options))

    def call(self, *values: Any) -> None:
        self.append(Call(*values))

    def case(self, source: str, truth: str, ranking: str, *rest: Any, **options: Any) -> None:
        """A row of short ids: sets or {item: grade}, and lists or {item: score}."""
        self.append(Row(source, queries_of(truth, set), queries_of(ranking, list), *rest, options))
