"""A file that is written at one end and sent on at the other, a piece at a time."""

import io
from typing import Any


class Pipe(io.RawIOBase):
    """A write-only file. `taken` returns what was written since the last call; `tell` counts all bytes."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        piece = bytes(data)
        self._waiting.append(piece)
        self._written += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._written

    def taken(self) -> bytes:
        data = b"".join(self._waiting)
        self._waiting.clear()
        return data
