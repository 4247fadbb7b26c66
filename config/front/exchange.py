"""The socket of one request, as gunicorn sees it: all bytes are here, and the answer is buffered."""

from typing import IO

from config.front.connection import Connection

GATHERED = 1 << 16
"""Bytes of an answer that are sent together; gunicorn would send its head apart."""
SERVER_LINE = b"Server: gunicorn\r\n"
"""A line of every head that no browser uses."""


class Exchange:
    """`sock`, `client` and `server` are what gunicorn asks of a connection. Call `finish` after the answer."""

    def __init__(self, connection: Connection, request: bytes) -> None:
        self.connection = connection
        self.client, self.server = connection.client, connection.server
        self._request = memoryview(request)
        self._answer = bytearray()
        self._has_head = False

    @property
    def sock(self) -> "Exchange":
        return self

    def recv(self, size: int) -> bytes:
        """Nothing after the end of the request, whatever follows it on the connection."""
        read, self._request = self._request[:size], self._request[size:]
        return bytes(read)

    def sendall(self, data: bytes) -> None:
        # gunicorn sends the head first and alone.
        self._answer += data if self._has_head else data.replace(SERVER_LINE, b"", 1)
        self._has_head = True
        if len(self._answer) >= GATHERED:
            self.finish()

    def finish(self) -> None:
        answer, self._answer = self._answer, bytearray()
        if answer:
            self.connection.put(answer)

    def send(self, data: bytes) -> int:
        """gunicorn's own "100 Continue", which the front has sent when the head was here."""
        return len(data)

    def sendfile(self, file: IO[bytes], offset: int = 0, count: int = 0) -> int:
        self.finish()
        self.connection.put_file(file.fileno(), offset, count)
        return count

    def gettimeout(self) -> float:
        return 0.0

    def shutdown(self, how: int) -> None:
        """After a failure in the middle of an answer; the front closes what is left."""
        raise OSError("the front closes connections")

    def close(self) -> None:
        pass
