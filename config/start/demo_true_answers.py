"""Simulated respondents of the demonstration: their true answers and the associations among them.

Taking supplies home, reporting sick, rounding up expenses and accepting gifts depend on age and sector. People who
report sick take more supplies home, and work more often at the harbour. Gifts and supplies are independent among people
of one age and sector, and so is money taken from everything.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privacy.designs import Design
from privacy.kinds.answer_code_array_type import Codes
from privacy.simulation.population import Population

AGES = (0.31, 0.41, 0.28)
SECTORS = (0.27, 0.23, 0.28, 0.22)
"""Shares of the sectors: public service, industry, trade and hospitality, health and care."""
DISTRICTS = (
    (0.12, 0.10, 0.13, 0.05, 0.14, 0.34, 0.12),
    (0.20, 0.12, 0.10, 0.38, 0.06, 0.06, 0.08),
    (0.16, 0.12, 0.20, 0.08, 0.10, 0.20, 0.14),
    (0.06, 0.24, 0.12, 0.06, 0.24, 0.10, 0.18),
)
"""Shares of the districts where people of each sector work: harbour, northfield, riverside, mills, hills, old
town, southgate."""
BLOCKS = 4
HARBOUR = 0
UNFAIR, FAIR = -0.5, 0.4
"""Thresholds of treatment: people treated worse than UNFAIR disagree, people treated better than FAIR agree."""
SATISFIED = (-1.1, -0.3, 0.8)
CARELESS = 0.02
"""Share of people who answer choice questions at random."""

SICK = (0.50, 0.32, 0.14)
SICK_AT_HARBOUR = 1.3
SUPPLIES = (0.22, 0.10, 0.12, 0.17)
SUPPLIES_BY_AGE = (1.2, 1.0, 0.75)
SUPPLIES_OF_SICK = 4.5
SICK_OF_DISSATISFIED = (1.5, 1.1, 0.8, 0.7)
EXPENSES = (0.10, 0.22, 0.36, 0.08)
EXPENSES_BY_AGE = (0.7, 1.4, 0.6)
GIFTS = (0.08, 0.28, 0.24, 0.04)
GIFTS_BY_AGE = (0.5, 1.0, 1.5)
TILL = 0.04
NO_HOURS = (0.35, 0.45, 0.62)
MEAN_HOURS = 9.0
"""Mean hours among people who reported any."""
MOST_HOURS = 60
CHOICES = {"satisfaction": 4, "fair-pay": 3, "clear-rules": 3, "attention": 2} | dict.fromkeys(
    ("supplies", "sick", "expenses", "gifts", "till"), 2
)


@dataclass(frozen=True, slots=True)
class Employees:
    """Draws true answers to the demonstration's questions, in the order of its design."""

    questions: tuple[str, ...]

    def draw(self, n: int, rng: np.random.Generator) -> Codes:
        """Draws the true answers of n people, question x person."""
        drawn = _draw_answers(n, rng)
        careless = rng.random(n) < CARELESS
        for name, choices in CHOICES.items():
            drawn[name] = np.where(careless, rng.integers(0, choices, n), drawn[name])
        return np.array([drawn[name] for name in self.questions], np.uint8)


def employee_population(design: Design) -> Population:
    """Returns the simulated population that answers the demo's survey."""
    return Population(Employees(tuple(question.name for question in design.questions)))


def _draw_answers(n: int, rng: np.random.Generator) -> dict[str, NDArray[np.integer]]:
    def draw_choice(shares: tuple[float, ...]) -> NDArray[np.intp]:
        return rng.choice(len(shares), n, p=shares)

    def draw_yes(share: NDArray[np.float64]) -> NDArray[np.intp]:
        return (rng.random(n) < share).astype(np.intp)

    def values_by_group(groups: NDArray[np.intp], *values: float) -> NDArray[np.float64]:
        return np.array(values)[groups]

    age, sector = draw_choice(AGES), draw_choice(SECTORS)
    edges = np.cumsum(DISTRICTS, axis=1)[:, :-1]
    district = (rng.random(n)[:, None] > edges[sector]).sum(axis=1)
    treated = rng.standard_normal(n)
    rows = [np.digitize(treated + rng.standard_normal(n), (UNFAIR, FAIR)) for _row in range(2)]
    satisfaction = np.digitize(treated + rng.standard_normal(n), SATISFIED)
    sick = draw_yes(
        values_by_group(age, *SICK)
        * values_by_group(satisfaction, *SICK_OF_DISSATISFIED)
        * np.where(district == HARBOUR, SICK_AT_HARBOUR, 1.0)
    )
    hours = np.minimum(1 + rng.exponential(MEAN_HOURS, n), MOST_HOURS).astype(np.intp)
    return {
        "age": age,
        "sector": sector,
        "satisfaction": satisfaction,
        "fair-pay": rows[0],
        "clear-rules": rows[1],
        "attention": np.ones(n, np.intp),
        "supplies": draw_yes(
            values_by_group(sector, *SUPPLIES)
            * values_by_group(age, *SUPPLIES_BY_AGE)
            * np.where(sick, SUPPLIES_OF_SICK, 1.0)
        ),
        "sick": sick,
        "expenses": draw_yes(values_by_group(sector, *EXPENSES) * values_by_group(age, *EXPENSES_BY_AGE)),
        "gifts": draw_yes(values_by_group(sector, *GIFTS) * values_by_group(age, *GIFTS_BY_AGE)),
        "hours": np.where(draw_yes(values_by_group(age, *NO_HOURS)), 0, hours),
        "district": district * BLOCKS + rng.integers(0, BLOCKS, n),
        "till": draw_yes(np.full(n, TILL)),
    }
