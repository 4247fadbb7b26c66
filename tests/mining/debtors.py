"""People with a debt, asked by classes if they are employed, and the exact law of their records."""

import json

import numpy as np

from proof.record_law import code_law
from tests.mining.listed import Listed
from tests.privacy.questionnaires import (
    IF_EMPLOYED,
    WORK,
    classes,
    design,
    plain,
    question,
    sensitive,
)

LIMITS = (5, 10, 20)
NUMBER = design(
    plain(WORK),
    sensitive("0.6", question("theft", "0.4", "0.6")),
    classes("debt", "0.7", 0, *LIMITS, cuts=2, **IF_EMPLOYED),
)
Debt = tuple[int, int, int | None]
"""Work, theft, and the debt; None: hidden."""
SINGLE = (0, 4, 7, 9)
"""The codes of the four classes alone."""
NOT_ASKED = 10


def debtors(seed: int) -> dict[Debt, float]:
    people: list[Debt] = [(0, theft, debt) for theft in (0, 1) for debt in (0, 4, 5, 12, 20)]
    people += [(1, theft, None) for theft in (0, 1)]
    shares = np.random.default_rng(seed).dirichlet(np.ones(len(people)))
    return dict(zip(people, shares.tolist(), strict=True))


def law_of_debtors(opened: dict[Debt, float], disguised: dict[Debt, float], k: float) -> Listed:
    """Every possible record with its probability; the code of the debt is worked out from its law."""
    law: dict[tuple[int, ...], float] = {}
    section = json.loads(NUMBER.canonical)["sections"][2]
    for (work, theft, debt), share in opened.items():
        code = NOT_ASKED if debt is None else SINGLE[sum(limit <= debt for limit in LIMITS)]
        row = (0, work, theft, code)
        law[row] = law.get(row, 0.0) + k * share
    for (work, theft, debt), share in disguised.items():
        codes = {NOT_ASKED: 1.0} if debt is None else code_law(section, debt)
        for said, p_theft in ((theft, 0.6), (0, 0.4 * 0.4), (1, 0.4 * 0.6)):
            for code, chance in codes.items():
                row = (1, work, said, code)
                law[row] = law.get(row, 0.0) + (1 - k) * share * p_theft * float(chance)
    rows = np.array(list(law)).T
    return Listed(NUMBER.mined, rows[0], rows[1:], 1e6 * np.array(list(law.values())))
