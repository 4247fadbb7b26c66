"""What a design can find, beside what is not shown (docs/mathematics.md, What the design can find)."""

from statistics import NormalDist

from django.utils.translation import ngettext

from mining.document.report import About, Rule
from mining.inference.intervals import NORMAL_95
from mining.inference.selection import LEVEL
from reports.sentences.arms import of_points
from reports.sentences.parts import Sentence, fill
from ui.numbers import count

POWER = 0.8


def smallest_found(rule: Rule, family: int) -> float | None:
    """The difference of the confidence from the base rate that a test at .05/`family` finds four times out of five, by
    the error of the confidence, which is not below that of this difference.

    None where the error is not known, or the difference is more than a share can be.
    """
    if rule.confidence_low is None or rule.confidence_high is None or not family:
        return None
    error = (rule.confidence_high - rule.confidence_low) / (2 * NORMAL_95)
    normal = NormalDist()
    difference = (normal.inv_cdf(1 - LEVEL / family / 2) + normal.inv_cdf(POWER)) * error
    base = rule.consequent_support or 0.0
    return difference if 0 < difference < max(1 - base, base) else None


def what_is_found(rule: Rule, about: About) -> Sentence:
    """Empty where nothing can be said."""
    difference = smallest_found(rule, about.family)
    if difference is None:
        return ()
    words = ngettext(
        "With %(count)s answer, a difference of %(points)s would be found four times out of five.",
        "With %(count)s answers, a difference of %(points)s would be found four times out of five.",
        about.records,
    )
    return fill(words, count=count(about.records), points=of_points(difference))
