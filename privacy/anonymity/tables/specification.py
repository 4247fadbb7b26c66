"""The specification of an anonymised table, `candor-release/1`: roles of columns, criteria, method."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from privacy.anonymity.tables.hierarchies import Branch, DateOrder, Level
from privacy.anonymity.tables.range_rounding import DateTails, GridEnds
from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.grammar.json_node import PARTS
from privacy.records.csv_dialect_detection import Layout

FORMAT = "candor-release/1"
MOST_COLUMNS = 60
MOST_SECONDS = 600
MOST_TRIES = 10**9
HALF = PARTS // 2
LEVELS = 5
"""Number of levels of an expert's weights; the highest is a weight of 1."""


class QuasiKind(StrEnum):
    """The kinds of quasi-identifiers: numbers, dates, ordered choices and categories."""

    NUMBER = "number"
    DATE = "date"
    ORDERED = "ordered"
    CATEGORY = "category"


class ProposedHierarchy(StrEnum):
    """Hierarchies that are derived from the values of a column."""

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
"""Derived hierarchies that each kind of quasi-identifier may name; the first is the default."""


@dataclass(frozen=True, slots=True)
class QuasiIdentifier:
    """A quasi-identifier of a specification: a column whose values an attacker may know.

    `order`: the values of ordered choices. `branches`: a given hierarchy. `empty`: an empty cell is a value.
    `missing`: cells of a number, a date or an ordered choice that mean that it is not known, which is a value
    of its own. For a date, `dates`: order of its parts in a cell; `level`: the precision with which it is
    read; `tails`: where ranges are open, None: nowhere. For a number, `ends`: grid to which the ends of
    classes are rounded outwards, None: they are values of the table.
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
    """A sensitive column of a specification, whose values nobody may learn.

    `order`: its values in order, for t-closeness of ordered values. `empty`: an empty cell counts as a value.
    """

    name: str
    order: tuple[str, ...] = ()
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Disguised:
    """A column to randomise before publication, amplification at most `gamma` (disguised_columns.py).

    `values`: all possible values, whether or not they occur.
    """

    name: str
    gamma: Decimal
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """How the records were sampled from a population: share `fraction`, or column of each record's weight."""

    fraction: Decimal | None = None
    weight: str | None = None


class DiversityKind(StrEnum):
    """The kinds of l-diversity."""

    DISTINCT = "distinct"
    ENTROPY = "entropy"
    RECURSIVE = "recursive"


@dataclass(frozen=True, slots=True)
class Diversity:
    """The required l-diversity: l is `least`.

    `c`: factor of the recursive kind, in ten-thousandths. `joint`: the multi-attribute form.
    """

    kind: DiversityKind
    least: int
    c: int = 0
    joint: bool = False


@dataclass(frozen=True, slots=True)
class Criteria:
    """The criteria that every class must keep; None: not requested.

    `k`: number of records. `closeness`, `max_frequency`, `breach` (rho1, rho2): shares in ten-thousandths.
    """

    k: int
    diversity: Diversity | None = None
    closeness: int | None = None
    max_frequency: int | None = HALF
    breach: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Specification:
    """The specification of an anonymised table: roles of its columns, criteria, method and limits.

    `weights` of the utility matrix: "unit", "data", or an expert's, by sensitive value and quasi-identifier. In
    ten-thousandths: `suppression`, the largest share of records that a method may leave out; `falsification`, the
    largest share whose sensitive value it may change; `cell_suppression`, the largest share of the cells of
    quasi-identifiers that *tree* may suppress. `layout`: the layout of the file, if specified. `tries`: number of tries
    of the search; None: as many as fit into `seconds` of processor time.
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
        """Names of the published columns, in the order of the file."""
        groups = (self.quasi_identifiers, self.sensitive, self.disguised)
        return (*(column.name for group in groups for column in group), *self.other)

    @property
    def columns_to_read(self) -> tuple[str, ...]:
        """Names of the columns to read: the published columns, then the column of weights."""
        weight = self.sample.weight if self.sample else None
        return self.columns if weight is None else (*self.columns, weight)


def refuse_unreachable_criteria(
    specification: Specification, records: int, values: Mapping[str, int], where: str
) -> None:
    """Raises InputError for criteria that no partition of `records` records can keep.

    `values`: number of values by sensitive column. The messages contain none of these numbers, since they would tell
    how many people answered.
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
