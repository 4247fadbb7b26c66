"""Translates answers from `question=choice` to the text that respondents read, in the reader's language.

A researcher can also write how a sentence words an answer: as people ("people in public service") or as a predicate
("took supplies home"). Where only one is written, the other is derived as far as the grammar of the language permits.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from django.utils.translation import get_language, gettext as _, pgettext

from mining.itemsets.answer_names import AnswerNames
from mining.nodes.report_nodes import GroupRow, GroupTable
from privacy.designs import Design, Question, Texts, short_label
from privacy.designs.labels import shorten_text
from privacy.kinds.number.number_question import NumberQuestion
from privacy.kinds.place.law import ELSEWHERE
from privacy.kinds.scored_items import ScoredItems
from surveys.kinds.number.item_text import number_item_text
from surveys.questionnaire.report_sentence_texts import (
    NO_SENTENCE_TEXTS,
    SentenceTexts,
    is_outside_all_regions,
    text_in_language,
)

NOT_DERIVABLE = "–"
LONG = 60
"""Largest number of characters of an option in a sentence; files have the whole text."""


@dataclass(frozen=True)
class AnswerText:
    """The texts of one answer.

    `question` is the full wording, `asked` the question's short label. `short` is label and choice for a sentence,
    `marked` is both for a picture, the choice first.
    """

    name: str
    question: str
    choice: str
    asked: str
    short: str
    marked: str


class Labels(AnswerNames):
    """The texts of a design's answers; `sentences` are the researcher's wordings for sentences."""

    def __init__(
        self, design: Design, language: str | None = None, sentences: SentenceTexts = NO_SENTENCE_TEXTS
    ) -> None:
        super().__init__(design)
        self.language, self.sentences = language or get_language() or "en", sentences
        self._answers: dict[str, AnswerText] = {}

    def answer(self, name: str) -> AnswerText:
        if name not in self._answers:
            self._answers[name] = self._build_answer(name)
        return self._answers[name]

    def answers(self, names: Iterable[str]) -> list[AnswerText]:
        return list(map(self.answer, names))

    @cached_property
    def short_label_legend(self) -> list[tuple[str, str]]:
        """Short labels that differ from the question text, each with that text, for a legend."""
        texts = {
            short_label(question, self.language): self.question_text(question)
            for question in self.design.questions
        }
        return [(label, text) for label, text in texts.items() if label != text]

    def short(self, name: str) -> str:
        return self.answer(name).short

    def with_question(self, name: str) -> str:
        """Returns the short label of an answer, of an option after its question's short label too."""
        answer = self.answer(name)
        return question_and_answer(answer.asked, answer.short) if self.is_option(name) else answer.short

    def join_short(self, names: Iterable[str]) -> str:
        """Returns the short labels of several answers of one person, joined with "and"."""
        return join_answers(map(self.short, names))

    def join_full(self, names: Iterable[str]) -> str:
        """Returns several answers of one person, with the full wording of the questions, joined with "and"."""
        answers = map(self.answer, names)
        return join_answers(question_and_answer(answer.question, answer.choice) for answer in answers)

    def rule(self, antecedent: Iterable[str], consequent: Iterable[str]) -> str:
        return f"{self.join_short(antecedent)} → {self.join_short(consequent)}"

    def _build_answer(self, name: str) -> AnswerText:
        place, code = self.item(name)
        question = self.design.questions[place]
        asked = self.question_text(question)
        choice = self.choice(question, code)
        if question.form == "many":
            return self._build_option_answer(name, question, asked, code)
        short = short_label(question, self.language)
        sentence = question_and_answer(short, choice)
        return AnswerText(name, asked, choice, short, sentence, f"{choice} · {short}")

    def _build_option_answer(self, name: str, question: Question, asked: str, code: int) -> AnswerText:
        """Builds the texts of a ticked or unticked option of a question with several answers."""
        option = self.in_language_of_reader(question.choices[-1].label) or question.name
        words = option if code else _("not: %(option)s") % {"option": option}
        short = short_label(question, self.language)
        return AnswerText(name, asked, words, short, shorten_text(words, LONG), f"{words} · {short}")

    def choice(self, question: Question, code: int) -> str:
        choice = question.choices[code]
        if question.made_of_integers and choice.name == ELSEWHERE:
            return _("Elsewhere (outside the regions)")
        if isinstance(question, ScoredItems) and (unit := self._unit_from_sentence_texts(question.name)):
            question = replace(question, unit=Texts(((self.language, unit),)))
        said = number_item_text(question, code, self.language) or self.in_language_of_reader(choice.label)
        if not said and question.form == "yes-no":
            return _("Yes") if code else _("No")
        return said or choice.name

    def question_text(self, question: Question) -> str:
        return self.in_language_of_reader(question.text) or question.name

    def heading(self, table: GroupTable) -> str:
        """Returns the heading of a table by group: the text of its plain question, with the option if people could tick
        several."""
        answer = self.answer(table.classes[-1])
        is_option = self.is_option(answer.name)
        return question_and_answer(answer.question, answer.choice) if is_option else answer.question

    def is_option(self, name: str) -> bool:
        """Returns True if the answer is an option of a question of which people could tick several."""
        return self.design.questions[self.item(name)[0]].form == "many"

    def is_hidden_from_class(self, row: GroupRow, of_class: str) -> bool:
        """Returns True if the rules of the questionnaire hide the answer's question from everybody in the class."""
        return not self.routing.possible_items_by_question[self.item(row.item)[0], self.number(of_class)]

    def subject(self, question: str) -> str:
        """Returns the short label of a question; if people could tick several options, also the option that is
        meant."""
        asked = self.design.questions[self.question_index(question)]
        label = short_label(asked, self.language)
        if asked.form != "many":
            return label
        option = self.name((self.question_index(question), asked.codes - 1))
        return question_and_answer(label, self.answer(option).choice)

    def in_language_of_reader(self, texts: Texts) -> str:
        return texts.in_language_or_first(self.language)

    # --- inside a sentence ---

    def predicate(self, names: Iterable[str]) -> str:
        """Returns the predicate of people who gave the answers `names`: "took office supplies home".

        Empty if an answer has no wording.
        """
        predicates = list(map(self._predicate, names))
        return join_answers(predicates) if all(predicates) else ""

    def people(self, names: Iterable[str]) -> str:
        """Returns a noun phrase for the people who gave the answers `names`: "people in public service".

        Empty if an answer has no wording and the language cannot derive it.
        """
        names = tuple(names)
        if len(names) > 1:
            return self._people_who(self.predicate(names))
        (name,) = names
        given = text_in_language(self.sentences.people.get(name, {}), self.language)
        if given or text_in_language(self.sentences.predicates.get(name, {}), self.language):
            return given or self._people_who(self.predicate(names))
        if values := self._amount_and_quantity_placeholders(name):
            return (
                pgettext("in a sentence of a report", "people who answered %(amount)s for %(quantity)s")
                % values
            )
        if self._is_elsewhere_of_worded_regions(name):
            return pgettext("in a sentence of a report", "people outside the regions")
        return ""

    def quantity_phrase(self, question: str) -> str:
        """Returns the wording of a number inside a sentence: "their unpaid hours".

        Empty if the researcher wrote none.
        """
        return text_in_language(self.sentences.quantities.get(question, {}), self.language)

    def unit(self, question: Question) -> str:
        if not isinstance(question, NumberQuestion | ScoredItems):
            return ""
        return self._unit_from_sentence_texts(question.name) or self.in_language_of_reader(question.unit)

    def _unit_from_sentence_texts(self, question: str) -> str:
        return text_in_language(self.sentences.units.get(question, {}), self.language)

    def _predicate(self, name: str) -> str:
        if given := text_in_language(self.sentences.predicates.get(name, {}), self.language):
            return given
        if people := text_in_language(self.sentences.people.get(name, {}), self.language):
            return pgettext("in a sentence of a report", "said they were %(people)s") % {"people": people}
        if values := self._amount_and_quantity_placeholders(name):
            return pgettext("in a sentence of a report", "answered %(amount)s for %(quantity)s") % values
        if self._is_elsewhere_of_worded_regions(name):
            return pgettext("in a sentence of a report", "said they were outside the regions")
        return ""

    def _people_who(self, predicate: str) -> str:
        """Derives "people who ..." from a predicate; empty in languages where the verb would move."""
        template = pgettext(
            "in a sentence of a report; a dash if it needs another word order", "people who %(predicate)s"
        )
        return template % {"predicate": predicate} if predicate and template != NOT_DERIVABLE else ""

    def _amount_and_quantity_placeholders(self, item_name: str) -> dict[str, str]:
        place, _code = self.item(item_name)
        quantity = self.quantity_phrase(self.design.questions[place].name)
        return {"quantity": quantity, "amount": self.answer(item_name).choice} if quantity else {}

    def _is_elsewhere_of_worded_regions(self, name: str) -> bool:
        question = self.design.questions[self.item(name)[0]]
        return (
            is_outside_all_regions(name)
            and question.made_of_integers
            and self.sentences.has_region_texts(question.name)
        )


def join_answers(answers: Iterable[str]) -> str:
    """Joins the answers of one person with "and" in the reader's language."""
    return pgettext("between the answers of one person", " and ").join(answers)


def question_and_answer(question: str, choice: str) -> str:
    if question[-1:] in "?？…":
        return f"{question} {choice}"
    return _("%(question)s: %(answer)s") % {"question": question.rstrip(".。"), "answer": choice}
