"""What views of signed-in people share: their HTTP methods, the error page if a stored design was tampered with, limits
of uploads, and refusals as messages.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from accounts.permission import PersonRequest, signed_in
from surveys.models import DesignChanged
from surveys.questionnaire.problems_and_refusals import NotAllowed
from ui.errors import ErrorText, problem_page
from ui.nul_character import has_nul

P = ParamSpec("P")
View = Callable[Concatenate[PersonRequest, P], HttpResponseBase]
FileView = Callable[Concatenate[PersonRequest, P], HttpResponse]
Served = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
log = logging.getLogger(__name__)

ROOM = 10_000
"""Number of bytes allowed in an upload request beyond the file itself."""


def signed_in_view(*methods: str) -> Callable[[View[P]], Served[P]]:
    """Returns a decorator that admits signed-in people and these HTTP methods only, and shows an error page
    if a stored design was tampered with."""

    def decorate(view: View[P]) -> Served[P]:
        @wraps(view)
        def guarded_view(request: PersonRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            try:
                return view(request, *args, **kwargs)
            except DesignChanged as changed:
                log.critical("%s", changed)
                return tampered_design_page(request, changed)

        return never_cache(require_http_methods(methods)(signed_in(guarded_view)))

    return decorate


reading = signed_in_view("GET", "HEAD")
form_page = signed_in_view("GET", "HEAD", "POST")
posting = signed_in_view("POST")


@contextmanager
def refusal_as_message(request: HttpRequest) -> Iterator[None]:
    """Context manager: a `NotAllowed` ends its block, and the next page shows the reason."""
    try:
        yield
    except NotAllowed as reason:
        messages.error(request, str(reason))


def tampered_design_text(changed: DesignChanged) -> ErrorText:
    advice = _(
        "It no longer matches its fingerprint %(fingerprint)s, so it was changed in the"
        " database. Candor neither asks nor counts by it. Tell your administrator, who can"
        " restore it from a backup."
    )
    return ErrorText(
        _("The stored design is not the one that was opened"),
        advice % {"fingerprint": changed.fingerprint[:12]},
    )


def tampered_design_page(request: HttpRequest, changed: DesignChanged) -> HttpResponse:
    problem = tampered_design_text(changed)
    return problem_page(request, 500, problem.title, problem.advice)


def takes_upload(view: Served[P]) -> Served[P]:
    """Decorator of the function that a URL names: its form is read by a function with `upload_of_at_most` alone."""
    marked = csrf_exempt(view)
    marked.takes_upload = True  # type: ignore[attr-defined]
    return marked


def upload_of_at_most(
    most: int, title: str | Promise = "", advice: str | Promise = ""
) -> Callable[[FileView[P]], FileView[P]]:
    """Returns a decorator of views that take a file of at most `most` bytes: answers a longer request with status 413
    by its Content-Length alone, and checks the CSRF token of any other, and that no field has the character NUL,
    before it calls the view.

    The token stands in the body, and Django's middleware looks for it before any view, so the function that the URL
    names is decorated with `takes_upload`. `title` and `advice` replace the texts of the status.
    """

    def decorate(view: FileView[P]) -> FileView[P]:
        @csrf_protect
        @wraps(view)
        def token_checked_view(request: PersonRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if has_nul(request.POST):
                raise BadRequest
            return view(request, *args, **kwargs)

        @wraps(view)
        def length_checked_view(request: PersonRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if is_upload_too_long(request, most):
                return problem_page(request, 413, title, advice)
            return token_checked_view(request, *args, **kwargs)

        return length_checked_view

    return decorate


def is_upload_too_long(request: HttpRequest, most: int) -> bool:
    """True if the request's Content-Length is invalid, or too long for a form with a file of `most` bytes; the body is
    not read."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    return not (length.isdecimal() and len(length) < 10) or int(length) > most + ROOM
