"""Questions whose item shares are estimated by scores: each record code has a score for each item, and the mean score
estimates the item's share.

A law on few classes of answers gives the probability of each code for each class. Its scores of the classes are
unbiased; an item is a set of classes, and its score the sum of theirs (docs/mathematics.md, Scores of codes). Mining
needs nothing else of such a law.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from privacy.grammar.json_node import PARTS
from privacy.grammar.question import Question
from privacy.grammar.translated_texts import Texts
from privacy.kinds.disguise_law_interface import MinedLaw
from privacy.kinds.number.classes.law import ClassesLaw
from privacy.kinds.section import MinedSection
from privacy.kinds.subset.law import SubsetLaw


@dataclass(frozen=True, slots=True)
class ScoredItems(Question):
    """A question whose items are estimated by scores, as mining uses it: its choices may overlap.

    `score_law` decides the scores (privacy/kinds/score_table_by_law.py). `n_codes`: number of different codes in
    records. The first `n_listed` items are reported; the others are their complements (absences). `class_items`: for
    each class the item that is this class alone. `scale_step`: step of a scale whose every value is a class; else 0.
    """

    scored: ClassVar[bool] = True
    asked_if_shown: ClassVar[bool] = True
    stored_as_integers: ClassVar[bool] = True

    score_law: ClassesLaw | SubsetLaw | None = field(default=None, repr=False, compare=False)
    n_codes: int = 0
    n_listed: int = 0
    class_items: tuple[int, ...] = ()
    unit: Texts = field(default_factory=Texts)
    scale_step: int = 0

    def __post_init__(self) -> None:
        self._set_codes(self.n_codes, self.n_codes)

    @property
    def item_count(self) -> int:
        return len(self.choices)

    @property
    def listed_codes(self) -> range:
        return range(self.n_listed)

    @property
    def partition(self) -> tuple[int, ...]:
        return self.class_items


@dataclass(frozen=True, slots=True)
class ScoredSection(MinedSection):
    """A section with one question estimated by scores. `is_partial`: some records carry no score."""

    law: ClassVar[None] = None
    itemset_law: ClassVar[None] = None

    questions: tuple[ScoredItems]
    is_partial: bool

    @property
    def rotates(self) -> bool:
        return self.is_partial

    @property
    def mined_law(self) -> MinedLaw:
        return MinedLaw(PARTS, ((0,) * self.questions[0].item_count,))
