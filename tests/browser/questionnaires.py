"""The questionnaires that the answering tests open in the running product."""

import json
import secrets
from typing import Any

from privacy.designs import parse_design
from surveys.phrases.languages import SHIPPED
from tests.surveys import drafts

Node = dict[str, Any]
YES_NO = ["no", "yes"]
FORMAT = {"format": "candor-design/1"}
ABOUT = {"contact": "survey@exampleton.example", "retention": "2099-12-31"}


def two_texts(english: str, chinese: str) -> dict[str, str]:
    return {"en": english, "zh-hans": chinese}


def choice(name: str, english: str, chinese: str) -> Node:
    return {"name": name, "label": two_texts(english, chinese)}


def question(name: str, text: Any, *choices: Any, form: str = "one", **more: Any) -> Node:
    return {"name": name, "form": form, "text": text, "choices": list(choices), **more}


def yes_no(name: str, *texts: str, **more: Any) -> Node:
    return question(name, two_texts(*texts), *YES_NO, form="yes-no", **more)


def section(kind: str, *questions: Node, **more: Any) -> Node:
    return {"kind": kind, "questions": list(questions), **more}


def plain(*questions: Node, **more: Any) -> Node:
    return section("plain", *questions, **more)


def unrelated_question(keep: str, *questions: Node, **more: Any) -> Node:
    return section("unrelated-question", *questions, keep=keep, **more)


def crosswise(question: Node) -> Node:
    return section("crosswise", question)


def classes(name: str, text: Any, low: int, *limits: int, high: int, **more: Any) -> Node:
    """A number that goes out as one of the classes between limits."""
    law = {"law": "classes", "low": low, "high": high, "limits": list(limits), "cuts": 1}
    return {"name": name, "text": text, **law, **more}


# --- in every language that Candor ships for respondents, and from right to left


def six_texts(*texts: str) -> dict[str, str]:
    return dict(zip(SHIPPED, texts, strict=True))


AGES = [
    {
        "name": "18-39",
        "label": six_texts("18 to 39", "18至39岁", "18 bis 39", "18 à 39 ans", "18 a 39", "من 18 إلى 39"),
    },
    {
        "name": "40+",
        "label": six_texts(
            "40 or older", "40岁以上", "40 oder älter", "40 ans ou plus", "40 o más", "40 أو أكثر"
        ),
    },
]
QUESTIONS = [
    six_texts(
        "Have you ever claimed a benefit that you had no right to?",
        "您是否曾领取无权领取的补助？",
        "Haben Sie jemals eine Leistung bezogen, die Ihnen nicht zustand?",
        "Avez-vous déjà touché une aide à laquelle vous n’aviez pas droit ?",
        "¿Ha cobrado alguna vez una ayuda a la que no tenía derecho?",
        "هل حصلت يومًا على إعانة لا تستحقها؟",
    ),
    six_texts(
        "Have you left income out of your last tax return?",
        "您上一次报税时是否漏报收入？",
        "Haben Sie in Ihrer letzten Steuererklärung Einkommen verschwiegen?",
        "Avez-vous omis des revenus dans votre dernière déclaration ?",
        "¿Omitió ingresos en su última declaración de la renta?",
        "هل أغفلت دخلًا في إقرارك الضريبي الأخير؟",
    ),
    six_texts(
        "Have you worked without declaring it this year?",
        "今年您是否做过未申报的工作？",
        "Haben Sie in diesem Jahr schwarzgearbeitet?",
        "Avez-vous travaillé au noir cette année ?",
        "¿Ha trabajado sin declararlo este año?",
        "هل عملت هذا العام دون تصريح؟",
    ),
]
HOW_OLD = six_texts(
    "How old are you?",
    "您多大年纪？",
    "Wie alt sind Sie?",
    "Quel âge avez-vous ?",
    "¿Cuántos años tiene?",
    "كم عمرك؟",
)
SIX_LANGUAGES = FORMAT | {
    **ABOUT,
    "languages": list(SHIPPED),
    "title": six_texts(
        "Taxes and benefits",
        "税收与补助",
        "Steuern und Sozialleistungen",
        "Impôts et prestations sociales",
        "Impuestos y prestaciones",
        "الضرائب والإعانات",
    ),
    "asker": six_texts(*["Institute for Social Research"] * 6),
    "why": six_texts(
        "To learn how common this is.",
        "了解这种情况有多普遍。",
        "Um zu erfahren, wie häufig das ist.",
        "Pour savoir si cela est fréquent.",
        "Para saber si es frecuente.",
        "لمعرفة مدى شيوع ذلك.",
    ),
    "consent": six_texts(
        "I take part of my own free will.",
        "我自愿参加。",
        "Ich nehme freiwillig teil.",
        "Je participe de mon plein gré.",
        "Participo por mi propia voluntad.",
        "أشارك بمحض إرادتي.",
    ),
    "minutes": 2,
    "open_answers": True,
    "sections": [
        plain({"name": "age", "text": HOW_OLD, "choices": AGES}),
        unrelated_question(
            "0.5",
            *(question(f"q{number}", text, *YES_NO, form="yes-no") for number, text in enumerate(QUESTIONS)),
            asked=2,
        ),
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


ARABIC = in_languages(SIX_LANGUAGES, "ar", "en")
OWES = {"ar": "كم عليك من الديون؟", "en": "How much do you owe?"}
ARABIC["open_answers"] = False
ARABIC["sections"].append(
    section("number", classes("debt", OWES, 0, 500, 1000, 2000, 5000, high=10000), keep="0.7142")
)


# --- with arms, drawn questions and crosswise questions


def design(title: str, *sections: Node, **more: Any) -> Node:
    about = {"languages": ["en", "zh-hans"], "title": two_texts(title, "税与工作")}
    return {**FORMAT, **about, "sections": list(sections), **more}


AGE = question(
    "age",
    two_texts("How old are you?", "您多大年龄？"),
    choice("18-39", "18 to 39", "18至39岁"),
    choice("40+", "40 or older", "40岁及以上"),
)
VERSION = question("version", two_texts("Version", "版本"), "a", "b", form="drawn", shares=["0.5", "0.5"])
BOSS = yes_no(
    "boss", "Do you lead other people at work?", "您在工作中领导他人吗？", show_if={"version": ["b"]}
)
TAX = unrelated_question(
    "0.5", yes_no("tax", "Have you ever worked without paying tax?", "您是否曾工作而未缴税？")
)
BORN = two_texts(
    "Was your mother born in January, February or March?", "您的母亲是在一月、二月或三月出生的吗？"
)
PAIR = yes_no(
    "cash",
    *("Have you ever taken money from the till?", "您是否曾从收银台拿过钱？"),
    secret=BORN,
    share="0.2466",
    source="Office of Statistics, births 1940 to 1980",
)
CODE = "THANKS-4711"
PANEL = two_texts("You get a code for your panel.", "您会得到一个给调查平台的代码。")
TURNED = PAIR | {
    "turned_by": "version",
    "turned": two_texts("Was your mother born from April to December?", "您的母亲是在四月至十二月出生的吗？"),
}
FRUIT = question(
    "fruit",
    two_texts("Which fruit do you like best?", "您最喜欢哪种水果？"),
    choice("apple", "Apple", "苹果"),
    choice("pear", "Pear", "梨"),
    choice("plum", "Plum", "李子"),
    choice("none", "None of these", "以上都没有"),
    shuffled=3,
)
FINED = two_texts("How much were you fined?", "您被罚了多少钱？")
FINE = section("number", classes("fine", FINED, 0, 1000, high=10_000), keep="0.5")


def place(name: str, text: Any, cells: list[Node], *regions: Node, near: int, odds: str, **more: Any) -> Node:
    law = {"cells": cells, "regions": list(regions), "near": near, "odds": odds}
    return section("place", {"name": name, "text": text, **law, **more})


def line(*names: str) -> list[Node]:
    return [{"name": name, "at": [at, 0]} for at, name in enumerate(names)]


QUARTERS = ["north", "middle", "south"]
HOME = place(
    "home",
    two_texts("Where do you live?", "您住在哪里？"),
    [{"name": name, "at": [0, row]} for row, name in enumerate(QUARTERS)],
    {"name": "all", "cells": QUARTERS},
    near=1,
    odds="7.38",
)
UNDERSTOOD = plain(
    question(
        "understood",
        two_texts("Were the two questions understood?", "两个问题理解了吗？"),
        choice("at-once", "At once", "一开始就理解"),
        choice("explained", "After an explanation", "解释后理解"),
        choice("not", "Not", "未理解"),
    )
)
"""The check of understanding, as freezing appends it."""
ARMS = {"direct": "0.25", "least": 80}
STUDIES: dict[str, Node] = {
    "understanding": {"design": design("Tax and work", plain(AGE), TAX, UNDERSTOOD, understanding=True)},
    "understanding in arms": {
        "design": design("Tax and work", TAX, crosswise(PAIR), UNDERSTOOD, **ARMS, understanding=True)
    },
    "shuffled": {"design": design("Fruit", plain(AGE, FRUIT), TAX)},
    "arms": {
        "design": design("Tax and work", plain(AGE), TAX, crosswise(PAIR), **ARMS, panel=PANEL),
        "completion": CODE,
    },
    "turned": {"design": design("Tax and work", plain(VERSION, AGE, BOSS), crosswise(TURNED))},
    "crosswise": {
        "design": design("Tax and work", plain(AGE), crosswise(PAIR), panel=PANEL),
        "completion": CODE,
    },
    "mixture": {"design": design("Tax and work", plain(AGE), FINE, HOME, crosswise(PAIR), TAX)},
    "crosswise by invitation": {
        "design": design("Tax and work", plain(AGE), crosswise(PAIR)),
        "invited": True,
    },
}


# --- of every other kind

WORK = question(
    "work",
    two_texts("What is your situation at work?", "您的工作状况如何？"),
    choice("employed", "Employed", "受雇"),
    choice("none", "Not in paid work", "没有有偿工作"),
    help=two_texts("Choose the one that takes most of your time.", "请选占用您时间最多的一项。"),
)
HOW_OFTEN = question(
    "how-often",
    two_texts("How often have you driven after drinking?", "您酒后驾车有多频繁？"),
    choice("never", "Never", "从不"),
    choice("once", "Once", "一次"),
    choice("more", "More often", "更多次"),
    choice("silent", "I prefer not to say", "不想说"),
    form="scale",
    noise=["0.4", "0.2", "0.2", "0.2"],
)
DRUGS = [
    ("cannabis", "Cannabis", "大麻"),
    ("pills", "Sleeping pills", "安眠药"),
    ("cocaine", "Cocaine", "可卡因"),
]
USED = [
    question(
        name,
        two_texts("Which of these have you used this year?", "今年您用过以下哪些？"),
        *({"name": "no"}, choice("yes", *labels)),
        form="many",
        of="used",
        help=two_texts("Only without a prescription.", "仅指没有处方的情况。"),
    )
    for name, *labels in DRUGS
]
TEXTS: Node = FORMAT | {
    **ABOUT,
    "languages": ["en", "zh-hans"],
    "title": two_texts("Work, money and health", "工作、金钱与健康"),
    "asker": two_texts("Institute for Social Research, University of Exampleton", "示例大学社会研究所"),
    "why": two_texts(
        "To learn how common some things are that people rarely admit, so that advice centres can plan for them.",
        "了解一些人们很少承认的事情有多普遍，以便咨询中心做出安排。",
    ),
    "intro": two_texts(
        "Fourteen short questions about how people really live. Nobody likes to answer some of them, and for"
        " those this page works differently from others.",
        "十四个关于人们真实生活的简短问题。其中有些没人愿意回答，对于这些问题，本页的做法与众不同。",
    ),
    "consent": two_texts(
        "I am 18 or older, I have read how this survey treats my answers, and I take part of my own free will.",
        "我已年满18岁，已阅读我的回答如何被伪装，并自愿参加。",
    ),
    "thanks": two_texts("Thank you for your candour.", "感谢您的坦诚。"),
    "minutes": 4,
    "open_answers": True,
}
THREE_AGES = question(
    "age",
    two_texts("How old are you?", "您多大年纪？"),
    choice("18-39", "18 to 39", "18至39岁"),
    choice("40-64", "40 to 64", "40至64岁"),
    choice("65+", "65 or older", "65岁以上"),
    role="quasi",
)
IF_EMPLOYED: Node = {"show_if": {"work": ["employed"]}}
FOURTEEN = TEXTS | {
    "sections": [
        plain(THREE_AGES, WORK),
        unrelated_question(
            "0.6",
            yes_no(
                "stolen",
                *("Have you ever taken home what was not yours?", "您曾把不属于您的东西带回家吗？"),
                **IF_EMPLOYED,
            ),
            yes_no("tax", "Have you ever left income out of a tax return?", "您是否曾在报税时漏报收入？"),
            yes_no(
                "dole",
                "Have you ever received a benefit you had no right to?",
                "您是否曾领取无权领取的补助？",
            ),
            yes_no("lied", "Have you ever lied on a job application?", "您是否曾在求职申请中撒谎？"),
            yes_no("debt", "Do you have debts your family does not know of?", "您是否有家人不知道的欠债？"),
            *USED,
        ),
        unrelated_question(
            "0.5",
            HOW_OFTEN,
            yes_no("beaten", "Has anybody hit you at home this year?", "今年是否有人在家中打过您？"),
            yes_no("hit", "Have you hit anybody at home this year?", "今年您是否在家中打过人？"),
            yes_no("afraid", "Are you afraid of anybody at home?", "您害怕家里的某个人吗？"),
            asked=2,
        ),
    ]
}


def brief(title: str, *sections: Node, **more: Any) -> Node:
    return {**FORMAT, "title": title, "sections": list(sections), **more}


def choice_question(name: str, text: Any, *choices: str) -> Node:
    return {"name": name, "text": text, "choices": list(choices)}


SHORT = brief(
    "Short",
    plain(choice_question("work", "Work?", "employed", "none")),
    unrelated_question(
        "0.5", choice_question("theft", "Stolen?", *YES_NO), choice_question("tax", "Taxes?", *YES_NO)
    ),
)
EUROS = two_texts("euros", "欧元")
DEBT = classes(
    *("debt", two_texts("How much do you owe to others?", "您欠别人多少钱？")),
    *(0, 500, 1000, 2000, 5000),
    high=10000,
    unit=EUROS,
    help=two_texts("Without what you owe for a home.", "不含住房贷款。"),
)
HOURS = {
    "name": "hours",
    "text": two_texts(
        "How many hours did you work off the books last year?", "去年您做了多少小时未申报的工作？"
    ),
    **IF_EMPLOYED,
    "law": "window",
    "values": 1001,
    "window": 100,
    "uniform": "0.5",
}
BALANCE = classes(
    *("balance", two_texts("What is left at the end of a month?", "月底还剩多少钱？")),
    *(-1000, -200, 0, 200),
    high=1000,
    unit=EUROS,
    step=50,
    rest=2,
)
NUMBERS = TEXTS | {
    "sections": [
        plain(WORK),
        section("number", DEBT, keep="0.7142"),
        section("number", HOURS),
        section("number", BALANCE, keep="0.5", keep_rest="0.5"),
    ]
}
BANDS = brief(
    "Bands",
    plain(
        choice_question("age", "How old are you?", "<18", "18..34", "35+")
        | {"number": {"low": 0, "high": 120, "limits": [18, 35], "unit": {"en": "years"}}},
        choice_question("pension", "Do you save for a pension?", *YES_NO) | {"show_if": {"age": ["35+"]}},
    ),
    unrelated_question("0.5", choice_question("theft", "Stolen?", *YES_NO)),
)
TRUE_NAMES = [f"true-{secrets.token_hex(8)}" for _place in range(2)]
"""What the true answers are called in the survey `secret`: strings that occur nowhere else in the world."""
TRUE_NUMBER = 100_000_000 + secrets.randbelow(800_000_000)
TRUE_CELL = f"cell-{secrets.token_hex(8)}"
SECRET = brief(
    "Secret",
    unrelated_question(
        "0.5",
        choice_question("first", "First?", "other", TRUE_NAMES[0]),
        choice_question("second", "Second?", "one", "two", TRUE_NAMES[1]),
    ),
)
SECRET_NUMBER = brief(
    "Secret", section("number", classes("sum", "How much?", 0, 1000, high=10**9), keep="0.5")
)
CELLS = ["one", "two", TRUE_CELL]
SECRET_PLACE = brief(
    "Secret", place("where", "Where?", line(*CELLS), {"name": "all", "cells": CELLS}, near=1, odds="2")
)


def square_cell(letter: str, column: int, row: int) -> Node:
    """A cell of a grid; every corner has whole numbers."""
    left, below, name = 2 * column, 2 * row, f"{letter.upper()}{row + 1}"
    corners = [left, below, left + 2, below, left + 2, below + 2, left, below + 2]
    named = choice(name.lower(), f"Quarter {name}", f"{name}区")
    return {**named, "at": [left + 1, below + 1], "shape": [corners]}


CITY = place(
    "home",
    two_texts("Where did you sleep last night?", "您昨晚在哪里过夜？"),
    [square_cell(letter, column, row) for column, letter in enumerate("abcd") for row in range(4)],
    {**choice("harbour", "Harbour", "港口"), "cells": ["a1", "a2", "b1", "b2"]},
    {**choice("station", "Station", "车站"), "cells": ["c3", "c4", "d3"], "near": 1, "odds": "13.76"},
    near=2,
    odds="7.38",
    help=two_texts("Choose the quarter of the city.", "请选择城区。"),
)
TRACKS = place(
    "work-place",
    two_texts("Where do you work?", "您在哪里工作？"),
    [{**choice(f"stop-{at}", f"Stop {at}", f"第{at}站"), "at": [at * 3, at % 3]} for at in range(8)],
    {**choice("yard", "Yard", "车场"), "cells": ["stop-1", "stop-2"]},
    near=1,
    odds="19",
    **IF_EMPLOYED,
)
PLACES = TEXTS | {"sections": [plain(WORK), CITY, TRACKS]}
PARISHES = [{"name": f"parish {number}", "at": [number % 64, number // 64]} for number in range(4096)]
COAST = {"name": "coast", "cells": [f"parish {number}" for number in range(64)]}
MANY_PLACES = brief(
    "Many", place("parish", "Which parish?", PARISHES, COAST, near=4, odds="7.38", outline="land")
)
AGREED = [
    choice("no", "Disagree", "不同意"),
    choice("between", "Neither agree nor disagree", "既不同意也不反对"),
    choice("yes", "Agree", "同意"),
]


def statement(name: str, *texts: str) -> Node:
    shared = {"of": "views", "help": two_texts("How far do you agree?", "您在多大程度上同意？")}
    return question(name, two_texts(*texts), *AGREED, form="scale", **shared)


BATTERY = TEXTS | {
    "open_answers": False,
    "sections": [
        plain(
            WORK,
            statement("pay", "My pay is fair.", "我的报酬公平。"),
            statement("rest", "I have enough rest.", "我有足够的休息。"),
            statement("voice", "I am listened to.", "我的意见受到重视。"),
            intro=two_texts("First about your work.", "首先是关于您的工作。"),
            order="random",
        ),
        unrelated_question(
            "0.5",
            {**USED[0], "none": two_texts("None of these", "以上都没有")},
            *USED[1:],
            intro=two_texts("Now about medicines.", "现在是关于药物。"),
        ),
    ],
}
MOST_USED = ("Alcohol", "Cannabis", "Cocaine", "Heroin", "LSD", "Opium", "Pills", "Tobacco", "None of these")
DRUG = {
    "name": "drug",
    "text": two_texts("Which of these do you use most?", "您最常用哪一种？"),
    "choices": [choice(f"d{at}", words, words) for at, words in enumerate(MOST_USED)],
}
SETS = TEXTS | {"sections": [section("subset", DRUG, keep="0.5", size=2)]}
LASTING = brief(
    "Lasting",
    plain(choice_question("work", {"en": "Work?"}, "employed", "none")),
    unrelated_question(
        "0.8999",
        *(choice_question(name, {"en": f"{name.title()}?"}, *YES_NO) for name in ("theft", "tax", "debt")),
        lasting="0.9",
        asked=2,
    ),
    languages=["en", "ar"],
)
FIRST_ROUND = parse_design(json.dumps(LASTING)).fingerprint
SURVEYS: dict[str, Node] = {
    "lasting": {"design": LASTING},
    "lasting again": {"design": LASTING | {"minutes": 1, "follows": FIRST_ROUND, "study": FIRST_ROUND}},
    "arabic": {"design": ARABIC},
    "fourteen": {"design": FOURTEEN},
    "battery": {"design": BATTERY},
    "short": {"design": SHORT},
    "with a way out": {"design": {**SHORT, "leave_to": "https://neutral.example/news"}},
    "with a quota": {"design": {**SHORT, "quotas": [{"answers": {"work": "employed"}, "limit": 30}]}},
    "six languages": {"design": SIX_LANGUAGES},
    # In two languages, the second of which is English, or beside English Chinese.
    **{
        f"first in {code}": {"design": in_languages(SIX_LANGUAGES, code, "en" if code != "en" else "zh-hans")}
        for code in SHIPPED
    },
    "secret": {"design": SECRET},
    "numbers": {"design": NUMBERS},
    "bands": {"design": BANDS},
    "sets": {"design": SETS},
    "secret number": {"design": SECRET_NUMBER},
    "places": {"design": PLACES},
    "many places": {"design": MANY_PLACES},
    "secret place": {"design": SECRET_PLACE},
    "invited": {"design": SHORT, "invited": True},
    "with a code": {
        "design": SHORT | {"panel": {"en": "You get a code for your panel."}},
        "completion": CODE,
    },
    "with a link": {
        "design": SHORT | {"panel": {"en": "A link leads you back to your panel."}},
        "completion": "https://panel.example.org/complete/4711",
    },
    "closed": {"design": SHORT, "state": "closed"},
    "closing": {"design": SHORT},
    "closing meanwhile": {"design": SHORT},
    "rehearsed": {"design": SHORT | {"rehearsal": True}, "state": "closed"},
    **STUDIES,
    "demo": {"design": json.loads(drafts.WORK_HEALTH_HONESTY.read_text())},
}
