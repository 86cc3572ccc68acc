"""Measures from text: the spelling of this project and those of other programs.

Our spelling is ``name(parameter=value, ...)@k``, as in ``ndcg(gain=linear)@10``; a list of
measures also takes several cutoffs at once, ``ndcg@5,10``. Names of trec_eval (``ndcg_cut.10``,
``P_10``, ``recip_rank``), ir_measures (``nDCG@10``, ``AP(rel=2)@100``, ``IPrec@0.1``), WarpRec
(``nDCGRendle2020@10``), ranx (``precision@5-l2``) and XGBoost (``pre@5``) read as the measure they
name. A spelling never implies another program's conventions, which ``convention=`` sets; the minus
sign by which XGBoost counts undefined queries as 0 is refused.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sklearn_rank.exceptions import InvalidParameterError, UnknownMeasureError
from sklearn_rank.measures.catalogue import Measure, Metric, find_metric, hint_of_measure, plain
from sklearn_rank.support.checks import check_cutoff
from sklearn_rank.support.text import safe_repr

__all__ = ["measure", "parse_measures"]

# Strings, compiled when the first measure is read: that took a tenth of the package's import.
_MEASURE = (
    r"(?s)(?P<name>11pt_avg|[A-Za-z][\w\-]*?)(?:\s*\((?P<inner>.*)\))?(?:\s*@\s*(?P<k>[^@()\s]+?))?"
    r"(?:-l(?P<level>\d{1,4000}))?"
)
_TREC_CUTOFF = r"(?P<name>[A-Za-z]\w*?)(?:_at_|[_.])(?P<k>\d+)"
_LETTER = r"(?i)(?P<name>[a-z][\w\-]*?|[a-z].*\))(?:@|[_-]?at[_-]?|_cut[_.]|[_.])k(?:_score)?"
"""A cutoff that was copied from a page, where k stands for a number."""
_FAMILY = r"(?i)(ndcg|map)_cut"
_OF_FUNCTION = "; measure_from(name, function) makes one from a function"
_IN_FUNCTIONS = r"^(?:compute|calculate|calc|get)_|_at_k$"
"""What names of functions have before and after the name of a measure."""
_TREC_RECALL = r"(?P<name>iprec_at_recall)[_.](?P<k>\d*\.?\d+)"
_SEVERAL = r"(?P<name>[^,]*?(?:\([^@]*\))?[@.])(?P<cutoffs>[0-9]+(?:\s*,\s*[0-9]+)+)"
"""One measure with several cutoffs, as in ``ndcg@5,10``."""
_WORD = r"11pt|[A-Za-z][\w\-]*|'[A-Za-z][\w\-]*'|\"[A-Za-z][\w\-]*\""
_NUMBER_LIST = r"[\d\s.,:eE+\-(){}]{1,100000}"
_LONGEST_NAME = 100_000
_DEEPEST = 32
"""Deepest nesting of measures: far more than needed, far less than the recursion limit."""
_DCG_SPELLINGS = {"log2": "linear", "exp-log2": "exp2"}
_IMPLIED: dict[str, tuple[str, dict[str, Any]]] = {
    "f1": ("fbeta", {"beta": 1.0}),
    "ndcgburges": ("ndcg", {"gain": "exp2"}),
    "dcgburges": ("dcg", {"gain": "exp2"}),
    "ndcgrendle2020": ("ndcg", {"gain": "binary"}),
    "relativep": ("recall", {"denominator": "min"}),
}


def measure(spec: str | Measure, k: int | None = None, **parameters: Any) -> Measure:
    """Make a measure from its name or spelling.

    Parameters
    ----------
    spec : str or Measure
        A metric's name or any spelling that the parser reads.
    k : int, default=None
        Cutoff, in ranks; only if ``spec`` sets none. None reads the whole ranking.
    **parameters
        Parameters of the metric; see the table of metrics.

    Returns
    -------
    measure : Measure
        Frozen and hashable; ``str(measure)`` parses back to an equal measure, unless it comes from
        :func:`measure_from`. For range, ties and undefined cases see the function of the metric.

    Raises
    ------
    UnknownMeasureError
        If the name or spelling is unknown; the message suggests close names.
    InvalidParameterError
        If a parameter is unknown, has a wrong value, or is set twice.

    References
    ----------
    .. [1] trec_eval, https://github.com/usnistgov/trec_eval
    .. [2] MacAvaney et al., Streamlining Evaluation with ir-measures, 2022.
    .. [3] Bassani, ranx, 2022.

    Examples
    --------
    >>> from sklearn_rank import measure
    >>> str(measure("nDCG@10", gain="linear"))
    'ndcg(gain=linear)@10'
    >>> measure("P_10") == measure("precision@10") == measure("precision", k=10)
    True
    """
    if "measures" in parameters:
        parameters["measures"] = parse_measures(parameters["measures"], distinct=False)
    if isinstance(spec, Measure):
        result = spec
    elif isinstance(spec, str) or _is_of_ir_measures(spec):
        spec = str(spec)
        if len(spec) > _LONGEST_NAME:
            msg = f"{safe_repr(spec)} is longer than {_LONGEST_NAME:,} characters"
            raise UnknownMeasureError(msg)
        letter = None if k is None else re.fullmatch(_LETTER, spec.strip())
        result = _parse(letter["name"] if letter else spec)
        if k is None and re.fullmatch(_FAMILY, spec.strip()):
            msg = f"{safe_repr(spec)} has several cutoffs in trec_eval; name them, as in "
            msg += f"'{spec.strip()}.5,10'"
            raise UnknownMeasureError(msg)
    else:
        msg = f"a measure must be a str or Measure, got {type(spec).__name__}: {safe_repr(spec)}"
        if callable(spec):
            msg += _OF_FUNCTION
        if isinstance(spec, (int, tuple)):
            msg += "; a cutoff is written 'ndcg@10'"
        raise TypeError(msg)
    twice = sorted(result.given & parameters.keys())
    if twice or (k is not None and result.k is not None and k != result.k):
        msg = f"{twice[0] if twice else 'k'} is set twice for {safe_repr(str(spec))}"
        raise InvalidParameterError(msg)
    if not parameters and k is None:
        return result
    given = dict(result.parameters)
    changed = Measure.of(result.metric, result.k if k is None else k, **given, **parameters)
    return replace(changed, given=result.given | parameters.keys())


def _is_of_ir_measures(spec: Any) -> bool:
    """Whether this is a measure of ir_measures, such as ``nDCG @ 10``."""
    return type(spec).__module__.partition(".")[0] == "ir_measures"


def hint_of_function(name: str) -> str:
    """``; ...`` for a function or class that another program has for a measure, or nothing."""
    spelled, says = re.sub(_IN_FUNCTIONS, "", name), "evaluate(y_true, y_score, {!r}) computes it"
    try:
        return f"; {says.format(str(measure(spelled)))}"
    except ValueError:
        return hint_of_measure(spelled, says)


def parse_measures(measures: Any, *, distinct: bool = True) -> tuple[Measure, ...]:
    """Measures from one spelling or record, or from a sequence of them."""
    if isinstance(measures, (str, Measure)) or _is_of_ir_measures(measures):
        measures = (measures,)
    if not isinstance(measures, Iterable) or isinstance(measures, Mapping):
        msg = f"measures must be a str, a Measure or a sequence of them, got {safe_repr(measures)}"
        if isinstance(measures, Mapping) and not all(isinstance(k, int) for k in measures.values()):
            msg += "; the order is y_true, y_score, measures"
        elif isinstance(measures, Mapping):
            msg += "; a cutoff is written 'ndcg@10'"
        elif callable(measures):
            msg += _OF_FUNCTION
        raise TypeError(msg)
    parsed: list[Measure] = []
    measures = tuple(measures)
    for spec in measures:
        may_be_several = isinstance(spec, str) and "," in spec
        several = re.fullmatch(_SEVERAL, spec.strip()) if may_be_several else None
        if several is None:
            parsed.append(measure(spec))
        else:
            cutoffs = several["cutoffs"].split(",")
            parsed += [measure(f"{several['name']}{cutoff.strip()}") for cutoff in cutoffs]
    if not parsed:
        msg = "measures is empty; name at least one"
        raise ValueError(msg)
    twice = [wanted for number, wanted in enumerate(parsed) if wanted in parsed[:number]]
    if distinct and twice:
        raise ValueError(named_twice(twice[0], measures))
    return tuple(parsed)


def named_twice(wanted: Measure, specs: Iterable[Any]) -> str:
    """Message that these spellings have a measure twice, with one that is not its name."""
    name = str(wanted)
    others = (spec for spec in specs if isinstance(spec, str) and "," not in spec)
    alike = (spec for spec in others if name != spec.strip() and measure(spec) == wanted)
    told = [f"; {safe_repr(spec)} is {name}" for spec in alike]
    return f"measures has {name} twice{''.join(told[:1])}"


@lru_cache(maxsize=256)
def _parse(text: str, level: int = 0) -> Measure:
    if level > _DEEPEST:
        msg = f"{safe_repr(text)} nests measures too deeply"
        raise UnknownMeasureError(msg)
    stripped = re.sub(r"^rbp(\.\d+)", r"rbp(persistence=0\1)", text.strip())  # ranx's rbp.95
    if stripped.endswith("-"):
        msg = (
            f"{safe_repr(text)}: XGBoost's minus sign counts undefined queries as 0; write "
            f"{safe_repr(stripped.rstrip('-'))} and zero_division=0.0"
        )
        raise UnknownMeasureError(msg)
    letter = re.fullmatch(_LETTER, stripped)
    if letter and find_metric(letter["name"].partition("(")[0]).takes_k:
        msg = (
            f"the k in {safe_repr(text)} stands for a number; write a cutoff, as in "
            f"'{letter['name']}@10', or {letter['name']!r} for whole rankings"
        )
        raise InvalidParameterError(msg)
    trec = re.fullmatch(_TREC_RECALL, stripped) or re.fullmatch(_TREC_CUTOFF, stripped)
    match = re.fullmatch(_MEASURE, f"{trec['name']}@{trec['k']}" if trec else stripped)
    if match is None:
        parts = [part for part in re.split(r"[,;\s]+", text) if part]
        spaced = re.fullmatch(r"([A-Za-z][\w\-]*)\s+(?:at\s+)?(\d{1,9})", stripped)
        advice = "spell it like 'ndcg(gain=linear)@10'"
        if len(parts) > 1 and all(re.fullmatch(_MEASURE, part) for part in parts):
            advice = "it looks like several: pass a list, or on the command line -m for each"
        if spaced:
            advice = f"did you mean '{spaced[1]}@{spaced[2]}'?"
        msg = f"{safe_repr(text)} is not a measure; {advice}"
        raise UnknownMeasureError(msg)
    name, cutoff, min_rel = plain(match["name"]), match["k"], match["level"]
    canonical, implied = _IMPLIED.get(name, (match["name"], {}))
    metric = find_metric(canonical)
    parameters, members, k = dict(implied), [], None
    if cutoff is not None and metric.name == "iprec":
        parameters["recall"] = _value(cutoff, text)
    elif cutoff is not None:
        if not re.fullmatch(r"[0-9]{1,4000}", cutoff):
            msg = f"the cutoff of {safe_repr(text)} must be a whole number, got {safe_repr(cutoff)}"
            if "," in cutoff:
                msg += f"; several are written '{metric.name}@5,10'"
            raise InvalidParameterError(msg)
        k = check_cutoff(int(cutoff), safe_repr(text))
    for argument in _arguments(match["inner"] or ""):
        key, equals, value = argument.partition("=")
        if not equals or "(" in key:
            members.append(_parse(argument, level + 1))
        else:
            _add(parameters, metric, key.strip(), _value(value.strip(), text), text)
    if name == "setf" and isinstance(parameters.get("beta"), (int, float)):
        # The parameter of ir_measures' and trec_eval's F is the square of beta.
        parameters["beta"] = math.sqrt(max(parameters["beta"], 0.0))
    if min_rel is not None:
        _add(parameters, metric, "min_rel", int(min_rel), text)
    if members and not metric.combines:
        msg = f"{metric.name} does not combine other measures, got {safe_repr(text)}"
        raise InvalidParameterError(msg)
    if members:
        parameters["measures"] = tuple(members)
    return Measure.of(metric, k, **parameters)


def _add(parameters: dict[str, Any], metric: Metric, key: str, value: Any, text: str) -> None:
    """Add one parameter; parameters of ir_measures get their names here."""
    if key == "rel":
        key = "min_rel"
    elif key == "dcg" and isinstance(value, str):
        key, value = "gain", _DCG_SPELLINGS.get(value, value)
    elif key == "p" and metric.name == "rbp":
        key = "persistence"
    if key == "k":
        msg = f"the cutoff goes after @, as in {metric.name}@10, got {safe_repr(text)}"
        raise InvalidParameterError(msg)
    if key in parameters:
        msg = f"{key} is set twice in {safe_repr(text)}"
        raise InvalidParameterError(msg)
    is_none = value == "none" and metric.defaults.get(key, "none") is None
    parameters[key] = None if is_none else value


def _arguments(inner: str) -> list[str]:
    """The text between parentheses, split at commas outside of inner brackets."""
    parts, level, start = [], 0, 0
    for position, character in enumerate(f"{inner},"):
        level += (character in "({") - (character in ")}")
        if character == "," and level == 0:
            parts.append(inner[start:position].strip())
            start = position + 1
    # Brackets that do not match keep the rest together, which is then refused as a whole.
    parts.append(inner[start:].strip())
    return [part for part in parts if part]


def _value(text: str, spelling: str) -> Any:
    """A word, a number, or numbers in brackets."""
    if re.fullmatch(_WORD, text):
        word = text.strip("'\"")
        return {"true": True, "false": False}.get(word.lower(), word)
    try:
        if re.fullmatch(_NUMBER_LIST, text):
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    msg = f"{safe_repr(text)} in {safe_repr(spelling)} is neither a number nor a word"
    raise InvalidParameterError(msg)
