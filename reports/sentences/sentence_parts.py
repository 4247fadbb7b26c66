"""Builds sentences from parts: plain text, bold text, and text without line breaks.

An answer has the wording that the researcher wrote for sentences. Without one it stands in quotation marks as
pages name it, "label: choice": no other form fits every label in every language. Between the marks it is
isolated, so that its script does not change the direction of the text around it (FSI and PDI of Unicode's
bidirectional algorithm).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, pgettext

from reports.answer_labels import Labels, join_answers
from surveys.phrases.fixed_page_sentence import PLACEHOLDER
from surveys.phrases.languages import base_language, text_direction

FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
KEPT = 12
"""Largest number of characters that are kept on one line with a quotation mark."""
ISOLATES = dict.fromkeys(range(0x2066, 0x206A))
"""Characters removed from labels, since they could end the isolation of their direction too early, or never."""
UNSEEN = dict.fromkeys(map(ord, "\u200e\u200f\u061c\u2060\u2066\u2067\u2068\u2069"))
"""Invisible characters that only the text of a page needs; titles, previews of links and files are without them."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a sentence. `strong`: set in bold; `whole`: no line breaks inside."""

    text: str
    strong: bool = False
    whole: bool = False


Sentence = tuple[Part, ...]


def as_text(sentence: Sentence) -> str:
    """Returns the sentence as plain text."""
    return "".join(part.text for part in sentence)


def as_visible_text(sentence: Sentence) -> str:
    """Returns the sentence as text without the characters of `UNSEEN`."""
    return as_text(sentence).translate(UNSEEN)


def as_html(sentence: Sentence) -> SafeString:
    """Returns the sentence as HTML, with bold and unbroken parts."""
    return format_html_join("", "{}", ((_part_html(part),) for part in sentence))


def _part_html(part: Part) -> SafeString:
    shape = '<span class="nowrap">{}</span>' if part.whole else "{}"
    text = format_html(shape, part.text)
    return format_html("<b>{}</b>", text) if part.strong else text


def unbroken_sentence(text: str) -> Sentence:
    """Returns a text as a sentence part without line breaks."""
    return (Part(text, whole=True),)


def embolden_first(sentence: Sentence) -> Sentence:
    """Sets the first part in bold: the estimate before its interval."""
    first, *rest = sentence
    return (replace(first, strong=True), *rest)


def capitalize_first(sentence: Sentence) -> Sentence:
    """Begins the sentence with a capital letter, where the language puts a number phrase first."""
    first, *rest = sentence
    return (replace(first, text=first.text[:1].upper() + first.text[1:]), *rest)


def fill_template(template: str, **values: str | Sentence) -> Sentence:
    """Replaces each `%(name)s` of the template by the value of that name."""
    pieces = PLACEHOLDER.split(template)
    parts: list[Part] = []
    for place, piece in enumerate(pieces):
        value = values[piece] if place % 2 else piece
        parts += [Part(value)] if isinstance(value, str) else value
    return tuple(part for part in parts if part.text)


def join_sentences(first: Sentence, second: Sentence) -> Sentence:
    """Joins two sentences; returns the first if the second is empty."""
    return (
        fill_template(pgettext("two sentences", "%(first)s %(second)s"), first=first, second=second)
        if second
        else first
    )


def quote(label: str) -> Sentence:
    """Returns a label in the quotation marks of the language, isolated from the direction of the text around it."""
    marks = pgettext("around an answer or a question in a sentence", "“%(text)s”")
    text = marks % {"text": f"{FIRST_STRONG_ISOLATE}{label.translate(ISOLATES)}{POP_ISOLATE}"}
    if text_direction(get_language() or "en") == "rtl":
        return _keep_marks_unbroken(text)
    return (Part(text),)


def _keep_marks_unbroken(text: str) -> Sentence:
    """Returns the text with each quotation mark kept on one line with the text beside it, for languages from right to
    left.

    Not every browser does so with isolated text. Of a text without spaces, the first and last characters are kept
    beside the marks.
    """
    start, end = text[:KEPT].split(" ", maxsplit=1)[0], text[-KEPT:].rsplit(" ", maxsplit=1)[-1]
    if len(start) + len(end) >= len(text):
        return unbroken_sentence(text)
    return (*unbroken_sentence(start), Part(text[len(start) : -len(end)]), *unbroken_sentence(end))


def join_answer_sentences(answers: Iterable[Sentence]) -> Sentence:
    """Joins the answers of one person with "and"."""
    between, (first, *others) = join_answers(("", "")), answers
    return (*first, *(part for answer in others for part in (Part(between), *answer)))


def quoted_answers(names: Iterable[str], labels: Labels) -> Sentence:
    """Returns the answers of one person, each with its question in quotation marks."""
    return join_answer_sentences(quote(labels.with_question(name)) for name in names)


def question_phrase(name: str, labels: Labels) -> Sentence:
    """Returns a question inside a sentence: the wording of its number, else its label in quotation marks."""
    if quantity := labels.quantity_phrase(name):
        return (Part(quantity),)
    return quote(labels.subject(name))


def join_list(parts: Iterable[Sentence]) -> Sentence:
    """Joins the parts of a list with semicolons."""
    between = Part(pgettext("between the parts of a list", "; "))
    first, *others = parts
    return (*first, *(one for part in others for one in (between, *part)))


def people_phrase(names: Iterable[str], labels: Labels, *, ends: bool = False) -> Sentence:
    """Returns a noun phrase for the people who gave the answers `names`; a German relative clause gets its closing
    comma, unless the phrase `ends` its sentence or list part."""
    names = tuple(names)
    text = labels.people(names)
    if not text:
        words = pgettext("in a sentence of a report", "people who answered %(answers)s")
        return fill_template(words, answers=quoted_answers(names, labels))
    is_clause = not ends and base_language(labels.language) == "de" and "," in text and not text.endswith(",")
    return (Part(f"{text}," if is_clause else text),)


def predicate_phrase(names: Iterable[str], labels: Labels) -> Sentence:
    """Returns the predicate of people who gave the answers `names` ("took supplies home"), to follow a share."""
    names = tuple(names)
    if text := labels.predicate(names):
        return (Part(text),)
    return fill_template(
        pgettext("in a sentence of a report", "answered %(answers)s"), answers=quoted_answers(names, labels)
    )


def phrases_of_sides(
    condition: Iterable[str], consequence: Iterable[str], labels: Labels
) -> dict[str, str | Sentence]:
    """Returns the placeholders `people` (those with the condition) and `did` (their predicate); empty if neither side
    has a wording for sentences."""
    condition, consequence = tuple(condition), tuple(consequence)
    if not labels.people(condition) and not labels.predicate(consequence):
        return {}
    return {"people": people_phrase(condition, labels), "did": predicate_phrase(consequence, labels)}
