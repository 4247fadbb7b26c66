"""What an import loses is found by the comparison: each kind of loss is made on purpose."""

import copy
from dataclasses import replace
from typing import Any

import pytest

from importing import questionnaire_file
from importing.import_result import ImportResult
from tests.importing.flow.comparison import Comparison, compare
from tests.importing.flow.formats import FORMATS

pytestmark = pytest.mark.page
NAME, FILE, SPOKEN = "REDCap", "signs", "languages"


def compared(result: ImportResult, name: str = NAME, file: str = FILE) -> Comparison:
    return compare(FORMATS[name].read(FORMATS[name].files[file]), result)


def changed(change: Any, name: str = NAME, file: str = FILE) -> ImportResult:
    """The result after its draft was changed."""
    result = questionnaire_file.read(FORMATS[name].files[file])
    draft = copy.deepcopy(result.draft)
    for section in draft["sections"]:
        change(section["questions"])
    return replace(result, draft=draft)


def test_an_honest_import_loses_nothing() -> None:
    assert compared(changed(lambda questions: None)).losses == []


def test_lost_rules_and_lost_remarks_are_silent_losses() -> None:
    kept = compared(changed(lambda questions: None)).conditions
    without_rules = compared(changed(lambda questions: [each.update(show_if={}) for each in questions]))
    # `[sex] != ''` holds for everybody.
    assert without_rules.conditions["silent"] == kept["kept"] - 1 == 4
    other = compared(changed(lambda questions: questions[2].update(show_if={"sex": ["1"]})))
    assert other.conditions["silent"] == 1
    result = changed(lambda questions: None)
    unsaid = compared(replace(result, lines=tuple(replace(line, remarks=()) for line in result.lines)))
    assert unsaid.conditions["silent"] == kept["said"] >= 1


@pytest.mark.parametrize(
    ("change", "loss"),
    [
        (lambda questions: questions.reverse(), "is asked after"),
        (lambda questions: questions.pop(), "is neither asked nor named"),
        (lambda questions: questions[0]["choices"].reverse(), "the order of its answers"),
        (lambda questions: questions[0]["choices"].pop(), "1 of its 3 answers"),
        (
            lambda questions: questions.append({**questions[0], "name": "more"}),
            "though the file does not ask it",
        ),
    ],
)
def test_order_questions_and_answers_are_compared(change: Any, loss: str) -> None:
    result = changed(change)
    result = replace(result, lines=tuple(line for line in result.lines if "last" not in line.location))
    assert any(loss in each for each in compared(result).losses)


def test_a_lost_language_is_found() -> None:
    result = changed(lambda questions: None, "SurveyJS", SPOKEN)
    draft = {**result.draft, "languages": ["en"]}
    assert "the file: language ar" in compared(replace(result, draft=draft), "SurveyJS", SPOKEN).losses
    mute = changed(lambda questions: questions[0].update(text={"en": "Do you work?"}), "SurveyJS", SPOKEN)
    assert any("Arbeiten Sie" in each for each in compared(mute, "SurveyJS", SPOKEN).losses)
