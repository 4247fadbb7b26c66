"""The kind `subset`: one question of many choices, of which a set of several goes out."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any, ClassVar

from privacy.grammar.node import PARTS, Node, decimal
from privacy.grammar.question import Question, check_applies
from privacy.grammar.reading import REQUIRED, ParsedSoFar, read_common, read_questions
from privacy.grammar.refusal import Refusal, marked as _, quoted
from privacy.kinds.mined_law import MinedLaw, Rules, with_rules
from privacy.kinds.presentation import BARE, INTRO, Presentation, read_presentation
from privacy.kinds.scored import ScoredItems, ScoredSection
from privacy.kinds.subset.law import MOST_CODES, SubsetLaw

OPTIONAL = frozenset({"form", "text", "help", "show_if", "label", "shuffled"})
JOINT = "+"
"""Between the choices of a set in record files."""
FEWEST_CHOICES = 4


@dataclass(frozen=True, slots=True)
class SubsetQuestion(Question):
    """The code of a disguised record is the rank of a set of `size` choices; those of open records, the choices
    themselves, come behind the `sets`, so that a code means one thing."""

    stored_as_integers: ClassVar[bool] = True
    codes_by_group: ClassVar[bool] = True

    size: int = 2

    def __post_init__(self) -> None:
        self._set_codes(self.sets + len(self.choices), len(self.choices))

    @property
    def sets(self) -> int:
        return comb(len(self.choices), self.size)

    @property
    def code_names(self) -> tuple[str, ...]:
        names = [choice.name for choice in self.choices]
        return (*map(JOINT.join, combinations(names, self.size)), *names)

    def true_code_named(self, name: str) -> int | None:
        return next((code for code, choice in enumerate(self.choices) if choice.name == name), None)

    def foreign(self, is_open: bool) -> range:
        return range(self.sets) if is_open else range(self.sets, self.codes)


@dataclass(frozen=True, slots=True)
class SubsetSection:
    kind: ClassVar[str] = "subset"
    sensitive: ClassVar[bool] = True
    asked: ClassVar[int] = 1
    rotates: ClassVar[bool] = False
    counted_by_code: ClassVar[bool] = False
    itemset_law: ClassVar[None] = None

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
    def mined(self) -> MinedLaw:
        return self.as_mined().mined

    def as_mined(self) -> ScoredSection:
        """As mining sees it: the sets, with the scores of the choices."""
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
        return ScoredSection(self.kind, (items,), rotates=bool(question.show_if))

    def reduced(self, rules: Rules) -> "SubsetSection":
        """The question with these rules."""
        return SubsetSection(self.keep_parts, (with_rules(self.questions, rules)[0],))

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "keep": decimal(self.keep_parts),
            "size": self.question.size,
            "questions": [self.question.as_json()],
            **self.presentation.as_json(),
        }

    def check(self, codes: Sequence[int], start: int, withheld: bool) -> None:
        """Refuse what a device could not have sent; the section's code stands at `start`."""
        question = self.question
        if codes[start] == question.not_asked:
            raise Refusal(question.name, _("this question is always asked"))
        if question.show_if or codes[start] == question.not_applicable:
            check_applies(question, codes[start], None if withheld else codes)


def read(node: Node, sofar: ParsedSoFar) -> SubsetSection:
    members = node.members(frozenset({"kind", "keep", "size", "questions"}), frozenset({INTRO}))
    size = members["size"]
    questions = read_questions(members["questions"], sofar, lambda each, so: _question(each, so, size), False)
    if len(questions) > 1:
        raise members["questions"].refuse(_("a section of this kind has one question"))
    (question,) = questions
    keep = members["keep"].parts()
    if keep * len(question.choices) <= PARTS * question.size:
        raise members["keep"].refuse(
            _("with keep at most %(chance)s a set says nothing of the true choice"),
            chance=decimal(PARTS * question.size // len(question.choices)),
        )
    return SubsetSection(keep, (question,), read_presentation(members, sofar, questions))


def _question(node: Node, sofar: ParsedSoFar, size: Node) -> SubsetQuestion:
    members = node.members(REQUIRED, OPTIONAL)
    common = read_common(members, sofar, ("one",))
    choices = [choice.name for choice in common["choices"]]
    if len(choices) < FEWEST_CHOICES:
        raise members["choices"].refuse(_("at least %(fewest)s choices"), fewest=FEWEST_CHOICES)
    joined = next((name for name in choices if JOINT in name), None)
    if joined is not None:
        raise members["choices"].refuse(
            _("%(name)s holds a +, which joins the choices of a set in record files"), name=quoted(joined)
        )
    members_of_a_set = size.integer(2, len(choices) // 2)
    if (sets := comb(len(choices), members_of_a_set)) + len(choices) > MOST_CODES:
        raise size.refuse(_("%(sets)s sets, too many: choose smaller ones"), sets=sets)
    return SubsetQuestion(**common, size=members_of_a_set)
