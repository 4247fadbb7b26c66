"""Rows of the sheet survey as the sections of a draft. What cannot come in is left out and named by its row."""

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from importing.import_log import (
    Gathering,
    Texts,
    became_battery,
    condition_of_words,
    joined,
    not_required,
    words_before_next,
)
from importing.import_result import cut
from importing.questionnaire_size import RowRefused, TooLarge
from importing.show_if_conditions import Asked
from importing.xlsform.choice_questions import (
    ListedChoice,
    Lists,
    QuestionRow,
    asking,
    excluding_option,
    no_words,
    with_other,
)
from importing.xlsform.number_questions import (
    BandsRow,
    NumberRow,
    asking_number,
    asking_plain_number,
    bands_proposed,
    described,
    ends_asked,
    in_bands,
    is_sensitive,
    looks_at_number,
    own_columns,
)
from importing.xlsform.question_types import FROM_FILE, RowType, type_of
from importing.xlsform.section_marks import Marks, Sections, TableRows, marks_of
from importing.xlsform.sheet_columns import NOT, SheetColumns, left_cells, left_media
from importing.xlsform.workbook import Sheet, SheetRow, place_of
from surveys.kinds.plain.draft import OTHER

SEARCH = re.compile(r"\bsearch\s{0,9}\(", re.IGNORECASE)
"""How SurveyCTO looks for choices in another file."""
YES = ("yes", "true", "true()", "1")
ABOUTS = ("label", "hint")
LIST_WITHOUT_LABEL = "list-nolabel"
"""How the rows below the head of a table look."""


class _Group(NamedTuple):
    """`heading`: what stands above each question of a table. `has_words`: its label is the text of a section.

    `scale`: the list of choices of all lines of a table, where the table names it.
    """

    row: SheetRow
    marks: Marks
    relevant: tuple[str, ...]
    heading: Texts
    has_words: bool = False
    is_table: bool = False
    scale: str = ""


class SurveyReader:
    """Goes down the sheet survey once, with the groups that are open at each row. `barred`: why rows cannot be."""

    def __init__(self, columns: SheetColumns, lists: Lists, barred: Mapping[int, str]) -> None:
        self._columns, self._lists, self._barred = columns, lists, barred
        self.sections = Sections()
        self.gathering = Gathering()
        self.rows: dict[str, SheetRow] = {}
        self._groups: list[_Group] = []
        self._loops: list[RowType] = []
        self._numbers: list[NumberRow | BandsRow] = []
        self._tables = TableRows(self.gathering)
        self._head: tuple[SheetRow, Texts] | None = None
        self._not_required = 0
        self._used: set[str] = set()
        self._unused_parameters = False
        self._conditions: Sequence[str] = ()

    def read(self, sheet: Sheet) -> None:
        self._conditions = [said for row in sheet.rows if (said := self._columns.text(row, "relevant"))]
        for row in sheet.rows:
            try:
                self._row(row)
            except TooLarge as much:
                reason = _("%(reason)s. What follows is left out, too.") % {"reason": much}
                self.gathering.leave(_location(row), self._words(row), reason)
                return
            except RowRefused as wrong:
                self.gathering.leave(_location(row), self._words(row), str(wrong))
        for group in self._groups:
            reason = _("this group has no end (end_group); it ends with the form")
            self.gathering.say(reason)
            self.gathering.settle(_location(group.row), self._words(group.row))
        if sheet.cut:
            last = place_of(sheet.name, sheet.rows[-1].number) if sheet.rows else sheet.name
            self.gathering.leave(
                last, "", _("has more rows below it than a questionnaire; they are left out")
            )

    def _words(self, row: SheetRow) -> str:
        said = self._columns.texts(row, "label")
        return (
            next(iter(said.values()), "")
            or self._columns.text(row, "name")
            or self._columns.text(row, "type")
        )

    def _row(self, row: SheetRow) -> None:
        written = self._columns.text(row, "type")
        if not written:
            if any(self._columns.text(row, about) for about in ("name", "relevant")) or self._columns.texts(
                row, "label"
            ):
                raise RowRefused(_("the type is missing"))
            return
        if self._columns.text(row, "disabled").lower() in YES:
            raise RowRefused(_("is disabled in the form"))
        row_type = type_of(written)
        kind = row_type.kind if isinstance(row_type, RowType) else ""
        if self._loops and kind not in ("repeat", "end repeat"):
            raise RowRefused(_("is in a loop: %(why)s") % {"why": self._loops[-1].why})
        if not isinstance(row_type, RowType):
            raise RowRefused(f"{written}: {row_type}")
        if row.number in self._barred:
            raise RowRefused(self._barred[row.number])
        READERS[row_type.kind](self, row, row_type)

    def _repeat(self, row: SheetRow, row_type: RowType) -> None:
        self._loops.append(row_type)
        raise RowRefused(f"{self._columns.text(row, 'type')}: {row_type.why}")

    def _end_repeat(self, row: SheetRow, row_type: RowType) -> None:
        del self._loops[-1:]

    def _begin(self, row: SheetRow, row_type: RowType) -> None:
        # Open even if something is wrong with it, so that its end finds it.
        self._groups.append(_Group(row, Marks(), (), {}))
        marks = marks_of(self._columns, row)
        if marks and any(outer.marks for outer in self._groups):
            raise RowRefused(_("a section cannot be inside another one"))
        relevant, label = self._columns.text(row, "relevant"), self._columns.texts(row, "label")
        if relevant and not self.gathering.can_say(self._outer(), relevant):
            relevant = ""
        scale = self._columns.text(row, "score_choices")
        is_table = bool(scale) or "table-list" in self._columns.text(row, "appearance").split()
        if is_table:
            self.gathering.say(became_battery())
        elif label:
            self.gathering.hold(label)
            # A file of ours says by its marks where a section begins, and its words come back unchanged.
            self.gathering.say(*(() if self._columns.literal and marks else (words_before_next(),)))
            self.sections.part()
        self.gathering.say(*self._columns.remarks_on_changed_words(row, "label"))
        heading = label if is_table else {}
        has_words = bool(label) and not is_table
        self._groups[-1] = _Group(
            row, marks, (relevant,) if relevant else (), heading, has_words, is_table, scale
        )
        if marks:
            self.rows[self.sections.begin(marks)] = row
        if marks or label or is_table or self._columns.text(row, "relevant"):
            self.gathering.settle(_location(row), self._words(row))

    def _outer(self) -> list[str]:
        return [each for group in self._groups for each in group.relevant]

    def _end(self, row: SheetRow, row_type: RowType) -> None:
        if not self._groups:
            raise RowRefused(_("ends a group that never began"))
        group = self._groups.pop()
        if group.marks:
            if not self.sections.made[-1].questions:
                self.sections.say_before(self.gathering.release())
            self.sections.end()
        elif group.has_words:
            self.sections.part()

    def _note(self, row: SheetRow, row_type: RowType) -> None:
        label = joined(*(self._columns.texts(row, about) for about in ABOUTS))
        if not label:
            raise RowRefused(_("has no words"))
        if self._columns.text(row, "relevant"):
            raise RowRefused(condition_of_words())
        self.gathering.hold(label)
        self.gathering.say(words_before_next(), *self._columns.remarks_on_changed_words(row, *ABOUTS))
        self.gathering.say(*left_media(self._columns, row))
        self.gathering.settle(_location(row), self._words(row))

    def _with_other(self, listed: Sequence[ListedChoice]) -> list[ListedChoice]:
        self.gathering.say(
            _("Its answer in one’s own words became a choice, since no disguise can hide words.")
        )
        return with_other(listed, self._columns.languages)

    def _list(self, name: str) -> Sequence[ListedChoice]:
        """The list of this name, whatever its capitals where no other list differs in them."""
        alike = [each for each in self._lists if each.casefold() == name.casefold()]
        if name not in self._lists and len(alike) == 1:
            name = alike[0]
        if name not in self._lists:
            raise RowRefused(_("no list in the sheet choices is called %(name)s") % {"name": name})
        self._used.add(name)
        return self._lists[name]

    def _excluding(self, row: SheetRow, listed: Sequence[ListedChoice]) -> ListedChoice | None:
        """The option that excludes all others, unless a condition names it: no rule can name the answer *none*."""
        option = excluding_option(self._columns.text(row, "constraint"), listed)
        asked = f"${{{self._columns.text(row, 'name')}}}"
        if option and any(asked in said and option.name in said for said in self._conditions):
            return None
        return None if self._columns.texts(row, "candor_none") else option

    def _question(self, row: SheetRow, row_type: RowType) -> None:
        listed = self._list(row_type.choices)
        if "label" in self._columns.text(row, "appearance").split():
            self._head_of_table(row)
            return
        is_number = row_type.kind == "one" and bool(self._columns.text(row, "candor_number"))
        if (column := own_columns(self._columns, row)) and not (is_number and column == "candor_unit"):
            raise RowRefused(_("%(column)s belongs to numbers (integer)") % {"column": column})
        if self._columns.text(row, "readonly").lower() in YES:
            raise RowRefused(_("shows a question that cannot be answered"))
        if SEARCH.search(self._columns.text(row, "appearance")):
            raise RowRefused(str(FROM_FILE))
        if row_type.other:
            listed = self._with_other(listed)
        if row_type.kind == "one" and len(listed) < 2:
            self.gathering.say(_("It has fewer than two answers: add some in the draft."))
        self.gathering.size.ask(len(listed) if row_type.kind == "many" else 1)
        self.gathering.size.answer(len(listed))
        self._required(row)
        marks = self._marks(row)
        sensitive = self.sections.is_sensitive(marks)
        excluding = self._excluding(row, listed)
        asks = asking(self._columns, row, row_type.kind, listed, self.gathering, excluding)
        is_shuffled = any(question.shuffled for question in asks.questions)
        self._unused_parameters |= bool(self._columns.text(row, "parameters")) and not is_shuffled
        self._remark_cells(row, *ABOUTS, constrained=any(question.none for question in asks.questions))
        role = self._columns.text(row, "candor_role")
        begins = self.sections.begins(marks)
        intro = self.gathering.release() if begins else {}
        if begins:
            self._tables.end()
        more: dict[str, Any] = {
            "help": self._help(row, asks.questions[0].help) if asks.questions else {},
            "show_if": self.gathering.show_if(self._outer(), self._columns.text(row, "relevant")),
            "role": "" if sensitive else role or OTHER,
        }
        questions = [replace(question, **more) for question in asks.questions]
        if is_number:
            if sensitive:
                raise RowRefused(_("candor_number belongs to questions that are not disguised"))
            questions = [in_bands(self._columns, row, questions[0])]
        if row_type.kind == "one":
            questions = [self._tables.with_table(each, *self._table_of(row)) for each in questions]
        else:
            self._tables.end()
        self.gathering.size.write(questions)
        position = self.sections.put(marks, questions)
        self.sections.say_before(intro)
        self._remember(asks, position, sensitive, bool(more["show_if"]))
        names = [question.name for question in questions]
        unmarked = not sensitive and not self.sections.is_marked(marks)
        self.gathering.settle(_location(row), self._words(row), names, unmarked=unmarked)

    def _line(self, row: SheetRow, row_type: RowType) -> None:
        scale = self._groups[-1].scale if self._groups else ""
        self._question(row, RowType("one", scale))

    def _table_of(self, row: SheetRow) -> tuple[Hashable, str]:
        """The key of the table that this row is a line of, and its name; the key is None where it is in none."""
        if ours := self._columns.text(row, "candor_group"):
            return ours, ours
        if self._groups and self._groups[-1].is_table:
            head = self._groups[-1].row
        elif head_above := self._head_above(row):
            head = head_above[0]
        else:
            return None, ""
        return head.number, self._columns.text(head, "name")

    def _head_above(self, row: SheetRow) -> tuple[SheetRow, Texts] | None:
        return self._head if LIST_WITHOUT_LABEL in self._columns.text(row, "appearance").split() else None

    def _head_of_table(self, row: SheetRow) -> None:
        self._head = row, self._columns.texts(row, "label")
        self.gathering.say(_("It is only the head of a table."))
        self.gathering.settle(_location(row), self._words(row))

    def _help(self, row: SheetRow, own: Texts) -> dict[str, str]:
        head = self._head_above(row)
        headings = [group.heading for group in self._groups if group.heading] + ([head[1]] if head else [])
        return self.gathering.above(own, *headings)

    def _marks(self, row: SheetRow) -> Marks:
        """Raises `RowRefused` if the row's `candor_…` cells contradict each other."""
        marks = marks_of(self._columns, row)
        if marks and any(group.marks for group in self._groups):
            raise RowRefused(_("the group around it says already which section this is"))
        sensitive = self.sections.is_sensitive(marks)
        if sensitive and self._columns.text(row, "candor_role"):
            raise RowRefused(_("candor_role belongs to questions that are not disguised"))
        if not sensitive and self._columns.text(row, "candor_noise"):
            raise RowRefused(
                _("candor_noise belongs to sensitive questions; write sensitive in candor_section")
            )
        return marks

    def _number(self, row: SheetRow, row_type: RowType) -> None:
        marks = marks_of(self._columns, row)
        if not (is_sensitive(self._columns, row, marks) or self.sections.is_sensitive(marks)):
            self._plain_number(row, row_type)
            return
        self.sections.check_alone()
        self.gathering.size.ask(1)
        self._required(row)
        asks = asking_number(self._columns, row, row_type.number, marks, self.gathering)
        self._remark_cells(row, *ABOUTS, "candor_unit", constrained=True)
        rule = self.gathering.show_if(self._outer(), self._columns.text(row, "relevant"))
        intro = self.gathering.release()
        asked = asks.section.question
        asked = replace(asked, show_if=rule, help=self._help(row, asked.help))
        self._tables.end()
        self.gathering.size.write([asked])
        path = self.sections.put_alone(replace(asks.section, intro=intro, questions=(asked,)))
        self.rows |= {path: row, f"{path}.questions[0]": row}
        self.gathering.why_not[asks.name] = _is_sensitive(asks.name)
        self._numbers.append(asks)
        if asks.proposed or asks.asks:
            self.gathering.say(ends_asked() if asks.asks else _("Its limits are only proposed."))
        self.gathering.settle(_location(row), self._words(row), [asked.name], asks=asks.asks)

    def _plain_number(self, row: SheetRow, row_type: RowType) -> None:
        self.gathering.size.ask(1)
        self._required(row)
        marks = self._marks(row)
        asks = asking_plain_number(self._columns, row, row_type.number, self.gathering)
        self.gathering.size.answer(len(asks.question.choices))
        self._remark_cells(row, *ABOUTS, "candor_unit", constrained=True)
        rule = self.gathering.show_if(self._outer(), self._columns.text(row, "relevant"))
        begins = self.sections.begins(marks)
        intro = self.gathering.release() if begins else {}
        asked = replace(asks.question, show_if=rule, help=self._help(row, asks.question.help))
        self._tables.end()
        self.gathering.size.write([asked])
        section, index = self.sections.put(marks, [asked])
        self.sections.say_before(intro)
        self.rows[f"sections[{section}].questions[{index}]"] = row
        self.gathering.why_not[asks.name] = looks_at_number(asks.name)
        self._numbers.append(asks)
        if asks.proposed or asks.asks:
            self.gathering.say(ends_asked() if asks.asks else bands_proposed())
        unmarked = not self.sections.is_marked(marks)
        self.gathering.settle(
            _location(row), self._words(row), [asked.name], unmarked=unmarked, asks=asks.asks
        )

    def _remark_cells(self, row: SheetRow, *columns: str, constrained: bool = False) -> None:
        """`constrained`: the constraint was read."""
        if not self._columns.text(row, "name"):
            self.gathering.say(_("It has no name in the form."))
        if not self._columns.texts(row, "label"):
            self.gathering.say(no_words())
        self.gathering.say(
            *self._columns.remarks_on_changed_words(row, *columns), *left_media(self._columns, row)
        )
        self.gathering.say(*left_cells(self._columns, row, constrained=constrained))

    def _required(self, row: SheetRow) -> None:
        required = self._columns.text(row, "required").lower()
        if required not in (*YES, *NOT, ""):
            self.gathering.say(_("It is always required here; this cannot depend on other answers."))
        self._not_required += required in (*NOT, "")

    def _remember(
        self, asks: QuestionRow, position: tuple[int, int], sensitive: bool, hideable: bool
    ) -> None:
        section, first = position
        for number in range(len(asks.questions)):
            self.rows[f"sections[{section}].questions[{first + number}]"] = asks.row
        if sensitive:
            self.gathering.why_not[asks.name] = _is_sensitive(asks.name)
        else:
            name = asks.questions[0].name if asks.questions else asks.name
            self.gathering.known[asks.name] = Asked(name, asks.answers, hideable, asks.of_many)

    def remarks(self) -> Iterator[str]:
        if self._not_required:
            yield not_required(self._not_required)
        if plain := [asks for asks in self._numbers if asks.proposed and isinstance(asks, BandsRow)]:
            yield _(
                "These questions take a number. They are recorded in bands that are only proposed: %(numbers)s."
                " People type a number, and their device records its band."
            ) % {"numbers": described(plain)}
        if proposed := [asks for asks in self._numbers if asks.proposed and isinstance(asks, NumberRow)]:
            yield _(
                "These questions take a number. They became sensitive, by limits that are only proposed:"
                " %(numbers)s. Of each person only a class between some of these is sent, disguised."
                " Choose the limits whose shares you want to know."
            ) % {"numbers": described(proposed)}
        if decimal := [asks.name for asks in self._numbers if asks.decimal]:
            yield _(
                "Numbers here are whole: %(names)s took decimals. Ask in a smaller unit, such as cents."
            ) % {"names": ", ".join(decimal)}
        if unused := [name for name in self._lists if name not in self._used]:
            yield _("No question that came in uses these lists of choices: %(lists)s.") % {
                "lists": cut(", ".join(unused))
            }
        if ignored := [*self._columns.ignored, *(["parameters"] if self._unused_parameters else [])]:
            yield _("These columns have no meaning here: %(columns)s.") % {"columns": ", ".join(ignored)}


def _location(row: SheetRow) -> str:
    return place_of(row.sheet, row.number)


def _is_sensitive(name: str) -> str:
    return _(
        "looks at %(name)s, which is sensitive: whether this question was shown would tell its answer"
    ) % {"name": name}


READERS: Mapping[str, Callable[[SurveyReader, SheetRow, RowType], None]] = {
    "one": SurveyReader._question,
    "many": SurveyReader._question,
    "line": SurveyReader._line,
    "number": SurveyReader._number,
    "note": SurveyReader._note,
    "begin": SurveyReader._begin,
    "end": SurveyReader._end,
    "repeat": SurveyReader._repeat,
    "end repeat": SurveyReader._end_repeat,
}
"""By the kind of a row what reads it."""
