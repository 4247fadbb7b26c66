"""Questions that the device answers by a random draw, in the builder."""

import pytest

from accounts.models import Person
from builder.editing.commands import add_question_command, section_digest
from importing import candor_format
from surveys.kinds.read_draft import read_questionnaire
from surveys.kinds.registry import KINDS
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.models import Survey
from surveys.questionnaire import answer_choices
from surveys.questionnaire.choice_question_kinds import (
    change_question_kind,
    question_kind,
    set_prefer_not_to_say,
)
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_blocks import find_block
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.written import draft as written, drawn, plain, question, sensitive, stored
from tests.cast import As

pytestmark = pytest.mark.page
THIRDS = ["0.3334", "0.3333", "0.3333"]


def added(given: Questionnaire, section: int = 0) -> Questionnaire:
    sent = {"kind": "drawn", "section": str(section), "seen": section_digest(given.sections[section])}
    return add_question_command(given, sent).draft


def shares(given: Questionnaire, key: str = "version") -> list[str]:
    return list(find_block(given, key)[1][0].shares)


def test_it_is_added_with_two_equal_answers() -> None:
    made = added(written(plain(question("age"))))
    assert shares(made, "q1") == ["0.5000", "0.5000"]
    assert read_questionnaire(made.as_json()) == made
    assert question_kind(find_block(made, "q1")[1]) == "drawn"
    assert "drawn by the device" in KINDS["plain"].summary_line(find_block(made, "q1")[1], "en").kind


def test_a_sensitive_section_takes_none() -> None:
    with pytest.raises(NotAllowed, match="not disguised"):
        added(written(sensitive(question("theft"))))


def test_another_answer_gets_an_equal_share() -> None:
    made, _row = answer_choices.add_choice(written(plain(drawn("version"))), "version")
    assert shares(made) == THIRDS
    less, _removed = answer_choices.remove_choice(made, "version", 2)
    assert shares(less) == ["0.5000", "0.5000"]


def test_nobody_prefers_not_to_be_drawn() -> None:
    with pytest.raises(NotAllowed):
        set_prefer_not_to_say(written(plain(drawn("version"))), "version", True)


@pytest.mark.django_db
def test_its_form_does_not_offer_to_prefer_not_to_say(
    survey: Survey, owner: Person, signed_in_as: As
) -> None:
    page = {}
    for made in (drawn("version"), question("version")):
        survey.draft = stored(plain(made))
        survey.save()
        page[made["form"]] = (
            signed_in_as(owner).get(f"/app/surveys/{survey.pk}/edit?open=version").content.decode()
        )
    assert 'value="prefer-not"' not in page["drawn"]
    assert 'value="prefer-not"' in page["one"]


def test_its_kind_can_change_both_ways() -> None:
    asked = change_question_kind(written(plain(drawn("version"))), "version", "one")
    assert not find_block(asked, "version")[1][0].shares
    assert shares(change_question_kind(asked, "version", "drawn")) == ["0.5000", "0.5000"]


def test_it_decides_which_question_is_shown() -> None:
    made = written(plain(drawn("version"), question("age", show_if={"version": ["a"]})))
    design = freeze_design(candor_format.read(candor_format.write(made.as_json())))
    assert design.drawn == (0,)
    assert design.questions[1].show_if
