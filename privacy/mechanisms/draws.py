"""What a device draws for the whole design: the arm, the drawn questions and random order. The twin is `draws.js`.

Its coins stand behind those of the sections:

1. only with `direct`: one coin below the modulus; the device is in the direct arm if coin/modulus < direct;
2. for each drawn question: one coin below the modulus; its answer is the first choice whose cumulative share is above
   coin/modulus;
3. for each section in random order, of B blocks: B - 1 coins, the i-th (from 0) below B - i; coin i swaps the blocks i
   and i + coin. A group is one block, and so is a table.

A respondent can see what these coins decide, so they survive a reload.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from privacy.designs.design import Design, Section
from privacy.designs.record import DISGUISED, OPEN
from privacy.grammar.node import PARTS
from privacy.kinds.presentation import blocks


@dataclass(frozen=True, slots=True)
class Draws:
    """`arm`: the group, None where the design has no arms; `choices`: by place the codes of the drawn questions;
    `order`: the places of all questions in the order in which they are shown.
    """

    arm: int | None
    choices: Mapping[int, int]
    order: tuple[int, ...]


def sides(design: Design, modulus: int) -> list[int]:
    """The number of sides of each coin, in order."""
    throws = [modulus] * (design.has_arms + len(_drawn_places(design)))
    shuffles = (len(blocks(section.questions)) for section in design.sections if _is_shuffled(section))
    return throws + [side for count in shuffles for side in range(count, 1, -1)]


def draws(design: Design, coins: Sequence[int], modulus: int) -> Draws:
    """What these coins decide."""
    left = iter(coins)
    arm = _arm(design, next(left), modulus) if design.has_arms else None
    choices = {
        place: _choice(design.questions[place].share_parts, next(left), modulus)
        for place in _drawn_places(design)
    }
    return Draws(arm, choices, tuple(_order(design, left)))


def _arm(design: Design, coin: int, modulus: int) -> int:
    return OPEN if coin * PARTS < design.direct_parts * modulus else DISGUISED


def _choice(parts: Sequence[int], coin: int, modulus: int) -> int:
    return bisect_right(list(accumulate(parts)), coin * PARTS // modulus)


def _drawn_places(design: Design) -> list[int]:
    return [place for place, question in enumerate(design.questions) if question.share_parts]


def _order(design: Design, coins: Iterator[int]) -> Iterator[int]:
    first = 0
    for section in design.sections:
        order = blocks(section.questions)
        if _is_shuffled(section):
            for place in range(len(order) - 1):
                other = place + next(coins)
                order[place], order[other] = order[other], order[place]
        yield from (first + place for block in order for place in block)
        first += len(section.questions)


def _is_shuffled(section: Section) -> bool:
    return section.presentation.random_order
