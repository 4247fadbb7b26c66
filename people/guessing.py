"""How often a password may be guessed, by place and by account; the counts live in the cache and lapse.

A *place* is a device that the account knows, or else the network that a request comes from: an address of IPv4, a /48
of IPv6. A place has five tries. After that each further one has to wait, half a minute at first and twice as long after
each failure, at most six hours. Nobody else's tries change that, nor do tries before the wait is over.

An account grants twenty tries an hour to all unknown devices together. While they are used up, an unknown device has to
wait from its first try on. So many places together try little, and the owner gets in: at once on a known device, else
half a minute after their first try, unless guesses come from their own network. Then, and always, a password set by
mail makes the device known.

A try is counted before the password is looked at, and uncounted when it was right: requests of one moment do not slip
through together.
"""

import ipaddress
import math
import secrets
from dataclasses import dataclass, field
from functools import cached_property

from django.core.cache import cache
from django.utils.crypto import salted_hmac

FREE = 5
WAIT, LONGEST = 30, 6 * 3600
SHARED, SHARED_FOR = 20, 3600
DAY = 24 * 3600
MOMENT = 60


def network(address: str) -> str:
    """The network of one subscriber; with IPv6 it has many addresses."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 48), strict=False))


def wait_after(failures: int, *, guarded: bool) -> int:
    """Seconds from a place's last try to its next."""
    beyond = failures if guarded else failures - FREE
    return min(WAIT * 2 ** min(beyond, 20), LONGEST) if beyond >= 0 else 0


@dataclass
class GuessAttempt:
    """One person's try, from a place; `device` is empty where the account does not know it."""

    username: str
    device: str
    network: str
    _shared: str = field(default="", init=False)

    def take(self, now: float) -> int:
        """Seconds to wait; 0: the password may be looked at, and this try is counted."""
        guarded = self._guarded()
        found = cache.get(self._place)
        if found is None:
            first = (0 if guarded else 1, now)
            if not cache.add(self._place, first, DAY):
                return 1
            if guarded:
                return WAIT
        else:
            failures, since = found
            left: float = since + wait_after(failures, guarded=guarded) - now
            if left > 0:
                return math.ceil(left)
            # One request of those that come in the same moment.
            if not cache.add(f"{self._place}-{failures}-{since}", 1, MOMENT):
                return 1
            cache.set(self._place, (failures + 1, now), DAY)
        if not guarded and not self.device and not self._share():
            return WAIT
        return 0

    def failed(self, now: float) -> int:
        """Seconds to wait before the next try."""
        failures, since = cache.get(self._place) or (0, now)
        return max(0, math.ceil(since + wait_after(failures, guarded=self._guarded()) - now))

    def passed(self) -> None:
        """The password was right, or the person has proved their identity by mail."""
        cache.delete(self._place)
        if self._shared:
            cache.delete(self._shared)

    @cached_property
    def _epoch(self) -> str:
        epoch: str = cache.get(_epoch_of(self.username), "")
        return epoch

    def _key(self, kind: str, what: str) -> str:
        return _hashed(f"{kind} {self._epoch} {what} {self.username}")

    @cached_property
    def _place(self) -> str:
        return self._key("device", self.device) if self.device else self._key("network", self.network)

    @cached_property
    def _all_shared(self) -> list[str]:
        return [self._key("shared", str(number)) for number in range(SHARED)]

    def _guarded(self) -> bool:
        return not self.device and len(cache.get_many(self._all_shared)) == SHARED

    def _share(self) -> bool:
        """Take one of the tries that all unknown devices have together."""
        taken = cache.get_many(self._all_shared)
        for one in self._all_shared:
            if one not in taken and cache.add(one, 1, SHARED_FOR):
                self._shared = one
                return True
        return False


def forget(username: str) -> None:
    """Reset all counts of this account."""
    cache.set(_epoch_of(username), secrets.token_hex(8), 2 * DAY)


def _epoch_of(username: str) -> str:
    return _hashed(f"epoch {username}")


def _hashed(words: str) -> str:
    """No key of the cache says whose account it is about, or from where somebody came."""
    return salted_hmac("people.guessing", words, algorithm="sha256").hexdigest()
