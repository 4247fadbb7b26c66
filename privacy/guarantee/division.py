"""How the person's ln gamma is divided between the sections of a split."""

from collections.abc import Callable, Sequence
from math import exp, isfinite, log1p

from privacy.guarantee.by_guarantee import Aim
from privacy.guarantee.split import Split, by_kind, variance

ROUNDS = 5
NUDGE = 0.02
"""Of a budget, to see how the error bends."""
ENOUGH = 1e-4
"""A round that gains less than this is the last."""
MOST_CUT = 0.7
"""Of a budget, in one step."""
SHORTER = 4
"""So many lengths of a step are tried."""


def equal_gammas(split: Split, budget: float) -> list[float]:
    return [budget / len(split)] * len(split)


def equal_keeps(split: Split, budget: float) -> list[float]:
    least = [float(group.least) for group in split]
    low, high = -40.0, 40.0  # ln(p / (1-p))
    for _ in range(60):
        middle = (low + high) / 2
        too_much = sum(log1p(exp(middle) / q) for q in least) > budget
        low, high = (low, middle) if too_much else (middle, high)
    return [log1p(exp(low) / q) for q in least]


def settled(aim: Aim, split: Split, budgets: Sequence[float]) -> tuple[float, list[float]]:
    """From there to the least error, and that error: Newton's steps, all groups of a kind alike."""
    kinds = list(by_kind(split))

    def error(shares: Sequence[float]) -> float:
        return variance(aim, split, _given(kinds, shares))

    shares = [sum(budgets[place] for place in places) / len(places) for places in kinds]
    least = error(shares)
    for _ in range(ROUNDS if len(kinds) > 1 else 0):
        found = _better(shares, list(map(len, kinds)), least, error)
        if found is None:
            break
        gain, (least, shares) = least - found[0], found
        if gain < ENOUGH * least:
            break
    return least, _given(kinds, shares)


def _given(kinds: Sequence[Sequence[int]], shares: Sequence[float]) -> list[float]:
    budgets = {place: share for share, places in zip(shares, kinds, strict=True) for place in places}
    return [budgets[place] for place in range(len(budgets))]


def _better(
    shares: list[float], sizes: Sequence[int], least: float, error: Callable[[list[float]], float]
) -> tuple[float, list[float]] | None:
    """One step, as if what one kind has concerned no other; shorter if that went too far, None if nowhere."""
    slopes, bends = [], []
    for place, share in enumerate(shares):
        nudge = NUDGE * share
        more, fewer = (
            error([*shares[:place], nudged, *shares[place + 1 :]])
            for nudged in (share + nudge, share - nudge)
        )
        slopes.append((more - fewer) / (2 * nudge))
        bends.append((more + fewer - 2 * least) / nudge**2)
    if not all(isfinite(bend) and bend > 0 for bend in bends):
        return None
    each = list(zip(sizes, slopes, bends, strict=True))
    level = sum(size * slope / bend for size, slope, bend in each) / sum(
        size**2 / bend for size, _, bend in each
    )
    moves = [(size * level - slope) / bend for size, slope, bend in each]
    step = min(
        1.0, *(MOST_CUT * share / abs(move) for share, move in zip(shares, moves, strict=True) if move)
    )
    for _ in range(SHORTER):
        tried = [share + step * move for share, move in zip(shares, moves, strict=True)]
        found = error(tried)
        if found < least:
            return found, tried
        step /= 3
    return None
