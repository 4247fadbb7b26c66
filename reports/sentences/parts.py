"""A sentence in parts, which a template sets one after the other.

An answer stands in quotation marks as pages name it, "label: choice": no other form fits every label in every language,
since a sentence cannot be made of the words of a question. Between the marks it is isolated, so that its script does
not turn the words around it (FSI and PDI of Unicode's bidirectional algorithm).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import pgettext

from reports.labels import Labels, joined
from surveys.phrases.phrase import PLACEHOLDER

FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
ISOLATES = dict.fromkeys(range(0x2066, 0x206A))
"""Left out of labels: they could end the isolation too early, or never."""


@dataclass(frozen=True, slots=True)
class Part:
    """`strong`: set bold; `whole`: no line breaks in it."""

    text: str
    strong: bool = False
    whole: bool = False


Sentence = tuple[Part, ...]


def in_words(sentence: Sentence) -> str:
    return "".join(part.text for part in sentence)


def as_html(sentence: Sentence) -> SafeString:
    """The estimate bold, what must not be broken on one line."""
    return format_html_join("", "{}", ((_set(part),) for part in sentence))


def _set(part: Part) -> SafeString:
    shape = '<span class="nowrap">{}</span>' if part.whole else "{}"
    text = format_html(shape, part.text)
    return format_html("<b>{}</b>", text) if part.strong else text


def whole(text: str) -> Sentence:
    return (Part(text, whole=True),)


def kept_whole(sentence: Sentence) -> Sentence:
    """As one part, without bold."""
    return whole(in_words(sentence))


def emphasised(sentence: Sentence) -> Sentence:
    """With its first part bold: the estimate before its interval."""
    first, *rest = sentence
    return (replace(first, strong=True), *rest)


def fill(template: str, **values: str | Sentence) -> Sentence:
    """The template, `%(name)s` replaced by what has this name."""
    pieces = PLACEHOLDER.split(template)
    parts: list[Part] = []
    for place, piece in enumerate(pieces):
        value = values[piece] if place % 2 else piece
        parts += [Part(value)] if isinstance(value, str) else value
    return tuple(part for part in parts if part.text)


def followed(first: Sentence, second: Sentence) -> Sentence:
    """Two sentences, or the first where the second is empty."""
    return (
        fill(pgettext("two sentences", "%(first)s %(second)s"), first=first, second=second)
        if second
        else first
    )


def quoted(label: str) -> str:
    marks = pgettext("around an answer or a question in a sentence", "“%(text)s”")
    return marks % {"text": f"{FIRST_STRONG_ISOLATE}{label.translate(ISOLATES)}{POP_ISOLATE}"}


def answers(names: Iterable[str], labels: Labels) -> str:
    """The answers of one person."""
    return joined(quoted(labels.short(name)) for name in names)


def question(name: str, labels: Labels) -> str:
    return quoted(labels.subject(name))
