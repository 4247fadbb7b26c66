"""Random orders of questions and choices from a device's coins: the twin of `order` and `choiceOrders` in draws.js."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from privacy.designs import Design
from privacy.kinds.section_intro_and_random_order import question_blocks
from privacy.mechanisms.random_draws import Coins, sides_of_other_coins

Thing = TypeVar("Thing")


def question_order(design: Design, coins: Coins) -> tuple[int, ...]:
    """The indexes of all questions in the order in which they are shown."""
    left = iter(_coins_after_sections(design, coins)[design.has_arms + len(design.drawn) :])
    first, ordered = 0, list[list[int]]()
    for section in design.sections:
        order = [[first + index for index in block] for block in question_blocks(section.questions)]
        ordered += _shuffle(order, left) if section.presentation.random_order else order
        first += len(section.questions)
    options = _orders_of_group_options(design, _choice_orders(design, coins))
    return tuple(index for block in ordered for index in options.get(block[0], block))


def choice_order(design: Design, coins: Coins, index: int) -> tuple[int, ...]:
    """The codes of a question's choices in the order in which they are shown; `index`: of the question."""
    question = design.questions[index]
    order = () if question.of else _choice_orders(design, coins).get(index, ())
    return (*order, *range(len(order), question.codes))


def _choice_orders(design: Design, coins: Coins) -> dict[int, tuple[int, ...]]:
    """The order of shuffled choices by index of their question; of a group by that of its first option, counted from
    there."""
    indexes = [index for index, question in enumerate(design.questions) if question.shuffled]
    after = _coins_after_sections(design, coins)
    left = iter(after[len(after) - sum(design.questions[index].shuffled - 1 for index in indexes) :])
    return {index: tuple(_shuffle(range(design.questions[index].shuffled), left)) for index in indexes}


def _orders_of_group_options(design: Design, orders: dict[int, tuple[int, ...]]) -> dict[int, list[int]]:
    """The order of the options of each shuffled group, by index of its first option."""
    by_first = {}
    for index, order in orders.items():
        group = design.questions[index].of
        if group:
            options = sum(question.of == group for question in design.questions)
            by_first[index] = [index + option for option in (*order, *range(len(order), options))]
    return by_first


def _coins_after_sections(design: Design, coins: Coins) -> tuple[int, ...]:
    return coins.values[len(coins.values) - len(sides_of_other_coins(design, coins.modulus)) :]


def _shuffle(things: Iterable[Thing], coins: Iterator[int]) -> list[Thing]:
    """Fisher-Yates: coin i swaps the things i and i + coin."""
    order = list(things)
    for index in range(len(order) - 1):
        other = index + next(coins)
        order[index], order[other] = order[other], order[index]
    return order
