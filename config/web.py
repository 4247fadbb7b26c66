"""The web server: several processes on one socket, each waitress with limits of its own.

A thread gets whole requests only, and leaves answers to the event loop, however slowly they are read. Respondents'
pages, other pages, static files and the health page have threads of their own, so that nobody waits for a stranger.
What is refused is refused in words, and no line of a log names an address or a path.
"""

import argparse
import atexit
import importlib
import logging
import os
import re
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any, NoReturn

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher
from waitress.utilities import Error, RequestEntityTooLarge

from config.logs import bare
from config.start import private_files, running
from ui import addresses

UPLOAD, FORM, ANSWERS = 60_000_000, 3_000_000, 65_536
"""Bytes of the longest body: where a page takes files, of other forms, and of anything that respondents send."""
HEAD = 32_768
MEMORY = 256_000_000
"""Bytes of long requests that one process holds; above it none begins, and the slowest are ended."""
SPILL = 1_000_000
"""Bytes of an answer that wait in memory. Those of longer ones, downloads of researchers, wait in an unlinked file."""
CONNECTIONS = 2_000
"""Of one process; where all are taken, those that are nearest to being too slow are ended."""
SLOWEST = 10_000
"""Bytes a second that a connection must move on average, after its patience."""
READING, SENDING, LINGERING = 10.0, 30.0, 2.0
"""Seconds of patience: for a request, for an answer, and for the other side to close."""
WAITING = 300
"""Requests that wait for the threads of one kind; those above it are asked to come back."""
AT_ONCE = 64
"""Requests that one connection may send without waiting for an answer."""
SWEEP = 0.5
HEARING, STOPPING, GRACE = 0.5, 2.0, 8.0
"""Seconds, when the server stops, for a request to begin, to become whole, and to be answered."""
SWITCHING = 0.0005
THREADS = {"respondents": 4, "others": 4, "static": 2, "health": 1, "refusals": 1}
TRANSFER_ENCODING = re.compile(rb"\ntransfer-encoding", re.IGNORECASE)
TOO_SLOW = (
    b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nCache-Control: no-store\r\n"
    b"Content-Type: text/plain\r\nContent-Length: 8\r\n\r\nToo slow"
)

Application = Callable[..., Any]
log = logging.getLogger(__name__)


class NotAccepted(Error):
    """An answer without a page."""

    def __init__(self, code: int, reason: str, words: str, *headers: tuple[str, str]) -> None:
        super().__init__(words)
        self.code, self.reason, self.headers = code, reason, headers

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:
        headers = [
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Cache-Control", "no-store"),
            *self.headers,
        ]
        return f"{self.code} {self.reason}", headers, f"{self.body}\n".encode()


def busy() -> NotAccepted:
    words = "Many people are here at once. Nothing was lost. Try again in a few seconds."
    return NotAccepted(503, "Service Unavailable", words, ("Retry-After", "5"))


def longest_body(path: str) -> int:
    if addresses.takes_tokens(path):
        return FORM
    if not addresses.carries_cookies(path):
        return ANSWERS
    return UPLOAD if addresses.TAKES_FILES.fullmatch(path) else FORM


class Limits(Adjustments):
    is_full = False


class Parser(HTTPRequestParser):
    adj: Limits
    error: Any
    path: str
    is_coded = False

    def received(self, data: bytes) -> int:
        had_head = self.headers_finished
        consumed: int = super().received(data)
        if self.headers_finished and not had_head and not self.empty:
            self.error = self._refusal()
            self.completed = self.completed or self.error is not None
            # waitress would wait for the body of a request that has none.
            self.expect_continue = self.expect_continue and not self.completed
        # What follows a refused head is no request.
        return len(data) if self.error else consumed

    def parse_header(self, header_plus: bytes) -> None:
        self.is_coded = TRANSFER_ENCODING.search(header_plus) is not None
        try:
            super().parse_header(header_plus)
        except ValueError as error:
            raise ParsingError("This is no request.") from error

    @property
    def served_path(self) -> str:
        """As the application gets it."""
        return "/" + self.path.lstrip("/")

    def _refusal(self) -> Any:
        # Browsers always say how long a body is; only then nobody can read its end differently.
        if self.is_coded:
            return NotAccepted(411, "Length Required", "Say how long the body is.")
        # Of what is too large waitress says less.
        if self.error and not isinstance(self.error, RequestEntityTooLarge):
            return self.error
        if self.content_length > (most := longest_body(self.served_path)):
            words = f"That is too large: this page takes at most {most:,} bytes. Go back and send less."
            return NotAccepted(413, "Content Too Large", words)
        return busy() if self.adj.is_full and self.content_length > ANSWERS else None


class Channel(HTTPChannel):
    """One connection. Its pace is measured since `began`: `moved` bytes, with `patience` seconds on top."""

    parser_class = Parser
    server: "Server"
    socket: socket.socket
    addr: Any
    request: Parser | None
    requests: list[Parser]

    def __init__(self, *args: Any, **named: Any) -> None:
        self.is_lingering = self.is_deferred = False
        self.measure(READING)
        super().__init__(*args, **named)

    def measure(self, patience: float) -> None:
        self.began, self.moved, self.patience = time.monotonic(), 0, patience

    @property
    def late_at(self) -> float:
        return self.began + self.patience + self.moved / SLOWEST

    @property
    def is_served(self) -> bool:
        """Whether it is this side's turn."""
        return bool(self.requests) and not self.total_outbufs_len

    @property
    def size(self) -> int:
        """Bytes of its requests in memory."""
        return sum(request.body_bytes_received for request in (self.request, *self.requests) if request)

    # --- called by waitress, in the event loop

    def received(self, data: bytes) -> bool:
        if self.is_lingering:
            return False
        if self.request is None:
            self.measure(READING)
        self.moved += len(data)
        accepted: bool = super().received(data)
        if len(self.requests) > AT_ONCE:
            self.will_close = True
        return accepted

    def send(self, data: bytes, do_close: bool = True) -> int:
        sent: int = super().send(data, do_close=do_close)
        self.moved += sent
        return sent

    def handle_write(self) -> None:
        if closes := self.close_when_flushed:
            self.close_when_flushed = False
        super().handle_write()
        if not self.connected or self.total_outbufs_len:
            if closes:
                self.close_when_flushed = True
        elif closes:
            # A close with unread bytes would reset the connection and lose the answer.
            self.is_lingering = True
            self.measure(LINGERING)
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)
        elif self.is_deferred:
            self.server.add_task(self)
        elif not self.requests:
            self.measure(READING)

    # --- called by waitress, in a thread

    def write_soon(self, data: Any) -> int:
        if not self.total_outbufs_len:
            self.measure(SENDING)
        written: int = super().write_soon(data)
        return written

    def service(self) -> None:
        super().service()
        if not self.total_outbufs_len:
            self.measure(READING)

    def must_wait(self) -> bool:
        """Whether an answer is still on its way; the next request of the connection is then answered after it."""
        with self.outbuf_lock:
            self.is_deferred = self.total_outbufs_len > 0
            return self.is_deferred


class Turns:
    """Requests that wait for a thread: those of new addresses first, then addresses take turns, so that a flood waits
    for itself. No address is kept longer than anybody waits."""

    def __init__(self) -> None:
        self.heap: list[tuple[int, int, Channel]] = []
        self.turn, self.last_turns, self.numbers = 0, dict[str, int](), count()

    def __len__(self) -> int:
        return len(self.heap)

    def append(self, channel: Channel) -> None:
        last = self.last_turns.get(channel.addr[0])
        turn = self.turn - 1 if last is None else max(self.turn, last + 1)
        self.last_turns[channel.addr[0]] = turn
        heappush(self.heap, (turn, next(self.numbers), channel))

    def popleft(self) -> Channel:
        turn, _number, channel = heappop(self.heap)
        self.turn = max(self.turn, turn)
        if not self.heap:
            self.last_turns.clear()
        return channel

    def pop_last(self) -> Channel:
        last = max(self.heap)
        self.heap.remove(last)
        heapify(self.heap)
        self.last_turns[last[2].addr[0]] -= 1
        return last[2]


class Pool(ThreadedTaskDispatcher):
    def __init__(self, threads: int) -> None:
        super().__init__()
        self.queue: Any = Turns()
        self.set_thread_count(threads)


class Pools:
    """Threads by who asks. Of too many that wait the last is refused, in a thread of its own."""

    def __init__(self) -> None:
        self.pools = {name: Pool(threads) for name, threads in THREADS.items()}

    def add_task(self, channel: Channel) -> None:
        if channel.must_wait():
            return
        pool = self.pools[_pool_of(channel.requests[0])]
        pool.add_task(channel)
        with pool.lock:
            refused = pool.queue.pop_last() if len(pool.queue) > WAITING else None
        if refused:
            refused.requests[0].error = busy()
            self.pools["refusals"].add_task(refused)


def _pool_of(request: Parser) -> str:
    if request.error:
        return "refusals"
    path = request.served_path
    if path == addresses.HEALTH:
        return "health"
    if path.startswith(addresses.STATIC):
        return "static"
    is_known = addresses.carries_cookies(path) or addresses.takes_tokens(path) or path == addresses.METRICS
    return "others" if is_known else "respondents"


class Server(TcpWSGIServer):
    channel_class = Channel
    adj: Limits

    def __init__(self, application: Application, listening: socket.socket, connections: int) -> None:
        limits = Limits(
            ident=None,
            # config.anonymous_wsgi decides what to believe of a proxy, and drops the rest.
            clear_untrusted_proxy_headers=False,
            connection_limit=connections + 10,
            recv_bytes=65_536,
            max_request_header_size=HEAD,
            max_request_body_size=UPLOAD + 1,
            inbuf_overflow=2 * UPLOAD,  # no request touches a disk
            outbuf_overflow=SPILL,
            outbuf_high_watermark=1 << 60,  # no thread waits for a reader
            asyncore_use_poll=True,
        )
        address = (listening.family, listening.type, listening.proto, listening.getsockname())
        super().__init__(
            application, {}, True, listening, Pools(), adj=limits, sockinfo=address, bind_socket=False
        )

    def run_until(self, is_stopped: Callable[[], bool]) -> None:
        sweep_at = 0.0
        while not is_stopped():
            # Not within a turn of the loop, which may know a closed connection by the number of a new one.
            if (now := time.monotonic()) >= sweep_at:
                sweep_at = now + SWEEP
                self._sweep(now)
            wasyncore.loop(timeout=SWEEP, use_poll=True, map=self._map, count=1)
        self._stop()

    def _sweep(self, now: float) -> None:
        """End those that are too slow, and where there is too much those that are nearest to it."""
        channels: list[Channel] = list(self.active_channels.values())
        slowest = sorted((one for one in channels if not one.is_served), key=lambda one: one.late_at)
        full = len(channels) >= self.adj.connection_limit - 10
        excess = sum(one.size for one in channels) - MEMORY
        self.adj.is_full = excess > 0
        for index, channel in enumerate(slowest):
            is_heavy = excess > 0 and channel.size > ANSWERS
            if channel.late_at <= now or is_heavy or (full and index < len(channels) // 10):
                excess -= channel.size
                self._end(channel)

    def _end(self, channel: Channel) -> None:
        if channel.request is not None:
            with suppress(OSError):
                channel.socket.send(TOO_SLOW)
        channel.handle_close()

    def _stop(self) -> None:
        """Graceful shutdown: those who have connected are heard, and whole requests answered."""
        connected = -1
        while connected < len(self.active_channels):
            connected = len(self.active_channels)
            self.handle_accept()
        wasyncore.dispatcher.close(self)  # without the trigger, which threads still pull
        began = time.monotonic()
        while self.active_channels and (passed := time.monotonic() - began) < GRACE:
            for channel in list(self.active_channels.values()):
                has_begun = channel.request is not None and passed < STOPPING
                is_new = channel.moved == 0 and passed < HEARING
                if not (has_begun or is_new or channel.requests or channel.total_outbufs_len):
                    self._end(channel)
            wasyncore.loop(timeout=0.05, use_poll=True, map=self._map, count=1)


class NothingOfRequests(logging.Filter):
    """waitress would name the peer or the path of a request that failed."""

    def filter(self, record: logging.LogRecord) -> bool:
        failure = record.exc_info or sys.exc_info()
        if failure[0] is None:
            return True
        record.msg, record.args = f"a request could not be answered: {bare(failure)}", ()
        record.exc_info, record.exc_text, record.stack_info = None, None, None
        # Somebody hung up.
        return not issubclass(failure[0], ConnectionError)


def bound(host: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((host, port))
    return listening


def connections_allowed() -> int:
    """As many as files may be open: each may need one next to its socket."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    target = 2 * CONNECTIONS + 500
    soft = max(soft, target if hard == resource.RLIM_INFINITY else min(target, hard))
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(1, min(CONNECTIONS, (soft - 500) // 2))


def main() -> int:
    os.umask(private_files.UMASK)
    parser = argparse.ArgumentParser(prog="python -m config.web")
    parser.add_argument("--application", default="config.wsgi")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    listening = bound(args.host, args.port)
    # Loaded once, before the processes fork: a third less processor time at a start, and a fifth less memory.
    application = importlib.import_module(args.application).application
    logging.getLogger("waitress").setLevel(logging.WARNING)
    logging.getLogger("waitress").addFilter(NothingOfRequests())
    logging.getLogger("waitress.queue").setLevel(logging.CRITICAL)
    # Until here a proxy is refused, and asks another instance.
    listening.listen(1024)
    connections = connections_allowed()

    def serve(is_stopped: Callable[[], bool]) -> None:
        # At each call of the kernel the event loop gives the interpreter to a thread, and waits this long for it.
        sys.setswitchinterval(SWITCHING)
        Server(application, listening, connections).run_until(is_stopped)

    return in_processes([serve] * args.processes, at_end_of_start=listening.close)


def in_processes(
    functions: list[Callable[[Callable[[], bool]], None]], at_end_of_start: Callable[[], None]
) -> int:
    """Call each in a forked process, with a function that says whether to stop; the exit status of this one. When one
    process ends, all others stop."""
    parent, children, is_stopped = os.getpid(), set[int](), False

    def stop(*args: object) -> None:
        nonlocal is_stopped
        is_stopped = True
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGTERM)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    running.end_with_supervisor(signal.SIGTERM)
    for function in functions:
        if child := os.fork():
            children.add(child)
            continue
        children.clear()
        # Ctrl-C of a terminal reaches everybody; the first process stops the others.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        running.end_with_parent(parent, signal.SIGTERM)
        _call_and_exit(function, lambda: is_stopped)
    # Open in the first process alone, the socket would let people connect whom nobody hears.
    at_end_of_start()
    status = 0
    while children:
        child, how = os.wait()
        children.discard(child)
        if not is_stopped:
            log.warning("a process ended (%s); the others stop", os.waitstatus_to_exitcode(how))
            status = 1
            stop()
    return status


def _call_and_exit(
    function: Callable[[Callable[[], bool]], None], is_stopped: Callable[[], bool]
) -> NoReturn:
    atexit._clear()
    try:
        function(is_stopped)
        # What this process has counted is written; what its parent registered is the parent's.
        atexit._run_exitfuncs()
        logging.shutdown()
        os._exit(0)
    except BaseException:
        log.exception("a process failed")
        os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
