"""The default population of a rehearsal: people fit for any questionnaire."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privacy.designs import Design, PlainSection, Question, UnrelatedQuestionSection
from privacy.grammar.node import PARTS
from privacy.kinds.crosswise.section import CrosswiseSection
from privacy.kinds.number.section import ClassesSection, WindowSection
from privacy.kinds.place.section import PlaceQuestion, PlaceSection
from privacy.kinds.subset.section import SubsetSection
from privacy.simulation.population import Independent, LatentClasses, Population, SkewedNumbers

DO = 0.25
SHARES = (0.5, 0.85), (0.02, 0.12)
"""Two classes of people, the first of which are few: between which shares a sensitive question is not denied."""
CARELESS = 0.04
"""How many answer at random where a control item can show it: of nobody, a report would publish nothing of it."""
EVEN = 12.0
"""How evenly the choices of a question are taken: the parameter of a symmetric Dirichlet distribution."""
MEDIANS = (0.1, 0.3)
"""Between which parts of its range the median of a number lies, before it rises with the share that is not denied."""
SPREAD = 0.6
TOWNS = 3
TOWN_SIZE = 0.08
"""The standard deviation of a town, as a part of the map's longer side."""
COUNTRY = 0.02
"""How often people live far from every town, beside 1 in its middle."""

Shares = tuple[float, ...]


class UsualAnswers(Protocol):
    """What is usually answered to one question. `admitted`: which part of a class does not deny a sensitive one."""

    def among(self, admitted: float | None) -> Shares | SkewedNumbers: ...


@dataclass(frozen=True, slots=True)
class UsualShares:
    shares: Shares

    def among(self, admitted: float | None) -> Shares:
        """The usual shares; of a sensitive question those of all choices but the first, together `admitted`."""
        if admitted is None:
            return self.shares
        rest = np.array(self.shares[1:])
        rest = rest / rest.sum() * admitted
        return (1 - admitted, *rest.tolist())


@dataclass(frozen=True, slots=True)
class UsualNumber:
    codes: int
    median: float

    def among(self, admitted: float | None) -> SkewedNumbers:
        return SkewedNumbers(self.codes, self.median * (1 + (admitted or 0.0)), SPREAD)


@dataclass(frozen=True, slots=True)
class ControlShares:
    """Of a control item: whoever reads it answers truthfully, whatever class they are of."""

    shares: Shares

    def among(self, admitted: float | None) -> Shares:
        return self.shares


def _choices(question: Question, rng: np.random.Generator) -> UsualShares | ControlShares:
    if question.known_parts is not None:
        yes = question.known_parts / PARTS
        return ControlShares((1 - yes, yes))
    return UsualShares(tuple(rng.dirichlet(np.full(question.true_codes, EVEN)).tolist()))


@dataclass(frozen=True, slots=True)
class UsualPlaces:
    """`often`: by cell the usual shares; `denied`: those of people who do not deny sensitive answers."""

    often: Shares
    denied: Shares

    def among(self, admitted: float | None) -> Shares:
        part = admitted or 0.0
        return tuple((1 - part) * a + part * b for a, b in zip(self.often, self.denied, strict=True))


def _place(question: PlaceQuestion, rng: np.random.Generator) -> UsualPlaces:
    """People live around a few cells; those with something to hide more often around one inside a region."""
    points = np.array(question.law.points, np.float64)
    inside = question.law.inside[int(rng.integers(len(question.law.inside)))]
    towns = rng.choice(len(points), min(TOWNS, len(points)), replace=False)
    return UsualPlaces(_around(points, towns), _around(points, np.array([inside])))


def _around(points: NDArray[np.float64], towns: NDArray[np.integer]) -> Shares:
    """Shares that fall with the distance from the nearest of these cells; nowhere 0."""
    apart = ((points[:, None] - points[towns]) ** 2).sum(axis=2).min(axis=1)
    scale = TOWN_SIZE * max(float(np.ptp(points, axis=0).max()), 1.0)
    shares = np.exp(-apart / (2 * scale**2)) + COUNTRY
    return tuple((shares / shares.sum()).tolist())


def _number(question: Question, rng: np.random.Generator) -> UsualNumber:
    return UsualNumber(question.true_codes, rng.uniform(*MEDIANS))


USUAL: Mapping[type, Callable[[Any, np.random.Generator], UsualAnswers]] = MappingProxyType(
    {
        PlainSection: _choices,
        UnrelatedQuestionSection: _choices,
        CrosswiseSection: _choices,
        SubsetSection: _choices,
        WindowSection: _number,
        ClassesSection: _number,
        PlaceSection: _place,
    }
)


def made_up(design: Design) -> Population:
    """Always the same people for the same questions, whatever else the design says.

    People with something to hide answer openly less often, as in life, so that the groups are not alike.
    """
    asked = json.dumps(design.as_json()["sections"], sort_keys=True)
    rng = np.random.default_rng(int.from_bytes(sha256(asked.encode()).digest()[:8], "big"))
    questions = [(section, question) for section in design.sections for question in section.questions]
    usual = [(USUAL[type(section)](question, rng), section.sensitive) for section, question in questions]
    classes = tuple(
        Independent(
            tuple(ordinary.among(rng.uniform(*between) if hidden else None) for ordinary, hidden in usual)
        )
        for between in SHARES
    )
    careless = CARELESS if any(question.known_parts is not None for _section, question in questions) else 0.0
    if careless:
        classes += (Independent(tuple(_at_random(ordinary) for ordinary, _hidden in usual)),)
    return Population(
        disguised=_people(DO, careless, classes),
        open=_people(DO / 3, careless, classes),
        open_share=0.25 if design.open_answers else 0.0,
    )


def _at_random(ordinary: UsualAnswers) -> Shares | SkewedNumbers:
    """Each choice alike; numbers and places as usual."""
    if isinstance(ordinary, UsualShares | ControlShares):
        return (1 / len(ordinary.shares),) * len(ordinary.shares)
    return ordinary.among(None)


def _people(do: float, careless: float, classes: tuple[Independent, ...]) -> LatentClasses:
    read = 1 - careless
    weights = (read * do, read * (1 - do), *((careless,) if careless else ()))
    return LatentClasses(weights, classes)
