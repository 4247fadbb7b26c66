"""The switch *Field devices*, and the two keys of a survey that come with it."""

import os
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from privacy.designs import parse
from surveys.field_record_encryption import open_sealed, seal
from surveys.lifecycle import opening, save_draft, survey_creation, token_and_sealing_keys
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.models import FieldKeys, Survey
from surveys.questionnaire.problems_and_refusals import InputRefused
from tests.cast import As
from tests.surveys import drafts
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
LASTING = {"lasting": "0.9000"}


def settle(draft: Survey, client: Client, **given: str) -> Any:
    draft.refresh_from_db()
    usual = {"closes": "", "cap": "", "destroy_on": "2099-12-31", "least": "100", "invited": "no"}
    base = save_draft.stored_settings(draft).digest
    return client.post(f"/app/surveys/{draft.pk}/settings", usual | given | {"base": base})


def with_keys(draft: Survey) -> Survey:
    draft.draft = token_and_sealing_keys.draft_with_field_keys(draft, draft.draft)
    draft.save()
    return draft


def keys_of(survey: Survey) -> tuple[str, str]:
    return str(survey.draft.get("token_key", "")), str(survey.draft.get("sealing_key", ""))


def test_the_switch_makes_two_keys_whose_public_parts_are_in_the_fingerprint(
    draft: Survey, owner: Person, signed_in_as: As
) -> None:
    without, client = freeze_design(draft.draft), signed_in_as(owner)
    assert settle(draft, client, field_devices="on").status_code == 302
    draft.refresh_from_db()
    design = freeze_design(draft.draft)
    assert design.has_field_devices
    assert (design.token_key, design.sealing_key) == keys_of(draft)
    assert design.fingerprint != without.fingerprint
    assert parse(design.canonical) == design
    # Another save and the opening keep them, and the private halves belong to them.
    assert settle(draft, client, field_devices="on", cap="500").status_code == 302
    assert client.get(f"/app/surveys/{draft.pk}/settings").context["form"].initial["field_devices"] is True
    opening.open_survey_now(draft, owner, NOW)
    assert draft.design is not None
    assert draft.design.content.sealing_key == design.sealing_key
    key, private = (
        token_and_sealing_keys.private_token_key(draft.pk),
        token_and_sealing_keys.private_sealing_key(draft.pk),
    )
    assert key is not None
    assert private is not None
    assert key.public.text == design.token_key
    content = os.urandom(40)
    assert open_sealed(private, "ab" * 32, seal(design.sealing_key, "ab" * 32, content)) == content


def test_switched_off_the_keys_go_and_the_fingerprint_is_what_it_was(
    draft: Survey, owner: Person, signed_in_as: As
) -> None:
    before, client = freeze_design(draft.draft).fingerprint, signed_in_as(owner)
    settle(draft, client, field_devices="on")
    assert FieldKeys.objects.count() == 1
    assert settle(draft, client).status_code == 302
    draft.refresh_from_db()
    assert freeze_design(draft.draft).fingerprint == before
    assert not FieldKeys.objects.exists()


def test_it_is_beside_exchanged_invitations_with_another_key(
    draft: Survey, owner: Person, signed_in_as: As
) -> None:
    settle(draft, signed_in_as(owner), field_devices="on", invited="exchanged")
    draft.refresh_from_db()
    design = freeze_design(draft.draft)
    assert design.invitation_key not in ("", design.token_key)


def test_it_is_refused_with_a_completion_code_or_its_announcement(
    draft: Survey, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    refused = settle(draft, client, field_devices="on", completion="CODE-2027")
    assert "completion code" in refused.context["form"].errors["field_devices"][0]
    draft.draft = {**draft.draft, "panel": {"en": "You get a code."}}
    draft.save()
    assert "field_devices" in settle(draft, client, field_devices="on").context["form"].errors
    assert not FieldKeys.objects.exists()


def test_it_is_refused_where_a_disguise_lasts(draft: Survey, owner: Person, signed_in_as: As) -> None:
    plain, sensitive = drafts.complete(open_answers=False)["sections"]
    draft.draft = drafts.complete(open_answers=False, sections=[plain, sensitive | LASTING])
    draft.save()
    refused = settle(draft, signed_in_as(owner), field_devices="on")
    assert "lasts" in refused.context["form"].errors["field_devices"][0]


@pytest.mark.parametrize("what", ["lasting", "panel"])
def test_who_sets_the_other_one_later_reads_why_it_cannot_be_opened(
    draft: Survey, owner: Person, what: str
) -> None:
    with_keys(draft)
    if what == "panel":
        draft.draft, draft.completion = {**draft.draft, "panel": {"en": "You get a code."}}, "CODE-2027"
    else:
        plain, sensitive = draft.draft["sections"]
        draft.draft = {**draft.draft, "open_answers": False, "sections": [plain, sensitive | LASTING]}
    draft.save()
    (problem,) = opening.opening_checklist(draft, NOW).problems
    assert problem.path == "sealing_key"
    assert problem.reason.startswith("is not for a design")
    assert "code" in problem.reason


@pytest.mark.parametrize("rehearsal", [False, True])
def test_a_copy_has_neither_keys_nor_devices(draft: Survey, owner: Person, rehearsal: bool) -> None:
    copy = survey_creation.duplicate_survey(with_keys(draft), owner, NOW, rehearsal=rehearsal)
    assert keys_of(copy) == ("", "")
    (made, *_others) = survey_creation.create_rounds(draft, owner, 2, NOW)
    assert keys_of(made) == ("", "")
    assert FieldKeys.objects.count() == 1


def test_keys_from_a_file_are_left_out_and_those_of_another_survey_open_nothing(
    draft: Survey, owner: Person
) -> None:
    other = with_keys(draft)
    copy = survey_creation.create_survey_from_draft(owner, other.draft, "surveys.created", NOW)
    assert keys_of(copy) == ("", "")
    foreign = Survey.objects.create(owner=owner, draft=other.draft)
    half = Survey.objects.create(owner=owner, draft=drafts.complete())
    with_keys(half)
    half.draft = {**half.draft, "token_key": other.draft["token_key"]}
    half.save()
    for survey in (foreign, half):
        with pytest.raises(InputRefused) as refused:
            opening.open_survey_now(survey, owner, NOW)
        assert [problem.path for problem in refused.value.problems] == ["sealing_key"]


def test_the_builder_keeps_the_keys(draft: Survey) -> None:
    with_keys(draft)
    assert drafts.normalized(draft.draft)["token_key"] == draft.draft["token_key"]
    assert drafts.normalized(draft.draft)["sealing_key"] == draft.draft["sealing_key"]
