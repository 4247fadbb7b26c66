"""The page of a survey's logo and colour: what is saved, refused, removed and taken back."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from surveys.models import Logo, Survey
from tests.importing.conftest import read_here
from tests.importing.test_logo_file import SVG, file_of, logo

__all__ = ["read_here"]
pytestmark = [pytest.mark.page, pytest.mark.usefixtures("read_here")]
ALT = {"alt-en": "University of Example", "alt-zh-hans": "示例大学"}


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of this test alone, since others read files at the same time."""
    monkeypatch.setattr(settings, "VAR", tmp_path)


def upload(client: Client, survey: Survey, content: bytes | None, name: str = "logo.png", **more: str) -> Any:
    file = {} if content is None else {"file": SimpleUploadedFile(name, content)}
    return client.post(reverse("importing:edit-logo", args=[survey.pk]), {**ALT, **more, **file})


def act(client: Client, survey: Survey, do: str, **sent: str) -> Any:
    return client.post(reverse("builder:appearance-act", args=[survey.pk]), {"do": do, **sent})


def page(client: Client, survey: Survey) -> str:
    return str(client.get(reverse("builder:appearance", args=[survey.pk])).text)


def stored(survey: Survey) -> dict[str, Any]:
    survey.refresh_from_db()
    return {key: survey.draft[key] for key in ("logo", "logo_alt", "accent") if key in survey.draft}


def undo(client: Client, survey: Survey) -> Any:
    removed = re.search(r'name="removed" value="([^"]+)"', page(client, survey))
    assert removed
    sent = {"do": "undo", "removed": removed[1], "back": "appearance"}
    return client.post(reverse("builder:edit-act", args=[survey.pk]), sent)


def test_a_logo_is_saved_with_its_texts_shown_changed_removed_and_taken_back(
    client: Client, survey: Survey
) -> None:
    assert upload(client, survey, file_of(logo()), "logo.jpg").status_code == 302
    saved = stored(survey)
    assert saved["logo_alt"] == {"en": "University of Example", "zh-hans": "示例大学"}
    assert Logo.objects.get().pk == saved["logo"]
    assert Logo.data_url(saved["logo"]) in page(client, survey)
    assert Logo.data_url(saved["logo"]) in client.get(reverse("builder:preview-page", args=[survey.pk])).text
    # Another text without another file.
    upload(client, survey, None, **{"alt-en": "The university"})
    assert stored(survey)["logo_alt"]["en"] == "The university"
    act(client, survey, "logo-remove")
    assert stored(survey) == {}
    assert undo(client, survey)["Location"] == reverse("builder:appearance", args=[survey.pk])
    assert stored(survey)["logo"] == saved["logo"]


def test_a_file_that_is_no_logo_changes_nothing_and_is_told_why(
    client: Client, survey: Survey, subtests: pytest.Subtests
) -> None:
    for content, name, words in [
        (
            SVG,
            "logo.svg",
            "The file is an SVG or another text; an SVG can hold scripts, so save the logo as PNG.",
        ),
        (SVG, "logo.png", "The file is an SVG or another text"),
        (b"no picture", "logo.png", "The file is no picture in PNG, JPEG or WebP."),
        (file_of(logo())[:60], "logo.png", "The file is damaged or incomplete"),
        (None, "", "This field is required."),
    ]:
        with subtests.test(f"{content!r:.60} {name!r:.60} {words!r:.60}"):
            answer = upload(client, survey, content, name)
            assert answer.status_code == 422
            assert words in answer.text
            assert stored(survey) == {}
            assert not Logo.objects.exists()


def test_a_logo_of_ten_megabytes_is_refused_before_it_is_read(client: Client, survey: Survey) -> None:
    answer = upload(client, survey, file_of(logo()) + bytes(10_000_000))
    assert answer.status_code == 413
    assert "A logo has at most 2 megabytes." in answer.text
    assert stored(survey) == {}


def test_a_logo_needs_an_alternative_text(client: Client, survey: Survey) -> None:
    assert upload(client, survey, file_of(logo()), **{"alt-en": " "}).status_code == 422
    assert not Logo.objects.exists()


def test_a_colour_is_saved_or_its_nearest_shade_is_offered(client: Client, survey: Survey) -> None:
    refused = act(client, survey, "colour", accent="#FFD200")
    assert refused.status_code == 422
    assert "contrast of 1.2 to 1" in refused.text
    assert 'name="accent" value="#7f6800"' in refused.text
    assert stored(survey) == {}
    assert act(client, survey, "colour", accent="#7f6800").status_code == 302
    assert stored(survey) == {"accent": "#7f6800"}
    assert act(client, survey, "colour", accent="red;}").status_code == 422
    act(client, survey, "colour-remove")
    assert stored(survey) == {}
    undo(client, survey)
    assert stored(survey) == {"accent": "#7f6800"}


def test_the_upload_wants_a_token(survey: Survey, owner: Person) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert upload(client, survey, file_of(logo())).status_code == 403
    assert not Logo.objects.exists()


def test_what_is_missing_leads_to_its_field(client: Client, survey: Survey) -> None:
    survey.draft = {**survey.draft, "logo": "0" * 64, "accent": "#ffd200"}
    survey.save()
    page = client.get(survey.get_absolute_url()).text
    address = reverse("builder:appearance", args=[survey.pk])
    for anchor in ("logo", "logo-alt-en", "logo-alt-zh-hans", "accent"):
        assert f'href="{address}#{anchor}"' in page
