"""Hostile inputs for a pattern: a beginning that it likes, a piece repeated, and an end that it does not like."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import inf
from typing import Any

from tests.patterns.steps import CachedCounter, TooMany, constants, parser, walk

SHORT, LONG = 16, 200
"""Repetitions: the short ones find the worst attack with each piece, the long ones measure it."""
GROWTH = 3.0
"""Twice the input may take so many times the steps: 2 is linear, 4 is quadratic."""
SHORT_LIMIT, LIMIT = 20_000, 2_000_000
COMMON = (" ", "\n", "a", "0", "-", ".", "(", '"', "é")
WRONG_ENDS = ("", "!", "\0", "\n!")
MOST_PIECES, MOST_STARTS = 24, 12


@dataclass(frozen=True)
class Attack:
    start: str
    piece: str
    end: str

    def of(self, times: int) -> str:
        return f"{self.start}{self.piece * times}{self.end}"


def attacks(source: str, flags: int) -> Iterator[Attack]:
    tree = parser.parse(source, flags)
    honest = sample(tree)
    starts = list(dict.fromkeys(["", *(honest[:length] for length in range(1, len(honest) + 1))]))[
        :MOST_STARTS
    ]
    repeated = [sample(argument[2]) for kind, argument in walk(tree) if str(kind).endswith("REPEAT")]
    pieces = list(dict.fromkeys([*filter(None, repeated), *alphabet(tree), honest or "a", *COMMON]))
    for start, piece, end in product(starts, pieces[:MOST_PIECES], WRONG_ENDS):
        yield Attack(start, piece, end)


def alphabet(tree: Any) -> Iterator[str]:
    """A few characters that each part of the pattern takes."""
    for kind, argument in walk(tree):
        name = str(kind)
        if name in ("LITERAL", "NOT_LITERAL"):
            yield chr(argument)
        elif name == "IN":
            yield from (chr(code) for what, about in argument for code in _codes(what, about))


def _codes(kind: Any, argument: Any) -> list[int]:
    if kind is constants.LITERAL:
        return [argument]
    if kind is constants.RANGE:
        return [argument[0]]
    if kind is constants.CATEGORY:
        return [ord(KINDS.get(str(argument), "a"))]
    return []


KINDS = {"CATEGORY_DIGIT": "0", "CATEGORY_SPACE": " ", "CATEGORY_NOT_SPACE": "x", "CATEGORY_NOT_WORD": "-"}


def sample(tree: Any) -> str:
    """A short text that the pattern takes, each repeat once more than it must be; lookarounds are passed over."""
    return "".join(_piece(kind, argument) for kind, argument in tree)


def _piece(kind: Any, argument: Any) -> str:
    name = str(kind)
    if name == "LITERAL":
        return chr(argument)
    if name == "IN":
        return _member(argument)
    if name in ("ANY", "NOT_LITERAL"):
        return "x"
    if name.endswith("REPEAT"):
        low, high, tree = argument
        return sample(tree) * int(min(low + 1, high))
    if name == "SUBPATTERN":
        return sample(argument[3])
    if name == "BRANCH":
        return sample(argument[1][0])
    return sample(argument) if name == "ATOMIC_GROUP" else ""


def _member(items: Any) -> str:
    if items[0][0] is not constants.NEGATE:
        codes = [code for kind, argument in items for code in _codes(kind, argument)]
        return chr(codes[0]) if codes else "x"
    taken = {chr(code) for kind, argument in items for code in _codes(kind, argument)}
    return next(character for character in "xy0 -!" if character not in taken)


def worst(pattern: CachedCounter) -> tuple[float, Attack]:
    """How many times the steps twice the input takes, for the attack that does most."""
    by_piece: dict[str, tuple[float, Attack]] = {}
    for attack in attacks(pattern.source, pattern.flags):
        found = growth(pattern, attack, SHORT, SHORT_LIMIT), attack
        if found[0] == inf:
            return found
        by_piece[attack.piece] = max(found, by_piece.get(attack.piece, found), key=_growth)
    # What costs little shows only at length.
    measured = ((growth(pattern, attack, LONG, LIMIT), attack) for _short, attack in by_piece.values())
    return max(measured, key=_growth)


def _growth(found: tuple[float, Attack]) -> float:
    return found[0]


def growth(pattern: CachedCounter, attack: Attack, times: int, limit: int) -> float:
    try:
        once, twice = (pattern.steps(attack.of(length), limit) for length in (times, 2 * times))
    except TooMany:
        return inf
    return twice / once
