"""Limits of SPSS files: the number of cells and the names of variables."""

import re
from collections.abc import Iterator
from unicodedata import combining, normalize

from privacy.designs import Design, Question, short_label

MOST_CELLS = 20_000_000
LONGEST_NAME = 64
LEGAL = re.compile(r"[A-Za-z][A-Za-z0-9_.]*(?<!\.)")
ILLEGAL = re.compile(r"[^A-Za-z0-9_.]+")
RESERVED = {"ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH"}
GROUP = "group"


def names(design: Design) -> list[str]:
    """The variable of each question: its own name, or the legal name nearest to it, or else q and its number."""
    taken, variables = {GROUP}, []
    wished = {question.name.lower() for question in design.questions if _is_legal(question.name)}
    for number, question in enumerate(design.questions, 1):
        name = question.name
        if not _is_legal(name) or name.lower() in taken:
            name = next(each for each in _others(name, number) if each.lower() not in taken | wished)
        taken.add(name.lower())
        variables.append(name)
    return variables


def _others(name: str, number: int) -> Iterator[str]:
    """Legal names in place of this one: `took_home` for `took-home`, `naive` for `naïve`."""
    plain = "".join(each for each in normalize("NFKD", name) if not combining(each))
    legal = ILLEGAL.sub("_", plain).strip("_.")
    if plain.isascii() and _is_legal(legal):
        yield legal
    yield f"q{number}"
    extra = 1
    while True:
        yield f"q{number}_{extra}"
        extra += 1


def _is_legal(name: str) -> bool:
    return bool(LEGAL.fullmatch(name)) and len(name) <= LONGEST_NAME and name.upper() not in RESERVED


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
