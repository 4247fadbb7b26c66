"""The parts of a draft that are edited and saved on their own, with their forms.

Optimistic locking: a form carries the base, the digest of the part as it was shown. If the stored part has another
digest by then, it was changed elsewhere, and the save is a conflict.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from django import forms
from django.core.exceptions import ValidationError
from django.forms import Form
from django.utils.translation import gettext as _, gettext_lazy

from builder.protection.summary import missing_text
from privacy.designs.parsing import ADDRESS
from privacy.kinds.presentation import INTRO
from surveys.kinds.forms.block_form import BlockForm, clean_words, words_field
from surveys.kinds.registry import kind_of
from surveys.not_allowed import NotAllowed
from surveys.questionnaire import wording
from surveys.questionnaire.blocks import blocks, find, key_of, section_at, with_block, with_section
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.presets import set_by_hand
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.replaced import block_id, digest
from surveys.questionnaire.rules import changed_rules


class StartPageForm(forms.Form):
    """The texts and numbers of the start page, in one language."""

    contact = forms.CharField(
        label=gettext_lazy("Whom people can ask"),
        required=False,
        max_length=500,
        widget=forms.TextInput(attrs={"id": "contact", "autocomplete": "off"}),
    )
    leave_to = forms.CharField(
        label=gettext_lazy("Page for people who leave"),
        help_text=gettext_lazy(
            "“Exit this page” replaces the survey by this page at once. Choose one that anybody might read, such as"
            " https://www.wikipedia.org/. Without it a blank page opens."
        ),
        required=False,
        max_length=500,
        widget=forms.URLInput(attrs={"id": "leave_to", "autocomplete": "off"}),
    )
    minutes = forms.IntegerField(
        label=gettext_lazy("Time to complete (minutes)"),
        required=False,
        min_value=0,
        max_value=24 * 60,
        widget=forms.NumberInput(attrs={"id": "minutes"}),
    )
    least = forms.IntegerField(
        label=gettext_lazy("Minimum batch size"),
        help_text=gettext_lazy("Answers are counted in batches of at least this many, never fewer."),
        required=False,
        min_value=1,
        max_value=10**9,
        widget=forms.NumberInput(attrs={"id": "least"}),
    )
    retention = forms.DateField(
        label=gettext_lazy("Deletion date"),
        required=False,
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(attrs={"type": "date", "id": "retention"}, format="%Y-%m-%d"),
    )

    def __init__(self, draft: Questionnaire, language: str, data: Any = None, **options: Any) -> None:
        super().__init__(data, initial=start_values(draft, language), **options)
        texts = wording.start_texts(draft)
        for key, label in texts.items():
            lines = 3 if key in wording.LONG else 1
            required = key not in wording.OPTIONAL
            self.fields[key] = words_field(str(label), f"{key}.{language}", lines, required, lang=language)
        self.order_fields([*texts, "contact", "leave_to", "minutes", "least", "retention"])

    def clean_leave_to(self) -> str:
        address = str(self.cleaned_data["leave_to"])
        if address and not ADDRESS.fullmatch(address):
            raise ValidationError(_("Enter an address that begins with https://."))
        return address


def start_values(draft: Questionnaire, language: str) -> dict[str, Any]:
    return {
        **{key: getattr(draft, key).get(language, "") for key in wording.start_texts(draft)},
        "contact": draft.contact,
        "leave_to": draft.leave_to,
        "minutes": draft.minutes or None,
        "least": draft.batch_size,
        "retention": draft.retention,
    }


class SectionForm(forms.Form):
    shuffled = forms.BooleanField(
        label=gettext_lazy("Ask these questions in random order"),
        help_text=gettext_lazy(
            "Each device draws the order. It is not recorded. A battery stays together. No question of this section"
            " may then depend on an answer to another one of it."
        ),
        required=False,
    )

    def __init__(
        self, draft: Questionnaire, key: str, language: str, data: Any = None, **options: Any
    ) -> None:
        super().__init__(data, **options)
        self.section = section_at(draft, wording.section_of(draft, key))
        (line,) = wording.text_pairs(draft, key, language, language)
        self.fields[INTRO] = words_field(
            line.label, f"{line.path}.{language}", 3, line.required, line.longest, lang=language
        )
        self.initial = {INTRO: line.target, "shuffled": self.section.random_order}
        self.order_fields([INTRO, "shuffled"])
        if not self.section.takes_questions:
            del self.fields["shuffled"]


def value_of(section: DraftSection, language: str) -> list[Any]:
    """What a save can change, and the questions, which tell the section from others."""
    keys = [key_of(block) for block in blocks(section)]
    return [section.kind, keys, section.intro.get(language, ""), section.random_order]


def changed(draft: Questionnaire, key: str, language: str, cleaned: dict[str, Any]) -> Questionnaire:
    said = wording.with_words(draft, key, language, clean_words(cleaned))
    number = wording.section_of(draft, key)
    section = replace(said.sections[number], random_order=bool(cleaned.get("shuffled")))
    return with_section(said, number, section)


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
        said = wording.with_words(draft, wording.START, self.language, clean_words(cleaned))
        day = cleaned["retention"]
        return replace(
            said,
            contact=clean_words(cleaned)["contact"],
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
        return value_of(section, self.language)

    def form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> SectionForm:
        language = spoken(draft, self.language)
        return SectionForm(draft, self.key, language, data, auto_id=f"{self.dom_id}-%s")

    def changed(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        return changed(draft, self.key, self.language, cleaned)


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
        said = wording.with_words(draft, self.key, self.language, clean_words(cleaned))
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
        after = kind_of(section).replanned(after, position.section, section)
        by_hand = block[0].law_settings != before[0].law_settings
        return set_by_hand(after, position.section) if by_hand else after


def part_named(key: str, language: str) -> DraftPart:
    if key == wording.START:
        return StartPart(language)
    return (SectionPart if key.startswith(wording.SECTION) else QuestionPart)(key, language)
