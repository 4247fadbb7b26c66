"""Provides what the home page and the list of surveys show of reports: to review, news, first finding, next step."""

from collections.abc import Collection, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from jobs.models import State
from reports.models import Review
from reports.pages import undecided_rules
from reports.pages.first_findings import Headline
from reports.review import report_state_changes
from reports.review.report_page_data import readable_page
from reports.sentences.sentence_parts import as_html
from runs.models import Run
from surveys.home_cards import Finding
from surveys.lifecycle.next_step import NextStep
from surveys.models import Survey
from ui.home_page_items import News, TodoItem
from ui.number_format import format_count

if TYPE_CHECKING:
    from accounts.models import Person

SHOWN, FINDINGS = 5, 3
LATELY = timedelta(days=30)
UNDER_WAY = (State.QUEUED, State.RUNNING, State.DONE)
"""States of a run that has no report yet; `report_state_changes.create_reviews_of_finished_runs` makes one."""


def reports_to_review(person: "Person") -> Iterator[TodoItem]:
    """Yields the newest reports that this reviewer can decide on, at most `SHOWN`."""
    for review in Review.objects.with_permissions().to_review_by(person).to_decide()[:SHOWN]:
        left = undecided_rules.count_needing_decision(review.run)
        title = _("A report to publish")
        action = _("Read the report")
        if left:
            title = ngettext("%(count)s rule to decide", "%(count)s rules to decide", left)
            title = title % {"count": format_count(left)}
            action = _("Decide on them")
        detail = f"{review.survey}, {review.run}"
        if none := undecided_rules.count_needing_decision_without_association(review.run):
            words = ngettext(
                "%(count)s shows no association and can be rejected in one step.",
                "%(count)s show no association and can be rejected in one step.",
                none,
            )
            detail = f"{detail}. {words % {'count': format_count(none)}}"
        yield TodoItem(title, detail, review.reviewer_url, action)


def report_news(person: "Person") -> Iterator[News]:
    """Yields the first finding of each of the `FINDINGS` newest reports of the last 30 days, except those that this
    person published."""
    reviews = Review.objects.with_permissions().filter(
        state=Review.State.PUBLISHED, since__gte=timezone.now() - LATELY
    )
    others = reviews.visible_to(person).exclude(run__publication__by=person)
    for review in others.order_by("-since")[:FINDINGS]:
        page = readable_page(review, person)
        if page and (headline := Headline.of_report(page)).first:
            words = as_html(headline.sentence)
            yield News(words, str(review.survey), review.get_absolute_url(), review.since)


def published_findings(surveys: Collection[Survey], person: "Person") -> dict[int, Finding]:
    """Returns the headline of each survey's newest published report that this person may read, by survey."""
    reviews = Review.objects.with_permissions().filter(run__survey__in=surveys, state=Review.State.PUBLISHED)
    newest = {review.survey.pk: review for review in reviews.order_by("pk")}
    headlines = {
        pk: Headline.of_report(page)
        for pk, review in newest.items()
        if (page := readable_page(review, person))
    }
    return {pk: Finding(as_html(one.sentence), one.picture) for pk, one in headlines.items() if one.first}


def next_report_steps(surveys: Collection[Survey], person: "Person") -> dict[int, NextStep]:
    """Returns the next step of each survey: read its newest report, review one, or wait for a reviewer or a run."""
    under_way = Run.objects.filter(survey__in=surveys, review=None, state__in=UNDER_WAY)
    runs = dict(under_way.values_list("survey", "state"))
    if State.DONE in runs.values():
        report_state_changes.create_reviews_of_finished_runs(timezone.now())
    reviews = (
        Review.objects.with_permissions()
        .filter(run__survey__in=surveys)
        .exclude(state=Review.State.WITHDRAWN)
    )
    published_last = sorted(reviews, key=lambda review: (not review.is_open, review.pk))
    waiting = dict.fromkeys(runs, NextStep(_("Candor counts and mines the answers")))
    return waiting | {review.survey.pk: _next_step(review, person) for review in published_last}


def _next_step(review: Review, person: "Person") -> NextStep:
    if not review.is_open or review.may(person, "read-undecided"):
        return NextStep(_("Read the report"), review.get_absolute_url())
    if review.may(person, "review"):
        return NextStep(_("Review the report"), review.reviewer_url)
    return NextStep(_("A reviewer reads the report"))
