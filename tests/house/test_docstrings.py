"""Docstrings of the metric functions: valid, whole, and with links that lead somewhere."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest
from numpydoc.validate import validate

import pytest_rankmetrics
import sklearn_rank
from sklearn_rank import CONVENTIONS, evaluate
from sklearn_rank.metrics import FUNCTIONS
from sklearn_rank.rankings.ranking import TIE_RULES
from sklearn_rank.typing import Ties
from tests.house.test_docs import ROOT, anchors

PACKAGES = [Path(package.__file__ or "").parent for package in (sklearn_rank, pytest_rankmetrics)]
GUIDE = re.compile(r"\bdocs/\w+\.md(?:#[\w-]+)?")
# RT02: the value is named, as in scikit-learn. SA01: there is no "See Also", the guide has it all.
ALLOWED = {"RT02", "SA01"}

every_function = pytest.mark.parametrize(
    "function", FUNCTIONS.values(), ids=lambda function: function.__name__
)


@every_function
def test_numpydoc_finds_no_fault(function: Callable[..., float]) -> None:
    faults = validate(f"sklearn_rank.{function.__name__}")["errors"]
    assert [fault for fault in faults if fault[0] not in ALLOWED] == []


def test_titles_of_sections_stand_alone() -> None:
    """A title wrapped into a paragraph hides its section from numpydoc and from readers."""
    joined = re.compile(r"^ *(Parameters|Returns|Raises|Attributes)\b.*---|^ +\w+Error If ", re.M)
    for path in (path for package in PACKAGES for path in package.rglob("*.py")):
        assert not joined.search(path.read_text(encoding="utf-8")), path


def test_ties_has_the_same_rules_in_types_presets_and_docstrings() -> None:
    assert get_args(Ties) == tuple(TIE_RULES)
    assert {preset.ties for preset in CONVENTIONS.values()} <= TIE_RULES.keys()
    for function in (evaluate, *FUNCTIONS.values()):
        listed = re.search(r"\bties : \{(.*?)\}", inspect.getdoc(function) or "", re.DOTALL)
        if listed is not None:
            assert re.findall(r'"(\w+)"', listed[1]) == list(TIE_RULES)


def links_to_the_guide() -> set[str]:
    files = [path for package in PACKAGES for path in package.rglob("*.py")]
    return {link for path in files for link in GUIDE.findall(path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("link", sorted(links_to_the_guide()))
def test_links_of_docstrings_lead_to_headings(link: str) -> None:
    page, _, anchor = link.partition("#")
    assert (ROOT / page).is_file()
    assert not anchor or anchor in anchors(ROOT / page)


PUBLIC = [
    (package, name)
    for package in (sklearn_rank, pytest_rankmetrics)
    for name in package.__all__
    if inspect.isfunction(getattr(package, name))
]


@pytest.mark.parametrize(("package", "name"), PUBLIC, ids=[name for _, name in PUBLIC])
def test_every_keyword_of_a_function_is_documented(package: ModuleType, name: str) -> None:
    """A metric's assertion has the entries of the metric's function, which its docstring names."""
    function = getattr(package, name)
    doc = inspect.getdoc(function) or ""
    scored = re.search(r"Its parameters are those of\s+:func:`sklearn_rank\.(\w+)`", doc)
    if scored is not None:
        doc += inspect.getdoc(getattr(sklearn_rank, scored[1])) or ""
    entries = re.findall(r"^((?:\*{0,2}\w+, )*\*{0,2}\w+)(?: : .*)?$", doc, re.MULTILINE)
    documented = {item.lstrip("*") for entry in entries for item in entry.split(", ")}
    parameters = inspect.signature(function).parameters.items()
    keywords = {one for one, parameter in parameters if parameter.kind != parameter.VAR_POSITIONAL}
    keywords -= {"y_true", "y_score"}
    assert keywords - documented - ({"threshold", "reading"} if scored else set()) == set()
