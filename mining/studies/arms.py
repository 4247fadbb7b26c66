"""Compares the direct arm with the disguised one (docs/mathematics.md, Arms).

Arrays are group by row: group 0 is the direct arm, group 1 the disguised one, a row per answer. All counts of an answer
are among E(S). That more is truer is an assumption that no number here can test.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.counts import Counter, Item
from mining.finite_numbers import finite
from mining.inference.contingency_table import Floats
from mining.inference.differences import Differences, compare, smallest_found
from mining.inference.intervals import Interval
from mining.reconstruction.shares import sensitive_answers
from mining.studies.answer_counts import AnswerCounts, control_items, read_study, rows
from mining.studies.answer_scores import AnswerLaw, enough_of_both, group_sides
from mining.studies.dropout import ArmDropout, arm_dropout
from privacy.designs import Design, Refusal
from privacy.grammar.node import PARTS
from privacy.grammar.refusal import marked as _


def compare_arms(records: NDArray[Any], having: NDArray[Any], law: AnswerLaw) -> Differences:
    """Disguised less direct."""
    return compare(*group_sides(records, having, law), enough_of_both(records))


def smallest_of_arms(
    records: NDArray[Any], having: NDArray[Any], law: AnswerLaw, of: Differences
) -> tuple[Floats, Floats]:
    """The smallest differences, more and fewer, that would have been found with 80 % power."""
    return smallest_found(*group_sides(records, having, law), of.first)


def bounds_if_left(direct: Floats, disguised: Floats, completion: Floats) -> Interval:
    """The least and the largest difference, whatever those would have answered who left because of their arm.

    `completion` is q, the direct arm's completion rate over the disguised arm's. It holds where nobody leaves only
    because of the arm that loses fewer. The bounds hold the sampling error of neither arm.
    """
    direct, disguised = np.clip(direct, 0.0, 1.0), np.clip(disguised, 0.0, 1.0)
    lost = 1 - np.minimum(completion, 1 / completion)
    fewer_direct = completion < 1
    larger = np.where(fewer_direct, disguised, direct)
    least = np.maximum(0.0, (larger - lost) / (1 - lost))
    most = np.minimum(1.0, larger / (1 - lost))
    low = np.where(fewer_direct, least - direct, disguised - most)
    return low, np.where(fewer_direct, most - direct, disguised - least)


@dataclass(frozen=True)
class ArmsFound:
    """`n`: direct and disguised records; `smallest`: the differences, more and fewer, that would have been found;
    `bounds`: of each difference, if people left because of their arm.

    `controls` are all control items, plain ones too: no difference is expected of them.
    """

    design: Design
    n: tuple[int, int]
    left: ArmDropout
    items: tuple[Item, ...]
    differences: Differences
    smallest: tuple[Floats, Floats]
    bounds: Interval
    controls: tuple[Item, ...]
    control_differences: Differences

    def as_json(self) -> dict[str, Any]:
        left = {name: finite(getattr(self.left, name)) for name in ("completion", "low", "high", "p")}
        items = [
            entry | {"bounds": [finite(low), finite(high)]}
            for entry, low, high in zip(
                rows(self.design, self.items, self._columns()),
                *self.bounds,
                strict=True,
            )
        ]
        found = {
            "direct": self.n[0],
            "disguised": self.n[1],
            "share": self.design.direct_parts / PARTS,
            "left": left,
            "items": items,
        }
        if self.controls:
            columns = arm_columns(self.control_differences)
            found["controls"] = list(rows(self.design, self.controls, columns))
        return found

    def _columns(self) -> dict[str, Floats]:
        more, fewer = self.smallest
        of = self.differences
        return arm_columns(of) | {"holm": of.holm, "smallest_more": more, "smallest_fewer": fewer}


NUMBERS = ("direct", "disguised", "difference", "low", "high", "p")


def arm_columns(of: Differences) -> dict[str, Floats]:
    return dict(zip(NUMBERS, (of.first, of.second, of.difference, of.low, of.high, of.p), strict=True))


def arms_found(counter: Counter) -> ArmsFound:
    """`counter` counts both arms. What too few records would tell is NaN."""
    design = counter.design
    if not design.has_arms:
        raise Refusal("direct", _("the design has no direct arm, so there is nothing to compare"))
    items = [item for item in sensitive_answers(counter) if not design.questions[item[0]].scored]
    controls = control_items(design)
    counts = AnswerCounts.of(counter, items)
    differences = compare_arms(counts.records, counts.having, counts.law)
    smallest = smallest_of_arms(counts.records, counts.having, counts.law, differences)
    direct, disguised = counter.n
    left = arm_dropout(np.array(direct), np.array(disguised), design.direct_parts / PARTS)
    with np.errstate(divide="ignore", invalid="ignore"):
        bounds = bounds_if_left(differences.first, differences.second, left.completion)
    of_controls = differences_of(counter, controls)
    return ArmsFound(
        design, counter.n, left, tuple(items), differences, smallest, bounds, tuple(controls), of_controls
    )


def differences_of(counter: Counter, items: Sequence[Item]) -> Differences:
    """Both arms compared in these answers; Holm is over them alone."""
    of = AnswerCounts.of(counter, items)
    return compare_arms(of.records, of.having, of.law)


def arms_file(design_file: Path, records_file: Path, cache: Path) -> dict[str, Any]:
    """`cache` is the folder of the compiled counting loop."""
    return arms_found(read_study(design_file, records_file).counter(cache)).as_json()
