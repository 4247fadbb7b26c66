"""Writes the texts of a draft for translators: XLIFF 2.0 for their tools, CSV for spreadsheets.

XLIFF (http://docs.oasis-open.org/xliff/xliff-core/v2.0/) has one source and one target language in a
document. A placeholder is written as `<ph>`, bold words as `<pc>`; both keep their original text in
`<originalData>`, so that it is restored exactly.
"""

import codecs
import csv
import re
from collections.abc import Iterable, Mapping
from io import StringIO
from xml.etree.ElementTree import Element, SubElement, tostring

from django.utils.translation import gettext as _

from importing.translations.draft_texts import DraftText
from importing.translations.reading import COLUMNS, CORE, EXPORTED, METADATA, text_digest
from privacy.designs.formula_escape import escape_formula
from surveys.phrases.fixed_page_sentence import BOLD, PLACEHOLDER
from surveys.phrases.languages import text_direction

SIZES = "urn:oasis:names:tc:xliff:sizerestriction:2.0"
NO_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Pattern of characters that XML cannot contain or does not preserve: a carriage return becomes a line feed."""
CODE = re.compile(r"<strong>|%\([a-z_]+\)s", re.ASCII)
INLINE = re.compile(r"<strong>(.*?)</strong>|%\(([a-z_]+)\)s", re.ASCII | re.DOTALL)
BOLD_TAGS = ("<strong>", "</strong>")


def write_xliff(texts: Iterable[DraftText], source: str, target: str) -> bytes:
    """Returns XLIFF with the texts in `source` and their translations into `target`."""
    namespaces = {"xmlns": CORE, "xmlns:slr": SIZES, "xmlns:mda": METADATA}
    root = Element("xliff", {**namespaces, "version": "2.0", "srcLang": source, "trgLang": target})
    directions = {"srcDir": text_direction(source), "trgDir": text_direction(target)}
    whole = {"canResegment": "no", "xml:space": "preserve"}
    file = SubElement(root, "file", {"id": "questionnaire", **whole, **directions})
    profiles = SubElement(file, "slr:profiles", {"generalProfile": "xliff:codepoints"})
    SubElement(profiles, "slr:normalization", {"general": "nfc"})
    root.text = file.text = profiles.tail = file.tail = "\n"
    for text in texts:
        _add_unit(file, text, source, target)
    document: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return document


def _add_unit(file: Element, text: DraftText, source: str, target: str) -> None:
    size = {"slr:sizeRestriction": str(text.max_length)}
    unit = SubElement(file, "unit", {"id": text.id, **size})
    unit.tail = "\n"
    words, translation = text.source_text(source), text.texts.get(target, "")
    if translation:
        group = SubElement(SubElement(unit, "mda:metadata"), "mda:metaGroup", {"category": "candor"})
        SubElement(group, "mda:meta", {"type": EXPORTED}).text = text_digest(translation)
    notes = SubElement(unit, "notes")
    limit = _("At most %(most)s characters") % {"most": text.max_length}
    for category, lines in (("context", text.context_lines(source)), ("limit", [limit])):
        for line in lines:
            SubElement(notes, "note", {"category": category}).text = NO_XML.sub("", line)
    codes = _codes_of_text(words) if text.phrase else {}
    if codes:
        data = SubElement(unit, "originalData")
        for original in dict.fromkeys(codes.values()):
            for part in BOLD_TAGS if original == BOLD_TAGS[0] else (original,):
                SubElement(data, "data", {"id": _original_data_id(part)}).text = part
    state = "translated" if translation else "initial"
    segment = SubElement(unit, "segment", {"state": state})
    _add_inline(SubElement(segment, "source"), words, codes)
    if translation:
        _add_inline(SubElement(segment, "target"), translation, codes)


def _codes_of_text(text: str) -> dict[str, str]:
    """Returns the inline codes (placeholders and bold words) of a fixed sentence, by an id unique in the sentence."""
    codes: dict[str, str] = {}
    bold = 0
    for tag in CODE.finditer(text):
        placeholder = PLACEHOLDER.fullmatch(tag[0])
        bold += placeholder is None
        stem = placeholder[1] if placeholder else f"b{bold}"
        copies = sum(original == tag[0] for original in codes.values()) if placeholder else 0
        codes[f"{stem}-{copies + 1}" if copies else stem] = tag[0]
    return codes


def _original_data_id(original: str) -> str:
    placeholder = PLACEHOLDER.fullmatch(original)
    return placeholder[1] if placeholder else {"<strong>": "d1", "</strong>": "d2"}[original]


def _add_inline(element: Element, text: str, codes: Mapping[str, str], used: set[str] | None = None) -> None:
    """Writes a text with its inline codes into the element; parts for which the source has no code are
    written as text."""
    used, end = set() if used is None else used, 0
    if not _has_bold_pairs(text):
        codes = {key: original for key, original in codes.items() if original != BOLD_TAGS[0]}
    for match in INLINE.finditer(text) if codes else ():
        original = BOLD_TAGS[0] if match[2] is None else match[0]
        key = next((key for key, code in codes.items() if code == original and key not in used), "")
        if not key:
            continue
        used.add(key)
        _add_text(element, text[end : match.start()])
        end = match.end()
        if match[2] is None:
            marks = {"dataRefStart": "d1", "dataRefEnd": "d2", "type": "fmt", "subType": "xlf:b"}
            _add_inline(SubElement(element, "pc", {"id": key, **marks}), match[1], codes, used)
        else:
            shown = {"dataRef": match[2], "disp": match[0], "equiv": match[0], "canDelete": "no"}
            SubElement(element, "ph", {"id": key, "type": "ui", "subType": "xlf:var", **shown})
    _add_text(element, text[end:])


def _has_bold_pairs(text: str) -> bool:
    tags = BOLD.findall(text)
    return tags == [*BOLD_TAGS] * (len(tags) // 2)


def _add_text(element: Element, text: str) -> None:
    """Appends text to an XML element; characters that XML cannot contain become `<cp>` elements."""
    end = 0
    for match in NO_XML.finditer(text):
        _append_plain_text(element, text[end : match.start()])
        SubElement(element, "cp", {"hex": f"{ord(match[0]):04X}"})
        end = match.end()
    _append_plain_text(element, text[end:])


def _append_plain_text(element: Element, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


def write_csv(texts: Iterable[DraftText], languages: Iterable[str]) -> bytes:
    """Returns a CSV table with a row for each text, in UTF-8 with a byte order mark, by which spreadsheets
    recognise it."""
    codes, file = list(languages), StringIO(newline="")
    rows = csv.writer(file)
    rows.writerow([*COLUMNS, *codes])
    for text in texts:
        cells = ["\n".join(text.context_lines(codes[0])), str(text.max_length)]
        cells += [text.texts.get(code, "") for code in codes]
        rows.writerow([text.id, *map(escape_formula, cells)])
    return codecs.BOM_UTF8 + file.getvalue().encode()
