"""The laws of sections whose questions are disguised together."""

from collections.abc import Iterator
from fractions import Fraction

from privacy.grammar.node import PARTS
from privacy.guarantee.by_guarantee import NoiseLaw
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.grouped.section import UnrelatedQuestionSection, uniform
from surveys.draft import Draft
from surveys.questionnaire.normal_values import Node


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


def grouped_laws(draft: Draft) -> Iterator[tuple[int, SectionLaw]]:
    """The number and the law of each such section; its questions can stand in any other of them."""
    for number, section in enumerate(draft["sections"]):
        if section.get("kind") == UnrelatedQuestionSection.kind and (law := grouped_law(section)):
            yield number, law
