"""Limits of SPSS and Stata files: the number of cells and the names of variables."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import combining, normalize

from privacy.designs import Design, Question, short_label

MOST_CELLS = 20_000_000
GROUP = "group"


@dataclass(frozen=True)
class VariableNames:
    """Which names of variables are legal in a kind of file; `reserved` in lower case."""

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


def names(design: Design, rules: VariableNames = SPSS) -> list[str]:
    """The variable of each question: its own name, or the legal name nearest to it, or else q and its number."""
    taken, variables = {GROUP}, []
    wished = {question.name.lower() for question in design.questions if rules.allows(question.name)}
    for number, question in enumerate(design.questions, 1):
        name = question.name
        if not rules.allows(name) or name.lower() in taken:
            name = next(each for each in _others(name, number, rules) if each.lower() not in taken | wished)
        taken.add(name.lower())
        variables.append(name)
    return variables


def _others(name: str, number: int, rules: VariableNames) -> Iterator[str]:
    """Legal names in place of this one: `took_home` for `took-home`, `naive` for `naïve`."""
    plain = "".join(each for each in normalize("NFKD", name) if not combining(each))
    legal = rules.illegal.sub("_", plain).strip("_.")
    if plain.isascii() and rules.allows(legal):
        yield legal
    yield f"q{number}"
    extra = 1
    while True:
        yield f"q{number}_{extra}"
        extra += 1


def question_label(question: Question, language: str) -> str:
    """The short label, with its option where it is one of several."""
    return _with_option(short_label(question, language), question, language)


def question_words(question: Question, language: str) -> str:
    """The question, with its option where it is one of several; its label where it has no words."""
    return _with_option(
        question.text.in_language(language) or short_label(question, language), question, language
    )


def _with_option(said: str, question: Question, language: str) -> str:
    option = question.choices[1].label.in_language(language) if question.form == "many" else ""
    return f"{said} – {option}" if option else said
