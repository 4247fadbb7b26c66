"""Questions whose record is one code, with a score for each item: the mean of the scores is the item's share.

A law on few classes of answers says how likely each code is for each class. Its scores of the classes are unbiased; an
item is a set of classes, and its score the sum of theirs (docs/mathematics.md, Scores of codes). Mining needs nothing
else of such a law, whichever it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privacy.grammar.node import PARTS
from privacy.grammar.question import Question, check_applies
from privacy.grammar.texts import Texts
from privacy.kinds.presentation import BARE, Presentation
from privacy.kinds.section import MinedLaw, Rules, with_rules

Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]

HIGHEST_POWER = 3


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """`scores` by code and class, `chance` the law by class and code, `names` which classes a code names, by code.

    `true_class` by code is the class that an open record with it is in, -1 where none sends it. `items` says by item
    which classes are in it. Where no record is expected on one side of an item, `fallback` by item is the class that
    stands for those in it, and the one for those outside.
    """

    chance: Floats
    scores: Floats
    names: Bits
    true_class: NDArray[np.int64]
    items: Bits
    fallback: NDArray[np.int64]

    @cached_property
    def of_items(self) -> Floats:
        """z of a disguised record, by code and item."""
        return np.asarray(self.scores @ self.items.T.astype(np.float64))

    @cached_property
    def open_items(self) -> Bits:
        """Whether an open record is in an item, by code and item."""
        return np.where((self.true_class >= 0)[:, None], self.items.T[self.true_class], False)

    @cached_property
    def touches(self) -> Bits:
        """Whether a disguised record names a class of the item, by code and item; if not, it is received without it."""
        return np.asarray(self.names.astype(np.int64) @ self.items.T.astype(np.int64) > 0)

    @cached_property
    def class_moments(self) -> Floats:
        """e_k: the mean of z^k of a disguised record, by power k = 0 .. 3, item and class."""
        powers = [self.of_items**k for k in range(HIGHEST_POWER + 1)]
        return np.stack([(self.chance @ power).T for power in powers])

    def moments(self, item: NDArray[np.integer], share: Floats) -> Floats:
        """mu_k of these items where the classes have these shares (class by row): absent or there, by power, by row."""
        inside = self.items[item].T
        found = np.empty((2, HIGHEST_POWER + 1, len(item)))
        rows = np.arange(len(item))
        for there in (0, 1):
            weight = np.where(inside == there, share, 0.0)
            total = weight.sum(axis=0)
            weight /= np.where(total > 0, total, 1.0)
            alone = self.fallback[item, 1 - there]
            weight[alone[total <= 0], rows[total <= 0]] = 1.0
            found[there] = (self.class_moments[:, item] * weight.T).sum(axis=2)
            found[there, 0], found[there, 1] = 1.0, there
        return found


@dataclass(frozen=True, slots=True)
class ScoredItems(Question):
    """A question as mining sees it: its choices are items, which may overlap; `table` has their scores.

    Its records have codes of their own. The first `n_listed` items say all; the others are absences of these.
    `class_items` is by class the item that it is.
    """

    scored: ClassVar[bool] = True
    asked_if_shown: ClassVar[bool] = True
    stored_as_integers: ClassVar[bool] = True

    table: ScoreTable | None = field(default=None, repr=False, compare=False)
    n_codes: int = 0
    n_listed: int = 0
    class_items: tuple[int, ...] = ()
    unit: Texts = field(default_factory=Texts)

    def __post_init__(self) -> None:
        self._set_codes(self.n_codes, self.n_codes)

    @property
    def items(self) -> int:
        return len(self.choices)

    @property
    def listed(self) -> range:
        return range(self.n_listed)

    @property
    def partition(self) -> tuple[int, ...]:
        return self.class_items

    @property
    def scores(self) -> ScoreTable:
        assert self.table is not None
        return self.table


@dataclass(frozen=True, slots=True)
class ScoredSection:
    """A section with one such question. `rotates`: some records carry no score of it."""

    sensitive: ClassVar[bool] = True
    counted_by_code: ClassVar[bool] = False
    presentation: ClassVar[Presentation] = BARE
    asked: ClassVar[int] = 1
    law: ClassVar[None] = None
    itemset_law: ClassVar[None] = None

    kind: str
    questions: tuple[ScoredItems]
    rotates: bool

    @property
    def mined(self) -> MinedLaw:
        return MinedLaw(PARTS, ((0,) * self.questions[0].items,))

    def reduced(self, rules: Rules) -> "ScoredSection":
        """The question with these rules."""
        return ScoredSection(self.kind, (with_rules(self.questions, rules)[0],), self.rotates)

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "questions": [question.as_json() for question in self.questions]}

    def check(self, codes: Sequence[int], start: int, withheld: bool) -> None:
        if codes[start] != self.questions[0].not_asked:
            check_applies(self.questions[0], codes[start], None if withheld else codes)
