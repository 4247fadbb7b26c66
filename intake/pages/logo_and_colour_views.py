"""Serves the logo and the colour of a survey, each under an address that changes with its content.

Browsers may cache both, so the address names no survey: a browser's cache does not tell which survey was
visited, only whose logo and colour it has. A draft's logo has no address; a preview contains it in the page.
"""

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from privacy.designs import Design
from privacy.designs.parsing import COLOUR
from surveys.models import LOGO_TYPE, Logo
from ui import survey_accent_colour

YEAR = 365 * 24 * 60 * 60


@require_safe
def logo(request: HttpRequest, sha256: str) -> HttpResponse:
    row = Logo.objects.filter(pk=sha256, is_public=True).first()
    picture = row.picture if row else b""
    if not picture:
        raise Http404
    return cacheable_response(picture, LOGO_TYPE)


@require_safe
def style_sheet(request: HttpRequest, name: str) -> HttpResponse:
    colour = f"#{name[:6]}"
    if not COLOUR.fullmatch(colour) or survey_accent_colour.style_sheet_name(colour) != name:
        raise Http404
    return cacheable_response(survey_accent_colour.style_sheet(colour).encode(), "text/css; charset=utf-8")


def cacheable_response(content: bytes, content_type: str) -> HttpResponse:
    """Builds a response that browsers may cache; opened as a page, its content may run and load nothing."""
    response = HttpResponse(content, content_type=content_type)
    response["Cache-Control"] = f"public, max-age={YEAR}, immutable"
    response["Content-Security-Policy"] = "default-src 'none'"
    return response


def logo_address(design: Design, *, is_preview: bool) -> str:
    """Returns the address of the survey's logo; a data URL in a preview; empty without a logo."""
    if not design.logo:
        return ""
    return Logo.data_url(design.logo) if is_preview else reverse("intake:logo", args=[design.logo])


def style_sheet_address(design: Design) -> str:
    return (
        reverse("intake:style-sheet", args=[survey_accent_colour.style_sheet_name(design.accent)])
        if design.accent
        else ""
    )
