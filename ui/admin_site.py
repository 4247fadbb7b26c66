"""The Django admin site of Candor, behind the sign-in and password pages that everybody uses."""

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _


class CandorAdminSite(AdminSite):
    """Django's admin behind the sign-in page that everybody uses."""

    site_header = site_title = _("Candor administration")
    index_title = _("Tables")
    enable_nav_sidebar = False

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        goal = request.GET.get("next", "")
        if not request.user.is_authenticated:
            return redirect_to_login(goal or request.path)
        if not self.has_permission(request):
            raise PermissionDenied
        return redirect("admin:index")

    def password_change(  # type: ignore[override]
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        # Only our own page counts wrong guesses and writes the history.
        return redirect("accounts:password-change")
