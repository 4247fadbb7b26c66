"""What respondents are told of a crosswise question."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privacy.grammar.node import PARTS
from privacy.kinds.crosswise.section import CrosswiseSection
from surveys.kinds.chance import Chance, Chances, chance_of


@dataclass(frozen=True, slots=True)
class CrosswiseChances(Chances):
    """`share`: how many people answer yes to the other question, as `source` says; `rarest`:
    how many people whose true answer is another one have a record that says the same.
    """

    share: Chance
    rarest: Chance
    source: str

    template: ClassVar[str] = "intake/odds-crosswise.html"
    throws: ClassVar[bool] = False


def crosswise_chances(section: CrosswiseSection, language: str) -> CrosswiseChances:
    question = section.question
    true = Fraction(question.secret_parts, PARTS)
    return CrosswiseChances(chance_of(true), chance_of(min(true, 1 - true)), question.source)
