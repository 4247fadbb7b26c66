"""Arms, drawn questions, random order and crosswise questions: every coin, in both languages."""

import json
from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest

from privacy.designs import InputError, parse
from privacy.mechanisms.disguise import arm_from_coins, disguise
from privacy.mechanisms.random_draws import Coins, sides_of_coins
from privacy.records import DISGUISED, OPEN
from tests.privacy.mechanisms.exhaustive import (
    ARMS,
    LONG,
    RARE,
    STUDIES,
    javascript_reply,
    python_codes,
    python_orders,
    study_javascript_laws,
    study_laws,
)
from tests.privacy.node import Node, NodeError

pytestmark = pytest.mark.proof
HALF = Fraction(1, 2)


def test_all_coins_give_the_stated_law_in_both_languages(subtests: pytest.Subtests, twin: Node) -> None:
    for name in STUDIES:
        with subtests.test(f"{name!r:.60}"):
            stated = [study.stated for study in STUDIES[name]]
            assert study_laws(STUDIES[name]) == stated
            assert study_javascript_laws(STUDIES[name], twin) == stated


@pytest.mark.night
@pytest.mark.parametrize("name", LONG)
def test_all_coins_of_everything_together_give_the_stated_law_in_both_languages(
    name: str, twin: Node
) -> None:
    stated = [study.stated for study in LONG[name]]
    assert study_javascript_laws(LONG[name], twin) == stated
    assert study_laws(LONG[name][:2]) == stated[:2]


def test_a_direct_record_is_the_truth_and_a_disguised_one_follows_its_law() -> None:
    """By hand: direct .3; else keep .5 and noise (.4, .6)."""
    (no, yes) = study_laws(STUDIES["arms"])
    assert no == {
        (OPEN, "0"): Fraction(3, 10),
        (DISGUISED, "0"): Fraction(7, 10) * Fraction(7, 10),
        (DISGUISED, "1"): Fraction(7, 10) * Fraction(3, 10),
    }
    assert yes == {
        (OPEN, "1"): Fraction(3, 10),
        (DISGUISED, "0"): Fraction(7, 10) * Fraction(2, 10),
        (DISGUISED, "1"): Fraction(7, 10) * Fraction(8, 10),
    }


@pytest.mark.parametrize("name", ["a rare secret", "a frequent secret"])
def test_a_crosswise_record_differs_from_the_truth_as_often_as_the_rarer_secret(name: str) -> None:
    """By hand: shares .2 and .8."""
    of = {
        study.answers: law
        for study, law in zip(STUDIES[name], study_laws(STUDIES[name]), strict=True)
        if study.group
    }
    assert of[(0,)] == {(1, "0"): Fraction(4, 5), (1, "1"): Fraction(1, 5)}
    assert of[(1,)] == {(1, "0"): Fraction(1, 5), (1, "1"): Fraction(4, 5)}


def test_a_turned_secret_changes_the_word_and_not_the_law() -> None:
    """By hand: share .25, both versions drawn with 1/2."""
    law = next(
        study_laws([study])[0]
        for study in STUDIES["turned"]
        if (study.group, study.answers) == (1, (None, 1))
    )
    assert law == {
        (1, version + said): HALF * share
        for version in "01"
        for said, share in zip("01", (HALF / 2, 3 * HALF / 2), strict=True)
    }


def test_each_order_of_the_blocks_is_given_by_equally_many_coins(twin: Node) -> None:
    (study,) = STUDIES["ordered"]
    blocks = ((0,), (1, 2), (3,))
    expected = {tuple(place for block in order for place in block): 1 for order in permutations(blocks)}
    assert python_orders(study) == expected
    in_javascript = javascript_reply([study], twin)["orders"]
    assert in_javascript == {" ".join(map(str, order)): 1 for order in expected}


def test_each_order_of_the_choices_is_given_by_equally_many_coins(twin: Node) -> None:
    """By hand: 2 orders of the blocks, 6 of three choices, 2 of two options; the last choice and option stay."""
    (study,) = STUDIES["shuffled"]
    options = [(1, 2, 3), (2, 1, 3)]
    places = Counter({order: 6 for each in options for order in ((0, *each), (*each, 0))})
    codes = Counter({((*order, 3), (0, 1), (0, 1), (0, 1)): 4 for order in permutations(range(3))})
    assert python_orders(study) == places
    assert python_codes(study) == codes
    reply = javascript_reply([study], twin)
    assert reply["orders"] == {" ".join(map(str, order)): count for order, count in places.items()}
    said = {" ".join("".join(map(str, each)) for each in of): count for of, count in codes.items()}
    assert reply["codes"] == said


def test_the_coins_of_choices_stand_behind_all_others() -> None:
    (study,) = STUDIES["shuffled"]
    design = parse(json.dumps(study.design))
    assert sides_of_coins(design) == [2, 3, 2, 2]
    without = json.loads(design.canonical)
    for question in without["sections"][0]["questions"]:
        question.pop("shuffled", None)
    assert sides_of_coins(parse(json.dumps(without))) == [2]


def test_a_crosswise_section_has_no_coin_on_the_tape() -> None:
    assert sides_of_coins(parse(json.dumps(RARE))) == []


def test_the_coins_of_the_design_stand_behind_those_of_the_sections() -> None:
    assert sides_of_coins(parse(json.dumps(ARMS))) == [10_000] * 3


def test_the_arm_is_the_only_source_of_the_group(subtests: pytest.Subtests, twin: Node) -> None:
    cases: list[tuple[int, int]] = [(0, OPEN), (2_999, OPEN), (3_000, DISGUISED), (9_999, DISGUISED)]
    for coin, arm in cases:
        with subtests.test(f"{coin} {arm}"):
            design = parse(json.dumps(ARMS))
            coins = Coins((0, 0, coin))
            assert arm_from_coins(design, coins) == arm
            assert disguise(design, coins, arm, [1]).group == arm
            with pytest.raises(InputError, match="group: the random draws chose the other arm"):
                disguise(design, coins, 1 - arm, [1])
            asked = {
                "design": json.loads(design.canonical),
                "fingerprint": "",
                "words": coins.values,
                "bits": 32,
                "answers": [1],
            }
            assert json.loads(twin.ask("record", **asked, group=arm)["text"])["group"] == arm
            with pytest.raises(NodeError, match="the random draws chose the other arm"):
                twin.ask("record", **asked, group=1 - arm)


def test_without_arms_the_coins_draw_none() -> None:
    assert arm_from_coins(parse(json.dumps(RARE)), Coins(())) is None
