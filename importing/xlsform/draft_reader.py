"""Makes a draft from an XLSForm, with the outcome of each row. A file is refused only if nothing of it can be
imported."""

import json
from typing import Any

from django.utils.translation import gettext as _

from importing import draft_check
from importing.faults import Fault, FileRefused
from importing.import_log import Texts, join_texts, shown_as_thanks_text
from importing.import_result import LEFT, ImportedRow, ImportResult, left_out_row, shorten
from importing.xlsform import settings_sheet
from importing.xlsform.choice_questions import read_lists
from importing.xlsform.sheet_columns import SheetColumns, read_columns
from importing.xlsform.survey_sheet import SurveyReader
from importing.xlsform.workbook import read as read_workbook
from privacy.designs import InputError
from privacy.designs.design import FORMAT
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.freezing import design_json_from_draft
from surveys.questionnaire.problems_and_refusals import reason_text

MOST_BARRED = 10
"""Rows that no design could have and that the reader of rows lets through; each costs reading the form again."""


def read(data: bytes) -> ImportResult:
    """Returns the draft and what became of each row; raises `FileRefused` if no question can be imported."""
    sheets, unread = read_workbook(data)
    columns = read_columns(sheets)
    lists, said_of_choices = read_lists(columns, sheets["choices"])
    settings, wrong = settings_sheet.read(columns, sheets["settings"])
    lines = [*columns.left_out_rows, *(left_out_row(fault) for fault in wrong)]
    barred: dict[int, str] = {}
    while True:
        reader = SurveyReader(columns, lists, barred)
        reader.read(sheets["survey"])
        held = reader.log.take_held_texts()
        draft = _make_draft(columns, settings, reader, held)
        refusal = _find_refusal(draft)
        if refusal is None:
            break
        _bar_refused_row(refusal, reader, settings, barred, lines)
    all_lines = [*lines, *reader.log.lines, *said_of_choices]
    _check_for_questions(draft, all_lines, is_ours=columns.literal, is_empty=not sheets["survey"].rows)
    remarks = [*reader.remarks(), *([shown_as_thanks_text()] if held else [])]
    if unread:
        names = ", ".join(map(shorten, unread))
        remarks.append(_("These sheets were not read: %(sheets)s.") % {"sheets": names})
    return ImportResult(read_questionnaire(draft).as_json(), tuple(remarks), tuple(all_lines))


def _make_draft(columns: SheetColumns, settings: dict[str, Any], reader: SurveyReader, held: Texts) -> Draft:
    sections = [section.as_json() for section in reader.sections.built]
    draft = {"format": FORMAT, "languages": columns.languages, **settings, "sections": sections}
    if held:
        draft["thanks"] = join_texts(held, settings.get("thanks", {}))
    return draft


def _find_refusal(draft: Draft) -> InputError | None:
    """Returns why the draft could never become a design; None if it could."""
    if reason := draft_check.too_large_reason(draft):
        raise FileRefused([Fault(_("sheet %(sheet)s") % {"sheet": "survey"}, reason)])
    try:
        draft_check.check_draft(json.loads(design_json_from_draft(draft)))
    except InputError as refusal:
        return refusal
    return None


def _bar_refused_row(
    refusal: InputError,
    reader: SurveyReader,
    settings: dict[str, Any],
    barred: dict[int, str],
    lines: list[ImportedRow],
) -> None:
    """Excludes the refused row or setting from the next attempt.

    Raises `FileRefused` if the refusal concerns neither, or too many rows are excluded already.
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


def _check_for_questions(draft: Draft, lines: list[ImportedRow], *, is_ours: bool, is_empty: bool) -> None:
    """Refuses a form without any question that can be imported; a file that Candor wrote may have none yet."""
    if not lines and not is_ours:
        location = _("sheet %(sheet)s") % {"sheet": "survey"}
        if is_empty:
            reason = _("is an empty template: a header without rows. Fill in a row for each question")
        else:
            reason = _("has no row that asks; its first row must be the header")
        raise FileRefused([Fault(location, reason)])
    lost = [Fault(line.location, remark) for line in lines if line.outcome == LEFT for remark in line.remarks]
    if lost and not any(draft_json.read_questions(section) for section in draft_json.read_sections(draft)):
        raise FileRefused(lost)
