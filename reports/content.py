"""The content of a report: its nodes, and its JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mining.document.codec import OPTIONAL, dump, load
from mining.document.numbers import NumberNode
from mining.document.places import PlaceNode
from mining.document.report import (
    About,
    Estimate,
    GroupComparison,
    Groups,
    LeftOut,
    Pair,
    ReportedRule,
)
from mining.document.study import NO_STUDY, Study
from mining.document.weighted import Weighted

FORMAT = "candor-report/1"


@dataclass(frozen=True)
class Content:
    """A report. For a reviewer `itemsets` and `rules` are empty here, since there may be very many.

    `withheld_rules` and `withheld_itemsets` are the places in the run of what was accepted but is not published, since
    it could reveal fewer than ten people. `numbers` and `places` are the sensitive ones in the order of the
    design, `study` says of its arms, control items and plan, `weighted` are the weighted shares; only a report that has
    any says so in its JSON.
    """

    about: About
    shares: tuple[Estimate, ...]
    compared: tuple[GroupComparison, ...]
    groups: tuple[Groups, ...]
    itemsets: tuple[Estimate, ...]
    pairs: tuple[Pair, ...]
    rules: tuple[ReportedRule, ...] = ()
    left_out: LeftOut | None = None
    withheld_rules: tuple[int, ...] = ()
    withheld_itemsets: tuple[int, ...] = ()
    numbers: tuple[NumberNode, ...] = field(default=(), metadata=OPTIONAL)
    places: tuple[PlaceNode, ...] = field(default=(), metadata=OPTIONAL)
    study: Study = field(default=NO_STUDY, metadata=OPTIONAL)
    weighted: Weighted | None = field(default=None, metadata=OPTIONAL)

    @property
    def knows_truth(self) -> bool:
        return any(share.truth is not None for share in self.shares)


def as_json(content: Content) -> dict[str, Any]:
    return {"format": FORMAT, **dump(content)}


def without_rules(data: Mapping[str, Any]) -> dict[str, Any]:
    """The content that most pages need."""
    return {**data, "rules": []}


def from_json(data: Mapping[str, Any]) -> Content:
    if data.get("format") != FORMAT:
        raise ValueError(f"not a {FORMAT}")
    return load(Content, data)
