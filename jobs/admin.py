"""Read-only pages of background work; only jobs change themselves."""

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from accounts.admin import ListFiltersAdmin
from jobs.models import Lease, Trial, Worker


class ReadOnly(ListFiltersAdmin):
    def has_add_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission

    def view_on_site(self, row: models.Model) -> str | None:
        return getattr(row, "get_absolute_url", lambda: None)()


@admin.register(Worker)
class WorkerAdmin(ReadOnly):
    list_display = ("name", "heard", "warm", "slots")


@admin.register(Lease)
class LeaseAdmin(ReadOnly):
    list_display = ("name", "holder", "until")


@admin.register(Trial)
class TrialAdmin(ReadOnly):
    list_display = ("__str__", "person", "state", "attempts", "created", "started", "finished")
    list_filter = ("state",)
