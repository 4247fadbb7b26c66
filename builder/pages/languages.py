"""The languages of a questionnaire, and its words in two of them side by side."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from django.conf.locale import LANG_INFO
from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.permission import PersonRequest
from builder.editing import commands, saving
from builder.editing.parts import DraftPart, base_of, stored_answer
from builder.editing.responses import (
    command_response,
    conflicting_fields,
    editable,
    first_error,
    refusal_response,
    undo_key,
    wants_json,
)
from builder.editing.translation import (
    PhraseForm,
    PhrasePart,
    TranslationForm,
    TranslationPart,
    keys_in_order,
    original_html,
)
from builder.protection.summary import missing_text
from privacy.designs.labels import section_number
from surveys.lifecycle.freezing import untranslated_phrases
from surveys.models import Survey
from surveys.not_allowed import NotAllowed
from surveys.pages import posting, reading
from surveys.phrases.every import PHRASES
from surveys.phrases.phrase import ENGLISH
from surveys.phrases.shipped import SHIPPED, direction, shipped_for
from surveys.questionnaire import wording
from surveys.questionnaire.commands import Command, CommandResult, Sent
from surveys.questionnaire.problems import Problem, language_name
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.replaced import replaced_draft
from ui.templatetags.ui import listed


@dataclass(frozen=True)
class PhraseView:
    part: PhrasePart
    original: SafeString
    base: str
    form: PhraseForm

    @property
    def marks(self) -> list[str]:
        return [f"{{{name}}}" for name in sorted(PHRASES[self.part.key].placeholders)]

    @property
    def missing(self) -> bool:
        return not self.form["words"].value()


@dataclass(frozen=True)
class PhraseGroup:
    """`done` counts what is stored."""

    dom_id: str
    title: str
    about: str
    phrases: list[PhraseView]

    @property
    def done(self) -> int:
        return sum(not phrase.missing for phrase in self.phrases)


@dataclass(frozen=True)
class PhrasesPage:
    """`original` is the shipped language that stands beside; `sent` are forms that were not saved."""

    draft: Questionnaire
    language: str
    original: str
    sent: Mapping[str, PhraseForm]

    @property
    def dom_id(self) -> str:
        return Problem(f"phrases.{self.language}", "").anchor

    @property
    def otherwise(self) -> str:
        """The language in which a page says what is not translated."""
        return language_name(shipped_for(self.language) or ENGLISH)

    @property
    def originals(self) -> list[tuple[str, str]]:
        return [(code, language_name(code)) for code in SHIPPED]

    @cached_property
    def groups(self) -> list[PhraseGroup]:
        protecting, others = keys_in_order(self.draft)
        must = "" if shipped_for(self.language) else _("The survey opens only with all of these.")
        return [
            PhraseGroup("phrases-protecting", _("They state the protection"), must, self._views(protecting)),
            PhraseGroup("phrases-others", _("The other sentences"), "", self._views(others)),
        ]

    def _views(self, keys: list[str]) -> list[PhraseView]:
        return [self._view(PhrasePart(key, self.language)) for key in keys]

    def _view(self, part: PhrasePart) -> PhraseView:
        form = self.sent.get(part.dom_id) or part.form(self.draft)
        return PhraseView(part, original_html(part.key, self.original), base_of(part, self.draft), form)

    @property
    def done(self) -> int:
        return sum(group.done for group in self.groups)

    @property
    def all(self) -> int:
        return sum(len(group.phrases) for group in self.groups)


@dataclass(frozen=True)
class Spoken:
    """`missing` counts the questionnaire's texts, `phrases` the fixed sentences without which it does not open."""

    code: str
    name: str
    missing: int
    phrases: int


@dataclass(frozen=True)
class OfferedLanguage:
    """Found by any of its names or its code."""

    code: str
    name: str
    others: str


@dataclass(frozen=True)
class TranslationView:
    key: str
    dom_id: str
    title: str
    base: str
    form: TranslationForm

    @property
    def missing(self) -> int:
        return sum(line.missing for line in self.form.lines)


@dataclass(frozen=True)
class TranslationsPage:
    draft: Questionnaire
    language: str
    sent: dict[str, TranslationForm]
    original: str = ENGLISH
    sent_phrases: dict[str, PhraseForm] = field(default_factory=dict)

    @property
    def source(self) -> str:
        return self.draft.first_language

    @cached_property
    def languages(self) -> list[Spoken]:
        lacking = untranslated_phrases(self.draft.as_json())
        return [
            Spoken(
                code,
                language_name(code),
                wording.missing(self.draft, code),
                len(lacking[code].protecting) if code in lacking else 0,
            )
            for code in self.draft.languages
        ]

    @property
    def direction(self) -> str:
        return direction(self.language)

    @cached_property
    def phrases(self) -> PhrasesPage | None:
        """None in a language in which Candor says its fixed sentences itself."""
        if self.language in SHIPPED:
            return None
        return PhrasesPage(self.draft, self.language, self.original, self.sent_phrases)

    @cached_property
    def parts(self) -> list[TranslationView]:
        if self.language == self.source:
            return []
        made, questions = list[TranslationView](), 0
        for key in wording.keys(self.draft):
            questions += not key.startswith(wording.RESERVED)
            made.append(self._part(key, questions))
        return made

    def _part(self, key: str, number: int) -> TranslationView:
        part = TranslationPart(key, self.source, self.language)
        form = self.sent.get(key) or part.form(self.draft)
        title = _("Question %(number)s") % {"number": number}
        if key == wording.START:
            title = _("Start page")
        elif key.startswith(wording.SECTION):
            before = section_number(wording.section_of(self.draft, key))
            title = _("Before section %(number)s") % {"number": before}
        return TranslationView(key, part.dom_id, title, base_of(part, self.draft), form)

    @property
    def missing(self) -> int:
        return sum(part.missing for part in self.parts)

    @property
    def offered(self) -> list[OfferedLanguage]:
        """The languages that Django knows, each named in itself; others can be given by their code."""
        known = [
            OfferedLanguage(code, info["name_local"], _other_names(code, info["name"]))
            for code, info in LANG_INFO.items()
            if "name_local" in info and code not in self.draft.languages
        ]
        return sorted(known, key=lambda each: each.name.casefold())


def _other_names(code: str, english: str) -> str:
    """In English and in the reader's language."""
    return listed(dict.fromkeys((english, language_name(code))))


@reading
@editable
def translations(request: PersonRequest, survey: Survey) -> HttpResponse:
    original = request.GET.get("original", ENGLISH)
    shown = shown_in(saving.normalized_draft(survey), request.GET.get("to", ""), original)
    return _page(request, survey, shown, undo=request.session.pop(undo_key(survey), None))


@posting
@editable
def save_words(request: PersonRequest, survey: Survey) -> HttpResponse:
    sent = request.POST
    part = TranslationPart(sent.get("part", ""), sent.get("from", ""), sent.get("in", ""))

    def shown_again(draft: Questionnaire, form: Any) -> TranslationsPage:
        return TranslationsPage(draft, part.language, {part.key: form})

    return _saved(request, survey, part, part.key, _address(survey, part.language), shown_again)


@posting
@editable
def save_phrase(request: PersonRequest, survey: Survey) -> HttpResponse:
    sent = request.POST
    part = PhrasePart(sent.get("part", ""), sent.get("in", ""))
    original = _original(sent.get("original", ""))

    def shown_again(draft: Questionnaire, form: Any) -> TranslationsPage:
        shown = shown_in(draft, part.language, original)
        return replace(shown, sent_phrases={part.dom_id: form})

    return _saved(request, survey, part, part.dom_id, _address(survey, part.language, original), shown_again)


def _saved(
    request: PersonRequest,
    survey: Survey,
    part: DraftPart,
    name: str,
    address: str,
    shown_again: Callable[[Questionnaire, Any], TranslationsPage],
) -> HttpResponse:
    """Saves a part. Where that fails the page is shown again with what was sent; `name` marks a conflict there."""
    sent, back = request.POST, f"{address}#{part.dom_id}"
    before = saving.normalized_draft(survey)
    try:
        draft = saving.save(survey, request.user, part, sent.get("base", ""), sent, timezone.now())
    except saving.NotSaved as not_saved:
        form, conflict = not_saved.form, isinstance(not_saved, saving.Conflict)
        if wants_json(request) and not conflict:
            return JsonResponse({"said": first_error(form)}, status=422)
        more = {"conflict": name, "theirs": conflicting_fields(form), "again": back} if conflict else {}
        shown = shown_again(not_saved.draft, form)
        return _page(request, survey, shown, status=409 if conflict else 422, **more)
    except NotAllowed as reason:
        return refusal_response(request, survey, str(reason), address)
    if wants_json(request):
        return JsonResponse(stored_answer(part, before, draft, []))
    messages.success(request, _("Saved."))
    return redirect(back)


@posting
@editable
def act_on_languages(request: PersonRequest, survey: Survey) -> HttpResponse:
    known = {**OF_LANGUAGES, "language-remove": _remove, "undo": commands.undo(survey.pk)}
    try:
        act = commands.command_named(known, request.POST.get("do", ""))
        draft, outcome = saving.act(survey, request.user, act, request.POST.dict(), timezone.now())
    except NotAllowed as reason:
        return refusal_response(request, survey, str(reason), _address(survey, request.POST.get("in", "")))
    code = outcome.key if outcome.key in draft.languages else draft.languages[-1]
    return command_response(request, survey, redirect(_address(survey, code)), outcome)


def _remove(draft: Questionnaire, sent: Sent) -> CommandResult:
    code = sent.get("code", "")
    after = wording.remove_language(draft, code)
    words = _("%(language)s and all that was written in it is deleted.") % {"language": language_name(code)}
    return CommandResult(after, words, removed=replaced_draft(draft, after))


def _page(
    request: PersonRequest, survey: Survey, shown: TranslationsPage, status: int = 200, **more: Any
) -> HttpResponse:
    words = missing_text(shown.draft)
    context = {"survey": survey, "shown": shown, "here": "translations", "lacking": words, **more}
    return render(request, "builder/translations.html", context, status=status)


def shown_in(draft: Questionnaire, language: str, original: str = ENGLISH) -> TranslationsPage:
    """The page for this language, else for the first one that texts are translated into."""
    spoken = draft.languages
    shown = language if language in spoken else spoken[min(1, len(spoken) - 1)]
    return TranslationsPage(draft, shown, {}, _original(original))


def _original(language: str) -> str:
    """The shipped language that stands beside a translation."""
    return language if language in SHIPPED else ENGLISH


def _address(survey: Survey, language: str, original: str = ENGLISH) -> str:
    beside = "" if original == ENGLISH else f"&original={original}"
    return f"{reverse('builder:translations', args=[survey.pk])}?to={language}{beside}"


def language_add(draft: Questionnaire, sent: Sent) -> CommandResult:
    code = sent.get("other", "").strip() or sent.get("code", "")
    after = wording.add_language(draft, code)
    return CommandResult(
        after, _("The language is added. What Candor knows is filled in."), key=after.languages[-1]
    )


def language_first(draft: Questionnaire, sent: Sent) -> CommandResult:
    return CommandResult(
        wording.put_first(draft, sent.get("code", "")), _("The others are translated from it now.")
    )


OF_LANGUAGES: dict[str, Command] = {"language-add": language_add, "language-first": language_first}
