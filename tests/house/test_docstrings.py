"""Docstrings of the metric functions: valid, whole, and with links that lead somewhere."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from numpydoc.docscrape import FunctionDoc
from numpydoc.validate import validate

import pytest_rankmetrics
import sklearn_rank
from sklearn_rank.metrics import FUNCTIONS
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


@every_function
def test_every_parameter_has_one_entry(function: Callable[..., float]) -> None:
    entries = [
        name
        for parameter in FunctionDoc(function)["Parameters"]
        for name in parameter.name.split(", ")
    ]
    assert entries == list(inspect.signature(function).parameters)


def links_to_the_guide() -> set[str]:
    files = [path for package in PACKAGES for path in package.rglob("*.py")]
    return {link for path in files for link in GUIDE.findall(path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("link", sorted(links_to_the_guide()))
def test_links_of_docstrings_lead_to_headings(link: str) -> None:
    page, _, anchor = link.partition("#")
    assert (ROOT / page).is_file()
    assert not anchor or anchor in anchors(ROOT / page)
