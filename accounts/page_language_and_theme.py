"""Chooses language and theme of a page: from the account, else the visitor's cookie, else the browser, else
English."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from accounts.models import Theme
from ui import cookie_and_log_paths

COOKIES = {"language": settings.LANGUAGE_COOKIE_NAME, "theme": settings.THEME_COOKIE_NAME}
STANDARD = {"language": "", "theme": Theme.SYSTEM}
YEAR = 365 * 24 * 3600


def is_cookieless_page(request: HttpRequest) -> bool:
    """Returns True for respondents' pages and the home page, which get no cookies."""
    return not cookie_and_log_paths.carries_cookies(request.path_info)


def language_in_address(request: HttpRequest) -> str:
    """Returns the language in the home page's address, which replaces a cookie there; empty without one."""
    code = request.GET.get("language", "") if request.path_info == cookie_and_log_paths.HOME else ""
    return code if code in dict(settings.LANGUAGES) else ""


def language_for(request: HttpRequest) -> str:
    if not is_cookieless_page(request) and request.user.is_authenticated and request.user.language:
        return request.user.language
    return language_without_account(request)


def language_without_account(request: HttpRequest) -> str:
    if not is_cookieless_page(request):
        return translation.get_language_from_request(request)
    # A copy without cookies and session: the browser's wish decides, until the survey does.
    bare = HttpRequest()
    bare.META["HTTP_ACCEPT_LANGUAGE"] = request.META.get("HTTP_ACCEPT_LANGUAGE", "")
    return translation.get_language_from_request(bare)


def theme_for(request: HttpRequest) -> str:
    if is_cookieless_page(request):
        return Theme.SYSTEM
    if request.user.is_authenticated:
        return request.user.theme
    theme = request.COOKIES.get(COOKIES["theme"], "")
    return theme if theme in Theme.values else Theme.SYSTEM


class LanguageAndTheme:
    """Middleware: chooses language and theme of each request, and names the language in the response's headers."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        translation.activate(language_in_address(request) or language_for(request))
        request.LANGUAGE_CODE = translation.get_language()
        request.theme = theme_for(request)  # type: ignore[attr-defined]
        response = self.get_response(request)
        if not cookie_and_log_paths.FIELD.fullmatch(request.path_info):
            patch_vary_headers(
                response,
                ["Accept-Language"] if is_cookieless_page(request) else ["Accept-Language", "Cookie"],
            )
        response.headers.setdefault("Content-Language", translation.get_language())
        return response


def set_choice_cookies(response: HttpResponse, choices: dict[str, str]) -> None:
    """Stores a visitor's choices in cookies for a year; deletes the cookies of default choices."""
    for key, value in choices.items():
        if value == STANDARD[key]:
            response.delete_cookie(COOKIES[key], samesite="Lax")
        else:
            response.set_cookie(
                COOKIES[key],
                value,
                max_age=YEAR,
                secure=settings.LANGUAGE_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )


def delete_choice_cookies(response: HttpResponse) -> None:
    """Deletes a visitor's choice cookies after the sign-in, since the account's choices count from then on."""
    for cookie in COOKIES.values():
        response.delete_cookie(cookie, samesite="Lax")
