"""The specification of an anonymised table, `candor-release/1`: roles of columns, criteria, method."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from privacy.anonymity.tables.grid import DateTails, GridEnds
from privacy.anonymity.tables.hierarchies import Branch, DateOrder, Level
from privacy.grammar.input_error import InputError, marked as _
from privacy.grammar.node import PARTS
from privacy.records.layouts import Layout

FORMAT = "candor-release/1"
MOST_COLUMNS = 60
MOST_SECONDS = 600
MOST_TRIES = 10**9
HALF = PARTS // 2
LEVELS = 5
"""The levels of an expert's weights; the highest is a weight of 1."""


class QuasiKind(StrEnum):
    NUMBER = "number"
    DATE = "date"
    ORDERED = "ordered"
    CATEGORY = "category"


class ProposedHierarchy(StrEnum):
    """Hierarchies that need not be written down."""

    FLAT = "flat"
    PREFIXES = "prefixes"
    RUNS = "runs"
    INTERVALS = "intervals"
    CALENDAR = "calendar"


PROPOSED: Mapping[QuasiKind, tuple[ProposedHierarchy, ...]] = {
    QuasiKind.NUMBER: (ProposedHierarchy.INTERVALS,),
    QuasiKind.DATE: (ProposedHierarchy.CALENDAR,),
    QuasiKind.ORDERED: (ProposedHierarchy.RUNS,),
    QuasiKind.CATEGORY: (ProposedHierarchy.FLAT, ProposedHierarchy.PREFIXES),
}
"""The hierarchies that a kind of quasi-identifier may name, the first unless said otherwise."""


@dataclass(frozen=True, slots=True)
class QuasiIdentifier:
    """`order`: the values of ordered choices; `branches`: a given hierarchy; `empty`: an empty cell is a value.

    `missing`: cells of a number, a date or an ordered choice that say that it is not known, which is a value of its
    own. Of a date, `dates`: the order of its parts in a cell; `level`: what it is read as. Of a number, `ends`: the
    grid to which the ends of classes are rounded outwards; None: they are values of the table. Of a date, `tails`:
    where they are open; None: nowhere.
    """

    name: str
    role: QuasiKind
    order: tuple[str, ...] = ()
    branches: tuple[Branch, ...] = ()
    proposal: ProposedHierarchy = ProposedHierarchy.FLAT
    empty: bool = False
    missing: tuple[str, ...] = ()
    dates: DateOrder = DateOrder.YMD
    level: Level = Level.DAY
    ends: GridEnds | None = None
    tails: DateTails | None = None


@dataclass(frozen=True, slots=True)
class Sensitive:
    """`order` where the order of the values means something: t-closeness is then that of ordered values.

    `empty`: an empty cell is a value, and counts as one.
    """

    name: str
    order: tuple[str, ...] = ()
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Disguised:
    """A column that is published disguised, at most `gamma` amplifying (privacy/anonymity/disguised_columns.py).

    `values`: all that it can have, whether or not they occur.
    """

    name: str
    gamma: Decimal
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """Of which population the records are a sample: its `fraction`, or the column with the weight of each record."""

    fraction: Decimal | None = None
    weight: str | None = None


class DiversityKind(StrEnum):
    DISTINCT = "distinct"
    ENTROPY = "entropy"
    RECURSIVE = "recursive"


@dataclass(frozen=True, slots=True)
class Diversity:
    """l-diversity; `c` of the recursive one in ten-thousandths; `joint`: the multi-attribute form."""

    kind: DiversityKind
    least: int
    c: int = 0
    joint: bool = False


@dataclass(frozen=True, slots=True)
class Criteria:
    """What every class must keep. Shares in ten-thousandths; None: not asked for."""

    k: int
    diversity: Diversity | None = None
    closeness: int | None = None
    max_frequency: int | None = HALF
    breach: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Specification:
    """`weights`: unit, data, or an expert's, by sensitive value and quasi-identifier.

    `suppression`: the largest share of records that a method may leave out; `falsification`: the largest share whose
    sensitive value it may change; `cell_suppression`: the largest share of the cells of quasi-identifiers that *tree*
    may suppress; all in ten-thousandths. `layout`: that of the file; None: not said. `tries`: of the
    search; None: as many as fit into `seconds` of processor time.
    """

    quasi_identifiers: tuple[QuasiIdentifier, ...]
    sensitive: tuple[Sensitive, ...]
    criteria: Criteria
    identifiers: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    suppression: int = 0
    falsification: int = 0
    weights: str | Mapping[str, Mapping[str, int]] = "unit"
    method: str = "tree"
    seed: int = 0
    seconds: float = 1.0
    layout: Layout | None = None
    tries: int | None = None
    disguised: tuple[Disguised, ...] = ()
    sample: Sample | None = None
    cell_suppression: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read, in the order in which they are published."""
        groups = (self.quasi_identifiers, self.sensitive, self.disguised)
        return (*(column.name for group in groups for column in group), *self.other)

    @property
    def columns_read(self) -> tuple[str, ...]:
        """Those, and the one of the weights, which is not published."""
        weight = self.sample.weight if self.sample else None
        return self.columns if weight is None else (*self.columns, weight)


def refuse_sizes(specification: Specification, records: int, values: Mapping[str, int], where: str) -> None:
    """Refuse what no partition of this number of records and sensitive values can keep.

    The words tell neither number: of a survey they would count people.
    """
    k, diversity = specification.criteria.k, specification.criteria.diversity
    if records < 2:
        raise InputError(where, _("at least two records"))
    if k > records:
        raise InputError(where, _("k is %(k)s, and there are fewer records"), k=k)
    for name, count in values.items() if diversity else ():
        if diversity and diversity.least > count:
            raise InputError(
                f"{where}: {name}",
                _("l is %(least)s, and there are fewer values"),
                least=diversity.least,
            )
