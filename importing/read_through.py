"""What a reader says of a file: the draft, and row by row what became of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from importing.faults import Fault
from privacy.designs.labels import shorten_text
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.questionnaire.problems_and_refusals import path_in_words

CAME, CHANGED, LEFT = "came", "changed", "left"
LONGEST = 1_000
"""Characters of a text of the read-through; a hostile file may hold longer ones."""


@dataclass(frozen=True)
class ReadLine:
    """A row of a file and its outcome: `CAME`, `CHANGED` or `LEFT`.

    `questions` are the names of the questions that it became. Where it is `unmarked`, the file does not say whether
    these are sensitive: they are plain in the draft, and a person must agree to that (importing.agreeing). `asks`
    are the lowest and the highest number where the file lacks one; a person must say both (importing.number_limits).
    """

    location: str
    words: str
    outcome: str
    remarks: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    unmarked: bool = False
    asks: tuple[int | None, ...] = ()


@dataclass(frozen=True)
class ReadQuestionnaire:
    """A draft, what its writer should know of it as a whole, and the rows of the file."""

    draft: Draft
    remarks: tuple[str, ...] = ()
    lines: tuple[ReadLine, ...] = ()


def left(fault: Fault, words: str = "") -> ReadLine:
    return ReadLine(fault.location, cut(words), LEFT, (cut(fault.reason),))


def of_every_question(draft: Draft) -> Iterator[ReadLine]:
    """Of a file in our own format, of which all comes in and which says what is sensitive."""
    language = draft_json.read_languages(draft)[0]
    for at, section in enumerate(draft_json.read_sections(draft)):
        for number, question in enumerate(draft_json.read_questions(section)):
            location = path_in_words(f"sections[{at}].questions[{number}]")
            name = draft_json.read_text(question, "name")
            words = draft_json.read_text_in_language(question, "text", language) or name
            yield ReadLine(location, cut(words), CAME, (), (name,))


def cut(text: str) -> str:
    return shorten_text(text, LONGEST)
