"""The tables of every file: names of columns, and rows of numbers and `question=choice`."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from mining.reports.content import Cell, Content, Estimate, GroupComparison, Pair, ReportedRule
from mining.truth import AMONG

if TYPE_CHECKING:
    from mining.reports.report_page import ReportPage

JOINED = " & "
TRUTH = ("truth", "truth_shown")
CELL = tuple(field.name for field in fields(Cell) if field.name not in TRUTH)


@dataclass(frozen=True)
class ExportTable:
    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def tables(report: "ReportPage") -> list[ExportTable]:
    content, naming = report.with_rules, report.naming

    def words(names: Sequence[str]) -> str:
        return naming.together(names)

    searched = {"coherent", "low_after", "high_after", "q_holds", "holds"}
    found = [
        questions(report),
        of(Estimate, "shares", content.shares, words, leave=searched),
        groups(content, words),
        of(Estimate, "itemsets", content.itemsets, words),
        of(ReportedRule, "rules", content.rules, words),
        of(Pair, "pairs", content.pairs, words),
        of(GroupComparison, "open_and_disguised", content.compared, words),
    ]
    if not content.knows_truth:
        found = [without(table, TRUTH) for table in found]
    return found


def questions(report: "ReportPage") -> ExportTable:
    naming, rows = report.naming, []
    for section_number, section in enumerate(report.design.sections, 1):
        keep = str(section.as_json().get("keep", ""))
        for question in section.questions:
            for choice in question.choices:
                said = naming.answer(f"{question.name}={choice.name}")
                rows.append(
                    (
                        section_number,
                        section.kind,
                        keep,
                        question.name,
                        choice.name,
                        said.question,
                        said.choice,
                    )
                )
    columns = ("section", "kind", "keep", "question", "choice", "question_text", "choice_text")
    return ExportTable("questions", columns, tuple(rows))


Words = Callable[[Sequence[str]], str]


def of(
    kind: type, name: str, things: Sequence[Any], words: Words, leave: Collection[str] = ()
) -> ExportTable:
    names = [field.name for field in fields(kind) if field.name not in leave]
    rows = tuple(tuple(cells(thing, names, words)) for thing in things)
    columns = tuple(
        column
        for one in names
        for column in ((one, f"{one}_in_words") if one in WORDED else (RENAMED.get(one, one),))
    )
    return ExportTable(name, columns, rows)


WORDED = ("items", "antecedent", "consequent", "item")
RENAMED = {"disguised_alone": "among"}


def said_among(disguised_alone: bool) -> str:
    """As the command `mine` says it; empty if it is everybody."""
    return AMONG if disguised_alone else ""


def cells(thing: Any, names: Sequence[str], words: Words) -> Iterator[Any]:
    for name in names:
        value = getattr(thing, name)
        if name == "disguised_alone":
            value = said_among(value)
        if name not in WORDED:
            yield value
            continue
        answers = (value,) if isinstance(value, str) else value
        yield JOINED.join(answers)
        yield words(answers)


def groups(content: Content, words: Words) -> ExportTable:
    rows = [
        (
            table.question,
            of_class,
            row.item,
            words((row.item,)),
            *(getattr(cell, name) for name in CELL),
            row.p,
            said_among(table.disguised_alone),
            *(getattr(cell, name) for name in TRUTH),
        )
        for table in content.groups
        for row in table.rows
        for of_class, cell in zip(table.classes, row.cells, strict=True)
    ]
    columns = ("question", "class", "item", "item_in_words", *CELL, "p", "among", *TRUTH)
    return ExportTable("groups", columns, tuple(rows))


def without(table: ExportTable, columns: Collection[str]) -> ExportTable:
    places = [place for place, column in enumerate(table.columns) if column not in columns]
    rest = [tuple(row[place] for place in places) for row in (table.columns, *table.rows)]
    return ExportTable(table.name, rest[0], tuple(rest[1:]))
