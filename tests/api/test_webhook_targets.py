"""Where a webhook may be, and how one try goes there: refused networks, rebinding, TLS, redirects, bad answers."""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.client import HTTPException
from ipaddress import IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pytest_django.fixtures import Settings

from api.models import DeliveryProblem
from api.webhooks import webhook_http as posting
from api.webhooks.webhook_http import (
    DeliveryOutcome,
    WebhookTarget,
    is_permitted,
    parse_target,
    post_to_webhook,
    resolve_target,
)
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.api.conftest import webhook_receiver

REFUSED = [
    *("127.0.0.1", "127.9.9.9", "localhost", "0.0.0.0", "[::]", "[::1]", "[::ffff:127.0.0.1]"),
    *("169.254.169.254", "[::ffff:169.254.169.254]", "[fd00:ec2::254]", "168.63.129.16", "100.100.100.200"),
    *("10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "198.18.0.1", "192.0.2.1", "240.0.0.1"),
    *("255.255.255.255", "224.0.0.1", "[fc00::1]", "[fdff::1]", "[fe80::1]", "[ff02::1]", "[2001:db8::1]"),
    *("[64:ff9b::a9fe:a9fe]", "[2002:7f00:1::1]", "[2001:0:7f00:1::1]", "[::127.0.0.1]", "[fec0::1]"),
    # Of which versions of Python say different things.
    *("192.0.0.8", "192.88.99.1", "[2001:10::1]", "[3fff::1]", "[5f00::1]"),
    # 127.0.0.1 and 169.254.169.254 as numbers.
    *("2130706433", "0x7f000001", "0x7f.1", "017700000001", "127.1", "0", "2852039166"),
]
NOWHERE = DeliveryOutcome(problem=DeliveryProblem.REFUSED)


@pytest.mark.parametrize("host", REFUSED)
def test_webhook_to_a_private_or_reserved_network_is_neither_saved_nor_called(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(*args: object, **kwargs: object) -> None:
        raise AssertionError(args)

    monkeypatch.setattr(socket, "create_connection", connect)
    target = parse_target(f"https://{host}/")
    with pytest.raises(NotAllowed, match=r"private, reserved|not known"):
        resolve_target(target)
    assert post_to_webhook(target, {}, b"") == NOWHERE


def test_webhook_addresses_on_the_internet_are_permitted() -> None:
    hosts = ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "::ffff:8.8.8.8"]
    # Of which versions of Python say different things.
    hosts += ["192.0.0.9", "2001:1::1", "2001:20::1", "2001:30::1"]
    for host in hosts:
        assert is_permitted(ip_address(host), []), host


def test_metadata_and_link_local_addresses_cannot_be_allowed() -> None:
    allowed = [ip_network("100.64.0.0/10"), IPv6Network("fc00::/7"), ip_network("169.254.0.0/16")]
    for host in ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "fe80::1"):
        assert not is_permitted(ip_address(host), allowed), host
    assert is_permitted(ip_address("fd00::1"), allowed)


def test_denied_networks_are_refused_even_if_public_or_allowed(settings: Settings) -> None:
    settings.WEBHOOK_NETWORKS = [ip_network("10.0.0.0/8")]
    settings.WEBHOOK_DENY = [ip_network("10.1.0.0/16"), ip_network("93.184.215.0/24")]
    assert resolve_target(parse_target("https://10.2.0.1/"))
    for host in ("10.1.0.1", "93.184.215.14", "[::ffff:10.1.0.1]"):
        target = parse_target(f"https://{host}/")
        with pytest.raises(NotAllowed, match="private, reserved or refused"):
            resolve_target(target)
        assert post_to_webhook(target, {}, b"") == NOWHERE


def test_operator_may_name_other_webhook_ports(settings: Settings) -> None:
    with pytest.raises(NotAllowed, match="443, 8443; not at 9000"):
        parse_target("https://example.org:9000/")
    settings.WEBHOOK_PORTS = [9000]
    assert parse_target("https://example.org:9000/").port == 9000


@pytest.mark.parametrize(
    "address",
    [
        *("http://example.org/", "ftp://example.org/", "//example.org/", "example.org", ""),
        *("https://ann:pw@example.org/", "https://example.org/#x", "https://example.org:0/", "https://:443/"),
        *("https://example.org:99999/", "https://exa mple.org/", "https://example.org/a b", "https://[::1/"),
        *("https://example.org/\r\nHost: x", "https://bücher.example/", f"https://example.org/{'x' * 500}"),
        *("https://example.org:22/", "https://example.org:80/", "https://example.org:6379/"),
        *("https://127.0.0.1\\@example.org/", "https://[fe80::1%25lo]/", "https://.example.org/"),
    ],
)
def test_webhook_address_other_than_https_is_refused_with_a_reason(address: str) -> None:
    with pytest.raises(NotAllowed):
        parse_target(address)


def test_an_address_keeps_its_port_and_query() -> None:
    assert parse_target("https://Example.org:8443/x?y=1") == WebhookTarget(
        "https", "example.org", 8443, "/x?y=1"
    )
    assert parse_target("https://example.org") == WebhookTarget("https", "example.org", 443, "/")


@pytest.fixture
def fake_name_lookups(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, list[list[str]]]], list[str]]:
    """Names with the answers that they give in turn, the last for ever; gives back the names asked for."""

    def start(names: dict[str, list[list[str]]]) -> list[str]:
        real, asked = socket.getaddrinfo, []

        def answer(host: str, *args: Any, **kwargs: Any) -> list[Any]:
            if host not in names:
                return real(host, *args, **kwargs)
            asked.append(host)
            turns = names[host]
            addresses = turns.pop(0) if len(turns) > 1 else turns[0]
            return [entry for address in addresses for entry in real(address, *args, **kwargs)]

        monkeypatch.setattr(socket, "getaddrinfo", answer)
        return asked

    return start


@pytest.fixture
def allow_loopback_webhooks(settings: Settings) -> None:
    settings.WEBHOOK_HTTP, settings.WEBHOOK_NETWORKS = True, [ip_network("127.0.0.1/32")]
    settings.WEBHOOK_PORTS = range(1, 65_536)


def test_host_name_is_refused_if_one_of_its_addresses_is(fake_name_lookups: Any) -> None:
    fake_name_lookups({"hooks.example": [["93.184.215.14", "10.0.0.1"]]})
    with pytest.raises(NotAllowed, match="private, reserved"):
        resolve_target(parse_target("https://hooks.example/"))


@pytest.mark.usefixtures("allow_loopback_webhooks")
def test_host_name_that_later_resolves_elsewhere_is_refused(
    fake_name_lookups: Any, settings: Settings
) -> None:
    settings.WEBHOOK_NETWORKS = []
    fake_name_lookups({"hooks.example": [["93.184.215.14"], ["127.0.0.1"]]})
    with webhook_receiver() as receiver:
        target = parse_target(receiver.address("hooks.example"))
        assert resolve_target(target) == [ip_address("93.184.215.14")]
        assert post_to_webhook(target, {}, b"") == NOWHERE
        assert receiver.requests == []


@pytest.mark.usefixtures("allow_loopback_webhooks")
def test_connection_goes_to_the_address_that_was_checked(fake_name_lookups: Any) -> None:
    asked = fake_name_lookups({"hooks.example": [["127.0.0.1"], ["127.0.0.2"]]})
    with webhook_receiver() as receiver:
        target = parse_target(receiver.address("hooks.example"))
        assert post_to_webhook(target, {}, b"{}") == DeliveryOutcome(200)
        (path, headers, _body) = receiver.requests[0]
        assert (path, headers["host"]) == ("/candor?a=1", f"hooks.example:{receiver.port}")
    assert asked == ["hooks.example"]


@pytest.mark.usefixtures("allow_loopback_webhooks")
def test_a_redirect_is_not_followed() -> None:
    with webhook_receiver() as elsewhere, webhook_receiver() as receiver:
        receiver.answers, receiver.headers = [307], {"Location": elsewhere.address()}
        assert post_to_webhook(parse_target(receiver.address()), {}, b"{}") == DeliveryOutcome(307)
        assert (len(receiver.requests), elsewhere.requests) == (1, [])


def certificate(host: str, folder: Path) -> ssl.SSLContext:
    """Of a server with this name; the file `authority.pem` vouches for it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)]), datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
    signed = builder.sign(key, hashes.SHA256())
    (folder / "authority.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "server.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM) + private)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    return context


@pytest.mark.usefixtures("allow_loopback_webhooks")
def test_tls_is_verified_for_the_name_though_the_connection_goes_to_an_address(
    fake_name_lookups: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_name_lookups({"hooks.example": [["127.0.0.1"]], "other.example": [["127.0.0.1"]]})
    with webhook_receiver(certificate("hooks.example", tmp_path)) as receiver:
        hosts = ("hooks.example", "other.example")
        ours, other = (parse_target(receiver.address(host, "https")) for host in hosts)
        assert post_to_webhook(ours, {}, b"{}") == DeliveryOutcome(problem=DeliveryProblem.TLS)
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
        assert post_to_webhook(ours, {}, b"{}") == DeliveryOutcome(200)
        assert post_to_webhook(other, {}, b"{}") == DeliveryOutcome(problem=DeliveryProblem.TLS)
        assert len(receiver.requests) == 1


@contextmanager
def endless_server(head: bytes, piece: bytes, pause: float) -> Iterator[WebhookTarget]:
    """A server that begins with `head` and then sends the piece for as long as it is heard."""
    server, over = socket.create_server(("127.0.0.1", 0)), threading.Event()

    def serve() -> None:
        connection, _peer = server.accept()
        with connection:
            try:
                connection.sendall(head)
                while not over.wait(pause):
                    connection.sendall(piece)
            except OSError:
                pass

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield WebhookTarget("http", "127.0.0.1", server.getsockname()[1], "/")
    finally:
        over.set()
        thread.join()
        server.close()


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.usefixtures("allow_loopback_webhooks")
@pytest.mark.parametrize(
    ("head", "piece", "pause", "outcome"),
    [
        # Only its status is used.
        (HEAD + b"Content-Length: 1000000000\r\n\r\n", b"x" * 100_000, 0.001, DeliveryOutcome(200)),
        (HEAD, b"X-Header: endless\r\n" * 1000, 0.001, DeliveryOutcome(problem=DeliveryProblem.CONNECTION)),
        (b"", b"x" * 100_000, 0.001, DeliveryOutcome(problem=DeliveryProblem.CONNECTION)),
        # Each byte comes in time, all of them never.
        (b"", b"H", 0.05, DeliveryOutcome(problem=DeliveryProblem.TIME)),
        (HEAD, b"x", 0.05, DeliveryOutcome(problem=DeliveryProblem.TIME)),
    ],
)
def test_huge_or_slow_webhook_answer_takes_little_memory_and_time(
    head: bytes, piece: bytes, pause: float, outcome: DeliveryOutcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting, "TOTAL_SECONDS", 0.5 if outcome.problem == DeliveryProblem.TIME else 10)
    began = time.monotonic()
    with endless_server(head, piece, pause) as target:
        assert post_to_webhook(target, {}, b"{}") == outcome
    assert time.monotonic() - began < 60


@pytest.mark.usefixtures("allow_loopback_webhooks")
@pytest.mark.parametrize("kind", ["Connection: close", "Transfer-Encoding: chunked"])
def test_a_page_whose_bytes_drip_for_ever_is_given_up(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection forgets its socket where the answer ends with it, before the body is read."""
    monkeypatch.setattr(posting, "TOTAL_SECONDS", 0.5)
    monkeypatch.setattr(posting, "LOCAL_HOSTS", ())
    with endless_server(HEAD + f"{kind}\r\n\r\n".encode(), b"1\r\nx\r\n", 0.05) as target:
        began = time.monotonic()
        with pytest.raises((TimeoutError, HTTPException)):
            posting.fetch_page(f"http://127.0.0.1:{target.port}/")
        assert time.monotonic() - began < 30


@pytest.mark.usefixtures("allow_loopback_webhooks")
def test_unreachable_receiver_counts_as_no_answer() -> None:
    with webhook_receiver() as receiver:
        target = parse_target(receiver.address())
    assert post_to_webhook(target, {}, b"{}") == DeliveryOutcome(problem=DeliveryProblem.CONNECTION)
