"""The coins of a respondent: their number, their order, and how each is thrown.

The coins of the sections follow each other in the order of the design; which coins a section needs it says itself
(`privacy/kinds`). After them come the coins of the whole design (`draws`).

So the design fixes the number of coins, and all are thrown before the first question. A coin is an integer; `disguise`
says what it decides. The twins of this module are `coins.js` and `disguise.js`; there a reload restores what a
respondent can see and draws all other coins again.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import shake_256
from itertools import chain
from os import urandom
from struct import unpack

from privacy.designs.design import Design
from privacy.grammar.node import PARTS
from privacy.mechanisms import draws

WORD_BITS = 32
BLOCK = 4096
"""Bytes that are read from a source at once."""


@dataclass(frozen=True, slots=True)
class RandomWords:
    """A source of independent uniform words, 0 <= word < 2**bits."""

    bits: int
    draw: Callable[[], int]


@dataclass(frozen=True, slots=True)
class Coins:
    """All coins of one respondent, in the order above. A modulus other than 10,000 is for tests."""

    values: tuple[int, ...]
    modulus: int = PARTS


def secure_words() -> RandomWords:
    """Words of the operating system's secure source, as in `secrets` (which imports `random`).

    It reads ahead, so each child of a fork must make a new source.
    """
    return RandomWords(WORD_BITS, _words(lambda _block: urandom(BLOCK)).__next__)


def seeded_words(seed: int) -> RandomWords:
    """Words that the seed reproduces: for files and rehearsals, never for a respondent."""
    return RandomWords(
        WORD_BITS, _words(lambda block: shake_256(f"{seed}/{block}".encode()).digest(BLOCK)).__next__
    )


def _words(bytes_of: Callable[[int], bytes]) -> Iterator[int]:
    block = 0
    while True:
        yield from unpack(f"<{BLOCK // 4}I", bytes_of(block))
        block += 1


def below(n: int, words: RandomWords) -> int:
    """A uniform integer 0 <= coin < n; words above the largest multiple of n are rejected and drawn again."""
    span = 1 << words.bits
    if not 0 < n <= span:
        raise ValueError(f"no word of {words.bits} bits gives a coin below {n}")
    limit = span - span % n
    while (word := words.draw()) >= limit:
        pass
    return word % n


def section_sides(design: Design, modulus: int) -> list[Sequence[int]]:
    """By section the number of sides of each of its coins."""
    return [section.coin_sides(modulus) for section in design.sections]


def sides(design: Design, modulus: int = PARTS) -> list[int]:
    """The number of sides of each coin of a respondent."""
    return [*chain.from_iterable(section_sides(design, modulus)), *draws.sides(design, modulus)]


def draw_coins(design: Design, words: RandomWords, modulus: int = PARTS) -> Coins:
    """Throw every coin that the design asks for; `words` are `secure_words()`, or `seeded_words(seed)` in a test."""
    return Coins(tuple(below(n, words) for n in sides(design, modulus)), modulus)
