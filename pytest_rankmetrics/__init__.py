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

import re
from contextlib import suppress
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


_NOT_WORSE = "it is called 'assert_not_worse' here; rank_gate.check compares with a baseline"
_FIXTURE = "it is a fixture: name it as an argument of the test"
_NAMED_ELSEWHERE = {
    "assert_at_least": "use assert_metric(y_true, y_score, 'ndcg@10', at_least=...)",
    "assert_at_most": "use assert_metric(y_true, y_score, 'lag', at_most=...)",
    **dict.fromkeys(("assert_better", "assert_no_drop", "assert_not_regressed"), _NOT_WORSE),
    **dict.fromkeys(("assert_no_regression", "assert_no_regressions"), _NOT_WORSE),
    **dict.fromkeys(("rank_gate", "rank_regression"), _FIXTURE),
}
_AROUND_MEASURE = (
    r"^assert_|(?:_at_(?:k|\d+))?(?:_(?:at_least|at_most|above|below|over|greater|less)\w*)?$"
)
"""What names of assertions have before and after the name of a measure."""


def _called_here(name: str) -> str:
    """Hint on what an assertion is called here, or where the name is; "" if there is none."""
    import sklearn_rank
    from sklearn_rank.measures.grammar import measure
    from sklearn_rank.support.text import hint

    if name in sklearn_rank.__all__:
        return "; it is in sklearn_rank"
    if name not in _NAMED_ELSEWHERE and name.startswith("assert_"):
        with suppress(ValueError):
            metric = measure(re.sub(_AROUND_MEASURE, "", name)).metric
            side = "at_least" if metric.greater_is_better else "at_most"
            own = f"assert_{metric.name}_{side}"
            if own in _HOME_OF:
                return f"; it is called {own!r} here" + ", and takes k=" * metric.takes_k
            return f"; use assert_metric(y_true, y_score, {metric.name!r}, {side}=...)"
    return hint(name, _HOME_OF, _NAMED_ELSEWHERE)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        from sklearn_rank.support.insides import no_attribute

        raise no_attribute(__name__, name, _called_here)
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
