"""A sensitive number or place of a report, in words."""

from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from privacy.grammar.question import Question
from reports.labels import Labels

Asked = TypeVar("Asked", bound=Question)


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

    @property
    def may_be_hidden(self) -> bool:
        return bool(self.question.show_if)
