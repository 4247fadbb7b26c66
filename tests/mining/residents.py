"""People with a home, asked if they are employed, and the exact law of their records, from the law of each cell."""

import numpy as np

from privacy.kinds.place.law import PlaceLaw
from privacy.kinds.place.section import PlaceSection
from tests.mining.listed import Listed
from tests.privacy.questionnaires import IF_EMPLOYED, WORK, design, place_in_row, plain, question, sensitive

REGIONS = {"north": [0, 1, 2], "south": [4, 5]}
"""Of seven cells, so that two lie outside."""
HOMES = design(
    plain(WORK),
    place_in_row("home", REGIONS, 7, 2, "6", **IF_EMPLOYED),
    sensitive("0.6", question("theft", "0.4", "0.6")),
)
NORTH, SOUTH, ELSEWHERE = 0, 1, 2
Resident = tuple[int, int | None, int]
"""Work, cell, theft; no cell: hidden."""


def law() -> PlaceLaw:
    section = HOMES.sections[1]
    assert isinstance(section, PlaceSection)
    return section.law


def item(cell: int) -> int:
    return NORTH if cell in REGIONS["north"] else SOUTH if cell in REGIONS["south"] else ELSEWHERE


def residents(seed: int) -> dict[Resident, float]:
    people: list[Resident] = [(0, cell, theft) for cell in range(7) for theft in (0, 1)]
    people += [(1, None, theft) for theft in (0, 1)]
    shares = np.random.default_rng(seed).dirichlet(np.ones(len(people)))
    return dict(zip(people, shares.tolist(), strict=True))


def share(people: dict[Resident, float], home: int | None = None, theft: int | None = None) -> float:
    """Among the employed."""
    employed = {of: chance for of, chance in people.items() if of[0] == 0}
    having = sum(
        chance
        for (_work, cell, stole), chance in employed.items()
        if cell is not None and home in (None, item(cell)) and theft in (None, stole)
    )
    return having / sum(employed.values())


def law_of_residents(opened: dict[Resident, float], disguised: dict[Resident, float], k: float) -> Listed:
    """Every possible record, as mining sees it, with its probability times a million."""
    chances: dict[tuple[int, ...], float] = {}
    of = law()
    for (work, cell, theft), chance in opened.items():
        row = (0, work, 3 if cell is None else item(cell), theft)
        chances[row] = chances.get(row, 0.0) + k * chance
    for (work, cell, theft), chance in disguised.items():
        sent = [(None, 1.0)] if cell is None else [(y, float(of.probability(cell, y))) for y in range(7)]
        for y, p_home in sent:
            for said, p_theft in ((theft, 0.6), (0, 0.4 * 0.4), (1, 0.4 * 0.6)):
                row = (1, work, 3 if y is None else item(y), said)
                chances[row] = chances.get(row, 0.0) + (1 - k) * chance * p_home * p_theft
    rows = np.array(list(chances)).T
    return Listed(HOMES.mined, rows[0], rows[1:], 1e6 * np.array(list(chances.values())))
