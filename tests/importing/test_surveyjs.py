"""Surveys of SurveyJS, put together as its creator saves them."""

import json
from typing import Any

import pytest

from importing import questionnaire_file
from importing.faults import FileRefused
from importing.import_result import LEFT, ImportResult

YES_NO = ["yes", {"value": "no", "text": {"default": "No", "de": "Nein"}}]


def element(name: str, kind: str = "radiogroup", **more: Any) -> dict[str, Any]:
    return {"type": kind, "name": name, **({"choices": YES_NO} if kind != "panel" else {}), **more}


def survey(*elements: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"pages": [{"name": "page1", "elements": [*elements]}], **more}).encode()


def questions_in(taken: ImportResult) -> list[dict[str, Any]]:
    return [question for section in taken.draft["sections"] for question in section["questions"]]


def rules(*elements: dict[str, Any], **more: Any) -> dict[str, Any]:
    made = questions_in(questionnaire_file.read(survey(*elements, **more)))
    return {each["name"]: each.get("show_if", {}) for each in made}


def test_conditions_of_questions_panels_and_lists_become_rules() -> None:
    inner = element("inner", visibleIf="{several} contains 'no'")
    assert rules(
        element("first"),
        element("several", "checkbox"),
        element("panel", "panel", visibleIf="{first} = 'yes'", elements=[inner]),
        element("after"),
        element("any", visibleIf="{first} anyof ['yes']"),
        element("truth", "boolean"),
        element("true", visibleIf="{truth} = true"),
    ) == {
        "first": {},
        "several-yes": {},
        "several-no": {},
        "inner": {"first": ["yes"], "several-no": ["yes"]},
        "after": {},
        "any": {"first": ["yes"]},
        "truth": {},
        "true": {"truth": ["true"]},
    }


def test_languages_titles_and_matrices_come_in() -> None:
    table = {
        "columns": ["never", "often"],
        "rows": [{"value": "r1", "text": {"default": "Lie", "de": "Lügen"}}, "r2"],
    }
    taken = questionnaire_file.read(
        survey(element("table", "matrix", title={"default": "How?", "de": "Wie?"}, **table), title="Honesty")
    )
    lie, second = questions_in(taken)
    assert taken.draft["languages"] == ["en", "de"]
    assert lie["text"] == {"en": "Lie", "de": "Lügen"}
    assert lie["of"] == second["of"]
    assert taken.draft["title"] == {"en": "Honesty"}


@pytest.mark.parametrize(
    "written",
    ["{first} > 3", "age({first}) = 3", "{nobody} = 'yes'", "{several} notempty", "{several} = ['yes']"],
)
def test_a_condition_that_cannot_come_has_a_remark(written: str) -> None:
    taken = questionnaire_file.read(
        survey(element("first"), element("several", "checkbox"), element("x", visibleIf=written))
    )
    (row,) = [line for line in taken.lines if line.questions == ("x",)]
    assert "is left out, so everybody is asked" in " ".join(row.remarks)


def test_a_condition_may_ask_whether_there_is_an_answer() -> None:
    first = (element("a"), element("b", visibleIf="{a} = 'yes'"))
    taken = questionnaire_file.read(survey(*first, element("x", visibleIf="{b} notempty")))
    (rule,) = [
        each.get("show_if", {})
        for section in taken.draft["sections"]
        for each in section["questions"]
        if each["name"] == "x"
    ]
    assert rule == {"b": ["yes", "no"]}


def test_triggers_defaults_and_random_pages_are_named() -> None:
    taken = questionnaire_file.read(
        survey(
            element("first", defaultValue="yes"),
            element("off", visible=False),
            triggers=[{"type": "complete", "expression": "{first} = 'no'"}],
            questionsOrder="random",
        )
    )
    said = str(taken.lines)
    assert all(name in said for name in ("triggers", "questionsOrder", "defaultValue"))
    assert [line.location for line in taken.lines if line.outcome == LEFT][-1] == "question off"


def test_a_rating_has_its_points_with_the_words_of_its_ends() -> None:
    rating = {
        "type": "rating",
        "name": "r",
        "rateMax": 3,
        "minRateDescription": "bad",
        "maxRateDescription": "good",
    }
    (rated,) = questions_in(questionnaire_file.read(survey(rating)))
    assert [each["label"]["en"] for each in rated["choices"]] == ["1 bad", "2", "3 good"]


def nested(depth: int) -> dict[str, Any]:
    inner = element("q")
    for number in range(depth):
        inner = element(f"p{number}", "panel", elements=[inner])
    return inner


@pytest.mark.parametrize(
    "data",
    [
        survey(nested(60)),
        survey(*(element(f"q{n}") for n in range(6_000))),
        survey({"type": "comment", "name": "words"}),
        survey({"type": ["x"], "name": {"a": 1}, "choices": 3, "visibleIf": [], "title": [1]}),
        b'{"pages": [{"elements": ' + b"[" * 100_000,
    ],
)
def test_hostile_and_empty_surveys_are_refused(data: bytes) -> None:
    with pytest.raises(FileRefused):
        questionnaire_file.read(data)


def test_what_nobody_can_see_or_answer_is_left_out() -> None:
    closed = (
        element("o", readOnly=True),
        element("p", "panel", readOnly=True, elements=[element("inner")]),
        element("f", "flowpanel", visible=False, elements=[element("unseen")]),
    )
    taken = questionnaire_file.read(survey(element("a"), *closed))
    asked = [each["name"] for section in taken.draft["sections"] for each in section["questions"]]
    left = {line.location for line in taken.lines if line.outcome == LEFT}
    assert asked == ["a"]
    assert {"question o", "question inner", "question unseen"} <= left


def test_choices_that_a_setting_adds_come_in() -> None:
    asked = element("a", showRefuseItem=True, showDontKnowItem=True, dontKnowText="No idea")
    taken = questionnaire_file.read(survey(asked, element("x", visibleIf="{a} = 'refused'")))
    labels = [each["label"]["en"] for each in taken.draft["sections"][0]["questions"][0]["choices"]]
    assert labels[-2:] == ["Refuse to answer", "No idea"]
    assert taken.draft["sections"][0]["questions"][1]["show_if"] == {"a": ["refused"]}
