"""The worked example on the home page and on /method: a rehearsal of one question with a known truth."""

from dataclasses import dataclass
from math import sqrt
from random import Random

Z = 1.96


@dataclass(frozen=True)
class WorkedExample:
    """Numbers of the worked example: one yes/no question whose answers are disguised.

    A true answer is sent with probability `keep`, else a yes is drawn with probability `noise`. `received` is the
    number of disguised yeses among `records`.
    """

    records: int = 1000
    true_yes: int = 250
    received: int = 431
    keep: float = 0.5
    noise: float = 0.6

    @property
    def truth(self) -> float:
        return self.true_yes / self.records

    @property
    def observed(self) -> float:
        return self.received / self.records

    @property
    def by_chance(self) -> int:
        """The expected number of records with a random answer."""
        return round(self.records * (1 - self.keep))

    @property
    def random_yeses(self) -> int:
        """The expected number of randomly drawn yeses."""
        return round(self.by_chance * self.noise)

    @property
    def truthful_records(self) -> int:
        """The expected number of records with a true answer."""
        return self.records - self.by_chance

    @property
    def true_yeses(self) -> int:
        """The estimated number of true yeses among the records with a true answer."""
        return self.received - self.random_yeses

    @property
    def estimate(self) -> float:
        return self.estimate_from_received(self.observed)

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson interval of the received share, mapped through the inverse of the disguise."""
        m, lost = self.observed, Z * Z / self.records
        half = Z * sqrt(m * (1 - m) / self.records + lost / (4 * self.records))
        low, high = (m + lost / 2 - half) / (1 + lost), (m + lost / 2 + half) / (1 + lost)
        return self.estimate_from_received(low), self.estimate_from_received(high)

    @property
    def posterior_after_yes(self) -> float:
        """The probability that the truth is yes after one received yes, for a reader who knows the true share."""
        yes_if_yes = self.keep + (1 - self.keep) * self.noise
        yes_if_no = (1 - self.keep) * self.noise
        return self.truth * yes_if_yes / (self.truth * yes_if_yes + (1 - self.truth) * yes_if_no)

    @property
    def equivalent_answers(self) -> float:
        """The number of undisguised answers that would hold as much information, at the true share."""
        sent = self.truth * self.keep + (1 - self.keep) * self.noise
        return self.records * self.truth * (1 - self.truth) * self.keep**2 / (sent * (1 - sent))

    def estimate_from_received(self, share: float) -> float:
        return (share - (1 - self.keep) * self.noise) / self.keep


# --- pictures: whole numbers, so that no language writes them with a comma --------------------------------


@dataclass(frozen=True)
class Square:
    x: int
    y: int
    yes: bool


def record_squares(rehearsal: WorkedExample) -> list[Square]:
    """Returns a hundred of the records as a grid of squares; a fixed seed decides which records are a yes."""
    yes = set(Random(2024).sample(range(100), round(100 * rehearsal.observed)))  # noqa: S311
    return [Square(i % 20 * 15, i // 20 * 15, i in yes) for i in range(100)]


@dataclass(frozen=True)
class AxisTick:
    x: int
    percent: int


@dataclass(frozen=True)
class SharesPicture:
    """Positions of the picture's marks on a line of 300 units, which stands for 0 to 60 per cent."""

    received: int
    estimate: int
    low: int
    high: int
    truth: int
    ticks: tuple[AxisTick, ...]


def shares_picture(rehearsal: WorkedExample) -> SharesPicture:
    def x_position(share: float) -> int:
        return round(share * 500)

    low, high = rehearsal.interval
    return SharesPicture(
        received=x_position(rehearsal.observed),
        estimate=x_position(rehearsal.estimate),
        low=x_position(low),
        high=x_position(high),
        truth=x_position(rehearsal.truth),
        ticks=tuple(AxisTick(x_position(percent / 100), percent) for percent in (0, 20, 40, 60)),
    )
