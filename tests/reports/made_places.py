"""A run made by hand of a survey that asks a place.

home: nine cells, a1 to c3 from the north-west; north a1, b1, c1; south a2, b2; outside c2, a3, b3 and c3 (which has no
shape).
b = 2 * 700 / (2 * 700 + 100 * 5) is 14/19. 1,000 of age 18-39 and 506 of 40+ chose disguise; 150 answered openly.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from accounts.models import Person
from privacy.designs import Design
from runs.models import Run
from surveys.models import Survey
from tests.intake import asked
from tests.reports import made

AGES = ("18-39", "40+")
NAMES = [f"{column}{row}" for row in (1, 2, 3) for column in "abc"]
NORTH, SOUTH, OUTSIDE = (0, 1, 2), (3, 4), (5, 6, 7, 8)
ELSEWHERE = "Elsewhere (outside the regions)"
B = 14 / 19


def cell(number: int) -> dict[str, Any]:
    """Squares of 100 by 100 steps, the first in the north-west."""
    name, x, y = NAMES[number], 100 * (number % 3), 100 * (2 - number // 3)
    shape = {"shape": [[x, y, x + 100, y, x + 100, y + 100, x, y + 100]]} if name != "c3" else {}
    return {"name": name, "label": {"en": f"Block {name.upper()}"}, "at": [x + 50, y + 50], **shape}


HOME: dict[str, Any] = {
    "name": "home",
    "text": {"en": "Where do you live?", "zh-hans": "您住在哪里？"},
    "cells": [cell(number) for number in range(9)],
    "regions": [
        {"name": "north", "label": {"en": "The north"}, "cells": [NAMES[at] for at in NORTH]},
        {"name": "south", "label": {"en": "The south"}, "cells": [NAMES[at] for at in SOUTH]},
    ],
    "near": 2,
    "odds": "8.00",
}


def design(*, home: Mapping[str, Any] | None = None, **more: Any) -> Design:
    """`home` changes that question."""
    ages = [{"name": age} for age in AGES]
    age = {"name": "age", "text": {"en": "How old are you?"}, "choices": ages}
    said = {"title": {"en": "Places"}, "languages": ["en", "zh-hans"], "open_answers": True, "least": 20}
    return asked.written(
        {"kind": "plain", "questions": [age]},
        {"kind": "place", "questions": [{**HOME, **(home or {})}]},
        **said | more,
    )


# --- estimates by hand ----------------------------------------------------------------------------------

OPENED = (20, 20, 10, 15, 15, 30, 20, 10, 10)
DISGUISED = (306, 200, 200, 200, 200, 160, 100, 70, 70)
"""Records received in each cell."""


def finding(disguised: Sequence[int] = DISGUISED) -> dict[str, Any]:
    """As a run stores it. What is withheld in the run itself is left to `mining.kinds.place`."""
    base = sum(disguised)
    outside = [
        {
            "share": (share := round(disguised[at] / B / base, 9)),
            "low": round(share - 0.02, 9),
            "high": round(share + 0.02, 9),
        }
        for at in OUTSIDE
    ]
    return {
        "question": "home",
        "n_asked": base,
        "received": [round(one / base, 9) for one in disguised],
        "illustration": [0.2, 0.1, 0.1, 0.05, 0.05, 0.2, 0.1, 0.1, 0.1],
        "outside": outside,
        "disguised_only": True,
    }


def regions_of(counts: Sequence[int]) -> list[int]:
    """In the north, in the south, and elsewhere."""
    return [sum(counts[at] for at in cells) for cells in (NORTH, SOUTH, OUTSIDE)]


def tables(disguised: Sequence[int] = DISGUISED) -> list[dict[str, Any]]:
    """Of the disguised two thirds of each region, and of elsewhere, are of age 18-39."""
    homes = regions_of(disguised)
    ages = [[count * 2 // 3 for count in homes], [count - count * 2 // 3 for count in homes]]
    return [
        {"questions": [0], "counts": list(map(sum, ages))},
        {"questions": [1], "counts": homes},
        {"questions": [0, 1], "counts": ages},
    ]


# --- the run --------------------------------------------------------------------------------------------

SHARES = {0: 0.66, 1: 0.34, 2: 0.45, 3: 0.25, 4: 0.3}
"""By item: the ages, the north, the south, elsewhere."""


def survey(owner: Person, **more: Any) -> Survey:
    return made.asked_survey(design(**more), owner)


def run(of: Survey, found: dict[str, Any] | None = None, **findings: Any) -> Run:
    """Done, without itemsets and rules."""
    told = {
        "answers": [made.answer(item, share, 1656) for item, share in SHARES.items()],
        "alike": [
            {"item": item, "opened": 0.3, "disguised": 0.4, "p": 0.5, "more": 0.1, "fewer": 0.1}
            for item in (2, 3, 4)
        ],
        "forged": {},
        "groups": [by_age()],
        "coherent": [],
        "pairs": [],
        "plain_tables": tables(),
        "places": [finding() if found is None else found],
    }
    return made.run_of_1656(of, told | findings)


def by_age() -> dict[str, Any]:
    """The north, the south and elsewhere within the classes of age."""
    columns: dict[str, Any] = {
        "share": [[0.5, 0.3], [0.2, 0.3], [0.3, 0.4]],
        "low": [[0.45, 0.2], [0.15, 0.2], [0.27, 0.35]],
        "high": [[0.55, 0.4], [0.25, 0.4], [0.33, 0.45]],
        "n_asked": [[1004, 502]] * 3,
        "shown": [[1004, 502]] * 3,
        **{name: [[None] * 2] * 3 for name in ("share_shown", "low_shown", "high_shown")},
    }
    return {
        "question": 0,
        "answers": [2, 3, 4],
        **columns,
        "second": [[0.6] * 2] * 3,
        "slope": [[0.0] * 2] * 3,
    }
