"""The page of a study: plan, arms, control items, and the comparison with the survey before, which is a file too."""

from django.http import Http404, HttpResponse

from people.permission import PersonRequest
from reports.pages import wave_rows
from reports.pages.picture_views import csv_file
from reports.review.report_page import page, report_page
from surveys.pages import reading


@reading
def study(request: PersonRequest, pk: int, *, whole: bool = False) -> HttpResponse:
    report = report_page(request.user, pk, whole=whole)
    if not report.has_study_page:
        raise Http404
    content = report.content.study
    context = {
        "plan": content.plan,
        "arms": content.arms,
        "controls": content.controls,
        "waves": wave_rows.waves(report, request.user),
    }
    return page(request, report, "study", context)


@reading
def wave_numbers(request: PersonRequest, pk: int, *, whole: bool = False) -> HttpResponse:
    report = report_page(request.user, pk, whole=whole)
    waves = wave_rows.waves(report, request.user)
    if not waves or not waves.rows:
        raise Http404
    return csv_file(report, wave_rows.waves_table(report, waves))
