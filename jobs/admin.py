"""Read-only pages of background work; only jobs change themselves."""

from typing import TYPE_CHECKING

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from jobs.models import Lease, Trial, Worker

if TYPE_CHECKING:
    Base = admin.ModelAdmin[models.Model]
else:
    Base = admin.ModelAdmin


class ReadOnly(Base):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


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
