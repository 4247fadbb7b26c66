"""The chances that respondents are told: how likely what a device sends is true."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ui.numbers import rounded_odds

SendingChances = list[tuple[Fraction, Fraction]]
"""For each choice how often it is sent by people whose answer it is, and by people whose answer it is not."""


@dataclass(frozen=True, slots=True)
class Chance:
    """A probability to be stated as odds and as a percentage with `places` decimals: 60 %, not 60.0 %."""

    value: float
    places: int


def chance_from_share(share: Fraction) -> Chance:
    return Chance(float(share), 0 if (share * 100).denominator == 1 else 1)


class Chances:
    """Chances that the start page states for a section; `template` shows them.

    `throws`: coins of the device decide what is sent.
    """

    __slots__ = ()
    template: ClassVar[str]
    throws: ClassVar[bool] = False

    @property
    def has_unprotected_answers(self) -> bool:
        """True if some true answers are not protected."""
        return False


class ThrownChances(Chances):
    """Chances that a device discloses true answers by coin throws; `keep`: the probability of a true answer."""

    __slots__ = ()
    throws = True
    keep: Chance

    @property
    def odds_marks(self) -> list[bool]:
        """The odds as a row of marks, True for a true answer and False for a random one; empty beyond twenty marks."""
        times, of = rounded_odds(self.keep.value) or (0, 0)
        return [index < times for index in range(of)] if of <= 20 else []


def sending_chances_for_keep(share: Fraction) -> SendingChances:
    """Returns the SentIf of a device that keeps every true answer with the same probability."""
    return [(share, 1 - share)]
