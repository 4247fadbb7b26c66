from collections.abc import Iterator

import pytest

from tests.privacy import node


@pytest.fixture(scope="session")
def twin() -> Iterator[node.Node]:
    """disguise.js in a Node process, for the whole session."""
    with node.running() as process:
        yield process
