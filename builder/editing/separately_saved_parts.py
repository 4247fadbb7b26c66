"""Parts of a draft that are edited and saved separately: start page, text before a section, question.

Optimistic locking: a form contains the base, a digest of the part as it was displayed. If the stored part has
a different digest when the form is saved, somebody else has changed it, and the save is a conflict.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from builder.protection.summary import opening_problems_sentence
from privacy.designs.parsing import ADDRESS
from privacy.kinds.section_intro_and_random_order import INTRO
from surveys.kinds.question_form import QuestionBlockForm, normalized_texts_of_form, translated_text_field
from surveys.kinds.registry import get_kind
from surveys.questionnaire import translatable_texts
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.protection import remove_preset
from surveys.questionnaire.question_block_editing import (
    block_html_id,
    block_key,
    blocks_of_section,
    find_block,
    find_section,
    json_digest,
    replace_block,
    replace_section_normalized,
)
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.report_sentence_proposals import ReportLine, line_of_report
from surveys.questionnaire.show_if_rules import block_with_rules


class DraftPart(Protocol):
    """Protocol of a part of the draft that has a form and is saved on its own."""

    @property
    def dom_id(self) -> str: ...

    def conflict_check_value(self, draft: Questionnaire) -> Any:
        """Returns the values that nobody else may have changed when this part is saved; `part_digest` hashes them."""

    def build_form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> forms.Form: ...

    def apply_cleaned(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        """Returns the draft with the form's cleaned values."""


def part_digest(part: DraftPart, draft: Questionnaire) -> str:
    """Returns a digest of a part, by which a save detects that somebody else has changed it."""
    return json_digest(part.conflict_check_value(draft))


def autosave_response_json(
    part: DraftPart, before: Questionnaire, after: Questionnaire, other_parts: Iterable[DraftPart] = ()
) -> dict[str, Any]:
    """Returns the JSON response to an autosave: the new base of the part, the line of a question on a report's first
    page, and bases and values of other parts that changed with it.

    The page updates the forms of these parts, so that they do not become outdated.
    """
    changes = {}
    for neighbour in other_parts:
        was, base = part_digest(neighbour, before), part_digest(neighbour, after)
        if was != base and neighbour.dom_id != part.dom_id:
            fields = {field.html_name: field.value() for field in neighbour.build_form(after)}
            changes[neighbour.dom_id] = {"was": was, "base": base, "fields": fields}
    line = None
    if isinstance(part, QuestionPart):
        line = line_of_report(after, find_block(after, part.key)[1], part.language)
    return {
        "base": part_digest(part, after),
        "others": changes,
        "lacking": opening_problems_sentence(after),
        "line": report_line_text(line),
    }


def report_line_text(line: ReportLine | None) -> str:
    """Returns what the builder says beneath a question; empty for one that is unfinished."""
    if line is None:
        return ""
    return line.sentence or _("nothing on the first page")


def require_language(draft: Questionnaire, language: str) -> str:
    """Returns the given language; refused if the draft no longer has it."""
    if language not in draft.languages:
        raise NotAllowed(_("The survey is not in this language any more."))
    return language


class StartPageForm(forms.Form):
    """Form for the texts and numbers of the start page, in one language."""

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
        label=gettext_lazy("Fewest answers counted together (minimum batch size)"),
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
        super().__init__(data, **options)
        texts = translatable_texts.start_page_text_labels(draft)
        self.initial = {
            **{key: getattr(draft, key).get(language, "") for key in texts},
            "contact": draft.contact,
            "leave_to": draft.leave_to,
            "minutes": draft.minutes or None,
            "least": draft.minimum_batch_size,
            "retention": draft.retention,
        }
        for key, label in texts.items():
            lines = 3 if key in translatable_texts.LONG else 1
            required = key not in translatable_texts.OPTIONAL
            self.fields[key] = translated_text_field(
                str(label), f"{key}.{language}", lines, required, lang=language
            )
        self.order_fields([*texts, "contact", "leave_to", "minutes", "least", "retention"])

    def clean_leave_to(self) -> str:
        address = str(self.cleaned_data["leave_to"])
        if address and not ADDRESS.fullmatch(address):
            raise forms.ValidationError(_("Enter an address that begins with https://."))
        return address


class StartPagePart:
    """The start page in one language, as a part that is saved on its own."""

    dom_id = "start"

    def __init__(self, language: str) -> None:
        self.language = language

    def conflict_check_value(self, draft: Questionnaire) -> Any:
        numbers = [draft.contact, draft.leave_to, draft.minutes, draft.least, draft.retention]
        return [
            *numbers,
            *(
                getattr(draft, key).get(self.language)
                for key in translatable_texts.start_page_text_labels(draft)
            ),
        ]

    def build_form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> StartPageForm:
        return StartPageForm(draft, require_language(draft, self.language), data, auto_id="start-%s")

    def apply_cleaned(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        words, day = normalized_texts_of_form(cleaned), cleaned["retention"]
        return replace(
            translatable_texts.set_texts(draft, translatable_texts.START, self.language, words),
            contact=words["contact"],
            leave_to=cleaned["leave_to"],
            minutes=cleaned["minutes"] or 0,
            least=cleaned["least"] or 0,
            retention=day.isoformat() if day else "",
        )


class SectionForm(forms.Form):
    """Form for the text before a section, in one language, and for whether its questions are in random order."""

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
        self.section = find_section(draft, translatable_texts.section_number_from_key(draft, key))
        (line,) = translatable_texts.texts_in_two_languages(draft, key, language, language)
        self.fields[INTRO] = translated_text_field(
            line.label, f"{line.path}.{language}", 3, line.required, line.max_length, lang=language
        )
        self.initial = {INTRO: line.target, "shuffled": self.section.random_order}
        self.order_fields([INTRO, "shuffled"])
        if not self.section.may_add_questions:
            del self.fields["shuffled"]


class SectionPart:
    """The text before a section and the order of its questions, as a part that is saved on its own."""

    def __init__(self, key: str, language: str) -> None:
        self.key, self.language, self.dom_id = key, language, f"{key.removeprefix('=')}-text"

    def conflict_check_value(self, draft: Questionnaire) -> Any:
        """Returns kind, question names, text and order of the section, so that a save is a conflict if another section
        has this number meanwhile."""
        section = find_section(draft, translatable_texts.section_number_from_key(draft, self.key))
        keys = [block_key(block) for block in blocks_of_section(section)]
        return [section.kind, keys, section.intro.get(self.language, ""), section.random_order]

    def build_form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> SectionForm:
        language = require_language(draft, self.language)
        return SectionForm(draft, self.key, language, data, auto_id=f"{self.dom_id}-%s")

    def apply_cleaned(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        after = translatable_texts.set_texts(
            draft, self.key, self.language, normalized_texts_of_form(cleaned)
        )
        number = translatable_texts.section_number_from_key(draft, self.key)
        section = replace(after.sections[number], random_order=bool(cleaned.get("shuffled")))
        return replace_section_normalized(after, number, section)


class QuestionPart:
    """A question, or all options of a multiple-answer question, as a part that is saved separately; the kind of its
    section provides the form."""

    def __init__(self, key: str, language: str) -> None:
        self.key, self.language, self.dom_id = key, language, block_html_id(key)

    def conflict_check_value(self, draft: Questionnaire) -> Any:
        position, block = find_block(draft, self.key)
        return [draft.sections[position.section].sensitive, block]

    def build_form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> QuestionBlockForm:
        position, _block = find_block(draft, self.key)
        kind, language = get_kind(draft.sections[position.section]), require_language(draft, self.language)
        return kind.form_class(draft, self.key, language, data, auto_id=f"{self.dom_id}-%s")

    def apply_cleaned(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        form = self.build_form(draft)
        position, before = find_block(draft, self.key)
        after = translatable_texts.set_texts(
            draft, self.key, self.language, normalized_texts_of_form(cleaned)
        )
        block = form.apply_to_block(find_block(after, self.key)[1], cleaned)
        # A rule without a tick falls away, and so does one that cannot stand, as the form says.
        ticked = {name: cleaned[f"rule-{number}"] for number, name in enumerate(form.rulings)}
        rules = {name: tuple(allowed) for name, allowed in ticked.items() if allowed}
        if rules != block[0].show_if:
            block = block_with_rules(after, self.key, block, rules)
        section = draft.sections[position.section]
        after = get_kind(section).adapt_dependent_settings(
            replace_block(after, self.key, block), position.section, section
        )
        is_set = block[0].law_settings != before[0].law_settings
        return remove_preset(after, position.section) if is_set else after


def part_from_key(key: str, language: str) -> DraftPart:
    """Returns the part with this key (start page, text before a section, or question), without checking that
    a draft has it."""
    if key == translatable_texts.START:
        return StartPagePart(language)
    return (SectionPart if key.startswith(translatable_texts.SECTION) else QuestionPart)(key, language)
