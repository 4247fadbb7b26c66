"""Nodes of reports made by hand: rules and shares of the survey of `made`, numbers, and places; and runs with these.

A survey that asks three numbers: debt, in classes, with a mean; overtime, in classes, behind a rule; income, a window.
1,000 of age 18-39, 500 of 40-59 and 6 of 60+ chose disguise, and 100, 50 and 0 answered openly.

A survey that asks a place, home: nine cells, a1 to c3 from the north-west; north a1, b1, c1; south a2, b2; outside c2,
a3, b3 and c3 (which has no shape). b = 2 * 700 / (2 * 700 + 100 * 5) is 14/19. 1,000 of age 18-39 and 506 of 40+ chose
disguise; 150 answered openly.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accounts.models import Person
from mining.json_codec import node_to_json
from mining.nodes.number_nodes import (
    MeanEstimate,
    NumberClasses,
    NumberDistribution,
    NumberEstimates,
    NumberNode,
    NumberShare,
    QuantileStatement,
)
from mining.nodes.report_nodes import About, Estimate, Report, Rule
from mining.nodes.study_nodes import ArmDifference
from privacy.designs import Design
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.classes.simulation import ClassesSimulation
from reports.answer_labels import Labels
from runs.models import Run
from surveys.models import Survey
from tests.intake import asked
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
    values: dict[str, Any] = (
        {"number": 1, "antecedent": OLD, "consequent": THEFT, "n_asked": 4002, "n_shown_all": 4002}
        | {"antecedent_support": 0.54, "antecedent_low": 0.52, "antecedent_high": 0.56}
        | {"consequent_support": 0.38, "consequent_low": 0.35, "consequent_high": 0.41}
        | {"support": 0.29, "support_low": 0.26, "support_high": 0.32}
        | {"confidence": 0.54, "confidence_low": 0.5, "confidence_high": 0.58}
        | {"confidence_low_listed": 0.49, "confidence_high_listed": 0.59}
        | {"converse": 0.77, "converse_low_listed": 0.7, "converse_high_listed": 0.83}
        | {"lift": 1.42, "lift_low": 1.35, "lift_high": 1.5}
        | {"lift_low_listed": 1.31, "lift_high_listed": 1.55}
        | {"p": 1e-9, "q": 1e-8, "association": 1, "both": True, "said": "both"}
    )
    return Rule(**values | members)


def weak_rule(**members: Any) -> Rule:
    """People of 40 and older: 40 % (30 to 50) of 38 %, 1.05 times (.78 to 1.33): no association is shown."""
    values: dict[str, Any] = (
        {"confidence": 0.4, "confidence_low_listed": 0.3, "confidence_high_listed": 0.5}
        | {"lift": 1.06, "lift_low_listed": 0.78, "lift_high_listed": 1.33}
        | {"association": 0, "p": 0.6, "q": 0.9}
    )
    return rule(**values | members)


def share(**members: Any) -> Estimate:
    values: dict[str, Any] = {"items": THEFT, "n_asked": 4002, "shown": 4002}
    values |= {"support": 0.38, "low": 0.35, "high": 0.41}
    return Estimate(**values | members)


def about_run(**members: Any) -> About:
    values: dict[str, Any] = (
        {"run": 1, "fingerprint": "f", "rehearsal": False, "day": "2026-07-01", "version": "1"}
        | {"records": 4100, "n_open": 0, "disguised": 4100}
        | {"estimator": "pooled", "engine": "bitmap", "exact": False, "absences": False}
        | {"min_support": 0.02, "min_confidence": 0.1, "max_size": 2}
        | {"family": 57, "statements": {"pairs": 57, "groups": 4, "arms": 2}}
    )
    return About(**values | members)


def page_about(of: Design | None = None, **members: Any) -> Any:
    """A page of which nothing is known but its design and its run."""
    labels, survey = of and Labels(of, "en"), SimpleNamespace(invited=False)
    mined = of and of.mined
    return SimpleNamespace(
        design=of, mined_design=mined, about=about_run(**members), labels=labels, survey=survey
    )


def report(*rules: Rule, **members: Any) -> Report:
    values: dict[str, Any] = {"about": about_run(), "shares": (share(),)}
    values |= dict.fromkeys(("compared", "groups", "itemsets", "pairs"), ())
    return Report(**values | members, rules=rules)


# --- numbers: the design --------------------------------------------------------------------------------

AGES = ("18-39", "40-59", "60+")
POINTS = (0, 500, 1000, 2000, 5000, 10000)
HOURS = (0, 5, 10, 20)
DEBT: dict[str, Any] = (
    {"name": "debt", "text": {"en": "How much do you owe?", "zh-hans": "您欠多少钱？"}}
    | {"unit": {"en": "euros", "zh-hans": "欧元"}, "law": "classes", "step": 50}
    | {"low": 0, "high": 10000, "limits": list(POINTS[1:]), "cuts": 1, "rest": 2}
)
OVERTIME: dict[str, Any] = (
    {"name": "overtime", "text": {"en": "Overtime"}}
    | {"unit": {"en": "hours"}, "law": "classes", "low": 0, "high": 20}
    | {"limits": list(HOURS[1:]), "cuts": 1, "show_if": {"works": ["yes"]}}
)
INCOME: dict[str, Any] = (
    {"name": "income", "text": {"en": "What do you earn?"}}
    | {"unit": {"en": "euros"}, "law": "window"}
    | {"low": 0, "step": 100, "values": 101, "window": 7, "uniform": "0.3"}
)


def age_question(ages: Sequence[str]) -> dict[str, Any]:
    return {"name": "age", "text": {"en": "How old are you?"}, "choices": [{"name": age} for age in ages]}


def numbers_design(*, debt: Mapping[str, Any] | None = None, **more: Any) -> Design:
    """`debt` changes that question."""
    works = {"name": "works", "text": {"en": "Do you work?"}, "choices": ["no", "yes"]}
    said = {"title": {"en": "Money"}, "languages": ["en", "zh-hans"], "open_answers": True, "least": 20}
    return asked.make_design(
        {"kind": "plain", "questions": [age_question(AGES), works]},
        {"kind": "number", "keep": "0.7", "keep_rest": "0.7", "questions": [{**DEBT, **(debt or {})}]},
        {"kind": "number", "keep": "0.7", "questions": [OVERTIME]},
        {"kind": "number", "questions": [INCOME]},
        **said | more,
    )


# A scale: every value is a class.
MOOD: dict[str, Any] = (
    {"name": "mood", "text": {"en": "How are you?"}}
    | {"unit": {"en": "points"}, "law": "classes"}
    | {"low": 1, "high": 5, "limits": [2, 3, 4, 5]}
)


def scale(cuts: int = 2) -> Design:
    return asked.make_design(
        {"kind": "plain", "questions": [age_question(AGES)]},
        {"kind": "number", "keep": "0.7", "questions": [{**MOOD, "cuts": cuts}]},
        title={"en": "Moods"},
        open_answers=True,
        least=20,
    )


# --- numbers: estimates by hand -------------------------------------------------------------------------

MEDIANS = (
    QuantileStatement(0.25, None, 500),
    QuantileStatement(0.5, 500, 2000),
    QuantileStatement(0.75, 2000, None),
)
NONE_KNOWN = tuple(QuantileStatement(q, None, None) for q in (0.25, 0.5, 0.75))


def number_share(low: int | None, high: int | None, share: float, around: float) -> NumberShare:
    return NumberShare(low, high, 1490, share, 0.025, round(share - around, 3), round(share + around, 3))


ABOVE = zip(POINTS[1:], (0.7, 0.52, 0.31, 0.12, 0.045), strict=True)
BETWEEN = zip((None, *POINTS[1:]), (*POINTS[1:], None), (0.3, 0.18, 0.21, 0.19, 0.075, 0.045), strict=True)
OF_DEBT = NumberEstimates(
    1656, 150, MeanEstimate(1834.56, 83.2, 1671.49, 1997.63), MEDIANS,
    tuple(number_share(limit, None, share, 0.05) for limit, share in ABOVE),
    tuple(number_share(*row, 0.04) for row in BETWEEN),
)  # fmt: skip
OF_YOUNG = replace(
    OF_DEBT, n_asked=1000, n_open=0, mean=MeanEstimate(1500.0, 9.5, 1481.4, 1518.6), quantiles=NONE_KNOWN,
    disguised_only=True,
)  # fmt: skip
UNKNOWN = tuple(NumberShare(limit, None, 5, None, None, None, None) for limit in POINTS[1:])
OF_FEW = NumberEstimates(6, 0, None, (), UNKNOWN, disguised_only=True)
OVERTIME_SHARES = (
    NumberShare(5, None, 700, 0.4, 0.05, 0.3, 0.5),
    NumberShare(10, None, 700, 0.2, 0.05, None, None),
    NumberShare(20, None, 40, None, None, None, None),
)
OF_OVERTIME = NumberEstimates(700, 70, None, (QuantileStatement(0.5, None, 5),), OVERTIME_SHARES)


def triangular_distribution(*, of_class: bool = False) -> NumberDistribution:
    """A triangle over 101 values."""
    blurred = tuple((np.minimum(np.arange(101), 100 - np.arange(101)) / 2500).round(9).tolist())
    around = [tuple(round(value + by, 9) for value in blurred) for by in (-0.002, 0.002)]
    received = None if of_class else (1 / 101,) * 101
    illustration = None if of_class else tuple(0.5 if value in (40, 60) else 0.0 for value in range(101))
    return NumberDistribution(1, blurred, around[0], around[1], 11, received, illustration)


OF_INCOME = NumberEstimates(1656, 150, distribution=triangular_distribution())


def number_nodes() -> tuple[NumberNode, ...]:
    of_class = replace(OF_INCOME, n_open=0, distribution=None, disguised_only=True)
    young, few = (replace(of_class, n_asked=base) for base in (1000, 6))
    young = replace(young, distribution=triangular_distribution(of_class=True))
    debts = (OF_YOUNG, replace(OF_YOUNG, n_asked=500), OF_FEW)
    incomes = (young, replace(young, n_asked=500), few)
    return (
        NumberNode("debt", "classes", OF_DEBT, (NumberClasses("age", debts),)),
        NumberNode("overtime", "classes", OF_OVERTIME, ()),
        NumberNode("income", "window", OF_INCOME, (NumberClasses("age", incomes),)),
    )


def random_code_counts(
    section: ClassesSection, index: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """How many records have each code, disguised by the section's law."""
    disguised = np.zeros((1, len(index)), np.uint8)
    is_open = np.zeros(len(index), np.bool_)
    ClassesSimulation().disguise(section, is_open, index[None].astype(np.uint32), disguised, rng)
    return np.bincount(disguised[0], minlength=section.question.codes)


# --- numbers: the run -----------------------------------------------------------------------------------

PLAIN_TABLES: list[dict[str, Any]] = [
    {"questions": [0], "counts": [1000, 500, 6]},
    {"questions": [1], "counts": [806, 700]},
    {"questions": [0, 1], "counts": [[500, 500], [303, 197], [3, 3]]},
]
SHARES = {0: 0.66, 1: 0.33, 2: 0.01, 3: 0.53, 4: 0.47}
"""Of the plain answers; each item of a number has .3."""
ITEMS_OF_DEBT, ITEMS_OF_OVERTIME = range(5, 19), range(47, 55)
"""Their numbers: behind each come as many squares and touches."""
NO_FINDINGS: dict[str, Any] = {"forged": {}} | {
    name: [] for name in ("answers", "alike", "groups", "coherent", "pairs", "plain_tables")
}


def numbers_survey(owner: Person, **more: Any) -> Survey:
    return made.asked_survey(numbers_design(**more), owner)


def numbers_run(of: Survey, found: tuple[NumberNode, ...] | None = None, **findings: Any) -> Run:
    """Done, without itemsets and rules."""
    answers = [made.answer(item, share, 1656) for item, share in SHARES.items()]
    answers += [made.answer(item, 0.3, 1490) for item in (*ITEMS_OF_DEBT, *ITEMS_OF_OVERTIME)]
    # Item 5 is that debt is at least 500.
    items = [*ITEMS_OF_DEBT[:9], *ITEMS_OF_OVERTIME[:5]]
    columns = {"share": [0.3, 0.4, None], "low": [0.2, 0.3, None], "high": [0.4, 0.5, None]}
    told = {
        "answers": answers,
        "groups": [by_age(items, 3, columns, [200, 100, 1])],
        "plain_tables": PLAIN_TABLES,
        "numbers": [node_to_json(one) for one in (number_nodes() if found is None else found)],
    }
    return made.run_of_1656(of, NO_FINDINGS | told | findings)


def by_age(items: list[int], classes: int, columns: dict[str, Any], n: list[int]) -> dict[str, Any]:
    """These items within the classes of age, with the same columns for each or with a list of rows."""
    columns |= {"n_asked": n, "shown": n, "second": [0.6] * classes, "slope": [0.0] * classes}
    columns |= {name: [None] * classes for name in ("share_shown", "low_shown", "high_shown")}
    rows = {
        name: values if isinstance(values[0], list) else [values] * len(items)
        for name, values in columns.items()
    }
    return {"question": 0, "answers": items, **rows}


# --- places: the design ---------------------------------------------------------------------------------

CELLS = [f"{column}{row}" for row in (1, 2, 3) for column in "abc"]
NORTH, SOUTH, OUTSIDE = (0, 1, 2), (3, 4), (5, 6, 7, 8)
ELSEWHERE = "Elsewhere (outside the regions)"
B = 14 / 19


def cell(number: int) -> dict[str, Any]:
    """Squares of 100 by 100 steps, the first in the north-west."""
    name, x, y = CELLS[number], 100 * (number % 3), 100 * (2 - number // 3)
    shape = {"shape": [[x, y, x + 100, y, x + 100, y + 100, x, y + 100]]} if name != "c3" else {}
    return {"name": name, "label": {"en": f"Block {name.upper()}"}, "at": [x + 50, y + 50], **shape}


HOME: dict[str, Any] = {
    "name": "home",
    "text": {"en": "Where do you live?", "zh-hans": "您住在哪里？"},
    "cells": [cell(number) for number in range(9)],
    "regions": [
        {"name": name, "label": {"en": f"The {name}"}, "cells": [CELLS[at] for at in cells]}
        for name, cells in (("north", NORTH), ("south", SOUTH))
    ],
    "near": 2,
    "odds": "8.00",
}


def places_design(*, home: Mapping[str, Any] | None = None, **more: Any) -> Design:
    """`home` changes that question."""
    said = {"title": {"en": "Places"}, "languages": ["en", "zh-hans"], "open_answers": True, "least": 20}
    return asked.make_design(
        {"kind": "plain", "questions": [age_question(("18-39", "40+"))]},
        {"kind": "place", "questions": [{**HOME, **(home or {})}]},
        **said | more,
    )


# --- places: estimates by hand, and the run -------------------------------------------------------------

DISGUISED = (306, 200, 200, 200, 200, 160, 100, 70, 70)
"""Records received in each cell."""


def places_finding(disguised: Sequence[int] = DISGUISED) -> dict[str, Any]:
    """As a run stores it. What is withheld in the run itself is left to `mining.kinds.place`."""
    base = sum(disguised)
    shares = [round(disguised[at] / B / base, 9) for at in OUTSIDE]
    return {
        "question": "home",
        "n_asked": base,
        "received": [round(one / base, 9) for one in disguised],
        "illustration": [0.2, 0.1, 0.1, 0.05, 0.05, 0.2, 0.1, 0.1, 0.1],
        "outside": [
            {"share": share, "low": round(share - 0.02, 9), "high": round(share + 0.02, 9)}
            for share in shares
        ],
        "disguised_only": True,
    }


def places_tables(disguised: Sequence[int] = DISGUISED) -> list[dict[str, Any]]:
    """Of the disguised two thirds of each region, and of elsewhere, are of age 18-39."""
    homes = [sum(disguised[at] for at in cells) for cells in (NORTH, SOUTH, OUTSIDE)]
    ages = [[count * 2 // 3 for count in homes], [count - count * 2 // 3 for count in homes]]
    return [
        {"questions": [0], "counts": list(map(sum, ages))},
        {"questions": [1], "counts": homes},
        {"questions": [0, 1], "counts": ages},
    ]


PLACES_SHARES = {0: 0.66, 1: 0.34, 2: 0.45, 3: 0.25, 4: 0.3}
"""By item: the ages, the north, the south, elsewhere."""


def places_survey(owner: Person, **more: Any) -> Survey:
    return made.asked_survey(places_design(**more), owner)


def places_run(of: Survey, found: dict[str, Any] | None = None, **findings: Any) -> Run:
    """Done, without itemsets and rules."""
    columns = {
        "share": [[0.5, 0.3], [0.2, 0.3], [0.3, 0.4]],
        "low": [[0.45, 0.2], [0.15, 0.2], [0.27, 0.35]],
        "high": [[0.55, 0.4], [0.25, 0.4], [0.33, 0.45]],
    }
    alike = {"opened": 0.3, "disguised": 0.4, "p": 0.5, "more": 0.1, "fewer": 0.1}
    told = {
        "answers": [made.answer(item, share, 1656) for item, share in PLACES_SHARES.items()],
        "alike": [{"item": item, **alike} for item in (2, 3, 4)],
        "groups": [by_age([2, 3, 4], 2, columns, [1004, 502])],
        "plain_tables": places_tables(),
        "places": [places_finding() if found is None else found],
    }
    return made.run_of_1656(of, NO_FINDINGS | told | findings)
