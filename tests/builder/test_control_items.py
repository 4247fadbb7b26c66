"""Control items in the builder: plain ones proposed, their known share, and what one costs inside a section."""

from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from builder.editing.commands import add_question_command, section_digest
from builder.editing.save_edit import load_questionnaire
from importing import candor_format
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.section_layouts import admissible_keep
from privacy.kinds.grouped.law import SectionLaw
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.models import Survey
from surveys.questionnaire.choice_question_kinds import change_question_kind, set_prefer_not_to_say
from surveys.questionnaire.draft_question import error_growth_of_other_questions
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.conftest import SCRIPT, of_question
from tests.builder.written import crosswise, draft as written, names, plain, question, sensitive, stored

pytestmark = pytest.mark.page
HALF = (Fraction(1, 2), Fraction(1, 2))


def yes_no(name: str, **more: Any) -> dict[str, Any]:
    return {**question(name, "no", "yes", **more), "form": "yes-no"}


def known(given: Questionnaire) -> list[object]:
    return [each.known or None for section in given.sections for each in section.questions]


def test_the_normal_form_and_our_format_keep_a_known_share(subtests: pytest.Subtests) -> None:
    for share in ["0.0000", "0.3000", "0.7000", "1.0000"]:
        with subtests.test(f"{share!r:.60}"):
            made = written(
                plain(yes_no("moon", known=share)),
                sensitive(yes_no("mars", known=share)),
                crosswise("tax", known=share),
            )
            assert known(made) == [share] * 3
            assert read_questionnaire(made.as_json()) == made
            assert (
                known(read_questionnaire(candor_format.read(candor_format.write(made.as_json()))))
                == [share] * 3
            )
            assert [each.known_parts for each in freeze_design(made.as_json()).questions] == [
                int(float(share) * 10_000)
            ] * 3


def test_what_a_design_refuses_is_dropped(subtests: pytest.Subtests) -> None:
    for share in ["0.3001", "0.6999", "1.1000", "-0.1000", "", 0, None]:
        with subtests.test(f"{share!r:.60}"):
            assert known(written(plain(yes_no("moon", known=share)))) == [None]
            assert known(written(plain(question("age", known="0.0000")))) == [None]


def test_a_question_that_is_no_longer_yes_or_no_alone_is_no_control_item() -> None:
    made = written(plain(yes_no("moon", known="0.0000")))
    assert known(set_prefer_not_to_say(made, "moon", True)) == [None]
    assert known(change_question_kind(made, "moon", "one")) == [None]


@pytest.mark.parametrize(("alone", "factor"), [(1, 1.2), (3, 1.4), (5, 1.7)])
def test_inside_a_section_it_costs_what_the_design_document_says(alone: int, factor: float) -> None:
    """At gamma 19 with theta one half, a share of .1."""
    keep = admissible_keep((HALF,) * (alone + 1), alone + 1, GammaLimit(Fraction(19), strict=False))
    assert keep is not None
    found = error_growth_of_other_questions(SectionLaw(keep, (HALF,) * (alone + 1), alone + 1), alone)
    assert found == pytest.approx(factor, abs=0.05)


def test_alone_in_its_section_it_costs_others_nothing() -> None:
    assert error_growth_of_other_questions(SectionLaw(Fraction(1, 2), (HALF,), 1), 0) is None


def added(given: Questionnaire, section: int) -> list[list[str]]:
    sent = {"kind": "control", "section": str(section), "seen": section_digest(given.sections[section])}
    return names(add_question_command(given, sent).draft)


def test_a_plain_one_is_proposed_wherever_it_is_asked_for() -> None:
    """In this section if it is plain, else in the nearest above, else in a new one before it."""
    asked, told = plain(yes_no("q1")), sensitive(yes_no("theft"))
    assert added(written(asked, told), 0) == [["q1", "q2"], ["theft"]]
    assert added(written(asked, told, told | {"questions": [yes_no("debt")]}), 2) == [
        ["q1", "q2"],
        ["theft"],
        ["debt"],
    ]
    assert added(written(told, asked), 0) == [["q2"], ["theft"], ["q1"]]
    sent = {"kind": "control", "section": "0", "seen": section_digest(written(asked).sections[0])}
    assert known(add_question_command(written(asked), sent).draft) == [None, "0.0000"]


@pytest.fixture
def survey(draft: Survey) -> Survey:
    draft.draft = stored(
        plain(yes_no("moon", known="0.0000"), question("age")), sensitive(yes_no("mars"), yes_no("theft"))
    )
    draft.save()
    return draft


def save(client: Client, survey: Survey, key: str, **sent: object) -> Any:
    survey.refresh_from_db()
    fields = {**of_question(survey, key), **sent}
    return client.post(f"/app/surveys/{survey.pk}/edit/save", fields, headers=SCRIPT)


def test_the_known_share_is_saved_and_taken_away(client: Client, survey: Survey) -> None:
    assert save(client, survey, "mars", known="97.5").status_code == 200
    survey.refresh_from_db()
    assert known(load_questionnaire(survey)) == ["0.0000", None, "0.9750", None]
    save(client, survey, "moon", known="")
    survey.refresh_from_db()
    assert known(load_questionnaire(survey))[0] is None


def test_a_share_near_one_half_is_refused(client: Client, survey: Survey, subtests: pytest.Subtests) -> None:
    for share in ["31", "69.99", "101", "-1", "few"]:
        with subtests.test(f"{share!r:.60}"):
            assert save(client, survey, "moon", known=share).status_code == 422


def test_its_cost_is_said_inside_a_section_only(client: Client, survey: Survey) -> None:
    def opened(key: str) -> str:
        return client.get(f"/app/surveys/{survey.pk}/edit", {"open": key}).content.decode()

    assert "makes the errors of the others" in opened("mars")
    assert "makes the errors of the others" not in opened("moon")
    assert 'name="known"' not in opened("age")


def test_the_list_says_which_question_is_one(client: Client, survey: Survey) -> None:
    page = client.get(f"/app/surveys/{survey.pk}/edit").content.decode().replace("\u00a0", " ")
    assert "Control item: 0 % truly say yes" in page
    assert 'value="control"' in page
