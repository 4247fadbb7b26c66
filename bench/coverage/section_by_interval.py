"""Names, for each interval in a report, the section of bench/figures/coverage.md that measures its coverage, or why
none does.

The ends of an interval are the fields `low` and `high`, or `x_low` and `x_high`; a test checks that every interval is
listed here.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from mining.nodes.number_nodes import MeanEstimate, NumberDistribution, NumberShare, QuantileStatement
from mining.nodes.place_nodes import OutsideShare
from mining.nodes.regression_nodes import Coefficient
from mining.nodes.report_nodes import Cell, ClassDifference, Estimate, GroupRow, Pair, Rule, WeightedShare
from mining.nodes.study_nodes import (
    ArmDifference,
    Completion,
    Controls,
    Correction,
    HypothesisResult,
    UnderstandingDifference,
    UnderstandingShare,
    WaveDifference,
)

_RULE_SIDES = ("support", "confidence", "converse", "antecedent", "consequent")

MEASURED: Mapping[type[Any], Mapping[str, str]] = {
    Coefficient: {"low": "models"},
    MeanEstimate: {"low": "numbers-means"},
    NumberDistribution: {"low": "bands"},
    NumberShare: {"low": "numbers-falling"},
    QuantileStatement: {"at_least": "numbers"},
    OutsideShare: {"low": "places"},
    Estimate: {"low": "supports", "low_shown": "options", "low_listed": "heads"},
    Rule: {
        **{f"{side}_low": "rules" for side in _RULE_SIDES},
        **{f"{side}_low_listed": "heads" for side in ("confidence", "converse")},
        "support_low": "supports",
        "antecedent_low": "supports",
        "consequent_low": "supports",
        "lift_low": "rules",
        "lift_low_listed": "heads",
    },
    Pair: {"lift_low": "rules"},
    Cell: {"low": "supports", "low_shown": "options"},
    GroupRow: {"low": "groups"},
    ClassDifference: {"low": "sentences"},
    HypothesisResult: {"low": "sentences"},
    WeightedShare: {"low": "weights"},
    ArmDifference: {"low": "differences", "direct_low": "supports", "disguised_low": "supports"},
    Controls: {"low": "supports"},
    Correction: {"low": "supports", "corrected_low": "corrected"},
    UnderstandingDifference: {
        "low": "understanding",
        "understood_low": "understanding",
        "not_low": "understanding",
    },
    WaveDifference: {"low": "differences"},
}
"""Section in bench/figures/coverage.md that measures an interval, by report node and name of the low end."""

NOT_MEASURED: Mapping[type[Any], Mapping[str, str]] = {
    Estimate: {"forged_low": "a bound for any hundredth of forged records, worked out; it is no interval"},
    ArmDifference: {
        "bounds": "bounds for any answers of those who stopped, worked out; they are no interval"
    },
    Completion: {"low": "the ratio of the completion rates of two arms"},
    UnderstandingShare: {
        "low": "a counted share, whose interval of Clopper and Pearson holds by its definition"
    },
}
"""Reason why bench/figures/coverage.md has no section, by report node and name of the interval's low end."""


def intervals_without_section(nodes: Iterable[type[Any]]) -> Iterator[str]:
    """Yields the intervals (their lower-end fields in `nodes`) that are missing in both tables of this module."""
    for node in nodes:
        named = MEASURED.get(node, {}).keys() | NOT_MEASURED.get(node, {}).keys()
        for column in fields(node):
            if "low" in column.name.split("_") and column.name not in named:
                yield f"{node.__name__}.{column.name}"
