"""The default population of a rehearsal: people fit for any questionnaire."""

import json
from hashlib import sha256

import numpy as np

from privacy.designs import Design
from privacy.kinds.simulation import ControlShares, Shares, SkewedNumbers, UsualAnswers, UsualShares
from privacy.simulation.disguise import simulation_of
from privacy.simulation.population import Independent, LatentClasses, Population

DO = 0.25
SHARES = (0.5, 0.85), (0.02, 0.12)
"""Two classes of people, the first of which are few: between which shares a sensitive question is not denied."""
CARELESS = 0.04
"""How many answer at random where a control item can show it: of nobody, a report would publish nothing of it."""


def made_up(design: Design, *, alike: bool = False) -> Population:
    """Always the same people for the same questions, whatever else the design says.

    People with something to hide answer openly less often, as in life, so that the groups are not alike. `alike`: no
    person differs from another, so that no two answers go together, and no group differs from another.
    """
    asked = json.dumps(design.as_json()["sections"], sort_keys=True)
    rng = np.random.default_rng(int.from_bytes(sha256(asked.encode()).digest()[:8], "big"))
    usual = [
        (answers, section.sensitive)
        for section in design.sections
        for answers in simulation_of(section).usual_answers(section, rng)
    ]
    if alike:
        share = DO * sum(SHARES[0]) / 2 + (1 - DO) * sum(SHARES[1]) / 2
        answers = tuple(ordinary.among(share if hidden else None) for ordinary, hidden in usual)
        return Population(Independent(answers), open_share=0.25 if design.open_answers else 0.0)
    classes = tuple(
        Independent(
            tuple(ordinary.among(rng.uniform(*between) if hidden else None) for ordinary, hidden in usual)
        )
        for between in SHARES
    )
    careless = CARELESS if any(question.known_parts is not None for question in design.questions) else 0.0
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
