"""Section kind `unrelated-question`: true answers are all sent, or all replaced by random answers.

A section's coins (each a uniform random integer below a stated number):

1. only if s < N: s shuffle coins, the i-th (from 0) below N - i;
2. one keep coin below the modulus;
3. N noise coins below the modulus, one per question, asked or not.

The shuffle coins draw the questions that are asked (a Fisher-Yates shuffle that stops after s places: coin i swaps
places i and i + coin, the first s are drawn). If keep coin/modulus < keep, the section's true answers are sent.
Otherwise the answer to question j is the first choice whose cumulative noise probability is above its noise
coin/modulus. All comparisons are between integers.

Where the disguise of a section lasts, these are the coins of one round: they disguise once more the answers that the
person's code fixed for life (`mechanisms/permanent_draws.py`). The keep coin is below lasting times the modulus, so
that these answers are kept with probability keep/lasting.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import accumulate
from typing import Any, ClassVar

from privacy.grammar.input_error import InputError, mark_for_translation as _, quote_value
from privacy.grammar.json_node import PARTS, Node, parts_to_decimal
from privacy.grammar.question import Answers, Question, check_show_if_rules, require_code
from privacy.grammar.question_reading import (
    OPTIONAL,
    REQUIRED,
    ParsedSoFar,
    read_choice_probabilities,
    read_question_fields,
    read_questions,
)
from privacy.kinds.disguise_law_interface import MinedLaw
from privacy.kinds.grouped.law import LastingLaw, SectionLaw
from privacy.kinds.section import Section
from privacy.kinds.section_intro_and_random_order import BARE, INTRO, ORDER, Presentation, read_presentation

LASTING = "lasting"


@cache
def _fraction_from_parts(part: int) -> Fraction:
    """Returns the fraction part / 10,000, cached by `part`, since a large design needs it a million times."""
    return Fraction(part, PARTS)


@dataclass(frozen=True, slots=True)
class SensitiveQuestion(Question):
    """A sensitive question, whose answer noise may replace; `parts`: probability of each choice then, in
    ten-thousandths."""

    parts: tuple[int, ...] = ()
    cumulative: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        Question.__post_init__(self)
        object.__setattr__(self, "cumulative", tuple(accumulate(self.parts)))

    @property
    def noise(self) -> tuple[Fraction, ...]:
        return tuple(map(_fraction_from_parts, self.parts))

    def as_json(self) -> dict[str, Any]:
        return Question.as_json(self) | {"noise": [parts_to_decimal(part) for part in self.parts]}


@dataclass(frozen=True, slots=True)
class UnrelatedQuestionSection(Section):
    """A section whose answers are all sent, or all replaced by noise, together (unrelated-question model).

    In ten-thousandths: `keep_parts`, its keep probability; `lasting_parts`, the keep probability of the
    permanent draw, 0 if the disguise does not last. `n_asked`: how many questions a device draws.
    """

    kind: ClassVar[str] = "unrelated-question"

    keep_parts: int
    n_asked: int
    questions: tuple[SensitiveQuestion, ...]
    presentation: Presentation = BARE
    lasting_parts: int = 0

    @property
    def keep(self) -> Fraction:
        return Fraction(self.keep_parts, PARTS)

    @property
    def asked(self) -> int:
        return self.n_asked

    @property
    def rotates(self) -> bool:
        return self.asked < len(self.questions)

    @property
    def law(self) -> SectionLaw:
        return SectionLaw(self.keep, tuple(question.noise for question in self.questions), self.asked)

    @property
    def lasting_law(self) -> LastingLaw | None:
        return LastingLaw(self.law, Fraction(self.lasting_parts, PARTS)) if self.lasting_parts else None

    @property
    def permanent(self) -> "UnrelatedQuestionSection":
        """The section that makes the permanent draw of a lasting disguise: same questions, kept with
        `lasting_parts`."""
        return UnrelatedQuestionSection(self.lasting_parts, self.n_asked, self.questions)

    @property
    def itemset_law(self) -> SectionLaw:
        return self.law

    @property
    def mined_law(self) -> MinedLaw:
        return MinedLaw(self.keep_parts, tuple(question.parts for question in self.questions))

    def settings_json(self) -> dict[str, Any]:
        lasting = {"lasting": parts_to_decimal(self.lasting_parts)} if self.lasting_parts else {}
        return {"keep": parts_to_decimal(self.keep_parts), **lasting, "asked": self.asked}

    def check(self, codes: Sequence[int], start: int, withheld: bool) -> None:
        asked = 0
        for index, question in enumerate(self.questions, start):
            code = codes[index]
            if code != question.not_asked:
                asked += 1
                if question.show_if or code == question.not_applicable:
                    check_show_if_rules(question, code, None if withheld else codes)
        if asked != self.asked:
            raise InputError(
                self.questions[0].name,
                _("%(asked)s questions asked in the section that begins here, not %(drawn)s"),
                asked=asked,
                drawn=self.asked,
            )

    def sides_of_coins(self, modulus: int) -> list[int]:
        n = len(self.questions)
        shuffle = range(n, n - self.asked, -1) if self.rotates else range(0)
        keep = modulus * self.lasting_parts // PARTS if self.lasting_parts else modulus
        return [*shuffle, keep, *[modulus] * n]

    def disguise(
        self, coins: Sequence[int], modulus: int, is_open: bool, answers: Answers, codes: list[int]
    ) -> None:
        *shuffle, keep = coins[: -len(self.questions)]
        noise = coins[-len(self.questions) :]
        kept = is_open or keep * PARTS < self.keep_parts * modulus
        for question, asked, coin in zip(self.questions, self.drawn_questions(shuffle), noise, strict=True):
            if not asked:
                codes.append(question.not_asked)
            elif not question.applies(codes):
                codes.append(question.not_applicable)
            else:
                true = require_code(question, answers[len(codes)])
                drawn_answer = bisect_right(question.cumulative, coin * PARTS // modulus)
                codes.append(true if kept else drawn_answer)

    def drawn_questions(self, shuffle: Sequence[int]) -> list[bool]:
        """Returns for each question whether the shuffle coins draw it; always True if every question is asked."""
        order = list(range(len(self.questions)))
        for index, coin in enumerate(shuffle):
            order[index], order[index + coin] = order[index + coin], order[index]
        asked = set(order[: self.asked])
        return [index in asked for index in range(len(order))]


def uniform_noise(choices: int) -> tuple[int, ...]:
    """Returns the uniform noise law in ten-thousandths; the remainder goes to the first choices."""
    share, spare = divmod(PARTS, choices)
    return tuple(share + (index < spare) for index in range(choices))


def read_section(node: Node, sofar: ParsedSoFar) -> UnrelatedQuestionSection:
    members = node.members(
        frozenset({"kind", "keep", "questions"}), frozenset({"asked", LASTING, INTRO, ORDER})
    )
    keep = members["keep"].probability()
    questions = read_questions(members["questions"], sofar, _read_question, may_rule=False)
    asked = members.get("asked")
    return UnrelatedQuestionSection(
        keep,
        asked.integer(1, len(questions)) if asked else len(questions),
        questions,
        read_presentation(members, sofar, questions),
        _read_lasting(members[LASTING], keep, questions) if LASTING in members else 0,
    )


def _read_lasting(node: Node, keep: int, questions: Sequence[Question]) -> int:
    """Reads the keep probability of the draw that a person's code fixes for all rounds, in ten-thousandths.

    Refuses a value that is not above `keep`, and sections with show-if rules.
    """
    lasting = node.probability()
    if lasting <= keep:
        raise node.refuse(
            _("must be above keep (%(keep)s): each round is disguised once more"), keep=parts_to_decimal(keep)
        )
    for question in questions:
        if question.show_if:
            raise node.refuse(
                _(
                    "%(name)s is shown only after some answers: in a section whose disguise lasts every question is "
                    "put to everybody"
                ),
                name=quote_value(question.name),
            )
    return lasting


def _read_question(node: Node, sofar: ParsedSoFar) -> SensitiveQuestion:
    members = node.members(REQUIRED, OPTIONAL | {"noise"})
    common = read_question_fields(members, sofar)
    choices = len(common["choices"])
    if choices > PARTS:
        raise members["choices"].refuse(_("more than %(most)s choices"), most=PARTS)
    noise = members.get("noise")
    return SensitiveQuestion(
        **common, parts=read_choice_probabilities(noise, choices) if noise else uniform_noise(choices)
    )
