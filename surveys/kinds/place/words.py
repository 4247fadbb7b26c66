"""The words of a place in a language: the labels of its regions, and of its cells in one text.

There may be thousands of cells, most of which go by their names. So their labels are lines "name = label" of one field.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from django.utils.translation import gettext as _

from surveys.kinds.place.draft_question import PlaceDraftQuestion
from surveys.questionnaire.draft_question import Words
from surveys.questionnaire.draft_section import QuestionText
from surveys.questionnaire.normal_values import words

CELL_LABELS = "labels"
"""The field with the labels of the cells."""
LONGEST_LABELS = 400_000


def place_texts(question: PlaceDraftQuestion, path: str) -> Iterator[QuestionText]:
    for row, region in enumerate(question.regions):
        label = _("Region %(number)s") % {"number": row + 1}
        yield QuestionText(f"region-{row}", f"{path}.regions[{row}].label", label, region.label, True)
    labels = _cell_labels(question)
    yield QuestionText(CELL_LABELS, f"{path}.cells", _("Labels of cells"), labels, False, LONGEST_LABELS)


def _cell_labels(question: PlaceDraftQuestion) -> dict[str, str]:
    """By language a line for each cell that has a label in it."""
    lines: dict[str, list[str]] = {}
    for cell in question.cells:
        for language, label in cell.label.items():
            lines.setdefault(language, []).append(f"{cell.name} = {' '.join(label.split())}")
    return {language: "\n".join(each) for language, each in lines.items()}


def with_place_words(
    question: PlaceDraftQuestion, language: str, said: Mapping[str, str]
) -> PlaceDraftQuestion:
    """Fields that are not given stay; a cell without a line loses its label."""
    texts = [said.get(f"region-{row}") for row in range(len(question.regions))]
    regions = tuple(
        region if text is None else replace(region, label=_labelled(region.label, language, text))
        for region, text in zip(question.regions, texts, strict=True)
    )
    made = replace(question, regions=regions)
    if CELL_LABELS not in said:
        return made
    labels = {name: label for _row, name, label in _lines(said[CELL_LABELS])}
    cells = (
        replace(cell, label=_labelled(cell.label, language, labels.get(cell.name, "")))
        for cell in question.cells
    )
    return replace(made, cells=tuple(cells))


def _labelled(label: Words, language: str, text: str) -> Words:
    others = {code: each for code, each in label.items() if code != language}
    return {**others, language: words(text)} if text.strip() else others


def _lines(text: str) -> Iterator[tuple[int, str, str]]:
    """The number, the name and the label of every line."""
    for row, line in enumerate(text.splitlines(), 1):
        if line.strip():
            name, _equals, label = line.partition("=")
            yield row, name.strip(), label.strip()


def fault_of_labels(question: PlaceDraftQuestion, text: str) -> str:
    """What is wrong with the first line that says no cell, in words; nothing where all fit."""
    known = set(question.cell_names)
    for row, name, label in _lines(text):
        if name not in known:
            return _("Line %(row)s: no cell is called “%(name)s”.") % {"row": row, "name": name}
        if not label:
            return _("Line %(row)s: write “%(name)s = label”.") % {"row": row, "name": name}
    return ""
