"""Asking the same people again: the protection over all surveys together, and what more rounds cost."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

from django.forms import Form
from django.utils.translation import gettext as _

from builder.protection.settings_and_quick_fixes import bring_section_within_limit
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.panel_sample_sizes import (
    find_lasting_stages,
    least_noise,
    respondent_factor_if_lasting,
    respondent_factor_if_split,
)
from privacy.guarantee.presets import limit_per_section
from privacy.guarantee.repeated_surveys import normalise_secret, normalised_crosswise_secrets
from privacy.kinds.grouped.law import SectionLaw, rarest_noise_probability
from surveys.kinds.crosswise.draft import crosswise_questions
from surveys.kinds.grouped.draft import is_grouped_section
from surveys.lifecycle.earlier_designs import (
    are_all_earlier_designs_stored,
    earlier_designs,
    laws_of_earlier_designs,
)
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.protection import (
    PRIOR,
    Protection,
    gamma_text,
    remove_presets,
)
from surveys.questionnaire.questionnaire import Questionnaire
from ui.number_format import format_count

ROUNDS = (2, 4, 12, 52)


class RepeatedSurvey:
    """A draft that asks people again, with the earlier surveys that it follows, the latest first."""

    def __init__(self, draft: Questionnaire) -> None:
        self.draft = draft
        self.designs = earlier_designs(draft.follows)
        self.titles = [
            design.title.in_language_or_first(draft.first_language) or design.fingerprint[:12]
            for design in self.designs
        ]
        self.is_known = are_all_earlier_designs_stored(draft.follows)
        own = [text for _number, question in crosswise_questions(draft) for text in question.secret_texts]
        before = {text for design in self.designs for _name, text in normalised_crosswise_secrets(design)}
        self.has_pairs = any(crosswise_questions(draft))
        self.repeats_secret = any(normalise_secret(text) in before for text in own)

    @cached_property
    def person_protection(self) -> Protection | None:
        """Protection of a person who answers all surveys: the surveys' gammas multiply, and a lasting
        disguise counts once. None if a crosswise secret is asked again, since then there is no guarantee."""
        if self.repeats_secret:
            return None
        own = (section.disguise_law() for section in self.draft.sections if not section.is_lasting)
        laws = tuple(law for law in own if law) + laws_of_earlier_designs(self.draft.follows)
        return Protection(laws, self.draft.disguised_respondents, PRIOR) if laws else None


def repeated_survey_of_draft(draft: Questionnaire) -> RepeatedSurvey | None:
    """Returns a draft that asks people again together with its earlier surveys; None for any other draft."""
    return RepeatedSurvey(draft) if draft.follows else None


class EarlierSurveyLinkPart:
    """The link to the earlier survey, as a part of the draft whose form has no fields; saving it removes the link."""

    dom_id = "follows"

    def conflict_check_value(self, draft: Questionnaire) -> Any:
        return draft.follows

    def build_form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> Form:
        return Form(data, auto_id="follows-%s")

    def apply_cleaned(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        return replace(draft, follows="", study="")


@dataclass(frozen=True)
class RoundsCost:
    """Factors by which the number of respondents grows if people are asked in several rounds, at the
    protection and error of one round.

    `split`: everybody is asked in every round. `at_random`: each person is asked in one round. `lasting`:
    everybody is asked in every round with a lasting disguise.
    """

    rounds: int
    split: str
    at_random: str
    lasting: str
    lasting_is_cheaper: bool


def rounds_costs(
    draft: Questionnaire, gamma: Fraction | None = None, rounds: Collection[int] = ()
) -> Iterator[RoundsCost]:
    """Yields the costs of asking in several numbers of rounds, for the section with the highest cost; nothing if no
    section's choices are disguised together.

    `gamma` limits a person's answers to all these sections together, by default to the present value. `rounds`: further
    numbers of rounds to compare.
    """
    laws = [law for _number, law in _numbered_cumulative_laws(draft)]
    if not laws:
        return
    law = min(laws, key=_rarest_random_record_probability)
    rarest, noise = _rarest_random_record_probability(law), float(least_noise(law))
    limit = limit_per_section(GammaLimit(gamma, strict=False), len(laws)).gamma if gamma else law.gamma
    lasts = respondent_factor_if_lasting(find_lasting_stages(limit, limit, rarest), noise)
    for number in sorted({*ROUNDS, *rounds}):
        again = respondent_factor_if_split(float(limit), float(rarest), number, noise)
        texts = gamma_text(Fraction(again)), format_count(number), gamma_text(Fraction(lasts))
        yield RoundsCost(number, *texts, lasts < number)


def joint_gamma_of_grouped_sections(draft: Questionnaire) -> int:
    """Returns the present gamma of a person's answers to all sections whose choices are disguised together, rounded
    down; at least 2."""
    return max(
        2, int(prod((law.gamma for _number, law in _numbered_cumulative_laws(draft)), start=Fraction(1)))
    )


def draft_with_lasting_disguise(draft: Questionnaire, gamma: int) -> Questionnaire:
    """Makes the disguise of all sections of choices lasting (drawn once for all rounds), within `gamma` for all of them
    together; no section follows a preset any more.

    This bounds what all rounds together reveal if the answers stay the same; each round with other answers in one
    section adds that section's part.
    """
    grouped = list(_numbered_cumulative_laws(draft))
    if not grouped:
        raise NotAllowed(
            _("Only questions with choices that are disguised together can have a disguise that lasts.")
        )
    if draft.direct:
        raise NotAllowed(
            _("Where a disguise lasts nobody is asked directly: set that share to nothing first.")
        )
    limit = limit_per_section(GammaLimit(Fraction(gamma), strict=False), len(grouped))
    for number, _law in grouped:
        section = draft.sections[number]
        if any(question.show_if for question in section.questions):
            raise NotAllowed(
                _("Where a disguise lasts every question is asked of everybody: remove the conditions first.")
            )
        assert is_grouped_section(section)
        lasting = draft.replace_section(number, replace(section, lasting=section.keep))
        draft = bring_section_within_limit(lasting, number, limit)
    return remove_presets(draft)


def _numbered_cumulative_laws(draft: Questionnaire) -> Iterator[tuple[int, SectionLaw]]:
    """Yields number and disguise law of each section whose choices are disguised together; the law over all rounds if
    its disguise is drawn once for them."""
    for number, section in enumerate(draft.sections):
        if is_grouped_section(section) and (law := section.cumulative_disclosure_law()):
            yield number, law


def _rarest_random_record_probability(law: SectionLaw) -> Fraction:
    """Returns the probability of the rarest record if all answers are random."""
    return rarest_noise_probability(map(min, law.noise), law.asked)
