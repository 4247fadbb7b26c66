"""Interface of all disguise laws (the probability of each record given the true answers), and the simpler law that
mining uses."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Protocol

from privacy.grammar.json_node import PARTS

RecordKind = tuple[tuple[Fraction, Fraction], ...]
"""Likelihood of a record: pairs of a group's share of all answers and P(record | answer) in the group."""


class Protected(StrEnum):
    """The people whom a law's guarantee protects."""

    EVERYBODY = "everybody"
    INSIDE = "inside"
    """People inside the regions of a place question: the law promises nothing to people outside."""


class Disguised(Protocol):
    """Interface of a disguise law: P(record | true answers), which is never 0 for the people whom it protects.

    `gamma`: the largest factor by which one record can change the odds of anything about such a person.
    """

    @property
    def gamma(self) -> Fraction: ...

    @property
    def protected_people(self) -> Protected: ...

    def record_kinds(self) -> Mapping[RecordKind, int] | None:
        """Returns the number of possible records of each kind; records of one kind reveal equally much.

        None if that is not computed (guarantee/leakage.py).
        """
        ...


@dataclass(frozen=True, slots=True)
class MinedLaw:
    """The disguise law of a section as mining uses it: a keep probability, and the probability of each choice under
    noise.

    `keep_parts` counts parts of `keep_whole`, `noise_parts` (by question and choice) parts of `noise_whole`; both
    wholes are 10,000 except for places. A plain section always keeps and has no noise.
    """

    keep_parts: int
    noise_parts: tuple[tuple[int, ...], ...]
    keep_whole: int = PARTS
    noise_whole: int = PARTS

    @property
    def keep(self) -> float:
        return self.keep_parts / self.keep_whole
