from collections import Counter
from contextlib import suppress
from fractions import Fraction

import pytest

from privacy.mechanisms.random_draws import RandomWords, draw_below
from privacy.records import DISGUISED, OPEN
from tests.privacy.mechanisms.exhaustive import (
    ALL,
    AT_NIGHT,
    NUMBERS,
    RELOADED,
    Case,
    Law,
    javascript_laws,
    python_laws,
    reloaded_laws,
)
from tests.privacy.node import Node

pytestmark = pytest.mark.proof
each_design = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.night if name in AT_NIGHT else ()) for name in ALL]
)


def stated_laws(cases: list[Case]) -> dict[str, Law]:
    return {case.name: case.stated for case in cases}


def by_name(cases: list[Case], laws: list[Law]) -> dict[str, Law]:
    return {case.name: law for case, law in zip(cases, laws, strict=True)}


@pytest.mark.at_push(5)
@each_design
def test_all_coins_in_python_give_the_stated_law(name: str) -> None:
    assert by_name(ALL[name], python_laws(ALL[name])) == stated_laws(ALL[name])


@pytest.mark.at_push(8)
@each_design
def test_all_coins_in_javascript_give_the_stated_law(name: str, twin: Node) -> None:
    assert by_name(ALL[name], javascript_laws(ALL[name], twin)) == stated_laws(ALL[name])


def test_the_law_of_one_limit_is_that_worked_by_hand_in_both_languages(twin: Node) -> None:
    """Keep .3, the limit 5 is the highest number: below it the class [0, 1) goes out with .3 + .7/2."""
    (case,) = (case for case in NUMBERS if case.name == "one limit 1 [4]")
    assert python_laws([case]) == [{"0": Fraction(13, 20), "2": Fraction(7, 20)}]
    assert javascript_laws([case], twin) == python_laws([case])


def test_all_coins_after_a_reload_give_the_stated_law(subtests: pytest.Subtests, twin: Node) -> None:
    for case in RELOADED:
        with subtests.test(f"{case!r:.60}"):
            assert reloaded_laws([case], twin) == [case.stated]


def test_every_truth_of_three_questions_is_among_them() -> None:
    # Employed with 3 * 2 * 2 answers, or not with 3 * 2, theft being hidden.
    for name in ("three", "two of three", "one of three"):
        assert len({case.answers for case in ALL[name] if case.group == DISGUISED}) == 12 + 6
    assert len({case.answers for case in ALL["three"] if case.group == OPEN}) == 12 + 6


def test_every_word_gives_a_uniform_coin_in_both_languages(twin: Node) -> None:
    """Words of 16 bits, in Python of 12, in whole rounds of n; what is left of them is thrown again."""
    for n in (1, 3, 10_000, 40_000, 65_535, 65_536):
        reply = twin.ask("below", n=n, bits=16)
        assert set(reply["counts"]) == {65_536 // n}
        assert reply["again"] == 65_536 % n
    for n in (1, 3, 1_000, 2_500, 4_095, 4_096):
        drawn: Counter[int] = Counter()
        for word in range(4_096):
            with suppress(StopIteration):
                drawn[draw_below(n, RandomWords(12, iter([word]).__next__))] += 1
        assert drawn == dict.fromkeys(range(n), 4_096 // n)
