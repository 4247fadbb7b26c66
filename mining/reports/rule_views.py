"""The page of one rule: its measures and the decisions on it."""

from django.http import Http404, HttpResponse

from mining.reports import page_rows
from mining.reports.forms import RuleDecisionForm
from mining.reports.measures import measures
from mining.reports.models import Decision
from mining.reports.report_page import report_page
from mining.reports.views import page
from people.permission import PersonRequest
from surveys.pages import reading


@reading
def rule(request: PersonRequest, pk: int, number: int, *, whole: bool = False) -> HttpResponse:
    report = report_page(request.user, pk, whole=whole)
    row = report.rules.filter(place=number - 1).first() if number else None
    if row is None:
        raise Http404
    (words,) = page_rows.rules(report, [row])
    context = {
        "words": words,
        "measures": measures(words.rule),
        "decisions": Decision.objects.filter(rule=row).select_related("reviewer").order_by("-pk")
        if whole
        else (),
        "form": RuleDecisionForm(),
        "decide_url": report.url("decide_one", number) if whole else "",
    }
    return page(request, report, "rule", context)
