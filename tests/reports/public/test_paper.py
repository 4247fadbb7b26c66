"""The report for paper: two pages, in A4 and in letter, of which nothing is fetched."""

import re
import zlib

import pytest
from django.test import Client

from accounts.models import Person
from intake.batches import automatic_sealing
from intake.rehearsal import respondent_simulation
from mining.parameters import Parameters
from reports.models import Review
from reports.pages import report_document as documents
from reports.pages.report_document import ReportDocument
from reports.review import rule_decisions
from reports.review.report_page_data import ReportPage
from surveys.lifecycle import opening, state_changes as lifecycle
from surveys.models import Survey
from surveys.phrases.languages import SHIPPED
from tests.golden.designs import seeds
from tests.kept_rows import kept
from tests.reports import made
from tests.reports.paged import reader
from tests.runs import working
from tests.surveys.conftest import NOW
from ui import pdf

pytestmark = pytest.mark.page
STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.DOTALL)
SIZES = {"A4": (595, 842), "letter": (612, 792)}


def objects(file: bytes) -> bytes:
    """What the objects of a PDF say, those in compressed streams too."""
    found = [file]
    for stream in STREAM.findall(file):
        try:
            found.append(zlib.decompress(stream))
        except zlib.error:
            continue
    return b"\n".join(found)


def pages(file: bytes) -> int:
    return len(re.findall(rb"/Type ?/Page\b", objects(file)))


@pytest.fixture
def demo(owner: Person, reviewer: Person) -> Review:
    """The demonstration survey as the golden files have it, with eight accepted rules."""

    def make() -> Review:
        draft = {**seeds()["demo"], "rehearsal": True, "least": 100}
        survey = Survey.objects.create(owner=owner, draft=draft)
        opening.open_survey_now(survey, owner, NOW)
        respondent_simulation.simulate(survey, 400, seed=1)
        lifecycle.close_survey(survey, owner, NOW)
        automatic_sealing.on_tick(NOW)
        run = working.mined(survey, owner, Parameters(min_support=0.02, min_confidence=0.1, max_size=2))
        review = made.waiting(run)
        rules = rule_decisions.rules_with_verdicts(run).filter(place__lt=8)
        rule_decisions.decide_rules(review, reviewer, rules, rule_decisions.Verdict.ACCEPT, "", NOW)
        made.publish(review, reviewer)
        return review

    def again(first: Review) -> Review:
        return Review.objects.with_surveys().get(pk=first.pk)

    return kept(("demonstration",), make, again, is_computed=True)


@pytest.mark.parametrize("paper", [pytest.param("A4", marks=pytest.mark.night), "letter"])
def test_the_demonstration_has_two_pages(demo: Review, paper: str, reading: Client) -> None:
    answer = reading.get(reader(f"print.pdf?paper={paper}&lang=en"))
    assert answer["Content-Type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF-")
    assert pages(answer.content) == 2
    box = re.findall(rb"/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]", objects(answer.content))
    assert {tuple(round(float(side)) for side in sides) for sides in box} == {SIZES[paper]}


@pytest.mark.night
def test_it_has_at_most_two_pages_in_every_language(demo: Review) -> None:
    for language in SHIPPED:
        page = ReportDocument(ReportPage(demo, whole=False), language).page()
        assert pages(pdf.render_pdf(page, "letter")) <= 2, language


def test_a_pdf_is_made_once_for_a_publication_and_a_language(published: Review) -> None:
    """The same page has the same text at each time, and a PDF is made once of a text."""
    first, again, german = (
        ReportDocument(ReportPage(published, whole=False), language).page() for language in ("en", "en", "de")
    )
    assert first == again != german
    pdf.render_pdf.cache_clear()
    for _time in range(3):
        pdf.render_pdf("<p>x</p>", "A4")
    assert (pdf.render_pdf.cache_info().misses, pdf.render_pdf.cache_info().hits) == (1, 2)
    pdf.render_pdf("<p>y</p>", "A4")
    assert pdf.render_pdf.cache_info().misses == 2


PLANTED = [
    "https://evil.example/x.css",
    "http://127.0.0.1:1/x.css",
    "file:///etc/passwd",
    "//evil.example/x.css",
    "data:text/css,body{color:red}",
    "/static/../../etc/passwd",
    "/static/%2e%2e/%2e%2e/manage.css",
    "/app/account/sign-in",
    f"{pdf.BASE}@evil.example/static/x.css",
]


def test_nothing_but_a_static_file_is_fetched(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    opened: list[object] = []
    monkeypatch.setattr("socket.socket.connect", lambda _self, to: opened.append(to))
    monkeypatch.setattr("socket.getaddrinfo", lambda *to, **_more: opened.append(to))
    links = (f'<link rel="stylesheet" href="{planted}"><img src="{planted}">' for planted in PLANTED)
    assert pages(pdf.render_pdf(f"{''.join(links)}<p>Text</p>", "A4")) == 1
    assert not opened
    assert caplog.text.count("Failed to load stylesheet") == len(PLANTED)


def test_a_static_file_is_read_from_the_disk(caplog: pytest.LogCaptureFixture) -> None:
    assert pages(pdf.render_pdf('<link rel="stylesheet" href="/static/ui/paper.css"><p>x</p>', "A4")) == 1
    assert not caplog.text


def test_without_pango_the_page_says_how_a_browser_prints(
    published: Review, monkeypatch: pytest.MonkeyPatch, reading: Client
) -> None:
    assert "PDF, A4" in reading.get(reader("files")).content.decode()
    monkeypatch.setattr(pdf, "LIBRARIES", ("libnowhere.so.0",))
    pdf.is_pdf_available.cache_clear()
    try:
        page = reading.get(reader("files")).content.decode()
        assert "PDF, A4" not in page
        assert "Save as PDF" in page
        assert reading.get(reader("print.pdf")).status_code == 404
        assert reading.get(reader("print")).status_code == 200
    finally:
        pdf.is_pdf_available.cache_clear()


def test_another_paper_is_not_found(published: Review, reading: Client) -> None:
    assert reading.get(reader("print.pdf?paper=A0")).status_code == 404


def test_what_does_not_fit_is_left_to_the_screen(
    published: Review, monkeypatch: pytest.MonkeyPatch, reading: Client
) -> None:
    assert "Not all shares fit" not in reading.get(reader("print")).content.decode()
    monkeypatch.setattr(documents, "ON_PAPER", 1)
    page = reading.get(reader("print")).content.decode()
    assert "Not all shares fit" in page
    assert page.count('<tbody class="no-print">') >= 2
    assert "Late: Yes" in page


def test_the_page_to_print_speaks_the_language_of_its_address(published: Review, reading: Client) -> None:
    for language in ("de", "ar"):
        answer = reading.get(reader(f"print?lang={language}"))
        assert answer["Content-Language"] == language
        assert f'<html lang="{language}"' in answer.content.decode()
