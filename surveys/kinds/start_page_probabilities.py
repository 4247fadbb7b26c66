"""Probabilities that respondents are told on the start page: how often the device sends the true answer."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ui.number_format import rounded_odds

SendingChances = list[tuple[Fraction, Fraction]]
"""For each choice, how often it is sent by people with this true answer, and by people with another."""


@dataclass(frozen=True, slots=True)
class Chance:
    """A probability that is stated as odds, and as a percentage with `places` decimals: 60 %, not 60.0 %."""

    value: float
    places: int


def chance_from_share(share: Fraction) -> Chance:
    """Converts a share to a probability for a page, with a decimal only if it is not a whole percentage."""
    return Chance(float(share), 0 if (share * 100).denominator == 1 else 1)


class Chances:
    """Base class of the probabilities that the start page states for a section; `template` renders them.

    `throws`: the device decides by coins what it sends.
    """

    __slots__ = ()
    template: ClassVar[str]
    throws: ClassVar[bool] = False

    @property
    def has_unprotected_answers(self) -> bool:
        """True if some true answers are not protected."""
        return False


class CoinChances(Chances):
    """Base class of the probabilities of a device that randomises by coins; `keep` is the probability that it sends the
    true answer."""

    __slots__ = ()
    throws = True
    keep: Chance

    @property
    def marks_of_true_answers(self) -> list[bool]:
        """Pictogram of the odds: at most twenty marks, True for a true answer, False for a random one; empty if more
        are needed."""
        times, of = rounded_odds(self.keep.value) or (0, 0)
        return [index < times for index in range(of)] if of <= 20 else []


def sending_chances_for_keep(keep_probability: Fraction) -> SendingChances:
    """Returns how often an answer is sent by people for whom it is true (`keep_probability`), and how often another is
    sent instead."""
    return [(keep_probability, 1 - keep_probability)]
