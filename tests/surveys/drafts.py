"""Drafts as a researcher would have written them, whole and by their sections and questions, and how they are read."""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from surveys.draft_json import Draft as StoredDraft
from surveys.kinds.read_draft import read_questionnaire
from surveys.questionnaire import hypotheses
from surveys.questionnaire.questionnaire import Questionnaire

if TYPE_CHECKING:
    from surveys.models import Survey  # benches draw with these drafts before Django is set up

Draft = dict[str, Any]
WORK_HEALTH_HONESTY = Path(__file__).with_name("work_health_honesty.json")
"""A questionnaire with plain, sensitive and hidden questions in two languages. It is not the demonstration's."""
YES_NO = [{"name": "no"}, {"name": "yes"}]
Value = TypeVar("Value")


def normalize_draft(draft: Mapping[str, Any]) -> Draft:
    """As a survey stores it."""
    return dict(read_questionnaire(draft).as_json())


def bilingual_text(english: str, chinese: str = "") -> dict[str, str]:
    return {"en": english, "zh-hans": chinese} if chinese else {"en": english}


def complete(**other: Any) -> Draft:
    """One plain question, one sensitive one: gamma 1 + .5/(.5·.4) = 3.5, epsilon 1.2528."""
    ages = [
        {"name": "18-39", "label": bilingual_text("18 to 39")},
        {"name": "40+", "label": bilingual_text("40 or older")},
    ]
    age = {
        "name": "age",
        "role": "quasi",
        "form": "one",
        "text": bilingual_text("How old are you?"),
        "choices": ages,
    }
    theft = {
        "name": "theft",
        "form": "yes-no",
        "text": bilingual_text("Have you taken something home?"),
        "choices": [{"name": "no"}, {"name": "yes"}],
        "noise": ["0.4000", "0.6000"],
    }
    return {
        "format": "candor-design/1",
        "languages": ["en"],
        "title": bilingual_text("Work and health"),
        "asker": bilingual_text("The works council"),
        "why": bilingual_text("To learn how common theft is."),
        "intro": {},
        "consent": bilingual_text("I take part of my own free will."),
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


def weak_draft() -> Draft:
    """Ten yes/no questions at keep .5 and noise .5: gamma 1 + 2^10 = 1025, epsilon 6.9325; batches of 50."""
    asked = {"choices": [{"name": "no"}, {"name": "yes"}], "noise": ["0.5000", "0.5000"]}
    questions = [
        {"name": f"q{number}", "text": bilingual_text(f"Question {number}?"), **asked} for number in range(10)
    ]
    sections = [{"kind": "unrelated-question", "keep": "0.5000", "questions": questions}]
    return complete(sections=sections, least=50)


def bilingual() -> Draft:
    draft = complete(
        languages=["en", "zh-hans"],
        title=bilingual_text("Work and health", "工作与健康"),
        asker=bilingual_text("The works council", "工会"),
        why=bilingual_text("To learn how common theft is.", "了解情况"),
        consent=bilingual_text("I take part of my own free will.", "我自愿参加。"),
    )
    age, theft = (section["questions"][0] for section in draft["sections"])
    age["text"] = bilingual_text("How old are you?", "您多大？")
    age["choices"][0]["label"] = bilingual_text("18 to 39", "18至39")
    age["choices"][1]["label"] = bilingual_text("40 or older", "40以上")
    theft["text"] = bilingual_text("Have you taken something home?", "您拿过东西回家吗？")
    return draft


# --- sections and questions, and drafts of these ---


def not_none(value: Value | None) -> Value:
    assert value is not None
    return value


def question(name: str, *choices: str, **more: Any) -> dict[str, Any]:
    named = [{"name": choice, "label": bilingual_text(choice)} for choice in choices or ("a", "b")]
    return {"name": name, "form": "one", "text": bilingual_text(f"{name}?"), "choices": named, **more}


def options(group: str, *names: str) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "form": "many",
            "of": group,
            "text": bilingual_text(f"{group}?"),
            "choices": [{"name": "no"}, {"name": "yes", "label": bilingual_text(name)}],
        }
        for name in names
    ]


def plain(*questions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "plain", "questions": list(questions), **more}


def sensitive(*questions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "unrelated-question", "keep": "0.5000", "questions": list(questions), **more}


def draft(*sections: dict[str, Any], **more: Any) -> Questionnaire:
    return read_questionnaire(complete(sections=list(sections), **more))


def stored_draft(*sections: dict[str, Any], **more: Any) -> StoredDraft:
    """The same as a survey stores it."""
    return draft(*sections, **more).as_json()


def put(survey: "Survey", *sections: dict[str, Any], **more: Any) -> "Survey":
    """The survey, whose draft this is now."""
    survey.draft = stored_draft(*sections, **more)
    survey.save()
    return survey


def section_of(given: Questionnaire, number: int = 0) -> Any:
    """Of whichever kind."""
    return given.sections[number]


def read(section: dict[str, Any]) -> Any:
    """One section as the builder reads it."""
    return section_of(draft(section))


def names(given: Questionnaire) -> list[list[str]]:
    return [[each.name for each in section.questions] for section in given.sections]


def classes(name: str, *points: int, keep: str = "0.8000", **more: Any) -> dict[str, Any]:
    """A section of its own: the lowest number, the limits, the highest."""
    ends = {"low": points[0], "high": points[-1]}
    law = {"law": "classes", **ends, "limits": list(points[1:-1]), "cuts": 1}
    asked = {"name": name, "text": bilingual_text(f"{name}?"), **law}
    rest = {"keep_rest": keep} if more.get("rest") else {}
    return {"kind": "number", "keep": keep, **rest, "questions": [{**asked, **more}]}


def window(
    name: str, values: int = 1001, half: int = 100, uniform: str = "0.5000", **more: Any
) -> dict[str, Any]:
    asked = {
        "name": name,
        "text": bilingual_text(f"{name}?"),
        "law": "window",
        "values": values,
        "window": half,
    }
    return {"kind": "number", "questions": [{**asked, "uniform": uniform, **more}]}


def drawn_question(name: str, *choices: str, **more: Any) -> dict[str, Any]:
    """By the device, in halves where nobody says otherwise."""
    return {**question(name, *choices), "form": "drawn", "shares": ["0.5000", "0.5000"], **more}


def crosswise(name: str, **more: Any) -> dict[str, Any]:
    """A section of its own."""
    asked = {"name": name, "text": bilingual_text(f"{name}?"), "choices": ["no", "yes"], "share": "0.2466"}
    secret = {"secret": bilingual_text("Was your mother born in spring?"), "source": "A calendar"}
    preset = {"preset": more.pop("preset")} if "preset" in more else {}
    return {"kind": "crosswise", **preset, "questions": [{**asked, **secret, **more}]}


def yes_no(name: str, *noise: str, **more: Any) -> dict[str, Any]:
    given = {"noise": list(noise)} if noise else {}
    return {"name": name, "form": "yes-no", "choices": YES_NO, **given, **more}


def ten_questions(**more: Any) -> dict[str, Any]:
    return sensitive(*(yes_no(f"q{number}") for number in range(10)), **more)


def grid(columns: int = 4, rows: int = 3) -> list[dict[str, Any]]:
    """A1 is in the south-west; squares of 2 by 2."""
    made = []
    for row in range(rows):
        for column in range(columns):
            x, y = 2 * column, 2 * row
            shape = [x, y, x + 2, y, x + 2, y + 2, x, y + 2]
            name = f"{'ABCDEFGHIJ'[column]}{row + 1}"
            made.append({"name": name, "label": {}, "at": [x + 1, y + 1], "shape": [shape]})
    return made


def region(name: str, *cells: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "label": bilingual_text(name.capitalize()), "cells": list(cells), **more}


NORTH = region("north", "A3", "B3", "C3", "D3")
SOUTH = region("south", "A1", "B1")


def place(
    name: str, *regions: dict[str, Any], near: int = 2, odds: str = "7.38", **more: Any
) -> dict[str, Any]:
    """A section of its own, on a grid of twelve cells: b = 2·638/(2·638 + 600) = .680 with both regions."""
    asked = {"name": name, "text": bilingual_text(f"{name}?"), "cells": grid(), "near": near, "odds": odds}
    divided = deepcopy(list(regions or (NORTH, SOUTH)))
    return {"kind": "place", "questions": [{**asked, "regions": divided, **more}]}


# --- a draft with arms, and hypotheses of every kind about it ---

SALT = "0123456789abcdef" * 2
SHARE = {"kind": "share", "item": "theft=yes", "than": "0.1000"}
EVERY: list[dict[str, Any]] = [
    SHARE,
    {"kind": "arms", "item": "theft=yes"},
    {"kind": "version", "item": "theft=yes", "by": "wording"},
    {"kind": "association", "antecedent": ["age=b"], "consequent": ["theft=yes"]},
    {
        "kind": "coefficient",
        "item": "theft=yes",
        "model": "logit",
        "covariates": ["age", "arm"],
        "of": "age=b",
    },
]


def study(**more: Any) -> StoredDraft:
    scale = question("mood", "1", "2", "3", form="scale")
    return stored_draft(
        plain(question("age"), drawn_question("wording", "x", "y"), scale),
        sensitive(question("theft", "no", "yes", form="yes-no")),
        **{"direct": "0.5000", "open_answers": False, "expected": 2000, **more},
    )


def add_plan(draft: StoredDraft, *given: dict[str, Any]) -> StoredDraft:
    plan = draft.get(hypotheses.KEY, {})
    for each in given:
        plan = hypotheses.add_hypothesis(plan, each, SALT)
    return {**draft, hypotheses.KEY: plan}
