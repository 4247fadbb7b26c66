"""A section whose disguise lasts: a permanent draw for each true answer, and an instant one in each round.

With a = lasting, c = keep, r = c/a and q as in `law`,

    permanent   b(x) = x with probability a, else noise: drawn once for each x, from the person's code
    instant     y = b(x) with probability r, else noise: drawn anew each round

so one round has the law of `SectionLaw` with keep c. Over rounds, with Q of `least_chance`,

    x unchanged, for ever    gamma   = 1 + a / ((1-a) Q)
    one round differs        gamma_1 = 1 + c / ((a-c) Q)
    x unchanged, T rounds    1 + a X / (1 + (1-a) Q X),  X = gamma_1^T - 1

No bound for all histories of changing answers follows from the permanent draws.
See docs/mathematics.md, Lasting disguise.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import comb

from privacy.kinds.grouped.law import SectionLaw, least_chance


@dataclass(frozen=True, slots=True)
class LastingLaw:
    """`once` is the law of one round, `lasting` the keep probability of the permanent draw, above that of `once`."""

    once: SectionLaw
    lasting: Fraction

    @property
    def permanent(self) -> SectionLaw:
        """The law of the permanent draw, whose gamma is that of all rounds in which the answers stay the same."""
        return SectionLaw(self.lasting, self.once.noise, self.once.asked)

    @property
    def gamma(self) -> Fraction:
        return self.permanent.gamma

    @property
    def one_departure(self) -> Fraction:
        """The factor by which a round with other answers can multiply gamma."""
        return 1 + self.once.keep / ((self.lasting - self.once.keep) * self._rarest)

    def unchanged(self, rounds: int) -> Fraction:
        """The largest ratio of two histories of so many rounds, each with the same answers in all of them."""
        excess = self.one_departure**rounds - 1
        return 1 + self.lasting * excess / (1 + (1 - self.lasting) * self._rarest * excess)

    def histories(self, rounds: int | None, departures: int) -> Fraction:
        """A bound of the ratio of two histories of so many rounds, None for any number, that have so many rounds
        together with other answers than those of most of their rounds."""
        unchanged = self.gamma if rounds is None else self.unchanged(rounds)
        return unchanged * self.one_departure**departures

    @property
    def codes_needed(self) -> Fraction:
        """(1-a) Q / C(N, s): the chance of the rarest permanent draw. The product over the sections of a design says
        how well codes of a given length cover it."""
        return (1 - self.lasting) * self._rarest / comb(len(self.once.noise), self.once.asked)

    @property
    def _rarest(self) -> Fraction:
        return least_chance(map(min, self.once.noise), self.once.asked)
