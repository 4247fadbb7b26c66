"""A small run made by hand: three yes/no questions among 1,000 people, three itemsets and four rules.

Numbers of items: age 18-39 is 0, 40+ 1; theft no 2, yes 3; late 4, 5; cash 6, 7.
"""

import json
from dataclasses import asdict
from typing import Any

from mining.models import Itemset, Rule, Run
from mining.parameters import Parameters
from mining.reports.models import Backtest
from people.models import Person
from surveys.models import Survey
from tests.intake import asked
from tests.surveys.conftest import NOW

YOUNG, OLD, THEFT, LATE, CASH = 0, 1, 3, 5, 7
ITEMS = ["age=18-39", "age=40+", "theft=no", "theft=yes", "late=no", "late=yes", "cash=no", "cash=yes"]
TEXTS = {
    "theft": {"en": "Have you taken something home?", "zh-hans": "您带走过东西吗？"},
    "late": {"en": "Do you come late"},
    "cash": {},
}


def design(**more: Any) -> Any:
    sensitive = [
        {"name": name, "text": text, "choices": ["no", "yes"], "noise": ["0.6", "0.4"]}
        for name, text in TEXTS.items()
    ]
    choices = [
        {"name": "18-39", "label": {"en": "18 to 39"}},
        {"name": "40+", "label": {"en": "40 or older"}},
    ]
    age = {"name": "age", "role": "quasi", "text": {"en": "How old are you?"}, "choices": choices}
    return asked.written(
        {"kind": "plain", "questions": [age]},
        {"kind": "unrelated-question", "keep": "0.5", "questions": sensitive},
        **{
            "title": {"en": "Work & health"},
            "languages": ["en", "zh-hans"],
            "open_answers": True,
            "least": 20,
        }
        | more,
    )


def answer(item: int, support: float | None, base: int = 1000) -> dict[str, Any]:
    """A row of `answers`: the interval reaches .04 to either side, the error is .02."""
    if support is None:
        nothing = dict.fromkeys(("support", "se", "low", "high", "pooled", "expected_w"))
        return {"item": item, "base": base, "opened": 9, "observed": 0.5, **nothing}
    around = {"low": round(support - 0.04, 4), "high": round(support + 0.04, 4)}
    rest = {
        "observed": round(support / 2 + 0.2, 4),
        "se": 0.02,
        "pooled": round(support + 0.01, 4),
        "expected_w": 0.015,
    }
    return {"item": item, "base": base, "opened": 200, "support": support, **around, **rest}


SHARES = {YOUNG: 0.4, OLD: 0.6, 2: 0.75, THEFT: 0.25, 4: 0.6, LATE: 0.4, 6: 1.012, CASH: -0.012}
FINDINGS: dict[str, Any] = {
    "answers": [answer(item, share) for item, share in sorted(SHARES.items())],
    "alike": [
        {"item": THEFT, "opened": 0.1, "disguised": 0.3, "p": 0.001, "smallest": 0.08},
        {"item": LATE, "opened": 0.41, "disguised": 0.4, "p": 0.9, "smallest": 0.09},
    ],
    "forged": {"low": [0.1] * 8, "high": [0.5] * 8},
    "groups": [
        {
            "question": 0,
            "answers": [THEFT, LATE, CASH],
            "share": [[0.35, 0.18], [0.4, 0.4], [-0.05, None]],
            "low": [[0.29, 0.13], [0.3, 0.3], [-0.12, None]],
            "high": [[0.41, 0.23], [0.5, 0.5], [0.02, None]],
            "base": [[400, 600], [400, 600], [400, 9]],
            "everybody": [0.248, 0.4, -0.05],
            "p": [0.0004, 1.0, None],
        }
    ],
    "coherent": [
        {"items": [THEFT], "support": 0.26},
        {"items": [LATE], "support": 0.39},
        {"items": [THEFT, LATE], "support": 0.175},
    ],
    "pairs": [
        {"items": [THEFT, LATE], "lift": 1.8, "lift_low": 1.4, "lift_high": 2.3},
        {"items": [LATE, CASH], "lift": 0.6, "lift_low": None, "lift_high": None},
    ],
}

ITEMSETS: list[tuple[tuple[int, ...], float, bool]] = [
    ((THEFT,), 0.25, True),
    ((LATE,), 0.4, True),
    ((THEFT, LATE), 0.18, True),
    ((LATE, CASH), 0.11, False),
]
RULES: list[dict[str, Any]] = [
    {"sides": ((THEFT,), (LATE,)), "confidence": 0.72, "low": 0.6, "lift": 1.8, "q": 0.01, "in": 2},
    {"sides": ((LATE,), (THEFT,)), "confidence": 0.45, "low": 0.35, "lift": 1.8, "q": 0.02, "in": 2},
    {"sides": ((LATE,), (CASH,)), "confidence": 1.04, "low": None, "lift": 0.6, "q": None, "in": 3},
    {"sides": ((CASH,), (LATE,)), "confidence": 0.55, "low": 0.51, "lift": 0.6, "q": 0.4, "in": 3},
]


def survey(owner: Person, **more: Any) -> Survey:
    return asked.survey(design(**more), owner=owner)


def run(of: Survey, *, findings: dict[str, Any] | None = None, rules: int = len(RULES)) -> Run:
    """A run that is done; its rules are the first so many of RULES."""
    parameters = asdict(Parameters(0.1, 0.5))
    engine = parameters.pop("engine")
    made = Run.objects.create(
        survey=of,
        through=2,
        records=1000,
        design=of.design_id or "",
        parameters=parameters,
        engine=engine,
        version="mining 2",
        state="done",
        created=NOW,
        finished=NOW,
        opened=200,
        disguised=800,
        findings=json.loads(json.dumps(FINDINGS if findings is None else findings)),
        itemset_count=len(ITEMSETS),
        rule_count=rules,
    )
    Itemset.objects.bulk_create(itemset(made, place, *row) for place, row in enumerate(ITEMSETS))
    kept = list(Itemset.objects.filter(run=made).order_by("place"))
    Rule.objects.bulk_create(rule(made, place, kept, **RULES[place]) for place in range(rules))
    return made


def itemset(of: Run, place: int, items: tuple[int, ...], support: float, certain: bool) -> Itemset:
    values = answer(items[0], support)
    values.pop("item")
    return Itemset(run=of, place=place, items=text(items), size=len(items), certain=certain, **values)


def rule(of: Run, place: int, itemsets: list[Itemset], **row: Any) -> Rule:
    first, second = row["sides"]
    return Rule(
        run=of,
        place=place,
        itemset=itemsets[row["in"]],
        items=text(sorted((*first, *second))),
        antecedent=text(first),
        consequent=text(second),
        base=1000,
        support=itemsets[row["in"]].support,
        confidence=row["confidence"],
        confidence_low=row["low"],
        confidence_high=None if row["low"] is None else 2 * row["confidence"] - row["low"],
        lift=row["lift"],
        lift_low=row["lift"] - 0.4,
        lift_high=row["lift"] + 0.5,
        antecedent_support=0.25,
        consequent_support=0.4,
        leverage=0.08,
        representativity=1.0,
        p=0.001,
        q=row["q"],
        redundant=place == 3,
    )


def backtest(of: Run, again: dict[str, float]) -> Backtest:
    """Done, over 200 populations; `again` by the places of rules."""
    return Backtest.objects.create(
        run=of, state="done", created=NOW, finished=NOW, populations=200, again=again
    )


def text(items: Any) -> str:
    return f" {' '.join(map(str, items))} "
