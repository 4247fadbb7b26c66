"""Design by guarantee for a window: the R3 with which the shape of a distribution is seen best.

The paper on privacy breaches asks how to construct a law for given conditions, and leaves it open. For R3 gamma is
1 + u V / ((1-u) (2h+1)), so the window of 2h + 1 values decides the largest u. Narrow windows show finer detail with
more error, so the number of modes is asked for.
"""

from collections.abc import Iterator
from math import gcd

import numpy as np

from privacy.grammar.node import PARTS
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.number.inverse import modes, scores
from privacy.kinds.number.window import WindowLaw


def best_window(values: int, limit: GammaLimit, kept: int) -> WindowLaw | None:
    """The law whose distribution, blurred to `kept` modes, has the least error; None where none shows so many."""
    seen = [law for law in admissible_windows(values, limit) if modes(law) >= kept]
    return min(seen, key=lambda law: blurred_error(law, kept, 1), default=None)


def blurred_error(law: WindowLaw, kept: int, respondents: int) -> float:
    """The mean standard error of the shares blurred to `kept` modes, where all values are equally likely."""
    z = scores(law, kept)
    return float(np.sqrt(((z**2).mean() - z.mean() ** 2) / respondents))


def admissible_windows(values: int, limit: GammaLimit) -> Iterator[WindowLaw]:
    """For each window, the law with the largest u; a width that shares a factor with V loses something for good."""
    for half in range(values // 2):
        width = 2 * half + 1
        if gcd(width, values) > 1 or width >= values:
            continue
        # gamma < limit if 1 - u > 1 / (1 + (limit - 1) (2h + 1) / V).
        parts = max(int(PARTS / (1 + (limit.gamma - 1) * width / values)), 1)
        law = WindowLaw(values, half, parts)
        if not limit.admits(law.gamma):
            law = WindowLaw(values, half, parts + 1)
        if law.uniform_parts < PARTS:
            yield law
