"""Asking the same people again: what a draft promises with the surveys that it follows, and what more rounds cost."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

from django.forms import Form
from django.utils.translation import gettext as _

from privacy import designs
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.chain import normal_secret, secrets
from privacy.guarantee.presets import equal_share
from privacy.guarantee.rounds import lasting, least_noise, split, stages
from privacy.kinds.grouped.law import SectionLaw, least_chance
from privacy.kinds.grouped.section import LASTING
from surveys.kinds.crosswise.draft import crosswise_questions
from surveys.kinds.grouped.draft import is_grouped
from surveys.lifecycle.waves import earlier_designs, earlier_laws, is_stored
from surveys.not_allowed import NotAllowed
from surveys.questionnaire.presets import by_hand
from surveys.questionnaire.protection import PRIOR, Protection, gamma_text, keep_text
from surveys.questionnaire.questionnaire import Questionnaire
from ui.numbers import count


@dataclass(frozen=True)
class Repetition:
    """`follows` is the fingerprint of the survey that is asked again."""

    draft: Questionnaire
    follows: str

    @cached_property
    def designs(self) -> list[designs.Design]:
        """The nearest first."""
        return earlier_designs(self.follows)

    @property
    def titles(self) -> list[str]:
        language = self.draft.first_language
        return [design.title.in_language(language) or design.fingerprint[:12] for design in self.designs]

    @property
    def is_known(self) -> bool:
        return is_stored(self.follows)

    @cached_property
    def has_pairs(self) -> bool:
        return any(crosswise_questions(self.draft))

    @cached_property
    def repeats_secret(self) -> bool:
        """Whether a crosswise question has a secret of an earlier survey."""
        before = {text for design in self.designs for _name, text in secrets(design)}
        own = (text for _number, question in crosswise_questions(self.draft) for text in question.secrets)
        return any(normal_secret(text) in before for text in own)

    @cached_property
    def person(self) -> Protection | None:
        """Of a person who answers all of them: the gammas multiply, but a disguise that lasts counts once. None where a
        secret is asked again."""
        if self.repeats_secret:
            return None
        own = (section.law() for section in self.draft.sections if not section.lasts)
        combined = tuple(law for law in own if law) + earlier_laws(self.follows)
        return Protection(combined, self.draft.respondents, PRIOR) if combined else None


def repetition(draft: Questionnaire) -> Repetition | None:
    return Repetition(draft, draft.follows) if draft.follows else None


@dataclass(frozen=True)
class FollowsPart:
    """Its form has no field: saving it removes what is followed."""

    @property
    def dom_id(self) -> str:
        return "follows"

    def value(self, draft: Questionnaire) -> Any:
        return draft.follows

    def form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> Form:
        return Form(data, auto_id="follows-%s")

    def changed(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        return replace(draft, follows="", study="")


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
