"""Which IP addresses are on the Internet, by IANA's registries of special-purpose addresses of IPv4 and IPv6.

Both registries were last updated on 2025-10-09. Python has them too, each version those of another year.
"""

from enum import Enum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

IPAddress = IPv4Address | IPv6Address
IPNetwork = IPv4Network | IPv6Network


class Reach(Enum):
    """From where an address is reached."""

    INTERNET = "everywhere"
    LOCAL = "a network of the operator, if at all"
    NONE = "the same link, a group of machines, or another address, of IPv4"


WHOLE = "0.0.0.0/0 2000::/3"
"""All of IPv4, and what is allocated of IPv6."""
GLOBALLY_REACHABLE = """
192.0.0.9/32 192.0.0.10/32 192.31.196.0/24 192.52.193.0/24 192.175.48.0/24
2001:1::1/128 2001:1::2/128 2001:1::3/128 2001:3::/32 2001:4:112::/48 2001:20::/28 2001:30::/28 2620:4f:8000::/48
"""
NOT_GLOBALLY_REACHABLE = """
0.0.0.0/8 0.0.0.0/32 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.0.0.0/24 192.0.0.0/29 192.0.0.8/32
192.0.0.170/32 192.0.0.171/32 192.0.2.0/24 192.88.99.0/24 192.88.99.2/32 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24
203.0.113.0/24 240.0.0.0/4 255.255.255.255/32
::1/128 ::/128 100::/64 100:0:0:1::/64 2001::/23 2001:2::/48 2001:10::/28 2001:db8::/32 3fff::/20 5f00::/16 fc00::/7
"""
"""Or deprecated."""
LINK_LOCAL_MULTICAST_OR_UNALLOCATED = "169.254.0.0/16 fe80::/10 224.0.0.0/4 ::/0"
WITH_IPV4_INSIDE = "::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48 2001::/32 2002::/16"
"""Mapped addresses, NAT64, Teredo and 6to4."""
BLOCKS: dict[IPNetwork, Reach] = {
    ip_network(block): reach
    for blocks, reach in (
        (WHOLE + GLOBALLY_REACHABLE, Reach.INTERNET),
        (NOT_GLOBALLY_REACHABLE, Reach.LOCAL),
        (f"{LINK_LOCAL_MULTICAST_OR_UNALLOCATED} {WITH_IPV4_INSIDE}", Reach.NONE),
    )
    for block in blocks.split()
}


def reach_of(network: IPNetwork) -> Reach:
    """Returns the reach of the smallest block that holds the whole network."""
    address, length = network.network_address, network.prefixlen
    holding = (block for block in BLOCKS if address in block and block.prefixlen <= length)
    return BLOCKS[max(holding, key=lambda block: block.prefixlen)]
