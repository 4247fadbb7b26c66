"""What the builder makes of what was typed, a design takes."""

import json
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from privacy.designs import parse_design
from surveys.kinds.read_draft import read_questionnaire
from surveys.questionnaire.value_normalization import normal_name


def asking(name: str) -> dict[str, Any]:
    question = {"name": name, "choices": ["a", "b"]}
    return {"format": "candor-design/1", "sections": [{"kind": "plain", "questions": [question]}]}


@pytest.mark.page
@given(st.text(st.characters(categories=["L", "M", "N", "P", "S", "Z", "Cc", "Cf", "Co"])))
@example("\u2067theft\u2069")
@example("\u200bthe\u00adft\ufeff")
@example("می\u200cخواهم")
@example("group")
def test_the_nearest_name_to_anything_typed_is_a_name_of_a_design(typed: str) -> None:
    name = normal_name(typed)
    (question,) = read_questionnaire(asking(typed)).all_questions
    if name != "group":
        assert question.name == (name or "q1")
    assert parse_design(json.dumps(asking(question.name))).questions[0].name == question.name
