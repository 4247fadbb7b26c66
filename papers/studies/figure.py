"""The figure: the validation's shares by question and technique, with 95 % intervals."""

from math import inf

from papers.drawing import Curve, Figure
from papers.studies.counts import DICE, TAX, TECHNIQUES, VALIDATION
from papers.studies.replayed import ReplayedStudies

QUESTIONS = {
    DICE: "cheating at dice",
    TAX: "tax evasion",
    "shoplifting": "shoplifting",
    "non voting": "not voting",
}
BESIDE = 14.0
"""Between the points of two techniques."""


def figure(found: ReplayedStudies) -> Figure:
    """Between two questions stands a value that is not finite, so that no line joins them."""
    places = range(2 * len(QUESTIONS) - 1)
    curves = []
    for technique in TECHNIQUES:
        rows = [found.share(VALIDATION, question, technique) for question in QUESTIONS]
        middle, low, high = (
            [getattr(rows[place // 2], name) if place % 2 == 0 else inf for place in places]
            for name in ("share", "low", "high")
        )
        curves.append(Curve(technique, middle, low, high))
    across = ", ".join(f"{place}: {name}" for place, name in enumerate(QUESTIONS.values(), start=1))
    return Figure(
        "One technique a respondent, by lot",
        across,
        "estimated share",
        [1 + place / 2 for place in places],
        curves,
        note="our estimates with 95 % intervals, from the published counts",
        apart=BESIDE,
        span=(0.5, len(QUESTIONS) + 0.5),
    )
