"""What the builder makes of what was typed, a design takes."""

import json

import pytest
from hypothesis import example, given, strategies as st

from privacy.designs import parse
from surveys.questionnaire.normal_values import name_of


@pytest.mark.page
@given(st.text(st.characters(categories=["L", "M", "N", "P", "S", "Z", "Cc", "Cf", "Co"])))
@example("\u2067theft\u2069")
@example("\u200bthe\u00adft\ufeff")
@example("می\u200cخواهم")
def test_the_nearest_name_to_anything_typed_is_a_name_of_a_design(typed: str) -> None:
    name = name_of(typed)
    question = {"name": name or "nothing", "choices": ["a", "b"]}
    written = {"format": "candor-design/1", "sections": [{"kind": "plain", "questions": [question]}]}
    if name != "group":
        assert parse(json.dumps(written)).questions[0].name == (name or "nothing")
