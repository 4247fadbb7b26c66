"""Report nodes of a sensitive number: estimates for everybody and by class of plain questions.

Estimates by class join a plain and a sensitive answer, so they are of the disguised records alone. A run stores these
nodes and a publication holds them, so the names of their fields are the names of its format.
"""

from dataclasses import dataclass

from privacy.kinds.number.number_question import at_least_name, below_name, between_name

Floats = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """The mean in the number's unit, its standard error and its 95 % interval inside the ends of the range."""

    value: float
    se: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class QuantileStatement:
    """The q-quantile is `at_least` one limit and `below` another; None where nothing is said of this end."""

    q: float
    at_least: int | None
    below: int | None


@dataclass(frozen=True, slots=True)
class NumberShare:
    """The share of a range of the number, at least `at_least` and below `below`, among `n_asked` records with a class.
    A limit that is None is no limit. Other fields are None: too few records, or withheld by a publication."""

    at_least: int | None
    below: int | None
    n_asked: int | None
    share: float | None
    se: float | None
    low: float | None
    high: float | None

    @property
    def item(self) -> str:
        """Name of the item, such as a class of the number."""
        if self.at_least is None:
            return below_name(self.below or 0)
        return at_least_name(self.at_least) if self.below is None else between_name(self.at_least, self.below)


@dataclass(frozen=True, slots=True)
class NumberDistribution:
    """Shares of cells of `width` neighbouring values each; the last cell may have fewer.

    `received` and `illustration` are sums over the cell, None by class. `blurred` and its 95 % band `low` to `high` are
    those of its middle value times the number of its values; of too few records there is no band. `modes` is the M of
    the Fejer kernel.
    """

    width: int
    blurred: Floats
    low: Floats | None
    high: Floats | None
    modes: int
    received: Floats | None = None
    illustration: Floats | None = None


@dataclass(frozen=True, slots=True)
class NumberEstimates:
    """Mean, shares, quantiles or distribution of a number, estimated from `n_asked` records, `n_open` of them open.
    `shares` above the limits, and of the `classes`. None or empty: not promised by the law, too few records, or
    withheld by a publication. `disguised_only`: among those who chose disguise."""

    n_asked: int | None
    n_open: int | None
    mean: MeanEstimate | None = None
    quantiles: tuple[QuantileStatement, ...] = ()
    shares: tuple[NumberShare, ...] = ()
    classes: tuple[NumberShare, ...] = ()
    distribution: NumberDistribution | None = None
    disguised_only: bool = False

    @property
    def is_known(self) -> bool:
        """True if anything is estimated."""
        return bool(self.mean or self.distribution or any(one.share is not None for one in self.shares))

    @property
    def withheld(self) -> "NumberEstimates":
        """The estimates with all numbers removed."""
        return NumberEstimates(None, None, disguised_only=self.disguised_only)


@dataclass(frozen=True, slots=True)
class NumberClasses:
    """The estimates in each class, a choice of a plain `question`, by code; of the disguised records alone."""

    question: str
    classes: tuple[NumberEstimates, ...]


@dataclass(frozen=True, slots=True)
class NumberTruth:
    """True values from simulated respondents: the mean; for a window the shares and the blurred distribution. The
    distribution has the cells of the estimated one and is blurred alike. None: there is no estimate to compare with."""

    mean: float | None = None
    distribution: Floats | None = None
    blurred: Floats | None = None


@dataclass(frozen=True, slots=True)
class NumberNode:
    """All that a report says of the number `question`; `truth` only in reports of rehearsals."""

    question: str
    law: str
    all_records: NumberEstimates
    groups: tuple[NumberClasses, ...] = ()
    truth: NumberTruth | None = None
