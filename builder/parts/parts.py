"""The parts of a draft that are edited and saved on their own.

Optimistic locking: a form carries the base, the digest of the part as it was shown. If the stored part has another
digest by then, it was changed elsewhere, and the save is a conflict.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from django.forms import Form
from django.utils.translation import gettext as _

from builder.parts import section_form
from builder.parts.start_form import StartPageForm
from builder.parts.translating import TranslationForm
from builder.settings.missing import missing_text
from surveys.kinds.block_form import BlockForm, clean_texts
from surveys.kinds.registry import kind_of
from surveys.not_allowed import NotAllowed
from surveys.questionnaire import wording
from surveys.questionnaire.blocks import find, section_at, with_block
from surveys.questionnaire.presets import set_by_hand
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.replaced import block_id, digest
from surveys.questionnaire.rules import changed_rules


class DraftPart(Protocol):
    @property
    def dom_id(self) -> str: ...

    def value(self, draft: Questionnaire) -> Any:
        """The values that a save of this part can change."""

    def form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> Form: ...

    def changed(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire: ...


def base_of(part: DraftPart, draft: Questionnaire) -> str:
    return digest(part.value(draft))


def stored_answer(
    part: DraftPart, before: Questionnaire, after: Questionnaire, others: Iterable[DraftPart]
) -> dict[str, Any]:
    """What a save answers to the page: the base of its part, and of each other part that it changed the base before
    and after and the values of its fields, so that a form that shows them is not out of date.
    """
    changed = {}
    for other in others:
        was, base = base_of(other, before), base_of(other, after)
        if was != base and other.dom_id != part.dom_id:
            fields = {field.html_name: field.value() for field in other.form(after)}
            changed[other.dom_id] = {"was": was, "base": base, "fields": fields}
    return {"base": base_of(part, after), "others": changed, "lacking": missing_text(after)}


def spoken(draft: Questionnaire, language: str) -> str:
    if language not in draft.languages:
        raise NotAllowed(_("The survey is not in this language any more."))
    return language


@dataclass(frozen=True)
class StartPart:
    language: str

    @property
    def dom_id(self) -> str:
        return "start"

    def value(self, draft: Questionnaire) -> Any:
        others = [draft.contact, draft.leave_to, draft.minutes, draft.least, draft.retention]
        return [*others, *(getattr(draft, each).get(self.language) for each in wording.start_texts(draft))]

    def form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> StartPageForm:
        return StartPageForm(draft, spoken(draft, self.language), data, auto_id="start-%s")

    def changed(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        said = wording.with_words(draft, wording.START, self.language, clean_texts(cleaned))
        day = cleaned["retention"]
        return replace(
            said,
            contact=clean_texts(cleaned)["contact"],
            leave_to=cleaned["leave_to"],
            minutes=cleaned["minutes"] or 0,
            least=cleaned["least"] or 0,
            retention=day.isoformat() if day else "",
        )


@dataclass(frozen=True)
class SectionPart:
    """The text before a section, and the order of its questions."""

    key: str
    language: str

    @property
    def dom_id(self) -> str:
        return section_text_id(self.key)

    def value(self, draft: Questionnaire) -> Any:
        section = section_at(draft, wording.section_of(draft, self.key))
        return section_form.value_of(section, self.language)

    def form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> section_form.SectionForm:
        language = spoken(draft, self.language)
        return section_form.SectionForm(draft, self.key, language, data, auto_id=f"{self.dom_id}-%s")

    def changed(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        return section_form.changed(draft, self.key, self.language, cleaned)


def section_text_id(key: str) -> str:
    return f"{key.removeprefix('=')}-text"


@dataclass(frozen=True)
class QuestionPart:
    key: str
    language: str

    @property
    def dom_id(self) -> str:
        return block_id(self.key)

    def value(self, draft: Questionnaire) -> Any:
        position, block = find(draft, self.key)
        return [draft.sections[position.section].sensitive, block]

    def form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> BlockForm:
        position, _block = find(draft, self.key)
        kind = kind_of(draft.sections[position.section])
        return kind.form(draft, self.key, spoken(draft, self.language), data, auto_id=f"{self.dom_id}-%s")

    def changed(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        form = self.form(draft)
        said = wording.with_words(draft, self.key, self.language, clean_texts(cleaned))
        _at, block = find(said, self.key)
        block = form.changed_block(block, cleaned)
        # A rule without a tick falls away, and so does one that cannot stand, as the form says.
        ticked = {name: cleaned[f"rule-{number}"] for number, name in enumerate(form.rulings)}
        rules = {name: tuple(allowed) for name, allowed in ticked.items() if allowed}
        if rules != block[0].show_if:
            block = changed_rules(said, self.key, block, rules)
        position, before = find(draft, self.key)
        section = draft.sections[position.section]
        after = with_block(said, self.key, block)
        after = kind_of(section).replan(after, position.section, section)
        by_hand = block[0].law_settings != before[0].law_settings
        return set_by_hand(after, position.section) if by_hand else after


def part_named(key: str, language: str) -> DraftPart:
    if key == wording.START:
        return StartPart(language)
    return (SectionPart if key.startswith(wording.SECTION) else QuestionPart)(key, language)


@dataclass(frozen=True)
class TranslationPart:
    """The texts of a part in one language, beside another."""

    key: str
    source: str
    language: str

    @property
    def dom_id(self) -> str:
        return part_named(self.key, self.language).dom_id

    def value(self, draft: Questionnaire) -> Any:
        lines = wording.translated_pairs(draft, self.key, self.source, self.language)
        return [[line.field, line.target] for line in lines]

    def form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> TranslationForm:
        return TranslationForm(
            draft, self.key, self.source, spoken(draft, self.language), data, auto_id=f"{self.dom_id}-%s"
        )

    def changed(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        return wording.with_words(draft, self.key, self.language, clean_texts(cleaned))
