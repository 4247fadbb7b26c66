"""The direct arm beside the disguised one: every sensitive answer, and who left (docs/mathematics.md, Arms)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mining.counts import Counter, Item
from mining.finite_numbers import finite
from mining.inference.intervals import Interval
from mining.reconstruction.shares import sensitive_answers
from mining.studies.answer_scores import answer_moments
from mining.studies.arms import ArmDifferences, bounds_if_left, compare_arms
from mining.studies.dropout import ArmDropout, arm_dropout
from mining.study_results.answers import AnswerCounts, control_items, read_study, rows
from privacy.designs import Design, Refusal
from privacy.grammar.node import PARTS
from privacy.grammar.refusal import marked as _


@dataclass(frozen=True)
class ArmsFound:
    """`n`: direct and disguised records; `bounds`: of each difference, if people left because of their arm.

    `controls` are all control items, plain ones too: no difference is expected of them.
    """

    design: Design
    n: tuple[int, int]
    left: ArmDropout
    items: tuple[Item, ...]
    differences: ArmDifferences
    bounds: Interval
    controls: tuple[Item, ...]
    control_differences: ArmDifferences

    def as_json(self) -> dict[str, Any]:
        left = {name: finite(getattr(self.left, name)) for name in ("completion", "low", "high", "p")}
        items = [
            entry | {"bounds": [finite(low), finite(high)]}
            for entry, low, high in zip(
                rows(self.design, self.items, _columns(self.differences, ITEM_NUMBERS)),
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
            columns = _columns(self.control_differences, CONTROL_NUMBERS)
            found["controls"] = list(rows(self.design, self.controls, columns))
        return found


CONTROL_NUMBERS = ("direct", "disguised", "difference", "low", "high", "p")
ITEM_NUMBERS = (*CONTROL_NUMBERS, "holm", "smallest")


def _columns(of: ArmDifferences, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(of, name) for name in names}


def arms_found(counter: Counter) -> ArmsFound:
    """`counter` counts both arms. What too few records would tell is NaN."""
    design = counter.design
    if not design.has_arms:
        raise Refusal("direct", _("the design has no direct arm, so there is nothing to compare"))
    items, controls = sensitive_answers(counter), control_items(design)
    differences = differences_of(counter, items)
    direct, disguised = counter.n
    left = arm_dropout(np.array(direct), np.array(disguised), design.direct_parts / PARTS)
    with np.errstate(divide="ignore", invalid="ignore"):
        bounds = bounds_if_left(differences.direct, differences.disguised, left.completion)
    of_controls = differences_of(counter, controls)
    return ArmsFound(design, counter.n, left, tuple(items), differences, bounds, tuple(controls), of_controls)


def differences_of(counter: Counter, items: Sequence[Item]) -> ArmDifferences:
    """Both arms compared in these answers; Holm is over them alone."""
    of = AnswerCounts.of(counter, items)
    with np.errstate(divide="ignore", invalid="ignore"):
        return compare_arms(answer_moments(of.records, of.having, of.law))


def arms_file(design_file: Path, records_file: Path, cache: Path) -> dict[str, Any]:
    """`cache` is the folder of the compiled counting loop."""
    return arms_found(read_study(design_file, records_file).counter(cache)).as_json()
