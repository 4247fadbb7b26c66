"""The signature of a delivery, by Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over its id, the
time of the try and the body, so that neither an old nor a changed one passes as new."""

import hmac
import secrets
from base64 import b64decode, b64encode
from datetime import datetime

PREFIX = "whsec_"
SECRET_BYTES = 32


def new_secret() -> str:
    return PREFIX + b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def signed_headers(secret: str, message: str, body: bytes, now: datetime) -> dict[str, str]:
    timestamp = str(int(now.timestamp()))
    key = b64decode(secret.removeprefix(PREFIX))
    digest = hmac.digest(key, f"{message}.{timestamp}.".encode() + body, "sha256")
    return {
        "webhook-id": message,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{b64encode(digest).decode()}",
    }
