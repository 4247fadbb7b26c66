"""Interface of the laws of all kinds, and the simpler law that mining uses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Protocol, TypeVar

from privacy.grammar.json_node import PARTS
from privacy.grammar.question import Question, ShowIfRule

Q = TypeVar("Q", bound=Question)
Rules = Mapping[int, tuple[ShowIfRule, ...]]
"""By a question's place in its section, the rules that hide it."""


RecordKind = tuple[tuple[Fraction, Fraction], ...]
"""What a record says: by group of answers their share of all answers, and P(y|x) of the record for them."""


class Protected(StrEnum):
    """Whom the guarantee of a law protects."""

    EVERYBODY = "everybody"
    INSIDE = "inside"
    """People inside the regions of a place question: nothing is promised to anybody outside them."""


class Disguised(Protocol):
    """Interface of a law: for those it protects, every record is possible for every answer."""

    @property
    def gamma(self) -> Fraction: ...

    @property
    def protects(self) -> Protected: ...

    def record_kinds(self) -> Mapping[RecordKind, int] | None:
        """Number of records by kind of what they reveal; None where that is not computed (guarantee/leakage.py)."""
        ...


@dataclass(frozen=True, slots=True)
class MinedLaw:
    """The law of a section as mining uses it: keep, and by question and choice the probability under noise. Each is
    counted in parts of a whole, which are ten-thousandths but for places. A plain section always keeps and has no
    noise."""

    keep_parts: int
    noise_parts: tuple[tuple[int, ...], ...]
    keep_whole: int = PARTS
    noise_whole: int = PARTS

    @property
    def keep(self) -> float:
        return self.keep_parts / self.keep_whole


def replace_rules(questions: Sequence[Q], rules: Rules) -> tuple[Q, ...]:
    """The questions at these indexes, each with its rules replaced by these."""
    return tuple(replace(questions[index], show_if=rule) for index, rule in rules.items())
