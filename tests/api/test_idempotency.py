"""Idempotency-Key: the same request is done once and answered alike for a day."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from api import idempotency
from api.models import Reply, Scope
from config.backup.saved_tables import LEFT_OUT
from surveys.models import Survey
from tests.api.conftest import program, secret_of, with_token
from tests.surveys import drafts

pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("read_here")]
SURVEYS = "/api/1/surveys"


def send(client: Client, key: str, draft: Any = None, path: str = SURVEYS) -> Any:
    body = json.dumps(drafts.complete() if draft is None else draft)
    return client.post(path, body, content_type="application/json", headers={"Idempotency-Key": key})


def test_repeated_request_with_a_key_is_done_once_and_answered_alike(client: Client) -> None:
    first, again = send(client, "k-1"), send(client, "k-1")
    assert Survey.objects.count() == 1
    assert (first.status_code, first.content) == (again.status_code, again.content) == (201, first.content)
    for name in ("Location", "Content-Type"):
        assert again[name] == first[name]
    # As the draft writes it: a string of a structured field.
    assert send(client, '"k-1"').content == first.content
    send(client, "k-2")
    assert Survey.objects.count() == 2


def test_another_body_under_one_key_is_refused(client: Client) -> None:
    send(client, "k")
    refused = send(client, "k", drafts.complete(minutes=9))
    assert (refused.status_code, refused.json()["type"]) == (422, "/api/1/#key-reused")
    assert Survey.objects.count() == 1


def test_idempotency_key_belongs_to_one_token_and_path(
    client: Client, owner: Person, stranger: Person
) -> None:
    pk = send(client, "k").json()["id"]
    for other in (program(owner), program(stranger)):
        assert send(other, "k").status_code == 201
    assert Survey.objects.count() == 3
    # The reply to the other path is not given here.
    assert send(client, "k", {}, f"{SURVEYS}/{pk}/open").json()["state"] == "open"


def test_second_request_is_told_that_the_first_still_runs(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    second: list[Any] = []

    def send_again_meanwhile(*_args: Any) -> Any:
        second.append(send(client, "k"))
        raise RuntimeError

    monkeypatch.setattr("api.endpoints.surveys.create_imported_survey", send_again_meanwhile)
    assert send(client, "k").status_code == 500
    assert (second[0].status_code, second[0].json()["type"]) == (409, "/api/1/#key-in-use")
    monkeypatch.undo()
    # Nothing was done, and the key is free.
    assert not Reply.objects.exists()


def test_refused_request_frees_its_idempotency_key(client: Client) -> None:
    assert send(client, "k", []).status_code == 422
    assert send(client, "k").status_code == 201


def test_stored_reply_is_withheld_from_ended_or_narrower_tokens(owner: Person) -> None:
    secret = secret_of(owner)
    client = with_token(secret)
    send(client, "k")
    token = Reply.objects.get().token
    token.scopes = [Scope.READ_SURVEYS.value]
    token.save()
    assert send(client, "k").status_code == 403
    token.ended = timezone.now()
    token.save()
    assert send(client, "k").status_code == 401


def test_stored_replies_are_encrypted_by_the_token(owner: Person) -> None:
    secret = secret_of(owner)
    made = send(with_token(secret), "telltale")
    row = Reply.objects.get()
    stored = json.dumps([row.name, row.request]) + bytes(row.content).decode()
    for known in ("telltale", secret, made.json()["version"], made["Location"]):
        assert known not in stored
    assert "api_reply" in LEFT_OUT


def test_idempotency_key_is_deleted_after_a_day(client: Client) -> None:
    send(client, "k")
    now = timezone.now()
    idempotency.delete_old_replies(now + timedelta(hours=23))
    assert Reply.objects.count() == 1
    idempotency.delete_old_replies(now + timedelta(hours=25))
    assert not Reply.objects.exists()
    send(client, "k")
    Reply.objects.update(created=now - timedelta(hours=25))
    # Also where the tick has not come yet.
    assert send(client, "k", drafts.complete(minutes=9)).status_code == 201


def test_multipart_form_is_recognised_with_any_boundary(client: Client) -> None:
    def post_import(content: bytes) -> Any:
        form = {"file": SimpleUploadedFile("q.json", content), "choices": '{"draft": true}'}
        return client.post("/api/1/imports", form, headers={"Idempotency-Key": "k"})

    draft = json.dumps(drafts.complete()).encode()
    first = post_import(draft)
    assert first.status_code == 201
    body = b'--y\r\nContent-Disposition: form-data; name=choices\r\n\r\n{"draft": true}\r\n'
    body += b'--y\r\nContent-Disposition: form-data; name=file; filename="q.json"\r\n\r\n'
    body += draft + b"\r\n--y--\r\n"
    kind, headers = "multipart/form-data; boundary=y", {"Idempotency-Key": "k"}
    again = client.post("/api/1/imports", body, kind, headers=headers)
    assert again.content == first.content
    assert post_import(draft + b" ").status_code == 422
    assert Survey.objects.count() == 1


@pytest.mark.parametrize("key", ["x" * 256, "two words", "é"])
def test_invalid_idempotency_key_is_refused(client: Client, key: str) -> None:
    refused = send(client, key)
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "Idempotency-Key")
    assert not Survey.objects.exists()
