"""Base classes of the sections of a design: settings, checks, and the disguise of one person's answers.

They use no arrays and no randomness of their own. Simulations of many people are in `simulation.py`
of each kind.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

from privacy.grammar.input_error import InputError
from privacy.grammar.json_node import Node
from privacy.grammar.question import Answers, Question, check_show_if_rules, require_code
from privacy.grammar.question_reading import ParsedSoFar, read_questions
from privacy.kinds.disguise_law_interface import Disguised, MinedLaw
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.section_intro_and_random_order import BARE, Presentation, read_presentation

Q = TypeVar("Q", bound=Question)
QuestionReader = Callable[[Node, ParsedSoFar], Q]


class Section(ABC):
    """Base class of all kinds of sections of a design.

    `kind`: name of the kind in JSON. `counted_by_code`: mining also counts the records by code.
    """

    kind: ClassVar[str]
    sensitive: ClassVar[bool] = True
    counted_by_code: ClassVar[bool] = False
    questions: tuple[Question, ...]
    presentation: Presentation

    @property
    @abstractmethod
    def asked(self) -> int:
        """The number of the section's questions that a device draws."""

    @property
    @abstractmethod
    def rotates(self) -> bool:
        """True if some records lack an answer to a question that applies, since a device draws questions."""

    @property
    @abstractmethod
    def law(self) -> Disguised | None:
        """The law of disguise of the section; None if nothing is disguised."""

    @property
    @abstractmethod
    def itemset_law(self) -> SectionLaw | None:
        """The law by which supports of itemsets are reconstructed; None for kinds without itemsets."""

    @property
    def sends_some_as_they_are(self) -> bool:
        """True if some disguised people's answers are sent unchanged, such as places outside all regions."""
        return False

    @property
    @abstractmethod
    def mined_law(self) -> MinedLaw: ...

    def as_mined(self) -> "Section":
        """Returns the section as mining uses it; the section itself if both are the same."""
        return self

    def settings_json(self) -> dict[str, Any]:
        """Returns the section's JSON members apart from kind, questions and presentation."""
        return {}

    @abstractmethod
    def check(self, codes: Sequence[int], start: int, withheld: bool) -> None:
        """Refuses a record's codes for this section that no device could have sent.

        `codes`: of all sections; `start`: index of the section's first code. `withheld`: the plain answers are left
        out.
        """

    @abstractmethod
    def sides_of_coins(self, modulus: int) -> list[int]:
        """Returns the number of sides of each random coin of the section; `modulus`: sides of a coin for a
        probability."""

    @abstractmethod
    def disguise(
        self, coins: Sequence[int], modulus: int, is_open: bool, answers: Answers, codes: list[int]
    ) -> None:
        """Appends the section's disguised codes to `codes`, in place.

        `coins`: the section's own. `is_open`: the true answers are sent. `answers`: true answers to the whole design.
        """

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            **self.settings_json(),
            "questions": [question.as_json() for question in self.questions],
            **self.presentation.as_json(),
        }


class OneQuestionSection(Section):
    """Base class of sections with one question, which is always asked.

    `always_asked`: the error message for records without an answer.
    """

    asked: ClassVar[int] = 1
    rotates: ClassVar[bool] = False
    itemset_law: ClassVar[SectionLaw | None] = None
    always_asked: ClassVar[str]

    def check(self, codes: Sequence[int], start: int, withheld: bool) -> None:
        (question,) = self.questions
        if codes[start] == question.not_asked:
            raise InputError(question.name, self.always_asked)
        if question.show_if or codes[start] == question.not_applicable:
            check_show_if_rules(question, codes[start], None if withheld else codes)

    def disguise(
        self, coins: Sequence[int], modulus: int, is_open: bool, answers: Answers, codes: list[int]
    ) -> None:
        (question,) = self.questions
        if question.applies(codes):
            codes.append(
                self.code_to_send(require_code(question, answers[len(codes)]), coins, modulus, is_open, codes)
            )
        else:
            codes.append(question.not_applicable)

    @abstractmethod
    def code_to_send(
        self, true: int, coins: Sequence[int], modulus: int, is_open: bool, earlier: Sequence[int]
    ) -> int:
        """Returns the code to send for a `true` code; `earlier`: sent codes of the questions before."""


def read_single_question(
    members: dict[str, Node], sofar: ParsedSoFar, read: QuestionReader[Q], refusal: str
) -> tuple[tuple[Q], Presentation]:
    """Reads the one question of a section, and its presentation; `refusal`: error for several questions."""
    questions = read_questions(members["questions"], sofar, read, may_rule=False)
    if len(questions) > 1:
        raise members["questions"].refuse(refusal)
    return (questions[0],), read_presentation(members, sofar, questions)


class MinedSection(Section):
    """Base class of sections as mining uses them: only `Design.mined` has them, and no device sends them."""

    presentation: Presentation = BARE
    asked: ClassVar[int] = 1

    def check(self, codes: Sequence[int], start: int, withheld: bool) -> None:
        (question,) = self.questions
        if codes[start] != question.not_asked:
            check_show_if_rules(question, codes[start], None if withheld else codes)

    def sides_of_coins(self, modulus: int) -> list[int]:
        raise NotImplementedError

    def disguise(
        self, coins: Sequence[int], modulus: int, is_open: bool, answers: Answers, codes: list[int]
    ) -> None:
        raise NotImplementedError
