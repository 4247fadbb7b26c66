"""A number question disguised by the law `window`, which allows an estimate of the distribution's shape.

A section's coins:

1. one uniform coin below the modulus;
2. one shift coin below 2h + 1;
3. one coin below V.

If uniform coin/modulus < 1 - u, the third coin is sent: any number. Otherwise the number shifted by (shift coin - h),
modulo V.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any, ClassVar

from privacy.grammar.input_error import mark_for_translation as _
from privacy.grammar.json_node import PARTS, Node, parts_to_decimal
from privacy.grammar.number_range import FURTHEST
from privacy.grammar.question import Question
from privacy.grammar.question_reading import ParsedSoFar
from privacy.kinds.disguise_law_interface import MinedLaw
from privacy.kinds.number.number_question import (
    OPTIONAL,
    REQUIRED,
    UNMINED,
    NumberQuestion,
    NumberSection,
    UnminedSection,
    read_number_fields,
)
from privacy.kinds.number.window.law import LEAST_EIGENVALUE, WindowLaw
from privacy.kinds.section_intro_and_random_order import BARE, Presentation

WINDOW = "window"
FEWEST_VALUES, MOST_VALUES = 2, 65_000


@dataclass(frozen=True, slots=True)
class WindowQuestion(NumberQuestion):
    """A question for a number that is sent shifted by at most h, or replaced by any number.

    `half`: h; `uniform_parts`: 1 - u, the probability of sending any number, in ten-thousandths.
    """

    law: ClassVar[str] = WINDOW
    stored_as_integers: ClassVar[bool] = True

    lowest: int = 0
    values: int = 3
    half: int = 0
    uniform_parts: int = PARTS // 2

    def __post_init__(self) -> None:
        self._set_codes(self.values, self.values)

    @property
    def low(self) -> int:
        return self.lowest

    @property
    def mined_codes(self) -> tuple[int, ...]:
        not_asked_or_answered = [UNMINED] * (self.codes + 1)
        return (*not_asked_or_answered, self.mined_code(None))

    def mined_code(self, true: int | None) -> int:
        # A question without choices: its code 0 is *not asked*, 1 *not applicable*.
        return 1 if true is None else UNMINED

    @property
    def code_names(self) -> tuple[str, ...]:
        return tuple(str(self.number(code)) for code in range(self.values))

    def as_json(self) -> dict[str, Any]:
        return NumberQuestion.as_json(self) | {
            "low": self.lowest,
            "values": self.values,
            "window": self.half,
            "uniform": parts_to_decimal(self.uniform_parts),
        }


@dataclass(frozen=True, slots=True)
class WindowSection(NumberSection):
    questions: tuple[WindowQuestion]
    presentation: Presentation = BARE

    @property
    def question(self) -> WindowQuestion:
        return self.questions[0]

    @property
    def law(self) -> WindowLaw:
        return WindowLaw(self.question.values, self.question.half, self.question.uniform_parts)

    @property
    def mined_law(self) -> MinedLaw:
        return MinedLaw(PARTS, ((),))

    def as_mined(self) -> UnminedSection:
        """Returns the section as mining uses it: without the values of the number."""
        question = self.question
        bare = Question(
            question.name,
            question.form,
            (),
            text=question.text,
            help=question.help,
            show_if=question.show_if,
            label=question.label,
        )
        return UnminedSection((bare,))

    def sides_of_coins(self, modulus: int) -> list[int]:
        return [modulus, 2 * self.question.half + 1, self.question.values]

    def code_to_send(
        self, true: int, coins: Sequence[int], modulus: int, is_open: bool, earlier: Sequence[int]
    ) -> int:
        question = self.question
        uniform, shift, anywhere = coins
        if uniform * PARTS < question.uniform_parts * modulus:
            sent = anywhere
        else:
            sent = (true + shift - question.half) % question.values
        return true if is_open else sent


def read_section(
    members: dict[str, Node], question: WindowQuestion, presentation: Presentation
) -> WindowSection:
    """Reads a section of a number by a window, whose question has been read already."""
    for key in ("keep", "keep_rest"):
        if key in members:
            raise members[key].refuse(
                _("the law window has no probability of sending the true answers (keep)")
            )
    return WindowSection((question,), presentation)


def read_question(node: Node, sofar: ParsedSoFar) -> WindowQuestion:
    members = node.members(REQUIRED | {"values", "window", "uniform"}, OPTIONAL | {"low"})
    common = read_number_fields(members, sofar)
    low = members["low"].integer(-FURTHEST, FURTHEST) if "low" in members else 0
    values = members["values"].integer(FEWEST_VALUES, MOST_VALUES)
    if low + common["step"] * (values - 1) > FURTHEST:
        raise members["values"].refuse(_("the highest number is above %(most)s"), most=FURTHEST)
    half = members["window"].integer(0, (values - 2) // 2)
    law = WindowLaw(values, half, members["uniform"].probability())
    if gcd(law.width, values) > 1:
        raise members["window"].refuse(
            _("the %(width)s numbers of the window and the %(values)s values share the factor %(factor)s"),
            width=law.width,
            values=values,
            factor=gcd(law.width, values),
        )
    if law.first_eigenvalue < LEAST_EIGENVALUE:
        raise members["window"].refuse(
            _("the window is so wide, or uniform so large, that not even the roughest shape can be seen")
        )
    return WindowQuestion(**common, lowest=low, values=values, half=half, uniform_parts=law.uniform_parts)
