"""A survey whose page another host serves: it is answered there, behind nginx the record arrives here, and nothing else
leaves the page."""

import io
import json
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Page, expect

from tests import servers
from tests.browser.conftest import NewPage, Respondent, forget_all, wait_for_receipt
from tests.browser.visiting import PHONE, VIOLATIONS, shell
from tests.product import Product, nginx

pytestmark = pytest.mark.browser
MAKE = """
import base64, urllib.request
from django.conf import settings
from intake.hosted import frozen_page
from surveys.lifecycle import survey_creation
settings.SITE_URL = %r
draft = {**drafts.bilingual(), "open_answers": False, "asked_at": {"host": %r}}
survey = survey_creation.create_survey_from_draft(robin, draft, "surveys.created", timezone.now())
folder = frozen_page.freeze_page(survey, robin, timezone.now())
print(json.dumps([survey.pk, survey.slug, base64.b64encode(bytes(folder.content)).decode()]))
"""
OPEN = """
from django.conf import settings
from intake.hosted import frozen_page
settings.SITE_URL = %r
survey = Survey.objects.get(pk=%r)
folder = frozen_page.PageFolder.objects.get(survey=survey)
print(frozen_page.look_at_host(folder, %r, robin, timezone.now()))
opening.open_survey_now(survey, robin, timezone.now())
"""
COUNT = "from intake.models import Inbox; print(Inbox.objects.filter(survey=%r).count())"


@dataclass
class Hosted:
    """A survey at its host; `site`: what gets the records, as browsers reach it."""

    url: str
    site: str
    folder: Path
    pk: int = 0
    slug: str = ""


@pytest.fixture(scope="module")
def hosted(product: Product, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    folder, conf = tmp_path_factory.mktemp("host"), tmp_path_factory.mktemp("nginx")
    front = nginx(conf, product.port, product.port, tls=False)
    with servers.serve_folder(folder) as at_host, front as port:
        host = Hosted(f"http://localhost:{at_host}", f"http://127.0.0.1:{port}", folder)
        host.pk, host.slug, content = json.loads(shell(product, MAKE % (host.site, host.url)))
        with ZipFile(io.BytesIO(b64decode(content))) as archive:
            archive.extractall(folder)
        yield host


@pytest.fixture(scope="module")
def open_site(hosted: Hosted, product: Product) -> Hosted:
    assert shell(product, OPEN % (hosted.site, hosted.pk, f"{hosted.url}/")) == "[]"
    return hosted


def watch_page(page: Page) -> tuple[list[tuple[str, str]], list[str]]:
    """Everything that the page asks for, and what a policy stopped or a script complained of."""
    requests: list[tuple[str, str]] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append((request.method, request.url)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.add_init_script(VIOLATIONS)
    return requests, complaints


def test_a_survey_is_answered_at_its_host_on_a_phone_and_the_record_arrives_behind_nginx(
    new_page: NewPage, open_site: Hosted, product: Product
) -> None:
    page = new_page(viewport=PHONE, locale="en-GB")
    requests, complaints = watch_page(page)
    page.goto(f"{open_site.url}/?who=somebody")
    expect(page.get_by_text("This page comes from localhost").first).to_be_visible()
    assert page.url == f"{open_site.url}/", "the query string is gone from the address"
    visitor = Respondent(page)
    visitor.answer({0: 0, 1: 1})
    before = len(requests)
    visitor.send()
    wait_for_receipt(page)
    assert requests[before:] == [("POST", f"{open_site.site}/a/{open_site.slug}/record")]
    assert [url for _method, url in requests[:before] if not url.startswith(f"{open_site.url}/")] == []
    assert complaints == []
    assert shell(product, COUNT % open_site.pk) == "1"
    record = visitor.receipt()
    assert record["design"] in (open_site.folder / "index.html").read_text()
    forget_all(product)


def test_the_page_begins_in_the_visitors_language_or_the_addressed_one(
    new_page: NewPage, hosted: Hosted
) -> None:
    for locale, fragment, language in (
        ("en-GB", "", "en"),
        ("zh-CN", "", "zh-hans"),
        ("en-GB", "#lang=zh-hans", "zh-hans"),
    ):
        page = new_page(locale=locale)
        page.goto(f"{hosted.url}/index.html{fragment}")
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.locator(f"[data-in={language}] [data-agree]")).to_be_visible()


def test_a_trial_walks_to_the_end_and_sends_nothing(new_page: NewPage, hosted: Hosted) -> None:
    page = new_page(locale="en-GB")
    requests, complaints = watch_page(page)
    page.goto(f"{hosted.url}/#try")
    expect(page.get_by_text("nothing is sent and nothing is stored").first).to_be_visible()
    page.reload()
    visitor = Respondent(page)
    visitor.send({0: 0, 1: 1})
    expect(page.get_by_role("heading", name="Preview: nothing was sent")).to_be_visible()
    assert [url for method, url in requests if method != "GET"] == []
    assert page.evaluate("[sessionStorage.length, localStorage.length]") == [0, 0]
    assert complaints == []


def test_a_copy_at_another_address_or_opened_as_a_file_asks_nothing(
    new_page: NewPage, hosted: Hosted
) -> None:
    copy = hosted.url.replace("localhost", "127.0.0.1")
    for address in (f"{copy}/", (hosted.folder / "index.html").as_uri()):
        page = new_page(locale="en-GB")
        page.goto(address)
        expect(page.get_by_text("Nothing can be answered here.").first).to_be_visible()
        assert page.locator("[data-agree]").count() == 0, address


def test_a_frame_of_another_site_asks_nothing_whatever_headers_the_host_leaves_out(
    new_page: NewPage, hosted: Hosted
) -> None:
    (hosted.folder / "around.html").write_text(f'<iframe src="{hosted.url}/"></iframe>')
    page = new_page(locale="en-GB")
    page.goto(f"{hosted.url.replace('localhost', '127.0.0.1')}/around.html")
    framed = page.frame_locator("iframe")
    expect(framed.get_by_text("Nothing can be answered here.").first).to_be_visible()
    expect(framed.locator("[data-agree]")).to_have_count(0)


def test_a_changed_script_does_not_run(new_page: NewPage, hosted: Hosted) -> None:
    device = next(hosted.folder.glob("static/intake/device*.js"))
    content = device.read_bytes()
    device.write_bytes(content + b"\n")
    try:
        page = new_page(locale="en-GB")
        page.goto(f"{hosted.url}/")
        expect(page.get_by_text("The page is getting ready").first).to_be_visible()
        expect(page.locator("[data-agree]:visible")).to_have_count(0)
    finally:
        device.write_bytes(content)


def test_who_is_no_host_cannot_read_an_answer_or_send_a_record(new_page: NewPage, open_site: Hosted) -> None:
    """A page of a near name; the server itself cannot tell, since it never learns who asks."""
    page = new_page()
    page.goto(f"{open_site.url.replace('localhost', '127.0.0.1')}/README.txt")
    post = """url => fetch(url, {method: "POST", headers: {"Content-Type": "application/json"}, body: "{}"})
        .then(() => "read", () => "refused")"""
    assert page.evaluate(post, f"{open_site.site}/a/{open_site.slug}/record") == "refused"


def test_who_is_told_that_a_record_was_refused_is_not_asked_to_answer_again(
    new_page: NewPage, open_site: Hosted
) -> None:
    """A site that lies about it would get a second draw for the same answers."""
    page = new_page(locale="en-GB")
    answer = {"json": {"outcome": "malformed"}, "headers": {"Access-Control-Allow-Origin": open_site.url}}
    page.route("**/record", lambda route: route.fulfill(**answer))
    page.goto(f"{open_site.url}/")
    Respondent(page).send({0: 0, 1: 1})
    expect(page.get_by_role("heading", name="Your answers were not accepted")).to_be_visible()
    assert "again" not in page.locator("#screen").inner_text()


def test_page_names_the_site_that_does_not_answer(new_page: NewPage, open_site: Hosted) -> None:
    page = new_page(locale="en-GB")
    page.route("**/record", lambda route: route.abort())
    page.goto(f"{open_site.url}/")
    Respondent(page).send({0: 0, 1: 1})
    site = open_site.site.removeprefix("http://")
    expect(page.locator("#progress")).to_contain_text(f"No answer from {site}.")
