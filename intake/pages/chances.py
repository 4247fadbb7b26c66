"""How likely what a device sends is true: the odds that the start page and each question state."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from privacy.designs import Design
from privacy.grammar.node import PARTS
from privacy.guarantee.chain import person_guarantee
from privacy.guarantee.presets import BEFORE
from surveys.kinds.chance import Chance, Chances, SentIf, ThrownChances, as_chance
from surveys.kinds.registry import kind_of


@dataclass(frozen=True, slots=True)
class ChanceCard:
    """What is said at once of all sections with the same chances; `numbers` count the sensitive sections from 1."""

    numbers: tuple[int, ...]
    chances: Chances


def section_chances(design: Design, language: str = "") -> list[Chances]:
    """Of the sensitive sections of a design, in their order; `language` is that of the regions' names."""
    every = (kind_of(section).chances(section, language) for section in design.sections)
    return [chances for chances in every if chances]


def chance_cards(sections: Sequence[Chances]) -> list[ChanceCard]:
    questions: dict[Chances, list[int]] = {}
    for number, chances in enumerate(sections, start=1):
        questions.setdefault(chances, []).append(number)
    return [ChanceCard(tuple(numbers), chances) for chances, numbers in questions.items()]


def everything_together(design: Design) -> tuple[Chance, Chance] | None:
    """What somebody may believe of a respondent before all disguised answers, and at most after them.

    None: nothing is disguised. The second is rounded up, as `audit` and the builder round it.
    """
    person = person_guarantee(design)
    return (as_chance(BEFORE), as_chance(Fraction(person.posterior_up(BEFORE, 3)))) if person else None


def most_kept(design: Design) -> int:
    """How often the true answer of a sensitive question is kept, where that is most often, in ten-thousandths."""
    sections = (section for section in design.sections if section.sensitive)
    both = zip(sections, section_chances(design), strict=True)
    keeps = (
        one.keep.value if isinstance(one, ThrownChances) else section.mined.keep for section, one in both
    )
    return round(max(keeps) * PARTS)


def arm_chances(design: Design) -> tuple[Chance, Chance] | None:
    """How often people are asked directly, and how often they are disguised; None where a design has no arms."""
    if not design.has_arms:
        return None
    direct = Fraction(design.direct_parts, PARTS)
    return as_chance(direct), as_chance(1 - direct)


def question_chances(design: Design) -> dict[str, SentIf]:
    """For every sensitive question, by name: `sent_if`; of a number or place how often it is kept, or not; of a
    question sent as sets how often one holds the own choice, or any other. Nothing of a crosswise question, of which
    the device replaces no answer.
    """
    return {
        question.name: kind_of(section).sent_if(section, question)
        for section in design.sections
        if section.sensitive
        for question in section.questions
    }
