"""Passkeys: added, shown as the second factor and as a proof, removed; and answers that are not theirs."""

import html
import json
import os
import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from django.test import Client
from django.urls import reverse
from fido2.cose import ES256
from fido2.utils import sha256, websafe_encode
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData

from accounts.models import History, Person
from accounts.second_factor import factors
from tests.accounts.test_second_factor import (
    ADD as ADD_APP,
    ASKED,
    CONFIRM,
    INDEX,
    age_session_proof,
    enter_password,
    enter_recovery_code,
    is_in,
)
from tests.cast import As

pytestmark = [pytest.mark.django_db, pytest.mark.page]
ADD = reverse("accounts:passkey-add")
FLAGS = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.UV


class SoftPasskey:
    """A passkey in software, which makes what a browser would send."""

    def __init__(self, origin: str = "https://testserver") -> None:
        self.origin, self.id = origin, os.urandom(16)
        self.key = ec.generate_private_key(ec.SECP256R1())

    def create_credential(self, options: dict[str, Any]) -> str:
        public = ES256.from_cryptography_key(self.key.public_key())  # type: ignore[no-untyped-call]
        key = AttestedCredentialData.create(b"\0" * 16, self.id, public)
        data = AuthenticatorData.create(
            sha256(options["rp"]["id"].encode()), FLAGS | AuthenticatorData.FLAG.AT, 0, key
        )
        attestation = AttestationObject.create("none", data, {})
        return self._answer(self._client_data("create", options), attestationObject=bytes(attestation))

    def sign_challenge(self, options: dict[str, Any]) -> str:
        client_data = self._client_data("get", options)
        data = AuthenticatorData.create(sha256(options["rpId"].encode()), FLAGS, 1)
        signature = self.key.sign(data + sha256(client_data), ec.ECDSA(hashes.SHA256()))
        return self._answer(client_data, authenticatorData=bytes(data), signature=signature)

    def _client_data(self, what: str, options: dict[str, Any]) -> bytes:
        facts = {"type": f"webauthn.{what}", "challenge": options["challenge"], "origin": self.origin}
        return json.dumps(facts).encode()

    def _answer(self, client_data: bytes, **response: bytes) -> str:
        encoded = {name: websafe_encode(value) for name, value in response.items()}
        name = websafe_encode(self.id)
        return json.dumps(
            {
                "id": name,
                "rawId": name,
                "type": "public-key",
                "clientExtensionResults": {},
                "response": {"clientDataJSON": websafe_encode(client_data), **encoded},
            }
        )


def options(client: Client, address: str) -> dict[str, Any]:
    """The challenge that a page has for the browser."""
    page = client.get(address, secure=True).content.decode()
    found = re.search(r'data-passkey="([^"]*)"', page)
    assert found, page
    result: dict[str, Any] = json.loads(html.unescape(found[1]))
    return result


def add(client: Client, passkey: SoftPasskey, name: str = "Phone") -> Any:
    form = {"name": name, "credential": passkey.create_credential(options(client, ADD))}
    return client.post(ADD, form, secure=True)


@pytest.fixture
def passkey(member: Person, signed_in_as: As) -> SoftPasskey:
    """The researcher's, who has a password too."""
    passkey = SoftPasskey()
    add(signed_in_as(member), passkey)
    return passkey


@pytest.fixture
def half_in(passkey: SoftPasskey, member: Person, client: Client) -> Client:
    """A browser in which the member's password was entered."""
    assert enter_password(client, member) == ASKED
    return client


def post_key(client: Client, credential: str, address: str = ASKED) -> int:
    return client.post(address, {"credential": credential}, secure=True).status_code


def test_first_passkey_brings_recovery_codes_and_the_second_none(member: Person, signed_in_as: As) -> None:
    client = signed_in_as(member)
    assert "Recovery codes" in add(client, SoftPasskey()).content.decode()
    codes = factors.count_recovery_codes(member)
    enter_recovery_code(client, member)
    assert add(client, SoftPasskey(), "Key ring").headers["Location"] == INDEX
    assert [row.data["name"] for row in factors.passkeys(member)] == ["Phone", "Key ring"]
    assert (codes, factors.count_recovery_codes(member)) == (10, 9)
    assert History.objects.filter(what="accounts.factor-added", note="WebAuthn").count() == 2


def test_passkey_is_made_for_this_site_and_challenge_only(member: Person, signed_in_as: As) -> None:
    client = signed_in_as(member)
    old = SoftPasskey().create_credential(options(client, ADD))
    foreign = SoftPasskey("https://evil.example").create_credential(options(client, ADD))
    for credential in (foreign, old, "[]", "{}", '{"id": 7}', "{"):
        answer = client.post(ADD, {"name": "Phone", "credential": credential}, secure=True)
        assert answer.status_code == 200
    assert not factors.has_factor(member)


def test_passkey_is_the_second_step_of_a_sign_in_and_works_once(
    half_in: Client, passkey: SoftPasskey, member: Person
) -> None:
    used = passkey.sign_challenge(options(half_in, ASKED))
    assert (post_key(half_in, used), is_in(half_in)) == (302, True)
    half_in.post(reverse("accounts:sign-out"))
    enter_password(half_in, member)
    assert (post_key(half_in, used), is_in(half_in)) == (200, False)
    options(half_in, ASKED)
    assert (post_key(half_in, used), is_in(half_in)) == (200, False)


def test_passkey_answer_to_another_challenge_or_site_is_refused(
    half_in: Client, passkey: SoftPasskey
) -> None:
    challenge = options(half_in, ASKED)
    assert post_key(half_in, passkey.sign_challenge({**challenge, "challenge": "A" * 43})) == 200
    challenge, passkey.origin = options(half_in, ASKED), "https://evil.example"
    assert (post_key(half_in, passkey.sign_challenge(challenge)), is_in(half_in)) == (200, False)


def test_passkey_of_another_person_is_refused(
    half_in: Client, passkey: SoftPasskey, stranger: Person, signed_in_as: As
) -> None:
    theirs = SoftPasskey()
    add(signed_in_as(stranger), theirs)
    assert post_key(half_in, theirs.sign_challenge(options(half_in, ASKED))) == 200
    theirs.id = passkey.id
    assert (post_key(half_in, theirs.sign_challenge(options(half_in, ASKED))), is_in(half_in)) == (200, False)


def test_passkey_counts_as_proof_of_presence(passkey: SoftPasskey, member: Person, signed_in_as: As) -> None:
    client = age_session_proof(signed_in_as(member))
    challenge = options(client, f"{CONFIRM}?next={ADD_APP}")
    assert client.get(ADD_APP).status_code == 302
    assert post_key(client, SoftPasskey().sign_challenge(challenge), CONFIRM) == 200
    assert client.get(ADD_APP).status_code == 302
    assert post_key(client, passkey.sign_challenge(options(client, CONFIRM)), CONFIRM) == 302
    assert client.get(ADD_APP).status_code == 200


def test_removing_the_last_passkey_removes_the_codes_and_only_ones_own_can_be_removed(
    passkey: SoftPasskey, member: Person, stranger: Person, signed_in_as: As
) -> None:
    factors.add_app(member, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    remove = reverse("accounts:passkey-remove", args=[factors.passkeys(member)[0].pk])
    assert signed_in_as(stranger).post(remove).status_code == 404
    assert age_session_proof(signed_in_as(member)).post(remove).headers["Location"].startswith(CONFIRM)
    assert (factors.has_factor(member), len(factors.passkeys(member))) == (True, 1)
    client = enter_recovery_code(signed_in_as(member), member)
    assert client.post(remove).headers["Location"] == INDEX
    assert factors.count_recovery_codes(member) == 9
    client.post(reverse("accounts:app-remove"))
    assert not Authenticator.objects.exists()


def test_passkey_is_renamed_by_its_owner_only(
    passkey: SoftPasskey, member: Person, stranger: Person, signed_in_as: As
) -> None:
    rename = reverse("accounts:passkey-rename", args=[factors.passkeys(member)[0].pk])
    assert signed_in_as(stranger).post(rename, {"name": "Mine"}).status_code == 404
    client = signed_in_as(member)
    assert 'value="Phone"' in client.get(rename).content.decode()
    for refused in ("", " ", "x" * 61):
        assert client.post(rename, {"name": refused}).status_code == 200
    assert [row.data["name"] for row in factors.passkeys(member)] == ["Phone"]
    assert client.post(rename, {"name": "Key ring"}).headers["Location"] == INDEX
    assert [row.data["name"] for row in factors.passkeys(member)] == ["Key ring"]
    assert 'Rename<span class="unseen"> Key ring' in client.get(INDEX).content.decode()
    challenge = options(age_session_proof(client), f"{CONFIRM}?next={ADD_APP}")
    assert post_key(client, passkey.sign_challenge(challenge), CONFIRM) == 302


def test_passkey_pages_refuse_visitors_and_links(
    client: Client, researcher: Person, signed_in_as: As
) -> None:
    rename, remove = (reverse(f"accounts:passkey-{change}", args=[1]) for change in ("rename", "remove"))
    assert client.get(ADD).status_code == client.post(remove).status_code == 302
    assert client.post(rename, {"name": "Mine"}).status_code == 302
    assert signed_in_as(researcher).get(remove).status_code == 405
