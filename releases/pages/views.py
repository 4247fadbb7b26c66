"""Pages of releases: lists, the state of one, its table, its report and its files."""

from collections.abc import Iterable

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.core.paginator import Paginator
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.text import slugify

from accounts.permission import PersonRequest, guard
from releases import survey_tables
from releases.making import creation, downloading
from releases.models import Release
from releases.pages import report_words, shown_table
from releases.pages.forms import SurveyReleaseForm
from releases.pages.release_page import ReleasePage
from surveys.lifecycle import create
from surveys.models import Survey
from surveys.pages import form_page, posting, reading
from surveys.questionnaire.problems import NotAllowed

ROWS = 20


@reading
def index(request: PersonRequest) -> HttpResponse:
    visible = Release.objects.visible_to(request.user).listed()
    page_obj = Paginator(visible, ROWS).get_page(request.GET.get("page"))
    context = {
        "waiting": _pages(request, Release.objects.to_review_by(request.user)),
        "page_obj": page_obj,
        "rows": _pages(request, page_obj),
        "may_begin": create.may_begin(request.user),
    }
    return render(request, "releases/index.html", context)


@form_page
def of_survey(request: PersonRequest, pk: int) -> HttpResponse:
    starts = request.method == "POST"
    survey = guard(Survey.objects, request.user, pk, "run" if starts else "see")
    form = SurveyReleaseForm(request.POST if starts else None)
    if starts and form.is_valid():
        begin = survey_tables.start_from_survey
        try:
            made = begin(survey, request.user, with_sensitive=form.with_sensitive, now=timezone.now())
            return redirect("releases:columns", made.pk)
        except NotAllowed as refused:
            form.add_error(None, str(refused))
    visible = Release.objects.visible_to(request.user).listed().filter(source__survey=survey)
    page_obj = Paginator(visible, ROWS).get_page(request.GET.get("page"))
    refusals = [survey_tables.refusal_text(survey, with_sensitive) for with_sensitive in (False, True)]
    context = {
        "survey": survey,
        "form": form,
        "may_run": survey.may(request.user, "run"),
        "refusal": refusals[0] if all(refusals) else "",
        "page_obj": page_obj,
        "rows": _pages(request, page_obj),
    }
    return render(request, "releases/of_survey.html", context, status=422 if form.errors else 200)


def _pages(request: PersonRequest, releases: Iterable[Release]) -> list[ReleasePage]:
    return [ReleasePage(each, request.user) for each in releases]


@reading
def release(request: PersonRequest, pk: int) -> HttpResponse:
    return page(request, _settled(request, pk), "release", {})


@reading
def outcome(request: PersonRequest, pk: int) -> HttpResponse:
    """What became of a release; 204 while it is being made, so that the page asks again."""
    release = _settled(request, pk)
    if release.state == Release.State.RUNNING:
        return HttpResponse(status=204)
    return render(
        request, "releases/_state.html", {"release": release, "shown": ReleasePage(release, request.user)}
    )


def _settled(request: PersonRequest, pk: int) -> Release:
    """The release, a draft again where its making failed or was cancelled."""
    release = guard(Release.objects.listed(), request.user, pk)
    creation.settle(release, timezone.now())
    return release


@posting
def start(request: PersonRequest, pk: int) -> HttpResponse:
    release = guard(Release.objects.listed(), request.user, pk, "configure")
    try:
        creation.start(release, request.user, timezone.now())
    except NotAllowed as refused:
        messages.error(request, str(refused))
    return redirect(release)


@posting
def stop(request: PersonRequest, pk: int) -> HttpResponse:
    """End the search with the best classes found so far."""
    release = guard(Release.objects.listed(), request.user, pk, "cancel")
    try:
        creation.stop(release, request.user)
    except NotAllowed as refused:
        messages.error(request, str(refused))
    return redirect(release)


@reading
def table(request: PersonRequest, pk: int) -> HttpResponse:
    """The table before and after: the rows of an upload for its owner only, of a survey no row before."""
    release = guard(Release.objects.listed(), request.user, pk, "numbers")
    shown, number, now = ReleasePage(release, request.user), request.GET.get("page"), timezone.now()
    context: dict[str, object] = {"after": shown_table.after(release, number) if shown.is_made else None}
    if shown.may("raw"):
        try:
            context["before"] = shown_table.before(release, number, now)
        except NotAllowed as refused:
            context["gone"] = str(refused)
    if shown.is_made and shown.may("counts"):
        context["columns"] = shown_table.column_counts(release, now)
    return page(request, release, "table", context)


@reading
def report(request: PersonRequest, pk: int) -> HttpResponse:
    release = guard(Release.objects.listed(), request.user, pk, "numbers")
    shown = ReleasePage(release, request.user)
    if not shown.is_made:
        return redirect(release)
    knows_source = shown.may("source")
    content = shown.report if knows_source else downloading.published(release)
    return page(
        request, release, "report", {"said": report_words.ReleaseReport(release, content, knows_source)}
    )


@posting
def download(request: PersonRequest, pk: int) -> HttpResponseBase:
    release = guard(Release.objects.listed(), request.user, pk, "download")
    kind = request.POST.get("kind", "")
    if kind not in downloading.KINDS:
        raise BadRequest
    try:
        pieces = downloading.hand_over(release, request.user, kind, timezone.now())
    except NotAllowed as refused:
        messages.error(request, str(refused))
        return redirect(release)
    response = StreamingHttpResponse(pieces, content_type="application/zip")
    name = f"{slugify(str(release.source), allow_unicode=True)[:60] or 'table'}-release-{kind}.zip"
    response["Content-Disposition"] = content_disposition_header(True, name) or ""
    return response


def page(
    request: PersonRequest,
    release: Release,
    name: str,
    context: dict[str, object],
    *,
    tab: str = "",
    status: int = 200,
) -> HttpResponse:
    shown = ReleasePage(release, request.user)
    whole = {**context, "release": release, "shown": shown, "tabs": shown.tabs(tab or name)}
    return render(request, f"releases/{name}.html", whole, status=status)
