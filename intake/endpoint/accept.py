"""Accepts one record exactly once, and stores nothing of who sent it, from where or when.

Checks run in a fixed order: unknown address, too long, malformed envelope, known key, closed, paused, record, too many
at once, token. A known key comes before what may have changed since the first sending, so that a page that lost the
acknowledgement gets it. The token comes last: only a record that would be stored tells whether a token is unspent, and
it spends it. Otherwise a person with the list of invitations could ask every second whether each owner has answered.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from hashlib import sha256
from typing import Any

from django.db import Error, connection

from intake.endpoint.limits import Limits, Rate
from intake.endpoint.store_record import StoreResult, encode_for_inbox, store_record
from privacy.blind_signatures.tokens import TOKEN_LENGTH, is_valid
from privacy.designs import Design, InputError
from privacy.records import Envelope, parse_envelope, read_record
from surveys.lifecycle.counts import Counts
from surveys.models import Design as DesignRow, Survey

GRACE = timedelta(hours=1)
"""After closing, respondents who had begun may still send for so long, unless the cap is reached."""

ENVELOPE = 512
"""Bytes of a request beyond its answer text: 230 as our page writes it, more with the spaces of others."""


class Outcome(Enum):
    """The status and the word that a respondent's page gets."""

    def __init__(self, status: int, word: str) -> None:
        self.status, self.word = status, word

    STORED = 201, "stored"
    SIGNED = 200, "signed"
    KNOWN = 200, "already stored"
    MALFORMED = 422, "malformed"
    IMPOSSIBLE = 422, "not a record of this design"
    UNINVITED = 403, "unknown or spent token"
    FOREIGN = 403, "not sent by our page"
    NO_SURVEY = 404, "no such survey"
    CLOSED = 410, "closed"
    TOO_LONG = 413, "too long"
    TOO_OFTEN = 429, "too often"
    UNSTORED = 503, "cannot be stored now"
    BUSY = 503, "too many at once"
    PAUSED = 503, "paused"


ARRIVED = frozenset({Outcome.STORED, Outcome.KNOWN})
TAKEN = {
    StoreResult.STORED: Outcome.STORED,
    StoreResult.KNOWN: Outcome.KNOWN,
    StoreResult.UNINVITED: Outcome.UNINVITED,
}


@dataclass(frozen=True, slots=True)
class PublicSurvey:
    """A survey as respondents reach it; `survey` is its id."""

    survey: int
    slug: str
    state: str
    closed_at: datetime | None
    cap: int | None
    invited: bool
    design: Design
    paused: bool = False
    completion: str = ""
    at_once: int | None = None

    @property
    def is_rate_limited(self) -> bool:
        """Each invitation counts once, and the simulated respondents of a rehearsal are no flood."""
        return not (self.invited or self.design.rehearsal)

    @property
    def longest_request(self) -> int:
        """Bytes of the longest request that can be a record."""
        return self.design.width + ENVELOPE + (TOKEN_LENGTH if self.design.invitation_key else 0)

    def is_open(self, now: datetime) -> bool:
        if self.state == Survey.State.CLOSED and self.closed_at is not None:
            return now <= self.closed_at + GRACE
        return self.state == Survey.State.OPEN


FIND = (
    "SELECT id, state, closed_at, cap, invited, design_id, paused IS NOT NULL, completion, at_once"
    " FROM surveys_survey WHERE slug = %s AND design_id IS NOT NULL"
)


def find_public_survey(slug: str) -> PublicSurvey | None:
    """The survey at this address; None before it is opened."""
    row = _query_first_row(FIND, slug)
    if row is None:
        return None
    survey, state, closed_at, cap, invited, fingerprint, paused, completion, at_once = row
    design = DesignRow.load_parsed(fingerprint)
    return PublicSurvey(
        survey,
        slug,
        state,
        _as_utc(closed_at),
        cap,
        bool(invited),
        design,
        bool(paused),
        completion or "",
        at_once,
    )


def _as_utc(value: datetime | None) -> datetime | None:
    """SQLite returns times without a zone, in UTC."""
    return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


def receive_record(
    public: PublicSurvey, body: bytes, now: datetime, limits: Limits, rate: Rate | None = None
) -> Outcome:
    """Accept or refuse one record. `rate` limits records from an open link; simulated respondents have none."""
    if len(body) > public.longest_request:
        return Outcome.TOO_LONG
    try:
        envelope = parse_envelope(body)
    except InputError:
        return Outcome.MALFORMED
    # An invitation that is not asked for is ignored: a link with one must not make answers fail.
    key, token = hash_secret(envelope.key), hash_secret(envelope.token) if public.invited else ""
    why_not = _reason_to_refuse(public, envelope, now)
    if (
        not why_not
        and rate
        and public.is_rate_limited
        and not rate.admits(public.survey, public.slug, public.at_once)
    ):
        why_not = Outcome.BUSY
    if why_not:
        return Outcome.KNOWN if is_known_key(key) else why_not
    if token and not limits.admits_token(token):
        return Outcome.TOO_OFTEN
    try:
        exchanged = bool(public.design.invitation_key)
        taken = store_record(
            public.survey, key, token, encode_for_inbox(envelope.record), exchanged=exchanged
        )
    except Error:
        # Where nothing can be written, what has arrived can still be read.
        if is_known_key(key):
            return Outcome.KNOWN
        raise
    if taken is StoreResult.UNINVITED:
        limits.count_refused(token)
    return TAKEN[taken]


def hash_secret(secret: str | None) -> str:
    """The hash of a key or token, as it is stored; empty for a token that is not there."""
    return sha256(secret.encode()).hexdigest() if secret else ""


COUNT = (
    "SELECT (SELECT COALESCE(SUM(n), 0) FROM intake_batch WHERE survey_id = %s),"
    " (SELECT COUNT(*) FROM intake_inbox WHERE survey_id = %s)"
)


def count_received(survey: int) -> Counts:
    """The counts of one survey, as `batches.count`, in one fast query."""
    return Counts(*(_query_first_row(COUNT, survey, survey) or ()))


def _is_at_cap(public: PublicSurvey) -> bool:
    """Whether the cap is reached. An open survey closes then, so only closed ones are counted here."""
    return (
        public.cap is not None
        and public.state != Survey.State.OPEN
        and count_received(public.survey).received >= public.cap
    )


def _reason_to_refuse(public: PublicSurvey, envelope: Envelope, now: datetime) -> Outcome | None:
    """The first reason to refuse, without looking whether the token is unspent."""
    if not public.is_open(now) or _is_at_cap(public):
        return Outcome.CLOSED
    if public.paused:
        return Outcome.PAUSED
    try:
        read_record(public.design, envelope.record)
    except InputError:
        return Outcome.IMPOSSIBLE
    if public.invited and not _has_acceptable_token(public, envelope.token):
        return Outcome.UNINVITED
    return None


def _has_acceptable_token(public: PublicSurvey, token: str | None) -> bool:
    """Whether there is a token and, where invitations are exchanged, this survey has signed it."""
    key = public.design.invitation_key
    return token is not None and (not key or is_valid(key, token))


KNOWN = "SELECT 1 FROM intake_freshkey WHERE hash = %s UNION ALL SELECT 1 FROM intake_seenkey WHERE hash = %s"


def is_known_key(key: str) -> bool:
    return _query_first_row(KNOWN, key, key) is not None


KNOWN_OF = (
    "SELECT 1 FROM intake_freshkey WHERE hash = %s AND survey_id = %s"
    " UNION ALL SELECT 1 FROM intake_seenkey WHERE hash = %s AND survey_id = %s"
)


def completion_code(public: PublicSurvey, outcome: Outcome, body: bytes) -> str:
    """The completion for whoever sent this, which has ARRIVED; empty where no record of theirs is in this survey.

    A key is known in whatever survey it was sent to: one of another survey must not give this one's code away.
    """
    if public.completion and outcome is Outcome.KNOWN:
        key = hash_secret(parse_envelope(body).key)
        if _query_first_row(KNOWN_OF, key, public.survey, key, public.survey) is None:
            return ""
    return public.completion


def _query_first_row(sql: str, *values: str | int) -> tuple[Any, ...] | None:
    """Plain SQL, since every record runs it: through models it takes three times as long."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        row: tuple[Any, ...] | None = cursor.fetchone()
        return row
