"""Registers reports in Django's administration, which shows the pages of a single report by views of this
app.
"""

from sys import maxsize
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _, gettext_lazy

from jobs.admin import ReadOnly
from reports.models import Review
from reports.pages import (
    picture_views,
    place_views,
    publication_views,
    reader_views,
    rule_decision_views,
)
from reports.pages.regression_models import reading_and_decision_views
from reports.review import report_state_changes
from ui.number_format import format_count

if TYPE_CHECKING:
    from accounts.models import Person


@admin.register(Review)
class ReviewAdmin(ReadOnly):
    """Lists the reports that the signed-in person may review, in Django's administration."""

    list_display = ("report", "survey", "owner", "state", "records", "rules", "since")
    list_filter = ("state",)
    list_display_links = None
    ordering = ("-pk",)

    def has_module_permission(self, request: Any) -> bool:
        return bool(request.user.is_active and request.user.is_reviewer)

    def has_view_permission(self, request: Any, obj: Any = None) -> bool:
        return self.has_module_permission(request)

    def get_queryset(self, request: Any) -> QuerySet[Any]:
        report_state_changes.create_reviews_of_finished_runs(timezone.now())
        person: Person = request.user
        return Review.objects.to_review_by(person).with_permissions()

    @admin.display(description=gettext_lazy("report"))
    def report(self, review: Review) -> str:
        return format_html('<a href="{}">{}</a>', review.reviewer_url, review)

    @admin.display(description=gettext_lazy("survey"))
    def survey(self, review: Review) -> str:
        words = str(review.survey)
        return _("%(survey)s (rehearsal)") % {"survey": words} if review.survey.is_rehearsal else words

    @admin.display(description=gettext_lazy("owner"))
    def owner(self, review: Review) -> str:
        return str(review.survey.owner)

    @admin.display(description=gettext_lazy("records"))
    def records(self, review: Review) -> str:
        return format_count(review.run.records)

    @admin.display(description=gettext_lazy("rules"))
    def rules(self, review: Review) -> int:
        return review.run.rule_count or 0

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        if not object_id.isdecimal():
            raise Http404
        return redirect("admin:reports_review_shares", object_id)

    def get_urls(self) -> list[URLPattern]:
        def page(route: str, view: Any, name: str, **view_arguments: bool) -> URLPattern:
            for_staff = self.admin_site.admin_view(view)

            def reviewer_view(request: Any, pk: int, **rest: Any) -> Any:
                """Serves the view to people who may review this report; sends all others through the admin's check for
                staff."""
                # A number that no database holds is that of no report.
                if pk > maxsize:
                    raise Http404
                person = request.user
                reviews_it = person.is_authenticated and Review.objects.to_review_by(person).filter(pk=pk)
                return (view if reviews_it and reviews_it.exists() else for_staff)(request, pk=pk, **rest)

            url: URLPattern = path(
                f"<int:pk>/{route}", reviewer_view, view_arguments, f"reports_review_{name}"
            )
            return url

        return [
            page("report", reader_views.shares, "shares", whole=True),
            page("study", reader_views.study, "study", whole=True),
            page("study/waves.csv", reader_views.waves_csv, "waves_csv", whole=True),
            page("numbers", reader_views.numbers, "numbers", whole=True),
            page("places", place_views.places, "places", whole=True),
            page("groups", reader_views.groups, "groups", whole=True),
            page("itemsets", reader_views.itemsets, "itemsets", whole=True),
            page("rules", rule_decision_views.rules_to_judge, "rules"),
            page("rules/decide", rule_decision_views.decide_many, "decide"),
            page("rules/<int:number>", reader_views.rule, "rule", whole=True),
            page("rules/<int:number>/decide", rule_decision_views.decide_one, "decide_one"),
            page("rules/<int:number>/judge", rule_decision_views.decide_in_list, "judge"),
            page("rules/<int:number>/undo", rule_decision_views.undo, "undo"),
            page("models", reading_and_decision_views.report_models, "models", whole=True),
            page("models/<int:number>/decide", reading_and_decision_views.decide_on_model, "decide_model"),
            page(
                "models/<int:number>/publish", reading_and_decision_views.publish_one_model, "publish_model"
            ),
            page("front-test", publication_views.start_first_finding_test, "front_test"),
            page("pictures", reader_views.pictures, "pictures", whole=True),
            page("pictures/<str:name>.svg", picture_views.picture_svg, "picture", whole=True),
            page("pictures/<str:name>.csv", picture_views.picture_csv, "picture_csv", whole=True),
            page("maps/<str:name>.svg", place_views.map_svg, "map_svg", whole=True),
            page("maps/<str:name>.csv", place_views.map_csv, "map_csv", whole=True),
            page("publish", publication_views.publish, "publish"),
            page("run-again", publication_views.run_again, "run_again"),
            page("withdraw", publication_views.withdraw, "withdraw"),
            *super().get_urls(),
        ]
