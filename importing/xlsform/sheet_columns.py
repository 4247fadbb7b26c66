"""Recognises the columns of an XLSForm's three sheets: their subject and language."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from django.utils.translation import gettext as _

from importing import remarks
from importing.faults import Fault
from importing.import_result import CHANGED, ImportedRow, left_out_row
from importing.language_names import find_language_code, private_language_codes
from importing.markup_removal import plain_text
from importing.xlsform.allowed_names import split_header
from importing.xlsform.question_types import CANNOT_BE
from importing.xlsform.workbook import Sheet, SheetRow, row_location
from privacy.grammar.translated_texts import MOST_LANGUAGES
from surveys.questionnaire import value_normalization
from surveys.questionnaire.questionnaire import TEXTS

RANDOMIZE = "randomize=true"
"""Parameter of XLSForm for answers in random order."""
REFERENCES = re.compile(r"\$\{[^{}]{0,300}\}")
NOT = ("no", "false", "false()", "0")
OURS = {
    "survey": {
        *("name", "label", "section", "keep", "asked", "noise", "role", "form", "group", "none"),
        *("order", "limits", "number", "cuts", "rest", "keep_rest", "mean", "quantiles", "step"),
        *("window", "uniform", "expected_quartiles", "unit"),
    },
    "choices": {"name", "preset"},
    "settings": {
        *TEXTS,
        *("contact", "leave_to", "logo", "accent", "minutes", "least", "retention", "open_answers"),
        *("rehearsal", "expected"),
    },
}
THEIRS = {
    "survey": {
        *CANNOT_BE,
        *("type", "name", "label", "hint", "required", "relevant", "appearance", "parameters"),
        *("disabled", "score_choices"),
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
    "kobo--score-choices": "score_choices",
}
PREFIXES = frozenset({"bind", "body", "control"})
"""Prefixes of column names, as in bind::relevant; they are no languages."""
MEDIA = "media"
PICTURES = frozenset({MEDIA, "image", "big_image", "audio", "video"})
"""Columns that name a picture, a sound or a video."""


class SheetColumn(NamedTuple):
    """Meaning of a column.

    `about`: its name without language. `language`: its language code, empty if it names none.
    """

    about: str
    language: str


@dataclass
class SheetColumns:
    """The meaning of the headers of a file, its languages in order of appearance, and ignored columns.

    `literal`: Candor wrote the file, so that its texts contain no markup.
    """

    default: str = ""
    by_header: dict[tuple[str, str], SheetColumn] = field(default_factory=dict)
    languages: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    left_out_rows: list[ImportedRow] = field(default_factory=list)
    literal: bool = False

    def texts(self, row: SheetRow, about: str) -> dict[str, str]:
        """Returns the texts of a row's cells by language, without markup and references."""
        return {
            code: self.remove_markup_and_references(text)
            for code, text in self._raw_texts(row, about).items()
        }

    def remove_markup_and_references(self, text: str) -> str:
        """Removes markup and references to earlier answers from a text."""
        bare = text if self.literal else plain_text(text)
        return REFERENCES.sub("…", bare)

    def remarks_on_changed_words(self, row: SheetRow, *columns: str) -> Iterator[str]:
        """Yields remarks if markup, or references to earlier answers, are removed from the texts of these columns."""
        written = [text for about in columns for text in self._raw_texts(row, about).values()]
        if not self.literal and any(plain_text(text) != text for text in written):
            yield str(remarks.MARKUP_REMOVED)
        if any(REFERENCES.search(text) for text in written):
            yield _(
                "It repeats an earlier answer (${…}), and every word here is the same for everyone: "
                "“…” is shown instead."
            )

    def _raw_texts(self, row: SheetRow, about: str) -> dict[str, str]:
        """Returns the texts of a row's cells by language, as written in the file."""
        said: dict[str, str] = {}
        for language, header in self._headers_of(row.sheet, about):
            if text := row.cells.get(header):
                said.setdefault(language or self.default, text)
        return {code: text for code in self.languages if (text := said.get(code))}

    def text(self, row: SheetRow, about: str) -> str:
        """Returns the stripped cell of a column without languages."""
        cells = (row.get(header) for _language, header in self._headers_of(row.sheet, about))
        return next((cell for cell in cells if cell), "")

    def columns_with_language_first(self) -> list[tuple[tuple[str, str], SheetColumn]]:
        """Returns all columns, those that name their language first."""
        return sorted(self.by_header.items(), key=lambda each: not each[1].language)

    def _headers_of(self, sheet: str, about: str) -> list[tuple[str, str]]:
        return self._headers.get((sheet, about), [])

    @cached_property
    def _headers(self) -> dict[tuple[str, str], list[tuple[str, str]]]:
        headers: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for (sheet, header), (about, language) in self.columns_with_language_first():
            headers.setdefault((sheet, about), []).append((language, header))
        return headers


def read_columns(sheets: Mapping[str, Sheet]) -> SheetColumns:
    """Returns the columns of the sheets, with remarks on columns that are not recognised."""
    columns = SheetColumns()
    unknown: list[tuple[str, str, str]] = []
    for name, sheet in sheets.items():
        for column in sheet.doubled:
            reason = _("appears twice; the second column is read only where the first is empty")
            columns.left_out_rows.append(left_out_row(Fault(row_location(name, sheet.top), reason), column))
        present = {split_header(header)[0] for header in sheet.header}
        for header in sheet.header:
            about, written = _parse_header(header, present)
            named = _has_languages(name, about) and written.lower() not in ("", "default")
            language = find_language_code(written) if named else ""
            if language is None:
                unknown.append((name, header, about))
            elif _is_known_column(name, about):
                columns.by_header[name, header] = SheetColumn(about, language)
            else:
                columns.ignored.append(header)
    _name_unknown_languages(columns, unknown, sheets)
    _choose_languages(columns, sheets)
    _remark_doubled_columns(columns, sheets)
    columns.literal = any(column.about == "candor_title" for column in columns.by_header.values())
    return columns


def _parse_header(header: str, present: Collection[str]) -> tuple[str, str]:
    """Returns the standard name of a column, and its language as written in the header."""
    about, written = split_header(header)
    if about in PREFIXES and written:
        about, written = split_header(written)
    if about in PICTURES:
        return MEDIA, ""
    meant = about if about.startswith("candor_") else ALIASES.get(about, about)
    # An alias means something else beside the column that it stands for.
    return (about if meant != about and meant in present else meant), written


def _has_languages(sheet: str, about: str) -> bool:
    """True if the column contains texts, which have languages."""
    if sheet == "survey" and about in ("candor_label", "candor_unit", "candor_none"):
        return True
    texts = ("form_title", *TEXTS) if sheet == "settings" else ("label", "hint")
    return about.removeprefix("candor_") in texts


def _is_known_column(sheet: str, about: str) -> bool:
    ours = about.startswith("candor_") and about.removeprefix("candor_") in OURS[sheet]
    return ours or about in THEIRS[sheet] or about in ("label", "hint", MEDIA)


def _name_unknown_languages(
    columns: SheetColumns, unknown: Sequence[tuple[str, str, str]], sheets: Mapping[str, Sheet]
) -> None:
    """Assigns private codes to unrecognised languages; the first becomes the main language if there is no other."""
    has_labels = any(
        sheet == "survey" and column.about == "label" for (sheet, _h), column in columns.by_header.items()
    )
    free = private_language_codes()
    codes: dict[str, str] = {}
    for sheet, header, about in unknown:
        written = split_header(header)[1]
        if written not in codes:
            codes[written] = next(free, "") if codes or has_labels else ""
        columns.by_header[sheet, header] = SheetColumn(about, codes[written])
        if codes[written]:
            reason = _(
                "names a language that Candor does not know; it is called %(code)s here. Write the code of the"
                " language into the header, as in label::English (en), and read the file again"
            ) % {"code": codes[written]}
        else:
            reason = _(
                "names a language that Candor does not know, so the first language is taken; change it in the draft"
            )
        columns.left_out_rows.append(
            ImportedRow(row_location(sheet, sheets[sheet].top), header, CHANGED, (reason,))
        )


def _choose_languages(columns: SheetColumns, sheets: Mapping[str, Sheet]) -> None:
    """Sets the languages of the draft and its main language."""
    named = list(dict.fromkeys(column.language for column in columns.by_header.values() if column.language))
    settings = sheets["settings"].rows
    wished = columns.text(settings[0], "default_language") if settings else ""
    default = find_language_code(wished) if wished and wished != "default" else ""
    if default is None:
        reason = _("default_language is none that Candor knows; write it as in English (en)")
        columns.left_out_rows.append(left_out_row(settings[0].fault(reason), wished))
    columns.default = default or (_language_of_unnamed_columns(columns, named) if named else "en")
    bare = any(
        not column.language and column.about in ("label", "hint") for column in columns.by_header.values()
    )
    first = [columns.default] if bare or columns.default in named or not named else []
    columns.languages = list(dict.fromkeys([*first, *named]))[:MOST_LANGUAGES]


def _language_of_unnamed_columns(columns: SheetColumns, named: Sequence[str]) -> str:
    """Returns the language of columns whose header names none: the first language that other headers name.

    It is English if a sheet has a label column of each kind, with and without a language, and no header names English.
    """
    labels = [
        (sheet, column.language)
        for (sheet, _h), column in columns.by_header.items()
        if column.about == "label"
    ]
    bare = {sheet for sheet, language in labels if not language}
    is_another = any(sheet in bare for sheet, language in labels if language)
    return "en" if is_another and "en" not in named else named[0]


def _remark_doubled_columns(columns: SheetColumns, sheets: Mapping[str, Sheet]) -> None:
    """Adds remarks on columns with the same meaning as another column.

    Their cells are used only where the other column's is empty. A column that names its language takes precedence.
    """
    seen: set[tuple[str, str, str]] = set()
    for (sheet, header), column in columns.columns_with_language_first():
        default = columns.default if _has_languages(sheet, column.about) else ""
        key = (sheet, column.about, column.language or default)
        if key in seen and column.about != MEDIA:
            reason = _("says the same as another column, and is read only where that one is empty")
            columns.left_out_rows.append(
                ImportedRow(row_location(sheet, sheets[sheet].top), header, CHANGED, (reason,))
            )
        seen.add(key)


def media_remarks(columns: SheetColumns, row: SheetRow) -> Iterator[str]:
    """Yields a remark if the row has a picture or a recording."""
    if name := columns.text(row, MEDIA):
        yield _("Its image or recording (%(name)s) is left out: surveys here have words alone.") % {
            "name": name
        }


def left_out_cell_remarks(columns: SheetColumns, row: SheetRow, read: Collection[str]) -> Iterator[str]:
    """Yields a remark on each cell of a row whose effect on the questions Candor cannot express.

    `read`: names of the columns that the reader can express; they get none.
    """
    for about, why in CANNOT_BE.items():
        said = columns.text(row, about)
        if about not in read and said and (about == "default" or said.lower() not in NOT):
            yield _("The cell %(column)s is left out: it %(reason)s.") % {"column": about, "reason": why}


def parse_probability(text: str) -> str | None:
    """Returns a probability with four decimals; None if the text is no probability.

    The text may have fewer decimals, and no leading 0.
    """
    return value_normalization.normal_probability(f"0{text}" if text.startswith(".") else text)
