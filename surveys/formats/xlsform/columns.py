"""The columns of the three sheets: what each is about, and in which language."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from django.utils.translation import gettext as _

from surveys.formats.faults import Fault
from surveys.formats.xlsform.names import language_of, split_column
from surveys.formats.xlsform.types import CANNOT_BE, RowType, type_of
from surveys.formats.xlsform.workbook import Sheet, SheetRow, place_of

TEXTS = ("title", "asker", "why", "intro", "consent", "thanks")
OURS = {
    "survey": {"name", "section", "keep", "asked", "noise", "role", "form", "group"}
    | {"thresholds", "mean", "quantiles", "step", "window", "uniform", "expected_quartiles", "unit"},
    "choices": {"name", "preset"},
    "settings": {*TEXTS, "contact", "minutes", "least", "retention", "open_answers", "rehearsal", "expected"},
}
THEIRS = {
    "survey": {
        "type",
        "name",
        "label",
        "hint",
        "required",
        "relevant",
        "appearance",
        "parameters",
        *CANNOT_BE,
    },
    "choices": {"list_name", "name", "label"},
    "settings": {"form_title", "form_id", "default_language", "version", "id_string", "style"},
}
ALIASES = {
    "relevance": "relevant",
    "command": "type",
    "caption": "label",
    "list": "list_name",
    "read_only": "readonly",
    "title": "form_title",
    "set_form_title": "form_title",
}


class SheetColumn(NamedTuple):
    """`about` without its language; `language` is a code, or empty where the column names none."""

    about: str
    language: str


@dataclass
class SheetColumns:
    """What the headers of a file mean, the languages in the order in which they come up, and what is ignored."""

    default: str = ""
    found: dict[tuple[str, str], SheetColumn] = field(default_factory=dict)
    languages: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def texts(self, row: SheetRow, about: str) -> dict[str, str]:
        said = {
            language or self.default: row.cells.get(header) for language, header in self._of(row.sheet, about)
        }
        return {code: text for code in self.languages if (text := said.get(code))}

    def text(self, row: SheetRow, about: str) -> str:
        """A cell that has no language, without spaces around it."""
        return next((row.get(header) for _language, header in self._of(row.sheet, about)), "")

    def _of(self, sheet: str, about: str) -> list[tuple[str, str]]:
        return self._headers.get((sheet, about), [])

    @cached_property
    def _headers(self) -> dict[tuple[str, str], list[tuple[str, str]]]:
        found: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for (sheet, header), (about, language) in self.found.items():
            found.setdefault((sheet, about), []).append((language, header))
        return found


def read_columns(sheets: Mapping[str, Sheet]) -> tuple[SheetColumns, list[Fault]]:
    columns, faults = SheetColumns(), []
    for name, sheet in sheets.items():
        for header in sheet.header:
            about, written = split_column(header)
            about = about if about.startswith("candor_") else ALIASES.get(about, about)
            named = _is_text(name, about) and written.lower() not in ("", "default")
            language = language_of(written) if named else ""
            if language is None:
                reason = _(
                    "the column %(column)s names a language that Candor does not know; add its code, as in"
                    " label::English (en)"
                )
                faults.append(Fault(place_of(name, 1), reason % {"column": header}))
            elif _is_known(name, about):
                columns.found[name, header] = SheetColumn(about, language)
            elif about.startswith("candor_"):
                reason = _("there is no column %(column)s") % {"column": header}
                faults.append(Fault(place_of(name, 1), reason))
            else:
                columns.ignored.append(header)
    faults += _settle_languages(columns, sheets)
    faults += _doubled(columns)
    return columns, faults


def _is_text(sheet: str, about: str) -> bool:
    if sheet == "survey" and about == "candor_unit":
        return True
    return about in ("label", "hint") or (sheet == "settings" and about.removeprefix("candor_") in TEXTS)


def _is_known(sheet: str, about: str) -> bool:
    ours = about.startswith("candor_") and about.removeprefix("candor_") in OURS[sheet]
    return ours or about in THEIRS[sheet] or about in ("label", "hint")


def _settle_languages(columns: SheetColumns, sheets: Mapping[str, Sheet]) -> Iterator[Fault]:
    named = list(dict.fromkeys(column.language for column in columns.found.values() if column.language))
    settings = sheets["settings"].rows
    wished = columns.text(settings[0], "default_language") if settings else ""
    default = language_of(wished) if wished and wished != "default" else ""
    if default is None:
        reason = _("default_language is none that Candor knows; write it as in English (en)")
        yield settings[0].fault(reason)
    columns.default = default or (named[0] if named else "en")
    bare = any(not column.language and column.about in ("label", "hint") for column in columns.found.values())
    first = [columns.default] if bare or columns.default in named or not named else []
    columns.languages = list(dict.fromkeys([*first, *named]))


def _doubled(columns: SheetColumns) -> Iterator[Fault]:
    seen: set[tuple[str, str, str]] = set()
    for (sheet, header), column in columns.found.items():
        key = (
            sheet,
            column.about,
            column.language or (columns.default if _is_text(sheet, column.about) else ""),
        )
        if key in seen:
            reason = _("the column %(column)s says the same as another one") % {"column": header}
            yield Fault(place_of(sheet, 1), reason)
        seen.add(key)


def unusable(columns: SheetColumns, rows: Iterable[SheetRow]) -> Iterator[Fault]:
    """Cells of the sheet survey that would change what is asked in a way that Candor has no word for."""
    for row in rows:
        found = type_of(columns.text(row, "type"))
        is_number = isinstance(found, RowType) and found.kind == "number"
        for about, why in CANNOT_BE.items():
            if columns.text(row, about) and not (is_number and about == "constraint"):
                yield row.fault(f"{about}: {why}")
