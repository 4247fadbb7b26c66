"""Compresses the respondents' pages, which contain no secret and nothing of the request."""

from collections.abc import Callable
from functools import lru_cache, wraps

import brotli
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.views.decorators.gzip import gzip_page

View = Callable[..., HttpResponse]
CACHED_PAGES = 64


def compress_response(view: View) -> View:
    """Decorator: compresses a page by brotli if the browser accepts it, which is a tenth smaller than gzip."""
    by_gzip = gzip_page(view)

    @wraps(view)
    def wrapped(request: HttpRequest, *words: str, **named: str) -> HttpResponse:
        if not accepts_brotli(request.headers.get("Accept-Encoding", "")):
            return by_gzip(request, *words, **named)
        response = view(request, *words, **named)
        if response.content:
            response.content = compress_with_brotli(response.content)
            response["Content-Encoding"] = "br"
            response["Content-Length"] = str(len(response.content))
        patch_vary_headers(response, ["Accept-Encoding"])
        return response

    return wrapped


def accepts_brotli(accepted: str) -> bool:
    """Returns True if an Accept-Encoding header names brotli with a quality above 0, or without one."""
    for coding in accepted.lower().split(","):
        name, _, quality = coding.replace(" ", "").partition(";q=")
        if name == "br":
            return not quality or bool(quality.strip("0."))
    return False


@lru_cache(maxsize=CACHED_PAGES)
def compress_with_brotli(content: bytes) -> bytes:
    """Compresses a page and caches the result. It takes 70 ms for 50 kB, and a survey's page is the same for everybody
    in one language."""
    return bytes(brotli.compress(content))  # type: ignore[no-untyped-call]
