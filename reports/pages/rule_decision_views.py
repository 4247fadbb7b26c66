"""A reviewer's pages of rules: decide on one rule or on many, undo a decision."""

from collections.abc import Callable

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse, JsonResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from accounts.permission import PersonRequest
from reports.models import Decision
from reports.pages import reader_views, share_itemset_rule_rows, undecided_rules
from reports.pages.reviewer_forms import RuleDecisionForm, SeveralRulesDecisionForm, TwoWayDecisionForm
from reports.pages.reviewer_rule_rows import reviewer_rule_rows
from reports.pages.undecided_rules import ReviewerRuleFilter
from reports.review import rule_decisions
from reports.review.report_page_data import ReportPage, render_report_page, report_page
from runs.models import Rule
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import posting, reading
from ui.number_format import format_count

LONGEST_NUMBER = 9
CONFLICT = 409


Stored = tuple[int, Decision | None]
"""The number of rules that were decided on, and the decision if it can be undone."""


@reading
def rules_to_judge(request: PersonRequest, pk: int) -> HttpResponse:
    """Lists the rules for a reviewer to decide on; once nothing can be decided, lists all rules."""
    report = report_page(request.user, pk, whole=True)
    if not report.may_decide_rules:
        return reader_views.list_rules(request, report)
    # Read before the rules: a decision that comes between is refused rather than overlooked.
    seen = rule_decisions.newest_rule_decision_id(report.review.run)
    form = reviewer_rule_filter(request, report)
    first = parse_number(request.GET.get("first", ""))
    chosen = undecided_rules.order_by_p_undone_first(form.filter_rules(report.rules), first)
    page_obj = Paginator(chosen, reader_views.RULES).get_page(request.GET.get("page"))
    first_row = reader_views.RULES * (page_obj.number - 1)
    judged = share_itemset_rule_rows.ranked_rules(report, chosen, first_row, reader_views.RULES)
    rows, scale = reviewer_rule_rows(judged, report.labels, report.about)
    number = parse_number(request.GET.get("last", ""))
    tally = rule_decisions.count_by_verdict(report.review.run)
    context = {
        "form": form,
        "page_obj": page_obj,
        "rows": rows,
        "scale": scale,
        "verdicts": RuleDecisionForm().fields["verdict"].choices,  # type: ignore[attr-defined]
        "left_words": undecided_count_text(report),
        "last": rule_decisions.last_decision_if_own(report.review, number, request.user) if number else None,
        "undo_url": url_with_filter(request, report, "undo", number),
        "query": filter_query(request).urlencode(),
        "many": SeveralRulesDecisionForm(initial={"seen": seen}, fitting=page_obj.paginator.count),
        "seen": seen,
        "decide_url": url_with_filter(request, report, "decide"),
        **undecided_rules.undecided_rule_counts(report.review.run, tally["undecided"]),
        "others_url": f"{report.url('decide')}?association=none",
    }
    return render_report_page(request, report, "judging", context)


@posting
def decide_in_list(request: PersonRequest, pk: int, number: int) -> HttpResponseBase:
    """Stores the posted decision on one rule of the list; returns JSON to a script, otherwise redirects to the list."""
    report = report_page(request.user, pk, whole=True)

    def store_decision() -> Stored:
        form = RuleDecisionForm(request.POST)
        if not form.is_valid():
            raise NotAllowed(_("Choose a decision."))
        rule = report.rules.filter(place=number - 1)
        verdict, note = Decision.Verdict(form.cleaned_data["verdict"]), form.cleaned_data["note"]
        seen, now = form.cleaned_data["seen"], timezone.now()
        rule_decisions.decide_rules(report.review, request.user, rule, verdict, note, now, seen=seen)
        return 1, rule_decisions.last_decision_if_own(report.review, number, request.user)

    return store_and_respond(request, report, number, store_decision)


@posting
def undo(request: PersonRequest, pk: int, number: int) -> HttpResponseBase:
    """Undoes a decision on one rule, and those made together with it."""
    report = report_page(request.user, pk, whole=True)

    def undo_posted_decision() -> Stored:
        decision = parse_number(request.POST.get("decision", ""))
        return rule_decisions.undo_decision(
            report.review, request.user, number, decision, timezone.now()
        ), None

    return store_and_respond(request, report, number, undo_posted_decision)


@posting
def decide_many(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Stores one decision on the ticked rules, or on all rules that match the filter in the address."""
    report = report_page(request.user, pk, whole=True)
    listed = ReviewerRuleFilter(report.labels, request.GET)
    fitting = listed.filter_rules(report.rules)
    back = f"{report.url('rules')}?{filter_query(request).urlencode()}"
    count = fitting.count()
    form = SeveralRulesDecisionForm(request.POST, fitting=count)
    if not form.is_valid():
        messages.error(request, _("Choose a decision and the rules that it is about."))
        return redirect(back)
    chosen = fitting
    if form.cleaned_data["which"] == SeveralRulesDecisionForm.TICKED:
        numbers = (number for number in request.POST.getlist("rule") if len(number) < 10)
        ticked = [int(number) - 1 for number in numbers if number.isdecimal()]
        chosen = report.rules.filter(place__in=ticked)
    elif form.cleaned_data["fitting"] != count:
        messages.error(
            request,
            _("Other rules match the filter now, because someone has decided on some. Check the list again."),
        )
        return redirect(back)
    first = chosen.order_by("place").values_list("place", flat=True).first()
    if _store_decisions(request, report, chosen, form) and first is not None:
        back = f"{back}&last={first + 1}"
    return redirect(back)


@posting
def decide_one(request: PersonRequest, pk: int, number: int) -> HttpResponseBase:
    """Stores the decision from a rule's own page, which can be about one direction of the rule only."""
    report = report_page(request.user, pk, whole=True)
    rules = report.rules.filter(place=number - 1)
    form = (
        TwoWayDecisionForm(request.POST)
        if rules.filter(both=True).exists()
        else RuleDecisionForm(request.POST)
    )
    if form.is_valid():
        _store_decisions(request, report, rules, form)
    elif "direction" in form.errors:
        messages.error(request, _("“Only one way round” goes with “Accept” alone."))
    else:
        messages.error(request, _("Choose a decision."))
    return redirect(report.url("rule", number))


def _store_decisions(
    request: PersonRequest, report: ReportPage, rules: QuerySet[Rule], form: RuleDecisionForm
) -> bool:
    """Stores the decision of a form on the given rules, and shows a message; returns True if it was stored."""
    verdict, note = Decision.Verdict(form.cleaned_data["verdict"]), form.cleaned_data["note"]
    direction, seen = form.cleaned_data.get("direction", ""), form.cleaned_data["seen"]
    try:
        many = rule_decisions.decide_rules(
            report.review, request.user, rules, verdict, note, timezone.now(), direction, seen
        )
    except NotAllowed as refused:
        messages.error(request, str(refused))
        return False
    else:
        words = ngettext("Decision saved for %(count)s rule.", "Decision saved for %(count)s rules.", many)
        messages.success(request, words % {"count": format_count(many)})
        return True


def store_and_respond(
    request: PersonRequest, report: ReportPage, number: int, store: Callable[[], Stored]
) -> HttpResponseBase:
    """Stores a decision by calling `store`, and returns the result: JSON for the script, else a message on the list."""
    by_script = "HX-Request" in request.headers
    back = filter_query(request)
    try:
        many, decision = store()
    except NotAllowed as refused:
        if by_script:
            return JsonResponse({"said": str(refused)}, status=CONFLICT)
        messages.error(request, str(refused))
    else:
        if by_script:
            return JsonResponse(decision_response_json(request, report, number, many, decision))
        messages.success(
            request,
            decision_message(number, last_verdict(report, number), undecided_count_text(report), many),
        )
        if decision:
            back["last"] = str(number)
    return redirect(f"{report.url('rules')}?{back.urlencode()}")


def decision_response_json(
    request: PersonRequest, report: ReportPage, number: int, decision_count: int, decision: Decision | None
) -> dict[str, object]:
    """Returns the JSON that the script gets after a decision (static/reports/judging.js)."""
    fitting = reviewer_rule_filter(request, report).filter_rules(report.rules).count()
    judged, left = last_verdict(report, number), undecided_count_text(report)
    return {
        "verdict": judged or "",
        "decision": decision.pk if decision else None,
        "count": decision_count,
        "undo": url_with_filter(request, report, "undo", number),
        "said": decision_message(number, judged, left, decision_count),
        "left": left,
        "fitting": fitting,
        "fitting_words": SeveralRulesDecisionForm.matching_rules_text(fitting),
    }


def last_verdict(report: ReportPage, number: int) -> str | None:
    rule = report.rules.filter(place=number - 1).first()
    return getattr(rule, "verdict", None)


def decision_message(number: int, verdict: str | None, undecided_text: str, decision_count: int) -> str:
    """Returns the message after a decision on one rule, or after undoing many."""
    if decision_count > 1:
        words = ngettext(
            "%(count)s decision undone. %(left)s.", "%(count)s decisions undone. %(left)s.", decision_count
        )
        return words % {"count": format_count(decision_count), "left": undecided_text}
    label = Decision.Verdict(verdict or rule_decisions.UNDECIDED).label
    return _("Rule %(number)s: %(verdict)s. %(left)s.") % {
        "number": number,
        "verdict": label,
        "left": undecided_text,
    }


def undecided_count_text(report: ReportPage) -> str:
    number = undecided_rules.count_needing_decision(report.review.run)
    words = ngettext("%(number)s rule left to decide", "%(number)s rules left to decide", number)
    return words % {"number": format_count(number)}


def reviewer_rule_filter(request: PersonRequest, report: ReportPage) -> ReviewerRuleFilter:
    return ReviewerRuleFilter(report.labels, request.GET)


def url_with_filter(request: PersonRequest, report: ReportPage, page: str, *args: object) -> str:
    """Returns the address of another page of the report, with the filter parameters of the current address."""
    return f"{report.url(page, *args)}?{filter_query(request).urlencode()}"


def filter_query(request: PersonRequest) -> QueryDict:
    """Returns the filter parameters of the current address, without the parameters that name a single rule."""
    parameters = request.GET.copy()
    for name in ("last", "first"):
        parameters.pop(name, None)
    return parameters


def parse_number(text: str) -> int:
    """Returns the number in a text from a form or an address; 0 if the text is no number or too long."""
    return int(text) if text.isdecimal() and len(text) <= LONGEST_NUMBER else 0
