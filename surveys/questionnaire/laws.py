"""The laws by which the sections of a draft are disguised, one table by kind."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from privacy.grammar.node import PARTS
from privacy.guarantee.amplification import Disguised
from privacy.guarantee.by_guarantee import NoiseLaw
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.grouped.section import uniform
from surveys.draft import Draft
from surveys.kinds.crosswise.draft import CROSSWISE, crosswise_section_law
from surveys.kinds.number.draft import NUMBER, found_section
from surveys.kinds.place import draft as place_draft
from surveys.kinds.place.draft import PLACE
from surveys.kinds.subset.draft import SUBSET, subset_law
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.section_kinds import GROUPED


def noise_law(question: Node) -> NoiseLaw:
    if "noise" in question:
        return tuple(Fraction(each) for each in question["noise"])
    return tuple(Fraction(part, PARTS) for part in uniform(len(question["choices"])))


def grouped_law(section: Node) -> SectionLaw | None:
    """None while the section has no question, or one with fewer than two answers."""
    questions = section["questions"]
    if not questions or min(len(each["choices"]) for each in questions) < 2:
        return None
    noise = tuple(noise_law(each) for each in questions)
    return SectionLaw(Fraction(section["keep"]), noise, section.get("asked", len(questions)))


def number_law(section: Node) -> Disguised | None:
    """None while its numbers do not fit."""
    found = found_section(section)
    return found.law if found else None


def place_law(section: Node) -> Disguised | None:
    """None while its cells, regions and levels do not fit."""
    found = place_draft.found_section(section)
    return found.law if found else None


LAWS: dict[str, Callable[[Node], Disguised | None]] = {
    GROUPED: grouped_law,
    NUMBER: number_law,
    PLACE: place_law,
    CROSSWISE: crosswise_section_law,
    SUBSET: subset_law,
}


def law_of(section: Node) -> Disguised | None:
    """None where nothing is disguised, or not yet."""
    read = LAWS.get(section.get("kind", ""))
    return read(section) if read else None


def laws(draft: Draft) -> Iterator[tuple[int, Disguised]]:
    """The number and the law of each section that is disguised and far enough to have one."""
    for number, section in enumerate(draft["sections"]):
        if law := law_of(section):
            yield number, law


def grouped_laws(draft: Draft) -> Iterator[tuple[int, SectionLaw]]:
    """The same of the sections whose questions are disguised together, and can stand in any of them."""
    for number, section in enumerate(draft["sections"]):
        if section.get("kind") == GROUPED and (law := grouped_law(section)):
            yield number, law
