"""Pages of releases: lists, the state of a release, its report and its download."""

from collections.abc import Iterable

from django import forms
from django.contrib import messages
from django.core.exceptions import BadRequest
from django.core.paginator import Paginator
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from accounts.permission import PersonRequest, get_permitted
from releases import survey_tables
from releases.lifecycle import download_zip, making_job
from releases.models import Release
from releases.pages.report_sentences import ReleaseReport
from releases.pages.tabs_and_next_step import ReleasePage, render_page
from releases.permissions import MADE
from surveys.lifecycle import survey_creation
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import form_page, posting, reading, refusal_as_message

ROWS = 20


class SurveyReleaseForm(forms.Form):
    which = forms.ChoiceField(
        label=_("Which answers?"),
        widget=forms.RadioSelect,
        initial="plain",
        choices=[
            ("plain", _("Answers that are not disguised, without any sensitive question")),
            ("disguised", _("All answers, disguised and not disguised")),
        ],
        help_text=_("A release holds the records of people whose answers are disguised."),
    )


@reading
def index(request: PersonRequest) -> HttpResponse:
    visible = Release.objects.visible_to(request.user).with_permissions()
    page_obj = Paginator(visible, ROWS).get_page(request.GET.get("page"))
    context = {
        "waiting": _release_pages(request, Release.objects.to_review_by(request.user)),
        "page_obj": page_obj,
        "rows": _release_pages(request, page_obj),
        "may_begin": survey_creation.may_create_surveys(request.user),
    }
    return render(request, "releases/index.html", context)


@form_page
def survey_releases(request: PersonRequest, pk: int) -> HttpResponse:
    """View: lists the releases of a survey; a POST starts another."""
    is_posted = request.method == "POST"
    survey = get_permitted(Survey.objects, request.user, pk, "run" if is_posted else "see")
    form = SurveyReleaseForm(request.POST if is_posted else None)
    if is_posted and form.is_valid():
        with_sensitive = form.cleaned_data["which"] == "disguised"
        try:
            release = survey_tables.create_survey_release(
                survey, request.user, with_sensitive=with_sensitive, now=timezone.now()
            )
            return redirect("releases:columns", release.pk)
        except NotAllowed as refused:
            form.add_error(None, str(refused))
    visible = Release.objects.visible_to(request.user).with_permissions().filter(source__survey=survey)
    page_obj = Paginator(visible, ROWS).get_page(request.GET.get("page"))
    refusals = [
        survey_tables.reason_not_to_release(survey, with_sensitive) for with_sensitive in (False, True)
    ]
    context = {
        "survey": survey,
        "form": form,
        "may_run": survey.may(request.user, "run"),
        "refusal": refusals[0] if all(refusals) else "",
        "page_obj": page_obj,
        "rows": _release_pages(request, page_obj),
    }
    return render(request, "releases/of_survey.html", context, status=422 if form.errors else 200)


def _release_pages(request: PersonRequest, releases: Iterable[Release]) -> list[ReleasePage]:
    return [ReleasePage(release, request.user) for release in releases]


@reading
def release(request: PersonRequest, pk: int) -> HttpResponse:
    return render_page(request, _get_release(request, pk), "release", {})


@reading
def poll_release_state(request: PersonRequest, pk: int) -> HttpResponse:
    """Renders the state of a release; status 204 while it is being made, so that the page asks again."""
    release = _get_release(request, pk)
    if release.state == Release.State.RUNNING:
        return HttpResponse(status=204)
    context = {"release": release, "shown": ReleasePage(release, request.user)}
    return render(request, "releases/_state.html", context)


def _get_release(request: PersonRequest, pk: int) -> Release:
    """Returns the release; ends its making if the job failed or was cancelled."""
    release = get_permitted(Release.objects.with_permissions(), request.user, pk)
    making_job.end_failed_making(release, timezone.now())
    return release


@posting
def start(request: PersonRequest, pk: int) -> HttpResponse:
    release = get_permitted(Release.objects.with_permissions(), request.user, pk, "configure")
    with refusal_as_message(request):
        making_job.start_release_making(release, request.user, timezone.now())
    return redirect(release)


@posting
def stop(request: PersonRequest, pk: int) -> HttpResponse:
    """View: stops the search of a release, which ends with the best classes found so far."""
    release = get_permitted(Release.objects.with_permissions(), request.user, pk, "stop")
    with refusal_as_message(request):
        making_job.stop_search(release, request.user)
    return redirect(release)


@reading
def report(request: PersonRequest, pk: int) -> HttpResponse:
    release = get_permitted(Release.objects.with_permissions(), request.user, pk, "numbers")
    if release.state not in MADE:
        return redirect(release)
    knows_source = release.may(request.user, "source")
    content = release.report if knows_source else download_zip.measure_public_report(release)
    return render_page(request, release, "report", {"said": ReleaseReport(content, knows_source)})


@posting
def download(request: PersonRequest, pk: int) -> HttpResponseBase:
    release = get_permitted(Release.objects.with_permissions(), request.user, pk, "download")
    kind = request.POST.get("kind", "")
    if kind not in download_zip.KINDS:
        raise BadRequest
    try:
        pieces = download_zip.stream_download(release, request.user, kind, timezone.now())
    except NotAllowed as refused:
        messages.error(request, str(refused))
        return redirect(release)
    response = StreamingHttpResponse(pieces, content_type="application/zip")
    name = f"{slugify(str(release.source), allow_unicode=True)[:60] or 'table'}-release-{kind}.zip"
    response["Content-Disposition"] = content_disposition_header(True, name) or ""
    return response
