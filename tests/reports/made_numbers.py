"""A run made by hand of a survey that asks three numbers.

debt: classes, with a mean; overtime: classes, behind a rule; income: a window. 1,000 of age 18-39, 500 of 40-59 and 6
of 60+ chose disguise, and 100, 50 and 0 answered openly.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accounts.models import Person
from mining.kinds.number.report_node import estimate_number
from mining.report.json_codec import dump
from mining.report.number_nodes import (
    MeanEstimate,
    NumberClasses,
    NumberDistribution,
    NumberEstimates,
    NumberNode,
    NumberShare,
    QuantileStatement,
)
from privacy.designs import Design
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.classes.simulation import ClassesSimulation
from privacy.kinds.number.window.section import WindowSection
from runs.models import Run
from surveys.models import Survey
from tests.intake import asked
from tests.reports import made

AGES = ("18-39", "40-59", "60+")
POINTS = (0, 500, 1000, 2000, 5000, 10000)
HOURS = (0, 5, 10, 20)
DEBT = {
    "name": "debt",
    "text": {"en": "How much do you owe?", "zh-hans": "您欠多少钱？"},
    "unit": {"en": "euros", "zh-hans": "欧元"},
    "law": "classes",
    "step": 50,
    "low": 0,
    "high": 10000,
    "limits": list(POINTS[1:]),
    "cuts": 1,
    "rest": 2,
}
OVERTIME = {
    "name": "overtime",
    "text": {"en": "Overtime"},
    "unit": {"en": "hours"},
    "law": "classes",
    "low": 0,
    "high": 20,
    "limits": list(HOURS[1:]),
    "cuts": 1,
    "show_if": {"works": ["yes"]},
}
INCOME = {
    "name": "income",
    "text": {"en": "What do you earn?"},
    "unit": {"en": "euros"},
    "law": "window",
    "low": 0,
    "step": 100,
    "values": 101,
    "window": 7,
    "uniform": "0.3",
}


def design(*, debt: Mapping[str, Any] | None = None, **more: Any) -> Design:
    """`debt` changes that question."""
    ages = [{"name": age} for age in AGES]
    works = {"name": "works", "text": {"en": "Do you work?"}, "choices": ["no", "yes"]}
    return asked.written(
        {
            "kind": "plain",
            "questions": [{"name": "age", "text": {"en": "How old are you?"}, "choices": ages}, works],
        },
        {"kind": "number", "keep": "0.7", "keep_rest": "0.7", "questions": [{**DEBT, **(debt or {})}]},
        {"kind": "number", "keep": "0.7", "questions": [OVERTIME]},
        {"kind": "number", "questions": [INCOME]},
        **{"title": {"en": "Money"}, "languages": ["en", "zh-hans"], "open_answers": True, "least": 20}
        | more,
    )


# --- estimates by hand ----------------------------------------------------------------------------------

MEDIANS = (
    QuantileStatement(0.25, None, 500),
    QuantileStatement(0.5, 500, 2000),
    QuantileStatement(0.75, 2000, None),
)
NONE_KNOWN = tuple(QuantileStatement(q, None, None) for q in (0.25, 0.5, 0.75))
OF_DEBT = NumberEstimates(
    1656,
    150,
    MeanEstimate(1834.56, 83.2, 1671.49, 1997.63),
    MEDIANS,
    tuple(
        NumberShare(t, None, 1490, share, 0.025, round(share - 0.05, 3), round(share + 0.05, 3))
        for t, share in zip(POINTS[1:], (0.7, 0.52, 0.31, 0.12, 0.045), strict=True)
    ),
    tuple(
        NumberShare(low, high, 1490, share, 0.025, round(share - 0.04, 3), round(share + 0.04, 3))
        for low, high, share in zip(
            (None, *POINTS[1:]), (*POINTS[1:], None), (0.3, 0.18, 0.21, 0.19, 0.075, 0.045), strict=True
        )
    ),
)
OF_YOUNG = replace(
    OF_DEBT,
    n_asked=1000,
    n_open=0,
    mean=MeanEstimate(1500.0, 9.5, 1481.4, 1518.6),
    quantiles=NONE_KNOWN,
    disguised_only=True,
)
OF_FEW = NumberEstimates(
    6,
    0,
    None,
    (),
    tuple(NumberShare(t, None, 5, None, None, None, None) for t in POINTS[1:]),
    disguised_only=True,
)
OF_OVERTIME = NumberEstimates(
    700,
    70,
    None,
    (QuantileStatement(0.5, None, 5),),
    (
        NumberShare(5, None, 700, 0.4, 0.05, 0.3, 0.5),
        NumberShare(10, None, 700, 0.2, 0.05, None, None),
        NumberShare(20, None, 40, None, None, None, None),
    ),
)


# A scale: every value is a class.
MOOD = {
    "name": "mood",
    "text": {"en": "How are you?"},
    "unit": {"en": "points"},
    "law": "classes",
    "low": 1,
    "high": 5,
    "limits": [2, 3, 4, 5],
    "cuts": 2,
}


def scale() -> Design:
    ages = {"name": "age", "text": {"en": "How old are you?"}, "choices": [{"name": age} for age in AGES]}
    return asked.written(
        {"kind": "plain", "questions": [ages]},
        {"kind": "number", "keep": "0.7", "questions": [MOOD]},
        title={"en": "Moods"},
        open_answers=True,
        least=20,
    )


def shape(*, of_class: bool = False) -> NumberDistribution:
    """A triangle over 101 values."""
    blurred = tuple((np.minimum(np.arange(101), 100 - np.arange(101)) / 2500).round(9).tolist())
    around = [tuple(round(value + by, 9) for value in blurred) for by in (-0.002, 0.002)]
    received = None if of_class else (1 / 101,) * 101
    illustration = None if of_class else tuple(0.5 if value in (40, 60) else 0.0 for value in range(101))
    return NumberDistribution(1, blurred, around[0], around[1], 11, received, illustration)


OF_INCOME = NumberEstimates(1656, 150, distribution=shape())


def numbers() -> tuple[NumberNode, ...]:
    of_class = replace(OF_INCOME, n_open=0, distribution=None, disguised_only=True)
    young, few = (replace(of_class, n_asked=base) for base in (1000, 6))
    young = replace(young, distribution=shape(of_class=True))
    middle = replace(young, n_asked=500)
    return (
        NumberNode(
            "debt",
            "classes",
            OF_DEBT,
            (NumberClasses("age", (OF_YOUNG, replace(OF_YOUNG, n_asked=500), OF_FEW)),),
        ),
        NumberNode("overtime", "classes", OF_OVERTIME, ()),
        NumberNode("income", "window", OF_INCOME, (NumberClasses("age", (young, middle, few)),)),
    )


# --- the run --------------------------------------------------------------------------------------------

PLAIN_TABLES: list[dict[str, Any]] = [
    {"questions": [0], "counts": [1000, 500, 6]},
    {"questions": [1], "counts": [806, 700]},
    {"questions": [0, 1], "counts": [[500, 500], [303, 197], [3, 3]]},
]
SHARES = {0: 0.66, 1: 0.33, 2: 0.01, 3: 0.53, 4: 0.47}
"""Of the plain answers; each item of a number has .3."""
ITEMS_OF_DEBT, ITEMS_OF_OVERTIME = range(5, 19), range(47, 55)
"""Their numbers: behind each come as many squares and touches."""


def survey(owner: Person, **more: Any) -> Survey:
    return made.asked_survey(design(**more), owner)


def run(of: Survey, found: tuple[NumberNode, ...] | None = None, **findings: Any) -> Run:
    """Done, without itemsets and rules."""
    answers = [made.answer(item, share, 1656) for item, share in SHARES.items()]
    answers += [made.answer(item, 0.3, 1490) for item in (*ITEMS_OF_DEBT, *ITEMS_OF_OVERTIME)]
    told = {
        "answers": answers,
        "alike": [],
        "forged": {},
        "groups": [by_age()],
        "coherent": [],
        "pairs": [],
        "plain_tables": PLAIN_TABLES,
        "numbers": [dump(one) for one in (numbers() if found is None else found)],
    }
    return made.run_of_1656(of, told | findings)


def by_age() -> dict[str, Any]:
    """Every listed item within the classes of age: item 5 is that debt is at least 500."""
    answers = [*ITEMS_OF_DEBT[:9], *ITEMS_OF_OVERTIME[:5]]
    columns: dict[str, Any] = {
        "share": [0.3, 0.4, None],
        "low": [0.2, 0.3, None],
        "high": [0.4, 0.5, None],
        "n_asked": [200, 100, 1],
        "shown": [200, 100, 1],
        "share_shown": [None] * 3,
        "low_shown": [None] * 3,
        "high_shown": [None] * 3,
    }
    return {
        "question": 0,
        "answers": answers,
        **{name: [values] * len(answers) for name, values in columns.items()},
        "second": [[0.6] * 3] * len(answers),
        "slope": [[0.0] * 3] * len(answers),
    }


# --- as many records would give -------------------------------------------------------------------------


def simulated(of: Design, n: int, rng: np.random.Generator) -> tuple[NumberNode, ...]:
    """The estimates of records drawn at random, as a run would store them, with `n` in each of two classes of age."""
    found = []
    for section in of.sections[1:]:
        assert isinstance(section, WindowSection | ClassesSection)
        question = section.question
        classes = []
        for shift in (0.0, 0.5):
            numbers = np.clip(
                rng.lognormal(shift, 0.8, n) * question.true_codes / 8, 0, question.true_codes - 1
            )
            classes.append(counted(section, numbers.astype(np.int64), rng))
        nobody = np.zeros_like(classes[0])
        opened = sum(classes) // 10
        everybody = np.stack([opened, sum(classes)])
        alone = [
            estimate_number(section, np.stack([nobody, one]), of_class=True) for one in (*classes, nobody)
        ]
        found.append(
            NumberNode(
                question.name,
                question.law,
                estimate_number(section, everybody),
                (NumberClasses("age", tuple(alone)),),
            )
        )
    return tuple(found)


def counted(
    section: WindowSection | ClassesSection, index: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """How many records have each code, disguised by the section's law."""
    n = len(index)
    if isinstance(section, WindowSection):
        question = section.question
        shift = rng.integers(-question.half, question.half + 1, n)
        anything = rng.integers(0, question.values, n)
        uniform = rng.random(n) < 1 - float(section.law.windowed)
        codes = np.where(uniform, anything, (index + shift) % question.values)
    else:
        disguised = np.zeros((1, n), np.uint8)
        is_open = np.zeros(n, np.bool_)
        ClassesSimulation().disguise(section, is_open, index[None].astype(np.uint32), disguised, rng)
        codes = disguised[0]
    return np.bincount(codes, minlength=section.question.codes)
