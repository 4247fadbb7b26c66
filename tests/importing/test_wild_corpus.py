"""Whole forms: every label arrives or its loss is named, however the form is laid out."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from importing import xlsform
from importing.import_result import LEFT, ImportResult
from importing.markup_removal import plain_text
from tests.importing.sheets import Lines, workbook
from tests.importing.wild_corpus import CORPUS, WildForm

pytestmark = pytest.mark.page
WORDS = re.compile(r"label|hint", re.IGNORECASE)
FORMS = pytest.mark.parametrize("name", CORPUS)


def read(form: WildForm) -> ImportResult:
    return xlsform.read(workbook(**form.sheets))


@cache
def usual(name: str) -> ImportResult:
    return read(CORPUS[name])


def names(taken: ImportResult) -> list[str]:
    return [each["name"] for section in taken.draft["sections"] for each in section["questions"]]


def labels(lines: Lines) -> Iterator[str]:
    """The words of a sheet as a reader would see them."""
    header = lines[_head(lines)]
    for line in lines[_head(lines) + 1 :]:
        cells: dict[str, Any] = {}
        for column, cell in zip(header, line, strict=False):
            if WORDS.search(str(column)) and cell not in (None, ""):
                # The second column of a name is said to be left out.
                cells.setdefault(column, cell)
        for cell in cells.values():
            yield re.sub(r"\$\{[^}]*\}", "…", plain_text("TRUE" if cell is True else str(cell)))


def _head(lines: Lines) -> int:
    return next(place for place, line in enumerate(lines) if any(line))


def lost(form: WildForm, taken: ImportResult) -> list[str]:
    """Labels that neither the draft has nor a row that is said to be left out."""
    draft = [str(value) for value in _texts(taken.draft)]
    rows = [line.words for line in taken.lines if line.outcome == LEFT]
    unused = " ".join(remark for remark in taken.remarks if "uses these lists" in remark)
    heads = [line.words for line in taken.lines if "the head of a table" in " ".join(line.remarks)]
    is_said = [*draft, *rows, *heads]
    return [
        label
        for sheet in form.sheets.values()
        for label in labels(sheet)
        if not any(label in said for said in is_said) and not _is_unused(form, label, unused)
    ]


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for each in node.values():
            yield from _texts(each)
    elif isinstance(node, list):
        for each in node:
            yield from _texts(each)
    else:
        yield str(node)


def _is_unused(form: WildForm, label: str, unused: str) -> bool:
    """Whether it is a choice of a list that no question uses, and that is said."""
    rows = [line for sheet in form.sheets.values() for line in sheet if label in map(str, line)]
    return any(str(line[0]) in unused for line in rows)


@pytest.mark.at_push(5)
@FORMS
def test_what_can_be_asked_comes_in_and_the_rows_that_cannot_are_named(name: str) -> None:
    form, taken = CORPUS[name], usual(name)
    left = tuple(
        int(line.location.rpartition(" ")[2])
        for line in taken.lines
        if line.outcome == LEFT and line.location.startswith("sheet survey, row ")
    )
    assert (names(taken), taken.draft["languages"]) == (form.asked, list(form.languages))
    assert tuple(row for row in left if row != 1) == form.left
    assert all(line.remarks for line in taken.lines if line.outcome == LEFT)


@pytest.mark.at_push(5)
@FORMS
def test_every_label_arrives_or_its_loss_is_named(name: str) -> None:
    form = CORPUS[name]
    external = {key: sheet for key, sheet in form.sheets.items() if key != "external_choices"}
    assert lost(form._replace(sheets=external), usual(name)) == []


@pytest.mark.night
def test_four_of_five_numbers_come_in() -> None:
    outcomes = [
        line.outcome
        for name, form in CORPUS.items()
        for number, row in enumerate(form.sheets.get("survey", ()), 1)
        if row and str(row[0]).strip().lower() in ("integer", "decimal", "range", "int")
        for line in usual(name).lines
        if line.location == f"sheet survey, row {number}" and "is in a loop" not in str(line.remarks)
    ]
    assert len(outcomes) >= 30
    assert outcomes.count(LEFT) <= 0.2 * len(outcomes)


def said_of(name: str, row: int) -> str:
    (line,) = (line for line in usual(name).lines if line.location == f"sheet survey, row {row}")
    return " ".join(line.remarks)


def test_what_a_form_loses_is_named() -> None:
    # Choices that surveycto looks up are left out by name and one answer is named.
    assert "takes its choices from another file or sheet" in said_of("surveycto", 2)
    assert "is computed from other answers" in said_of("surveycto", 3)
    assert "fewer than two answers" in said_of("surveycto", 5)
    # A choice that excludes all others becomes none unless a condition names it.
    (section,) = usual("none_alone").draft["sections"]
    assert [question.get("none") for question in section["questions"]] == [
        *({"en": "None of these"}, None) * 2,
        *(None,) * 7,
    ]
    assert section["questions"][-1]["show_if"] == {"now-none": ["yes"]}
    assert said_of("none_alone", 2) == ""
    assert "The cell constraint is left out" in said_of("none_alone", 4)
    # What a number loses of its constraint is named.
    assert "These numbers can be answered here, too: 5." in said_of("numbers_with_codes", 9)
    assert "An end that depends on another answer is left out" in said_of("numbers_of_others", 3)
    # There are at least twenty forms.
    assert len(CORPUS) >= 20


def _wide(lines: Lines) -> Lines:
    """With columns of notes before and behind."""
    width = len(max(lines, key=len))
    return [
        ["my notes" if line else "", *line, *([""] * (width - len(line))), "" if not line else "x"]
        for line in lines
    ]


def _capitals(lines: Lines) -> Lines:
    head = _head(lines)
    capitals = [str(cell).upper() if cell and "::" not in str(cell) else cell for cell in lines[head]]
    return [*lines[:head], capitals, *lines[head + 1 :]]


def _spaced(lines: Lines) -> Lines:
    return [[f" {cell} " if isinstance(cell, str) and cell else cell for cell in line] for line in lines]


def _gaps(lines: Lines) -> Lines:
    """With an empty row behind each row."""
    return [each for line in lines for each in (line, [])]


def _mirrored(lines: Lines) -> Lines:
    """With its columns in the opposite order."""
    width = len(max(lines, key=len))
    return [[*([""] * (width - len(line))), *reversed(list(line))] for line in lines]


MUTATIONS: dict[str, Callable[[Lines], Lines]] = {
    "notes around": _wide,
    "capitals": _capitals,
    "spaces": _spaced,
    "gaps": _gaps,
}


@pytest.mark.at_push(18)
@pytest.mark.parametrize("mutation", MUTATIONS)
@FORMS
def test_another_layout_of_a_form_loses_nothing(name: str, mutation: str) -> None:
    form = CORPUS[name]
    changed = form._replace(sheets={key: MUTATIONS[mutation](lines) for key, lines in form.sheets.items()})
    taken = read(changed)
    if mutation in ("notes around", "capitals"):
        assert taken.draft == usual(name).draft
    assert len(names(taken)) == len(form.asked)


@pytest.mark.parametrize("name", ["french_and_chinese", "relevant", "table", "cascade"])
def test_the_order_of_columns_changes_no_question(name: str) -> None:
    form = CORPUS[name]
    turned = form._replace(sheets={key: _mirrored(lines) for key, lines in form.sheets.items()})
    assert names(read(turned)) == form.asked
