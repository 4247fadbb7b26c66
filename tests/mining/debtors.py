"""People with a debt, asked by thresholds if they are employed, and the exact law of their records."""

import numpy as np

from tests.mining.listed import Listed
from tests.privacy.questionnaires import IF_EMPLOYED, WORK, design, plain, question, sensitive, thresholds

NUMBER = design(
    plain(WORK),
    sensitive("0.6", question("theft", "0.4", "0.6")),
    thresholds("debt", "0.7", 0, 5, 10, 20, **IF_EMPLOYED),
)
Debt = tuple[int, int, int | None]
"""Work, theft, and the debt; None: hidden."""


def debtors(seed: int) -> dict[Debt, float]:
    people: list[Debt] = [(0, theft, debt) for theft in (0, 1) for debt in (0, 4, 5, 12, 20)]
    people += [(1, theft, None) for theft in (0, 1)]
    shares = np.random.default_rng(seed).dirichlet(np.ones(len(people)))
    return dict(zip(people, shares.tolist(), strict=True))


def law_of_debtors(opened: dict[Debt, float], disguised: dict[Debt, float], k: float) -> Listed:
    """Every possible record with its probability; the answer to each threshold is worked out from the debt."""
    law: dict[tuple[int, ...], float] = {}
    for (work, theft, debt), share in opened.items():
        for place, true in drawn(debt):
            row = (0, work, theft, *asked(place, true))
            law[row] = law.get(row, 0.0) + k * share / 3
    for (work, theft, debt), share in disguised.items():
        for place, true in drawn(debt):
            for said, p_theft in ((theft, 0.6), (0, 0.4 * 0.4), (1, 0.4 * 0.6)):
                for answer, p_debt in ((true, 0.7), (0, 0.15), (1, 0.15)):
                    row = (1, work, said, *asked(place, None if debt is None else answer))
                    law[row] = law.get(row, 0.0) + (1 - k) * share / 3 * p_theft * p_debt
    rows = np.array(list(law)).T
    return Listed(NUMBER.mined, rows[0], rows[1:], 1e6 * np.array(list(law.values())))


def drawn(debt: int | None) -> list[tuple[int, int | None]]:
    return [(place, None if debt is None else int(debt >= t)) for place, t in enumerate((5, 10, 20))]


def asked(place: int, answer: int | None) -> list[int]:
    """The codes of the three thresholds; 2 is not asked, and of a hidden number none is."""
    return [2 if at != place or answer is None else answer for at in range(3)]
