"""The commands and their options. Imports nothing heavy, so that ``--help`` costs little."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from textwrap import fill
from typing import Any, NoReturn

from sklearn_rank import __version__
from sklearn_rank.support.constants import DEFAULT_MEASURES
from sklearn_rank.support.text import closest, hint, safe_text

MEASURES = (*DEFAULT_MEASURES, "mrr")
"""Measures if none are named."""
SITE = "https://sklearn-rank.github.io/sklearn-rank/stable"
WIDTH = 78
_LABELS = "CSV or JSON lines with query and {0}, or JSON {{query: {0}}}"
_ASSUME = (
    "items absent from QRELS are irrelevant (complete) or unjudged (partial); default: "
    "partial if QRELS holds a grade of 0"
)
_COLLECTION = "ids of all items, one per line, to show losses from items that left the collection"

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


_share_of_1 = partial(_number, is_right=lambda x: 0 < x < 1, what="a number between 0 and 1")


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) < 1:
        msg = f"must be a whole number of at least 1, got {text[:80]!r}"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def _whole(text: str) -> int:
    return 0 if text == "0" else _positive(text)


def _refuse_several(pattern: str, part: str, form: str, text: str) -> None:
    """Refuse a list, in which a part matches the pattern, where one value belongs."""
    if re.search(pattern, part):
        msg = f"takes one {form}, got {text[:80]!r}; repeat the option for more"
        raise argparse.ArgumentTypeError(msg)


def _limit(text: str) -> tuple[str | None, float | str]:
    """A measure and a number, perhaps with a %; without a measure it is for all measures."""
    measure, _, number = text.rpartition("=")
    if "(" not in measure:
        _refuse_several(r"=\s*[\d.]+%?\s*,", measure, "MEASURE=NUMBER", text)
    try:
        value = float(number.removesuffix("%"))
        return measure or None, number if number.endswith("%") else value
    except ValueError:
        msg = f"must be MEASURE=NUMBER, got {text!r}"
        raise argparse.ArgumentTypeError(msg) from None


def _spellings(text: str) -> list[str]:
    """Split a comma-separated list of measures; commas also occur inside parameters and cutoffs."""
    measures: list[str] = []
    for part in text.split(","):
        before = measures[-1] if measures else ""
        if before.count("(") > before.count(")") or (before and re.fullmatch(r"[\d. -]+", part)):
            measures[-1] += f",{part}"
        else:
            measures.append(part.strip())
    return measures


def _weight(text: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    if not name:
        msg = f"must be NAME=NUMBER, got {text[:80]!r}"
        raise argparse.ArgumentTypeError(msg)
    _refuse_several(r"=\s*[\d.]+\s*,", name, "NAME=NUMBER", text)
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
        msg = f"must be ROLE=NAME, or ROLE= for no column, got {text[:80]!r}; files need no option"
        raise argparse.ArgumentTypeError(msg)
    if role not in roles:
        msg = f"takes the roles {', '.join(roles)}, got {role[:80]!r}"
        raise argparse.ArgumentTypeError(msg)
    _refuse_several(rf",\s*({'|'.join(roles)})=", name, "ROLE=NAME", text)
    return role, name or None


_DUPLICATES = ("qrels=mean", "qrels=max", "qrels=first", "run=first")


def duplicates_of(text: str) -> tuple[str, str]:
    """The side with repeated items, and the rule for them; TOML files use the same words."""
    if text not in _DUPLICATES:
        msg = f"must be one of {', '.join(_DUPLICATES)}, got {str(text)[:80]!r}"
        raise argparse.ArgumentTypeError(msg)
    side, _, rule = text.partition("=")
    return side, rule


# Options of several commands --------------------------------------------------------------------


def _add_reading(add: Callable[..., object]) -> None:
    """Columns whose names are not recognised, and a limit."""
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
            help=f"name of the {', '.join(roles[:-1])} or {roles[-1]} column of {side}, if it is "
            "not recognised; ROLE= for no column",
        )
    text = "number for a grade that is text, such as E=3; repeat it for more"
    given: dict[str, Any] = {"action": "append", "default": [], "type": _weight}
    ids = "query ids of an _msearch RUN in the order of its responses, one per line"
    add("--queries", metavar="FILE", help=ids)
    add("--grade", dest="grade_of", metavar="TEXT=X", help=text, **given)
    several = (
        "how to count an item that is twice in one ranking (run=first: the best-ranked one) or "
        "judged twice (qrels=mean, qrels=max, qrels=first); default: an error; repeat it for both"
    )
    given = {"action": "append", "default": [], "type": duplicates_of}
    add("--duplicates", metavar="SIDE=RULE", help=several, **given)
    limit = "most bytes to read from a compressed file (default: 2 GiB)"
    add("--max-bytes", type=_positive, metavar="N", help=limit)


def _add_counting(add: Callable[..., object]) -> None:
    """What counts, and how."""
    add("--convention", default="default", metavar="NAME", help="reproduce the numbers of NAME")
    complete = "count judged queries without a ranking as 0, regardless of the convention"
    add("-c", "--complete", action="store_true", help=complete)
    add("-l", "--min-rel", type=_positive, metavar="N", help="lowest grade that is relevant")
    groups = (
        "groups of related queries, such as one user's; intervals and tests treat a group as a unit"
    )
    add("--clusters", metavar="FILE", help=groups)
    add("--collection", metavar="FILE", help=_COLLECTION)


def _add_measures(add: Callable[..., object]) -> None:
    spelling = (
        f"measures, such as ndcg@10,map or ndcg@5,10 or P_10; repeat it for more (default: "
        f"{','.join(MEASURES)})"
    )
    several: dict[str, Any] = {"action": "extend", "type": _spellings, "default": []}
    add("-m", "--measure", metavar="M", dest="measures", help=spelling, **several)


def _share(parser: argparse.ArgumentParser, *described: Callable[..., None]) -> None:
    """Add options that ``help reading`` describes, and name them."""
    names = []

    def add(*spellings: str, help: str, **options: Any) -> None:  # noqa: ARG001
        parser.add_argument(*spellings, **options, help=argparse.SUPPRESS)
        names.append(spellings[-1])

    for options in described:
        options(add)
    text = f"{', '.join(names)}: see sklearn-rank help reading"
    listed = fill(text, WIDTH, break_on_hyphens=False)
    parser.add_argument_group("options shared by commands", listed)


def reading_help() -> str:
    """Description of the options shared by commands."""
    parser = argparse.ArgumentParser(
        usage=argparse.SUPPRESS,
        add_help=False,
        description="Files are TREC, CSV, TSV, JSON, JSON Lines, Parquet or Arrow, also "
        "compressed; '-' reads standard input. Columns are recognised by their "
        "names. Join repeated runs of one system with commas: new-1.run,new-2.run.",
        epilog=f"guide: {SITE}/files.html",
    )
    counting = "counting (evaluate, compare and report; some in other commands)"
    files, counted = _groups(parser, "files", counting)
    _add_reading(files)
    _add_counting(counted)
    return parser.format_help()


# The commands -----------------------------------------------------------------------------------


_OTHER_NAMES = {
    **dict.fromkeys(("--metric", "--metrics"), "--measure"),
    **dict.fromkeys(("--min", "--threshold", "--fail-under", "--minimum"), "--at-least"),
    "--report": "--html",
    "-o": "--output",
}
"""Names of options in other tools, and here."""
_OPTIONS_ELSEWHERE = {
    "--html": "'sklearn-rank report' writes an HTML file",
    **dict.fromkeys(("--baseline", "--qrels", "--run"), "files need no option, see the usage"),
    "--slices": "'sklearn-rank report' takes slices",
    "--output": "redirect the output with > FILE",
    **dict.fromkeys(
        ("--test", "--stat-test", "--ttest", "--t-test", "--significance"),
        "'sklearn-rank compare' always has a paired randomization test",
    ),
    "--correction": "'sklearn-rank compare' corrects p-values by Holm's method",
}
"""What to do instead in commands without an option."""


class _Parser(argparse.ArgumentParser):
    """Suggests the command or option that is close to a mistyped one."""

    _words: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self._words = args or ()
        parsed, rest = super().parse_known_args(args, namespace)
        unknown = [word.partition("=")[0] for word in rest if word.startswith("-")]
        if rest:
            own = self._option_string_actions
            elsewhere = {name: told for name, told in _OPTIONS_ELSEWHERE.items() if name not in own}
            if self.prog.endswith(" report"):
                elsewhere |= dict.fromkeys(("--html", "--format"), "it writes HTML, to -o FILE")
            if "--baseline-dir" in own:
                told = (
                    "--baseline-dir names the directory of baselines, --update records a run there"
                )
                elsewhere["--baseline"] = f"{told}, and 'sklearn-rank compare' takes two runs"
            if "--json" in own:
                elsewhere["--format"] = "pass --json FILE or --markdown FILE"
            if unknown:
                told = hint(_OTHER_NAMES.get(unknown[0], unknown[0]), own, elsewhere)
            else:
                told = self._hint_of_words(rest)
            self.error(f"unrecognized arguments: {' '.join(rest)}{told}")
        return parsed, rest

    def _hint_of_words(self, rest: list[str]) -> str:
        from sklearn_rank.measures.grammar import parse_measures

        if all("=" in word for word in rest):
            return "; an option takes one of these; repeat it for more"
        try:
            parse_measures([part for word in rest for part in _spellings(word)])
        except (TypeError, ValueError):
            if self.prog.endswith(" gate"):
                return "; --update records a baseline, and 'sklearn-rank compare' takes two runs"
            is_single = self.prog.endswith(" evaluate")
            return "; 'sklearn-rank compare' takes several runs" if is_single else ""
        return "; join measures with commas, as in -m ndcg@10,map"

    def error(self, message: str) -> NoReturn:
        choice = re.search(r"invalid choice: '(.+)' \(choose from (.+)\)$", message)
        if choice:
            message += closest(choice[1], re.split(r"[', ]+", choice[2]))
            if choice[1] in ("latex", "tex"):
                message += "; in Python, to_frame().to_latex(escape=True)"
        files = [word for word in self._words if word.endswith(".rank.json")]
        if files and "arguments are required" in message:
            how = "compare with it by 'sklearn-rank gate', or in Python by load()"
            message += f"; {files[0]} is the baseline of a gate: {how}"
        super().error(safe_text(message, limit=None))


def _command(
    commands: Any, name: str, usage: str, description: str, examples: str, **more: Any
) -> argparse.ArgumentParser:
    """A command with a usage of one or two lines, and examples."""
    forms, lines = (
        [f"sklearn-rank {name} {line}".rstrip() for line in text.split("\n")]
        for text in (usage, examples)
    )
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        usage="\n       ".join(forms),
        description=fill(description, WIDTH),
        epilog="\n  ".join(["examples:", *lines]) + f"\n\nguide: {SITE}/cli.html",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        **more,
    )
    return parser


def _groups(parser: argparse.ArgumentParser, *titles: str) -> list[Callable[..., object]]:
    """Functions that add an option to a group."""
    return [parser.add_argument_group(title).add_argument for title in titles]


def build_parser() -> argparse.ArgumentParser:
    """The parser of the command; ``run`` of the result is a module and a function."""
    parser = _Parser(
        prog="sklearn-rank",
        usage="sklearn-rank [--version] COMMAND [options] ...",
        description="Ranking metrics for search engines and recommenders, from files.",
        epilog="'sklearn-rank COMMAND --help' has examples. Exit code 0: done; 1: a gate failed; "
        "2: something could not be measured.",
    )
    parser.add_argument("--version", action="version", version=f"sklearn-rank {__version__}")
    commands: Any = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, dest="command", prog="sklearn-rank"
    )
    for add in (_evaluate, _compare, _report, _gate, _judge_next, _tune, _small):
        add(commands)
    return parser


def _evaluate(commands: Any) -> None:
    parser = _command(
        commands,
        "evaluate",
        "[options] QRELS RUN",
        "Measure a run against judgements.",
        "qrels.txt bm25.run\n"
        "qrels.txt bm25.run -m ndcg@10,map --format markdown\n"
        "qrels.txt bm25.run --slices kinds.csv --per-query",
        help="measure a run against judgements",
    )
    data, measures, output = _groups(parser, "data", "measures", "output")
    data("qrels", metavar="QRELS", help="relevance judgements")
    data("run_path", metavar="RUN", help="rankings of a system")
    labels = f"labels of queries ({_LABELS.format('label')}), to add measures per label"
    data("--slices", metavar="FILE", help=labels)
    _add_measures(measures)
    output("-q", "--per-query", action="store_true", help="also print values per query")
    forms = ("table", "trec", "json", "csv", "markdown")
    output("--format", choices=forms, default="table", help="output format (default: table)")
    _share(parser, _add_counting, _add_reading)
    parser.set_defaults(run=("evaluate", "run"))


def _compare(commands: Any) -> None:
    parser = _command(
        commands,
        "compare",
        "[options] QRELS BASELINE NEW [NEW ...]",
        "Compare runs with the first one: changes with intervals, effect sizes and corrected "
        "p-values.",
        "qrels.txt old.run new.run\n"
        "qrels.txt old.run new.run -m ndcg@10 --changed 10\n"
        "qrels.txt bm25.run dense.run hybrid.run --format csv",
        help="compare runs with the first one, query by query",
    )
    data, measures, limits, output = _groups(parser, "data", "measures", "limits", "output")
    _add_compared(data, "BASELINE", "+")
    _add_texts(data)
    _add_measures(measures)
    _add_tests(limits)
    changed = "for each run, list the N queries that changed most in the first measure, and why"
    output("--changed", type=_whole, default=0, metavar="N", help=changed)
    forms = ("text", "markdown", "csv", "json")
    output("--format", choices=forms, default="text", help="output format (default: text)")
    _share(parser, _add_counting, _add_reading)
    parser.set_defaults(run=("compare", "run"))


def _report(commands: Any) -> None:
    parser = _command(
        commands,
        "report",
        "[options] QRELS RUN\n[options] QRELS BASELINE NEW [NEW ...]",
        "Write one HTML file, which needs no network: the verdict, the measures by slice, and "
        "every query with its old and new results side by side, or those of a single run.",
        "qrels.txt old.run new.run --open\n"
        "qrels.txt old.run new.run --query-text queries.csv --item-text items.csv\n"
        "qrels.txt bm25.run --slices kinds.csv -o bm25.html",
        help="write an HTML report on one run, or on runs compared with the first",
    )
    data, measures, limits, output = _groups(parser, "data", "measures", "limits", "output")
    _add_compared(data, "RUN", "*")
    data("--slices", metavar="FILE", help=f"labels of queries: {_LABELS.format('label')}")
    _add_texts(data)
    _add_measures(measures)
    measures(
        "--explain",
        metavar="M",
        help="measure to sort the queries by (default: the one in the verdict)",
    )
    _add_tests(limits)
    drop = "give the verdict of a gate that allows this drop, such as ndcg@10=0.02, or 0.02 for all"
    limits("--max-drop", action="append", default=[], metavar="M=X", type=_limit, help=drop)
    in_slices = "drop that this gate allows in every slice"
    limits("--max-slice-drop", type=float, metavar="X", help=in_slices)
    output("-o", "--output", default="report.html", metavar="FILE", help="default: report.html")
    output("--open", action="store_true", help="open the report in the browser")
    output("--title", metavar="TEXT", help="line above the verdict")
    _share(parser, _add_counting, _add_reading)
    parser.set_defaults(run=("compare", "run_report"), format="html")


def _add_compared(add: Callable[..., object], first: str, others: str) -> None:
    add("qrels", metavar="QRELS", help="relevance judgements")
    only = ", or of the only one" if others == "*" else ""
    add("baseline", metavar=first, help=f"rankings of the baseline system{only}")
    add("runs", metavar="NEW", nargs=others, help="rankings of another system")


def _add_tests(limits: Callable[..., object]) -> None:
    level = "significance level (default: 0.05)"
    limits("--alpha", type=_share_of_1, default=0.05, metavar="P", help=level)


def _add_texts(add: Callable[..., object]) -> None:
    """Texts to show with ids."""
    add("--query-text", metavar="FILE", help=f"texts of queries: {_LABELS.format('text')}")
    items = "texts of items: columns item and text, or item, title, text, url and image; or JSON"
    add("--item-text", metavar="FILE", help=items)


LIMITS = ("at_least", "at_most", "max_drop", "hard_drop")
"""Options of a gate that give measures a number."""
GATE_OPTIONS = ("measures", "max_slice_drop", "convention", "missing", "zero_division", "allow")
"""Its other options; all are also keys of a TOML file."""


def _gate(commands: Any) -> None:
    parser = _command(
        commands,
        "gate",
        "[options] QRELS RUN --name NAME\n[options] --config TOML",
        "Judge rankings in files against thresholds and a recorded baseline. Same rules, "
        "messages and baselines as the pytest plugin. Exit code 0: all gates passed; 1: a gate "
        "failed; 2: something could not be measured.",
        "qrels.txt new.run --name search --at-least map=0.3\n"
        "qrels.txt new.run --name search --max-drop ndcg@10=0.02 --update\n"
        "--config gates.toml --html gates.html --markdown gates.md",
        help="fail when rankings are worse than a limit or their baseline",
    )
    data, measures, limits, baseline, output = _groups(
        parser, "data", "measures", "limits", "baseline", "output"
    )
    data("qrels", metavar="QRELS", nargs="?", help="relevance judgements")
    data("run_path", metavar="RUN", nargs="?", help="rankings of the system")
    data("--config", metavar="TOML", help="file of one or more gates, instead of QRELS and RUN")
    data("--slices", metavar="FILE", help="labels of queries, as for evaluate")
    data("--clusters", metavar="FILE", help="groups of related queries, such as one user's")
    data("--collection", metavar="FILE", help=_COLLECTION)
    numbers = (
        "values measured elsewhere, such as ms=ms.csv with query and number: from 0 to 1, or "
        "costs if limited by --at-most; repeat it for more"
    )
    named: dict[str, Any] = {"action": "append", "default": [], "type": _named_file}
    data("--values", metavar="NAME=FILE", help=numbers, **named)
    missing = "how to count judged queries without a ranking (default: raise)"
    data("--missing", choices=("raise", "zero", "skip"), help=missing)
    oddity = "accept a data problem, such as unjudged; repeat it for more"
    data("--allow", action="append", metavar="WORD", help=oddity)
    _add_texts(data)
    several: dict[str, Any] = {"action": "extend", "type": _spellings}
    another = "another measure to record"
    measures("-m", "--measure", dest="measures", metavar="MEASURE", help=another, **several)
    measures("--convention", metavar="NAME", help="reproduce the numbers of NAME")
    undefined = "value of a query for which a measure is undefined (default: raise)"
    measures("--zero-division", type=float, metavar="X", help=undefined)
    helps = (
        "threshold, such as map=0.3; repeat it for more",
        "threshold of a measure for which lower is better, such as lag=2",
        "allowed drop from the baseline, such as ndcg@10=0.02, or 0.02 for all",
        "larger drops always fail; if equal to --max-drop, there is no significance test",
    )
    for name, what in zip(LIMITS, helps, strict=True):
        option = f"--{name.replace('_', '-')}"
        limits(option, action="append", default=[], metavar="M=X", type=_limit, help=what)
    limits("--max-slice-drop", type=float, metavar="X", help="allowed drop of every slice")
    limits("--strict", action="store_true", help="unconfirmed drops also fail")
    baseline("--name", metavar="NAME", help="name of the gate and of its baseline, NAME.rank.json")
    baseline(
        "--baseline-dir", metavar="DIR", help="directory of baselines (default: rank-baselines)"
    )
    update = "write a missing baseline or raise one; never lowers one"
    baseline("--update", action="store_true", help=update)
    baseline("--accept", action="store_true", help="also lower baselines")
    output("--html", metavar="FILE", help="write an HTML report with the queries of every gate")
    output("--json", metavar="FILE", help="write a JSON report")
    markdown = "append a Markdown report to FILE; on GitHub, the step summary gets one anyway"
    output("--markdown", metavar="FILE", help=markdown)
    _share(parser, _add_reading)
    parser.set_defaults(run=("gate", "run"))


def _judge_next(commands: Any) -> None:
    parser = _command(
        commands,
        "judge-next",
        "[options] QRELS RUN\n[options] QRELS BASELINE NEW",
        "List the unjudged items that matter most, sorted by how far the measure of RUN, or its "
        "change from BASELINE to NEW, would move if only that item had the highest grade. Fill in "
        "the column of grades that --format csv adds, and you have a file of judgements.",
        "qrels.txt new.run --format csv > judge.csv\n"
        "qrels.txt old.run new.run -n 50 --query-text queries.csv\n"
        "qrels.txt new.run --assume partial -m map",
        help="list the unjudged items whose grades matter most",
    )
    data, measures, output = _groups(parser, "data", "measures", "output")
    data("qrels", metavar="QRELS", help="relevance judgements")
    data("run_path", metavar="RUN", help="rankings of a system")
    data("new", metavar="NEW", nargs="?", help="rankings of the system to compare")
    data("--assume", choices=("complete", "partial"), help=_ASSUME)
    _add_texts(data)
    measures("-m", "--measure", default="ndcg@10", metavar="M", help="default: ndcg@10")
    convention: dict[str, Any] = {"default": "default", "metavar": "NAME"}
    measures("--convention", help="reproduce the numbers of NAME", **convention)
    # One screen, and about as many as somebody judges in one go.
    output("-n", type=_positive, default=20, metavar="N", help="items to list (default: 20)")
    forms = "csv adds an empty column of grades (default: table)"
    output("--format", choices=("table", "csv"), default="table", help=forms)
    _share(parser, _add_reading)
    parser.set_defaults(run=("judge_next", "run"))


def _tune(commands: Any) -> None:
    parser = _command(
        commands,
        "tune",
        "[options] QRELS RUN RUN [RUN ...]",
        "Choose the weights that fuse two to four runs, such as a keyword and a dense search, "
        "and test whether the choice beats equal weights on held-out queries.",
        "qrels.txt bm25.run dense.run\n"
        "qrels.txt bm25.run dense.run -m map\n"
        "qrels.txt bm25.run dense.run -m ndcg@10 --output fused.run",
        help="choose the weights of a hybrid search, and test the choice",
    )
    data, measures, output = _groups(parser, "data", "measures", "output")
    data("qrels", metavar="QRELS", help="relevance judgements")
    data("runs", metavar="RUN", nargs="+", help="rankings of a system")
    measures("-m", "--measure", default="ndcg@10", metavar="M", help="default: ndcg@10")
    fused = "write the fused run, with the choice if it is confirmed, else with equal weights"
    output("-o", "--output", metavar="FILE", help=fused)
    _share(parser, _add_reading)
    parser.set_defaults(run=("tune", "run"))


def _small(commands: Any) -> None:
    """``audit``, ``demo`` and ``help``."""
    parser = _command(
        commands,
        "audit",
        "MODULE:FUNCTION --as M [--duplicates raise]",
        "Call a metric function on small rankings, and find the measure that it computes, or its "
        "mistake and the smallest ranking that shows it. Exit code 1: it differs.",
        "mine.py:ndcg --as ndcg@10\nmypackage.metrics:average_precision --as map",
        help="check a home-made metric against a measure",
    )
    parser.add_argument("function", metavar="MODULE:FUNCTION", help="such as my.metrics:ndcg")
    named = "the measure that it should compute, such as ndcg@10"
    parser.add_argument("--as", dest="measure", metavar="M", required=True, help=named)
    repeats = "raise if no ranking repeats an item, so that none is tried (default: first)"
    parser.add_argument("--duplicates", choices=("first", "raise"), default="first", help=repeats)
    parser.set_defaults(run=("tools", "run_audit"))
    parser = _command(
        commands,
        "demo",
        "[-o FILE] [--open]",
        "Tune a search over Python's help pages with GridSearchCV, compare it with the old one, "
        "write the report, and make a gate fail. Needs no network.",
        "--open",
        help="a 15-second tour with built-in data",
    )
    add = parser.add_argument
    add("-o", "--output", default="demo.html", metavar="FILE", help="default: demo.html")
    add("--open", action="store_true", help="open the report in the browser")
    parser.set_defaults(run=("tools", "run_demo"))
    parser = _command(
        commands,
        "help",
        "reading",
        "Describe the options for reading files and counting.",
        "reading",
        help="describe the options shared by commands",
    )
    parser.add_argument("topic", choices=("reading",), help="the only topic")
    parser.set_defaults(run=("tools", "run_help"))
