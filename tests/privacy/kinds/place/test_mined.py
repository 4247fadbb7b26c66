"""What mining sees of a place: an unrelated question on its regions and elsewhere."""

import numpy as np
import pytest

from privacy.designs import Design, InputError
from privacy.kinds.disguise_law_interface import MinedLaw
from privacy.kinds.place.law import PlaceItemsSection
from privacy.records import check_codes
from privacy.records.mined_codes import mined_codes
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    WORK,
    design,
    grid,
    place,
    plain,
    question,
    sensitive,
)

HOME = place("home", grid(3, 2), (0, 1), (3, 4, 5), near=2, odds="7.38")
ASKED = design(plain(WORK), HOME, sensitive("0.5", question("theft", *HALF)))
RULED = design(plain(WORK), place("home", grid(3, 2), (0, 1), (3, 4, 5), **IF_EMPLOYED))
ALL_INSIDE = design(place("home", grid(2, 1), (0,), (1,)))


def items_section(of: Design) -> PlaceItemsSection:
    (found,) = (section for section in of.mined.sections if isinstance(section, PlaceItemsSection))
    return found


def test_keep_and_noise_are_counted_in_sides_and_cells() -> None:
    # m (W - V) = 2 * 638 of Z = 1276 + 500; two and three of five cells, and none elsewhere.
    assert items_section(ASKED).mined_law == MinedLaw(1276, ((2, 3, 0),), 1776, 5)
    assert items_section(ALL_INSIDE).mined_law == MinedLaw(100, ((1, 1),), 300, 2)


def test_a_cell_becomes_its_region_or_elsewhere() -> None:
    codes = np.array([[0, 0, 1, 1, 0, 1], [0, 1, 2, 3, 4, 5], [0, 1, 0, 1, 0, 1]], np.uint8)
    assert mined_codes(ASKED, codes).tolist() == [codes[0].tolist(), [0, 0, 2, 1, 1, 1], codes[2].tolist()]


def test_a_hidden_place_counts_as_not_asked() -> None:
    codes = np.array([[0, 1, 0], [2, 7, 5]], np.uint8)
    mined = RULED.mined
    assert mined_codes(RULED, codes).tolist() == [[0, 1, 0], [2, mined.questions[1].not_asked, 1]]
    assert items_section(RULED).rotates
    assert not items_section(ASKED).rotates


def test_every_code_of_a_record_has_its_item() -> None:
    (home,) = ALL_INSIDE.questions
    assert home.mined_codes == (0, 1, 2, 2)


def test_a_mined_record_of_a_hidden_place_is_checked_against_the_rule() -> None:
    check_codes(RULED.mined, (0, 2))
    check_codes(RULED.mined, (1, 3))
    with pytest.raises(InputError, match="answered, but the answers that are not disguised hide it"):
        check_codes(RULED.mined, (1, 0))


def test_the_mined_design_has_the_fingerprint_of_the_design() -> None:
    assert ASKED.mined.fingerprint == ASKED.fingerprint
    assert [q.name for q in ASKED.mined.questions] == ["work", "home", "theft"]


def test_a_place_behind_a_rule_about_a_later_question_says_its_mined_law() -> None:
    found = design(
        plain({"name": "age", "choices": ["a", "b"]}, WORK),
        place("home", grid(2, 1), (0,), (1,), **IF_EMPLOYED),
    )
    assert found.sections[1].mined_law == found.mined.sections[1].mined_law
