"""Texts go out to XLIFF and CSV and come back to the character; what does not fit is named."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, strategies as st

from importing.faults import FileRefused
from importing.isolated_reader_main import TRANSLATIONS
from importing.translations import reading
from importing.translations.comparison import Comparison
from importing.translations.draft_texts import (
    DraftText,
    source_language,
    texts_in_translation_file,
    texts_of_draft,
)
from importing.translations.reading import FileUnit, TranslationFile
from importing.translations.writing import write_csv, write_xliff
from surveys.kinds.read_draft import read_questionnaire
from surveys.phrases.all_phrases import PHRASES
from surveys.phrases.languages import SHIPPED
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.value_normalization import normal_text
from tests.hostile.arena import Arena
from tests.importing.test_hostile_lime import BIG
from tests.surveys import drafts
from tests.surveys.drafts import draft, options, plain, question, sensitive

CORE = "urn:oasis:names:tc:xliff:document:2.0"
HARD = [
    *("  two spaces  inside and around ", "line\nnext line\n\n", "\ttab"),
    "a < b & c > d, ]]> and <strong>no tag</strong>",
    *("“quoted”, 'single', \"double\", with, comma; and semicolon", "كم عمرك؟ (18–39)"),
    *("\u2067עברית\u2069 \u200f", "👩‍👩‍👧 🏳️‍🌈 😀", "=SUM(A1)", "+1", "-1", "@name", "'=x", "''quoted"),
    *("＝全角", "a\rb", "100 % of %(nobody)s {here}", "\u2028\ufeff\u00a0", "&amp; &#10; <![CDATA[x]]>"),
]
OTHER_PLACEHOLDERS = [
    *("%(least)s <strong>antes</strong>", "<strong>%(least)s dentro</strong>", "sem nada"),
    *("%(other)s %(least)s", "%(least)s duas vezes %(least)s", "<strong>aberto %(least)s"),
    *("</strong>%(least)s<strong>", "<strong>um</strong> <strong>dois</strong> %(least)s"),
]
"""Translations of a sentence with bold words and the placeholder `least`."""
TEXTS = st.text(st.characters(codec="utf-8")).map(normal_text).filter(str.strip)


def text(source: str, target: str = "", key: str = "start.title", **more: Any) -> DraftText:
    words = {"en": source, **({"fr": target} if target else {})}
    return DraftText(key, "=start", "title", "Start page", "Title", words, 5000, **more)


def phrase(key: str, **texts: str) -> DraftText:
    words = {"en": PHRASES[key].original_english, **texts}
    return DraftText(f"phrase.{key}", "", key, "Fixed sentence", "shown", words, 2000, phrase=PHRASES[key])


def in_file(key: str, location: str, source: str, targets: dict[str, str] | None = None) -> FileUnit:
    """A unit of a file from English."""
    return FileUnit(key, location, {"en": source, **(targets or {})})


def only_unit(data: bytes) -> FileUnit:
    (only,) = reading.read(data).units
    return only


def xliff(inside: str, head: str = 'version="2.0" srcLang="en" trgLang="fr"', namespace: str = CORE) -> bytes:
    return f'<xliff xmlns="{namespace}" {head}><file id="f">{inside}</file></xliff>'.encode()


def segment(source: str, target: str, state: str = ' state="translated"') -> str:
    return f"<segment{state}><source>{source}</source><target>{target}</target></segment>"


def faults(data: bytes) -> str:
    with pytest.raises(FileRefused) as refusal:
        reading.read(data)
    return refusal.value.in_words()


# --- to the character


def files(texts: Sequence[DraftText], target: str = "fr") -> tuple[bytes, bytes]:
    return write_xliff(texts, "en", target), write_csv(texts, ["en", target])


def test_difficult_texts_survive_to_the_character() -> None:
    for words in HARD:
        for data in files([text(words, words)]):
            back = only_unit(data)
            assert (back.id, back.texts["en"], back.texts["fr"]) == ("start.title", words, words)
    # A translation with other placeholders comes back as it is.
    for translation in OTHER_PLACEHOLDERS:
        back = only_unit(write_xliff([phrase("decide_batches", pt=translation)], "en", "pt"))
        assert back.texts["pt"] == translation


@given(TEXTS, TEXTS)
def test_random_text_survives_to_the_character(source: str, target: str) -> None:
    for data in files([text(source, target)]):
        back = only_unit(data)
        assert (back.texts["en"], back.texts["fr"]) == (source, target)


@pytest.mark.at_push(3)
@pytest.mark.parametrize("language", SHIPPED)
def test_fixed_sentences_survive_with_placeholders_and_bold_words(language: str) -> None:
    texts = [phrase(key, pt=PHRASES[key].shipped_text(language)) for key in PHRASES]
    expected = {
        f"phrase.{key}": (each.original_english, each.shipped_text(language)) for key, each in PHRASES.items()
    }
    for data in files(texts, "pt"):
        back = {found.id: (found.texts["en"], found.texts["pt"]) for found in reading.read(data).units}
        assert back == expected


# --- what a translator's tool finds


def test_xliff_unit_has_context_limit_state_and_directions() -> None:
    words = {"en": "Answer?", "ar": ""}
    asked = DraftText("q.a", "a", "label-0", "Question 1", "Answer 1", {"en": "yes"}, 300, question=words)
    root = ET.fromstring(write_xliff([asked], "en", "ar"))
    (file,) = root
    assert (root.get("srcLang"), root.get("trgLang"), root.get("version")) == ("en", "ar", "2.0")
    assert (file.get("srcDir"), file.get("trgDir")) == ("ltr", "rtl")
    notes = [note.text for note in root.iter(f"{{{CORE}}}note")]
    assert notes == ["Question 1: Answer 1", "The question: Answer?", "At most 300 characters"]
    sizes = "{urn:oasis:names:tc:xliff:sizerestriction:2.0}"
    assert [found.get(f"{sizes}sizeRestriction") for found in root.iter(f"{{{CORE}}}unit")] == ["300"]
    (state,) = [found.get("state") for found in root.iter(f"{{{CORE}}}segment")]
    assert state == "initial"
    translated = ET.fromstring(write_xliff([text("a", "b")], "en", "fr"))
    assert [found.get("state") for found in translated.iter(f"{{{CORE}}}segment")] == ["translated"]


def test_translation_table_has_a_byte_order_mark_and_no_formula() -> None:
    texts = [text(words, words) for words in HARD]
    data = write_csv(texts, ["en", "fr"])
    assert data.startswith(b"\xef\xbb\xbfid,context,limit,en,fr\r\n")
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert len(rows) == len(HARD) + 1
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "＝"))]


def test_unit_ids_name_questions_and_answers_and_survive_moves() -> None:
    first = sensitive(question("theft", "a+b", "yes no"))
    second = plain(*options("use", "bus", "car"), question("age"))
    ids = {found.id for found in texts_of_draft(draft(first, second))}
    assert ids >= {
        "start.title", "question.theft.text", "question.theft.label.a.u2b.b", "question.theft.label.yes.u20.no",
        "group.use.text", "group.use.label.bus",
    }  # fmt: skip
    assert ids == {found.id for found in texts_of_draft(draft(second, first))}


def test_fixed_sentences_are_exported_only_for_languages_not_shipped() -> None:
    drafted = read_questionnaire({**drafts.complete(), "languages": ["en", "pt", "ar"]})
    texts = texts_of_draft(drafted)
    rooms = {found.id.split(".")[0] for found in texts_in_translation_file(texts, "en", "ar")}
    assert rooms == {"start", "question"}
    assert "phrase.agree" in {found.id for found in texts_in_translation_file(texts, "en", "pt")}
    shipped = read_questionnaire({**drafts.complete(), "languages": ["en", "ar"]})
    assert not [found for found in texts_of_draft(shipped) if found.phrase]
    # The first language gets the fixed sentences alone, from English.
    drafted = read_questionnaire({**drafts.complete(), "languages": ["pt"], "title": {"pt": "Trabalho"}})
    assert source_language(drafted, "pt") == "en"
    texts = texts_in_translation_file(texts_of_draft(drafted), "en", "pt")
    assert {bool(found.phrase) for found in texts} == {True}


# --- what comes back from a tool


REORDERED = "<segment><source>2</source><target order='1'>a</target></segment>"
DATA = "<originalData><data id='d'>%(x)s</data><data id='s'>[</data><data id='e'>]</data></originalData>"


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (segment("a", "b"), "b"),
        (segment("a", "b", ""), "b"),
        (segment("A. ", "B. ") + segment("C.", "D."), "B. D."),
        (segment("A.", "B.") + "<ignorable><source> </source></ignorable>" + segment("C.", "D."), "B. D."),
        ("<segment><source>1</source><target order='2'>b</target></segment>" + REORDERED, "ab"),
        (segment("a", "b<mrk id='m' type='term'>c</mrk>d"), "bcd"),
        (segment("a", "b<sm id='m'/>c<em startRef='m'/>"), "bc"),
        (segment("a", "<![CDATA[<b>]]>&lt;&#x1F600;"), "<b><😀"),
        (segment("a", "b<cp hex='000D'/>c"), "b\rc"),
        (DATA + segment("a", "<ph id='9' dataRef='d'/>"), "%(x)s"),
        (DATA + segment("<ph id='1' dataRef='d'/>", "<ph id='1'/> <ph id='2' copyOf='1'/>"), "%(x)s %(x)s"),
        (DATA + segment("a", "<sc id='1' dataRef='s'/>b<ec startRef='1' dataRef='e'/>"), "[b]"),
        (segment("a", ""), ""),
        ("<segment><source>a</source></segment>", ""),
        (segment("A.", "B.") + "<segment><source>C.</source></segment>", ""),
    ],
)
def test_units_rewritten_by_tools_are_read(inside: str, expected: str) -> None:
    assert only_unit(xliff(f'<unit id="u">{inside}</unit>')).texts.get("fr", "") == expected


def test_copied_original_and_meaningless_code_are_no_translation() -> None:
    copied = only_unit(xliff(f'<unit id="u">{segment("Email", "Email", "")}</unit>'))
    assert copied.texts == {"en": "Email"}
    assert "same as the original" in copied.unread["fr"]
    assert only_unit(xliff(f'<unit id="u">{segment("Email", "Email")}</unit>')).texts["fr"] == "Email"
    unknown = segment("a", "b <ph id='7'/>")
    assert "<ph id=7>" in only_unit(xliff(f'<unit id="u">{unknown}</unit>')).unread["fr"]


def test_later_xliff_versions_and_language_spellings_are_read() -> None:
    for namespace, version in ((CORE, "2.1"), (CORE.replace("2.0", "2.2"), "2.2")):
        head = f'version="{version}" srcLang="EN" trgLang="zh-Hans"'
        file = reading.read(xliff(f'<unit id="u">{segment("a", "b")}</unit>', head, namespace))
        assert (file.source_language, file.languages) == ("en", ("zh-hans",)), version
    assert only_unit(xliff(f'\n\n<unit id="u">{segment("a", "b")}</unit>')).location == "line 3"
    assert reading.read(b"id,context,limit,en,fr\n\na,,,x,y\n").units[0].location == "row 3"


@pytest.mark.parametrize(
    "table",
    [
        "id,context,limit,en,fr\r\nu,,5,a,b\r\n",
        "id;context;limit;en;fr\r\nu;;5;a;b\r\n",
        "id\tcontext\tlimit\ten\tfr\r\nu\t\t5\ta\tb\r\n",
        '"ID","EN","FR"\n"u","a","b"\n',
        "id,fr_FR,x\nu,a,b",
    ],
)
def test_spreadsheet_translation_tables_are_read(table: str) -> None:
    for data in (table.encode(), b"\xef\xbb\xbf" + table.encode(), table.encode("utf-16")):
        file = reading.read(data)
        assert (file.units[0].id, list(file.units[0].texts.values())) == ("u", ["a", "b"])


@pytest.mark.at_push(3)
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "neither XLIFF nor a CSV table"),
        (b"name,en\na,b", "its first column must be named id"),
        (b"id,context\na,b", "no columns of languages"),
        (b"id,en,EN\na,b,c", "two columns of the same language"),
        ("id,en\na,é".encode("latin-1"), "save it as CSV UTF-8"),
        (b'id,en\n"a', ""),
        (b"PK\x03\x04", "is a spreadsheet or an archive"),
        (b"<a/>", "no XLIFF"),
        (b"<xliff", "damaged XML"),
        (xliff("", namespace="urn:oasis:names:tc:xliff:document:1.2"), "another version"),
        (xliff("", 'version="2.0" srcLang="en"'), "trgLang"),
        (b"<!DOCTYPE xliff><xliff/>", "defines a document type"),
        (b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>', "defines a document type"),
        (xliff("<a>" * 100), "holds more than"),
        (xliff("<a/>" * 310_000), "holds more than"),
        (b"id,en\n" + b"a,b\n" * 50_001, "holds more than"),
        (b"id,en\na," + b"x" * 1_000_001, "damaged table"),
    ],
)
def test_other_file_is_refused_with_what_to_do(data: bytes, reason: str) -> None:
    if reason:
        assert reason in faults(data)
    else:
        assert reading.read(data).units[0].id == "a"


@pytest.mark.night
@pytest.mark.parametrize("name", BIG)
def test_hostile_translation_file_takes_limited_memory_and_time(name: str, forks: Arena) -> None:
    upload = forks.folder / "translations"
    upload.write_bytes(BIG[name]().replace(b"class", b"id"))
    ended = forks.run(str(upload), TRANSLATIONS)
    assert not ended.broken
    assert json.loads(ended.out).keys() <= {"read", "faults"}


# --- compared with the draft


def compare(drafted: Questionnaire, *units: FileUnit, languages: tuple[str, ...] = ("fr",)) -> Comparison:
    return Comparison(drafted, TranslationFile("en", languages, units))


@pytest.fixture
def bilingual_draft() -> Questionnaire:
    theft = question("theft", text={"en": "Theft?", "fr": "Vol ?"})
    return draft(plain(question("age")), sensitive(theft), languages=["en", "fr"])


def row_ids(comparison: Comparison, kind: str) -> list[str]:
    return [row.id for row in comparison.rows if row.kind == kind]


def file_of(drafted: Questionnaire, **targets: str) -> list[FileUnit]:
    """All units of the draft, in French as the draft has them or as given; `_` stands for a dot."""
    changed = {key.replace("_", "."): words for key, words in targets.items()}
    units = list[FileUnit]()
    for found in texts_of_draft(drafted):
        words = changed.get(found.id, found.texts.get("fr", ""))
        units.append(in_file(found.id, "row", found.texts["en"], {"fr": words} if words else {}))
    return units


def test_new_and_changed_translations_are_accepted(bilingual_draft: Questionnaire) -> None:
    comparison = compare(
        bilingual_draft, *file_of(bilingual_draft, question_age_text="Âge ?", question_theft_text="Volé ?")
    )
    assert [(change.text.id, change.before, change.after) for change in comparison.changes] == [
        ("question.age.text", "", "Âge ?"),
        ("question.theft.text", "Vol ?", "Volé ?"),
    ]
    after, count = comparison.draft_with_accepted_changes(())
    assert count == 2
    assert [asked.text["fr"] for asked in after.all_questions] == ["Âge ?", "Volé ?"]
    assert after.title == bilingual_draft.title


def test_differences_from_the_draft_are_named_and_change_nothing(bilingual_draft: Questionnaire) -> None:
    untouched = compare(bilingual_draft, *file_of(bilingual_draft))
    assert (untouched.changes, untouched.doubtful) == ([], [])
    assert {row.kind for row in untouched.rows} == {"untranslated"}
    kept = [found for found in file_of(bilingual_draft) if found.id != "start.why"]
    extra = in_file("question.gone.text", "row", "Gone?", {"fr": "Parti ?"})
    comparison = compare(bilingual_draft, *kept, extra, kept[0])
    named = [row_ids(comparison, kind) for kind in ("missing", "extra", "repeated")]
    assert named == [["start.why"], ["question.gone.text"], [kept[0].id]]
    assert comparison.changes == []
    italian = compare(
        bilingual_draft, in_file("start.title", "row", "x", {"it": "Titolo"}), languages=("it",)
    )
    assert (row_ids(italian, "language"), italian.changes) == (["it"], [])
    # An empty translation never deletes one.
    empty = compare(bilingual_draft, in_file("question.theft.text", "row", "Theft?"))
    assert row_ids(empty, "untranslated") == ["question.theft.text"]
    assert empty.draft_with_accepted_changes(()) == (bilingual_draft, 0)
    # The order of the languages may change between export and import.
    french_first = bilingual_draft.in_languages(["fr", "en"])
    comparison = compare(french_first, *file_of(bilingual_draft, question_age_text="Âge ?"))
    assert [change.text.id for change in comparison.changes] == ["question.age.text"]


def test_unit_with_a_changed_original_needs_a_tick(bilingual_draft: Questionnaire) -> None:
    stale = in_file("question.age.text", "line 9", "How old?", {"fr": "Quel âge ?"})
    comparison = compare(bilingual_draft, stale)
    (row,) = [row for row in comparison.rows if row.kind == "source"]
    assert row.change
    assert (row.change.file_source, row.change.source, row.location) == ("How old?", "age?", "line 9")
    assert comparison.draft_with_accepted_changes(()) == (bilingual_draft, 0)
    after, count = comparison.draft_with_accepted_changes(["fr/question.age.text"])
    assert (count, next(after.all_questions).text["fr"]) == (1, "Quel âge ?")


@pytest.mark.parametrize(
    ("key", "words", "reason"),
    [
        ("start.title", "x" * 5001, "It has 5001 characters; at most 5000 fit."),
        ("phrase.decide_batches", "sem", "Placeholders are missing: %(least)s"),
        ("phrase.decide_batches", "%(least)s %(most)s", "The original has no such placeholders: %(most)s"),
        ("phrase.decide_batches", "%(lest)s", "missing: %(least)s The original has no such placeholders: %(lest)s"),
        ("phrase.decide_batches", "<strong>%(least)s", "Its bold words do not match"),
        ("phrase.decide_batches", "%(least)s" + "x" * 2000, "It has 2009 characters; at most 2000 fit."),
        ("question.age.predicate.a", "x: y", "colon"),
    ],
)  # fmt: skip
def test_translations_that_do_not_fit_are_named_with_the_reason(key: str, words: str, reason: str) -> None:
    choices = [{"name": "a", "label": {"en": "A"}, "predicate": {"en": "are a"}}, {"name": "b"}]
    drafted = draft(plain({**question("age"), "choices": choices}), languages=["en", "pt"])
    source = {found.id: found.source_text("en") for found in texts_of_draft(drafted)}[key]
    comparison = compare(drafted, in_file(key, "row 2", source, {"pt": words}), languages=("pt",))
    (row,) = [row for row in comparison.rows if row.kind == "faulty"]
    assert (row.id, row.location) == (key, "row 2")
    assert reason in row.reason
    assert comparison.changes == []


def test_shipped_sentence_is_not_changed_by_a_file() -> None:
    drafted = draft(plain(question("age")), languages=["en", "pt", "de"])
    agree = PHRASES["agree"].original_english
    said = in_file("phrase.agree", "row", agree, {"de": "Jawohl", "pt": "Concordo"})
    comparison = compare(drafted, said, languages=("en", "de", "pt"))
    assert row_ids(comparison, "ours") == ["phrase.agree"]
    assert [change.language for change in comparison.changes] == ["pt"]
    after, _count = comparison.draft_with_accepted_changes(())
    assert after.phrases == {"agree": {"pt": "Concordo"}}


def test_table_with_an_unshipped_first_language_includes_fixed_sentences() -> None:
    drafted = read_questionnaire(drafts.complete(languages=["pt", "fr"], title={"pt": "Trabalho"}))
    table = write_csv(texts_of_draft(drafted), drafted.languages).decode("utf-8-sig").split("\r\n")
    header, title, *others = table
    agree = next(row for row in others if row.startswith("phrase.agree,"))
    assert "The original in English: " in "".join(others)
    translated = title.replace("Trabalho,", "Trabalho,Travail")
    data = "\r\n".join([header, translated, f"{agree.split(',')[0]},,,Concordo,"]).encode()
    comparison = Comparison(drafted, reading.read(data))
    changes = {(change.text.id, change.language) for change in comparison.changes}
    assert changes == {("start.title", "fr"), ("phrase.agree", "pt")}


@given(st.dictionaries(st.sampled_from(["question.age.text", "question.theft.text", "start.title"]), TEXTS))
def test_accepted_file_equals_the_next_export(changed: dict[str, str]) -> None:
    before = draft(plain(question("age")), sensitive(question("theft")), languages=["en", "fr"])
    english = {found.id: found.texts["en"] for found in texts_of_draft(before)}
    units = [in_file(key, "row", english[key], {"fr": words}) for key, words in changed.items()]
    after, count = compare(before, *units).draft_with_accepted_changes(())
    assert count == len(changed)
    french = write_xliff(texts_in_translation_file(texts_of_draft(after), "en", "fr"), "en", "fr")
    for data in (write_csv(texts_of_draft(after), ["en", "fr"]), french):
        back = {found.id: found.texts["fr"] for found in reading.read(data).units if "fr" in found.texts}
        assert back == changed


def test_table_columns_may_be_in_any_order_but_originals_are_needed(bilingual_draft: Questionnaire) -> None:
    def table(*rows: str) -> Comparison:
        return Comparison(bilingual_draft, reading.read("\n".join(rows).encode()))

    turned = table("id,fr,context,en", "question.age.text,Âge ?,,age?")
    assert (turned.source, [change.after for change in turned.changes]) == ("en", ["Âge ?"])
    without = table("id,fr", "question.age.text,Âge ?")
    assert [row.reason.startswith("The file has no column of English") for row in without.rows] == [True]
    assert without.changes == []
    # A text changed in the column of the originals is never taken over.
    other = table("id,en,fr", "question.theft.text,Stealing?,Vol ?", "start.title,X,")
    assert (other.changes, other.doubtful) == ([], [])
