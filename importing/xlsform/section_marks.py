"""Which section a row belongs to, by the candor_ columns of its own or of the group around it."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import NamedTuple

from django.utils.translation import gettext as _

from importing.import_log import Gathering
from importing.questionnaire_size import RowRefused
from importing.xlsform.sheet_columns import SheetColumns, probability
from importing.xlsform.workbook import SheetRow
from privacy.grammar.question import TABLE_FORMS
from privacy.guarantee.presets import DEFAULT
from privacy.kinds.presentation import RANDOM
from surveys import draft_json
from surveys.kinds.grouped.draft import GroupedDraft
from surveys.kinds.plain.draft import PlainDraft
from surveys.questionnaire.draft_question import DraftQuestion, Words
from surveys.questionnaire.draft_section import DraftSection

PLAIN, SENSITIVE = "plain", "sensitive"


class Marks(NamedTuple):
    """`section` is plain, sensitive or empty; the others are empty where they say nothing."""

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
        is_random = self.order == RANDOM
        if not self.sensitive:
            return PlainDraft(random_order=is_random)
        preset = "" if self.keep or self.asked else DEFAULT.name
        return GroupedDraft(
            keep=self.keep or draft_json.KEEP, asked=self.asked, preset=preset, random_order=is_random
        )


def marks_of(columns: SheetColumns, row: SheetRow) -> Marks:
    section = columns.text(row, "candor_section").lower()
    written, asked = columns.text(row, "candor_keep"), columns.text(row, "candor_asked")
    keep = probability(written)
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
    return Marks(section, keep or "", int(asked or 0), order)


class Sections:
    """Sections as they come: a marked group is one; outside of those, rows marked alike and in a row are one."""

    def __init__(self) -> None:
        self.made: list[DraftSection] = []
        self._inside: Marks | None = None
        self._last: Marks | None = None

    def begin(self, marks: Marks) -> str:
        """The path of a section that a group makes."""
        self.made.append(marks.as_section())
        self._inside = marks
        return f"sections[{len(self.made) - 1}]"

    def end(self) -> None:
        self._inside = self._last = None

    def part(self) -> None:
        """Let the next question begin a section where no marks say otherwise."""
        if self._inside is None:
            self._last = None

    def begins(self, marks: Marks) -> bool:
        """Whether a question with these marks would be the first of its section."""
        if self._inside is not None:
            return not self.made[-1].questions
        return self._last is None or self._last != self._alike(marks)

    def say_before(self, words: Words) -> None:
        """Give the last section its text."""
        if words:
            self.made[-1] = replace(self.made[-1], intro=words)

    def is_sensitive(self, marks: Marks) -> bool:
        return (self._inside or marks).sensitive

    def is_marked(self, marks: Marks) -> bool:
        """Whether the file says what kind of section this is."""
        return bool(self._inside or marks)

    def check_alone(self) -> None:
        """`RowRefused` where a section that one row makes cannot stand."""
        if self._inside is not None:
            raise RowRefused(
                _(
                    "a number is a section of its own and cannot be inside another one; move it out of"
                    " the group"
                )
            )

    def put_alone(self, section: DraftSection) -> str:
        """Add a section that one row makes; its path."""
        self.made.append(section)
        self._last = None
        return f"sections[{len(self.made) - 1}]"

    def put(self, marks: Marks, questions: Sequence[DraftQuestion]) -> tuple[int, int]:
        """Add questions; the number of their section, and of the first of them in it."""
        if self._inside is None and (self._last is None or self._last != self._alike(marks)):
            self.made.append(marks.as_section())
            self._last = self._alike(marks)
        section = self.made[-1]
        self.made[-1] = replace(section, questions=(*section.questions, *questions))
        return len(self.made) - 1, len(section.questions)

    def _alike(self, marks: Marks) -> Marks:
        return marks if marks.sensitive else Marks(PLAIN, order=marks.order)


class TableRows:
    """Goes down the rows that ask; rows of one table that do not follow one another become two batteries."""

    def __init__(self, gathering: Gathering) -> None:
        self._gathering = gathering
        self._last: Hashable = None
        self._of = ""

    def end(self) -> None:
        self._last = None

    def with_table(self, question: DraftQuestion, key: Hashable, wish: str) -> DraftQuestion:
        """Returns the question as a row of its table. `key` names the table; None: the question is in no table."""
        if key is not None and question.form == "yes-no":
            question = replace(question, form="one")
        if key is None or question.form not in TABLE_FORMS:
            self.end()
            return question
        table = (key, question.form, *question.choice_names)
        if table != self._last:
            self._last, self._of = table, self._gathering.group(wish, "table")
        return replace(question, of=self._of)
