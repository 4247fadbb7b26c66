"""What everybody reads who has the address, and that nothing is known of them."""

import re
from typing import Any

import pytest
from django.test import Client, override_settings
from django.utils.html import escape

from accounts.models import Person
from mining.report.report_nodes import Estimate
from reports.models import Publication, Review
from reports.review import public_page_switch as links, publishing
from reports.review.report_page_data import ReportPage
from runs.models import Run
from surveys.phrases.languages import SHIPPED
from tests.reports.paged import words
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
ISOLATES = re.compile("[\u2060\u2066-\u2069]")


def address(review: Review, more: str = "") -> str:
    return f"/public/{review.public_token}{more}"


def read(review: Review, more: str = "?lang=en") -> str:
    answer = Client().get(address(review, more))
    assert answer.status_code == 200
    return ISOLATES.sub("", words(answer)).replace("\xa0", " ")


def test_everybody_reads_the_findings_the_shares_and_the_method(shared: Review) -> None:
    # Nobody signs in to read it.
    page = read(shared)
    assert "Work &amp; health" in page
    assert "What was found" in page
    assert "Of people who answered “Theft: Yes”, 72 % (55–89) answered “Late: Yes”" in page
    assert "1.8 times as many" in page
    # A share has its interval beside it.
    assert "Have you taken something home? Yes 25 % (21–29)" in page
    assert "Yes 40 % (36–44)" in page
    # The shares are those of the publication.
    report = ReportPage(shared, whole=False)
    shares: list[dict[str, Any]] = Publication.objects.get().content["shares"]
    assert len(shares) == 8
    listed = {"age=18-39", "age=40+", "theft=yes", "late=yes"}
    for share in shares:
        if share["items"][0] in listed:
            ends = f"({round(100 * share['low'])}–{round(100 * share['high'])})"
            assert f"{round(100 * share['support'])} % {ends}" in page, share
    assert all(isinstance(share, Estimate) for share in report.content.shares)
    # It says method limits and fingerprint.
    assert "Answers counted 1,000 Of these without disguise 200" in page
    assert "An interval does not cover who took part and who stayed away." in page
    assert "Pairs of answers tested: 75." in page
    assert shared.run.design in page
    # Rule 4 is of those who took cash; rule 1 alone was accepted.
    assert "0.6 times as many" not in page


def test_nothing_is_read_but_the_publication_and_who_is_signed_in_reads_the_same(
    shared: Review, owner: Person
) -> None:
    before = Client().get(address(shared)).content
    client = Client()
    client.force_login(owner)
    assert client.get(address(shared)).content == before
    Run.objects.update(findings={}, n_open=1, disguised=2, rule_count=0)
    assert Client().get(address(shared)).content == before


@pytest.mark.at_push(3)
@pytest.mark.parametrize("language", SHIPPED)
def test_each_language_has_all_words_of_the_page(shared: Review, language: str) -> None:
    answer = Client().get(address(shared, f"?lang={language}"))
    page = answer.content.decode()
    assert answer["Content-Language"] == language
    assert f'<html lang="{language}" dir="{"rtl" if language == "ar" else "ltr"}"' in page
    if language != "en":
        for english in ("What was found", "How it was made", "Answers counted", "of all", "dashed line"):
            assert english not in words(answer), english


def test_the_questionnaire_speaks_the_language_of_the_page_if_it_has_it(shared: Review) -> None:
    assert "工作与健康" in read(shared, "?lang=zh-hans")
    german = Client().get(address(shared, "?lang=de")).content.decode()
    assert '<bdi lang="en">Work &amp; health</bdi>' in german
    assert 'lang="en"><bdi>18 to 39</bdi></th>' in german


def test_the_browser_chooses_the_language_and_the_address_overrules_it(shared: Review) -> None:
    french = {"HTTP_ACCEPT_LANGUAGE": "fr-CH, en;q=0.5"}
    assert Client().get(address(shared), **french)["Content-Language"] == "fr"  # type: ignore[arg-type]
    assert Client().get(address(shared, "?lang=es"), **french)["Content-Language"] == "es"  # type: ignore[arg-type]
    assert Client().get(address(shared, "?lang=xx"))["Content-Language"] == "en"


def test_every_cache_may_keep_page_and_card_and_they_take_no_other_method(shared: Review) -> None:
    for more in ("", "/card.png"):
        answer = Client().get(address(shared, more), HTTP_ACCEPT_ENCODING="br")
        assert answer["Cache-Control"] == "public, max-age=300"
        assert answer["ETag"].startswith('W/"')
        assert "Cookie" not in answer["Vary"]
        assert not answer.cookies
        again = Client().get(address(shared, more), HTTP_IF_NONE_MATCH=answer["ETag"])
        assert again.status_code == 304
        assert again["Cache-Control"] == "public, max-age=300"
        assert not again.content
        for method in ("post", "put", "delete", "patch"):
            assert getattr(Client(), method)(address(shared, more)).status_code == 405
        assert Client().head(address(shared, more)).status_code == 200


def test_the_contents_line_leads_to_the_sections_that_are_there(shared: Review, reading: Client) -> None:
    for url, sections in (
        (f"/app/reports/{shared.pk}/", ["found", "shares", "groups", "evidence", "limits", "method"]),
        (address(shared), ["found", "shares", "groups", "limits", "method"]),
    ):
        page = reading.get(url).content.decode()
        line = re.search(r'<ul class="jump">(.*?)</ul>', page)
        assert line
        assert re.findall(r'href="#([^"]+)"', line[1]) == sections
        assert all(page.count(f'id="{section}"') == 1 for section in sections)


def test_a_page_is_there_while_it_is_open_and_its_report_published(
    shared: Review, owner: Person, reviewer: Person
) -> None:
    def statuses() -> set[int]:
        return {Client().get(address(shared, more)).status_code for more in ("", "/card.png")}

    before = address(shared)
    links.close_page(shared, owner, NOW)
    assert {Client().get(before + more).status_code for more in ("", "/card.png")} == {404}
    links.open_page(shared, owner, NOW)
    shared.refresh_from_db()
    # Opened again it is elsewhere.
    assert {Client().get(before + more).status_code for more in ("", "/card.png")} == {404}
    assert statuses() == {200}
    for state in ("waiting", "in-review"):
        Review.objects.update(state=state)
        assert statuses() == {404}
    Review.objects.update(state="published")
    publishing.withdraw(shared, reviewer, "Forged records.", "", NOW)
    assert statuses() == {404}


def test_no_page_has_the_address_of_another_or_of_none(published: Review) -> None:
    for token in ("None", "x", "-", "0" * 22):
        assert Client().get(f"/public/{token}").status_code == 404


@override_settings(SITE_URL="https://survey.example.org")
def test_a_card_is_named_by_the_address_of_the_site(shared: Review) -> None:
    page = Client().get(address(shared, "?lang=fr"), HTTP_HOST="localhost").content.decode()
    found = dict(re.findall(r'<meta (?:property|name)="([\w:]+)" content="([^"]*)"', page))
    site = f"https://survey.example.org/public/{shared.public_token}"
    assert found["og:image"] == found["twitter:image"] == f"{site}/card.png?lang=fr"
    assert found["og:url"] == site
    assert found["og:title"] == found["twitter:title"] == escape("Work & health")
    assert found["og:description"] == found["twitter:description"]
    assert "1,8" in found["og:description"]
    assert found["twitter:card"] == "summary_large_image"
