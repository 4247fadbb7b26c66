"""Errors that pyxform, the reference reader of XLSForms, finds in a form. Its Java validator is not used."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from surveys.formats.faults import Fault
from surveys.formats.xlsform.columns import SheetColumns
from surveys.formats.xlsform.names import language_column
from surveys.formats.xlsform.types import RowType, type_of
from surveys.formats.xlsform.workbook import Sheet, SheetRow, place_of

PLACE = re.compile(r"\[row : (\d{1,9})\]")


def complaints(columns: SheetColumns, sheets: Mapping[str, Sheet]) -> Iterator[Fault]:
    """The errors of a form without other faults; pyxform gets only the cells that were read."""
    from pyxform.errors import PyXFormError  # late for cost

    survey = [_survey(columns, row) for row in _every(sheets["survey"])]
    choices = [_choice(columns, row) for row in _every(sheets["choices"])]
    settings = [
        {"form_id": "form", "form_title": "form", "default_language": language_column(columns.default)}
    ]
    book = {"survey": survey, "choices": choices, "settings": settings}
    headers = {f"{name}_header": [_header(name, rows)] for name, rows in book.items()}
    try:
        _convert({**book, **headers, "sheet_names": list(book)})
    except RecursionError:
        yield Fault(_("the file"), _("is nested too deeply"))
    except PyXFormError as error:
        said = str(error)
        found = PLACE.search(said)
        sheet = "choices" if "'choices' sheet" in said else "survey"
        place = place_of(sheet, int(found[1])) if found else _("the file")
        words = " ".join(part.strip() for part in PLACE.split(said)[::2])
        yield Fault(place, _("pyxform says: %(words)s") % {"words": words.strip()})


def _convert(book: dict[str, Any]) -> None:
    """Same as pyxform.xls2xform.convert, without writing a file."""
    from pyxform.builder import create_survey_element_from_dict  # late for cost
    from pyxform.xls2json import workbook_to_json  # late for cost
    from pyxform.xls2json_backends import get_xlsform  # late for cost

    create_survey_element_from_dict(workbook_to_json(get_xlsform(book))).xml()


def _header(sheet: str, rows: Iterable[Mapping[str, str]]) -> dict[str, None]:
    needed = {"survey": ("type", "name"), "choices": ("list_name", "name")}.get(sheet, ())
    return dict.fromkeys([*needed, *(key for row in rows for key in row)])


def _every(sheet: Sheet) -> Iterator[SheetRow | None]:
    """The rows with the empty ones between them, so that pyxform counts as the spreadsheet does."""
    number = 2
    for row in sheet.rows:
        yield from (None for _empty in range(row.number - number))
        yield row
        number = row.number + 1


def _survey(columns: SheetColumns, row: SheetRow | None) -> dict[str, Any]:
    found = type_of(columns.text(row, "type")) if row else None
    if row is None or not isinstance(found, RowType):
        return {}
    kinds = {
        "one": "select_one",
        "many": "select_multiple",
        "number": "integer",
        "begin": "begin_group",
        "end": "end_group",
    }
    cells = {"type": f"{kinds[found.kind]} {found.choices}".strip()}
    cells |= {about: text for about in ("name", "relevant") if (text := columns.text(row, about))}
    if found.kind in ("one", "many", "number"):
        # A question that still has no words is no mistake of an unfinished form.
        labels = _texts(columns, row, "label")
        cells |= labels or {f"label::{language_column(columns.default)}": cells["name"]}
    return cells | _texts(columns, row, "hint")


def _choice(columns: SheetColumns, row: SheetRow | None) -> dict[str, Any]:
    if row is None:
        return {}
    cells = {about: columns.text(row, about) for about in ("list_name", "name")}
    return {about: text for about, text in cells.items() if text} | _texts(columns, row, "label")


def _texts(columns: SheetColumns, row: SheetRow, about: str) -> dict[str, str]:
    return {f"{about}::{language_column(code)}": text for code, text in columns.texts(row, about).items()}
