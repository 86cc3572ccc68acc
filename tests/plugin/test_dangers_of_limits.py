"""Dangers of limits: percent, direction, tolerance, type, rounding."""

from __future__ import annotations

from tests.plugin.attempts import attempt, refused
from tests.plugin.conftest import Suite


def test_a_limit_that_everything_or_nothing_meets_is_refused(suite: Suite) -> None:
    refused(
        suite,
        {
            "percent": "assert_mrr_at_least(*case([1, 2]), 93)",
            "above": "assert_mrr_at_least(*case([1, 2]), 1.0001)",
            "zero": "assert_mrr_at_least(*case([1, 2]), 0)",
            "negative": "assert_mrr_at_least(*case([1, 2]), -0.1)",
            "dcg": "assert_metric(*case([1, 2]), 'dcg@10', at_least=0)",
            "lag": "assert_lag_at_most(*case([1, 2]), -1)",
            "none": "assert_metric(*case([1, 2]), 'mrr')",
            "no_limit": "rank_gate.check(*case([1, 2]))",
            "no_limits": "rank_gate.check(*case([1, 2]), at_least={})",
            "shown": "rank_gate.check(*case([1, 2]), metrics=('mrr',))",
            "gate": "rank_gate.check(*case([1, 2]), at_least={'mrr': 75})",
            "slices": "rank_gate.check(*case([1, 2]), slices={'q001': 'a'},"
            " slice_at_least={'a': {'mrr': 0}})",
            "query": "rank_gate.check(*case([1, 2]), per_query_at_least={'mrr': 0})",
        },
        r"(?i)at_least|at_most|threshold|limit",
    )


def test_a_limit_of_the_wrong_direction_is_refused(suite: Suite) -> None:
    refused(
        suite,
        {
            "lag": "assert_metric(*case([1, 2]), 'lag', at_least=0.1)",
            "map": "assert_metric(*case([1, 2]), 'map', at_most=0.9)",
            "gate_lag": "rank_gate.check(*case([1, 2]), at_least={'lag': 0.1})",
            "gate_map": "rank_gate.check(*case([1, 2]), at_most={'map': 0.9})",
        },
        "(?i)(greater|lower|less|smaller|higher) is better|at_most|at_least",
    )


def test_a_tolerance_that_is_none_is_refused(suite: Suite) -> None:
    pair = "*case([1, 2]), results([1, 2]), 'mrr'"
    refused(
        suite,
        {
            "negative": f"assert_not_worse({pair}, max_drop=-0.005)",
            "percent": f"assert_not_worse({pair}, max_drop=5)",
            "one": f"assert_not_worse({pair}, max_drop=1)",
            "string": f"assert_not_worse({pair}, max_drop='5%')",
            "bool": f"assert_not_worse({pair}, max_drop=True)",
            "hard": f"assert_not_worse({pair}, hard_drop=-0.1)",
            "slice": f"assert_not_worse({pair}, slices={{'q001': 'a'}}, max_slice_drop=5)",
            "alpha": f"assert_not_worse({pair}, alpha=5)",
            "zero_alpha": f"assert_not_worse({pair}, alpha=0)",
            "gate": "rank_gate.check(*case([1, 2]), max_drop={'mrr': 5})",
            "regressed": "rank_gate.check(*case([1, 2]), max_drop={'mrr': 0.1},"
            " max_regressed_queries=-1)",
            "min_queries": f"assert_not_worse({pair}, min_queries=-1)",
        },
        "(?i)max_drop|hard_drop|max_slice_drop|alpha|max_regressed_queries|min_queries",
    )


def test_an_unknown_option_of_a_gate_is_refused(suite: Suite) -> None:
    refused(
        suite,
        {
            "assertion": "assert_mrr_at_least(*case([1, 2]), 0.5, max_drp=0.1)",
            "gate": "rank_gate.check(*case([1, 2]), at_least={'mrr': 0.5}, max_drp=0.1)",
            "allow": "assert_mrr_at_least(*case([1, 2]), 0.5, allow={'everything'})",
            "measure": "rank_gate.check(*case([1, 2]), at_least={'nrr': 0.5})",
            "slice": "rank_gate.check(*case([1, 2]), slices={'q001': 'a'},"
            " slice_at_least={'b': {'mrr': 0.5}})",
            "slice_drop": "assert_not_worse(*case([1, 2]), results([1, 2]), 'mrr',"
            " slices={'q001': 'a'}, max_slice_drop={'b': 0.1})",
            "drop_of": "assert_not_worse(*case([1, 2]), results([1, 2]), 'mrr',"
            " max_drop={'map': 0.1})",
            "no_slices": "rank_gate.check(*case([1, 2]), at_least={'mrr': 0.5},"
            " max_slice_drop=0.1)",
        },
        "max_drp|everything|nrr|slice|max_drop",
    )


def test_a_threshold_is_a_number(suite: Suite) -> None:
    values = {
        "string": "'1e-3'",
        "percent": "'95%'",
        "bool": "True",
        "none": "None",
        "array": "np.array([0.5])",
        "arrays": "np.array([0.5, 0.6])",
        "list": "[0.5]",
        "na": "pd.NA",
        "nat": "pd.NaT",
        "complex": "0.5j",
        "text": "b'0.5'",
        "numpy_bool": "np.True_",
        "huge": "10 ** 400",
    }
    calls = {name: f"assert_mrr_at_least(*case([1, 2]), {value})" for name, value in values.items()}
    gates = {
        f"{name}_gate": f"rank_gate.check(*case([1, 2]), at_least={{'mrr': {value}}})"
        for name, value in values.items()
    }
    refused(suite, {**calls, **gates}, "(?i)threshold|at_least")


def test_a_numpy_scalar_is_a_number(suite: Suite) -> None:
    result = attempt(
        suite,
        """
    @pytest.mark.parametrize("limit", [np.float64(0.75), np.float32(0.75), np.float16(0.75)])
    def test_it(limit):
        result = assert_mrr_at_least(*case([1, 2]), limit)
        assert type(result.metrics["mrr"].at_least) is float
        """,
    )
    result.assert_outcomes(passed=3)


def test_a_limit_is_met_to_the_ninth_digit_and_no_further(suite: Suite) -> None:
    # Rounding of a mean passes (0.1 + 0.2 is not 0.3); what could be meant does not.
    result = attempt(
        suite,
        """
    @pytest.mark.parametrize("limit", [0.75, 0.75 + 5e-10])
    def test_met(limit):
        assert_mrr_at_least(*case([1, 2]), limit)

    @pytest.mark.parametrize("limit", [0.75 + 2e-9, 0.7500001])
    def test_not_met(limit):
        assert_mrr_at_least(*case([1, 2]), limit)
        """,
    )
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["E *mrr 0.750000000 < 0.750000002 required*"])
    result.stdout.fnmatch_lines(["E *mrr 0.7500000 < 0.7500001 required*"])


def test_a_change_just_beyond_the_allowed_one_is_shown_with_enough_digits(suite: Suite) -> None:
    # Ten of thirty queries fall from 1/2 to 1/3: 0.0555555..., against 0.05555 allowed.
    result = attempt(
        suite,
        """
    def test_it():
        new, old = results([3] * 10 + [2] * 20), results([2] * 30)
        assert_not_worse(truth(30), new, old, "mrr", max_drop=0.05555, hard_drop=math.inf)
        """,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *mrr 0.5000* -> 0.4444* (-0.05556, allowed -0.05555;*"])
