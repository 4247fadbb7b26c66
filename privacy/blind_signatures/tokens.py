"""Tokens that replace invitations: 32 random bytes of the device and their blind signature, as one text."""

import re
from math import exp

from privacy.blind_signatures.protocol import (
    PREFIX,
    base64url_bytes,
    base64url_text,
    read_public_key,
    verify,
)

BLINDED = re.compile(r"[-\w]{342}", re.ASCII)
"""Pattern of the text of a blinded message, or of its signature."""
BLINDED_LENGTH, TOKEN_LENGTH = 342, 384
"""Number of characters of a blinded message, and of a token, as text."""
WHOLE_TOKEN = re.compile(r"[-\w]{384}", re.ASCII)


def is_token_signed(key: str, token: str) -> bool:
    """Returns True if the token was signed by the private key of the public key `key`.

    It takes half a millisecond, and the token does not tell which invitation it came from.
    """
    if WHOLE_TOKEN.fullmatch(token) is None:
        return False
    content = base64url_bytes(token)
    return verify(read_public_key(key), content[:PREFIX], content[PREFIX:])


def make_token(message: bytes, signature: bytes) -> str:
    """Returns the text of a token: message and signature in base64url."""
    return base64url_text(message + signature)


# --- waits
# How long a device waits with the record of an exchanged invitation, and what the times still tell.

MEAN_WAIT = 3_600
"""Mean waiting time, in seconds, before a device that can keep the record sends it (exponential)."""
LONGEST_WAIT = 86_400
"""Longest waiting time in seconds; one in 26 thousand million draws would be longer."""
SHORT_WAIT = (30, 120)
"""Least and most seconds of the uniform waiting time of a device that cannot keep the record."""


def share_linkable_by_time(people_an_hour: float) -> float:
    """Returns the share of exchanges that an observer can link to the record sent later, by the times alone.

    `people_an_hour`: pace of the exchanges. The observer is assumed to know who is waiting. The wait has no memory. So
    each person who waits, whose number N apart from this one is Poisson with mean m, is equally likely to be the next:
    E[1 / (1 + N)] = (1 - exp(-m)) / m. An observer of times alone links fewer (`tests/bench/test_exchange_times.py`).
    """
    waiting = people_an_hour * MEAN_WAIT / 3_600
    return (1 - exp(-waiting)) / waiting if waiting else 1.0
