"""A sensitive number or place of a report, in words."""

from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from privacy.grammar.question import Question
from reports.labels import Labels

Asked = TypeVar("Asked", bound=Question)


Estimated = TypeVar("Estimated")


@dataclass(frozen=True)
class ShownClass(Generic[Estimated]):
    """What is estimated in the class `item`; `never_shown`: the rules hide the question from the whole class."""

    item: str
    words: str
    node: Estimated
    never_shown: bool


@dataclass(frozen=True)
class ShownQuestion(Generic[Asked]):
    """`place` counts the questions of its kind in the report from 1."""

    place: int
    question: Asked
    labels: Labels

    @property
    def name(self) -> str:
        return self.question.name

    @cached_property
    def text(self) -> str:
        return self.labels.question_text(self.question)

    def of_class(self, item: str, node: Estimated) -> ShownClass[Estimated]:
        never = not self.labels.routing.allowed_items[self.labels.place(self.name), self.labels.number(item)]
        return ShownClass(item, self.labels.answer(item).choice, node, never)

    @property
    def may_be_hidden(self) -> bool:
        return bool(self.question.show_if)
