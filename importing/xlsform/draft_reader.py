"""Makes a draft from an XLSForm, with the outcome of each row. A file is refused only if nothing of it can be
imported."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from importing import remarks
from importing.draft_check import find_refusal
from importing.faults import Fault, FileRefused
from importing.import_result import CHANGED, ImportedRow, ImportResult, left_out_row, shorten
from importing.row_outcome_collector import Texts, join_texts
from importing.xlsform import settings_sheet
from importing.xlsform.choice_questions import read_lists
from importing.xlsform.sheet_columns import SheetColumns, read_columns
from importing.xlsform.survey_sheet import SurveyReader
from importing.xlsform.workbook import MOST_BLANK_AT_END, FormSheets, Sheet, read as read_workbook
from privacy.designs import InputError
from privacy.designs.design import FORMAT
from surveys.draft_json import Draft
from surveys.questionnaire.problems_and_refusals import reason_text

MOST_BARRED = 10
"""Highest number of rows that the row reader accepts but no design can contain; each costs another reading of
the form."""


def read(data: bytes) -> ImportResult:
    """Returns the draft in an XLSForm with the outcome of each row; raises `FileRefused` if no question can be
    imported."""
    return read_sheets(read_workbook(data))


def read_sheets(form: FormSheets) -> ImportResult:
    """Returns the draft in the sheets of a form, with the outcome of each row."""
    sheets, unread = form
    columns = read_columns(sheets)
    lists, said_of_choices = read_lists(columns, sheets["choices"])
    settings, wrong = settings_sheet.read(columns, sheets["settings"])
    lines = [*columns.left_out_rows, *(left_out_row(fault) for fault in wrong)]
    barred: dict[int, str] = {}
    while True:
        reader = SurveyReader(columns, lists, barred)
        reader.read(sheets["survey"])
        held = reader.log.pop_queued_texts()
        draft = _make_draft(columns, settings, reader, held)
        refusal = find_refusal(draft)
        if refusal is None:
            break
        _exclude_refused_row(refusal, reader, settings, barred, lines)
    ends = [line for sheet in sheets.values() for line in _unread_end_remarks(sheet)]
    if not columns.literal and not any((lines, reader.log.lines, said_of_choices, ends)):
        location = _("sheet %(sheet)s") % {"sheet": "survey"}
        if sheets["survey"].rows:
            reason = _("has no row that asks; its first row must be the header")
        else:
            reason = _("is an empty template: a header without rows. Fill in a row for each question")
        raise FileRefused([Fault(location, reason)])
    said = [*reader.remarks(), *([str(remarks.SHOWN_AS_THANKS)] if held else [])]
    if unread:
        names = ", ".join(map(shorten, unread))
        said.append(_("These sheets were not read: %(sheets)s.") % {"sheets": names})
    return reader.log.result(
        draft, said, before=lines, after=[*said_of_choices, *ends], may_be_empty=columns.literal
    )


def _unread_end_remarks(sheet: Sheet) -> Iterator[ImportedRow]:
    """Yields remarks about a sheet that was not read to its end."""
    last = sheet.rows[-1].location if sheet.rows else sheet.name
    if sheet.cut:
        yield left_out_row(Fault(last, _("has more rows below it than a questionnaire; they are left out")))
    if sheet.ends_early:
        reason = _("%(blank)s empty rows follow it; whatever stands below them is left out")
        yield ImportedRow(last, "", CHANGED, (reason % {"blank": MOST_BLANK_AT_END},))


def _make_draft(columns: SheetColumns, settings: dict[str, Any], reader: SurveyReader, held: Texts) -> Draft:
    sections = [section.as_json() for section in reader.sections.built]
    draft = {"format": FORMAT, "languages": columns.languages, **settings, "sections": sections}
    if held:
        draft["thanks"] = join_texts(held, settings.get("thanks", {}))
    return draft


def _exclude_refused_row(
    refusal: InputError,
    reader: SurveyReader,
    settings: dict[str, Any],
    barred: dict[int, str],
    lines: list[ImportedRow],
) -> None:
    """Finds the row or setting that makes the draft invalid, and excludes it from the next attempt.

    Raises `FileRefused` if neither caused it, or if too many rows are excluded already.
    """
    path, reason = refusal.path, reason_text(refusal)
    while path and path not in reader.rows:
        path = path.rpartition("." if path.rfind(".") > path.rfind("[") else "[")[0]
    row = reader.rows.get(path)
    setting = refusal.path.partition(".")[0]
    if row and row.number not in barred and len(barred) < MOST_BARRED:
        barred[row.number] = reason
    elif setting in settings:
        del settings[setting]
        location = _("sheet %(sheet)s") % {"sheet": "settings"}
        lines.append(left_out_row(Fault(location, f"{refusal.path}: {reason}")))
    else:
        raise FileRefused([row.fault(reason) if row else Fault(refusal.path, reason)])
