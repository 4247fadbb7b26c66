"""The margin of error of a single answer for ever weaker protection of the whole person, as a chart and as a table.

Each column is a protection, the strongest first; its whisker is the 95 % interval of an answer's share with the
settings that the protection gives to the sections as they are. One column is the draft's own, and stands for every
other that says the same. Coordinates are whole numbers, so that no language writes them with a comma.
"""

from dataclasses import dataclass
from fractions import Fraction

from builder.settings.outcome import ProtectionSummary
from privacy.guarantee.amplification import GammaLimit, worst_posterior
from privacy.guarantee.decimals import up
from privacy.guarantee.presets import LADDER
from surveys.kinds.presets import within_limit

WIDTH, HEIGHT, LEFT, RIGHT = 340, 190, 46, 8
TOP, BOTTOM = 12, 34
MOST = 0.30
"""Half widths beyond this leave the frame, and are shown as leaving it."""
TICKS = (20, 0, -20)


@dataclass(frozen=True)
class FrontierRow:
    """A protection: what the prior could become, and the margin of error, None where nothing can be estimated."""

    gamma: Fraction
    posterior: float
    half: float | None
    words: str
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

    rows: tuple[FrontierRow, ...]
    columns: tuple[FrontierColumn, ...]
    zero: int
    ticks: tuple[tuple[int, int], ...]
    band: tuple[int, int]


def picture(outcome: ProtectionSummary) -> FrontierPicture | None:
    """None where no questions are disguised together."""
    if not outcome.person or not outcome.expectations:
        return None
    limits = {
        limit: ProtectionSummary(within_limit(outcome.draft, GammaLimit(limit, strict=False)))
        for limit in LADDER
    }
    own = _row(outcome.person.guarantee.gamma, outcome.prior, outcome, True)
    ladder = [_row(limit, outcome.prior, summary, False) for limit, summary in limits.items()]
    made = [own, *(row for row in ladder if row.posterior != own.posterior)]
    made.sort(key=lambda row: row.gamma)
    step = (WIDTH - LEFT - RIGHT) // len(made)
    columns = tuple(_column(LEFT + step // 2 + at * step, row) for at, row in enumerate(made))
    chosen = next(column for column in columns if column.now)
    ticks = tuple((_y(points / 100), points) for points in TICKS)
    return FrontierPicture(tuple(made), columns, _y(0), ticks, (chosen.x - step // 2, step))


def _row(gamma: Fraction, prior: Fraction, outcome: ProtectionSummary, now: bool) -> FrontierRow:
    single = outcome.expectations[0]
    half = single.half_width if single.enough else None
    return FrontierRow(gamma, float(up(worst_posterior(gamma, prior), 3)), half, single.words, now)


def _column(x: int, row: FrontierRow) -> FrontierColumn:
    shown = min(row.half or 0.0, MOST)
    return FrontierColumn(x, _y(shown), _y(-shown), row.half, row.posterior, row.now)


def _y(share: float) -> int:
    middle = (HEIGHT - BOTTOM + TOP) / 2
    return round(middle - share / MOST * (HEIGHT - BOTTOM - TOP) / 2)
