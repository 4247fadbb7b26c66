"""The texts of answers: from `question=choice` to what respondents read, in the reader's language."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import get_language, gettext as _, pgettext

from mining.counts import Item, Numbering, item_name
from mining.itemsets.routing import Routing
from privacy.designs import Design, Question, Texts, short_label
from privacy.designs.labels import shortened
from privacy.kinds.place.mined import ELSEWHERE
from surveys.kinds.number.items import item_text

LONG = 60
"""The most characters of an option in a sentence; files and tooltips have the whole text."""


@dataclass(frozen=True)
class AnswerText:
    """The texts of an answer. `question` has the whole words, `asked` is the question's short label; `short` is label
    and choice in a sentence, `marked` both for a picture, the choice first."""

    name: str
    question: str
    choice: str
    asked: str
    short: str
    marked: str


class Naming:
    """The items of one design by name and by number; of a design with numbers or places, that is `Design.mined`."""

    def __init__(self, design: Design, language: str | None = None) -> None:
        self.design = design
        self.language = language or get_language() or "en"
        self.numbering = Numbering(design)
        self._answers: dict[str, AnswerText] = {}

    def name(self, item: Item) -> str:
        return item_name(self.design, item)

    def named(self, number: int) -> str:
        """From a number of `mining.counts.Numbering`."""
        return self.name(self.numbering.item(number))

    def item(self, name: str) -> Item:
        return self._items[name]

    def number(self, name: str) -> int:
        return self.numbering.number(self.item(name))

    @property
    def names(self) -> list[str]:
        return list(self._items)

    def answer(self, name: str) -> AnswerText:
        if name not in self._answers:
            self._answers[name] = self._said(name)
        return self._answers[name]

    def may_be_hidden(self, names: Iterable[str]) -> bool:
        """Whether a rule can hide one of these answers' questions."""
        return any(self.design.questions[self.item(name)[0]].show_if for name in names)

    def is_asked_if_shown(self, name: str) -> bool:
        """Whether this is said of a number or a place; where a rule hides these, they are not asked."""
        return self.design.questions[self.item(name)[0]].asked_if_shown

    def is_of_disguised(self, names: Iterable[str]) -> bool:
        """Whether there are plain answers or places among these, which are counted among the disguised alone."""
        return any(self.design.questions[self.item(name)[0]].withheld_if_open for name in names)

    def is_sensitive(self, names: Iterable[str]) -> bool:
        """Whether at least one of them is."""
        return any(self._sensitive[self.item(name)[0]] for name in names)

    def has_scores(self, names: Iterable[str]) -> bool:
        """Whether one of these is an item of scores, of which no share is received, but only estimated."""
        return any(self.design.questions[self.item(name)[0]].scored for name in names)

    @cached_property
    def _sensitive(self) -> list[bool]:
        return [section.sensitive for section in self.design.sections for _question in section.questions]

    def short(self, name: str) -> str:
        return self.answer(name).short

    def together(self, names: Iterable[str]) -> str:
        """Several answers of one person."""
        return joined(map(self.short, names))

    def in_full(self, names: Iterable[str]) -> str:
        """Several answers of one person with the whole words of their questions, for files and tables."""
        answers = map(self.answer, names)
        return joined(asked_and_answered(answer.question, answer.choice) for answer in answers)

    def marked(self, names: Iterable[str]) -> str:
        """Several answers, for a picture."""
        return " + ".join(self.answer(name).marked for name in names)

    def rule(self, antecedent: Iterable[str], consequent: Iterable[str]) -> str:
        return f"{self.together(antecedent)} → {self.together(consequent)}"

    def rule_in_full(self, antecedent: Iterable[str], consequent: Iterable[str]) -> str:
        return f"{self.in_full(antecedent)} → {self.in_full(consequent)}"

    @cached_property
    def _items(self) -> dict[str, Item]:
        return {
            self.name((place, code)): (place, code)
            for place, question in enumerate(self.design.questions)
            for code in range(question.items)
        }

    def _said(self, name: str) -> AnswerText:
        place, code = self.item(name)
        question = self.design.questions[place]
        asked = self.question_text(question)
        choice = self.choice(question, code)
        if question.form == "many":
            return self._of_many(name, question, asked, code)
        short = short_label(question, self.language)
        sentence = asked_and_answered(short, choice)
        return AnswerText(name, asked, choice, short, sentence, f"{choice} · {short}")

    def _of_many(self, name: str, question: Question, asked: str, code: int) -> AnswerText:
        """A choice of a group: an option, or that it was not chosen."""
        option = self.said_in(question.choices[-1].label) or question.name
        words = option if code else _("not: %(option)s") % {"option": option}
        short = short_label(question, self.language)
        return AnswerText(name, asked, words, short, shortened(words, LONG), f"{words} · {short}")

    def choice(self, question: Question, code: int) -> str:
        choice = question.choices[code]
        if question.made_of_integers and choice.name == ELSEWHERE:
            return _("Elsewhere (outside the regions)")
        said = item_text(question, code, self.language) or self.said_in(choice.label)
        if not said and question.form == "yes-no":
            return _("Yes") if code else _("No")
        return said or choice.name

    def question_text(self, question: Question) -> str:
        return self.said_in(question.text) or question.name

    def subject(self, question: str) -> str:
        """The short label of a question; of an option of a group also the option, which alone tells it from others."""
        asked = self.design.questions[self.place(question)]
        answer = self.answer(self.name((self.place(question), asked.codes - 1)))
        return asked_and_answered(answer.asked, answer.choice) if asked.form == "many" else answer.asked

    @cached_property
    def routing(self) -> Routing:
        return Routing(self.design, self.numbering)

    def place(self, question: str) -> int:
        return self._places[question]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {question.name: place for place, question in enumerate(self.design.questions)}

    def choices(self, question: str) -> list[str]:
        """All answers of a question."""
        place = self.place(question)
        return [self.name((place, code)) for code in range(self.design.questions[place].items)]

    def turned_by(self, name: str) -> str:
        """The drawn question that decides which of its two versions a crosswise question has."""
        return self.design.questions[self.item(name)[0]].turned_by

    def said_in(self, texts: Texts) -> str:
        return texts.in_language(self.language)


def joined(answers: Iterable[str]) -> str:
    """The answers of one person in a sentence."""
    return pgettext("between the answers of one person", " and ").join(answers)


def asked_and_answered(question: str, choice: str) -> str:
    if question[-1:] in "?？…":
        return f"{question} {choice}"
    return _("%(question)s: %(answer)s") % {"question": question, "answer": choice}
