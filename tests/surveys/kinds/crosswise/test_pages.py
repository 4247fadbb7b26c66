"""Crosswise questions on the builder's pages: adding, editing, refusing, turning, translating, previewing."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing.save_edit import load_questionnaire
from builder.editing.separately_saved_parts import part_digest
from builder.editing.translation import TranslationPart
from privacy.kinds.crosswise.section import CrosswiseSection
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.models import Survey
from tests.builder.conftest import HTMX, SCRIPT, act, of_question
from tests.builder.written import crosswise, drawn, plain, question, stored
from tests.cast import As
from tests.surveys.drafts import said

pytestmark = pytest.mark.page


@pytest.fixture
def client(owner: Person, signed_in_as: As) -> Client:
    return signed_in_as(owner)


@pytest.fixture
def survey(draft: Survey) -> Survey:
    draft.draft = stored(plain(question("age", "young", "old"), drawn("version")), crosswise("tax"))
    draft.save()
    return draft


def save(client: Client, survey: Survey, do: str = "", headers: Any = None, **sent: object) -> Any:
    survey.refresh_from_db()
    fields = {**of_question(survey, "tax"), "do": do, **sent}
    return client.post(f"/app/surveys/{survey.pk}/edit/save", fields, headers=headers if do else SCRIPT)


def asked(survey: Survey, number: int = 1) -> Any:
    survey.refresh_from_db()
    return load_questionnaire(survey).as_json()["sections"][number]["questions"][0]


def shown(client: Client, survey: Survey, **query: str) -> str:
    return client.get(f"/app/surveys/{survey.pk}/edit", query).content.decode()


def test_it_is_added_with_a_section_of_its_own(client: Client, survey: Survey) -> None:
    page = act(client, survey, "section-add", kind="crosswise", headers=HTMX).content.decode()
    assert 'name="secret"' in page
    assert asked(survey, 2)["share"] == "0.2500"
    assert 'value="crosswise"' in shown(client, survey)


def test_secret_share_and_source_are_saved(client: Client, survey: Survey) -> None:
    sent = {"secret": "Is your house number even?", "share": "48.5", "source": "The land register"}
    assert save(client, survey, **sent).status_code == 200
    tax = asked(survey)
    assert (tax["secret"], tax["share"], tax["source"]) == (
        said("Is your house number even?"),
        "0.4850",
        "The land register",
    )
    section = freeze_design(survey.draft).sections[1]
    assert isinstance(section, CrosswiseSection)
    assert section.question.secret_parts == 4850


@pytest.mark.parametrize("share", ["50", "4.99", "95.01", "", "many"])
def test_a_share_that_a_design_refuses_is_refused_at_its_field(
    client: Client, survey: Survey, share: str
) -> None:
    before = asked(survey)
    assert save(client, survey, share=share).status_code == 422
    assert asked(survey) == before


def test_the_form_shows_gamma_while_the_share_changes(client: Client, survey: Survey) -> None:
    """.7534 / .2466 = 3.055; with u = .2 it is 4."""
    assert "3.06 times" in shown(client, survey, open="tax")
    fields = {**of_question(survey, "tax"), "share": "20"}
    live = client.post(f"/app/surveys/{survey.pk}/edit/number", fields, headers=HTMX)
    assert "4.00 times" in live.content.decode()
    fields["share"] = "50"
    assert client.post(f"/app/surveys/{survey.pk}/edit/number", fields, headers=HTMX).status_code == 204


def test_a_drawn_question_turns_the_secret(client: Client, survey: Survey) -> None:
    """The field of the opposite secret is there only then."""
    assert 'name="turned"' not in shown(client, survey, open="tax")
    page = save(client, survey, "turn", turned_by="version", headers=HTMX).content.decode()
    assert 'name="turned"' in page
    assert asked(survey)["turned_by"] == "version"
    save(client, survey, turned="Was your mother born in autumn or winter?")
    assert asked(survey)["turned"] == said("Was your mother born in autumn or winter?")
    section = freeze_design(survey.draft).sections[1]
    assert isinstance(section, CrosswiseSection)
    assert section.question.turned_by == "version"
    save(client, survey, "turn", turned_by="")
    assert not {"turned", "turned_by"} & set(asked(survey))


def test_only_halves_above_can_turn_it(client: Client, survey: Survey) -> None:
    survey.draft = stored(
        plain(question("age"), drawn("thirds", "a", "b", "c")), crosswise("tax"), plain(drawn("late"))
    )
    survey.save()
    assert 'name="turned_by"' not in shown(client, survey, open="tax")
    assert "turned_by" not in asked(survey)


def test_its_answers_cannot_be_changed(client: Client, survey: Survey) -> None:
    before = asked(survey)
    for do in ("kind", "answer-add", "prefer-not"):
        assert (
            "no answers to choose from" in save(client, survey, do, kind="one", headers=HTMX).content.decode()
        )
    assert asked(survey) == before


def test_the_list_shows_its_promise_and_its_secret(client: Client, survey: Survey) -> None:
    page = shown(client, survey)
    assert "Crosswise question" in page
    assert "Was your mother born in spring?" in page
    assert "a record shows the true answer, else the opposite one" in page


def test_the_protection_page_names_it_and_warns(client: Client, survey: Survey) -> None:
    survey.draft = stored(plain(question("age")), crosswise("tax", source=""))
    survey.save()
    page = client.get(f"/app/surveys/{survey.pk}/edit/protection").content.decode()
    assert "A crosswise question: tax" in page
    assert "The share of the secret has no source" in page


def test_settings_are_saved_beside_it(client: Client, survey: Survey) -> None:
    before = asked(survey)
    page = client.get(f"/app/surveys/{survey.pk}/edit/protection")
    form = page.context["panel"].form
    sent = {field.name: field.value() for field in form} | {"expected": 2000, "base": page.context["base"]}
    sent = {name: value for name, value in sent.items() if value not in (None, False)}
    client.post(f"/app/surveys/{survey.pk}/edit/protection/save", sent)
    assert asked(survey) == before
    assert survey.draft["expected"] == 2000


def test_the_secret_is_translated(client: Client, survey: Survey) -> None:
    survey.draft = {**survey.draft, "languages": ["en", "zh-hans"]}
    survey.save()
    page = client.get(f"/app/surveys/{survey.pk}/edit/translations").content.decode()
    assert 'id="sections-1-questions-0-secret-zh-hans"' in page
    part = TranslationPart("tax", "en", "zh-hans")
    sent = {"part": "tax", "from": "en", "in": "zh-hans", "text": "税", "secret": "您母亲是春天出生的吗？"}
    sent["base"] = part_digest(part, load_questionnaire(survey))
    client.post(f"/app/surveys/{survey.pk}/edit/translations/save", sent, headers=SCRIPT)
    assert asked(survey)["secret"]["zh-hans"] == "您母亲是春天出生的吗？"


def test_it_is_duplicated_moved_and_deleted_with_its_section(client: Client, survey: Survey) -> None:
    act(client, survey, "duplicate", key="tax")
    assert asked(survey, 2)["secret"] == asked(survey)["secret"]
    act(client, survey, "up", key="tax")
    assert asked(survey, 0)["name"] == "tax"
    act(client, survey, "delete", key="tax")
    assert len(load_questionnaire(Survey.objects.get(pk=survey.pk)).sections) == 2
