"""Editing a hypothesis of a draft: in its place, by the owner alone."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing.save_edit import load_questionnaire
from builder.editing.separately_saved_parts import part_digest
from surveys.kinds.read_draft import read_questionnaire
from surveys.models import Survey
from surveys.questionnaire import hypotheses
from surveys.study.hypothesis_editing import DeletedHypothesisPart, DraftedHypotheses, EditedHypothesisPart
from surveys.study.hypothesis_forms import HypothesisForm
from tests.builder.planned import EVERY, PRODUCT, SHARE, options_of, planned, study
from tests.cast import As

pytestmark = pytest.mark.page


@pytest.fixture
def full(draft: Survey) -> Survey:
    draft.draft = planned(study(), *EVERY, PRODUCT)
    draft.save()
    return draft


def edit_page(client: Client, survey: Survey, name: str) -> str:
    return client.get(f"/app/surveys/{survey.pk}/edit/study", {"edit": name}).content.decode()


def edit(client: Client, survey: Survey, name: str, **sent: Any) -> Any:
    survey.refresh_from_db()
    base = part_digest(DeletedHypothesisPart(), load_questionnaire(survey))
    sent = {"part": "hypothesis-edit", "base": base, "name": name, **sent}
    return client.post(f"/app/surveys/{survey.pk}/edit/study/save", sent)


def test_the_form_of_each_hypothesis_is_filled_in_so_that_saving_changes_nothing(full: Survey) -> None:
    draft = read_questionnaire(full.draft)
    for each in hypotheses.drafted_hypotheses(draft.plan):
        part = EditedHypothesisPart(each["name"])
        form = part.build_form(draft)
        assert isinstance(form, HypothesisForm)
        sent = part.build_form(draft, form.shown_values)
        assert sent.is_valid(), sent.errors
        assert part.apply_cleaned(draft, sent.cleaned_data) == draft


def test_an_edited_hypothesis_keeps_its_place_and_its_name(client: Client, full: Survey) -> None:
    before = hypotheses.drafted_hypotheses(full.draft["plan"])
    page = edit_page(client, full, "H1")
    assert 'value="10"' in page
    assert "Add hypothesis" not in page
    assert edit(client, full, "H1", item="theft=yes", than="12.5").status_code == 302
    full.refresh_from_db()
    assert hypotheses.drafted_hypotheses(full.draft["plan"]) == [{**before[0], "than": "0.1250"}, *before[1:]]


def test_an_edited_plan_has_another_fingerprint_and_the_same_salt(client: Client, full: Survey) -> None:
    """So that a reviewer's approval is of what opens."""
    before = full.draft
    edit(client, full, "H1", item="theft=yes", than="12.5")
    full.refresh_from_db()
    assert full.draft["plan"]["salt"] == before["plan"]["salt"]
    assert hypotheses.plan_fingerprint(full.draft["plan"]) != hypotheses.plan_fingerprint(before["plan"])


def test_an_error_in_an_edit_keeps_what_was_entered(client: Client, full: Survey) -> None:
    before = full.draft
    response = edit(client, full, "H1", item="age=a", than="777")
    page = response.content.decode()
    assert response.status_code == 422
    assert "less than or equal to 99.99" in page
    assert '<option value="age=a" selected>' in page
    assert 'value="777"' in page
    assert page.count('id="hypothesis-edit"') == 1
    full.refresh_from_db()
    assert full.draft == before


def test_an_edit_lists_the_coefficients_of_its_products(client: Client, full: Survey) -> None:
    page = edit_page(client, full, "H6")
    assert "mood=3*arm" in options_of(page, "of")
    assert '<option value="age=b*mood" selected>' in page
    response = edit(client, full, "H6", covariates=["age"], item="theft=yes", model="logit", list="1")
    page = response.content.decode()
    assert response.status_code == 200
    assert options_of(page, "of") == ["age=b"]
    assert 'id="hypothesis-edit"' in page


def test_two_hypotheses_cannot_be_made_the_same(client: Client, full: Survey) -> None:
    full.draft = planned(full.draft, {**SHARE, "than": "0.2000"})
    full.save()
    response = edit(client, full, "H1", item="theft=yes", than="20")
    assert response.status_code == 422
    assert "This hypothesis is in the list already." in response.content.decode()


def test_of_twenty_hypotheses_each_can_be_edited(client: Client, full: Survey) -> None:
    full.draft = planned(study(), *({**SHARE, "than": f"0.{number:04}"} for number in range(1, 21)))
    full.save()
    assert 'id="hypothesis-edit"' in edit_page(client, full, "H20")
    assert edit(client, full, "H20", item="theft=yes", than="50").status_code == 302


def test_an_edit_of_what_changed_meanwhile_is_shown_with_what_was_entered(
    client: Client, full: Survey
) -> None:
    before = full.draft
    response = edit(client, full, "H1", item="theft=yes", than="12.5", base="0" * 16)
    page = response.content.decode()
    assert response.status_code == 409
    assert "Someone else has changed this meanwhile" in page
    assert 'value="12.5"' in page
    full.refresh_from_db()
    assert full.draft == before


def test_a_hypothesis_that_is_gone_cannot_be_edited(client: Client, full: Survey) -> None:
    before = full.draft
    assert 'id="hypothesis-edit"' not in edit_page(client, full, "H9")
    response = edit(client, full, "H9", item="theft=yes", than="12.5")
    assert "This hypothesis is not there any more." in client.get(response.url).content.decode()
    full.refresh_from_db()
    assert full.draft == before


def test_a_kind_that_the_design_does_not_allow_any_more_is_deleted_and_not_edited(
    client: Client, full: Survey
) -> None:
    full.draft = {**full.draft, "direct": ""}
    full.save()
    assert [line.may_edit for line in DraftedHypotheses(read_questionnaire(full.draft)).hypothesis_lines] == [
        True,
        False,
        True,
        True,
        True,
        True,
    ]
    assert 'id="hypothesis-edit"' not in edit_page(client, full, "H2")
    response = edit(client, full, "H2", item="theft=yes")
    assert response.status_code == 422
    assert "Ask a share directly first" in response.content.decode()


def test_nobody_but_the_owner_edits_one(
    full: Survey, editor: Person, reviewer: Person, viewer: Person, stranger: Person, signed_in_as: As
) -> None:
    before = full.draft
    for person, status in ((editor, 403), (reviewer, 403), (viewer, 403), (stranger, 404)):
        client = signed_in_as(person)
        assert edit(client, full, "H1", item="theft=yes", than="12.5").status_code == status
        assert edit(client, full, "H1", item="theft=yes", than="12.5", list="1").status_code == status
        assert "hypothesis-edit" not in edit_page(client, full, "H1")
    full.refresh_from_db()
    assert full.draft == before
