"""Design by guarantee for a number: the limits or the window that err least within a limit."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil, floor, gcd

from django.utils.translation import gettext as _

from privacy.grammar.input_error import InputError
from privacy.grammar.node import PARTS, decimal
from privacy.guarantee.amplification import GammaLimit, rounded_keep
from privacy.guarantee.classes_search import (
    Classes,
    classes_for_mean,
    classes_for_shares,
    even_limits,
    likely_limits,
    round_limits,
)
from privacy.guarantee.expected_numbers import ExpectedNumbers
from privacy.guarantee.number_range import NumberRange
from privacy.guarantee.window_search import ShapeError, window_for_shape
from privacy.kinds.number.classes.law import ClassesLaw
from privacy.kinds.number.classes.section import MOST_LIMITS
from surveys.kinds.number.draft import (
    HIGH,
    HIGH_OF_SCALE,
    LOW,
    MEAN,
    SCALE,
    SHAPE,
    SHARES,
    ClassesDraftQuestion,
    NumberDraft,
    NumberDraftQuestion,
    WindowDraftQuestion,
    written_keep,
)
from surveys.not_allowed import NotAllowed
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.problems import Problem, reason_of
from surveys.questionnaire.protection import keep_text
from ui.numbers import count

SHARES_PROPOSED = 4
QUARTILES = (0.25, 0.5, 0.75)


def proposed(section: NumberDraft, goal: str, limit: GammaLimit, respondents: int) -> NumberDraft:
    """The section with the law that shows best what is wanted; refused in words where there is none."""
    try:
        return _proposed(section, goal, limit, respondents)
    except InputError as refusal:
        raise NotAllowed(Problem(refusal.path, reason_of(refusal)).sentence) from None


def _proposed(section: NumberDraft, goal: str, limit: GammaLimit, respondents: int) -> NumberDraft:
    question = section.question
    numbers, expected = question.range, expected_of(question)
    if goal == SHAPE:
        law = best_window(numbers, limit, respondents).law
        own = {"values": law.values, "window": law.half, "uniform": decimal(law.uniform_parts)}
        window = WindowDraftQuestion(**{**question.common, **own})
        return replace(section, questions=(window,)).settled()
    if goal == SCALE and numbers == NumberRange(LOW, HIGH):
        expected = ExpectedNumbers.even(NumberRange(LOW, HIGH_OF_SCALE))
    limits = proposed_limits(goal, expected)
    classes = (
        classes_for_mean(expected, limit) if goal == MEAN else classes_for_shares(expected, limit, limits)
    )
    made = with_classes(section, ClassesDraftQuestion(**question.common), classes)
    if goal == SHARES == made.question.goal:
        return made
    return with_classes(section, ClassesDraftQuestion(**question.common, wanted=goal), classes)


def section_of_scale(question: DraftQuestion, values: Sequence[int], limit: GammaLimit) -> NumberDraft:
    """The number of a question whose choices are these values: each is a class."""
    step = gcd(*(above - below for below, above in pairwise(values)))
    numbers = NumberRange(values[0], values[-1], step)
    classes = classes_for_shares(ExpectedNumbers.even(numbers), limit, tuple(values[1:]))
    is_even = numbers.steps == len(values) - 1
    number = ClassesDraftQuestion(
        name=question.name,
        text=question.text,
        label=question.label,
        help=question.help,
        show_if=question.show_if,
        step=step,
        wanted=SCALE if is_even else "",
    )
    return with_classes(NumberDraft(), number, classes)


def proposed_limits(wanted: str, expected: ExpectedNumbers) -> tuple[int, ...]:
    """NotAllowed where the range has too many numbers for a scale."""
    numbers = expected.range
    if wanted == SCALE and numbers.steps > MOST_LIMITS:
        words = _(
            "A scale has at most %(most)s steps; these are %(values)s. Take a shorter range or larger steps."
        )
        raise NotAllowed(words % {"most": MOST_LIMITS + 1, "values": count(numbers.values)})
    if wanted in (MEAN, SCALE):
        return even_limits(numbers, MOST_LIMITS)
    if wanted == SHARES:
        return round_limits(numbers, SHARES_PROPOSED)
    is_even = len(expected.starts) == 1
    return (
        round_limits(numbers, MOST_LIMITS)
        if is_even
        else likely_limits(expected, min(MOST_LIMITS, numbers.steps))
    )


def with_classes(section: NumberDraft, question: ClassesDraftQuestion, classes: Classes) -> NumberDraft:
    """The section with this question, by these classes."""
    made = replace(
        question,
        low=classes.range.low,
        high=classes.range.high,
        limits=tuple(classes.limits),
        cuts=classes.cuts,
        rest=classes.rest,
    )
    rest = keep_text(classes.rest_keep) if classes.rest else ""
    return replace(section, keep=keep_text(classes.keep), keep_rest=rest, questions=(made,))


def proposal(question: ClassesDraftQuestion) -> tuple[int, ...]:
    """The limits proposed for its range; nothing where none can be."""
    try:
        return proposed_limits(question.goal, expected_of(question))
    except (InputError, NotAllowed):
        return ()


def replanned(section: NumberDraft, question: ClassesDraftQuestion) -> NumberDraft:
    """The section with this question, and what shows it best within the gamma that the section has."""
    limit, expected, limits = _limit_of(section), expected_of(question), question.limits
    if question.goal == MEAN and limits == even_limits(expected.range, MOST_LIMITS):
        classes = classes_for_mean(expected, limit)
    else:
        classes = classes_for_shares(expected, limit, limits, mean=bool(question.rest))
    return with_classes(section, question, classes)


def redrawn(section: NumberDraft, question: ClassesDraftQuestion) -> NumberDraft:
    """The same for a question whose m and R were set by hand."""
    limit = _limit_of(section)
    keep, rest_keep = rounded_keep(limit, question.cuts), rounded_keep(limit, 1)
    classes = Classes(question.range, question.limits, question.cuts, question.rest, keep, rest_keep)
    return with_classes(section, question, classes)


def _limit_of(section: NumberDraft) -> GammaLimit:
    question = section.classes
    assert question
    law = ClassesLaw(len(question.limits), question.cuts, Fraction(section.keep))
    return GammaLimit(law.gamma_of_class, strict=False)


def number_within(section: NumberDraft, limit: GammaLimit) -> NumberDraft | None:
    """The section with as much kept as the limit allows; None where that shows nothing."""
    question, classes = section.question, section.classes
    if isinstance(question, WindowDraftQuestion):
        parts = least_uniform(question.values, question.window, limit)
        if parts >= PARTS:
            return None
        made = replace(section, questions=(replace(question, uniform=decimal(parts)),))
        return made if made.law() else None
    assert classes
    try:
        rest = written_keep(limit, 1) if classes.rest else ""
        return replace(section, keep=written_keep(limit, classes.cuts), keep_rest=rest)
    except InputError:
        return None


def least_uniform(values: int, half: int, limit: GammaLimit) -> int:
    """1 - u in ten-thousandths: gamma = 1 + u V / ((1-u) (2h+1)) is at most G if 1-u is 1 / (1 + (G-1) (2h+1)/V)."""
    least = PARTS / (1 + (limit.gamma - 1) * (2 * half + 1) / values)
    return max(floor(least) + 1 if limit.strict else ceil(least), 1)


@lru_cache(maxsize=64)
def best_window(numbers: NumberRange, limit: GammaLimit, respondents: int) -> ShapeError:
    return window_for_shape(numbers, limit, respondents)


def expected_of(question: NumberDraftQuestion) -> ExpectedNumbers:
    """The distribution that the researcher expects; even where nothing is said, or where it does not fit any more."""
    numbers = question.range
    ends = [numbers.low, *question.expected, numbers.high]
    starts = [numbers.low, *(_on_step(each, numbers) for each in ends[1:-1])]
    if len(starts) == 1 or any(below >= above for below, above in pairwise([*starts, numbers.high])):
        return ExpectedNumbers.even(numbers)
    return ExpectedNumbers.weighted(numbers, starts, [1.0] * len(starts))


def _on_step(number: int, numbers: NumberRange) -> int:
    """The nearest number of the range."""
    steps = round((number - numbers.low) / numbers.step)
    return numbers.low + numbers.step * min(max(steps, 0), numbers.steps)
