"""What lists, charts and files call a question, and the numbers of sections: everywhere the same."""

import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

from privacy.grammar.question import Question
from privacy.grammar.reading import MOST_LABEL

MEANINGLESS = re.compile(r"q[0-9]+", re.ASCII)
"""Names that the builder gives; they say nothing of the question."""
ELLIPSIS = "…"

Section = TypeVar("Section")


def section_number(index: int) -> int:
    """The number of the section at this place of a design or draft, counted from 0 over sections of all kinds."""
    return index + 1


def number_sections(sections: Iterable[Section]) -> Iterator[tuple[int, Section]]:
    """All sections of a design or draft, each with its number."""
    return ((section_number(index), section) for index, section in enumerate(sections))


def short_label(question: Question, language: str) -> str:
    """In this language: the researcher's own label, else the proposed one."""
    name = question.of or question.name
    return question.label.in_language(language) or proposed_label(name, question.text.in_language(language))


def proposed_label(name: str, text: str) -> str:
    """The name in words ("took_home": "Took home"); of a name that says nothing, the beginning of the text."""
    words = " ".join(re.split(r"[_\s]+", name)).strip()
    label = "" if MEANINGLESS.fullmatch(words) else words[:1].upper() + words[1:]
    return shorten_text(label or " ".join(text.split()) or name, MOST_LABEL)


def shorten_text(text: str, most: int) -> str:
    """The text, or its first words with an ellipsis: at most so many characters; cut only between words.

    Where the first word alone is too long, as in scripts without spaces, between two characters.
    """
    if len(text) <= most:
        return text
    words = text[:most].rpartition(" ")[0].rstrip(" ,;:-–")
    return f"{words or text[: most - 1]}{ELLIPSIS}"
