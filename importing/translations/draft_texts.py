"""Lists every text of a draft in all its languages, each with an id that stays the same when questions are
moved."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from builder.editing.translation import LONGEST, draft_with_phrase_translation
from privacy.designs.labels import section_number
from surveys.kinds.place.draft import PlaceDraftQuestion
from surveys.lifecycle.design_from_draft import phrases_to_translate
from surveys.phrases.fixed_page_sentence import Phrase
from surveys.phrases.languages import ENGLISH, shipped_language_for
from surveys.phrases.phrase_rendering import shipped_phrase_text
from surveys.questionnaire import translatable_texts
from surveys.questionnaire.answer_choice_editing import answer_rows
from surveys.questionnaire.draft_question import Words
from surveys.questionnaire.question_block_editing import find_block, is_group_of_options
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.report_sentence_texts import sentence_text_fault

UNSAFE_IN_ID = re.compile("[^A-Za-z0-9_-]", re.ASCII)
ROW_FIELD = re.compile(r"(label|predicate|people|region)-([0-9]+)", re.ASCII)


@dataclass(frozen=True)
class DraftText:
    """A text of a draft by language.

    `part` and `field_name`: the part of the draft and the field in which the text is; a fixed sentence has a `phrase`
    and no part. `question`: the text of the question that it belongs to, unless it is that text.
    """

    id: str
    part: str
    field_name: str
    place: str
    label: str
    texts: Words
    max_length: int
    question: Words = field(default_factory=dict)
    is_sentence: bool = False
    phrase: Phrase | None = None

    @property
    def name(self) -> str:
        return _("%(place)s: %(label)s") % {"place": self.place, "label": self.label}

    def source_text(self, language: str) -> str:
        """Returns the text to translate from; for a fixed sentence without a translation, Candor's own text."""
        text = self.texts.get(language, "")
        if self.phrase and not text:
            return shipped_phrase_text(self.field_name, shipped_language_for(language) or ENGLISH)
        return text

    def needs_translation_into(self, language: str) -> bool:
        """True if the survey needs its own translation of this text into the language.

        A fixed sentence needs none into a language in which Candor has it already.
        """
        return not (self.phrase and shipped_language_for(language))

    def context_lines(self, source: str) -> list[str]:
        """Returns lines of context about the text for a translator."""
        lines = [self.name]
        if question := self.question.get(source):
            lines.append(_("The question: %(question)s") % {"question": question})
        if self.phrase:
            if not shipped_language_for(source):
                words = _("The original in English: %(text)s")
                lines.append(words % {"text": self.phrase.original_english})
            if names := sorted(self.phrase.placeholders):
                lines.append(_("Keep as it is: %(marks)s") % {"marks": _placeholder_list(names)})
        return lines

    def faults(self, draft: Questionnaire, text: str) -> Iterator[str]:
        """Yields the reasons why the draft cannot have this translation."""
        if len(text) > self.max_length:
            words = _("It has %(length)s characters; at most %(most)s fit.")
            yield words % {"length": len(text), "most": self.max_length}
        if self.is_sentence and (reason := sentence_text_fault(text)):
            yield reason
        if self.phrase:
            yield from placeholder_faults(self.phrase, text)
        elif self.part and not self.part.startswith(translatable_texts.RESERVED):
            position, block = find_block(draft, self.part)
            section = draft.sections[position.section]
            for _field, reason in section.kind_specific_text_faults(block[0], {self.field_name: text}):
                yield reason


def placeholder_faults(phrase: Phrase, text: str) -> Iterator[str]:
    """Yields sentences on the placeholders that a translation lacks, on those that it adds, and on wrong bold tags."""
    missing, unknown = phrase.placeholder_differences(text)
    if missing:
        yield _("Placeholders are missing: %(marks)s") % {"marks": _placeholder_list(missing)}
    if unknown:
        yield _("The original has no such placeholders: %(marks)s") % {"marks": _placeholder_list(unknown)}
    if not (missing or unknown or phrase.has_placeholders_of_original(text)):
        yield _("Its bold words do not match the original: write <strong>words</strong> where that has some.")


def _placeholder_list(names: Iterable[str]) -> str:
    return ", ".join(f"%({name})s" for name in names)


def texts_of_draft(draft: Questionnaire) -> list[DraftText]:
    """Returns every text of the draft that exists in some language, in the order of the questionnaire, then
    the fixed sentences."""
    texts, questions = list[DraftText](), 0
    for key in translatable_texts.keys_of_parts_with_texts(draft):
        if key == translatable_texts.START:
            place = _("Start page")
        elif key.startswith(translatable_texts.SECTION):
            number = section_number(translatable_texts.section_number_from_key(draft, key))
            place = _("Before section %(number)s") % {"number": number}
        else:
            questions += 1
            place = _("Question %(number)s") % {"number": questions}
        texts += _texts_of_part(draft, key, place)
    return texts + _phrases_of_draft(draft)


def _texts_of_part(draft: Questionnaire, key: str, place: str) -> Iterator[DraftText]:
    by_language = {
        code: translatable_texts.texts_to_translate_once(draft, key, code, code) for code in draft.languages
    }
    first = by_language[draft.first_language]
    stem, names = _id_stem_and_answer_names(draft, key)
    words = [
        {code: pairs[row].source for code, pairs in by_language.items() if pairs[row].source.strip()}
        for row in range(len(first))
    ]
    question = next((texts for pair, texts in zip(first, words, strict=True) if pair.field == "text"), {})
    for pair, texts in zip(first, words, strict=True):
        if texts:
            yield DraftText(
                f"{stem}.{_field_in_id(pair.field, names)}",
                key,
                pair.field,
                place,
                pair.label,
                texts,
                pair.max_length,
                {} if texts is question else question,
                pair.is_sentence,
            )


def _id_stem_and_answer_names(draft: Questionnaire, key: str) -> tuple[str, list[str]]:
    """Returns the beginning of the ids for the texts of a part, such as question.age, and the names of its answers."""
    if key == translatable_texts.START:
        return "start", []
    if key.startswith(translatable_texts.SECTION):
        return f"section.{translatable_texts.section_number_from_key(draft, key) + 1}", []
    _position, block = find_block(draft, key)
    question = block[0]
    rows = question.regions if isinstance(question, PlaceDraftQuestion) else answer_rows(block)
    kind, name = ("group", question.of) if is_group_of_options(block) else ("question", question.name)
    return f"{kind}.{_escape_for_id(name)}", [row.name for row in rows]


def _field_in_id(name: str, names: list[str]) -> str:
    """Returns a field's name as used in an id: with an answer's name instead of its row, so that moved answers keep
    their ids."""
    if match := ROW_FIELD.fullmatch(name):
        return f"{match[1]}.{_escape_for_id(names[int(match[2])])}"
    return _escape_for_id(name)


def _escape_for_id(name: str) -> str:
    """Replaces characters other than ASCII letters, digits, _ and - by their code points: XLIFF ids allow few."""
    return UNSAFE_IN_ID.sub(lambda match: f".u{ord(match[0]):x}.", name)


def _phrases_of_draft(draft: Questionnaire) -> list[DraftText]:
    if all(map(shipped_language_for, draft.languages)):
        return []
    texts = []
    for key, phrase in phrases_to_translate(draft.as_json()).items():
        own = draft.phrases.get(key, {})
        words = {
            code: shipped_phrase_text(key, ours)
            if (ours := shipped_language_for(code))
            else own.get(code, "")
            for code in draft.languages
        }
        label = _("states the protection") if phrase.protects else _("shown to respondents")
        place = _("Fixed sentence")
        texts.append(DraftText(f"phrase.{key}", "", key, place, label, words, LONGEST, phrase=phrase))
    return texts


def texts_in_translation_file(texts: Iterable[DraftText], source: str, target: str) -> list[DraftText]:
    """Returns the texts that a file for translation from one language into another contains."""
    return [
        text
        for text in texts
        if text.needs_translation_into(target) and text.source_text(source).strip() and source != target
    ]


def source_language(draft: Questionnaire, target: str) -> str:
    """Returns the language to translate from: the draft's first language.

    Into the first language itself it is English, since the fixed sentences exist in English.
    """
    return draft.first_language if target != draft.first_language else ENGLISH


def draft_with_translations(
    draft: Questionnaire, language: str, translations: Iterable[tuple[DraftText, str]]
) -> Questionnaire:
    """Returns the draft with these translations in one language; all other texts are unchanged."""
    parts: dict[str, dict[str, str]] = {}
    for text, words in translations:
        if text.phrase:
            draft = draft_with_phrase_translation(draft, text.field_name, language, words)
        else:
            parts.setdefault(text.part, {})[text.field_name] = words
    for part, fields in parts.items():
        draft = translatable_texts.set_texts(draft, part, language, fields)
    return draft
