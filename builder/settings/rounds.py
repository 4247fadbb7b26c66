"""What it costs to ask the same people again: the three ways side by side, for the questions of a draft."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

from django.utils.translation import gettext as _

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.presets import equal_share
from privacy.guarantee.rounds import lasting, least_noise, split, stages
from privacy.kinds.grouped.law import SectionLaw, least_chance
from privacy.kinds.grouped.section import LASTING
from surveys.kinds.grouped.draft import is_grouped
from surveys.not_allowed import NotAllowed
from surveys.questionnaire.presets import by_hand
from surveys.questionnaire.protection import gamma_text, keep_text
from surveys.questionnaire.questionnaire import Questionnaire
from ui.numbers import count

ROUNDS = (2, 4, 12, 52)


@dataclass(frozen=True)
class RoundsCost:
    """Times the respondents of one asking with the same protection, for the same error in each round."""

    rounds: int
    split: str
    at_random: str
    lasting: str
    lasting_is_cheaper: bool


def rounds_costs(
    draft: Questionnaire, gamma: Fraction | None = None, rounds: Collection[int] = ()
) -> Iterator[RoundsCost]:
    """Of the section that costs most; nothing where none has questions with choices that are disguised together.

    `gamma`: of a person's answers to all such sections together, instead of that of today's settings; `rounds`: more
    numbers of them to show.
    """
    laws = [law for _section, law in _grouped(draft)]
    if not laws:
        return
    law = min(laws, key=_rarest)
    rarest, noise = _rarest(law), float(least_noise(law))
    each = _of_each(gamma, len(laws)) if gamma else law.gamma
    lasts = lasting(stages(each, each, rarest), noise)
    for number in sorted({*ROUNDS, *rounds}):
        cost = split(float(each), float(rarest), number, noise)
        yield RoundsCost(number, _words(cost), count(number), _words(lasts), lasts < number)


def gamma_together(draft: Questionnaire) -> int:
    """The factor for a person's answers to all sections of questions with choices together, by today's settings; at
    least 2."""
    return max(2, int(prod((law.gamma for _section, law in _grouped(draft)), start=Fraction(1))))


def with_lasting(draft: Questionnaire, gamma: int) -> Questionnaire:
    """The disguise of every such section lasts: all rounds together change the odds of a person's answers to all of
    them at most gamma times while they stay the same, and a round with other answers of one section as its part."""
    grouped = list(_grouped(draft))
    if not grouped:
        raise NotAllowed(
            _("Only questions with choices that are disguised together can have a disguise that lasts.")
        )
    if draft.direct:
        raise NotAllowed(
            _("Where a disguise lasts nobody is asked directly: set that share to nothing first.")
        )
    each = _of_each(Fraction(gamma), len(grouped))
    for number, law in grouped:
        section = draft.sections[number]
        if any(question.show_if for question in section.questions):
            raise NotAllowed(
                _("Where a disguise lasts every question is asked of everybody: remove the conditions first.")
            )
        chosen = stages(each, each, _rarest(law))
        texts = {"keep": keep_text(chosen.keep), LASTING: keep_text(chosen.lasting)}
        draft = draft.with_section(number, replace(section, **texts))  # type: ignore[arg-type]
    return by_hand(draft)


def _grouped(draft: Questionnaire) -> Iterator[tuple[int, SectionLaw]]:
    for number, section in enumerate(draft.sections):
        if is_grouped(section) and (law := section.person_law()):
            yield number, law


def _of_each(gamma: Fraction, sections: int) -> Fraction:
    return equal_share(GammaLimit(gamma, strict=False), sections).gamma


def _rarest(law: SectionLaw) -> Fraction:
    return least_chance(map(min, law.noise), law.asked)


def _words(times: float) -> str:
    return gamma_text(Fraction(times))
