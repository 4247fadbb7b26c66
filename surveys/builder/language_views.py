"""The languages of a questionnaire, and its words in two of them side by side."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.conf.locale import LANG_INFO
from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from people.permission import PersonRequest
from surveys.builder import commands, saving, wording
from surveys.builder.commands import CommandResult, Sent
from surveys.builder.form_errors import conflicting_fields, first_error
from surveys.builder.missing import missing_in, missing_text
from surveys.builder.parts import TranslationPart, base_of
from surveys.builder.responses import command_response, editable, refusal_response, undo_key, wants_json
from surveys.builder.translating import TranslationForm
from surveys.builder.undo import replaced_draft
from surveys.draft import Draft
from surveys.models import Survey
from surveys.pages import posting, reading
from surveys.problems import language_name
from surveys.refused import Refused


@dataclass(frozen=True)
class Spoken:
    code: str
    name: str
    missing: int


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
    draft: Draft
    language: str
    sent: dict[str, TranslationForm]

    @property
    def source(self) -> str:
        first: str = self.draft["languages"][0]
        return first

    @cached_property
    def languages(self) -> list[Spoken]:
        codes = self.draft["languages"]
        return [Spoken(code, language_name(code), wording.missing(self.draft, code)) for code in codes]

    @cached_property
    def parts(self) -> list[TranslationView]:
        if self.language == self.source:
            return []
        return [self._part(number, key) for number, key in enumerate(wording.keys(self.draft))]

    def _part(self, number: int, key: str) -> TranslationView:
        part = TranslationPart(key, self.source, self.language)
        form = self.sent.get(key) or part.form(self.draft)
        title = _("Question %(number)s") % {"number": number} if number else _("Start page")
        return TranslationView(key, part.dom_id, title, base_of(part, self.draft), form)

    @property
    def missing(self) -> int:
        return sum(part.missing for part in self.parts)

    @property
    def offered(self) -> list[tuple[str, str]]:
        """The languages that Django knows, each named in itself; others can be given by their code."""
        known = [(code, info["name_local"]) for code, info in LANG_INFO.items() if "name_local" in info]
        return sorted(
            (each for each in known if each[0] not in self.draft["languages"]),
            key=lambda each: each[1].casefold(),
        )


@reading
@editable
def translations(request: PersonRequest, survey: Survey) -> HttpResponse:
    shown = shown_in(saving.normalized_draft(survey), request.GET.get("to", ""))
    return _page(request, survey, shown, undo=request.session.pop(undo_key(survey), None))


@posting
@editable
def save_words(request: PersonRequest, survey: Survey) -> HttpResponse:
    sent = request.POST
    part = TranslationPart(sent.get("part", ""), sent.get("from", ""), sent.get("in", ""))
    try:
        draft = saving.save(survey, request.user, part, sent.get("base", ""), sent, timezone.now())
    except saving.NotSaved as not_saved:
        return _not_saved(request, survey, part, not_saved)
    except Refused as reason:
        return refusal_response(request, survey, str(reason), _address(survey, part.language))
    if wants_json(request):
        return JsonResponse({"base": base_of(part, draft), "lacking": missing_text(missing_in(draft))})
    messages.success(request, _("Saved."))
    return redirect(f"{_address(survey, part.language)}#{part.dom_id}")


@posting
@editable
def act_on_languages(request: PersonRequest, survey: Survey) -> HttpResponse:
    known = {**commands.OF_LANGUAGES, "language-remove": _remove, "undo": commands.undo(survey.pk)}
    try:
        act = commands.command_named(known, request.POST.get("do", ""))
        draft, outcome = saving.act(survey, request.user, act, request.POST.dict(), timezone.now())
    except Refused as reason:
        return refusal_response(request, survey, str(reason), _address(survey, request.POST.get("in", "")))
    code = outcome.key if outcome.key in draft["languages"] else draft["languages"][-1]
    return command_response(request, survey, redirect(_address(survey, code)), outcome)


def _remove(draft: Draft, sent: Sent) -> CommandResult:
    code = sent.get("code", "")
    after = wording.remove_language(draft, code)
    words = _("%(language)s and all that was written in it is deleted.") % {"language": language_name(code)}
    return CommandResult(after, words, removed=replaced_draft(draft, after))


def _not_saved(
    request: PersonRequest, survey: Survey, part: TranslationPart, not_saved: saving.NotSaved
) -> HttpResponse:
    form, conflict = not_saved.form, isinstance(not_saved, saving.Conflict)
    assert isinstance(form, TranslationForm)
    if wants_json(request) and not conflict:
        return JsonResponse({"said": first_error(form)}, status=422)
    shown = TranslationsPage(not_saved.draft, part.language, {part.key: form})
    again = f"{_address(survey, part.language)}#{part.dom_id}"
    more = {"conflict": part.key, "theirs": conflicting_fields(form), "again": again} if conflict else {}
    return _page(request, survey, shown, status=409 if conflict else 422, **more)


def _page(
    request: PersonRequest, survey: Survey, shown: TranslationsPage, status: int = 200, **more: Any
) -> HttpResponse:
    words = missing_text(missing_in(shown.draft))
    context = {"survey": survey, "shown": shown, "here": "translations", "lacking": words, **more}
    return render(request, "surveys/builder/translations.html", context, status=status)


def shown_in(draft: Draft, language: str) -> TranslationsPage:
    """The page for this language, else for the first one that texts are translated into."""
    spoken = draft["languages"]
    return TranslationsPage(
        draft, language if language in spoken[1:] else spoken[min(1, len(spoken) - 1)], {}
    )


def _address(survey: Survey, language: str) -> str:
    return f"{reverse('surveys:translations', args=[survey.pk])}?to={language}"
