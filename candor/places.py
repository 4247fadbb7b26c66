"""Places on a plane by the square mechanism of document 002, with the width of least error."""

from collections.abc import Sequence

from privacy.grammar.input_error import InputError
from privacy.plane.regions import Rectangle
from privacy.plane.square_mechanism import SquareLaw, best_width

Edges = tuple[float, float, float, float]


def square_mechanism(
    width: float,
    height: float,
    regions: Sequence[Edges] = (),
    *,
    epsilon: float,
    side: float | None = None,
) -> SquareLaw:
    """Returns the mechanism for places on a plane [0, width] x [0, height]: a point near, or any of a region.

    `regions`: rectangles (left, bottom, right, top) whose places are protected, by default the whole plane. `epsilon`:
    the logarithm of the amplification. `side`: the side w of the square of near points, by default the one with the
    least expected error for people who are spread evenly. The result has `width` (w), `error()` and `error_at(points)`
    (expected squared distances), `near_probability`, and `draw(points, rng)`, for simulation only.
    """
    try:
        domain = Rectangle(0, 0, width, height)
        places = tuple(Rectangle(*edges) for edges in regions) or (domain,)
        return SquareLaw(
            domain, places, epsilon, best_width(domain, places, epsilon) if side is None else side
        )
    except (ValueError, TypeError) as error:
        raise InputError("square_mechanism", str(error)) from None
