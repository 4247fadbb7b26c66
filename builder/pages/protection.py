"""The protection page: guarantee, expected errors and settings of the sensitive sections, updated while the
person types."""

from functools import cached_property, partial
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.permission import PersonRequest
from builder.editing import save_edit
from builder.editing.http_responses import (
    command_response,
    editable_draft_view,
    not_saved_response,
    pop_stored_undo,
    refusal_response,
    wants_fragment,
    wants_json,
)
from builder.editing.questions_and_sections import subset_selection_proposal_text, switch_subset_selection
from builder.editing.separately_saved_parts import autosave_response_json, part_digest
from builder.protection.proposals import (
    Proposal,
    find_proposal,
    has_incomplete_disguised_section,
    propose_settings,
)
from builder.protection.settings_and_quick_fixes import (
    SettingsForm,
    SettingsPart,
    ViewOptions,
    apply_quick_fix,
    sections_with_panel,
)
from builder.protection.summary import ProtectionSummary, opening_problems_sentence
from builder.protection.trade_off import PresetChoice, TradeOffChart, build_trade_off_chart, preset_by_name
from privacy.guarantee.leakage import Leakage, leakage
from privacy.guarantee.presets import PRESETS
from surveys.kinds.apply_protection_presets import set_preset
from surveys.kinds.kind_interface import SectionPanel
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.protection import (
    common_preset,
    count_combinations,
    expected_unique_people,
    plain_questions,
    remove_presets,
    section_laws,
)
from surveys.questionnaire.question_block_editing import undo_data_for_draft
from surveys.questionnaire.questionnaire import CommandResult, Questionnaire, Sent, parse_number
from surveys.signed_in_view import posting, reading

REGROUP = "regroup"
"""Word after the number of a proposal in a command: the person agrees that questions move into other sections."""


class ProtectionPage:
    """Data of the protection page for a saved or an unsaved draft.

    `sets_a_limit`: the person has set a limit for proposals. `shows_settings`: the settings of the sections are
    unfolded.
    """

    def __init__(self, draft: Questionnaire, form: SettingsForm, look: ViewOptions) -> None:
        self.draft, self.form, self.look = draft, form, look
        self.outcome = ProtectionSummary(draft, look.prior)
        self.person = self.outcome.person_protection
        self.cautions = [warning for warning in self.outcome.warnings if warning.section is None]
        self.set_by_hand = common_preset(draft) is None
        self.shows_settings = self.set_by_hand or (form.is_bound and not form.is_valid())
        usual = ViewOptions()
        self.sets_a_limit = (look.rho1, look.rho2, look.length) != (usual.rho1, usual.rho2, usual.length)
        self.warns_of_unique = any(warning.kind == "unique" for warning in self.cautions)
        self.incomplete = has_incomplete_disguised_section(draft)

    @cached_property
    def preset_choices(self) -> list[PresetChoice]:
        return [PresetChoice(self.draft, preset) for preset in PRESETS.values()]

    @cached_property
    def section_panels(self) -> list[SectionPanel]:
        return [
            SectionPanel(
                kind,
                self.form.sections[number],
                section,
                [warning for warning in self.outcome.warnings if warning.section == number],
                self.draft.disguised_respondents,
                self.look.prior,
                subset_selection_proposal_text(section),
            )
            for number, section, kind in sections_with_panel(self.draft)
        ]

    @cached_property
    def leakages(self) -> list[tuple[int, Leakage]]:
        """Section number and leakage in bits of each disguised section whose leakage can be computed."""
        leakages = ((number, leakage(law, places=2)) for number, law in section_laws(self.draft))
        return [(number, bits) for number, bits in leakages if bits]

    @cached_property
    def unique_people(self) -> int:
        """Expected number of people with a unique combination of plain answers, if all combinations were
        equally likely."""
        possible = count_combinations(plain_questions(self.draft))
        return round(expected_unique_people(self.draft.respondents, possible))

    @cached_property
    def trade_off_chart(self) -> TradeOffChart | None:
        return build_trade_off_chart(self.outcome)

    @cached_property
    def setting_proposals(self) -> list[Proposal]:
        limit = self.look.gamma_limit
        return propose_settings(self.draft, limit, self.look.length, self.look.prior) if limit else []


@reading
@editable_draft_view
def show_protection(request: PersonRequest, survey: Survey) -> HttpResponse:
    draft, look = save_edit.load_questionnaire(survey), _read_view_options(request.GET)
    page = ProtectionPage(draft, SettingsPart(look).build_form(draft), look)
    return _render_protection_page(request, survey, page, undo=pop_stored_undo(request, survey))


@posting
@editable_draft_view
def preview_unsaved_protection(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Renders the page for unsaved values of the form, without storing them."""
    draft, part = save_edit.load_questionnaire(survey), SettingsPart()
    form = part.build_form(draft, request.POST)
    if not form.is_valid():
        return HttpResponse(status=204)
    page = ProtectionPage(part.apply_cleaned(draft, form.cleaned_data), form, form.view_options)
    return render(request, "builder/live.html", {"survey": survey, "panel": page})


@posting
@editable_draft_view
def save_protection(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Saves the protection settings; then applies the preset, quick fix or proposal that the field `do`
    names, if any."""
    part, do, key = SettingsPart(), request.POST.get("do", ""), save_edit.idempotency_key(request)
    draft = save_edit.load_questionnaire(survey)
    try:
        if not do or not save_edit.is_repeated_command(survey, request.user, key):
            base = request.POST.get("base", "")
            draft = save_edit.save_part(survey, request.user, part, base, request.POST, timezone.now())
    except save_edit.PartNotSaved as reason:
        form = reason.form
        assert isinstance(form, SettingsForm)
        page = ProtectionPage(reason.draft, form, form.view_options if form.is_valid() else ViewOptions())
        shown = partial(_render_protection_page, request, survey, page)
        return not_saved_response(request, reason, "settings", _protection_url(survey), shown)
    except NotAllowed as reason:
        return refusal_response(request, survey, str(reason), _protection_url(survey))
    form = part.build_form(draft, request.POST)
    form.is_valid()
    look = form.view_options
    if do:
        return _run_protection_command(request, survey, do, look)
    if wants_json(request):
        return JsonResponse(autosave_response_json(part, draft, draft))
    messages.success(request, _("Saved."))
    return redirect(_protection_url(survey, look))


def _run_protection_command(
    request: PersonRequest, survey: Survey, do: str, look: ViewOptions
) -> HttpResponse:
    """Runs the command in `do`: `preset NAME`, `sets SECTION`, `one SECTION`, `propose NUMBER`, or a quick fix."""

    def change_protection(draft: Questionnaire, _sent: Sent) -> CommandResult:
        word, _space, rest = do.partition(" ")
        if word == "preset":
            after = set_preset(draft, preset_by_name(rest))
            return CommandResult(
                after, _("The protection is set."), focus="undo", removed=undo_data_for_draft(draft, after)
            )
        if word in ("sets", "one"):
            after = switch_subset_selection(draft, parse_number(rest), word)
            return CommandResult(after, _("It is set."), focus="protection")
        if word == "propose" and look.gamma_limit:
            number, _space, agreed = rest.partition(" ")
            proposal = find_proposal(draft, look.gamma_limit, look.length, parse_number(number))
            if proposal.moves_questions and agreed != REGROUP:
                raise NotAllowed(
                    _("%(merging)s Agree to that first.") % {"merging": proposal.regrouping_sentence}
                )
            removed = undo_data_for_draft(draft, proposal.draft_with_proposal)
            return CommandResult(
                proposal.draft_with_proposal, _("The proposal is applied."), focus="undo", removed=removed
            )
        after = apply_quick_fix(draft, do)
        after = after if after.sections == draft.sections else remove_presets(after)
        return CommandResult(after, _("It is set."), focus="protection")

    key = save_edit.idempotency_key(request)
    try:
        draft, result = save_edit.run_command(
            survey, request.user, change_protection, {}, timezone.now(), key
        )
    except NotAllowed as reason:
        return refusal_response(request, survey, str(reason), _protection_url(survey, look))
    response: HttpResponse = redirect(_protection_url(survey, look))
    if wants_fragment(request):
        form = SettingsPart(look).build_form(draft)
        response = _render_protection_page(request, survey, ProtectionPage(draft, form, look))
    return command_response(request, survey, response, result, back=_protection_url(survey, look))


def _render_protection_page(
    request: PersonRequest, survey: Survey, page: ProtectionPage, status: int = 200, **more: Any
) -> HttpResponse:
    is_fragment = wants_fragment(request) or wants_json(request)
    context = {
        "survey": survey,
        "panel": page,
        "base": part_digest(SettingsPart(), page.draft),
        "here": "protection",
        "lacking": opening_problems_sentence(page.draft),
        **more,
    }
    template = "builder/panel.html" if is_fragment else "builder/protection.html"
    return render(request, template, context, status=status)


def _read_view_options(query: QueryDict) -> ViewOptions:
    """Returns the view options (inputs of the page's computations) from the query string; the defaults if
    they are invalid."""
    form = SettingsForm(Questionnaire(languages=("en",)), {**query.dict(), "expected": 1})
    return form.view_options if form.is_valid() else ViewOptions()


def _protection_url(survey: Survey, look: ViewOptions | None = None) -> str:
    """Returns the URL of the page with these view options."""
    address = reverse("builder:protection", args=[survey.pk])
    if look is None or look == ViewOptions():
        return address
    query = QueryDict(mutable=True)
    query.update({key: f"{float(getattr(look, key)) * 100:g}" for key in ("prior", "rho1", "rho2")})
    query["length"] = str(look.length)
    return f"{address}?{query.urlencode()}"
