"""Counts the steps of a backtracking match, so that the cost of a pattern does not depend on the machine.

A pattern is compiled from Python's own syntax tree into a small program: one instruction a character, a choice or an
assertion. Choices are tried in order from a stack, as Python and JavaScript do, but without their short cuts: a count
is never below what a real engine needs but for a constant factor.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partialmethod
from importlib import import_module
from itertools import product
from math import inf
from operator import itemgetter
from typing import Any

parser: Any = import_module("re._parser")
constants: Any = import_module("re._constants")

Test = Callable[[str], bool]
Instruction = tuple[Any, ...]
ANCHORED, WHOLE, SEARCH = "match", "fullmatch", "search"


class TooMany(Exception):
    """The steps passed the limit."""


class Unknown(NotImplementedError):
    """Syntax that is not counted yet; add it to this module before it is used."""


@dataclass
class Program:
    instructions: list[Instruction] = field(default_factory=list)

    def put(self, *instruction: Any) -> int:
        self.instructions.append(instruction)
        return len(self.instructions) - 1


@dataclass
class CachedCounter:
    """A pattern that can be run; `mode` says whether matches begin at the start only, and end at the end."""

    source: str
    flags: int
    mode: str
    program: Program = field(init=False)

    def __post_init__(self) -> None:
        tree = parser.parse(self.source, self.flags)
        self.program = Program()
        _Compiler(self.program, tree.state.flags).sequence(tree)
        if self.mode == WHOLE:
            self.program.put("at", lambda text, place: place == len(text))
        self.program.put("end")

    def steps(self, text: str, limit: int) -> int:
        """For one call on this text; a search goes on behind each match, as sub, split and findall do."""
        run = _Run(text, limit)
        if self.mode != SEARCH:
            run.run(self.program, 0)
            return run.steps
        start = 0
        while start <= len(text):
            end = run.run(self.program, start)
            start = start + 1 if end is None or end == start else end
        return run.steps


@dataclass
class _Run:
    text: str
    limit: int
    steps: int = 0

    def run(self, program: Program, start: int) -> int | None:
        """Where the first match from `start` ends."""
        text, instructions, size = self.text, program.instructions, len(self.text)
        waiting: list[tuple[int, int, tuple[tuple[int, int], ...]]] = [(0, start, ())]
        steps, limit = self.steps, self.limit
        while waiting:
            at, place, guards = waiting.pop()
            while True:
                steps += 1
                if steps > limit:
                    raise TooMany
                instruction = instructions[at]
                kind = instruction[0]
                at += 1
                if kind == "char":
                    if place == size or not instruction[1](text[place]):
                        break
                    place += 1
                elif kind == "split":
                    waiting.append((instruction[2], place, guards))
                    at = instruction[1]
                elif kind == "jump":
                    at = instruction[1]
                elif kind == "end":
                    self.steps = steps
                    return place
                elif kind == "at":
                    if not instruction[1](text, place):
                        break
                elif kind == "guard":
                    # A repeat whose body matched nothing is not tried again at the same place.
                    own = instruction[1]
                    if (own, place) in guards:
                        break
                    guards = (*(guard for guard in guards if guard[0] != own), (own, place))
                else:
                    _kind, inner, width, wanted = instruction
                    self.steps = steps
                    end = self.run(inner, place - width) if place >= width else None
                    steps = self.steps
                    if (end is not None) != wanted:
                        break
        self.steps = steps
        return None


class _Compiler:
    def __init__(self, program: Program, flags: int) -> None:
        self._program, self._flags = program, flags

    def sequence(self, tree: Any) -> None:
        for kind, argument in tree:
            getattr(self, f"_{str(kind).lower()}", self._unknown(kind))(argument)

    def _unknown(self, kind: object) -> Callable[[Any], None]:
        def refuse(argument: Any) -> None:
            raise Unknown(f"{kind} in a pattern")

        return refuse

    def _char(self, test: Test) -> None:
        self._program.put("char", test)

    def _literal(self, code: int) -> None:
        self._char(self._test_of_set([(constants.LITERAL, code)]))

    def _not_literal(self, code: int) -> None:
        self._char(self._test_of_set([(constants.NEGATE, None), (constants.LITERAL, code)]))

    def _in(self, items: Sequence[tuple[Any, Any]]) -> None:
        self._char(self._test_of_set(items))

    def _any(self, _nothing: None) -> None:
        self._char((lambda c: True) if self._flags & re.DOTALL else (lambda c: c != "\n"))

    def _test_of_set(self, items: Sequence[tuple[Any, Any]]) -> Test:
        negated = bool(items) and items[0][0] is constants.NEGATE
        tests = [_test(kind, argument) for kind, argument in items if kind is not constants.NEGATE]
        folded = bool(self._flags & re.IGNORECASE)

        def matches_set(character: str) -> bool:
            forms = {character, character.lower(), character.upper()} if folded else {character}
            return negated != any(test(form) for test in tests for form in forms if len(form) == 1)

        return cache(matches_set)

    def _at(self, place: Any) -> None:
        self._program.put("at", PLACES[str(place)](bool(self._flags & re.MULTILINE)))

    def _subpattern(self, argument: Any) -> None:
        _group, added, removed, tree = argument
        before = self._flags
        self._flags = (before | added) & ~removed
        self.sequence(tree)
        self._flags = before

    def _branch(self, argument: Any) -> None:
        *earlier, last = argument[1]
        ends = []
        for tree in earlier:
            choice = self._program.put("split", 0, 0)
            self.sequence(tree)
            ends.append(self._program.put("jump", 0))
            self._program.instructions[choice] = ("split", choice + 1, len(self._program.instructions))
        self.sequence(last)
        for end in ends:
            self._program.instructions[end] = ("jump", len(self._program.instructions))

    def _repeat(self, argument: Any, *, greedy: bool) -> None:
        low, high, tree = argument
        for _time in range(low):
            self.sequence(tree)
        if high is constants.MAXREPEAT:
            self._compile_star(tree, greedy)
            return
        choices = []
        for _time in range(high - low):
            choices.append(self._program.put("split", 0, 0))
            self.sequence(tree)
        for choice in choices:
            self._set_choice(choice, len(self._program.instructions), greedy)

    _max_repeat = partialmethod(_repeat, greedy=True)
    _min_repeat = partialmethod(_repeat, greedy=False)

    def _compile_star(self, tree: Any, greedy: bool) -> None:
        choice = self._program.put("split", 0, 0)
        if tree.getwidth()[0] == 0:
            self._program.put("guard", choice)
        self.sequence(tree)
        self._program.put("jump", choice)
        self._set_choice(choice, len(self._program.instructions), greedy)

    def _set_choice(self, choice: int, out: int, greedy: bool) -> None:
        ways = (choice + 1, out) if greedy else (out, choice + 1)
        self._program.instructions[choice] = ("split", *ways)

    def _compile_inner(self, tree: Any) -> Program:
        inner = Program()
        _Compiler(inner, self._flags).sequence(tree)
        inner.put("end")
        return inner

    def _assert(self, argument: Any, wanted: bool = True) -> None:
        direction, tree = argument
        width = tree.getwidth()[1] if direction < 0 else 0
        self._program.put("look", self._compile_inner(tree), width, wanted)

    _assert_not = partialmethod(_assert, wanted=False)


def _test(kind: Any, argument: Any) -> Test:
    if kind is constants.LITERAL:
        return lambda c: ord(c) == argument
    if kind is constants.RANGE:
        low, high = argument
        return lambda c: low <= ord(c) <= high
    if kind is constants.CATEGORY:
        return CATEGORIES[str(argument)]
    raise Unknown(f"{kind} in a set")


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


CATEGORIES: dict[str, Test] = {
    "CATEGORY_DIGIT": str.isdecimal,
    "CATEGORY_NOT_DIGIT": lambda c: not c.isdecimal(),
    "CATEGORY_SPACE": str.isspace,
    "CATEGORY_NOT_SPACE": lambda c: not c.isspace(),
    "CATEGORY_WORD": _is_word,
    "CATEGORY_NOT_WORD": lambda c: not _is_word(c),
}
At = Callable[[str, int], bool]


def _at_start(many: bool) -> At:
    return lambda text, place: place == 0 or (many and text[place - 1] == "\n")


def _at_end(many: bool) -> At:
    return lambda text, place: text[place:] in ("", "\n") or (many and text[place] == "\n")


def _at_edge(text: str, place: int) -> bool:
    before, after = place > 0 and _is_word(text[place - 1]), place < len(text) and _is_word(text[place])
    return before != after


PLACES: dict[str, Callable[[bool], At]] = {
    "AT_BEGINNING": _at_start,
    "AT_BEGINNING_STRING": lambda many: lambda text, place: place == 0,
    "AT_END": _at_end,
    "AT_END_STRING": lambda many: lambda text, place: place == len(text),
    "AT_BOUNDARY": lambda many: _at_edge,
    "AT_NON_BOUNDARY": lambda many: lambda text, place: not _at_edge(text, place),
}


def walk_syntax_tree(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Every node of a syntax tree, from the outside in."""
    for kind, argument in tree:
        yield kind, argument
        for inner in _children_of(kind, argument):
            yield from walk_syntax_tree(inner)


def _children_of(kind: Any, argument: Any) -> list[Any]:
    name = str(kind)
    if name.endswith("REPEAT"):
        return [argument[2]]
    if name == "SUBPATTERN":
        return [argument[3]]
    if name == "BRANCH":
        return list(argument[1])
    if name in ("ASSERT", "ASSERT_NOT"):
        return [argument[1]]
    return []


# --- hostile inputs: a beginning that a pattern likes, a piece repeated, and an end that it does not like

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

    def repeated_input(self, times: int) -> str:
        return f"{self.start}{self.piece * times}{self.end}"


def attacks(source: str, flags: int) -> Iterator[Attack]:
    tree = parser.parse(source, flags)
    honest = sample(tree)
    starts = [honest[:length] for length in range(len(honest) + 1)]
    repeated = [
        sample(argument[2]) for kind, argument in walk_syntax_tree(tree) if str(kind).endswith("REPEAT")
    ]
    pieces = list(dict.fromkeys([*filter(None, repeated), *alphabet(tree), honest or "a", *COMMON]))
    for start, piece, end in product(starts[:MOST_STARTS], pieces[:MOST_PIECES], WRONG_ENDS):
        yield Attack(start, piece, end)


def alphabet(tree: Any) -> Iterator[str]:
    """A few characters that each part of the pattern takes."""
    for kind, argument in walk_syntax_tree(tree):
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
    return "".join(_matching_text(kind, argument) for kind, argument in tree)


def _matching_text(kind: Any, argument: Any) -> str:
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
    return ""


def _member(items: Any) -> str:
    if items[0][0] is not constants.NEGATE:
        codes = [code for kind, argument in items for code in _codes(kind, argument)]
        return chr(codes[0]) if codes else "x"
    taken = {chr(code) for kind, argument in items for code in _codes(kind, argument)}
    return next(character for character in "xy0 -!" if character not in taken)


def worst_growth(pattern: CachedCounter) -> tuple[float, Attack]:
    """How many times the steps twice the input takes, for the attack that does most."""
    by_piece: dict[str, tuple[float, Attack]] = {}
    for attack in attacks(pattern.source, pattern.flags):
        found = growth(pattern, attack, SHORT, SHORT_LIMIT), attack
        if found[0] == inf:
            return found
        by_piece[attack.piece] = max(found, by_piece.get(attack.piece, found), key=itemgetter(0))
    # What costs little shows only at length.
    measured = ((growth(pattern, attack, LONG, LIMIT), attack) for _short, attack in by_piece.values())
    return max(measured, key=itemgetter(0))


def growth(pattern: CachedCounter, attack: Attack, times: int, limit: int) -> float:
    try:
        once, twice = (pattern.steps(attack.repeated_input(length), limit) for length in (times, 2 * times))
    except TooMany:
        return inf
    return twice / once
