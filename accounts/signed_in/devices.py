"""Known devices: browsers in which a person has signed in before. Guesses elsewhere never make them wait.

Each account has a cookie of its own there. It proves that the device is known and does not replace the password. It is
void once the password has changed, and browsers send it to the account's pages only.
"""

import secrets

from django.conf import settings
from django.core.signing import BadSignature, TimestampSigner
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.models import Person

YEAR = 365 * 24 * 3600
SALT = "accounts.devices"


def remember(request: HttpRequest, response: HttpResponse, person: Person) -> None:
    """The person has just proved who they are, by password or by mail."""
    username = person.get_username()
    device = known_device(request, username) or secrets.token_hex(16)
    response.set_cookie(
        _name(username),
        TimestampSigner(salt=SALT).sign(f"{device}-{_about(person)}"),
        max_age=YEAR,
        path=reverse("accounts:account"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def known_device(request: HttpRequest, username: str) -> str:
    """The device's name, where somebody has signed in as this person before; else nothing."""
    cookie = request.COOKIES.get(_name(username), "")
    if not cookie:
        return ""
    try:
        device, _, about = TimestampSigner(salt=SALT).unsign(cookie, max_age=YEAR).partition("-")
    except BadSignature:
        return ""
    person = Person.objects.filter(username=username, is_active=True).first()
    return device if person is not None and constant_time_compare(about, _about(person)) else ""


def _name(username: str) -> str:
    """Several people may share a browser."""
    prefix = "__Secure-" if settings.SESSION_COOKIE_SECURE else ""
    return f"{prefix}device-{salted_hmac(SALT, username).hexdigest()[:12]}"


def _about(person: Person) -> str:
    return salted_hmac(SALT, f"{person.pk} {person.password}", algorithm="sha256").hexdigest()[:32]
