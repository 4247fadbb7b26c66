"""A place that may be unfinished, with whatever a design needs of it."""

from collections.abc import Iterator, Mapping
from itertools import count, islice
from typing import Any

from privacy.kinds.place.section import FEWEST_CELLS, FURTHEST, MOST_CELLS
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.unfinished import with_rules


def finished_place(question: Mapping[str, Any]) -> Node:
    """With more cells, a region, and so many cells in each region as are near, wherever there are fewer yet."""
    made = with_rules(question)
    cells, regions = question.get("cells"), question.get("regions")
    if not isinstance(cells, list) or not isinstance(regions, list):
        return made
    added: list[str] = []
    names = _recorded((f"unfinished {number}" for number in count()), added)
    empty = {"name": "unfinished region", "cells": []}
    drawn = [_with_cells(each, question.get("near"), names) for each in regions or [empty]]
    while len(cells) + len(added) < FEWEST_CELLS:
        next(names)
    filled = [{"name": name, "at": [FURTHEST - row, -FURTHEST]} for row, name in enumerate(added)]
    return {**made, "cells": [*cells, *filled], "regions": drawn}


def _with_cells(region: Any, near: Any, names: Iterator[str]) -> Any:
    if not isinstance(region, Mapping) or not isinstance(region.get("cells"), list):
        return region
    wanted = region.get("near", near)
    least = min(wanted, MOST_CELLS) if type(wanted) is int else 1
    missing = max(1, least) - len(region["cells"])
    return {**region, "cells": [*region["cells"], *islice(names, max(0, missing))]}


def _recorded(names: Iterator[str], given: list[str]) -> Iterator[str]:
    for name in names:
        given.append(name)
        yield name
