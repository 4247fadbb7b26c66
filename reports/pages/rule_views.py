"""The page of one rule: its measures and the decisions on it."""

from django.http import Http404, HttpResponse

from people.permission import PersonRequest
from reports.measures import measures
from reports.models import Decision
from reports.pages import page_rows
from reports.pages.forms import RuleDecisionForm, SplitForm
from reports.review.report_page import page, report_page
from surveys.pages import reading


@reading
def rule(request: PersonRequest, pk: int, number: int, *, whole: bool = False) -> HttpResponse:
    report = report_page(request.user, pk, whole=whole)
    row = report.rules.filter(place=number - 1).first() if number else None
    if row is None:
        raise Http404
    place = report.rules.filter(place__lt=row.place).count() + 1
    ((judged, _verdict),) = page_rows.rules(report, [row], place)
    form = SplitForm if row.both else RuleDecisionForm
    context = {
        "rule": judged,
        "place": place,
        "measures": measures(judged),
        "decisions": Decision.objects.filter(rule=row).select_related("reviewer").order_by("-pk")
        if whole
        else (),
        "form": form(),
        "decide_url": report.url("decide_one", number) if whole else "",
    }
    return page(request, report, "rule", context)
