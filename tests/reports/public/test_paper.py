"""The report for paper: two pages, in A4 and in letter, of which nothing is fetched; and what previews say of it."""

import ast
import re
import zlib
from contextlib import suppress

import pytest
from django.test import Client
from django.utils import translation

from accounts.models import Person
from config.update_message_catalogues import OF_SENTENCES, ROOT, read_catalogue
from intake.batches import automatic_sealing
from intake.rehearsal import respondent_simulation
from mining.parameters import Parameters
from reports.models import Review
from reports.pages import home_cards, report_document as documents
from reports.pages.report_document import ReportDocument
from reports.review import rule_decisions
from reports.review.report_page_data import ReportPage
from surveys.lifecycle import opening, state_changes as lifecycle
from surveys.models import Survey
from surveys.phrases.languages import SHIPPED
from tests.cast import make_once
from tests.golden.designs import seeds
from tests.reports import made
from tests.reports.conftest import reader
from tests.runs import sealed
from tests.surveys.conftest import NOW
from ui import pdf

pytestmark = pytest.mark.page
STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.DOTALL)
SIZES = {"A4": (595, 842), "letter": (612, 792)}


def objects(file: bytes) -> bytes:
    """What the objects of a PDF say, those in compressed streams too."""
    found = [file]
    for stream in STREAM.findall(file):
        with suppress(zlib.error):
            found.append(zlib.decompress(stream))
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
        run = sealed.mine_sealed(survey, owner, Parameters(min_support=0.02, min_confidence=0.1, max_size=2))
        review = made.waiting_review(run)
        rules = rule_decisions.rules_with_verdicts(run).filter(place__lt=8)
        rule_decisions.decide_rules(review, reviewer, rules, rule_decisions.Verdict.ACCEPT, "", NOW)
        made.publish(review, reviewer)
        return review

    return make_once(
        ("demonstration",), make, lambda of: Review.objects.with_surveys().get(pk=of.pk), is_computed=True
    )


@pytest.mark.parametrize("paper", [pytest.param("A4", marks=pytest.mark.night), "letter"])
def test_printed_demo_report_has_two_pages(demo: Review, paper: str, reading: Client) -> None:
    answer = reading.get(reader(f"print.pdf?paper={paper}&lang=en"))
    assert answer["Content-Type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF-")
    assert pages(answer.content) == 2
    box = re.findall(rb"/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]", objects(answer.content))
    assert {tuple(round(float(side)) for side in sides) for sides in box} == {SIZES[paper]}


@pytest.mark.night
def test_printed_report_has_at_most_two_pages_in_every_language(demo: Review) -> None:
    for language in SHIPPED:
        page = ReportDocument(ReportPage(demo, whole=False), language).page()
        assert pages(pdf.render_pdf(page, "letter")) <= 2, language


def test_a_pdf_is_made_once_for_a_publication_and_a_language(published_review: Review) -> None:
    """The same page has the same text at each time, and a PDF is made once of a text."""
    first, again, german = (
        ReportDocument(ReportPage(published_review, whole=False), language).page()
        for language in ("en", "en", "de")
    )
    assert first == again != german
    pdf.render_pdf.cache_clear()
    for _time in range(3):
        pdf.render_pdf("<p>x</p>", "A4")
    assert (pdf.render_pdf.cache_info().misses, pdf.render_pdf.cache_info().hits) == (1, 2)
    pdf.render_pdf("<p>y</p>", "A4")
    assert pdf.render_pdf.cache_info().misses == 2


PLANTED = [
    "https://evil.example/x.css", "http://127.0.0.1:1/x.css", "file:///etc/passwd", "//evil.example/x.css",
    "data:text/css,body{color:red}", "/static/../../etc/passwd", "/static/%2e%2e/%2e%2e/manage.css",
    "/app/account/sign-in", f"{pdf.BASE}@evil.example/static/x.css",
]  # fmt: skip


def test_pdf_loads_only_static_files(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    opened: list[object] = []
    monkeypatch.setattr("socket.socket.connect", lambda _self, to: opened.append(to))
    monkeypatch.setattr("socket.getaddrinfo", lambda *to, **_more: opened.append(to))
    assert pages(pdf.render_pdf('<link rel="stylesheet" href="/static/ui/paper.css"><p>x</p>', "A4")) == 1
    assert not caplog.text
    links = (f'<link rel="stylesheet" href="{planted}"><img src="{planted}">' for planted in PLANTED)
    assert pages(pdf.render_pdf(f"{''.join(links)}<p>Text</p>", "A4")) == 1
    assert not opened
    assert caplog.text.count("Failed to load stylesheet") == len(PLANTED)


@pytest.mark.parametrize(
    ("gone", "packages"),
    [
        (["libharfbuzz-subset.so.0"], "libharfbuzz-subset0"),
        (["libgobject-2.0.so.0", "libpango-1.0.so.0"], "libpangoft2-1.0-0"),
        (list(pdf.LIBRARIES), "libharfbuzz-subset0, libpangoft2-1.0-0"),
    ],
)
def test_browser_prints_where_pango_is_missing_and_packages_are_named(
    gone: list[str], packages: str, published_review: Review, monkeypatch: pytest.MonkeyPatch, reading: Client
) -> None:
    def load(library: str) -> None:
        if library in gone:
            raise OSError(f"{library}: cannot open shared object file")

    with monkeypatch.context() as patched:
        patched.setattr("ui.pdf.ctypes.CDLL", load)
        page = reading.get(reader("files")).content.decode()
        assert "PDF, A4" not in page
        assert "Save as PDF" in page
        assert f"Of Debian’s packages it lacks: {packages}." in page
        assert reading.get(reader("print.pdf")).status_code == 404
        assert reading.get(reader("print")).status_code == 200
    # Without a new start.
    assert "PDF, A4" in reading.get(reader("files")).content.decode()


def test_print_page_has_the_expected_content(
    published_review: Review, monkeypatch: pytest.MonkeyPatch, reading: Client
) -> None:
    assert reading.get(reader("print.pdf?paper=A0")).status_code == 404
    for language in ("de", "ar"):
        answer = reading.get(reader(f"print?lang={language}"))
        assert answer["Content-Language"] == language
        assert f'<html lang="{language}"' in answer.content.decode()
    assert "Not all shares fit" not in reading.get(reader("print")).content.decode()
    monkeypatch.setattr(documents, "ON_PAPER", 1)
    page = reading.get(reader("print")).content.decode()
    assert "Not all shares fit" in page
    assert page.count('<tbody class="no-print">') >= 2
    assert "Late: Yes" in page


def test_a_rehearsal_says_wherever_its_headline_stands_that_its_answers_are_simulated(
    demo: Review, owner: Person
) -> None:
    for language, simulated in (("en", "Simulated answers. "), ("de", "Simulierte Antworten. ")):
        document = ReportDocument(ReportPage(demo, whole=False), language)
        page = document.page("token")
        (headline,) = re.findall(r'<meta name="description" content="([^"]+)">', page)
        assert headline.startswith(simulated)
        assert re.findall(r':title" content="([^"]+)">', page) == [headline] * 2
        assert (
            re.findall(r':description" content="([^"]+)">', page)
            == [f"{document.title.text} · {headline}"] * 2
        )
        assert re.findall(r"<title>(.+)</title>", page) == [f"{headline} · {document.title.text} · Candor"]
        (first,) = re.findall(r"<h1>(.+?)</h1>", page)
        assert first.startswith(simulated)
        with translation.override(language):
            card = home_cards.published_findings([demo.survey], owner)[demo.survey.pk]
            news, *_ = home_cards.report_news(owner)
        assert card.sentence == news.words == first


def test_no_marked_word_stands_inside_an_f_string() -> None:
    found = []
    for module in OF_SENTENCES:
        for node in ast.walk(ast.parse((ROOT / module).read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
                found += [module for call in calls if isinstance(call.func, ast.Name) and call.func.id == "_"]
    assert not found


def test_the_legend_of_a_map_is_in_the_catalogues_of_everybody() -> None:
    """Its words are marked lazily."""
    for language in ("de", "fr", "es", "ar"):
        message = read_catalogue(language).get("withheld, or too few records")
        assert message is not None, language
        assert message.string, language
