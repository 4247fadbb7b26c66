"""The range of numbers that a question asks for."""

from dataclasses import dataclass

from privacy.grammar.input_error import InputError, mark_for_translation as _

FURTHEST = 10**9
"""Largest absolute value of a number in a question."""


@dataclass(frozen=True, slots=True)
class NumberRange:
    """The allowed numbers of a question: low, low + step, ... high; people outside answer the nearest end."""

    low: int
    high: int
    step: int = 1

    def __post_init__(self) -> None:
        if self.step < 1:
            raise InputError("step", _("must be at least 1"))
        if self.high <= self.low:
            raise InputError("high", _("must be above the lowest number, %(low)s"), low=self.low)
        if (self.high - self.low) % self.step:
            raise InputError(
                "step",
                _("from %(low)s to %(high)s is not a whole number of steps of %(step)s"),
                low=self.low,
                high=self.high,
                step=self.step,
            )

    @property
    def steps(self) -> int:
        """Number of steps from the lowest to the highest number."""
        return (self.high - self.low) // self.step

    @property
    def values(self) -> int:
        """Number of different numbers in the range."""
        return self.steps + 1

    @property
    def width(self) -> int:
        """The highest less the lowest number."""
        return self.high - self.low
