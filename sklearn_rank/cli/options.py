"""The commands and their options. Imports nothing heavy, so that ``--help`` costs little."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from sklearn_rank import __version__
from sklearn_rank.support.text import closest, safe_text

EVALUATED = ("map", "ndcg@10", "mrr", "precision@10", "recall@100")
"""Measures of ``evaluate`` that nobody named."""
COMPARED = ("map", "ndcg@10", "mrr")
"""Measures of ``compare`` and ``report`` that nobody named."""
_LABELS = "CSV or JSON lines with query and {0}, or JSON {{query: {0}}}"
_IDENTICAL = "leave out of a ranking the item with the id of its query, as BEIR does"
_ASSUME = "whether items that QRELS does not name are judged (default: not if it holds a 0)"

# Values -----------------------------------------------------------------------------------------


def _number(text: str, is_right: Callable[[float], bool], what: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not is_right(number):
        msg = f"must be {what}, got {text[:80]!r}"
        raise argparse.ArgumentTypeError(msg)
    return number


_share = partial(_number, is_right=lambda x: 0 < x < 1, what="a number between 0 and 1")
_grade = partial(_number, is_right=lambda x: 0 < x < math.inf, what="a finite number above 0")


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) < 1:
        msg = f"must be a whole number of at least 1, got {text[:80]!r}"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def _whole(text: str) -> int:
    return 0 if text == "0" else _positive(text)


def _limit(text: str) -> tuple[str | None, float | str]:
    """A measure and a number, perhaps with a %; a number alone is for all measures."""
    measure, _, number = text.rpartition("=")
    try:
        value = float(number.removesuffix("%"))
        return measure or None, number if number.endswith("%") else value
    except ValueError:
        msg = f"must be MEASURE=NUMBER, got {text!r}"
        raise argparse.ArgumentTypeError(msg) from None


def _spellings(text: str) -> list[str]:
    """Measures that are joined by commas, which also stand in parameters and between cutoffs."""
    found: list[str] = []
    for part in text.split(","):
        before = found[-1] if found else ""
        if before.count("(") > before.count(")") or (before and re.fullmatch(r"[\d. -]+", part)):
            found[-1] += f",{part}"
        else:
            found.append(part.strip())
    return found


def _weight(text: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    if not name:
        msg = f"must be NAME=NUMBER, got {text[:80]!r}"
        raise argparse.ArgumentTypeError(msg)
    return name, _number(number, lambda x: 0 <= x < math.inf, "a finite number of at least 0")


def _named_file(text: str) -> tuple[str, str]:
    name, _, path = text.partition("=")
    if not (name and path):
        msg = f"must be NAME=FILE, got {text[:80]!r}"
        raise argparse.ArgumentTypeError(msg)
    return name, path


def _column(text: str, roles: tuple[str, ...]) -> tuple[str, str | None]:
    role, equals, name = text.partition("=")
    if not equals:
        msg = f"must be ROLE=NAME, or ROLE= for none, got {text[:80]!r}"
        raise argparse.ArgumentTypeError(msg)
    if role not in roles:
        msg = f"has the roles {', '.join(roles)}, got {role[:80]!r}"
        raise argparse.ArgumentTypeError(msg)
    return role, name or None


# Options of several commands --------------------------------------------------------------------


def _add_reading(parser: argparse.ArgumentParser) -> None:
    """Columns whose names are not recognised, and limits."""
    add = parser.add_argument_group("how files are read").add_argument
    sides = {
        "qrels": ("query", "item", "grade"),
        "run": ("query", "item", "score", "distance", "rank"),
    }
    for side, roles in sides.items():
        add(
            f"--{side}-column",
            action="append",
            default=[],
            metavar="ROLE=NAME",
            type=partial(_column, roles=roles),
            help=f"column of {', '.join(roles[:-1])} or {roles[-1]} in {side} if its name is not "
            "recognised; ROLE= alone: no column has it",
        )
    text = "grade of a text where grades are text, as E=3; repeat it for more"
    given: dict[str, Any] = {"action": "append", "default": [], "type": _weight}
    ids = "queries of an _msearch RUN: its requests, or ids in order, one a line or JSON lines"
    add("--queries", metavar="FILE", help=ids)
    add("--grade", dest="grade_of", metavar="TEXT=X", help=text, **given)
    limit = "bytes to which a compressed file may grow (default: 2 GiB)"
    add("--max-bytes", type=_positive, metavar="N", help=limit)


def _add_measuring(parser: argparse.ArgumentParser, default: str) -> None:
    """Options of measures and relevance."""
    add = parser.add_argument
    spelling = f"as ndcg@10,map or ndcg@5,10 or P_10; repeat it for more ({default})"
    several: dict[str, Any] = {"action": "extend", "type": _spellings, "default": []}
    add("-m", "--measure", metavar="M", dest="measures", help=spelling, **several)
    add("--convention", default="default", metavar="NAME", help="reproduce this program's numbers")
    complete = "count judged queries without a ranking as 0, whatever the convention"
    add("-c", "--complete", action="store_true", help=complete)
    add("-l", "--min-rel", type=_positive, metavar="N", help="lowest grade that is relevant")
    add("-M", "--depth", type=_positive, metavar="N", help="read this many items of a ranking")
    judged = "leave out the items that nobody judged for their query"
    add("-J", "--judged-only", action="store_true", help=judged)
    add("--ignore-identical-ids", action="store_true", help=_IDENTICAL)
    groups = (
        "groups of related queries, such as one user's; intervals and tests treat a group as a unit"
    )
    add("--clusters", metavar="FILE", help=groups)


# The commands -----------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """Suggests the command or option that a mistyped one is close to."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        parsed, rest = super().parse_known_args(args, namespace)
        unknown = [word.partition("=")[0] for word in rest if word.startswith("-")]
        if rest:
            hint = closest(unknown[0], self._option_string_actions) if unknown else ""
            self.error(f"unrecognized arguments: {' '.join(rest)}{hint}")
        return parsed, rest

    def error(self, message: str) -> NoReturn:
        choice = re.search(r"invalid choice: '(.+)' \(choose from (.+)\)$", message)
        if choice:
            message += closest(choice[1], re.split(r"[', ]+", choice[2]))
        super().error(safe_text(message, limit=None))


_REPEATS = "; repeated runs of one system joined by commas (new-1.run,new-2.run)"


def build_parser() -> argparse.ArgumentParser:
    """The parser of the command; ``run`` of the result is a module and a function."""
    parser = _Parser(
        prog="sklearn-rank",
        description="Ranking metrics for search engines and recommenders, from files.",
        epilog="Exit code 0: done; 1: a gate failed; 2: something could not be measured.",
    )
    parser.add_argument("--version", action="version", version=f"sklearn-rank {__version__}")
    commands: Any = parser.add_subparsers(
        title="commands", metavar="command", required=True, dest="command"
    )
    for add in (_evaluate, _compare, _report, _gate, _judge_next, _small):
        add(commands)
    return parser


def _evaluate(commands: Any) -> None:
    parser = commands.add_parser(
        "evaluate",
        help="measure runs against judgements",
        description="Measure one or several runs against judgements. Files are TREC, CSV, TSV, "
        "JSON, JSON Lines, Parquet or Arrow, perhaps compressed; '-' reads standard input.",
    )
    add = parser.add_argument
    add("qrels", metavar="QRELS", help="relevance judgements")
    add("runs", metavar="RUN", nargs="+", help=f"rankings of a system{_REPEATS}")
    add("-q", "--per-query", action="store_true", help="also print values per query")
    forms = ("table", "trec", "json", "csv", "markdown", "latex")
    add("--format", choices=forms, default="table", help="of the output (default: table)")
    labels = f"labels of queries ({_LABELS.format('label')}): the measures of each label, too"
    add("--slices", metavar="FILE", help=labels)
    _add_measuring(parser, f"default: {', '.join(EVALUATED)}")
    _add_reading(parser)
    parser.set_defaults(run=("evaluate", "run"))


def _compare(commands: Any) -> None:
    parser = commands.add_parser(
        "compare",
        help="compare runs with the first one, query by query",
        description="Compare runs with the first one (or, with --all-pairs, each with each): "
        "changes with intervals, effect sizes, and p-values corrected for their number. "
        "Takes the same files as evaluate.",
    )
    add = parser.add_argument
    forms = ("text", "markdown", "latex", "csv", "json")
    add("--format", choices=forms, default="text", help="of the output (default: text)")
    rows = "one row per system or per difference (default: differences in CSV, else systems)"
    add("--rows", choices=("systems", "differences"), help=rows)
    changed = "for each run, list the N queries that changed most in the first measure, and why"
    add("--changed", type=_whole, default=0, metavar="N", help=changed)
    _add_comparing(parser)
    parser.set_defaults(run=("compare", "run"))


def _report(commands: Any) -> None:
    parser = commands.add_parser(
        "report",
        help="write an HTML file: one run, or runs compared with the first",
        description="Write one HTML file, which needs no network: the verdict, slices by measures "
        "and every query with its results, old and new side by side; of a single run the worst "
        "queries. Options are those of compare.",
    )
    add = parser.add_argument
    add("-o", "--output", default="report.html", metavar="FILE", help="default: report.html")
    add("--title", metavar="TEXT", help="line above the verdict")
    add("--explain", metavar="M", help="measure that sorts queries (default: that of the verdict)")
    add("--slices", metavar="FILE", help=f"labels of queries: {_LABELS.format('label')}")
    _add_comparing(parser, "*")
    parser.set_defaults(run=("compare", "run_report"), format="html")


def _add_comparing(parser: argparse.ArgumentParser, others: str = "+") -> None:
    add = parser.add_argument
    add("qrels", metavar="QRELS", help="relevance judgements")
    old, new = ("OLD", "NEW") if others == "+" else ("RUN", "NEW")
    add("baseline", metavar=old, help="rankings of the system that others are compared with")
    add("runs", metavar=new, nargs=others, help=f"rankings of another system{_REPEATS}")
    add("--all-pairs", action="store_true", help="compare each run with each")
    add(
        "--alpha", type=_share, default=0.05, metavar="P", help="significance level (default: 0.05)"
    )
    same = "refuse runs that were evaluated on different queries"
    add("--same-queries", action="store_true", help=same)
    add("--query-text", metavar="FILE", help=f"texts of queries: {_LABELS.format('text')}")
    items = "items: columns item and text, or title, text, url and image; JSON {item: ...}"
    add("--item-text", metavar="FILE", help=items)
    _add_measuring(parser, f"default: {', '.join(COMPARED)}")
    _add_reading(parser)


LIMITS = ("at_least", "at_most", "max_drop", "hard_drop")
"""Options of a gate that give measures a number."""
GATE_OPTIONS = (
    *("metrics", "max_slice_drop", "convention", "missing", "zero_division", "allow"),
    "ignore_identical_ids",
)
"""Its others; all are keys of a TOML file, too."""


def _gate(commands: Any) -> None:
    parser = commands.add_parser(
        "gate",
        help="fail when rankings are worse than a limit or their baseline",
        description="Judge rankings in files against thresholds and a recorded baseline. Policy, "
        "words and baselines are those of the pytest plugin. Exit code 0: all gates passed; 1: a "
        "gate failed; 2: something could not be measured.",
    )
    add = parser.add_argument
    add("qrels", metavar="QRELS", nargs="?", help="relevance judgements")
    add("run_path", metavar="RUN", nargs="?", help="rankings of the system")
    add("--config", metavar="TOML", help="one or several gates, instead of QRELS and RUN")
    add("--name", metavar="NAME", help="of the gate, and of its baseline NAME.rank.json")
    add("--baseline-dir", metavar="DIR", help="where baselines are (default: rank-baselines)")
    helps = (
        "threshold, as map=0.3; repeat it for more",
        "threshold of a measure of which less is better, as lag=2",
        "allowed drop against the baseline, as ndcg@10=0.02, or 0.02 for all",
        "drop that is always red; equal to --max-drop, every drop beyond it is",
    )
    for name, what in zip(LIMITS, helps, strict=True):
        option = f"--{name.replace('_', '-')}"
        add(option, action="append", default=[], metavar="M=X", type=_limit, help=what)
    metrics = "another measure to record"
    several: dict[str, Any] = {"action": "extend", "type": _spellings}
    add("-m", "--measure", dest="metrics", metavar="MEASURE", help=metrics, **several)
    add("--slices", metavar="FILE", help="labels of queries, as for evaluate")
    add("--clusters", metavar="FILE", help="groups of related queries, such as one user's")
    numbers = "values measured elsewhere, as ms=ms.csv: query and number; repeat it for more"
    named: dict[str, Any] = {"action": "append", "default": [], "type": _named_file}
    add("--values", metavar="NAME=FILE", help=numbers, **named)
    add("--max-slice-drop", type=float, metavar="X", help="allowed drop of every slice")
    add("--convention", metavar="NAME", help="reproduce this program's numbers")
    missing = "judged queries without a ranking (default: raise)"
    add("--missing", choices=("raise", "zero", "skip"), help=missing)
    undefined = "value of a query for which a measure is undefined (default: raise)"
    add("--zero-division", type=float, metavar="X", help=undefined)
    oddity = "allow a known data problem, such as unjudged"
    add("--allow", action="append", metavar="WORD", help=oddity)
    add("--ignore-identical-ids", action="store_true", default=None, help=_IDENTICAL)
    update = "write a missing baseline, raise one; lowers none"
    add("--update", action="store_true", help=update)
    add("--accept", action="store_true", help="also lower baselines")
    add("--strict", action="store_true", help="drops that are not confirmed fail, too")
    add("--query-text", metavar="FILE", help=f"texts of queries: {_LABELS.format('text')}")
    add("--item-text", metavar="FILE", help="titles of items: two columns, item and text")
    add("--html", metavar="FILE", help="write an HTML report with the queries of every gate")
    add("--json", metavar="FILE", help="write a JSON report")
    markdown = "append a Markdown report, besides the step summary of GitHub"
    add("--markdown", metavar="FILE", help=markdown)
    add("--junit", metavar="FILE", help="write a JUnit report")
    _add_reading(parser)
    parser.set_defaults(run=("gate", "run"))


def _judge_next(commands: Any) -> None:
    parser = commands.add_parser(
        "judge-next",
        help="list the unjudged items whose grades matter most",
        description="List unjudged items by the change of the measure of RUN, or of the change "
        "from OLD to NEW, if an item alone had the highest grade. --format csv leaves a column of "
        "grades to fill in; --filled takes such files back, and --into writes all judgements.",
    )
    add = parser.add_argument
    add("qrels", metavar="QRELS", help="relevance judgements")
    add("run_path", metavar="RUN|OLD", nargs="?", help="rankings of a system")
    add("new", metavar="NEW", nargs="?", help="rankings of the system that is compared with it")
    add("-m", "--measure", default="ndcg@10", metavar="M", help="(default: ndcg@10)")
    # A page, and about as many as somebody judges in one go.
    add("-n", type=_positive, default=20, metavar="N", help="number of items to list (default: 20)")
    add("--max-grade", type=_grade, metavar="X", help="highest grade (default: that of QRELS)")
    add("--convention", default="default", metavar="NAME", help="reproduce this program's numbers")
    add("--assume", choices=("complete", "partial"), help=_ASSUME)
    add("--ignore-identical-ids", action="store_true", help=_IDENTICAL)
    add("--query-text", metavar="FILE", help=f"texts of queries: {_LABELS.format('text')}")
    add("--item-text", metavar="FILE", help="titles of items: two columns, item and text")
    forms = "of the output; csv has an empty column of grades (default: table)"
    add("--format", choices=("table", "csv"), default="table", help=forms)
    filled = "further judgements, such as a list with its grades filled in; repeat it for more"
    add("--filled", action="append", default=[], metavar="FILE", help=filled)
    add("--into", metavar="FILE", help="write QRELS with the grades of --filled to FILE")
    add("--force", action="store_true", help="let --into replace judgements that are there")
    _add_reading(parser)
    parser.set_defaults(run=("judge_next", "run"))


def _small(commands: Any) -> None:
    """``measures``, ``audit`` and ``demo``."""
    parser = commands.add_parser(
        "measures",
        help="list the measures: names, spellings, formula, range",
        description="List all measures, or describe one measure.",
    )
    parser.add_argument("spelling", nargs="?", metavar="MEASURE", help="as ndcg@10 or P_5")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=("tools", "run_measures"))
    parser = commands.add_parser(
        "audit",
        help="compare a home-made metric with the measure that it is named after",
        description="Call a metric of your own on small rankings, and say which measure it "
        "computes, or its mistake, with the smallest ranking that shows it. Exit code 1: it "
        "differs.",
    )
    parser.add_argument("function", metavar="MODULE:FUNCTION", help="as mypackage.metrics:ndcg")
    named = "what it should compute, as ndcg@10"
    parser.add_argument("--as", dest="measure", metavar="M", required=True, help=named)
    parser.set_defaults(run=("tools", "run_audit"))
    parser = commands.add_parser(
        "demo",
        help="a 15-second tour with built-in data",
        description="Choose a search over Python's help pages by GridSearchCV, compare it with the "
        "old one, write the report, and let a gate turn red. Needs no network.",
    )
    add = parser.add_argument
    add("-o", "--output", default="demo.html", metavar="FILE", help="default: demo.html")
    add("--open", action="store_true", help="open the report in the browser")
    parser.set_defaults(run=("tools", "run_demo"))
