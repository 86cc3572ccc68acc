"""``sklearn-rank gate``: rankings in files against limits and baselines, for any language."""

from __future__ import annotations

import argparse
import shlex
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sklearn_rank.cli.options import GATE_OPTIONS, LIMITS, duplicates_of
from sklearn_rank.cli.reading import (
    Reader,
    read_items,
    read_labels,
    read_values,
    refuse_repeated_input,
)
from sklearn_rank.cli.terminal import FAILED, GATE_FAILED, shown
from sklearn_rank.exceptions import UnknownMeasureError
from sklearn_rank.gates.gate import failed, judge_gate
from sklearn_rank.gates.limits import (
    DIRECTORY,
    EXTENSION,
    LIMITS_ELSEWHERE,
    Settings,
    file_name,
    in_ci,
    read_arguments,
)
from sklearn_rank.gates.verdict import BaselineFile, GateResult, RankGateFailure
from sklearn_rank.inputs.roles import Columns
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.support.disk import readable
from sklearn_rank.support.runtime import waiting
from sklearn_rank.support.text import count, format_list, hint, safe_repr, safe_text
from sklearn_rank.view.reports import REPORTS, write_reports, write_step_summary
from sklearn_rank.view.summary import GateRun, Summary, print_summary
from sklearn_rank.view.words import warnings_of

if TYPE_CHECKING:
    from sklearn_rank.view.page import Section

WRITING = ("--update", "--accept")
_FILES = (
    "qrels",
    "run",
    "queries",
    "slices",
    "clusters",
    "collection",
    "query_text",
    "item_text",
)
_KEYS = (
    "name",
    *_FILES,
    "qrels_column",
    "run_column",
    "grades",
    *LIMITS,
    *GATE_OPTIONS,
    "slice_at_least",
    "ties",
    "sample_weight",
    "values",
    "totals",
    "duplicates",
)
"""Keys of a gate in a TOML file: files, and arguments of ``rank_gate.check``."""


@dataclass(frozen=True)
class FileGate:
    """A gate over one pair of files."""

    name: str
    files: Mapping[str, str]
    reader: Reader
    arguments: Mapping[str, Any]
    """Arguments of ``rank_gate.check``."""

    def data(self) -> tuple[Any, Any]:
        """Judgements and rankings."""
        return self.reader.qrels(self.files["qrels"]), self.reader.runs(self.files["run"])


@dataclass(frozen=True)
class Baselines:
    """Directory of the baselines, and permission to write them."""

    directory: Path
    writes: Literal["", "update", "accept"]
    command: str
    """The command as typed, without the options that write."""

    def file(self, name: str) -> BaselineFile:
        """The baseline of a gate."""
        path = self.directory / file_name(name)
        commands = f"{self.command} --update", f"{self.command} --accept"
        return BaselineFile(path, path.as_posix(), *commands, writes=self.writes)

    def unused(self, gates: Sequence[FileGate]) -> list[str]:
        """Baselines in the directory that belong to no gate."""
        used = {file_name(gate.name) for gate in gates}
        names = (path.name for path in self.directory.glob(f"*{EXTENSION}"))
        return sorted(name for name in names if name not in used and not name.startswith("."))


def run(arguments: argparse.Namespace) -> int:
    """Judge all gates, report, and return whether all passed."""
    path, table = _configuration(arguments)
    gates = [_gate(gate, path, arguments) for gate in table["gate"]]
    files = [file_name(gate.name) for gate in gates]
    twice = [gate.name for gate in gates if files.count(file_name(gate.name)) > 1]
    if twice:
        msg = f"two gates have the baseline {shown(file_name(twice[0]))}; rename one of them"
        raise ValueError(msg)
    baselines, settings = _baselines(arguments, table, path), _settings(arguments, table)
    detail: Any = "page" if arguments.html else "rates" if arguments.json else ""
    runs, warned = [], []
    with waiting(f"judging {count(len(gates), 'gate')}"):
        for gate in gates:
            try:
                result, section = _judge(gate, baselines, settings, detail)
            except (ValueError, TypeError, OSError, ImportError) as error:
                refused = RankGateFailure(f"could not measure: {safe_text(str(error), limit=2000)}")
                result, section = failed(gate.name, refused), None
            record = {**result.as_dict(), "nodeid": gate.name}
            # A drop that is "not confirmed" is the headline itself.
            texts = [text for text in warnings_of(result) if text not in result.headline]
            warned += [f"{gate.name}: {text}" for text in texts]
            outcome = "passed" if result.passed else "failed"
            runs.append(GateRun(record, gate.name, outcome, section=section))
    unused = baselines.unused(gates) if arguments.config else []
    where = f"baselines in {shown(baselines.directory)} without a gate"
    remarks = [f"{where}: {format_list(unused)}"] if unused else []
    summary = Summary(
        gates=tuple(runs),
        problems=tuple(remarks if settings.strict else ()),
        remarks=(*warned, *(() if settings.strict else remarks)),
        settings=asdict(settings),
        update=f"{baselines.command} --update",
    )
    inputs = [arguments.config, *(file for gate in gates for file in gate.files.values())]
    targets = {name: getattr(arguments, name) for name in REPORTS}
    complaints = write_reports(summary, targets, inputs=inputs)
    said = write_step_summary(summary, arguments.markdown, inputs)
    summary = replace(summary, remarks=(*summary.remarks, *said))
    print_summary(summary)
    for complaint in complaints:
        print(f"sklearn-rank gate: {complaint}", file=sys.stderr)
    # A gate without values could not be measured.
    red = [bool(gate.record["measures"]) for gate in summary.gates if gate.failed]
    if (any(red) or (unused and settings.strict)) and not complaints:
        return GATE_FAILED
    return FAILED if red or summary.problems or complaints else 0


def _judge(
    gate: FileGate,
    baselines: Baselines,
    settings: Settings,
    detail: Any,
) -> tuple[GateResult, Section | None]:
    """The verdict on one gate, and its section if ``detail`` is "page".

    A refusal to measure is a failure, as in pytest.
    """
    arguments = read_arguments({**gate.arguments, "name": gate.name}, settings, detail)
    file = baselines.file(gate.name)
    data = gate.data()
    try:
        result = judge_gate(*data, arguments, file)
    except RankGateFailure as failure:
        return failed(gate.name, failure), None
    if detail != "page":
        return result, None
    from sklearn_rank.view.gate_page import section_of

    return result, section_of(result, arguments.query_text, arguments.item_text)


# Gates, as typed or as configured -----------------------------------------------------------------


def _configuration(arguments: argparse.Namespace) -> tuple[Path, dict[str, Any]]:
    """The configuration and its path; options make a configuration of one gate."""
    given = {name: limits_of(name, getattr(arguments, name)) for name in LIMITS}
    given |= {name: getattr(arguments, name) for name in (*GATE_OPTIONS, *_FILES[2:], "name")}
    given |= {"qrels": arguments.qrels, "run": arguments.run_path}
    given |= {"values": dict(arguments.values)}
    gate = {name: value for name, value in given.items() if value not in (None, [], {}, "")}
    words = {"qrels": "QRELS", "run": "RUN", "measures": "--measure"}
    typed = [words.get(name, f"--{name.replace('_', '-')}") for name in gate]
    if arguments.config is None:
        for what in ("QRELS", "RUN", "--name"):
            if what not in typed:
                msg = f"{what} is missing: pass QRELS, RUN and --name, or --config"
                if what == "RUN" and ".json" in (file := arguments.qrels):
                    msg += f"; a file that has both is named twice, {shown(file)} {shown(file)}"
                raise ValueError(msg)
        return Path(), {"gate": [gate]}
    if typed:
        msg = f"--config lists the gates; {' and '.join(typed)} belong in the file"
        raise ValueError(msg)
    path = Path(arguments.config)
    with readable(path, "--config"):
        data = path.read_bytes()
    try:
        table = tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        msg = f"{shown(path)} is not UTF-8 text"
        raise ValueError(msg) from None
    except tomllib.TOMLDecodeError as error:
        msg = f"{shown(path)} is not TOML: {shown(error)}"
        raise ValueError(msg) from None
    _refuse_unknown(table, ("gate", "settings", "baseline_dir"), shown(path))
    gates = table.get("gate")
    if not gates or not isinstance(gates, list) or not all(isinstance(g, dict) for g in gates):
        msg = f"{shown(path)} has no gate; write one as [[gate]] with name, qrels and run"
        raise ValueError(msg)
    return path, table


def limits_of(name: str, pairs: Sequence[tuple[str | None, float | str]]) -> Any:
    """{measure: number}, or one number for all measures; None if there is none."""
    option = f"--{name.replace('_', '-')}"
    alone = [number for measure, number in pairs if measure is None]
    if alone and (len(pairs) > 1 or name in ("at_least", "at_most")):
        number = alone[0] if isinstance(alone[0], str) else f"{alone[0]:g}"
        msg = f"{option} {number} names no measure; write {option}=MEASURE={number}"
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
    """A gate of a configuration; its paths are relative to the file."""
    where = f"{shown(path)}: gate {safe_repr(table.get('name', '?'))}"
    _refuse_unknown(table, _KEYS, where)
    needed = ("name", "qrels", "run")
    for name in ("name", *_FILES):
        given = table.get(name)
        is_text = isinstance(given, str) and bool(given.strip())
        if not is_text and (given is not None or name in needed):
            what = f"{where} has no {name}" if given is None else f"{where}: {name}"
            msg = f"{what}; it must be text" + f", got {safe_repr(given)}" * (given is not None)
            raise ValueError(msg)
    base = path.parent if arguments.config else Path()
    files = {name: table[name] for name in _FILES if name in table}
    files = {name: file if file == "-" else str(base / file) for name, file in files.items()}
    refuse_repeated_input(files["qrels"], files["run"])
    values = table.get("values", {})
    if not isinstance(values, dict) or not all(
        isinstance(value, (str, dict)) for value in values.values()
    ):
        msg = f'{where}: values must be a table of names and files, such as {{ ms = "ms.csv" }}'
        raise ValueError(msg)
    read_here = (*_FILES, "name", "qrels_column", "run_column", "grades", "duplicates")
    given = {name: value for name, value in table.items() if name not in read_here}
    for name, file in values.items():
        if isinstance(file, str):
            files[f"values of {name}"] = path_of = str(base / file)
            given["values"] = {**given["values"], name: read_values(path_of, name)}
    if "slices" in files:
        given["slices"] = read_labels(files["slices"]).get
    if "clusters" in files:
        given["clusters"] = read_labels(files["clusters"], "--clusters")
    if "collection" in files:
        given["collection"] = files["collection"]
    if "query_text" in files:
        given["query_text"] = read_labels(files["query_text"], "--query-text", "text")
    if "item_text" in files:
        given["item_text"] = read_items(files["item_text"])
    grades = table.get("grades")
    if grades is not None and not isinstance(grades, dict):
        msg = f"{where}: grades must be a table of texts and numbers, such as {{ E = 3, I = 0 }}"
        raise ValueError(msg)
    columns = [_columns(table, side, where) for side in ("qrels", "run")]
    several = _duplicates(table.get("duplicates", []), where)
    reader = Reader(arguments, columns[0], columns[1], grades, files.get("queries"), several)
    if "run" in reader.duplicates:
        given["duplicates"] = reader.duplicates["run"]
    return FileGate(table["name"], files, reader, given)


def _duplicates(rules: Any, where: str) -> dict[str, str]:
    """The rule of each side for repeated items, in the words of the option."""
    try:
        return dict(map(duplicates_of, [rules] if isinstance(rules, str) else rules))
    except (argparse.ArgumentTypeError, TypeError) as error:
        msg = f"{where}: duplicates {error}"
        raise ValueError(msg) from None


def _columns(table: Mapping[str, Any], side: str, where: str) -> Columns:
    """Columns of roles as a table names them; TOML has no null, so "" means no column."""
    key = f"{side}_column"
    columns = table.get(key, {})
    if not isinstance(columns, dict) or not all(isinstance(v, str) for v in columns.values()):
        msg = f'{where}: {key} must be a table of roles and names, such as {{ item = "film" }}'
        raise ValueError(msg)
    return {role: name or None for role, name in columns.items()}


def _settings(arguments: argparse.Namespace, table: Mapping[str, Any]) -> Settings:
    settings = dict(table.get("settings", {}))
    _refuse_unknown(settings, Settings.__dataclass_fields__, "settings")
    if arguments.strict:
        settings["strict"] = True
    return Settings(**settings)


def _baselines(arguments: argparse.Namespace, table: Mapping[str, Any], path: Path) -> Baselines:
    """Where baselines are; ValueError if they may not be written, or would be the change's own."""
    if (arguments.update or arguments.accept) and in_ci():
        msg = (
            "--update and --accept are refused in continuous integration, where no run may write "
            "its own baseline; write it in your working copy, and commit it"
        )
        raise ValueError(msg)
    directory = arguments.baseline_dir
    if directory == "":
        msg = "--baseline-dir is empty, so a change would judge itself; name a directory"
        raise ValueError(msg)
    if directory is not None and Path(directory).is_file():
        msg = (
            f"--baseline-dir {shown(directory)} is a file; record a run as the baseline by "
            "'sklearn-rank gate QRELS RUN --name NAME --max-drop 0.02 --update', or name it in "
            "'sklearn-rank compare QRELS BASELINE NEW'"
        )
        raise ValueError(msg)
    if directory is None:
        directory = path.parent / table.get("baseline_dir", DIRECTORY)
    words = ("sklearn-rank", *(word for word in arguments.words if word not in WRITING))
    command = shlex.join(safe_text(word, limit=300) for word in words)
    writes: Any = "accept" if arguments.accept else "update" if arguments.update else ""
    return Baselines(Path(directory), writes, command)


def _refuse_unknown(table: Mapping[str, Any], keys: Any, where: str) -> None:
    for name in table:
        if name not in keys:
            elsewhere = LIMITS_ELSEWHERE if "at_least" in keys else {}
            msg = f"{where}: unknown key {safe_repr(name)}{hint(name, keys, elsewhere)}"
            raise ValueError(msg)
