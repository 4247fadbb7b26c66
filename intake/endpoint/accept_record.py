"""Accepts one record exactly once, and stores nothing of who sent it, from where or when.

Checks run in a fixed order: unknown address, too long, malformed envelope, epoch, known key, closed, paused,
record, too many at once, token. The epoch is checked before the key, since the keys of past epochs are
deleted. A known key is checked before the survey's state, which may have changed since the first sending, so
that a page that lost the acknowledgement gets it. The token is checked last: only a record that would be
stored reveals whether a token is unspent, and spends it. Otherwise a person with the list of invitations
could ask every second whether each owner has answered.
"""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any

from django.conf import settings
from django.db import Error, connection

from intake.endpoint.epochs import NO_EPOCH, epoch_at, newest_epoch, oldest_epoch
from intake.endpoint.keyed_hashes_of_secrets import (
    HashedTextKind,
    get_or_create_survey_secret,
    hash_with_secret,
)
from intake.endpoint.rate_limits import RecordRateLimit, RequestLimits
from intake.endpoint.store_record import StoreResult, SubmissionHashes, encode_for_inbox, store_record
from intake.models import HASH_BYTES
from privacy.blind_signatures.tokens import TOKEN_LENGTH, is_token_signed
from privacy.designs import Design, InputError
from privacy.records import Envelope, parse_envelope, read_record
from surveys.field_record_encryption import OVERHEAD
from surveys.lifecycle.record_counts import Counts
from surveys.models import Design as DesignRow, Survey

GRACE, GRACE_AFTER_EXCHANGE = timedelta(hours=1), timedelta(hours=25)
"""Time after closing in which respondents who had begun may still send, unless the cap is reached. A page that has
exchanged its invitation waits up to a day before it sends."""

ENVELOPE = 512
"""Highest number of bytes of a request beyond its answer text: our page needs 230, other programs may add spaces."""

FIELD_ENVELOPE = 547
"""Bytes of a field device's record beyond its answer text, token included: all records of a design have one length."""
SEALED_REQUEST = 64
"""Highest number of bytes of a request beyond its sealed record: our page needs 13."""


class Outcome(Enum):
    """The result of a request: its HTTP status, and the word that the respondent's page gets."""

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
    TOO_OLD = 410, "too old"
    TOO_LONG = 413, "too long"
    TOO_OFTEN = 429, "too often"
    UNSTORED = 503, "cannot be stored now"
    BUSY = 503, "too many at once"
    PAUSED = 503, "paused"
    OVER_QUOTA = 200, "over quota"
    SET_UP = 200, "set up"
    NOTED = 200, "noted"
    USED = 403, "used"
    UNKNOWN_CODE = 403, "unknown code"
    ANOTHER_LOT = 422, "another lot"


ARRIVED = frozenset({Outcome.STORED, Outcome.KNOWN})
TAKEN = {
    StoreResult.STORED: Outcome.STORED,
    StoreResult.KNOWN: Outcome.KNOWN,
    StoreResult.UNINVITED: Outcome.UNINVITED,
}


@dataclass(frozen=True, slots=True)
class PublicSurvey:
    """An opened survey with the settings that decide on a record; `survey` is its id.

    `dropped_before`: the first epoch whose keys were never deleted (intake.batches.seen_keys). `is_field`: the settings
    are those for records of field devices (`for_field_devices`).
    """

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
    secret: bytes = field(default=b"", repr=False)
    dropped_before: int = 0
    is_field: bool = False

    def for_field_devices(self) -> "PublicSurvey":
        """Returns the survey with the settings for records of field devices.

        They always need a token signed by the token key, their submission keys belong to no epoch, and they
        have more time after closing.
        """
        return replace(self, is_field=True, at_once=None)

    @property
    def needs_token(self) -> bool:
        return self.invited or self.is_field

    @property
    def has_months(self) -> bool:
        """True if pages carry the month in which they were made, and keys are deleted by months.

        A page of another host stays as it is for the whole survey.
        """
        return not (self.needs_token or self.design.host)

    @property
    def token_key(self) -> str:
        """The public key that verifies the tokens of records; empty if records need an invitation or no token at all.

        A field device's token is not valid for records sent online, nor the reverse.
        """
        return self.design.token_key if self.is_field else self.design.invitation_key

    def hash_token(self, token: str) -> bytes:
        """Returns the hash under which a record's token is stored."""
        if self.is_field:
            return self.hash(HashedTextKind.FIELD_TOKEN, token)
        return self.hash(HashedTextKind.TOKEN if self.token_key else HashedTextKind.LINK, token)

    def hash(self, kind: HashedTextKind, text: str) -> bytes:
        """Returns the hash under which this survey stores a text of this kind."""
        is_over = self.state not in (Survey.State.OPEN, Survey.State.CLOSED)
        # Of a survey that is over nothing more is stored, and its secret may be deleted already.
        return hash_with_secret(
            self.secret if self.secret or is_over else get_or_create_survey_secret(self.survey), kind, text
        )

    def hash_key(self, envelope: Envelope) -> bytes:
        """Returns the hash of a submission key together with its epoch, under which it is stored."""
        return self.hash(HashedTextKind.KEY, f"{self.get_key_epoch(envelope)} {envelope.key}")

    def get_key_epoch(self, envelope: Envelope) -> int:
        """Returns the epoch (month) to which a record's submission key belongs; NO_EPOCH in a survey without months."""
        return envelope.epoch if self.has_months and envelope.epoch is not None else NO_EPOCH

    def get_page_epoch(self, now: datetime) -> int:
        """Returns the epoch (month) that a page made now carries: this month, or a later one if the keys of this month
        were already deleted."""
        return max(epoch_at(now), self.dropped_before)

    @property
    def is_rate_limited(self) -> bool:
        """True if the number of records a minute is limited: by the open link, or from field devices, of which one may
        be stolen.

        Invitations count once each, and a rehearsal's respondents are simulated.
        """
        return not self.design.rehearsal and (self.is_field or not self.invited)

    @property
    def max_request_bytes(self) -> int:
        """The largest size in bytes of a request that can be a record."""
        if self.is_field:
            return self.sealed_record_length + SEALED_REQUEST
        return self.design.width + ENVELOPE + (TOKEN_LENGTH if self.design.invitation_key else 0)

    @property
    def sealed_record_length(self) -> int:
        """Length in characters of a field device's sealed record, in base64url."""
        return -(-4 * (self.design.width + FIELD_ENVELOPE + OVERHEAD) // 3)

    def is_open(self, now: datetime) -> bool:
        if self.state == Survey.State.CLOSED and self.closed_at is not None:
            of_field = max(GRACE, timedelta(days=settings.FIELD_GRACE_DAYS))
            return now <= self.closed_at + (of_field if self.is_field else grace_after_closing(self.design))
        return self.state == Survey.State.OPEN


def grace_after_closing(design: Design) -> timedelta:
    return GRACE_AFTER_EXCHANGE if design.invitation_key else GRACE


FIND = (
    "SELECT id, state, closed_at, cap, invited, design_id, paused IS NOT NULL, completion, at_once, secret,"
    " COALESCE(dropped_before, 0) FROM surveys_survey LEFT JOIN intake_keysecret ON survey_id = id"
    " WHERE slug = %s AND design_id IS NOT NULL"
)


def find_public_survey(slug: str) -> PublicSurvey | None:
    """Returns the survey with this address; None if there is none or it was never opened."""
    row = _query_first_row(FIND, slug)
    if row is None:
        return None
    survey, state, closed_at, cap, invited, fingerprint, paused, completion, at_once, secret, dropped = row
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
        bytes(secret or b""),
        dropped,
    )


def _as_utc(value: datetime | None) -> datetime | None:
    """Adds the UTC zone that SQLite leaves out of stored times."""
    return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


def receive_record(
    public: PublicSurvey,
    body: bytes,
    now: datetime,
    limits: RequestLimits,
    rate: RecordRateLimit | None = None,
) -> Outcome:
    """Accepts or refuses one record. `rate` limits the records of an open link or of field devices; None for simulated
    respondents."""
    if len(body) > public.max_request_bytes:
        return Outcome.TOO_LONG
    try:
        envelope = parse_envelope(body)
    except InputError:
        return Outcome.MALFORMED
    if why_not := reason_to_refuse_epoch(public, envelope, now):
        return why_not
    # An invitation that is not asked for is ignored: a link with one must not make answers fail.
    token = b""
    if public.needs_token and envelope.token is not None:
        token = public.hash_token(envelope.token)
    epoch, key = public.get_key_epoch(envelope), public.hash_key(envelope)
    sending = SubmissionHashes(public.survey, epoch, key, token, exchanged=bool(public.token_key))
    why_not = reason_to_refuse(public, envelope, now)
    if (
        not why_not
        and rate
        and public.is_rate_limited
        and not rate.try_acquire(public.survey, public.slug, public.at_once)
    ):
        why_not = Outcome.BUSY
    if why_not:
        return Outcome.KNOWN if is_key_stored(public.survey, sending.epoch, sending.key) else why_not
    if token and not limits.admits_token(token):
        return Outcome.TOO_OFTEN
    try:
        taken = store_record(sending, encode_for_inbox(envelope.record))
    except Error:
        # Where nothing can be written, what has arrived can still be read.
        if is_key_stored(public.survey, sending.epoch, sending.key):
            return Outcome.KNOWN
        raise
    if taken is StoreResult.UNINVITED:
        limits.count_refused(token)
    return TAKEN[taken]


COUNT = (
    "SELECT (SELECT COALESCE(SUM(n), 0) FROM intake_batch WHERE survey_id = %s),"
    " (SELECT COUNT(*) FROM intake_inbox WHERE survey_id = %s)"
)


def count_received(survey: int) -> Counts:
    """Counts one survey's sealed and waiting records in one fast query."""
    return Counts(*(_query_first_row(COUNT, survey, survey) or ()))


FIELD_KEYS = (
    "SELECT (SELECT COUNT(*) FROM intake_freshkey WHERE survey_id = %s AND epoch = %s),"
    " (SELECT COALESCE(SUM(LENGTH(hashes)), 0) FROM intake_seenkeys WHERE survey_id = %s AND epoch = %s)"
)


def count_device_records(survey: int) -> int:
    """Counts the records from field devices of a survey with an open link.

    Keys of online records have epochs, so those without one are counted; each record left two, its key and its token.
    """
    fresh, seen = _query_first_row(FIELD_KEYS, survey, NO_EPOCH, survey, NO_EPOCH) or (0, 0)
    return int(fresh + seen // HASH_BYTES) // 2


def count_open_link_records(survey: int) -> int:
    """Counts the records of a survey that came by its open link, without those from its field devices."""
    return count_received(survey).received - count_device_records(survey)


def _is_closed_and_at_cap(public: PublicSurvey) -> bool:
    """True if a closed survey has reached its cap. An open survey closes at its cap, so it is not counted here."""
    return (
        public.cap is not None
        and public.state != Survey.State.OPEN
        and count_received(public.survey).received >= public.cap
    )


def reason_to_refuse_epoch(public: PublicSurvey, envelope: Envelope, now: datetime) -> Outcome | None:
    """Returns the outcome that refuses a record for its epoch, the month of its page; None if that is accepted.

    Records of a survey without months have no epoch: None. A record of a later month comes from a machine whose clock
    is ahead; the device sends it again later.
    """
    if not public.has_months:
        return None
    if envelope.epoch is None or envelope.epoch < max(oldest_epoch(now), public.dropped_before):
        return Outcome.TOO_OLD
    return Outcome.UNSTORED if envelope.epoch > max(newest_epoch(now), public.dropped_before) else None


def reason_to_refuse(public: PublicSurvey, envelope: Envelope, now: datetime) -> Outcome | None:
    """Returns the first reason to refuse a record, or None; whether its token was used before is not checked here."""
    if not public.is_open(now) or _is_closed_and_at_cap(public):
        return Outcome.CLOSED
    if public.paused:
        return Outcome.PAUSED
    try:
        read_record(public.design, envelope.record)
    except InputError:
        return Outcome.IMPOSSIBLE
    if public.needs_token and not _has_acceptable_token(public, envelope.token):
        return Outcome.UNINVITED
    return None


def _has_acceptable_token(public: PublicSurvey, token: str | None) -> bool:
    """True if the envelope has a token and, where tokens are signed, the signature is of this survey's key."""
    key = public.token_key
    return token is not None and (not key or is_token_signed(key, token))


KNOWN = (
    "SELECT hash FROM intake_freshkey WHERE hash = %s UNION ALL SELECT hashes FROM (SELECT hashes FROM intake_seenkeys"
    " WHERE survey_id = %s AND epoch = %s AND first <= %s ORDER BY first DESC LIMIT 1) AS block"
)
"""SQL that finds a key's hash among the fresh keys, and the block of seen keys that may contain it."""


def is_key_stored(survey: int, epoch: int, key: bytes) -> bool:
    """True if this key hash is stored, fresh or in a block of seen keys."""
    with connection.cursor() as cursor:
        cursor.execute(KNOWN, [key, survey, epoch, key])
        return any(key in bytes(hashes) for (hashes,) in cursor.fetchall())


def _query_first_row(sql: str, *values: str | int) -> tuple[Any, ...] | None:
    """Runs plain SQL and returns the first row, or None.

    It runs for each record, and the ORM would take three times as long.
    """
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        row: tuple[Any, ...] | None = cursor.fetchone()
        return row
