import json
from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privacy.designs import Design
from privacy.kinds.disguise_law_interface import MinedLaw
from privacy.kinds.place import section as place_section
from privacy.kinds.place.law import PlaceItemsSection, PlaceLevel
from privacy.kinds.place.section import MOST_SHAPES, PlaceQuestion, PlaceSection, with_level
from privacy.records import check_codes
from privacy.records.mined_code_conversion import mined_codes
from tests.privacy import questionnaires as q

HOME = q.place("home", q.grid(3, 2), (0, 1), (3, 4, 5), near=2, odds="7.38")
SQUARE = [0, 0, 1, 0, 1, 1, 0, 1]
SAID = {"name": "home", "text": "Where do you live?", "help": {"en": "Choose a square."}}
CELLS: list[dict[str, Any]] = [
    {"name": "a1", "label": "A, 1", "at": [0, 0], "shape": [SQUARE]},
    {"name": "Cafe\u0301", "at": [1, 0]},
    {"name": "a3", "at": [2, 0]},
]
REGIONS: list[dict[str, Any]] = [
    {"name": "north", "label": "The north", "cells": ["Cafe\u0301", "a1"]},
    {"name": "south", "cells": ["a3"], "near": 1, "odds": "3"},
]
LAW = {"outline": [SQUARE], "cells": CELLS, "regions": REGIONS, "near": 2, "odds": "2.0"}
FULL: dict[str, Any] = {"kind": "place", "questions": [{**SAID, **LAW}]}


def read(section: dict[str, Any]) -> PlaceQuestion:
    (found,) = q.design(section).sections
    assert isinstance(found, PlaceSection)
    return found.question


def test_the_canonical_form_is_complete() -> None:
    (found,) = json.loads(q.design(FULL).canonical)["sections"]
    said = {**SAID, "text": {"en": "Where do you live?"}, "show_if": {}}
    cells = [
        {"name": "a1", "label": {"en": "A, 1"}, "at": [0, 0], "shape": [SQUARE]},
        {"name": "Café", "label": {}, "at": [1, 0]},
        {"name": "a3", "label": {}, "at": [2, 0]},
    ]
    regions = [
        {"name": "north", "label": {"en": "The north"}, "cells": ["a1", "Café"]},
        {"name": "south", "label": {}, "cells": ["a3"], "near": 1, "odds": "3.00"},
    ]
    law = {"outline": [SQUARE], "cells": cells, "regions": regions, "near": 2, "odds": "2.00"}
    assert found == {"kind": "place", "questions": [{**said, **law}]}


def test_only_what_is_used_is_in_the_canonical_form() -> None:
    (found,) = json.loads(q.design(HOME).canonical)["sections"]
    (question,) = found["questions"]
    assert question.keys() == {"name", "text", "help", "show_if", "cells", "regions", "near", "odds"}
    assert {key for cell in question["cells"] for key in cell} == {"name", "label", "at"}
    assert {key for region in question["regions"] for key in region} == {"name", "label", "cells"}


CHANGES: list[Callable[[dict[str, Any]], object]] = [
    lambda of: (of.update(odds="2.02"), of["regions"][1].update(odds="3.04")),
    lambda of: of.update(outline="land"),
    lambda of: of.pop("outline"),
    lambda of: of["cells"][2].update(at=[2, 1]),
    lambda of: of["cells"][0].pop("shape"),
    lambda of: of["cells"][0].update(label="A, one"),
    lambda of: of["regions"][0].update(label="North"),
    lambda of: of["regions"].reverse(),
    lambda of: of["cells"].reverse(),
]


def test_everything_about_a_place_changes_the_fingerprint_but_what_says_nothing() -> None:
    changed = [deepcopy(FULL) for _ in range(len(CHANGES) + 1)]
    for change, section in zip(CHANGES, changed, strict=False):
        change(section["questions"][0])
    assert len({q.design(section).fingerprint for section in changed}) == len(changed)
    # The order in which a region lists its cells, and a level of a region that is the question's.
    changed[-1]["questions"][0]["regions"][0]["cells"].reverse()
    assert q.design(changed[-1]).fingerprint == q.design(FULL).fingerprint
    repeated = deepcopy(HOME)
    repeated["questions"][0]["regions"][0] |= {"near": 2, "odds": "7.38"}
    assert q.design(repeated).fingerprint == q.design(HOME).fingerprint


def test_one_level_can_take_the_place_of_two_and_codes_follow_from_the_cells() -> None:
    one = with_level(read(FULL), PlaceLevel(1, 738))
    assert (one.law.levels, one.law.gamma) == ((PlaceLevel(1, 738),) * 2, Fraction(369, 50))
    # Number 29 of the vectors.
    for cells, width in {98: 2, 99: 3, 4096: 4}.items():
        of = read(q.place("home", q.grid(cells, 1), (0, 1)))
        assert (of.not_asked, of.not_applicable, of.width) == (cells, cells + 1, width)


@pytest.mark.proof
def test_the_coin_has_fewer_sides_than_there_are_words() -> None:
    """The most cells, all of them near, at the largest odds; and with a level of its own for the largest region."""
    everything = read(q.place("home", q.grid(64, 64), range(4096), near=4096, odds="1000"))
    assert everything.law.coin_sides == 409_600_000 < 2**32
    two = q.place("home", q.grid(64, 64), range(4095), (4095,), near=4000, odds="1.1")
    two["questions"][0]["regions"][1] |= {"near": 1, "odds": "401"}
    assert read(two).law.coin_sides == 4000 * 10 + 100 * 4096


Q = "sections[0].questions[0]"
RINGS = [[0, 0, 10, 0, 10, 10] * 3] * 2000


def make_place(**more: Any) -> dict[str, Any]:
    """A place of three cells, a, b and c, of which the region r holds the first two; changed."""
    question = {
        "name": "home",
        "cells": [{"name": name, "at": [x, 0]} for x, name in enumerate("abc")],
        "regions": [{"name": "r", "cells": ["a", "b"]}],
        "near": 1,
        "odds": "2.00",
        **more,
    }
    return {"kind": "place", "questions": [question]}


def cell(**more: Any) -> dict[str, Any]:
    """The third cell changed."""
    return make_place(cells=[{"name": "a", "at": [0, 0]}, {"name": "b", "at": [1, 0]}, {"name": "c", **more}])


def regions(*of: list[str], **more: Any) -> dict[str, Any]:
    """Regions p, q, .. of these cells; `more` is said by the last."""
    found: list[Any] = [{"name": name, "cells": cells} for name, cells in zip("pqs", of, strict=False)]
    found[-1] |= more
    return make_place(regions=found)


def place_without_key(key: str) -> dict[str, Any]:
    section = make_place()
    del section["questions"][0][key]
    return section


THREE_LEVELS = q.place("home", q.grid(9, 1), (0, 1), (2, 3, 4), odds="13")
for region, (m, w) in zip(THREE_LEVELS["questions"][0]["regions"], ((2, "7"), (3, "5")), strict=True):
    region |= {"near": m, "odds": w}
MEANING = "has a meaning of its own in record files"
REFUSED: list[tuple[dict[str, Any], str]] = [
    # cells
    (make_place(cells="grid"), f"{Q}.cells: must be a list"),
    (make_place(cells=[{"name": "a", "at": [0, 0]}]), f"{Q}.cells: at least 2 cells"),
    (q.place("home", q.grid(4097, 1), (0, 1)), f"{Q}.cells: at most 4096 cells"),
    (cell(), f"{Q}.cells[2]: 'at' is missing"),
    (cell(at=[1, 0]), f"{Q}.cells[2].at: two cells are at 1, 0"),
    (cell(at=[1]), f"{Q}.cells[2].at: a point is two integers"),
    (cell(at=[10**7 + 1, 0]), f"{Q}.cells[2].at[0]: must lie between -10000000 and 10000000"),
    # names
    (cell(name="a", at=[2, 0]), f"{Q}.cells[2].name: two cells or regions are called 'a'"),
    (cell(name="elsewhere", at=[2, 0]), f"{Q}.cells[2].name: 'elsewhere' means all cells outside the"),
    *((cell(name=of, at=[2, 0]), f"{Q}.cells[2].name: '{of}' {MEANING}") for of in "-?"),
    (cell(name="", at=[2, 0]), f"{Q}.cells[2].name: a name is not empty"),
    (regions(["a"], name="c"), f"{Q}.regions[0].name: two cells or regions are called 'c'"),
    (regions(["a"], ["b"], name="p"), f"{Q}.regions[1].name: two cells or regions are called 'p'"),
    (regions(["a"], name="elsewhere"), f"{Q}.regions[0].name: 'elsewhere' means all cells outside"),
    # regions
    (make_place(regions=[]), f"{Q}.regions: at least one region"),
    (regions(["a", "b"], ["c", "b"]), f"{Q}.regions[1].cells[1]: 'b' lies in the region 'p' already"),
    (regions(["a", "a"]), f"{Q}.regions[0].cells[1]: 'a' appears twice"),
    (q.place("home", q.grid(101, 1), *((number,) for number in range(101))), f"{Q}.regions: at most 100"),
    # near and odds; number 28 of the vectors
    (q.place("home", q.grid(5, 1), (0, 1, 2), near=4), f"{Q}.regions[0]: has 3 cells, fewer than the 4"),
    (make_place(near=0), f"{Q}.near: must lie between 1 and 4096"),
    (make_place(near="1"), f"{Q}.near: must be an integer"),
    *(
        (make_place(odds=odds), f"{Q}.odds: must lie between 1.01 and 1000.00")
        for odds in ("1.00", "0.5", "1000.01", "9999.99")
    ),
    *(
        (make_place(odds=odds), f"{Q}.odds: '{odds}' is not a number with up to two")
        for odds in ("7.381", "٧", "-2")
    ),
    # levels
    (regions(["a"], near=1), f"{Q}.regions[0].near: 'odds' is missing"),
    (regions(["a"], odds="3"), f"{Q}.regions[0].odds: 'near' is missing"),
    (regions(["a"], ["b"], near=1, odds="2.01"), f"{Q}.regions[1]: near times (odds - 1) differs from"),
    (regions(["a"], ["b"], near=2, odds="1.5"), f"{Q}.regions[1]: has 1 cells, fewer than the 2 near ones"),
    (THREE_LEVELS, f"{Q}.regions: regions have at most two levels of near and odds"),
    # shapes
    (cell(at=[2, 0], shape=[[0, 0, 1, 0]]), f"{Q}.cells[2].shape[0]: a ring is x, y of 3 points or more"),
    (cell(at=[2, 0], shape=[[0, 0, 1, 0, 1, 1, 0]]), f"{Q}.cells[2].shape[0]: a ring is x, y of 3 points"),
    (cell(at=[2, 0], shape=[]), f"{Q}.cells[2].shape: at least one ring"),
    (cell(at=[2, 0], shape=[[0, 0, 1, 0, 1, 10**7 + 1]]), f"{Q}.cells[2].shape[0][5]: must lie between"),
    (cell(at=[2, 0], shape=[[0, 0, 1, 0, 1, 1.5]]), f"{Q}.cells[2].shape[0][5]: must be an integer"),
    (cell(at=[2, 0], shape=SQUARE), f"{Q}.cells[2].shape[0]: must be a list"),
    (make_place(outline="sea"), f"{Q}.outline: an outline is 'land' or a list of rings"),
    (make_place(outline=[[0, 0, 1, 1]]), f"{Q}.outline[0]: a ring is x, y of 3 points or more"),
    (make_place(outline=[]), f"{Q}.outline: at least one ring"),
    (make_place(outline=RINGS), f"{Q}: the shapes and the outline take"),
    (cell(at=[2, 0], shape=RINGS), f"{Q}: the shapes and the outline take"),
    # the whole
    *((place_without_key(key), f"{Q}: '{key}' is missing") for key in ("near", "odds", "cells", "regions")),
    (make_place(choices=["no", "yes"]), f"{Q}: unknown key 'choices'"),
    (make_place(form="one"), f"{Q}: unknown key 'form'"),
    ({**make_place(), "keep": "0.5"}, "sections[0]: unknown key 'keep'"),
    (
        {"kind": "place", "questions": [*make_place()["questions"], *make_place(name="work")["questions"]]},
        "sections[0].questions: a section of a place has one question",
    ),
]


def test_what_is_no_place_is_refused_with_the_place_and_the_reason() -> None:
    assert q.refused_otherwise(q.design, REFUSED) == []
    # What is refused is the change.
    for section in (make_place(), cell(at=[2, 0]), regions(["a"], ["b"]), regions(["a"], near=1, odds="2")):
        q.design(section)
    after = {"name": "why", "choices": ["a", "b"], "show_if": {"home": ["r0"]}}
    assert "'home' is sensitive" in q.refusal(q.design, HOME, q.plain(after))


def test_the_most_shapes_are_taken_and_one_byte_more_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_SHAPES == 64_000
    monkeypatch.setattr(place_section, "MOST_SHAPES", most := 6_400)

    def section(last: int) -> dict[str, Any]:
        # [[[[0,0, ... ]]],""] has 2 bytes for each 0 before the last number, and 10 around them.
        return cell(at=[2, 0], shape=[[0] * (most // 2 - 7) + [last]])

    fits = [digits for digits in range(1, 8) if not q.refusal(q.design, section(10 ** (digits - 1)))]
    assert fits == list(range(1, len(fits) + 1))
    assert 0 < len(fits) < 7
    shape = section(10 ** (len(fits) - 1))["questions"][0]["cells"][2]["shape"]
    assert most - 8 <= len(json.dumps(shape, separators=(",", ":"))) <= most


HIDDEN = q.design(
    q.plain(q.WORK),
    q.place("home", q.grid(3, 1), (0, 1), **q.IF_EMPLOYED),
    q.place("job", q.grid(2, 1), (0,)),
)


def test_a_record_that_no_device_could_have_sent_is_refused_and_any_other_taken() -> None:
    shows, hides = (f"the answers that are not disguised {what} it" for what in ("show", "hide"))
    refused = {
        (0, 3, 0): "home: a place is always asked",
        (0, 4, 0): f"home: not applicable, but {shows}",
        (1, 2, 0): f"home: answered, but {hides}",
        (0, 2, 2): "job: a place is always asked",
        (0, 2, 3): f"job: not applicable, but {shows}",
        (0, 2, 1): "",
        (1, 4, 0): "",
    }
    assert {codes: q.refusal(check_codes, HIDDEN, codes) for codes in refused} == refused


# --- what mining sees: an unrelated question on its regions and elsewhere

ASKED = q.design(q.plain(q.WORK), HOME, q.sensitive("0.5", q.question("theft", *q.HALF)))
RULED = q.design(q.plain(q.WORK), q.place("home", q.grid(3, 2), (0, 1), (3, 4, 5), **q.IF_EMPLOYED))
ALL_INSIDE = q.design(q.place("home", q.grid(2, 1), (0,), (1,)))


def items_section(of: Design) -> PlaceItemsSection:
    (found,) = (section for section in of.mined.sections if isinstance(section, PlaceItemsSection))
    return found


def test_mining_sees_the_regions_and_what_is_outside_all() -> None:
    for section, names in ((HOME, ["r0", "r1", "elsewhere"]), (FULL, ["north", "south"])):
        (mined,) = q.design(section).mined.questions
        assert [choice.name for choice in mined.choices] == names
        assert [choice.name for choice in read(section).item_choices] == names
    # Keep and noise: m (W - V) = 2 * 638 of Z = 1276 + 500; two and three of five cells, and none elsewhere.
    assert items_section(ASKED).mined_law == MinedLaw(1276, ((2, 3, 0),), 1776, 5)
    assert items_section(ALL_INSIDE).mined_law == MinedLaw(100, ((1, 1),), 300, 2)
    assert ASKED.mined.fingerprint == ASKED.fingerprint
    assert [each.name for each in ASKED.mined.questions] == ["work", "home", "theft"]
    # Also behind a rule about a later question.
    age = {"name": "age", "choices": ["a", "b"]}
    found = q.design(q.plain(age, q.WORK), q.place("home", q.grid(2, 1), (0,), (1,), **q.IF_EMPLOYED))
    assert found.sections[1].mined_law == found.mined.sections[1].mined_law


def test_a_cell_becomes_its_region_or_elsewhere_and_a_hidden_place_counts_as_not_asked() -> None:
    codes = np.array([[0, 0, 1, 1, 0, 1], [0, 1, 2, 3, 4, 5], [0, 1, 0, 1, 0, 1]], np.uint8)
    assert mined_codes(ASKED, codes).tolist() == [codes[0].tolist(), [0, 0, 2, 1, 1, 1], codes[2].tolist()]
    assert ALL_INSIDE.questions[0].mined_codes == (0, 1, 2, 2)
    codes, mined = np.array([[0, 1, 0], [2, 7, 5]], np.uint8), RULED.mined
    assert mined_codes(RULED, codes).tolist() == [[0, 1, 0], [2, mined.questions[1].not_asked, 1]]
    assert [items_section(of).rotates for of in (RULED, ASKED)] == [True, False]
    # A mined record of a hidden place is checked against the rule.
    check_codes(mined, (0, 2))
    check_codes(mined, (1, 3))
    hidden = "answered, but the answers that are not disguised hide it"
    assert hidden in q.refusal(check_codes, mined, (1, 0))
