"""The words of the classes of a number, as codebooks and files have them."""

import json

import pytest

from privacy.designs import parse
from privacy.kinds.number.classes.section import ClassesQuestion
from surveys.kinds.number.kind import class_texts
from tests.privacy.questionnaires import classes, written


@pytest.mark.parametrize(
    ("unit", "below", "more"),
    [
        ("hours", "below 1 hour", "1 hour or more"),
        ("hours a week", "below 1 hour a week", "1 hour a week or more"),
        ("drinks", "below 1 (drinks)", "1 (drinks) or more"),
        ("", "below 1", "1 or more"),
    ],
)
def test_of_1_a_unit_has_its_singular(unit: str, below: str, more: str) -> None:
    section = classes("overtime", "0.7", 0, 1, 5, 20, unit={"en": unit} if unit else "")
    question = parse(json.dumps(written(section))).questions[0]
    assert isinstance(question, ClassesQuestion)
    words = class_texts(question, "en")
    assert {below, more} <= {*words}
    assert f"below 5 {unit}".strip() in words
