"""Result of reading an imported file: a draft of a questionnaire, and the outcome of each row of the file."""

from collections.abc import Iterator
from dataclasses import dataclass

from importing.faults import Fault
from privacy.designs.labels import shorten_text
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.questionnaire.problems_and_refusals import path_in_words

CAME, CHANGED, LEFT = "came", "changed", "left"
MOST_BYTES = 5_000_000
"""Size of the largest file of a questionnaire or of translations."""
LONGEST = 1_000
"""Highest number of characters of a text on the page that shows an import; a hostile file may contain longer ones."""


@dataclass(frozen=True)
class ImportedRow:
    """A row of an imported file and its outcome: `CAME` (imported), `CHANGED` (imported with changes) or
    `LEFT` (left out).

    `questions`: names of the questions made from the row. `unmarked`: the file does not say whether these
    questions are sensitive. They are plain in the draft until a person confirms it
    (importing.apply_sensitivity_choice). `asks`: for a number question whose lowest or highest number is missing in
    the file, both numbers, None if missing; a person must enter them (importing.missing_number_limits_entry).
    """

    location: str
    words: str
    outcome: str
    remarks: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    unmarked: bool = False
    asks: tuple[int | None, ...] = ()


@dataclass(frozen=True)
class ImportResult:
    """The draft read from a file, remarks about the whole file, and the rows of the file."""

    draft: Draft
    remarks: tuple[str, ...] = ()
    lines: tuple[ImportedRow, ...] = ()


def left_out_row(fault: Fault, words: str = "") -> ImportedRow:
    """Returns an imported row with the outcome "left out", made from this fault of the file."""
    return ImportedRow(fault.location, shorten(words), LEFT, (shorten(fault.reason),))


def unchanged_rows(draft: Draft) -> Iterator[ImportedRow]:
    """Yields an imported row without changes for every question of a draft in Candor's own format."""
    language = draft_json.read_languages(draft)[0]
    for at, section in enumerate(draft_json.read_sections_without_understanding_check(draft)):
        for number, question in enumerate(draft_json.read_questions(section)):
            location = path_in_words(f"sections[{at}].questions[{number}]")
            name = draft_json.read_text(question, "name")
            words = draft_json.read_text_with_fallback(question, "text", language) or name
            yield ImportedRow(location, shorten(words), CAME, (), (name,))


def shorten(text: str) -> str:
    """Shortens a text for the page that shows an import; a hostile file may contain very long ones."""
    return shorten_text(text, LONGEST)
