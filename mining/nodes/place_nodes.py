"""Report nodes of a sensitive place beyond the shares of its regions.

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
    """Shares by cell of a place `question`, among `n_asked` records, all of them disguised.

    `received` and `illustration` are by cell: the share of records received, and the likeliest density, which no
    interval covers. `outside` are the estimates of the cells outside the regions, in their order; people there
    send the cell undisguised, as a plain answer. None: the cell is withheld or has too few records. Empty:
    nothing is published. `disguised_only`: others could choose no disguise.
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
