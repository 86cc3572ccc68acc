"""Early stopping of XGBoost: which way is better, and measures that watch a training from outside.

XGBoost guesses from a metric's name whether greater is better, and takes what it does not know for
a loss: a training that is stopped by ``mrr`` keeps its worst tree without a word.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sklearn_rank.exceptions import RankingConfigError
from sklearn_rank.support.text import safe_repr

_KNOWN = ("auc", "pre", "map", "ndcg")
"""What XGBoost's ``EarlyStopping`` takes the names of metrics to begin with that are no losses."""


def _is_taken_for_gain(name: str) -> bool:
    return name != "mape" and name.startswith(_KNOWN)


def stops(callback: Any) -> bool:
    """Whether a callback is XGBoost's early stopping, or made of it."""
    return any(kind.__name__ == "EarlyStopping" for kind in type(callback).__mro__)


def refuse_wrong_direction(
    directions: Mapping[str, bool], callbacks: Iterable[Any] | None = None
) -> None:
    """RankingConfigError if early stopping by one of these metrics would look for the worst value.

    ``directions`` tells of each name whether greater is better; the last one is watched where
    nothing else is said. Without ``callbacks`` those of the training that is running are looked at.
    """
    if callbacks is None:
        callbacks = _running_callbacks()
    for callback in callbacks:
        if not stops(callback):
            continue
        name = getattr(callback, "metric_name", None) or list(directions)[-1]
        if name not in directions:
            continue
        told = callback.maximize
        if (_is_taken_for_gain(name) if told is None else told) != directions[name]:
            msg = (
                f"early stopping would keep the worst {safe_repr(name)}: pass "
                f"maximize={directions[name]} to xgboost.train or EarlyStopping"
            )
            raise RankingConfigError(msg)


def _running_callbacks() -> list[Any]:
    """Callbacks of the training that asks for a metric; nothing if a version calls otherwise.

    A metric is handed predictions and data alone. Who called it is told by the frames of
    ``CallbackContainer``.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_globals.get("__name__") == "xgboost.callback":
            container = frame.f_locals.get("self")
            callbacks = getattr(container, "callbacks", None)
            if callbacks is not None:
                return list(callbacks)
    return []


def watching_callbacks(
    metric: Callable[[Any, Any], list[tuple[str, float]]],
    sets: Sequence[Any],
    *,
    rounds: int | None,
    name: str,
    maximize: bool,
) -> tuple[Any, list[Any]]:
    """A callback that notes a metric of some evaluation sets, and those that stop by it.

    XGBRanker itself would call a metric once for each query. The sets are matrices of our own:
    XGBoost keeps what earlier trees predict for them. Notes come first and stopping last, so that
    callbacks of the caller miss no iteration; where a version calls them in any order, whoever
    comes first notes.
    """
    from xgboost.callback import EarlyStopping, TrainingCallback

    noted: set[int] = set()

    def note(model: Any, epoch: int, evals_log: Any) -> None:
        if epoch in noted:
            return
        noted.add(epoch)
        for number, data in enumerate(sets):
            values = evals_log.setdefault(f"validation_{number}", {})
            for name, value in metric(model.predict(data, output_margin=True), data):
                values.setdefault(name, []).append(value)

    class Watching(TrainingCallback):
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            note(model, epoch, evals_log)
            return False

    class Stopping(EarlyStopping):
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            note(model, epoch, evals_log)
            return bool(super().after_iteration(model, epoch, evals_log))

    stopping = [Stopping(rounds=rounds, metric_name=name, maximize=maximize)] if rounds else []
    return Watching(), stopping
