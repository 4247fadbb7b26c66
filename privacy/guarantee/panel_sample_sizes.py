"""Sample sizes for repeated rounds with the same people: split guarantee, random rounds, or lasting disguise.

Respondents are those of a round, in units of one asking with the same guarantee G, for the same error of a
share P. With one question's variance V(c) = P*(1-P*)/c^2, P* = c P + (1-c) q, split (G^(1/T) in each round)
needs V(keep of G^(1/T)) / V(keep of G); at random (each person in one round only) T; lasting (a disguise that
lasts) V(c) / V(a), a = keep of G, for any number of rounds.

See docs/mathematics.md, Lasting disguise; the numbers: bench/figures/panels.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import floor

from privacy.grammar.json_node import PARTS
from privacy.kinds.grouped.law import LastingLaw, SectionLaw

SHARE = Fraction(1, 10)


@dataclass(frozen=True, slots=True)
class LastingStages:
    """Keep probabilities of the two stages of a lasting disguise: `lasting` of the permanent draw, `keep` of one round.

    They have four places, rounded down, so that gamma is at most the requested one.
    """

    lasting: Fraction
    keep: Fraction


def keep_for_gamma(gamma: Fraction, rarest: Fraction) -> Fraction:
    """Returns the keep probability p whose gamma, 1 + p / ((1-p) Q), is the given one.

    `rarest` is Q, the probability of the rarest record under noise.
    """
    excess = (gamma - 1) * rarest
    return excess / (1 + excess)


def find_lasting_stages(gamma: Fraction, departure: Fraction, rarest: Fraction) -> LastingStages:
    """Returns the keep probabilities of a lasting disguise with at most `gamma` for all rounds.

    A round with other answers may multiply gamma by `departure`. `rarest` is Q, the least noise of a record.
    """
    lasting, instant = (_round_down(keep_for_gamma(each, rarest)) for each in (gamma, departure))
    return LastingStages(lasting, _round_down(lasting * instant))


def share_variance(keep: float, noise: float, share: float = float(SHARE)) -> float:
    """Returns the variance of the estimated share of one answer, per respondent.

    `keep`: keep probability; `noise`: probability of the answer under noise; `share`: its true share.
    """
    seen = keep * share + (1 - keep) * noise
    return seen * (1 - seen) / keep**2


def respondent_factor_if_split(gamma: float, rarest: float, rounds: int, noise: float = 0.5) -> float:
    """Returns the factor on the sample size if the guarantee `gamma` is split equally over `rounds` rounds.

    `rarest` is Q, the least noise of a record; `noise`: probability of the answer under noise.
    """
    excess = (gamma ** (1 / rounds) - 1) * rarest
    once = (gamma - 1) * rarest
    return share_variance(excess / (1 + excess), noise) / share_variance(once / (1 + once), noise)


def respondent_factor_if_lasting(chosen: LastingStages, noise: float = 0.5) -> float:
    """Returns the factor on the sample size with a lasting disguise, for any number of rounds.

    It is relative to one asking with the keep of the permanent stage; `noise`: probability of the answer under noise.
    """
    return share_variance(float(chosen.keep), noise) / share_variance(float(chosen.lasting), noise)


def respondent_factor_for_rarest_answer(law: LastingLaw) -> float:
    """Returns the factor by which a lasting disguise needs more respondents, for the answer that is rarest under noise.

    It is relative to one asking with the same guarantee (`respondent_factor_if_lasting`).
    """
    return respondent_factor_if_lasting(
        LastingStages(law.lasting, law.once.keep), float(least_noise(law.once))
    )


def least_noise(law: SectionLaw) -> Fraction:
    """Returns the smallest probability of any answer under noise."""
    return min(map(min, law.noise))


def _round_down(share: Fraction) -> Fraction:
    return Fraction(max(floor(share * PARTS), 1), PARTS)
