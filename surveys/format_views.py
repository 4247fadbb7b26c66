"""Questionnaires in and out as files."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from look.errors import problem_page
from people.permission import PersonRequest, guard
from surveys import create
from surveys.formats import any_file, isolated, own, xlsform
from surveys.formats.faults import Fault, FileRefused
from surveys.importing import bring_in
from surveys.models import Survey
from surveys.pages import address, form_page, reading

KINDS = {
    "json": "application/json",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
ROOM = 10_000
"""Bytes of an upload beside the file itself."""


class FileForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy(
            "A questionnaire of Candor (.json) or an XLSForm (.xlsx), at most 5 megabytes and 500 questions."
        ),
        max_length=300,
        widget=forms.FileInput(attrs={"accept": ".json,.xlsx"}),
    )


@csrf_exempt  # the token stands in the body, which is not read before its length is known
@form_page
def import_questionnaire(request: PersonRequest) -> HttpResponse:
    if not create.may_begin(request.user):
        raise PermissionDenied
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not (length.isdecimal() and len(length) < 10) or int(length) > any_file.MOST_BYTES + ROOM:
        return problem_page(request, 413)
    return _imported(request)


@csrf_protect
def _imported(request: PersonRequest) -> HttpResponse:
    posted = (request.POST, request.FILES) if request.method == "POST" else ()
    form, faults = FileForm(*posted), tuple[Fault, ...]()
    if form.is_bound and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            taken = isolated.read(file.read())
        except isolated.ReadersBusy as busy:
            form.add_error("file", str(busy))
            response = _page(request, form, (), 503)
            response["Retry-After"] = busy.RETRY_AFTER
            return response
        except FileRefused as refusal:
            faults = refusal.faults
            said = _("%(name)s was not taken, and nothing was stored. What is wrong with it stands below.")
            form.add_error("file", said % {"name": file.name})
        else:
            survey = bring_in(request.user, taken.draft, timezone.now())
            messages.success(request, _("The questionnaire is there, as a draft of yours. Read it through."))
            for remark in taken.remarks:
                messages.info(request, remark)
            return redirect(address("surveys:edit", survey.pk) or survey)
    return _page(request, form, faults, 422 if form.errors else 200)


def _page(request: PersonRequest, form: FileForm, faults: tuple[Fault, ...], status: int) -> HttpResponse:
    return render(request, "surveys/formats/import.html", {"form": form, "faults": faults}, status=status)


@reading
def export(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk)
    faults: tuple[Fault, ...] = ()
    try:
        _written(survey, "xlsx")
    except FileRefused as refusal:
        faults = refusal.faults
    return render(request, "surveys/formats/export.html", {"survey": survey, "faults": faults})


@reading
def export_file(request: PersonRequest, pk: int, kind: str) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk)
    if kind not in KINDS or not survey.questionnaire:
        raise Http404
    try:
        data = _written(survey, kind)
    except FileRefused:
        # The page says why.
        return redirect("surveys:export", survey.pk)
    response = HttpResponse(data, content_type=KINDS[kind])
    name = slugify(str(survey), allow_unicode=True)[:60] or "questionnaire"
    response["Content-Disposition"] = content_disposition_header(True, f"{name}.{kind}") or ""
    return response


def _written(survey: Survey, kind: str) -> bytes:
    """The file. The JSON of an opened survey is exactly its design: its SHA-256 is the fingerprint."""
    asked: Any = survey.questionnaire
    if kind == "xlsx":
        return xlsform.written(asked, form_id=f"candor-{survey.pk}")
    return survey.design.json.encode() if survey.design else own.written(asked)
