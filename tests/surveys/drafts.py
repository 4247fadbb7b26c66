"""Drafts as a researcher would have written them."""

from collections.abc import Mapping
from typing import Any

from surveys.kinds.read_draft import read_questionnaire

Draft = dict[str, Any]


def normalized(draft: Mapping[str, Any]) -> Draft:
    """As a survey stores it."""
    return dict(read_questionnaire(draft).as_json())


def with_answer_words(draft: Mapping[str, Any], name: str, **predicates: Mapping[str, str]) -> Draft:
    """The draft in which the choices of this question have these predicates."""

    def changed(question: dict[str, Any]) -> dict[str, Any]:
        choices = [
            {**choice, **({"predicate": predicates[choice["name"]]} if choice["name"] in predicates else {})}
            for choice in question.get("choices", ())
        ]
        return {**question, "choices": choices} if question["name"] == name else question

    sections = [{**part, "questions": list(map(changed, part["questions"]))} for part in draft["sections"]]
    return {**draft, "sections": sections}


def said(english: str, chinese: str = "") -> dict[str, str]:
    return {"en": english, "zh-hans": chinese} if chinese else {"en": english}


def complete(**other: Any) -> Draft:
    """One plain question, one sensitive one: gamma 1 + .5/(.5·.4) = 3.5, epsilon 1.2528."""
    ages = [{"name": "18-39", "label": said("18 to 39")}, {"name": "40+", "label": said("40 or older")}]
    age = {"name": "age", "role": "quasi", "form": "one", "text": said("How old are you?"), "choices": ages}
    theft = {
        "name": "theft",
        "form": "yes-no",
        "text": said("Have you taken something home?"),
        "choices": [{"name": "no"}, {"name": "yes"}],
        "noise": ["0.4000", "0.6000"],
    }
    return {
        "format": "candor-design/1",
        "languages": ["en"],
        "title": said("Work and health"),
        "asker": said("The works council"),
        "why": said("To learn how common theft is."),
        "intro": {},
        "consent": said("I take part of my own free will."),
        "thanks": {},
        "contact": "council@example.org",
        "minutes": 4,
        "least": 100,
        "retention": "2099-12-31",
        "open_answers": True,
        "rehearsal": False,
        "expected": 1000,
        "sections": [
            {"kind": "plain", "questions": [age]},
            {"kind": "unrelated-question", "keep": "0.5000", "questions": [theft]},
        ],
        **other,
    }


def weak() -> Draft:
    """Ten yes/no questions at keep .5 and noise .5: gamma 1 + 2^10 = 1025, epsilon 6.9325; batches of 50."""
    asked = {"choices": [{"name": "no"}, {"name": "yes"}], "noise": ["0.5000", "0.5000"]}
    questions = [{"name": f"q{number}", "text": said(f"Question {number}?"), **asked} for number in range(10)]
    sections = [{"kind": "unrelated-question", "keep": "0.5000", "questions": questions}]
    return complete(sections=sections, least=50)


def bilingual() -> Draft:
    draft = complete(
        languages=["en", "zh-hans"],
        title=said("Work and health", "工作与健康"),
        asker=said("The works council", "工会"),
        why=said("To learn how common theft is.", "了解情况"),
        consent=said("I take part of my own free will.", "我自愿参加。"),
    )
    age, theft = (section["questions"][0] for section in draft["sections"])
    age["text"] = said("How old are you?", "您多大？")
    age["choices"][0]["label"] = said("18 to 39", "18至39")
    age["choices"][1]["label"] = said("40 or older", "40以上")
    theft["text"] = said("Have you taken something home?", "您拿过东西回家吗？")
    return draft
