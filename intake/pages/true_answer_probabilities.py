"""Probabilities that respondents are told: how likely a sent answer is the true one, and what more rounds
reveal."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, prod
from typing import NamedTuple

from privacy.designs import Design, InputError
from privacy.grammar.json_node import PARTS
from privacy.guarantee.amplification import Guarantee
from privacy.guarantee.presets import BEFORE
from privacy.guarantee.repeated_surveys import person_guarantee
from privacy.kinds.disguise_law_interface import Protected
from surveys.kinds.registry import get_kind
from surveys.kinds.start_page_probabilities import (
    Chance,
    Chances,
    CoinChances,
    SendingChances,
    chance_from_share,
)
from surveys.lifecycle.earlier_designs import earlier_designs, guarantee_with_earlier_surveys

# --- one survey


class ChanceCard(NamedTuple):
    """The probabilities that several sections have in common; `numbers`: the numbers of these sensitive sections, from
    1."""

    numbers: tuple[int, ...]
    chances: Chances


def section_chances(design: Design, language: str = "") -> list[Chances]:
    """Returns the probabilities shown for each sensitive section, in order; names of regions are in `language`."""
    every = (get_kind(section).start_page_chances(section, language) for section in design.sections)
    return [chances for chances in every if chances]


def group_sections_by_chances(sections: Sequence[Chances]) -> list[ChanceCard]:
    numbers: dict[Chances, list[int]] = {}
    for number, chances in enumerate(sections, start=1):
        numbers.setdefault(chances, []).append(number)
    return [ChanceCard(tuple(shared), chances) for chances, shared in numbers.items()]


def prior_and_posterior_chance(design: Design) -> tuple[Chance, Chance] | None:
    """Returns how likely an observer holds a respondent's true answer, before and (at most) after seeing all disguised
    answers.

    The second is rounded up, as in `audit` and the builder. None: nothing is disguised.
    """
    person = person_guarantee(design)
    return (
        (chance_from_share(BEFORE), chance_from_share(Fraction(person.posterior_rounded_up(BEFORE, 3))))
        if person
        else None
    )


def highest_keep_per_ten_thousand(design: Design) -> int:
    """Returns the largest probability with which a true sensitive answer is kept, in ten-thousandths."""
    sections = (section for section in design.sections if section.sensitive)
    keeps = (
        chances.keep.value if isinstance(chances, CoinChances) else section.mined_law.keep
        for section, chances in zip(sections, section_chances(design), strict=True)
    )
    return round(max(keeps) * PARTS)


def arm_chances(design: Design) -> tuple[Chance, Chance] | None:
    """Returns the chances of being asked directly and with disguise; None for a design without arms."""
    if not design.has_arms:
        return None
    direct = Fraction(design.direct_parts, PARTS)
    return chance_from_share(direct), chance_from_share(1 - direct)


def question_chances(design: Design) -> dict[str, SendingChances]:
    """Returns the sending probabilities of each sensitive question, by name.

    For a number or place: how often it is kept or replaced; for a question sent as a set of choices: how often the set
    holds the true choice, or any other. A crosswise question has none, since its answer is never replaced.
    """
    return {
        question.name: get_kind(section).sending_chances(section, question)
        for section in design.sections
        if section.sensitive
        for question in section.questions
    }


# --- several surveys


@dataclass(frozen=True, slots=True)
class LastingBounds:
    """Bounds for a lasting disguise, which each person repeats in all rounds of a study.

    They are the factors, rounded up to tenths, by which all rounds together can make an answer more likely.
    `unchanged`: for answers that stay the same; `departure`: the factor of a round with other answers; `second_code`:
    for a person who began again with a new code once. `others`: other sections of the design are disguised too.
    """

    unchanged: Fraction
    departure: Fraction
    second_code: Fraction
    others: bool


def lasting_bounds(design: Design) -> LastingBounds | None:
    """Returns the bounds over all sections with a lasting disguise together; None if the design has no such section."""
    laws = [law for section in design.lasting_sections if (law := section.lasting_law)]
    if not laws:
        return None
    gamma = prod((law.gamma for law in laws), start=Fraction(1))
    departure = prod((law.departure_factor for law in laws), start=Fraction(1))
    disguised = sum(section.law is not None for section in design.sections)
    return LastingBounds(
        round_up_to_tenths(gamma),
        round_up_to_tenths(departure),
        round_up_to_tenths(gamma**2),
        others=disguised > len(laws),
    )


class EarlierWaves:
    """The earlier surveys that a survey repeats, the latest first, and the guarantee for a person who answers
    all of them.

    `guarantee` is None if an earlier survey is not stored here, so that it is unknown. `times`: the factor by
    which all records together can make an answer more likely, rounded up to tenths.
    """

    def __init__(self, design: Design, guarantee: Guarantee | None) -> None:
        self.designs, self.guarantee = tuple(earlier_designs(design.follows)), guarantee
        self.has_group_open = any(wave.has_group_open for wave in (design, *self.designs))
        self.times = round_up_to_tenths(guarantee.gamma) if guarantee else None
        self.is_inside_only = guarantee is not None and guarantee.protected_people is Protected.INSIDE


def earlier_waves(design: Design) -> EarlierWaves | None:
    """Returns the earlier surveys that this one repeats; None if there are none or nothing is disguised."""
    if not design.follows:
        return None
    try:
        guarantee = guarantee_with_earlier_surveys(design)
    except InputError:
        return EarlierWaves(design, None)
    return EarlierWaves(design, guarantee) if guarantee else None


def round_up_to_tenths(gamma: Fraction) -> Fraction:
    return Fraction(ceil(gamma * 10), 10)
