"""The tests of one process share one database connection, also while a browser's event loop runs."""

import asyncio
from asyncio import events
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections


@contextmanager
def running(loop: asyncio.AbstractEventLoop | None) -> Iterator[None]:
    """This thread believes that this loop runs in it; a browser's may really do."""
    before = events._get_running_loop()
    events._set_running_loop(loop)
    try:
        yield
    finally:
        events._set_running_loop(before)


def test_an_event_loop_sees_the_connection_of_its_thread() -> None:
    loop = asyncio.new_event_loop()
    with running(loop):
        inside = connections["default"]
    with running(None):
        assert connections["default"] is inside
    loop.close()
