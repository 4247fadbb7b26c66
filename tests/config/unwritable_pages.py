"""The addresses of the product, and pages that meet a disk of files without room, or that can only be read."""

import errno

from django.http import HttpRequest, HttpResponse
from django.urls import path

from config.urls import handler400, handler403, handler404, handler500, urlpatterns as ours


def is_full(request: HttpRequest) -> HttpResponse:
    raise OSError(errno.ENOSPC, "No space left on device")


def can_only_be_read(request: HttpRequest) -> HttpResponse:
    raise OSError(errno.EROFS, "Read-only file system")


urlpatterns = [
    path("a/full", is_full),
    path("a/read-only", can_only_be_read),
    path("app/surveys/full", is_full),
    *ours,
]
__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]
