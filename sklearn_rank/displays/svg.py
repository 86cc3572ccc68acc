"""Figures as SVG for pages: no window, no clock, colours that follow the page."""

from __future__ import annotations

import io
import re
import warnings
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from sklearn_rank.displays.style import INK, plot_style
from sklearn_rank.support.text import safe_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_IDS = re.compile(r'(\bid="|xlink:href="#|url\(#)')
_HEAD = re.compile(r"<svg\b[^>]*?viewBox=\"([^\"]+)\"[^>]*>")
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)


def svg_of(figure: Figure, *, title: str = "", prefix: str = "") -> str:
    """A figure as one ``<svg>`` element to put into HTML.

    Text stays text, in the fonts of the page; what is drawn in the ink of the style takes the
    page's text colour, and the background is the page's, so that one picture serves light and dark.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Any figure; it need not belong to pyplot.
    title : str, default=""
        What the picture shows, for those who cannot see it.
    prefix : str, default=""
        Put before all ids, which must differ between the pictures of a page.

    Returns
    -------
    svg : str
        The same text for the same figure, on every day.
    """
    stream = io.StringIO()
    with plot_style(), warnings.catch_warnings():
        # The page has fonts of its own for what Matplotlib's lacks.
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    text = stream.getvalue()
    body = _METADATA.sub("", text[text.index("<svg") :])
    body = body.replace(INK, "currentColor")
    body = _IDS.sub(rf"\g<1>{prefix}", body)
    label = quoteattr(safe_text(title, limit=1_000))
    return _HEAD.sub(
        lambda head: (
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'role="img" aria-label={label} viewBox="{head[1]}" '
            'style="width:100%;height:auto">'
        ),
        body,
        count=1,
    )
