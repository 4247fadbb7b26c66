"""The texts of a questionnaire in its languages: lists them, sets them, counts missing ones, adds and removes
languages.

A part is the start page, the text before a section, or a question, and is named by a key.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, TypeVar

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from privacy.designs.design import DUTIES
from privacy.grammar.question_reading import MOST_LABEL
from privacy.grammar.translated_texts import LANGUAGE
from privacy.kinds.section_intro_and_random_order import INTRO
from surveys import default_draft_texts
from surveys.phrases.languages import shipped_language_for
from surveys.questionnaire import answer_choice_editing, value_normalization
from surveys.questionnaire.answer_scales import SCALES
from surveys.questionnaire.choice_question_kinds import question_kind, yes_no_choices
from surveys.questionnaire.draft_question import Choice, DraftQuestion, Words
from surveys.questionnaire.draft_section import DraftSection, QuestionText
from surveys.questionnaire.plain_number_bands import question_with_bands, takes_number
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_block_editing import (
    Block,
    all_blocks,
    block_key,
    blocks_of_section,
    find_block,
    find_section,
    is_group_of_options,
    is_later_line_of_battery,
    replace_block,
    replace_section_normalized,
)
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.report_sentence_texts import ANSWER_TEXTS, MOST, PEOPLE, PREDICATE

T = TypeVar("T", Questionnaire, DraftSection, DraftQuestion)
C = TypeVar("C", bound=Choice)

RESERVED = "="
"""Prefix of the keys of texts that belong to no question; no question can have such a name."""
START = f"{RESERVED}start"
"""Key of the part with the texts around the questions (the start page)."""

START_TEXTS: dict[str, str | Promise] = {
    "title": gettext_lazy("Title"),
    "asker": gettext_lazy("Who asks"),
    "why": gettext_lazy("Why it is asked"),
    "intro": gettext_lazy("Introduction"),
    "consent": gettext_lazy("Consent statement"),
    "thanks": gettext_lazy("Thanks"),
    "panel": gettext_lazy("About the completion code"),
    "ethics": gettext_lazy("Ethics approval"),
    "officer": gettext_lazy("Data protection officer"),
    "privacy": gettext_lazy("Privacy notice"),
    "imprint": gettext_lazy("Imprint"),
}
LOGO_TEXTS: dict[str, str | Promise] = {"logo_alt": gettext_lazy("Alternative text of the logo")}
QUESTION_TEXTS: dict[str, str | Promise] = {
    "text": gettext_lazy("Question"),
    "label": gettext_lazy("Short label"),
    "help": gettext_lazy("Help"),
    "unit": gettext_lazy("Unit"),
    "secret": gettext_lazy("Secret question"),
    "turned": gettext_lazy("Opposite secret question"),
}
NONE = "none"
SECTION = f"{RESERVED}section-"
"""Prefix of the key of a section's introductory text, followed by the section's number."""
OPTIONAL = ("intro", "thanks", "panel", *DUTIES, "label", "help", "unit")
LONG = (
    "why",
    "intro",
    "consent",
    "thanks",
    "panel",
    "privacy",
    "imprint",
    "text",
    "help",
    "secret",
    "turned",
)
LONGEST = 5000


@dataclass(frozen=True)
class TranslatableText:
    """A text in two languages; `field` names the text within its part, `path` is its position in a design.

    `most` is the limit in characters (0: the usual one). `is_sentence`: the text is used inside sentences of reports.
    """

    field: str
    path: str
    label: str
    source: str
    target: str
    required: bool
    most: int = 0
    is_sentence: bool = False

    @property
    def needs_long_field(self) -> bool:
        return self.field in LONG or self.most > LONGEST

    @property
    def max_length(self) -> int:
        return self.most or (MOST_LABEL if self.field == "label" else LONGEST)

    @property
    def is_missing(self) -> bool:
        """True if the target text is missing although it is required or the source has it.

        Sentence texts are never missing.
        """
        return (
            not self.is_sentence and not self.target.strip() and (self.required or bool(self.source.strip()))
        )


def start_page_text_labels(draft: Questionnaire) -> dict[str, str | Promise]:
    """Returns the labels of the texts on the start page, by key; the logo's alternative text only if there is
    a logo."""
    return START_TEXTS | (LOGO_TEXTS if draft.logo else {})


def texts_in_two_languages(
    draft: Questionnaire, key: str, source: str, target: str
) -> list[TranslatableText]:
    """Returns the texts of a part (start page, text before a section, or question) in a source and a target
    language."""
    return [
        TranslatableText(
            text.field,
            text.path,
            text.label,
            text.texts.get(source, ""),
            text.texts.get(target, ""),
            text.required,
            text.most,
            text.is_sentence,
        )
        for text in _texts_of_part(draft, key)
    ]


def _texts_of_part(draft: Questionnaire, key: str) -> Iterator[QuestionText]:
    if key == START:
        for name, label in start_page_text_labels(draft).items():
            yield QuestionText(name, name, str(label), getattr(draft, name), name not in OPTIONAL)
        return
    if key.startswith(SECTION):
        number = section_number_from_key(draft, key)
        path, intro = f"sections[{number}].{INTRO}", draft.sections[number].intro
        yield QuestionText(INTRO, path, _("Text before the section"), intro, False)
        return
    position, block = find_block(draft, key)
    question, section = block[0], draft.sections[position.section]
    first = section.questions.index(question)
    questions = f"sections[{position.section}].questions"
    path = f"{questions}[{first}]"
    for name in section.text_keys_of_question(question):
        label = str(QUESTION_TEXTS[name])
        yield QuestionText(name, f"{path}.{name}", label, getattr(question, name), name not in OPTIONAL)
    if question.none:
        label = _("Answer that excludes the others")
        yield QuestionText(NONE, f"{path}.{NONE}", label, question.none, False)
    yield from section.kind_specific_texts(question, path)
    for row in (
        range(len(answer_choice_editing.answer_rows(block))) if answers_need_labels(draft, block) else ()
    ):
        choice = f"[{first + row}].choices[1]" if is_group_of_options(block) else f"[{first}].choices[{row}]"
        label = _("Answer %(number)s") % {"number": row + 1}
        texts = answer_choice_editing.choice_at(block, row).label
        path = f"{questions}{choice}.label"
        yield QuestionText(f"label-{row}", path, label, texts, question_kind(block) != "scale")
    for row in range(len(answer_choice_editing.answer_rows(block))):
        choice = f"[{first + row}].choices[1]" if is_group_of_options(block) else f"[{first}].choices[{row}]"
        yield from sentence_texts_of_answer(
            answer_choice_editing.choice_at(block, row), row, f"{questions}{choice}"
        )


def sentence_texts_of_answer(choice: Choice, row: int, path: str) -> Iterator[QuestionText]:
    """Yields the sentence texts of the answer in this row (surveys.questionnaire.report_sentence_texts)."""
    labels = {
        PREDICATE: _("Answer %(number)s after a share, as in “54 %% took office supplies home”"),
        PEOPLE: _("Answer %(number)s as a group, as in “of people in public service”"),
    }
    for key, template in labels.items():
        label, texts = template % {"number": row + 1}, getattr(choice, key)
        yield QuestionText(f"{key}-{row}", f"{path}.{key}", label, texts, False, MOST, is_sentence=True)


def texts_to_translate_once(
    draft: Questionnaire, key: str, source: str, target: str
) -> list[TranslatableText]:
    """Returns the texts of one part to translate; those that lines of a battery (table of questions) share belong to
    the first line."""
    pairs = texts_in_two_languages(draft, key, source, target)
    if key.startswith(RESERVED):
        return pairs
    position, block = find_block(draft, key)
    if not is_later_line_of_battery(draft.sections[position.section], block[0]):
        return pairs
    return [pair for pair in pairs if pair.field != "help" and not pair.field.startswith("label-")]


def answers_need_labels(draft: Questionnaire, block: Block) -> bool:
    """True if the answers need labels; yes and no alone have Candor's labels, in the languages that it ships."""
    if not answer_choice_editing.answer_rows(block) or block[0].takes_number:
        return False
    alone = question_kind(block) == "yes-no" and not answer_choice_editing.offers_prefer_not_to_say(block)
    return not alone or not all(map(shipped_language_for, draft.languages))


def set_texts(draft: Questionnaire, key: str, language: str, words: Mapping[str, str]) -> Questionnaire:
    """Sets the texts of a part in one language.

    `words` has the texts by field (`QuestionText.field`); a field that it lacks keeps its text.
    """
    if key == START:
        return _part_with_texts(draft, start_page_text_labels(draft), language, words)
    if key.startswith(SECTION):
        number = section_number_from_key(draft, key)
        section = _part_with_texts(draft.sections[number], [INTRO], language, words)
        return replace_section_normalized(draft, number, section)
    position, block = find_block(draft, key)
    section = draft.sections[position.section]
    fields = section.text_keys_of_question(block[0])
    block = [_part_with_texts(question, fields, language, words) for question in block]
    if NONE in words and (none := block[0].none):
        block = answer_choice_editing.block_with_none_of_these(
            block, words_with_text(none, language, words[NONE])
        )
    block = [section.set_kind_specific_texts(question, language, words) for question in block]
    for row in range(len(answer_choice_editing.answer_rows(block))):
        if f"label-{row}" in words:
            label = answer_choice_editing.choice_at(block, row).label
            label = words_with_text(label, language, words[f"label-{row}"])
            block = answer_choice_editing.block_with_answer_label(block, row, label)
        choice = answer_choice_editing.choice_at(block, row)
        if (said := choice_with_sentences(choice, row, language, words)) != choice:
            block = answer_choice_editing.block_with_answer(block, row, said)
    return replace_block(draft, key, block)


def choice_with_sentences(choice: C, row: int, language: str, words: Mapping[str, str]) -> C:
    """Returns the choice with its report-sentence texts set in one language, from the form fields of the answer in this
    row.

    A field that `words` lacks keeps its text.
    """
    texts: dict[str, Any] = {
        key: words_with_text(getattr(choice, key), language, words[f"{key}-{row}"].strip())
        for key in ANSWER_TEXTS
        if f"{key}-{row}" in words
    }
    return replace(choice, **texts)


def section_number_from_key(draft: Questionnaire, key: str) -> int:
    """Returns the number of the section whose introductory text has this key; raises NotAllowed if the section is
    gone."""
    number = key.removeprefix(SECTION)
    if not (number.isascii() and number.isdecimal() and len(number) < 6):
        raise NotAllowed(_("This section is not there any more."))
    find_section(draft, int(number))
    return int(number)


def _part_with_texts(part: T, fields: Iterable[str], language: str, words: Mapping[str, str]) -> T:
    """Returns the part with the texts of these fields set in one language; a field that `words` lacks keeps its
    text."""
    given = [name for name in fields if name in words]
    texts: dict[str, Any] = {
        name: words_with_text(getattr(part, name), language, words[name]) for name in given
    }
    return replace(part, **texts)


def words_with_text(texts: Words, language: str, text: str) -> Words:
    """Returns the texts by language with the text in `language` replaced; an empty text removes it."""
    text = value_normalization.normal_text(text)
    others = {code: words for code, words in texts.items() if code != language}
    return {**others, language: text} if text.strip() else others


def keys_of_parts_with_texts(draft: Questionnaire) -> list[str]:
    """Returns the keys of all parts that have texts."""
    keys = [START]
    for number, section in enumerate(draft.sections):
        if section.intro:
            keys.append(f"{SECTION}{number}")
        keys += [block_key(block) for block in blocks_of_section(section)]
    return keys


def count_missing_texts(draft: Questionnaire, language: str) -> int:
    """Returns the number of texts that lack a translation from the first language to this one."""
    pairs = (
        texts_to_translate_once(draft, key, draft.first_language, language)
        for key in keys_of_parts_with_texts(draft)
    )
    return sum(pair.is_missing for pair in chain.from_iterable(pairs))


def add_language(draft: Questionnaire, code: str) -> Questionnaire:
    """Adds a language to the draft; fills in Candor's own translations of answers, such as yes, no, months and
    ready-made scales."""
    code = code.strip().lower()
    if LANGUAGE.fullmatch(code) is None:
        raise NotAllowed(_("“%(code)s” is no code of a language, such as fr or pt-br.") % {"code": code})
    if code in draft.languages:
        raise NotAllowed(_("The survey is in this language already."))
    extended = replace(draft, languages=(*draft.languages, code))
    translations = _shipped_answer_translations(extended, code)
    for _position, block in all_blocks(draft):
        if takes_number(number := block[0]):
            translated: Block = [question_with_bands(number, number.number, extended.languages)]
            extended = replace_block(extended, block_key(block), translated)
            continue
        translated = block
        for row in range(len(answer_choice_editing.answer_rows(block))):
            label = answer_choice_editing.choice_at(block, row).label
            if text := next((translations[words] for words in label.items() if words in translations), ""):
                translated = answer_choice_editing.block_with_answer_label(
                    translated, row, {**label, code: text}
                )
        extended = replace_block(extended, block_key(block), translated)
    return extended


def _shipped_answer_translations(draft: Questionnaire, code: str) -> dict[tuple[str, str], str]:
    """Maps (language, text) to the text in the language `code`, for answers that Candor itself translates."""
    scales = (
        {language: points[row] for language, points in scale.points.items()}
        for scale in SCALES.values()
        for row in range(len(scale.points["en"]))
    )
    answers = [choice.label for choice in yes_no_choices(draft.languages, with_prefer_not=True)]
    answers += [
        default_draft_texts.shipped_words_by_language(words, draft.languages)
        for words in (
            default_draft_texts.PREFER_NOT,
            default_draft_texts.SOMETHING_ELSE,
            *default_draft_texts.MONTHS,
        )
    ]
    return {
        (language, texts[language]): texts[code]
        for texts in (*answers, *scales)
        for language in draft.languages
        if code in texts and language in texts
    }


def remove_language(draft: Questionnaire, code: str) -> Questionnaire:
    others = _other_languages(draft, code)
    if not others:
        raise NotAllowed(_("A survey needs one language. Add another before you take this one away."))
    return draft.in_languages(others).change_each_question(
        lambda question: question.without_sentence_texts_in(code)
    )


def put_language_first(draft: Questionnaire, code: str) -> Questionnaire:
    """Moves a language to the front of the list; the other languages are translated from the first."""
    return replace(draft, languages=(code, *_other_languages(draft, code)))


def _other_languages(draft: Questionnaire, code: str) -> list[str]:
    if code not in draft.languages:
        raise NotAllowed(_("The survey is not in this language."))
    return [language for language in draft.languages if language != code]
