"""Views that download a questionnaire as JSON, XLSForm or a LimeSurvey table."""

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.utils.text import slugify

from accounts import site_address
from accounts.permission import PersonRequest, get_permitted
from importing import candor_format
from importing.faults import Fault, FileRefused
from surveys.kinds.read_draft import read_questionnaire
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import path_in_words
from surveys.signed_in_view import reading

KINDS = {
    "json": "application/json",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "txt": "text/tab-separated-values; charset=utf-8",
}


@reading
def show_export_page(request: PersonRequest, pk: int) -> HttpResponse:
    """View: shows the page that offers a questionnaire as files, with what each file would leave out."""
    from importing import xlsform  # late for cost
    from importing.limesurvey import tsv_writer as lime_table  # late for cost

    survey = get_permitted(Survey.objects, request.user, pk)
    faults: tuple[Fault, ...] = ()
    questionnaire = read_questionnaire(survey.questionnaire)
    try:
        xlsform.make_sheets(questionnaire)
    except FileRefused as refusal:
        faults = tuple(Fault(_location_text(location), reason) for location, reason in refusal.faults)
    said = {
        "survey": survey,
        "faults": faults,
        "dropped": xlsform.unsupported_parts(questionnaire),
        "left_out": lime_table.unsupported_questions(questionnaire),
        "questionnaire": questionnaire,
    }
    return render(request, "importing/export.html", said)


@reading
def export_file(request: PersonRequest, pk: int, kind: str) -> HttpResponse:
    """View: sends the questionnaire as a file of this kind: json, xlsx (XLSForm) or txt (LimeSurvey)."""
    survey = get_permitted(Survey.objects, request.user, pk)
    if kind not in KINDS or not survey.questionnaire:
        raise Http404
    try:
        data = _export_bytes(survey, kind)
    except FileRefused:
        # The page says why.
        return redirect("importing:export", survey.pk)
    response = HttpResponse(data, content_type=KINDS[kind])
    name = slugify(str(survey), allow_unicode=True)[:60] or "questionnaire"
    response["Content-Disposition"] = content_disposition_header(True, f"{name}.{kind}") or ""
    return response


def _location_text(location: str) -> str:
    """Returns the location of a fault in words; a location that is the name of a question stays as it is."""
    return path_in_words(location) if {".", "["} & set(location) else location


def _export_bytes(survey: Survey, kind: str) -> bytes:
    """Returns the questionnaire as a file of this kind.

    The JSON file of an opened survey is exactly its stored design, whose SHA-256 is the survey's fingerprint.
    """
    if kind == "xlsx":
        from importing import xlsform  # late for cost

        return xlsform.write(read_questionnaire(survey.questionnaire), form_id=f"candor-{survey.pk}")
    if kind == "txt":
        from importing.limesurvey import tsv_writer as lime_table  # late for cost

        return lime_table.write(
            read_questionnaire(survey.questionnaire), site_address.site_url(survey.address)
        )
    return survey.design.json.encode() if survey.design else candor_format.write(survey.questionnaire)
