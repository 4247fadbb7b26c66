"""Crosswise questions on the builder's pages: adding, editing, refusing, turning, translating."""

import pytest
from django.test import Client

from privacy.kinds.crosswise.section import CrosswiseSection
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.models import Survey
from tests.builder.conftest import HTMX, of_question, post_act, save, saved_draft, stored_question, translate
from tests.builder.test_protection_pages import send
from tests.surveys.conftest import page_text, post, update_row
from tests.surveys.drafts import bilingual_text, crosswise, drawn_question, plain, put, question

pytestmark = pytest.mark.page


@pytest.fixture
def survey(draft: Survey) -> Survey:
    return put(draft, plain(question("age", "young", "old"), drawn_question("version")), crosswise("tax"))


def test_crosswise_question_is_added_copied_moved_and_deleted(client: Client, survey: Survey) -> None:
    assert 'name="secret"' in post_act(client, survey, "section-add", kind="crosswise", headers=HTMX).text
    assert stored_question(survey, 2)["share"] == "0.2500"
    assert 'value="crosswise"' in page_text(client, survey, "edit")
    post_act(client, survey, "duplicate", key="tax")
    assert stored_question(survey, 2)["secret"] == stored_question(survey)["secret"]
    post_act(client, survey, "up", key="tax")
    assert stored_question(survey, 0)["name"] == "tax"
    post_act(client, survey, "delete", key="tax")
    assert len(saved_draft(survey).sections) == 3


def test_secret_source_and_a_share_that_a_design_takes_are_saved(client: Client, survey: Survey) -> None:
    sent = {"secret": "Is your house number even?", "share": "48.5", "source": "The land register"}
    assert save(client, survey, "tax", **sent).status_code == 200
    tax = stored_question(survey)
    assert (tax["secret"], tax["share"]) == (bilingual_text("Is your house number even?"), "0.4850")
    assert tax["source"] == "The land register"
    section = freeze_design(survey.draft).sections[1]
    assert isinstance(section, CrosswiseSection)
    assert section.question.secret_parts == 4850
    for share in ("50", "4.99", "95.01", "", "many"):
        assert save(client, survey, "tax", share=share).status_code == 422
        assert stored_question(survey) == tax


def test_the_form_shows_gamma_while_the_share_changes(client: Client, survey: Survey) -> None:
    """.7534 / .2466 = 3.055; with u = .2 it is 4."""
    assert "3.06 times" in page_text(client, survey, "edit", open="tax")
    fields = {**of_question(survey, "tax"), "share": "20"}
    assert "4.00 times" in post(client, survey, "edit/number", HTMX, **fields).text
    fields["share"] = "50"
    assert post(client, survey, "edit/number", HTMX, **fields).status_code == 204


def test_a_drawn_question_of_halves_above_turns_the_secret(client: Client, survey: Survey) -> None:
    """The field of the opposite secret is there only then."""
    assert 'name="turned"' not in page_text(client, survey, "edit", open="tax")
    assert 'name="turned"' in save(client, survey, "tax", "turn", HTMX, turned_by="version").text
    assert stored_question(survey)["turned_by"] == "version"
    save(client, survey, "tax", turned="Was your mother born in autumn or winter?")
    assert stored_question(survey)["turned"] == bilingual_text("Was your mother born in autumn or winter?")
    section = freeze_design(survey.draft).sections[1]
    assert isinstance(section, CrosswiseSection)
    assert section.question.turned_by == "version"
    save(client, survey, "tax", "turn", turned_by="")
    assert not {"turned", "turned_by"} & set(stored_question(survey))
    thirds = plain(question("age"), drawn_question("thirds", "a", "b", "c"))
    put(survey, thirds, crosswise("tax"), plain(drawn_question("late")))
    assert 'name="turned_by"' not in page_text(client, survey, "edit", open="tax")
    assert "turned_by" not in stored_question(survey)


def test_crosswise_answers_cannot_be_edited(client: Client, survey: Survey) -> None:
    before = stored_question(survey)
    for do in ("kind", "answer-add", "prefer-not"):
        assert "no answers to choose from" in save(client, survey, "tax", do, HTMX, kind="one").text
    assert stored_question(survey) == before


def test_outline_shows_the_crosswise_promise_and_its_warning(client: Client, survey: Survey) -> None:
    page = page_text(client, survey, "edit")
    assert "Crosswise question" in page
    assert "Was your mother born in spring?" in page
    assert "a record shows the true answer, else the opposite one" in page
    put(survey, plain(question("age")), crosswise("tax", source=""))
    page = page_text(client, survey, "edit/protection")
    assert "A crosswise question: tax" in page
    assert "The share of the secret has no source" in page


def test_settings_are_saved_beside_a_crosswise_question(client: Client, survey: Survey) -> None:
    before = stored_question(survey)
    send(client, survey, None, expected=2000)
    assert stored_question(survey) == before
    assert survey.draft["expected"] == 2000


def test_crosswise_secret_is_translated(client: Client, survey: Survey) -> None:
    update_row(survey, draft={**survey.draft, "languages": ["en", "zh-hans"]})
    assert 'id="sections-1-questions-0-secret-zh-hans"' in page_text(client, survey, "edit/translations")
    translate(client, survey, "tax", "zh-hans", text="税", secret="您母亲是春天出生的吗？")
    assert stored_question(survey)["secret"]["zh-hans"] == "您母亲是春天出生的吗？"
