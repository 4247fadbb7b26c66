"""One HTTP request of a delivery: to the address that was checked, within a time, without following a redirect.

Of the answer only the status is used. Its body is not read, and `http.client` refuses more than a hundred headers.
"""

import socket
import ssl
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from threading import Timer

from api.models import Problem
from api.webhooks.targets import DEFAULT_PORTS, IPAddress, Target, resolve
from surveys.not_allowed import NotAllowed

CONNECT_SECONDS = 5
"""For each of at most two addresses of a host; afterwards for each packet."""
MAX_ADDRESSES = 2
TOTAL_SECONDS = 10
"""For connecting, sending and the answer together, however slowly it comes; the name is resolved before."""


@dataclass(frozen=True)
class Outcome:
    """The status of an answer, or why there was none."""

    status: int | None = None
    problem: str = ""

    @property
    def is_accepted(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


class PinnedConnection(HTTPConnection):
    """A connection to one of the addresses that were resolved and checked before; TLS is verified for the name."""

    def __init__(self, target: Target, addresses: Sequence[IPAddress]) -> None:
        super().__init__(target.host, target.port)
        # Where the port is the usual one, the header Host leaves it out.
        self.default_port = DEFAULT_PORTS[target.scheme]
        self.is_encrypted, self.addresses = target.scheme == "https", addresses[:MAX_ADDRESSES]
        self.is_late = False

    def connect(self) -> None:
        self.sock = self._connected()
        if self.is_encrypted:
            context = ssl.create_default_context()
            # The handshake comes when `cut` can see its socket.
            self.sock = context.wrap_socket(
                self.sock, server_hostname=self.host, do_handshake_on_connect=False
            )
            self.sock.do_handshake()

    def _connected(self) -> socket.socket:
        for address in self.addresses:
            try:
                return socket.create_connection((str(address), self.port), CONNECT_SECONDS)
            except OSError as reason:
                failure = reason
        raise failure

    def cut(self) -> None:
        """End what takes too long; called by another thread."""
        self.is_late = True
        if self.sock:
            with suppress(OSError):
                # Of the socket alone: TLS would want to say goodbye.
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


def post(target: Target, headers: Mapping[str, str], body: bytes) -> Outcome:
    try:
        connection = PinnedConnection(target, resolve(target))
    except NotAllowed:
        return Outcome(problem=Problem.REFUSED)
    timer = Timer(TOTAL_SECONDS, connection.cut)
    timer.start()
    try:
        connection.request("POST", target.path, body, {**headers, "Connection": "close"})
        status = connection.getresponse().status
        # The end of a socket that was cut reads as the end of the headers.
        return Outcome(problem=Problem.TIME) if connection.is_late else Outcome(status)
    except ssl.SSLCertVerificationError:
        return Outcome(problem=Problem.TLS)
    except (OSError, HTTPException, ValueError) as reason:
        is_late = connection.is_late or isinstance(reason, TimeoutError)
        return Outcome(problem=Problem.TIME if is_late else Problem.CONNECTION)
    finally:
        timer.cancel()
        connection.close()
