"""The study sheet, a survey's logo and colour, and what a board and the law ask for."""

import re
from datetime import timedelta
from hashlib import sha256
from html import unescape
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from accounts.models import Person
from importing import candor_format, xlsform
from intake.study_sheet.ethics_board_sheet import StudySheet
from privacy.designs.design import DUTIES
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import field_device_keys, opening, survey_creation
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.models import Logo, Survey
from surveys.questionnaire.problems_and_refusals import InputRefused
from surveys.questionnaire.protection import design_epsilon
from tests.golden.designs import seeds
from tests.intake import asked
from tests.intake.asked import CLIENT
from tests.reports.public.test_paper import pages
from tests.surveys import drafts
from tests.surveys.conftest import NOW
from tests.surveys.test_waves import wave_draft
from ui import pdf, survey_accent_colour

pytestmark = [pytest.mark.page, pytest.mark.django_db]
DEMO = seeds()["demo"]
BOARD = {"contact": "board@example.org", "ethics": {"en": "No. 7 of the board", "zh-hans": "第七号"}}


def make_survey(owner: Person, draft: Any, opens: bool = False, **values: Any) -> Survey:
    survey = Survey.objects.create(owner=owner, draft=draft, **values)
    if opens:
        opening.open_survey_now(survey, owner, NOW)
    return survey


@pytest.fixture
def demo(owner: Person) -> Survey:
    return make_survey(owner, {**DEMO, **BOARD}, opens=True)


def page_of(survey: Survey, client: Client) -> str:
    return unescape(client.get(reverse("study-sheet:page", args=[survey.pk])).text)


def test_study_sheet_states_questions_answers_and_the_guarantee(demo: Survey, client: Client) -> None:
    assert demo.design is not None
    design, page = demo.design.content, page_of(demo, client)
    (language, *_others) = design.languages
    for question in design.questions:
        if not question.share_parts:
            labels = [dict(choice.label.entries).get(language, "") for choice in question.choices]
            assert all(words in page for words in (dict(question.text.entries)[language], *labels))
    assert ("People who are asked directly have no such guarantee." in page) is design.has_arms
    said = "board@example.org", "No. 7 of the board", "batches of at least"
    assert asked.missing_parts(page, f"ε = {design_epsilon(design, 2)}", design.fingerprint, *said) == []
    assert "A draft" not in page
    paper = client.get(reverse("study-sheet:pdf", args=[demo.pk]), {"paper": "A3"})
    assert paper.status_code == 404, "one that is not offered"


def test_study_sheet_quotes_the_survey_in_the_readers_language_if_possible(
    demo: Survey, client: Client
) -> None:
    titles, address = DEMO["title"], reverse("study-sheet:page", args=[demo.pk])
    for spoken, asked_for, quoted in (
        ("zh-hans", "", "zh-hans"),
        ("fr", "", "en"),
        ("zh-hans", "?lang=en", "en"),
    ):
        page = client.get(address + asked_for, headers={"accept-language": spoken}).text
        assert [titles[code] in unescape(page) for code in ("en", "zh-hans")] == [
            quoted == "en",
            quoted != "en",
        ]


def test_study_sheet_states_how_many_exchanges_are_tied_by_time(owner: Person, client: Client) -> None:
    """720 answers in the 72 hours of three days: ten people an hour."""
    draft = {**DEMO, "expected": 720, "invitation_key": asked.signing_key().public.text}
    survey = make_survey(owner, draft, invited=True)
    assert "43, 10 or 3 of 100" in page_of(survey, client)
    survey.opens, survey.closes = NOW, NOW + timedelta(days=3)
    survey.save()
    assert "about 10 % of exchanges to their records" in page_of(survey, client)


def test_draft_sheet_says_so_and_an_incomplete_draft_has_none(owner: Person, client: Client) -> None:
    assert "A draft: its fingerprint is fixed when the survey opens." in page_of(
        make_survey(owner, DEMO), client
    )
    empty = make_survey(owner, {"languages": ["en"], "sections": []})
    address = reverse("study-sheet:page", args=[empty.pk])
    assert client.get(address, follow=True).redirect_chain == [(empty.get_absolute_url(), 302)]
    assert client.get(reverse("study-sheet:pdf", args=[empty.pk])).status_code == 404
    # What a researcher writes is text.
    attack = make_survey(owner, {**DEMO, "contact": "<script>alert(1)</script>"})
    assert "<script>" not in client.get(reverse("study-sheet:page", args=[attack.pk])).text


def test_study_sheet_states_three_figures_of_a_lasting_disguise(owner: Person, client: Client) -> None:
    """a = .9 and r = .9: 19 for ever, 19 for a round that differs, 361 for a second code."""
    page = page_of(make_survey(owner, wave_draft(retention="2030-01-01").as_json(), opens=True), client)
    said = "at most <strong>19 times</strong>", "by 19 once more", "at most 361 times", "Two codes"
    assert asked.missing_parts(page, *said) == []


def test_study_sheet_says_what_field_devices_keep(owner: Person) -> None:
    survey = make_survey(owner, DEMO)
    keyed = field_device_keys.add_field_keys_to_draft(survey, survey.draft)
    for draft, is_said in ((survey.draft, False), (keyed, True)):
        survey.draft = draft
        sheet = StudySheet(survey, freeze_design(draft), "en").page()
        assert ("handed from person to person" in sheet) is is_said
        # True of a survey that disguises nothing, too.
        assert ("keeps its records sealed for this site" in sheet) is is_said


def test_study_sheet_lists_names_in_the_readers_language(owner: Person) -> None:
    sites = ["https://a.example.org", "https://b.example.org"]
    survey = make_survey(owner, {**DEMO, "sites": sites})
    for name in ("Ada", "Ben"):
        person = Person.objects.create_user(name, name=name)
        survey.collaborators.create(person=person)
    for language, comma in (("en", ", "), ("zh-hans", "、")):
        with translation.override(language):
            sheet = StudySheet(survey, freeze_design(survey.draft), language).page()
        assert asked.missing_parts(sheet, comma.join(sites), f"Ada{comma}Ben") == []


def test_study_sheet_says_if_the_owner_reviews_or_chooses_reviewers(
    demo: Survey, client: Client, settings: SimpleNamespace
) -> None:
    said = (
        "also every estimate before it is published",
        "except, on this site, the owner; on this site the owner may",
    )
    assert asked.missing_parts(page_of(demo, client), *said) == list(said)
    settings.ONE_PERSON_DOES_BOTH = settings.OWNERS_NAME_REVIEWERS = True
    assert asked.missing_parts(page_of(demo, client), *said) == []


def test_study_sheet_says_who_gets_record_files_and_what_the_operator_has(
    demo: Survey, client: Client
) -> None:
    """In a rehearsal no reviewer has to allow a file."""
    real = make_survey(demo.owner, {**DEMO, **BOARD, "rehearsal": False}, opens=True)
    rehearsed, files = page_of(demo, client), "owner, editors and reviewers, of simulated people"
    assert [files in page for page in (rehearsed, page_of(real, client))] == [True, False]
    assert "nobody; a reviewer would have to allow files" in page_of(real, client)
    assert "a reviewer has allowed" not in rehearsed
    assert "the stored records; never the true answers behind those that are disguised" in rehearsed


@pytest.mark.night
def test_demo_study_sheet_prints_on_two_pages_in_both_sizes(demo: Survey) -> None:
    assert demo.design is not None
    html = StudySheet(demo, demo.design.content, "en").page()
    assert [pages(pdf.render_pdf(html, paper)) for paper in pdf.PAPERS] == [2, 2]


# --- a survey's logo and colour, and the duties of its people

PICTURE = b"RIFF\x10\x00\x00\x00WEBPVP8L"
SHA256 = sha256(PICTURE).hexdigest()
LOGO = {"logo": SHA256, "logo_alt": {"en": "University of <Example>"}}
COLOUR = {"accent": "#7a1f3d"}
WORDS = {name: {"en": f"The {name} <b>of us</b>"} for name in DUTIES}


def with_look(**more: Any) -> dict[str, Any]:
    return dict(read_questionnaire({**drafts.complete(), **LOGO, **COLOUR, **more}).as_json())


@pytest.fixture
def stored_logo(db: None) -> str:
    return Logo.store_picture(PICTURE)


def test_logo_colour_and_duties_change_the_fingerprint_and_their_absence_does_not() -> None:
    plain = read_questionnaire(drafts.complete()).as_json()
    assert not {"logo", "logo_alt", "accent", *DUTIES} & set(plain)
    looks: list[dict[str, Any]] = [{}, COLOUR, {"accent": "#003366"}, LOGO]
    looks += [{**LOGO, "logo_alt": {"en": "Another"}}, {**LOGO, "logo": "0" * 64}]
    looks += [{name: words} for name, words in WORDS.items()]
    designs = [freeze_design({**plain, **look}) for look in looks]
    assert len({design.fingerprint for design in designs}) == len(looks)
    for name, design in zip(DUTIES, designs[-len(DUTIES) :], strict=True):
        assert f'"{name}":{{"en":' in design.canonical


def test_logo_colour_and_duties_survive_a_spreadsheet() -> None:
    draft = read_questionnaire({**drafts.bilingual(), **LOGO, **COLOUR})
    for each in (draft, read_questionnaire({**drafts.complete(), **WORDS})):
        assert xlsform.read(xlsform.write(each)).draft == each.as_json()
    unfinished = {**draft.as_json(), "logo_alt": {}}
    assert candor_format.read(candor_format.write(unfinished))["logo"] == SHA256
    assert "logo_alt" not in read_questionnaire({**drafts.complete(), **LOGO, "logo": ""}).as_json()


def test_survey_without_alternative_text_picture_or_contrast_does_not_open(
    stored_logo: str, owner: Person
) -> None:
    looks: list[tuple[dict[str, Any], str]] = [
        ({"logo_alt": {}}, "logo_alt.en"),
        ({"logo": "0" * 64}, "logo"),
        ({"accent": "#ffd200"}, "accent"),
    ]
    for look, path in looks:
        with pytest.raises(InputRefused) as refused:
            make_survey(owner, with_look(**look), opens=True)
        assert [problem.path for problem in refused.value.problems] == [path]
        assert not Logo.objects.get(pk=stored_logo).is_public


def test_logo_of_an_open_survey_is_public(stored_logo: str, owner: Person) -> None:
    survey, address = make_survey(owner, with_look()), f"/a/logo/{stored_logo}.webp"
    assert CLIENT.get(address).status_code == 404
    opening.open_survey_now(survey, owner, NOW)
    answer = CLIENT.get(address)
    assert answer.content == PICTURE
    assert {
        "Content-Type": "image/webp",
        "Cache-Control": "max-age=31536000, immutable",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'",
    }.items() <= dict(answer.items()).items()
    assert not answer.cookies
    assert CLIENT.post(address).status_code == 405
    # Bytes that are not those of the fingerprint are not served.
    Logo.objects.update(content=b"RIFF other")
    assert CLIENT.get(address).status_code == 404


def test_style_sheet_has_one_address() -> None:
    answer = CLIENT.get(f"/a/colour/{survey_accent_colour.style_sheet_name('#7a1f3d')}.css")
    assert answer.text == survey_accent_colour.style_sheet("#7a1f3d")
    assert answer["Content-Type"].startswith("text/css")
    assert answer["X-Content-Type-Options"] == "nosniff"
    for name in ("7a1f3d-000000000000", "7a1f3d", "zzzzzz-000000000000"):
        assert CLIENT.get(f"/a/colour/{name}.css").status_code == 404, name


def test_page_loads_logo_and_style_from_our_address_only(
    stored_logo: str, owner: Person, client: Client
) -> None:
    opened = make_survey(owner, with_look(), opens=True)
    page = CLIENT.get(opened.address).text
    assert f'<img src="/a/logo/{SHA256}.webp" alt="University of &lt;Example&gt;"' in page
    assert f'href="/a/colour/{survey_accent_colour.style_sheet_name("#7a1f3d")}.css"' in page
    addresses = re.findall(r'<(?:img|link|script)[^>]*? (?:src|href)="([^"]+)"', page)
    assert all(re.match(r"/(static|a)/", address) for address in addresses)
    # The picture itself is not in the page, whose weight is that of its text.
    assert not [words for words in ("style=", "base64") if words in page]
    # It is in that of the study sheet, and in its paper.
    sheet, data = client.get(reverse("study-sheet:page", args=[opened.pk])).text, Logo.data_url(SHA256)
    assert f'<img src="{data}" alt="University of &lt;Example&gt;"' in sheet
    assert pdf.make_static_file_fetcher().fetch(data).read() == PICTURE
    # A copy of the survey has both.
    copy = survey_creation.duplicate_survey(opened, owner, NOW)
    assert {**LOGO, **COLOUR}.items() <= read_questionnaire(copy.draft).as_json().items()


def in_language(node: object, language: str) -> Any:
    """The draft with its English words as those of another language."""
    if isinstance(node, dict):
        return {language if key == "en" else key: in_language(value, language) for key, value in node.items()}
    if isinstance(node, list):
        return [language if each == "en" else in_language(each, language) for each in node]
    return node


HEADINGS = {
    "en": ["Ethics approval", "Data protection officer", "Privacy notice", "Imprint"],
    "de": ["Ethikvotum", "Datenschutzbeauftragte Person", "Datenschutzhinweis", "Impressum"],
    "ar": ["موافقة لجنة الأخلاقيات", "مسؤول حماية البيانات", "إشعار الخصوصية", "بيانات الناشر"],
    "fr": [],
    "zh-hans": [],
}


def test_respondents_read_legal_duties_in_their_language(stored_logo: str, owner: Person) -> None:
    alternative = {
        "en": "University",
        "de": "Hochschule",
        "fr": "Université",
        "zh-hans": "大学",
        "ar": "جامعة",
    }
    for language, headings in HEADINGS.items():
        look = with_look(**WORDS, logo_alt={"en": alternative[language]})
        survey = make_survey(owner, in_language(look, language), opens=True)
        page = CLIENT.get(survey.address, headers={"Accept-Language": language}).text
        assert f'alt="{alternative[language]}"' in page
        assert [heading for heading in headings if f"<dt>{heading}</dt>" not in page] == []
        assert all(f"The {name} &lt;b&gt;of us&lt;/b&gt;" in page for name in DUTIES)
