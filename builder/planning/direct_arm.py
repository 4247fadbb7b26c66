"""The direct arm: a share of devices that ask without disguise, so that a report can compare direct and
disguised answers.

The form offers shares in steps of a tenth, the best share for the question that is hardest to compare, and
the present share. Each is shown with the smallest difference between the arms that the survey would detect.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import ceil
from typing import Any

import numpy as np
from django import forms
from django.forms.boundfield import BoundWidget
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from builder.planning.precision_forecast import find_least_respondents
from mining.finite_numbers_for_json import finite_or_none
from mining.inference.contingency_table import Floats
from mining.inference.share_sum_score_test import (
    POWER,
    ReceivedSide,
    SumOfShares,
    difference_power,
    smallest_detectable_differences,
)
from privacy.grammar.json_node import PARTS, parts_to_decimal
from surveys.kinds.kind_interface import ComparedItem
from surveys.kinds.registry import get_kind_if_known
from surveys.questionnaire.questionnaire import Questionnaire, min_batch_size_with_direct_arm
from ui.number_format import format_exact_percent

LEAST_ARM = 500
"""Number of respondents of an arm below which a difference is not informative."""
FINDS = 0.25
"""Smallest difference between the arms that makes the direct answers worth asking, if a study can detect it."""
STEP = PARTS // 100
TENTHS = range(PARTS // 10, PARTS, PARTS // 10)


class ArmPlan:
    """A possible share asked directly (`direct`, in ten-thousandths), with the expected people of both arms.

    `more` and `fewer` are the smallest detectable differences upwards and downwards, for the question that is hardest
    to compare; None if none is detectable. `least` is the smallest allowed minimum batch size with this share.
    """

    def __init__(
        self,
        direct: int,
        respondents: int,
        more: float | None = None,
        fewer: float | None = None,
        is_best: bool = False,
    ) -> None:
        self.direct, self.more, self.fewer, self.is_best = direct, more, fewer, is_best
        self.share, self.least = parts_to_decimal(direct), min_batch_size_with_direct_arm(direct)
        self.asked_directly = respondents * direct // PARTS
        self.disguised = respondents - self.asked_directly
        self.is_small = min(self.asked_directly, self.disguised) < LEAST_ARM

    @property
    def smallest_difference_words(self) -> str:
        """The smallest detectable differences as text, upwards (+) and downwards (−), rounded up to a tenth of a
        point."""
        ends = [
            f"{sign}{number_format(ceil(difference * 1000) / 10, 1)}"
            for sign, difference in (("+", self.more), ("−", self.fewer))
            if difference is not None
        ]
        return " / ".join(ends) or _("cannot be found")


def selectable_arm_plans(draft: Questionnaire) -> list[ArmPlan]:
    """Returns a plan for each share of devices that can be asked directly: tenths, the best share, and the present
    share.

    A share is marked best only if it detects a difference of 25 points.
    """
    items, respondents = answers_compared_between_arms(draft), draft.respondents
    best = best_direct_share(items)
    shares = sorted({*TENTHS, *filter(None, [best, draft.directly_asked_ten_thousandths])})
    if not items:
        return [ArmPlan(share, respondents) for share in shares]
    more, fewer = _smallest_differences_of_hardest_item(tuple(items), respondents, tuple(shares))
    return [
        ArmPlan(share, respondents, up, down, share == best and up is not None and up <= FINDS)
        for share, up, down in zip(shares, more, fewer, strict=True)
    ]


@lru_cache(maxsize=64)
def _smallest_differences_of_hardest_item(
    items: tuple[ComparedItem, ...], respondents: int, shares: tuple[int, ...]
) -> list[list[float | None]]:
    """Returns two rows, upwards and downwards, with the smallest detectable difference at each share, for the
    answer that is hardest to compare.

    Takes 0.2 s.
    """
    arms, expected_shares = _expected_differences_of_arms(items, respondents, shares)
    by_item = np.stack(smallest_detectable_differences(arms, expected_shares)).reshape(
        2, len(shares), len(items)
    )
    # What is not found of one item is not found of the hardest.
    return [[finite_or_none(difference) for difference in row] for row in by_item.max(axis=2).tolist()]


def chosen_arm(draft: Questionnaire) -> ArmPlan | None:
    """Returns the plan of the draft's present share, without differences; None if nobody is asked directly."""
    return (
        ArmPlan(draft.directly_asked_ten_thousandths, draft.respondents)
        if draft.directly_asked_ten_thousandths
        else None
    )


def respondents_for_arm_comparison(draft: Questionnaire) -> int | None:
    """Returns the number of answers with which the best direct share detects a difference of 25 points between the
    arms.

    None if enough are expected already, or if no number is enough.
    """
    items = answers_compared_between_arms(draft)
    best = best_direct_share(items)

    def is_difference_found(respondents: int) -> bool:
        arms, expected_shares = _expected_differences_of_arms(items, respondents, [best])
        return bool((difference_power(arms, expected_shares, np.full(len(arms), FINDS)) >= POWER).all())

    if not items or is_difference_found(draft.respondents):
        return None
    return find_least_respondents(is_difference_found, draft.respondents)


def best_direct_share(items: Sequence[ComparedItem]) -> int:
    """Returns the share asked directly, in ten-thousandths, at which the difference between the arms has the least
    variance for the answer that is hardest to compare; 0 without answers."""
    shares = range(TENTHS[0], TENTHS[-1] + 1, STEP)
    return min(shares, key=lambda share: max(item.variance(share) for item in items)) if items else 0


def answers_compared_between_arms(draft: Questionnaire) -> list[ComparedItem]:
    """Returns the answers whose shares a report compares between the arms."""
    kinds = [(kind, section) for section in draft.sections if (kind := get_kind_if_known(section))]
    return [item for kind, section in kinds for item in kind.items_compared_between_arms(section)]


def _expected_differences_of_arms(
    items: Sequence[ComparedItem], respondents: int, shares: Sequence[int]
) -> tuple[SumOfShares, Floats]:
    """Returns the difference between the arms for each share and answer, and the expected shares of the
    answers, in the same order."""
    rows = [(item, share) for share in shares for item in items]
    n = np.array(
        [[respondents * item.asked * part / PARTS for part in (share, PARTS - share)] for item, share in rows]
    )
    law = np.array([(item.keep, item.chance) for item, _share in rows])
    direct = ReceivedSide(n[:, :1].T, 0 * n[:, :1].T, np.ones((1, len(rows))), np.zeros((1, len(rows))))
    disguised = ReceivedSide(n[:, 1:].T, 0 * n[:, 1:].T, law[:, :1].T, law[:, 1:].T)
    return SumOfShares.from_difference(direct, disguised), np.array([item.share for item, _share in rows])


class DirectShareForm(forms.Form):
    """Form that chooses the share asked directly; empty if all answers are disguised."""

    def __init__(self, draft: Questionnaire, data: Any = None, **options: Any) -> None:
        super().__init__(data, **options)
        self.draft, self.plans = draft, selectable_arm_plans(draft)
        shares = [(plan.share, format_exact_percent(plan.direct / PARTS)) for plan in self.plans]
        self.initial.update(direct=draft.direct)
        self.fields["direct"] = forms.ChoiceField(
            label=_("Share of the devices that ask directly"),
            choices=[("", _("Nobody")), *shares],
            required=False,
            widget=forms.RadioSelect,
        )

    def clean_direct(self) -> str:
        direct = str(self.cleaned_data["direct"])
        plan = next((plan for plan in self.plans if plan.share == direct), None)
        if plan and self.draft.minimum_batch_size < plan.least:
            words = _(
                "With this share the minimum batch size must be at least %(least)s. Raise it on the start page of "
                "the questionnaire first, or choose a larger share."
            )
            raise forms.ValidationError(words % {"least": plan.least})
        return direct

    @property
    def respondents_needed(self) -> int | None:
        return respondents_for_arm_comparison(self.draft)

    @property
    def share_rows(self) -> list[tuple[BoundWidget, ArmPlan | None]]:
        """Radio button and plan of each share; the first button, "all answers disguised", has no plan."""
        return list(zip(self["direct"].subwidgets, [None, *self.plans], strict=True))


class DirectSharePart:
    """The share asked directly, as a part that is saved on its own."""

    dom_id = "direct"

    def conflict_check_value(self, draft: Questionnaire) -> Any:
        return [draft.direct, draft.open_answers]

    def build_form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> DirectShareForm:
        return DirectShareForm(draft, data, auto_id="direct-%s")

    def apply_cleaned(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        """Sets the share asked directly, and switches open answers off: if the device draws who is asked directly,
        respondents cannot choose."""
        direct = cleaned["direct"]
        return replace(draft, direct=direct, open_answers=draft.open_answers and not direct)
