"""How much of a design the shapes of its places take."""

import json
from collections.abc import Sequence

MOST_BYTES = 64_000
"""Of all shapes of a question together, in canonical JSON."""


def bytes_of(shapes: Sequence[Sequence[Sequence[int]]]) -> int:
    """`shapes` as in a design: for each cell its rings x, y, x, y, …"""
    return len(json.dumps(shapes, separators=(",", ":")))
