"""``sklearn-rank report``: runs compared in one HTML file, every query to look into."""

from __future__ import annotations

import argparse

from sklearn_rank.cli.compare import add_comparing, compare_files
from sklearn_rank.cli.terminal import shown
from sklearn_rank.support.runtime import waiting


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "report",
        help="compare runs in an HTML file with every query",
        description="Compare runs with the first one in one HTML file, which needs no network: "
        "tables, pictures (with Matplotlib), and all queries with their items, to search and "
        "unfold. Options are those of compare.",
    )
    add = parser.add_argument
    add("-o", "--output", default="report.html", metavar="FILE", help="default: report.html")
    add("--title", metavar="TEXT", help="of the page")
    add("--explain", metavar="M", help="measure whose changes are told by item (the first)")
    labels = "CSV or JSON lines with query and {0}, or JSON {{query: {0}}}"
    add("--slices", metavar="FILE", help=f"labels of queries: {labels.format('label')}")
    add("--query-text", metavar="FILE", help=f"what queries ask: {labels.format('text')}")
    add_comparing(parser)
    parser.set_defaults(run=run, per_query=False, format="html")


def run(arguments: argparse.Namespace) -> int:
    """Compare, and write the page."""
    from sklearn_rank.cli.reading import read_labels
    from sklearn_rank.support.disk import HTML_REPORT, check_target

    inputs = (arguments.qrels, arguments.baseline, *arguments.runs)
    inputs += (arguments.slices, arguments.query_text)
    check_target(arguments.output, HTML_REPORT, inputs)
    labels = None if arguments.slices is None else read_labels(arguments.slices)
    texts = None
    if arguments.query_text is not None:
        texts = read_labels(arguments.query_text, "--query-text", "text")
    comparison = compare_files(arguments, keep_items=True)
    with waiting(f"writing {arguments.output}"):
        comparison.report(
            arguments.output,
            title=arguments.title,
            measure=arguments.explain,
            slices=None if labels is None else labels.get,
            query_text=texts,
        )
    n = comparison.counts["queries"]
    counted = f"{len(comparison.names)} systems, {n:,} {'query' if n == 1 else 'queries'}"
    print(f"{shown(arguments.output)}: {counted}")
    return 0
