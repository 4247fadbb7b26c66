"""The study sheet, a survey's logo and colour, and what a board and the law ask for."""

import re
from datetime import timedelta
from hashlib import sha256
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from importing import candor_format, xlsform
from intake.study_sheet.ethics_board_sheet import StudySheet
from privacy.designs.design import DUTIES
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import opening, survey_creation, token_and_sealing_keys
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.models import Logo, Survey
from surveys.questionnaire.problems_and_refusals import InputRefused
from surveys.questionnaire.protection import design_epsilon
from tests.cast import As
from tests.golden.designs import seeds
from tests.intake import exchanges
from tests.reports.public.test_paper import pages
from tests.surveys import drafts
from tests.surveys.conftest import NOW
from tests.surveys.test_waves import asking
from ui import accent, pdf

BOARD = {"contact": "board@example.org", "ethics": {"en": "No. 7 of the board", "zh-hans": "第七号"}}


@pytest.fixture
def demo(owner: Person) -> Survey:
    survey = Survey.objects.create(owner=owner, draft={**seeds()["demo"], **BOARD})
    opening.open_survey_now(survey, owner, NOW)
    return survey


def page_of(survey: Survey, client: Client, **query: str) -> str:
    return unescape(client.get(reverse("study-sheet:page", args=[survey.pk]), query).text)


@pytest.mark.page
@pytest.mark.django_db
def test_it_says_each_question_with_every_answer_the_guarantee_and_the_fingerprint(
    demo: Survey, owner: Person, signed_in_as: As
) -> None:
    assert demo.design is not None
    design = demo.design.content
    page = page_of(demo, signed_in_as(owner))
    (language, *_others) = design.languages
    for question in design.questions:
        if not question.share_parts:
            assert dict(question.text.entries)[language] in page
            labels = [dict(choice.label.entries).get(language, "") for choice in question.choices]
            assert all(label in page for label in labels)
    assert ("People who are asked directly have no such guarantee." in page) is design.has_arms
    assert f"ε = {design_epsilon(design, 2)}" in page
    assert design.fingerprint in page
    assert "board@example.org" in page
    assert "No. 7 of the board" in page
    assert "batches of at least" in page
    assert "A draft" not in page


@pytest.mark.page
@pytest.mark.django_db
def test_where_invitations_are_exchanged_it_says_how_many_the_times_tie_at_this_pace(
    owner: Person, signed_in_as: As
) -> None:
    """720 answers in the 72 hours of three days: ten people an hour."""
    draft = {**seeds()["demo"], "expected": 720, "invitation_key": exchanges.key().public.text}
    survey = Survey.objects.create(owner=owner, draft=draft, invited=True)
    assert "43, 10 or 3 of 100" in page_of(survey, signed_in_as(owner))
    survey.opens, survey.closes = NOW, NOW + timedelta(days=3)
    survey.save()
    assert "about 10 % of exchanges to their records" in page_of(survey, signed_in_as(owner))


@pytest.mark.page
@pytest.mark.django_db
def test_a_draft_says_that_it_is_one_and_an_incomplete_one_has_no_sheet(
    owner: Person, signed_in_as: As
) -> None:
    draft = Survey.objects.create(owner=owner, draft=seeds()["demo"])
    client = signed_in_as(owner)
    assert "A draft: its fingerprint is fixed when the survey opens." in page_of(draft, client)
    empty = Survey.objects.create(owner=owner, draft={"languages": ["en"], "sections": []})
    address = reverse("study-sheet:page", args=[empty.pk])
    assert client.get(address, follow=True).redirect_chain == [(empty.get_absolute_url(), 302)]
    assert client.get(reverse("study-sheet:pdf", args=[empty.pk])).status_code == 404


@pytest.mark.page
@pytest.mark.django_db
def test_where_a_disguise_lasts_it_states_the_figure_of_all_rounds_of_a_change_and_of_a_lost_code(
    owner: Person, signed_in_as: As
) -> None:
    """a = .9 and r = .9: 19 for ever, 19 for a round that differs, 361 for a second code."""
    survey = Survey.objects.create(owner=owner, draft=asking(retention="2030-01-01").as_json())
    opening.open_survey_now(survey, owner, NOW)
    page = page_of(survey, signed_in_as(owner))
    assert "all rounds together make any answers of yours at most <strong>19 times</strong>" in page
    assert "can multiply this by 19 once more" in page
    assert "this is a new start: then all rounds together make any answers of yours at most 361 times" in page
    assert "Two codes of one person" in page


@pytest.mark.page
@pytest.mark.django_db
def test_a_paper_that_is_not_offered_is_not_found(demo: Survey, owner: Person, signed_in_as: As) -> None:
    address = reverse("study-sheet:pdf", args=[demo.pk])
    assert signed_in_as(owner).get(address, {"paper": "A3"}).status_code == 404


@pytest.mark.page
@pytest.mark.django_db
def test_what_a_researcher_writes_is_text(owner: Person, signed_in_as: As) -> None:
    draft = {**seeds()["demo"], "contact": "<script>alert(1)</script>"}
    survey = Survey.objects.create(owner=owner, draft=draft)
    assert "<script>" not in signed_in_as(owner).get(reverse("study-sheet:page", args=[survey.pk])).text


@pytest.mark.night
@pytest.mark.page
@pytest.mark.django_db
def test_the_demo_prints_on_two_pages_in_both_sizes(demo: Survey) -> None:
    assert demo.design is not None
    html = StudySheet(demo, demo.design.content, "en").page()
    assert [pages(pdf.render_pdf(html, paper)) for paper in pdf.PAPERS] == [2, 2]


# --- A survey's logo and colour

PICTURE = b"RIFF\x10\x00\x00\x00WEBPVP8L"
SHA256 = sha256(PICTURE).hexdigest()
LOGO = {"logo": SHA256, "logo_alt": {"en": "University of <Example>"}}
COLOUR = {"accent": "#7a1f3d"}


def with_look(**more: Any) -> dict[str, Any]:
    return dict(read_questionnaire({**drafts.complete(), **LOGO, **COLOUR, **more}).as_json())


@pytest.fixture
def stored(db: None) -> str:
    return Logo.store_picture(PICTURE)


@pytest.fixture
def opened(stored: str, owner: Person) -> Survey:
    survey = Survey.objects.create(owner=owner, draft=with_look())
    opening.open_survey_now(survey, owner, NOW)
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
    assert len({freeze_design({**plain, **look}).fingerprint for look in looks}) == len(looks)


def test_they_come_back_from_a_spreadsheet_and_an_alternative_text_goes_with_its_logo() -> None:
    draft = read_questionnaire({**drafts.bilingual(), **LOGO, **COLOUR})
    assert xlsform.read(xlsform.write(draft)).draft == draft.as_json()
    unfinished = {**draft.as_json(), "logo_alt": {}}
    assert candor_format.read(candor_format.write(unfinished))["logo"] == SHA256
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
        opening.open_survey_now(survey, owner, NOW)
    assert [problem.path for problem in refused.value.problems] == [path]
    assert not Logo.objects.get(pk=stored).is_public


@pytest.mark.page
def test_the_logo_of_a_draft_is_for_nobody_and_that_of_an_open_survey_for_everybody(
    stored: str, owner: Person, client: Client
) -> None:
    survey = Survey.objects.create(owner=owner, draft=with_look())
    assert client.get(f"/a/logo/{stored}.webp").status_code == 404
    opening.open_survey_now(survey, owner, NOW)
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
    address = f"/a/colour/{accent.style_sheet_name('#7a1f3d')}.css"
    answer = client.get(address)
    assert answer.text == accent.style_sheet("#7a1f3d")
    assert answer["Content-Type"].startswith("text/css")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert client.get(f"/a/colour/{name}.css").status_code == 404


@pytest.mark.page
def test_the_page_has_both_from_our_own_address_and_asks_nobody_else(opened: Survey, client: Client) -> None:
    page = client.get(opened.address).text
    assert f'<img src="/a/logo/{SHA256}.webp" alt="University of &lt;Example&gt;"' in page
    assert f'href="/a/colour/{accent.style_sheet_name("#7a1f3d")}.css"' in page
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
    opening.open_survey_now(survey, owner, NOW)
    assert f'alt="{text}"' in client.get(survey.address, headers={"Accept-Language": language}).text


def test_a_copy_of_the_survey_has_them(opened: Survey, owner: Person) -> None:
    copy = survey_creation.duplicate_survey(opened, owner, NOW)
    assert {**LOGO, **COLOUR}.items() <= read_questionnaire(copy.draft).as_json().items()


@pytest.mark.page
def test_the_study_sheet_and_its_paper_have_the_picture_in_the_page(
    opened: Survey, owner: Person, signed_in_as: As
) -> None:
    page = signed_in_as(owner).get(reverse("study-sheet:page", args=[opened.pk])).text
    data = Logo.data_url(SHA256)
    assert f'<img src="{data}" alt="University of &lt;Example&gt;"' in page
    fetched = pdf.make_static_file_fetcher().fetch(data)
    assert fetched.read() == PICTURE


# --- What a board and the law ask for stands on the start page, in each language, and is part o

WORDS = {name: {"en": f"The {name} <b>of us</b>"} for name in DUTIES}


def test_a_design_without_duties_keeps_its_bytes_and_each_changes_the_fingerprint() -> None:
    plain = read_questionnaire(drafts.complete())
    assert not set(DUTIES) & set(plain.as_json())
    fingerprints = {freeze_design(plain.as_json()).fingerprint}
    for name in DUTIES:
        with_one = freeze_design({**plain.as_json(), name: WORDS[name]})
        assert f'"{name}":{{"en":' in with_one.canonical
        fingerprints.add(with_one.fingerprint)
    assert len(fingerprints) == 1 + len(DUTIES)


def test_duties_come_back_from_a_spreadsheet() -> None:
    draft = read_questionnaire({**drafts.complete(), **WORDS})
    assert xlsform.read(xlsform.write(draft)).draft == draft.as_json()


@pytest.mark.page
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "headings"),
    [
        ("en", ["Ethics approval", "Data protection officer", "Privacy notice", "Imprint"]),
        ("de", ["Ethikvotum", "Datenschutzbeauftragte Person", "Datenschutzhinweis", "Impressum"]),
        ("ar", ["موافقة لجنة الأخلاقيات", "مسؤول حماية البيانات", "إشعار الخصوصية", "بيانات الناشر"]),
    ],
)
def test_respondents_read_them_under_headings_in_their_language(
    language: str, headings: list[str], owner: Person, client: Client
) -> None:
    draft = read_questionnaire({**drafts.complete(), **WORDS}).as_json()
    survey = Survey.objects.create(owner=owner, draft=in_language(draft, language))
    opening.open_survey_now(survey, owner, NOW)
    page = client.get(survey.address, headers={"Accept-Language": language}).text
    assert all(f"<dt>{heading}</dt>" in page for heading in headings)
    assert all(f"The {name} &lt;b&gt;of us&lt;/b&gt;" in page for name in DUTIES)


def in_language(node: object, language: str) -> object:
    """The draft with its English words as those of another language."""
    if isinstance(node, dict):
        return {language if key == "en" else key: in_language(value, language) for key, value in node.items()}
    if isinstance(node, list):
        return [language if each == "en" else in_language(each, language) for each in node]
    return node


@pytest.mark.page
@pytest.mark.django_db
def test_it_says_what_field_devices_keep_where_a_survey_has_them(owner: Person) -> None:
    survey = Survey.objects.create(owner=owner, draft=seeds()["demo"])
    assert "handed from person to person" not in StudySheet(survey, freeze_design(survey.draft), "en").page()
    keyed = token_and_sealing_keys.draft_with_field_keys(survey, survey.draft)
    survey.draft = keyed
    assert "handed from person to person" in StudySheet(survey, freeze_design(keyed), "en").page()
