"""Context of the page frame; the session is read only if a template needs it."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import get_language, get_language_info, gettext_lazy as _

from ui import cookie_and_log_paths

THEMES: dict[str, str | Promise] = {
    "system": _("Same as device"),
    "light": _("Light"),
    "dark": _("Dark"),
}


def languages() -> list[tuple[str, str]]:
    """Returns the interface languages, each named in that language for people who cannot read this page."""
    return [(code, get_language_info(code)["name_local"]) for code, _name in settings.LANGUAGES]


def page_frame(request: HttpRequest) -> dict[str, object]:
    theme = getattr(request, "theme", "system")
    return {
        "theme": theme if theme in THEMES else "system",
        # Without cookies no form works and nobody is signed in.
        "carries_cookies": cookie_and_log_paths.carries_cookies(request.path),
    }


def home_address(request: Any) -> str:
    """Returns the target of the logo's link: the person's own home page, or the visitors' home page in their
    language."""
    if cookie_and_log_paths.carries_cookies(request.path) and request.user.is_authenticated:
        return reverse("ui:signed-in-home")
    chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME) or request.GET.get("language")
    language = get_language()
    return reverse("ui:home") + (f"?language={language}" if chosen == language else "")
