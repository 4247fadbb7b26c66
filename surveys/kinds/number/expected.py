"""The distribution that a researcher expects of the numbers of a question."""

from itertools import pairwise

from privacy.guarantee.expected_numbers import ExpectedNumbers
from privacy.guarantee.number_range import NumberRange
from surveys.kinds.number.draft import NumberDraftQuestion


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
