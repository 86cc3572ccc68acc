"""Write into the docstrings of the metric functions what all of them share.

Each shared fragment has its home in SHARED; a docstring repeats it in one line and names the guide
page that says the rest. ``docs/_generate.py`` calls this, and a test compares the modules with it.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from sklearn_rank.rankings.ties import TIE_RULES

_TIES = ", ".join(f'"{name}"' for name in TIE_RULES)

SHARED = {
    "y_true, y_score": (
        "arrays of shape (n_samples,) or (n_queries, n_items), or other layouts",
        "Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.",
    ),
    "groups": (
        "array-like of shape (n_samples,), default=None",
        "Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.",
    ),
    "k": (
        "int, default=None",
        "Cutoff, in ranks; None reads the whole ranking.",
    ),
    "gain": (
        '{"exp2", "linear", "binary"}, mapping or callable, default="exp2"',
        "2^grade - 1, the grade, 1, a table, or a function: docs/metrics.md#gains-and-discounts.",
    ),
    "discount": (
        '{"log2"} or callable, default="log2"',
        "Divisor of a gain, log2(rank + 1) or a function: docs/metrics.md#gains-and-discounts.",
    ),
    "max_grade": (
        '{"query"} or float, default="query"',
        "The query's highest grade, or a number, without which queries do not compare.",
    ),
    "unretrieved": (
        '{"last", "ignore"}, default="last"',
        "A relevant item that its ranking lacks stands below everything, or does not count.",
    ),
    "n_negatives": (
        "int, sequence of shape (n_queries,) or mapping, default=None",
        "Irrelevant items of each query; None counts its ranking's: docs/inputs.md#weights.",
    ),
    "smoothing": (
        "float, default=0.0",
        "Added to the irrelevant items below a relevant one, and to all of them; at least 0.",
    ),
    "min_rel": (
        "float, default=None",
        "Lowest grade that counts as relevant; None takes every grade above 0.",
    ),
    "ties": (
        f'{{{_TIES}}}, default="average"',
        "Order of equally scored items; by default the exact expectation: docs/inputs.md#ties.",
    ),
    "zero_division": (
        '{"warn", "raise"} or {nan, 0.0, 1.0}, default="warn"',
        "How to treat queries where the measure is undefined: docs/inputs.md#undefined-queries.",
    ),
    "sample_weight": (
        "array-like of shape (n_queries,) or (n_samples,), or mapping, default=None",
        "Weight of each query: docs/inputs.md#weights.",
    ),
    "string_provider": (
        "callable, default=None",
        "Turns items of lists into the strings to compare: docs/inputs.md#string-provider.",
    ),
    "relevance": (
        "sequence of sequences, mapping or RelevanceInput, default=None",
        "Scores of the items of ranked lists: docs/inputs.md#relevance.",
    ),
}
"""Type and meaning of each parameter that several metrics take."""

RAISES = """\
    ValueError, TypeError
        If the data are refused: docs/inputs.md#errors.
    InvalidParameterError
        If a parameter has a value that its rule does not allow."""

_RAISED = re.compile(
    r"(    Raises\n    ------\n).*?    InvalidParameterError\n.*?allow\.((?:\n    .*)*)", re.DOTALL
)
"""What a docstring says of errors: the shared part, and after it the metric's own."""

_ENTRY = re.compile(r"^    (\w[\w, ]*) : .*$", re.MULTILINE)


def with_shared(path: Path) -> str:
    """Text of a module of metric functions, with what they share written anew."""
    text = path.read_text(encoding="utf-8")
    before = text
    for node in ast.parse(before).body:
        if isinstance(node, ast.FunctionDef):
            old = ast.get_source_segment(before, node.body[0]) or ""
            arguments = [item.arg for item in (*node.args.args, *node.args.kwonlyargs)]
            text = text.replace(old, _rewritten(old, arguments))
    return text


def entries(doc: str) -> dict[str, str]:
    """Parameters of a docstring as it stands in its module, with their lines."""
    _, parameters, _ = _cut(doc)
    starts = [*_ENTRY.finditer(parameters)]
    ends = [*(match.start() for match in starts[1:]), len(parameters)]
    return {
        match[1]: parameters[match.start() : end].rstrip()
        for match, end in zip(starts, ends, strict=True)
    }


def _rewritten(doc: str, arguments: list[str]) -> str:
    before, _, after = _cut(doc)
    own = entries(doc)
    names = ["y_true, y_score", *arguments[2:]]
    lines = [_shared(name) if name in SHARED else own.get(name, _missing(name)) for name in names]
    after = _RAISED.sub(lambda raised: raised[1] + RAISES + raised[2], after)
    return before + "\n".join(lines) + after


def _shared(name: str) -> str:
    kind, meaning = SHARED[name]
    return f"    {name} : {kind}\n        {meaning}"


def _missing(name: str) -> str:
    return f"    {name} : say what it is\n        And what it means."


def _cut(doc: str) -> tuple[str, str, str]:
    """A docstring before, within and after its list of parameters."""
    head = "    Parameters\n    ----------\n"
    start = doc.index(head) + len(head)
    end = doc.index("\n\n    Returns\n", start)
    return doc[:start], doc[start:end], doc[end:]
