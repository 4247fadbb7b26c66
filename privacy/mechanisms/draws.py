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
from collections.abc import Sequence
from itertools import accumulate

from privacy.designs.design import Design, Section
from privacy.designs.record import DISGUISED, OPEN
from privacy.grammar.node import PARTS
from privacy.kinds.presentation import blocks


def sides(design: Design, modulus: int) -> list[int]:
    """The number of sides of each coin, in order."""
    throws = [modulus] * (design.has_arms + len(design.drawn))
    shuffles = (len(blocks(section.questions)) for section in design.sections if _is_shuffled(section))
    return throws + [side for count in shuffles for side in range(count, 1, -1)]


def arm(design: Design, coins: Sequence[int], modulus: int) -> int:
    """The group of the arm of a design with arms, OPEN for the direct one."""
    return OPEN if coins[0] * PARTS < design.direct_parts * modulus else DISGUISED


def choices(design: Design, coins: Sequence[int], modulus: int) -> dict[int, int]:
    """The code of each drawn question, by its place among all questions."""
    thrown = zip(design.drawn, coins[design.has_arms :], strict=False)
    return {place: _choice(design.questions[place].share_parts, coin, modulus) for place, coin in thrown}


def order(design: Design, coins: Sequence[int]) -> tuple[int, ...]:
    """The places of all questions in the order in which they are shown."""
    left = iter(coins[design.has_arms + len(design.drawn) :])
    first, found = 0, list[int]()
    for section in design.sections:
        order = blocks(section.questions)
        if _is_shuffled(section):
            for place in range(len(order) - 1):
                other = place + next(left)
                order[place], order[other] = order[other], order[place]
        found += (first + place for block in order for place in block)
        first += len(section.questions)
    return tuple(found)


def _choice(parts: Sequence[int], coin: int, modulus: int) -> int:
    return bisect_right(list(accumulate(parts)), coin * PARTS // modulus)


def _is_shuffled(section: Section) -> bool:
    return section.presentation.random_order
