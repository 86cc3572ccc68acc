"""How systems are compared: the test, its family, and what counts as significant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from sklearn_rank.statistics.corrections import Correction
from sklearn_rank.statistics.differences import Alternative, PairedTest
from sklearn_rank.statistics.samples import check_share
from sklearn_rank.support.checks import check_integer, check_option, check_seed

AllPairsTest = Literal["tukey", "anova"]
"""Tests of all pairs at once, which correct for their number themselves."""
Family = Literal["all", "measure"]


@dataclass(frozen=True)
class Settings:
    """Checked parameters of a comparison."""

    test: PairedTest | AllPairsTest
    alternative: Alternative
    correction: Correction | None
    family: Family
    alpha: float
    level: float
    power: float
    n_resamples: int
    seed: int
    """One for every test, so that no p-value depends on which others there are."""

    @property
    def is_resampled(self) -> bool:
        """Whether the test draws, which takes time."""
        return self.test in ("permutation", "bootstrap", "tukey")

    @property
    def corrects_itself(self) -> bool:
        """Whether the test is one of all pairs at once."""
        return self.test in get_args(AllPairsTest)

    @classmethod
    def of(cls, owner: str, tests: tuple[str, ...], **given: Any) -> Settings:
        """The settings, or an error that names the parameter."""
        check_option(given["test"], "test", tests, owner)
        check_option(given["alternative"], "alternative", get_args(Alternative), owner)
        check_option(given["family"], "family", get_args(Family), owner)
        if given["correction"] is not None:
            check_option(given["correction"], "correction", get_args(Correction), owner)
        for name in ("alpha", "level", "power"):
            given[name] = check_share(given[name], name, owner)
        given["n_resamples"] = check_integer(given["n_resamples"], "n_resamples", owner, at_least=1)
        seed = given.pop("random_state")
        generator = check_seed(seed, "random_state", owner)
        given["seed"] = (
            int(generator.integers(2**63)) if isinstance(seed, np.random.Generator) else int(seed)
        )
        return cls(**given)
