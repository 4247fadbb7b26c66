"""The sheet settings of an XLSForm: texts of the start page, and settings of the survey."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from importing.faults import Fault
from importing.xlsform.allowed_names import language_header
from importing.xlsform.sheet_columns import SheetColumns
from importing.xlsform.workbook import Sheet, SheetRow
from privacy.designs.parsing import MOST
from surveys.questionnaire.questionnaire import ALWAYS_STORED, TEXTS, Questionnaire

NUMBERS = ("minutes", "least", "expected")
WHERE_SET = ("leave_to", "logo", "accent")
SWITCHES = ("open_answers", "rehearsal")
YES, NO = "yes", "no"


def read(columns: SheetColumns, sheet: Sheet) -> tuple[dict[str, Any], list[Fault]]:
    """Returns the settings of the draft from the sheet settings, and the faults of the sheet."""
    row = sheet.rows[0] if sheet.rows else SheetRow("settings", 2, {})
    faults: list[Fault] = []
    said: dict[str, Any] = {key: columns.texts(row, f"candor_{key}") for key in TEXTS}
    if not any(column.about == "candor_title" for column in columns.by_header.values()):
        said["title"] = columns.texts(row, "form_title")
    said |= {key: columns.text(row, f"candor_{key}") for key in ("contact", "retention")}
    for key in WHERE_SET:
        if value := columns.text(row, f"candor_{key}"):
            said[key] = value
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


def write(draft: Questionnaire, form_id: str) -> list[list[str]]:
    """Returns the sheet settings of a draft as lines: the header and one row."""
    cells = dict(_named_cells(draft, form_id))
    return [list(cells), list(cells.values())]


def _named_cells(draft: Questionnaire, form_id: str) -> Iterator[tuple[str, str]]:
    yield "form_title", draft.text_with_fallback(draft.title, draft.first_language)
    yield "form_id", form_id
    yield "default_language", language_header(draft.first_language)
    for key in TEXTS:
        if key in ALWAYS_STORED or getattr(draft, key):
            for code in draft.languages:
                yield f"candor_{key}::{language_header(code)}", getattr(draft, key).get(code, "")
    yield "candor_contact", draft.contact
    yield "candor_retention", draft.retention
    for key in WHERE_SET:
        if value := getattr(draft, key):
            yield f"candor_{key}", value
    for key in NUMBERS:
        if (number := getattr(draft, key)) is not None:
            yield f"candor_{key}", str(number)
    for key in SWITCHES:
        yield f"candor_{key}", YES if getattr(draft, key) else NO
