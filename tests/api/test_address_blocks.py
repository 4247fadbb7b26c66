"""The networks that webhooks may be in are IANA's, and the same in every version of Python."""

from hashlib import sha256
from ipaddress import IPv4Address, IPv6Address, ip_network
from random import Random

from api.webhooks.address_blocks import IPAddress, Reach, reach_of
from api.webhooks.webhook_http import is_permitted
from config.environment import parse_private_networks

# Address block and "Globally Reachable" of each record, in the order of the registries; "-" where it is empty or N/A.
REGISTRY_OF_IPV4 = """
0.0.0.0/8 False, 0.0.0.0/32 False, 10.0.0.0/8 False, 100.64.0.0/10 False, 127.0.0.0/8 False, 169.254.0.0/16 False,
172.16.0.0/12 False, 192.0.0.0/24 False, 192.0.0.0/29 False, 192.0.0.8/32 False, 192.0.0.9/32 True, 192.0.0.10/32 True,
192.0.0.170/32 False, 192.0.0.171/32 False, 192.0.2.0/24 False, 192.31.196.0/24 True, 192.52.193.0/24 True,
192.88.99.0/24 -, 192.88.99.2/32 False, 192.168.0.0/16 False, 192.175.48.0/24 True, 198.18.0.0/15 False,
198.51.100.0/24 False, 203.0.113.0/24 False, 240.0.0.0/4 False, 255.255.255.255/32 False
"""
REGISTRY_OF_IPV6 = """
::1/128 False, ::/128 False, ::ffff:0:0/96 False, 64:ff9b::/96 True, 64:ff9b:1::/48 False, 100::/64 False,
100:0:0:1::/64 False, 2001::/23 False, 2001::/32 -, 2001:1::1/128 True, 2001:1::2/128 True, 2001:1::3/128 True,
2001:2::/48 False, 2001:3::/32 True, 2001:4:112::/48 True, 2001:10::/28 -, 2001:20::/28 True, 2001:30::/28 True,
2001:db8::/32 False, 2002::/16 -, 2620:4f:8000::/48 True, 3fff::/20 False, 5f00::/16 False, fc00::/7 False,
fe80::/10 False
"""
# Not in them: what is neither, and NAT64, of which an address leads to one of IPv4.
MORE_OF_IPV4, MORE_OF_IPV6 = (
    "0.0.0.0/0 True, 224.0.0.0/4 False",
    "::/0 False, 2000::/3 True, 64:ff9b::/96 False",
)
Block = tuple[int, int, bool]
"""First address, number of addresses, and whether they are on the Internet."""


def address_number_and_bits(written: str) -> tuple[int, int]:
    """An address as a number, and how many bits it has."""
    if "." in written:
        a, b, c, d = map(int, written.split("."))
        return ((a * 256 + b) * 256 + c) * 256 + d, 32
    head, _double, tail = written.partition("::")
    before, after = ([int(group, 16) for group in part.split(":") if group] for part in (head, tail))
    total = 0
    for group in (*before, *[0] * (8 - len(before) - len(after)), *after):
        total = total * 65_536 + group
    return total, 128


def blocks(text: str) -> list[Block]:
    records = [record.split() for record in text.replace("\n", " ").split(",")]
    parsed = []
    for block, reachable in records:
        address, length = block.split("/")
        first, bits = address_number_and_bits(address)
        parsed.append((first, 2 ** (bits - int(length)), reachable == "True"))
    return parsed


# A later record of a block replaces an earlier one.
IPV4, IPV6 = blocks(f"{REGISTRY_OF_IPV4}, {MORE_OF_IPV4}"), blocks(f"{REGISTRY_OF_IPV6}, {MORE_OF_IPV6}")
MAPPED = 0xFFFF * 2**32


def on_the_internet(of: list[Block], address: int) -> bool:
    if of is IPV6 and address // 2**32 == MAPPED // 2**32:
        of, address = IPV4, address - MAPPED
    sizes = {size: reachable for first, size, reachable in of if first <= address < first + size}
    return sizes[min(sizes)]


def drawn_addresses() -> list[tuple[list[Block], int]]:
    """Ten thousand addresses: in each block, at its borders, shortly before and after it, and anywhere."""
    rng, drawn = Random(3), list[tuple[list[Block], int]]()
    for of, last in ((IPV4, 2**32 - 1), (IPV6, 2**128 - 1)):
        for first, size, _reachable in of:
            around = [first, first + size - 1, first - 1, first + size]
            around += [first + rng.getrandbits(128) % size for _ in range(60)]
            around += [first - 1 - rng.getrandbits(128) % size for _ in range(30)]
            around += [first + size + rng.getrandbits(128) % size for _ in range(30)]
            drawn += [(of, address) for address in around if 0 <= address <= last]
    drawn += [(IPV6, MAPPED + address) for of, address in drawn[::7] if of is IPV4]
    while len(drawn) < 10_000:
        drawn.append((IPV4, rng.getrandbits(32)))
        drawn.append((IPV6, 2**125 + rng.getrandbits(125)))
    return drawn[:10_000]


DIGEST = "7eb40ced5c9932c5d28257655e668a2d215eee14addff81d8f0c5375dff39cba"


def test_ten_thousand_addresses_are_permitted_alike_in_every_python_version() -> None:
    verdicts = []
    for of, address in drawn_addresses():
        parsed: IPAddress = IPv4Address(address) if of is IPV4 else IPv6Address(address)
        verdict = is_permitted(parsed, [])
        assert verdict is on_the_internet(of, address), parsed
        verdicts.append(f"{address:x} {verdict}\n")
    assert 3_000 < sum(line.endswith("True\n") for line in verdicts) < 7_000
    assert sha256("".join(verdicts).encode()).hexdigest() == DIGEST


def test_operator_may_allow_private_networks_and_no_others() -> None:
    networks = "10.2.0.0/16,100.64.0.0/10,127.0.0.1/32,192.0.0.0/24,fd00::/8,2001:db8::/32"
    for network in parse_private_networks(networks):
        assert is_permitted(network[0], [network])
        assert not is_permitted(network[0], [])
    everything = [ip_network("0.0.0.0/0"), ip_network("::/0")]
    never = "169.254.0.0/16 fe80::/10 224.0.0.0/4 ff00::/8 64:ff9b::/96 64:ff9b:1::/48 2001::/32 2002::/16"
    for network in map(ip_network, never.split()):
        assert reach_of(network) is Reach.NONE
        assert not is_permitted(network[1], everything)
