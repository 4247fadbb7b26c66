"""The setting by which invitations are exchanged, and the one key of a survey that does it."""

import json
import os
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from privacy.blind_signatures.protocol import read_public_key
from privacy.blind_signatures.tokens import is_valid
from privacy.designs import InputError, parse
from surveys.lifecycle import invitation_keys, opening, save_draft, survey_creation
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.models import InvitationKey, Survey
from surveys.needs_no_script import can_be_answered_without_script
from surveys.phrases.arms_crosswise_and_rounds import FORM
from surveys.phrases.inviting import EXCHANGE
from surveys.questionnaire.problems_and_refusals import InputRefused
from tests.builder.written import crosswise
from tests.cast import As
from tests.surveys import drafts
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def settle(draft: Survey, client: Client, invited: str) -> Any:
    stored = save_draft.stored_settings(draft)
    given = {"closes": "", "cap": "", "destroy_on": "2099-12-31", "least": "100", "invited": invited}
    return client.post(f"/app/surveys/{draft.pk}/settings", given | {"base": stored.digest})


def exchanging(draft: Survey, owner: Person) -> Survey:
    draft.invited, draft.draft = True, invitation_keys.draft_with_invitation_key(draft, draft.draft)
    draft.save()
    return draft


def key_of(survey: Survey) -> str:
    return str(survey.draft.get("invitation_key", ""))


def test_the_setting_makes_one_key_and_its_public_part_is_in_the_fingerprint(
    draft: Survey, owner: Person, signed_in_as: As
) -> None:
    without = freeze_design(draft.draft)
    assert settle(draft, signed_in_as(owner), "exchanged").status_code == 302
    draft.refresh_from_db()
    assert draft.invited
    assert read_public_key(key_of(draft)).n.bit_length() == 2048
    design = freeze_design(draft.draft)
    assert json.loads(design.canonical)["invitation_key"] == key_of(draft) == design.invitation_key
    assert design.fingerprint != without.fingerprint
    # Another save and the opening keep it.
    assert settle(draft, signed_in_as(owner), "exchanged").status_code == 302
    opening.open_survey_now(draft, owner, NOW)
    assert draft.design is not None
    assert draft.design.content.invitation_key == design.invitation_key
    assert InvitationKey.objects.count() == 1


@pytest.mark.parametrize("invited", ["yes", "no"])
def test_without_the_setting_the_key_goes_and_the_fingerprint_is_what_it_was(
    draft: Survey, owner: Person, signed_in_as: As, invited: str
) -> None:
    before, client = freeze_design(draft.draft).fingerprint, signed_in_as(owner)
    settle(draft, client, "exchanged")
    draft.refresh_from_db()
    assert settle(draft, client, invited).status_code == 302
    draft.refresh_from_db()
    assert draft.invited == (invited == "yes")
    assert freeze_design(draft.draft).fingerprint == before
    assert not InvitationKey.objects.exists()


def test_the_page_shows_what_is_set_and_offers_the_usual_way_first(
    draft: Survey, owner: Person, signed_in_as: As
) -> None:
    client, address = signed_in_as(owner), f"/app/surveys/{draft.pk}/settings"
    values = [value for value, _label in client.get(address).context["form"].fields["invited"].choices]
    assert values == ["no", "exchanged", "yes"]
    settle(draft, client, "exchanged")
    assert client.get(address).context["form"].initial["invited"] == "exchanged"
    draft.draft = drafts.complete(open_answers=False, sections=[crosswise("tax")])
    draft.save()
    values = [value for value, _label in client.get(address).context["form"].fields["invited"].choices]
    assert values == ["no", "yes", "exchanged"]


def test_rounds_are_invited_in_the_usual_way_each_with_a_key_of_its_own(draft: Survey, owner: Person) -> None:
    made = survey_creation.create_rounds(draft, owner, 3, NOW)
    assert len({key_of(each) for each in made} - {""}) == 3
    draft.draft = drafts.complete(open_answers=False, sections=[crosswise("tax")])
    draft.save()
    assert {key_of(each) for each in survey_creation.create_rounds(draft, owner, 2, NOW)} == {""}


@pytest.mark.parametrize("rehearsal", [False, True])
def test_a_copy_exchanges_too_by_another_key(draft: Survey, owner: Person, rehearsal: bool) -> None:
    copy = survey_creation.duplicate_survey(exchanging(draft, owner), owner, NOW, rehearsal=rehearsal)
    assert copy.invited
    assert key_of(copy) not in ("", key_of(draft))
    assert invitation_keys.has_no_foreign_invitation_key(copy, copy.draft)


def test_a_key_that_comes_from_a_file_is_left_out_and_one_of_another_survey_opens_nothing(
    draft: Survey, owner: Person
) -> None:
    other = exchanging(draft, owner)
    assert key_of(survey_creation.create_survey_from_draft(owner, other.draft, "surveys.created", NOW)) == ""
    foreign = Survey.objects.create(owner=owner, draft=other.draft, invited=True)
    with pytest.raises(InputRefused) as refused:
        opening.open_survey_now(foreign, owner, NOW)
    assert [problem.path for problem in refused.value.problems] == ["invitation_key"]


def test_only_where_it_is_set_a_design_says_so_and_there_is_no_page_without_javascript(
    draft: Survey, owner: Person
) -> None:
    draft.draft = drafts.complete(open_answers=False, sections=[crosswise("tax")])
    without = freeze_design(draft.draft)
    with_key = freeze_design(exchanging(draft, owner).draft)
    ids = [{key for key, _texts in design.phrases} for design in (without, with_key)]
    assert (ids[0] & EXCHANGE.keys(), FORM.keys() - ids[0]) == (set(), set())
    assert (EXCHANGE.keys() - ids[1], FORM.keys() & ids[1]) == (set(), set())
    assert [can_be_answered_without_script(design) for design in (without, with_key)] == [
        True,
        False,
    ]


@pytest.mark.parametrize("key", ["x", "A" * 342, "_" * 341 + "x", "ab/" * 114])
def test_a_design_with_what_is_no_key_is_refused_with_its_place(draft: Survey, key: str) -> None:
    with pytest.raises(InputError) as refused:
        freeze_design({**draft.draft, "invitation_key": key})
    assert refused.value.path == "invitation_key"


def test_a_design_is_read_again_with_its_key_and_its_fingerprint(draft: Survey, owner: Person) -> None:
    design = freeze_design(exchanging(draft, owner).draft)
    assert parse(design.canonical) == design


def test_tokens_of_simulated_respondents_are_signed_by_the_same_key(draft: Survey, owner: Person) -> None:
    survey = exchanging(draft, owner)
    tokens = invitation_keys.make_signed_tokens(survey.pk, 3, os.urandom)
    assert len(set(tokens)) == 3
    assert all(is_valid(key_of(survey), token) for token in tokens)
