"""How many of the rules with q below .05 are false: whole runs over ten questions, simulated on counts."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.counts import NONE, Counts, Queries, Query, as_queries
from mining.engines import bitmap
from mining.parameters import Parameters
from privacy.designs import Design, parse
from privacy.designs.unrelated import UnrelatedQuestionSection

QUESTIONS = 10
LINKED = 4
"""The first questions go together, where any do."""
RARE, COMMON = 0.1, 0.6
SHARES = (0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
LEVEL = 0.05
WANTED = Parameters(min_support=0.05, min_confidence=0.1)


@dataclass(frozen=True)
class Situation:
    """Ten yes/no questions in `sections` sections, of which a device asks `asked` each.

    With `linked` four of them depend on one trait, which half have; with `opened` 30 % answer openly and have the
    trait less often. The other six are independent of everything.
    """

    name: str
    n: int
    sections: int = 2
    asked: int = 5
    linked: bool = False
    opened: bool = False

    @cached_property
    def design(self) -> Design:
        each = QUESTIONS // self.sections
        sections = [
            {
                "kind": "unrelated-question",
                "keep": "0.5",
                "asked": self.asked,
                "questions": [
                    {"name": f"q{first + place}", "choices": ["no", "yes"], "noise": ["0.5", "0.5"]}
                    for place in range(each)
                ],
            }
            for first in range(0, QUESTIONS, each)
        ]
        return parse(json.dumps({"format": "candor-design/1", "open_answers": True, "sections": sections}))

    @property
    def open_share(self) -> float:
        return 0.3 if self.opened else 0.0

    def chance(self, places: Sequence[int], answers: Sequence[int], group: int) -> float:
        """How often somebody of this group has these true answers."""
        trait = 0.2 if self.opened and group == 0 else 0.5
        return sum(
            weight
            * prod(self._answers(place, answer, has) for place, answer in zip(places, answers, strict=True))
            for has, weight in ((True, trait), (False, 1 - trait))
        )

    def _answers(self, place: int, answer: int, has: bool) -> float:
        if place >= LINKED:
            yes = SHARES[place - LINKED]
        elif self.linked:
            yes = COMMON if has else RARE
        else:
            yes = SHARES[place]
        return yes if answer else 1 - yes

    def independent(self, antecedent: Sequence[int], consequent: Sequence[int]) -> bool:
        sides = [any(place < LINKED for place in side) for side in (antecedent, consequent)]
        return not (self.linked and all(sides))

    def patterns(self) -> Iterator[tuple[int, dict[int, int], float]]:
        """Group, the codes of the questions asked, and how often such a record comes."""
        layout: list[tuple[range, UnrelatedQuestionSection]] = []
        first = 0
        for section in self.design.sections:
            assert isinstance(section, UnrelatedQuestionSection)
            layout.append((range(first, first + len(section.questions)), section))
            first += len(section.questions)
        draws = [list(combinations(places, section.asked)) for places, section in layout]
        ways = float(np.prod([len(sets) for sets in draws]))
        for drawn in product(*draws):
            for group, share in ((0, self.open_share), (1, 1 - self.open_share)):
                if share:
                    for codes, chance in self._sent(drawn, group):
                        yield group, codes, share * chance / ways

    def _sent(self, drawn: tuple[tuple[int, ...], ...], group: int) -> Iterator[tuple[dict[int, int], float]]:
        places = [place for part in drawn for place in part]
        shape = [2 ** len(part) for part in drawn]
        truths = [self.chance(places, answers, group) for answers in product((0, 1), repeat=len(places))]
        law = np.array(truths).reshape(shape)
        if group == 1:
            for axis, size in enumerate(shape):
                law = 0.5 * law + 0.5 * law.sum(axis=axis, keepdims=True) / size
        for answers, chance in zip(product((0, 1), repeat=len(places)), law.ravel().tolist(), strict=True):
            yield dict(zip(places, answers, strict=True)), chance


class Patterned:
    """A counter over records of which only the number of each pattern is known."""

    def __init__(self, situation: Situation) -> None:
        self.design = situation.design
        patterns = list(situation.patterns())
        self.shares = np.array([chance for _, _, chance in patterns])
        self.group = np.array([group for group, _, _ in patterns])
        self.codes = np.full((QUESTIONS, len(patterns)), NONE)
        for at, (_, codes, _) in enumerate(patterns):
            for place, code in codes.items():
                self.codes[place, at] = code
        self.drawn = np.zeros((len(patterns), 2))
        self._which: dict[bytes, NDArray[np.intp]] = {}

    def draw(self, n: int, rng: np.random.Generator) -> None:
        drawn = rng.multinomial(n, self.shares / self.shares.sum())
        self.drawn = np.stack([drawn * (self.group == group) for group in (0, 1)], axis=1)

    @property
    def n(self) -> tuple[int, int]:
        opened, disguised = self.drawn.sum(axis=0).tolist()
        return opened, disguised

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        of = as_queries(self.design, queries)
        rows = np.concatenate([of.items, of.asked], axis=1)
        width = of.items.shape[1]
        return np.array([self.drawn[self._of(row, width)].sum(axis=0) for row in rows]).reshape(-1, 2)

    def _of(self, row: NDArray[Any], width: int) -> NDArray[np.intp]:
        key = bytes([width]) + row.tobytes()
        if key not in self._which:
            chosen = np.ones(len(self.group), np.bool_)
            for number in row[:width][row[:width] != NONE]:
                chosen &= self.codes[number // 2] == number % 2
            for place in row[width:][row[width:] != NONE]:
                chosen &= self.codes[place] != NONE
            self._which[key] = np.flatnonzero(chosen)
        return self._which[key]


@dataclass(frozen=True)
class Discovered:
    situation: Situation
    runs: int
    false_rate: float
    found: float


def discovered(situation: Situation, runs: int, rng: np.random.Generator) -> Discovered:
    """The mean share of false ones among the pairs of sides that are found, and how many are found."""
    counter = Patterned(situation)
    false, found = [], []
    for _ in range(runs):
        counter.draw(situation.n, rng)
        rules = bitmap.find(counter, WANTED).rules
        sides = {
            frozenset(tuple(number // 2 for number in side) for side in rules.sides(row))
            for row in np.flatnonzero(rules.q < LEVEL).tolist()
        }
        wrong = sum(situation.independent(*pair) for pair in map(tuple, sides))
        found.append(len(sides))
        false.append(wrong / max(len(sides), 1))
    return Discovered(situation, runs, float(np.mean(false)), float(np.mean(found)))


def situations() -> list[Situation]:
    found = []
    for n in (1_000, 10_000):
        found += [
            Situation("nothing goes together, two sections", n),
            Situation("nothing goes together, three of ten asked", n, sections=1, asked=3),
            Situation("four go together, two sections", n, linked=True),
            Situation("four go together, three of ten asked", n, sections=1, asked=3, linked=True),
            Situation("four go together, open answers that differ", n, linked=True, opened=True),
        ]
    return found
