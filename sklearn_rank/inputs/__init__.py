"""One producer of judged rankings per input layout, chosen by the type of `y_true`."""

from sklearn_rank.inputs.items import RelevanceInput

__all__ = ["RelevanceInput"]
