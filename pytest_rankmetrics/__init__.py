"""Quality gates for rankings in a pytest suite.

Assertions (``assert_map_at_least``), the fixtures ``rank_gate`` and ``rank_regression``, and the
options ``--rank-*``. Names are imported when they are first used, because pytest loads this package
in every run of an environment in which it is installed.

PYTEST_DONT_REWRITE: pytest marks every package of a distribution that has a pytest plugin for
assertion rewriting, and warns when such a package was imported before pytest started. Neither
package of this distribution fails by a bare ``assert``, so there is nothing to rewrite, and this
word switches the warning off.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_rankmetrics.assertions import *  # noqa: F403
    from pytest_rankmetrics.gate import *  # noqa: F403
    from sklearn_rank.gates.verdict import *  # noqa: F403

_AT_LEAST = (
    "auc",
    "dcg",
    "err",
    "fbeta",
    "gauc",
    "hit_rate",
    "hmean",
    "iprec",
    "lauc",
    "map",
    "mar",
    "mrr",
    "ndcg",
    "nerr",
    "precision",
    "recall",
    "rprec",
)
"""Metrics that have an assertion; for the others there is :func:`assert_metric`."""

_HOMES = {
    "pytest_rankmetrics.assertions": (
        "assert_lag_at_most",
        "assert_metric",
        "assert_not_worse",
        *(f"assert_{name}_at_least" for name in _AT_LEAST),
    ),
    "pytest_rankmetrics.gate": ("RankGate", "RankRegressionFixture", "expected_failure"),
    "sklearn_rank.gates.verdict": (
        "Finding",
        "GateResult",
        "MeasureResult",
        "RankGateFailure",
        "RankGateWarning",
        "State",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
