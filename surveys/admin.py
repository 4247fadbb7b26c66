"""Read-only admin pages of surveys and designs."""

from typing import Any

from django.contrib import admin
from django.db import models
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _, gettext_lazy

from jobs.admin import ReadOnly
from surveys.models import Design, DesignChanged, Survey


@admin.register(Survey)
class SurveyAdmin(ReadOnly):
    list_display = ("__str__", "owner", "state", "is_rehearsal", "page_link", "review_link")
    list_filter = ("state",)
    list_select_related = ("owner",)
    search_fields = ("owner__username", "owner__name", "design__fingerprint")
    end_and_design = ("opens", "closes", "closed_at", "cap", "destroy_on", "design")
    fields = ("__str__", "owner", "people_working_on_it", "state", "is_rehearsal", *end_and_design)
    readonly_fields = ("__str__", "is_rehearsal", "people_working_on_it")

    @admin.display(description=gettext_lazy("rehearsal"), boolean=True)
    def is_rehearsal(self, survey: Survey) -> bool:
        return survey.is_rehearsal

    @admin.display(description=gettext_lazy("collaborators"))
    def people_working_on_it(self, survey: Survey) -> str:
        rows = survey.collaborators.select_related("person")
        return ", ".join(str(collaborator.person) for collaborator in rows)

    @admin.display(description=gettext_lazy("its page"))
    def page_link(self, survey: Survey) -> str:
        return format_html('<a href="{}">{}</a>', survey.get_absolute_url(), _("Look at it"))

    def get_queryset(self, request: Any) -> QuerySet[Any]:
        mine = Survey.objects.reviewable_by(request.user).filter(pk=OuterRef("pk"))
        return Survey.objects.visible_to(request.user).annotate(is_mine_to_review=Exists(mine))

    @admin.display(description=gettext_lazy("review"))
    def review_link(self, survey: Any) -> str:
        """Returns a link to the approval page if the signed-in person may review the survey; else an empty text."""
        if survey.is_rehearsal or not survey.is_mine_to_review:
            return ""
        address = reverse("surveys:review", args=[survey.pk])
        return format_html('<a href="{}">{}</a>', address, _("Allow or refuse"))


@admin.register(Design)
class DesignAdmin(ReadOnly):
    list_display = ("fingerprint",)
    search_fields = ("fingerprint",)
    fields = ("fingerprint", "design_json")
    readonly_fields = ("design_json",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[models.Model]:
        # One design that was tampered with must not hide the others.
        return super().get_queryset(request).defer("json")

    @admin.display(description=gettext_lazy("what it asks"))
    def design_json(self, design: Design) -> str:
        try:
            return format_html("<code>{}</code>", design.json)
        except DesignChanged as changed:
            return str(changed)
