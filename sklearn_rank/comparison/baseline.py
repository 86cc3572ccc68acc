"""Baselines: what one gate recorded, one query per line, with a checksum of the content.

A file holds the values and ranks that are needed to judge the next run and to explain a drop. It
has no dates, hosts or versions, so that the same system writes the same bytes anywhere.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec
import numpy as np

from sklearn_rank.evaluation.base import BaseEvaluation
from sklearn_rank.kernels.binary import unjudged_share
from sklearn_rank.kernels.custom import CustomKernel
from sklearn_rank.measures.custom import measure_from
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.placements import Placement
from sklearn_rank.rankings.reading import FLEETING
from sklearn_rank.support.constants import DEFAULT_CUTOFF, RECORDED_DECIMALS
from sklearn_rank.support.disk import replace_file
from sklearn_rank.support.text import safe_repr, safe_text

BASELINE_FORMAT = "rank-baseline/2"
MAX_BASELINE_BYTES = 256 * 2**20
"""Two million queries, whose lines take some gigabytes to read."""
RECORDED_ITEMS = 10
"""First items of each ranking that are recorded, relevant or not."""

# The content -------------------------------------------------------------------------------------

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=10**15)]
Tied: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[1-9][0-9]{0,14}-[1-9][0-9]{0,14}$")]
Rank: TypeAlias = Annotated[int, msgspec.Meta(ge=1, lt=10**15)] | Tied
"""Rank of an item: 3, or "3-5" within a tie."""


class QueryRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One query."""

    id: str
    judged: str
    """Digest of its judgements."""
    values: dict[str, float | None]
    """Values of each measure that is not pooled; None if it is undefined."""
    spread: dict[str, float | None] | None = None
    """Standard deviations between repeated runs; None for a single run."""
    n: Count = 0
    """Length of its ranking."""
    found: dict[str, Rank] | None = None
    """Ranks of the relevant items that were retrieved; by number if items have no ids."""
    grades: list[float] | None = None
    """Grades of these items, if they have no ids."""
    top: list[str] = []
    """First items of the ranking."""
    weight: float | None = None
    cluster: str | None = None
    slices: list[str] | None = None
    outside: list[str] = []
    """Relevant items that were not in the collection, if one was given."""


class MeasureRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One measure over all queries."""

    value: float
    queries: Count
    """Number of queries that were averaged, or ranked together."""
    definition: dict[str, str]
    """Parameters that the values depend on, in addition to the data."""
    spread: float | None = None
    """Standard deviation of the value between repeated runs; None for a single run."""


class Baseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The recorded state of one gate."""

    format: str
    name: str
    """Name of the gate."""
    seal: str
    """Digest of everything else: a checksum against accidents, not a signature."""
    reading: dict[str, str]
    """How the data was read."""
    measures: dict[str, MeasureRecord]
    queries: list[QueryRecord]
    slices: dict[str, dict[str, float]] = {}
    """Values of each slice by measure."""
    runs: Count = 1
    """Number of repeated runs that the values are means of; ranks come from the first."""
    top: Count = 0
    """Number of ranks that ``unjudged`` is a share of."""
    unjudged: float | None = None
    """Share of the items in the first ranks that nobody judged; None if all count as judged."""


def _seal_of(baseline: Baseline) -> str:
    unsealed = msgspec.structs.replace(baseline, seal="")
    return sha256(msgspec.json.encode(unsealed, order="deterministic")).hexdigest()[:16]


# Reading -----------------------------------------------------------------------------------------


class BaselineError(ValueError):
    """A baseline file cannot be read, cannot be written, or cannot hold an id."""


@cache
def _decoder() -> msgspec.json.Decoder[Baseline]:
    return msgspec.json.Decoder(Baseline)


def load(path: Path, shown: str) -> tuple[Baseline, bytes] | None:
    """A file's baseline and bytes; None if there is no file, BaselineError if it is faulty."""
    if not os.path.lexists(path):
        return None
    try:
        state = path.stat()
        # Reading a pipe would wait for somebody to write.
        _need(stat.S_ISREG(state.st_mode), "it is not a regular file")
        _need(
            state.st_size <= MAX_BASELINE_BYTES, f"it is larger than {MAX_BASELINE_BYTES:,} bytes"
        )
        read = path.read_bytes()
        try:
            baseline = _decoder().decode(read)
        except msgspec.MsgspecError as error:
            # Another version would have other fields.
            _check_format(msgspec.json.decode(read, type=_Format).format)
            _need(not isinstance(error, msgspec.ValidationError), f"{error}; {_OF_ANOTHER}")
            raise
        _check_format(baseline.format)
        whole = baseline.seal == _seal_of(baseline)
        _need(
            whole,
            "it was changed after recording; restore the file, or delete it and record it again",
        )
    except (OSError, ValueError, RecursionError, msgspec.MsgspecError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        msg = f"baseline {shown} cannot be read: {safe_text(reason, limit=300)}"
        raise BaselineError(msg) from error
    return baseline, read


_OF_ANOTHER = (
    "if another version wrote it, delete it and record it again with pytest --rank-update or "
    "sklearn-rank gate --update"
)


class _Format(msgspec.Struct):
    format: str


def _check_format(given: str) -> None:
    rule = f"its format is {given[:40]!r}, not {BASELINE_FORMAT!r}; {_OF_ANOTHER}"
    if given.startswith("rank-report/"):
        rule = "it is a report of --rank-json or --json; a baseline is NAME.rank.json"
    _need(given == BASELINE_FORMAT, rule)


def _need(holds: bool, rule: str, error: type[ValueError | OSError] = ValueError) -> None:
    if not holds:
        raise error(rule)


def span(rank: Rank) -> tuple[int, int]:
    """First and last rank of an item: the same unless it is tied."""
    if isinstance(rank, int):
        return rank, rank
    first, last = map(int, rank.split("-"))
    return first, last


def rank_of(above: int, tied: int) -> Rank:
    """A rank as it is stored and shown."""
    return above + 1 if tied == 1 else f"{above + 1}-{above + tied}"


# Writing -----------------------------------------------------------------------------------------


def as_text(baseline: Baseline) -> str:
    """The file: one query on each line, without terminal control characters."""
    sealed = msgspec.structs.replace(baseline, seal=_seal_of(baseline))
    content = msgspec.to_builtins(msgspec.structs.replace(sealed, queries=[]))
    lines = []
    for name, value in content.items():
        if name in ("measures", "slices") and value:
            rows = (f"    {_json(key)}: {_json(row)}" for key, row in value.items())
            lines.append(f'  "{name}": {{\n' + ",\n".join(rows) + "\n  }")
        elif name != "queries":
            lines.append(f'  "{name}": {_json(value)}')
    rows = (f"    {_json(query)}" for query in sealed.queries)
    lines.append('  "queries": [\n' + ",\n".join(rows) + "\n  ]")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _json(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return _UNSAFE.sub(_escaped, text)


_UNSAFE = re.compile(r"[^\x00-\x7e]")


def _escaped(match: re.Match[str]) -> str:
    return match[0] if match[0].isprintable() else json.dumps(match[0])[1:-1]


def write(path: Path, baseline: Baseline, shown: str) -> None:
    """Replace the whole file at once: a crash or a full disk leaves the old one as it was."""
    content = as_text(baseline).encode()
    try:
        rule = f"it would have {len(content):,} bytes, but at most {MAX_BASELINE_BYTES:,} are read"
        _need(len(content) <= MAX_BASELINE_BYTES, rule, OSError)
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, content)
    except OSError as error:
        left = "the old one is unchanged" if path.exists() else "nothing was written"
        msg = f"baseline {shown} cannot be written: {error.strerror or error}; {left}"
        raise BaselineError(msg) from error


# Recording ---------------------------------------------------------------------------------------


def record(
    evaluation: BaseEvaluation,
    name: str,
    slices: Mapping[str, tuple[Sequence[int], BaseEvaluation]] | None = None,
) -> Baseline:
    """The baseline of an evaluation; ``slices`` are numbers of queries and evaluations."""
    parts = slices or {}
    columns = _columns(evaluation, parts)
    fields = list(columns)
    rows = zip(*columns.values(), strict=True)
    queries = [QueryRecord(**dict(zip(fields, row, strict=True))) for row in rows]
    top = depth_of(evaluation.measures)
    is_partial = evaluation.assumed == "partial"
    share = (
        unjudged_share(evaluation.ranking_data.rankings.widened(), k=top) if is_partial else None
    )
    return Baseline(
        format=BASELINE_FORMAT,
        name=name,
        seal="",
        reading=reading_of(evaluation),
        measures={
            measure: MeasureRecord(
                value=round(float(evaluation[measure]), RECORDED_DECIMALS),
                queries=averaged_queries(evaluation, measure),
                definition=definition_of(scored.measure),
                spread=run_deviation(evaluation, measure),
            )
            for measure, scored in evaluation.scored.items()
        },
        queries=sorted(queries, key=lambda query: query.id),
        slices={
            label: {
                measure: round(float(part[measure]), RECORDED_DECIMALS)
                for measure in evaluation
                if not math.isnan(part[measure])
            }
            for label, (_, part) in sorted(parts.items())
        },
        runs=len(evaluation.runs),
        top=top if is_partial else 0,
        unjudged=None if share is None else round(share, RECORDED_DECIMALS),
    )


def depth_of(measures: Iterable[Measure]) -> int:
    """Depth to which unjudged items are counted: the first cutoff of some measures."""
    return next((measure.k for measure in measures if measure.k is not None), DEFAULT_CUTOFF)


def run_deviation(evaluation: BaseEvaluation, name: str) -> float | None:
    """Standard deviation of a value between repeated runs; None for a single run."""
    values = [run[name] for run in evaluation.runs]
    return round(float(np.std(values, ddof=1)), RECORDED_DECIMALS) if len(values) > 1 else None


def reading_of(evaluation: BaseEvaluation) -> dict[str, str]:
    """Reading options, which must match the baseline's."""
    settled = [scored.zero_division for scored in evaluation.scored.values()]
    options = {**evaluation.reading.options, "zero_division": settled[0]}
    return {name: str(value) for name, value in options.items() if value != ""}


def averaged_queries(evaluation: BaseEvaluation, name: str) -> int:
    """Number of queries in a mean."""
    scored = evaluation.scored[name]
    return len(evaluation.query_ids) if scored.measure.is_pooled else scored.average.n_averaged


def _columns(evaluation: BaseEvaluation, slices: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
    """Fields of the records of all queries."""
    keys = keys_of(evaluation.query_ids, "queries")
    columns: dict[str, Sequence[Any]] = {
        "id": keys,
        "judged": judged_digests(evaluation),
        "values": _by_query(evaluation.per_query, len(keys)),
        "weight": weights_of(evaluation),
        "cluster": clusters_of(evaluation),
        "n": evaluation.n_ranked.tolist(),
    }
    if len(evaluation.runs) > 1:
        spreads = {name: evaluation.spread(name) for name in evaluation.per_query}
        columns["spread"] = _by_query(spreads, len(keys))
    if slices:
        columns["slices"] = labels_of(slices, len(keys))
    outside = evaluation.ranking_data.outside
    if outside is not None:
        columns["outside"] = [sorted(map(key_of, items)) for items in outside]
    placements, has_ids = evaluation.placements(), evaluation.item_ids is not None
    columns["found"] = [_found(placement, has_ids=has_ids) for placement in placements]
    if has_ids:
        columns["top"] = [list(map(key_of, one.ranking[:RECORDED_ITEMS])) for one in placements]
    else:
        columns["grades"] = [[hit.grade for hit in one.hits] for one in placements]
    return columns


def _found(placement: Placement, *, has_ids: bool) -> dict[str, Rank]:
    """Rank of each relevant item that was retrieved, by its number if items have no ids."""
    hits = placement.hits
    keys = [f"#{number}" for number in range(1, len(hits) + 1)]
    if has_ids:
        keys = keys_of([hit.item for hit in hits], "items")
    return {key: rank_of(hit.above, hit.tied) for key, hit in zip(keys, hits, strict=True)}


def labels_of(slices: Mapping[str, Any], n: int) -> list[list[str]]:
    """Labels of each query, from the query numbers of each slice."""
    labels: list[list[str]] = [[] for _ in range(n)]
    for label in sorted(slices):
        for number in slices[label][0]:
            labels[number].append(label)
    return labels


def _by_query(columns: Mapping[str, Any], n: int) -> list[dict[str, float | None]]:
    """Rows of some columns, None for NaN."""
    values = [
        [
            None if value != value else value
            for value in np.round(column, RECORDED_DECIMALS).tolist()
        ]
        for column in columns.values()
    ]
    rows = zip(*values, strict=True) if columns else [()] * n
    return [dict(zip(columns, row, strict=True)) for row in rows]


def judged_digests(evaluation: BaseEvaluation) -> list[str]:
    """Digest of the judgements of each query; without ids, of its grades and length."""
    judgements, rankings = evaluation.reading.judgements, evaluation.ranking_data.rankings.widened()
    if judgements is not None:
        return [f"{digest:016x}" for digest in judgements.digests.tolist()]
    grades, lengths = rankings.relevant_grades.tolist(), rankings.n_ranked.tolist()
    borders = pairwise(rankings.relevant_offsets.tolist())
    of_queries = [sorted(grades[first:last], reverse=True) for first, last in borders]
    return [_digest(pair) for pair in zip(of_queries, lengths, strict=True)]


def _digest(value: Any) -> str:
    return sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()[:12]


def weights_of(evaluation: BaseEvaluation) -> list[float | None]:
    """Weights of the queries, rounded as they are recorded."""
    weights = evaluation.sample_weight
    if weights is None:
        return [None] * len(evaluation.query_ids)
    return [float(f"{weight:.6g}") for weight in weights.tolist()]


def clusters_of(evaluation: BaseEvaluation) -> list[str | None]:
    """Label of each query's cluster."""
    labels = evaluation.clusters
    if labels is None:
        return [None] * len(evaluation.query_ids)
    return [stable_key(label, "clusters") for label in labels.tolist()]


# Definitions: what the values of a measure depend on, in addition to the data ---------------------


_OWN_FIELDS = ("lower", "upper", "greater_is_better")
"""Range and direction of a measure that is not in the catalogue."""


def own_measure(name: str, definition: Mapping[str, str]) -> Measure | None:
    """The measure of a definition with its own range and direction; None for a metric."""
    if "own" not in definition:
        return None
    lower, upper, greater = (definition.get(field, "") for field in _OWN_FIELDS)
    try:
        ends = float(lower), float(upper)
    except ValueError:
        msg = f"the baseline has no range of {safe_repr(name)}; record it again"
        raise BaselineError(msg) from None
    return measure_from(name, range=ends, greater_is_better=greater != "False")


def definition_of(measure: Measure) -> dict[str, str]:
    """Parameters that the values of a measure depend on, in addition to the data."""
    definition = {"version": str(measure.metric.version), "k": str(measure.k)}
    kernel = measure.metric.kernel
    if isinstance(kernel, CustomKernel):
        name = getattr(kernel.function, "__name__", type(kernel.function).__name__)
        function = "values" if kernel.function is None else f"<{name}>"
        definition["own"] = function
        ends = (kernel.lower, kernel.upper, measure.metric.greater_is_better)
        definition |= dict(zip(_OWN_FIELDS, map(str, ends), strict=True))
    definition |= {name: _option(value) for name, value in measure.options.items()}
    return definition


def redefined(recorded: MeasureRecord, measure: Measure) -> str:
    """``k=5, recorded with 10``: parameters of a measure that differ from the recorded ones."""
    then, now = recorded.definition, definition_of(measure)
    return ", ".join(
        f"{key}={now.get(key, '-')}, recorded with {then.get(key, '-')}"
        for key in dict.fromkeys([*then, *now])
        if then.get(key, "-") != now.get(key, "-")
    )


def _option(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_option, value))})"
    return str(value)


# Ids as keys of JSON: the same text in every run and with every version of NumPy ------------------


def key_of(value: Any) -> str:
    """A query or item id as a key of JSON."""
    if type(value) is str and value.isascii():
        return value

    def plain(key: Any) -> Any:
        """Python's own type: the repr of NumPy scalars differs between its versions."""
        if isinstance(key, np.generic):
            return key.item()
        return tuple(map(plain, key)) if type(key) is tuple else key

    text = value if isinstance(value, str) else str(plain(value))
    return text.encode("utf-8", "backslashreplace").decode()


def stable_key(value: Any, what: str) -> str:
    """Key of an id; BaselineError if it would differ in another run."""
    key = key_of(value)
    if isinstance(value, (str, int)) or not (isinstance(value, frozenset) or FLEETING.search(key)):
        return key
    msg = (
        f"{what}: the text of {safe_repr(value)} differs in every run, so a baseline would never "
        "fit; give its type a __str__, or pass string_provider or query_ids"
    )
    raise BaselineError(msg)


def keys_of(values: Iterable[Any], what: str) -> list[str]:
    """Keys of some ids; BaselineError if two collide, or one would differ in another run."""
    values = list(values)
    seen: dict[str, Any] = {}
    for value in values:
        key = value if type(value) is str and value.isascii() else stable_key(value, what)
        if seen.setdefault(key, value) is not value and seen[key] != value:
            both = f"{safe_repr(seen[key])} and {safe_repr(value)}"
            msg = f"{what} {both} would be the same in a baseline; rename one of them"
            raise BaselineError(msg)
    return list(seen) if len(seen) == len(values) else [key_of(value) for value in values]
