"""Adding a sensitive place, and editing its cells, regions and levels."""

from collections.abc import Callable, Sequence

from django.utils.translation import gettext as _

from look.numbers import count
from privacy.grammar.refusal import Refusal
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.place_search import Wanted, best_place, largest_odds
from privacy.guarantee.presets import DEFAULT
from privacy.kinds.place.law import PlaceLevel
from privacy.kinds.place.section import LAND, MOST_REGIONS
from surveys.draft import PRESET, Draft
from surveys.kinds.place.cells import grid
from surveys.kinds.place.draft import (
    NEAR,
    PLACE,
    level_json,
    level_of,
    own_level,
    read_section,
)
from surveys.kinds.place.levels import stronger, with_levels
from surveys.problems import Problem, reason_of
from surveys.questionnaire.blocks import find, new_name, with_block
from surveys.questionnaire.normal_values import Node, name_of, unused_name
from surveys.questionnaire.presets import limit_of_section
from surveys.questionnaire.protection import expected
from surveys.refused import Refused

COLUMNS = ROWS = 8
KEPT = ("near", "odds")


def new_place(draft: Draft) -> Node:
    """A section with a place without words: a grid without a map, no region yet, odds within the usual limit."""
    question: Node = {"name": new_name(draft), "text": {}, "help": {}, "show_if": {}, "regions": []}
    question |= {"cells": grid(COLUMNS, ROWS, None)}
    question |= level_json(PlaceLevel(NEAR, largest_odds(limit_of_section(draft))))
    return {"kind": PLACE, PRESET: DEFAULT.name, "questions": [question]}


def place_section(draft: Draft, key: str) -> tuple[int, Node]:
    place, _block = find(draft, key)
    section: Node = draft["sections"][place.section]
    if section["kind"] != PLACE:
        raise Refused(_("This question is not a place."))
    return place.section, section


def _changed(draft: Draft, key: str, change: Callable[[Node], Node]) -> Draft:
    _number, section = place_section(draft, key)
    return with_block(draft, key, [change(section["questions"][0])])


def with_cells(draft: Draft, key: str, cells: Sequence[Node], on_land: bool = False) -> Draft:
    """Other cells; a region keeps those of its cells whose names are still there, and is gone without one."""
    names = {cell["name"] for cell in cells}

    def change(question: Node) -> Node:
        left = [
            {**region, "cells": [name for name in region["cells"] if name in names]}
            for region in question["regions"]
            if region["name"] not in names
        ]
        made = {**question, "cells": list(cells), "regions": [each for each in left if each["cells"]]}
        made.pop("outline", None)
        return {**made, "outline": LAND} if on_land else made

    return _changed(draft, key, change)


def with_cell_names(draft: Draft, key: str, names: Sequence[str]) -> Draft:
    """The same cells under these names, in their order."""

    def change(question: Node) -> Node:
        if len(names) != len(question["cells"]):
            words = _("There are %(cells)s cells and %(names)s names.")
            raise Refused(words % {"cells": count(len(question["cells"])), "names": count(len(names))})
        called = dict(zip((cell["name"] for cell in question["cells"]), names, strict=True))
        regions = [
            {**region, "cells": [called[name] for name in region["cells"]]} for region in question["regions"]
        ]
        cells = [{**cell, "name": called[cell["name"]]} for cell in question["cells"]]
        return {**question, "cells": cells, "regions": regions}

    return _changed(draft, key, change)


def add_region(draft: Draft, key: str) -> tuple[Draft, int]:
    """A region without cells, and its row."""
    _number, section = place_section(draft, key)
    regions = section["questions"][0]["regions"]
    if len(regions) >= MOST_REGIONS:
        raise Refused(_("A place has at most %(most)s regions.") % {"most": MOST_REGIONS})

    def change(question: Node) -> Node:
        taken = {each["name"] for each in (*question["cells"], *question["regions"])}
        region = {"name": unused_name("region-1", taken), "label": {}, "cells": []}
        return {**question, "regions": [*question["regions"], region]}

    return _changed(draft, key, change), len(regions)


def remove_region(draft: Draft, key: str, row: int) -> Draft:
    _region(draft, key, row)

    def change(question: Node) -> Node:
        return {**question, "regions": [each for at, each in enumerate(question["regions"]) if at != row]}

    return _changed(draft, key, change)


def _region(draft: Draft, key: str, row: int) -> tuple[Node, Node]:
    """The question and one of its regions."""
    _number, section = place_section(draft, key)
    question = section["questions"][0]
    if not 0 <= row < len(question["regions"]):
        raise Refused(_("This region is not there any more."))
    return question, question["regions"][row]


def protect_more(draft: Draft, key: str, row: int) -> Draft:
    """The second level for this region: that of other regions with one, else the strongest that fits."""
    question, region = _region(draft, key, row)
    level = own_level(question) or next(stronger(level_of(question), len(region["cells"])), None)
    if level is None:
        words = _(
            "No stronger protection is possible: it needs more near cells than the %(near)s of the "
            "other regions, at most the %(cells)s cells of this one, and near times (odds − 1) as "
            "there."
        )
        raise Refused(words % {"near": question["near"], "cells": count(len(region["cells"]))})
    return _with_region(draft, key, row, {**region, **level_json(level)})


def protect_as_usual(draft: Draft, key: str, row: int) -> Draft:
    """The question's level again."""
    _question, region = _region(draft, key, row)
    return _with_region(draft, key, row, {each: value for each, value in region.items() if each not in KEPT})


def _with_region(draft: Draft, key: str, row: int, region: Node) -> Draft:
    def change(question: Node) -> Node:
        return {
            **question,
            "regions": [region if at == row else each for at, each in enumerate(question["regions"])],
        }

    return _changed(draft, key, change)


def renamed_regions(draft: Draft, key: str, names: Sequence[str]) -> Draft:
    """The names in files of records; an empty one stays."""

    def change(question: Node) -> Node:
        taken = {cell["name"] for cell in question["cells"]}
        regions = []
        for region, given in zip(question["regions"], names, strict=True):
            name = name_of(given) or region["name"]
            if name in taken:
                raise Refused(_("Another cell or region is called “%(name)s”.") % {"name": name})
            taken.add(name)
            regions.append({**region, "name": name})
        return {**question, "regions": regions}

    return _changed(draft, key, change)


def with_best_level(draft: Draft, key: str, wanted: Wanted) -> Draft:
    """The level with the least error of what is wanted within the usual limit, for all regions."""
    number, section = place_section(draft, key)
    limit = limit_of_section(draft, number)
    bare = _with_one_level(section, limit)
    try:
        found = best_place(read_section(bare).question, limit, wanted, expected(draft))
    except Refusal as refusal:
        raise Refused(Problem("", reason_of(refusal)).sentence) from None
    return with_block(draft, key, [with_levels(bare["questions"][0], found.level)])


def _with_one_level(section: Node, limit: GammaLimit) -> Node:
    question = section["questions"][0]
    regions = [
        {key: each for key, each in region.items() if key not in KEPT} for region in question["regions"]
    ]
    one = {**question, "regions": regions, **level_json(PlaceLevel(NEAR, largest_odds(limit)))}
    return {**section, "questions": [one]}
