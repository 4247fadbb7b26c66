import pytest

from privacy.mechanisms.coins import Words, below
from tests.privacy.mechanisms.exhaustive import LONG, QUICK, Case, javascript_law, python_law
from tests.privacy.node import Node


@pytest.mark.parametrize("case", QUICK, ids=lambda case: case.name)
def test_all_coins_in_python_give_the_stated_law(case: Case) -> None:
    assert python_law(case) == case.stated


@pytest.mark.slow
@pytest.mark.parametrize("case", LONG, ids=lambda case: case.name)
def test_all_coins_of_larger_designs_in_python_give_the_stated_law(case: Case) -> None:
    assert python_law(case) == case.stated


@pytest.mark.parametrize("case", QUICK, ids=lambda case: case.name)
def test_all_coins_in_javascript_give_the_stated_law(case: Case, twin: Node) -> None:
    assert javascript_law(case, twin) == case.stated


@pytest.mark.slow
@pytest.mark.parametrize("case", LONG, ids=lambda case: case.name)
def test_all_coins_of_larger_designs_in_javascript_give_the_stated_law(case: Case, twin: Node) -> None:
    assert javascript_law(case, twin) == case.stated


SIDES = [1, 2, 3, 7, 10, 1_000, 10_000, 40_000, 65_535, 65_536]


@pytest.mark.parametrize("n", SIDES)
def test_every_word_of_16_bits_gives_a_uniform_coin_in_python(n: int) -> None:
    counts = [0] * n
    again = 0
    for word in range(1 << 16):
        try:
            counts[below(n, Words(16, iter([word]).__next__))] += 1
        except StopIteration:
            again += 1
    # 65,536 words in whole rounds of n; what is left of them is thrown again.
    assert set(counts) == {65_536 // n}
    assert again == 65_536 - n * (65_536 // n)


@pytest.mark.parametrize("n", SIDES)
def test_every_word_of_16_bits_gives_a_uniform_coin_in_javascript(n: int, twin: Node) -> None:
    reply = twin.ask("below", n=n, bits=16)
    assert set(reply["counts"]) == {65_536 // n}
    assert reply["again"] == 65_536 - n * (65_536 // n)
