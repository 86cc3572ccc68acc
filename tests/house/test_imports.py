"""Importing the package costs nothing, and its names are still all there."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import sklearn_rank


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_loads_nothing_heavy() -> None:
    run(
        "import sklearn_rank, sys\n"
        "heavy = {'sklearn', 'scipy', 'pandas', 'polars', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )


def test_metric_functions_need_numpy_alone() -> None:
    run(
        "import sys\n"
        "from sklearn_rank import evaluate, mean_average_precision_score\n"
        "assert mean_average_precision_score([{'a'}], [['b', 'a']]) == 0.5\n"
        "assert evaluate([{'a'}], [['b', 'a']], 'mrr')['mrr'] == 0.5\n"
        "heavy = {'sklearn', 'scipy', 'pandas', 'narwhals'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )


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


def test_assertions_work_without_pytest():
    """`pip install .` brings no pytest, and `sklearn-rank demo` shows a gate."""
    script = (
        "import sys; sys.modules['pytest'] = None\n"
        "from pytest_rankmetrics import RankGateFailure, assert_mrr_at_least, assert_not_worse\n"
        "assert_mrr_at_least([{'a'}], [['b', 'a']], 0.5)\n"
        "try: assert_mrr_at_least([{'a'}], [['b', 'a']], 0.9)\n"
        "except RankGateFailure: print('failed')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("failed\n", 0), done.stderr
