"""Processes that read files within the product's limits, and a folder of wake-up messages."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.hostile.arena import Arena, arena
from tests.kept_rows import cast, client, db, owner, reading
from tests.wake_ups import broker

__all__ = ["broker", "cast", "client", "db", "owner", "reading"]


@pytest.fixture(scope="session")
def arenas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Arena]]:
    """The arena of each kind, which is started when it is first asked for."""
    started: dict[str, Arena] = {}
    with ExitStack() as stack:

        def of_kind(kind: str) -> Arena:
            if kind not in started:
                started[kind] = stack.enter_context(arena(kind, tmp_path_factory.mktemp(kind)))
            return started[kind]

        yield of_kind
