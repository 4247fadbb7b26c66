"""The questionnaires that the answering tests open in the running product."""

import json
import secrets
from typing import Any

from privacy.designs import parse
from surveys.phrases.shipped import SHIPPED
from tests import servers


def six(*texts: str) -> dict[str, str]:
    return dict(zip(SHIPPED, texts, strict=True))


YES_NO = ["no", "yes"]
AGES = [
    {
        "name": "18-39",
        "label": six("18 to 39", "18至39岁", "18 bis 39", "18 à 39 ans", "18 a 39", "من 18 إلى 39"),
    },
    {
        "name": "40+",
        "label": six("40 or older", "40岁以上", "40 oder älter", "40 ans ou plus", "40 o más", "40 أو أكثر"),
    },
]
QUESTIONS = [
    six(
        "Have you ever claimed a benefit that you had no right to?",
        "您是否曾领取无权领取的补助？",
        "Haben Sie jemals eine Leistung bezogen, die Ihnen nicht zustand?",
        "Avez-vous déjà touché une aide à laquelle vous n’aviez pas droit ?",
        "¿Ha cobrado alguna vez una ayuda a la que no tenía derecho?",
        "هل حصلت يومًا على إعانة لا تستحقها؟",
    ),
    six(
        "Have you left income out of your last tax return?",
        "您上一次报税时是否漏报收入？",
        "Haben Sie in Ihrer letzten Steuererklärung Einkommen verschwiegen?",
        "Avez-vous omis des revenus dans votre dernière déclaration ?",
        "¿Omitió ingresos en su última declaración de la renta?",
        "هل أغفلت دخلًا في إقرارك الضريبي الأخير؟",
    ),
    six(
        "Have you worked without declaring it this year?",
        "今年您是否做过未申报的工作？",
        "Haben Sie in diesem Jahr schwarzgearbeitet?",
        "Avez-vous travaillé au noir cette année ?",
        "¿Ha trabajado sin declararlo este año?",
        "هل عملت هذا العام دون تصريح؟",
    ),
]
SIX_LANGUAGES = {
    "format": "candor-design/1",
    "languages": list(SHIPPED),
    "title": six(
        "Taxes and benefits",
        "税收与补助",
        "Steuern und Sozialleistungen",
        "Impôts et prestations sociales",
        "Impuestos y prestaciones",
        "الضرائب والإعانات",
    ),
    "asker": six(*["Institute for Social Research"] * 6),
    "why": six(
        "To learn how common this is.",
        "了解这种情况有多普遍。",
        "Um zu erfahren, wie häufig das ist.",
        "Pour savoir si cela est fréquent.",
        "Para saber si es frecuente.",
        "لمعرفة مدى شيوع ذلك.",
    ),
    "consent": six(
        "I take part of my own free will.",
        "我自愿参加。",
        "Ich nehme freiwillig teil.",
        "Je participe de mon plein gré.",
        "Participo por mi propia voluntad.",
        "أشارك بمحض إرادتي.",
    ),
    "contact": "survey@exampleton.example",
    "minutes": 2,
    "retention": "2099-12-31",
    "open_answers": True,
    "sections": [
        {
            "kind": "plain",
            "questions": [
                {
                    "name": "age",
                    "text": six(
                        "How old are you?",
                        "您多大年纪？",
                        "Wie alt sind Sie?",
                        "Quel âge avez-vous ?",
                        "¿Cuántos años tiene?",
                        "كم عمرك؟",
                    ),
                    "choices": AGES,
                }
            ],
        },
        {
            "kind": "unrelated-question",
            "keep": "0.5",
            "asked": 2,
            "questions": [
                {"name": f"q{number}", "form": "yes-no", "choices": YES_NO, "text": text}
                for number, text in enumerate(QUESTIONS)
            ],
        },
    ],
}


def in_languages(node: Any, *codes: str) -> Any:
    """The questionnaire, or a part of it, in these of its languages alone."""
    if isinstance(node, list):
        return [in_languages(each, *codes) for each in node]
    if not isinstance(node, dict):
        return node
    if node.keys() == set(SHIPPED):
        return {code: node[code] for code in codes}
    found = {key: in_languages(each, *codes) for key, each in node.items()}
    return found | ({"languages": list(codes)} if "languages" in found else {})


BY_LANGUAGES = {
    "six languages": {"design": SIX_LANGUAGES},
    **{
        f"first in {code}": {"design": in_languages(SIX_LANGUAGES, code, "en" if code != "en" else "zh-hans")}
        for code in SHIPPED
    },
}
"""Surveys by name: in all six, and in two of them. The second is English, or beside English Chinese."""


# --- A questionnaire in a language that runs from right to left


def arabic(text: str, english: str) -> dict[str, str]:
    return {"ar": text, "en": english}


ARABIC = {
    "format": "candor-design/1",
    "languages": ["ar", "en"],
    "title": arabic("العمل والصحة", "Work and health"),
    "asker": arabic("معهد البحوث الاجتماعية", "Institute for Social Research"),
    "why": arabic("لمعرفة مدى شيوع السرقة في العمل.", "To learn how common theft at work is."),
    "consent": arabic("أشارك بمحض إرادتي.", "I take part of my own free will."),
    "contact": "survey@exampleton.example",
    "minutes": 4,
    "retention": "2099-12-31",
    "sections": [
        {
            "kind": "plain",
            "questions": [
                {
                    "name": "age",
                    "text": arabic("كم عمرك؟", "How old are you?"),
                    "choices": [
                        {"name": "18-39", "label": arabic("من 18 إلى 39", "18 to 39")},
                        {"name": "40+", "label": arabic("40 أو أكثر", "40 or older")},
                    ],
                }
            ],
        },
        {
            "kind": "unrelated-question",
            "keep": "0.6",
            "questions": [
                {
                    "name": name,
                    "form": "yes-no",
                    "choices": ["no", "yes"],
                    "text": arabic(text, english),
                }
                for name, text, english in (
                    ("stolen", "هل أخذت شيئًا من العمل؟", "Have you taken something from work?"),
                    ("sick", "هل ادعيت المرض يومًا؟", "Have you ever called in sick without being ill?"),
                )
            ],
        },
        {
            "kind": "number",
            "keep": "0.7142",
            "questions": [
                {
                    "name": "debt",
                    "law": "classes",
                    "text": arabic("كم عليك من الديون؟", "How much do you owe?"),
                    "low": 0,
                    "high": 10000,
                    "limits": [500, 1000, 2000, 5000],
                    "cuts": 1,
                }
            ],
        },
    ],
}


# --- Questionnaires with arms, drawn questions and crosswise questions


def both(english: str, chinese: str) -> dict[str, str]:
    return {"en": english, "zh-hans": chinese}


def design(title: str, *sections: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "format": "candor-design/1",
        "languages": ["en", "zh-hans"],
        "title": both(title, "税与工作"),
        "sections": list(sections),
    } | more


AGE: dict[str, Any] = {
    "name": "age",
    "form": "one",
    "text": both("How old are you?", "您多大年龄？"),
    "choices": [
        {"name": "18-39", "label": both("18 to 39", "18至39岁")},
        {"name": "40+", "label": both("40 or older", "40岁及以上")},
    ],
}
VERSION: dict[str, Any] = {
    "name": "version",
    "form": "drawn",
    "text": both("Version", "版本"),
    "choices": ["a", "b"],
    "shares": ["0.5", "0.5"],
}
BOSS: dict[str, Any] = {
    "name": "boss",
    "form": "yes-no",
    "text": both("Do you lead other people at work?", "您在工作中领导他人吗？"),
    "choices": YES_NO,
    "show_if": {"version": ["b"]},
}
TAX = {
    "kind": "unrelated-question",
    "keep": "0.5",
    "questions": [
        {
            "name": "tax",
            "form": "yes-no",
            "text": both("Have you ever worked without paying tax?", "您是否曾工作而未缴税？"),
            "choices": YES_NO,
        }
    ],
}
PAIR: dict[str, Any] = {
    "name": "cash",
    "form": "yes-no",
    "text": both("Have you ever taken money from the till?", "您是否曾从收银台拿过钱？"),
    "choices": YES_NO,
    "secret": both(
        "Was your mother born in January, February or March?", "您的母亲是在一月、二月或三月出生的吗？"
    ),
    "share": "0.2466",
    "source": "Office of Statistics, births 1940 to 1980",
}
CODE = "THANKS-4711"
PANEL = both("You get a code for your panel.", "您会得到一个给调查平台的代码。")
TURNED = PAIR | {
    "turned_by": "version",
    "turned": both("Was your mother born from April to December?", "您的母亲是在四月至十二月出生的吗？"),
}


def crosswise(question: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "crosswise", "questions": [question]}


FRUIT: dict[str, Any] = {
    "name": "fruit",
    "form": "one",
    "text": both("Which fruit do you like best?", "您最喜欢哪种水果？"),
    "choices": [
        {"name": "apple", "label": both("Apple", "苹果")},
        {"name": "pear", "label": both("Pear", "梨")},
        {"name": "plum", "label": both("Plum", "李子")},
        {"name": "none", "label": both("None of these", "以上都没有")},
    ],
    "shuffled": 3,
}
FINE = {
    "kind": "number",
    "keep": "0.5",
    "questions": [
        {
            "name": "fine",
            "law": "classes",
            "low": 0,
            "high": 10_000,
            "limits": [1000],
            "cuts": 1,
            "text": both("How much were you fined?", "您被罚了多少钱？"),
        }
    ],
}
QUARTERS = ["north", "middle", "south"]
HOME = {
    "kind": "place",
    "questions": [
        {
            "name": "home",
            "text": both("Where do you live?", "您住在哪里？"),
            "cells": [{"name": name, "at": [0, row]} for row, name in enumerate(QUARTERS)],
            "regions": [{"name": "all", "cells": QUARTERS}],
            "near": 1,
            "odds": "7.38",
        }
    ],
}
UNDERSTOOD = {
    "kind": "plain",
    "questions": [
        {
            "name": "understood",
            "form": "one",
            "text": both("Were the two questions understood?", "两个问题理解了吗？"),
            "choices": [
                {"name": "at-once", "label": both("At once", "一开始就理解")},
                {"name": "explained", "label": both("After an explanation", "解释后理解")},
                {"name": "not", "label": both("Not", "未理解")},
            ],
        }
    ],
}
"""The check of understanding, as freezing appends it."""
STUDIES: dict[str, dict[str, Any]] = {
    "understanding": {
        "design": design(
            "Tax and work", {"kind": "plain", "questions": [AGE]}, TAX, UNDERSTOOD, understanding=True
        )
    },
    "understanding in arms": {
        "design": design(
            "Tax and work", TAX, crosswise(PAIR), UNDERSTOOD, direct="0.25", least=80, understanding=True
        )
    },
    "shuffled": {"design": design("Fruit", {"kind": "plain", "questions": [AGE, FRUIT]}, TAX)},
    "arms": {
        "design": design(
            "Tax and work",
            {"kind": "plain", "questions": [AGE]},
            TAX,
            crosswise(PAIR),
            direct="0.25",
            least=80,
            panel=PANEL,
        ),
        "completion": CODE,
    },
    "turned": {
        "design": design(
            "Tax and work", {"kind": "plain", "questions": [VERSION, AGE, BOSS]}, crosswise(TURNED)
        )
    },
    "crosswise": {
        "design": design("Tax and work", {"kind": "plain", "questions": [AGE]}, crosswise(PAIR), panel=PANEL),
        "completion": CODE,
    },
    "mixture": {
        "design": design(
            "Tax and work", {"kind": "plain", "questions": [AGE]}, FINE, HOME, crosswise(PAIR), TAX
        )
    },
    "crosswise by invitation": {
        "design": design("Tax and work", {"kind": "plain", "questions": [AGE]}, crosswise(PAIR)),
        "invited": True,
    },
}


# --- The questionnaires that the answering tests open in the running product

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
THREE_AGES = {
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
        {"kind": "plain", "questions": [THREE_AGES, WORK]},
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


SQUARES = [
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
CITY = {
    "kind": "place",
    "questions": [
        {
            "name": "home",
            "text": both("Where did you sleep last night?", "您昨晚在哪里过夜？"),
            "help": both("Choose the quarter of the city.", "请选择城区。"),
            "cells": SQUARES,
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
PLACES = TEXTS | {"sections": [{"kind": "plain", "questions": [WORK]}, CITY, TRACKS]}
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
WITH_PANEL = SHORT | {"panel": {"en": "You get a code for your panel."}}
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
    "with a code": {"design": WITH_PANEL, "completion": "THANKS-4711"},
    "with a link": {"design": LINKED, "completion": "https://panel.example.org/complete/4711"},
    "rehearsed with a code": {"design": WITH_PANEL | {"rehearsal": True}},
    "closed": {"design": SHORT, "state": "closed"},
    "closing": {"design": SHORT},
    "closing meanwhile": {"design": SHORT},
    "rehearsed": {"design": SHORT | {"rehearsal": True}, "state": "closed"},
    **STUDIES,
    "demo": {"design": json.loads((servers.ROOT / "config" / "tour" / "questionnaire.json").read_text())},
}
