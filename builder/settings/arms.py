"""Plans the direct arm of a draft: the smallest difference of the arms to be found, share by share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from mining.finite_numbers import finite
from mining.inference.contingency_table import Floats
from mining.inference.sums_of_shares import POWER, Side, SumOfShares, power, smallest_differences
from privacy.grammar.node import PARTS, decimal
from surveys.kinds.kind import ComparedItem
from surveys.kinds.registry import known_kind
from surveys.kinds.settings import rounded_up
from surveys.questionnaire.questionnaire import Questionnaire, least_with

LEAST_ARM = 500
FINDS = 0.25
"""A difference that a study has to find to be worth the direct answers."""
"""Respondents of an arm below which a difference says little."""
STEP = PARTS // 100
TENTHS = range(PARTS // 10, PARTS, PARTS // 10)


@dataclass(frozen=True)
class ArmPlan:
    """`direct` in ten-thousandths; `more` and `fewer` are the smallest differences of the question hardest to compare.

    None where no difference is found.
    """

    direct: int
    respondents: int
    more: float | None
    fewer: float | None
    best: bool

    @property
    def share(self) -> str:
        return decimal(self.direct)

    @property
    def part(self) -> float:
        return self.direct / PARTS

    @property
    def smallest_words(self) -> str:
        """More (+) and fewer (−), rounded up to a tenth of a point."""
        ends = [
            f"{sign}{number_format(ceil(one * 1000) / 10, 1)}"
            for sign, one in (("+", self.more), ("−", self.fewer))
            if one is not None
        ]
        return " / ".join(ends) or _("cannot be found")

    @property
    def asked_directly(self) -> int:
        return self.respondents * self.direct // PARTS

    @property
    def disguised(self) -> int:
        return self.respondents - self.asked_directly

    @property
    def is_small(self) -> bool:
        return min(self.asked_directly, self.disguised) < LEAST_ARM

    @property
    def least(self) -> int:
        """The minimum batch size that it needs."""
        return least_with(self.direct)


def arm_plans(draft: Questionnaire) -> list[ArmPlan]:
    """By tenths, with the best share to a hundredth, and the one that is set; none is best that finds too little."""
    items, respondents = list(compared_items(draft)), draft.respondents
    best = best_direct(items)
    shares = sorted({*TENTHS, *filter(None, [best, draft.direct_parts])})
    smallest = _hardest(items, respondents, shares) if items else [(None, None)] * len(shares)
    return [
        ArmPlan(share, respondents, more, fewer, share == best and more is not None and more <= FINDS)
        for share, (more, fewer) in zip(shares, smallest, strict=True)
    ]


def respondents_needed(draft: Questionnaire) -> int | None:
    """With how many answers the best share finds a difference of 25 points; None where as many are expected."""
    items = list(compared_items(draft))
    best = best_direct(items)
    if not items or _finds(items, draft.respondents, best):
        return None
    few, many = draft.respondents, 2 * draft.respondents
    while not _finds(items, many, best):
        few, many = many, 2 * many
    while many - few > max(1, few // 100):
        middle = (few + many) // 2
        few, many = (few, middle) if _finds(items, middle, best) else (middle, many)
    return rounded_up(many)


def best_direct(items: Sequence[ComparedItem]) -> int:
    """The share asked directly with which the hardest question is compared best; 0 where there is none."""
    shares = range(TENTHS[0], TENTHS[-1] + 1, STEP)
    return min(shares, key=lambda share: max(item.variance(share) for item in items)) if items else 0


def _hardest(
    items: Sequence[ComparedItem], respondents: int, shares: Sequence[int]
) -> list[tuple[float | None, float | None]]:
    """By share asked directly the smallest differences, more and fewer, of the item hardest to compare."""
    arms, expected_shares = _compared(items, respondents, shares)
    by_item = np.stack(smallest_differences(arms, expected_shares)).reshape(2, len(shares), len(items))
    # What is not found of one item is not found of the hardest.
    more, fewer = ([finite(one) for one in way] for way in by_item.max(axis=2).tolist())
    return list(zip(more, fewer, strict=True))


def _finds(items: Sequence[ComparedItem], respondents: int, direct: int) -> bool:
    arms, expected_shares = _compared(items, respondents, [direct])
    return bool((power(arms, expected_shares, np.full(len(arms), FINDS)) >= POWER).all())


def _compared(
    items: Sequence[ComparedItem], respondents: int, shares: Sequence[int]
) -> tuple[SumOfShares, Floats]:
    """Both arms of each item, share by share, and the expected shares of the answers."""
    rows = [(item, share) for share in shares for item in items]
    n = np.array(
        [[respondents * item.asked * part / PARTS for part in (share, PARTS - share)] for item, share in rows]
    )
    law = np.array([(item.keep, item.chance) for item, _share in rows])
    arms = (Side(n[:, :1].T, 0 * n[:, :1].T, np.ones((1, len(rows))), np.zeros((1, len(rows)))),)
    disguised = Side(n[:, 1:].T, 0 * n[:, 1:].T, law[:, :1].T, law[:, 1:].T)
    return SumOfShares.difference(*arms, disguised), np.array([item.share for item, _share in rows])


def compared_items(draft: Questionnaire) -> Iterator[ComparedItem]:
    """Each distinct one of a section once."""
    for section in draft.sections:
        if kind := known_kind(section):
            yield from kind.compared_items(section)


def small_arm(draft: Questionnaire) -> ArmPlan | None:
    """The plan of the share that is set, where one of its arms is too small."""
    direct = draft.direct_parts
    plan = ArmPlan(direct, draft.respondents, None, None, False) if direct else None
    return plan if plan and plan.is_small else None
