"""Reads the rows of the sheet survey into sections of a draft. Rows that cannot be imported are left out with a
reason."""

import re
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from importing import remarks
from importing.faults import RowRefused, TooLarge
from importing.import_result import shorten
from importing.node_paths import with_references
from importing.row_outcome_collector import ImportLog, Texts, condition_left_out_text, join_texts
from importing.show_if_conditions import ConditionQuestion
from importing.xlsform.choice_questions import (
    ListedChoice,
    Lists,
    QuestionRow,
    add_other_choice,
    choices_by_filter_condition,
    distinct_choices,
    excluding_option,
    read_choice_question,
)
from importing.xlsform.number_questions import (
    NumberRow,
    convert_choices_to_bands,
    describe_limits,
    first_number_column,
    is_sensitive_number,
    number_condition_question,
    read_plain_number,
    read_sensitive_number,
)
from importing.xlsform.question_types import FROM_FILE, RowType, parse_type
from importing.xlsform.section_marks import BatteryBuilder, SectionBuilder, SectionMarks, read_marks
from importing.xlsform.sheet_columns import NOT, RANDOMIZE, SheetColumns, left_out_cell_remarks, media_remarks
from importing.xlsform.workbook import Sheet, SheetRow
from surveys.kinds.number.draft import NumberDraftQuestion
from surveys.kinds.plain.draft import OTHER

SEARCH = re.compile(r"\bsearch\s{0,9}\(", re.IGNORECASE)
"""Pattern of SurveyCTO's function that finds choices in another file."""
QUOTED = re.compile(r"'([^']*)'")
WORD = re.compile(r"[\w.-]+")
YES = ("yes", "true", "true()", "1")
ABOUTS = ("label", "hint")
LIST_WITHOUT_LABEL = "list-nolabel"
"""Appearance of the rows below the head of a table."""


class _Group(NamedTuple):
    """A group that is open at the current row.

    `heading`: text above each question of a table. `has_words`: its label introduces a section. `scale`: the list of
    choices that all lines of a table share. `is_hidden`: the group, or a group around it, is shown to nobody.
    """

    row: SheetRow
    marks: SectionMarks
    relevant: tuple[str, ...]
    heading: Texts
    has_words: bool = False
    is_table: bool = False
    scale: str = ""
    is_hidden: bool = False


class SurveyReader:
    """Reads the sheet once, keeping track of the open groups.

    `barred`: reasons, by row number, to leave rows out.
    """

    def __init__(self, columns: SheetColumns, lists: Lists, barred: Mapping[int, str]) -> None:
        self._columns, self._lists, self._barred = columns, lists, barred
        self.sections = SectionBuilder()
        self._paths: dict[int, str] = {}
        self._names: dict[str, str] = {}
        self._written: dict[str, str] = {}
        self.log = ImportLog(written_conditions=self._written)
        self.rows: dict[str, SheetRow] = {}
        self._groups: list[_Group] = []
        self._loops: list[RowType] = []
        self._numbers: list[NumberRow] = []
        self._tables = BatteryBuilder(self.log)
        self._head: tuple[SheetRow, Texts] | None = None
        self._used: set[str] = set()
        self._unused_parameters = False
        self._filter_columns: set[str] = set()
        self._conditions: Sequence[str] = ()

    def read(self, sheet: Sheet) -> None:
        self._read_ahead(sheet)
        for row in sheet.rows:
            try:
                self._read_row(row)
            except RowRefused as refusal:
                self.log.record_refusal(row.location, self._row_text(row), refusal)
                if isinstance(refusal, TooLarge):
                    return
        for group in self._groups:
            reason = _("this group has no end (end_group); it ends with the form")
            self.log.remark(reason)
            self.log.record_row(group.row.location, self._row_text(group.row))

    def _read_ahead(self, sheet: Sheet) -> None:
        """Finds the path of each row, and the conditions and calculations of all rows."""
        around: dict[int, list[SheetRow]] = {}
        groups: list[SheetRow] = []
        for row in sheet.rows:
            row_type = parse_type(self._columns.text(row, "type"))
            kind = row_type.kind if isinstance(row_type, RowType) else ""
            if kind in ("end", "end repeat"):
                del groups[-1:]
                continue
            around[row.number] = [*groups, row]
            path = "/data" + "".join(f"/{self._columns.text(each, 'name')}" for each in around[row.number])
            self._paths[row.number] = path
            self._names[path] = self._columns.text(row, "name")
            if kind in ("begin", "repeat"):
                groups.append(row)
        self._conditions = [said for row in sheet.rows if (said := self._expression(row, "relevant"))]
        calculations: dict[str, str] = {}
        for row in sheet.rows:
            computed = self._expression(row, "calculation")
            if computed and self._columns.text(row, "type").lower() == "calculate":
                shown = [said for each in around[row.number] if (said := self._expression(each, "relevant"))]
                where = " and ".join(f"({each})" for each in shown)
                name = self._columns.text(row, "name")
                calculations[name] = f"if({where}, {computed}, '')" if where else computed
        self.log.read_ahead(self._conditions, calculations)

    def _expression(self, row: SheetRow, about: str) -> str:
        """Returns the expression in a cell, with `${name}` instead of paths such as ../name."""
        written = self._columns.text(row, about)
        expression = with_references(written, self._names, self._paths.get(row.number, ""))
        self._written[expression] = written
        return expression

    def _row_text(self, row: SheetRow) -> str:
        said = self._columns.texts(row, "label")
        return (
            next(iter(said.values()), "")
            or self._columns.text(row, "name")
            or self._columns.text(row, "type")
        )

    def _read_row(self, row: SheetRow) -> None:
        written = self._columns.text(row, "type")
        if not written:
            if any(self._columns.text(row, about) for about in ("name", "relevant")) or self._columns.texts(
                row, "label"
            ):
                raise RowRefused(_("the type is missing"))
            return
        if self._columns.text(row, "disabled").lower() in YES:
            raise RowRefused(_("is disabled in the form"))
        row_type = parse_type(written)
        kind = row_type.kind if isinstance(row_type, RowType) else ""
        if self._loops and kind not in ("repeat", "end repeat"):
            raise RowRefused(_("is in a loop: %(why)s") % {"why": self._loops[-1].why})
        if not isinstance(row_type, RowType):
            raise RowRefused(f"{written}: {row_type}")
        if row.number in self._barred:
            raise RowRefused(self._barred[row.number])
        is_hidden = self._is_shown_to_nobody(row)
        if is_hidden and row_type.kind == "begin":
            self._groups.append(_Group(row, SectionMarks(), (), {}, is_hidden=True))
        if is_hidden and row_type.kind not in ("end", "repeat", "end repeat"):
            raise RowRefused(_("is hidden in the survey"))
        READERS[row_type.kind](self, row, row_type)

    def _is_shown_to_nobody(self, row: SheetRow) -> bool:
        """True if the row, or a group around it, is shown to nobody."""
        if self._groups and self._groups[-1].is_hidden:
            return True
        return self._columns.text(row, "relevant").replace(" ", "").lower() == "false()"

    def _begin_left_out_repeat(self, row: SheetRow, row_type: RowType) -> None:
        self._loops.append(row_type)
        raise RowRefused(f"{self._columns.text(row, 'type')}: {row_type.why}")

    def _end_left_out_repeat(self, row: SheetRow, row_type: RowType) -> None:
        del self._loops[-1:]

    def _begin_group(self, row: SheetRow, row_type: RowType) -> None:
        # Open even if something is wrong with it, so that its end finds it.
        self._groups.append(_Group(row, SectionMarks(), (), {}))
        marks = read_marks(self._columns, row)
        if marks and any(outer.marks for outer in self._groups):
            raise RowRefused(_("a section cannot be inside another one"))
        relevant, label = self._expression(row, "relevant"), self._columns.texts(row, "label")
        if relevant and not self.log.can_express_or_remark(self._outer_conditions(), relevant):
            relevant = ""
        scale = self._columns.text(row, "score_choices")
        is_table = bool(scale) or "table-list" in self._columns.text(row, "appearance").split()
        if is_table:
            self.log.remark(remarks.BECAME_BATTERY)
        elif label:
            self.log.queue_texts(label)
            # A file of ours says by its marks where a section begins, and its words come back unchanged.
            self.log.remark(*(() if self._columns.literal and marks else (remarks.SHOWN_BEFORE_NEXT,)))
            self.sections.end_section_outside_group()
        self.log.remark(*self._columns.remarks_on_changed_words(row, "label"))
        heading = label if is_table else {}
        has_words = bool(label) and not is_table
        self._groups[-1] = _Group(
            row, marks, (relevant,) if relevant else (), heading, has_words, is_table, scale
        )
        if marks:
            self.rows[self.sections.begin_group(marks)] = row
        if marks or label or is_table or self._columns.text(row, "relevant"):
            self.log.record_row(row.location, self._row_text(row))

    def _outer_conditions(self) -> list[str]:
        return [each for group in self._groups for each in group.relevant]

    def _end_group(self, row: SheetRow, row_type: RowType) -> None:
        if not self._groups:
            raise RowRefused(_("ends a group that never began"))
        group = self._groups.pop()
        if group.marks:
            if not self.sections.built[-1].questions:
                self.sections.set_intro(self.log.pop_queued_texts())
            self.sections.end_group()
        elif group.has_words:
            self.sections.end_section_outside_group()

    def _read_note(self, row: SheetRow, row_type: RowType) -> None:
        label = join_texts(*(self._columns.texts(row, about) for about in ABOUTS))
        if not label:
            raise RowRefused(_("has no words"))
        if self._columns.text(row, "relevant"):
            raise RowRefused(remarks.NOTE_CONDITION)
        self.log.queue_texts(label, self._outer_conditions())
        self.log.remark(remarks.SHOWN_BEFORE_NEXT, *self._columns.remarks_on_changed_words(row, *ABOUTS))
        self.log.remark(*media_remarks(self._columns, row))
        self.log.record_row(row.location, self._row_text(row))

    def _add_other_choice(self, listed: Sequence[ListedChoice]) -> list[ListedChoice]:
        self.log.remark(_("Its answer in one’s own words became a choice, since no disguise can hide words."))
        return add_other_choice(listed, self._columns.languages)

    def _find_list(self, name: str) -> Sequence[ListedChoice]:
        """Returns the list with this name; ignores case if that is unambiguous."""
        alike = [each for each in self._lists if each.casefold() == name.casefold()]
        if name not in self._lists and len(alike) == 1:
            name = alike[0]
        if name not in self._lists:
            raise RowRefused(_("no list in the sheet choices is called %(name)s") % {"name": name})
        self._used.add(name)
        return self._lists[name]

    def _excluding_choice(self, row: SheetRow, listed: Sequence[ListedChoice]) -> ListedChoice | None:
        """Returns the option that excludes all others, to become the answer *none*.

        None if there is no such option, if a condition names it, or if the row has its own text for *none*.
        """
        option = excluding_option(self._columns.text(row, "constraint"), listed)
        asked = f"${{{self._columns.text(row, 'name')}}}"
        if option and any(asked in said and option.name in said for said in self._conditions):
            return None
        return None if self._columns.texts(row, "candor_none") else option

    def _check_choice_row(self, row: SheetRow, is_number: bool) -> None:
        if (column := first_number_column(self._columns, row)) and not (
            is_number and column == "candor_unit"
        ):
            raise RowRefused(_("%(column)s belongs to numbers (integer)") % {"column": column})
        if self._columns.text(row, "readonly").lower() in YES:
            raise RowRefused(_("shows a question that cannot be answered"))
        if SEARCH.search(self._columns.text(row, "appearance")):
            raise RowRefused(str(FROM_FILE))

    def _read_choice_question(self, row: SheetRow, row_type: RowType) -> None:
        listed = self._find_list(row_type.choices)
        if "label" in self._columns.text(row, "appearance").split():
            self._read_table_head(row)
            return
        is_number = row_type.kind == "one" and bool(self._columns.text(row, "candor_number"))
        self._check_choice_row(row, is_number)
        if row_type.other:
            listed = self._add_other_choice(listed)
        cases = {} if is_number else self._choices_by_condition(row, listed)
        if not cases:
            listed = distinct_choices(listed)
            cases = {"": listed}
            if row_type.kind == "one" and len(listed) < 2:
                self.log.remark(remarks.FEW_ANSWERS)
        answers = sum(map(len, cases.values()))
        self.log.size.count_questions(answers if row_type.kind == "many" else len(cases))
        self.log.size.count_answers(answers)
        self._count_not_required(row)
        marks = self._read_marks(row)
        sensitive = self.sections.is_sensitive(marks)
        if is_number and sensitive:
            raise RowRefused(_("candor_number belongs to questions that are not disguised"))
        made: list[tuple[QuestionRow, dict[str, list[str]]]] = []
        for condition, choices in cases.items():
            excluding = self._excluding_choice(row, choices)
            case = "".join(f"-{value}" for value in QUOTED.findall(condition))
            asks = read_choice_question(self._columns, row, row_type.kind, choices, self.log, excluding, case)
            outer = [*self._outer_conditions(), *([condition] if condition else [])]
            made.append((asks, self.log.expressible_show_if_rule(outer, self._expression(row, "relevant"))))
        every = [question for asks, _rule in made for question in asks.questions]
        read = [
            *(["constraint"] if any(question.none for question in every) else []),
            *(["choice_filter"] if len(cases) > 1 else []),
        ]
        self._remark_unimportable_parts(row, *ABOUTS, read=read)
        self._remark_parameters(row, is_shuffled=any(question.shuffled for question in every))
        begins = self.sections.starts_section(marks)
        intro = self.log.pop_queued_texts() if begins else {}
        if begins:
            self._tables.end_battery()
        common: dict[str, Any] = {
            "help": self._help_with_headings(row, every[0].help) if every else {},
            "role": "" if sensitive else self._columns.text(row, "candor_role") or OTHER,
        }
        questions = [
            replace(question, **common, show_if=rule) for asks, rule in made for question in asks.questions
        ]
        if is_number:
            questions = [convert_choices_to_bands(self._columns, row, questions[0])]
        if row_type.kind == "one" and len(cases) == 1:
            questions = [self._tables.add_row(each, *self._table_key_and_name(row)) for each in questions]
        else:
            self._tables.end_battery()
        self.log.size.count_text(questions)
        position = self.sections.add_questions(marks, questions)
        self.sections.set_intro(intro)
        parts = [
            ConditionQuestion(asks.questions[0].name, asks.answers, bool(rule), asks.of_many)
            for asks, rule in made
            if asks.questions
        ]
        self._register_question(row, parts, position, len(questions), sensitive)
        self.log.record_row(
            row.location,
            self._row_text(row),
            [question.name for question in questions],
            unmarked=not sensitive and not self.sections.is_section_kind_stated(marks),
        )

    def _choices_by_condition(
        self, row: SheetRow, listed: Sequence[ListedChoice]
    ) -> dict[str, list[ListedChoice]]:
        """Returns the choices by the condition under which the row's choice_filter offers them.

        Empty if the filter is not such a comparison with earlier answers, or if no rule can express its conditions.
        """
        written = self._expression(row, "choice_filter")
        cases = choices_by_filter_condition(written, listed) if written else {}
        if len(cases) < 2 or not all(self.log.can_express_together([condition]) for condition in cases):
            return {}
        outer = self._outer_conditions()
        kept = {
            condition: choices
            for condition, choices in cases.items()
            if len(choices) > 1 and self.log.can_express_together([*outer, condition])
        }
        if len(kept) < 2:
            return {}
        self._filter_columns |= set(WORD.findall(written))
        said = _(
            "Its choices depend on earlier answers: it became %(n)s questions, one for each of these answers that"
            " leaves a choice."
        )
        self.log.remark(said % {"n": len(kept)})
        return kept

    def _remark_parameters(self, row: SheetRow, *, is_shuffled: bool) -> None:
        parameters = self._columns.text(row, "parameters")
        if RANDOMIZE in parameters.lower().split() and not is_shuffled:
            self.log.remark(_("Its random order is left out: its answers have an order of their own here."))
        self._unused_parameters |= bool(parameters) and not is_shuffled

    def _read_table_line(self, row: SheetRow, row_type: RowType) -> None:
        scale = self._groups[-1].scale if self._groups else ""
        self._read_choice_question(row, RowType("one", scale))

    def _table_key_and_name(self, row: SheetRow) -> tuple[Hashable, str]:
        """Returns key and name of the table that this row belongs to; the key is None outside of tables."""
        if ours := self._columns.text(row, "candor_group"):
            return ours, ours
        if self._groups and self._groups[-1].is_table:
            head = self._groups[-1].row
        elif head_above := self._table_head_above(row):
            head = head_above[0]
        else:
            return None, ""
        return head.number, self._columns.text(head, "name")

    def _table_head_above(self, row: SheetRow) -> tuple[SheetRow, Texts] | None:
        return self._head if LIST_WITHOUT_LABEL in self._columns.text(row, "appearance").split() else None

    def _read_table_head(self, row: SheetRow) -> None:
        self._head = row, self._columns.texts(row, "label")
        self.log.remark(_("It is only the head of a table."))
        if relevant := self._columns.text(row, "relevant"):
            self.log.remark(condition_left_out_text(relevant, str(remarks.NOTE_CONDITION)))
        self.log.record_row(row.location, self._row_text(row))

    def _help_with_headings(self, row: SheetRow, own: Texts) -> dict[str, str]:
        head = self._table_head_above(row)
        headings = [group.heading for group in self._groups if group.heading] + ([head[1]] if head else [])
        return self.log.prepend_queued_texts(own, *headings, conditions=self._outer_conditions())

    def _read_marks(self, row: SheetRow) -> SectionMarks:
        """Returns the section settings (marks) of a row; raises `RowRefused` if they contradict each other or the group
        around it."""
        marks = read_marks(self._columns, row)
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

    def _read_number(self, row: SheetRow, row_type: RowType) -> None:
        marks = read_marks(self._columns, row)
        is_sensitive = is_sensitive_number(self._columns, row, marks) or self.sections.is_sensitive(marks)
        self.log.size.count_questions(1)
        self._count_not_required(row)
        if is_sensitive:
            self.sections.check_outside_group()
            asks = read_sensitive_number(self._columns, row, row_type.number, marks, self.log)
        else:
            marks = self._read_marks(row)
            asks = read_plain_number(self._columns, row, row_type.number, self.log)
            self.log.size.count_answers(len(asks.question.choices))
        self._remark_unimportable_parts(row, *ABOUTS, "candor_unit", read=["constraint"])
        rule = self.log.expressible_show_if_rule(self._outer_conditions(), self._expression(row, "relevant"))
        begins = bool(asks.section) or self.sections.starts_section(marks)
        intro = self.log.pop_queued_texts() if begins else {}
        asked = replace(asks.question, show_if=rule, help=self._help_with_headings(row, asks.question.help))
        self._tables.end_battery()
        self.log.size.count_text([asked])
        if asks.section:
            assert isinstance(asked, NumberDraftQuestion)
            path = self.sections.add_section(replace(asks.section, intro=intro, questions=(asked,)))
            self.rows |= {path: row, f"{path}.questions[0]": row}
        else:
            section, index = self.sections.add_questions(marks, [asked])
            self.sections.set_intro(intro)
            self.rows[f"sections[{section}].questions[{index}]"] = row
        known = _sensitive_condition_obstacle(asks.name) if is_sensitive else number_condition_question(asked)
        self.log.register_condition_question(asks.name, known)
        self._numbers.append(asks)
        if asks.asks:
            self.log.remark(remarks.ENDS_MISSING)
        elif asks.proposed:
            self.log.remark(_("Its limits are only proposed.") if is_sensitive else remarks.BANDS_PROPOSED)
        unmarked = not is_sensitive and not self.sections.is_section_kind_stated(marks)
        self.log.record_row(
            row.location, self._row_text(row), [asked.name], unmarked=unmarked, asks=asks.asks
        )

    def _remark_unimportable_parts(self, row: SheetRow, *columns: str, read: Collection[str]) -> None:
        """Adds remarks on parts of a row that cannot be imported. `read`: names of the columns that can."""
        if not self._columns.text(row, "name"):
            self.log.remark(_("It has no name in the form."))
        if not self._columns.texts(row, "label"):
            self.log.remark(remarks.NO_TEXT)
        self.log.remark(
            *self._columns.remarks_on_changed_words(row, *columns), *media_remarks(self._columns, row)
        )
        self.log.remark(*left_out_cell_remarks(self._columns, row, read))

    def _count_not_required(self, row: SheetRow) -> None:
        required = self._columns.text(row, "required").lower()
        if required not in (*YES, *NOT, ""):
            self.log.remark(_("It is always required here; this cannot depend on other answers."))
        self.log.not_required += required in (*NOT, "")

    def _register_question(
        self,
        row: SheetRow,
        parts: Sequence[ConditionQuestion],
        position: tuple[int, int],
        count: int,
        sensitive: bool,
    ) -> None:
        """Makes the question known to later conditions, or stores the reason why they cannot name it."""
        section, first = position
        self.rows |= {f"sections[{section}].questions[{first + number}]": row for number in range(count)}
        name = self._columns.text(row, "name")
        if sensitive:
            self.log.register_condition_question(name, _sensitive_condition_obstacle(name))
        elif parts:
            whole = ConditionQuestion(name, {}, True, None, parts)
            self.log.register_condition_question(name, whole if len(parts) > 1 else parts[0])

    def remarks(self) -> Iterator[str]:
        """Yields the remarks on the form as a whole: proposed limits, unused lists, and ignored columns."""
        if plain := [asks for asks in self._numbers if asks.proposed and not asks.section]:
            yield _(
                "These questions take a number. They are recorded in bands that are only proposed: %(numbers)s."
                " People type a number, and their device records its band."
            ) % {"numbers": describe_limits(plain)}
        if proposed := [asks for asks in self._numbers if asks.proposed and asks.section]:
            yield _(
                "These questions take a number. They became sensitive, by limits that are only proposed:"
                " %(numbers)s. Of each person only a class between some of these is sent, disguised."
                " Choose the limits whose shares you want to know."
            ) % {"numbers": describe_limits(proposed)}
        if decimal := [asks.name for asks in self._numbers if asks.decimal]:
            yield _(
                "Numbers here are whole: %(names)s took decimals. Ask in a smaller unit, such as cents."
            ) % {"names": ", ".join(decimal)}
        if unused := [name for name in self._lists if name not in self._used]:
            yield _("No question that came in uses these lists of choices: %(lists)s.") % {
                "lists": shorten(", ".join(unused))
            }
        columns = [each for each in self._columns.ignored if each not in self._filter_columns]
        if ignored := [*columns, *(["parameters"] if self._unused_parameters else [])]:
            yield _("These columns have no meaning here: %(columns)s.") % {"columns": ", ".join(ignored)}


def _sensitive_condition_obstacle(name: str) -> str:
    return _(
        "looks at %(name)s, which is sensitive: whether this question was shown would tell its answer"
    ) % {"name": name}


READERS: Mapping[str, Callable[[SurveyReader, SheetRow, RowType], None]] = {
    "one": SurveyReader._read_choice_question,
    "many": SurveyReader._read_choice_question,
    "line": SurveyReader._read_table_line,
    "number": SurveyReader._read_number,
    "note": SurveyReader._read_note,
    "begin": SurveyReader._begin_group,
    "end": SurveyReader._end_group,
    "repeat": SurveyReader._begin_left_out_repeat,
    "end repeat": SurveyReader._end_left_out_repeat,
}
"""Functions that read a row, by its kind."""
