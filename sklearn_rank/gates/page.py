"""The HTML report of gates: a section for each, made like the page of its comparison."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sklearn_rank.comparison.baseline import labels_of
from sklearn_rank.comparison.join import Joined
from sklearn_rank.comparison.result import comparisons_of
from sklearn_rank.gates.fit import Slices
from sklearn_rank.gates.verdict import BROKEN, UNREMARKABLE, GateResult
from sklearn_rank.gates.words import line, shown
from sklearn_rank.report.page import Direction, Report, Section, Verdict, page, provenance
from sklearn_rank.report.queries import MOST_BYTES, Texts, size_of, without_items
from sklearn_rank.report.systems import compared_section, single_section, with_queries

if TYPE_CHECKING:
    from sklearn_rank.gates.summary import GateRun, Summary


def section_of(result: GateResult, joined: Joined | None, slices: Slices, texts: Texts) -> Section:
    """The grid of a gate and its queries; for one system if not all measures are compared."""
    evaluation: Any = result.evaluation
    compared: Any = evaluation
    if joined is not None and {*joined.measures} == {*result.measures}:
        compared = comparisons_of([joined], result.alpha)[0]
    labels = zip(evaluation.query_ids, labels_of(slices, len(evaluation.query_ids)), strict=True)
    by_query = {query: parts_of for query, parts_of in labels if parts_of}
    parts = compared.by_slice(by_query) if by_query else {}
    make = single_section if compared is evaluation else compared_section
    section = make(compared, parts, result)
    return with_queries(section, compared, Verdict("", "same"), parts, texts, None, result)


def html_text(summary: Summary, title: str, tally: str, answer: str) -> str:
    """Every gate with its queries, the ones that failed first.

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
    details = tuple(line(run.record["headline"]) for run in failed[1:3])
    about, problems = (title.capitalize(), tally, *provenance()), map(line, summary.problems)
    verdict = Verdict(answer, kind, details)
    return page(Report(title.capitalize(), verdict, tuple(sections), about, tuple(problems)))


def _with_words(run: GateRun, *, is_alone: bool) -> Section:
    """The section of a gate with its name and its decision; alone, its headline is the answer."""
    record, section = run.record, run.section or Section(("new",), (), (), ())
    state, headline = record["state"], record["headline"]
    direction: Direction = "worse" if run.failed or state in BROKEN else ""
    notes = [*record["warnings"], *record["notes"], *filter(None, [record["outlook"]])]
    return replace(
        section,
        title=shown(record["name"], limit=200),
        badge="FAIL" if run.failed else state.upper(),
        direction="better" if not run.failed and state in UNREMARKABLE else direction,
        lead="" if is_alone else headline,
        notes=tuple(line(text, 1000) for text in notes),
        message=record["message"] if record["message"] != headline else "",
    )
