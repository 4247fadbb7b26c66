"""From an XLSForm to a draft: everything that is wrong is named by sheet and row, all of it at once."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from django.utils.translation import gettext as _, ngettext

from privacy.designs import Refusal
from privacy.designs.design import FORMAT
from surveys import draft as drafts
from surveys.builder import normal_form, section_kinds
from surveys.draft import Draft
from surveys.formats import unfinished
from surveys.formats.faults import Fault, FileRefused
from surveys.formats.xlsform import checking, start_page
from surveys.formats.xlsform.columns import SheetColumns, read_columns, unusable
from surveys.formats.xlsform.numbers import NumberRow, asking_number, described, own_columns
from surveys.formats.xlsform.questions import Lists, QuestionRow, asking, read_lists
from surveys.formats.xlsform.relevant import Asked, Effort, RuleRefused, rule
from surveys.formats.xlsform.sections import Marks, Sections, marks_of
from surveys.formats.xlsform.sheet_cells import RowRefused, TooLarge
from surveys.formats.xlsform.size import Size
from surveys.formats.xlsform.types import RowType, type_of
from surveys.formats.xlsform.workbook import Sheet, SheetRow, read as read_workbook
from surveys.problems import reason_of

YES, NO = ("yes", "true", "true()", "1"), ("", "no", "false", "false()", "0")


class ReadQuestionnaire(NamedTuple):
    """A draft, and what its writer should know of how it was read."""

    draft: Draft
    remarks: tuple[str, ...] = ()


def read(data: bytes) -> ReadQuestionnaire:
    sheets = read_workbook(data)
    columns, faults = read_columns(sheets)
    if faults:
        raise FileRefused(faults)
    lists, faults = read_lists(columns, sheets["choices"])
    reader = _Reader(columns, lists)
    faults += reader.read(sheets["survey"])
    said, wrong = start_page.read(columns, sheets["settings"])
    draft = {"format": FORMAT, "languages": columns.languages, **said, "sections": reader.sections.made}
    faults += [*wrong, *unusable(columns, sheets["survey"].rows)]
    faults = faults or reader.impossible(draft) or list(checking.complaints(columns, sheets))
    if faults:
        raise FileRefused(faults)
    return ReadQuestionnaire(normal_form.normalized(draft), tuple(reader.remarks()))


class _Group(NamedTuple):
    row: SheetRow
    marks: Marks
    relevant: tuple[str, ...]


class _Reader:
    """Goes down the sheet survey once, with the groups that are open at each row."""

    def __init__(self, columns: SheetColumns, lists: Lists) -> None:
        self._columns, self._lists = columns, lists
        self.sections = Sections()
        self._size, self._effort = Size(), Effort()
        self._groups: list[_Group] = []
        self._known: dict[str, Asked] = {}
        self._why_not: dict[str, str] = {}
        self._rows: dict[str, SheetRow] = {}
        self._numbers: list[NumberRow] = []
        self._not_required = 0
        self._unused_parameters = False

    def read(self, sheet: Sheet) -> list[Fault]:
        faults: list[Fault] = []
        for row in sheet.rows:
            try:
                self._row(row)
            except TooLarge as much:
                return [*faults, row.fault(str(much))]
            except (RowRefused, RuleRefused) as wrong:
                faults.append(row.fault(str(wrong)))
        return faults + [group.row.fault(_("this group has no end (end_group)")) for group in self._groups]

    def _row(self, row: SheetRow) -> None:
        written = self._columns.text(row, "type")
        if not written:
            if any(self._columns.text(row, about) for about in ("name", "label", "relevant")):
                raise RowRefused(_("the type is missing"))
            return
        found = type_of(written)
        if not isinstance(found, RowType):
            raise RowRefused(f"{written}: {found}")
        if found.kind == "begin":
            self._begin(row)
        elif found.kind == "end":
            self._end()
        elif found.kind == "number":
            self._number(row, found)
        else:
            self._question(row, found)

    def _begin(self, row: SheetRow) -> None:
        # Open even if something is wrong with it, so that its end finds it.
        group = _Group(row, Marks(), ())
        self._groups.append(group)
        marks = marks_of(self._columns, row)
        if marks and any(outer.marks for outer in self._groups):
            raise RowRefused(_("a section cannot stand inside another one"))
        relevant = self._columns.text(row, "relevant")
        if relevant:
            rule(relevant, self._known, self._why_not, self._effort)
        self._groups[-1] = _Group(row, marks, (relevant,) if relevant else ())
        if marks:
            self._rows[self.sections.begin(marks)] = row

    def _end(self) -> None:
        if not self._groups:
            raise RowRefused(_("ends a group that never began"))
        if self._groups.pop().marks:
            self.sections.end()

    def _question(self, row: SheetRow, found: RowType) -> None:
        if found.choices not in self._lists:
            reason = _("no list in the sheet choices is called %(name)s")
            raise RowRefused(reason % {"name": found.choices})
        if column := own_columns(self._columns, row):
            raise RowRefused(_("%(column)s belongs to numbers (integer)") % {"column": column})
        self._unused_parameters |= bool(self._columns.text(row, "parameters"))
        listed = self._lists[found.choices]
        self._size.ask(len(listed) if found.kind == "many" else 1)
        self._size.answer(len(listed))
        self._required(row)
        marks = marks_of(self._columns, row)
        if marks and any(group.marks for group in self._groups):
            raise RowRefused(_("the group around it says already which section this is"))
        sensitive = self.sections.is_sensitive(marks)
        role = self._columns.text(row, "candor_role")
        if sensitive and role:
            raise RowRefused(_("candor_role belongs to plain questions"))
        if not sensitive and self._columns.text(row, "candor_noise"):
            raise RowRefused(
                _("candor_noise belongs to sensitive questions; write sensitive in candor_section")
            )
        asks = asking(self._columns, row, found.kind, listed)
        rules = self._rules(row)
        more = {"show_if": rules} | ({} if sensitive else {"role": role or "other"})
        questions = [question | more for question in asks.questions]
        self._size.write(questions)
        place = self.sections.put(marks, questions)
        self._remember(asks, place, sensitive, bool(rules))

    def _number(self, row: SheetRow, found: RowType) -> None:
        self._size.ask(1)
        self._required(row)
        asks = asking_number(self._columns, row, found.number, marks_of(self._columns, row))
        asks.question["show_if"] = self._rules(row)
        self._size.write([asks.section])
        path = self.sections.put_alone(asks.section)
        self._rows |= {path: row, f"{path}.questions[0]": row}
        self._why_not[asks.name] = self._is_sensitive(asks.name)
        self._numbers.append(asks)

    def _required(self, row: SheetRow) -> None:
        required = self._columns.text(row, "required").lower()
        if required not in (*YES, *NO):
            raise RowRefused(_("required is yes or no; it cannot depend on other answers"))
        self._not_required += required in NO

    def _rules(self, row: SheetRow) -> dict[str, list[str]]:
        own = self._columns.text(row, "relevant")
        parts = [*(each for group in self._groups for each in group.relevant), *([own] if own else [])]
        if not parts:
            return {}
        whole = " and ".join(f"({part})" for part in parts)
        return rule(whole, self._known, self._why_not, self._effort)

    def _remember(self, asks: QuestionRow, place: tuple[int, int], sensitive: bool, hideable: bool) -> None:
        section, first = place
        for number in range(len(asks.questions)):
            path = f"sections[{section}].questions[{first + number}]"
            self._rows[path] = asks.row
            self._rows |= {
                f"{path}.choices[{at}]": row for at, row in enumerate(asks.choice_rows) if not asks.of_many
            }
        if sensitive:
            self._why_not[asks.name] = self._is_sensitive(asks.name)
        else:
            name = asks.questions[0]["name"] if asks.questions else asks.name
            self._known[asks.name] = Asked(name, asks.answers, hideable, asks.of_many)

    def _is_sensitive(self, name: str) -> str:
        return _(
            "looks at %(name)s, which is sensitive: whether this question was shown would tell its answer"
        ) % {"name": name}

    def impossible(self, draft: Draft) -> list[Fault]:
        """Faults that no design could have, each at the row that it comes from."""
        if reason := unfinished.too_large(draft):
            return [Fault(_("sheet %(sheet)s") % {"sheet": "survey"}, reason)]
        try:
            unfinished.check(json.loads(drafts.as_design_json(draft)))
        except Refusal as refusal:
            path = refusal.path
            while path and path not in self._rows:
                path = path.rpartition("." if path.rfind(".") > path.rfind("[") else "[")[0]
            if path:
                return [self._rows[path].fault(reason_of(refusal))]
            return [
                Fault(_("sheet %(sheet)s") % {"sheet": "settings"}, f"{refusal.path}: {reason_of(refusal)}")
            ]
        return []

    def remarks(self) -> Iterator[str]:
        if self._not_required:
            yield ngettext(
                "%(n)s question was not required. Here every question is answered; give it the choice “prefer not"
                " to say” if people may leave it open.",
                "%(n)s questions were not required. Here every question is answered; give them the choice “prefer"
                " not to say” if people may leave them open.",
                self._not_required,
            ) % {"n": self._not_required}
        yield from self._number_remarks()
        if {section["kind"] for section in self.sections.made} == {section_kinds.PLAIN}:
            yield _(
                "All questions are plain: they are sent as answered. Move the sensitive ones into a sensitive section."
            )
        if ignored := [*self._columns.ignored, *(["parameters"] if self._unused_parameters else [])]:
            yield _("These columns have no meaning here: %(columns)s.") % {"columns": ", ".join(ignored)}

    def _number_remarks(self) -> Iterator[str]:
        if proposed := [asks for asks in self._numbers if asks.proposed]:
            yield _(
                "These questions take a number. They became sensitive, by thresholds that are only proposed:"
                " %(numbers)s. Of each person only one threshold is asked, disguised: is the number at least that?"
                " Choose the thresholds whose shares you want to know."
            ) % {"numbers": described(proposed)}
        if decimal := [asks.name for asks in self._numbers if asks.decimal]:
            yield _(
                "Numbers here are whole: %(names)s took decimals. Ask in a smaller unit, such as cents."
            ) % {"names": ", ".join(decimal)}
