"""The figure: the validation's shares by question and technique, with 95 % intervals."""

from math import inf

from django.utils.translation import gettext as _

from papers.drawing import Curve, Figure
from papers.studies.counts import CROSSWISE, DICE, DIRECT, FORCED, TAX, UNRELATED, VALIDATION
from papers.studies.replayed import ReplayedStudies

BESIDE = 14.0
"""Between the points of two techniques."""


def question_names() -> dict[str, str]:
    return {
        DICE: _("cheating at dice"),
        TAX: _("tax evasion"),
        "shoplifting": _("shoplifting"),
        "non voting": _("not voting"),
    }


def technique_names() -> dict[str, str]:
    return {
        DIRECT: _("direct"),
        UNRELATED: _("unrelated question"),
        CROSSWISE: _("crosswise"),
        FORCED: _("forced response"),
    }


def figure(studies: ReplayedStudies) -> Figure:
    """Between two questions is a value that is not finite, so that no line joins them."""
    questions = question_names()
    places = range(2 * len(questions) - 1)
    curves = []
    for technique, name in technique_names().items():
        rows = [studies.share(VALIDATION, question, technique) for question in questions]
        middle, low, high = (
            [getattr(rows[row // 2], part) if row % 2 == 0 else inf for row in places]
            for part in ("share", "low", "high")
        )
        curves.append(Curve(name, middle, low, high))
    return Figure(
        _("One technique a respondent, at random"),
        ", ".join(f"{row}: {name}" for row, name in enumerate(questions.values(), start=1)),
        _("estimated share"),
        [1 + row / 2 for row in places],
        curves,
        note=_("our estimates with 95 % intervals, from the published counts"),
        apart=BESIDE,
        span=(0.5, len(questions) + 0.5),
    )
