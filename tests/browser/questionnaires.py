"""The questionnaires that the answering tests open in the running product."""

import json
import secrets
from typing import Any

from privacy.designs import parse
from tests import servers
from tests.browser.arabic_questionnaire import ARABIC
from tests.browser.six_languages import BY_LANGUAGES
from tests.browser.study_questionnaires import STUDIES, YES_NO, both

TRUE_NAMES = [f"true-{secrets.token_hex(8)}" for _place in range(2)]
"""What the true answers are called in the survey `secret`: strings that occur nowhere else in the world."""


def yes_no(name: str, english: str, chinese: str) -> dict[str, Any]:
    return {"name": name, "form": "yes-no", "choices": YES_NO, "text": both(english, chinese)}


def choice(name: str, english: str, chinese: str) -> dict[str, Any]:
    return {"name": name, "label": both(english, chinese)}


WORK = {
    "name": "work",
    "form": "one",
    "text": both("What is your situation at work?", "您的工作状况如何？"),
    "help": both("Choose the one that takes most of your time.", "请选占用您时间最多的一项。"),
    "choices": [choice("employed", "Employed", "受雇"), choice("none", "Not in paid work", "没有有偿工作")],
}
HOW_OFTEN = {
    "name": "how-often",
    "form": "scale",
    "text": both("How often have you driven after drinking?", "您酒后驾车有多频繁？"),
    "choices": [
        choice("never", "Never", "从不"),
        choice("once", "Once", "一次"),
        choice("more", "More often", "更多次"),
        choice("silent", "I prefer not to say", "不想说"),
    ],
    "noise": ["0.4", "0.2", "0.2", "0.2"],
}
DRUGS = [
    ("cannabis", "Cannabis", "大麻"),
    ("pills", "Sleeping pills", "安眠药"),
    ("cocaine", "Cocaine", "可卡因"),
]
USED = [
    {
        "name": name,
        "form": "many",
        "of": "used",
        "text": both("Which of these have you used this year?", "今年您用过以下哪些？"),
        "help": both("Only without a prescription.", "仅指没有处方的情况。"),
        "choices": [{"name": "no"}, choice("yes", english, chinese)],
    }
    for name, english, chinese in DRUGS
]
TEXTS: dict[str, Any] = {
    "format": "candor-design/1",
    "languages": ["en", "zh-hans"],
    "title": both("Work, money and health", "工作、金钱与健康"),
    "asker": both("Institute for Social Research, University of Exampleton", "示例大学社会研究所"),
    "why": both(
        "To learn how common some things are that people rarely admit, so that advice centres can plan for them.",
        "了解一些人们很少承认的事情有多普遍，以便咨询中心做出安排。",
    ),
    "intro": both(
        "Fourteen short questions about how people really live. Nobody likes to answer some of them, and for"
        " those this page works differently from others.",
        "十四个关于人们真实生活的简短问题。其中有些没人愿意回答，对于这些问题，本页的做法与众不同。",
    ),
    "consent": both(
        "I am 18 or older, I have read how my answers are disguised, and I take part of my own free will.",
        "我已年满18岁，已阅读我的回答如何被伪装，并自愿参加。",
    ),
    "thanks": both("Thank you for your candour.", "感谢您的坦诚。"),
    "contact": "survey@exampleton.example",
    "minutes": 4,
    "retention": "2099-12-31",
    "open_answers": True,
}
AGE = {
    "name": "age",
    "form": "one",
    "role": "quasi",
    "text": both("How old are you?", "您多大年纪？"),
    "choices": [
        choice("18-39", "18 to 39", "18至39岁"),
        choice("40-64", "40 to 64", "40至64岁"),
        choice("65+", "65 or older", "65岁以上"),
    ],
}
STOLEN = yes_no(
    "stolen", "Have you ever taken home what was not yours?", "您曾把不属于您的东西带回家吗？"
) | {"show_if": {"work": ["employed"]}}
FOURTEEN = TEXTS | {
    "sections": [
        {"kind": "plain", "questions": [AGE, WORK]},
        {
            "kind": "unrelated-question",
            "keep": "0.6",
            "questions": [
                STOLEN,
                yes_no("tax", "Have you ever left income out of a tax return?", "您是否曾在报税时漏报收入？"),
                yes_no(
                    "dole",
                    "Have you ever received a benefit you had no right to?",
                    "您是否曾领取无权领取的补助？",
                ),
                yes_no("lied", "Have you ever lied on a job application?", "您是否曾在求职申请中撒谎？"),
                yes_no(
                    "debt", "Do you have debts your family does not know of?", "您是否有家人不知道的欠债？"
                ),
                *USED,
            ],
        },
        {
            "kind": "unrelated-question",
            "keep": "0.5",
            "asked": 2,
            "questions": [
                HOW_OFTEN,
                yes_no("beaten", "Has anybody hit you at home this year?", "今年是否有人在家中打过您？"),
                yes_no("hit", "Have you hit anybody at home this year?", "今年您是否在家中打过人？"),
                yes_no("afraid", "Are you afraid of anybody at home?", "您害怕家里的某个人吗？"),
            ],
        },
    ]
}
SHORT = {
    "format": "candor-design/1",
    "title": "Short",
    "sections": [
        {"kind": "plain", "questions": [{"name": "work", "choices": ["employed", "none"], "text": "Work?"}]},
        {
            "kind": "unrelated-question",
            "keep": "0.5",
            "questions": [
                {"name": "theft", "choices": YES_NO, "text": "Stolen?"},
                {"name": "tax", "choices": YES_NO, "text": "Taxes?"},
            ],
        },
    ],
}
EUROS = both("euros", "欧元")
DEBT = {
    "kind": "number",
    "keep": "0.7142",
    "questions": [
        {
            "name": "debt",
            "text": both("How much do you owe to others?", "您欠别人多少钱？"),
            "help": both("Without what you owe for a home.", "不含住房贷款。"),
            "unit": EUROS,
            "law": "classes",
            "low": 0,
            "high": 10000,
            "limits": [500, 1000, 2000, 5000],
            "cuts": 1,
        }
    ],
}
HOURS = {
    "kind": "number",
    "questions": [
        {
            "name": "hours",
            "text": both(
                "How many hours did you work off the books last year?", "去年您做了多少小时未申报的工作？"
            ),
            "show_if": {"work": ["employed"]},
            "law": "window",
            "values": 1001,
            "window": 100,
            "uniform": "0.5",
        }
    ],
}
BALANCE = {
    "kind": "number",
    "keep": "0.5",
    "keep_rest": "0.5",
    "questions": [
        {
            "name": "balance",
            "text": both("What is left at the end of a month?", "月底还剩多少钱？"),
            "unit": EUROS,
            "law": "classes",
            "step": 50,
            "low": -1000,
            "high": 1000,
            "limits": [-200, 0, 200],
            "cuts": 1,
            "rest": 2,
        }
    ],
}
NUMBERS = TEXTS | {"sections": [{"kind": "plain", "questions": [WORK]}, DEBT, HOURS, BALANCE]}
TRUE_NUMBER = 100_000_000 + secrets.randbelow(800_000_000)
SECRET_NUMBER = {
    "format": "candor-design/1",
    "title": "Secret",
    "sections": [
        {
            "kind": "number",
            "keep": "0.5",
            "questions": [
                {
                    "name": "sum",
                    "law": "classes",
                    "low": 0,
                    "high": 10**9,
                    "limits": [1000],
                    "cuts": 1,
                    "text": "How much?",
                }
            ],
        }
    ],
}


def square(name: str, english: str, chinese: str, column: int, row: int) -> dict[str, Any]:
    """A cell of a grid; every corner has whole numbers."""
    left, below = 2 * column, 2 * row
    corners = [left, below, left + 2, below, left + 2, below + 2, left, below + 2]
    return {"name": name, "label": both(english, chinese), "at": [left + 1, below + 1], "shape": [corners]}


QUARTERS = [
    square(
        f"{letter}{row + 1}",
        f"Quarter {letter.upper()}{row + 1}",
        f"{letter.upper()}{row + 1}区",
        column,
        row,
    )
    for column, letter in enumerate("abcd")
    for row in range(4)
]
HOME = {
    "kind": "place",
    "questions": [
        {
            "name": "home",
            "text": both("Where did you sleep last night?", "您昨晚在哪里过夜？"),
            "help": both("Choose the quarter of the city.", "请选择城区。"),
            "cells": QUARTERS,
            "regions": [
                {
                    "name": "harbour",
                    "label": both("Harbour", "港口"),
                    "cells": ["a1", "a2", "b1", "b2"],
                },
                {
                    "name": "station",
                    "label": both("Station", "车站"),
                    "cells": ["c3", "c4", "d3"],
                    "near": 1,
                    "odds": "13.76",
                },
            ],
            "near": 2,
            "odds": "7.38",
        }
    ],
}
TRACKS = {
    "kind": "place",
    "questions": [
        {
            "name": "work-place",
            "text": both("Where do you work?", "您在哪里工作？"),
            "show_if": {"work": ["employed"]},
            "cells": [
                {
                    "name": f"stop-{place}",
                    "label": both(f"Stop {place}", f"第{place}站"),
                    "at": [place * 3, place % 3],
                }
                for place in range(8)
            ],
            "regions": [{"name": "yard", "label": both("Yard", "车场"), "cells": ["stop-1", "stop-2"]}],
            "near": 1,
            "odds": "19",
        }
    ],
}
PLACES = TEXTS | {"sections": [{"kind": "plain", "questions": [WORK]}, HOME, TRACKS]}
MANY_PLACES = {
    "format": "candor-design/1",
    "title": "Many",
    "sections": [
        {
            "kind": "place",
            "questions": [
                {
                    "name": "parish",
                    "text": "Which parish?",
                    "outline": "land",
                    "cells": [
                        {"name": f"parish {number}", "at": [number % 64, number // 64]}
                        for number in range(4096)
                    ],
                    "regions": [{"name": "coast", "cells": [f"parish {number}" for number in range(64)]}],
                    "near": 4,
                    "odds": "7.38",
                }
            ],
        }
    ],
}
TRUE_CELL = f"cell-{secrets.token_hex(8)}"
SECRET_PLACE = {
    "format": "candor-design/1",
    "title": "Secret",
    "sections": [
        {
            "kind": "place",
            "questions": [
                {
                    "name": "where",
                    "text": "Where?",
                    "cells": [
                        {"name": name, "at": [place, 0]}
                        for place, name in enumerate(["one", "two", TRUE_CELL])
                    ],
                    "regions": [{"name": "all", "cells": ["one", "two", TRUE_CELL]}],
                    "near": 1,
                    "odds": "2",
                }
            ],
        }
    ],
}
SECRET = {
    "format": "candor-design/1",
    "title": "Secret",
    "sections": [
        {
            "kind": "unrelated-question",
            "keep": "0.5",
            "questions": [
                {"name": "first", "choices": ["other", TRUE_NAMES[0]], "text": "First?"},
                {"name": "second", "choices": ["one", "two", TRUE_NAMES[1]], "text": "Second?"},
            ],
        }
    ],
}


PANEL = SHORT | {"panel": {"en": "You get a code for your panel."}}
LINKED = SHORT | {"panel": {"en": "A link leads you back to your panel."}}
AGREED = [
    choice("no", "Disagree", "不同意"),
    choice("between", "Neither agree nor disagree", "既不同意也不反对"),
    choice("yes", "Agree", "同意"),
]


def statement(name: str, english: str, chinese: str) -> dict[str, Any]:
    help_text = both("How far do you agree?", "您在多大程度上同意？")
    texts = {"text": both(english, chinese), "help": help_text}
    return {"name": name, "form": "scale", "of": "views", "choices": AGREED, **texts}


BATTERY = TEXTS | {
    "open_answers": False,
    "sections": [
        {
            "kind": "plain",
            "intro": both("First about your work.", "首先是关于您的工作。"),
            "order": "random",
            "questions": [
                WORK,
                statement("pay", "My pay is fair.", "我的报酬公平。"),
                statement("rest", "I have enough rest.", "我有足够的休息。"),
                statement("voice", "I am listened to.", "我的意见受到重视。"),
            ],
        },
        {
            "kind": "unrelated-question",
            "keep": "0.5",
            "intro": both("Now about medicines.", "现在是关于药物。"),
            "questions": [{**USED[0], "none": both("None of these", "以上都没有")}, *USED[1:]],
        },
    ],
}

SETS_CHOICES = (
    "Alcohol",
    "Cannabis",
    "Cocaine",
    "Heroin",
    "LSD",
    "Opium",
    "Pills",
    "Tobacco",
    "None of these",
)
SETS = TEXTS | {
    "sections": [
        {
            "kind": "subset",
            "keep": "0.5",
            "size": 2,
            "questions": [
                {
                    "name": "drug",
                    "text": both("Which of these do you use most?", "您最常用哪一种？"),
                    "choices": [
                        choice(f"d{place}", words, words) for place, words in enumerate(SETS_CHOICES)
                    ],
                }
            ],
        }
    ],
}
LASTING: dict[str, Any] = {
    "format": "candor-design/1",
    "title": "Lasting",
    "languages": ["en", "ar"],
    "sections": [
        {
            "kind": "plain",
            "questions": [{"name": "work", "choices": ["employed", "none"], "text": {"en": "Work?"}}],
        },
        {
            "kind": "unrelated-question",
            "keep": "0.8999",
            "lasting": "0.9",
            "asked": 2,
            "questions": [
                {"name": name, "choices": YES_NO, "text": {"en": f"{name.title()}?"}}
                for name in ("theft", "tax", "debt")
            ],
        },
    ],
}
FIRST_ROUND = parse(json.dumps(LASTING)).fingerprint
SURVEYS: dict[str, dict[str, Any]] = {
    "lasting": {"design": LASTING},
    "lasting again": {"design": LASTING | {"minutes": 1, "follows": FIRST_ROUND, "study": FIRST_ROUND}},
    "arabic": {"design": ARABIC},
    "fourteen": {"design": FOURTEEN},
    "battery": {"design": BATTERY},
    "short": {"design": SHORT},
    "with a way out": {"design": {**SHORT, "leave_to": "https://neutral.example/news"}},
    **BY_LANGUAGES,
    "secret": {"design": SECRET},
    "numbers": {"design": NUMBERS},
    "sets": {"design": SETS},
    "secret number": {"design": SECRET_NUMBER},
    "places": {"design": PLACES},
    "many places": {"design": MANY_PLACES},
    "secret place": {"design": SECRET_PLACE},
    "invited": {"design": SHORT, "invited": True},
    "with a code": {"design": PANEL, "completion": "THANKS-4711"},
    "with a link": {"design": LINKED, "completion": "https://panel.example.org/complete/4711"},
    "rehearsed with a code": {"design": PANEL | {"rehearsal": True}},
    "closed": {"design": SHORT, "state": "closed"},
    "closing": {"design": SHORT},
    "closing meanwhile": {"design": SHORT},
    "rehearsed": {"design": SHORT | {"rehearsal": True}, "state": "closed"},
    **STUDIES,
    "demo": {"design": json.loads((servers.ROOT / "config" / "tour" / "questionnaire.json").read_text())},
}
