"""Random draws of a device for the whole design: the arm, the drawn questions and random orders.

`draws.js` does the same in the browser, which also orders questions and choices; here their coins are only counted,
since no record depends on an order.

Its coins come after those of the sections:

1. only with `direct`: one coin below the modulus; the device is in the direct arm if coin/modulus < direct;
2. for each drawn question: one coin below the modulus; its answer is the first choice whose cumulative share is above
   coin/modulus;
3. for each section in random order, of B blocks: B - 1 coins, the i-th (from 0) below B - i; coin i swaps the blocks i
   and i + coin. A group is one block, and so is a table;
4. for each question with B choices in random order: B - 1 coins, the i-th below B - i; coin i swaps the choices i and
   i + coin. Of a group the options move. Choices after the first B stay there.

A respondent can see what these coins decide, so they survive a reload.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import shake_256
from itertools import accumulate, chain
from os import urandom
from struct import unpack

from privacy.designs.design import Design
from privacy.grammar.json_node import PARTS
from privacy.kinds.section import Section
from privacy.kinds.section_intro_and_random_order import question_blocks
from privacy.records.record import DISGUISED, OPEN


def sides_of_other_coins(design: Design, modulus: int) -> list[int]:
    """Returns the number of sides of each coin that belongs to no section: for arm, drawn questions and random
    orders."""
    throws = [modulus] * (design.has_arms + len(design.drawn))
    counts = [len(question_blocks(section.questions)) for section in design.sections if _is_shuffled(section)]
    counts += [question.shuffled for question in design.questions if question.shuffled]
    return throws + [side for count in counts for side in range(count, 1, -1)]


def drawn_arm(design: Design, coins: Sequence[int], modulus: int) -> int:
    """Returns the group that the first coin draws in a design with a direct arm: OPEN if asked directly, else
    DISGUISED."""
    return OPEN if coins[0] * PARTS < design.direct_parts * modulus else DISGUISED


def drawn_choices(design: Design, coins: Sequence[int], modulus: int) -> dict[int, int]:
    """Returns the answer codes that the coins draw for questions that the device answers at random, by question
    index."""
    thrown = zip(design.drawn, coins[design.has_arms :], strict=False)
    return {index: _draw_choice(design.questions[index].share_parts, coin, modulus) for index, coin in thrown}


def _draw_choice(parts: Sequence[int], coin: int, modulus: int) -> int:
    """Returns the drawn choice: the first whose cumulative share is above coin/modulus."""
    return bisect_right(list(accumulate(parts)), coin * PARTS // modulus)


def _is_shuffled(section: Section) -> bool:
    return section.presentation.random_order


# --- coins
# The coins of a respondent: their number, their order, and how each is thrown.
# The coins of the sections follow each other in the order of the design; which coins a section needs it says
# itself (`privacy/kinds`). After them come the coins of the whole design (`sides_of_other_coins`).
# So the design fixes the number of coins, and all are thrown before the first question. A coin is an integer;
# `disguise` says what it decides. The twins of this module are `coins.js` and `disguise.js`; there a reload
# restores what a respondent can see and draws all other coins again.

WORD_BITS = 32
BLOCK = 4096
"""Number of bytes read from a random source at once."""


@dataclass(frozen=True, slots=True)
class RandomWords:
    """A source of independent uniform random integers from 0 to 2**`bits` - 1; `draw` returns the next one."""

    bits: int
    draw: Callable[[], int]


@dataclass(frozen=True, slots=True)
class Coins:
    """All random coins of one respondent, in this module's order. `modulus`: sides of a probability coin, 10,000 but in
    tests."""

    values: tuple[int, ...]
    modulus: int = PARTS


def secure_words() -> RandomWords:
    """Returns a source of random words from the operating system's secure generator.

    It does without `secrets`, which imports `random`. It reads ahead, so each child of a fork must make a new source.
    """
    return RandomWords(WORD_BITS, _read_words(lambda _block: urandom(BLOCK)).__next__)


def seeded_words(seed: int) -> RandomWords:
    """Returns a source of random words that a seed reproduces: for files and rehearsals, never for a respondent."""
    return RandomWords(
        WORD_BITS, _read_words(lambda block: shake_256(f"{seed}/{block}".encode()).digest(BLOCK)).__next__
    )


def _read_words(bytes_of: Callable[[int], bytes]) -> Iterator[int]:
    block = 0
    while True:
        yield from unpack(f"<{BLOCK // 4}I", bytes_of(block))
        block += 1


def draw_below(n: int, words: RandomWords) -> int:
    """Draws a uniform integer from 0 to n - 1; rejects words above the largest multiple of n."""
    span = 1 << words.bits
    if not 0 < n <= span:
        raise ValueError(f"no word of {words.bits} bits gives a coin below {n}")
    limit = span - span % n
    while (word := words.draw()) >= limit:
        pass
    return word % n


def coin_sides_by_section(design: Design, modulus: int) -> list[Sequence[int]]:
    """Returns, section by section, the number of sides of each random coin of the section."""
    return [section.sides_of_coins(modulus) for section in design.sections]


def sides_of_coins(design: Design, modulus: int = PARTS) -> list[int]:
    """Returns the number of sides of every coin of a respondent, in order: of the sections, then of the whole
    design."""
    return [
        *chain.from_iterable(coin_sides_by_section(design, modulus)),
        *sides_of_other_coins(design, modulus),
    ]


def draw_coins(design: Design, words: RandomWords, modulus: int = PARTS) -> Coins:
    """Draws every coin of the design; `words`: `secure_words()`, or `seeded_words(seed)` in a test."""
    return Coins(tuple(draw_below(n, words) for n in sides_of_coins(design, modulus)), modulus)
