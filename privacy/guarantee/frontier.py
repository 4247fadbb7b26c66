"""The frontier: for ever weaker protection, the least error that it buys."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from privacy.guarantee.amplification import GammaLimit, Guarantee
from privacy.guarantee.by_guarantee import Aim, Layout, best_rotation
from privacy.guarantee.error import ItemsetError

LADDER = tuple(map(Fraction, (2, 3, 5, 9, 19, 49, 99)))
"""Limits to choose from: a prior of 1 % becomes at most about 2, 3, 5, 8, 16, 33 or 50 %."""


@dataclass(frozen=True, slots=True)
class LimitOption:
    """One row: what is promised (rounded up), by which sections, and the errors to expect."""

    gamma: Fraction
    epsilon: Decimal
    posterior: Decimal
    layout: Layout
    errors: tuple[ItemsetError | None, ...]


def frontier(
    aim: Aim,
    respondents: int,
    prior: Fraction,
    gammas: Sequence[Fraction] = LADDER,
    plan: Callable[[Aim], Layout | None] = best_rotation,
) -> tuple[LimitOption, ...]:
    """One step for each limit that admits a layout; the aim's own limit lends only its strictness.

    `plan` is `best_rotation` or, where questions may be divided into sections, `best_layout`.
    """
    limits = (GammaLimit(gamma, aim.limit.strict) for gamma in gammas)
    layouts = (plan(replace(aim, limit=limit)) for limit in limits)
    return tuple(_step(layout, respondents, prior) for layout in layouts if layout)


def _step(layout: Layout, respondents: int, prior: Fraction) -> LimitOption:
    guarantee = Guarantee(tuple(placed.law for placed in layout.sections))
    return LimitOption(
        guarantee.gamma,
        guarantee.epsilon(),
        guarantee.posterior_up(prior),
        layout,
        layout.errors(respondents),
    )
