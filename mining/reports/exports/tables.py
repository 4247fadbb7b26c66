"""The tables that every file holds: names of columns, and rows of plain numbers and `question=choice`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from mining.reports.content import Compared, Content, Estimate, Pair, Rule

if TYPE_CHECKING:
    from mining.reports.opened import Opened

JOINED = " & "


@dataclass(frozen=True)
class Table:
    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def tables(report: "Opened") -> list[Table]:
    content, naming = report.with_rules, report.naming

    def words(names: Sequence[str]) -> str:
        return naming.together(names)

    found = [
        questions(report),
        of(Estimate, "shares", content.shares, words, leave={"certain", "coherent"}),
        groups(content, words),
        of(Estimate, "itemsets", content.itemsets, words),
        of(Rule, "rules", content.rules, words),
        of(Pair, "pairs", content.pairs, words),
        of(Compared, "open_and_disguised", content.compared, words),
    ]
    if not content.knows_truth:
        found = [without(table, "truth") for table in found]
    return found


def questions(report: "Opened") -> Table:
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
    return Table("questions", columns, tuple(rows))


Words = Callable[[Sequence[str]], str]


def of(kind: type, name: str, things: Sequence[Any], words: Words, leave: set[str] = frozenset()) -> Table:  # type: ignore[assignment]
    names = [field.name for field in fields(kind) if field.name not in leave]
    rows = tuple(tuple(cells(thing, names, words)) for thing in things)
    columns = tuple(
        column for one in names for column in ((one, f"{one}_in_words") if one in WORDED else (one,))
    )
    return Table(name, columns, rows)


WORDED = ("items", "antecedent", "consequent", "item")


def cells(thing: Any, names: Sequence[str], words: Words) -> Iterator[Any]:
    for name in names:
        value = getattr(thing, name)
        if name not in WORDED:
            yield value
            continue
        answers = (value,) if isinstance(value, str) else value
        yield JOINED.join(answers)
        yield words(answers)


def groups(content: Content, words: Words) -> Table:
    rows = [
        (
            table.question,
            of_class,
            row.item,
            words((row.item,)),
            cell.base,
            cell.share,
            cell.low,
            cell.high,
            row.p,
            cell.truth,
        )
        for table in content.groups
        for row in table.rows
        for of_class, cell in zip(table.classes, row.cells, strict=True)
    ]
    columns = ("question", "class", "item", "item_in_words", "base", "share", "low", "high", "p", "truth")
    return Table("groups", columns, tuple(rows))


def without(table: Table, column: str) -> Table:
    if column not in table.columns:
        return table
    place = table.columns.index(column)
    rows = tuple(row[:place] + row[place + 1 :] for row in table.rows)
    return Table(table.name, table.columns[:place] + table.columns[place + 1 :], rows)
