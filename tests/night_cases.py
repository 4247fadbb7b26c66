"""Of a test marked `at_push(number)`, so many cases run at each push, spread evenly over all; the others at night."""

from collections import defaultdict
from collections.abc import Sequence

import pytest


def mark(items: Sequence[pytest.Item]) -> None:
    cases: dict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("at_push"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for functions in cases.values():
        marker = functions[0].get_closest_marker("at_push")
        assert marker
        # As the parameters are written, whatever the order in which tests run.
        functions.sort(key=lambda function: tuple(function.callspec.indices.values()))
        kept = spread(len(functions), marker.args[0])
        for index, function in enumerate(functions):
            if index not in kept:
                function.add_marker(pytest.mark.night)


def spread(count: int, number: int) -> set[int]:
    """`number` of the indices below `count`, the first and the last among them."""
    if number >= count:
        return set(range(count))
    return {round(index * (count - 1) / max(number - 1, 1)) for index in range(number)}
