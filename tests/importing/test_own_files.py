"""What only our own files hold: designs of studies, and words of answers for sentences of reports."""

import json
from typing import Any

import pytest

from importing import candor_format, questionnaire_file
from privacy.designs import parse_design
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.design_from_draft import design_json_from_draft, freeze_design
from surveys.questionnaire.report_sentence_texts import SentenceTexts
from tests.importing.conftest import faults
from tests.importing.flow.made_files import form
from tests.surveys.drafts import classes, complete, place, plain, question, sensitive, stored_draft

TOOK = {"en": "took supplies home", "de": "nahmen Material mit"}


def draft_with_words() -> Any:
    choices = [{"name": "no"}, {"name": "yes", "predicate": TOOK}]
    theft = question("theft") | {"form": "yes-no", "choices": choices}
    home = place("home")
    home["questions"][0]["regions"][0]["people"] = {"en": "people in the north"}
    number = classes("hours", 0, 10, 20, 40, quantity={"en": "their hours"}, sentence_unit={"de": "Stunden"})
    return stored_draft(plain(question("sector")), sensitive(theft), number, home)


def test_own_file_keeps_sentence_texts_and_is_a_design_for_every_command() -> None:
    draft = draft_with_words()
    file = candor_format.write(draft)
    again = candor_format.read(file)
    assert again["sections"] == draft["sections"]
    assert SentenceTexts.from_draft(again) == SentenceTexts.from_draft(draft) != SentenceTexts()
    assert parse_design(file) == parse_design(design_json_from_draft(draft))
    assert freeze_design(again).fingerprint == freeze_design(draft).fingerprint


def test_own_file_with_a_text_unfit_for_a_sentence_is_refused() -> None:
    texts: list[tuple[Any, str]] = [("took: all", "colon"), ("took it.", "full stop"), ("x" * 81, "80")]
    for text, reason in (*texts, (7, "must be a text")):
        given = json.loads(candor_format.write(draft_with_words()))
        given["sections"][1]["questions"][0]["choices"][1]["predicate"] = {"en": text}
        [fault] = faults(json.dumps(given).encode(), candor_format.read)
        assert fault.startswith("sections[1].questions[0].choices[1].predicate.en: ")
        assert reason in fault


def test_foreign_form_stores_no_proposed_sentences() -> None:
    """They follow its questions until the survey opens, marked like those of questions that were typed."""
    taken = questionnaire_file.read(form(["select_one yes_no", "theft", "Have you stolen?"]))
    assert SentenceTexts.from_draft(taken.draft) == SentenceTexts()
    assert [line.words for line in taken.lines] == ["Have you stolen?"]
    own = questionnaire_file.read(candor_format.write(complete()))
    assert SentenceTexts.from_draft(own.draft) == SentenceTexts()
    assert read_questionnaire(own.draft).as_json() == own.draft


YES_NO = ["no", "yes"]
DESIGN = {"format": "candor-design/1", "least": 200}
DISGUISED = {"kind": "unrelated-question", "keep": "0.5", "questions": [{"name": "s", "choices": YES_NO}]}
CROSSWISE: dict[str, Any] = {"name": "c", "text": {"en": "?"}, "choices": YES_NO}
CROSSWISE |= {"secret": {"en": "Spring?"}, "share": "0.2466"}
PLAIN = {"name": "a", "choices": YES_NO, "known": "0.1"}
VERSIONS = {"name": "v", "form": "drawn", "choices": ["a", "b"], "shares": ["0.5", "0.5"]}


@pytest.mark.parametrize(
    "design",
    [
        {"direct": "0.5", "sections": [DISGUISED]},
        {"follows": "0" * 64, "sections": [DISGUISED]},
        {"sections": [{"kind": "crosswise", "questions": [CROSSWISE]}]},
        {"sections": [{"kind": "plain", "questions": [PLAIN]}]},
        {"sections": [{"kind": "plain", "questions": [VERSIONS]}]},
    ],
    ids=["direct", "follows", "crosswise", "known", "drawn"],
)
def test_study_design_is_imported_and_editable(design: dict[str, Any]) -> None:
    written = json.dumps(DESIGN | design)
    draft = candor_format.read(written.encode())
    assert all(section.is_known for section in read_questionnaire(draft).sections)
    came_in, given = parse_design(design_json_from_draft(draft)), parse_design(written)
    assert (came_in.direct_parts, came_in.follows) == (given.direct_parts, given.follows)
    assert [each.mined_law for each in came_in.sections] == [each.mined_law for each in given.sections]
    # The file holds no hypotheses, so a draft that was made from it cannot keep the promise of their hash.
    assert "plan" not in candor_format.read(json.dumps(DESIGN | design | {"plan": "0" * 64}).encode())
