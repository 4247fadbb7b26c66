"""Limits how often a password may be guessed, by place and by account; the counts are in the cache and
expire.

A *place* is a device that the account knows, or else the network that a request comes from: an address of
IPv4, a /48 of IPv6. A place has five tries. After these each further try has to wait, half a minute at first
and twice as long after each failure, at most six hours. Nobody else's tries change that, nor do tries before
the wait is over.

An account grants twenty tries an hour to all unknown devices together. While these are used up, an unknown
device has to wait from its first try on. So many places together can try little, and the owner can still sign
in: at once on a known device, else half a minute after their first try, unless guesses come from their own
network. Then, and always, a password set by mail makes the device known.

A network grants thirty tries in ten minutes to all unknown devices in it together, whatever names they try:
tries under invented names cost a hash each too. A right password gives its try back, and a known device takes
none: people at a university whose network has one address get in however many of them there are. One address
of IPv4 counts alone. The other addresses of its /24 belong to other customers of a provider, who should not
wait for it; an attacker with all 256 is limited by `accounts.lockout`, as everybody is. For IPv6 the unit is
a /48, which a provider may give to one customer: in a single /56 there are 256 networks of /64, and in a /48
65,536.

A try is counted before the password is checked, and its count is removed if it was right, so that
simultaneous requests cannot exceed the limit. A stored time later than now comes from before the clock was
set back, and counts as now.
"""

import ipaddress
import math
import secrets
from dataclasses import dataclass, field
from functools import cached_property

from django.core.cache import cache
from django.utils.crypto import salted_hmac

FREE_TRIES = 5
"""Number of tries that a place (device or network) has before it must wait."""
WAIT, LONGEST = 30, 6 * 3600
"""The first and the longest wait in seconds."""
ACCOUNT_TRIES, ACCOUNT_SECONDS = 20, 3600
NETWORK_TRIES, NETWORK_SECONDS = 30, 600
"""Number of tries, and seconds until a try is free again, for all unknown devices of a network together."""
DAY = 24 * 3600
MOMENT = 60


def subscriber_network(address: str) -> str:
    """Returns the network that a provider gives one customer: the address itself for IPv4, its /48 for IPv6."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 48), strict=False))


def seconds_after_failures(failures: int, *, account_tries_used_up: bool) -> int:
    """Returns how many seconds a device or network must wait after its last failed try.

    `account_tries_used_up`: the account's tries for unknown devices are used up.
    """
    beyond = failures if account_tries_used_up else failures - FREE_TRIES
    return min(WAIT * 2 ** min(beyond, 20), LONGEST) if beyond >= 0 else 0


@dataclass
class SharedTries:
    """A fixed number of tries that several devices or networks share; a used try is blocked for `seconds`.

    Each try is a cache entry of its own with the time of its use, so that simultaneous requests cannot take the same
    one.
    """

    names: list[str]
    seconds: int
    taken: str = field(default="", init=False)
    left: int = field(default=0, init=False)
    reset: int = field(default=0, init=False)
    """Set by `use_try`: `left`: number of free tries; `reset`: seconds until the oldest try is free again."""

    def seconds_to_wait(self, now: float) -> int:
        """Returns the seconds until a try is free; 0 if one is free now."""
        since = self._times_of_tries(now)
        if len(since) < len(self.names):
            return 0
        return max(1, math.ceil(min(since.values()) + self.seconds - now))

    def use_try(self, now: float) -> bool:
        """Takes a free try; returns False if none is free. Sets `left` and `reset`."""
        since = self._times_of_tries(now)
        self.taken = next(
            (name for name in self.names if name not in since and cache.add(name, now, self.seconds)), ""
        )
        self.left = len(self.names) - len(since) - bool(self.taken)
        self.reset = max(1, math.ceil(min(since.values(), default=now) + self.seconds - now))
        return bool(self.taken)

    def give_back(self) -> None:
        if self.taken:
            cache.delete(self.taken)
            self.taken = ""

    def _times_of_tries(self, now: float) -> dict[str, float]:
        since = cache.get_many(self.names)
        void = [name for name in since if since[name] > now + MOMENT]
        cache.delete_many(void)
        return {name: since[name] for name in since if name not in void}


@dataclass
class GuessAttempt:
    """One attempt to guess a password. Its *place* is the known `device`, if there is one, else the `network`.

    `from_network`: the whole network has to wait, not only this place.
    """

    username: str
    device: str
    network: str
    from_network: bool = field(default=False, init=False)

    def seconds_to_wait(self, now: float) -> int:
        """Returns the seconds to wait before the password may be checked; counts no try."""
        return self._seconds_until_network_is_free(now) or self.seconds_until_origin_is_free(now)

    def use_try_or_get_wait(self, now: float) -> int:
        """Counts this try and returns 0 if the password may be checked; else returns the seconds to wait."""
        if not self.device and not self._network_tries.use_try(now):
            return self._seconds_until_network_is_free(now) or 1
        wait = self._use_try_of_origin(now)
        if wait:
            self._network_tries.give_back()
        return wait

    def _use_try_of_origin(self, now: float) -> int:
        """Counts this try of the device or network and returns 0, or returns the seconds to wait."""
        guarded = self._is_guarded(now)
        row = self._failures_of_origin(now)
        if row is None:
            first = (0 if guarded else 1, now)
            if not cache.add(self._origin_cache_key, first, DAY):
                return 1
            if guarded:
                return WAIT
        else:
            failures, since = row
            if wait := self.seconds_until_origin_is_free(now):
                return wait
            # One request of those that come in the same moment.
            if not cache.add(f"{self._origin_cache_key}-{failures}-{since}", 1, MOMENT):
                return 1
            cache.set(self._origin_cache_key, (failures + 1, now), DAY)
        if not guarded and not self.device and not self._account_tries.use_try(now):
            return WAIT
        return 0

    def clear_failures_and_used_tries(self) -> None:
        """Deletes the failures of this device or network and gives back the used tries, after a correct password or a
        proof of identity by mail."""
        cache.delete(self._origin_cache_key)
        self._account_tries.give_back()
        self._network_tries.give_back()

    def _seconds_until_network_is_free(self, now: float) -> int:
        wait = 0 if self.device else self._network_tries.seconds_to_wait(now)
        self.from_network = bool(wait)
        return wait

    def seconds_until_origin_is_free(self, now: float) -> int:
        """Returns the seconds until this device or network may try again; 0 if it may now."""
        row = self._failures_of_origin(now)
        if row is None:
            return 0
        failures, since = row
        return max(
            0,
            math.ceil(
                since + seconds_after_failures(failures, account_tries_used_up=self._is_guarded(now)) - now
            ),
        )

    def _failures_of_origin(self, now: float) -> tuple[int, float] | None:
        """Returns how many tries of this device or network failed, and when the last one did; None if none failed."""
        row: tuple[int, float] | None = cache.get(self._origin_cache_key)
        if row and row[1] > now + MOMENT:
            row = (row[0], now)
            cache.set(self._origin_cache_key, row, DAY)
        return row

    @cached_property
    def _reset_marker(self) -> str:
        """A text in all of the account's cache keys; when `reset_counts` changes it, all counts start anew."""
        epoch: str = cache.get(_reset_marker_key(self.username), "")
        return epoch

    def _key(self, kind: str, name: str) -> str:
        return hash_for_cache(f"{kind} {self._reset_marker} {name} {self.username}")

    @cached_property
    def _origin_cache_key(self) -> str:
        return self._key("device", self.device) if self.device else self._key("network", self.network)

    @cached_property
    def _account_tries(self) -> SharedTries:
        return SharedTries(
            [self._key("shared", str(number)) for number in range(ACCOUNT_TRIES)], ACCOUNT_SECONDS
        )

    @cached_property
    def _network_tries(self) -> SharedTries:
        # The name is no part of it: all names together.
        names = [hash_for_cache(f"all-names {number} {self.network}") for number in range(NETWORK_TRIES)]
        return SharedTries(names, NETWORK_SECONDS)

    def _is_guarded(self, now: float) -> bool:
        """True if the device is unknown and the account's tries for unknown devices are used up."""
        return not self.device and self._account_tries.seconds_to_wait(now) > 0


def reset_counts(username: str) -> None:
    """Makes all counts of failed sign-ins of this account start anew."""
    cache.set(_reset_marker_key(username), secrets.token_hex(8), 2 * DAY)


def _reset_marker_key(username: str) -> str:
    return hash_for_cache(f"epoch {username}")


def hash_for_cache(words: str) -> str:
    """Returns a hash for use as cache key, so that the cache reveals no account and no address."""
    return salted_hmac("accounts.password_guess_limits", words, algorithm="sha256").hexdigest()
