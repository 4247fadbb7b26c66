"""What everybody reads who has the address, and that nothing is known of them; who opens and closes the page."""

import io
import re
from typing import Any

import pytest
from django.test import Client, override_settings
from PIL import Image

from accounts.models import History, Person
from mining.nodes.report_nodes import Estimate
from reports.models import Publication, Review
from reports.pages.first_findings import Headline, first_findings
from reports.pages.public.public_page_texts import provenance_text
from reports.pages.report_document import ReportDocument
from reports.review import public_page_switch as links, report_state_changes
from reports.review.report_page_data import ReportPage
from reports.texts.design_sentences import say
from runs.models import Run
from surveys.phrases.languages import SHIPPED
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.report_sentence_texts import SentenceTexts
from tests import servers
from tests.cast import As
from tests.privacy.questionnaires import HALF, crosswise, design, grid, place, question, sensitive
from tests.reports.conftest import page_text, reader, words
from tests.reports.made_nodes import page_about
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
ISOLATES = re.compile("[\u2060\u2066-\u2069]")


def address(review: Review, more: str = "") -> str:
    return f"/public/{review.public_token}{more}"


def read(review: Review, more: str = "?lang=en") -> str:
    answer = Client().get(address(review, more))
    assert answer.status_code == 200
    return ISOLATES.sub("", words(answer)).replace("\xa0", " ")


def test_public_page_shows_findings_shares_and_method(shared_review: Review) -> None:
    # Nobody signs in to read it.
    page = read(shared_review)
    for said in (
        "Work &amp; health",
        "What was found",
        "Of people who answered “Theft: Yes”, at least 1.4 times as many answered “Late: Yes” as among all.",
        "Have you taken something home? Yes 25 % (21–29)",
        "Yes 40 % (36–44)",
        # Cash is told of one class alone.
        "No difference between the classes is shown for: Late Not compared between the classes: Cash",
        "Answers counted 1,000 Of these without disguise 200",
        "An interval does not cover who took part and who stayed away.",
        "Pairs of answers tested: 15.",
        shared_review.run.design,
    ):
        assert said in page
    # The shares are those of the publication.
    report = ReportPage(shared_review, whole=False)
    shares: list[dict[str, Any]] = Publication.objects.get().content["shares"]
    assert len(shares) == 8
    listed = {"age=18-39", "age=40+", "theft=yes", "late=yes"}
    for share in shares:
        if share["items"][0] in listed:
            ends = f"({round(100 * share['low'])}–{round(100 * share['high'])})"
            assert f"{round(100 * share['support'])} % {ends}" in page, share
    assert all(isinstance(share, Estimate) for share in report.content.shares)

    # Rule 4 is of those who took cash; rule 1 alone was accepted.
    assert "0.6 times as many" not in page


def test_a_report_opens_with_the_picture_of_its_first_finding_and_every_axis_has_figures(
    shared_review: Review,
) -> None:
    report = ReportPage(shared_review, whole=False)
    page = ReportDocument(report, "en").page()
    head = page[page.index("<h1>") : page.index('id="found"')]
    headline = Headline.of_report(report)
    assert headline.picture
    assert headline.picture in head
    rows = [row for row in first_findings(report) if row.pictures]
    axes = re.findall(
        r'<svg class="iv" height="18".*?</svg>', page[page.index('id="found"') : page.index('id="shares"')]
    )
    assert len(axes) == len(rows)
    assert all(re.findall(r"<text[^>]*>[^<]*\d", axis) for axis in axes)


@pytest.mark.parametrize("drawn", [("filled",), ("hollow",), ("filled", "base")])
def test_legend_names_only_marks_that_are_drawn(
    shared_review: Review, drawn: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dot and a bar are explained wherever something is drawn."""
    monkeypatch.setattr(ReportDocument, "_marks", lambda *_args: set(drawn))
    page = ReportDocument(ReportPage(shared_review, whole=False), "en").page()
    key = page[page.index('<ul class="key">') :].partition("</ul>")[0]
    names = {"hollow": "hollow: no difference is shown", "base": "dashed line: the share of all"}
    assert "estimate with its 95 % interval" in key
    assert {mark for mark, name in names.items() if name in key} == {*drawn} - {"filled"}


def test_page_legend_covers_the_marks_of_its_pictures(shared_review: Review) -> None:
    """The finding and the shares are filled; the classes of a table by group have a base. The finding is a ratio, whose
    base has its words beside it."""
    document = ReportDocument(ReportPage(shared_review, whole=False), "en")
    assert document.context()["marks"] == {"filled", "base"}
    assert document._marks([], []) == {"filled"}
    vars(document)["_findings"] = []
    assert document._marks([], []) == set()


def test_people_who_were_asked_directly_are_not_said_to_be_counted() -> None:
    with_arms, without = (
        provenance_text(page_about(of, records=300), "en")
        for of in (sealed.study(), design(sensitive("0.5", question("theft", *HALF))))
    )
    assert "People who answered until 1 July 2026 and were not asked directly: 300." in with_arms
    assert "People who answered until 1 July 2026: 300." in without


def test_not_everybody_was_asked_where_questions_are_drawn_or_have_a_condition() -> None:
    all_asked, drawn = (
        sealed.make_design(sealed.section("theft", "lie", asked=asked)) for asked in (None, 1)
    )
    work = {"name": "work", "choices": ["a", "b"], **sealed.IF_YOUNG}
    hidden = sealed.make_design(sealed.plain("age", "young", "old"), {"kind": "plain", "questions": [work]})
    for of in (drawn, hidden):
        assert "Not everybody was asked every question." in provenance_text(page_about(of), "en")
    assert "Not everybody" not in provenance_text(page_about(all_asked), "en")


def test_public_page_reads_only_the_publication(shared_review: Review, owner: Person) -> None:
    before = Client().get(address(shared_review)).content
    client = Client()
    client.force_login(owner)
    assert client.get(address(shared_review)).content == before
    Run.objects.update(findings={}, n_open=1, disguised=2, rule_count=0)
    assert Client().get(address(shared_review)).content == before


@pytest.mark.parametrize("open_answers", [True, False])
def test_public_page_says_which_answers_may_be_known(open_answers: bool) -> None:
    """Of places that of people outside the regions, and in crosswise questions that of people whose secret is known."""
    theft = sensitive("0.5", question("theft", *HALF))
    everywhere, partly = (place("home", grid(width, 1), [0, 1]) for width in (2, 3))
    lie = crosswise("lie", "0.05", secret={"en": "Were you born on a Sunday in May?"})
    outside = "a place outside the regions that were asked about may have been sent as it is."
    known = "anybody who knows the secret of an answer can read it."
    for sections, said in (
        ([theft, everywhere], []),
        ([theft, partly], [outside]),
        ([theft, lie], [known]),
        ([partly, lie], [outside, known]),
    ):
        lead = say("lead", page_about(design(*sections, open_answers=open_answers)))
        assert [exception for exception in (outside, known) if exception in lead] == said


def test_the_method_says_whether_words_were_proposed() -> None:
    page = page_about(design(sensitive("0.5", question("theft", *HALF))))
    assert say("words", page) == ""
    page.labels.sentences = SentenceTexts(proposal_languages={"en"})
    assert say("words", page) == "Some answers stand in words proposed by Candor."
    page.labels.language = "fr"
    assert say("words", page) == "", "the words of a translation are the researcher's"


def test_people_who_were_invited_are_not_said_to_have_answered_twice() -> None:
    page = page_about(design(sensitive("0.5", question("theft", *HALF))))
    assert "answered twice" in say("limits", page)
    page.survey.invited = True
    assert "answered twice" not in say("limits", page)
    assert "It does not cover records that were forged." in say("limits", page)


@pytest.mark.at_push(3)
@pytest.mark.parametrize("language", SHIPPED)
def test_public_page_is_complete_in_every_language(shared_review: Review, language: str) -> None:
    answer = Client().get(address(shared_review, f"?lang={language}"))
    page = answer.content.decode()
    assert answer["Content-Language"] == language
    assert f'<html lang="{language}" dir="{"rtl" if language == "ar" else "ltr"}"' in page
    if language != "en":
        for english in ("What was found", "How it was made", "Answers counted", "of all", "dashed line"):
            assert english not in words(answer), english


def test_public_page_follows_the_browser_language_if_available(shared_review: Review) -> None:
    french: Any = {"HTTP_ACCEPT_LANGUAGE": "fr-CH, en;q=0.5"}
    assert Client().get(address(shared_review), **french)["Content-Language"] == "fr"
    # The address overrules it.
    assert Client().get(address(shared_review, "?lang=es"), **french)["Content-Language"] == "es"
    assert Client().get(address(shared_review, "?lang=xx"))["Content-Language"] == "en"
    assert "工作与健康" in read(shared_review, "?lang=zh-hans")
    german = Client().get(address(shared_review, "?lang=de")).content.decode()
    assert '<bdi lang="en">Work &amp; health</bdi>' in german
    assert 'lang="en"><bdi>18 to 39</bdi></th>' in german


def test_public_page_and_picture_are_cacheable_and_read_only(shared_review: Review) -> None:
    for more in ("", "/card.png"):
        answer = Client().get(address(shared_review, more), HTTP_ACCEPT_ENCODING="br")
        assert answer["Cache-Control"] == "public, max-age=300"
        assert answer["ETag"].startswith('W/"')
        assert "Cookie" not in answer["Vary"]
        assert not answer.cookies
        again = Client().get(address(shared_review, more), HTTP_IF_NONE_MATCH=answer["ETag"])
        assert again.status_code == 304
        assert again["Cache-Control"] == "public, max-age=300"
        assert not again.content
        for method in ("post", "put", "delete", "patch"):
            assert getattr(Client(), method)(address(shared_review, more)).status_code == 405
        assert Client().head(address(shared_review, more)).status_code == 200


def test_contents_line_links_only_existing_sections(shared_review: Review, reading: Client) -> None:
    for url, sections in (
        (f"/app/reports/{shared_review.pk}/", ["found", "shares", "groups", "evidence", "limits", "method"]),
        (address(shared_review), ["found", "shares", "groups", "limits", "method"]),
    ):
        page = reading.get(url).content.decode()
        line = re.search(r'<ul class="jump">(.*?)</ul>', page)
        assert line
        assert re.findall(r'href="#([^"]+)"', line[1]) == sections
        assert all(page.count(f'id="{section}"') == 1 for section in sections)


def test_public_page_exists_while_open_and_published(
    shared_review: Review, owner: Person, reviewer: Person
) -> None:
    def statuses(of: str) -> set[int]:
        return {Client().get(of + more).status_code for more in ("", "/card.png")}

    for token in ("None", "x", "-", "0" * 22):
        assert Client().get(f"/public/{token}").status_code == 404
    before = address(shared_review)
    links.close_page(shared_review, owner, NOW)
    assert statuses(before) == {404}
    links.open_page(shared_review, owner, NOW)
    shared_review.refresh_from_db()
    # Opened again it is elsewhere.
    assert statuses(before) == {404}
    assert statuses(address(shared_review)) == {200}
    for state in ("waiting", "in-review"):
        Review.objects.update(state=state)
        assert statuses(address(shared_review)) == {404}
    Review.objects.update(state="published")
    assert [page.url for page in links.open_pages_of_owner(owner)] == [links.public_page_url(shared_review)]
    report_state_changes.withdraw(shared_review, reviewer, "Forged records.", "", NOW)
    assert statuses(address(shared_review)) == {404}
    assert not list(links.open_pages_of_owner(owner))


@override_settings(SITE_URL="https://survey.example.org")
@pytest.mark.parametrize(
    ("language", "title", "figure"),
    [
        ("fr", "Work &amp; health", "1,4"),
        ("zh-hans", "工作与健康", "1.4"),
        ("ar", "Work &amp; health", "1.4"),
    ],
)
def test_the_preview_of_a_link_says_the_headline_of_the_page(
    shared_review: Review, language: str, title: str, figure: str
) -> None:
    page = Client().get(address(shared_review, f"?lang={language}"), HTTP_HOST="localhost").content.decode()
    found = dict(re.findall(r'<meta (?:property|name)="([\w:]+)" content="([^"]*)"', page))
    headline = ISOLATES.sub("", re.sub(r"<[^>]+>", "", re.findall(r"<h1>(.*?)</h1>", page, re.DOTALL)[0]))
    assert figure in headline
    assert found["description"] == found["og:title"] == found["twitter:title"] == headline.strip()
    assert found["og:description"] == found["twitter:description"] == f"{title} · {headline.strip()}"
    assert found["og:url"] == f"https://survey.example.org/public/{shared_review.public_token}"
    assert found["og:image"] == found["twitter:image"]
    assert re.fullmatch(r"https://survey\.example\.org/static/ui/link-preview[.\w]*\.png", found["og:image"])
    assert found["twitter:card"] == "summary_large_image"


def test_preview_picture_also_answers_at_the_old_address(shared_review: Review) -> None:
    for language in ("en", "zh-hans", "ar"):
        answer = Client().get(address(shared_review, f"/card.png?lang={language}"))
        assert answer["Content-Type"] == "image/png"
        assert answer.content == (servers.ROOT / "static/ui/link-preview.png").read_bytes()
    assert Image.open(io.BytesIO(answer.content)).size == (1200, 630)


SWITCHES = ["public/open", "public/close"]


def test_owner_opens_the_public_page_at_a_random_address(
    published_review: Review, reading: Client, owner: Person
) -> None:
    assert "Open a public page" in page_text(reading, reader("files"))
    assert reading.post(reader("public/open"))["Location"] == reader("files")
    token = Review.objects.get().public_token
    assert token
    page = reading.get(reader("files")).content.decode()
    assert f'value="http://testserver/public/{token}"' in page
    assert Client().get(f"/public/{token}").status_code == 200
    tokens = {token}
    published_review.refresh_from_db()
    for _time in range(2):
        links.close_page(published_review, owner, NOW)
        links.open_page(published_review, owner, NOW)
        tokens.add(Review.objects.get().public_token or "")
    assert {len(token) for token in tokens} == {22}  # 16 bytes in base64
    assert len(tokens) == 3


def test_closing_the_public_page_asks_first(shared_review: Review, owner: Person, reading: Client) -> None:
    def press_switch(switch: str) -> str:
        return reading.post(reader(switch), follow=True).content.decode()

    assert "has a public page already" in press_switch("public/open")
    assert Review.objects.get().public_token == shared_review.public_token
    assert "Close the public page?" in page_text(reading, reader("public/close"))
    assert Review.objects.get().public_token
    reading.post(reader("public/close"))
    assert Review.objects.get().public_token is None
    assert "Open a public page" in page_text(reading, reader("files"))
    assert "has no public page" in press_switch("public/close")
    # The history says who opened and closed it.
    said = History.objects.filter(what__startswith="reports.public").order_by("pk")
    acts = ["reports.public-opened", "reports.public-closed"]
    assert [(row.what, row.who) for row in said] == [(act, owner) for act in acts]


def test_owner_alone_switches_the_public_page_and_readers_see_it(
    shared_review: Review, stranger: Person, viewer: Person, partial: Person, reviewer: Person, superuser: Person,
    signed_in_as: As, reading: Client,
) -> None:  # fmt: skip
    for switch in SWITCHES:
        assert Client().post(reader(switch))["Location"].startswith("/app/account/sign-in?next=")
        assert signed_in_as(stranger).post(reader(switch)).status_code == 404
    for person in (viewer, partial, reviewer, superuser):
        for switch in SWITCHES:
            assert signed_in_as(person).post(reader(switch)).status_code == 403
        with pytest.raises(NotAllowed):
            links.close_page(shared_review, person, NOW)
    assert Review.objects.get().public_token == shared_review.public_token
    page = page_text(signed_in_as(viewer), reader("files"))
    assert "Address of the public page" in page
    assert "Close the public page" not in page
    # Opening takes only a POST.
    assert reading.get(reader("public/open")).status_code == 405
    assert reading.put(reader("public/close")).status_code == 405


def test_unpublished_report_has_no_public_page(
    published_review: Review, owner: Person, reading: Client
) -> None:
    for state in ("waiting", "in-review", "withdrawn"):
        Review.objects.update(state=state)
        assert reading.post(reader("public/open")).status_code == 403
        with pytest.raises(NotAllowed):
            links.open_page(Review.objects.with_surveys().get(), owner, NOW)
