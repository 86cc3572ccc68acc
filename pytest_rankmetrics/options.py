"""Command-line and ini options: one table, read and checked at the start."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.gates.limits import Settings, in_ci

with suppress(ModuleNotFoundError):  # assertions, and the demonstration, work without pytest
    import pytest

_OPTION_TYPES = {bool: "bool", int: "int", float: "float"}

# Name of each option, how it is parsed, and what it means.
OPTION_TABLE: dict[str, tuple[dict[str, Any], str]] = {
    "--rank-update": (
        {"action": "store_true"},
        "write missing baselines and raise those with a significant gain; never lowers one",
    ),
    "--rank-accept": (
        {"action": "append", "default": [], "metavar": "GLOB"},
        "record what these gates measure, even if it is lower (names or node ids)",
    ),
    "--rank-baseline-dir": (
        {"metavar": "DIR"},
        "read baselines below DIR, a checkout of the target branch, instead of here",
    ),
    "--rank-strict": (
        {"action": "store_true"},
        "also fail on unconfirmed drops, warnings and baselines that no gate read",
    ),
    "--rank-html": ({"metavar": "PATH"}, "write an HTML report with the queries of every gate"),
    "--rank-json": ({"metavar": "PATH"}, "write a JSON report"),
    "--rank-markdown": (
        {"metavar": "PATH"},
        "append a Markdown report to PATH and $GITHUB_STEP_SUMMARY; 'none' writes neither",
    ),
}


# Name, type, default, and what it means.
INI: tuple[tuple[str, Any, Any, str], ...] = (
    *(
        (f"rank_{one.name}", _OPTION_TYPES[type(one.default)], one.default, one.metadata["meaning"])
        for one in fields(Settings)
    ),
    ("rank_required", "linelist", [], "gates (names or node ids) that must run and pass"),
)


def add_options(parser: pytest.Parser) -> None:
    """Declare all options."""
    group = parser.getgroup("rankmetrics", "ranking quality gates")
    for name, (how, meaning) in OPTION_TABLE.items():
        group.addoption(name, **how, help=meaning)
    for name, kind, default, meaning in INI:
        parser.addini(name, f"rankmetrics: {meaning}", type=kind, default=default)


@dataclass(eq=False, repr=False)
class Options:
    """All options of a session."""

    settings: Settings = field(default_factory=Settings)
    update: bool = False
    accept: tuple[str, ...] = ()
    """Gates, as globs, whose baselines may also be lowered."""
    baseline_dir: Path | None = None
    quiet: bool = False
    """Whether gates that pass have no line."""
    required: tuple[str, ...] = ()
    json: str = ""
    html: str = ""
    markdown: str = "auto"
    in_ci: bool = False
    """Whether this runs in continuous integration; tests may change the environment later."""


DEFAULTS = Options()
"""Options of gates that run outside of pytest."""


def read_options(config: pytest.Config) -> Options:
    """All options, checked; UsageError if one is invalid."""
    option, ini = config.getoption, {}
    for name, *_ in INI:
        try:  # pytest checks the type only now
            ini[name] = config.getini(name)
        except (TypeError, ValueError, pytest.UsageError) as error:
            msg = str(error) if name in str(error) else f"{name}: {error}"
            raise pytest.UsageError(msg) from None
    values = {setting.name: ini[f"rank_{setting.name}"] for setting in fields(Settings)}
    values["strict"] = bool(values["strict"] or option("rank_strict"))
    try:
        settings = Settings(**values)
    except InvalidParameterError as error:  # its first word is the name
        msg = f"rank_{error}"
        raise pytest.UsageError(msg) from None
    required = []
    for line in filter(str.strip, ini["rank_required"]):  # node ids as pytest writes them
        file, colons, test = line.partition("::")
        required.append(file.replace("\\", "/") + colons + test if colons else line)
    options = Options(
        settings=settings,
        # Regeneration, whatever the switch is called, is an update.
        update=any(option(name, False) for name in ("rank_update", "force_regen", "regen_all")),
        accept=tuple(option("rank_accept")),
        baseline_dir=_directory(config, option("rank_baseline_dir")),
        # Without the terminal plugin there is no such option.
        quiet=option("verbose", 0) < 0,
        required=tuple(required),
        json=option("rank_json") or "",
        html=option("rank_html") or "",
        markdown=option("rank_markdown") or "auto",
        in_ci=in_ci(),
    )
    for complaint in _complaints(config, options):
        raise pytest.UsageError(complaint)
    return options


def _directory(config: pytest.Config, text: str | None) -> Path | None:
    """The directory of baselines."""
    if text is None:
        return None
    path = (config.invocation_params.dir / text).resolve()
    if not text:
        msg = "--rank-baseline-dir is empty, so a change would be compared with its own baselines"
    elif not path.is_dir():
        msg = f"--rank-baseline-dir: there is no directory {text!r}"
    elif path == config.rootpath.resolve():
        msg = (
            f"--rank-baseline-dir: {text!r} is the project itself, so a change would be compared "
            "with its own baselines"
        )
    else:
        return path
    raise pytest.UsageError(msg)


def _complaints(config: pytest.Config, options: Options) -> Iterator[str]:
    """Options that contradict each other, or that would let a gate judge itself."""
    option = config.getoption
    if hasattr(config, "workerinput"):
        return
    writing = {
        "--rank-update": option("rank_update"),
        "--rank-accept": options.accept,
        "--regen-all": option("regen_all", False),
        "--force-regen": option("force_regen", False),
    }
    try:
        reruns = str(config.getini("reruns")).strip() not in ("", "0", "None")
    except (KeyError, ValueError):  # a setting of another plugin
        reruns = False
    typed = {str(word).partition("=")[0] for word in config.invocation_params.args}
    for what in (name for name, asked in writing.items() if asked):
        if options.baseline_dir is not None:
            yield f"{what} does not write to --rank-baseline-dir; leave one of them out"
        if what not in typed:  # written down in a configuration it would make every run pass
            yield f"{what} belongs on the command line, not in addopts or PYTEST_ADDOPTS"
        if reruns or option("reruns", None):
            yield f"{what} cannot be combined with --reruns: a rerun would use the new baseline"
        if option("numprocesses", None) or option("tx", None):
            yield f"{what} cannot be combined with -n: write baselines in one process"
