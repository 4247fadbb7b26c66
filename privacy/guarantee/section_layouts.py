"""Divides questions into sections within a limit of gamma, each with its largest keep probability and errors.

With t = p/(1-p) and Q the product of the s smallest noise probabilities, gamma = 1 + t/Q, so at most Gamma means t <=
(Gamma - 1) Q and p <= t/(1+t); the keep is the largest such p with four places. See docs/mathematics.md, Design by
guarantee.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from privacy.grammar.json_node import PARTS
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.expected_error import (
    ErrorCurve,
    ItemsetError,
    SectionParameters,
    SupposedSupports,
    choice_to_estimate,
    error_curve,
)
from privacy.kinds.grouped.law import SectionLaw, rarest_noise_probability

NoiseLaw = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class LayoutAim:
    """The requirements of a division of questions into sections.

    `noise`: the noise law of each question. `limit`: of the person's gamma. `supposed`: expected supports. `length`: of
    the itemsets whose error counts. `choices`: for each question the choice whose share is wanted; None:
    `choice_to_estimate`.
    """

    noise: tuple[NoiseLaw, ...]
    limit: GammaLimit
    supposed: SupposedSupports
    length: int = 1
    choices: tuple[int, ...] | None = None

    @property
    def choices_to_estimate(self) -> tuple[int, ...]:
        """The index of the choice whose share is wanted, for each question."""
        return self.choices or tuple(choice_to_estimate(noise) for noise in self.noise)


@dataclass(frozen=True, slots=True)
class PlacedSection:
    """One section of a layout: indexes of its questions, and its law."""

    questions: tuple[int, ...]
    law: SectionLaw


@dataclass(frozen=True, slots=True)
class Layout:
    """A division of questions into sections whose joint `gamma` is within the person's limit.

    error_curves[i]: expected error of itemsets of i + 1 items; None if some itemsets are never asked together.
    """

    sections: tuple[PlacedSection, ...]
    gamma: Fraction
    error_curves: tuple[ErrorCurve | None, ...]

    def errors(self, respondents: int) -> tuple[ItemsetError | None, ...]:
        """Returns the expected errors for so many `respondents`, by length of the itemsets from 1 on."""
        return tuple(curve.error_for(respondents) if curve else None for curve in self.error_curves)

    def variance(self, length: int) -> float:
        """Returns n se^2 of itemsets of this length; infinite if they cannot be estimated."""
        curve = self.error_curves[length - 1]
        return curve.variance if curve else float("inf")


def admissible_keep(noise: Sequence[NoiseLaw], asked: int, limit: GammaLimit) -> Fraction | None:
    """Returns the largest keep probability of four places whose gamma the limit admits; None if even .0001 is too
    large.

    `noise`: the noise law of each question of the section; `asked`: how many of them a device draws.
    """
    odds = (limit.gamma - 1) * rarest_noise_probability(map(min, noise), asked)
    if odds <= 0:
        return None
    most = odds / (1 + odds) * PARTS
    parts = int(most) - (limit.strict and most == int(most))
    return Fraction(parts, PARTS) if parts > 0 else None


def one_section_layout(aim: LayoutAim, asked: int) -> Layout | None:
    """Returns the layout with one section that asks `asked` of all questions; None if the limit admits no keep
    probability."""
    keep = admissible_keep(aim.noise, asked, aim.limit)
    if keep is None:
        return None
    return make_layout(
        aim, (PlacedSection(tuple(range(len(aim.noise))), SectionLaw(keep, aim.noise, asked)),)
    )


def one_section_layouts(aim: LayoutAim) -> tuple[Layout, ...]:
    """Returns the admissible layouts with one section, one for each number of asked questions."""
    candidates = (one_section_layout(aim, asked) for asked in range(1, len(aim.noise) + 1))
    return tuple(layout for layout in candidates if layout)


def best_one_section_layout(aim: LayoutAim) -> Layout | None:
    """Returns the one-section layout with the least error of itemsets of the aim's length."""
    return min(one_section_layouts(aim), key=lambda layout: layout.variance(aim.length), default=None)


def make_layout(aim: LayoutAim, sections: tuple[PlacedSection, ...]) -> Layout:
    """Returns the layout of these sections with its gamma and the expected errors of itemsets of every supposed
    length."""
    choices = aim.choices_to_estimate
    parts = [
        SectionParameters.from_law(placed.law, [choices[index] for index in placed.questions])
        for placed in sections
    ]
    error_curves = (
        error_curve(parts, length, aim.supposed) for length in range(1, len(aim.supposed.supports) + 1)
    )
    return Layout(
        sections, prod((placed.law.gamma for placed in sections), start=Fraction(1)), tuple(error_curves)
    )
