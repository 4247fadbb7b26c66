"""The frontier, as pictures and as a table: the least error for ever weaker protection.

One picture for each number of answers seen together, with whole-numbered coordinates so that no language writes
them with a comma. Each column is a protection, the strongest first; its whisker is the 95 % interval that the
best settings leave. One column is what is chosen now.
"""

from dataclasses import dataclass
from fractions import Fraction

from privacy.guarantee.amplification import worst_posterior
from privacy.guarantee.decimals import up
from privacy.guarantee.frontier import LADDER
from surveys.builder.grouped_protection import LENGTHS, GroupedProtection

WIDTH, HEIGHT, LEFT, RIGHT = 340, 190, 46, 8
TOP, BOTTOM = 12, 34
MOST = 0.30
"""Half widths beyond this leave the frame, and are shown as leaving it."""
TICKS = (20, 0, -20)


@dataclass(frozen=True)
class FrontierRow:
    """A protection: what the prior could become, and the half widths by length, None where there is none."""

    gamma: Fraction
    posterior: float
    halves: tuple[float | None, ...]
    now: bool


@dataclass(frozen=True)
class FrontierColumn:
    x: int
    high: int
    low: int
    half: float | None
    posterior: float
    now: bool

    @property
    def leaves(self) -> bool:
        return self.half is not None and self.half > MOST

    @property
    def cap(self) -> tuple[int, int]:
        return self.x - 5, self.x + 5


@dataclass(frozen=True)
class FrontierPicture:
    """`band` is where the marked column begins and how wide it is."""

    length: int
    columns: tuple[FrontierColumn, ...]
    zero: int
    ticks: tuple[tuple[int, int], ...]
    band: tuple[int, int]


def rows(found: GroupedProtection) -> list[FrontierRow]:
    lengths = LENGTHS[: len(found.expectations)]
    halves: dict[Fraction, dict[int, float]] = {}
    for length in lengths:
        for step in found.frontier(length):
            limit = next(each for each in LADDER if step.gamma <= each)
            error = step.errors[length - 1]
            halves.setdefault(limit, {})[length] = error.half_width if error else float("inf")
    made = [
        FrontierRow(
            limit, float(up(worst_posterior(limit, found.prior), 3)), tuple(map(got.get, lengths)), False
        )
        for limit, got in halves.items()
    ]
    now = tuple(each.half_width for each in found.expectations)
    made.append(FrontierRow(found.guarantee.gamma, found.posterior, now, True))
    return sorted(made, key=lambda row: (row.gamma, row.now))


def pictures(made: list[FrontierRow]) -> list[FrontierPicture]:
    return [_picture(made, number) for number in range(len(made[0].halves))]


def _picture(made: list[FrontierRow], number: int) -> FrontierPicture:
    step = (WIDTH - LEFT - RIGHT) // len(made)
    columns = tuple(
        _column(LEFT + step // 2 + at * step, row, row.halves[number]) for at, row in enumerate(made)
    )
    chosen = next(column for column in columns if column.now)
    ticks = tuple((_y(points / 100), points) for points in TICKS)
    return FrontierPicture(number + 1, columns, _y(0), ticks, (chosen.x - step // 2, step))


def _column(x: int, row: FrontierRow, half: float | None) -> FrontierColumn:
    shown = min(half or 0.0, MOST)
    return FrontierColumn(x, _y(shown), _y(-shown), half, row.posterior, row.now)


def _y(share: float) -> int:
    middle = (HEIGHT - BOTTOM + TOP) / 2
    return round(middle - share / MOST * (HEIGHT - BOTTOM - TOP) / 2)
