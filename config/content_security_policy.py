"""Middleware for the Content-Security-Policy, which allows only what Candor's pages need."""

from collections.abc import Callable
from wsgiref.headers import Headers

from django.http import HttpRequest, HttpResponse

from intake.pages import frame_policy
from ui.cookie_and_log_paths import RESPONDENTS

EVERY_PAGE = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
RESPONDENTS_PAGE = frame_policy.policy_for_sites(frame_policy.PAGE)


class ContentSecurityPolicy:
    """Middleware: adds the Content-Security-Policy to every response that does not have one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        theirs = f"{request.path_info}/".startswith(RESPONDENTS)
        response.headers.setdefault("Content-Security-Policy", RESPONDENTS_PAGE if theirs else EVERY_PAGE)
        response.headers.setdefault(
            "Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()"
        )
        return response


class StaticFileHeadersMiddleware:
    """Middleware: serves static files with a hash in their name without unused headers.

    These headers are a fifth of the bytes of a small script.

    Such a file never changes, so it needs no header for revalidation; the page that loads it sets the policies for
    referrers and openers. `public` matters only to requests with Authorization, which only the API gets.
    """

    UNUSED = ("ETag", "Last-Modified", "Referrer-Policy", "Cross-Origin-Opener-Policy")

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if "immutable" in response.headers.get("Cache-Control", ""):
            for name in self.UNUSED:
                response.headers.pop(name, None)
            response.headers["Cache-Control"] = response.headers["Cache-Control"].replace("public, ", "")
        return response


def set_static_file_policy(headers: Headers, path: str, url: str) -> None:
    """Sets a policy that forbids a static file everything if it is opened as a page."""
    headers["Content-Security-Policy"] = "default-src 'none'"
