"""The pages that take a table as a file, which is kept in memory and in the database only, and say how it was read."""

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from accounts.permission import PersonRequest, guard
from importing.isolated import ReadersBusy
from privacy.records.csv_rows import with_names
from privacy.records.layouts import Layout, sample
from releases import sources, uploading
from releases.models import Release
from releases.pages.forms import LayoutForm, UploadForm
from releases.pages.views import page
from releases.reading.process import MOST_BYTES
from surveys.lifecycle import create
from surveys.pages import form_page, is_too_long
from surveys.questionnaire.problems import NotAllowed
from ui.errors import problem_page

ROWS = 8
"""Rows by which a person sees whether the file was read as it is meant."""


@csrf_exempt  # the token stands in the body, which is not read before its length is known
@form_page
def new(request: PersonRequest) -> HttpResponse:
    if not create.may_begin(request.user):
        raise PermissionDenied
    if is_too_long(request, MOST_BYTES):
        return problem_page(request, 413)
    return _new(request)


@csrf_protect
def _new(request: PersonRequest) -> HttpResponse:
    posted = (request.POST, request.FILES) if request.method == "POST" else ()
    form = UploadForm(*posted)
    status = None
    if form.is_bound and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            before = form.cleaned_data["before"]
            release = uploading.store_upload(request.user, file.name, file.read(), timezone.now(), before)
        except (NotAllowed, ReadersBusy) as refused:
            form.add_error("file", str(refused))
            status = 503 if isinstance(refused, ReadersBusy) else None
        else:
            return redirect("releases:reading", release.pk)
    return _answered(render(request, "releases/new.html", {"form": form}), bool(form.errors), status)


def _answered(response: HttpResponse, is_wrong: bool, status: int | None) -> HttpResponse:
    response.status_code = status or (422 if is_wrong else 200)
    if status == 503:
        response["Retry-After"] = ReadersBusy.RETRY_AFTER
    return response


@form_page
def reading(request: PersonRequest, pk: int) -> HttpResponse:
    """How the file of an upload was read, for confirmation."""
    release = guard(Release.objects.listed(), request.user, pk, "configure")
    if release.survey:
        raise Http404
    try:
        content = bytes(sources.uploaded(release.source, timezone.now()).content)
    except NotAllowed as refused:
        return problem_page(request, 404, advice=str(refused))
    layout = sources.layout_of(release)
    form = LayoutForm(layout, request.POST if request.method == "POST" else None)
    status = None
    if form.is_bound and form.is_valid():
        try:
            if form.layout != layout:
                uploading.read_again(release, form.layout, timezone.now())
                return redirect("releases:reading", release.pk)
            return redirect("releases:columns", release.pk)
        except (NotAllowed, ReadersBusy) as refused:
            form.add_error(None, str(refused))
            status = 503 if isinstance(refused, ReadersBusy) else None
    header, *rows = sample(content, _shown(form, layout), ROWS) or [[]]
    context: dict[str, object] = {"form": form, "header": with_names(header), "rows": rows}
    return _answered(page(request, release, "reading", context, tab="columns"), bool(form.errors), status)


def _shown(form: LayoutForm, layout: Layout) -> Layout:
    """That of the form where it was refused, so that its reader sees why."""
    return form.layout if form.is_bound and form.is_valid() else layout
