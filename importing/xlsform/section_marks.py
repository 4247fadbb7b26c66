"""Assigns rows to sections of the draft, by the candor_ columns (marks) of the row or of the group around it."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import NamedTuple

from django.utils.translation import gettext as _

from importing.faults import RowRefused
from importing.row_outcome_collector import ImportLog
from importing.xlsform.sheet_columns import SheetColumns, parse_probability
from importing.xlsform.workbook import SheetRow
from privacy.grammar.question import TABLE_FORMS
from privacy.guarantee.presets import DEFAULT
from privacy.kinds.section_intro_and_random_order import RANDOM
from surveys import draft_json
from surveys.kinds.grouped.draft import GroupedDraft
from surveys.kinds.plain.draft import PlainDraft
from surveys.questionnaire.draft_question import DraftQuestion, Words
from surveys.questionnaire.draft_section import DraftSection

PLAIN, SENSITIVE = "plain", "sensitive"


class SectionMarks(NamedTuple):
    """Settings of a section (marks) from the candor_ columns; empty members are not set.

    `section`: plain, sensitive or empty. `keep`: probability of the true answer. `asked`: number of questions asked of
    each person. `order`: random or empty.
    """

    section: str = ""
    keep: str = ""
    asked: int = 0
    order: str = ""

    def __bool__(self) -> bool:
        return any(self)

    @property
    def sensitive(self) -> bool:
        return self.section == SENSITIVE or bool(self.keep or self.asked)

    def as_section(self) -> DraftSection:
        """Returns an empty section with these settings."""
        is_random = self.order == RANDOM
        if not self.sensitive:
            return PlainDraft(random_order=is_random)
        preset = "" if self.keep or self.asked else DEFAULT.name
        return GroupedDraft(
            keep=self.keep or draft_json.KEEP, asked=self.asked, preset=preset, random_order=is_random
        )


def read_marks(columns: SheetColumns, row: SheetRow) -> SectionMarks:
    """Returns the section settings (marks) in the candor_ columns of a row; raises `RowRefused` if they are invalid."""
    section = columns.text(row, "candor_section").lower()
    written, asked = columns.text(row, "candor_keep"), columns.text(row, "candor_asked")
    keep = parse_probability(written)
    if section not in ("", PLAIN, SENSITIVE):
        raise RowRefused(_("candor_section is plain or sensitive"))
    if written and keep is None:
        raise RowRefused(
            _("candor_keep is a probability between 0 and 1 with up to four places, such as 0.5")
        )
    if asked and not (asked.isascii() and asked.isdigit() and int(asked[:6]) > 0 and len(asked) < 6):
        raise RowRefused(_("candor_asked is how many questions of the section are asked of each person"))
    order = columns.text(row, "candor_order").lower()
    if order not in ("", RANDOM):
        raise RowRefused(_("candor_order is random or empty"))
    if section == PLAIN and (keep or asked):
        raise RowRefused(
            _("candor_keep and candor_asked belong to sensitive sections, and this one is plain")
        )
    return SectionMarks(section, keep or "", int(asked or 0), order)


class SectionBuilder:
    """Builds sections row by row.

    A group with section settings (marks) is one section. Outside of such groups, successive rows with the same settings
    form a section.
    """

    def __init__(self) -> None:
        self.built: list[DraftSection] = []
        self._inside: SectionMarks | None = None
        self._last: SectionMarks | None = None

    def begin_group(self, marks: SectionMarks) -> str:
        """Begins the section of a group that has section settings (marks); returns the section's path in the draft."""
        self.built.append(marks.as_section())
        self._inside = marks
        return f"sections[{len(self.built) - 1}]"

    def end_group(self) -> None:
        self._inside = self._last = None

    def end_section_outside_group(self) -> None:
        """Ends the current section, unless it belongs to a group with section settings."""
        if self._inside is None:
            self._last = None

    def starts_section(self, marks: SectionMarks) -> bool:
        """True if a question with these section settings (marks) would begin a new section."""
        if self._inside is not None:
            return not self.built[-1].questions
        return self._last is None or self._last != self._section_defining_marks(marks)

    def set_intro(self, words: Words) -> None:
        """Sets the introduction of the last section, unless the text is empty."""
        if words:
            self.built[-1] = replace(self.built[-1], intro=words)

    def is_sensitive(self, marks: SectionMarks) -> bool:
        return (self._inside or marks).sensitive

    def is_section_kind_stated(self, marks: SectionMarks) -> bool:
        """True if the row's settings (marks), or the group around it, state if its section is plain or sensitive."""
        return bool(self._inside or marks)

    def check_outside_group(self) -> None:
        """Raises `RowRefused` inside a group with section settings, where a number cannot have its own section."""
        if self._inside is not None:
            raise RowRefused(
                _(
                    "a number is a section of its own and cannot be inside another one; move it out of"
                    " the group"
                )
            )

    def add_section(self, section: DraftSection) -> str:
        """Adds a section made from one row; returns the section's path in the draft."""
        self.built.append(section)
        self._last = None
        return f"sections[{len(self.built) - 1}]"

    def add_questions(self, marks: SectionMarks, questions: Sequence[DraftQuestion]) -> tuple[int, int]:
        """Adds questions; returns the index of their section, and the index of the first question in it."""
        if self._inside is None and (self._last is None or self._last != self._section_defining_marks(marks)):
            self.built.append(marks.as_section())
            self._last = self._section_defining_marks(marks)
        section = self.built[-1]
        self.built[-1] = replace(section, questions=(*section.questions, *questions))
        return len(self.built) - 1, len(section.questions)

    def _section_defining_marks(self, marks: SectionMarks) -> SectionMarks:
        return marks if marks.sensitive else SectionMarks(PLAIN, order=marks.order)


class BatteryBuilder:
    """Groups questions that are rows of one table into batteries; a table that other rows interrupt becomes two."""

    def __init__(self, log: ImportLog) -> None:
        self._log = log
        self._last: Hashable = None
        self._of = ""

    def end_battery(self) -> None:
        self._last = None

    def add_row(self, question: DraftQuestion, key: Hashable, wanted_name: str) -> DraftQuestion:
        """Returns the question as a row of its table (battery); a question outside of tables is returned unchanged.

        `key` identifies the table; None if the question is in no table.
        """
        if key is not None and question.form == "yes-no":
            question = replace(question, form="one")
        if key is None or question.form not in TABLE_FORMS:
            self.end_battery()
            return question
        table = (key, question.form, *question.choice_names)
        if table != self._last:
            self._last, self._of = table, self._log.unique_group_name(wanted_name, "table")
        return replace(question, of=self._of)
