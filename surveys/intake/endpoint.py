"""The one address that a record is posted to."""

import logging
import re
import time
from collections.abc import Callable

from django.db import connection
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from surveys.intake import due
from surveys.intake.accept import Door, Outcome, addressed, receive
from surveys.intake.limits import Limits

logger = logging.getLogger(__name__)
LIMITS = Limits()
MEMORY = 0.1
"""Seconds: when many come at once, they do not all ask how their survey stands."""

_doors: dict[str, tuple[float, Door]] = {}
ADDRESS = re.compile(r"/a/([-\w]+)/record", re.ASCII)
LONGEST_WORD = max(len(outcome.word) for outcome in Outcome)


class Shortcut:
    """Middleware: a record meets no session, account, message or language, which have no business with it.

    Whatever might look at a cookie, or set one, stands behind this; and a record costs a third less.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        address = ADDRESS.fullmatch(request.path_info)
        return record(request, address[1]) if address else self.get_response(request)


@csrf_exempt
@require_POST
def record(request: HttpRequest, slug: str) -> HttpResponse:
    """What `accept` says of the body; a flood is refused before anything is looked up."""
    if not LIMITS.admits():
        return _said(Outcome.TOO_OFTEN)
    door = _door(slug)
    if door is None:
        return _said(Outcome.NO_SURVEY)
    outcome = _outcome(request, door)
    if outcome is Outcome.STORED:
        _afterwards(door)
    return _said(outcome)


def _door(slug: str) -> Door | None:
    """As `addressed`, but perhaps a tenth of a second old, as it would be in a slower request."""
    looked, door = _doors.get(slug, (0.0, None))
    if door is None or time.monotonic() - looked > MEMORY or connection.in_atomic_block:
        looked, door = time.monotonic(), addressed(slug)
        if door is not None:
            _doors[slug] = looked, door
    return door


def _outcome(request: HttpRequest, door: Door) -> Outcome:
    if _length(request) > door.longest:
        return Outcome.TOO_LONG
    # There is no cookie that a foreign page could abuse. It cannot send this type without asking first, and
    # asking is never answered; browsers that name the sender's site (plain HTTP and old ones do not) are believed.
    if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        return Outcome.FOREIGN
    if request.content_type != "application/json":
        return Outcome.MALFORMED
    try:
        body = request.body
    except UnreadablePostError:
        return Outcome.MALFORMED
    return receive(door, body, timezone.now(), LIMITS)


def _length(request: HttpRequest) -> int:
    declared = request.META.get("CONTENT_LENGTH") or "0"
    return int(declared) if declared.isascii() and declared.isdigit() and len(declared) < 10 else 10**9


def _afterwards(door: Door) -> None:
    """Seal or close if it is time; the record is stored already, and what fails here the tick does again."""
    try:
        due.settle(door)
    except Exception as error:
        logger.error("what was due after a record failed: %s", type(error).__name__)


def _said(outcome: Outcome) -> HttpResponse:
    """All answers have one length; a line on the network does not tell them apart."""
    word = f'"{outcome.word}"'
    content = f'{{"outcome":{word:{LONGEST_WORD + 2}}}}'
    headers = {
        "Content-Type": "application/json",
        "Content-Length": str(len(content)),
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
    }
    response = HttpResponse(content, status=outcome.status, headers=headers)
    if outcome is Outcome.TOO_OFTEN:
        response["Retry-After"] = str(LIMITS.seconds_left())
    return response
