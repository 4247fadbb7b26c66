"""The page of a deposit: its metadata are asked for, and it is downloaded."""

from typing import Any

from django.contrib import messages
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import gettext as _

from accounts.permission import PersonRequest, guard, needs_proof
from deposits.bundle import Deposit, approved_releases
from deposits.form import DepositForm
from intake.disclosure import ledger
from intake.disclosure.models import Door
from reports.exports.files import plan_file
from reports.models import Review
from reports.review.report_page import ReportPage
from surveys.lifecycle import review
from surveys.pages import form_page
from surveys.questionnaire.problems import NotAllowed
from ui.numbers import count


@form_page
@needs_proof
def deposit(request: PersonRequest, pk: int) -> HttpResponseBase:
    """For the owner alone, who decides that a report is published to the world."""
    report = ReportPage(guard(Review.objects.with_surveys(), request.user, pk, "share"), whole=False)
    downloading = request.method == "POST"
    offers_records = report.survey.may(request.user, "deposit")
    form = DepositForm(
        report.design.languages,
        request.POST if downloading else None,
        initial=_initial(report),
        offers_records=offers_records,
    )
    if downloading and form.is_valid():
        about = form.metadata(_description(report))
        wanted = Deposit(report, about, request.user, form.cleaned_data.get("records", False))
        try:
            pieces = wanted.hand_over(timezone.now())
        except NotAllowed as refused:
            messages.error(request, str(refused))
            return redirect("deposits:deposit", pk)
        response = StreamingHttpResponse(pieces, content_type="application/zip")
        title = slugify(report.title, allow_unicode=True)[:60] or "survey"
        name = f"{title}-deposit-{report.review.run.number}.zip"
        response["Content-Disposition"] = content_disposition_header(True, name) or ""
        return response
    context = {
        "report": report,
        "tabs": report.tabs("exports"),
        "form": form,
        "offers_records": offers_records,
        "answer": review.deposit_status(report.survey),
        "has_files": report.survey.may(request.user, "download"),
        "released": [one.title for one in ledger.told(report.survey, Door.RELEASE)] if offers_records else [],
        "has_plan": bool(plan_file(report)),
        "releases": approved_releases(report.survey, request.user),
    }
    return render(request, "deposits/deposit.html", context, status=422 if form.errors else 200)


def _initial(report: ReportPage) -> dict[str, Any]:
    owner, published = report.survey.owner, report.publication
    assert published
    return {
        "title": report.title,
        "creators": str(owner),
        "contact": owner.email,
        "year": published.when.year,
        "licence": "CC-BY-4.0",
        "language": report.design.languages[0],
    }


def _description(report: ReportPage) -> str:
    about = report.about
    said = _(
        "Results of a survey whose sensitive answers were disguised by randomised response on the devices of the"
        " respondents: %(records)s records, %(questions)s questions. Made with Candor."
    )
    values = {"records": count(about.records), "questions": count(len(report.design.questions))}
    rehearsal = [_("It is a rehearsal: the answers are simulated.")] if about.rehearsal else []
    return " ".join([said % values, *rehearsal])
