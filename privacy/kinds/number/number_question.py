"""Base class of questions for a number with equal steps between a lowest and a highest one, for both laws."""

import re
from dataclasses import dataclass, field
from typing import Any, ClassVar

from privacy.grammar.input_error import mark_for_translation as _
from privacy.grammar.json_node import PARTS, Node
from privacy.grammar.number_range import FURTHEST
from privacy.grammar.question import Question
from privacy.grammar.question_reading import NUMBER_SENTENCES, ParsedSoFar, read_choiceless_fields
from privacy.grammar.translated_texts import Texts, read_texts
from privacy.kinds.disguise_law_interface import MinedLaw
from privacy.kinds.section import MinedSection, OneQuestionSection

NUMBER = "number"
REQUIRED = frozenset({"name", "law"})
OPTIONAL = NUMBER_SENTENCES | {"text", "help", "unit", "show_if", "label", "step"}
INTEGER = re.compile(r"-?[0-9]{1,10}", re.ASCII)


@dataclass(frozen=True, slots=True)
class NumberQuestion(Question):
    """A question for a number from `low` to `high`, by steps of `step`; people further out are asked to give the
    end."""

    form: str = NUMBER
    choices: tuple[()] = ()
    unit: Texts = field(default_factory=Texts)
    step: int = 1

    law: ClassVar[str]

    @property
    def low(self) -> int:
        raise NotImplementedError

    @property
    def high(self) -> int:
        return self.low + self.step * (self.true_codes - 1)

    def number(self, code: int) -> int:
        """Returns the number that a true answer's code stands for."""
        return self.low + self.step * code

    def true_code_named(self, name: str) -> int | None:
        return self.true_code(int(name)) if INTEGER.fullmatch(name) else None

    def true_code(self, number: int) -> int | None:
        """Returns the code of a number; None if it lies outside or between two steps."""
        steps, rest = divmod(number - self.low, self.step)
        return None if rest or not 0 <= steps < self.true_codes else steps

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "text": self.text.as_json(),
            "help": self.help.as_json(),
            "unit": self.unit.as_json(),
            "show_if": {rule.question: list(rule.choices) for rule in self.show_if},
            "law": self.law,
            "step": self.step,
            **self.label_json(),
        }


class NumberSection(OneQuestionSection):
    """Base class of sections with one question for a number."""

    kind: ClassVar[str] = NUMBER
    counted_by_code: ClassVar[bool] = True
    always_asked: ClassVar[str] = _("a number is always asked")


def read_number_fields(members: dict[str, Node], sofar: ParsedSoFar) -> dict[str, Any]:
    return read_choiceless_fields(members, sofar) | {
        "unit": read_texts(members.get("unit"), sofar.languages),
        "step": members["step"].integer(1, FURTHEST) if "step" in members else 1,
    }


# --- mined
# What mining sees of a number: of `classes` scored items (privacy/kinds/scored_items.py), of a `window` only its
# rules.

AT_LEAST, BELOW = ">=", "<"
UNMINED = 3
"""Code in mining of every answer to a number by `window`, whose value mining does not use."""


def at_least_name(limit: int) -> str:
    return f"{AT_LEAST}{limit}"


def below_name(limit: int) -> str:
    return f"{BELOW}{limit}"


def at_least_and_below_name(low: int, high: int) -> str:
    return f"{at_least_name(low)} {below_name(high)}"


@dataclass(frozen=True, slots=True)
class UnminedSection(MinedSection):
    """A number question whose values mining does not use: only whether the question applies."""

    kind: ClassVar[str] = "number"
    rotates: ClassVar[bool] = False
    law: ClassVar[None] = None
    itemset_law: ClassVar[None] = None

    questions: tuple[Question]

    @property
    def mined_law(self) -> MinedLaw:
        return MinedLaw(PARTS, ((),))
