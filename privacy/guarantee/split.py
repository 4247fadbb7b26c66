"""A division of questions into sections before the keeps are known: what is asked of whom, and at which error."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import expm1, inf

from privacy.designs.node import PARTS
from privacy.guarantee.by_guarantee import Aim
from privacy.guarantee.error import SectionParameters, error_curve
from privacy.mechanisms.section import least_chance

MOST_LOG = 500.0
"""Of a limit so loose that doubles would overflow."""

Kind = tuple[Fraction, int, tuple[float, ...]]
"""Groups of one kind have one error, and so one budget."""


@dataclass(frozen=True, slots=True)
class Question:
    """Its place in the aim, its smallest noise, and the noise of the choice whose share is wanted."""

    place: int
    least: Fraction
    wanted: float


@dataclass(frozen=True, slots=True)
class Group:
    """A section without its keep yet: `least` is its Q."""

    questions: tuple[int, ...]
    asked: int
    least: Fraction
    wanted: tuple[float, ...]

    @classmethod
    def of(cls, questions: Sequence[Question], asked: int) -> "Group":
        return cls(
            tuple(question.place for question in questions),
            asked,
            least_chance((question.least for question in questions), asked),
            tuple(question.wanted for question in questions),
        )

    @property
    def kind(self) -> Kind:
        return self.least, self.asked, self.wanted

    def part(self, log_gamma: float) -> SectionParameters:
        """With the keep that amplifies by e^log_gamma."""
        odds = expm1(min(log_gamma, MOST_LOG)) * float(self.least)
        return SectionParameters(odds / (1 + odds), self.wanted, self.asked)


Split = tuple[Group, ...]


def questions_of(aim: Aim) -> list[Question]:
    """The most noise first."""
    known = enumerate(zip(aim.noise, aim.wanted, strict=True))
    questions = (Question(place, min(noise), float(noise[choice])) for place, (noise, choice) in known)
    return sorted(questions, key=lambda question: (-question.least, question.wanted))


def ways_to_ask(questions: int, length: int, rotation: bool) -> range:
    """How many of them may be asked, if itemsets of this length are to be seen."""
    return range(min(length, questions), questions + 1) if rotation else range(questions, questions + 1)


def is_possible(part: SectionParameters) -> bool:
    """Whether its keep is at least the .0001 that four places can say."""
    return part.keep * PARTS >= 1


def variance(aim: Aim, split: Split, budgets: Sequence[float]) -> float:
    """n se^2 if the groups may amplify by these ln gammas; infinite where that cannot be."""
    parts = [group.part(budget) for group, budget in zip(split, budgets, strict=True)]
    if not all(map(is_possible, parts)):
        return inf
    found = error_curve(parts, aim.length, aim.supposed)
    return found.variance if found else inf


def by_kind(split: Split) -> Iterator[list[int]]:
    """The places of the groups of each kind."""
    kinds = [group.kind for group in split]
    return ([at for at, other in enumerate(kinds) if other == kind] for kind in dict.fromkeys(kinds))
