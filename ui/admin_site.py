"""The Django admin site of Candor, behind the sign-in and password pages that everybody uses."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from django.contrib.admin import AdminSite
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _


class OperatorFact(NamedTuple):
    """A fact about the installation; not `ok` if the operator should do something."""

    label: str
    value: str
    ok: bool = True


_operator_facts: list[Callable[[], Iterable[OperatorFact]]] = []


def register_operator_facts(facts: Callable[[], Iterable[OperatorFact]]) -> None:
    _operator_facts.append(facts)


class CandorAdminSite(AdminSite):
    """Django's admin behind the sign-in page that everybody uses."""

    site_header = site_title = _("Candor administration")
    index_title = _("Tables")
    enable_nav_sidebar = False

    def get_urls(self) -> list[Any]:
        # Its shortcut to a row's own page would tell which rows there are.
        return [url for url in super().get_urls() if getattr(url, "name", "") != "view_on_site"]

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Shows superusers the facts about the installation above the tables."""
        facts = [fact for each in _operator_facts for fact in each()] if request.user.is_superuser else []
        return super().index(request, {**(extra_context or {}), "operator_facts": facts})

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
