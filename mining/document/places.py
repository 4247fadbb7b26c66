"""What a report says of a sensitive place beyond the shares of its regions.

The shares of regions, and of *elsewhere*, are single answers of the report, by class its tables by group. A run stores
this node and a publication holds it, so the names of its fields are the names of its format.
"""

from dataclasses import dataclass

Values = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class OutsideShare:
    """The estimated share of a cell outside all regions, and its 95 % interval."""

    share: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class PlaceNode:
    """A place `question` by name, among `n_asked` records, all of them disguised: somebody outside the regions sends
    the cell as it is, as a plain answer.

    By cell the share of records `received`, and the likeliest density as an `illustration`, which no interval covers;
    by cell outside, in their order, its estimate. None: this cell is withheld, or of too few records. Empty: nothing
    is said. `disguised_only`: others could choose no disguise.
    """

    question: str
    n_asked: int | None
    received: Values = ()
    illustration: Values = ()
    outside: tuple[OutsideShare | None, ...] = ()
    disguised_only: bool = False

    @property
    def is_known(self) -> bool:
        return bool(self.received)
