"""The endpoint of all that respondents' pages and field devices post: records, exchanges of invitations, and a
device's requests for set-up, signed tokens and a report of its state.

Every request takes the same way: a flood is refused before any query; then the survey is looked up, the body is read,
and the function of the request's kind (`POSTS`) answers.
"""

import json
import logging
import re
import time
from collections.abc import Callable
from functools import partial
from secrets import randbelow
from typing import NamedTuple

from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, UnreadablePostError
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

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
from surveys.lifecycle.completion_code import LONGEST as LONGEST_CODE
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
PREFLIGHT_SECONDS = 7200
"""Seconds for which a browser remembers the answer to a preflight: the longest that any takes."""
HEADERS = {"Content-Type": "application/json", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
LONGEST_WORD = max(len(outcome.word) for outcome in Outcome)

_surveys: dict[str, tuple[float, PublicSurvey]] = {}

Reply = tuple[Outcome, str]
"""An outcome with its text: the survey's completion code, a signature, or JSON for a field device; empty if none."""
BodyReader = Callable[[PublicSurvey], bytes | Outcome]
"""Function that returns the body of a request, or the outcome if the request is refused."""


# --- what is posted


def store_online_record(public: PublicSurvey, body: bytes) -> Reply:
    return _store_and_seal_if_due(public, body, OPEN_LINK_RATE if public.design.has_field_devices else RATE)


def store_device_record(public: PublicSurvey, body: bytes) -> Reply:
    """Stores a record that a field device has sealed."""
    public = public.for_field_devices()
    envelope = devices.unseal_record(public, body)
    if isinstance(envelope, Outcome):
        return envelope, ""
    return _store_and_seal_if_due(public, envelope, FIELD_RATE)


def _store_and_seal_if_due(public: PublicSurvey, body: bytes, rate: RecordRateLimit) -> Reply:
    outcome = receive_record(public, body, timezone.now(), LIMITS, rate)
    if outcome is Outcome.STORED:
        UNSTORED.record_success()
        try:
            automatic_sealing.on_record_stored(public)
        except Exception as error:
            # The record is stored already; the tick repeats what fails here.
            logger.error("what was due after a record failed: %s", type(error).__name__)
    return outcome, public.completion if outcome in ARRIVED else ""


class PostKind(NamedTuple):
    """A kind of request that is posted.

    `answer`: the function that answers it. `longest`: the largest body in bytes. `member`: the member of the response
    that has the reply's text, padded to `width` characters; without it the text is JSON, whose members the response
    takes over. `counts_waits`: people who are asked to wait, and those who return, are counted. `comes_from_host`:
    where another host serves the survey's page, that page sends it.
    """

    answer: Callable[[PublicSurvey, bytes], Reply]
    longest: Callable[[PublicSurvey], int]
    member: str = ""
    width: int = 0
    counts_waits: bool = False
    comes_from_host: bool = False


POSTS = {
    "record": PostKind(
        store_online_record,
        lambda public: public.max_request_bytes,
        "completion",
        LONGEST_CODE,
        counts_waits=True,
        comes_from_host=True,
    ),
    "exchange": PostKind(
        partial(invitation_exchange.exchange_invitation, limits=LIMITS),
        lambda _public: invitation_exchange.LONGEST,
        "signature",
        BLINDED_LENGTH,
    ),
    "field/record": PostKind(
        store_device_record,
        lambda public: public.for_field_devices().max_request_bytes,
        "completion",
        LONGEST_CODE,
    ),
    "field/device": PostKind(devices.set_up_device, lambda _public: devices.LONGEST),
    "field/lot": PostKind(devices.sign_lot, lambda _public: devices.LONGEST_LOT),
    "field/report": PostKind(devices.store_device_report, lambda _public: devices.LONGEST),
}
"""The kinds of requests, by the part of the path that follows the survey's slug."""
SLUG_AND_KIND = re.compile(r"([-\w]+)/([a-z/]+)", re.ASCII)
"""Pattern of a path below the prefix RESPONDENTS."""


def read_posted_path(path: str) -> tuple[str, str] | None:
    """Returns the slug and the kind of a path that is posted to; None for any other path."""
    match = SLUG_AND_KIND.fullmatch(path, len(RESPONDENTS)) if path.startswith(RESPONDENTS) else None
    return (match[1], match[2]) if match and match[2] in POSTS else None


# --- the way of every request


class RecordMiddleware:
    """Middleware: sends posted requests to the endpoint before any session, account or language is read.

    All middleware that reads or sets cookies comes after this one. A web server's requests reach it without most of the
    middleware before it, too (`config.posted_records`).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        address = read_posted_path(request.path_info)
        return answer_post(request, *address) if address else self.get_response(request)


@csrf_exempt
@require_http_methods(["POST", "OPTIONS"])
def answer_post(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """View: answers a request of the kind `POSTS[name]`, and the preflight of a page that another host serves."""
    kind = POSTS[name]
    if request.method == "OPTIONS":
        return _answer_preflight(kind, slug)

    def read_body(public: PublicSurvey) -> bytes | Outcome:
        is_from_host = kind.comes_from_host and bool(public.design.host)
        return read_request_body(request, "application/json", kind.longest(public), is_from_host)

    has_waited = request.META.get(AGAIN_HEADER) == "1"
    response = _response(kind, *accept_request(kind, slug, read_body, has_waited))
    return _open_to_host(response, kind, slug)


def _answer_preflight(kind: PostKind, slug: str) -> HttpResponse:
    """Answers a browser that asks, before it sends a record from another origin, whether it may; counted as a post."""
    if not LIMITS.try_acquire():
        return _open_to_host(_response(kind, Outcome.TOO_OFTEN, ""), kind, slug)
    try:
        public = _cached_survey(slug) if kind.comes_from_host else None
    except Error:
        return _open_to_host(_response(kind, Outcome.UNSTORED, ""), kind, slug)
    if public is None or not public.design.host:
        return HttpResponseNotAllowed(["POST"])
    response = HttpResponse(status=204, headers={"Cache-Control": "no-store"})
    response["Access-Control-Allow-Methods"] = "POST"
    response["Access-Control-Allow-Headers"] = "Content-Type, Candor-Again"
    response["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    return _open_to_host(response, kind, slug)


def _open_to_host(response: HttpResponse, kind: PostKind, slug: str) -> HttpResponse:
    """Lets the page of the design's host read the response, whoever asks: this site never learns the sender's origin.

    A refusal that comes before the survey is known has the header if this process has looked the survey up before.
    """
    _looked, public = _surveys.get(slug, (0.0, None))
    if kind.comes_from_host and public is not None and public.design.host:
        response["Access-Control-Allow-Origin"] = public.design.host
        response["Access-Control-Expose-Headers"] = "Retry-After"
    return response


def accept_request(kind: PostKind, slug: str, read_body: BodyReader, has_waited: bool = False) -> Reply:
    """Accepts or refuses a request to the survey with this address; refuses a flood before any query.

    `has_waited`: the device was asked to wait at an earlier try, and counted then.
    """
    if not LIMITS.try_acquire():
        return Outcome.TOO_OFTEN, ""
    reply = _answer_or_later(kind, slug, read_body)
    if kind.counts_waits:
        _count_wait_or_return(slug, reply[0], has_waited)
    return reply


def _answer_or_later(kind: PostKind, slug: str, read_body: BodyReader) -> Reply:
    """Answers the request, or "come again later" if the database fails.

    It replaces Django's health check of the connection, which would cost a round trip for each record. If the
    connection is lost, the work is done once more on a new one; a record that was stored before is recognised.
    """
    is_old = connection.connection is not None
    connection.health_check_done = True  # type: ignore[attr-defined]
    try:
        try:
            return _read_and_answer(kind, slug, read_body)
        except Error as failure:
            if not is_old or connection.vendor != "postgresql" or not is_connection_lost(failure):
                raise
            connection.close()
            return _read_and_answer(kind, slug, read_body)
    except Error as failure:
        # The disk is full or the database is away: the page still has what it sent and tries again.
        UNSTORED.record_failure()
        words = unwritable_text(failure) or type(failure).__name__
        logger.error("a record could not be stored: %s", words, extra={"ongoing": True})
        return Outcome.UNSTORED, ""


def _read_and_answer(kind: PostKind, slug: str, read_body: BodyReader) -> Reply:
    public = _cached_survey(slug)
    if public is None:
        return Outcome.NO_SURVEY, ""
    if public.design.asked_at and public.design.asked_at.inside:
        # The tool gets these records.
        return Outcome.FOREIGN, ""
    body = read_body(public)
    return (body, "") if isinstance(body, Outcome) else kind.answer(public, body)


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


def read_request_body(
    request: HttpRequest, content_type: str, longest: int, is_from_host: bool = False
) -> bytes | Outcome:
    """Returns the request's body, or the outcome if its type, its length or its sender's site is refused.

    `is_from_host`: the page that sends it is of another host.
    """
    declared = request.META.get("CONTENT_LENGTH") or "0"
    is_number = declared.isascii() and declared.isdigit() and len(declared) < 10
    if not is_number or int(declared) > longest:
        return Outcome.TOO_LONG
    # There is no cookie that a foreign page could abuse. Browsers that name the sender's site are believed; old ones do
    # not name it, and none does over plain HTTP.
    if not is_from_host and request.META.get("HTTP_SEC_FETCH_SITE", "same-origin") != "same-origin":
        return Outcome.FOREIGN
    if request.content_type != content_type:
        return Outcome.MALFORMED
    try:
        return request.body
    except UnreadablePostError:
        return Outcome.MALFORMED


def _response(kind: PostKind, outcome: Outcome, text: str) -> HttpResponse:
    """Builds a response. One with a `member` is padded to one length, so that nobody on the network can tell outcomes
    or surveys apart."""
    headers = dict(HEADERS)
    if kind.member:
        quoted_word, quoted_text = f'"{outcome.word}"', f'"{text}"'
        body = (
            f'{{"outcome":{quoted_word:{LONGEST_WORD + 2}},"{kind.member}":{quoted_text:{kind.width + 2}}}}'
        )
        headers["Content-Length"] = str(len(body))
    else:
        body = json.dumps({"outcome": outcome.word, **json.loads(text or devices.NOTHING)})
    if outcome in LATER:
        headers["Retry-After"] = str(LATER[outcome] + randbelow(SPREAD))
    elif outcome is Outcome.TOO_OFTEN:
        # Only the limit of lots refuses with a text.
        headers["Retry-After"] = str(devices.LOT_WAIT if text else LIMITS.seconds_left())
    return HttpResponse(body, status=outcome.status, headers=headers)
