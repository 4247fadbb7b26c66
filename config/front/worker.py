"""gunicorn's threaded worker, behind an event loop that reads and writes: a thread gets whole requests only.

The loop waits for the network, however many connections are slow; a thread never does, except for long downloads.
Connections slower than `connection.SLOWEST` are closed. Where there are too many connections, or too many bytes of
them in memory, the slowest are closed.
"""

import errno
import resource
import socket
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from selectors import EVENT_READ, EVENT_WRITE
from types import FrameType
from typing import Any, cast

from gunicorn.config import Config
from gunicorn.glogging import Logger
from gunicorn.http import get_parser
from gunicorn.http.errors import NoMoreData
from gunicorn.workers.gthread import ThreadWorker

from config.front import framing
from config.front.connection import LINGERING, READING, Connection
from config.front.exchange import Exchange
from config.front.framing import EarlyAnswer, WholeRequest
from look.addresses import RESPONDENTS

UPLOAD, ANSWERS = 60_000_000, 65_536
"""Bytes of the longest body: of a file that a page takes, and of anything sent to the respondents' side, whose
endpoint knows exactly how long a record of its survey is."""

MEMORY = 128_000_000
"""Bytes of requests and answers that one process buffers while they wait for the network."""

AT_ONCE = 1 << 16
"""Bytes that are read of one connection before it is another's turn."""

STOPPING = 2.0
"""Seconds in which a request that has begun may still become whole when the process is told to stop."""

SWEEP, REST = 0.5, 0.2
"""Seconds between two checks for slow connections; and for which the next bytes of a slow sender are collected."""

DRIBBLED = 20
"""Reads of one request after which tiny ones count as dribbling."""

TINY = 1024
HEALTH = (b"GET /healthz", b"HEAD /healthz")
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def longest_body(path: str) -> int:
    return ANSWERS if (path + "/").startswith(RESPONDENTS) else UPLOAD


class WholeRequests(ThreadWorker):
    @classmethod
    def check_config(cls, cfg: Config, log: Logger) -> None:
        super().check_config(cfg, log)
        if cfg.is_ssl:
            raise RuntimeError("TLS is the proxy's: see README, Operations")

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.connections: set[Connection] = set()
        self.resting: deque[tuple[float, Connection]] = deque()
        self.at_work = 0
        self.buffered = 0
        self.swept = 0.0

    def init_process(self) -> None:
        self.attendant = ThreadPoolExecutor(1, thread_name_prefix="attendant")
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 3 * self.worker_connections  # each may need a file beside its socket
        if soft < wanted:
            soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        self.worker_connections = max(1, min(self.worker_connections, soft // 3))
        super().init_process()

    # --- the loop

    def run(self) -> None:
        self.poller.register(
            cast("int", self.method_queue.fileno()), EVENT_READ, self.method_queue.run_callbacks
        )
        while self.alive:
            # Where all are being answered there is nobody to give way.
            self.set_accept_enabled(self.at_work < self.worker_connections)
            self._turn()
            if not self.is_parent_alive():
                break
        self.set_accept_enabled(False)
        self._finish_up()

    def _finish_up(self) -> None:
        """Graceful shutdown: what has come in whole is answered."""
        for connection in self.connections:
            if not connection.working and not connection.outgoing:
                connection.begin(STOPPING)
        until = time.monotonic() + self.cfg.graceful_timeout
        while self.connections and time.monotonic() < until:
            self._turn()
        for connection in list(self.connections):
            self._end(connection)
        self.tpool.shutdown(wait=False)
        self.attendant.shutdown(wait=False)
        self.poller.close()
        self.method_queue.close()
        for listener in self.sockets:
            listener.close()

    def _turn(self) -> None:
        self.notify()
        now = time.monotonic()
        pause = self.resting[0][0] - now if self.resting else SWEEP
        self.wait_for_and_dispatch_events(max(0.0, min(pause, SWEEP)))
        now = time.monotonic()
        while self.resting and self.resting[0][0] <= now:
            _, connection = self.resting.popleft()
            if connection in self.connections:
                self._watch(connection, EVENT_READ)
        if now - self.swept >= SWEEP:
            self.swept = now
            self._sweep(now)

    def _sweep(self, now: float) -> None:
        for connection in [one for one in self.connections if one.is_late(now)]:
            if connection.incoming and not connection.outgoing:
                with suppress(OSError):
                    connection.raw.send(_answer(framing.TOO_SLOW))
            self._end(connection)
        self.buffered = sum(one.size for one in self.connections)
        self._make_room()

    def _make_room(self) -> None:
        share = MEMORY // self.worker_connections
        while self.buffered > MEMORY and self._shed(share):
            pass

    def _shed(self, larger_than: int = -1) -> bool:
        """End the connection that lags behind most, of those where it is the other side's turn."""
        slow = (one for one in self.connections if one.waits and one.size > larger_than)
        slowest = min(slow, key=lambda one: one.abreast, default=None)
        if slowest is not None:
            self._end(slowest)
        return slowest is not None

    def _end(self, connection: Connection) -> None:
        if connection not in self.connections:
            return
        self.connections.discard(connection)
        self.buffered -= connection.size
        self._watch(connection, 0)
        connection.close()

    def _watch(self, connection: Connection, events: int) -> None:
        """Wait for these events of it; 0 for none."""
        if connection.watched == events:
            return
        react = partial(self._read if events == EVENT_READ else self._write, connection)
        if not events:
            self.poller.unregister(connection.raw)
        elif connection.watched:
            self.poller.modify(connection.raw, events, react)
        else:
            self.poller.register(connection.raw, events, react)
        connection.watched = events

    # --- reading

    def accept(self, listener: socket.socket) -> None:
        try:
            raw, address = listener.accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE) and self._shed():
                return
            if error.errno not in (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK):
                raise
            return
        raw.setblocking(False)
        connection = Connection(raw, address, listener.getsockname(), self._blocked)
        connection.begin(READING)
        while len(self.connections) >= self.worker_connections and self._shed():
            pass
        self.connections.add(connection)
        self._watch(connection, EVENT_READ)

    def _read(self, connection: Connection, raw: socket.socket) -> None:
        if connection not in self.connections:
            return  # ended earlier in this turn
        try:
            data = raw.recv(AT_ONCE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if connection.working:
            self._early(connection, data)
            return
        if not data:
            self._end(connection)
            return
        if connection.lingering:
            return
        if not connection.incoming:
            connection.begin(READING)
        connection.incoming += data
        connection.moved += len(data)
        connection.reads += 1
        self.buffered += len(data)
        self._make_room()
        if connection in self.connections:
            self._consider(connection)

    def _early(self, connection: Connection, data: bytes) -> None:
        """The next request, or the end, before this one's answer is known to be out."""
        connection.ended = connection.ended or not data
        connection.incoming += data
        self.buffered += len(data)
        if connection.ended or len(connection.incoming) >= AT_ONCE:
            self._watch(connection, 0)

    def _consider(self, connection: Connection) -> None:
        """Hand the request over if it is whole."""
        if not connection.needed:
            found = framing.framing_of(connection.incoming, longest_body)
            if isinstance(found, EarlyAnswer):
                self._refuse(connection, found)
                return
            if isinstance(found, WholeRequest):
                connection.needed = found.length
                if found.expects and len(connection.incoming) < found.length:
                    with suppress(OSError):
                        connection.raw.send(CONTINUE)
        if connection.needed and len(connection.incoming) >= connection.needed:
            self._hand_over(connection)
        elif connection.reads > DRIBBLED and connection.moved < TINY * connection.reads:
            self._watch(connection, 0)
            self.resting.append((time.monotonic() + REST, connection))

    def _hand_over(self, connection: Connection) -> None:
        request = bytes(memoryview(connection.incoming)[: connection.needed])
        del connection.incoming[: connection.needed]
        self.buffered -= len(request)
        connection.needed = connection.reads = 0
        connection.working = True
        self.at_work += 1
        # While all threads wait for something, one beside them still says whether the product is well.
        is_busy = self.at_work > self.cfg.threads
        pool = self.attendant if is_busy and request.startswith(HEALTH) else self.tpool
        answered = pool.submit(self._answered, Exchange(connection, request))
        answered.add_done_callback(partial(self.method_queue.defer, self._done, connection))

    def _refuse(self, connection: Connection, refusal: EarlyAnswer) -> None:
        with suppress(OSError):
            connection.raw.send(_answer(refusal))
        self._watch(connection, 0)
        self._linger(connection)

    # --- in a thread

    def _answered(self, exchange: Exchange) -> bool:
        """Whether the connection may be used again."""
        request = None
        try:
            request = next(get_parser(self.cfg, cast("socket.socket", exchange), exchange.client))
            keep_alive = self.handle_request(request, cast("Any", exchange))
            exchange.finish()
            return keep_alive
        except (NoMoreData, StopIteration):
            return False
        except OSError as error:
            if error.errno not in (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN, errno.EBADF):
                self.log.exception("Socket error processing request.")
            return False
        except Exception as error:
            self.handle_error(request, cast("socket.socket", exchange), exchange.client, error)
            with suppress(OSError):
                exchange.finish()
            return False

    def _blocked(self, connection: Connection) -> None:
        """Not all of an answer was sent at once. May be called in a thread."""
        self.method_queue.defer(self._write_later, connection)

    # --- writing

    def _write_later(self, connection: Connection) -> None:
        if connection in self.connections and connection.outgoing:
            self._watch(connection, EVENT_WRITE)

    def _write(self, connection: Connection, raw: socket.socket) -> None:
        if connection not in self.connections:
            return
        try:
            if not connection.flush():
                return
        except OSError:
            self._end(connection)
            return
        self._watch(connection, 0)
        if not connection.working:
            self._next(connection)

    def _done(self, connection: Connection, answered: "Future[bool]") -> None:
        connection.working = False
        self.at_work -= 1
        connection.keep_alive = (
            not answered.cancelled() and answered.exception() is None and answered.result()
        )
        if connection in self.connections and not connection.outgoing:
            self._next(connection)

    def _next(self, connection: Connection) -> None:
        """The answer is out: wait for the next request, or for the other side to close."""
        if connection.broken or connection.ended:
            self._end(connection)
        elif connection.keep_alive and self.alive:
            connection.begin(self.cfg.keepalive)
            self._watch(connection, EVENT_READ)
            if connection.incoming:
                connection.begin(READING)
                self._consider(connection)
        else:
            self._linger(connection)

    def _linger(self, connection: Connection) -> None:
        """Wait until the other side closes: a close with unread bytes resets the connection and loses the answer."""
        connection.incoming.clear()
        connection.lingering = True
        connection.begin(LINGERING)
        try:
            connection.raw.shutdown(socket.SHUT_WR)
        except OSError:
            self._end(connection)
        else:
            self._watch(connection, EVENT_READ)

    def handle_quit(self, sig: int, frame: FrameType | None) -> None:
        self.tpool.shutdown(wait=False, cancel_futures=True)
        super().handle_quit(sig, frame)


def _answer(refusal: EarlyAnswer) -> bytes:
    lines = [
        f"HTTP/1.1 {refusal.status} {refusal.reason}",
        "Connection: close",
        "Content-Type: text/plain",
        "Cache-Control: no-store",
        f"Content-Length: {len(refusal.reason)}",
    ]
    return "\r\n".join([*lines, "", refusal.reason]).encode()
