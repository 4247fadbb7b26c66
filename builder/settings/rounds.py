"""What it costs to ask the same people again: the three ways side by side, for the questions of a draft."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from look.numbers import count
from privacy.guarantee.rounds import lasting, least_noise, split, stages
from privacy.kinds.grouped.law import SectionLaw, least_chance
from surveys.kinds.grouped.draft import is_grouped
from surveys.questionnaire.protection import gamma_text
from surveys.questionnaire.questionnaire import Questionnaire

ROUNDS = (2, 4, 12, 52)


@dataclass(frozen=True)
class RoundsCost:
    """Times the respondents of one asking with the same protection, for the same error in each round."""

    rounds: int
    split: str
    at_random: str
    lasting: str
    lasting_is_cheaper: bool


def rounds_costs(draft: Questionnaire) -> Iterator[RoundsCost]:
    """Of the section that costs most; nothing where none has questions with choices that are disguised together."""
    laws = [law for section in draft.sections if is_grouped(section) and (law := section.person_law())]
    if not laws:
        return
    law = min(laws, key=_rarest)
    rarest, noise = _rarest(law), float(least_noise(law))
    lasts = lasting(stages(law.gamma, law.gamma, rarest), noise)
    for rounds in ROUNDS:
        cost = split(float(law.gamma), float(rarest), rounds, noise)
        yield RoundsCost(rounds, _words(cost), count(rounds), _words(lasts), lasts < rounds)


def _rarest(law: SectionLaw) -> Fraction:
    return least_chance(map(min, law.noise), law.asked)


def _words(times: float) -> str:
    return gamma_text(Fraction(times))
