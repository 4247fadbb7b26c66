"""The law of a place written out: the probability of each cell, from the definition of its weights."""

from fractions import Fraction

from privacy.kinds.place.law import PlaceLaw, V


def place_probabilities(law: PlaceLaw, x: int) -> list[Fraction]:
    """P(y|x) of each cell y if the true cell is x."""
    weights = [V if cell in law.region_by_cell else 0 for cell in range(len(law.points))]
    if x in law.region_by_cell:
        for cell in law.near_cells(x):
            weights[cell] = law.levels[law.region_by_cell[x]].odds
    else:
        weights[x] = law.near_excess
    return [Fraction(weight, law.coin_sides) for weight in weights]
