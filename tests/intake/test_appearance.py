"""A survey's logo and colour: part of its fingerprint, from our own address, and of a draft for nobody else."""

import re
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from importing import own, xlsform
from surveys.kinds.reading import read_questionnaire
from surveys.lifecycle import create, opening
from surveys.lifecycle.freezing import frozen
from surveys.models import Logo, Survey
from surveys.not_allowed import InputRefused
from tests.cast import As
from tests.intake.test_duties import in_language
from tests.surveys import drafts
from tests.surveys.conftest import NOW
from ui import accent, pdf

PICTURE = b"RIFF\x10\x00\x00\x00WEBPVP8L"
SHA256 = sha256(PICTURE).hexdigest()
LOGO = {"logo": SHA256, "logo_alt": {"en": "University of <Example>"}}
COLOUR = {"accent": "#7a1f3d"}


def with_look(**more: Any) -> dict[str, Any]:
    return dict(read_questionnaire({**drafts.complete(), **LOGO, **COLOUR, **more}).as_json())


@pytest.fixture
def stored(db: None) -> str:
    return Logo.store(PICTURE)


@pytest.fixture
def opened(stored: str, owner: Person) -> Survey:
    survey = Survey.objects.create(owner=owner, draft=with_look())
    opening.open_now(survey, owner, NOW)
    return survey


def test_a_design_without_them_keeps_its_bytes_and_each_of_them_changes_the_fingerprint() -> None:
    plain = read_questionnaire(drafts.complete()).as_json()
    assert not {"logo", "logo_alt", "accent"} & set(plain)
    looks: list[dict[str, Any]] = [
        {},
        COLOUR,
        LOGO,
        {**LOGO, "logo_alt": {"en": "Another"}},
        {**LOGO, "logo": "0" * 64},
        {"accent": "#003366"},
    ]
    assert len({frozen({**plain, **look}).fingerprint for look in looks}) == len(looks)


def test_they_come_back_from_a_spreadsheet_and_an_alternative_text_goes_with_its_logo() -> None:
    draft = read_questionnaire({**drafts.bilingual(), **LOGO, **COLOUR})
    assert xlsform.read(xlsform.written(draft)).draft == draft.as_json()
    unfinished = {**draft.as_json(), "logo_alt": {}}
    assert own.read(own.written(unfinished))["logo"] == SHA256
    assert "logo_alt" not in read_questionnaire({**drafts.complete(), **LOGO, "logo": ""}).as_json()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("look", "path"),
    [
        ({"logo_alt": {}}, "logo_alt.en"),
        ({"logo": "0" * 64}, "logo"),
        ({"accent": "#ffd200"}, "accent"),
    ],
)
def test_a_survey_does_not_open_without_a_text_a_picture_or_contrast(
    stored: str, owner: Person, look: dict[str, Any], path: str
) -> None:
    survey = Survey.objects.create(owner=owner, draft=with_look(**look))
    with pytest.raises(InputRefused) as refused:
        opening.open_now(survey, owner, NOW)
    assert [problem.path for problem in refused.value.problems] == [path]
    assert not Logo.objects.get(pk=stored).is_public


@pytest.mark.page
def test_the_logo_of_a_draft_is_for_nobody_and_that_of_an_open_survey_for_everybody(
    stored: str, owner: Person, client: Client
) -> None:
    survey = Survey.objects.create(owner=owner, draft=with_look())
    assert client.get(f"/a/logo/{stored}.webp").status_code == 404
    opening.open_now(survey, owner, NOW)
    answer = client.get(f"/a/logo/{stored}.webp")
    assert answer.content == PICTURE
    assert answer["Content-Type"] == "image/webp"
    assert answer["Cache-Control"] == "max-age=31536000, immutable"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "default-src 'none'"
    assert not answer.cookies
    assert client.post(f"/a/logo/{stored}.webp").status_code == 405
    # Bytes that are not those of the fingerprint are not served.
    Logo.objects.update(content=b"RIFF other")
    assert client.get(f"/a/logo/{stored}.webp").status_code == 404


@pytest.mark.page
@pytest.mark.parametrize("name", ["7a1f3d-000000000000", "7a1f3d", "zzzzzz-000000000000"])
def test_a_style_sheet_has_one_address(client: Client, name: str) -> None:
    address = f"/a/colour/{accent.sheet_name('#7a1f3d')}.css"
    answer = client.get(address)
    assert answer.text == accent.style_sheet("#7a1f3d")
    assert answer["Content-Type"].startswith("text/css")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert client.get(f"/a/colour/{name}.css").status_code == 404


@pytest.mark.page
def test_the_page_has_both_from_our_own_address_and_asks_nobody_else(opened: Survey, client: Client) -> None:
    page = client.get(opened.address).text
    assert f'<img src="/a/logo/{SHA256}.webp" alt="University of &lt;Example&gt;"' in page
    assert f'href="/a/colour/{accent.sheet_name("#7a1f3d")}.css"' in page
    addresses = re.findall(r'<(?:img|link|script)[^>]*? (?:src|href)="([^"]+)"', page)
    assert all(re.match(r"/(static|a)/", address) for address in addresses)
    assert "style=" not in page
    # The picture itself is not in the page, whose weight is that of its text.
    assert "base64" not in page


@pytest.mark.page
@pytest.mark.parametrize(
    ("language", "text"), [("de", "Hochschule"), ("ar", "جامعة"), ("fr", "University"), ("zh-hans", "大学")]
)
def test_its_text_is_in_the_language_of_the_page(
    stored: str, owner: Person, client: Client, language: str, text: str
) -> None:
    draft: Any = in_language(with_look(logo_alt={"en": text}), language)
    survey = Survey.objects.create(owner=owner, draft=draft)
    opening.open_now(survey, owner, NOW)
    assert f'alt="{text}"' in client.get(survey.address, headers={"Accept-Language": language}).text


def test_a_copy_of_the_survey_has_them(opened: Survey, owner: Person) -> None:
    copy = create.duplicate(opened, owner, NOW)
    assert {**LOGO, **COLOUR}.items() <= read_questionnaire(copy.draft).as_json().items()


@pytest.mark.page
def test_the_study_sheet_and_its_paper_have_the_picture_in_the_page(
    opened: Survey, owner: Person, signed_in_as: As
) -> None:
    page = signed_in_as(owner).get(reverse("study-sheet:page", args=[opened.pk])).text
    data = Logo.data_address(SHA256)
    assert f'<img src="{data}" alt="University of &lt;Example&gt;"' in page
    fetched = pdf.static_files_only().fetch(data)
    assert fetched.read() == PICTURE
