"""The catalogues are whole, and what scripts and messages say is marked for translation, by reading the sources."""

import ast
import io
import re
from collections.abc import Iterator
from functools import cache

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from django.conf import settings

from config import update_message_catalogues as catalogues
from reports.answer_labels import NOT_DERIVABLE
from surveys.phrases.all_phrases import PHRASES
from surveys.phrases.languages import SHIPPED
from tests import servers
from tests.product import files

UPDATE = "python -m config.update_message_catalogues"
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd%]|\{\w*\}")


Key = tuple[str, str]


@cache
def extract_messages() -> Catalog:
    return catalogues.extract_messages()


@cache
def read_stored_catalogue(language: str = catalogues.CHINESE) -> Catalog:
    return catalogues.read_catalogue(language)


def keys(catalog: Catalog) -> set[Key]:
    return {(message.context or "", str(message.id)) for message in catalog if message.id}


def key_differences(fresh: set[Key], known: set[Key]) -> dict[str, list[Key]]:
    """Only what differs, so that a failure does not print the whole catalogue."""
    found = {"missing": sorted(fresh - known), "superfluous": sorted(known - fresh)}
    return {what: which for what, which in found.items() if which}


def message_texts(message: Message) -> tuple[list[str], list[str]]:
    ids = [message.id] if isinstance(message.id, str) else list(message.id)
    strings = [message.string] if isinstance(message.string, str) else list(message.string or ())
    return ids, strings


@pytest.mark.page
def test_no_translation_is_missing_or_fuzzy_and_the_catalogue_matches_the_sources() -> None:
    merged = catalogues.merge_translations(catalogues.CHINESE, extract_messages())
    left = list(catalogues.untranslated_messages(merged))
    assert not left, f"translate {left}"
    found = key_differences(keys(extract_messages()), keys(read_stored_catalogue()))
    assert not found, f"run `{UPDATE}`: {found}"


def test_catalogue_difference_is_shown_alone_and_missing_translations_are_noticed() -> None:
    one, two, three = ("", "one"), ("", "two"), ("verb", "three")
    assert key_differences({one, two}, {two, three}) == {"missing": [one], "superfluous": [three]}
    assert key_differences({one}, {one}) == {}
    known = Catalog(locale="zh_Hans_CN")
    known.add("one", "")
    known.add("two", "二", flags=["fuzzy"])
    known.add("three", "三")
    assert list(catalogues.untranslated_messages(known)) == ["one", "two"]


def test_arabic_uses_the_dual_for_two() -> None:
    for message in read_stored_catalogue("ar"):
        if isinstance(message.id, tuple) and "%(count)s" in message.id[1]:
            _zero, one, two, few, *_others = message_texts(message)[1]
            # A form that says "number: 2" is the same for all numbers.
            assert two != one or two == few, message.id


def test_chinese_margin_stands_beside_its_sign() -> None:
    for message in read_stored_catalogue():
        ids, strings = message_texts(message)
        if not any(re.search(r"±\s+[%{]", text) for text in ids):
            assert not [text for text in strings if re.search(r"±\s+[%{]", text)], message.id


@pytest.mark.parametrize("language", [catalogues.CHINESE, *catalogues.FOR_EVERYBODY])
def test_every_translation_keeps_its_placeholders(language: str) -> None:
    for message in read_stored_catalogue(language):
        if not message.id:
            continue
        ids, strings = message_texts(message)
        for string in strings:
            if string == NOT_DERIVABLE:
                assert "a dash if" in (message.context or ""), message.id
                continue
            assert sorted(PLACEHOLDER.findall(string)) == sorted(PLACEHOLDER.findall(ids[-1])), message.id


@pytest.mark.parametrize("language", [catalogues.CHINESE, *catalogues.FOR_EVERYBODY])
def test_the_compiled_catalogue_is_made_from_the_committed_one(language: str) -> None:
    made = io.BytesIO()
    write_mo(made, read_stored_catalogue(language))
    compiled = catalogues.catalogue_path(language).with_suffix(".mo").read_bytes()
    # Two large texts are compared outside `assert`, which would look for their differences for minutes.
    is_made = compiled == made.getvalue()
    assert is_made, f"run `{UPDATE}`"


@pytest.mark.parametrize("language", catalogues.FOR_EVERYBODY)
def test_public_catalogues_hold_exactly_phrases_and_sentences(language: str) -> None:
    found = key_differences(keys(catalogues.extract_public_messages()), keys(read_stored_catalogue(language)))
    assert not found, f"run `{UPDATE}`: {found}"
    assert list(catalogues.untranslated_messages(read_stored_catalogue(language))) == []


def test_every_phrase_has_a_text_in_every_shipped_language() -> None:
    for language in (each for each in SHIPPED if each != "en"):
        for key, phrase in PHRASES.items():
            assert phrase.has_placeholders_of_original(phrase.shipped_text(language)), (language, key)


def test_respondent_languages_are_not_offered_to_researchers() -> None:
    assert [code for code, _name in settings.LANGUAGES] == ["en", "zh-hans"]
    assert set(SHIPPED) == {"en", "zh-hans", *catalogues.FOR_EVERYBODY}


# --- what scripts and messages say is marked for translation ---


APART = {
    *("vendor", "migrations", "papers", "management"),
    # What an operator reads in a terminal.
    "backup",
}
SCRIPTS = [
    f for f in files(".js") if "static" in f.parts and not APART & set(f.relative_to(servers.ROOT).parts)
]
# What stands before the first process speaks on the operator's terminal, before anybody's language is known.
TERMINAL = {servers.ROOT / "config" / "start" / "start_preparation.py"}
MODULES = sorted(
    f for f in files(".py") if not APART & set(f.relative_to(servers.ROOT).parts) and f not in TERMINAL
)
LITERAL = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`""", re.DOTALL
)
SENTENCE = re.compile(r"[A-Z][a-z]+([ .,:;!?].*)?", re.DOTALL)
# What browsers call keys, headers and kinds of errors; nobody reads them.
NAMES = {"Enter", "Escape", "Tab", "Shift", "Home", "End", "Accept"}
SAYS = {"ValidationError", "NotAllowed", "JobFailed", "BadRequest", "Message", "add_error", "problem_page"}
SAYS |= {"mark_for_translation"}  # gettext finds what it marks under its short name, `_`, alone
MAY_SAY = re.compile("|".join([*SAYS, r"messages\."]))
MESSAGES = {"error", "success", "info", "warning"}
# What these calls name instead of saying it; whatever else is handed to them is read.
NAMED = {"code", "params", "field", "extra_tags"}
SAID = re.compile(r".*\s.*|.*[.!?]", re.DOTALL)


def sentences(script: str) -> list[str]:
    literals = (next((group for group in found.groups() if group), "") for found in LITERAL.finditer(script))
    return [text for text in literals if SENTENCE.fullmatch(text) and text not in NAMES]


def bare_messages(module: str) -> Iterator[tuple[int, str]]:
    """Literals handed straight to what a person will read."""
    if not MAY_SAY.search(module):
        return
    for node in ast.walk(ast.parse(module)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        of_messages = (
            isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") == "messages"
        )
        if name not in SAYS and not (of_messages and name in MESSAGES):
            continue
        said = node.args[1:] if name == "add_error" else node.args  # its first names the field
        handed = [*said, *(word.value for word in node.keywords if word.arg not in NAMED)]
        yield from ((node.lineno, text) for argument in handed for text in unmarked_sentences(argument))


def unmarked_sentences(argument: ast.expr) -> Iterator[str]:
    """Sentences written out in an argument; what stands inside a call, as of gettext, is marked."""
    match argument:
        case ast.JoinedStr():
            yield ast.unparse(argument)
        case ast.Constant(value=str(text)) if SAID.fullmatch(text):
            yield text
        case ast.BinOp():
            yield from unmarked_sentences(argument.left)
        case ast.IfExp():
            yield from (
                text for branch in (argument.body, argument.orelse) for text in unmarked_sentences(branch)
            )
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
            yield from (text for part in parts for text in unmarked_sentences(part))


def test_scripts_contain_no_text_of_their_own() -> None:
    assert len(SCRIPTS) > 10
    found = {str(script.relative_to(servers.ROOT)): sentences(script.read_text()) for script in SCRIPTS}
    assert {name: texts for name, texts in found.items() if texts} == {}


@pytest.mark.page
def test_every_message_is_marked_for_translation() -> None:
    assert len(MODULES) > 100
    found = {str(f.relative_to(servers.ROOT)): list(bare_messages(f.read_text())) for f in MODULES}
    assert {name: lines for name, lines in found.items() if lines} == {}


FOUND: list[tuple[str, list[str]]] = [
    ("messages.error(request, 'Not saved yet')", ["Not saved yet"]),
    ("raise NotAllowed('No %(x)s here' % {'x': 1})", ["No %(x)s here"]),
    ("raise NotAllowed(f'No {x}')", ["f'No {x}'"]),
    ("form.add_error('x', 'Bare.')", ["Bare."]),
    ("form.add_error(f'x-{n}', 'Bare.')", ["Bare."]),
    ("form.add_error(field='x', error='Bare.')", ["Bare."]),
    ("raise ValidationError(message='Not this', code='a b')", ["Not this"]),
    ("raise ValidationError({'x': ['Not this', _('but that')]})", ["Not this"]),
    ("raise BadRequest('Not so')", ["Not so"]),
    ("return Message('Step %(n)s', {'n': 1})", ["Step %(n)s"]),
    ("raise JobFailed('Too many' if many else gettext_noop('Too few'))", ["Too many"]),
    ("raise InputError('x', mark_for_translation('Not this'))", ["Not this"]),
    ("raise NotAllowed(_('Not now'))", []),
    ("form.add_error('x', _('Bare.'))", []),
    ("return Message(gettext_noop('Step %(n)s'), {'n': 1})", []),
]


def test_unmarked_message_or_script_sentence_is_noticed() -> None:
    assert sentences("button.textContent = 'Send it'; key === 'Enter'; // A comment\n") == ["Send it"]
    for said, found in FOUND:
        assert list(bare_messages(said)) == [(1, text) for text in found], said
