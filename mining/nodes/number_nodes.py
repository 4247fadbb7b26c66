"""Report nodes of a sensitive number: estimates for everybody and by class of plain questions.

Estimates by class join a plain and a sensitive answer, so they are of the disguised records alone. A run stores these
nodes and a publication holds them, so the names of their fields are the names of its format.
"""

from dataclasses import dataclass

from privacy.kinds.number.number_question import at_least_and_below_name, at_least_name, below_name

Floats = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """The mean in the number's unit, its standard error and its 95 % interval inside the ends of the range."""

    value: float
    se: float
    low: float
    high: float

    @property
    def is_noise(self) -> bool:
        """True if random error carried the estimate past an end of the range, so that it lies in no interval."""
        return not (self.low < self.high and self.low <= self.value <= self.high)


@dataclass(frozen=True, slots=True)
class QuantileStatement:
    """Statement, with 95 % confidence, that the q-quantile is at least `at_least` and below `below`; None: no limit."""

    q: float
    at_least: int | None
    below: int | None


@dataclass(frozen=True, slots=True)
class NumberShare:
    """The estimated share of people whose number is at least `at_least` and below `below`; None is no limit.

    The share is among the `n_asked` records that have a class. Its other fields are None where there are too few
    records, or where a publication withholds them.
    """

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
        return (
            at_least_name(self.at_least)
            if self.below is None
            else at_least_and_below_name(self.at_least, self.below)
        )


@dataclass(frozen=True, slots=True)
class NumberDistribution:
    """Estimated distribution of a number, in cells of `width` neighbouring values each; the last may have fewer.

    `received` and `illustration` are sums over a cell, None by class. `blurred`, with its 95 % band from `low` to
    `high`, is the share of a cell's middle value times the number of its values; with too few records there is no
    band. `modes` is the M of the Fejer kernel that blurs.
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

    `shares` are those above the limits, then those of the `classes`. Fields are None or empty where this kind of number
    has none, records are too few, or a publication withholds them. `disguised_only`: the estimates are of people who
    chose disguise.
    """

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
    def parts(self) -> "tuple[MeanEstimate | QuantileStatement | NumberShare, ...]":
        """The mean, the quantiles and the shares above limits, each of which a report states by itself."""
        return (*((self.mean,) if self.mean else ()), *self.quantiles, *self.shares)

    @property
    def without_numbers(self) -> "NumberEstimates":
        """The estimates without any numbers, as they are published if withheld."""
        return NumberEstimates(None, None, disguised_only=self.disguised_only)


@dataclass(frozen=True, slots=True)
class NumberClasses:
    """The estimates of a number in each class (answer) of a plain `question`, in the order of its codes, from the
    disguised records alone."""

    question: str
    classes: tuple[NumberEstimates, ...]


@dataclass(frozen=True, slots=True)
class NumberTruth:
    """True values of a number among a rehearsal's simulated respondents.

    `mean` is the true mean. A window number has instead `distribution`, the true shares in the cells of the estimated
    one, and `blurred`, the same blurred like the estimate. None: there is no estimate to compare with.
    """

    mean: float | None = None
    distribution: Floats | None = None
    blurred: Floats | None = None


@dataclass(frozen=True, slots=True)
class NumberNode:
    """All results of a report about the sensitive number `question`; `truth` only in reports of rehearsals."""

    question: str
    law: str
    all_records: NumberEstimates
    groups: tuple[NumberClasses, ...] = ()
    truth: NumberTruth | None = None
