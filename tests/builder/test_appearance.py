"""The page of a survey's logo and colour: what is saved, refused, removed and taken back."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from surveys.models import Logo, Survey
from tests.builder.conftest import removed_in
from tests.importing.conftest import read_here
from tests.importing.test_logo_file import SVG, file_of, logo
from tests.surveys.conftest import post, update_row

__all__ = ["read_here"]
pytestmark = [pytest.mark.page, pytest.mark.usefixtures("read_here")]
ALT = {"alt-en": "University of Example", "alt-zh-hans": "示例大学"}


@pytest.fixture(autouse=True)
def own_folder_for_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of this test alone, since others read files at the same time."""
    monkeypatch.setattr(settings, "VAR", tmp_path)


def upload(client: Client, survey: Survey, content: bytes | None, name: str = "logo.png", **more: str) -> Any:
    file = {} if content is None else {"file": SimpleUploadedFile(name, content)}
    return client.post(reverse("importing:edit-logo", args=[survey.pk]), {**ALT, **more, **file})


def post_appearance_act(client: Client, survey: Survey, do: str, **sent: str) -> Any:
    return client.post(reverse("builder:appearance-act", args=[survey.pk]), {"do": do, **sent})


def page(client: Client, survey: Survey) -> str:
    return str(client.get(reverse("builder:appearance", args=[survey.pk])).text)


def stored_appearance(survey: Survey) -> dict[str, Any]:
    survey.refresh_from_db()
    return {key: survey.draft[key] for key in ("logo", "logo_alt", "accent") if key in survey.draft}


def undo_removal(client: Client, survey: Survey) -> Any:
    here = reverse("builder:appearance", args=[survey.pk])
    removed = removed_in(client.get(here))
    return post(client, survey, "edit/act", do="undo", removed=removed, next=here)


def test_logo_is_saved_shown_changed_removed_and_restored(client: Client, survey: Survey) -> None:
    assert upload(client, survey, file_of(logo()), "logo.jpg").status_code == 302
    saved = stored_appearance(survey)
    assert saved["logo_alt"] == {"en": "University of Example", "zh-hans": "示例大学"}
    assert Logo.objects.get().pk == saved["logo"]
    assert Logo.data_url(saved["logo"]) in page(client, survey)
    assert Logo.data_url(saved["logo"]) in client.get(reverse("builder:preview-page", args=[survey.pk])).text
    # Another text without another file.
    upload(client, survey, None, **{"alt-en": "The university"})
    assert stored_appearance(survey)["logo_alt"]["en"] == "The university"
    post_appearance_act(client, survey, "logo-remove")
    assert stored_appearance(survey) == {}
    assert undo_removal(client, survey)["Location"] == reverse("builder:appearance", args=[survey.pk])
    assert stored_appearance(survey)["logo"] == saved["logo"]


def test_invalid_logo_file_changes_nothing_and_is_explained(client: Client, survey: Survey) -> None:
    """One of ten megabytes is refused before it is read, and each needs an alternative text."""
    is_svg = "The file is an SVG or another text"
    picture = file_of(logo())
    for content, name, status, words in (
        (SVG, "logo.svg", 422, f"{is_svg}; an SVG can hold scripts, so save the logo as PNG."),
        (SVG, "logo.png", 422, is_svg),
        (b"no picture", "logo.png", 422, "The file is no picture in PNG, JPEG or WebP."),
        (picture[:60], "logo.png", 422, "The file is damaged or incomplete"),
        (None, "", 422, "This field is required."),
        (picture + bytes(10_000_000), "logo.png", 413, "A logo has at most 2 megabytes."),
    ):
        answer = upload(client, survey, content, name)
        assert (answer.status_code, words in answer.text) == (status, True), name
    assert upload(client, survey, picture, **{"alt-en": " "}).status_code == 422
    assert stored_appearance(survey) == {}
    assert not Logo.objects.exists()


def test_colour_is_saved_or_its_nearest_readable_shade_offered(client: Client, survey: Survey) -> None:
    refused = post_appearance_act(client, survey, "colour", accent="#FFD200")
    assert refused.status_code == 422
    assert "contrast of 1.2 to 1" in refused.text
    assert 'name="accent" value="#7f6800"' in refused.text
    assert stored_appearance(survey) == {}
    assert post_appearance_act(client, survey, "colour", accent="#7f6800").status_code == 302
    assert stored_appearance(survey) == {"accent": "#7f6800"}
    assert post_appearance_act(client, survey, "colour", accent="red;}").status_code == 422
    post_appearance_act(client, survey, "colour-remove")
    assert stored_appearance(survey) == {}
    undo_removal(client, survey)
    assert stored_appearance(survey) == {"accent": "#7f6800"}


def test_logo_upload_needs_a_token(survey: Survey, owner: Person) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert upload(client, survey, file_of(logo())).status_code == 403
    assert not Logo.objects.exists()


def test_missing_appearance_leads_to_its_field(client: Client, survey: Survey) -> None:
    update_row(survey, draft={**survey.draft, "logo": "0" * 64, "accent": "#ffd200"})
    page = client.get(survey.get_absolute_url()).text
    address = reverse("builder:appearance", args=[survey.pk])
    for anchor in ("logo", "logo-alt-en", "logo-alt-zh-hans", "accent"):
        assert f'href="{address}#{anchor}"' in page
