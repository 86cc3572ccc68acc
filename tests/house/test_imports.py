"""Importing the package costs nothing, and its names are still all there."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import sklearn_rank

SCRIPTS = {
    "the package": "import sklearn_rank; heavy |= {'numpy'}",
    "a metric": """
from sklearn_rank import evaluate, mean_average_precision_score
assert mean_average_precision_score([{'a'}], [['b', 'a']]) == 0.5
assert evaluate([{'a'}], [['b', 'a']], 'mrr')['mrr'] == 0.5
""",
    "an assertion, where there is no pytest": """
sys.modules['pytest'] = None
from pytest_rankmetrics import RankGateFailure, assert_mrr_at_least, assert_not_worse
assert_mrr_at_least([{'a'}], [['b', 'a']], 0.5)
try:
    assert_mrr_at_least([{'a'}], [['b', 'a']], 0.9)
except RankGateFailure:
    pass
else:
    raise AssertionError
""",
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_nothing_heavy_is_imported(script: str) -> None:
    heavy = {"sklearn", "scipy", "pandas", "polars", "narwhals", "multiprocessing"}
    start = f"import sys; heavy = {heavy}\n"
    code = f"{start}{script}\nassert not heavy & {{*sys.modules}}, heavy & {{*sys.modules}}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_type_checkers_see_every_public_name() -> None:
    """The names under TYPE_CHECKING are those that are imported lazily."""
    tree = ast.parse(Path(sklearn_rank.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
        for name in (import_module(node.module).__all__ if alias.name == "*" else [alias.name])
    }
    lazy = {name: f"sklearn_rank.{module}" for name, module in sklearn_rank._HOME_OF.items()}
    assert seen == lazy


def test_the_undefined_metric_warning_is_scikit_learns() -> None:
    from sklearn.exceptions import UndefinedMetricWarning

    assert sklearn_rank.UndefinedMetricWarning is UndefinedMetricWarning
    with pytest.raises(AttributeError, match="no attribute 'Missing'"):
        sklearn_rank.exceptions.Missing  # noqa: B018
