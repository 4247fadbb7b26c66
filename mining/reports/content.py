"""What a report says, as numbers and names; the words come with the reader's language.

An answer is written `question=choice`, as in the commands and the exports. Nothing is clipped; None is what cannot
be estimated or is not finite. A published report is this, as JSON.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

FORMAT = "candor-report/1"

Items = tuple[str, ...]


@dataclass(frozen=True)
class About:
    """What was asked of how many, and how it was looked at; `through` numbers the last batch counted.

    There were too many of `stopped_at` answers together to count them; at a smallest support of `fits` there would
    not be.
    """

    run: int
    fingerprint: str
    rehearsal: bool
    through: int
    records: int
    opened: int
    disguised: int
    estimator: str
    engine: str
    exact: bool
    min_support: float
    min_confidence: float
    max_size: int
    absences: bool
    version: str
    rules: int
    stopped_at: int | None = None
    fits: float | None = None

    @property
    def k(self) -> float:
        """The share of open records."""
        return self.opened / self.records if self.records else 0.0


@dataclass(frozen=True)
class Estimate:
    """The support of some answers together among `base` records, `opened` of them open; see `mining.reconstruction`.

    `truth` is the share among all simulated respondents of a rehearsal; `forged_low` and `forged_high` are where 1 %
    of forged records could bring a single answer's; `coherent` is what the support of an itemset would be if all fitted
    together.
    """

    items: Items
    base: int
    opened: int
    observed: float
    support: float | None
    se: float | None
    low: float | None
    high: float | None
    pooled: float | None
    expected_w: float | None
    certain: bool | None = None
    truth: float | None = None
    forged_low: float | None = None
    forged_high: float | None = None
    coherent: float | None = None

    @property
    def is_noise(self) -> bool:
        return outside(self.support)


@dataclass(frozen=True)
class Rule:
    """A -> C, `number` in its run from 1; see `mining.rules`. `certain`: the lower ends of support and confidence
    reach what the run asked for. `truth` is the confidence among a rehearsal's simulated respondents, `again` the
    share of a backtest's populations in which the rule was reported again."""

    number: int
    antecedent: Items
    consequent: Items
    base: int
    antecedent_support: float | None
    consequent_support: float | None
    support: float | None
    support_low: float | None
    support_high: float | None
    confidence: float | None
    confidence_low: float | None
    confidence_high: float | None
    lift: float | None
    lift_low: float | None
    lift_high: float | None
    leverage: float | None
    leverage_low: float | None
    leverage_high: float | None
    conviction: float | None
    zhangs_metric: float | None
    jaccard: float | None
    certainty: float | None
    kulczynski: float | None
    representativity: float | None
    p: float | None
    q: float | None
    redundant: bool
    certain: bool
    truth: float | None = None
    again: float | None = None

    @property
    def items(self) -> Items:
        return (*self.antecedent, *self.consequent)


@dataclass(frozen=True)
class Pair:
    """How much more often than by chance two answers go together."""

    items: Items
    lift: float | None
    lift_low: float | None
    lift_high: float | None

    @property
    def may_be_chance(self) -> bool:
        if self.lift_low is None or self.lift_high is None:
            return True
        return self.lift_low <= 1 <= self.lift_high


@dataclass(frozen=True)
class Compared:
    """One answer in both groups: `p` is Holm's, `smallest` the least difference found four times out of five, if
    tested alone."""

    item: str
    opened: float
    disguised: float
    p: float
    smallest: float


@dataclass(frozen=True)
class Cell:
    """The share of an answer within one class, of which `base` records were asked; None: too few of them."""

    base: int
    share: float | None
    low: float | None
    high: float | None
    truth: float | None = None

    @property
    def is_noise(self) -> bool:
        return outside(self.share)


@dataclass(frozen=True)
class GroupRow:
    """One answer in every class; `p` is Holm's over the table, for its being as frequent in each."""

    item: str
    cells: tuple[Cell, ...]
    everybody: float | None
    p: float | None


@dataclass(frozen=True)
class Groups:
    """A plain question's classes, as answers, and every sensitive answer within each."""

    question: str
    classes: Items
    rows: tuple[GroupRow, ...]


@dataclass(frozen=True)
class LeftOut:
    """How many rules of the run were not published, by what their last decision says."""

    rejected: int = 0
    more_data: int = 0
    undecided: int = 0


@dataclass(frozen=True)
class Content:
    """A report. Of a whole run `itemsets` and `rules` are not listed here, since there may be very many."""

    about: About
    shares: tuple[Estimate, ...]
    compared: tuple[Compared, ...]
    groups: tuple[Groups, ...]
    itemsets: tuple[Estimate, ...]
    pairs: tuple[Pair, ...]
    rules: tuple[Rule, ...] = ()
    left_out: LeftOut | None = None

    @property
    def knows_truth(self) -> bool:
        return any(share.truth is not None for share in self.shares)


def outside(share: float | None) -> bool:
    """Whether a share is what no share can be, at the tenth of a per cent that pages show: noise."""
    return share is not None and not 0 <= round(share, 3) <= 1


def as_json(content: Content) -> dict[str, Any]:
    return {"format": FORMAT, **asdict(content)}


def without_rules(data: Mapping[str, Any]) -> dict[str, Any]:
    """What most pages need, however many rules there are."""
    return {**data, "rules": []}


def from_json(data: Mapping[str, Any]) -> Content:
    if data.get("format") != FORMAT:
        raise ValueError(f"not a {FORMAT}")
    left_out = data.get("left_out")
    return Content(
        about=About(**data["about"]),
        shares=rows(Estimate, data["shares"]),
        compared=rows(Compared, data["compared"]),
        groups=tuple(map(_groups, data["groups"])),
        itemsets=rows(Estimate, data["itemsets"]),
        pairs=rows(Pair, data["pairs"]),
        rules=rows(Rule, data["rules"]),
        left_out=LeftOut(**left_out) if left_out else None,
    )


R = TypeVar("R", Estimate, Rule, Pair, Compared)


def rows(kind: type[R], data: Iterable[Mapping[str, Any]]) -> tuple[R, ...]:
    def values(row: Mapping[str, Any]) -> dict[str, Any]:
        return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}

    return tuple(kind(**values(row)) for row in data)


def _groups(data: Mapping[str, Any]) -> Groups:
    found = (
        GroupRow(**{**row, "cells": tuple(Cell(**cell) for cell in row["cells"])}) for row in data["rows"]
    )
    return Groups(data["question"], tuple(data["classes"]), tuple(found))
