"""The HTML report of gates: a section for each gate, like the page of its comparison."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn_rank.comparison.result import comparisons_of
from sklearn_rank.evaluation.base import item_function, text_function
from sklearn_rank.gates.verdict import BROKEN, UNREMARKABLE, GateResult, State
from sklearn_rank.support.text import count, line, shown
from sklearn_rank.view.page import MOST_NAMED, Direction, Report, Section, Verdict, page, provenance
from sklearn_rank.view.queries import MOST_BYTES, size_of, without_items
from sklearn_rank.view.summary import TITLE, GateRun, Summary, answer, failures, tally
from sklearn_rank.view.systems import compared_section, single_section, with_queries


def section_of(result: GateResult, query_text: Any = None, item_text: Any = None) -> Section:
    """The grid of a gate and its queries; for one system if not all measures are compared."""
    evaluation: Any = result.evaluation
    compared: Any = evaluation
    if result.joined is not None and {*result.joined.measures} == {*result.measures}:
        compared = comparisons_of([result.joined], result.alpha)[0]
    labels = zip(evaluation.query_ids, result.labels, strict=True) if result.labels else ()
    by_query = {query: parts_of for query, parts_of in labels if parts_of}
    parts = compared.by_slice(by_query) if by_query else {}
    make = single_section if compared is evaluation else compared_section
    section = make(compared, parts, result)
    shown_as = text_function(query_text), item_function(item_text)
    return with_queries(section, compared, Verdict("", "same"), parts, shown_as, None, result)


def html_text(summary: Summary) -> str:
    """Every gate with its queries, failed gates first.

    Items of queries are listed while there is room.
    """
    room, sections = MOST_BYTES, []
    runs, failed = summary.ranked, summary.failed
    for run in runs:
        section = _with_words(run, is_alone=len(runs) == 1)
        if section.queries is not None:
            room -= size_of(section.queries)
            if room < 0:
                section = replace(section, queries=without_items(section.queries))
        sections.append(section)
    kind: Any = "worse" if failed or summary.problems else "better" if runs else "same"
    title = TITLE.capitalize()
    about = (title, tally(summary.gates), *provenance())
    sentence, details = answer(summary), list[str]()
    if len(runs) > 1:  # a row for each gate to look at
        graves = [run for run in runs if run.failed or run.state == State.NOT_CONFIRMED]
        details = [
            f"{shown(run.record['name'], limit=60)}: {line(run.record['headline'])}"
            for run in graves[:MOST_NAMED]
        ]
        more = len(graves) - MOST_NAMED
        details += [f"{count(more, 'more gate')} below"] * (more > 0)
        if failed:
            sentence = failures(summary)
    verdict = Verdict(sentence, kind, tuple(details))
    problems = tuple(map(line, summary.problems))
    return page(Report(title, verdict, tuple(sections), about, problems))


def _with_words(run: GateRun, *, is_alone: bool) -> Section:
    """The section of a gate with its name and decision; if alone, its headline is the answer."""
    record, section = run.record, run.section or Section(("new",), (), (), ())
    state, headline = record["state"], record["headline"]
    direction: Direction = "worse" if run.failed or state in BROKEN else ""
    told = [*record["warnings"], *record["notes"], record["outlook"]]
    notes = [*filter(None, [record["losses"], *told])]
    return replace(
        section,
        title=shown(record["name"], limit=200),
        badge="FAIL" if run.failed else state.upper(),
        direction="better" if not run.failed and state in UNREMARKABLE else direction,
        lead="" if is_alone and run.failed else headline,
        notes=tuple(line(text, 1000) for text in notes),
        message=record["message"] if record["message"] != headline else "",
    )
