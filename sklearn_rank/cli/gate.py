"""``sklearn-rank gate``: rankings in files against limits and baselines, for any language.

The command is the plugin's: its policy, baselines and reports are imported when it runs.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pytest_rankmetrics.gates.files import ARGUMENTS, FileGate, FileSession, judge_files
from pytest_rankmetrics.policy.settings import Settings
from pytest_rankmetrics.report.files import write_reports, write_step_summary
from pytest_rankmetrics.report.summary import Summary
from pytest_rankmetrics.report.terminal import print_summary
from sklearn_rank.cli.options import GATE_OPTIONS, LIMITS
from sklearn_rank.cli.reading import Reader, read_labels, refuse_repeated_input
from sklearn_rank.cli.terminal import FAILED, GATE_FAILED, in_words_of, shown
from sklearn_rank.exceptions import UnknownMeasureError
from sklearn_rank.inputs.roles import Columns
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.support.disk import readable
from sklearn_rank.support.runtime import waiting
from sklearn_rank.support.text import closest, format_list, safe_repr

WRITING = ("--update", "--accept", "--reason")
_FILES = ("qrels", "run", "slices")
_KEYS = ("name", *_FILES, "qrels_column", "run_column", "grades")
"""Keys of a gate in a TOML file besides the arguments of ``rank_gate.check``."""


def run(arguments: argparse.Namespace) -> int:
    """Judge all gates, report, and say whether all passed."""
    # Zero-width spaces and the like are no reason that anybody can read.
    if arguments.accept != any(letter.isalnum() for letter in arguments.reason):
        msg = "--accept lowers baselines and needs --reason, which is stored; pass both or neither"
        raise ValueError(msg)
    path, table = _configuration(arguments)
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
    # A gate without values could not be measured.
    failed = [bool(gate.record["metrics"]) for gate in summary.gates if gate.failed]
    if any(failed) and not complaints:
        return GATE_FAILED
    return FAILED if failed or summary.problems or complaints else 0


def _in_words(summary: Summary, arguments: argparse.Namespace) -> Summary:
    """Messages in words of the command; the keys of a TOML file are the library's."""
    words = partial(in_words_of, argparse.Namespace() if arguments.config else arguments)
    gates = []
    for run in summary.gates:
        texts = {key: words(run.record[key]) for key in ("message", "headline")}
        notes = [words(note) for note in run.record["notes"]]
        gates.append(replace(run, record={**run.record, **texts, "notes": notes}))
    return replace(summary, gates=tuple(gates), problems=tuple(map(words, summary.problems)))


# Gates, as typed or as configured -----------------------------------------------------------------


def _configuration(arguments: argparse.Namespace) -> tuple[Path, dict[str, Any]]:
    """The configuration and its path; a gate that was typed is a configuration of one gate."""
    given = {name: _limits(name, getattr(arguments, name)) for name in LIMITS}
    given |= {name: getattr(arguments, name) for name in (*GATE_OPTIONS, "name", "qrels")}
    given["run"] = arguments.run_path
    gate = {name: value for name, value in given.items() if value not in (None, [], "")}
    words = {"qrels": "QRELS", "run": "RUN", "metrics": "--measure"}
    typed = [words.get(name, f"--{name.replace('_', '-')}") for name in gate]
    if arguments.config is None:
        for what in ("QRELS", "RUN", "--name"):
            if what not in typed:
                msg = f"{what} is missing: a gate has QRELS, RUN and a --name, or pass --config"
                raise ValueError(msg)
        return Path(), {"gate": [gate]}
    if typed:
        msg = f"--config says which gates there are; {' and '.join(typed)} belong into the file"
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
    gates = table.get("gate")
    if not gates or not isinstance(gates, list) or not all(isinstance(g, dict) for g in gates):
        msg = f"{shown(path)} has no gate; write one as [[gate]] with name, qrels and run"
        raise ValueError(msg)
    return path, table


def _limits(name: str, pairs: Sequence[tuple[str | None, float]]) -> Any:
    """{measure: number}, or the one number for all measures; None without any."""
    option = f"--{name.replace('_', '-')}"
    alone = [number for measure, number in pairs if measure is None]
    if alone and (len(pairs) > 1 or name in ("at_least", "at_most")):
        msg = f"{option} {alone[0]:g} names no measure; write {option}=MEASURE={alone[0]:g}"
        raise ValueError(msg)
    names: list[str] = []
    for measure, _ in () if alone else pairs:
        try:
            names.append(", ".join(map(str, parse_measures(str(measure)))))
        except UnknownMeasureError:  # which the gate refuses
            names.append(str(measure))
        if names[-1] in names[:-1]:
            msg = f"{option} names {names[-1]} twice; give each measure one number"
            raise ValueError(msg)
    return alone[0] if alone else dict(pairs) or None


def _gate(table: dict[str, Any], path: Path, arguments: argparse.Namespace) -> FileGate:
    """A gate of a configuration, whose paths start from the file itself."""
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
    if "slices" in files:
        given["slices"] = read_labels(files["slices"]).get
    refuse_repeated_input(files["qrels"], files["run"])
    qrels_columns, run_columns = (
        _columns(table, f"{side}_column", where) for side in ("qrels", "run")
    )
    grades = table.get("grades")
    if grades is not None and not isinstance(grades, dict):
        msg = f"{where}: grades is a table of texts and numbers, as {{ E = 3, I = 0 }}"
        raise ValueError(msg)
    reader = Reader(arguments, qrels_columns, run_columns, grades)

    def read() -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        return reader.qrels(files["qrels"]), reader.run(files["run"])

    return FileGate(table["name"], read, given, tuple(files.values()))


def _columns(table: Mapping[str, Any], key: str, where: str) -> Columns:
    """Columns of roles as a table names them; TOML has no null, so that "" says there is none."""
    columns = table.get(key, {})
    if not isinstance(columns, dict) or not all(isinstance(v, str) for v in columns.values()):
        msg = f'{where}: {key} is a table of roles and names, as {{ item = "film" }}'
        raise ValueError(msg)
    return {role: name or None for role, name in columns.items()}


def _session(arguments: argparse.Namespace, table: Mapping[str, Any], path: Path) -> FileSession:
    settings = dict(table.get("settings", {}))
    _refuse_unknown(settings, Settings.__dataclass_fields__, "settings")
    if arguments.strict:
        settings["strict"] = True
    # The command to show is the one that was typed, without the options that write.
    words, value_follows = [], False
    for word in arguments.words:
        if not value_follows and word.partition("=")[0] not in WRITING:
            words.append(word)
        value_follows = word == "--reason"
    directory = arguments.baseline_dir or path.parent / table.get("baseline_dir", "rank-baselines")
    return FileSession(
        Path(directory),
        Settings(**settings),
        update=arguments.update,
        reason=arguments.reason.strip(),
        command=("sklearn-rank", *words),
    )


def _refuse_unknown(table: Mapping[str, Any], known: Any, where: str) -> None:
    for name in table:
        if name not in known:
            msg = f"{where}: unknown key {safe_repr(name)}{closest(name, known)}"
            raise ValueError(msg)
