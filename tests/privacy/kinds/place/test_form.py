import json
from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from privacy.designs import InputError, parse
from privacy.kinds.place import section as place_section
from privacy.kinds.place.law import PlaceLevel
from privacy.kinds.place.section import MOST_SHAPES, PlaceQuestion, PlaceSection, with_level
from privacy.records import check_codes
from tests.privacy.questionnaires import IF_EMPLOYED, WORK, design, grid, place, plain, written
from tests.privacy.strategies import places

HOME = place("home", grid(3, 2), (0, 1), (3, 4, 5), near=2, odds="7.38")
SQUARE = [0, 0, 1, 0, 1, 1, 0, 1]
FULL: dict[str, Any] = {
    "kind": "place",
    "questions": [
        {
            "name": "home",
            "text": "Where do you live?",
            "help": {"en": "Choose a square."},
            "outline": [SQUARE],
            "cells": [
                {"name": "a1", "label": "A, 1", "at": [0, 0], "shape": [SQUARE]},
                {"name": "Cafe\u0301", "at": [1, 0]},
                {"name": "a3", "at": [2, 0]},
            ],
            "regions": [
                {"name": "north", "label": "The north", "cells": ["Cafe\u0301", "a1"]},
                {"name": "south", "cells": ["a3"], "near": 1, "odds": "3"},
            ],
            "near": 2,
            "odds": "2.0",
        }
    ],
}


def read(section: dict[str, Any]) -> PlaceQuestion:
    (found,) = design(section).sections
    assert isinstance(found, PlaceSection)
    return found.question


def test_the_canonical_form_is_complete() -> None:
    (found,) = json.loads(design(FULL).canonical)["sections"]
    assert found == {
        "kind": "place",
        "questions": [
            {
                "name": "home",
                "text": {"en": "Where do you live?"},
                "help": {"en": "Choose a square."},
                "show_if": {},
                "outline": [SQUARE],
                "cells": [
                    {"name": "a1", "label": {"en": "A, 1"}, "at": [0, 0], "shape": [SQUARE]},
                    {"name": "Café", "label": {}, "at": [1, 0]},
                    {"name": "a3", "label": {}, "at": [2, 0]},
                ],
                "regions": [
                    {"name": "north", "label": {"en": "The north"}, "cells": ["a1", "Café"]},
                    {"name": "south", "label": {}, "cells": ["a3"], "near": 1, "odds": "3.00"},
                ],
                "near": 2,
                "odds": "2.00",
            }
        ],
    }


def test_only_what_is_used_is_in_the_canonical_form() -> None:
    (found,) = json.loads(design(HOME).canonical)["sections"]
    (question,) = found["questions"]
    assert question.keys() == {"name", "text", "help", "show_if", "cells", "regions", "near", "odds"}
    assert {key for cell in question["cells"] for key in cell} == {"name", "label", "at"}
    assert {key for region in question["regions"] for key in region} == {"name", "label", "cells"}


def test_a_level_of_a_region_that_is_the_question_s_says_nothing_new() -> None:
    repeated = deepcopy(HOME)
    repeated["questions"][0]["regions"][0] |= {"near": 2, "odds": "7.38"}
    assert design(repeated).fingerprint == design(HOME).fingerprint


@pytest.mark.proof
@given(places())
def test_the_canonical_form_of_the_canonical_form_is_the_same(law: dict[str, Any]) -> None:
    first = design({"kind": "place", "questions": [{"name": "home", **law}]})
    again = parse(first.canonical)
    assert (again.canonical, again.fingerprint) == (first.canonical, first.fingerprint)
    assert again.sections == first.sections


CHANGES: list[Callable[[dict[str, Any]], object]] = [
    lambda q: (q.update(odds="2.02"), q["regions"][1].update(odds="3.04")),
    lambda q: q.update(outline="land"),
    lambda q: q.pop("outline"),
    lambda q: q["cells"][2].update(at=[2, 1]),
    lambda q: q["cells"][0].pop("shape"),
    lambda q: q["cells"][0].update(label="A, one"),
    lambda q: q["regions"][0].update(label="North"),
    lambda q: q["regions"].reverse(),
    lambda q: q["cells"].reverse(),
]


def test_everything_about_a_place_changes_the_fingerprint(subtests: pytest.Subtests) -> None:
    for change in CHANGES:
        with subtests.test(f"{change!r:.60}"):
            changed = deepcopy(FULL)
            change(changed["questions"][0])
            assert design(changed).fingerprint != design(FULL).fingerprint


def test_the_order_in_which_a_region_lists_its_cells_says_nothing() -> None:
    changed = deepcopy(FULL)
    changed["questions"][0]["regions"][0]["cells"].reverse()
    assert design(changed).fingerprint == design(FULL).fingerprint


def test_mining_sees_the_regions_and_what_is_outside_all() -> None:
    assert [choice.name for choice in read(HOME).item_choices] == ["r0", "r1", "elsewhere"]
    assert [choice.name for choice in read(FULL).item_choices] == ["north", "south"]
    (mined,) = design(HOME).mined.questions
    assert [choice.name for choice in mined.choices] == ["r0", "r1", "elsewhere"]


def test_one_level_can_take_the_place_of_two() -> None:
    one = with_level(read(FULL), PlaceLevel(1, 738))
    assert one.law.levels == (PlaceLevel(1, 738),) * 2
    assert one.law.gamma == Fraction(369, 50)


def test_codes_and_their_width_follow_from_the_cells(subtests: pytest.Subtests) -> None:
    """Number 29 of the vectors."""
    cases: list[tuple[int, int]] = [(98, 2), (99, 3), (4096, 4)]
    for cells, width in cases:
        with subtests.test(f"{cells} {width}"):
            question = read(place("home", grid(cells, 1), (0, 1)))
            assert (question.not_asked, question.not_applicable, question.width) == (cells, cells + 1, width)


@pytest.mark.proof
def test_the_coin_has_fewer_sides_than_there_are_words() -> None:
    """The most cells, all of them near, at the largest odds; and with a level of its own for the largest region."""
    everything = read(place("home", grid(64, 64), range(4096), near=4096, odds="1000"))
    assert everything.law.coin_sides == 409_600_000 < 2**32
    two = place("home", grid(64, 64), range(4095), (4095,), near=4000, odds="1.1")
    two["questions"][0]["regions"][1] |= {"near": 1, "odds": "401"}
    assert read(two).law.coin_sides == 4000 * 10 + 100 * 4096


Q = "sections[0].questions[0]"
RINGS = [[0, 0, 10, 0, 10, 10] * 3] * 2000


def changed(**more: Any) -> dict[str, Any]:
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
    return changed(cells=[{"name": "a", "at": [0, 0]}, {"name": "b", "at": [1, 0]}, {"name": "c", **more}])


def regions(*of: list[str], **more: Any) -> dict[str, Any]:
    """Regions p, q, .. of these cells; `more` is said by the last."""
    found: list[dict[str, Any]] = [
        {"name": name, "cells": cells} for name, cells in zip("pqs", of, strict=False)
    ]
    found[-1] |= more
    return changed(regions=found)


def without(key: str) -> dict[str, Any]:
    section = changed()
    del section["questions"][0][key]
    return section


REFUSED: list[tuple[dict[str, Any], str]] = [
    # cells
    (changed(cells="grid"), f"{Q}.cells: must be a list"),
    (changed(cells=[{"name": "a", "at": [0, 0]}]), f"{Q}.cells: at least 2 cells"),
    (place("home", grid(4097, 1), (0, 1)), f"{Q}.cells: at most 4096 cells"),
    (changed(cells=["a", "b"]), f"{Q}.cells[0]: must be an object"),
    (cell(), f"{Q}.cells[2]: 'at' is missing"),
    (cell(at=[2, 0], colour="red"), f"{Q}.cells[2]: unknown key 'colour'"),
    (cell(at=[1, 0]), f"{Q}.cells[2].at: two cells are at 1, 0"),
    (cell(at=[1]), f"{Q}.cells[2].at: a point is two integers"),
    (cell(at=[1, 2, 3]), f"{Q}.cells[2].at: a point is two integers"),
    (cell(at=[0.5, 0]), f"{Q}.cells[2].at[0]: must be an integer"),
    (cell(at=[10**7 + 1, 0]), f"{Q}.cells[2].at[0]: must lie between -10000000 and 10000000"),
    (cell(at=[0, -(10**7) - 1]), f"{Q}.cells[2].at[1]: must lie between -10000000 and 10000000"),
    (cell(at=[2, 0], label={"de": "C"}), f"{Q}.cells[2].label: 'de' is not one of the languages"),
    # names
    (cell(name="a", at=[2, 0]), f"{Q}.cells[2].name: two cells or regions are called 'a'"),
    (
        cell(name="elsewhere", at=[2, 0]),
        f"{Q}.cells[2].name: 'elsewhere' means all cells outside the regions",
    ),
    (cell(name="-", at=[2, 0]), f"{Q}.cells[2].name: '-' has a meaning of its own in record files"),
    (cell(name="?", at=[2, 0]), f"{Q}.cells[2].name: '?' has a meaning of its own in record files"),
    (cell(name="", at=[2, 0]), f"{Q}.cells[2].name: a name is not empty"),
    (regions(["a"], name="c"), f"{Q}.regions[0].name: two cells or regions are called 'c'"),
    (regions(["a"], ["b"], name="p"), f"{Q}.regions[1].name: two cells or regions are called 'p'"),
    (regions(["a"], name="elsewhere"), f"{Q}.regions[0].name: 'elsewhere' means all cells outside"),
    # regions
    (changed(regions=[]), f"{Q}.regions: at least one region"),
    (regions(["a", "b"], ["c", "b"]), f"{Q}.regions[1].cells[1]: 'b' lies in the region 'p' already"),
    (regions(["a", "a"]), f"{Q}.regions[0].cells[1]: 'a' appears twice"),
    (regions(["a", "d"]), f"{Q}.regions[0].cells[1]: no cell is called 'd'"),
    (regions([]), f"{Q}.regions[0].cells: a region has at least one cell"),
    (place("home", grid(101, 1), *((number,) for number in range(101))), f"{Q}.regions: at most 100 regions"),
    # near and odds; number 28 of the vectors
    (
        place("home", grid(5, 1), (0, 1, 2), near=4, odds="7.38"),
        f"{Q}.regions[0]: has 3 cells, fewer than the 4 near ones: choose a smaller near",
    ),
    (changed(near=0), f"{Q}.near: must lie between 1 and 4096"),
    (changed(near="1"), f"{Q}.near: must be an integer"),
    (changed(odds="1.00"), f"{Q}.odds: must lie between 1.01 and 1000.00"),
    (changed(odds="0.5"), f"{Q}.odds: must lie between 1.01 and 1000.00"),
    (changed(odds="1000.01"), f"{Q}.odds: must lie between 1.01 and 1000.00"),
    (changed(odds="9999.99"), f"{Q}.odds: must lie between 1.01 and 1000.00"),
    (changed(odds="7.381"), f"{Q}.odds: '7.381' is not a number with up to two places"),
    (changed(odds="٧"), f"{Q}.odds: '٧' is not a number with up to two places"),
    (changed(odds="-2"), f"{Q}.odds: '-2' is not a number with up to two places"),
    (changed(odds=2), f"{Q}.odds: must be a text"),
    # levels
    (regions(["a"], near=1), f"{Q}.regions[0].near: 'odds' is missing"),
    (regions(["a"], odds="3"), f"{Q}.regions[0].odds: 'near' is missing"),
    (
        regions(["a"], ["b"], near=1, odds="2.01"),
        f"{Q}.regions[1]: near times (odds - 1) differs from that of the question, so shares cannot be told",
    ),
    (regions(["a"], ["b"], near=2, odds="1.5"), f"{Q}.regions[1]: has 1 cells, fewer than the 2 near ones"),
    (
        place("home", grid(9, 1), (0, 1, 2, 3), near=1, odds="13")
        | changed(
            cells=[{"name": f"c{x}", "at": [x, 0]} for x in range(9)],
            regions=[
                {"name": "r0", "cells": ["c0", "c1"], "near": 2, "odds": "7"},
                {"name": "r1", "cells": ["c2", "c3", "c4"], "near": 3, "odds": "5"},
            ],
            odds="13",
        ),
        f"{Q}.regions: regions have at most two levels of near and odds",
    ),
    # shapes
    (cell(at=[2, 0], shape=[[0, 0, 1, 0]]), f"{Q}.cells[2].shape[0]: a ring is x, y of 3 points or more"),
    (cell(at=[2, 0], shape=[[0, 0, 1, 0, 1, 1, 0]]), f"{Q}.cells[2].shape[0]: a ring is x, y of 3 points"),
    (cell(at=[2, 0], shape=[]), f"{Q}.cells[2].shape: at least one ring"),
    (cell(at=[2, 0], shape=[[0, 0, 1, 0, 1, 10**7 + 1]]), f"{Q}.cells[2].shape[0][5]: must lie between"),
    (cell(at=[2, 0], shape=[[0, 0, 1, 0, 1, 1.5]]), f"{Q}.cells[2].shape[0][5]: must be an integer"),
    (cell(at=[2, 0], shape=SQUARE), f"{Q}.cells[2].shape[0]: must be a list"),
    (changed(outline="sea"), f"{Q}.outline: an outline is 'land' or a list of rings"),
    (changed(outline=[[0, 0, 1, 1]]), f"{Q}.outline[0]: a ring is x, y of 3 points or more"),
    (changed(outline=[]), f"{Q}.outline: at least one ring"),
    (changed(outline=RINGS), f"{Q}: the shapes and the outline take"),
    (cell(at=[2, 0], shape=RINGS), f"{Q}: the shapes and the outline take"),
    # the whole
    (without("near"), f"{Q}: 'near' is missing"),
    (without("odds"), f"{Q}: 'odds' is missing"),
    (without("cells"), f"{Q}: 'cells' is missing"),
    (without("regions"), f"{Q}: 'regions' is missing"),
    (changed(choices=["no", "yes"]), f"{Q}: unknown key 'choices'"),
    (changed(form="one"), f"{Q}: unknown key 'form'"),
    ({**changed(), "keep": "0.5"}, "sections[0]: unknown key 'keep'"),
    (
        {"kind": "place", "questions": [*changed()["questions"], *changed(name="work")["questions"]]},
        "sections[0].questions: a section of a place has one question",
    ),
]


def test_what_is_no_place_is_refused_with_the_place_and_the_reason(subtests: pytest.Subtests) -> None:
    for section, said in REFUSED:
        with subtests.test(f"{section!r:.60} {said!r:.60}"):
            with pytest.raises(InputError) as caught:
                parse(json.dumps(written(section)))
            assert str(caught.value).startswith(said)


def test_what_is_refused_is_the_change() -> None:
    for section in (changed(), cell(at=[2, 0]), regions(["a"], ["b"]), regions(["a"], near=1, odds="2")):
        design(section)


def test_the_most_shapes_are_taken_and_one_byte_more_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_SHAPES == 64_000
    monkeypatch.setattr(place_section, "MOST_SHAPES", most := 6_400)

    def section(last: int) -> dict[str, Any]:
        # [[[[0,0, ... ]]],""] has 2 bytes for each 0 before the last number, and 10 around them.
        return cell(at=[2, 0], shape=[[0] * (most // 2 - 7) + [last]])

    sizes = {}
    for digits in range(1, 8):
        try:
            design(section(10 ** (digits - 1)))
            sizes[digits] = True
        except InputError:
            sizes[digits] = False
    fits = [digits for digits, taken in sizes.items() if taken]
    assert fits == list(range(1, len(fits) + 1))
    assert 0 < len(fits) < 7
    shape = section(10 ** (len(fits) - 1))["questions"][0]["cells"][2]["shape"]
    assert most - 8 <= len(json.dumps(shape, separators=(",", ":"))) <= most


def test_no_rule_may_name_a_place() -> None:
    after = {"name": "why", "choices": ["a", "b"], "show_if": {"home": ["r0"]}}
    with pytest.raises(InputError, match="'home' is sensitive"):
        design(HOME, plain(after))


HIDDEN = design(plain(WORK), place("home", grid(3, 1), (0, 1), **IF_EMPLOYED), place("job", grid(2, 1), (0,)))


@pytest.mark.parametrize("codes", [(0, 2, 1), (1, 4, 0)])
def test_a_possible_record_is_accepted(codes: tuple[int, ...]) -> None:
    check_codes(HIDDEN, codes)


def test_a_record_that_no_device_could_have_sent_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[tuple[int, ...], str]] = [
        ((0, 3, 0), "home: a place is always asked"),
        ((0, 4, 0), "home: not applicable, but the answers that are not disguised show it"),
        ((1, 2, 0), "home: answered, but the answers that are not disguised hide it"),
        ((0, 2, 2), "job: a place is always asked"),
        ((0, 2, 3), "job: not applicable, but the answers that are not disguised show it"),
    ]
    for codes, said in cases:
        with subtests.test(f"{codes!r:.60} {said!r:.60}"):
            with pytest.raises(InputError) as caught:
                check_codes(HIDDEN, codes)
            assert str(caught.value) == said
