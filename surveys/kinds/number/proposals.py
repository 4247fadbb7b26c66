"""Proposes limits or a window for a number, with the least error within a limit of gamma."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil, floor, gcd

from django.utils.translation import gettext as _

from privacy.grammar.input_error import InputError
from privacy.grammar.json_node import PARTS, parts_to_decimal
from privacy.grammar.number_range import NumberRange
from privacy.guarantee.amplification import GammaLimit, rounded_class_keep
from privacy.guarantee.best_number_classes import (
    ClassesDesign,
    classes_for_mean,
    classes_for_shares,
    equal_share_limits,
    even_limits,
    round_number_limits,
)
from privacy.guarantee.best_number_window import ShapeError, window_for_shape
from privacy.guarantee.number_distribution import ExpectedNumbers
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
    largest_keep_within_limit,
)
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.plain_number_bands import BandsQuestion, propose_round_limits
from surveys.questionnaire.problems_and_refusals import NotAllowed, Problem, reason_text
from surveys.questionnaire.protection import keep_probability_text
from ui.number_format import format_count

SHARES_PROPOSED = 4
FEWEST_NUMBERS = 3


def propose_law(section: NumberDraft, goal: str, limit: GammaLimit, respondents: int) -> NumberDraft:
    """Returns the section with the disguise that has the least error for this goal within the limit of gamma; refused
    with the reason if there is none."""
    question = section.question
    try:
        numbers, expected = question.number_range, expected_distribution(question)
        if goal == SHAPE:
            law = window_with_least_error(numbers, limit, respondents).law
            own = {"values": law.values, "window": law.half, "uniform": parts_to_decimal(law.uniform_parts)}
            window = WindowDraftQuestion(**{**question.common_fields, **own})
            return replace(section, questions=(window,)).normalized()
        if goal == SCALE and numbers == NumberRange(LOW, HIGH):
            expected = ExpectedNumbers.uniform(NumberRange(LOW, HIGH_OF_SCALE))
        limits = propose_limits(goal, expected)
        is_mean = goal == MEAN
        classes = (
            classes_for_mean(expected, limit) if is_mean else classes_for_shares(expected, limit, limits)
        )
        after = section_with_classes(section, ClassesDraftQuestion(**question.common_fields), classes)
        if goal == SHARES == after.question.goal:
            return after
        return section_with_classes(
            section, ClassesDraftQuestion(**question.common_fields, wanted=goal), classes
        )
    except InputError as refusal:
        raise NotAllowed(Problem(refusal.path, reason_text(refusal)).sentence) from None


@lru_cache(maxsize=64)
def window_with_least_error(numbers: NumberRange, limit: GammaLimit, respondents: int) -> ShapeError:
    return window_for_shape(numbers, limit, respondents)


def propose_limits(goal: str, expected: ExpectedNumbers) -> tuple[int, ...]:
    """Returns class boundaries (limits) for this goal; refused if the goal is a scale and the range has too many
    numbers."""
    numbers = expected.range
    if goal == SCALE and numbers.steps > MOST_LIMITS:
        words = _(
            "A scale has at most %(most)s steps; these are %(values)s. Take a shorter range or larger steps."
        )
        raise NotAllowed(words % {"most": MOST_LIMITS + 1, "values": format_count(numbers.values)})
    if goal in (MEAN, SCALE):
        return even_limits(numbers, MOST_LIMITS)
    if goal == SHARES:
        return round_number_limits(numbers, SHARES_PROPOSED)
    is_even = len(expected.starts) == 1
    most = min(MOST_LIMITS, numbers.steps)
    return round_number_limits(numbers, MOST_LIMITS) if is_even else equal_share_limits(expected, most)


def proposed_limits_or_empty(question: ClassesDraftQuestion) -> tuple[int, ...]:
    """Returns the limits proposed for the question's goal and range; empty if no limits can be proposed."""
    try:
        return propose_limits(question.goal, expected_distribution(question))
    except (InputError, NotAllowed):
        return ()


def expected_distribution(question: NumberDraftQuestion) -> ExpectedNumbers:
    """Returns the distribution that the researcher expects; uniform if none is given, or if it does not fit the
    range."""
    numbers, starts = question.number_range, [question.number_range.low]
    for number in question.expected:
        steps = round((number - numbers.low) / numbers.step)
        starts.append(numbers.low + numbers.step * min(max(steps, 0), numbers.steps))
    if len(starts) == 1 or any(below >= above for below, above in pairwise([*starts, numbers.high])):
        return ExpectedNumbers.uniform(numbers)
    return ExpectedNumbers.from_weights(numbers, starts, [1.0] * len(starts))


def section_with_classes(
    section: NumberDraft, question: ClassesDraftQuestion, classes: ClassesDesign
) -> NumberDraft:
    """Returns the section with this question, and with the range, limits and keep probabilities of `classes`."""
    question = replace(
        question,
        low=classes.range.low,
        high=classes.range.high,
        limits=tuple(classes.limits),
        cuts=classes.cuts,
        rest=classes.rest,
    )
    rest = keep_probability_text(classes.rest_keep) if classes.rest else ""
    return replace(section, keep=keep_probability_text(classes.keep), keep_rest=rest, questions=(question,))


def section_from_scale(question: DraftQuestion, values: Sequence[int], limit: GammaLimit) -> NumberDraft:
    """Converts a question with numeric choices to a sensitive number, in which each value is a class."""
    step = gcd(*(above - below for below, above in pairwise(values)))
    numbers = NumberRange(values[0], values[-1], step)
    classes = classes_for_shares(ExpectedNumbers.uniform(numbers), limit, tuple(values[1:]))
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
    return section_with_classes(NumberDraft(), number, classes)


def section_from_bands(question: BandsQuestion, limit: GammaLimit) -> NumberDraft | None:
    """Converts a plain number, whose answers are sent as bands, to a sensitive one with the same limits; None if the
    range has fewer than three numbers.

    Limits that were only proposed for the bands are proposed anew.
    """
    numbers, limits = question.number.range, question.number.limits
    if numbers.values < FEWEST_NUMBERS:
        return None
    if limits == propose_round_limits(numbers):
        limits = round_number_limits(numbers, SHARES_PROPOSED)
    number = ClassesDraftQuestion(
        name=question.name,
        text=question.text,
        label=question.label,
        help=question.help,
        show_if=question.show_if,
        unit=question.number.unit,
        step=numbers.step,
    )
    return section_with_classes(
        NumberDraft(), number, classes_for_shares(ExpectedNumbers.uniform(numbers), limit, limits)
    )


def replan_cuts_and_keep(section: NumberDraft, question: ClassesDraftQuestion) -> NumberDraft:
    """Returns the section with this question, and with the `cuts`, `rest` and keep probabilities that have the least
    error at the section's present gamma."""
    limit, expected, limits = _current_gamma_limit(section), expected_distribution(question), question.limits
    if question.goal == MEAN and limits == even_limits(expected.range, MOST_LIMITS):
        classes = classes_for_mean(expected, limit)
    else:
        classes = classes_for_shares(expected, limit, limits, mean=bool(question.rest))
    return section_with_classes(section, question, classes)


def replan_keep_at_same_gamma(section: NumberDraft, question: ClassesDraftQuestion) -> NumberDraft:
    """Returns the section with this question, and with the keep probabilities at which the question's `cuts` and `rest`
    have the section's present gamma."""
    limit = _current_gamma_limit(section)
    keep, rest_keep = rounded_class_keep(limit, question.cuts), rounded_class_keep(limit, 1)
    classes = ClassesDesign(
        question.number_range, question.limits, question.cuts, question.rest, keep, rest_keep
    )
    return section_with_classes(section, question, classes)


def _current_gamma_limit(section: NumberDraft) -> GammaLimit:
    question = section.classes_question
    assert question
    law = ClassesLaw(len(question.limits), question.cuts, Fraction(section.keep))
    return GammaLimit(law.gamma_of_class_records, strict=False)


def number_at_gamma_limit(section: NumberDraft, limit: GammaLimit) -> NumberDraft | None:
    """Returns the section with the largest keep probability that the limit allows; None if records would
    reveal nothing then."""
    question, classes = section.question, section.classes_question
    if isinstance(question, WindowDraftQuestion):
        parts = least_uniform_share_of_window(question.values, question.window, limit)
        if parts >= PARTS:
            return None
        limited = replace(section, questions=(replace(question, uniform=parts_to_decimal(parts)),))
        return limited if limited.disguise_law() else None
    assert classes
    try:
        rest = largest_keep_within_limit(limit, 1) if classes.rest else ""
        return replace(section, keep=largest_keep_within_limit(limit, classes.cuts), keep_rest=rest)
    except InputError:
        return None


def least_uniform_share_of_window(values: int, half: int, limit: GammaLimit) -> int:
    """Returns the smallest share of uniformly drawn numbers, in ten-thousandths, that keeps a window within the limit.

    With u this share, V `values` and h `half`: gamma = 1 + (1-u) V / (u (2h+1)).
    """
    # At most G if 1-u is at least 1 / (1 + (G-1) (2h+1)/V).
    least = PARTS / (1 + (limit.gamma - 1) * (2 * half + 1) / values)
    return max(floor(least) + 1 if limit.strict else ceil(least), 1)
