"""Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a request that is sent twice is performed
once.

The reply to a POST is stored for a day under a keyed hash of path and key, and encrypted; the token's secret
is in both keys, and stored nowhere. So nobody can read a reply in the database or a copy of it. Secrets that
the API shows once are left out nevertheless. Only success is stored: an error has changed nothing, and the
request may be sent again.
"""

import hmac
import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from api.models import Reply, Token
from jobs import database

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

HEADER = "Idempotency-Key"
PATTERN = re.compile(r"[!-~]{1,255}")
KEPT_FOR = timedelta(days=1)
HEADERS = ("Content-Type", "ETag", "Location")


class KeyReused(Exception):
    """Raised if a different request has used this key before."""


class KeyInUse(Exception):
    """Raised while the first request with this key runs, or if it was cut off, so that its effect is unknown."""


class Replayed(Exception):
    """Raised with the stored response if the same request was made before."""

    def __init__(self, response: HttpResponse) -> None:
        self.response = response
        super().__init__()


@dataclass(frozen=True)
class Claim:
    """The right of a request to be performed, as the first one with its idempotency key.

    `once`: members of the reply that are shown once, and so not stored.
    """

    name: str
    cipher: "Fernet"
    once: Collection[str]

    def store_or_release(self, response: HttpResponseBase) -> None:
        """Stores the response, so that the request can be repeated; releases the key after an error, or for a file,
        which is not stored."""
        if not isinstance(response, HttpResponse) or response.status_code >= 400:
            self.release()
            return
        body = response.content.decode()
        if self.once:
            body = json.dumps({**json.loads(body), **dict.fromkeys(self.once)})
        headers = {name: response[name] for name in HEADERS if name in response}
        stored = json.dumps([response.status_code, headers, body]).encode()
        Reply.objects.filter(pk=self.name).update(content=self.cipher.encrypt(stored))

    def release(self) -> None:
        Reply.objects.filter(pk=self.name).delete()


def claim_key(
    request: HttpRequest, token: Token, secret: str, key: str, once: Collection[str], now: datetime
) -> Claim:
    """Claims an idempotency key for this request; raises KeyReused, KeyInUse or Replayed if the key was used before."""
    from cryptography.fernet import Fernet  # late for cost

    def keyed_hash(purpose: str, content: str) -> bytes:
        return hmac.digest(secret.encode(), f"{purpose}\n{content}".encode(), "sha256")

    path_and_key = f"{request.path}\n{key}"
    name = keyed_hash("name", path_and_key).hex()
    claim = Claim(name, Fernet(urlsafe_b64encode(keyed_hash("reply", path_and_key))), once)
    sent = keyed_hash("request", _request_digest(request)).hex()
    Reply.objects.filter(_lapsed_condition(now), pk=name).delete()
    values: dict[str, Any] = {"token": token, "request": sent, "created": now}
    row, is_first = Reply.objects.get_or_create(pk=name, defaults=values)
    if is_first:
        return claim
    if row.request != sent:
        raise KeyReused
    if not row.content:
        raise KeyInUse
    status, headers, body = json.loads(claim.cipher.decrypt(bytes(row.content)))
    raise Replayed(HttpResponse(body, status=status, headers=headers))


def _request_digest(request: HttpRequest) -> str:
    """Returns a digest of the request's query and body; for a form, of its fields and files, since the
    multipart boundary differs at each sending."""
    digest = sha256(request.META.get("QUERY_STRING", "").encode(errors="surrogateescape"))
    if request.content_type == "multipart/form-data":
        digest.update(json.dumps(sorted(request.POST.lists())).encode())
        for name in sorted(request.FILES):
            for file in request.FILES.getlist(name):
                digest.update(json.dumps([name, file.size]).encode() + file.read())
                file.seek(0)
    else:
        digest.update(b"\n" + request.body)
    return digest.hexdigest()


def _lapsed_condition(now: datetime) -> Q:
    return Q(created__lte=now - KEPT_FOR) | Q(created__gt=database.latest_plausible_time(now))


def delete_old_replies(now: datetime) -> None:
    Reply.objects.filter(_lapsed_condition(now)).delete()
