"""Pictures of rankings, in the manner of scikit-learn's displays.

Matplotlib is imported when something is drawn. Imports `model_selection`.
"""

from sklearn_rank.displays.base import plot_style, svg_of

__all__ = ["plot_style", "svg_of"]
