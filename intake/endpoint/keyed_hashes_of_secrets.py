"""Hashes under which submission keys, tokens, exchanges, invitations and secrets of field devices are stored.

A hash has 16 bytes and is keyed by a secret of its survey, which is stored beside the hashes and in backups,
and deleted with them. Kinds and surveys are separated: the same text has different hashes.
"""

from enum import Enum
from hashlib import blake2b
from secrets import token_bytes

from django.db import connection

from intake.models import HASH_BYTES, KeySecret

SECRET_BYTES = 32
MAKE = "INSERT INTO intake_keysecret (survey_id, secret) VALUES (%s, %s) ON CONFLICT DO NOTHING"


class HashedTextKind(Enum):
    """Kinds of texts that are hashed; the value separates the hashes of one kind from those of others."""

    KEY = b"candor key"
    TOKEN = b"candor token"
    EXCHANGE = b"candor exchange"
    LINK = b"candor link"
    FIELD_TOKEN = b"candor fieldtok"
    TICKET = b"candor ticket"
    DEVICE = b"candor device"
    LOT = b"candor lot"


def hash_with_secret(secret: bytes, kind: HashedTextKind, text: str) -> bytes:
    """Returns the hash under which a text of this kind is stored; `secret`: the survey's secret."""
    return blake2b(text.encode(), digest_size=HASH_BYTES, key=secret, person=kind.value).digest()


def get_or_create_survey_secret(survey: int) -> bytes:
    """Returns the secret of this survey's hashes; the first call creates and stores it."""
    with connection.cursor() as cursor:
        cursor.execute(MAKE, [survey, token_bytes(SECRET_BYTES)])
    return bytes(KeySecret.objects.get(survey=survey).secret)
