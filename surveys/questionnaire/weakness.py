"""Weak settings: those that need a reviewer's yes before the survey may open."""

from decimal import Decimal

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from privacy.designs import Design
from privacy.designs.design import LEAST
from privacy.grammar.node import PARTS
from privacy.guarantee.amplification import PLACES
from privacy.guarantee.chain import person_guarantee
from privacy.kinds.mined_law import Protected
from surveys.questionnaire.problems import Problem
from ui.numbers import exact_percent

MOST_EPSILON = Decimal(5)
EPSILON_PLACES = 2
"""Decimals on a page."""


def epsilon(design: Design, places: int = PLACES) -> Decimal | None:
    """Epsilon of one person's disguised answers together, rounded up; None where none is disguised."""
    combined = person_guarantee(design)
    return combined.epsilon(places) if combined else None


def inside_only(design: Design) -> bool:
    """Whether the guarantee holds for people inside the regions of a place only."""
    combined = person_guarantee(design)
    return combined is not None and combined.protects is Protected.INSIDE


def weak_settings(design: Design) -> list[Problem]:
    problems = []
    amount = epsilon(design)
    if amount is not None and amount > MOST_EPSILON:
        words = _("one person's epsilon is %(epsilon)s, above %(most)s")
        if inside_only(design):
            words = _(
                "the epsilon of a person inside the regions is %(epsilon)s, above %(most)s; "
                "outside none is promised"
            )
        if design.has_arms:
            words = _(
                "the epsilon of a person whose answers are disguised is %(epsilon)s, above %(most)s; "
                "people asked directly have none"
            )
        said = {"epsilon": number_format(epsilon(design, EPSILON_PLACES) or amount), "most": MOST_EPSILON}
        problems.append(Problem("sections", words % said))
    if design.least < LEAST:
        words = _("batches of %(least)s, fewer than %(usual)s")
        problems.append(Problem("least", words % {"least": design.least, "usual": LEAST}))
    if sum(section.rotates for section in design.lasting_sections) > 1:
        words = _(
            "two sections whose disguise lasts ask each person some of their questions only: which ones is the same in "
            "all rounds, and together they can mark a person"
        )
        problems.append(Problem("sections", words))
    if design.has_arms:
        words = _("%(share)s of the devices ask directly: those answers are sent without disguise")
        problems.append(Problem("direct", words % {"share": exact_percent(design.direct_parts / PARTS)}))
    return problems
