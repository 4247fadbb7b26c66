"""Pages that take an uploaded table, kept in memory and the database only, and show how it was read."""

from dataclasses import asdict
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.permission import PersonRequest, get_permitted
from importing.isolated_reader import ReadersBusy, busy_response
from privacy.records.csv_dialect_detection import Layout, sample_rows
from privacy.records.csv_row_reader import fill_header_names
from releases import source_tables, uploads
from releases.models import Release, Source
from releases.pages.tabs_and_next_step import render_page
from releases.table_reader_main import MOST_BYTES
from surveys.lifecycle import survey_creation
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import form_page, takes_upload, upload_of_at_most
from ui.errors import problem_page

ROWS = 8
"""Number of rows by which a person sees whether the file was read correctly."""


class UploadForm(forms.Form):
    file = forms.FileField(
        label=_("Table"),
        help_text=_(
            "A text file with any separator (.csv, .tsv, .txt), Excel (.xlsx), Parquet or SPSS (.sav). At most 50 "
            "megabytes, one person per row. The first line holds the names of the columns."
        ),
        max_length=200,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx,.parquet,.sav,.zsav,text/csv"}),
    )
    before = forms.ChoiceField(
        label=_("Are these people in a table that was released before?"),
        widget=forms.RadioSelect,
        choices=Source.Before.choices,
        help_text=_(
            "Two releases of the same people can tell more than either. Candor notices the same file, not the same "
            "people."
        ),
    )


class LayoutForm(forms.Form):
    """Form for the layout by which a delimited file is read; its fields are those of `Layout`."""

    separator = forms.ChoiceField(
        label=_("Between two cells"),
        choices=[(",", _("comma")), (";", _("semicolon")), ("\t", _("tab")), ("|", _("vertical bar"))],
    )
    encoding = forms.ChoiceField(
        label=_("Encoding"),
        choices=[
            ("utf-8", "UTF-8"),
            ("utf-16", _("UTF-16 with a byte order mark")),
            ("utf-16-le", "UTF-16 LE"),
            ("utf-16-be", "UTF-16 BE"),
            ("windows-1252", _("Windows-1252, which holds Latin-1")),
        ],
        help_text=_("Change it if letters with accents look wrong."),
    )
    decimal = forms.ChoiceField(
        label=_("Decimal sign"),
        choices=[(".", _("point, as in 0.5")), (",", _("comma, as in 0,5"))],
    )


@takes_upload
@form_page
def new_upload(request: PersonRequest) -> HttpResponse:
    if not survey_creation.may_create_surveys(request.user):
        raise PermissionDenied
    return _show_or_store_upload(request)


@upload_of_at_most(MOST_BYTES)
def _show_or_store_upload(request: PersonRequest) -> HttpResponse:
    form = UploadForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    if form.is_bound and form.is_valid():
        file, before = form.cleaned_data["file"], form.cleaned_data["before"]
        try:
            release = uploads.store_upload(request.user, file.name, file.read(), timezone.now(), before)
            return redirect("releases:reading", release.pk)
        except NotAllowed as refused:
            form.add_error("file", str(refused))
        except ReadersBusy as busy:
            form.add_error("file", str(busy))
            return busy_response(_render_upload_page(request, form), busy)
    return _render_upload_page(request, form)


def _render_upload_page(request: PersonRequest, form: UploadForm) -> HttpResponse:
    return render(request, "releases/new.html", {"form": form}, status=422 if form.errors else 200)


@form_page
def confirm_reading(request: PersonRequest, pk: int) -> HttpResponse:
    """View: shows an upload as it was read, for confirmation; a POST reads it again with another layout."""
    release = get_permitted(Release.objects.with_permissions(), request.user, pk, "configure")
    if release.survey:
        raise Http404
    try:
        content = bytes(uploads.get_upload(release.source, timezone.now()).content)
    except NotAllowed as refused:
        return problem_page(request, 404, advice=str(refused))
    layout = source_tables.get_layout(release)
    form = LayoutForm(request.POST if request.method == "POST" else None, initial=asdict(layout))
    shown = layout
    if form.is_bound and form.is_valid():
        # Also shown where it is refused, so that its reader sees why.
        shown = Layout(**form.cleaned_data)
        if shown == layout:
            return redirect("releases:columns", release.pk)
        try:
            uploads.reread_upload(release, shown, timezone.now())
            return redirect("releases:reading", release.pk)
        except NotAllowed as refused:
            form.add_error(None, str(refused))
        except ReadersBusy as busy:
            form.add_error(None, str(busy))
            return busy_response(_render_reading(request, release, form, content, shown), busy)
    return _render_reading(request, release, form, content, shown)


def _render_reading(
    request: PersonRequest, release: Release, form: LayoutForm, content: bytes, layout: Layout
) -> HttpResponse:
    header, *rows = sample_rows(content, layout, ROWS) or [[]]
    context: dict[str, Any] = {"form": form, "header": fill_header_names(header), "rows": rows}
    return render_page(request, release, "reading", context, tab="columns")
