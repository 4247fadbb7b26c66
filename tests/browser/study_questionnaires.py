"""Questionnaires with arms, drawn questions and crosswise questions."""

from typing import Any

YES_NO = ["no", "yes"]


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
