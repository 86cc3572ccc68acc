"""What the method ``report`` of comparisons opens."""

from __future__ import annotations

import os
from typing import Any

from sklearn_rank.comparison.result import Comparison
from sklearn_rank.report.comparison import report_of
from sklearn_rank.report.page import write_page
from sklearn_rank.support.disk import HTML_REPORT, check_target


def report_comparison(comparison: Comparison, path: str | os.PathLike[str], **options: Any) -> None:
    """Write the page of a comparison to a file."""
    check_target(path, HTML_REPORT)  # before the work is done
    write_page(report_of(comparison, **options), path)
