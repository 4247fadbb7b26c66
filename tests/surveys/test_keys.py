"""The keys of a survey: one by which invitations are exchanged, and two of field devices; and sealing by the latter."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from privacy.blind_signatures.protocol import base64url_bytes, base64url_text, read_public_key
from privacy.blind_signatures.tokens import is_token_signed
from privacy.designs import InputError, parse_design
from privacy.designs.record_encryption_key import read_sealing_key
from surveys.field_record_encryption import OVERHEAD, decrypt_field_record, make_sealing_key
from surveys.lifecycle import field_device_keys, opening, save_draft, survey_creation, token_signing_key
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.models import FieldKeys, InvitationKey, Survey
from surveys.needs_no_script import can_be_answered_without_script
from surveys.phrases.arms_crosswise_and_rounds import FORM
from surveys.phrases.inviting import EXCHANGE
from tests.intake.asked import encrypt_field_record
from tests.surveys import drafts
from tests.surveys.conftest import NOW, address, design_of, post, refused_at
from tests.surveys.drafts import crosswise, not_none

pytestmark = pytest.mark.page
LASTING = {"lasting": "0.9000"}


def save_invitation_settings(draft: Survey, client: Client, invited: str = "no", **given: str) -> Any:
    draft.refresh_from_db()
    usual = {"closes": "", "cap": "", "destroy_on": "2099-12-31", "least": "100", "invited": invited}
    return post(client, draft, "settings", **usual | given, base=save_draft.stored_settings(draft).digest)


def put_draft(survey: Survey, draft: Any) -> Survey:
    survey.draft = draft
    survey.save()
    return survey


def draft_with_invitation_key(draft: Survey) -> Survey:
    draft.invited = True
    return put_draft(draft, token_signing_key.add_invitation_key_to_draft(draft, draft.draft))


def with_field_keys(draft: Survey) -> Survey:
    return put_draft(draft, field_device_keys.add_field_keys_to_draft(draft, draft.draft))


def key_of(survey: Survey) -> str:
    return str(survey.draft.get("invitation_key", ""))


def field_keys_of(survey: Survey) -> tuple[str, str]:
    return str(survey.draft.get("token_key", "")), str(survey.draft.get("sealing_key", ""))


def copies(survey: Survey, owner: Person) -> list[Survey]:
    return [survey_creation.duplicate_survey(survey, owner, NOW, rehearsal=each) for each in (False, True)]


# Exchanged invitations.


def test_exchange_setting_makes_one_key_in_the_fingerprint(
    draft: Survey, owner: Person, client: Client
) -> None:
    without = freeze_design(draft.draft)
    for _time in range(2):  # another save and the opening keep it
        assert save_invitation_settings(draft, client, "exchanged").status_code == 302
        assert draft.invited
    assert read_public_key(key_of(draft)).n.bit_length() == 2048
    design = freeze_design(draft.draft)
    assert json.loads(design.canonical)["invitation_key"] == key_of(draft) == design.invitation_key
    assert design.fingerprint != without.fingerprint
    assert parse_design(design.canonical) == design
    opening.open_survey_now(draft, owner, NOW)
    assert design_of(draft).invitation_key == design.invitation_key
    assert InvitationKey.objects.count() == 1
    # Tokens of simulated respondents are signed by the same key.
    tokens = token_signing_key.make_tokens_for_simulation(draft.pk, 3, os.urandom)
    assert len({token for token in tokens if is_token_signed(design.invitation_key, token)}) == 3


def test_exchange_setting_left_off_keeps_the_fingerprint(draft: Survey, client: Client) -> None:
    before = freeze_design(draft.draft).fingerprint
    for invited in ("yes", "no"):
        save_invitation_settings(draft, client, "exchanged")
        assert save_invitation_settings(draft, client, invited).status_code == 302
        assert draft.invited == (invited == "yes")
        assert freeze_design(draft.draft).fingerprint == before
        assert not InvitationKey.objects.exists()


def test_the_page_shows_what_is_set_and_offers_the_usual_way_first(draft: Survey, client: Client) -> None:
    def offered_choices() -> tuple[list[str], str]:
        form = client.get(address(draft, "settings")).context["form"]
        return [value for value, _label in form.fields["invited"].choices], form.initial["invited"]

    assert offered_choices() == (["no", "exchanged", "yes"], "no")
    save_invitation_settings(draft, client, "exchanged")
    assert offered_choices() == (["no", "exchanged", "yes"], "exchanged")
    put_draft(draft, drafts.complete(open_answers=False, sections=[crosswise("tax")]))
    assert offered_choices()[0] == ["no", "yes", "exchanged"]


def test_rounds_and_copies_exchange_each_by_a_key_of_its_own(draft: Survey, owner: Person) -> None:
    made = survey_creation.create_parallel_rounds(draft, owner, 3, NOW)
    assert len({key_of(each) for each in made} - {""}) == 3
    for copy in copies(draft_with_invitation_key(draft), owner):
        assert copy.invited
        assert key_of(copy) not in ("", key_of(draft))
        assert token_signing_key.has_no_foreign_invitation_key(copy, copy.draft)
    put_draft(draft, drafts.complete(open_answers=False, sections=[crosswise("tax")]))
    assert {key_of(each) for each in survey_creation.create_parallel_rounds(draft, owner, 2, NOW)} == {""}


def test_a_key_of_a_file_or_of_another_survey_opens_nothing(draft: Survey, owner: Person) -> None:
    other = draft_with_invitation_key(draft)
    assert key_of(survey_creation.create_survey_from_draft(owner, other.draft, "surveys.created", NOW)) == ""
    foreign = Survey.objects.create(owner=owner, draft=other.draft, invited=True)
    assert refused_at(opening.open_survey_now, foreign, owner, NOW) == ["invitation_key"]
    for key in ("x", "A" * 342, "_" * 341 + "x", "ab/" * 114):
        with pytest.raises(InputError) as refused:
            freeze_design({**draft.draft, "invitation_key": key})
        assert refused.value.path == "invitation_key"


def test_exchange_design_says_so_and_has_no_page_without_javascript(draft: Survey) -> None:
    draft.draft = drafts.complete(open_answers=False, sections=[crosswise("tax")])
    without, with_key = freeze_design(draft.draft), freeze_design(draft_with_invitation_key(draft).draft)
    ids = [{key for key, _texts in design.phrases} for design in (without, with_key)]
    assert (ids[0] & EXCHANGE.keys(), FORM.keys() - ids[0]) == (set(), set())
    assert (EXCHANGE.keys() - ids[1], FORM.keys() & ids[1]) == (set(), set())
    assert [can_be_answered_without_script(design) for design in (without, with_key)] == [True, False]


# Field devices.


def test_device_switch_makes_two_keys_in_the_fingerprint(
    draft: Survey, owner: Person, client: Client
) -> None:
    without = freeze_design(draft.draft)
    assert save_invitation_settings(draft, client, field_devices="on").status_code == 302
    design = freeze_design(draft.draft)
    assert design.has_field_devices
    assert (design.token_key, design.sealing_key) == field_keys_of(draft)
    assert design.fingerprint != without.fingerprint
    assert parse_design(design.canonical) == design
    # Another save, the builder and the opening keep them, and the private halves belong to them.
    assert save_invitation_settings(draft, client, field_devices="on", cap="500").status_code == 302
    assert client.get(address(draft, "settings")).context["form"].initial["field_devices"] is True
    builders = drafts.normalize_draft(draft.draft)
    assert (builders["token_key"], builders["sealing_key"]) == field_keys_of(draft)
    opening.open_survey_now(draft, owner, NOW)
    assert design_of(draft).sealing_key == design.sealing_key
    assert not_none(field_device_keys.private_field_token_key(draft.pk)).public.text == design.token_key
    private = not_none(field_device_keys.private_sealing_key(draft.pk))
    content = os.urandom(40)
    sealed = encrypt_field_record(design.sealing_key, "ab" * 32, content)
    assert decrypt_field_record(private, "ab" * 32, sealed) == content


def test_switching_devices_off_deletes_their_keys_only(draft: Survey, client: Client) -> None:
    before = freeze_design(draft.draft).fingerprint
    save_invitation_settings(draft, client, "exchanged", field_devices="on")
    design = freeze_design(draft.draft)
    assert design.invitation_key not in ("", design.token_key)
    assert FieldKeys.objects.count() == 1
    assert save_invitation_settings(draft, client).status_code == 302
    assert freeze_design(draft.draft).fingerprint == before
    assert not FieldKeys.objects.exists()


def test_device_keys_exclude_completion_codes_and_lasting_disguises(draft: Survey, client: Client) -> None:
    """The settings refuse the switch; who sets the other one later reads why it cannot be opened."""
    panel = {**draft.draft, "panel": {"en": "You get a code."}}
    plain, sensitive = draft.draft["sections"]
    lasts = {**draft.draft, "open_answers": False, "sections": [plain, sensitive | LASTING]}

    def refusal(**given: str) -> str:
        form = save_invitation_settings(draft, client, field_devices="on", **given).context["form"]
        return str(form.errors["field_devices"][0])

    assert "completion code" in refusal(completion="CODE-2027")
    put_draft(draft, panel)
    assert refusal()
    put_draft(draft, lasts)
    assert "lasts" in refusal()
    assert not FieldKeys.objects.exists()
    for other, code in ((panel, "CODE-2027"), (lasts, None)):
        draft.completion = code
        with_field_keys(put_draft(draft, other))
        (problem,) = opening.opening_checklist(draft, NOW).problems
        assert problem.path == "sealing_key"
        assert problem.reason.startswith("is not for a design")
        assert "code" in problem.reason


def test_a_copy_has_no_keys_and_those_of_another_open_nothing(draft: Survey, owner: Person) -> None:
    other = with_field_keys(draft)
    made = [*copies(other, owner), survey_creation.create_parallel_rounds(other, owner, 2, NOW)[0]]
    made.append(survey_creation.create_survey_from_draft(owner, other.draft, "surveys.created", NOW))
    assert {field_keys_of(each) for each in made} == {("", "")}
    assert FieldKeys.objects.count() == 1
    foreign = Survey.objects.create(owner=owner, draft=other.draft)
    half = with_field_keys(Survey.objects.create(owner=owner, draft=drafts.complete()))
    put_draft(half, {**half.draft, "token_key": other.draft["token_key"]})
    for survey in (foreign, half):
        assert refused_at(opening.open_survey_now, survey, owner, NOW) == ["sealing_key"]


# Sealing, against the vectors of RFC 9180 and of this project.

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "field.json").read_text())
PRIVATE = bytes.fromhex(VECTORS["recipient_private"])
FINGERPRINT = VECTORS["fingerprint"]
VECTOR = base64url_text(b"\x01" + bytes.fromhex(VECTORS["hpke"]["enc"] + VECTORS["hpke"]["ct"]))


def test_the_vector_opens_to_its_envelope_and_nothing_that_was_changed_or_is_for_another_design() -> None:
    assert decrypt_field_record(PRIVATE, FINGERPRINT, VECTOR).decode() == VECTORS["envelope"]
    refused = [VECTORS["refused"][name] for name in ("hpke_negated_enc", "hpke_last_bit")]
    changed = [base64url_text(b"\x01" + bytes.fromhex(content)) for content in refused]
    for fingerprint, text in ((FINGERPRINT, changed[0]), (FINGERPRINT, changed[1]), (64 * "0", VECTOR)):
        with pytest.raises(ValueError, match="does not open"):
            decrypt_field_record(PRIVATE, fingerprint, text)
    for text in ("", "A", "AQ", "é", "A" * 200, " " * 40, "AQ==" * 40):
        with pytest.raises(ValueError, match=r"sealed|open|ASCII|base64"):
            decrypt_field_record(PRIVATE, FINGERPRINT, text)


def test_what_is_sealed_opens_has_one_length_and_no_bit_of_it_can_be_changed() -> None:
    private, public = make_sealing_key()
    sealed = {encrypt_field_record(public, FINGERPRINT, b"x" * 547) for _again in range(3)}
    assert len(sealed) == 3
    for text in sealed:
        assert len(base64url_bytes(text)) == 547 + OVERHEAD
        assert decrypt_field_record(private, FINGERPRINT, text) == b"x" * 547
    content = base64url_bytes(encrypt_field_record(public, FINGERPRINT, b"{}"))
    for bit in range(8 * len(content)):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ValueError, match=r"does not open|no sealed|not a sealed|point|key"):
            decrypt_field_record(private, FINGERPRINT, base64url_text(bytes(changed)))


def test_only_a_point_of_the_curve_is_a_key() -> None:
    point = bytes.fromhex(VECTORS["recipient_public"])
    assert read_sealing_key(base64url_text(point)) == point
    for wrong in (point[:-1], b"\x02" + point[1:], point[:-1] + bytes([point[-1] ^ 1]), b"\x04" + bytes(64)):
        with pytest.raises(ValueError, match="not a point"):
            read_sealing_key(base64url_text(wrong))
