"""A reviewer's pages around publication: test of first findings, publish, run again, withdraw."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import site_address
from accounts.permission import PersonRequest, needs_recent_proof
from mining.nodes.report_nodes import is_outside_unit
from reports.pages import number_sections as number_rows, share_itemset_rule_rows, undecided_rules
from reports.pages.reviewer_forms import PublishForm, WithdrawForm
from reports.pages.reviewer_rule_rows import reviewer_rule_rows
from reports.review import attack_result_texts, report_state_changes, rule_decisions
from reports.review.attack_result_texts import NOT_APPLICABLE
from reports.review.disclosure_recheck import DisclosureChanged
from reports.review.question_shares import sensitive_shares
from reports.review.report_page_data import ReportPage, render_report_page, report_page
from reports.simulated_reports import first_finding_test_job
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import form_page, posting, refusal_as_message

PREVIEWED = 50
"""Largest number of accepted rules, and of withheld question sets, that the page of publishing lists."""


@posting
def start_first_finding_test(request: PersonRequest, pk: int) -> HttpResponseBase:
    report = report_page(request.user, pk, whole=True)
    with refusal_as_message(request):
        first_finding_test_job.start_first_finding_test(report.review, request.user)
    return redirect(f"{report.url('shares')}#front-test")


@form_page
@needs_recent_proof
def publish(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Shows the form to publish, and publishes on POST; afterwards shows the publication and a link to withdraw it."""
    report = report_page(request.user, pk, whole=True)
    questions = {table.question: report.labels.heading(table) for table in report.content.groups}
    questions |= dict(number_rows.questions_with_number_classes(report))
    form = PublishForm(
        list(questions.items()),
        request.POST if request.method == "POST" else None,
        # Made before the decisions are read for the page: one that comes between is refused rather than overlooked.
        initial={"seen": report_state_changes.decisions_digest(report.review.run)},
    )
    if request.method == "POST" and form.is_valid():
        with refusal_as_message(request):
            groups, seen = form.cleaned_data.get("groups", []), form.cleaned_data["seen"] or None
            report_state_changes.publish(
                report.review, request.user, groups, site_address.site_url(), timezone.now(), seen
            )
            messages.success(request, _("Published. The people who work on the survey get an email."))
        return redirect(report.url("publish"))
    noise = sum(is_outside_unit(share.support) for share in sensitive_shares(report))
    tally = rule_decisions.count_by_verdict(report.review.run)
    context = {"form": form, "tally": tally, "noise": noise}
    if report.review.is_open:
        context |= undecided_rules.undecided_rule_counts(report.review.run, tally["undecided"])
        accepted = (
            rule_decisions.accepted_rules(report.review.run).select_related("itemset").order_by("place")
        )
        judged = share_itemset_rule_rows.ranked_rules(report, accepted, 0, PREVIEWED)
        context["rows"], context["scale"] = reviewer_rule_rows(judged, report.labels, report.about)
        context["more"] = max(accepted.count() - PREVIEWED, 0)
        context |= attack_context(report, list(questions)) | {
            "told": disclosable_and_withheld_context(report)
        }
    return render_report_page(request, report, "publish", context)


def disclosable_and_withheld_context(report: ReportPage) -> dict[str, Any]:
    """Returns the template context on disclosure: which combinations of plain answers the run could use, and which
    answers are withheld."""
    labels, told, verdict = report.labels, report.content.told, report.review.run.verdict or {}
    hidden = [
        (
            labels.subject(one.question),
            [labels.answer(name).choice if name else NOT_APPLICABLE for name in one.answers],
        )
        for one in told.hidden
    ]
    sets = [list(map(labels.subject, questions)) for questions in told.questions]
    many = len(verdict.get("told", [[]])) - 1
    return {"hidden": hidden, "sets": sets[:PREVIEWED], "more": len(sets[PREVIEWED:]), "tables": max(many, 0)}


@posting
def run_again(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Repeats the report's run with the records that may be used now; the new run takes over the decisions on rules."""
    report = report_page(request.user, pk, whole=True)
    with refusal_as_message(request):
        again = report_state_changes.run_again(report.review, request.user, timezone.now())
        words = _("%(run)s is on its way. It takes over the decisions of %(before)s.")
        messages.success(request, words % {"run": again, "before": report.review.run})
    return redirect(report.url("publish"))


def attack_context(report: ReportPage, group_questions: Sequence[str]) -> dict[str, Any]:
    """Returns the template context of an attack on the report, as if published by the group questions
    `group_questions`: its results, or why publishing is refused."""
    try:
        *_told, telling, attack = report_state_changes.build_and_attack_publication(
            report.review.run, group_questions
        )
    except DisclosureChanged as refused:
        return {"refused": str(refused), "run_again": True}
    except NotAllowed as refused:
        return {"refused": str(refused)}
    left_out = attack_result_texts.untried_tables_text(attack, report.labels, PREVIEWED)
    return {
        "smallest": attack_result_texts.smallest_count_text(attack.smallest, report.labels),
        "smallest_sum": attack_result_texts.smallest_count_text(attack.smallest_sum, report.labels),
        "not_tried": left_out,
        "open_people": [
            attack_result_texts.open_people_text(span)
            for span in attack.open_people
            if span.last_batch == telling.last_batch
        ],
        "attacked": True,
    }


@form_page
def withdraw(request: PersonRequest, pk: int) -> HttpResponseBase:
    report = report_page(request.user, pk, whole=True)
    form = WithdrawForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with refusal_as_message(request):
            reason = form.cleaned_data["reason"]
            report_state_changes.withdraw(
                report.review, request.user, reason, site_address.site_url(), timezone.now()
            )
            messages.success(
                request, _("Withdrawn. The people who work on the survey get an email with the reason.")
            )
        return redirect(report.url("publish"))
    return render_report_page(request, report, "withdraw", {"form": form})
