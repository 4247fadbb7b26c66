"""Variables of SPSS and Stata files, one for each question: legal names, values, missing values and
labels."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar
from unicodedata import combining, normalize

from django.utils.translation import gettext as _

from privacy.designs import Design, Question, short_label
from privacy.records.record_file import NOT_APPLICABLE, NOT_ASKED, WITHHELD
from surveys.kinds.record_file_columns import FileColumns
from surveys.kinds.registry import file_columns_by_question

Missing = TypeVar("Missing", int, str)
MOST_CELLS = 20_000_000
GROUP = "group"
WIDTH = 8
LONGEST_STATA_TEXT = 2_044
"""Largest size in bytes of a text that a Stata variable may hold."""
WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
"""Pattern of a whole number without sign or leading zeros, so that no two choices are the same number; not
below 0, where the missing values are."""


@dataclass(frozen=True)
class VariableNames:
    """The rules for variable names in a kind of file; `reserved` words are in lower case."""

    longest: int
    legal: re.Pattern[str]
    illegal: re.Pattern[str]
    reserved: re.Pattern[str]

    def allows(self, name: str) -> bool:
        is_word = bool(self.legal.fullmatch(name)) and len(name) <= self.longest
        return is_word and not self.reserved.fullmatch(name.lower())


SPSS = VariableNames(
    64,
    re.compile(r"[A-Za-z][A-Za-z0-9_.]*(?<!\.)"),
    re.compile(r"[^A-Za-z0-9_.]+"),
    re.compile("all|and|by|eq|ge|gt|le|lt|ne|not|or|to|with"),
)
# Stata allows 32 characters, also for a set of labels, which pyreadstat names after the variable and a number.
STATA = VariableNames(
    27,
    re.compile(r"[A-Za-z][A-Za-z0-9_]*"),
    re.compile(r"[^A-Za-z0-9_]+"),
    re.compile("byte|double|float|if|in|int|long|str[0-9]*|strl|using|with"),
)


def variable_names(design: Design, rules: VariableNames = SPSS) -> list[str]:
    """Returns the variable name of each question: its own name, else a similar legal name, else q and its number."""
    own = {question.name.lower() for question in design.questions if rules.allows(question.name)}
    taken, variables = {GROUP}, []
    for number, question in enumerate(design.questions, 1):
        name = question.name
        if not rules.allows(name) or name.lower() in taken:
            replacements = _replacement_names(name, number, rules)
            name = next(legal for legal in replacements if legal.lower() not in taken | own)
        taken.add(name.lower())
        variables.append(name)
    return variables


def _replacement_names(name: str, number: int, rules: VariableNames) -> Iterator[str]:
    """Yields legal names to replace an illegal one: `took_home` for `took-home`, `naive` for `naïve`, then q
    and its number."""
    plain = "".join(character for character in normalize("NFKD", name) if not combining(character))
    legal = rules.illegal.sub("_", plain).strip("_.")
    if plain.isascii() and rules.allows(legal):
        yield legal
    yield f"q{number}"
    extra = 1
    while True:
        yield f"q{number}_{extra}"
        extra += 1


class SpssValues:
    """The stored values of a variable, by code: the choices themselves if all are whole numbers, as in a
    scale, else the codes.

    `texts`: for a question that sends sets of choices, the text of each code; else empty. A label for each of
    20,000 sets would take two megabytes in every file. `missing`: values for not asked, not applicable and
    withheld: -1, -2, -3, or the three below the lowest answer.
    """

    def __init__(self, question: Question, kind: FileColumns) -> None:
        self.question, self.kind = question, kind
        numbers = kind.numbers(question)
        choices = [choice.name for choice in question.choices]
        if numbers is not None:
            self.numbers: Sequence[int] = numbers
        elif len(choices) == question.codes and all(map(WHOLE_NUMBER.fullmatch, choices)):
            self.numbers = [int(name) for name in choices]
        else:
            self.numbers = range(question.codes)
        least = min(0, *self.numbers)
        self.missing = (least - 1, least - 2, least - 3)
        self.measure = "scale" if numbers else "ordinal" if question.form == "scale" else "nominal"
        self.texts: Sequence[str] = ()
        if kind.are_sets:
            self.texts = (*question.code_names, NOT_ASKED, NOT_APPLICABLE, WITHHELD)

    @cached_property
    def values(self) -> Sequence[int]:
        """The stored values by code, followed by the three missing values."""
        return (*self.numbers, *self.missing)

    @cached_property
    def width(self) -> int:
        """Number of characters of the longest value; for a text variable, its number of bytes."""
        if self.texts:
            return max(len(text.encode()) for text in self.texts)
        return max(WIDTH, *(len(str(value)) for value in self.values))

    @property
    def format(self) -> str:
        return f"A{self.width}" if self.texts else f"F{self.width}.0"

    def labels(self, language: str, missing: Sequence[Missing]) -> dict[int | Missing, str]:
        """Returns the label of each value; `missing`: the values for the three kinds of missing answer."""
        words = zip(self.numbers, self.kind.words(self.question, language), strict=False)
        reasons = (_("not asked"), _("does not apply"), _("withheld"))
        return {**dict(words), **dict(zip(missing, reasons, strict=True))}


def spss_values(design: Design) -> Iterator[SpssValues]:
    """Yields for each question the values of its variable in an SPSS or Stata file."""
    return map(SpssValues, design.questions, file_columns_by_question(design))


def fits_stata(design: Design) -> bool:
    """True if a text variable of Stata is long enough for every set of choices."""
    return not any(values.texts and values.width > LONGEST_STATA_TEXT for values in spss_values(design))


def question_label(question: Question, language: str) -> str:
    """Returns the question's short label, with its option if it belongs to a multiple-answer question."""
    return _add_option(short_label(question, language), question, language)


def question_words(question: Question, language: str) -> str:
    """Returns the question's text, with its option if it belongs to a multiple-answer question; its label if
    it has no text."""
    words = question.text.in_language_or_first(language) or short_label(question, language)
    return _add_option(words, question, language)


def _add_option(words: str, question: Question, language: str) -> str:
    option = question.choices[1].label.in_language_or_first(language) if question.form == "many" else ""
    return f"{words} – {option}" if option else words
