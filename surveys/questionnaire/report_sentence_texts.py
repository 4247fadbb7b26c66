"""Texts that express an answer inside a report's sentence, in place of its label.

An answer has at most two such texts in a language. Its `predicate` follows a share: "54 % **took office supplies
home**". Its `people` name the people who gave it: "Of **people in public service**, 54 %". A number has a `quantity`:
"The average of **their unpaid hours** is 3". They can be written in each language of the survey and in each language of
reports. A draft stores them beside the label, and those that Candor proposed apart
(surveys.questionnaire.report_sentence_proposals); a design does not get them.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from privacy.kinds.place.law import ELSEWHERE
from surveys.draft_json import (
    PROPOSED,
    Draft,
    read_json_objects,
    read_questions,
    read_sections_without_understanding_check,
    read_text,
)
from surveys.phrases.languages import SHIPPED, shipped_language_for
from surveys.questionnaire.value_normalization import normal_text

ANSWER_TEXTS = PREDICATE, PEOPLE = "predicate", "people"
NUMBER_TEXTS = QUANTITY, UNIT = "quantity", "sentence_unit"
"""Keys of a number's sentence texts; its unit may be needed in a language that the survey does not have
(privacy.grammar.question_reading knows these keys too)."""
MOST = 80
QUOTATION_MARKS = frozenset('"“”„‟«»‹›「」『』＂')
COLONS = frozenset(":：")
FULL_STOPS = (".", "。", "．", "।", "۔")
BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

Words = Mapping[str, str]


def sentence_text_fault(text: str) -> str:
    """Returns the reason, in the reader's language, why the text cannot be used inside a sentence; empty if it can."""
    text = text.strip()
    if len(text) > MOST:
        return _("At most %(most)s characters: it stands inside a sentence.") % {"most": MOST}
    if not text.isprintable():
        return _("Write it on one line, without control characters: it stands inside a sentence.")
    if BIDI_CONTROLS & set(text):
        return _("Leave out the marks that change the direction of writing.")
    if QUOTATION_MARKS & set(text):
        return _("Leave out the quotation marks: it stands inside a sentence.")
    if COLONS & set(text):
        return _("Leave out the colon: it stands inside a sentence.")
    if text.endswith(FULL_STOPS):
        return _("Leave out the full stop at its end: the sentence goes on.")
    return ""


def survey_and_report_languages(spoken: Sequence[str]) -> list[str]:
    """Returns the languages in which sentence texts are stored: the survey's languages, and the languages of
    reports."""
    return list(dict.fromkeys((*spoken, *SHIPPED)))


def usable_sentence_texts(value: object, spoken: Sequence[str]) -> dict[str, str]:
    """Returns the texts by language, without those that cannot be used inside a sentence."""
    given = value if isinstance(value, Mapping) else dict.fromkeys(spoken[:1], value)
    texts = {code: normal_text(given.get(code)).strip() for code in survey_and_report_languages(spoken)}
    return {code: text for code, text in texts.items() if text and not sentence_text_fault(text)}


def answer_sentence_texts(node: Mapping[str, Any], spoken: Sequence[str]) -> dict[str, dict[str, str]]:
    """Reads the texts `predicate` and `people` of an answer from its JSON, by language."""
    return {key: usable_sentence_texts(node.get(key), spoken) for key in ANSWER_TEXTS}


def text_in_language(words: Words, language: str) -> str:
    """Returns the text in this language or a variant of it; empty otherwise, since the sentence around it is
    in this language."""
    alike = (text for code, text in words.items() if shipped_language_for(code) == language)
    return words.get(language) or next(alike, "")


# --- a stored draft


def answer_nodes_and_paths(question: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yields JSON and path of each answer of a question: its choices, or the regions of a map."""
    for key in ("choices", "regions"):
        for row, node in enumerate(read_json_objects(question, key)):
            yield node, f"{key}[{row}]"


def without_sentence_texts(question: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the JSON of a question without its sentence texts, as a design has it."""

    def without_answer_texts(value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return {key: part for key, part in value.items() if key not in ANSWER_TEXTS}

    return {
        key: list(map(without_answer_texts, value))
        if key in ("choices", "regions") and isinstance(value, list)
        else value
        for key, value in question.items()
        if key not in NUMBER_TEXTS
    }


def sentence_text_faults(question: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields the path of each text that cannot be used inside a sentence, with the reason."""
    given = [(question, "", NUMBER_TEXTS)]
    given += [(node, f"{path}.", ANSWER_TEXTS) for node, path in answer_nodes_and_paths(question)]
    for node, path, keys in given:
        for key in keys:
            value = node.get(key)
            texts = value if isinstance(value, Mapping) else {"": value} if value is not None else {}
            for code, text in texts.items():
                reason = sentence_text_fault(text) if isinstance(text, str) else _("It must be a text.")
                if reason:
                    yield f"{path}{key}{'.' * bool(code)}{code}", reason


@dataclass(frozen=True)
class SentenceTexts:
    """The sentence texts of a survey: of answers by item (`question=choice`), of numbers by question.

    `proposal_languages`: those in which Candor proposed some of them.
    """

    predicates: Mapping[str, Words] = field(default_factory=dict)
    people: Mapping[str, Words] = field(default_factory=dict)
    quantities: Mapping[str, Words] = field(default_factory=dict)
    units: Mapping[str, Words] = field(default_factory=dict)
    proposal_languages: Set[str] = frozenset()

    @classmethod
    def from_draft(cls, draft: Draft) -> "SentenceTexts":
        """Collects the sentence texts of a draft, which an opened survey keeps unchanged."""
        proposed = draft.get(PROPOSED) or {}
        languages = {code for node in proposed.values() for words in node.values() for code in words}
        texts = cls({}, {}, {}, {}, languages)
        stored: list[tuple[Any, str, object]] = []
        for item, node in proposed.items():
            stored += [(texts.predicates, item, node.get(PREDICATE)), (texts.people, item, node.get(PEOPLE))]
            stored.append((texts.quantities, item, node.get(QUANTITY)))
        for section in read_sections_without_understanding_check(draft):
            for question in read_questions(section):
                name = read_text(question, "name")
                stored.append((texts.quantities, name, question.get(QUANTITY)))
                stored.append((texts.units, name, question.get(UNIT)))
                for node, _path in answer_nodes_and_paths(question):
                    item = f"{name}={read_text(node, 'name')}"
                    stored.append((texts.predicates, item, node.get(PREDICATE)))
                    stored.append((texts.people, item, node.get(PEOPLE)))
        for members, key, value in stored:
            if words := _read_stored_words(value):
                members[key] = {**members.get(key, {}), **words}
        return texts

    def has_region_texts(self, question: str) -> bool:
        """True if any region of this question about a place has a sentence text; then "elsewhere" is expressed by a
        predicate too."""
        start = f"{question}="
        return any(item.startswith(start) for item in (*self.predicates, *self.people))


NO_SENTENCE_TEXTS = SentenceTexts()


def _read_stored_words(value: object) -> Words:
    given = value if isinstance(value, Mapping) else {}
    return {
        code: text
        for code, text in given.items()
        if isinstance(text, str) and text.strip() and not sentence_text_fault(text)
    }


def is_outside_all_regions(item: str) -> bool:
    """True if the item means "outside all regions" of a place."""
    return item.endswith(f"={ELSEWHERE}")
