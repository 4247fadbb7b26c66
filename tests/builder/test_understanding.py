"""The check of understanding: its switch on the page Study, who may set it, and the design that it makes."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing.save_edit import load_questionnaire
from builder.editing.separately_saved_parts import part_digest
from builder.pages.study_settings import UnderstandingPart
from importing import candor_format
from privacy.designs import InputError
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import survey_creation
from surveys.lifecycle.draft_problems import draft_problems
from surveys.lifecycle.freeze_draft import freeze_design, needed_phrases
from surveys.models import Design as DesignRow, Survey
from surveys.needs_no_script import can_be_answered_without_script
from surveys.phrases.answering import UNDERSTANDING
from surveys.phrases.languages import SHIPPED
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.written import crosswise, draft as written, plain, question, sensitive
from tests.cast import As
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
CHOICES = ("at-once", "explained", "not")


def asking(**more: Any) -> Questionnaire:
    return written(plain(question("age")), sensitive(question("theft", "no", "yes")), **more)


@pytest.fixture
def survey(draft: Survey) -> Survey:
    draft.draft = asking().as_json()
    draft.save()
    return draft


def save(client: Client, survey: Survey, *, on: bool, **sent: str) -> Any:
    survey.refresh_from_db()
    base = part_digest(UnderstandingPart(), load_questionnaire(survey))
    ticked = {"understanding": "on"} if on else {}
    address = f"/app/surveys/{survey.pk}/edit/study/save"
    return client.post(address, {"part": "understanding", "base": base, **ticked, **sent})


def is_on(survey: Survey) -> bool:
    survey.refresh_from_db()
    return read_questionnaire(survey.draft).understanding


def test_it_is_switched_on_and_off_and_off_leaves_the_fingerprint_as_it_was(
    survey: Survey, owner: Person, signed_in_as: As
) -> None:
    client, before = signed_in_as(owner), freeze_design(survey.draft)
    assert (
        "Check whether respondents understand"
        in client.get(f"/app/surveys/{survey.pk}/edit/study").content.decode()
    )
    assert save(client, survey, on=True).status_code == 302
    assert is_on(survey)
    during = freeze_design(survey.draft)
    assert during.fingerprint != before.fingerprint
    assert save(client, survey, on=False).status_code == 302
    assert not is_on(survey)
    assert freeze_design(survey.draft).canonical == before.canonical
    assert "understanding" not in survey.draft


def test_the_design_ends_with_one_plain_question_of_three_choices() -> None:
    design = freeze_design(asking(understanding=True).as_json())
    check = design.questions[-1]
    assert (design.understanding_index, check.name, check.code_names) == (2, "understood", CHOICES)
    assert not design.sections[-1].sensitive
    off = freeze_design(asking().as_json())
    assert design.sections[:-1] == off.sections
    assert off.understanding_index is None
    assert "understanding" not in off.as_json()


def test_nobody_else_may_switch_it(
    survey: Survey, stranger: Person, viewer: Person, signed_in_as: As, subtests: pytest.Subtests
) -> None:
    for who in ["nobody", "stranger", "viewer"]:
        with subtests.test(f"{who!r:.60}"):
            people = {"nobody": None, "stranger": stranger, "viewer": viewer}
            response = save(signed_in_as(people[who]), survey, on=True)
            assert response.status_code == {"nobody": 302, "stranger": 404, "viewer": 403}[who]
            if who == "nobody":
                assert response["Location"].startswith("/app/account/sign-in")
            assert not is_on(survey)


def test_it_is_saved_by_post_alone(
    survey: Survey, owner: Person, signed_in_as: As, subtests: pytest.Subtests
) -> None:
    for method in ["get", "put", "delete"]:
        with subtests.test(f"{method!r:.60}"):
            address = f"/app/surveys/{survey.pk}/edit/study/save"
            assert getattr(signed_in_as(owner), method)(address).status_code == 405


def test_another_persons_change_is_a_conflict(survey: Survey, owner: Person, signed_in_as: As) -> None:
    assert save(signed_in_as(owner), survey, on=True, base="old").status_code == 409
    assert not is_on(survey)


def test_where_nothing_is_disguised_there_is_nothing_to_understand(
    survey: Survey, owner: Person, signed_in_as: As
) -> None:
    survey.draft = written(plain(question("age"))).as_json()
    survey.save()
    response = save(signed_in_as(owner), survey, on=True)
    assert response.status_code == 422
    assert "Nothing is disguised yet, so there is nothing to understand." in response.content.decode()
    # The sensitive question was deleted afterwards.
    left = written(plain(question("age")), understanding=True).as_json()
    with pytest.raises(InputError, match="nothing is disguised"):
        freeze_design(left)
    assert "understanding" in [problem.path for problem in draft_problems(left, NOW.date(), 20)]


def test_a_question_of_the_same_name_has_to_get_another(
    survey: Survey, owner: Person, signed_in_as: As
) -> None:
    own_question = (plain(question("understood")), sensitive(question("theft", "no", "yes")))
    survey.draft = written(*own_question).as_json()
    survey.save()
    response = save(signed_in_as(owner), survey, on=True)
    assert response.status_code == 422
    assert "A question is called “understood”" in response.content.decode()
    with pytest.raises(InputError, match="give it another name"):
        freeze_design(written(*own_question, understanding=True).as_json())
    # Without the check it is a name like any other.
    assert freeze_design(written(*own_question).as_json()).understanding_index is None


def test_its_texts_are_in_every_language_of_the_survey() -> None:
    spoken = list(SHIPPED)
    texts = dict.fromkeys(spoken, "?")
    asked = sensitive({"name": "theft", "form": "yes-no", "text": texts, "choices": ["no", "yes"]})
    check = freeze_design(written(asked, languages=spoken, understanding=True).as_json()).questions[-1]
    for said in (check.text, *(choice.label for choice in check.choices)):
        words = [said.in_language(code) for code in spoken]
        assert all(words)
        assert len(set(words)) > 4


def test_a_language_that_candor_does_not_speak_says_it_in_the_researchers_words() -> None:
    phrases = {
        "understood_stored": {"pl": "Czy pytania zostały zrozumiane?"},
        "understood_not": {"pl": "Nie"},
    }
    draft = asking(languages=["en", "pl"], understanding=True, phrases=phrases).as_json()
    check = freeze_design(draft).questions[-1]
    assert check.text.in_language("pl") == "Czy pytania zostały zrozumiane?"
    assert check.choices[2].label.in_language("pl") == "Nie"


def test_only_such_a_survey_needs_its_sentences_and_has_no_page_without_javascript() -> None:
    pair = (plain(question("age")), crosswise("tax"))
    off = written(*pair, open_answers=False).as_json()
    on = written(*pair, open_answers=False, understanding=True).as_json()
    assert needed_phrases(on).keys() >= UNDERSTANDING.keys()
    assert not needed_phrases(off).keys() & UNDERSTANDING.keys()
    assert can_be_answered_without_script(freeze_design(off))
    assert not can_be_answered_without_script(freeze_design(on))
    assert "form_link" in dict(freeze_design(off).phrases)
    assert "form_link" not in dict(freeze_design(on).phrases)


def test_the_page_says_why_there_is_no_page_without_javascript(
    survey: Survey, owner: Person, signed_in_as: As
) -> None:
    page = signed_in_as(owner).get(f"/app/surveys/{survey.pk}/edit/study").content.decode()
    assert "anyone who watches the network could count the tries" in page


def test_a_copy_of_an_opened_survey_asks_the_check_once(survey: Survey, owner: Person) -> None:
    design = freeze_design(asking(understanding=True).as_json())
    row = DesignRow.objects.create(fingerprint=design.fingerprint, json=design.canonical)
    opened = Survey.objects.create(owner=owner, design=row, draft={}, state="closed", closed_at=NOW)
    copy = survey_creation.duplicate_survey(opened, owner, NOW)
    again = read_questionnaire(copy.draft)
    assert again.understanding
    assert [section.kind for section in again.sections] == ["plain", "unrelated-question"]
    assert freeze_design(copy.draft).sections == design.sections
    assert freeze_design(again.as_json()).sections == design.sections


def test_a_file_of_the_questionnaire_keeps_the_switch() -> None:
    made = asking(understanding=True).as_json()
    read = candor_format.read(candor_format.write(made))
    assert read["understanding"] is True
    assert read["sections"] == made["sections"]
