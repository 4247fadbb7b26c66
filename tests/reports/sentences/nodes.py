"""Nodes of a report made by hand, of the survey of `tests.reports.made`."""

from dataclasses import replace
from typing import Any

from mining.report.report_nodes import About, Estimate, Report, Rule
from mining.report.study_nodes import ArmDifference
from reports.answer_labels import Labels
from tests.reports import made

DASH = "\u2060–\u2060"
SPACE = "\u00a0"

OLD, THEFT, LATE = ("age=40+",), ("theft=yes",), ("late=yes",)
DESIGN = made.design()


def arms(*numbers: Any, low: float = 0.35, high: float = 0.41) -> ArmDifference:
    """`low` and `high`: of the share of those asked directly."""
    one = ArmDifference("theft=yes", *numbers)
    return replace(one, n_direct=1200, direct_low=low, direct_high=high, n_disguised=3600)


def labels_in(language: str = "en") -> Labels:
    return Labels(DESIGN, language)


def rule(**members: Any) -> Rule:
    """Of people of 40 and older 54 % (49 to 59) took something home, of all 38 % (35 to 41): 1.42 times (1.31 to 1.55).

    All ends are those of its place. Of those who took something home 77 % (70 to 83) are of that age, of all 54 %.
    """
    values: dict[str, Any] = {
        "number": 1,
        "antecedent": OLD,
        "consequent": THEFT,
        "n_asked": 4002,
        "n_shown_all": 4002,
        "antecedent_support": 0.54,
        "antecedent_low": 0.52,
        "antecedent_high": 0.56,
        "consequent_support": 0.38,
        "consequent_low": 0.35,
        "consequent_high": 0.41,
        "support": 0.29,
        "support_low": 0.26,
        "support_high": 0.32,
        "confidence": 0.54,
        "confidence_low": 0.5,
        "confidence_high": 0.58,
        "confidence_low_listed": 0.49,
        "confidence_high_listed": 0.59,
        "converse": 0.77,
        "converse_low_listed": 0.7,
        "converse_high_listed": 0.83,
        "lift": 1.42,
        "lift_low": 1.35,
        "lift_high": 1.5,
        "lift_low_listed": 1.31,
        "lift_high_listed": 1.55,
        "p": 1e-9,
        "q": 1e-8,
        "association": 1,
        "both": True,
        "said": "both",
    }
    return Rule(**values | members)


def weak(**members: Any) -> Rule:
    """People of 40 and older: 40 % (30 to 50) of 38 %, 1.05 times (.78 to 1.33): no association is shown."""
    values: dict[str, Any] = {
        "confidence": 0.4,
        "confidence_low_listed": 0.3,
        "confidence_high_listed": 0.5,
        "lift": 1.06,
        "lift_low_listed": 0.78,
        "lift_high_listed": 1.33,
        "association": 0,
        "p": 0.6,
        "q": 0.9,
    }
    return rule(**values | members)


def share(**members: Any) -> Estimate:
    values: dict[str, Any] = {
        "items": THEFT,
        "n_asked": 4002,
        "shown": 4002,
        "support": 0.38,
        "low": 0.35,
        "high": 0.41,
    }
    return Estimate(**values | members)


def about(**members: Any) -> About:
    values: dict[str, Any] = {
        "run": 1,
        "fingerprint": "f",
        "rehearsal": False,
        "day": "2026-07-01",
        "records": 4100,
        "n_open": 0,
        "disguised": 4100,
        "estimator": "pooled",
        "engine": "bitmap",
        "exact": False,
        "min_support": 0.02,
        "min_confidence": 0.1,
        "max_size": 2,
        "absences": False,
        "version": "1",
        "family": 57,
        "statements": {"pairs": 57, "groups": 4, "arms": 2},
    }
    return About(**values | members)


def report(*rules: Rule, **members: Any) -> Report:
    values: dict[str, Any] = {
        "about": about(),
        "shares": (share(),),
        "compared": (),
        "groups": (),
        "itemsets": (),
        "pairs": (),
    }
    return Report(**values | members, rules=rules)
