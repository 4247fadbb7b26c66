"""Defines the base classes of a sensitive number and a sensitive place in a report: the question, its labels, its
classes."""

from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from privacy.grammar.question import Question
from reports.answer_labels import Labels

Asked = TypeVar("Asked", bound=Question)


Estimated = TypeVar("Estimated")


@dataclass(frozen=True)
class ShownClass(Generic[Estimated]):
    """The estimates among the people who gave the plain answer `item`, a class of its question.

    `never_shown`: the rules of the questionnaire hide the sensitive question from all of the class.
    """

    item: str
    words: str
    node: Estimated
    never_shown: bool


@dataclass(frozen=True)
class ShownQuestion(Generic[Asked]):
    """A question of a report with its labels; `place` is its number among the report's questions of this kind, from
    1."""

    place: int
    question: Asked
    labels: Labels

    @property
    def name(self) -> str:
        return self.question.name

    @cached_property
    def text(self) -> str:
        return self.labels.question_text(self.question)

    def class_estimates(self, item: str, node: Estimated) -> ShownClass[Estimated]:
        """Returns the estimates `node` of the class `item` together with the text of the class."""
        never = not self.labels.routing.possible_items_by_question[
            self.labels.question_index(self.name), self.labels.number(item)
        ]
        return ShownClass(item, self.labels.answer(item).choice, node, never)

    @property
    def may_be_hidden(self) -> bool:
        return bool(self.question.show_if)
