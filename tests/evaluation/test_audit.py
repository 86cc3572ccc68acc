"""Home-made metrics, with a mistake or right."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import log, log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sklearn_rank import InvalidParameterError, audit, cli, evaluate

Grades = dict[str, float]


def dcg(grades: Any, discount: Callable[[int], float] = lambda rank: log2(rank + 1)) -> float:
    return sum((2**grade - 1) / discount(rank) for rank, grade in enumerate(grades, 1))


def best(grades: Any) -> list[float]:
    return sorted(grades, reverse=True)


def over(value: float, other: float) -> float:
    return value / other if other else 0.0


# Mistakes, those seen in public repositories first ------------------------------------------------


def ideal_of_list(relevances: Any, k: int) -> float:
    return over(dcg(relevances[:k]), dcg(best(relevances)[:k]))


def passed_only(qrels: Any, run: Any, k: int = 10) -> float:
    ranks = [
        next((rank for rank, item in enumerate(items[:k], 1) if qrels[q].get(item)), None)
        for q, items in run.items()
    ]
    found = [1 / rank for rank in ranks if rank]
    return sum(found) / len(found) if found else 0.0


def first_two_alike(qrels: Grades, ranking: list[str], k: int) -> float:
    grades = [qrels.get(item, 0) for item in dict.fromkeys(ranking)]
    found, ideal = (
        dcg(own[:k], lambda rank: log2(max(rank, 2))) for own in (grades, best(qrels.values()))
    )
    return over(found, ideal)


def repeats_count(relevant: set[str], retrieved: list[str], k: int) -> float:
    return over(dcg([item in relevant for item in retrieved[:k]]), dcg([1] * min(k, len(relevant))))


def divided_by_k(actual: Any, predicted: Any, k: int = 10) -> float:
    hits, total = 0, 0.0
    for rank, item in enumerate(predicted[:k], 1):
        if item in actual and item not in predicted[: rank - 1]:
            hits += 1
            total += hits / rank
    return total / k


def one_too_deep(relevant: set[str], ranking: list[str], k: int) -> float:
    return over(len(relevant & {*ranking[: k + 1]}), len(relevant))


def zero_is_relevant(qrels: dict[str, int], ranking: list[str], k: int) -> float:
    return sum(item in qrels for item in dict.fromkeys(ranking[:k])) / k


def from_two(relevances: Any) -> float:
    return next((1 / (rank + 1) for rank, grade in enumerate(relevances, 1) if grade), 0.0)


def fails_on_nothing(relevant: set[str], ranking: list[str], k: int) -> float:
    return len(relevant & {*ranking[:k]}) / len(ranking[:k]) * min(k, len(ranking)) / k


def run_only(qrels: Any, run: Any, k: int) -> float:
    values = []
    for query, ranking in run.items():
        relevant = {item for item, grade in qrels[query].items() if grade > 0}
        if relevant:
            values.append(len({*ranking[:k]} & relevant) / len(relevant))
    return sum(values) / len(values) if values else 0.0


def as_long_as_the_list(qrels: Grades, ranking: list[str], k: int) -> float:
    grades = [qrels.get(item, 0) for item in dict.fromkeys(ranking)][:k]
    return over(dcg(grades), dcg(best(qrels.values())[: len(grades)]))


def sorted_before(qrels: Grades, ranking: list[str], k: int) -> float:
    grades = best([qrels.get(item, 0) for item in dict.fromkeys(ranking)][:k])
    return over(dcg(grades), dcg(best(qrels.values())[:k]))


def first_ten(relevant: set[str], ranking: list[str]) -> float:
    return next((1 / n for n, item in enumerate(ranking[:10], 1) if item in relevant), 0.0)


def first_hundred(relevances: list[int], k: int = 100) -> float:
    return next((1 / n for n, grade in enumerate(relevances[: min(k, 100)], 1) if grade), 0.0)


def grades_to_three(relevances: Any, ideal: Any, k: int) -> float:
    capped = [[min(grade, 3) for grade in own[:k]] for own in (relevances, ideal)]
    return over(dcg(capped[0]), dcg(capped[1]))


def precision_of_sums(qrels: Grades, ranking: list[str], k: int) -> float:
    return sum(qrels.get(item, 0) for item in dict.fromkeys(ranking[:k])) / k


def as_if_all_were_relevant(expected_ids: Any, retrieved_ids: Any) -> float:
    found = dcg([item in expected_ids for item in dict.fromkeys(retrieved_ids)])
    return over(found, dcg([1] * len(retrieved_ids)))


def of_alternatives(gt: list[list[str]], pred: list[str]) -> float:
    found = dcg([[item] in gt for item in dict.fromkeys(pred)])
    return over(found, dcg([1] * min(len(gt), len(pred))))


def any_found(relevant: set[str], retrieved: list[str], k: int) -> float:
    return float(any(item in relevant for item in retrieved[:k]))


def of_possible(relevant: set[str], retrieved: list[str], k: int) -> float:
    return over(len(relevant & {*retrieved[:k]}), min(k, len(relevant)))


def natural(relevances: Any, k: int) -> float:
    return dcg(relevances[:k], lambda rank: log(rank + 1))


def natural_above(relevances: Any, ideal: Any, k: int) -> float:
    return over(natural(relevances, k), dcg(best(ideal)[:k]))


def from_zero(relevant: set[str], retrieved: list[str]) -> float:
    return next((1 / (n or 1) for n, i in enumerate(retrieved) if i in relevant), 0.0)


def zero_is_none(relevant: set[str], retrieved: list[str]) -> float:
    return next((n and 1 / n for n, i in enumerate(retrieved) if i in relevant), 0.0)


def precisions_from_zero(relevant: set[str], retrieved: list[str], k: int) -> float:
    ranks = [n for n, item in enumerate(dict.fromkeys(retrieved)) if item in relevant and n < k]
    total = sum(hits / max(n, 1) for hits, n in enumerate(ranks, 1))
    return over(total, min(k, len(relevant)))


def every_hit(expected: set[str], retrieved: list[str]) -> float:
    ranks = [1 / n for n, item in enumerate(dict.fromkeys(retrieved), 1) if item in expected]
    return over(sum(ranks), len(ranks))


def every_relevant(expected: set[str], retrieved: list[str]) -> float:
    ranks = [1 / n for n, item in enumerate(dict.fromkeys(retrieved), 1) if item in expected]
    return over(sum(ranks), len(expected))


def one_alone(qrels: Grades, ranking: list[str], k: int) -> float:
    found = sum(qrels.get(item) == 1 for item in {*ranking[:k]})
    return over(found, sum(grade == 1 for grade in qrels.values()))


def two_and_more(qrels: Grades, ranking: list[str], k: int) -> float:
    return sum(qrels.get(item, 0) > 1 for item in {*ranking[:k]}) / k


def ideal_alone_is_cut(qrels: Grades, ranking: list[str], k: int) -> float:
    grades = [qrels.get(item, 0) for item in dict.fromkeys(ranking)]
    return over(dcg(grades), dcg(best(qrels.values())[:k]))


def in_percent(relevant: set[str], ranking: list[str], k: int) -> float:
    return 100 * len(relevant & {*ranking[:k]}) / k


def repeats_found(retrieved: list[str], relevant: set[str], k: int) -> float:
    return over(sum(item in relevant for item in retrieved[:k]), len(relevant))


def f_of_repeats(retrieved: list[str], relevant: set[str], k: int) -> float:
    return over(2 * sum(item in relevant for item in retrieved[:k]), len(relevant) + k)


def first_hit(retrieved: list[str], relevant: set[str]) -> float:
    return next((1 / n for n, item in enumerate(retrieved, 1) if item in relevant), 0.0)


def first_five(retrieved: list[str], relevant: set[str]) -> float:
    return first_hit(retrieved[:5], relevant)


def mean_first_hit(qrels: dict[str, Grades], run: dict[str, list[str]]) -> float:
    hits = [first_hit(run.get(q, []), {*filter(own.get, own)}) for q, own in qrels.items()]
    return sum(hits) / len(hits)


def found_at_all(results: list[str], relevant: list[str]) -> float:
    return float(any(item in relevant for item in results))


def found_in_five(results: list[str], relevant: list[str]) -> float:
    return found_at_all(results[:5], relevant)


def expected_at_all(results: list[str], expected: str) -> bool:
    return expected in results


def expected_in_five(results: list[str], expected: str) -> bool:
    return expected in results[:5]


def of_all(results: list[str], relevant: set[str]) -> float:
    return over(len({*results} & {*relevant}), len(relevant))


def of_twenty(results: list[str], relevant: set[str]) -> float:
    return of_all(results[:20], relevant)


MISTAKES: list[tuple[Callable[..., float], str, str]] = [
    (ideal_of_list, "ndcg@10", "the ideal DCG is taken from the retrieved list"),
    (passed_only, "mrr@10", "the mean is only over queries with a hit"),
    (first_two_alike, "ndcg@10", "ranks 1 and 2 have equal weights"),
    (divided_by_k, "map@10", "it is map(denominator=k)@10"),
    (one_too_deep, "recall@10", "the cutoff is one rank too deep"),
    (zero_is_relevant, "precision@10", "items of grade 0 count as relevant"),
    (from_two, "mrr", "ranks begin at 2"),
    (fails_on_nothing, "precision@5", "it raises ZeroDivisionError"),
    (run_only, "recall@10", "the mean is over queries of the run only"),
    (as_long_as_the_list, "ndcg@10", "the ideal DCG is cut at the length of the list"),
    (sorted_before, "ndcg@10", "the list is sorted by relevance before it is measured"),
    (first_ten, "mrr", "only the first 10 ranks are read"),
    (first_hundred, "mrr", "only the first 100 ranks are read"),
    (grades_to_three, "ndcg@10", "grades above 3 count as 3"),
    (precision_of_sums, "precision@10", "grades are summed instead of counting relevant items"),
    (as_if_all_were_relevant, "ndcg", "the ideal counts all listed items as relevant"),
    (of_alternatives, "ndcg", "the ideal DCG is cut at the length of the list"),
    (any_found, "recall@10", "it is hit_rate@10"),
    (any_found, "mrr@10", "it is hit_rate@10"),
    (of_possible, "precision@10", "it is recall(denominator=min)@10"),
    (natural, "dcg@10", "the logarithm is natural"),
    (natural_above, "ndcg@10", "the DCG uses the natural logarithm, the ideal DCG log2"),
    (from_zero, "mrr", "ranks are counted from 0"),
    (zero_is_none, "mrr", "ranks are counted from 0"),
    (precisions_from_zero, "map@10", "ranks are counted from 0"),
    (every_hit, "mrr", "1 / rank is averaged over all retrieved relevant items"),
    (every_relevant, "mrr", "1 / rank is averaged over all relevant items"),
    (one_alone, "recall@10", "only items of grade 1 are relevant"),
    (two_and_more, "precision@5", "items of grade 1 are not relevant"),
    (ideal_alone_is_cut, "ndcg@10", "only the ideal DCG is cut"),
    (in_percent, "precision@10", "the value is in percent"),
    (first_hit, "mrr@10", "the cutoff is ignored"),
    (first_hit, "mrr@1", "the cutoff is ignored"),
    (first_five, "mrr@10", "only the first 5 ranks are read"),
    (first_five, "mrr", "only the first 5 ranks are read"),
    (first_ten, "mrr@11", "the cutoff is one rank too shallow"),
    (first_ten, "mrr@9", "the cutoff is one rank too deep"),
    (found_at_all, "hit_rate@10", "the cutoff is ignored"),
    (found_in_five, "hit_rate", "only the first 5 ranks are read"),
    (found_in_five, "hit_rate@10", "only the first 5 ranks are read"),
    (of_all, "recall@100", "the cutoff is ignored"),
    (of_all, "recall@1000", "the cutoff is ignored"),
    (of_twenty, "recall", "only the first 20 ranks are read"),
    (mean_first_hit, "mrr@10", "the cutoff is ignored"),
    (expected_at_all, "hit_rate@3", "the cutoff is ignored"),
]


@pytest.mark.parametrize(("function", "measure", "mistake"), MISTAKES)
def test_finds_the_mistake(function: Any, measure: str, mistake: str) -> None:
    found = audit(function, measure)
    assert not found.agrees
    assert str(found).splitlines()[0] == f"{function.__name__} is not {found.measure}: {mistake}"


@pytest.mark.parametrize(
    ("function", "measure"),
    [(repeats_count, "ndcg@10"), (repeats_found, "recall@10"), (f_of_repeats, "f1@10")],
)
def test_repeats_alone(function: Any, measure: str) -> None:
    """They differ, unless the caller says that rankings never repeat an item."""
    found = audit(function, measure)
    head, *_, last = str(found).splitlines()
    same = f"{function.__name__} agrees with {found.measure}"
    assert head == f"{same}, except that repeated items count again"
    assert last == '  if no ranking repeats an item, pass duplicates="raise" (--duplicates raise)'
    assert not found.agrees
    assert audit(function, measure, duplicates="raise").agrees
    path = f"{__name__}:{function.__name__}"
    assert cli.main(["audit", path, "--as", measure]) == 1
    assert cli.main(["audit", path, "--as", measure, "--duplicates", "raise"]) == 0


def test_examples_have_ids_where_parameters_do() -> None:
    found = audit(first_five, "mrr")
    assert found.counterexample is not None
    assert found.counterexample[0] == ("first_five(['d1', 'd2', 'd3', 'd4', 'd5', 'd6'], {'d6'})")


def test_repeats_in_runs() -> None:
    """A function of several queries gets a list with an item twice, too."""

    def mean(qrels: dict[str, Grades], run: dict[str, list[str]]) -> float:
        values = [
            ndcg_linear(
                [grades.get(item, 0) for item in run.get(query, ())], best(grades.values()), 10
            )
            for query, grades in qrels.items()
        ]
        return sum(values) / len(values)

    assert audit(mean, "ndcg(gain=linear)@10").mistakes == ("repeated items count again",)


def linear_with_repeats(qrels: Grades, ranking: list[str], k: int) -> float:
    return ndcg_linear([qrels.get(item, 0) for item in ranking], best(qrels.values()), k)


def test_a_mistake_in_another_convention() -> None:
    """It is not that measure either."""
    shown = str(audit(linear_with_repeats, "ndcg@10")).splitlines()[0]
    mistake = "like ndcg(gain=linear)@10, but repeated items count again"
    assert shown == f"linear_with_repeats is not ndcg@10: {mistake}"


def test_the_counterexample_is_the_smallest() -> None:
    """One relevant item is first, another was not retrieved: 1 / (1 + 1 / log2(3))."""
    found = audit(ideal_of_list, "ndcg@10")
    assert found.counterexample is not None
    call, value, measure, right = found.counterexample
    assert (call, value, measure) == ("ideal_of_list([1], k=2)", 1.0, "ndcg@2")
    assert right == pytest.approx(1 / (1 + 1 / log2(3)))
    assert right == evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a"]}, "ndcg@2")["ndcg@2"]


# Right functions ----------------------------------------------------------------------------------


def ndcg_of_dict(qrels: Grades, ranking: list[str], k: int = 10) -> float:
    grades = [qrels.get(item, 0) for item in dict.fromkeys(ranking)]
    return over(dcg(grades[:k]), dcg(best(qrels.values())[:k]))


def ndcg_linear(relevances: Any, ideal: Any, k: int) -> float:
    linear = [sum(g / log2(i + 2) for i, g in enumerate(own[:k])) for own in (relevances, ideal)]
    return over(*linear)


def ndcg_of_set(retrieved: list[str], relevant: set[str], k: int) -> float:
    hits = [item in relevant and item not in retrieved[:n] for n, item in enumerate(retrieved)]
    return round(over(dcg(hits[:k]), dcg([1] * min(k, len(relevant)))), 4)


def ndcg_of_candidates(y_true: Any, y_score: Any, k: int) -> float:
    grades = y_true[np.argsort(-y_score, kind="stable")]
    return over(dcg(grades[:k]), dcg(best(y_true)[:k]))


def mrr_of_run(qrels: Any, run: Any) -> float:
    values = []
    for query, judged in qrels.items():
        scored = run.get(query, {})
        order = sorted(scored, key=lambda item: (-scored[item], item))
        ranks = (rank for rank, item in enumerate(order, 1) if judged.get(item, 0) > 0)
        values.append(1 / next(ranks, float("inf")))
    return sum(values) / len(values)


def ap_of_trec(relevant: list[str], ranking: list[str]) -> float:
    hits, total = 0, 0.0
    for rank, item in enumerate(ranking, 1):
        if item in relevant and item not in ranking[: rank - 1]:
            hits += 1
            total += hits / rank
    return total / len(relevant)


def apk(actual: list[list[str]], predicted: list[list[str]], k: int = 10) -> float:
    values = [
        ap_of_trec(own, ranking[:k]) * len(own) / min(len(own), k) if own else 0.0
        for own, ranking in zip(actual, predicted, strict=True)
    ]
    return float(np.mean(values))


def precision(relevant: set[str], ranking: list[str], k: int) -> float:
    return len(relevant & {*ranking[:k]}) / k


def recall(qrels: Any, run: Any, k: int) -> dict[str, float]:
    values = {}
    for query, judged in qrels.items():
        relevant = {item for item, grade in judged.items() if grade}
        if relevant:
            values[query] = len(relevant & {*run.get(query, [])[:k]}) / len(relevant)
    return values


def err(relevances: Any, ideal: Any) -> float:
    stay, value = 1.0, 0.0
    for rank, grade in enumerate(relevances, 1):
        chance = (2**grade - 1) / 2 ** ideal[0] if ideal else 0.0
        value, stay = value + stay * chance / rank, stay * (1 - chance)
    return value


RIGHT: list[tuple[Callable[..., Any], str]] = [
    (ndcg_of_dict, "ndcg@10"),
    (ndcg_linear, "ndcg(gain=linear)@5"),
    (ndcg_of_set, "ndcg@10"),
    (ndcg_of_candidates, "ndcg@10"),
    (mrr_of_run, "mrr"),
    (ap_of_trec, "map"),
    (apk, "map@10"),
    (precision, "precision@10"),
    (recall, "recall@3"),
    (err, "err"),
    (first_hit, "mrr"),
    (first_five, "mrr@5"),
    (first_ten, "mrr@10"),
    (mean_first_hit, "mrr"),
    (found_at_all, "hit_rate"),
    (found_in_five, "hit_rate@5"),
    (expected_in_five, "hit_rate@5"),
    (of_all, "recall"),
    (of_twenty, "recall@20"),
]


@pytest.mark.parametrize(("function", "measure"), RIGHT)
def test_raises_no_false_alarm(function: Any, measure: str) -> None:
    found = audit(function, measure)
    assert found.agrees, str(found)
    assert not found.mistakes


def test_names_the_definition() -> None:
    found = audit(ndcg_linear, "ndcg@5")
    assert str(found).splitlines()[0] == "ndcg_linear is not ndcg@5: it is ndcg(gain=linear)@5"
    assert audit(ndcg_linear, found.equals or "").agrees


# Doors --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "code", "shown"),
    [
        ("precision", 0, "precision is precision@10\n"),
        ("one_too_deep", 1, "one_too_deep is not precision@10: no common mistake explains it\n"),
        ("nothing", 2, "has no attribute 'nothing'"),
    ],
)
def test_command(name: str, code: int, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = f"{__name__}:{name}"
    assert cli.main(["audit", path, "--as", "precision@10"]) == code
    assert shown in "".join(capsys.readouterr())


def test_command_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A path is read as by `python FILE`, a module as by `python -m MODULE`."""
    (tmp_path / "helper_of_mine.py").write_text("def first(relevances): return relevances[0] > 0")
    code = "from helper_of_mine import first\ndef f(relevances): return float(first(relevances))"
    for folder in (tmp_path, tmp_path / "other"):
        folder.mkdir(exist_ok=True)
        (folder / "mine.py").write_text(code)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    for name in ("mine.py:f", "mine:f", "other/mine.py:f", f"{tmp_path}/mine.py:f"):
        assert cli.main(["audit", name, "--as", "hit_rate@1"]) == 1, name  # [] has no first
    for name, message in (
        ("mine.py:g", "mine.py has no 'g'; the file defines 'first', 'f'\n"),
        ("mine.py:A.g", "mine.py has no 'A.g'; for a method, call audit(...) in Python; the file"),
        ("mine.py", "name a function, as in mine.py:function; the file defines 'first', 'f'\n"),
        ("none.py", "module:function or file.py:function, got 'none.py': "),
        ("none.py:f", "module:function or file.py:function, got 'none.py:f': "),
        ("no.such.module:f", "got 'no.such.module:f': No module named 'no'"),
    ):
        assert cli.main(["audit", name, "--as", "hit_rate@1"]) == 2
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("function", "measure", "message"),
    [
        (3, "ndcg@10", "function must be callable, got 3: "),
        (
            lambda: 1.0,
            "ndcg@10",
            "<lambda> gave no number for the truth and the ranked ids of a",
        ),
        (
            lambda truth, ranking: (1.0, 2),
            "ndcg@10",
            "<lambda> gave no number for the truth and",
        ),
        (
            lambda y_true, y_score: y_true.max() / y_true.max(),  # everything is retrieved
            "recall",
            "<lambda> gave too few numbers to tell recall from other measures for the truth and",
        ),
        (len, "judged@10", "measure must be computed from rankings, per query; got judged@10"),
        (len, "auc(average=pooled)", "per query; got auc"),
    ],
)
def test_wrong_calls(function: Any, measure: str, message: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        audit(function, measure)
    assert message in str(caught.value)
