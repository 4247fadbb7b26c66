"""The columns of the three sheets: what each is about, and in which language."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from django.utils.translation import gettext as _

from importing.faults import Fault
from importing.import_result import CHANGED, ReadLine, left
from importing.language_names import language_of, local_codes
from importing.markup_removal import plain_text
from importing.xlsform.allowed_names import split_column
from importing.xlsform.question_types import CANNOT_BE
from importing.xlsform.workbook import Sheet, SheetRow, place_of
from privacy.grammar.texts import MOST_LANGUAGES
from surveys.questionnaire import normal_values
from surveys.questionnaire.questionnaire import TEXTS

RANDOMIZE = "randomize=true"
"""XLSForm's parameter for answers in random order."""
REFERENCES = re.compile(r"\$\{[^{}]{0,300}\}")
NOT = ("no", "false", "false()", "0")
OURS = {
    "survey": {"name", "label", "section", "keep", "asked", "noise", "role", "form", "group", "none", "order"}
    | {
        "limits",
        "number",
        "cuts",
        "rest",
        "keep_rest",
        "mean",
        "quantiles",
        "step",
        "window",
        "uniform",
        "expected_quartiles",
        "unit",
    },
    "choices": {"name", "preset"},
    "settings": {
        *TEXTS,
        "contact",
        "leave_to",
        "logo",
        "accent",
        "minutes",
        "least",
        "retention",
        "open_answers",
        "rehearsal",
        "expected",
    },
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
        "score_choices",
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
    "kobo--score-choices": "score_choices",
}
PREFIXES = frozenset({"bind", "body", "control"})
"""Before the name of a column, as in bind::relevant; they say nothing of its language."""
MEDIA = "media"
PICTURES = frozenset({MEDIA, "image", "big_image", "audio", "video"})
"""Columns that name a picture, a sound or a film."""


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
    by_header: dict[tuple[str, str], SheetColumn] = field(default_factory=dict)
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

    def remarks_on_changed_words(self, row: SheetRow, *columns: str) -> Iterator[str]:
        """What `texts` changes in words that stand in this row, to be remarked."""
        written = [text for about in columns for text in self._written(row, about).values()]
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

    def named_first(self) -> list[tuple[tuple[str, str], SheetColumn]]:
        """All columns; those that name their language before those that do not."""
        return sorted(self.by_header.items(), key=lambda each: not each[1].language)

    def _of(self, sheet: str, about: str) -> list[tuple[str, str]]:
        return self._headers.get((sheet, about), [])

    @cached_property
    def _headers(self) -> dict[tuple[str, str], list[tuple[str, str]]]:
        headers: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for (sheet, header), (about, language) in self.named_first():
            headers.setdefault((sheet, about), []).append((language, header))
        return headers


def markup_removed() -> str:
    return _("Its markup was turned into plain text.")


def read_columns(sheets: Mapping[str, Sheet]) -> SheetColumns:
    columns = SheetColumns()
    unknown: list[tuple[str, str, str]] = []
    for name, sheet in sheets.items():
        for column in sheet.doubled:
            reason = _("appears twice; the second column is read only where the first is empty")
            columns.left.append(left(Fault(place_of(name, sheet.top), reason), column))
        present = {split_column(header)[0] for header in sheet.header}
        for header in sheet.header:
            about, written = _meaning(header, present)
            named = _is_text(name, about) and written.lower() not in ("", "default")
            language = language_of(written) if named else ""
            if language is None:
                unknown.append((name, header, about))
            elif _is_known(name, about):
                columns.by_header[name, header] = SheetColumn(about, language)
            else:
                columns.ignored.append(header)
    _settle_unknown(columns, unknown, sheets)
    _settle_languages(columns, sheets)
    _leave_doubled(columns, sheets)
    columns.literal = any(column.about == "candor_title" for column in columns.by_header.values())
    return columns


def _meaning(header: str, present: Collection[str]) -> tuple[str, str]:
    """What a column is about, and its language as written."""
    about, written = split_column(header)
    if about in PREFIXES and written:
        about, written = split_column(written)
    if about in PICTURES:
        return MEDIA, ""
    meant = about if about.startswith("candor_") else ALIASES.get(about, about)
    # An alias means something else beside the column that it stands for.
    return (about if meant != about and meant in present else meant), written


def _is_text(sheet: str, about: str) -> bool:
    if sheet == "survey" and about in ("candor_label", "candor_unit", "candor_none"):
        return True
    return about in ("label", "hint") or (sheet == "settings" and about.removeprefix("candor_") in TEXTS)


def _is_known(sheet: str, about: str) -> bool:
    ours = about.startswith("candor_") and about.removeprefix("candor_") in OURS[sheet]
    return ours or about in THEIRS[sheet] or about in ("label", "hint", MEDIA)


def _settle_unknown(
    columns: SheetColumns, unknown: Sequence[tuple[str, str, str]], sheets: Mapping[str, Sheet]
) -> None:
    """Give languages that nobody knows codes of their own; the first one is the main language where no other is."""
    has_labels = any(
        sheet == "survey" and column.about == "label" for (sheet, _h), column in columns.by_header.items()
    )
    free = local_codes()
    codes: dict[str, str] = {}
    for sheet, header, about in unknown:
        written = split_column(header)[1]
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
        columns.left.append(ReadLine(place_of(sheet, sheets[sheet].top), header, CHANGED, (reason,)))


def _settle_languages(columns: SheetColumns, sheets: Mapping[str, Sheet]) -> None:
    named = list(dict.fromkeys(column.language for column in columns.by_header.values() if column.language))
    settings = sheets["settings"].rows
    wished = columns.text(settings[0], "default_language") if settings else ""
    default = language_of(wished) if wished and wished != "default" else ""
    if default is None:
        reason = _("default_language is none that Candor knows; write it as in English (en)")
        columns.left.append(left(settings[0].fault(reason), wished))
    columns.default = default or (_unnamed(columns, named) if named else "en")
    bare = any(
        not column.language and column.about in ("label", "hint") for column in columns.by_header.values()
    )
    first = [columns.default] if bare or columns.default in named or not named else []
    columns.languages = list(dict.fromkeys([*first, *named]))[:MOST_LANGUAGES]


def _unnamed(columns: SheetColumns, named: Sequence[str]) -> str:
    """The language of columns that name none: the first that is named, but another where both are of one thing."""
    labels = [
        (sheet, column.language)
        for (sheet, _h), column in columns.by_header.items()
        if column.about == "label"
    ]
    bare = {sheet for sheet, language in labels if not language}
    is_another = any(sheet in bare for sheet, language in labels if language)
    return "en" if is_another and "en" not in named else named[0]


def _leave_doubled(columns: SheetColumns, sheets: Mapping[str, Sheet]) -> None:
    """Leave out the columns that say the same as an earlier one; where that is empty, their cells are still read.

    A column that names its language comes before one that does not.
    """
    seen: set[tuple[str, str, str]] = set()
    for (sheet, header), column in columns.named_first():
        default = columns.default if _is_text(sheet, column.about) else ""
        key = (sheet, column.about, column.language or default)
        if key in seen and column.about != MEDIA:
            reason = _("says the same as another column, and is read only where that one is empty")
            columns.left.append(ReadLine(place_of(sheet, sheets[sheet].top), header, CHANGED, (reason,)))
        seen.add(key)


def left_media(columns: SheetColumns, row: SheetRow) -> Iterator[str]:
    """What is said of a row with a picture."""
    if name := columns.text(row, MEDIA):
        yield _("Its image or recording (%(name)s) is left out: surveys here have words alone.") % {
            "name": name
        }


def left_cells(columns: SheetColumns, row: SheetRow, *, constrained: bool = False) -> Iterator[str]:
    """Remarks on the cells of a question that would change what is asked in a way that Candor has no word for.

    `constrained`: its constraint was read.
    """
    for about, why in CANNOT_BE.items():
        said = columns.text(row, about)
        if said and said.lower() not in NOT and not (constrained and about == "constraint"):
            yield _("The cell %(column)s is left out: it %(reason)s.") % {"column": about, "reason": why}


def probability(written: str) -> str | None:
    """With four places; written with up to four, the first 0 left out or not. None for what is none."""
    return normal_values.normal_probability(f"0{written}" if written.startswith(".") else written)
