"""Limits of sign-ins: our backend asks before each password that is looked at, and few are hashed at a time.

`accounts.guessing` decides who waits. What was decided is remembered on the request, for the page that says how long.

Two passwords at a time are hashed in a process; a further one is refused at once. A hash of Argon2 takes 100 MB and a
third of a second of a processor, which the respondents' pages need too. One of the two is kept for people who have
proved something already: a known device, a session or a link that came by mail. So sign-ins of strangers, however
many, keep none of them out. Hashes run in threads of a lower priority, so that pages are answered first.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.contrib.sessions.models import Session
from django.core.exceptions import PermissionDenied
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from accounts import guessing, passwords, sessions, site
from accounts.guessing import GuessAttempt
from accounts.models import Lockout, Person

T = TypeVar("T")
logger = logging.getLogger(__name__)
LONGEST_COUNT = timedelta(days=3)
"""No count is kept as long."""
_late = threading.BoundedSemaphore(3)
"""Of the four threads that a process has for such pages; one goes on serving."""


class MustWait(Exception):
    """No password is looked at yet; `request.seconds_to_wait` says for how long. The form's page is not made either."""


class GuessLimit(ModelBackend):
    """Django's backend for those who need not wait, `MustWait` for others; no backend after it is asked.
    `Busy` where too many passwords are looked at just now."""

    def authenticate(
        self, request: Any, username: str | None = None, password: str | None = None, **credentials: Any
    ) -> Any:
        if request is None:
            raise ValueError(
                "authenticate() needs the request: wrong passwords are counted by where they come from"
            )
        guess = request.guess = guess_attempt(request, username or "")
        request.seconds_to_wait = guess.wait(_current_time())
        if request.seconds_to_wait:
            raise MustWait
        # A try that is refused because others are being looked at is not counted.
        with hashing_slot(stranger=not guess.device):
            request.seconds_to_wait = guess.take(_current_time())
            person = None
            if not request.seconds_to_wait and passwords.may_use_password(username or ""):
                person = super().authenticate(request, username, password, **credentials)
        if person is None:
            raise PermissionDenied
        return person


@receiver(user_login_failed, dispatch_uid="accounts.lockout")
def on_wrong_password(request: Any, **kwargs: object) -> None:
    """The log says neither whose nor from where."""
    logger.info("A password was wrong")
    guess: GuessAttempt | None = getattr(request, "guess", None)
    if guess is not None and not request.seconds_to_wait:
        request.seconds_to_wait = guess.wait_of_place(_current_time())


def on_right_password(request: HttpRequest, **kwargs: object) -> None:
    """The password that was looked at last was right."""
    guess: GuessAttempt | None = getattr(request, "guess", None)
    if guess is not None:
        guess.succeed()


@receiver(user_logged_in, dispatch_uid="accounts.lockout.signed-in")
def log_sign_in(user: Person, **kwargs: object) -> None:
    logger.info("Account %s signed in", user.pk)


user_logged_in.connect(on_right_password, dispatch_uid="accounts.lockout")


class LockoutPages:
    """Middleware: whoever has to wait sees for how long, whatever page asked for the password."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        seconds: int = getattr(request, "seconds_to_wait", 0)
        if not seconds:
            return response
        return lockout_page(request, seconds, "network" if request.guess.from_network else "account")  # type: ignore[attr-defined]

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, Busy):
            return lockout_page(request, RETRY_SECONDS, "busy")
        # What is answered above.
        return HttpResponse(status=429) if isinstance(exception, MustWait) else None


def guess_attempt(request: HttpRequest, username: str) -> GuessAttempt:
    return GuessAttempt(
        username,
        sessions.known_device(request, username),
        guessing.subscriber_network(client_address(request)),
    )


def _current_time() -> float:
    return timezone.now().timestamp()


def lockout_page(request: HttpRequest, seconds: int, reason: str) -> HttpResponse:
    """Late and in plain text: a flood of sign-ins waits for itself, and does not cost a page each."""
    if _late.acquire(blocking=False):
        try:
            time.sleep(settings.REFUSED_SIGN_IN_SECONDS)
        finally:
            _late.release()
    minutes = -(-seconds // 60)
    if seconds < 120:
        words = ngettext(
            "You can try again in %(counter)s second.", "You can try again in %(counter)s seconds.", seconds
        )
        wait = words % {"counter": seconds}
    else:
        words = ngettext(
            "You can try again in %(counter)s minute.", "You can try again in %(counter)s minutes.", minutes
        )
        wait = words % {"counter": minutes}
    if reason == "busy":
        why = _("Other people are signing in at this moment, so nothing was done. Go back and send it again.")
        paragraphs = [_("Many passwords are being checked"), f"{why} {wait}"]
    else:
        why = (
            _("Many wrong names or passwords were entered in your network.")
            if reason == "network"
            else _("Someone has entered a wrong password too often for this account.")
        )
        reset = site.site_url(reverse("accounts:password-reset"))
        paragraphs = [
            _("Too many wrong passwords"),
            f"{why} {wait}",
            _(
                "Your password was not checked if you tried before the wait was over. Trying earlier does not make the"
                " wait longer."
            ),
            _(
                "In a browser in which you have signed in before, other people’s attempts never make you wait. You can"
                " also set a new password by email; it may be the old one."
            )
            + f" {reset}",
        ]
    text = "\n\n".join(paragraphs) + "\n"
    headers = {"Retry-After": str(seconds)}
    return HttpResponse(text, "text/plain; charset=utf-8", 429, headers=headers)


def client_address(request: HttpRequest) -> str:
    """The address that one's own proxy saw; whatever stands before it in the header, anybody may have written."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.BEHIND_PROXY else ""
    return forwarded.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", "")


def forgive_failures(person: Person, request: HttpRequest) -> None:
    """Reset the failures of this place: the person has just proved their identity by mail."""
    guess_attempt(request, person.get_username()).succeed()


def delete_expired_counts(now: datetime) -> None:
    """Lapsed counts and sessions do nothing any more, but their rows would stay; so would counts from before the clock
    was set back."""
    Lockout.objects.exclude(expires__range=(now, now + LONGEST_COUNT)).delete()
    Session.objects.filter(expire_date__lt=now).delete()


# --- hashes of passwords -------------------------------------------------------------------------------

AT_ONCE = 2
RETRY_SECONDS = 5

_slots = threading.BoundedSemaphore(AT_ONCE)
_for_strangers = threading.BoundedSemaphore(AT_ONCE - 1)
_thread = threading.local()
NICENESS = 5
"""A quarter of a processor beside pages that want all of it: enough for a sign-in to end."""


class Busy(Exception):
    """As many passwords are hashed as may be at a time."""


@contextmanager
def hashing_slot(*, stranger: bool = False) -> Iterator[None]:
    """The right to hash passwords in this thread, until the block ends; `Busy` where there is none left."""
    if getattr(_thread, "has_slot", False):
        yield
        return
    with ExitStack() as taken:
        for semaphore in (_for_strangers, _slots) if stranger else (_slots,):
            if not semaphore.acquire(blocking=False):
                raise Busy
            taken.callback(semaphore.release)
        _thread.has_slot = True
        taken.callback(setattr, _thread, "has_slot", False)
        yield


def lower_thread_priority() -> None:
    """Lower the priority of this thread, and of those that Argon2 starts from it."""
    thread = threading.get_native_id()
    os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + NICENESS)


_pools: list[ThreadPoolExecutor] = []


def call_at_low_priority(function: Callable[[], T]) -> T:
    """Call this in a thread of a lower priority."""
    if not _pools:
        _pools.append(ThreadPoolExecutor(AT_ONCE, "hashing", lower_thread_priority))
    return _pools[0].submit(function).result()


# A child has none of its parent's threads.
os.register_at_fork(after_in_child=_pools.clear)


class LimitedArgon2(Argon2PasswordHasher):
    """Django's hasher within a slot, whatever asks for it: a form, the administration or a command.

    With one thread in place of eight: the work is the same, and eight of a lower priority outweigh one that makes a
    page.
    """

    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        with hashing_slot():
            return call_at_low_priority(lambda: super(LimitedArgon2, self).encode(password, salt))

    def verify(self, password: str, encoded: str) -> bool:
        with hashing_slot():
            return call_at_low_priority(lambda: super(LimitedArgon2, self).verify(password, encoded))
