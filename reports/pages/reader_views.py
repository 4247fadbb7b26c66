"""The pages of a report for its readers.

`whole`: the page shows the whole run, as its reviewers see it.
"""

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext as _

from accounts.permission import PersonRequest, get_permitted
from mining.nodes.study_nodes import Understanding, WaveDifference
from reports.answer_labels import Labels
from reports.export_table import node_table
from reports.kinds.number.shown_number import shown_numbers
from reports.models import Decision, Review
from reports.pages import (
    first_finding_test_texts,
    named_pictures,
    number_sections as number_rows,
    row_interval_pictures,
    share_itemset_rule_rows,
    wave_comparison,
)
from reports.pages.heat_map import heat_map
from reports.pages.picture_views import csv_response
from reports.pages.report_document import ReportDocument
from reports.pages.reviewer_forms import RuleDecisionForm, TwoWayDecisionForm
from reports.pages.reviewer_rule_rows import reviewer_rule_rows
from reports.pages.rule_filter_form import RuleFilter
from reports.review import report_emails, report_state_changes, rule_decisions
from reports.review.question_shares import question_shares
from reports.review.report_page_data import (
    ReportPage,
    desk_page,
    question_page_context,
    readable_page,
    render_report_page,
    report_page,
)
from reports.rule_measures import all_measures
from reports.sentences.disguise_understanding_check import (
    understanding_difference_finding,
    understanding_finding,
)
from reports.sentences.hypotheses import plan_with_share_intervals
from reports.texts import report_facts
from reports.texts.design_sentences import say, true_sentences
from runs import copied_record_detection
from surveys.signed_in_view import reading

ROWS = 40
RULES = 25


@reading
def index(request: PersonRequest) -> HttpResponse:
    report_state_changes.create_reviews_of_finished_runs(timezone.now())
    visible = Review.objects.visible_to(request.user).with_permissions()
    page = Paginator(visible, ROWS).get_page(request.GET.get("page"))
    rows = [(review, review.is_open and review.may(request.user, "review")) for review in page]
    return render(request, "reports/index.html", {"page_obj": page, "rows": rows})


@reading
def shares(request: PersonRequest, pk: int, *, whole: bool = False) -> HttpResponse:
    review = get_permitted(Review.objects.with_surveys(), request.user, pk, "review" if whole else "see")
    report = desk_page(review, request.user) if whole else readable_page(review, request.user)
    if report is None:
        unread = {
            "review": review,
            "may_review": review.may(request.user, "review"),
            "gets_report_email": report_emails.gets_publication_email(review.survey, request.user),
        }
        return render(request, "reports/unpublished.html", unread)
    language = get_language() or "en"
    sensitive = question_shares(report, sensitive=True)
    context: dict[str, Any] = {
        **ReportDocument(report, language, has_evidence=True).context(),
        "more_contents": [("evidence", _("Evidence"))],
        "plan": plan_with_share_intervals(report.content),
        "facts": report_facts.report_facts(report),
        "used": report_facts.records_used_text(report),
        "alike": report_facts.group_test_text(report),
        "copies": copied_record_detection.copies_sentence(review.run),
        "stratified": say("always-stratified", report),
        "not_covered": list(true_sentences("not-covered", report)),
        "sensitive": sensitive,
        "is_estimated": any(share.support is not None for share in report.content.shares),
        "pooled": any(share_itemset_rule_rows.has_other_pooled_estimate(one.shares) for one in sensitive),
        "weighted": share_itemset_rule_rows.weighted_shares(report),
    }
    if report.is_desk and report.about.rehearsal:
        context |= first_finding_test_texts.first_finding_test_context(report)
    return render_report_page(request, report, "shares", context)


@reading
def numbers(request: PersonRequest, pk: int, *, whole: bool = False) -> HttpResponse:
    """Shows the estimates of sensitive numbers: one question per page, in the classes of one plain question."""
    report = report_page(request.user, pk, whole=whole)
    if not report.asks_numbers:
        raise Http404
    asked = shown_numbers(report)
    chosen = question_page_context(request, asked, [number.text for number in asked])
    sections = number_rows.number_page_sections(report, chosen["page_obj"], request.GET.get("by"))
    return render_report_page(request, report, "numbers", {"numbers": sections, **chosen})


@reading
def groups(request: PersonRequest, pk: int, *, whole: bool = False) -> HttpResponse:
    """Shows shares in the classes of plain questions, one plain question per page."""
    report = report_page(request.user, pk, whole=whole)
    tables = report.content.groups
    context = {
        **question_page_context(request, tables, [report.labels.heading(table) for table in tables]),
        "scale": row_interval_pictures.scale_of_groups(tables),
        "disguised_only": any(table.disguised_only for table in tables),
    }
    return render_report_page(request, report, "groups", context)


@reading
def itemsets(request: PersonRequest, pk: int, *, whole: bool = False) -> HttpResponse:
    report = report_page(request.user, pk, whole=whole)
    size = share_itemset_rule_rows.requested_itemset_size(request.GET)
    page_obj = Paginator(share_itemset_rule_rows.itemset_rows(report, size), ROWS).get_page(
        request.GET.get("page")
    )
    rows = share_itemset_rule_rows.ranked_itemsets(report, page_obj.object_list, page_obj.start_index())
    context = {
        "size": size,
        "listed_sizes": share_itemset_rule_rows.itemset_sizes(report),
        "page_obj": page_obj,
        "rows": rows,
        "adjusted": any(row.coherent is not None for row in rows),
        "scale": row_interval_pictures.scale_of_estimates(rows),
        "pooled": share_itemset_rule_rows.has_other_pooled_estimate(rows),
        "sizes": share_itemset_rule_rows.compare_itemsets_with_truth(report),
        "heat_map": heat_map(
            report.content.pairs, report.labels, share_itemset_rule_rows.associated_pairs(report)
        ),
        "pictures": named_pictures.expected_error_pictures(report),
    }
    return render_report_page(request, report, "itemsets", context)


@reading
def rules(request: PersonRequest, pk: int) -> HttpResponse:
    return list_rules(request, report_page(request.user, pk, whole=False))


def list_rules(request: PersonRequest, report: ReportPage) -> HttpResponse:
    """Lists the published rules for readers; all rules in a rehearsal, and for a reviewer who can no longer decide."""
    form = RuleFilter(report.labels, request.GET, verdicts=report.whole)
    chosen = form.filter_rules(report.rules).order_by("place")
    page_obj = Paginator(chosen, RULES).get_page(request.GET.get("page"))
    judged = share_itemset_rule_rows.ranked_rules(report, chosen, RULES * (page_obj.number - 1), RULES)
    rows, scale = reviewer_rule_rows(judged, report.labels, report.about)
    context = {"form": form, "page_obj": page_obj, "rows": rows, "scale": scale}
    return render_report_page(request, report, "rules", context)


@reading
def pictures(request: PersonRequest, pk: int, *, whole: bool = False) -> HttpResponse:
    """Redirects from the former address of the pictures; each picture is now beside its table."""
    return redirect(report_page(request.user, pk, whole=whole).url("itemsets"))


@reading
def rule(request: PersonRequest, pk: int, number: int, *, whole: bool = False) -> HttpResponse:
    """Shows the measures of one rule and the decisions on it."""
    report = report_page(request.user, pk, whole=whole)
    every = report.rules.order_by("place")
    row = every[number - 1 : number].first() if number else None
    if row is None:
        raise Http404
    ((judged, _verdict),) = share_itemset_rule_rows.ranked_rules(report, every, number - 1, 1)
    ((_list, place),) = share_itemset_rule_rows.rule_places(report, every, number - 1, 1)
    seen = rule_decisions.newest_rule_decision_id(report.review.run) if report.may_decide_rules else 0
    form = TwoWayDecisionForm if row.both else RuleDecisionForm
    context = {
        "rule": judged,
        "place": place,
        "measures": all_measures(judged),
        "decisions": Decision.objects.filter(rule=row).select_related("reviewer").order_by("-pk")
        if report.whole
        else (),
        "form": form(initial={"seen": seen}),
        "decide_url": report.url("decide_one", number) if report.is_desk else "",
    }
    return render_report_page(request, report, "rule", context)


@reading
def study(request: PersonRequest, pk: int, *, whole: bool = False) -> HttpResponse:
    """Shows plan, arms, check of understanding, control items, and the comparison with the earlier survey that this one
    repeats."""
    report = report_page(request.user, pk, whole=whole)
    if not report.has_study_page:
        raise Http404
    content = report.content.study
    context = {
        "plan": plan_with_share_intervals(report.content),
        "arms": content.arms,
        "controls": content.controls,
        **understanding_context(content.understanding, report.labels),
        "waves": wave_comparison.compare_waves(report),
    }
    return render_report_page(request, report, "study", context)


def understanding_context(understanding: Understanding | None, labels: Labels) -> dict[str, Any]:
    """Returns the template context of the check of understanding; findings on crosswise questions are in a list of
    their own."""
    if understanding is None:
        return {}
    rows = [understanding_difference_finding(row, labels) for row in understanding.items]
    return {
        "understanding": understanding,
        "understood": understanding_finding(understanding.all_disguised_counts),
        # The label of the counts of all disguised records is empty.
        "understanding_counts": [
            (labels.subject(counts.question) if counts.question else "", counts)
            for counts in understanding.counts
            if counts.n is not None
        ],
        "understanding_rows": [row for row in rows if not row.node.crosswise],
        "understanding_pairs": [row for row in rows if row.node.crosswise],
    }


@reading
def waves_csv(request: PersonRequest, pk: int, *, whole: bool = False) -> HttpResponse:
    """Serves the comparison with the earlier survey as CSV."""
    report = report_page(request.user, pk, whole=whole)
    waves = report.content.study.waves
    if not waves:
        raise Http404
    unknown = () if report.content.knows_truth else ("truth",)
    table = node_table(WaveDifference, "waves", waves.items, report.labels.join_full, unknown)
    return csv_response(report, table)
