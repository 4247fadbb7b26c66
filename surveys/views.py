"""Views of the list of surveys, and of each survey's overview, settings and history."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext as _

from accounts.models import History
from accounts.permission import PersonRequest, get_permitted
from surveys import tabs_and_warnings
from surveys.forms import DraftSettingsForm, EndSettingsForm, NewSurveyForm, SurveyListFilterForm
from surveys.home_cards import folded_rehearsals, published_findings
from surveys.lifecycle import (
    asked_at,
    ready_made_questionnaires,
    record_counts,
    save_draft,
    state_changes,
    survey_creation,
)
from surveys.lifecycle.next_step import next_steps
from surveys.models import Survey
from surveys.questionnaire.closing_settings import SettingsConflict
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed
from surveys.signed_in_view import form_page, reading
from surveys.survey_page import SurveyPage
from surveys.tabs_and_warnings import url_or_empty
from ui.sentence_joining import join_sentences

State = Survey.State
ROWS, ACTS = 25, 50


@reading
def list_surveys(request: PersonRequest) -> HttpResponse:
    visible = Survey.objects.visible_to(request.user)
    form = SurveyListFilterForm(request.GET)
    # Only the numbers are sorted: whole rows hold drafts.
    chosen = form.filter_surveys(visible).values_list("pk", flat=True)
    page = Paginator(chosen, ROWS).get_page(request.GET.get("page"))
    of_page = visible.filter(pk__in=list(page.object_list)).select_related("owner")
    surveys, now = list(of_page), timezone.now()
    received = record_counts.shown_counts_of_surveys(surveys)
    warnings = tabs_and_warnings.warnings_for_surveys(surveys)
    steps = next_steps(surveys, request.user, received, now)
    findings = published_findings(surveys, request.user)
    folded = folded_rehearsals(surveys, findings)
    hidden = [one for each in folded.values() for one in each]
    by_survey = received, steps, warnings, findings
    rows = [
        (survey, str(survey), folded.get(survey.pk), *(values.get(survey.pk) for values in by_survey))
        for survey in surveys
        if survey not in hidden
    ]
    context = {
        "page_obj": page,
        "rows": rows,
        "form": form,
        "any": bool(rows) or visible.exists(),
        "may_begin": survey_creation.may_create_surveys(request.user),
        "import_url": url_or_empty("importing:import"),
        "now": now,
    }
    return render(request, "surveys/index.html", context)


@form_page
def new_survey(request: PersonRequest) -> HttpResponse:
    if not survey_creation.may_create_surveys(request.user):
        raise PermissionDenied
    initial = {"language": get_language()}
    form = NewSurveyForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method != "POST" or not form.is_valid():
        context = {"form": form, "ready_made": ready_made_questionnaires.list_ready_made_questionnaires()}
        return render(request, "surveys/new.html", context)
    survey = survey_creation.create_new_survey(
        request.user, form.cleaned_data["title"], form.cleaned_data["language"], timezone.now()
    )
    return redirect(f"{url_or_empty('builder:edit', survey.pk)}#section-0-kind")


@reading
def survey_overview(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk)
    page = SurveyPage(survey, request.user, record_counts.shown_counts_of_survey(survey), timezone.now())
    link = asked_at.respondents_address(survey)
    context = {"survey": survey, "page": page, "link": link}
    return render(request, "surveys/overview.html", context)


@form_page
def survey_settings(request: PersonRequest, pk: int) -> HttpResponse:
    """Shows and saves the settings of a draft; for an opened survey, the settings that can still change."""
    survey = get_permitted(Survey.objects, request.user, pk)
    if not survey.may(request.user, "edit" if survey.state == State.DRAFT else "close"):
        raise PermissionDenied
    form, base = _settings_form(request, survey)
    theirs, status = None, 200
    if request.method == "POST":
        base = request.POST.get("base", "")
        try:
            if form.is_valid():
                messages.success(request, _save_settings(request, survey, form, base))
                return redirect(survey)
        except SettingsConflict:
            # In a conflict the later person sees both versions and decides.
            form, base = _settings_form(request, survey)
            theirs, status = form.conflicting_values, 409
        except InputRefused as wrong:
            form.add_problems(wrong.problems)
        except NotAllowed as refused:
            form.add_error(None, str(refused))
    context = {"survey": survey, "form": form, "base": base, "again": request.path, "theirs": theirs}
    context["ended"] = survey.state in (State.FINISHED, State.DESTROYED)
    return render(request, "surveys/settings.html", context, status=status)


def _settings_form(request: PersonRequest, survey: Survey) -> tuple[EndSettingsForm, str]:
    """Returns the form of the settings that can change, and the digest of the stored values."""
    data = request.POST if request.method == "POST" else None
    if survey.state != State.DRAFT:
        stored = survey.end_settings
        return EndSettingsForm(survey, data, initial=vars(stored)), stored.digest
    draft_settings = save_draft.stored_settings(survey)
    invited = "exchanged" if draft_settings.exchanged else "yes" if draft_settings.invited else "no"
    initial = {**vars(draft_settings), **vars(draft_settings.end_settings), "invited": invited}
    return DraftSettingsForm(survey, data, initial=initial), draft_settings.digest


def _save_settings(request: PersonRequest, survey: Survey, form: EndSettingsForm, seen_digest: str) -> str:
    """Saves the settings of a draft or of an opened survey; returns the success message."""
    person, now, saved = request.user, timezone.now(), _("The settings are saved.")
    if not isinstance(form, DraftSettingsForm):
        state_changes.change_end_settings(survey, person, form.end_settings, seen_digest, now)
        return saved
    if save_draft.save_settings_and_unschedule_opening(survey, person, form.draft_settings, seen_digest, now):
        more = _("The opening time was set for others, so it is withdrawn. Set it again.")
        return join_sentences([saved, more])
    return saved


@reading
def survey_history(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk)
    acts = History.objects.about(survey).select_related("who")
    page = Paginator(acts, ACTS).get_page(request.GET.get("page"))
    return render(request, "surveys/history.html", {"survey": survey, "page_obj": page})
