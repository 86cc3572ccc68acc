"""Pictures of a comparison, where Matplotlib is there to draw them."""

from __future__ import annotations

from importlib.util import find_spec

from sklearn_rank.comparison.result import Comparison
from sklearn_rank.report.content import Picture

MOST_DRAWN = 3
"""Systems that have a picture of their own; a report is to be read."""
NO_PICTURES = "Pictures need Matplotlib, which is not installed."


def pictures_of(comparison: Comparison, measure: str) -> tuple[Picture, ...]:
    """Mean differences with intervals, and differences per query; none without Matplotlib."""
    if find_spec("matplotlib") is None or not measure:
        return ()
    from sklearn_rank.displays.forest import ForestDisplay
    from sklearn_rank.displays.queries import QueryDifferencesDisplay

    baseline = comparison.baseline
    interval = f"{100 * comparison.level:g} % intervals"
    forest = ForestDisplay.from_comparison(comparison, measure)
    said = f"Mean difference in {measure} from {baseline}, with {interval}"
    pictures = [Picture(forest.to_svg(title=said, prefix="forest-"), said)]
    for place, system in enumerate(comparison.others[:MOST_DRAWN]):
        each = QueryDifferencesDisplay.from_comparison(comparison, measure, system=system)
        said = f"{measure} of {system} minus that of {baseline}, query by query, sorted"
        pictures.append(Picture(each.to_svg(title=said, prefix=f"queries-{place}-"), said))
    return tuple(pictures)
