"""Ready-made scales. Their words are content of a survey, so they stand here in the survey's languages, whatever
language the page speaks."""

import re
from dataclasses import dataclass
from itertools import pairwise

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from privacy.kinds.number.classes.section import MOST_LIMITS
from surveys.questionnaire.draft_question import DraftQuestion


@dataclass(frozen=True)
class AnswerScale:
    """The points from low to high, in each language that they are known in."""

    title: str | Promise
    points: dict[str, tuple[str, ...]]


SCALES = {
    "agreement-5": AnswerScale(
        _("Agreement, five points"),
        {
            "en": ("Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"),
            "zh-hans": ("非常不同意", "不同意", "既不同意也不反对", "同意", "非常同意"),
        },
    ),
    "agreement-7": AnswerScale(
        _("Agreement, seven points"),
        {
            "en": (
                "Strongly disagree",
                "Disagree",
                "Somewhat disagree",
                "Neither agree nor disagree",
                "Somewhat agree",
                "Agree",
                "Strongly agree",
            ),
            "zh-hans": (
                "非常不同意",
                "不同意",
                "有点不同意",
                "既不同意也不反对",
                "有点同意",
                "同意",
                "非常同意",
            ),
        },
    ),
    "frequency-5": AnswerScale(
        _("How often, five points"),
        {
            "en": ("Never", "Rarely", "Sometimes", "Often", "Always"),
            "zh-hans": ("从不", "很少", "有时", "经常", "总是"),
        },
    ),
    "satisfaction-5": AnswerScale(
        _("Satisfaction, five points"),
        {
            "en": (
                "Very dissatisfied",
                "Dissatisfied",
                "Neither satisfied nor dissatisfied",
                "Satisfied",
                "Very satisfied",
            ),
            "zh-hans": ("非常不满意", "不满意", "一般", "满意", "非常满意"),
        },
    ),
    "likelihood-5": AnswerScale(
        _("How likely, five points"),
        {
            "en": ("Very unlikely", "Unlikely", "Neither likely nor unlikely", "Likely", "Very likely"),
            "zh-hans": ("非常不可能", "不太可能", "不确定", "比较可能", "非常可能"),
        },
    ),
    "importance-5": AnswerScale(
        _("Importance, five points"),
        {
            "en": (
                "Not at all important",
                "Slightly important",
                "Moderately important",
                "Very important",
                "Extremely important",
            ),
            "zh-hans": ("完全不重要", "不太重要", "一般", "很重要", "极其重要"),
        },
    ),
    "quality-5": AnswerScale(
        _("Quality, five points"),
        {
            "en": ("Very poor", "Poor", "Fair", "Good", "Very good"),
            "zh-hans": ("很差", "较差", "一般", "较好", "很好"),
        },
    ),
}


FEWEST_STEPS = 3
WHOLE = re.compile(r"-?[0-9]{1,9}", re.ASCII)


def scale_values(question: DraftQuestion) -> list[int]:
    """The numbers that the choices of a scale are, from low to high; none where it is no scale of numbers.

    One of a battery stays a question with choices, and so does one with a choice that is no number.
    """
    labels = [{*choice.label.values()} or {choice.name} for choice in question.choices]
    words = [next(iter(label)) if len(label) == 1 else "" for label in labels]
    if question.form != "scale" or question.of or not all(map(WHOLE.fullmatch, words)):
        return []
    values = list(map(int, words))
    is_rising = all(below < above for below, above in pairwise(values))
    return values if is_rising and FEWEST_STEPS <= len(values) <= MOST_LIMITS + 1 else []
