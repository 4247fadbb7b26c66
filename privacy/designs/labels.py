"""Labels of questions and numbers of sections, the same in lists, charts and files."""

import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

from privacy.grammar.question import Question
from privacy.grammar.question_reading import MOST_LABEL

MEANINGLESS = re.compile(r"q[0-9]+", re.ASCII)
"""Pattern of question names that the builder proposes, such as q12, which do not describe the question."""
LATIN = re.compile(r"[A-Za-z]")
ELLIPSIS = "…"

Section = TypeVar("Section")


def section_number(index: int) -> int:
    """Returns the number of a section as pages show it; `index`: its index among all sections, from 0."""
    return index + 1


def number_sections(sections: Iterable[Section]) -> Iterator[tuple[int, Section]]:
    """Yields all sections of a design or draft, each with the number that pages show."""
    return ((section_number(index), section) for index, section in enumerate(sections))


def short_label(question: Question, language: str) -> str:
    """Returns the short label of a question in this language: the researcher's own, else a proposed one.

    A name is no word of a language that the survey is translated to, nor of a text in another script than its own.
    """
    # An option has the name of its question; a line of a battery is known by its words.
    name = (question.of if question.form == "many" else "") if question.of else question.name
    text = question.text.in_language_or_first(language)
    is_translated = text != question.text.in_language_or_first("")
    if is_translated or (text and LATIN.search(name) and not LATIN.search(text)):
        name = ""
    return question.label.in_language_or_first(language) or proposed_label(name, text)


def proposed_label(name: str, text: str) -> str:
    """Proposes a short label: the name in words ("took_home": "Took home"), else the beginning of the text."""
    words = " ".join(re.split(r"[_\s]+", name)).strip()
    label = "" if MEANINGLESS.fullmatch(words) else words[:1].upper() + words[1:]
    return shorten_text(label or " ".join(text.split()) or name, MOST_LABEL)


def shorten_text(text: str, most: int) -> str:
    """Cuts a text between words to at most `most` characters with an ellipsis.

    If the first word alone is too long, as in scripts without spaces, it is cut between two characters.
    """
    if len(text) <= most:
        return text
    words = text[:most].rpartition(" ")[0].rstrip(" ,;:-–")
    return f"{words or text[: most - 1]}{ELLIPSIS}"
