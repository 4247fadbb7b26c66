"""The web server: processes of waitress, each on one of two sockets.

A thread gets complete requests only and leaves sending to the event loop, so slow readers block none. The staff socket
serves every page; if nginx sends respondents to their own socket, they never wait for staff. Refusals are plain text,
and no log line names an address or a path.
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
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer, create_server
from waitress.task import ThreadedTaskDispatcher
from waitress.utilities import Error, RequestEntityTooLarge

from config.logs import exception_without_message
from config.start import file_permissions, instance_lock
from config.start.database_wait import RETRY_SECONDS
from jobs import database
from ui import cookie_and_log_paths

UPLOAD, FORM, ANSWERS = 60_000_000, 3_000_000, 65_536
"""Largest request bodies in bytes: for pages that accept files, for other forms, and for respondents' requests."""
DISCARDED = 4 * UPLOAD
"""Largest number of bytes of a too long body that are still read: a browser reads no response before it has
sent everything."""
NOT_KEPT = "The disk of this site is full, and what you sent was not saved. Tell the administrator, then send it again."
HEAD = 32_768
CONNECTIONS, THREADS = 1_000, 8
"""Highest number of connections, and number of threads, of one process."""
IDLE = 20
"""Seconds after which a connection without traffic is closed."""
HEARING, STOPPING, GRACE = 0.5, 2.0, 8.0
"""Seconds when the server stops: for a request to begin, to arrive completely, and to be answered."""
SWITCHING = 0.0005
TRANSFER_ENCODING = re.compile(rb"\ntransfer-encoding", re.IGNORECASE)

log = logging.getLogger(__name__)
IsStopped = Callable[[], bool]


# --- what is refused -------------------------------------------------------------------------------


class NotAccepted(Error):
    """A refused request: status code and a line of plain text instead of a page."""

    def __init__(self, code: int, reason: str, words: str) -> None:
        super().__init__(words)
        self.code, self.reason = code, reason

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:
        headers = [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")]
        if self.code == 503:
            headers.append(("Retry-After", str(RETRY_SECONDS)))
        return f"{self.code} {self.reason}", headers, f"{self.body}\n".encode()


def longest_body(path: str) -> int:
    """Returns the largest allowed request body, in bytes, for a path."""
    if cookie_and_log_paths.TAKES_FILES.fullmatch(path):
        return UPLOAD
    return (
        FORM
        if cookie_and_log_paths.takes_tokens(path) or cookie_and_log_paths.carries_cookies(path)
        else ANSWERS
    )


class Parser(HTTPRequestParser):
    """Parser of requests that refuses too large bodies, and bodies of unknown length."""

    error: Any
    path: str
    content_length: int
    body_rcv: Any
    is_coded = False
    unread = 0
    """Number of bytes of a refused body that have not arrived yet."""

    def received(self, data: bytes) -> int:
        consumed: int
        if self.unread:
            consumed = min(len(data), self.unread)
            self.unread -= consumed
            self.completed = not self.unread
            return consumed
        had_head = self.headers_finished
        try:
            consumed = super().received(data)
        except OSError as error:
            return self._refuse_unstorable_body(len(data), error)
        if self.headers_finished and not had_head and not self.empty:
            self.error = self._refusal()
            self.completed = self.completed or self.error is not None
            if self._discards_too_large_body():
                self.unread, self.completed = self.content_length, False
                return consumed
            # waitress would wait for the body of a request that has none.
            self.expect_continue = self.expect_continue and not self.completed
        # What follows a refused head is no request.
        return len(data) if self.error else consumed

    def _refuse_unstorable_body(self, received: int, error: OSError) -> int:
        """Refuses a request whose body does not fit on the disk, after its last byte has arrived.

        Returns the number of bytes consumed.
        """
        words = database.outage_text(error) or type(error).__name__
        log.error("an upload cannot be kept while it arrives: %s", words, extra={"ongoing": True})
        self.error = NotAccepted(503, "Service Unavailable", NOT_KEPT)
        with suppress(OSError):  # that which could not be written a moment ago
            self.body_rcv.getbuf().close()
        self.body_rcv = None
        missing: int = self.content_length - self.body_bytes_received
        consumed = min(received, missing)
        self.unread = missing - consumed
        self.completed = not self.unread
        return consumed

    def parse_header(self, header_plus: bytes) -> None:
        self.is_coded = TRANSFER_ENCODING.search(header_plus) is not None
        try:
            super().parse_header(header_plus)
        except ValueError as error:
            raise ParsingError("This is no request.") from error

    def _refusal(self) -> Any:
        """Returns the error with which the request is refused after its headers; None if it is accepted."""
        # Browsers always say how long a body is; only then nobody can read its end differently.
        if self.is_coded:
            return NotAccepted(411, "Length Required", "Say how long the body is.")
        # Of what is too large waitress says less.
        if self.error and not isinstance(self.error, RequestEntityTooLarge):
            return self.error
        # The path as the application gets it.
        if self.content_length > (most := longest_body("/" + self.path.lstrip("/"))):
            words = f"That is too large: this page takes at most {most:,} bytes. Go back and send less."
            return NotAccepted(413, "Content Too Large", words)
        return None

    def _discards_too_large_body(self) -> bool:
        """Returns True if a too large body is read and thrown away, so that the browser reads the answer."""
        is_too_large = isinstance(self.error, NotAccepted) and self.error.code == 413
        return is_too_large and not self.expect_continue and self.content_length <= DISCARDED


class Channel(HTTPChannel):
    """A connection of waitress with this module's parser."""

    parser_class = Parser


class Dispatcher(ThreadedTaskDispatcher):
    """Task dispatcher of waitress, with a separate thread for the health page.

    The health page answers while all other threads wait for a database.
    """

    def __init__(self) -> None:
        super().__init__()
        self.set_thread_count(THREADS)
        self.of_health = ThreadedTaskDispatcher()
        self.of_health.set_thread_count(1)

    def add_task(self, task: Channel) -> None:
        is_of_health = getattr(task.requests[0], "path", "") == cookie_and_log_paths.HEALTH
        (self.of_health.add_task if is_of_health else super().add_task)(task)


class RequestDetailsFilter(logging.Filter):
    """Log filter: drops messages of waitress that would name the address or path of a failed request."""

    def filter(self, record: logging.LogRecord) -> bool:
        failure = record.exc_info or sys.exc_info()
        if failure[0] is None:
            return True
        record.msg, record.args = f"a request could not be answered: {exception_without_message(failure)}", ()
        record.exc_info, record.exc_text, record.stack_info = None, None, None
        # Somebody hung up.
        return not issubclass(failure[0], ConnectionError)


# --- one process -----------------------------------------------------------------------------------


def serve(application: Any, listening: socket.socket, is_stopped: IsStopped) -> None:
    """Answers requests on this socket until `is_stopped` returns True, then shuts down gracefully."""
    # At each call of the kernel the event loop gives the interpreter to a thread, and waits this long for it.
    sys.setswitchinterval(SWITCHING)
    server: TcpWSGIServer = create_server(
        without_body_for_head(application),
        sockets=[listening],
        ident=None,
        # config.remove_identifying_headers decides what to believe of a proxy, and drops the rest.
        clear_untrusted_proxy_headers=False,
        _dispatcher=Dispatcher(),
        connection_limit=CONNECTIONS,
        channel_timeout=IDLE,
        cleanup_interval=1,
        recv_bytes=65_536,
        max_request_header_size=HEAD,
        max_request_body_size=UPLOAD + 1,
        outbuf_high_watermark=1 << 60,  # no thread waits for a reader
        asyncore_use_poll=True,
    )
    server.channel_class = Channel
    swept_at = 0.0
    while not is_stopped():
        wasyncore.loop(timeout=0.25, use_poll=True, map=server._map, count=1)
        if (now := time.monotonic()) > swept_at + 1:
            swept_at = now
            close_stuck_connections(server)
    shut_down_gracefully(server)


def without_body_for_head(application: Any) -> Any:
    """Wraps a WSGI application: a HEAD request gets headers alone. After a body, the client would read that as the next
    answer of the connection."""

    def answer(environ: dict[str, Any], start_response: Any) -> Any:
        content = application(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return content
        if hasattr(content, "close"):
            content.close()
        return []

    return answer


def close_stuck_connections(server: TcpWSGIServer) -> None:
    """Closes idle connections whose client does not read; waitress itself only marks them."""
    for channel in list(server.active_channels.values()):
        if channel.will_close and not channel.requests:
            channel.handle_close()


def shut_down_gracefully(server: TcpWSGIServer) -> None:
    """Shuts down gracefully: accepts waiting connections and answers complete requests."""
    connected = -1
    while connected < len(server.active_channels):
        connected = len(server.active_channels)
        server.handle_accept()
    wasyncore.dispatcher.close(server)  # without the trigger, which threads still pull
    began = time.monotonic()
    while server.active_channels and (passed := time.monotonic() - began) < GRACE:
        for channel in list(server.active_channels.values()):
            is_new = channel.last_activity == channel.creation_time and passed < HEARING
            has_begun = channel.request is not None and passed < STOPPING
            if not (is_new or has_begun or channel.requests or channel.total_outbufs_len):
                channel.handle_close()
        wasyncore.loop(timeout=0.05, use_poll=True, map=server._map, count=1)


# --- all of them -----------------------------------------------------------------------------------


def bound_socket(host: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((host, port))
    return listening


def raise_open_file_limit() -> None:
    """Raises the limit of open files, since a connection may need two files besides its socket."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    target = 4 * CONNECTIONS
    soft = max(soft, target if hard == resource.RLIM_INFINITY else min(target, hard))
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def main() -> int:
    os.umask(file_permissions.UMASK)
    parser = argparse.ArgumentParser(prog="python -m config.web_server")
    parser.add_argument("--application", default="config.wsgi")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--respondents-port", type=int, help="another port, with processes of its own")
    parser.add_argument("--processes", type=int, default=2, help="of each port")
    args = parser.parse_args()
    ports = [port for port in (args.port, args.respondents_port) if port is not None]
    sockets = [bound_socket(args.host, port) for port in ports]
    # Loaded once, before the processes fork: a third less processor time at a start, and a fifth less memory.
    application = importlib.import_module(args.application).application
    logging.getLogger("waitress").setLevel(logging.WARNING)
    logging.getLogger("waitress").addFilter(RequestDetailsFilter())
    logging.getLogger("waitress.queue").setLevel(logging.CRITICAL)
    raise_open_file_limit()
    # Found while there may be room for its trial, and by all processes.
    with suppress(FileNotFoundError):
        tempfile.gettempdir()
    # Until here a proxy is refused, and asks another instance.
    for listening in sockets:
        listening.listen(1024)
    return run_in_processes(
        [partial(serve_only_socket, application, one, sockets) for one in sockets * args.processes], sockets
    )


def serve_only_socket(
    application: Any, listening: socket.socket, sockets: list[socket.socket], is_stopped: IsStopped
) -> None:
    """Closes all sockets but one and answers requests on it."""
    # Open where nobody hears it, a socket would let people connect whom nobody answers.
    for other in sockets:
        if other is not listening:
            other.close()
    serve(application, listening, is_stopped)


def run_in_processes(functions: list[Callable[[IsStopped], None]], sockets: list[socket.socket]) -> int:
    """Runs each function in a forked process, again if it ends early; returns the exit status.

    Each function gets a callback that returns True when it must stop.
    """
    parent, is_stopped = os.getpid(), False
    children = dict[int, Callable[[IsStopped], None]]()

    def stop(*args: object) -> None:
        nonlocal is_stopped
        is_stopped = True
        if os.getpid() == parent:
            # Open where nobody hears, a socket would let people connect whom nobody answers.
            for listening in sockets:
                listening.close()
            for child in children:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGTERM)

    def fork_child(function: Callable[[IsStopped], None]) -> None:
        """Forks a process that calls `function` and exits."""
        if child := os.fork():
            children[child] = function
            if is_stopped:
                os.kill(child, signal.SIGTERM)
            return
        # Ctrl-C of a terminal reaches everybody; the first process stops the others.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        instance_lock.end_with_parent(parent, signal.SIGTERM)
        _call_and_exit(function, lambda: is_stopped)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    instance_lock.end_with_supervisor(signal.SIGTERM)
    for function in functions:
        fork_child(function)
    while children:
        child, how = os.wait()
        function = children.pop(child)
        if not is_stopped:
            log.warning("a process ended (%s); another one starts", os.waitstatus_to_exitcode(how))
            time.sleep(1)  # one that dies at once is not started in a tight loop
            if not is_stopped:
                fork_child(function)
    return 0


def _call_and_exit(function: Callable[[IsStopped], None], is_stopped: IsStopped) -> NoReturn:
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
