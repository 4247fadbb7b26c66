"""Provides the data of a report's pages: the published content for readers, the whole run for reviewers.

People who work on a rehearsal read its whole run at once, because it holds no secret; they decide on nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language, gettext as _

from accounts.permission import PersonRequest, get_permitted
from mining.findings.compute_findings import ARMS, CONTROLS, PLAN, UNDERSTANDING
from mining.findings.rehearsal_truth import KnownShares
from mining.findings.result_row_conversion import item_numbers
from mining.nodes.report_nodes import (
    About,
    Estimate,
    Report,
    Rule,
    compared_rows_digest,
    number_and_sort_rules,
    report_to_json,
    sort_itemsets,
)
from mining.studies.comparison_with_truth import RehearsalTruth
from privacy.designs import Design
from privacy.kinds.number.number_question import NUMBER
from privacy.kinds.place.section import PlaceQuestion
from reports.answer_labels import Labels
from reports.estimate_texts import search_size_text
from reports.models import Decision, ModelDecision, ModelPublication, Publication, Review
from reports.review import build_content, read_published_content, regression_decisions, rule_decisions
from reports.review.wave_differences import add_changes
from runs.mlxtend_check_sentence import CheckState, CheckStatus, Counts
from runs.models import Itemset as ItemsetRow, Rule as RuleRow, Run
from surveys.models import Approval
from surveys.permission import Basis
from surveys.questionnaire.report_sentence_texts import SentenceTexts
from surveys.tabs_and_warnings import TabLink

if TYPE_CHECKING:
    from accounts.models import Person
    from surveys.models import Survey


TAB_OF = {
    "rule": "rules",
    "judging": "rules",
    "withdraw": "publish",
    **dict.fromkeys(("study", "numbers", "places", "groups"), "shares"),
}
"""Tab that is highlighted on a page without a tab of its own."""
PageOf = Callable[[Review], "ReportPage | None"]
"""Returns a report as somebody may read it; None if they may not."""
FRAGMENTS = {"rules": "reports/rules-list.html", "judging": "reports/judging-list.html"}
"""Template of the part of a page that htmx and scripts request alone."""
CHECKED = frozenset({"shares", "itemsets", "rules", "publish", "exports"})
"""Pages that say whether the rows are as they were checked."""


@dataclass(frozen=True)
class ReportPage:
    """A report as one reader may see it; `whole`: the whole run instead of the published content.

    `page_of_earlier` returns what the same reader may see of a report of the survey that this one follows.
    """

    review: Review
    whole: bool
    is_undecided_rehearsal: bool = False
    """True if somebody who works on a rehearsal reads its whole run, before any reviewer has decided."""
    page_of_earlier: PageOf = field(default=lambda _review: None, compare=False)

    @property
    def survey(self) -> "Survey":
        return self.review.survey

    @property
    def is_desk(self) -> bool:
        """True if the page is one of a reviewer, in the administration."""
        return self.whole and not self.is_undecided_rehearsal

    @property
    def may_decide_rules(self) -> bool:
        """True if the page is that of a reviewer who can still decide on rules."""
        return self.is_desk and self.review.is_open

    @cached_property
    def design(self) -> Design:
        """The design (frozen questionnaire) as it was asked; counted are the answers of `mined_design`, which is made
        from it."""
        return self.review.run.content

    @property
    def mined_design(self) -> Design:
        return self.design.mined

    @cached_property
    def labels(self) -> Labels:
        return Labels(self.mined_design, sentences=SentenceTexts.from_draft(self.survey.draft))

    @property
    def asks_numbers(self) -> bool:
        return any(question.form == NUMBER for question in self.design.questions)

    @property
    def asks_places(self) -> bool:
        return any(isinstance(question, PlaceQuestion) for question in self.design.questions)

    @property
    def is_study(self) -> bool:
        """True if the survey has a plan, arms, control items or a check of understanding."""
        return any(map(self.has_study_part, (ARMS, CONTROLS, PLAN, UNDERSTANDING)))

    def has_study_part(self, part: str) -> bool:
        """Returns True if the survey has this part: plan, arms, control items or check of understanding.

        Readers do not load the run's findings, which may be long.
        """
        return part in self.review.run.findings if self.whole else bool(getattr(self.content.study, part))

    @property
    def has_study_page(self) -> bool:
        """True if the survey has a plan, arms, control items or a check of understanding, or repeats another survey."""
        return self.is_study or bool(self.design.follows)

    @property
    def has_plan(self) -> bool:
        return self.has_study_part(PLAN)

    @cached_property
    def has_models(self) -> bool:
        return regression_decisions.readable_models(self.review, whole=self.whole).exists()

    @cached_property
    def title(self) -> str:
        return self.survey.title_with_fallback(get_language())

    @cached_property
    def earlier(self) -> "ReportPage | None":
        """A report of the survey that this one follows; None if it follows none, or this reader may read none."""
        return newest_report(self.design.follows, self.page_of_earlier) if self.design.follows else None

    @cached_property
    def content(self) -> Report:
        content, before = self.content_without_changes, self.earlier
        if before is None:
            return content
        return add_changes(content, self.labels, before.content_without_changes, before.labels)

    @cached_property
    def content_without_changes(self) -> Report:
        """The content as it is stored, without what only its comparison with an earlier report tells."""
        if self.whole:
            return build_content.content_without_itemsets_and_rules(
                self.review.run, self.labels, self._truth, self.about
            )
        if self.is_undecided_rehearsal:
            return build_content.content_to_publish(self.review.run, self.labels, self._truth, (), (), ())
        return read_published_content.published_report_without_rules(self.review)

    @cached_property
    def published_content_with_rules(self) -> Report:
        """The published content with its rules, sorted."""
        content = self.content
        if self.is_undecided_rehearsal:
            return content
        rules = read_published_content.published_rule_nodes(self.review)
        rules = number_and_sort_rules(rules, content.about.statements)
        return replace(content, rules=rules, itemsets=sort_itemsets(content.itemsets))

    @cached_property
    def about(self) -> About:
        return (
            build_content.build_report_head(self.review.run)
            if self.whole
            else self.content_without_changes.about
        )

    @property
    def search_size_text(self) -> str:
        """How many rules were tested."""
        return search_size_text(self.about)

    @cached_property
    def check_status(self) -> CheckStatus:
        """What is known of the checks of the run now, and whether the publication is as it was told."""
        if self.whole or self.is_undecided_rehearsal:
            return CheckStatus(self.review.run)
        return CheckStatus(self.review.run, partial(read_published_content.is_changed, self.review))

    @cached_property
    def check_sentence(self) -> str:
        """The sentence on the checks of the run, without numbers that this reader may not know."""
        return self.check_status.sentence(self._checked_counts())

    @property
    def is_disputed(self) -> bool:
        """True if a check found another result."""
        return self.check_status.is_disputed

    @cached_property
    def itemsets_with_rarer_parts(self) -> frozenset[tuple[str, ...]]:
        """The itemsets with a part below the threshold, as `Estimate` names their items."""
        rows = self.check_status.rows
        if not rows or not rows.below:
            return frozenset()
        below = set(rows.below)
        stored = self.review.run.itemsets.values_list("place", "items")
        return frozenset(
            tuple(map(self.labels.name_of_number, item_numbers(items)))
            for place, items in stored
            if place in below
        )

    def _checked_counts(self) -> Counts | None:
        rows = self.check_status.rows
        if self.whole:
            return Counts(rows.itemsets, rows.rules, rows.above_one, len(rows.below)) if rows else None
        if self.check_status.state != CheckState.CHECKED:
            # How large a sample may be, and how long a check takes, depends on how many itemsets were candidates.
            return None
        content, has_scores = self.published_content_with_rules, self.labels.has_scores
        rules = [rule for rule in content.rules if not has_scores((*rule.antecedent, *rule.consequent))]
        said = [of or 0.0 for rule in rules for of in (rule.confidence, rule.converse)]
        listed = sum(not has_scores(row.items) for row in content.itemsets)
        return Counts(listed, len(rules), sum(of > 1 for of in said), 0)

    @property
    def checked_digest(self) -> str:
        """Digest of the published rows as they were compared; empty unless they were, or if they have changed since."""
        if self.check_status.state in (CheckState.NOT_CHECKED, CheckState.CHANGED, CheckState.DIFFERS):
            return ""
        return compared_rows_digest(report_to_json(self.published_content_with_rules))

    @property
    def knows_forged_bounds(self) -> bool:
        """True if what forged records could do to the share of a sensitive answer is known."""
        shares = self.content.shares
        return any(one.forged_low is not None and self.labels.is_sensitive(one.items) for one in shares)

    @cached_property
    def publication(self) -> Publication | None:
        return (
            Publication.objects.filter(run=self.review.run_id)
            .select_related("by")
            .defer("content", "rules")
            .first()
        )

    def require_publication(self) -> Publication:
        """Returns the publication of a published report; raises DoesNotExist if it was deleted with its survey
        meanwhile."""
        if self.publication is None:
            raise Publication.DoesNotExist("the publication of a report")
        return self.publication

    @cached_property
    def bases_of_decisions(self) -> frozenset[Basis]:
        """The rights by which people decided on the report."""
        return bases_of_decisions(self.review.run)

    @property
    def rules(self) -> QuerySet[RuleRow]:
        """All rules for a reviewer, the published ones for readers."""
        run = self.review.run
        if self.whole:
            return rule_decisions.rules_with_verdicts(run).select_related("itemset")
        return read_published_content.published_rules(self.review).select_related("itemset")

    @property
    def itemsets(self) -> QuerySet[ItemsetRow]:
        """All itemsets for a reviewer, those of the published rules for readers."""
        return (
            self.review.run.itemsets.all()
            if self.whole
            else read_published_content.published_itemsets(self.review)
        )

    def read_itemsets(self, rows: Iterable[ItemsetRow]) -> list[Estimate]:
        return build_content.build_itemsets(rows, self.review.run, self.labels, self._truth)

    def read_rules(self, rows: Iterable[RuleRow]) -> list[Rule]:
        rules = build_content.build_rules(rows, self.review.run, self.labels, self._truth)
        return rules if self.whole else [rule.renumber(self._published_numbers) for rule in rules]

    @cached_property
    def _published_numbers(self) -> dict[int, int]:
        """Number of each published rule in the published list, by its number in the run; both count from 1."""
        places = self.rules.order_by("place").values_list("place", flat=True)
        return {place + 1: number for number, place in enumerate(places, 1)}

    @property
    def known_truth(self) -> RehearsalTruth | None:
        """The true answers of a rehearsal's simulated respondents; None in a real survey."""
        return self._truth.known

    @cached_property
    def _truth(self) -> KnownShares:
        return build_content.true_shares(self.review.run, self.labels)

    @cached_property
    def rule_count(self) -> int:
        return self.rules.count()

    def url(self, page: str, *args: object) -> str:
        """Returns the address of a page of this report: a reviewer's page in the administration, or a reader's page."""
        name = f"admin:reports_review_{page}" if self.is_desk else f"reports:{page}"
        return reverse(name, args=[self.review.pk, *args])

    def tabs(self, current_page: str) -> list[TabLink]:
        labels = {
            "shares": _("Report"),
            "itemsets": _("Combinations (itemsets)"),
            "rules": _("Rules"),
            **({"models": _("Models")} if self.has_models else {}),
        }
        if not self.is_desk:
            labels["exports"] = _("Files")
        else:
            labels["publish"] = _("Publish") if self.review.is_open else _("Publication")
        return [TabLink(label, self.url(page), page == current_page) for page, label in labels.items()]


def report_page(person: "Person", pk: int, *, whole: bool) -> ReportPage:
    """Returns the report for this person; `whole` asks for it as a reviewer.

    Raises 404 if they may not know of the report, 403 if they may not read it.
    """
    review = get_permitted(Review.objects.with_surveys(), person, pk, "review" if whole else "see")
    report = desk_page(review, person) if whole else readable_page(review, person)
    if report is None:
        raise PermissionDenied
    return report


def desk_page(review: Review, person: "Person") -> ReportPage:
    """Returns the report as its reviewer reads it."""
    return ReportPage(review, whole=True, page_of_earlier=partial(page_of_person, person=person))


def readable_page(review: Review, person: "Person") -> ReportPage | None:
    """Returns the report as this person reads it without being its reviewer; None if they may not read it."""
    page = ReportPage(review, whole=False, page_of_earlier=partial(page_of_person, person=person))
    if review.may(person, "read-undecided"):
        return replace(page, whole=True, is_undecided_rehearsal=True)
    return page if review.may(person, "read") else None


def page_of_person(review: Review, person: "Person") -> ReportPage | None:
    """Returns the report as this person reads it, also as its reviewer; None if they may not read it."""
    return readable_page(review, person) or (
        desk_page(review, person) if review.may(person, "review") else None
    )


def published_page(person: "Person", pk: int, *, undecided: bool = False) -> ReportPage:
    """Returns the report with its published content alone, also for its reviewers: for files and everything else that
    leaves Candor.

    `undecided`: also that of a rehearsal on which nobody has decided, for people who work on it, as others would get it
    if no rule were accepted.
    """

    def published(review: Review) -> ReportPage | None:
        return ReportPage(review, whole=False) if review.may(person, "read") else None

    review = get_permitted(Review.objects.with_surveys(), person, pk, "see")
    is_rehearsal = undecided and review.may(person, "read-undecided")
    if not is_rehearsal and not review.may(person, "read"):
        raise PermissionDenied
    return ReportPage(review, whole=False, is_undecided_rehearsal=is_rehearsal, page_of_earlier=published)


def page_to_share(person: "Person", pk: int) -> ReportPage:
    """Returns the published report for its owner, who decides that the world may read it.

    Of an earlier survey it tells what the world reads already, or what the same person may decide on.
    """

    def shared(review: Review) -> ReportPage | None:
        return ReportPage(review, whole=False) if review.may(person, "share") else public_page(review)

    review = get_permitted(Review.objects.with_surveys(), person, pk, "share")
    return ReportPage(review, whole=False, page_of_earlier=shared)


def public_page(review: Review) -> ReportPage | None:
    """Returns the published report as everybody reads it, also people without an account; None if it has no public
    page."""
    return ReportPage(review, whole=False, page_of_earlier=public_page) if review.public_token else None


def newest_report(fingerprint: str, page_of: PageOf) -> ReportPage | None:
    """Returns the newest report of a survey with this design of which there is such a page: one that is published, else
    one that only reviewers, or the people of a rehearsal, read."""
    reviews = Review.objects.with_surveys().filter(run__survey__design=fingerprint)
    standing = sorted(
        reviews.exclude(state=Review.State.WITHDRAWN), key=lambda each: (each.is_open, -each.pk)
    )
    return next((page for review in standing if (page := page_of(review))), None)


def question_page_context(
    request: PersonRequest, parts: Sequence[Any], questions: Sequence[str]
) -> dict[str, Any]:
    """Returns the template context of a page that shows the part of one question, with links to the other questions."""
    return {"questions": questions, "page_obj": Paginator(parts, 1).get_page(request.GET.get("question"))}


def render_report_page(
    request: PersonRequest, report: ReportPage, name: str, context: dict[str, Any]
) -> HttpResponse:
    """Renders a page of the report; htmx requests get only the part that is unfolded."""
    template, frame = f"reports/{name}.html", "reports/frame.html"
    if "HX-Request" in request.headers:
        template, frame = FRAGMENTS.get(name, template), "reports/part-alone.html"
    shown = {
        "report": report,
        "tabs": report.tabs(TAB_OF.get(name, name)),
        "frame": frame,
        "says_check": name in CHECKED,
        "may_check": report.review.run.may(request.user, "check"),
    }
    return render(request, template, {**shown, **context})


def bases_of_decisions(run: Run) -> frozenset[Basis]:
    """Returns the rights (bases) by which people decided on rules or models, published, or approved the design.

    Each decision stores the right it was taken by, so later settings do not change it. Decisions that were undone count
    too.
    """
    rows: list[QuerySet[Any]] = [
        Decision.objects.filter(rule__run=run),
        ModelDecision.objects.filter(model__run=run, model__job__told=True),
        ModelPublication.objects.filter(model__run=run),
        Publication.objects.filter(run=run),
        Approval.objects.filter(survey=run.survey_id, fingerprint=run.design),
    ]
    first, *others = (
        kind.exclude(basis=None).order_by().values_list("basis", flat=True).distinct() for kind in rows
    )
    return frozenset(map(Basis, first.union(*others)))
