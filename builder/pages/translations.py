"""The translations page: languages of a questionnaire, its texts in two languages, and its phrases (fixed sentences).

Phrases are translated in languages that Candor does not ship, and saved one by one.
"""

from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any, NamedTuple

from django.conf.locale import LANG_INFO
from django.contrib import messages
from django.forms import FileField, FileInput, Form
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from accounts.permission import PersonRequest
from builder.editing import commands, save_edit
from builder.editing.http_responses import (
    command_response,
    editable_draft_view,
    not_saved_response,
    pop_stored_undo,
    refusal_response,
    wants_json,
)
from builder.editing.separately_saved_parts import autosave_response_json, part_digest
from builder.editing.translation import PhrasePart, TranslationPart, shipped_phrase_html
from builder.protection.summary import opening_problems_sentence
from privacy.designs.labels import section_number
from surveys.lifecycle.design_from_draft import phrases_to_translate, untranslated_phrases
from surveys.models import Survey
from surveys.phrases.all_phrases import PHRASES
from surveys.phrases.languages import ENGLISH, SHIPPED, shipped_language_for
from surveys.questionnaire import translatable_texts
from surveys.questionnaire.problems_and_refusals import NotAllowed, Problem, language_name
from surveys.questionnaire.question_block_editing import undo_data_for_draft
from surveys.questionnaire.questionnaire import Command, CommandResult, Questionnaire, Sent
from surveys.signed_in_view import posting, reading
from ui.templatetags.ui import join_names


class LanguageRow(NamedTuple):
    """A language of the questionnaire with its missing texts, and the phrases still needed to open the survey
    (`phrases`)."""

    code: str
    name: str
    missing: int
    phrases: int


class OfferedLanguage(NamedTuple):
    """A language that can be added; people search it by its code and its names."""

    code: str
    name: str
    others: str


class TranslationFileForm(Form):
    """Form for a file of translations, which importing/translations reads."""

    file = FileField(
        label=gettext_lazy("Translated file"),
        help_text=gettext_lazy(
            "XLIFF 2 (.xlf) or CSV, at most 5 megabytes. You see what it changes before anything is saved."
        ),
        max_length=300,
        widget=FileInput(attrs={"accept": ".xlf,.xliff,.csv,.tsv,.txt"}),
    )


class TranslationsPage:
    """Data of the translations page: from the first language, `source`, into `language`.

    `original`: the shipped language shown beside the phrases. `sent`: forms that could not be saved, by part.
    """

    def __init__(
        self,
        draft: Questionnaire,
        language: str,
        original: str = ENGLISH,
        sent: Mapping[str, Form] | None = None,
    ) -> None:
        self.draft, self.language, self.sent = draft, language, sent or {}
        self.original = original if original in SHIPPED else ENGLISH
        self.source = draft.first_language

    @cached_property
    def language_rows(self) -> list[LanguageRow]:
        lacking, views = untranslated_phrases(self.draft.as_json()), []
        for code in self.draft.languages:
            phrases = len(lacking[code].protecting) if code in lacking else 0
            missing = translatable_texts.count_missing_texts(self.draft, code)
            views.append(LanguageRow(code, language_name(code), missing, phrases))
        return views

    @property
    def exportable_languages(self) -> list[LanguageRow]:
        """Languages for which a translation file can be made: all but the first, and the first if its phrases
        need translation."""
        return [
            view
            for view in self.language_rows
            if view.code != self.source or not shipped_language_for(view.code)
        ]

    @property
    def offered_languages(self) -> list[OfferedLanguage]:
        """Languages that Django knows, each with its own name; any other can be added by its code."""
        languages = [
            OfferedLanguage(
                code, info["name_local"], join_names(dict.fromkeys((info["name"], language_name(code))))
            )
            for code, info in LANG_INFO.items()
            if "name_local" in info and code not in self.draft.languages
        ]
        return sorted(languages, key=lambda language: language.name.casefold())

    @cached_property
    def part_translations(self) -> list["PartTranslation"]:
        views, questions = list[PartTranslation](), 0
        for key in (
            translatable_texts.keys_of_parts_with_texts(self.draft) if self.language != self.source else ()
        ):
            if key == translatable_texts.START:
                title = _("Start page")
            elif key.startswith(translatable_texts.SECTION):
                number = section_number(translatable_texts.section_number_from_key(self.draft, key))
                title = _("Before section %(number)s") % {"number": number}
            else:
                questions += 1
                title = _("Question %(number)s") % {"number": questions}
            views.append(PartTranslation(self, key, title))
        return views

    @cached_property
    def phrase_list(self) -> "PhraseList | None":
        """Phrases to translate; None for a language that Candor ships."""
        return None if shipped_language_for(self.language) else PhraseList(self)


class PartTranslation:
    """Translation form of a question, or of another part of the draft, with the base (digest) that a save compares."""

    def __init__(self, page: TranslationsPage, key: str, title: str) -> None:
        part = TranslationPart(key, page.source, page.language)
        self.key, self.title, self.dom_id = key, title, part.dom_id
        self.base = part_digest(part, page.draft)
        self.form = page.sent.get(part.dom_id) or part.build_form(page.draft)


class PhraseList:
    """Phrases to translate: `translated` of `all` are done, and pages show the rest in the language `otherwise`."""

    def __init__(self, page: TranslationsPage) -> None:
        self.language, self.original = page.language, page.original
        self.dom_id = Problem(f"phrases.{page.language}", "").anchor
        self.otherwise = language_name(ENGLISH)
        self.originals = [(code, language_name(code)) for code in SHIPPED]
        needed = phrases_to_translate(page.draft.as_json())
        protecting = [PhraseEntry(page, key) for key, phrase in needed.items() if phrase.protects]
        others = [PhraseEntry(page, key) for key, phrase in needed.items() if not phrase.protects]
        must = _(
            "The survey opens only with all of these, and once a reviewer has approved them beside Candor’s own."
        )
        self.groups = [
            PhraseGroup("phrases-protecting", _("They state the protection"), must, protecting),
            PhraseGroup("phrases-others", _("The other sentences"), "", others),
        ]
        self.translated = sum(group.translated for group in self.groups)
        self.all = len(needed)


class PhraseGroup:
    """Phrases under one heading; `about` tells whether the survey can open without them."""

    def __init__(self, dom_id: str, title: str, about: str, phrases: list["PhraseEntry"]) -> None:
        self.dom_id, self.title, self.about, self.phrases = dom_id, title, about, phrases
        self.translated = sum(not phrase.missing for phrase in phrases)


class PhraseEntry:
    """A phrase with its form; `marks` are its placeholders as they are typed."""

    def __init__(self, page: TranslationsPage, key: str) -> None:
        self.part = PhrasePart(key, page.language)
        self.original, self.base = shipped_phrase_html(key, page.original), part_digest(self.part, page.draft)
        self.form = page.sent.get(self.part.dom_id) or self.part.build_form(page.draft)
        self.marks = [f"{{{name}}}" for name in sorted(PHRASES[key].placeholders)]
        self.missing = not self.form["words"].value()


@reading
@editable_draft_view
def show_translations(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Shows the translations into the language in the query string (`?to=`), else into the draft's second language."""
    draft, language = save_edit.load_questionnaire(survey), request.GET.get("to", "")
    if language not in draft.languages:
        language = draft.languages[min(1, len(draft.languages) - 1)]
    page = TranslationsPage(draft, language, request.GET.get("original", ENGLISH))
    return render_translations_page(request, survey, page, undo=pop_stored_undo(request, survey))


@posting
@editable_draft_view
def save_translation(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Saves the translated texts of a question or of another part of the draft."""
    sent = request.POST
    part = TranslationPart(sent.get("part", ""), sent.get("from", ""), sent.get("in", ""))
    return _save_translation_part(request, survey, part, ENGLISH)


@posting
@editable_draft_view
def save_phrase_translation(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Saves the translation of one phrase."""
    part = PhrasePart(request.POST.get("part", ""), request.POST.get("in", ""))
    return _save_translation_part(request, survey, part, request.POST.get("original", ""))


def _save_translation_part(
    request: PersonRequest, survey: Survey, part: TranslationPart | PhrasePart, original: str
) -> HttpResponse:
    """Saves the translation of a part of the draft or of a phrase; if it fails, shows the page again with the form that
    was sent."""
    address = _translations_url(survey, part.language, original)
    again, before = f"{address}#{part.dom_id}", save_edit.load_questionnaire(survey)
    try:
        base = request.POST.get("base", "")
        draft = save_edit.save_part(survey, request.user, part, base, request.POST, timezone.now())
    except save_edit.PartNotSaved as reason:
        page = TranslationsPage(reason.draft, part.language, original, {part.dom_id: reason.form})
        shown = partial(render_translations_page, request, survey, page)
        return not_saved_response(request, reason, part.dom_id, again, shown)
    except NotAllowed as reason:
        return refusal_response(request, survey, str(reason), address)
    if wants_json(request):
        return JsonResponse(autosave_response_json(part, before, draft))
    messages.success(request, _("Saved."))
    return redirect(again)


@posting
@editable_draft_view
def change_languages(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Adds or removes a language, puts one first, or undoes a removal."""
    available = {**LANGUAGE_COMMANDS, "undo": commands.undo_command(survey.pk)}
    try:
        command = commands.find_command(available, request.POST.get("do", ""))
        draft, result = save_edit.run_command(
            survey, request.user, command, request.POST.dict(), timezone.now()
        )
    except NotAllowed as reason:
        return refusal_response(
            request, survey, str(reason), _translations_url(survey, request.POST.get("in", ""))
        )
    code = result.key if result.key in draft.languages else draft.languages[-1]
    return command_response(request, survey, redirect(_translations_url(survey, code)), result)


def add_language_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    """Adds a language to the draft."""
    after = translatable_texts.add_language(draft, sent.get("other", "").strip() or sent.get("code", ""))
    words = _("The language is added. What Candor knows is filled in.")
    return CommandResult(after, words, key=after.languages[-1])


def put_language_first_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    after = translatable_texts.put_language_first(draft, sent.get("code", ""))
    return CommandResult(after, _("The others are translated from it now."))


def remove_language_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    code = sent.get("code", "")
    after = translatable_texts.remove_language(draft, code)
    words = _("%(language)s and all that was written in it is deleted.") % {"language": language_name(code)}
    return CommandResult(after, words, removed=undo_data_for_draft(draft, after))


LANGUAGE_COMMANDS: dict[str, Command] = {
    "language-add": add_language_command,
    "language-first": put_language_first_command,
    "language-remove": remove_language_command,
}


def render_translations_page(
    request: PersonRequest, survey: Survey, page: TranslationsPage, status: int = 200, **more: Any
) -> HttpResponse:
    """Renders the page of translations; `more` may contain a submitted file form."""
    words = opening_problems_sentence(page.draft)
    context = {"survey": survey, "shown": page, "here": "translations", "lacking": words, **more}
    context.setdefault("file_form", TranslationFileForm())
    return render(request, "builder/translations.html", context, status=status)


def _translations_url(survey: Survey, language: str, original: str = ENGLISH) -> str:
    beside = f"&original={original}" if original in SHIPPED and original != ENGLISH else ""
    return f"{reverse('builder:translations', args=[survey.pk])}?to={language}{beside}"
