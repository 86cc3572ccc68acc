"""What every ``run_*.py`` shares: problems in on standard input, values out on standard output.

Runs in the environments of the programs: standard library only, and no import of this package.
"""

import contextlib
import json
import math
import sys
from importlib.metadata import version


def cutoff(measure):
    """Cutoff of a measure such as ``"ndcg@5"``; None where it has none."""
    _, at, digits = measure.partition("@")
    return int(digits) if at else None


def ranking(query):
    """Items of a query, best first; ties in the order in which they came."""
    return [item for item, _ in sorted(query["run"] or [], key=lambda pair: -pair[1])]


def labels(query):
    """Grades of the ranked items in the order in which they came."""
    return [max(query["judged"].get(item, 0), 0) for item, _ in query["run"] or []]


def scores(query):
    """Their scores."""
    return [score for _, score in query["run"] or []]


def relevant(query):
    """Relevant items and their grades."""
    return {item: grade for item, grade in query["judged"].items() if grade > 0}


def has(problem, *tags):
    """Whether a problem has one of some tags."""
    return any(tag in problem["tags"] for tag in tags)


def serve(program, package, solve):
    """Answer problems: ``solve(problem)`` gives {measure: (value of each query, mean)}.

    A query's value is None where the program leaves the query out; a mean is None where the program
    has none. Whatever a program raises is recorded by its type.
    """
    answers = {}
    for problem in json.load(sys.stdin):
        with contextlib.redirect_stdout(sys.stderr):
            answer = solve(problem)
        if answer:
            answers[problem["name"]] = {
                measure: [[_plain(value) for value in values], _plain(mean)]
                for measure, (values, mean) in answer.items()
            }
    json.dump({"program": program, "version": version(package), "values": answers}, sys.stdout)


def alone_and_together(function, queries):
    """What a function makes of each query alone, and of all of them."""
    return [attempt(function, [query]) for query in queries], attempt(function, queries)


def attempt(function, *args, **options):
    """A value, or the name of the exception in its place."""
    try:
        return function(*args, **options)
    except Exception as error:
        return type(error).__name__


def _plain(value):
    if value is None or isinstance(value, str):
        return value
    value = float(value)
    return "nan" if math.isnan(value) else round(value, 12)
