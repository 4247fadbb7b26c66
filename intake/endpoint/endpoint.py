"""HTTP endpoints that accept records, exchange invitations, and serve the requests of field devices."""

import json
import logging
import re
import time
from collections.abc import Callable
from functools import wraps
from secrets import randbelow
from typing import ParamSpec

from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from intake.batches import automatic_sealing
from intake.endpoint import invitation_exchange
from intake.endpoint.accept_record import (
    ARRIVED,
    Outcome,
    PublicSurvey,
    count_device_records,
    count_open_link_records,
    count_received,
    find_public_survey,
    receive_record,
)
from intake.endpoint.last_store_failure import UNSTORED
from intake.endpoint.people_asked_to_wait import WAITS
from intake.endpoint.rate_limits import RecordRateLimit, RequestLimits
from intake.field_devices import device_requests as devices
from jobs.database import is_connection_lost, unwritable_text
from privacy.blind_signatures.tokens import BLINDED_LENGTH
from surveys.lifecycle.completion_code import LONGEST
from ui.cookie_and_log_paths import RESPONDENTS

logger = logging.getLogger(__name__)
LIMITS = RequestLimits()
RATE = RecordRateLimit(settings.RECORDS_PER_MINUTE, lambda survey: count_received(survey).received)
OPEN_LINK_RATE = RecordRateLimit(settings.RECORDS_PER_MINUTE, count_open_link_records)
"""Rate limit for open links of surveys with field devices; does not count records from the devices."""
FIELD_RATE = RecordRateLimit(6000, count_device_records)
"""Rate limit for records of field devices, a minute: ten devices that send 200 records each at once use a third."""
LATER, SPREAD = {Outcome.BUSY: 5, Outcome.PAUSED: 45, Outcome.UNSTORED: 10}, 30
"""For the Retry-After header: least seconds by outcome, and the upper bound of the random seconds added."""

AGAIN_HEADER = "HTTP_CANDOR_AGAIN"

CACHE_SECONDS = 0.1
"""Seconds for which a process caches the state of a survey."""

_surveys: dict[str, tuple[float, PublicSurvey]] = {}
DEVICE_REQUESTS = {
    "field/device": (devices.set_up_device, devices.LONGEST),
    "field/lot": (devices.sign_lot, devices.LONGEST_LOT),
    "field/report": (devices.store_device_report, devices.LONGEST),
}
"""Requests of field devices other than records: the function that answers, and the largest size in bytes."""
POSTED = re.compile(r"([-\w]+)/(record|exchange|field/(?:record|device|lot|report))", re.ASCII)
"""Pattern of the paths that are posted to, below the prefix RESPONDENTS: the slug and the name of the view."""
HEADERS = {"Content-Type": "application/json", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
LONGEST_WORD = max(len(outcome.word) for outcome in Outcome)
P = ParamSpec("P")
Reply = tuple[Outcome, str]
"""An outcome with its text: the survey's completion code, a signature, or JSON for a field device; empty if none."""
BodyReader = Callable[[PublicSurvey], bytes | Outcome]
"""Function that returns the bytes of a record's envelope from the request, or the outcome if the request is refused."""


def match_posted(path: str) -> re.Match[str] | None:
    return POSTED.fullmatch(path, len(RESPONDENTS)) if path.startswith(RESPONDENTS) else None


class RecordMiddleware:
    """Middleware: sends requests with records or invitations, and those of field devices, to the endpoint before any
    session, account or language is read.

    All middleware that reads or sets cookies comes after this one. A web server's requests reach it without most of the
    middleware before it, too (`config.posted_records`).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        address = match_posted(request.path_info)
        if address is None:
            return self.get_response(request)
        slug, name = address.groups()
        if name in DEVICE_REQUESTS:
            return device_request(request, slug, name)
        return VIEWS[name](request, slug)


@csrf_exempt
@require_POST
def post_record(request: HttpRequest, slug: str) -> HttpResponse:
    """View: accepts the record in the request's body."""
    has_waited = request.META.get(AGAIN_HEADER) == "1"
    reply = accept_request(
        slug,
        lambda public: read_request_body(request, "application/json", public.max_request_bytes),
        has_waited,
    )
    return _padded_response(*reply)


@csrf_exempt
@require_POST
def post_exchange(request: HttpRequest, slug: str) -> HttpResponse:
    """View: signs the blinded message in the request's body in exchange for the invitation sent with it."""
    reply = _sign_blinded_message(request, slug) if LIMITS.try_acquire() else (Outcome.TOO_OFTEN, "")
    return _padded_response(*reply, name="signature", longest=BLINDED_LENGTH)


@csrf_exempt
@require_POST
def post_field_record(request: HttpRequest, slug: str) -> HttpResponse:
    """View: accepts the sealed record in the request's body, sent by a field device."""
    reply = _unseal_and_receive_record(request, slug) if LIMITS.try_acquire() else (Outcome.TOO_OFTEN, "")
    return _padded_response(*reply)


@csrf_exempt
@require_POST
def device_request(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """View: answers a field device's request for set-up, token signatures or a report of its state."""
    is_admitted = LIMITS.try_acquire()
    outcome, members = _answer_device(request, slug, name) if is_admitted else (Outcome.TOO_OFTEN, "")
    body = {"outcome": outcome.word, **json.loads(members or devices.NOTHING)}
    response = HttpResponse(json.dumps(body), status=outcome.status, headers=HEADERS)
    if outcome in LATER:
        response["Retry-After"] = str(LATER[outcome] + randbelow(SPREAD))
    elif outcome is Outcome.TOO_OFTEN:
        response["Retry-After"] = str(devices.LOT_WAIT if is_admitted else LIMITS.seconds_left())
    return response


VIEWS = {"record": post_record, "exchange": post_exchange, "field/record": post_field_record}


def accept_request(slug: str, read_body: BodyReader, has_waited: bool = False) -> Reply:
    """Accepts or refuses a record for the survey with this address; refuses a flood before any query.

    `has_waited`: the device was asked to wait at an earlier try, and counted then.
    """
    if not LIMITS.try_acquire():
        return Outcome.TOO_OFTEN, ""
    reply = _parse_and_receive(slug, read_body)
    _count_wait_or_return(slug, reply[0], has_waited)
    return reply


def _answer_later_on_database_failure(work: Callable[P, Reply]) -> Callable[P, Reply]:
    """Decorator: answers "come again later" if the database fails.

    It replaces Django's health check of the connection, which would cost a round trip for each record. If the
    connection is lost, the work is done once more on a new one; a record that was stored before is recognised.
    """

    @wraps(work)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> Reply:
        is_old = connection.connection is not None
        connection.health_check_done = True  # type: ignore[attr-defined]
        try:
            try:
                return work(*args, **kwargs)
            except Error as failure:
                if not is_old or connection.vendor != "postgresql" or not is_connection_lost(failure):
                    raise
                connection.close()
                return work(*args, **kwargs)
        except Error as failure:
            # The disk is full or the database is away: the page still has what it sent and tries again.
            UNSTORED.record_failure()
            words = unwritable_text(failure) or type(failure).__name__
            logger.error("a record could not be stored: %s", words, extra={"ongoing": True})
            return Outcome.UNSTORED, ""

    return wrapped


@_answer_later_on_database_failure
def _parse_and_receive(slug: str, read: BodyReader) -> Reply:
    public = _cached_survey(slug)
    if public is None:
        return Outcome.NO_SURVEY, ""
    body = read(public)
    if isinstance(body, Outcome):
        return body, ""
    return _receive_and_seal_if_due(public, body, OPEN_LINK_RATE if public.design.has_field_devices else RATE)


def _receive_and_seal_if_due(public: PublicSurvey, body: bytes, rate: RecordRateLimit) -> Reply:
    outcome = receive_record(public, body, timezone.now(), LIMITS, rate)
    if outcome is Outcome.STORED:
        UNSTORED.record_success()
        try:
            automatic_sealing.on_record_stored(public)
        except Exception as error:
            # The record is stored already; the tick repeats what fails here.
            logger.error("what was due after a record failed: %s", type(error).__name__)
    return outcome, public.completion if outcome in ARRIVED else ""


@_answer_later_on_database_failure
def _sign_blinded_message(request: HttpRequest, slug: str) -> Reply:
    public = _cached_survey(slug)
    if public is None:
        return Outcome.NO_SURVEY, ""
    body = read_request_body(request, "application/json", invitation_exchange.LONGEST)
    return (
        (body, "")
        if isinstance(body, Outcome)
        else invitation_exchange.exchange_invitation(public, body, LIMITS)
    )


@_answer_later_on_database_failure
def _unseal_and_receive_record(request: HttpRequest, slug: str) -> Reply:
    public = _cached_survey(slug)
    if public is None:
        return Outcome.NO_SURVEY, ""
    public = public.for_field_devices()
    body = read_request_body(request, "application/json", public.max_request_bytes)
    envelope = body if isinstance(body, Outcome) else devices.unseal_record(public, body)
    return (
        (envelope, "")
        if isinstance(envelope, Outcome)
        else _receive_and_seal_if_due(public, envelope, FIELD_RATE)
    )


@_answer_later_on_database_failure
def _answer_device(request: HttpRequest, slug: str, name: str) -> Reply:
    public = _cached_survey(slug)
    if public is None:
        return Outcome.NO_SURVEY, ""
    answer, longest = DEVICE_REQUESTS[name]
    body = read_request_body(request, "application/json", longest)
    return (body, "") if isinstance(body, Outcome) else answer(public, body)


def _count_wait_or_return(slug: str, outcome: Outcome, has_waited: bool) -> None:
    _looked, public = _surveys.get(slug, (0.0, None))
    if public is None or public.design.rehearsal:
        return
    if outcome in LATER and not has_waited:
        WAITS.count(public.survey, asked=1)
    elif outcome is Outcome.STORED and has_waited:
        WAITS.count(public.survey, returned=1)


def _cached_survey(slug: str) -> PublicSurvey | None:
    """Returns the survey with this address, cached for a tenth of a second."""
    looked, public = _surveys.get(slug, (0.0, None))
    if public is None or time.monotonic() - looked > CACHE_SECONDS or connection.in_atomic_block:
        looked, public = time.monotonic(), find_public_survey(slug)
        if public is not None:
            _surveys[slug] = looked, public
    return public


def read_request_body(request: HttpRequest, content_type: str, longest: int) -> bytes | Outcome:
    """Returns the request's body, or the outcome if its type or length is refused."""
    declared = request.META.get("CONTENT_LENGTH") or "0"
    is_number = declared.isascii() and declared.isdigit() and len(declared) < 10
    if not is_number or int(declared) > longest:
        return Outcome.TOO_LONG
    # There is no cookie that a foreign page could abuse. Browsers that name the sender's site are believed; old ones do
    # not name it, and none does over plain HTTP.
    if request.META.get("HTTP_SEC_FETCH_SITE", "same-origin") != "same-origin":
        return Outcome.FOREIGN
    if request.content_type != content_type:
        return Outcome.MALFORMED
    try:
        return request.body
    except UnreadablePostError:
        return Outcome.MALFORMED


def _padded_response(
    outcome: Outcome, content: str = "", *, name: str = "completion", longest: int = LONGEST
) -> HttpResponse:
    """Builds a response, padded to one length, so that nobody on the network can tell outcomes or surveys apart."""
    quoted_word, quoted_content = f'"{outcome.word}"', f'"{content}"'
    body = f'{{"outcome":{quoted_word:{LONGEST_WORD + 2}},"{name}":{quoted_content:{longest + 2}}}}'
    response = HttpResponse(body, status=outcome.status, headers=HEADERS | {"Content-Length": str(len(body))})
    if outcome in LATER:
        response["Retry-After"] = str(LATER[outcome] + randbelow(SPREAD))
    elif outcome is Outcome.TOO_OFTEN:
        response["Retry-After"] = str(LIMITS.seconds_left())
    return response
