"""Celery's filesystem transport, the queue of an embedded instance, changed to survive missing folders and
partial files.

The stock channel ends its worker when the folder is deleted, and reads a message that is still being written.
Here a missing folder is made again, and a message appears whole or not at all.
"""

import json
import uuid
from contextlib import suppress
from pathlib import Path
from queue import Empty
from time import time_ns
from typing import Any

from kombu.asynchronous import get_event_loop
from kombu.exceptions import ChannelError
from kombu.transport import filesystem, virtual


class FolderChannel(virtual.Channel):
    @property
    def folder(self) -> Path:
        options: dict[str, str] = self.connection.client.transport_options  # type: ignore[assignment,union-attr]
        return Path(options["data_folder_in"])

    def messages(self, queue: str) -> list[Path]:
        """Returns the files of the queue's messages, the oldest first."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            return sorted(self.folder.glob(f"*.{queue}.msg"))
        except OSError as error:
            raise ChannelError(f"cannot use {self.folder}: {error.strerror}") from error

    def _put(self, queue: str, message: dict[str, Any], **kwargs: Any) -> None:
        name = f"{time_ns()}-{uuid.uuid4().hex}.{queue}.msg"
        part = self.folder / f"{name}.part"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps(message))
            part.rename(self.folder / name)
        except OSError as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise ChannelError(f"cannot write in {self.folder}: {error.strerror}") from error

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        for path in self.messages(queue):
            try:
                text = path.read_text()
                # Of several workers that read it, the one whose unlink succeeds gets it.
                path.unlink()
                message: dict[str, Any] = json.loads(text)
            except (OSError, ValueError):
                continue
            return message
        raise Empty

    def _size(self, queue: str) -> int:
        return len(self.messages(queue))

    def _purge(self, queue: str) -> int:
        paths = self.messages(queue)
        for path in paths:
            path.unlink(missing_ok=True)
        return len(paths)


class Transport(filesystem.Transport):
    """Transport that delivers messages by the worker's event loop, as with Redis.

    Without the loop, the pool's children share a lock: a child killed while it has the lock blocks the pool for good.
    """

    Channel = FolderChannel  # type: ignore[assignment]
    implements = filesystem.Transport.implements.extend(asynchronous=True)

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        # The loop looks at the folder whenever anything happens, a child that is free again above all.
        loop.on_tick.add(self.deliver)
        loop.call_repeatedly(self.polling_interval, lambda: None)

    def close_connection(self, connection: Any) -> None:
        loop: Any = get_event_loop()
        if loop is not None:
            loop.on_tick.discard(self.deliver)
        super().close_connection(connection)

    def deliver(self) -> None:
        """Delivers messages until none is left or nobody can take one."""
        cycle: Any = self.cycle
        try:
            while True:
                cycle.get(self._deliver)
        except (Empty, ChannelError):
            # A folder that cannot be used just now is empty; the pages of the jobs say what is wrong.
            pass
