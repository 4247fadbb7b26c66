"""The kind `number` for mining: its report node and its JSON of estimates, for both laws."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mining.finite_numbers_for_json import round_or_none
from mining.json_codec import node_to_json
from mining.kinds.counted_kind import ByClass, shares_to_json
from mining.kinds.number.report_node_from_counts import estimate_number
from mining.kinds.number.window_distribution import estimate_window
from mining.nodes.number_nodes import NumberClasses, NumberEstimates, NumberNode, QuantileStatement
from mining.queries_and_counters import Counts
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.window.section import WindowSection

CURVES = ("received", "blurred", "low", "high", "illustration")


def make_node(
    section: WindowSection | ClassesSection, counts: Counts, by_class: ByClass, open_answers: bool
) -> NumberNode:
    def estimates(counts: Counts, *, of_class: bool = False) -> NumberEstimates:
        node = estimate_number(section, counts, of_class=of_class)
        return replace(node, disguised_only=open_answers and not node.n_open)

    groups = tuple(
        NumberClasses(name, tuple(estimates(row, of_class=True) for row in rows)) for name, rows in by_class
    )
    question = section.question
    return NumberNode(question.name, question.law, estimates(counts), groups)


def classes_to_json(section: ClassesSection, counts: Counts, quantiles: Sequence[float]) -> dict[str, Any]:
    number = estimate_number(section, counts, quantiles)
    stated = number.quantiles or [QuantileStatement(q, None, None) for q in quantiles]
    both = (*number.shares, *number.classes[1:-1])
    named = [(share.item, share.share, share.low, share.high) for share in both]
    return {
        "base": number.n_asked,
        "shares": shares_to_json(section.question.name, named),
        "mean": node_to_json(number.mean) if number.mean else None,
        "quantiles": [*map(node_to_json, stated)],
    }


def window_to_json(section: WindowSection, counts: Counts, _quantiles: Sequence[float]) -> dict[str, Any]:
    """Converts the estimates of a `window` number to JSON, value by value; there are no bands of few records."""
    estimate = estimate_window(section.law, counts)
    return {
        "base": int(counts.sum()),
        "distribution": None
        if estimate is None
        else [
            {"value": section.question.number(code), **dict(zip(CURVES, row, strict=True))}
            for code, row in enumerate(
                zip(*(round_or_none(getattr(estimate, name)) for name in CURVES), strict=True)
            )
        ],
        "modes": None if estimate is None else estimate.modes,
    }
