"""The sheet settings: what the start page says, and the terms of the survey."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _

from importing.faults import Fault
from importing.xlsform.columns import TEXTS, SheetColumns
from importing.xlsform.names import language_column
from importing.xlsform.workbook import Sheet, SheetRow
from privacy.designs.parsing import MOST
from surveys import draft as drafts
from surveys.draft import Draft

NUMBERS = ("minutes", "least", "expected")
SWITCHES = ("open_answers", "rehearsal")
YES, NO = "yes", "no"


def read(columns: SheetColumns, sheet: Sheet) -> tuple[dict[str, Any], list[Fault]]:
    row = sheet.rows[0] if sheet.rows else SheetRow("settings", 2, {})
    faults: list[Fault] = []
    said: dict[str, Any] = {key: columns.texts(row, f"candor_{key}") for key in TEXTS}
    if not any(column.about == "candor_title" for column in columns.found.values()):
        said["title"] = columns.texts(row, "form_title")
    said |= {key: columns.text(row, f"candor_{key}") for key in ("contact", "retention")}
    if leave_to := columns.text(row, "candor_leave_to"):
        said["leave_to"] = leave_to
    for key in NUMBERS:
        number = columns.text(row, f"candor_{key}")
        if number and not (number.isascii() and number.isdigit() and int(number[:12]) <= MOST):
            faults.append(row.fault(_("candor_%(key)s is a whole number") % {"key": key}))
        elif number:
            said[key] = int(number)
    for key in SWITCHES:
        switch = columns.text(row, f"candor_{key}").lower()
        if switch not in (YES, NO, "true", "false", ""):
            faults.append(row.fault(_("candor_%(key)s is yes or no") % {"key": key}))
        said[key] = switch in (YES, "true")
    return said, faults


def written(draft: Draft, form_id: str) -> list[list[str]]:
    """The header and the one row."""
    cells = dict(_cells(draft, form_id))
    return [list(cells), list(cells.values())]


def _cells(draft: Draft, form_id: str) -> Iterator[tuple[str, str]]:
    languages: Sequence[str] = drafts.languages(draft)
    yield "form_title", drafts.text_in(draft, "title", languages[0])
    yield "form_id", form_id
    yield "default_language", language_column(languages[0])
    for key in TEXTS:
        texts = draft.get(key) or {}
        for code in languages:
            yield f"candor_{key}::{language_column(code)}", texts.get(code, "")
    for key in ("contact", "retention", *(["leave_to"] if draft.get("leave_to") else [])):
        yield f"candor_{key}", drafts.text(draft, key)
    for key in NUMBERS:
        if key in draft:
            yield f"candor_{key}", str(draft[key])
    for key in SWITCHES:
        yield f"candor_{key}", YES if draft.get(key) is True else NO
