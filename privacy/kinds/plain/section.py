"""The section kind `plain`: answers are sent without disguise."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from privacy.grammar.input_error import InputError, mark_for_translation as _, quote_value
from privacy.grammar.json_node import PARTS, Node
from privacy.grammar.question import (
    DRAWN,
    FORMS,
    SHUFFLED,
    Answers,
    Question,
    check_show_if_rules,
    require_code,
)
from privacy.grammar.question_reading import (
    OPTIONAL,
    REQUIRED,
    ParsedSoFar,
    read_choice_probabilities,
    read_question_fields,
    read_questions,
)
from privacy.kinds.disguise_law_interface import MinedLaw
from privacy.kinds.plain.number_bands import NUMBER, NumberBands, read_bands
from privacy.kinds.section import Section
from privacy.kinds.section_intro_and_random_order import BARE, INTRO, ORDER, Presentation, read_presentation

ROLES = ("quasi", "other")


@dataclass(frozen=True, slots=True)
class PlainQuestion(Question):
    """A question whose answer is sent without disguise.

    `role`: "quasi" if others may know the answer (a quasi-identifier), else "other". `number`: people type a
    number, and the choices are the bands of that number.
    """

    withheld_if_open: ClassVar[bool] = True

    role: str = "other"
    number: NumberBands | None = None

    def as_json(self) -> dict[str, Any]:
        number = {NUMBER: self.number.as_json()} if self.number else {}
        return Question.as_json(self) | {"role": self.role} | number


@dataclass(frozen=True, slots=True)
class PlainSection(Section):
    """A section whose answers are sent without disguise."""

    kind: ClassVar[str] = "plain"
    sensitive: ClassVar[bool] = False
    law: ClassVar[None] = None
    itemset_law: ClassVar[None] = None

    questions: tuple[PlainQuestion, ...]
    presentation: Presentation = BARE

    @property
    def asked(self) -> int:
        return len(self.questions)

    @property
    def rotates(self) -> bool:
        return False

    @property
    def mined_law(self) -> MinedLaw:
        return MinedLaw(PARTS, tuple((0,) * question.codes for question in self.questions))

    def check(self, codes: Sequence[int], start: int, withheld: bool) -> None:
        if withheld:
            return
        for index, question in enumerate(self.questions, start):
            if codes[index] == question.not_asked:
                raise InputError(question.name, _("a question that is not disguised is always asked"))
            if question.show_if or codes[index] == question.not_applicable:
                check_show_if_rules(question, codes[index], codes)

    def sides_of_coins(self, modulus: int) -> list[int]:
        return []

    def disguise(
        self, coins: Sequence[int], modulus: int, is_open: bool, answers: Answers, codes: list[int]
    ) -> None:
        for question in self.questions:
            if question.applies(codes):
                codes.append(require_code(question, answers[len(codes)]))
            else:
                codes.append(question.not_applicable)


def read_section(node: Node, sofar: ParsedSoFar) -> PlainSection:
    members = node.members(frozenset({"kind", "questions"}), frozenset({INTRO, ORDER}))
    questions = read_questions(members["questions"], sofar, _read_question, may_rule=True)
    return PlainSection(questions, read_presentation(members, sofar, questions))


def _read_question(node: Node, sofar: ParsedSoFar) -> PlainQuestion:
    members = node.members(REQUIRED, OPTIONAL | {"role", "shares", NUMBER})
    common = read_question_fields(members, sofar, (*FORMS, DRAWN))
    shares = _read_draw_probabilities(node, members, common["form"], len(common["choices"]))
    role, bands = _read_role(members.get("role")), None
    if number := members.get(NUMBER):
        if common["form"] != "one" or common["of"] or common[SHUFFLED]:
            raise number.refuse(
                _("only a question of the form one takes a number, outside tables and in order")
            )
        bands = read_bands(number, sofar.languages, len(common["choices"]))
    return PlainQuestion(**common, role=role, share_parts=shares, number=bands)


def _read_draw_probabilities(
    node: Node, members: dict[str, Node], form: str, choices: int
) -> tuple[int, ...]:
    """Reads the probability of each choice of a question that the device answers at random, in ten-thousandths.

    Refuses show-if rules of such a question, and shares of other questions, which have none.
    """
    shares, rules = members.get("shares"), members.get("show_if")
    if form != DRAWN:
        if shares is not None:
            raise shares.refuse(_("only a question of the form drawn has shares"))
        return ()
    if shares is None:
        raise node.refuse(_("%(key)s is missing"), key=quote_value("shares"))
    if rules is not None and rules.object_members():
        raise rules.refuse(_("a drawn question is drawn for everybody: leave out its rules"))
    return read_choice_probabilities(shares, choices)


def _read_role(node: Node | None) -> str:
    if node is None:
        return "other"
    role = node.text()
    if role not in ROLES:
        raise node.refuse(
            _("%(role)s is not a role (%(roles)s)"), role=quote_value(role), roles=", ".join(ROLES)
        )
    return role
