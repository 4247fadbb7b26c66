"""Sessions of a person, with browser, start and last use; and the known devices of an account.

All data are in the session itself, so nothing stays when it ends. A list reads all sessions that have not
expired.

A known device is a browser in which a person has signed in before. Password guesses from elsewhere never make
a known device wait. Each account has its own cookie there, which proves that the device is known and does not
replace the password. The cookie becomes invalid when the password changes, and browsers send it to the
account's pages only.
"""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY, logout
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.models import Session
from django.core.signing import BadSignature, TimestampSigner
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.models import Person
from ui import cookie_and_log_paths

BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari"}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iOS",
    "iPad": "iPadOS",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}
STEP = 300
"""Least seconds between two updates of a session's last use."""
FACTOR_SECONDS = 300
"""Seconds after the use of a second factor within which factors may be changed."""
IDLE = 2 * 3600
"""Seconds without a request after which a session ends.

Irreversible actions ask for a proof long before (CONFIRM_MINUTES).
"""


@dataclass(frozen=True)
class SignedInSession:
    key: str
    browser: str
    begun: datetime | None
    used: datetime | None
    is_current: bool

    @property
    def number(self) -> str:
        """Identifier of the session on a page; the session key itself would let a reader take over the session."""
        return salted_hmac("accounts.sessions", self.key, algorithm="sha256").hexdigest()[:16]


@receiver(user_logged_in, dispatch_uid="accounts.sessions")
def record_session_start(request: HttpRequest, **kwargs: object) -> None:
    now = time.time()
    browser = browser_name(request.META.get("HTTP_USER_AGENT", ""))
    request.session["signed_in"] = {"browser": browser, "begun": now, "used": now}
    # Notes of its use would else put its end off.
    request.session.set_expiry(timezone.now() + timedelta(seconds=settings.SESSION_COOKIE_AGE))
    record_identity_proof(request)


def record_identity_proof(request: HttpRequest, moment: float | None = None) -> None:
    """Records in the session that the person proved their identity, at `moment` or now."""
    request.session["proved"] = time.time() if moment is None else moment


def record_factor_use(request: HttpRequest) -> None:
    request.session["factor_shown"] = time.time()


def has_just_shown_factor(request: HttpRequest) -> bool:
    """True if the person used a second factor on the confirmation page within a few minutes."""
    shown: float = request.session.get("factor_shown", 0)
    return 0 <= time.time() - shown < FACTOR_SECONDS


def record_proof_request(request: HttpRequest) -> None:
    """Records that a provider is asked now to authenticate the person again; older proofs of identity are refused."""
    request.session["proof_begun"] = time.time()


def is_proof_too_old(request: HttpRequest, moment: float) -> bool:
    """Returns True if a provider's proof of identity is older than our request for it.

    Times of providers are in whole seconds.
    """
    begun: float = request.session.get("proof_begun", 0)
    return moment < begun - 1


def seconds_since_proof(request: HttpRequest) -> float:
    """Returns the seconds since the person last proved their identity; negative if the clock was set back."""
    proved: float = request.session.get("proved", 0)
    return time.time() - proved


def list_sessions(person: Person, current: str | None) -> list[SignedInSession]:
    """Returns the person's sessions that have not expired: the current one first, then by last use."""
    sessions = []
    for row in Session.objects.filter(expire_date__gt=timezone.now()).iterator():
        data = row.get_decoded()
        # A changed password ends a session at its next request; its row is there until it lapses.
        if (
            data.get(SESSION_KEY) != str(person.pk)
            or data.get(HASH_SESSION_KEY) != person.get_session_auth_hash()
        ):
            continue
        facts = data.get("signed_in", {})
        sessions.append(
            SignedInSession(
                row.session_key,
                facts.get("browser", ""),
                from_timestamp(facts.get("begun")),
                from_timestamp(facts.get("used")),
                row.session_key == current,
            )
        )
    oldest = datetime.min.replace(tzinfo=UTC)
    sessions.sort(key=lambda session: (session.is_current, session.used or oldest), reverse=True)
    return sessions


def end_sessions(sessions: list[SignedInSession]) -> None:
    Session.objects.filter(session_key__in=[session.key for session in sessions]).delete()


def end_all_sessions(person: Person, *, except_key: str | None = None) -> None:
    """Ends all sessions of the person except the one with the key `except_key`."""
    end_sessions([session for session in list_sessions(person, except_key) if not session.is_current])


def browser_name(user_agent: str) -> str:
    """Returns browser and system, such as "Firefox, Linux"; empty if the header names neither.

    The whole header would reveal more than a list of sessions needs.
    """
    browser = next((name for word, name in BROWSERS.items() if word in user_agent), "")
    system = next((name for word, name in SYSTEMS.items() if word in user_agent), "")
    return ", ".join(name for name in (browser, system) if name)


def from_timestamp(seconds: float | None) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds else None


class SessionUse:
    """Middleware: records the last use of a session every few minutes, without extending it, and ends
    sessions that are idle too long. Forbids browsers and caches to store responses to signed-in people."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if cookie_and_log_paths.carries_cookies(request.path_info) and request.user.is_authenticated:
            facts, now = request.session.get("signed_in", {}), time.time()
            if now - facts.get("used", now) > IDLE:
                logout(request)
            elif abs(now - facts.get("used", 0)) > STEP:
                request.session["signed_in"] = {**facts, "used": now}
        response = self.get_response(request)
        # Other pages know nobody, and asking for the user would make them vary by cookie.
        if request.session.accessed and request.user.is_authenticated:
            patch_cache_control(response, private=True, no_store=True)
        return response


# --- known devices -----------------------------------------------------------------------------------------

YEAR = 365 * 24 * 3600
SALT = "accounts.devices"


def remember_device(request: HttpRequest, response: HttpResponse, person: Person) -> None:
    """Makes this browser a known device of the person, who just proved their identity by password or mail."""
    username = person.get_username()
    device = get_known_device_name(request, username) or secrets.token_hex(16)
    response.set_cookie(
        _device_cookie_name(username),
        TimestampSigner(salt=SALT).sign(f"{device}-{_device_signature_text(person)}"),
        max_age=YEAR,
        path=reverse("accounts:account"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def get_known_device_name(request: HttpRequest, username: str) -> str:
    """Returns the random name of this device if this person has signed in on it before; else an empty text.

    The name identifies the device in counts of failures.
    """
    cookie = request.COOKIES.get(_device_cookie_name(username), "")
    if not cookie:
        return ""
    try:
        device, _, about = TimestampSigner(salt=SALT).unsign(cookie, max_age=YEAR).partition("-")
    except BadSignature:
        return ""
    person = Person.objects.filter(username=username, is_active=True).first()
    return (
        device if person is not None and constant_time_compare(about, _device_signature_text(person)) else ""
    )


def _device_cookie_name(username: str) -> str:
    """Returns the name of the person's cookie, since several people may share a browser."""
    prefix = "__Secure-" if settings.SESSION_COOKIE_SECURE else ""
    return f"{prefix}device-{salted_hmac(SALT, username, algorithm='sha256').hexdigest()[:12]}"


def _device_signature_text(person: Person) -> str:
    return salted_hmac(SALT, f"{person.pk} {person.password}", algorithm="sha256").hexdigest()[:32]
