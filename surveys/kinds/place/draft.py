"""A sensitive place in a draft: its normal form, and the section that a design would have.

Cells, regions and levels stand as in a design. Unlike there, cells and regions may still be missing.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count, islice
from typing import Any

from privacy.grammar.node import read_json
from privacy.grammar.reading import RESERVED_CHOICES, ParsedSoFar
from privacy.grammar.refusal import Refusal
from privacy.kinds.mined_law import Disguised
from privacy.kinds.place import section as form
from privacy.kinds.place.law import PlaceLevel, Point, V
from privacy.kinds.place.mined import ELSEWHERE
from privacy.kinds.place.section import (
    FEWEST_CELLS,
    FEWEST_POINTS,
    FURTHEST,
    LAND,
    LEAST_ODDS,
    MOST_CELLS,
    MOST_ODDS,
    MOST_REGIONS,
    ODDS,
    PlaceSection,
    odds_text,
)
from surveys.kinds.place.words import CELL_LABELS, fault_of_labels, place_texts, with_place_words
from surveys.phrases.chances import PLACE_CHANCES
from surveys.phrases.how_it_works import HOW_IT_WORKS, NEAR_HEADS, TOY
from surveys.phrases.numbers_and_places import PLACES
from surveys.questionnaire.normal_values import Node, UniqueNames, law_node, name_of, texts
from surveys.questionnaire.section_kind import SectionKind
from surveys.questionnaire.unfinished import with_rules

PLACE = PlaceSection.kind
NEAR, USUAL_ODDS = 1, 1_899
"""Where nobody says otherwise; in hundredths, just below 19."""


def place_question(question: Mapping[str, Any], common: Node, spoken: Sequence[str]) -> Node:
    names = UniqueNames([*RESERVED_CHOICES, ELSEWHERE])
    cells = list(_cells(question.get("cells"), spoken, names))
    level = _level(question)
    made = {
        **common,
        "cells": cells,
        "regions": list(_regions(question.get("regions"), spoken, names, cells)),
        **level_json(level or PlaceLevel(NEAR, USUAL_ODDS)),
    }
    outline = question.get("outline")
    drawn = LAND if outline == LAND else _rings(outline)
    return {**made, "outline": drawn} if drawn else made


def _dicts(value: object, most: int) -> list[Mapping[str, Any]]:
    found = value if isinstance(value, list) else []
    return [each for each in found if isinstance(each, Mapping)][:most]


def _cells(value: object, spoken: Sequence[str], names: UniqueNames) -> Iterator[Node]:
    given = _dicts(value, MOST_CELLS)
    points = _distinct([_point(each.get("at")) for each in given])
    for each, point in zip(given, points, strict=True):
        made = {
            "name": names.give(name_of(each.get("name")) or "c1"),
            "label": texts(each.get("label"), spoken),
            "at": list(point),
        }
        shape = _rings(each.get("shape"))
        yield {**made, "shape": shape} if shape else made


def _distinct(given: Sequence[Point | None]) -> Iterator[Point]:
    """Those that have none, or one that stands already, get one in a row that nobody has."""
    taken = set(given)
    free = ((number, 0) for number in count() if (number, 0) not in taken)
    seen: set[Point] = set()
    for point in given:
        kept = next(free) if point is None or point in seen else point
        seen.add(kept)
        yield kept


def _point(value: object) -> Point | None:
    if isinstance(value, list) and len(value) == 2 and all(map(_is_coordinate, value)):
        return value[0], value[1]
    return None


def _is_coordinate(value: object) -> bool:
    return type(value) is int and -FURTHEST <= value <= FURTHEST


def _rings(value: object) -> list[list[int]]:
    given = value if isinstance(value, list) else []
    return [each for each in given if _is_ring(each)]


def _is_ring(value: object) -> bool:
    if not isinstance(value, list) or len(value) % 2 or len(value) < 2 * FEWEST_POINTS:
        return False
    return all(map(_is_coordinate, value))


def _regions(
    value: object, spoken: Sequence[str], names: UniqueNames, cells: Sequence[Node]
) -> Iterator[Node]:
    """A cell stays in the first region that has it."""
    free = {cell["name"] for cell in cells}
    order = {cell["name"]: number for number, cell in enumerate(cells)}
    for each in _dicts(value, MOST_REGIONS):
        given = each.get("cells")
        wanted = {name_of(name) for name in given} if isinstance(given, list) else set()
        own = wanted & free
        free -= own
        made = {
            "name": names.give(name_of(each.get("name")) or "region-1"),
            "label": texts(each.get("label"), spoken),
            "cells": sorted(own, key=order.__getitem__),
        }
        level = _level(each)
        yield made | (level_json(level) if level else {})


def _level(node: Mapping[str, Any]) -> PlaceLevel | None:
    near, odds = node.get("near"), odds_of(node.get("odds"))
    if type(near) is int and 1 <= near <= MOST_CELLS and odds:
        return PlaceLevel(near, odds)
    return None


def odds_of(value: object) -> int:
    """In hundredths; 0 for what can be no odds."""
    found = ODDS.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return 0
    odds = int(found[1]) * V + int((found[2] or "").ljust(2, "0"))
    return odds if LEAST_ODDS <= odds <= MOST_ODDS else 0


def level_json(level: PlaceLevel) -> Node:
    return {"near": level.near, "odds": odds_text(level.odds)}


def level_of(node: Node) -> PlaceLevel:
    """Of a question in normal form, or of a region with a level of its own."""
    return PlaceLevel(node["near"], odds_of(node["odds"]))


def own_level(question: Node) -> PlaceLevel | None:
    """The level of the regions that have one of their own; the first, where they differ."""
    return next((level_of(each) for each in question["regions"] if "near" in each), None)


def smallest_region(question: Node) -> int:
    """The number of cells that the near ones of the question's level are chosen from; 0 without regions."""
    return min((len(each["cells"]) for each in question["regions"] if "near" not in each), default=0)


def read_section(section: Node) -> PlaceSection:
    """The section as a design has it, without texts and rules; a `Refusal` says what is wrong with it."""
    bare = law_node(section["questions"][0])
    bare["cells"] = [law_node(each) for each in bare["cells"]]
    bare["regions"] = [law_node(each) for each in bare["regions"]]
    return _parsed(json.dumps({**law_node(section), "questions": [bare]}))


@lru_cache(maxsize=16)
def _parsed(section: str) -> PlaceSection:
    """Thousands of cells take a while, and one page asks often."""
    return form.read(read_json(section, "section"), ParsedSoFar(("en",)))


def found_section(section: Node) -> PlaceSection | None:
    """None while its cells, regions and levels do not fit."""
    try:
        return read_section(section)
    except Refusal:
        return None


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


class PlaceDraft(SectionKind):
    kind = PLACE
    script_phrases = {**TOY, **PLACES}
    phrases = {**HOW_IT_WORKS, **TOY, **NEAR_HEADS, **PLACE_CHANCES, **PLACES}
    normal_question = staticmethod(place_question)
    finished = staticmethod(finished_place)
    more_texts = staticmethod(place_texts)
    with_more_texts = staticmethod(with_place_words)

    def normal_settings(self, section: Mapping[str, Any], questions: Sequence[Node]) -> Node:
        return {}

    def law(self, section: Node) -> Disguised | None:
        found = found_section(section)
        return found.law if found else None

    def text_faults(self, question: Node, said: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        if CELL_LABELS in said and (fault := fault_of_labels(question, said[CELL_LABELS])):
            yield CELL_LABELS, fault
