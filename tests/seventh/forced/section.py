"""The kind `forced`: one yes/no question, answered truly or as a coin says (forced response).

Its coins: a keep coin below the modulus, and an answer coin of two sides. The true answer is sent if
keep coin/modulus < keep, else the side of the answer coin. All comparisons are between integers.

With p = keep this is a section with noise (1/2, 1/2), so that gamma = (1+p) / (1-p).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from privacy.grammar.json_node import PARTS, Node, parts_to_decimal
from privacy.grammar.question import YES_NO
from privacy.grammar.question_reading import REQUIRED, ParsedSoFar, read_question_fields
from privacy.kinds.disguise_law_interface import MinedLaw
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.grouped.section import SensitiveQuestion
from privacy.kinds.section import OneQuestionSection, read_single_question
from privacy.kinds.section_intro_and_random_order import BARE, INTRO, Presentation

HALVES = (PARTS // 2, PARTS // 2)
OPTIONAL = frozenset({"form", "known", "text", "label", "help", "show_if"})


def forced_law(keep: Fraction) -> SectionLaw:
    return SectionLaw(keep, ((Fraction(1, 2), Fraction(1, 2)),), 1)


@dataclass(frozen=True, slots=True)
class ForcedQuestion(SensitiveQuestion):
    def as_json(self) -> dict[str, Any]:
        members = SensitiveQuestion.as_json(self)
        del members["noise"]
        return members


@dataclass(frozen=True, slots=True)
class ForcedSection(OneQuestionSection):
    """`keep_parts` is the keep probability in ten-thousandths."""

    kind: ClassVar[str] = "forced"
    always_asked: ClassVar[str] = "a forced-response question is always asked"

    keep_parts: int
    questions: tuple[ForcedQuestion]
    presentation: Presentation = BARE

    @property
    def law(self) -> SectionLaw:
        return forced_law(Fraction(self.keep_parts, PARTS))

    @property
    def itemset_law(self) -> SectionLaw:  # type: ignore[override]
        return self.law

    @property
    def mined_law(self) -> MinedLaw:
        return MinedLaw(self.keep_parts, (HALVES,))

    def settings_json(self) -> dict[str, Any]:
        return {"keep": parts_to_decimal(self.keep_parts)}

    def sides_of_coins(self, modulus: int) -> list[int]:
        return [modulus, 2]

    def code_to_send(
        self, true: int, coins: Sequence[int], modulus: int, is_open: bool, earlier: Sequence[int]
    ) -> int:
        keep, answer = coins
        return true if is_open or keep * PARTS < self.keep_parts * modulus else answer


def read(node: Node, sofar: ParsedSoFar) -> ForcedSection:
    members = node.members(frozenset({"kind", "keep", "questions"}), frozenset({INTRO}))
    asked, presentation = read_single_question(
        members, sofar, _question, "a forced-response section has one question"
    )
    return ForcedSection(members["keep"].probability(), asked, presentation)


def _question(node: Node, sofar: ParsedSoFar) -> ForcedQuestion:
    members = node.members(REQUIRED, OPTIONAL)
    common = read_question_fields(members, sofar)
    if tuple(choice.name for choice in common["choices"]) != YES_NO:
        raise members["choices"].refuse("a forced-response question has the choices no, yes in this order")
    return ForcedQuestion(**common, parts=HALVES)
