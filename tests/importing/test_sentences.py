"""Words of answers for sentences of reports: in our own files, and proposed for forms from elsewhere."""

import json
from typing import Any

import pytest

from importing import candor_format, questionnaire_file
from importing.faults import FileRefused
from importing.import_result import CHANGED
from privacy.designs import parse
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.freeze_draft import design_json_from_draft, freeze_design
from surveys.questionnaire.report_sentence_texts import SentenceTexts
from tests.builder.placed import place
from tests.builder.written import classes, plain, question, sensitive, stored
from tests.importing.spreadsheets import form
from tests.surveys.drafts import complete

TOOK = {"en": "took supplies home", "de": "nahmen Material mit"}


def drafted() -> Any:
    theft = question("theft") | {
        "form": "yes-no",
        "choices": [{"name": "no"}, {"name": "yes", "predicate": TOOK}],
    }
    home = place("home")
    home["questions"][0]["regions"][0]["people"] = {"en": "people in the north"}
    number = classes("hours", 0, 10, 20, 40, quantity={"en": "their hours"}, sentence_unit={"de": "Stunden"})
    return stored(plain(question("sector")), sensitive(theft), number, home)


def test_our_own_file_keeps_them_and_is_a_design_for_every_command() -> None:
    draft = drafted()
    file = candor_format.write(draft)
    again = candor_format.read(file)
    assert again["sections"] == draft["sections"]
    assert SentenceTexts.from_draft(again) == SentenceTexts.from_draft(draft) != SentenceTexts()
    assert parse(file) == parse(design_json_from_draft(draft))
    assert freeze_design(again).fingerprint == freeze_design(draft).fingerprint


@pytest.mark.parametrize(
    ("text", "path", "reason"),
    [
        ("took: all", "predicate.en", "colon"),
        ("took it.", "predicate.en", "full stop"),
        ("x" * 81, "predicate.en", "80"),
        (7, "predicate.en", "must be a text"),
    ],
)
def test_a_file_with_a_text_that_cannot_stand_in_a_sentence_is_refused(
    text: Any, path: str, reason: str
) -> None:
    given = json.loads(candor_format.write(drafted()))
    given["sections"][1]["questions"][0]["choices"][1]["predicate"] = {"en": text}
    with pytest.raises(FileRefused) as found:
        candor_format.read(json.dumps(given).encode())
    [fault] = found.value.faults
    assert fault.location == f"sections[1].questions[0].choices[1].{path}"
    assert reason in fault.reason


def test_a_form_from_elsewhere_gets_what_its_questions_show_and_says_so() -> None:
    taken = questionnaire_file.read(
        form(
            ["select_one yes_no", "theft", "Have you stolen?"], ["select_one ages", "age", "How old are you?"]
        )
    )
    assert SentenceTexts.from_draft(taken.draft).predicates == {
        "theft=no": {"en": "have not stolen"},
        "theft=yes": {"en": "have stolen"},
    }
    line = taken.lines[-1]
    assert (line.outcome, line.words, line.questions) == (CHANGED, "Have you stolen?", ())
    assert "the answers of 1 question by words made of the question" in line.remarks[0]
    plain_form = questionnaire_file.read(form(["select_one ages", "age", "How old are you?"]))
    assert [line.words for line in plain_form.lines] == ["How old are you?"]


def test_our_own_file_is_taken_as_it_is() -> None:
    taken = questionnaire_file.read(candor_format.write(complete()))
    assert SentenceTexts.from_draft(taken.draft) == SentenceTexts()
    assert read_questionnaire(taken.draft).as_json() == taken.draft
