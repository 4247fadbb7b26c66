"""The coins of a respondent: how many, in which order, and how each is thrown.

For each sensitive section, in the order of the design:

1. only if s < N: s shuffle coins, the i-th (from 0) below N - i;
2. one keep coin below the modulus;
3. N noise coins below the modulus, one per question, asked or not.

How many coins there are is thus fixed by the design, and all are thrown before the first question. A coin is
an integer; `disguise` says what it decides. The twin of this module is `disguise.js`; there a reload keeps which
questions are drawn and throws all other coins anew.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import shake_256
from os import urandom
from struct import unpack

from privacy.designs.design import Design
from privacy.designs.node import PARTS
from privacy.designs.unrelated import UnrelatedQuestionSection

WORD_BITS = 32
BLOCK = 4096
"""Bytes taken from a source at once."""


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
    """Words of the operating system's secure source, the one behind `secrets` (which imports `random`).

    It reads ahead: a process that forks makes a new source in each child.
    """
    return RandomWords(WORD_BITS, _words(lambda _block: urandom(BLOCK)).__next__)


def seeded_words(seed: int) -> RandomWords:
    """Words that can be drawn again from the same seed: for files and rehearsals, never for a respondent."""
    return RandomWords(
        WORD_BITS, _words(lambda block: shake_256(f"{seed}/{block}".encode()).digest(BLOCK)).__next__
    )


def _words(bytes_of: Callable[[int], bytes]) -> Iterator[int]:
    block = 0
    while True:
        yield from unpack(f"<{BLOCK // 4}I", bytes_of(block))
        block += 1


def below(n: int, words: RandomWords) -> int:
    """A uniform integer 0 <= coin < n; words past the last whole n are drawn again."""
    span = 1 << words.bits
    if not 0 < n <= span:
        raise ValueError(f"no word of {words.bits} bits gives a coin below {n}")
    limit = span - span % n
    while (word := words.draw()) >= limit:
        pass
    return word % n


def section_sides(section: UnrelatedQuestionSection, modulus: int = PARTS) -> list[int]:
    """For each coin of a section, how many sides it has."""
    questions = len(section.questions)
    shuffle = range(questions, questions - section.asked, -1) if section.rotates else range(0)
    return [*shuffle, modulus, *[modulus] * questions]


def sides(design: Design, modulus: int = PARTS) -> list[int]:
    """For each coin of a respondent, how many sides it has."""
    return [
        side
        for section in design.sections
        if isinstance(section, UnrelatedQuestionSection)
        for side in section_sides(section, modulus)
    ]


def draw_coins(design: Design, words: RandomWords, modulus: int = PARTS) -> Coins:
    """Throw every coin that the design asks for."""
    return Coins(tuple(below(n, words) for n in sides(design, modulus)), modulus)
