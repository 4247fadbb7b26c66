"""Reads translations from files: XLIFF 2, the format of translators' tools, or a CSV table, recognised by
content.

Runs in the process that reads uploads, so it has no access to drafts.
"""

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from xml.etree.ElementTree import Element

from django.utils.translation import gettext as _

from importing.delimited_text import decode, numbered_rows
from importing.faults import file_refusal
from importing.import_result import shorten
from importing.safe_xml import LINE, local_name, looks_like_xml, parse_xml
from importing.safe_zip import ZIP
from privacy.designs.formula_escape import unescape_formula
from surveys.questionnaire.value_normalization import normal_text

METADATA = "urn:oasis:names:tc:xliff:metadata:2.0"
EXPORTED = "exported-translation"
"""Type of the XLIFF metadata that contains the digest of the exported translation."""
CORE = "urn:oasis:names:tc:xliff:document:2.0"
READABLE = (CORE, "urn:oasis:names:tc:xliff:document:2.2")
"""XML namespaces of XLIFF 2.0 and 2.1, and of 2.2, whose core is the same."""
COLUMNS = ("id", "context", "limit")
MOST_COLUMNS = 200
FIRST_CELL = re.compile(r"""\s*"?id"?([,;\t])""", re.IGNORECASE)
"""Pattern of the first cell with its separator: German, French and other spreadsheets separate cells by
semicolons, and "Unicode text" by tabs."""


@dataclass(frozen=True)
class FileUnit:
    """A text of a translation file by language, with its original; `location` is its row or line.

    `unread`: the reason, by language, why a translation cannot be read. `exported`: the digest of the translation as it
    was exported, by language; only XLIFF contains it.
    """

    id: str
    location: str
    texts: Mapping[str, str] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)
    exported: Mapping[str, str] = field(default_factory=dict)

    def is_as_exported(self, language: str) -> bool:
        """True if nobody has changed this translation since the export."""
        return text_digest(self.texts.get(language, "")) == self.exported.get(language)


@dataclass(frozen=True)
class TranslationFile:
    """The units of a file, and the languages of its translations.

    `source_language`: the language of the originals in XLIFF; empty for a table, which has the originals
    among its languages.
    """

    source_language: str
    languages: tuple[str, ...]
    units: tuple[FileUnit, ...] = ()


def read(data: bytes) -> TranslationFile:
    """Returns the translations in an XLIFF 2 or CSV file; raises `FileRefused` for any other file."""
    if data.startswith(ZIP):
        raise file_refusal(_("is a spreadsheet or an archive; save it as CSV UTF-8, or unpack it"))
    return read_xliff(data) if looks_like_xml(data) else read_csv(data)


def text_digest(text: str) -> str:
    """Returns a digest of a translation, stored in an exported file to detect edits."""
    return sha256(text.encode()).hexdigest()[:16]


def language_code(text: str) -> str:
    """Returns a language code in lower case with hyphens, as drafts use it; tools write zh-Hans or pt_BR."""
    return text.strip().lower().replace("_", "-")


# --- XLIFF


def read_xliff(data: bytes) -> TranslationFile:
    """Returns the translations in an XLIFF file (2.0 to 2.2); raises `FileRefused` for any other file."""
    root = parse_xml(data)
    namespace, _space, name = root.tag.rpartition(" ")
    if name != "xliff":
        raise file_refusal(_("is XML, but no XLIFF; export it from your translation tool as XLIFF 2"))
    if namespace not in READABLE:
        raise file_refusal(_("is XLIFF of another version; export it from your translation tool as XLIFF 2"))
    source, target = (language_code(root.get(name) or "") for name in ("srcLang", "trgLang"))
    if not source or not target:
        raise file_refusal(
            _("does not say its languages (srcLang, trgLang); use the file that was exported here")
        )
    units = (
        _read_unit(unit, source, target)
        for unit in root.iter(f"{namespace} unit")
        if unit.get("translate") != "no"
    )
    return TranslationFile(source, (target,), tuple(units))


def _read_unit(unit: Element, source: str, target: str) -> FileUnit:
    """Returns a unit of text with its segments joined; a tool may have split the text, or reordered its sentences."""
    codes = _Codes(unit)
    segments = [part for part in unit if local_name(part) in ("segment", "ignorable")]
    originals, ordered, is_complete, is_copy = "", list[tuple[int, str]](), True, True
    for number, segment in enumerate(segments, 1):
        texts = {local_name(child): child for child in segment}
        original = codes.text_of(texts.get("source"), in_source=True)
        originals += original
        if "target" in texts:
            order = texts["target"].get("order") or ""
            position = int(order) if order.isascii() and order.isdigit() and len(order) < 6 else number
            translation = codes.text_of(texts["target"])
            ordered.append((position, translation))
            is_copy &= translation == original and segment.get("state", "initial") == "initial"
        else:
            is_complete &= local_name(segment) == "ignorable" or not original.strip()
            ordered.append((number, original))
    words = "".join(translation for _position, translation in sorted(ordered, key=lambda item: item[0]))
    location = _("line %(number)s") % {"number": unit.get(LINE)}
    metas = (meta for meta in unit.iter(f"{METADATA} meta") if meta.get("type") == EXPORTED)
    exported = [(meta.text or "").strip() for meta in metas]
    unread = ""
    if codes.unknown:
        unread = _("It has a code that the file does not explain: %(codes)s") % {
            "codes": shorten(", ".join(codes.unknown))
        }
    elif is_copy and is_complete and words.strip():
        unread = _("It is the same as the original, and the file does not mark it as translated.")
    given = is_complete and words.strip() and not unread
    return FileUnit(
        unit.get("id") or "",
        location,
        {source: normal_text(originals), **({target: normal_text(words)} if given else {})},
        {target: unread} if unread else {},
        {target: exported[-1]} if exported else {},
    )


class _Codes:
    """The inline codes of a unit, with the texts that they represent, found in their data or in the same code
    of the source.

    `unknown` collects codes of the target that represent no text.
    """

    def __init__(self, unit: Element) -> None:
        self.data: dict[str, str] = {}
        self.of_source: dict[tuple[str, str], str] = {}
        self.unknown: list[str] = []
        for data in (data for part in unit if local_name(part) == "originalData" for data in part):
            self.data[data.get("id") or ""] = "".join(_characters(data))

    def text_of(self, element: Element | None, in_source: bool = False) -> str:
        return "" if element is None else "".join(self._pieces(element, in_source))

    def _pieces(self, element: Element, in_source: bool) -> Iterator[str]:
        yield element.text or ""
        for child in element:
            name = local_name(child)
            if name == "cp":
                yield _character_of_cp_element(child)
            elif name in ("ph", "sc", "ec"):
                yield self._inline_code_text(child, "dataRef", in_source)
            elif name == "pc":
                yield self._inline_code_text(child, "dataRefStart", in_source)
                yield from self._pieces(child, in_source)
                yield self._inline_code_text(child, "dataRefEnd", in_source)
            elif name == "mrk":
                yield from self._pieces(child, in_source)
            yield child.tail or ""

    def _inline_code_text(self, element: Element, reference: str, in_source: bool) -> str:
        keys = [element.get(name) or "" for name in ("id", "copyOf", "startRef")]
        text = self.data.get(element.get(reference) or "")
        if text is None:
            text = next(
                (self.of_source[key, reference] for key in keys if (key, reference) in self.of_source), None
            )
        if in_source and text is not None:
            self.of_source[keys[0], reference] = text
        if text is None and not in_source:
            self.unknown.append(f"<{local_name(element)} id={keys[0]}>")
        return text or ""


def _characters(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield _character_of_cp_element(child)
        yield child.tail or ""


def _character_of_cp_element(element: Element) -> str:
    digits = element.get("hex") or ""
    is_number = 0 < len(digits) <= 6 and all(digit in "0123456789abcdefABCDEF" for digit in digits)
    return chr(int(digits, 16)) if is_number and int(digits, 16) <= 0x10FFFF else ""


# --- CSV


def read_csv(data: bytes) -> TranslationFile:
    """Returns the translations in a CSV table; raises `FileRefused` for any other file."""
    text = decode(data)
    separator = FIRST_CELL.match(text)
    if separator is None:
        raise file_refusal(
            _("is neither XLIFF nor a CSV table of translations; its first column must be named id")
        )
    rows = numbered_rows(text, separator[1])
    header = [language_code(cell) for _number, cells in itertools.islice(rows, 1) for cell in cells]
    languages = [code for code in header if code and code not in COLUMNS]
    if len(header) > MOST_COLUMNS or not languages:
        raise file_refusal(_("has no columns of languages behind id, context and limit"))
    if len(set(languages)) < len(languages):
        raise file_refusal(_("has two columns of the same language; delete one"))
    units = [
        _read_row(number, dict(zip(header, cells, strict=False)), languages)
        for number, cells in rows
        if any(map(str.strip, cells))
    ]
    return TranslationFile("", tuple(languages), tuple(units))


def _read_row(number: int, cells: dict[str, str], languages: list[str]) -> FileUnit:
    texts = {code: normal_text(unescape_formula(cells.get(code, ""))) for code in languages}
    location = _("row %(number)s") % {"number": number}
    return FileUnit(
        cells["id"].strip(), location, {code: text for code, text in texts.items() if text.strip()}
    )
