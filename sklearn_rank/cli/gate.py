"""``sklearn-rank gate``: rankings in files against limits and baselines, for any language."""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn_rank.cli.options import add_reading
from sklearn_rank.cli.terminal import FAILED, GATE_FAILED, in_words_of, shown
from sklearn_rank.support.runtime import waiting

if TYPE_CHECKING:
    from pytest_rankmetrics.gates.files import FileGate, FileSession
    from pytest_rankmetrics.report.summary import Summary
    from sklearn_rank.cli.reading import Reader
    from sklearn_rank.inputs.roles import Columns

WRITING = ("--update", "--accept", "--reason")
_FILES = ("name", "qrels", "run", "slices", "known_items", "qrels_column", "run_column")
"""What a gate of a TOML file has besides the arguments of ``rank_gate.check``."""
_LIMITS = ("at_least", "at_most", "max_drop", "hard_drop")
_ALONE = (
    *("max_slice_drop", "min_queries", "convention", "missing", "zero_division"),
    *("assume", "unjudged"),
)
"""Options that are passed on as they are."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
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
    limits = {
        "--at-least": "threshold, as map=0.3; repeat it for more",
        "--at-most": "threshold of a measure of which less is better, as lag=2",
        "--max-drop": "allowed drop against the baseline, as ndcg@10=0.005, or 0.005 for all",
        "--hard-drop": "drop that chance never excuses",
    }
    for option, what in limits.items():
        add(option, action="append", default=[], metavar="M=X", type=_limit, help=what)
    add(
        "-m",
        "--measure",
        action="append",
        metavar="M",
        dest="metrics",
        help="another measure to record",
    )
    add("--slices", metavar="FILE", help="labels of queries, as for evaluate")
    add("--max-slice-drop", type=float, metavar="X", help="allowed drop of every slice")
    add("--min-queries", type=int, metavar="N", help="with fewer queries, chance excuses nothing")
    add("--convention", metavar="NAME", help="count as this program does")
    missing = "judged queries without a ranking (default: raise)"
    add("--missing", choices=("raise", "zero", "skip"), help=missing)
    undefined = "value of a query for which a measure is undefined (default: raise)"
    add("--zero-division", type=float, metavar="X", help=undefined)
    add(
        "--allow",
        action="append",
        metavar="WORD",
        help="accept an oddity, such as unjudged",
    )
    add("--known-items", metavar="FILE", help="ids of the items in the index, one on each line")
    assume = "whether items that QRELS does not name are judged (default: not if it holds a 0)"
    add("--assume", choices=("complete", "partial"), help=assume)
    unjudged = "what unjudged items count: nothing, left out, or any grade (default: irrelevant)"
    add("--unjudged", choices=("irrelevant", "condense", "bounds"), help=unjudged)
    add("--update", action="store_true", help="write a missing baseline, raise one; lowers none")
    add("--accept", action="store_true", help="also lower baselines; needs --reason")
    add("--reason", default="", metavar="TEXT", help="why --accept is right; it is stored")
    add("--strict", action="store_true", help="drops that are not confirmed fail, too")
    add("--json", metavar="FILE", help="write a JSON report")
    markdown = "append a Markdown report, besides the step summary of GitHub"
    add("--markdown", metavar="FILE", help=markdown)
    add("--junit", metavar="FILE", help="write a JUnit report")
    add_reading(parser, "qrels", "run")
    parser.set_defaults(run=run)


def _limit(text: str) -> tuple[str | None, float]:
    """A measure and a number; a number alone is for all measures."""
    measure, _, number = text.rpartition("=")
    try:
        return measure or None, float(number)
    except ValueError:
        msg = f"must be MEASURE=NUMBER, got {text!r}"
        raise argparse.ArgumentTypeError(msg) from None


def run(arguments: argparse.Namespace) -> int:
    """Judge all gates, report, and say whether all passed."""
    from pytest_rankmetrics.gates.files import judge_files
    from pytest_rankmetrics.report.files import write_reports, write_step_summary
    from pytest_rankmetrics.report.terminal import print_summary
    from sklearn_rank.support.text import listed

    # Zero-width spaces and the like are no reason that anybody can read.
    if arguments.accept != any(letter.isalnum() for letter in arguments.reason):
        msg = "--accept lowers baselines and needs --reason, which is stored; pass both or neither"
        raise ValueError(msg)
    gates, session = _configured(arguments) if arguments.config else _typed(arguments)
    with waiting(f"judging {len(gates)} gates"):
        summary = _in_words(judge_files(gates, session), arguments)
    unused = session.unused(gates) if arguments.config else []
    if unused:
        where = f"baselines in {shown(session.directory)} of no gate"
        summary = replace(summary, remarks=(f"{where}: {listed(unused)}",))
    inputs = [arguments.config, *(file for gate in gates for file in gate.files)]
    targets = {name: getattr(arguments, name) for name in ("json", "markdown", "junit")}
    complaints = write_reports(summary, targets, inputs=inputs)
    summary = replace(summary, remarks=(*summary.remarks, *write_step_summary(summary, inputs)))
    print_summary(summary, colour=sys.stdout.isatty())
    for complaint in complaints:
        print(f"sklearn-rank gate: {complaint}", file=sys.stderr)
    failed = [bool(gate.record["metrics"]) for gate in summary.gates if gate.failed]
    if any(failed):
        return GATE_FAILED
    return FAILED if failed or summary.problems or complaints else 0


def _in_words(summary: Summary, arguments: argparse.Namespace) -> Summary:
    """What gates say, in words of the command; the keys of a TOML file are the library's."""
    words = partial(in_words_of, argparse.Namespace() if arguments.config else arguments)
    gates = []
    for run in summary.gates:
        told = {key: words(run.record[key]) for key in ("message", "headline")}
        notes = [words(note) for note in run.record["notes"]]
        gates.append(replace(run, record={**run.record, **told, "notes": notes}))
    problems = tuple(map(words, summary.problems))
    return replace(summary, gates=tuple(gates), problems=problems)


# One gate, as typed -----------------------------------------------------------------------------


def _typed(arguments: argparse.Namespace) -> tuple[list[FileGate], FileSession]:
    from pytest_rankmetrics.gates.files import FileGate
    from sklearn_rank.cli.reading import Reader, read_ids, refuse_repeated_input

    for value, what in (
        (arguments.qrels, "QRELS"),
        (arguments.run_path, "RUN"),
        (arguments.name, "--name"),
    ):
        if not value:
            msg = f"{what} is missing: a gate has QRELS, RUN and a --name, or pass --config"
            raise ValueError(msg)
    given = {name: _together(name, getattr(arguments, name)) for name in _LIMITS}
    for name in ("metrics", "allow"):
        given[name] = getattr(arguments, name)
    for name in _ALONE:
        given[name] = getattr(arguments, name)
    given = {name: value for name, value in given.items() if value is not None}
    if arguments.slices:
        given["slices"] = _labels(arguments.slices)
    if arguments.known_items:
        given["known_items"] = read_ids(arguments.known_items)
    refuse_repeated_input(arguments.qrels, arguments.run_path)
    read = partial(_read_files, Reader.of(arguments), arguments.qrels, arguments.run_path)
    files = (arguments.qrels, arguments.run_path, arguments.slices, arguments.known_items)
    gate = FileGate(arguments.name, read, given, tuple(filter(None, files)))
    return [gate], _session(arguments, {}, Path())


def _together(name: str, pairs: Sequence[tuple[str | None, float]]) -> Any:
    """{measure: number}, or the one number for all measures; None without any."""
    if not pairs:
        return None
    option = f"--{name.replace('_', '-')}"
    alone = [number for measure, number in pairs if measure is None]
    if not alone:
        measures = [_plain_name(str(measure)) for measure, _ in pairs]
        twice = next((measure for measure in measures if measures.count(measure) > 1), None)
        if twice is not None:
            msg = f"{option} names {twice} twice; give each measure one number"
            raise ValueError(msg)
        return dict(pairs)
    if len(pairs) > 1 or name in ("at_least", "at_most"):
        msg = f"{option} {alone[0]:g} names no measure; write {option}=MEASURE={alone[0]:g}"
        raise ValueError(msg)
    return alone[0]


def _plain_name(measure: str) -> str:
    """The name of a measure however it is spelled; what means nothing is refused by the gate."""
    from sklearn_rank.exceptions import UnknownMeasureError
    from sklearn_rank.measures.grammar import parse_measures

    try:
        return ", ".join(str(parsed) for parsed in parse_measures(measure))
    except UnknownMeasureError:
        return measure


def _read_files(
    reader: Reader, qrels: str, run: str
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    return reader.qrels(qrels), reader.run(run)


def _labels(path: str) -> Callable[[Any], Any]:
    """A function of the query id, for which queries without a label are in no slice."""
    from sklearn_rank.cli.reading import read_labels

    return read_labels(path).get


def _session(arguments: argparse.Namespace, table: Mapping[str, Any], base: Path) -> FileSession:
    from pytest_rankmetrics.gates.files import FileSession
    from pytest_rankmetrics.policy.settings import Settings

    settings = dict(table.get("settings", {}))
    _refuse_unknown(settings, Settings.__dataclass_fields__, "settings")
    if arguments.strict:
        settings["strict"] = True
    directory = arguments.baseline_dir or base / table.get("baseline_dir", "rank-baselines")
    return FileSession(
        Path(directory),
        Settings(**settings),
        update=arguments.update,
        reason=arguments.reason.strip(),
        command=("sklearn-rank", *_without_writing(arguments.words)),
    )


def _without_writing(words: Sequence[str]) -> list[str]:
    """What was typed, without the options that write."""
    kept, value_follows = [], False
    for word in words:
        if not value_follows and word.partition("=")[0] not in WRITING:
            kept.append(word)
        value_follows = word == "--reason"
    return kept


# Several gates, as configured -------------------------------------------------------------------


def _configured(arguments: argparse.Namespace) -> tuple[list[FileGate], FileSession]:
    from sklearn_rank.cli.reading import Reader
    from sklearn_rank.support.disk import readable

    typed = [
        f"--{name.replace('_', '-')}"
        for name in (*_LIMITS, *_ALONE, "name", "slices", "metrics", "allow", "known_items")
        if getattr(arguments, name) not in (None, [])
    ]
    if arguments.qrels or typed:
        other = "QRELS and RUN" if arguments.qrels else ", ".join(typed)
        msg = f"--config says which gates there are; {other} belong into the file"
        raise ValueError(msg)
    path = Path(arguments.config)
    with readable(path, "--config"):
        data = path.read_bytes()
    try:
        table = tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        msg = f"{shown(path)}: is not UTF-8 text"
        raise ValueError(msg) from None
    except tomllib.TOMLDecodeError as error:
        msg = f"{shown(path)}: is not TOML: {shown(error)}"
        raise ValueError(msg) from None
    _refuse_unknown(table, ("gate", "settings", "baseline_dir"), shown(path))
    gates = table.get("gate", [])
    if (
        not isinstance(gates, list)
        or not gates
        or not all(isinstance(gate, dict) for gate in gates)
    ):
        msg = f"{shown(path)} has no gate; write one as [[gate]] with name, qrels and run"
        raise ValueError(msg)
    session = _session(arguments, table, path.parent)
    reader = Reader.of(arguments)
    return [
        _from_table(gate, number, path, reader) for number, gate in enumerate(gates, 1)
    ], session


def _from_table(table: dict[str, Any], number: int, path: Path, reader: Reader) -> FileGate:
    from pytest_rankmetrics.gates.files import ARGUMENTS, FileGate
    from sklearn_rank.cli.reading import read_ids
    from sklearn_rank.support.text import safe_repr

    where = f"{shown(path)}: gate {safe_repr(table.get('name', number))}"
    _refuse_unknown(table, (*_FILES, *ARGUMENTS), where)
    for name in ("name", "qrels", "run"):
        if not isinstance(table.get(name), str) or not table[name].strip():
            msg = f"{where} has no {name}; name, qrels and run are text"
            raise ValueError(msg)
    given = {name: value for name, value in table.items() if name not in _FILES}
    if "known_items" in table:
        given["known_items"] = read_ids(str(path.parent / table["known_items"]))
    if "slices" in table:
        given["slices"] = _labels(str(path.parent / table["slices"]))
    reader = replace(
        reader,
        qrels_columns=_columns(table, "qrels_column", where) or reader.qrels_columns,
        run_columns=_columns(table, "run_column", where) or reader.run_columns,
    )
    files = {
        name: str(path.parent / table[name])
        for name in ("qrels", "run", "slices", "known_items")
        if name in table
    }
    read = partial(_read_files, reader, files["qrels"], files["run"])
    return FileGate(table["name"], read, given, tuple(files.values()))


def _columns(table: Mapping[str, Any], key: str, where: str) -> Columns:
    """Columns of roles as a table names them; TOML has no null, so that "" says there is none."""
    columns = table.get(key, {})
    if not isinstance(columns, dict) or not all(isinstance(v, str) for v in columns.values()):
        msg = f'{where}: {key} is a table of roles and names, as {{ item = "film" }}'
        raise ValueError(msg)
    return {role: name or None for role, name in columns.items()}


def _refuse_unknown(table: Mapping[str, Any], known: Any, where: str) -> None:
    from sklearn_rank.support.text import closest, safe_repr

    for name in table:
        if name not in known:
            msg = f"{where}: unknown key {safe_repr(name)}{closest(name, known)}"
            raise ValueError(msg)
