"""``sklearn-rank gate``: rankings in files against limits and baselines, for any language."""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Mapping, Sequence
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
    from sklearn_rank.inputs.roles import Columns

WRITING = ("--update", "--accept", "--reason")
_FILES = ("qrels", "run", "slices", "known_items")
_KEYS = ("name", *_FILES, "qrels_column", "run_column")
"""What a gate of a TOML file has besides the arguments of ``rank_gate.check``."""
_LIMITS = {
    "at_least": "threshold, as map=0.3; repeat it for more",
    "at_most": "threshold of a measure of which less is better, as lag=2",
    "max_drop": "allowed drop against the baseline, as ndcg@10=0.005, or 0.005 for all",
    "hard_drop": "drop that chance never excuses",
}
_OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "measure": ("another measure to record", {"action": "append", "dest": "metrics"}),
    "slices": ("labels of queries, as for evaluate", {"metavar": "FILE"}),
    "max_slice_drop": ("allowed drop of every slice", {"type": float, "metavar": "X"}),
    "min_queries": ("with fewer, chance excuses nothing", {"type": int, "metavar": "N"}),
    "convention": ("count as this program does", {"metavar": "NAME"}),
    "missing": (
        "judged queries without a ranking (default: raise)",
        {"choices": ("raise", "zero", "skip")},
    ),
    "zero_division": (
        "value of a query for which a measure is undefined (default: raise)",
        {"type": float, "metavar": "X"},
    ),
    "allow": ("accept an oddity, such as unjudged", {"action": "append", "metavar": "WORD"}),
    "known_items": ("ids of the items in the index, one on each line", {"metavar": "FILE"}),
    "assume": (
        "whether items that QRELS does not name are judged (default: not if it holds a 0)",
        {"choices": ("complete", "partial")},
    ),
    "unjudged": (
        "what unjudged items count: nothing, left out, or any grade (default: irrelevant)",
        {"choices": ("irrelevant", "condense", "bounds")},
    ),
}
"""Options of one gate, which are keys of a TOML file as well."""
_SESSION = {
    "update": "write a missing baseline, raise one; lowers none",
    "accept": "also lower baselines; needs --reason",
    "strict": "drops that are not confirmed fail, too",
}


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
    for name, what in _LIMITS.items():
        add(_option(name), action="append", default=[], metavar="M=X", type=_limit, help=what)
    for name, (what, options) in _OPTIONS.items():
        short = ("-m",) if name == "measure" else ()
        add(*short, _option(name), help=what, **options)
    for name, what in _SESSION.items():
        add(_option(name), action="store_true", help=what)
    add("--reason", default="", metavar="TEXT", help="why --accept is right; it is stored")
    add("--json", metavar="FILE", help="write a JSON report")
    markdown = "append a Markdown report, besides the step summary of GitHub"
    add("--markdown", metavar="FILE", help=markdown)
    add("--junit", metavar="FILE", help="write a JUnit report")
    add_reading(parser, "qrels", "run")
    parser.set_defaults(run=run)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


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
    from sklearn_rank.support.text import format_list

    # Zero-width spaces and the like are no reason that anybody can read.
    if arguments.accept != any(letter.isalnum() for letter in arguments.reason):
        msg = "--accept lowers baselines and needs --reason, which is stored; pass both or neither"
        raise ValueError(msg)
    path, table = _table(arguments)
    gates = [_gate(gate, path, arguments) for gate in table["gate"]]
    session = _session(arguments, table, path)
    with waiting(f"judging {len(gates)} gates"):
        summary = _in_words(judge_files(gates, session), arguments)
    unused = session.unused(gates) if arguments.config else []
    if unused:
        where = f"baselines in {shown(session.directory)} of no gate"
        summary = replace(summary, remarks=(f"{where}: {format_list(unused)}",))
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


# Gates, as typed or as configured -----------------------------------------------------------------


def _table(arguments: argparse.Namespace) -> tuple[Path, dict[str, Any]]:
    """The configuration and where it stands; a gate that was typed is one of one gate."""
    own = {name: _together(name, getattr(arguments, name)) for name in _LIMITS}
    for name in _OPTIONS:
        own[name] = getattr(arguments, "metrics" if name == "measure" else name)
    own["metrics"] = own.pop("measure")
    own |= {"name": arguments.name, "qrels": arguments.qrels, "run": arguments.run_path}
    gate = {name: value for name, value in own.items() if value not in (None, [], "")}
    if arguments.config is None:
        for name, what in (("qrels", "QRELS"), ("run", "RUN"), ("name", "--name")):
            if name not in gate:
                msg = f"{what} is missing: a gate has QRELS, RUN and a --name, or pass --config"
                raise ValueError(msg)
        return Path(), {"gate": [gate]}
    if gate:
        words = {"qrels": "QRELS and RUN", "run": "QRELS and RUN", "metrics": "--measure"}
        named = dict.fromkeys(words.get(name, _option(name)) for name in gate)
        msg = f"--config says which gates there are; {', '.join(named)} belong into the file"
        raise ValueError(msg)
    path = Path(arguments.config)
    return path, _read_config(path)


def _read_config(path: Path) -> dict[str, Any]:
    from sklearn_rank.support.disk import readable

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
    gates = table.get("gate")
    if not gates or not isinstance(gates, list) or not all(isinstance(g, dict) for g in gates):
        msg = f"{shown(path)} has no gate; write one as [[gate]] with name, qrels and run"
        raise ValueError(msg)
    return table


def _gate(table: dict[str, Any], path: Path, arguments: argparse.Namespace) -> FileGate:
    """A gate of a configuration, whose paths start from the file itself."""
    from pytest_rankmetrics.gates.files import ARGUMENTS, FileGate
    from sklearn_rank.cli.reading import Reader, read_ids, read_labels, refuse_repeated_input
    from sklearn_rank.support.text import safe_repr

    where = f"{shown(path)}: gate {safe_repr(table.get('name', '?'))}"
    _refuse_unknown(table, (*_KEYS, *ARGUMENTS), where)
    for name in ("name", "qrels", "run"):
        if not isinstance(table.get(name), str) or not table[name].strip():
            msg = f"{where} has no {name}; name, qrels and run are text"
            raise ValueError(msg)
    base = path.parent if arguments.config else Path()
    files = {name: table[name] for name in _FILES if name in table}
    files = {name: file if file == "-" else str(base / file) for name, file in files.items()}
    given = {name: value for name, value in table.items() if name not in _KEYS}
    if "known_items" in files:
        given["known_items"] = read_ids(files["known_items"])
    if "slices" in files:
        given["slices"] = read_labels(files["slices"]).get
    refuse_repeated_input(files["qrels"], files["run"])
    reader = Reader.of(arguments)
    reader = replace(
        reader,
        qrels_columns=_columns(table, "qrels_column", where) or reader.qrels_columns,
        run_columns=_columns(table, "run_column", where) or reader.run_columns,
    )

    def read() -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        return reader.qrels(files["qrels"]), reader.run(files["run"])

    return FileGate(table["name"], read, given, tuple(files.values()))


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


def _session(arguments: argparse.Namespace, table: Mapping[str, Any], path: Path) -> FileSession:
    from pytest_rankmetrics.gates.files import FileSession
    from pytest_rankmetrics.policy.settings import Settings

    settings = dict(table.get("settings", {}))
    _refuse_unknown(settings, Settings.__dataclass_fields__, "settings")
    if arguments.strict:
        settings["strict"] = True
    directory = arguments.baseline_dir or path.parent / table.get("baseline_dir", "rank-baselines")
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
