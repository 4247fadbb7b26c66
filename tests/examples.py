"""How many examples a property is tried with: a quarter of them at each push, all of them in the night."""

import os

ALL = "ALL_EXAMPLES"
"""What `./run test --night` sets."""
FEW = 20


def examples(number: int) -> int:
    return number if os.environ.get(ALL) else max(number // 4, min(number, FEW))
