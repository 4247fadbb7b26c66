"""Report nodes of a model of a sensitive answer by plain covariates (docs/mathematics.md, Models)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from mining.json_codec import omit_if_default

Population = Literal["all", "disguised", "disguised arm", "both arms"]
"""Records that a model uses: all; those of people who chose disguise; in a survey with arms, one arm or both."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient of a model of the share of `item`, in points of the share (linear model) or in logits.

    Estimated from `n` records of the `population` that have the answers `among`. `p` is None where the model
    without the coefficient has no maximum. `truth`: the same coefficient fitted to the true answers of a
    rehearsal's simulated respondents.
    """

    of: str
    b: float
    se: float
    low: float
    high: float
    p: float | None
    item: str
    n: int
    population: Population
    among: tuple[str, ...] = omit_if_default(())
    truth: float | None = omit_if_default(None)


@dataclass(frozen=True, slots=True)
class Term:
    """The joint test that all `df` coefficients of a covariate, or of a product of two covariates, are 0."""

    of: str
    df: int
    p: float | None
    item: str
    n: int
    population: Population
    among: tuple[str, ...] = omit_if_default(())


@dataclass(frozen=True, slots=True)
class ModelFit:
    """The score test of adding products of two covariates to a model, as a test of its fit.

    `left_out` are the products that have too few records.
    """

    df: int
    p: float
    products: tuple[str, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelResult:
    """A fitted model: its coefficients and tests, from `n` records in so many `patterns` of answers.

    `fit` is None if no product of covariates could be added.
    """

    n: int
    patterns: int
    coefficients: tuple[Coefficient, ...]
    terms: tuple[Term, ...]
    fit: ModelFit | None

    @property
    def population(self) -> Population:
        return self.coefficients[0].population

    @property
    def joint_tests(self) -> tuple[Term, ...]:
        """Joint tests of several coefficients; a single coefficient has its own test already."""
        return tuple(one for one in self.terms if one.df > 1)

    @property
    def knows_truth(self) -> bool:
        return any(one.truth is not None for one in self.coefficients)

    def with_truth(self, truths: Mapping[str, float]) -> "ModelResult":
        """Returns the model with the true values of its coefficients added; `truths` has them by name of the
        coefficient."""
        return replace(
            self, coefficients=tuple(replace(one, truth=truths.get(one.of)) for one in self.coefficients)
        )
