"""A form with a file is read by its view alone, once it is known who sends it and how long it is."""

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from tests.cast import As

pytestmark = [pytest.mark.django_db, pytest.mark.page]
UPLOADS = ("/app/surveys/import", "/app/releases/new", "/app/surveys/own-tables/", "/api/1/imports")


@pytest.fixture
def addresses_with_read_form(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses whose form was read."""
    told: list[str] = []
    load: Callable[[HttpRequest], None] = HttpRequest._load_post_and_files

    def note_address_and_load(request: HttpRequest) -> None:
        told.append(request.path)
        load(request)

    monkeypatch.setattr(HttpRequest, "_load_post_and_files", note_address_and_load)
    return told


def test_nul_check_reads_no_foreign_or_overlong_body(
    owner: Person, signed_in_as: As, addresses_with_read_form: list[str]
) -> None:
    for address in UPLOADS:
        answer = Client().post(address, {"file": SimpleUploadedFile("a.csv", b"a\n1\n" * 99)})
        assert answer.status_code in (302, 401), address
    for address in UPLOADS[:3]:
        form = {"file": SimpleUploadedFile("a.csv", b"a")}
        answer = signed_in_as(owner).post(address, form, headers={"Content-Length": "900000000"})
        assert answer.status_code == 413, address
    assert addresses_with_read_form == []


def test_field_beside_a_file_may_hold_no_nul(
    owner: Person, signed_in_as: As, addresses_with_read_form: list[str]
) -> None:
    for address in UPLOADS[:3]:
        answer = signed_in_as(owner).post(
            address, {"file": SimpleUploadedFile("a.csv", b"a\n1\n"), "name": "a\0"}
        )
        assert answer.status_code == 400, address
    assert len(addresses_with_read_form) == 3
    form = {"theme": "a\0", "file": SimpleUploadedFile("a.csv", b"a")}
    elsewhere = Client().post(reverse("accounts:preferences-from-home"), form)
    assert elsewhere.status_code == 400
