"""The study sheet as a page and as PDF, for everybody who may see the survey."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import get_language, gettext as _

from accounts.permission import PersonRequest, get_permitted
from builder.pages.preview import survey_design_or_problem
from intake.study_sheet.ethics_board_sheet import StudySheet
from privacy.designs import Design
from surveys.models import Survey
from surveys.signed_in_view import reading
from ui import pdf as papers


@reading
def page(request: PersonRequest, pk: int) -> HttpResponseBase:
    sheet = _study_sheet_or_none(request, pk)
    if sheet is None:
        messages.error(request, _("The study sheet is made from a questionnaire that is complete."))
        return redirect("surveys:survey", pk)
    return HttpResponse(sheet.page())


@reading
def pdf(request: PersonRequest, pk: int) -> HttpResponse:
    sheet = _study_sheet_or_none(request, pk)
    if sheet is None:
        raise Http404
    return papers.download_pdf(request, sheet.page, str(sheet.survey), "study-sheet")


def _study_sheet_or_none(request: PersonRequest, pk: int) -> StudySheet | None:
    """Returns the study sheet; None if the draft cannot be opened as it is."""
    survey = get_permitted(Survey.objects, request.user, pk)
    design = survey_design_or_problem(survey)
    if not isinstance(design, Design):
        return None
    asked = request.GET.get("lang", "")
    wanted = (asked, get_language(), *design.languages)
    return StudySheet(survey, design, next(code for code in wanted if code in design.languages))
