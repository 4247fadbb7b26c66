"""Pages of a report's models: readers see published ones, reviewers decide on them and publish them."""

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import site_address
from accounts.permission import PersonRequest, needs_recent_proof
from reports.models import Decision
from reports.pages.regression_models import model_rows
from reports.pages.reviewer_forms import RuleDecisionForm
from reports.review import regression_decisions as judging
from reports.review.report_page_data import ReportPage, render_report_page, report_page
from runs.models import Model
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import posting, reading, refusal_as_message


@reading
def report_models(request: PersonRequest, pk: int, *, whole: bool = False) -> HttpResponse:
    report = report_page(request.user, pk, whole=whole)
    context = {
        "models": model_rows.model_rows(report),
        "is_withdrawn": report.review.state == report.review.State.WITHDRAWN,
        "is_published": report.review.state == report.review.State.PUBLISHED,
    }
    return render_report_page(request, report, "models", context)


@posting
def decide_on_model(request: PersonRequest, pk: int, number: int) -> HttpResponseBase:
    report = report_page(request.user, pk, whole=True)
    form = RuleDecisionForm(request.POST)

    def store(model: Model) -> str:
        if not form.is_valid():
            raise NotAllowed(_("Choose a decision."))
        verdict, note = Decision.Verdict(form.cleaned_data["verdict"]), form.cleaned_data["note"]
        seen, now = form.cleaned_data["seen"], timezone.now()
        judging.decide_model(report.review, request.user, model, verdict, note, now, seen)
        return _("Decision saved.")

    return store_and_respond(request, report, number, store)


@posting
@needs_recent_proof
def publish_one_model(request: PersonRequest, pk: int, number: int) -> HttpResponseBase:
    report = report_page(request.user, pk, whole=True)

    def store(model: Model) -> str:
        judging.publish_model(report.review, request.user, model, site_address.site_url(), timezone.now())
        return _("Model published. The people who work on the survey get an email.")

    return store_and_respond(request, report, number, store)


def store_and_respond(
    request: PersonRequest, report: ReportPage, number: int, store: Callable[[Model], str]
) -> HttpResponseBase:
    """Stores a decision on a model by calling `store`, shows its message or the refusal, and redirects to the page
    of models."""
    model = Model.objects.filter(run=report.review.run_id, job__number=number).first()
    if model is None:
        raise Http404
    with refusal_as_message(request):
        messages.success(request, store(model))
    return redirect(f"{report.url('models')}#model-{number}")
