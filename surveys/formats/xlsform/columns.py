"""The columns of the three sheets: what each is about, and in which language."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from django.utils.translation import gettext as _

from privacy.grammar.texts import MOST_LANGUAGES
from surveys.formats.faults import Fault
from surveys.formats.language_names import language_of
from surveys.formats.markup import plain_text
from surveys.formats.read_through import CHANGED, ReadLine, left
from surveys.formats.xlsform.names import split_column
from surveys.formats.xlsform.types import CANNOT_BE
from surveys.formats.xlsform.workbook import Sheet, SheetRow, place_of

REFERENCES = re.compile(r"\$\{[^{}]{0,300}\}")
NOT = ("no", "false", "false()", "0")
TEXTS = ("title", "asker", "why", "intro", "consent", "thanks")
OURS = {
    "survey": {"name", "section", "keep", "asked", "noise", "role", "form", "group", "none", "order"}
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
        "disabled",
        *CANNOT_BE,
    },
    "choices": {"list_name", "name", "label"},
    "settings": {"form_title", "form_id", "default_language", "version", "id_string", "style"},
}
ALIASES = {
    "relevance": "relevant",
    "skip_logic": "relevant",
    "command": "type",
    "caption": "label",
    "calculate": "calculation",
    "tag": "name",
    "value": "name",
    "list": "list_name",
    "read_only": "readonly",
    "title": "form_title",
    "set_form_title": "form_title",
    "jr:count": "repeat_count",
}
PREFIXES = frozenset({"bind", "body", "control"})
"""Before the name of a column, as in bind::relevant; they say nothing of its language."""


class SheetColumn(NamedTuple):
    """`about` without its language; `language` is a code, or empty where the column names none."""

    about: str
    language: str


@dataclass
class SheetColumns:
    """What the headers of a file mean, the languages in the order in which they come up, and what is ignored.

    In a file that Candor wrote words stand as they are (`literal`); others have markup in them.
    """

    default: str = ""
    found: dict[tuple[str, str], SheetColumn] = field(default_factory=dict)
    languages: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    left: list[ReadLine] = field(default_factory=list)
    literal: bool = False

    def texts(self, row: SheetRow, about: str) -> dict[str, str]:
        return {code: self.words(text) for code, text in self._written(row, about).items()}

    def words(self, text: str) -> str:
        """Without markup and without earlier answers."""
        bare = text if self.literal else plain_text(text)
        return REFERENCES.sub("…", bare)

    def changes(self, row: SheetRow, *abouts: str) -> Iterator[str]:
        """What `texts` changes in words that stand in this row, to be remarked."""
        written = [text for about in abouts for text in self._written(row, about).values()]
        if not self.literal and any(plain_text(text) != text for text in written):
            yield markup_removed()
        if any(REFERENCES.search(text) for text in written):
            yield _(
                "It repeats an earlier answer (${…}), and every word here is the same for everyone: "
                "“…” is shown instead."
            )

    def _written(self, row: SheetRow, about: str) -> dict[str, str]:
        said: dict[str, str] = {}
        for language, header in self._of(row.sheet, about):
            if text := row.cells.get(header):
                said.setdefault(language or self.default, text)
        return {code: text for code in self.languages if (text := said.get(code))}

    def text(self, row: SheetRow, about: str) -> str:
        """A cell that has no language, without spaces around it."""
        cells = (row.get(header) for _language, header in self._of(row.sheet, about))
        return next((cell for cell in cells if cell), "")

    def _of(self, sheet: str, about: str) -> list[tuple[str, str]]:
        return self._headers.get((sheet, about), [])

    @cached_property
    def _headers(self) -> dict[tuple[str, str], list[tuple[str, str]]]:
        found: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for (sheet, header), (about, language) in self.found.items():
            found.setdefault((sheet, about), []).append((language, header))
        return found


def markup_removed() -> str:
    return _("Its markup was turned into plain text.")


def read_columns(sheets: Mapping[str, Sheet]) -> SheetColumns:
    columns = SheetColumns()
    unknown: list[tuple[str, str, str]] = []
    for name, sheet in sheets.items():
        for column in sheet.doubled:
            reason = _("appears twice; the first column of this name is read")
            columns.left.append(left(Fault(place_of(name, 1), reason), column))
        present = {split_column(header)[0] for header in sheet.header}
        for header in sheet.header:
            about, written = _meaning(header, present)
            named = _is_text(name, about) and written.lower() not in ("", "default")
            language = language_of(written) if named else ""
            if language is None:
                unknown.append((name, header, about))
            elif _is_known(name, about):
                columns.found[name, header] = SheetColumn(about, language)
            else:
                columns.ignored.append(header)
    _settle_unknown(columns, unknown)
    _settle_languages(columns, sheets)
    _leave_doubled(columns)
    columns.literal = any(column.about == "candor_title" for column in columns.found.values())
    return columns


def _meaning(header: str, present: Collection[str]) -> tuple[str, str]:
    """What a column is about, and its language as written."""
    about, written = split_column(header)
    if about in PREFIXES and written:
        about, written = split_column(written)
    meant = about if about.startswith("candor_") else ALIASES.get(about, about)
    # An alias means something else beside the column that it stands for.
    return (about if meant != about and meant in present else meant), written


def _is_text(sheet: str, about: str) -> bool:
    if sheet == "survey" and about in ("candor_unit", "candor_none"):
        return True
    return about in ("label", "hint") or (sheet == "settings" and about.removeprefix("candor_") in TEXTS)


def _is_known(sheet: str, about: str) -> bool:
    ours = about.startswith("candor_") and about.removeprefix("candor_") in OURS[sheet]
    return ours or about in THEIRS[sheet] or about in ("label", "hint")


def _settle_unknown(columns: SheetColumns, unknown: Sequence[tuple[str, str, str]]) -> None:
    """Leave out the columns in languages that nobody knows; the first such language is read where there is no other."""
    has_labels = any(
        sheet == "survey" and column.about == "label" for (sheet, _h), column in columns.found.items()
    )
    chosen = ""
    for sheet, header, about in unknown:
        written = split_column(header)[1]
        chosen = chosen or ("" if has_labels else written)
        if written == chosen:
            columns.found[sheet, header] = SheetColumn(about, "")
            reason = _(
                "names a language that Candor does not know, so the first language is taken; change it in the draft"
            )
            columns.left.append(ReadLine(place_of(sheet, 1), header, CHANGED, (reason,)))
        else:
            reason = _("names a language that Candor does not know; add its code, as in label::English (en)")
            columns.left.append(left(Fault(place_of(sheet, 1), reason), header))


def _settle_languages(columns: SheetColumns, sheets: Mapping[str, Sheet]) -> None:
    named = list(dict.fromkeys(column.language for column in columns.found.values() if column.language))
    settings = sheets["settings"].rows
    wished = columns.text(settings[0], "default_language") if settings else ""
    default = language_of(wished) if wished and wished != "default" else ""
    if default is None:
        reason = _("default_language is none that Candor knows; write it as in English (en)")
        columns.left.append(left(settings[0].fault(reason), wished))
    columns.default = default or (named[0] if named else "en")
    bare = any(not column.language and column.about in ("label", "hint") for column in columns.found.values())
    first = [columns.default] if bare or columns.default in named or not named else []
    columns.languages = list(dict.fromkeys([*first, *named]))[:MOST_LANGUAGES]


def _leave_doubled(columns: SheetColumns) -> None:
    """Leave out the columns that say the same as an earlier one; where that is empty, their cells are still read."""
    seen: set[tuple[str, str, str]] = set()
    for (sheet, header), column in columns.found.items():
        default = columns.default if _is_text(sheet, column.about) else ""
        key = (sheet, column.about, column.language or default)
        if key in seen:
            reason = _("says the same as another column, and is read only where that one is empty")
            columns.left.append(ReadLine(place_of(sheet, 1), header, CHANGED, (reason,)))
        seen.add(key)


def left_cells(columns: SheetColumns, row: SheetRow, *, is_number: bool = False) -> Iterator[str]:
    """Remarks on the cells of a question that would change what is asked in a way that Candor has no word for."""
    for about, why in CANNOT_BE.items():
        said = columns.text(row, about)
        if said and said.lower() not in NOT and not (is_number and about == "constraint"):
            yield _("The cell %(column)s is left out: it %(reason)s.") % {"column": about, "reason": why}
