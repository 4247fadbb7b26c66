"""Drafts for the builder's tests: their sections and questions as JSON, and what the builder reads of it."""

from typing import Any

from surveys.draft_json import Draft
from surveys.kinds.read_draft import read_questionnaire
from surveys.questionnaire.questionnaire import Questionnaire
from tests.surveys.drafts import complete, said


def question(name: str, *choices: str, **more: Any) -> dict[str, Any]:
    named = [{"name": choice, "label": said(choice)} for choice in choices or ("a", "b")]
    return {"name": name, "form": "one", "text": said(f"{name}?"), "choices": named, **more}


def options(group: str, *names: str) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "form": "many",
            "of": group,
            "text": said(f"{group}?"),
            "choices": [{"name": "no"}, {"name": "yes", "label": said(name)}],
        }
        for name in names
    ]


def plain(*questions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "plain", "questions": list(questions), **more}


def sensitive(*questions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "unrelated-question", "keep": "0.5000", "questions": list(questions), **more}


def draft(*sections: dict[str, Any], **more: Any) -> Questionnaire:
    return read_questionnaire(complete(sections=list(sections), **more))


def stored(*sections: dict[str, Any], **more: Any) -> Draft:
    """The same as a survey stores it."""
    return draft(*sections, **more).as_json()


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
    asked = {"name": name, "text": said(f"{name}?"), **law}
    rest = {"keep_rest": keep} if more.get("rest") else {}
    return {"kind": "number", "keep": keep, **rest, "questions": [{**asked, **more}]}


def window(
    name: str, values: int = 1001, half: int = 100, uniform: str = "0.5000", **more: Any
) -> dict[str, Any]:
    asked = {"name": name, "text": said(f"{name}?"), "law": "window"}
    return {
        "kind": "number",
        "questions": [{**asked, "values": values, "window": half, "uniform": uniform, **more}],
    }


def drawn(name: str, *choices: str, **more: Any) -> dict[str, Any]:
    """By the device, in halves where nobody says otherwise."""
    return {**question(name, *choices), "form": "drawn", "shares": ["0.5000", "0.5000"], **more}


def crosswise(name: str, **more: Any) -> dict[str, Any]:
    """A section of its own."""
    asked = {"name": name, "text": said(f"{name}?"), "choices": ["no", "yes"], "share": "0.2466"}
    secret = {"secret": said("Was your mother born in spring?"), "source": "A calendar"}
    preset = {"preset": more.pop("preset")} if "preset" in more else {}
    return {"kind": "crosswise", **preset, "questions": [{**asked, **secret, **more}]}
