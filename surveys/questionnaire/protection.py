"""Guarantees of the disguised sections of a questionnaire, the presets that decide settings, and weak
settings.

Gamma bounds how much a record can change the odds of one answer against another (docs/glossary.md).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import ceil, prod

from django.utils.formats import number_format
from django.utils.translation import gettext as _, ngettext

from privacy.designs import Design
from privacy.designs.design import LEAST
from privacy.grammar.json_node import PARTS
from privacy.guarantee.amplification import PLACES, GammaLimit, Guarantee, round_down, round_up
from privacy.guarantee.expected_error import LEAST_BASE
from privacy.guarantee.presets import DEFAULT, PRESETS, Preset, limit_per_section
from privacy.guarantee.repeated_surveys import person_guarantee
from privacy.kinds.disguise_law_interface import Disguised, Protected
from surveys.phrases.kind_words import KIND_WORDS
from surveys.phrases.own_wording import own_protection_sentences, texts_with_kind_words
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.problems_and_refusals import Problem, language_name
from surveys.questionnaire.questionnaire import Questionnaire
from ui.number_format import format_count, format_exact_percent, format_percent

PRIOR = Fraction(1, 20)
"""Default prior: the probability that somebody gives an answer before seeing a record."""
NEARLY = 0.999
USUAL = GammaLimit(Fraction(148), strict=False)
"""Usual limit of gamma: the largest integer whose epsilon, rounded up, is at most 5 (ln 148 = 4.9973)."""


@dataclass(frozen=True)
class Protection:
    """Guarantee of one section, or of all disguised sections together."""

    laws: tuple[Disguised, ...]
    respondents: int
    prior: Fraction

    @cached_property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.laws)

    @cached_property
    def gamma(self) -> Decimal:
        return round_up(self.guarantee.gamma, 2)

    @cached_property
    def epsilon(self) -> Decimal:
        return self.guarantee.epsilon(2)

    @cached_property
    def posterior(self) -> float:
        """Largest posterior probability of a suspicion after a record is seen, rounded up to a tenth of a per cent."""
        return float(self.guarantee.posterior_rounded_up(self.prior, 3))

    @property
    def has_enough_answers(self) -> bool:
        """True if enough answers are expected to estimate a question that everybody is asked."""
        return self.respondents >= LEAST_BASE

    @property
    def share_margins(self) -> Sequence[float]:
        """Half widths of the 95 % intervals of the shares that the section estimates; empty if it estimates none, or if
        too few people are asked."""
        return ()

    @property
    def is_inside_regions_only(self) -> bool:
        """True if nothing is promised to people outside the regions of a map."""
        return self.guarantee.protected_people is Protected.INSIDE

    @property
    def gamma_words(self) -> str:
        return gamma_text(self.gamma)

    @property
    def posterior_words(self) -> str:
        """The posterior as text. A value near 1 is called nearly certain, and never rounded down."""
        if self.posterior <= NEARLY:
            return format_percent(self.posterior).replace(" ", "\u00a0")
        return _("nearly %(share)s") % {"share": format_percent(1, 0).replace(" ", "\u00a0")}


def gamma_text(gamma: Decimal | Fraction) -> str:
    """Formats gamma, rounded up like every bound of a risk."""
    exact = gamma if isinstance(gamma, Decimal) else round_up(gamma, 2)
    return format_count(ceil(gamma)) if gamma >= 100 else str(number_format(exact, 2))


def person_protection(draft: Questionnaire, prior: Fraction) -> Protection | None:
    """Returns the protection of all disguised answers of a person together; None if nothing is disguised yet."""
    combined = tuple(law for section in draft.sections if (law := section.cumulative_disclosure_law()))
    return Protection(combined, draft.disguised_respondents, prior) if combined else None


def count_combinations(questions: Sequence[DraftQuestion]) -> int:
    """Returns the number of possible combinations of answers to these questions."""
    return prod(max(1, len(question.choices)) for question in questions)


def expected_unique_people(respondents: int, possible: int) -> float:
    """Returns the expected number of people with a unique combination of answers, if all `possible`
    combinations are equally likely.

    Only an order of magnitude: real answers cluster, so some people are more often unique and others less.
    """
    if respondents <= 1 or possible <= 1:
        return float(respondents) if respondents == 1 else 0.0
    return float(respondents * (1 - 1 / possible) ** (respondents - 1))


def plain_questions(draft: Questionnaire) -> list[DraftQuestion]:
    plain = (section for section in draft.sections if not section.sensitive)
    return [question for section in plain for question in section.questions]


def keep_probability_text(keep: Fraction) -> str:
    return str(round_down(keep, 4))


# --- the laws by which sections are disguised


def section_laws(questionnaire: Questionnaire) -> Iterator[tuple[int, Disguised]]:
    """Yields the number and the law (probabilities of the disguise) of each disguised section with complete
    settings."""
    for number, section in enumerate(questionnaire.sections):
        if law := section.disguise_law():
            yield number, law


def laws_of_adjustable_sections(questionnaire: Questionnaire) -> Iterator[tuple[int, Disguised]]:
    """Yields the number of each section whose protection can be set (all but crosswise questions), and the law that
    bounds what a person reveals in it."""
    for number, section in enumerate(questionnaire.sections):
        if section.has_settings and (law := section.cumulative_disclosure_law()):
            yield number, law


def limit_left_by_fixed_sections(questionnaire: Questionnaire, limit: GammaLimit) -> GammaLimit:
    """Returns the part of a limit of gamma that is left for all sections whose protection can be set: `limit` divided
    by the gammas of the others."""
    sections = questionnaire.sections
    fixed = (law.gamma for number, law in section_laws(questionnaire) if not sections[number].has_settings)
    return GammaLimit(limit.gamma / prod(fixed, start=Fraction(1)), limit.strict)


# --- presets
# A section that is marked with a preset gets its settings from it, whatever it asks. The mark is a key of the builder;
# it is gone as soon as anybody sets a section by hand, and then nothing follows any more.

LEAST_GAMMA = Fraction(3)
LEAST_SHARE = Fraction(3, 2)
"""Gamma that a section gets at least, even if sections set by hand leave less."""


def limit_left_by_other_sections(
    draft: Questionnaire, limit: GammaLimit, section_numbers: list[int]
) -> GammaLimit:
    """Returns the part of a limit of gamma that is left for the sections `section_numbers` together: `limit` divided by
    the gammas of all others.

    It is at least 1.5 for each marked section, multiplied together.
    """
    others = (
        section.cumulative_disclosure_law()
        for at, section in enumerate(draft.sections)
        if at not in section_numbers
    )
    given_away = prod((law.gamma for law in others if law), start=Fraction(1))
    return GammaLimit(max(limit.gamma / given_away, LEAST_SHARE ** len(section_numbers)), limit.strict)


def gamma_limit_for_section(draft: Questionnaire, number: int | None = None) -> GammaLimit:
    """Returns the limit of gamma for one section at which a person stays within the draft's preset; `number` None: a
    new section.

    Sections that follow the preset, and a new section, share equally what the others leave of the limit. A section set
    by hand gets all that the others leave. If that is too little to learn anything, the limit is a gamma of 3.
    """
    limit = preset_for_new_section(draft).limit
    marked = [at for at, section in enumerate(draft.sections) if section.preset and section.disguise_law()]
    if number is None or number in marked:
        share = limit_per_section(
            limit_left_by_other_sections(draft, limit, marked), len(marked) + (number is None)
        )
        return GammaLimit(max(share.gamma, LEAST_GAMMA), limit.strict)
    others = limit_left_by_other_sections(draft, limit, [number])
    return GammaLimit(max(others.gamma, LEAST_GAMMA), limit.strict)


def preset_for_new_section(draft: Questionnaire) -> Preset:
    """Returns the protection preset for a new section: that of the first section that follows one, else the default."""
    names = (section.preset for section in draft.sections if section.preset)
    return PRESETS[next(names, DEFAULT.name)]


def common_preset(draft: Questionnaire) -> Preset | None:
    """Returns the protection preset that all disguised sections follow; None if one is set by hand, or if there is none
    that could follow."""
    disguised = [section for section in draft.sections if section.has_settings]
    if not disguised or not all(section.preset for section in disguised):
        return None
    return preset_for_new_section(draft)


def remove_preset(draft: Questionnaire, number: int) -> Questionnaire:
    """Returns the draft in which this section no longer follows a preset; its settings are unchanged."""
    return draft.replace_section(number, replace(draft.sections[number], preset=""))


def remove_presets(draft: Questionnaire) -> Questionnaire:
    """Returns the draft in which no section follows a preset any more; the settings are unchanged."""
    return replace(draft, sections=tuple(replace(section, preset="") for section in draft.sections))


# --- weak settings: those that need a reviewer's yes before the survey may open

MOST_EPSILON = Decimal(5)
EPSILON_PLACES = 2
"""Decimals of epsilon on a page."""


def design_epsilon(design: Design, places: int = PLACES) -> Decimal | None:
    """Returns epsilon of all disguised answers of a person together, rounded up; None if nothing is disguised."""
    combined = person_guarantee(design)
    return combined.epsilon(places) if combined else None


def protects_only_inside_regions(design: Design) -> bool:
    """True if the guarantee holds only for people inside the regions of a map."""
    combined = person_guarantee(design)
    return combined is not None and combined.protected_people is Protected.INSIDE


def find_weak_settings(design: Design) -> list[Problem]:
    """Returns the settings that protect less than usual, so that a reviewer must approve them."""
    problems = []
    amount = design_epsilon(design)
    if amount is not None and amount > MOST_EPSILON:
        words = _("one person's epsilon is %(epsilon)s, above %(most)s")
        if protects_only_inside_regions(design):
            words = _(
                "the epsilon of a person inside the regions is %(epsilon)s, above %(most)s; "
                "outside none is promised"
            )
        if design.has_arms:
            words = _(
                "the epsilon of a person whose answers are disguised is %(epsilon)s, above %(most)s; "
                "people asked directly have none"
            )
        values = {
            "epsilon": number_format(design_epsilon(design, EPSILON_PLACES) or amount),
            "most": MOST_EPSILON,
        }
        problems.append(Problem("sections", words % values))
    if design.least < LEAST:
        words = _("batches of %(least)s, fewer than %(usual)s")
        problems.append(Problem("least", words % {"least": design.least, "usual": LEAST}))
    if sum(section.rotates for section in design.lasting_sections) > 1:
        words = _(
            "two sections whose disguise lasts ask each person some of their questions only: which ones is the same in "
            "all rounds, and together they can mark a person"
        )
        problems.append(Problem("sections", words))
    if design.has_arms:
        words = _("%(share)s of the devices ask directly: those answers are sent without disguise")
        problems.append(
            Problem("direct", words % {"share": format_exact_percent(design.direct_parts / PARTS)})
        )
    return [*problems, *find_weak_wording(design)]


def find_weak_wording(design: Design) -> Iterator[Problem]:
    """Yields the languages with sentences about the protection that are not Candor's, and each text with a word by
    which it says what kind a question is."""
    for code, count in Counter(own.language for own in own_protection_sentences(design)).items():
        words = ngettext(
            "%(count)s sentence that states the protection is in the survey’s own words in %(language)s",
            "%(count)s sentences that state the protection are in the survey’s own words in %(language)s",
            count,
        )
        yield Problem(f"phrases.{code}", words % {"count": count, "language": language_name(code)})
    words = _("has the word “%(word)s”, by which Candor says what kind a question is")
    for path, code in texts_with_kind_words(design):
        yield Problem(path, words % {"word": KIND_WORDS[code][0]})
