"""The protection page: guarantee and expected errors of the sensitive sections, updated while values change."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.permission import PersonRequest
from builder.edits.sending import sending, sets_proposed
from builder.parts.form_errors import conflicting_fields, first_error
from builder.parts.parts import base_of, stored_answer
from builder.saving import repeats, saving
from builder.saving.responses import (
    command_response,
    editable,
    refusal_response,
    undo_key,
    wants_fragment,
    wants_json,
)
from builder.settings.missing import missing_text
from builder.settings.outcome import ProtectionSummary
from builder.settings.panel import SettingsForm, SettingsPart, ViewOptions, set_sections
from builder.settings.picture import FrontierPicture, picture
from builder.settings.preset_choices import PresetChoice, preset_choices, preset_named
from builder.settings.proposals import Proposal, applied, chosen, incomplete, proposals
from builder.settings.quick_fixes import fixed
from surveys.kinds.kind import SectionPanel
from surveys.kinds.presets import with_preset
from surveys.kinds.settings import SettingsWarning
from surveys.models import Survey
from surveys.not_allowed import NotAllowed
from surveys.pages import posting, reading
from surveys.questionnaire.commands import CommandResult, parsed_number
from surveys.questionnaire.presets import by_hand, preset_of
from surveys.questionnaire.protection import Protection, combinations, plain_questions, unique
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.replaced import replaced_draft

REGROUP = "regroup"
"""Beside the number of a proposal: the person agrees that questions move into other sections."""


@dataclass(frozen=True)
class ProtectionPage:
    """Everything that the page says of a draft, saved or not."""

    draft: Questionnaire
    form: SettingsForm
    look: ViewOptions

    @cached_property
    def outcome(self) -> ProtectionSummary:
        return ProtectionSummary(self.draft, self.look.prior)

    @property
    def person(self) -> Protection | None:
        return self.outcome.person

    @property
    def cautions(self) -> list[SettingsWarning]:
        return [each for each in self.outcome.warnings if each.section is None]

    @cached_property
    def choices(self) -> list[PresetChoice]:
        return preset_choices(self.draft)

    @property
    def set_by_hand(self) -> bool:
        return preset_of(self.draft) is None

    @property
    def needs_a_look(self) -> bool:
        """Whether the settings of the sections are shown unasked."""
        return self.set_by_hand or (self.form.is_bound and not self.form.is_valid())

    @property
    def sets_a_limit(self) -> bool:
        """Whether somebody has asked for proposals: the limit is not the usual one."""
        usual = ViewOptions()
        return (self.look.rho1, self.look.rho2, self.look.length) != (usual.rho1, usual.rho2, usual.length)

    @cached_property
    def picture(self) -> FrontierPicture | None:
        return picture(self.outcome)

    @cached_property
    def sections(self) -> list[SectionPanel]:
        respondents = self.person.respondents if self.person else 1
        return [
            SectionPanel(
                kind,
                self.form.sections[number],
                section,
                [each for each in self.outcome.warnings if each.section == number],
                respondents,
                self.look.prior,
                sets_proposed(section),
            )
            for number, section, kind in set_sections(self.draft)
        ]

    @property
    def open_answers(self) -> bool:
        return self.draft.open_answers

    @property
    def alone(self) -> int:
        """How many would be the only ones with their plain answers, under the assumption that the page states."""
        respondents = self.person.respondents if self.person else 1
        return round(unique(respondents, combinations(plain_questions(self.draft))))

    @property
    def warned_of_the_alone(self) -> bool:
        return any(each.kind == "unique" for each in self.cautions)

    @cached_property
    def proposals(self) -> list[Proposal]:
        limit = self.look.limit
        return proposals(self.draft, limit, self.look.length, self.look.prior) if limit else []

    @property
    def incomplete(self) -> bool:
        return incomplete(self.draft)


@reading
@editable
def protection(request: PersonRequest, survey: Survey) -> HttpResponse:
    draft, look = saving.normalized_draft(survey), look_of(request.GET)
    form = SettingsPart(look).form(draft)
    undo = request.session.pop(undo_key(survey), None)
    return _page(request, survey, ProtectionPage(draft, form, look), draft, undo=undo)


@posting
@editable
def live(request: PersonRequest, survey: Survey) -> HttpResponse:
    """The page for the values in the form. Nothing is stored."""
    draft, part = saving.normalized_draft(survey), SettingsPart()
    form = part.form(draft, request.POST)
    if not form.is_valid():
        return HttpResponse(status=204)
    panel = ProtectionPage(part.changed(draft, form.cleaned_data), form, form.look)
    return render(request, "builder/live.html", {"survey": survey, "panel": panel})


@posting
@editable
def save_protection(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Store the values; with a `do`, then apply a quick fix or a proposal."""
    part, do = SettingsPart(), request.POST.get("do", "")
    is_repeat = repeats.is_done(survey, request.user, repeats.sent_key(request)) if do else False
    try:
        draft = saving.normalized_draft(survey) if is_repeat else _saved(request, survey, part)
    except saving.NotSaved as not_saved:
        return _not_saved(request, survey, not_saved)
    except NotAllowed as reason:
        return refusal_response(request, survey, str(reason), _address(survey))
    look = part.form(draft, request.POST)
    look.is_valid()
    if do:
        return _do(request, survey, do, look.look)
    if wants_json(request):
        return JsonResponse(stored_answer(part, draft, draft, []))
    messages.success(request, _("Saved."))
    return redirect(_address(survey, look.look))


def _saved(request: PersonRequest, survey: Survey, part: SettingsPart) -> Questionnaire:
    base = request.POST.get("base", "")
    return saving.save(survey, request.user, part, base, request.POST, timezone.now())


def _do(request: PersonRequest, survey: Survey, do: str, look: ViewOptions) -> HttpResponse:
    def act(draft: Questionnaire, _sent: Any) -> CommandResult:
        word, _space, rest = do.partition(" ")
        if word == "preset":
            return _replaced(draft, with_preset(draft, preset_named(rest)), _("The protection is set."))
        if word in ("sets", "one"):
            return CommandResult(
                sending(draft, parsed_number(rest), word), _("It is set."), focus="protection"
            )
        if word == "propose" and look.limit:
            number, _space, agreed = rest.partition(" ")
            proposal = chosen(draft, look.limit, look.length, parsed_number(number))
            if proposal.regroups and agreed != REGROUP:
                raise NotAllowed(_("%(merging)s Agree to that first.") % {"merging": proposal.merging})
            return _replaced(draft, applied(draft, proposal), _("The proposal is applied."))
        after = fixed(draft, do)
        after = after if after.sections == draft.sections else by_hand(after)
        return CommandResult(after, _("It is set."), focus="protection")

    key = repeats.sent_key(request)
    try:
        draft, outcome = saving.act(survey, request.user, act, {}, timezone.now(), key)
    except NotAllowed as reason:
        return refusal_response(request, survey, str(reason), _address(survey, look))
    response: HttpResponse = redirect(_address(survey, look))
    if wants_fragment(request):
        form = SettingsPart(look).form(draft)
        response = _page(request, survey, ProtectionPage(draft, form, look), draft)
    return command_response(request, survey, response, outcome, back="protection")


def _replaced(draft: Questionnaire, after: Questionnaire, said: str) -> CommandResult:
    """Undone as a whole."""
    return CommandResult(after, said, focus="undo", removed=replaced_draft(draft, after))


def _not_saved(request: PersonRequest, survey: Survey, not_saved: saving.NotSaved) -> HttpResponse:
    form, conflict = not_saved.form, isinstance(not_saved, saving.Conflict)
    assert isinstance(form, SettingsForm)
    if wants_json(request) and not conflict:
        return JsonResponse({"said": first_error(form)}, status=422)
    panel = ProtectionPage(not_saved.draft, form, form.look if form.is_valid() else ViewOptions())
    more = (
        {"conflict": "settings", "theirs": conflicting_fields(form), "again": _address(survey)}
        if conflict
        else {}
    )
    return _page(request, survey, panel, not_saved.draft, status=409 if conflict else 422, **more)


def _page(
    request: PersonRequest,
    survey: Survey,
    panel: ProtectionPage,
    draft: Questionnaire,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    fragment = wants_fragment(request) or wants_json(request)
    context = {
        "survey": survey,
        "panel": panel,
        "base": base_of(SettingsPart(), draft),
        "here": "protection",
        "lacking": missing_text(draft),
        **more,
    }
    template = "builder/panel.html" if fragment else "builder/protection.html"
    return render(request, template, context, status=status)


def look_of(given: QueryDict) -> ViewOptions:
    """The options in the address; presets where they make no sense."""
    form = SettingsForm(Questionnaire(languages=("en",)), {**given.dict(), "expected": 1})
    return form.look if form.is_valid() else ViewOptions()


def _address(survey: Survey, look: ViewOptions | None = None) -> str:
    address = reverse("builder:protection", args=[survey.pk])
    if look is None or look == ViewOptions():
        return address
    words = QueryDict(mutable=True)
    words.update({key: f"{float(getattr(look, key)) * 100:g}" for key in ("prior", "rho1", "rho2")})
    words["length"] = str(look.length)
    return f"{address}?{words.urlencode()}"
