"""Files for translators, read and written by readers that share no code with the product.

translate-toolkit is what Weblate reads XLIFF with. It shows no placeholder, so these are read by a second reader, which
is written from the specification of XLIFF 2.0 alone.
"""

import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from translate.storage import xliff2

from importing.translations import reading
from importing.translations.comparison import Comparison
from importing.translations.draft_texts import texts_in_translation_file, texts_of_draft
from importing.translations.writing import write_xliff
from surveys.kinds.read_draft import read_questionnaire
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.translatable_texts import START, set_texts
from tests.surveys import drafts

CORE = "{urn:oasis:names:tc:xliff:document:2.0}"
HARD = {
    "start.title": "  Trabalho & <saúde>\n\tlinha 😀 ",
    "question.theft.text": "كم مرة؟ ]]> “x”",
    "question.age.label.40.u2b.": "=40+",
}


def parsed_by_toolkit(data: bytes) -> Any:
    return xliff2.Xliff2File.parsestring(data)  # type: ignore[no-untyped-call]


@pytest.fixture(scope="module")
def draft() -> Questionnaire:
    return read_questionnaire({**drafts.complete(), "languages": ["en", "pt"]})


@pytest.fixture(scope="module")
def xliff_file(draft: Questionnaire) -> bytes:
    return write_xliff(texts_in_translation_file(texts_of_draft(draft), "en", "pt"), "en", "pt")


def test_translate_toolkit_finds_every_text_with_its_id_and_both_languages(
    draft: Questionnaire, xliff_file: bytes
) -> None:
    store = parsed_by_toolkit(xliff_file)
    assert (store.sourcelanguage, store.targetlanguage) == ("en", "pt")
    texts = {text.id: text for text in texts_of_draft(draft)}
    assert [unit.getid() for unit in store.units] == list(texts)
    plain = {unit.getid(): unit.source for unit in store.units if not texts[unit.getid()].phrase}
    assert plain == {key: text.texts["en"] for key, text in texts.items() if not text.phrase}
    assert not [unit for unit in store.units if unit.istranslated()]


def test_translations_written_by_the_toolkit_are_accepted_alone(
    draft: Questionnaire, xliff_file: bytes
) -> None:
    store = parsed_by_toolkit(xliff_file)
    for unit in store.units:
        if unit.getid() in HARD:
            unit.target = HARD[unit.getid()]
            unit.marktranslated()
    comparison = Comparison(draft, reading.read(bytes(store)))
    assert {change.text.id: change.after for change in comparison.changes} == HARD
    assert {row.kind for row in comparison.rows} == {"untranslated"}
    after, _count = comparison.draft_with_accepted_changes(())
    again = write_xliff(texts_in_translation_file(texts_of_draft(after), "en", "pt"), "en", "pt")
    units = parsed_by_toolkit(again).units
    assert {unit.getid(): unit.target for unit in units if unit.istranslated()} == HARD


def test_placeholders_copied_by_translate_toolkit_are_restored(
    draft: Questionnaire, xliff_file: bytes
) -> None:
    store = parsed_by_toolkit(xliff_file)
    units = [unit for unit in store.units if unit.getid().startswith("phrase.")]
    for unit in units:
        unit.rich_target = unit.rich_source
        unit.marktranslated()
    comparison = Comparison(draft, reading.read(bytes(store)))
    originals = {text.id: text.source_text("en") for text in texts_of_draft(draft) if text.phrase}
    assert {change.text.id: change.after for change in comparison.changes} == originals


# --- a reader from the specification: a code stands for what its dataRef names in originalData


def text_of(element: Any, data: dict[str, str]) -> str:
    pieces = [element.text or ""]
    for child in element:
        kind = child.tag.removeprefix(CORE)
        if kind == "pc":
            pieces += [data[child.get("dataRefStart")], text_of(child, data), data[child.get("dataRefEnd")]]
        else:
            assert kind in ("ph", "cp"), f"an unexpected element {child.tag}"
            pieces.append(data[child.get("dataRef")] if kind == "ph" else chr(int(child.get("hex"), 16)))
        pieces.append(child.tail or "")
    return "".join(pieces)


def read(document: bytes) -> dict[str, str]:
    """The source by unit, none of which has a target."""
    units: dict[str, str] = {}
    for unit in ET.fromstring(document).iter(f"{CORE}unit"):
        data = {part.get("id", ""): part.text or "" for part in unit.iter(f"{CORE}data")}
        (segment,) = unit.findall(f"{CORE}segment")
        (source,) = segment
        assert source.tag == f"{CORE}source"
        units[unit.get("id", "")] = text_of(source, data)
    return units


def test_reader_by_the_specification_finds_every_text(draft: Questionnaire, xliff_file: bytes) -> None:
    read_back = read(xliff_file)
    assert read_back == {text.id: text.source_text("en") for text in texts_of_draft(draft)}
    for code in ("%(", "<strong>"):
        assert any(code in source for source in read_back.values())


def test_placeholders_have_unique_ids_and_names_allowed_by_the_specification(xliff_file: bytes) -> None:
    """Identifiers are NMTOKEN; a unit has notes, originalData and segments in this order."""
    for unit in ET.fromstring(xliff_file).iter(f"{CORE}unit"):
        assert re.fullmatch(r"[\w.-]+", unit.get("id", ""), re.ASCII)
        parts = [part.tag.removeprefix(CORE) for part in unit]
        assert parts in (["notes", "segment"], ["notes", "originalData", "segment"])
        data = [part.get("id") for part in unit.iter(f"{CORE}data")]
        codes = [code for name in ("ph", "pc") for code in unit.iter(CORE + name)]
        ids = [code.get("id") for code in codes]
        references = {value for code in codes for name, value in code.items() if name.startswith("dataRef")}
        assert (len(set(ids)), len(set(data)), references) == (len(ids), len(data), set(data))


def test_untouched_translation_removes_nothing(draft: Questionnaire) -> None:
    """Of a text that was edited here after the export, the file still holds the earlier translation."""
    exported = set_texts(draft, START, "pt", {"title": "Antes", "why": "Porque"})
    data = write_xliff(texts_in_translation_file(texts_of_draft(exported), "en", "pt"), "en", "pt")
    store = parsed_by_toolkit(data)
    (unit,) = [unit for unit in store.units if unit.getid() == "start.why"]
    unit.target = "Por quê"
    edited = set_texts(exported, START, "pt", {"title": "Depois", "why": "Razão"})
    comparison = Comparison(edited, reading.read(bytes(store)))
    assert [(change.text.id, change.before) for change in comparison.changes] == [("start.why", "Razão")]
