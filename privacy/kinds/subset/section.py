"""The section kind `subset`: one question of many choices, of which a random set of several is sent.

A section's coins, always all: a keep coin below the modulus; d shuffle coins, the l-th (from 0) below K-1-l.
It swaps places l and l + coin of the list of the other choices in increasing order. The set is the true
choice and the first d-1 places if keep coin/modulus < keep, else the first d places. See
docs/mathematics.md, Many choices.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any, ClassVar

from privacy.grammar.input_error import mark_for_translation as _, quote_value
from privacy.grammar.json_node import PARTS, Node, parts_to_decimal
from privacy.grammar.question import Question
from privacy.grammar.question_reading import REQUIRED, ParsedSoFar, read_question_fields
from privacy.kinds.disguise_law_interface import MinedLaw
from privacy.kinds.scored_items import ScoredItems, ScoredSection
from privacy.kinds.section import OneQuestionSection, read_single_question
from privacy.kinds.section_intro_and_random_order import BARE, INTRO, Presentation
from privacy.kinds.subset.law import MOST_CODES, SubsetLaw


def set_rank(members: Sequence[int], choices: int) -> int:
    """Returns the code of a set, given in increasing order: its rank, from 0, in lexicographic order."""
    size = len(members)
    behind = sum(comb(choices - 1 - member, size - index) for index, member in enumerate(members))
    return comb(choices, size) - 1 - behind


OPTIONAL = frozenset({"form", "text", "help", "show_if", "label", "shuffled"})
JOINT = "+"
"""Separator between the choices of a set in record files."""
FEWEST_CHOICES = 4


@dataclass(frozen=True, slots=True)
class SubsetQuestion(Question):
    """A question of many choices; the code of a disguised record is the rank of a set of `size` choices.

    The codes of open records, one per choice, come after those of the `sets`, so that each code has one meaning.
    """

    stored_as_integers: ClassVar[bool] = True
    codes_by_group: ClassVar[bool] = True

    size: int = 2

    def __post_init__(self) -> None:
        self._set_codes(self.set_count + len(self.choices), len(self.choices))

    @property
    def set_count(self) -> int:
        return comb(len(self.choices), self.size)

    @property
    def code_names(self) -> tuple[str, ...]:
        names = [choice.name for choice in self.choices]
        return (*map(JOINT.join, combinations(names, self.size)), *names)

    def true_code_named(self, name: str) -> int | None:
        return next((code for code, choice in enumerate(self.choices) if choice.name == name), None)

    def codes_never_sent(self, is_open: bool) -> range:
        return range(self.set_count) if is_open else range(self.set_count, self.codes)


class SetItemsSection(ScoredSection):
    """A question of many choices as mining uses it: a section of one question whose items are estimated by scores."""

    kind: ClassVar[str] = "subset"


@dataclass(frozen=True, slots=True)
class SubsetSection(OneQuestionSection):
    """A section of one question of many choices, of which a set is sent."""

    kind: ClassVar[str] = "subset"
    always_asked: ClassVar[str] = _("this question is always asked")

    keep_parts: int
    questions: tuple[SubsetQuestion]
    presentation: Presentation = BARE

    @property
    def question(self) -> SubsetQuestion:
        return self.questions[0]

    @property
    def law(self) -> SubsetLaw:
        question = self.question
        return SubsetLaw(len(question.choices), question.size, Fraction(self.keep_parts, PARTS))

    @property
    def mined_law(self) -> MinedLaw:
        return self.as_mined().mined_law

    def as_mined(self) -> ScoredSection:
        """Returns the section as mining uses it: the sets, with the scores of the choices."""
        question, choices = self.question, len(self.question.choices)
        items = ScoredItems(
            question.name,
            question.form,
            question.choices,
            text=question.text,
            help=question.help,
            show_if=question.show_if,
            label=question.label,
            score_law=self.law,
            n_codes=question.codes,
            n_listed=choices,
            class_items=tuple(range(choices)),
        )
        return SetItemsSection((items,), is_partial=bool(question.show_if))

    def settings_json(self) -> dict[str, Any]:
        return {"keep": parts_to_decimal(self.keep_parts), "size": self.question.size}

    def sides_of_coins(self, modulus: int) -> list[int]:
        others = len(self.question.choices) - 1
        return [modulus, *(others - index for index in range(self.question.size))]

    def code_to_send(
        self, true: int, coins: Sequence[int], modulus: int, is_open: bool, earlier: Sequence[int]
    ) -> int:
        question = self.question
        if is_open:
            return question.set_count + true
        keep, *shuffle = coins
        choices = len(question.choices)
        others = [choice for choice in range(choices) if choice != true]
        for index, coin in enumerate(shuffle):
            others[index], others[index + coin] = others[index + coin], others[index]
        kept = keep * PARTS < self.keep_parts * modulus
        members = [true, *others[: question.size - 1]] if kept else others[: question.size]
        return set_rank(sorted(members), choices)


def read_section(node: Node, sofar: ParsedSoFar) -> SubsetSection:
    members = node.members(frozenset({"kind", "keep", "size", "questions"}), frozenset({INTRO}))
    size = members["size"]
    (question,), presentation = read_single_question(
        members,
        sofar,
        lambda question_members, so: _read_question(question_members, so, size),
        _("a section of this kind has one question"),
    )
    keep = members["keep"].probability()
    if keep * len(question.choices) <= PARTS * question.size:
        raise members["keep"].refuse(
            _("with keep at most %(chance)s a set says nothing of the true choice"),
            chance=parts_to_decimal(PARTS * question.size // len(question.choices)),
        )
    return SubsetSection(keep, (question,), presentation)


def _read_question(node: Node, sofar: ParsedSoFar, size: Node) -> SubsetQuestion:
    members = node.members(REQUIRED, OPTIONAL)
    common = read_question_fields(members, sofar, ("one",))
    choices = [choice.name for choice in common["choices"]]
    if len(choices) < FEWEST_CHOICES:
        raise members["choices"].refuse(_("at least %(fewest)s choices"), fewest=FEWEST_CHOICES)
    joined = next((name for name in choices if JOINT in name), None)
    if joined is not None:
        raise members["choices"].refuse(
            _("%(name)s holds a +, which joins the choices of a set in record files"),
            name=quote_value(joined),
        )
    members_of_a_set = size.integer(2, len(choices) // 2)
    if (sets := comb(len(choices), members_of_a_set)) + len(choices) > MOST_CODES:
        raise size.refuse(_("%(sets)s sets, too many: choose smaller ones"), sets=sets)
    return SubsetQuestion(**common, size=members_of_a_set)
