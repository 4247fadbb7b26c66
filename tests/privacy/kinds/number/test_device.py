"""Every coin of small numbers, against their law; tests/privacy/mechanisms compares both languages."""

import json
from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privacy.designs import Design
from privacy.mechanisms.disguise import disguised_codes
from privacy.mechanisms.draws import Coins, sides_of_coins
from privacy.records import DISGUISED, OPEN
from privacy.simulation.disguise import disguise
from proof.record_law import code_law
from tests.privacy.node import Node
from tests.privacy.questionnaires import classes, design, window

pytestmark = pytest.mark.proof
MODULUS = 4
"""Every probability below is a multiple of a quarter."""
SMALL = [
    design(window("a", 5, 1, "0.25"), open_answers=True),
    design(classes("a", "0.75", 0, 3, 5, 9), open_answers=True),
    design(classes("a", "0.25", 0, 1, 2, 4, cuts=2), open_answers=True),
    design(classes("a", "0.5", 0, 1, 2, 3, 4, cuts=4), open_answers=True),
    design(classes("a", "0.25", -2, 0, 4, step=2, rest=2, keep_rest="0.75"), open_answers=True),
]


def enumerated(of: Design, group: int, true: int) -> dict[int, Fraction]:
    """By code how likely it is, from every tuple of coins."""
    numbers = sides_of_coins(of, MODULUS)
    found = Counter(
        disguised_codes(of, Coins(coins, MODULUS), group, [true])[0]
        for coins in product(*map(range, numbers))
    )
    return {code: Fraction(count, prod(numbers)) for code, count in found.items()}


def by_definition(of: Design, true: int) -> dict[int, Fraction]:
    return code_law(json.loads(of.canonical)["sections"][0], true)


@pytest.mark.parametrize("of", SMALL)
def test_every_tuple_of_coins_gives_exactly_the_stated_law(of: Design) -> None:
    for true in range(of.questions[0].true_codes):
        expected = {code: chance for code, chance in by_definition(of, true).items() if chance}
        assert enumerated(of, DISGUISED, true) == expected


@pytest.mark.parametrize("of", SMALL)
def test_no_record_changes_the_odds_of_two_numbers_by_more_than_gamma(of: Design) -> None:
    law = of.sections[0].law
    assert law is not None
    rows = [by_definition(of, true) for true in range(of.questions[0].true_codes)]
    assert max(one[code] / other[code] for one in rows for other in rows for code in one) == law.gamma


def test_an_open_number_goes_out_as_it_is() -> None:
    assert enumerated(SMALL[0], OPEN, 3) == {3: 1}
    # 4 is in the second of four classes: the interval [1, 2) is code 4.
    assert enumerated(SMALL[1], OPEN, 4) == {4: 1}
    # One record of ten says whether a coin below D = 2 is less than 4 - 4, or than 3 - 0.
    assert enumerated(SMALL[4], OPEN, 0) == {0: Fraction(9, 10), 6: Fraction(1, 10)}


VECTORS = json.loads((Path(__file__).parents[3] / "vectors" / "ordered.json").read_text())["device"]


@pytest.mark.parametrize("run", VECTORS["runs"], ids=lambda run: str(run["coins"]))
def test_worked_coins_give_their_code_in_both_languages(run: dict[str, Any], twin: Node) -> None:
    given, modulus = VECTORS["design"], 10_000
    law = {key: given[key] for key in ("low", "high", "limits", "step", "cuts", "rest")}
    keeps = {"keep": f"0.{given['keep']}", "keep_rest": f"0.{given['keep_rest']}"}
    source = {"kind": "number", **keeps, "questions": [{"name": "debt", "law": "classes", **law}]}
    of = design(source, open_answers=True)
    assert sides_of_coins(of, modulus) == [4, 3, 2, 10_000, 4, 20, given["span"], 10_000, 2]
    group, true = (OPEN if run["open"] else DISGUISED), of.questions[0].true_code_named(str(run["x"]))
    assert disguised_codes(of, Coins(tuple(run["coins"]), modulus), group, [true]) == [run["code"]]
    given_coins = {"modulus": modulus, "values": run["coins"]}
    reply = twin.ask(
        "disguised", design=json.loads(of.canonical), coins=given_coins, group=group, answers=[true]
    )
    assert reply == [run["code"]]


@pytest.mark.parametrize("of", SMALL)
def test_simulated_respondents_follow_the_same_law(of: Design) -> None:
    n, rng = 40_000, np.random.default_rng(3)
    for true in range(of.questions[0].true_codes):
        truth = np.full((1, n), true, np.uint8)
        codes = disguise(of, np.full(n, DISGUISED, np.uint8), truth, rng)[0]
        for code, chance in by_definition(of, true).items():
            share = float(chance)
            assert abs((codes == code).mean() - share) < 5 * (share * (1 - share) / n) ** 0.5 + 1e-12
