"""The tests of one process share one database connection, also while a browser's event loop runs."""

import asyncio

from django.db import connections


async def connection_in_a_loop() -> object:
    return connections["default"]


def test_an_event_loop_sees_the_connection_of_its_thread() -> None:
    assert asyncio.run(connection_in_a_loop()) is connections["default"]
