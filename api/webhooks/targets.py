"""Where a webhook may be: an https address on the Internet, or in a network that the operator allows.

A name is resolved once, and the connection goes to the very address that was checked here: a name whose answer changes
in between (DNS rebinding) leads nowhere else. Numbers such as 2130706433 or 0x7f.1 are resolved as the system does it,
so what is checked is what would be connected to.
"""

import re
import socket
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from surveys.not_allowed import NotAllowed

IPAddress = IPv4Address | IPv6Address
IPNetwork = IPv4Network | IPv6Network

HOST = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9.])?|[0-9a-f:.]+", re.ASCII)
ADDRESS = re.compile(r"[\x21-\x7e]{1,500}", re.ASCII)
DEFAULT_PORTS = {"https": 443, "http": 80}
METADATA = frozenset(
    map(ip_address, ("169.254.169.254", "fd00:ec2::254", "168.63.129.16", "100.100.100.200", "192.0.0.192"))
)
"""Where clouds tell a machine its credentials: never allowed, whatever the operator allows."""
UNICAST = IPv6Network("2000::/3")
"""The part of IPv6 that is given out on the Internet."""
EMBEDDING = (IPv6Network("2002::/16"), IPv6Network("2001::/32"))
"""6to4 and Teredo: addresses of UNICAST that lead to one of IPv4."""


@dataclass(frozen=True)
class Target:
    scheme: str
    host: str
    port: int
    path: str


def read_target(address: str) -> Target:
    """The parts of the address of a webhook; NotAllowed with the reason where it cannot be one."""
    try:
        url = urlsplit(address)
        host, port = url.hostname or "", url.port
    except ValueError:
        url, host, port = urlsplit(""), "", None
    if url.scheme != "https" and not (url.scheme == "http" and settings.WEBHOOK_HTTP):
        raise NotAllowed(_("The address must begin with https://."))
    # Of the whole: urlsplit leaves out what it does not like, such as the end of a line.
    if not ADDRESS.fullmatch(address) or not HOST.fullmatch(host) or port == 0:
        raise NotAllowed(
            _(
                "This is no address of a program. Write one such as https://example.org/candor, in ASCII letters."
            )
        )
    if "@" in url.netloc or url.fragment:
        raise NotAllowed(_("Leave out names, passwords and what follows a # from the address."))
    path = (url.path or "/") + (f"?{url.query}" if url.query else "")
    return Target(url.scheme, host, port or DEFAULT_PORTS[url.scheme], path)


def resolve(target: Target) -> list[IPAddress]:
    """The addresses of the target's host; NotAllowed where it has none, or one of them may not be connected to."""
    try:
        answers = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
        addresses = [ip_address(str(answer[4][0]).partition("%")[0]) for answer in answers]
    except (OSError, ValueError):
        addresses = []
    if not addresses:
        raise NotAllowed(_("The name %(host)s is not known here.") % {"host": target.host})
    if not all(is_permitted(address, settings.WEBHOOK_NETWORKS) for address in addresses):
        raise NotAllowed(
            _(
                "%(host)s is in a private or reserved network. Events are sent to addresses on the Internet, and to"
                " networks that the operator of this site allows."
            )
            % {"host": target.host}
        )
    return addresses


def is_permitted(address: IPAddress, allowed: Collection[IPNetwork]) -> bool:
    """Whether a delivery may connect to this address; `allowed`: networks of the operator that are not public."""
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    if address in METADATA or address.is_link_local:
        return False
    if any(address in network for network in allowed):
        return True
    if isinstance(address, IPv6Address):
        return address in UNICAST and address.is_global and not any(address in net for net in EMBEDDING)
    return address.is_global and not (address.is_multicast or address.is_reserved)
