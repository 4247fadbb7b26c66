"""Plans the direct arm of a draft: the smallest difference of the arms to be found, share by share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from privacy.grammar.node import PARTS, decimal
from privacy.guarantee.arm_planner import score_variances, smallest_difference
from privacy.kinds.grouped.law import SectionLaw
from surveys.builder.crosswise_draft import CROSSWISE, crosswise_section_law
from surveys.builder.crosswise_protection import EXPECTED_SHARE
from surveys.builder.laws import grouped_laws
from surveys.builder.normal_values import Node
from surveys.builder.precision import asked_for, rounded_up, share_of
from surveys.builder.protection import expected
from surveys.builder.study_draft import direct_parts, least_with
from surveys.draft import Draft

LEAST_ARM = 500
FINDS = 0.25
"""A difference that a study has to find to be worth the direct answers."""
"""Respondents of an arm below which a difference says little."""
STEP = PARTS // 100
TENTHS = range(PARTS // 10, PARTS, PARTS // 10)


@dataclass(frozen=True)
class ComparedItem:
    """The share of one answer in both arms; `asked` is the part of the respondents who are asked the question."""

    variances: tuple[float, float]
    asked: float

    def smallest(self, respondents: int, direct: int) -> float:
        return smallest_difference(respondents * self.asked, 1 - direct / PARTS, self.variances)


@dataclass(frozen=True)
class ArmPlan:
    """`direct` in ten-thousandths; `smallest` is of the question hardest to compare, None where there is none."""

    direct: int
    respondents: int
    smallest: float | None
    best: bool

    @property
    def share(self) -> str:
        return decimal(self.direct)

    @property
    def part(self) -> float:
        return self.direct / PARTS

    @property
    def smallest_words(self) -> str:
        """Rounded up to a tenth of a point; shares differ by at most 100."""
        if self.smallest is None:
            return "–"
        if self.smallest > 1:
            return _("cannot be found")
        return str(number_format(ceil(self.smallest * 1000) / 10, 1))

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


def arm_plans(draft: Draft) -> list[ArmPlan]:
    """By tenths, with the best share to a hundredth, and the one that is set; none is best that finds too little."""
    items, respondents = list(compared_items(draft)), expected(draft)
    best = best_direct(items)
    shares = {*TENTHS, *filter(None, [best, direct_parts(draft)])}
    finds = (worst(items, respondents, best) or 0.0) <= FINDS if best else False
    return [
        ArmPlan(share, respondents, worst(items, respondents, share), finds and share == best)
        for share in sorted(shares)
    ]


def respondents_needed(draft: Draft) -> int | None:
    """With how many answers the best share finds a difference of 25 points; None where as many are expected."""
    items = list(compared_items(draft))
    one = worst(items, 1, best_direct(items)) if items else None
    # The smallest difference falls with the square root of the answers.
    needed = ceil((one / FINDS) ** 2) if one else 0
    return rounded_up(needed) if needed > expected(draft) else None


def best_direct(items: Sequence[ComparedItem]) -> int:
    """The share asked directly with which the hardest question is compared best; 0 where there is none."""
    shares = range(TENTHS[0], TENTHS[-1] + 1, STEP)
    return min(shares, key=lambda share: worst(items, 1, share) or 0) if items else 0


def worst(items: Sequence[ComparedItem], respondents: int, direct: int) -> float | None:
    return max((item.smallest(respondents, direct) for item in items), default=None)


def compared_items(draft: Draft) -> Iterator[ComparedItem]:
    """Of questions disguised together and of crosswise questions; each distinct one once."""
    for number, law in grouped_laws(draft):
        yield from _of_grouped(draft["sections"][number], law)
    for section in draft["sections"]:
        found = crosswise_section_law(section) if section.get("kind") == CROSSWISE else None
        if found:
            yield _item(found, EXPECTED_SHARE, Fraction(1, 2))


def _of_grouped(section: Node, law: SectionLaw) -> Iterator[ComparedItem]:
    pairs = zip(section["questions"], law.noise, strict=True)
    wanted = {(share_of(question), noise[asked_for(question, noise)]) for question, noise in pairs}
    return (_item(law, share, noise) for share, noise in sorted(wanted))


def _item(law: SectionLaw, share: float, noise: Fraction) -> ComparedItem:
    variances = score_variances(share, float(law.keep), float(noise))
    return ComparedItem(variances, law.asked / len(law.noise))


def small_arm(draft: Draft) -> ArmPlan | None:
    """The plan of the share that is set, where one of its arms is too small."""
    direct = direct_parts(draft)
    plan = ArmPlan(direct, expected(draft), None, False) if direct else None
    return plan if plan and plan.is_small else None
