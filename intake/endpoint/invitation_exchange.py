"""Exchanges an invitation for the signature of a blinded message (RFC 9474, privacy.blind_signatures).

Nothing stored links an exchange to a record. The invitation is stored with the used ones until the next
sealing. One hash of the invitation and the blinded message together marks the exchange as made: somebody with
the list of invitations and this database cannot compute it, and the blinded message reveals nothing of the
token. So an exchange whose answer was lost can be repeated, even after a crash: the same blinded message gets
the same signature. A different message for a used invitation is refused like an unknown invitation. A restore
loses that hash but not the used invitation: afterwards an exchange whose answer was lost cannot be repeated.

The invitation is spent only after all other checks have passed: too long, malformed, another design, closed,
paused.
"""

import re
from dataclasses import dataclass
from os import urandom

from django.db import connection, transaction

from intake.endpoint.accept_record import Outcome, PublicSurvey, is_key_stored
from intake.endpoint.epochs import NO_EPOCH
from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind
from intake.endpoint.rate_limits import RequestLimits
from intake.endpoint.store_record import SPEND, SPENT
from privacy.blind_signatures.protocol import RandomBytes, base64url_bytes, base64url_text, blind_sign
from privacy.blind_signatures.tokens import BLINDED
from privacy.designs import InputError
from privacy.grammar.json_node import read_json
from privacy.records.record import FINGERPRINT, KEY
from surveys.lifecycle.token_signing_key import private_invitation_key
from surveys.models import Survey

LONGEST = 1024
"""Highest number of bytes of a request: our page needs 485, other programs may add spaces."""
EXCHANGED = "INSERT INTO intake_freshkey (hash, survey_id, epoch) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"


@dataclass(frozen=True, slots=True)
class ExchangeRequest:
    """A request to exchange an invitation. `design`: fingerprint of the design, which selects the signing key."""

    design: str
    invitation: str
    blinded: str


def parse_exchange(body: bytes) -> ExchangeRequest:
    members = read_json(body, "exchange").members(frozenset({"design", "invitation", "blinded"}), frozenset())
    written = {}
    patterns: dict[str, re.Pattern[str]] = {"design": FINGERPRINT, "invitation": KEY, "blinded": BLINDED}
    for name, pattern in patterns.items():
        written[name] = members[name].text()
        if pattern.fullmatch(written[name]) is None:
            raise InputError(name, "is malformed")
    return ExchangeRequest(**written)


def exchange_invitation(
    public: PublicSurvey, body: bytes, limits: RequestLimits, random_bytes: RandomBytes = urandom
) -> tuple[Outcome, str]:
    """Spends the invitation of a request and signs its blinded message; returns the outcome and, if it is SIGNED, the
    signature."""
    if len(body) > LONGEST:
        return Outcome.TOO_LONG, ""
    try:
        asked = parse_exchange(body)
    except InputError:
        return Outcome.MALFORMED, ""
    if asked.design != public.design.fingerprint or not public.design.invitation_key:
        return Outcome.IMPOSSIBLE, ""
    key = private_invitation_key(public.survey)
    if public.state != Survey.State.OPEN or key is None:
        return Outcome.CLOSED, ""
    if public.paused:
        return Outcome.PAUSED, ""
    blinded = base64url_bytes(asked.blinded)
    # One spelling of each message alone: an exchange is repeated by its text. Of 0 the signature is 0, and no token.
    is_written_well = (
        base64url_text(blinded) == asked.blinded and 0 < int.from_bytes(blinded, "big") < key.public.n
    )
    if not is_written_well or key.public.text != public.design.invitation_key:
        return Outcome.MALFORMED, ""
    link = public.hash(HashedTextKind.LINK, asked.invitation)
    if not limits.admits_token(link):
        return Outcome.TOO_OFTEN, ""
    this_exchange = public.hash(HashedTextKind.EXCHANGE, f"{asked.invitation} {asked.blinded}")
    if not _spend_invitation(public.survey, link, this_exchange):
        limits.count_refused(link)
        return Outcome.UNINVITED, ""
    return Outcome.SIGNED, base64url_text(blind_sign(key, blinded, random_bytes))


def _spend_invitation(survey: int, link: bytes, exchange_hash: bytes) -> bool:
    """Spends the invitation for this exchange; returns True also if an earlier try of the same exchange spent it."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(SPEND, [link, survey])
        if cursor.rowcount:
            cursor.execute(SPENT, [link, survey])
            cursor.execute(EXCHANGED, [exchange_hash, survey, NO_EPOCH])
            return True
    return is_key_stored(survey, NO_EPOCH, exchange_hash)
