"""Control items: yes/no questions whose share of *yes* is known among people who read them."""

from collections.abc import Mapping
from typing import Any

from privacy.grammar.node import PARTS, decimal
from privacy.grammar.reading import LEAST_KNOWN_GAP
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.by_guarantee import admissible_keep
from privacy.guarantee.error import SectionParameters, Supposed, itemset_error_curve
from privacy.kinds.grouped.law import SectionLaw
from surveys.questionnaire.normal_values import parts_or_ends

KNOWN = "known"
KNOWN_OF_NEW = "0.0000"
"""Such as: I was born on the moon."""
SHARE = 0.1
"""The share of another question whose error is compared."""


def read_known(data: Mapping[str, Any], form: str) -> str:
    """The known share of a control item; empty of another question, and of one whose share a design refuses."""
    parts = parts_or_ends(data.get(KNOWN)) if form == "yes-no" else None
    return decimal(parts) if parts is not None and is_fitting(parts) else ""


def is_fitting(parts: int) -> bool:
    return 0 <= parts <= PARTS and abs(parts - PARTS // 2) >= LEAST_KNOWN_GAP


def error_factor(law: SectionLaw, row: int) -> float | None:
    """How many times the errors of the other questions are larger with the question in this row, at the same gamma.

    None where it is the only question.
    """
    others = law.noise[:row] + law.noise[row + 1 :]
    if not others:
        return None
    asked = min(law.asked, len(others)) if law.asked < len(law.noise) else len(others)
    keep = admissible_keep(others, asked, GammaLimit(law.gamma, strict=False))
    other = 0 if row else 1
    before = _error(SectionLaw(keep, others, asked), 0) if keep else None
    return _error(law, other) / before if before else None


def _error(law: SectionLaw, row: int) -> float:
    curve = itemset_error_curve([(SectionParameters.of(law, _yes(law)), [row])], Supposed((SHARE,)))
    assert curve is not None
    return curve.at(1).se


def _yes(law: SectionLaw) -> list[int]:
    return [1] * len(law.noise)
