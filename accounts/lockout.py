"""Limits sign-ins: delays repeated wrong passwords, and hashes few passwords at a time.

`accounts.password_guess_limits` decides how long to wait. The result is stored on the request, for the page that
reports it.

A process hashes two passwords at a time and refuses a further one at once: Argon2 takes 100 MB and a third of
a second, which respondents' pages need too. One of the two slots is for people with a known device, a session
or a link from an email, so that strangers' sign-ins never lock them out. Hashing threads have a lower
priority than pages.
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

from accounts import password_guess_limits, password_links, sessions, site_address
from accounts.models import Lockout, Person
from accounts.password_guess_limits import GuessAttempt
from ui.sentence_joining import join_sentences

T = TypeVar("T")
logger = logging.getLogger(__name__)
LONGEST_COUNT = timedelta(days=3)
"""Time after which every count has expired."""
_late = threading.BoundedSemaphore(3)
"""Limits delayed responses to three of the eight threads of a process (`config.web_server`), so that five go on
serving.
"""


class MustWait(Exception):
    """Raised, without checking the password, if the person must wait; `request.seconds_to_wait` says how long."""


class GuessLimit(ModelBackend):
    """Authentication backend like Django's, except that it limits tries.

    Raises `MustWait` for a person who has to wait, `HashingSlotsBusy` if too many passwords are being hashed, and
    PermissionDenied for a wrong password, so that no further backend is tried.
    """

    def authenticate(
        self, request: Any, username: str | None = None, password: str | None = None, **credentials: Any
    ) -> Any:
        if request is None:
            raise ValueError(
                "authenticate() needs the request: wrong passwords are counted by where they come from"
            )
        guess = request.guess = make_guess_attempt(request, username or "")
        request.seconds_to_wait = guess.seconds_to_wait(_current_time())
        if request.seconds_to_wait:
            raise MustWait
        # A try that is refused because others are being looked at is not counted.
        with hashing_slot_or_busy(stranger=not guess.device):
            request.seconds_to_wait = guess.use_try_or_get_wait(_current_time())
            person = None
            if not request.seconds_to_wait and password_links.may_use_password(username or ""):
                person = super().authenticate(request, username, password, **credentials)
        if person is None:
            raise PermissionDenied
        return person


@receiver(user_login_failed, dispatch_uid="accounts.lockout")
def log_wrong_password(request: Any, **kwargs: object) -> None:
    """Logs a failed sign-in without account and address."""
    logger.info("A password was wrong")
    guess: GuessAttempt | None = getattr(request, "guess", None)
    if guess is not None and not request.seconds_to_wait:
        request.seconds_to_wait = guess.seconds_until_origin_is_free(_current_time())


def on_right_password(request: HttpRequest, **kwargs: object) -> None:
    """Gives back the tries that this request counted, and deletes the failures, after a correct password."""
    guess: GuessAttempt | None = getattr(request, "guess", None)
    if guess is not None:
        guess.clear_failures_and_used_tries()


@receiver(user_logged_in, dispatch_uid="accounts.lockout.signed-in")
def log_sign_in(user: Person, **kwargs: object) -> None:
    logger.info("Account %s signed in", user.pk)


user_logged_in.connect(on_right_password, dispatch_uid="accounts.lockout")


class LockoutPages:
    """Middleware: shows how long to wait, whatever page asked for the password, if a sign-in was refused for too many
    tries."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        seconds: int = getattr(request, "seconds_to_wait", 0)
        if not seconds:
            return response
        return lockout_page(seconds, "network" if request.guess.from_network else "account")  # type: ignore[attr-defined]

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, HashingSlotsBusy):
            return lockout_page(RETRY_SECONDS, "busy")
        # What is answered above.
        return HttpResponse(status=429) if isinstance(exception, MustWait) else None


def make_guess_attempt(request: HttpRequest, username: str) -> GuessAttempt:
    return GuessAttempt(
        username,
        sessions.get_known_device_name(request, username),
        password_guess_limits.subscriber_network(client_address(request)),
    )


def _current_time() -> float:
    return timezone.now().timestamp()


def lockout_page(seconds: int, reason: str) -> HttpResponse:
    """Returns, after a delay, a plain-text response that says how long to wait; so a flood of sign-ins is slow and
    costs no rendered page."""
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
        paragraphs = [_("Many passwords are being checked"), join_sentences([why, wait])]
    else:
        why = (
            _("Many wrong names or passwords were entered in your network.")
            if reason == "network"
            else _("Someone has entered a wrong password too often for this account.")
        )
        reset = site_address.site_url(reverse("accounts:password-reset"))
        paragraphs = [
            _("Too many wrong passwords"),
            join_sentences([why, wait]),
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
    """Returns the client address that our own proxy recorded; earlier entries of the header may be forged."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.BEHIND_PROXY else ""
    return forwarded.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", "")


def forgive_failures(person: Person, request: HttpRequest) -> None:
    """Deletes the counted failures of this person on this device or network, after they proved their identity by
    mail."""
    make_guess_attempt(request, person.get_username()).clear_failures_and_used_tries()


def delete_expired_counts_and_sessions(now: datetime) -> None:
    """Deletes expired counts and sessions, and counts from before the clock was set back."""
    Lockout.objects.exclude(expires__range=(now, now + LONGEST_COUNT)).delete()
    Session.objects.filter(expire_date__lt=now).delete()


# --- hashes of passwords -------------------------------------------------------------------------------

AT_ONCE = 2
RETRY_SECONDS = 5

_slots = threading.BoundedSemaphore(AT_ONCE)
_for_strangers = threading.BoundedSemaphore(AT_ONCE - 1)
_thread = threading.local()
NICENESS = 5
"""Nice value of hashing threads: a quarter of a processor next to busy pages, enough to finish a sign-in."""


class HashingSlotsBusy(Exception):
    """Raised if the allowed number of passwords is being hashed already."""


@contextmanager
def hashing_slot_or_busy(*, stranger: bool = False) -> Iterator[None]:
    """Reserves a slot for hashing a password until the block ends; raises `HashingSlotsBusy` if none is free.

    `stranger`: the person has no known device, session or email link, and may not use the slot reserved for people who
    have one.
    """
    if getattr(_thread, "has_slot", False):
        yield
        return
    with ExitStack() as taken:
        for semaphore in (_for_strangers, _slots) if stranger else (_slots,):
            if not semaphore.acquire(blocking=False):
                raise HashingSlotsBusy
            taken.callback(semaphore.release)
        _thread.has_slot = True
        taken.callback(setattr, _thread, "has_slot", False)
        yield


def lower_thread_priority() -> None:
    """Lowers the priority of this thread, and of the threads that Argon2 starts from it."""
    thread = threading.get_native_id()
    os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + NICENESS)


_pools: list[ThreadPoolExecutor] = []


def call_at_low_priority(function: Callable[[], T]) -> T:
    """Calls a function in a thread of lower priority and returns its result."""
    if not _pools:
        _pools.append(ThreadPoolExecutor(AT_ONCE, "hashing", lower_thread_priority))
    return _pools[0].submit(function).result()


# A child has none of its parent's threads.
os.register_at_fork(after_in_child=_pools.clear)


class LimitedArgon2(Argon2PasswordHasher):
    """Argon2 hasher that needs a hashing slot, whether a form, the administration or a command uses it.

    It uses one thread instead of eight: the work is the same, and eight low-priority threads would slow a
    thread that makes a page.
    """

    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        with hashing_slot_or_busy():
            return call_at_low_priority(lambda: super(LimitedArgon2, self).encode(password, salt))

    def verify(self, password: str, encoded: str) -> bool:
        with hashing_slot_or_busy():
            return call_at_low_priority(lambda: super(LimitedArgon2, self).verify(password, encoded))
