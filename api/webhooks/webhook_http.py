"""Posts to a webhook: to an https address on the Internet, or in a network that the operator allows.

Redirects are not followed, and only the status of the answer is used. A name is resolved once, and the
connection goes to the very address that was checked, which prevents DNS rebinding.
"""

import re
import socket
import ssl
from collections.abc import Collection, Mapping
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_address, ip_network
from threading import Timer
from typing import NamedTuple, Self
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from api.models import DeliveryProblem
from api.webhooks.address_blocks import IPAddress, IPNetwork, Reach, reach_of
from intake.hosted.check_page import Answer, open_connection, read_answer
from privacy.designs.embedding_sites import LOCAL_HOSTS
from surveys.questionnaire.problems_and_refusals import NotAllowed

CONNECT_SECONDS = 5  # for each of at most two addresses; afterwards for each packet
MAX_ADDRESSES = 2
TOTAL_SECONDS = 10  # connecting, sending and the answer, however slowly it comes; the name is resolved before
HOST = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9.])?|[0-9a-f:.]+", re.ASCII)
ADDRESS = re.compile(r"[\x21-\x7e]{1,500}", re.ASCII)
DEFAULT_PORTS = {"https": 443, "http": 80}
# Where clouds tell a machine its credentials: never allowed, whatever the operator allows.
METADATA = {
    ip_address(ip)
    for ip in ("169.254.169.254", "fd00:ec2::254", "168.63.129.16", "100.100.100.200", "192.0.0.192")
}


class WebhookTarget(NamedTuple):
    scheme: str
    host: str
    port: int
    path: str


class DeliveryOutcome(NamedTuple):
    """The result of a delivery: the HTTP status of the answer, or the reason why there was none."""

    status: int | None = None
    problem: str = ""


def parse_target(address: str) -> WebhookTarget:
    """Parses a webhook's address; raises NotAllowed with the reason if it is unusable."""
    try:
        url = urlsplit(address)
        host, port = url.hostname or "", url.port
    except ValueError:
        url, host, port = urlsplit(""), "", None
    if url.scheme != "https" and not (url.scheme == "http" and settings.WEBHOOK_HTTP):
        raise NotAllowed(_("The address must begin with https://."))
    # The whole text, since urlsplit leaves out some characters, such as the end of a line.
    if not ADDRESS.fullmatch(address) or not HOST.fullmatch(host) or port == 0:
        raise NotAllowed(
            _(
                "This is no address of a program. Write one such as https://example.org/candor, in ASCII letters."
            )
        )
    if "@" in url.netloc or url.fragment:
        raise NotAllowed(_("Leave out names, passwords and what follows a # from the address."))
    port = port or DEFAULT_PORTS[url.scheme]
    if port not in settings.WEBHOOK_PORTS:
        ports = ", ".join(map(str, settings.WEBHOOK_PORTS))
        raise NotAllowed(
            _("Webhooks may be at these ports here: %(ports)s; not at %(port)s.")
            % {"ports": ports, "port": port}
        )
    path = (url.path or "/") + (f"?{url.query}" if url.query else "")
    return WebhookTarget(url.scheme, host, port, path)


def resolve_target(target: WebhookTarget) -> list[IPAddress]:
    """Returns the IP addresses of a webhook's host; raises NotAllowed if it has none, or one to which nothing may be
    sent."""
    try:
        answers = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
        addresses = [ip_address(str(answer[4][0]).partition("%")[0]) for answer in answers]
    except (OSError, ValueError):
        addresses = []
    if not addresses:
        raise NotAllowed(_("The name %(host)s is not known here.") % {"host": target.host})
    if not all(
        is_permitted(address, settings.WEBHOOK_NETWORKS, settings.WEBHOOK_DENY) for address in addresses
    ):
        words = _(
            "%(host)s is in a private, reserved or refused network. Events are sent to addresses on the Internet, and"
            " to networks that the operator of this site allows."
        )
        raise NotAllowed(words % {"host": target.host})
    return addresses


def is_permitted(
    address: IPAddress, allowed: Collection[IPNetwork], denied: Collection[IPNetwork] = ()
) -> bool:
    """True if a delivery may connect to this address.

    `allowed`: private networks that the operator permits.
    """
    address = getattr(address, "ipv4_mapped", None) or address
    reach = reach_of(ip_network(address))
    if address in METADATA or reach is Reach.NONE or any(address in network for network in denied):
        return False
    return reach is Reach.INTERNET or any(address in network for network in allowed)


class PinnedConnection(HTTPConnection):
    """HTTP connection to an address that was checked before; TLS is verified for the host name.

    Inside `with` it lasts `TOTAL_SECONDS` at most.
    """

    def __init__(self, target: WebhookTarget) -> None:
        super().__init__(target.host, target.port)
        self.default_port = DEFAULT_PORTS[target.scheme]  # Host leaves out the usual port
        self.is_encrypted, self.addresses = target.scheme == "https", resolve_target(target)[:MAX_ADDRESSES]
        self.is_late = False
        self.timer = Timer(TOTAL_SECONDS, self.close_late_connection)

    def __enter__(self) -> Self:
        self.timer.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.timer.cancel()
        self.close()

    def connect(self) -> None:
        for address in self.addresses:
            try:
                self.sock = socket.create_connection((str(address), self.port), CONNECT_SECONDS)
                break
            except OSError as reason:
                failure = reason
        else:
            raise failure
        if self.is_encrypted:
            context = ssl.create_default_context()
            # The handshake comes when `close_late_connection` can see its socket.
            self.sock = context.wrap_socket(
                self.sock, server_hostname=self.host, do_handshake_on_connect=False
            )
            self.sock.do_handshake()

    def close_late_connection(self) -> None:
        """Closes a connection that takes too long; called by another thread."""
        self.is_late = True
        if self.sock:
            with suppress(OSError):
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)  # TLS would want to say goodbye


def fetch_page(address: str) -> Answer:
    """Gets a file of a page that another host serves, as anybody does, with the same guard as a webhook.

    Outside production a host on this machine is for trying, and is asked as it is. Raises NotAllowed for an address to
    which nothing may be sent, and OSError, HTTPException or ValueError if no whole answer comes.
    """
    parts = urlsplit(address)
    if parts.hostname in LOCAL_HOSTS and not settings.PRODUCTION:
        with closing(open_connection(f"{parts.scheme}://{parts.netloc}")) as line:
            return read_answer(line, parts.path, TOTAL_SECONDS)
    with PinnedConnection(target := parse_target(address)) as connection:
        answer = read_answer(connection, target.path, TOTAL_SECONDS)
    if connection.is_late:
        raise TimeoutError(f"no answer in {TOTAL_SECONDS} seconds")
    return answer


def post_to_webhook(target: WebhookTarget, headers: Mapping[str, str], body: bytes) -> DeliveryOutcome:
    try:
        connection = PinnedConnection(target)
    except NotAllowed:
        return DeliveryOutcome(problem=DeliveryProblem.REFUSED)
    try:
        with connection:
            connection.request("POST", target.path, body, {**headers, "Connection": "close"})
            status = connection.getresponse().status
        # The end of a socket that was cut reads as the end of the headers.
        return (
            DeliveryOutcome(problem=DeliveryProblem.TIME) if connection.is_late else DeliveryOutcome(status)
        )
    except ssl.SSLCertVerificationError:
        return DeliveryOutcome(problem=DeliveryProblem.TLS)
    except (OSError, HTTPException, ValueError) as reason:
        is_late = connection.is_late or isinstance(reason, TimeoutError)
        return DeliveryOutcome(problem=DeliveryProblem.TIME if is_late else DeliveryProblem.CONNECTION)
