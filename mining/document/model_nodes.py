"""What a report says of a model of a sensitive answer among plain covariates (docs/mathematics.md, Models)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from mining.document.codec import omit_if_default

Population = Literal["all", "disguised", "disguised arm", "both arms"]
"""Of whom a model is: of all; of those who chose disguise; in a survey with arms of one of them, or of both."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient of a model: in points of a share (linear) or in logits. Of the share of `item` in `n` records of
    the `population` that have the answers `among`. `p` is None where the model without it has no maximum. `truth`: the
    same coefficient fitted to the true answers of a rehearsal's simulated respondents."""

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
    """The joint test of all `df` coefficients of a covariate or a product, for the same people as a coefficient."""

    of: str
    df: int
    p: float | None
    item: str
    n: int
    population: Population
    among: tuple[str, ...] = omit_if_default(())


@dataclass(frozen=True, slots=True)
class ModelFit:
    """The score test of adding products of two covariates to the model; `left_out`: products below the floors."""

    df: int
    p: float
    products: tuple[str, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelResult:
    """A fitted model of `n` records in so many `patterns` of answers; `fit` is None if no product could be added."""

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
        """Returns the model with the true values of its coefficients, by their names."""
        return replace(
            self, coefficients=tuple(replace(one, truth=truths.get(one.of)) for one in self.coefficients)
        )
