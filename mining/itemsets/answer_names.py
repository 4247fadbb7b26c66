"""Converts answers of a design to their names, `question=choice`, and looks up properties of their
questions.
"""

from collections.abc import Iterable
from functools import cached_property

from mining.itemsets.candidates import ShowIfRouting
from mining.queries_and_counters import Item, Numbering, item_name
from privacy.designs import Design, Question


class AnswerNames:
    """Names of the items of a design, with the properties of their questions.

    A design with numbers or places is given as `Design.mined`.
    """

    def __init__(self, design: Design) -> None:
        self.design = design
        self.numbering = Numbering(design)

    def name(self, item: Item) -> str:
        return item_name(self.design, item)

    def name_of_number(self, number: int) -> str:
        """Returns the name of the item with this number of `mining.queries_and_counters.Numbering`."""
        return self.name(self.numbering.item(number))

    def item(self, name: str) -> Item:
        return self._items[name]

    def number(self, name: str) -> int:
        return self.numbering.number(self.item(name))

    @property
    def names(self) -> list[str]:
        return list(self._items)

    def questions(self, names: Iterable[str]) -> list[Question]:
        return [self.design.questions[self.item(name)[0]] for name in names]

    def may_be_hidden(self, names: Iterable[str]) -> bool:
        """Returns True if a rule can hide the question of one of these answers."""
        return any(question.show_if for question in self.questions(names))

    def may_be_unasked(self, names: Iterable[str]) -> bool:
        """Returns True if not every device asks the question of one of these answers: questions are drawn, or a rule
        hides a number.

        A number that everybody is asked is none of these, though some records send a bit for its mean in place of its
        class.
        """
        drawn = [
            section.rotates and bool(question.show_if or not question.asked_if_shown)
            for section in self.design.sections
            for question in section.questions
        ]
        return any(drawn[self.item(name)[0]] for name in names)

    @property
    def has_quotas(self) -> bool:
        """True if quotas ended the survey early for some people who came."""
        return bool(self.design.quotas)

    def is_asked_if_shown(self, name: str) -> bool:
        """Returns True if the answer is about a number or a place, which is asked only of people who are shown it."""
        return self.design.questions[self.item(name)[0]].asked_if_shown

    def is_estimated_from_disguised_alone(self, names: Iterable[str]) -> bool:
        """Returns True if one of the answers is plain or about a place: then estimates use the disguised records
        alone."""
        return any(question.withheld_if_open for question in self.questions(names))

    def leaves_out_open_records(self, names: Iterable[str], n_open: int) -> bool:
        """Returns True if people could choose no disguise, but an estimate of these answers uses the disguised records
        alone; `n_open`: number of open records."""
        return self.design.offers_choice and (not n_open or self.is_estimated_from_disguised_alone(names))

    def is_sensitive(self, names: Iterable[str]) -> bool:
        """Returns True if at least one of these answers is sensitive."""
        return any(self._is_sensitive_by_question[self.item(name)[0]] for name in names)

    def has_scores(self, names: Iterable[str]) -> bool:
        """Returns True if one of the answers is an item with scores, whose share can be estimated but is not
        counted."""
        return any(question.scored for question in self.questions(names))

    def question_index(self, question: str) -> int:
        return self._index_by_question[question]

    def choices(self, question: str) -> list[str]:
        """Returns names of all answers to a question."""
        index = self.question_index(question)
        return [self.name((index, code)) for code in range(self.design.questions[index].item_count)]

    def turned_by(self, name: str) -> str:
        """Returns the name of the drawn question that decides which of two versions of this answer's crosswise question
        is asked; empty if there is one version."""
        return self.design.questions[self.item(name)[0]].turned_by

    @cached_property
    def routing(self) -> ShowIfRouting:
        return ShowIfRouting(self.design, self.numbering)

    @cached_property
    def _items(self) -> dict[str, Item]:
        return {
            self.name((index, code)): (index, code)
            for index, question in enumerate(self.design.questions)
            for code in range(question.item_count)
        }

    @cached_property
    def _index_by_question(self) -> dict[str, int]:
        return {question.name: index for index, question in enumerate(self.design.questions)}

    @cached_property
    def _is_sensitive_by_question(self) -> list[bool]:
        return [section.sensitive for section in self.design.sections for _question in section.questions]
