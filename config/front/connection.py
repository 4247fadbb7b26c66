"""One connection: its buffers, and whether the other side is fast enough.

The event loop reads and writes it; the thread that answers a request only puts bytes into `outgoing`.
"""

import os
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from errno import EPIPE
from socket import socket
from threading import Condition
from typing import Any

SLOWEST = 10_000
"""Bytes a second that a connection must move on average, after its patience."""

READING, SENDING, LINGERING = 10.0, 30.0, 2.0
"""Seconds of patience: for a request, for an answer, and for the other side to close."""

ROOM = 1 << 20
"""Bytes of an answer that may wait for a slow reader before its thread waits too. No public page is as long."""

SMALL = 1 << 16
"""Bytes of a file up to which it is read at once; of longer ones the kernel sends what the reader takes."""


@dataclass(slots=True)
class FilePart:
    """Bytes of an open file, with a descriptor of its own."""

    descriptor: int
    offset: int
    left: int

    def close(self) -> None:
        os.close(self.descriptor)


@dataclass(eq=False, slots=True)
class Connection:
    """`needed`: bytes of the incoming request, once its head is here. `working`: a thread answers a request;
    `keep_alive`: whether another request may follow. `watched`: the events that the loop waits for."""

    raw: socket
    client: Any
    server: Any
    on_blocked: Callable[["Connection"], None]
    incoming: bytearray = field(default_factory=bytearray)
    outgoing: deque[memoryview | FilePart] = field(default_factory=deque)
    waiting: int = 0
    needed: int = 0
    reads: int = 0
    working: bool = False
    keep_alive: bool = False
    ended: bool = False
    lingering: bool = False
    broken: bool = False
    watched: int = 0
    began: float = field(default_factory=time.monotonic)
    moved: int = 0
    patience: float = READING
    room: Condition = field(default_factory=Condition)

    def begin(self, patience: float) -> None:
        """Measure the pace from now on."""
        self.began, self.moved, self.patience = time.monotonic(), 0, patience

    @property
    def waits(self) -> bool:
        """Whether it is the other side's turn."""
        return bool(self.outgoing) or not self.working

    @property
    def abreast(self) -> float:
        """The time at which what has moved would have moved at the slowest pace: the smallest lags behind most."""
        return self.began + self.moved / SLOWEST

    def is_late(self, now: float) -> bool:
        return self.waits and self.abreast + self.patience <= now

    @property
    def size(self) -> int:
        """Bytes of it in memory."""
        return len(self.incoming) + self.waiting

    # --- the thread's side

    def put(self, data: bytes | bytearray) -> None:
        """Send it, or as much as goes at once, and leave the rest to the event loop."""
        with self.room:
            self._check()
            rest = memoryview(data)
            if not self.outgoing:
                rest = rest[self._sent(rest) :]
            if rest:
                self._wait_with(rest, len(rest))
            # Only long downloads come here, which need a signed-in person.
            while self.waiting > ROOM and not self.broken:
                self.room.wait(1)
            self._check()

    def put_file(self, descriptor: int, offset: int, count: int) -> None:
        if count <= SMALL:
            return self.put(os.pread(descriptor, count, offset))
        with self.room:
            self._check()
            self._wait_with(FilePart(os.dup(descriptor), offset, count), 0)
        return None

    def _check(self) -> None:
        if self.broken:
            raise BrokenPipeError(EPIPE, "the other side is gone or too slow")

    def _wait_with(self, part: memoryview | FilePart, size: int) -> None:
        first = not self.outgoing
        self.outgoing.append(part)
        self.waiting += size
        if first:
            self.begin(SENDING)
            self.on_blocked(self)

    def _sent(self, data: memoryview) -> int:
        try:
            return self.raw.send(data)
        except BlockingIOError:
            return 0
        except OSError:
            self.broken = True
            raise

    # --- the event loop's side

    def flush(self) -> bool:
        """Send what goes; whether nothing is left. OSError where the other side is gone."""
        with self.room:
            while self.outgoing:
                part = self.outgoing[0]
                sent = self._sent_of_file(part) if isinstance(part, FilePart) else self._sent(part)
                if not sent:
                    break
                self.moved += sent
                self._advance(part, sent)
            self.room.notify_all()
            return not self.outgoing

    def _advance(self, part: memoryview | FilePart, sent: int) -> None:
        if isinstance(part, FilePart):
            part.offset += sent
            part.left -= sent
            if not part.left:
                part.close()
                self.outgoing.popleft()
            return
        self.waiting -= sent
        if sent == len(part):
            self.outgoing.popleft()
        else:
            self.outgoing[0] = part[sent:]

    def _sent_of_file(self, part: FilePart) -> int:
        try:
            sent = os.sendfile(self.raw.fileno(), part.descriptor, part.offset, part.left)
        except BlockingIOError:
            return 0
        if not sent:
            raise BrokenPipeError(EPIPE, "the file became shorter")
        return sent

    def close(self) -> None:
        """Nobody sends while the descriptor goes, which the next connection may get."""
        with self.room:
            self.broken = True
            for part in self.outgoing:
                if isinstance(part, FilePart):
                    part.close()
            self.outgoing.clear()
            self.waiting = 0
            self.raw.close()
            self.room.notify_all()
