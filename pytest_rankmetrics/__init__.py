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

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_rankmetrics.assertions import *  # noqa: F403
    from pytest_rankmetrics.assessment.result import GateResult as GateResult
    from pytest_rankmetrics.assessment.result import MetricResult as MetricResult
    from pytest_rankmetrics.failures import RankGateFailure as RankGateFailure
    from pytest_rankmetrics.failures import RankGateWarning as RankGateWarning
    from pytest_rankmetrics.gates.expected import expected_failure as expected_failure
    from pytest_rankmetrics.gates.gate import RankGate as RankGate
    from pytest_rankmetrics.gates.gate import RankRegressionFixture as RankRegressionFixture
    from pytest_rankmetrics.policy.verdicts import Verdict as Verdict

# To rewrite them pytest compiles all modules anew, in a new environment at a cost of half a second.
# It has no public way out; without this private one everything works, and starts slower.
for _finder in sys.meta_path:
    getattr(_finder, "_must_rewrite", set()).difference_update({__name__, "sklearn_rank"})

_AT_LEAST = (
    *("auc", "dcg", "err", "fbeta", "gauc", "hit_rate", "hmean", "iprec", "lauc", "map", "mar"),
    *("mrr", "ndcg", "nerr", "precision", "recall", "rprec"),
)
"""Metrics with an assertion of their own; the others have :func:`assert_metric`."""

_HOMES = {
    "assertions": (
        "assert_metric",
        "assert_not_worse",
        "assert_same_metric",
        "assert_lag_at_most",
        *(f"assert_{name}_at_least" for name in _AT_LEAST),
    ),
    "failures": ("RankGateFailure", "RankGateWarning"),
    "gates.expected": ("expected_failure",),
    "gates.gate": ("RankGate", "RankRegressionFixture"),
    "policy.verdicts": ("Verdict",),
    "assessment.result": ("GateResult", "MetricResult"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
