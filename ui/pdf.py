"""Renders a page as PDF by WeasyPrint, if Debian's Pango is installed (docs/operations.md)."""

import ctypes
import logging
import re
from base64 import b64decode
from collections.abc import Callable
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.exceptions import SuspiciousFileOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.http import content_disposition_header
from django.utils.text import slugify

if TYPE_CHECKING:
    from weasyprint.urls import URLFetcher, URLFetcherResponse

A4 = "A4"
PAPERS = (A4, "letter")
LIBRARIES = {
    "libgobject-2.0.so.0": "libpangoft2-1.0-0",
    "libpango-1.0.so.0": "libpangoft2-1.0-0",
    "libharfbuzz.so.0": "libpangoft2-1.0-0",
    "libharfbuzz-subset.so.0": "libharfbuzz-subset0",
    "libfontconfig.so.1": "libpangoft2-1.0-0",
    "libpangoft2-1.0.so.0": "libpangoft2-1.0-0",
}
"""System libraries that WeasyPrint loads when it is imported, and the package of Debian that brings each."""
BASE = "https://static.invalid"
"""Base address of a page's relative addresses here; nobody owns the name (RFC 2606)."""
SHAPES = "ui/paper-intervals.css"
"""Stylesheet put into each picture, since WeasyPrint does not apply the page's styles to it."""
PICTURE = re.compile(r'<svg class="iv"[^>]*>')
LOGO = "data:image/webp;base64,"
"""Start of the address of a picture that is embedded in the page: a survey's logo."""
KINDS = {"css": "text/css", "svg": "image/svg+xml"}
CACHED = 16

_one_at_a_time = Lock()
# It warns of each property that only browsers know. What it could not fetch is an error.
logging.getLogger("weasyprint").setLevel(logging.ERROR)
logging.getLogger("weasyprint.progress").setLevel(logging.ERROR)


class NotFetched(ValueError):
    """Raised for an address in a page that is not one of our static files."""


def missing_packages() -> list[str]:
    """Returns the packages of Debian without which no PDF can be made, sorted.

    Called when a page offers a PDF, since loading the libraries takes 12 ms the first time. Nothing is cached, so that
    no process refuses what another offers after a package was installed.
    """
    return sorted({package for library, package in LIBRARIES.items() if not _can_be_loaded(library)})


def _can_be_loaded(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def is_pdf_available() -> bool:
    return not missing_packages()


@lru_cache(maxsize=CACHED)
def render_pdf(html: str, paper: str) -> bytes:
    """Returns the page as PDF; cached, since the same page gives the same bytes."""
    from weasyprint import CSS, HTML  # late for cost

    fetcher = make_static_file_fetcher()
    style = read_static_file(SHAPES).decode()
    drawn = PICTURE.sub(lambda match: f"{match[0]}<style>{style}</style>", html)
    with _one_at_a_time:
        page = HTML(string=drawn, base_url=BASE, url_fetcher=fetcher)
        size = CSS(string=f"@page {{ size: {paper} }}", url_fetcher=fetcher)
        return bytes(page.write_pdf(stylesheets=[size]))


def download_pdf(
    request: HttpRequest, html: Callable[[], str], title: str, file_name_ending: str
) -> HttpResponse:
    """Returns the page as a PDF file, on the `paper` of the request's address; raises Http404 if PDFs cannot be made or
    the paper is unknown.

    The file is called after `title`, and its name ends with `file_name_ending`.
    """
    paper = request.GET.get("paper", A4)
    if paper not in PAPERS or not is_pdf_available():
        raise Http404
    response = HttpResponse(render_pdf(html(), paper), content_type="application/pdf")
    name = f"{slugify(title, allow_unicode=True)[:60] or 'survey'}-{file_name_ending}.pdf"
    response["Content-Disposition"] = content_disposition_header(True, name) or ""
    return response


def make_static_file_fetcher() -> "URLFetcher":
    """Returns WeasyPrint's fetcher of files: it reads our static files from the disk and logos from the page, and
    refuses every other address."""
    from weasyprint.urls import URLFetcher, URLFetcherResponse  # late for cost

    class StaticFilesOnly(URLFetcher):  # type: ignore[misc]  # WeasyPrint has no types
        def fetch(self, url: str, headers: object = None) -> "URLFetcherResponse":
            if url.startswith(LOGO):
                return URLFetcherResponse(
                    url, b64decode(url.removeprefix(LOGO)), {"Content-Type": "image/webp"}
                )
            if not url.startswith(f"{BASE}{settings.STATIC_URL}"):
                raise NotFetched(url)
            name = unquote(urlsplit(url).path.removeprefix(settings.STATIC_URL))
            kind = KINDS.get(name.rpartition(".")[2])
            if kind is None:
                raise NotFetched(url)
            return URLFetcherResponse(url, read_static_file(name), {"Content-Type": kind})

    return StaticFilesOnly()


def read_static_file(name: str) -> bytes:
    """Reads a static file from the collected files, or from the source folder."""
    try:
        if staticfiles_storage.exists(name):
            with staticfiles_storage.open(name) as file:
                return bytes(file.read())
        source = finders.find(name)
    except SuspiciousFileOperation:
        raise NotFetched(name) from None
    if not isinstance(source, str):
        raise NotFetched(name)
    with open(source, "rb") as file:  # noqa: PTH123 - a path from Django's finders
        return file.read()
