"""Would a rule be reported again? Many surveys of people who are as these were estimated to be, mined anew.

It is about rules *exactly as strong as estimated*. A run reports rules because they came out high, so in truth they
are weaker on average, and this is not the probability that a rule is true (`caveat`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from mining.counting import counter_of
from mining.counts import Counter, Item, Numbering
from mining.engines import bitmap
from mining.parameters import Parameters
from mining.reconstruction.coherent import MOST_ITEMS, Coherent, coherent
from mining.reconstruction.counted import Counted, counted
from mining.rules import Rules
from privacy.designs import DISGUISED, OPEN, Design, PlainSection, Refusal, UnrelatedQuestionSection
from privacy.designs.design import Section
from privacy.designs.refusal import marked
from privacy.simulation.disguise import disguise
from surveys.intake.columns import Codes, pack, read

POPULATIONS = 200

Sides = tuple[tuple[Item, ...], tuple[Item, ...]]
Watch = Callable[[int], object]
"""Called after every population; whatever it raises ends the backtest."""


@dataclass(frozen=True)
class Backtest:
    """`again` is, rule by rule, the share of `populations` in which it was reported again."""

    populations: int
    again: NDArray[np.float64]


def caveat() -> str:
    return _(
        "These are rules exactly as strong as estimated. Rules are reported because they came out high, so in "
        "reality they are found again less often: by 10 to 25 percentage points in simulation. This is not the "
        "probability that a rule is true."
    )


def backtest(
    counter: Counter | Counted,
    found: Rules,
    wanted: Parameters,
    rng: np.random.Generator,
    cache: Path,
    populations: int = POPULATIONS,
    watch: Watch = int,
) -> Backtest:
    """Of rules with up to 12 items between them. Questions that a rule may hide are asked of everybody here."""
    known = counted(counter)
    rules = [_sides(known.numbering, found, row) for row in range(len(found))]
    items = sorted({item for sides in rules for side in sides for item in side})
    if len(items) > MOST_ITEMS:
        raise Refusal(
            "rules",
            marked("%(items)s different answers, but a backtest can follow at most %(most)s"),
            items=len(items),
            most=MOST_ITEMS,
        )
    smaller, place = reduced(known.design, {question for question, _code in items})
    people = coherent(known, items, wanted.estimator)
    again = np.zeros(len(rules))
    for number in range(populations if rules else 0):
        group, codes = _survey(smaller, place, people, known.n, rng)
        columns = read(smaller, pack(smaller, group, codes))
        once_more = bitmap.find(counter_of(smaller, [columns], cache), wanted).rules
        numbering = Numbering(smaller)
        reported = {_sides(numbering, once_more, row) for row in range(len(once_more))}
        again += [_moved(sides, place) in reported for sides in rules]
        watch(number + 1)
    return Backtest(populations, again / populations)


def reduced(design: Design, questions: set[int]) -> tuple[Design, dict[int, int]]:
    """Only what these questions need, and where they stand in it: their sections, whole where these rotate."""
    sections: list[Section] = []
    place: dict[int, int] = {}
    first = 0
    for section in design.sections:
        mine = range(first, first + len(section.questions))
        first = mine.stop
        if not questions.intersection(mine):
            continue
        rotates = not isinstance(section, PlainSection) and section.rotates
        kept = [at - mine.start for at in mine if rotates or at in questions]
        place |= {mine.start + at: len(place) + order for order, at in enumerate(kept)}
        if isinstance(section, PlainSection):
            plain = tuple(replace(section.questions[at], show_if=()) for at in kept)
            sections.append(PlainSection(plain))
        else:
            sensitive = tuple(replace(section.questions[at], show_if=()) for at in kept)
            asked = section.asked if rotates else len(kept)
            sections.append(UnrelatedQuestionSection(section.keep_parts, asked, sensitive))
    return replace(design, sections=tuple(sections)), place


def _survey(
    design: Design, place: dict[int, int], people: Coherent, n: tuple[int, int], rng: np.random.Generator
) -> tuple[NDArray[np.uint8], Codes]:
    """As many open and disguised records as there were, of people drawn from this distribution."""
    group = np.repeat(np.array([OPEN, DISGUISED], np.uint8), n)
    drawn = people.patterns[rng.choice(len(people.shares), len(group), p=people.shares)]
    truth = np.zeros((len(design.questions), len(group)), np.uint16)
    items = [(place[question], code) for question, code in people.items]
    for at, question in enumerate(design.questions):
        mine = {code for of, code in items if of == at}
        others = [code for code in range(len(question.choices)) if code not in mine]
        truth[at] = others[0] if others else question.not_applicable
    for column, (at, code) in zip(drawn.T, items, strict=True):
        truth[at, column] = code
    return group, disguise(design, group, truth, rng)


def _sides(numbering: Numbering, found: Rules, row: int) -> Sides:
    antecedent, consequent = found.sides(row)
    return tuple(map(numbering.item, antecedent)), tuple(map(numbering.item, consequent))


def _moved(sides: Sides, place: dict[int, int]) -> Sides:
    antecedent, consequent = (tuple((place[question], code) for question, code in side) for side in sides)
    return antecedent, consequent
